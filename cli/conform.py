"""`podproof conform`: replay recorded traces of the real code through the model."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from podproof.checker import conformance
from podproof.checker.conformance import Conformance
from podproof.checker.core.system import CheckerError
from podproof.cli import terminal
from podproof.cli.findings import report_of
from podproof.cli.options import subject_options
from podproof.cli.outputs import Content, Outputs, output_options
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import Subject, replayer_of, system_of
from podproof.queries.formats import read_recording, recordings_in
from podproof.reports.content.conform import Recording, Replay, conform_data, conform_findings, conform_parts
from podproof.reports.render.json import tool

if TYPE_CHECKING:
    from podproof.kubelet.layers.case import Layer


@terminal.command(
    examples=[
        ("podproof conform tests/traces/lifecycles.jsonl --version v1.29", "traces recorded from kubelet 1.29"),
        ("podproof conform mine.jsonl.gz --version v1.32 --most 5", "your own, with up to five differences"),
        ("podproof conform tests/layers/v1.32 --version v1.32", "cases of functions around the worker"),
    ]
)
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@subject_options
@click.option("--profile", "profiles", multiple=True, help="Only traces of this profile; may be repeated.")
@click.option("--skip-profile", "skipped", multiple=True, help="No traces of this profile; may be repeated.")
@click.option(
    "--most", type=click.IntRange(min=1), default=1, show_default=True, help="How many differing traces to show."
)
@output_options("conform")
def conform(
    files: tuple[Path, ...],
    subject: Subject,
    profiles: tuple[str, ...],
    skipped: tuple[str, ...],
    most: int,
    outputs: Outputs,
) -> int:
    """Replay recordings of the real code and compare after every step.

    FILES are .jsonl or .jsonl.gz, or folders with such files. Each has traces of the pod workers (docs/traces.md, of
    v1.20 docs/traces-v1.20.md) or cases of one function around them (docs/layers.md); its lines say which. Exit code 1
    when one does not conform.
    """
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
            if profile in skipped or (profiles and profile not in profiles):
                left_out += 1
            elif layer is None:
                results.append(conformance.replay(case, factory, where))
            else:
                results.append(replay_layer(layer, case, subject, where))
        recordings.append(Recording(str(file), function, tuple(results[before:])))
    if not results:
        left = f"; {left_out} were left out by their profile" if left_out else ""
        raise click.UsageError(f"the files have no trace to replay{left}; see docs/traces.md for the format")
    names = [
        *(shlex.quote(str(file)) for file in files),
        *(f"--profile {p}" for p in profiles),
        *(f"--skip-profile {p}" for p in skipped),
    ]
    line = " ".join(["podproof conform", *names, subject.option])
    replayed = Replay(
        subject.name,
        str(subject.file or subject.name),
        subject.option,
        line,
        tuple(results),
        left_out,
        tuple(recordings),
    )
    what = replayed.what
    end = replayed.exit_code, f"a {what} does not conform" if replayed.exit_code else f"all {what}s conform"
    outputs.write(
        Content(
            parts=lambda detail: conform_parts(replayed, most, detail),
            data=lambda: conform_data(replayed, tool()),
            report=lambda: report_of("conform", line, [subject], conform_findings(replayed), end),
        )
    )
    return replayed.exit_code


def replay_layer(layer: Layer, case: Mapping[str, Any], subject: Subject, where: str) -> Conformance:
    """Compare a case of a layer with what the subject's release has of it. Raises CheckerError where it has nothing."""
    if not all(hasattr(subject.cls, part) for part in layer.parts):
        raise CheckerError(f"{where}: there is no model of {layer.function} in {subject.name}; take another --version")
    parts = [getattr(subject.cls, part) for part in layer.parts]
    name = " ".join(filter(None, [layer.function, case.get("id")]))
    return conformance.replay_case(name, where, len(case.get("steps") or "1"), layer.replay(case, *parts))
