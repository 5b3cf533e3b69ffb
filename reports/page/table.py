"""The verdict table of the page, and how far its verdicts go."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

from podproof.checker.core.system import Exploration, Status, Verdict
from podproof.reports.layout import number_of
from podproof.reports.summary import open_bounds, overall, size_of, standing

SIGNS: Mapping[str, str] = {"VIOLATED": "✗", "UNKNOWN": "?", "HOLDS": "✓", "PROVED": "✓✓"}
ORDER = (Status.VIOLATED, Status.UNKNOWN, Status.PROVED, Status.HOLDS)
"""Claims that need a look come first."""


@dataclass(frozen=True)
class Cell:
    """One claim in one scenario."""

    scenario: str
    status: str
    """As in `Status`; NONE where the claim is not about the scenario, ELSEWHERE where only others show a witness."""
    sign: str
    word: str
    """What the sign stands for where the text does not say it."""
    text: str
    reason: str
    link: str
    """The fragment of its trace; empty where it has none."""


@dataclass(frozen=True)
class ClaimRow:
    """One claim in all scenarios."""

    claim: str
    kind: str
    meaning: str
    status: str
    sign: str
    standing: str
    """To what is known; empty where there is nothing to say."""
    cells: tuple[Cell, ...]

    @property
    def where(self) -> str:
        """In how many scenarios the verdict is that of the claim as a whole."""
        judged = [cell for cell in self.cells if cell.status != "NONE"]
        alike = sum(cell.status == self.status for cell in judged)
        where = f"in {alike} of {number_of(len(judged), 'scenario')}"
        return f"{where}; {self.standing}" if self.standing else where


def rows_of(explorations: Sequence[Exploration]) -> list[ClaimRow]:
    """A row for each claim, those that are violated or undecided first."""
    verdicts = {(e.system.scenario, v.property.id): v for e in explorations for v in e.verdicts}
    claims = {v.property.id: v.property for e in explorations for v in e.verdicts}
    rows = []
    for name, status in sorted(overall(explorations).items(), key=lambda item: ORDER.index(item[1])):
        scenarios = (e.system.scenario for e in explorations)
        cells = tuple(_cell(scenario, verdicts.get((scenario, name)), status) for scenario in scenarios)
        p = claims[name]
        stands = standing(explorations, name)
        rows.append(ClaimRow(name, p.kind, p.meaning, status.value, SIGNS[status.value], stands, cells))
    return rows


def summary_of(explorations: Sequence[Exploration]) -> list[tuple[str, str, int]]:
    """Sign, status and number of claims of each verdict that occurs."""
    found = list(overall(explorations).values())
    return [(SIGNS[status.value], status.value, found.count(status)) for status in ORDER if status in found]


def left_open(explorations: Sequence[Exploration]) -> str:
    """What a reader must not take for explored; empty where all was. Proofs say it of each claim."""
    partly = ", ".join(e.system.scenario for e in explorations if not e.complete and e.is_search)
    told = [f"Not explored to the end: {partly}. What was not found there may still be there."] if partly else []
    if any(e.interrupted for e in explorations):
        told.append("The run was interrupted, and any scenario that was to come after that is not on this page.")
    return " ".join(told)


def trust_of(e: Exploration) -> dict[str, str]:
    """How far a scenario's verdicts go: what the line `trust` of the text says, part by part."""
    proved = not e.is_search
    hits = ", ".join(f"{name} ({count:,} times)" for name, count in e.bounds_hit.items())
    if proved and (names := open_bounds(e)):
        hits = f"steps beyond a bound do not happen ({', '.join(names)})"
    return {
        "scenario": e.system.scenario,
        "environment": e.system.environment,
        "bounds": e.system.bounds + ("; every number of seconds from 0 on" if e.system.is_unbounded else ""),
        "extent": _prove(e) if proved else _explore(e),
        "bounds hit": hits or "none",
        "reductions": ", ".join(e.reductions) or "none",
        "never taken": "not asked" if proved else ", ".join(e.actions_never_taken) or "none",
        "engine": e.engine if proved else f"{e.engine}, exact states",
    }


def _explore(e: Exploration) -> str:
    cut = sum(e.bounds_hit.values())
    extent = "all of it explored" + (f" but for {number_of(cut, 'cut-off step')}" if cut else "")
    return f"{extent if e.complete else f'NOT all of it explored: {e.reason}'} ({size_of(e)})"


def _prove(e: Exploration) -> str:
    whole = "" if e.complete else f"NOT everything decided: {e.reason}; "
    return f"runs of any length; {whole}each invariant checked from scratch, each trace replayed"


def _cell(scenario: str, verdict: Verdict | None, whole: Status) -> Cell:
    if verdict is None:
        return Cell(scenario, "NONE", "", "", "not asked", "the claim is not about this scenario", "")
    status, link = verdict.status, ""
    if verdict.trace is not None:
        link = f"#/trace/{quote(scenario, safe='')}/{quote(verdict.property.id, safe='')}"
    if verdict.property.kind == "sometimes" and status is Status.VIOLATED and whole is not Status.VIOLATED:
        return Cell(scenario, "ELSEWHERE", "○", "", "not here", "seen in another scenario", link)
    reason = verdict.reason
    if verdict.baseline is not None:
        reason += f"; {verdict.baseline.state.value}: {verdict.baseline.reason}"
    words = {Status.HOLDS: "holds", Status.PROVED: "proved", Status.UNKNOWN: "unknown", Status.VIOLATED: "violated"}
    if verdict.trace is None:
        return Cell(scenario, status.value, SIGNS[status.value], "", words[status], reason, link)
    word = "violated after" if status is Status.VIOLATED else "seen after"
    steps = number_of(len(verdict.trace.steps), "step")
    return Cell(scenario, status.value, SIGNS[status.value], word, steps, reason, link)
