"""Traces in what `check -o json` wrote or `explore` saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from podproof.checker.core.system import Action, CheckerError, Step, System
from podproof.checker.explain.stepping import name_of
from podproof.queries.formats import RESULT
from podproof.queries.walks import WALK, refuse_length

HOW = RESULT.advice
Pair = tuple[Mapping[str, Any], Mapping[str, Any]]
"""A result of the file, and one of its claims."""


@dataclass(frozen=True)
class StoredTrace:
    """A trace in a file."""

    version: str
    scenario: str
    claim: str
    steps: Sequence[Mapping[str, Any]]

    def first_other(self, taken: Sequence[Step]) -> int | None:
        """The number of the first of these steps that changes something else than in the file; None if none does."""
        for number, (stored, step) in enumerate(zip(self.steps, taken, strict=False), 1):
            changed = {change.path: [change.before, change.after] for change in step.changes}
            if stored.get("changed", changed) != changed:
                return number
        return None

    def moves(self, system: System) -> list[str]:
        """The steps as the moves of a walk; whether the system has them, a walk says."""
        return [name_of(step["action"], _in_order(system.action.get(step["action"]), step)) for step in self.steps]


def _in_order(action: Action | None, step: Mapping[str, Any]) -> Sequence[Any]:
    """A step's parameters as its action has them, and as the file has them where there is no such action."""
    given = step.get("parameters", {})
    return list(given.values()) if action is None else [given.get(parameter.name) for parameter in action.parameters]


def open_trace(text: str, name: str) -> StoredTrace:
    """The walk in the text of a file of this name, or its only trace where it has no walk. Raises CheckerError."""
    pairs = _pairs(RESULT.parse(text.encode(), name), name)
    chosen = [pair for pair in pairs if pair[1]["id"] == WALK.id] or pairs
    if not chosen:
        raise CheckerError(f"{name}: there is no trace in it; {HOW}")
    if len(chosen) > 1:
        raise CheckerError(
            f"{name}: there are {len(chosen)} traces in it and no walk; write one of them into a file with "
            "`podproof check --property CLAIM -o json`"
        )
    return _store(name, chosen[0])


def _store(place: str, pair: Pair) -> StoredTrace:
    result, found = pair
    refuse_length(len(found["trace"]), f"{place}: ")
    return StoredTrace(
        result["version"],
        result["scenario"],
        found["id"],
        found["trace"],
    )


def _pairs(document: Mapping[str, Any], place: str) -> list[Pair]:
    """Every trace of a claim, in the order of the file. Raises CheckerError for what another command wrote."""
    if document["kind"] not in ("check", "prove"):
        raise CheckerError(f"{place}: `podproof {document['kind']}` wrote it, which finds no traces of claims; {HOW}")
    claims = [(result, found) for result in document["results"] for found in result["properties"]]
    return [(result, found) for result, found in claims if "trace" in found]
