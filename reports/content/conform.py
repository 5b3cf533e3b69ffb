"""What came of recorded traces: the answer, as a document, and as findings."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from msgspec import field

from podproof.checker.conformance import Conformance
from podproof.checker.core.answer import AnswerPart, Count, ExitCode
from podproof.checker.core.graph import Line
from podproof.reports.content.finding import CaseResult, Finding, Rule
from podproof.reports.document import Part, Verbatim
from podproof.reports.layout import Detail

CONFORMS = Rule(
    "trace_conforms",
    "Some order of the workers explains every step of the trace that was recorded from the real code.",
    "Where none does, the model differs from the code, or the code from the version that the model is of.",
)
WORKERS = "pod workers"
"""What a recording is of that is of no function alone."""


class Recording(AnswerPart, frozen=True):
    """A file, and how much of what is in it conforms."""

    file: str
    function: str | None
    """The Go function whose cases it has; null for traces of the pod workers."""
    conforming: Count
    total: Count


class Replay(AnswerPart, frozen=True, tag_field="kind", tag="conform"):
    """conform"""

    command: str
    exit_code: ExitCode
    version: str
    conforming: Count
    total: Count
    left_out: Count
    """Traces of profiles that were not asked for."""
    files: Sequence[Recording]
    results: Sequence[Conformance] = field(name="traces")

    @property
    def what(self) -> str:
        """What the results are of."""
        return "case" if any(recording.function for recording in self.files) else "trace"


def conform_parts(replayed: Replay, name: str, detail: Detail) -> Iterator[Part]:
    """The story of the first that differs, a line for each file, and how many conform.

    In full detail the story of each. `name` is the version's, or the model file's.
    """
    differing = [result for result in replayed.results if not result.conforms]
    for result in replayed.results if detail is Detail.FULL else differing[:1]:
        yield Verbatim(result.story())
    if detail is not Detail.QUIET and replayed.files:
        yield Verbatim(list(_lines_of(replayed.files, name)))
    left = f", {replayed.left_out} left out by their profile" if replayed.left_out else ""
    release = f" to {name}" if replayed.what == "trace" else ""
    yield Verbatim([f"{replayed.conforming} of {replayed.total} {replayed.what}s conform{release}{left}"])


def _lines_of(recordings: Sequence[Recording], name: str) -> Iterator[str]:
    """A line for each file."""
    width = max(len(recording.function or WORKERS) for recording in recordings)
    for recording in recordings:
        word = "CONFORMS" if recording.conforming == recording.total else "DIFFERS"
        count = f"{recording.conforming} of {recording.total}"
        yield f"{word:8}  {recording.function or WORKERS:{width}}  {count:>14} to {name}  {recording.file}"


def conform_findings(replayed: Replay, option: str) -> Iterator[Finding]:
    """A case for each trace, in a suite for each file.

    Of traces with one name in files of one name, the later ones say where they are: a case's name is its own.
    `option` names the model on a command line.
    """
    seen: set[tuple[str, str]] = set()
    for result in replayed.results:
        finding = _finding(replayed.version, option, result)
        if (finding.suite, finding.name) in seen:
            finding = replace(finding, case=f"{finding.name} ({result.where})")
        seen.add((finding.suite, finding.name))
        yield finding


def _finding(version: str, option: str, result: Conformance) -> Finding:
    file, _, number = result.where.rpartition(":")
    return Finding(
        rule=CONFORMS,
        case=result.trace,
        version=version,
        scenario=Path(file).name.partition(".")[0],
        outcome=CaseResult.PASSED if result.conforms else CaseResult.FAILED,
        status="CONFORMS" if result.conforms else "DIFFERS",
        message=_message(result),
        story=() if result.conforms else result.story(),
        line=Line(file, int(number)),
        replay="" if result.conforms else f"podproof conform {shlex.quote(file)} {option}",
    )


def _message(result: Conformance) -> str:
    if result.conforms:
        return f"{result.trace} conforms in {result.steps} steps"
    event = result.events[-1] if result.events else ""
    return f"{result.trace} differs at step {result.step} of {result.steps}: {event}"
