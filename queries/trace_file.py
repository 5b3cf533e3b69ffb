"""Traces in what `check -o json` wrote or `explore` saved."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from msgspec import UNSET

from podproof.checker.core.answer import decoded
from podproof.checker.core.system import Action, CheckerError, Step, System
from podproof.checker.explain.stepping import name_of
from podproof.queries.formats import RESULT
from podproof.queries.walks import WALK, refuse_length
from podproof.reports.content.verdicts import AnswerStep, Verdicts

HOW = RESULT.advice


@dataclass(frozen=True)
class StoredTrace:
    """A trace in a file."""

    version: str
    scenario: str
    claim: str
    steps: Sequence[AnswerStep]

    def first_other(self, taken: Sequence[Step]) -> int | None:
        """The number of the first of these steps that changes something else than in the file; None if none does."""
        for number, (stored, step) in enumerate(zip(self.steps, taken, strict=False), 1):
            if stored.changed != {change.path: (change.before, change.after) for change in step.changes}:
                return number
        return None

    def moves(self, system: System) -> list[str]:
        """The steps as the moves of a walk; whether the system has them, a walk says."""
        return [name_of(step.action, _in_order(system.action.get(step.action), step)) for step in self.steps]


def _in_order(action: Action | None, step: AnswerStep) -> Sequence[Any]:
    """A step's parameters as its action has them, and as the file has them where there is no such action."""
    given = step.parameters
    return list(given.values()) if action is None else [given.get(parameter.name) for parameter in action.parameters]


def open_trace(text: str, name: str) -> StoredTrace:
    """The walk in the text of a file of this name, or its only trace where it has no walk. Raises CheckerError."""
    document = RESULT.parse(text.encode(), name)
    if document["kind"] not in ("check", "prove"):
        raise CheckerError(f"{name}: `podproof {document['kind']}` wrote it, which finds no traces of claims; {HOW}")
    traces = [
        StoredTrace(result.version, result.scenario, claim.id, claim.trace)
        for result in decoded(document, Verdicts).results
        for claim in result.properties
        if claim.trace is not UNSET
    ]
    chosen = [trace for trace in traces if trace.claim == WALK.id] or traces
    if not chosen:
        raise CheckerError(f"{name}: there is no trace in it; {HOW}")
    if len(chosen) > 1:
        raise CheckerError(
            f"{name}: there are {len(chosen)} traces in it and no walk; write one of them into a file with "
            "`podproof check --property CLAIM -o json`"
        )
    refuse_length(len(chosen[0].steps), f"{name}: ")
    return chosen[0]
