"""What came of recorded traces, as text, as JSON and as findings."""

from __future__ import annotations

import shlex
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from podproof.checker.conformance import Conformance
from podproof.checker.core.graph import Line
from podproof.commands.line.errors import HOLDS, VIOLATED
from podproof.commands.line.findings import place_of, proposal_of, tool
from podproof.commands.systems.build import Subject
from podproof.reports.formats.finding import Finding, Outcome, Report, Rule
from podproof.reports.layout import Detail, Style, text_of
from podproof.reports.machine import SCHEMA_VERSION, json_text

CONFORMS = Rule(
    "trace_conforms",
    "Some order of the workers explains every step of the trace that was recorded from the real code.",
    "Where none does, the model differs from the code, or the code from the version that the model is of.",
)


@dataclass(frozen=True)
class Replay:
    """All traces of a run."""

    subject: Subject
    name: str
    """The version, or the model file."""
    line: str
    """The command line."""
    results: tuple[Conformance, ...]
    left_out: int
    """Traces of profiles that were not asked for."""

    @property
    def conforming(self) -> int:
        return sum(result.conforms for result in self.results)

    @property
    def exit_code(self) -> int:
        return HOLDS if self.conforming == len(self.results) else VIOLATED


def conformance_text(replayed: Replay, most: int, style: Style) -> str:
    """The stories of so many traces that differ, and how many conform. In full detail, a line for those that do too."""
    shown: list[str] = []
    differing = 0
    for result in replayed.results:
        differing += not result.conforms
        if (style.detail is Detail.FULL) if result.conforms else differing <= most:
            shown += result.story()
    left = f", {replayed.left_out} left out by their profile" if replayed.left_out else ""
    whole = f"{replayed.conforming} of {len(replayed.results)} traces conform to {replayed.name}{left}"
    return text_of([*shown, whole])


def conformance_json(replayed: Replay) -> str:
    """All of it as indented JSON, schema podproof/1, ending with a newline."""
    document = {
        "schemaVersion": SCHEMA_VERSION,
        "kind": "conform",
        "tool": tool(),
        "command": replayed.line,
        "exitCode": replayed.exit_code,
        "version": replayed.subject.name,
        "conforming": replayed.conforming,
        "total": len(replayed.results),
        "leftOut": replayed.left_out,
        "traces": [_trace(result) for result in replayed.results],
    }
    return json_text(document)


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


def conformance_report(replayed: Replay) -> Report:
    """A case for each trace, in a suite for each file."""
    return Report(
        command="conform",
        line=replayed.line,
        subject=replayed.subject.name,
        findings=tuple(_findings(replayed)),
        exit_code=replayed.exit_code,
        reason="all traces conform" if replayed.exit_code == HOLDS else "a trace does not conform",
        tool_version=tool()["version"],
        place=place_of,
        proposal=proposal_of(replayed.subject),
    )


def _findings(replayed: Replay) -> Iterator[Finding]:
    """Of traces with one name in files of one name, the later ones say where they are: a case's name is its own."""
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
        version=replayed.subject.name,
        scenario=Path(file).name.partition(".")[0],
        outcome=Outcome.PASSED if result.conforms else Outcome.FAILED,
        status="CONFORMS" if result.conforms else "DIFFERS",
        message=_message(result),
        story=() if result.conforms else result.story(),
        line=Line(file, int(number)),
        replay="" if result.conforms else f"podproof conform {shlex.quote(file)} {replayed.subject.option}",
    )


def _message(result: Conformance) -> str:
    if result.conforms:
        return f"{result.trace} conforms in {result.steps} steps"
    event = result.events[-1] if result.events else ""
    return f"{result.trace} differs at step {result.step} of {result.steps}: {event}"
