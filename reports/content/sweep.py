"""What many independent checks found: as a document and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from podproof.checker.adequacy.result import Fate
from podproof.checker.core.system import Status
from podproof.reports.document import (
    GAP,
    Bullets,
    Entry,
    Heading,
    Page,
    Paragraph,
    Part,
    Section,
    Table,
    code,
    indented,
)
from podproof.reports.layout import Detail, number_of
from podproof.reports.render.json import document

_SLOWEST = 5
_LEGEND = "✗ with the steps of the shortest trace, ✓ holds, ? not decided, - not about this subject."
_MARKS: Mapping[str, str] = {Status.HOLDS.value: "✓", Status.VIOLATED.value: "✗", Status.UNKNOWN.value: "?"}


@dataclass(frozen=True)
class Row:
    """What was checked: a release or a proposal, or a mutant of it."""

    subject: str
    mutant: str = ""
    """Its key; empty for the subject as it is."""


@dataclass(frozen=True)
class CheckResult:
    """What one check found."""

    row: Row
    scenario: str
    states: int
    verdicts: Mapping[str, tuple[str, int | None]]
    """Of each claim, with the steps of its trace. Of a mutant only those that object to it."""
    reason: str
    """Why it is not decided, or not even begun; empty where it is."""
    fate: Fate | None = None
    """Of a mutant."""
    seconds: float = 0.0
    is_lost: bool = False
    """Did its process end before it could say anything? Then another attempt may do better."""

    def after(self, seconds: float) -> CheckResult:
        return replace(self, seconds=round(seconds, 2))

    @property
    def undecided(self) -> str:
        """Why something is not decided; empty where everything is."""
        unknown = [claim for claim, (status, _) in self.verdicts.items() if status == Status.UNKNOWN.value]
        if self.reason or not unknown:
            return self.reason
        return f"UNKNOWN: {', '.join(unknown)}"


@dataclass(frozen=True)
class Sweep:
    """All results, in the order in which they were asked for."""

    cells: tuple[CheckResult, ...]
    planned: int
    kept: int
    """How many of them were known from an earlier run."""
    seconds: float

    @property
    def undecided(self) -> list[CheckResult]:
        return [cell for cell in self.cells if cell.undecided]

    def of_subjects(self) -> dict[str, list[CheckResult]]:
        """Without mutants."""
        found: dict[str, list[CheckResult]] = {}
        for cell in self.cells:
            if not cell.row.mutant:
                found.setdefault(cell.row.subject, []).append(cell)
        return found

    def of_mutants(self) -> dict[str, dict[str, list[CheckResult]]]:
        """For each subject those of each of its mutants."""
        found: dict[str, dict[str, list[CheckResult]]] = {}
        for cell in self.cells:
            if cell.row.mutant:
                found.setdefault(cell.row.subject, {}).setdefault(cell.row.mutant, []).append(cell)
        return found


def sweep_parts(found: Sweep, detail: Detail) -> Iterator[Part]:
    """The results as a document for a terminal."""
    if detail is not Detail.QUIET:
        yield Heading("Subjects")
        yield indented([_subjects(found), GAP])
    if detail is Detail.FULL:
        yield Heading("Checks")
        yield indented([_checks(found.cells), GAP])
    if rows := _differences(found):
        yield Heading("What differs")
        yield indented([Table(("claim", *found.of_subjects()), rows), Paragraph(_LEGEND), GAP])
    if found.of_mutants() and detail is not Detail.QUIET:
        yield Heading("Mutants")
        yield indented([_mutants(found), GAP])
    if len(found.cells) > _SLOWEST and detail is not Detail.QUIET:
        yield Heading("Slowest")
        yield indented([_checks(_slowest(found)), GAP])
    for cell in found.undecided:
        yield indented([Entry("UNKNOWN", [Paragraph(_undecided(cell))], 10, "open")])
    yield Paragraph(f"{summary_of(found)}.")


def sweep_page(found: Sweep, command: str) -> Page:
    """The results as a page."""
    sections = [Section("Subjects", [_subjects(found)])]
    if rows := _differences(found):
        sections.append(Section("What differs", [Paragraph(_LEGEND), Table(("claim", *found.of_subjects()), rows)]))
    if found.of_mutants():
        sections.append(Section("Mutants", [_mutants(found)]))
    if found.undecided:
        sections.append(Section("Not decided", [Bullets([_undecided(cell) for cell in found.undecided])]))
    sections.append(Section("Checks", [_checks(found.cells)]))
    verdict = "UNDECIDED" if found.undecided or len(found.cells) < found.planned else "DECIDED"
    return Page("Sweep", verdict, [summary_of(found)], sections, command)


def summary_of(found: Sweep) -> str:
    """How much was checked, in a line."""
    whole = "" if len(found.cells) == found.planned else f" of {found.planned:,} that were asked for"
    kept = f", {found.kept:,} of them known from an earlier run" if found.kept else ""
    work = sum(cell.seconds for cell in found.cells)
    undecided = f"; {len(found.undecided):,} not decided" if found.undecided else ""
    seconds = f"{work:,.0f} s of work in {found.seconds:,.0f} s"
    return f"{number_of(len(found.cells), 'check')}{whole}{kept}: {seconds}{undecided}"


def _subjects(found: Sweep) -> Table:
    rows = []
    for name, cells in found.of_subjects().items():
        violated = {claim for cell in cells for claim, (status, _) in cell.verdicts.items() if status == "VIOLATED"}
        rows.append(
            (
                name,
                f"{len(cells)}",
                f"{sum(cell.states for cell in cells):,}",
                f"{len(violated)}",
                f"{sum(bool(cell.undecided) for cell in cells)}",
                f"{sum(cell.seconds for cell in cells):,.1f}",
            )
        )
    return Table(("subject", "checks", "states", "violated claims", "not decided", "seconds"), rows, has_numbers=True)


def _checks(cells: Sequence[CheckResult]) -> Table:
    rows = [(_name(cell), cell.scenario, f"{cell.states:,}", _told(cell), f"{cell.seconds:.1f}") for cell in cells]
    return Table(("subject", "scenario", "states", "found", "seconds"), rows)


def _told(cell: CheckResult) -> str:
    if cell.fate is not None:
        return cell.fate.value + (f" by {', '.join(cell.verdicts)}" if cell.verdicts else "")
    violated = sum(status == Status.VIOLATED.value for status, _ in cell.verdicts.values())
    return cell.undecided or f"{violated} of {len(cell.verdicts)} violated"


def _differences(found: Sweep) -> list[tuple[str, ...]]:
    """The claims that hold for some and not for others, over all scenarios, with what they are for each."""
    subjects = found.of_subjects()
    claims = dict.fromkeys(claim for cells in subjects.values() for cell in cells for claim in cell.verdicts)
    rows = []
    for claim in claims:
        marks = [_mark(claim, cells) for cells in subjects.values()]
        if len({mark[:1] for mark in marks} - {"-"}) > 1:
            rows.append((claim, *marks))
    return rows


def _mark(claim: str, cells: Sequence[CheckResult]) -> str:
    """The worst of a claim's verdicts."""
    seen = [cell.verdicts[claim] for cell in cells if claim in cell.verdicts]
    steps = [steps for status, steps in seen if status == Status.VIOLATED.value and steps is not None]
    for status in (Status.VIOLATED, Status.UNKNOWN, Status.HOLDS):
        if any(status.value == other for other, _ in seen):
            return _MARKS[status.value] + (f" {min(steps)}" if status is Status.VIOLATED and steps else "")
    return "-"


def _mutants(found: Sweep) -> Table:
    """What became of the mutants of each subject, over all scenarios."""
    head = ("subject", "mutants", "killed", "alive", "equivalent", "refused", "alive are")
    rows = []
    for subject, mutants in found.of_mutants().items():
        fates = {key: _fate(cells) for key, cells in mutants.items()}
        count = {fate: sum(other is fate for other in fates.values()) for fate in Fate}
        alive = [key for key, fate in fates.items() if fate in (Fate.DIFFERENT, Fate.SURVIVED)]
        numbers = (len(fates), count[Fate.KILLED], len(alive), count[Fate.EQUIVALENT], count[Fate.REFUSED])
        rows.append((subject, *map(str, numbers), "; ".join(map(code, alive)) or "-"))
    return Table(head, rows)


def _fate(cells: Sequence[CheckResult]) -> Fate:
    """What became of a mutant in several scenarios: equivalent only if it is in each."""
    fates = {cell.fate for cell in cells}
    order = (Fate.KILLED, Fate.DIFFERENT, Fate.SURVIVED, Fate.EQUIVALENT, Fate.REFUSED)
    return next((fate for fate in order if fate in fates), Fate.SURVIVED)


def _slowest(found: Sweep) -> list[CheckResult]:
    return sorted(found.cells, key=lambda cell: -cell.seconds)[:_SLOWEST]


def _name(cell: CheckResult) -> str:
    return cell.row.subject + (f" {cell.row.mutant}" if cell.row.mutant else "")


def _undecided(cell: CheckResult) -> str:
    return f"{_name(cell)}, {cell.scenario}: {cell.undecided}"


# -- for machines ------------------------------------------------------------------------------------------------------


def sweep_data(found: Sweep, tool: Mapping[str, Any], command: str, exit_code: int) -> dict[str, Any]:
    content = {
        "command": command,
        "exitCode": exit_code,
        "planned": found.planned,
        "seconds": round(found.seconds, 1),
        "checks": [check_result_data(cell) for cell in found.cells],
    }
    return document("sweep", tool, content)


def check_result_data(cell: CheckResult) -> dict[str, Any]:
    """One check; `check_result` reads it."""
    mutant = {"mutant": cell.row.mutant} if cell.row.mutant else {}
    fate = {} if cell.fate is None else {"fate": cell.fate.value}
    return {
        "subject": cell.row.subject,
        **mutant,
        "scenario": cell.scenario,
        "states": cell.states,
        "verdicts": [
            {"claim": claim, "status": status, "steps": steps} for claim, (status, steps) in cell.verdicts.items()
        ],
        "reason": cell.reason,
        **fate,
        "seconds": cell.seconds,
    }


def check_result(data: Mapping[str, Any]) -> CheckResult:
    """What data of the schema says of a check."""
    return CheckResult(
        Row(data["subject"], data.get("mutant", "")),
        data["scenario"],
        data["states"],
        {verdict["claim"]: (verdict["status"], verdict["steps"]) for verdict in data["verdicts"]},
        data["reason"],
        Fate(data["fate"]) if "fate" in data else None,
        data["seconds"],
    )
