"""Recordings of the real code, replayed through the model."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from podproof.checker import conformance
from podproof.checker.conformance import Conformance
from podproof.checker.core import UsageError
from podproof.checker.core.system import CheckerError
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import Subject, replayer_of, subject_named, system_of
from podproof.queries.formats import read_recording, recordings_in
from podproof.reports.content.conform import Recording, Replay

if TYPE_CHECKING:
    from podproof.kubelet.layers.case import Layer


def conform(subject: str | Path | Subject, files: Sequence[Path], profiles: Sequence[str] = ()) -> Replay:
    """Replay the recordings in files and folders, of these profiles or of all, and compare after every step.

    Raises CheckerError for a file that has no recordings, and UsageError where none is left.
    """
    subject = subject if isinstance(subject, Subject) else subject_named(str(subject))
    if subject.file is not None:
        # Refuses what is outside the language: a replay runs the model as it is, loops without an end, too.
        system_of(subject, SCENARIOS["one-pod"])
    factory = replayer_of(subject)
    results: list[Conformance] = []
    recordings: list[Recording] = []
    left_out = 0
    for file in recordings_in(files):
        before, function = len(results), ""
        for where, case, layer in read_recording(file, subject.cls):
            function = layer.function if layer is not None else ""
            profile = case.get("profile") or ""
            if profiles and profile not in profiles:
                left_out += 1
            elif layer is None:
                results.append(conformance.replay(case, factory, where))
            else:
                results.append(replay_layer(layer, case, subject, where))
        mine = results[before:]
        recordings.append(Recording(str(file), function or None, sum(r.conforms for r in mine), len(mine)))
    if not results:
        left = f"; {left_out} were left out by their profile" if left_out else ""
        raise UsageError(f"the files have no trace to replay{left}; see docs/traces.md for the format")
    names = [*(shlex.quote(str(file)) for file in files), *(f"--profile {p}" for p in profiles)]
    line = " ".join(["podproof conform", *names, subject.option])
    conforming = sum(result.conforms for result in results)
    code: Literal[0, 1] = 0 if conforming == len(results) else 1
    return Replay(
        command=line,
        exit_code=code,
        version=subject.name,
        conforming=conforming,
        total=len(results),
        left_out=left_out,
        files=recordings,
        results=results,
    )


def replay_layer(layer: Layer, case: Mapping[str, Any], subject: Subject, where: str) -> Conformance:
    """Compare a case of a layer with what the subject's release has of it. Raises CheckerError where it has nothing."""
    if not all(hasattr(subject.cls, part) for part in layer.parts):
        raise CheckerError(f"{where}: there is no model of {layer.function} in {subject.name}; take another --version")
    parts = [getattr(subject.cls, part) for part in layer.parts]
    name = " ".join(filter(None, [layer.function, case.get("id") or case.get("trace")]))
    try:
        return conformance.replay_case(name, where, len(case.get("steps") or "1"), layer.replay(case, *parts))
    except ValueError as error:
        raise CheckerError(f"{where}: {error}; correct the recording, docs/layers.md has the format") from error
