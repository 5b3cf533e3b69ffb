"""What came of recorded traces: as a document, as data, and as findings."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from podproof.checker.conformance import Conformance
from podproof.checker.core.graph import Line
from podproof.reports.content.finding import CaseResult, Finding, Rule
from podproof.reports.document import Part, Verbatim
from podproof.reports.layout import Detail
from podproof.reports.render.json import document

CONFORMS = Rule(
    "trace_conforms",
    "Some order of the workers explains every step of the trace that was recorded from the real code.",
    "Where none does, the model differs from the code, or the code from the version that the model is of.",
)
WORKERS = "pod workers"
"""What a recording is of that is of no function alone."""


@dataclass(frozen=True)
class Recording:
    """A file, and what came of what is in it."""

    file: str
    function: str
    """The Go function it was recorded of; empty for the pod workers as a whole."""
    results: tuple[Conformance, ...]

    @property
    def conforming(self) -> int:
        return sum(result.conforms for result in self.results)


@dataclass(frozen=True)
class Replay:
    """All traces of a run."""

    version: str
    name: str
    """The version, or the model file."""
    option: str
    """What names it on a command line."""
    line: str
    """The command line."""
    results: tuple[Conformance, ...]
    left_out: int
    """Traces of profiles that were not asked for."""
    recordings: tuple[Recording, ...] = ()
    """The files."""

    @property
    def what(self) -> str:
        """What the results are of."""
        return "case" if any(recording.function for recording in self.recordings) else "trace"

    @property
    def conforming(self) -> int:
        return sum(result.conforms for result in self.results)

    @property
    def exit_code(self) -> int:
        return 0 if self.conforming == len(self.results) else 1


def conform_parts(replayed: Replay, most: int, detail: Detail) -> Iterator[Part]:
    """The stories of so many that differ, a line for each file, and how many conform.

    In full detail a line for each that conforms, too.
    """
    differing = 0
    for result in replayed.results:
        differing += not result.conforms
        if (detail is Detail.FULL) if result.conforms else differing <= most:
            yield Verbatim(result.story())
    if detail is not Detail.QUIET and replayed.recordings:
        yield Verbatim(list(_lines_of(replayed.recordings, replayed.name)))
    left = f", {replayed.left_out} left out by their profile" if replayed.left_out else ""
    release = f" to {replayed.name}" if replayed.what == "trace" else ""
    yield Verbatim([f"{replayed.conforming} of {len(replayed.results)} {replayed.what}s conform{release}{left}"])


def _lines_of(recordings: Sequence[Recording], name: str) -> Iterator[str]:
    """A line for each file."""
    width = max(len(recording.function or WORKERS) for recording in recordings)
    for recording in recordings:
        word = "CONFORMS" if recording.conforming == len(recording.results) else "DIFFERS"
        count = f"{recording.conforming} of {len(recording.results)}"
        yield f"{word:8}  {recording.function or WORKERS:{width}}  {count:>14} to {name}  {recording.file}"


def conform_data(replayed: Replay, tool: Mapping[str, Any]) -> dict[str, Any]:
    content = {
        "command": replayed.line,
        "exitCode": replayed.exit_code,
        "version": replayed.version,
        "conforming": replayed.conforming,
        "total": len(replayed.results),
        "leftOut": replayed.left_out,
        "files": [
            {
                "file": recording.file,
                "function": recording.function or None,
                "conforming": recording.conforming,
                "total": len(recording.results),
            }
            for recording in replayed.recordings
        ],
        "traces": [_trace(result) for result in replayed.results],
    }
    return document("conform", tool, content)


def _trace(result: Conformance) -> dict[str, object]:
    found: dict[str, object] = {
        "trace": result.trace,
        "source": result.where,
        "conforms": result.conforms,
        "steps": result.steps,
    }
    if not result.conforms:
        found["step"] = result.step
        found["differences"] = [asdict(difference) for difference in result.differences]
        found["events"] = list(result.events)
    return found


def conform_findings(replayed: Replay) -> Iterator[Finding]:
    """A case for each trace, in a suite for each file.

    Of traces with one name in files of one name, the later ones say where they are: a case's name is its own.
    """
    seen: set[tuple[str, str]] = set()
    for result in replayed.results:
        finding = _finding(replayed, result)
        if (finding.suite, finding.name) in seen:
            finding = replace(finding, case=f"{finding.name} ({result.where})")
        seen.add((finding.suite, finding.name))
        yield finding


def _finding(replayed: Replay, result: Conformance) -> Finding:
    file, _, number = result.where.rpartition(":")
    return Finding(
        rule=CONFORMS,
        case=result.trace,
        version=replayed.version,
        scenario=Path(file).name.partition(".")[0],
        outcome=CaseResult.PASSED if result.conforms else CaseResult.FAILED,
        status="CONFORMS" if result.conforms else "DIFFERS",
        message=_message(result),
        story=() if result.conforms else result.story(),
        line=Line(file, int(number)),
        replay="" if result.conforms else f"podproof conform {shlex.quote(file)} {replayed.option}",
    )


def _message(result: Conformance) -> str:
    if result.conforms:
        return f"{result.trace} conforms in {result.steps} steps"
    event = result.events[-1] if result.events else ""
    return f"{result.trace} differs at step {result.step} of {result.steps}: {event}"
