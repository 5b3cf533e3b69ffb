"""What `pods --surroundings` found out: as a document and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podproof.checker.core.system import System
from podproof.checker.difference.result import Refinement
from podproof.reports.document import Entry, Heading, Paragraph, Part, indented
from podproof.reports.layout import Detail, number_of
from podproof.reports.render.json import document


@dataclass(frozen=True)
class SurroundingsVerdict:
    """Whether the plain surroundings of a scenario allow what the detailed ones do."""

    system: System
    """The detailed one."""
    found: Refinement

    def events(self, number: int) -> list[str]:
        """The shortest run that the plain surroundings do not allow the last step of."""
        return [self.system.event(step.move) for step in self.found.outside[number].example.steps]


def surroundings_parts(verdicts: Sequence[SurroundingsVerdict], detail: Detail) -> Iterator[Part]:
    for v in verdicts:
        if detail is not Detail.QUIET or v.found.outside or v.found.reason:
            told = f"   {v.found.states:,} states, {v.found.steps:,} steps"
            yield Heading(f"{v.system.version}  {v.system.scenario}", told)
            yield indented(list(_shown(v)))


def _shown(v: SurroundingsVerdict) -> Iterator[Part]:
    if v.found.reason:
        yield Entry("UNDECIDED", [Paragraph(v.found.reason)], look="open")
        return
    for number, outside in enumerate(v.found.outside):
        yield Entry("OUTSIDE", [Paragraph(f"{outside.action}: {number_of(outside.steps, 'step')}")], look="bad")
        yield indented([Paragraph("; ".join(v.events(number)))])
    if not v.found.outside:
        among = f"are steps with one bit for containers, which has {number_of(v.found.plain_states, 'state')}"
        allowed = f"all {number_of(v.found.seen, 'step')} that can be told apart {among}"
        yield Entry("ALLOWED", [Paragraph(allowed)], look="good")


def surroundings_data(verdicts: Sequence[SurroundingsVerdict], tool: Mapping[str, Any], code: int) -> dict[str, Any]:
    results = [
        {
            "version": v.system.version,
            "scenario": v.system.scenario,
            "states": v.found.states,
            "steps": v.found.steps,
            "plainStates": v.found.plain_states,
            "seen": v.found.seen,
            "undecided": v.found.reason,
            "outside": [
                {"action": outside.action, "steps": outside.steps, "example": v.events(number)}
                for number, outside in enumerate(v.found.outside)
            ],
        }
        for v in verdicts
    ]
    return document("pods", tool, {"exitCode": code, "results": results})
