"""Traces in what `check -o json` wrote or `explore` saved, and taking them again."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from podproof.checker.core.system import Action, CheckerError, Lasso, Move, Property, Step, System, Trace
from podproof.checker.core.trace import replay
from podproof.checker.explain.stepping import name_of
from podproof.checker.liveness.lasso import who_waits
from podproof.checker.lowering.claims import lower_cases
from podproof.queries.formats import RESULT
from podproof.queries.walks import WALK, refuse_length
from podproof.reports.render.json import json_text
from podproof.specs.waits import waits_of

HOW = RESULT.advice
MOST_STEPS = 2_000
"""Of all traces together that are told."""
Pair = tuple[Mapping[str, Any], Mapping[str, Any]]
"""A result of the file, and one of its claims."""


@dataclass(frozen=True)
class StoredTrace:
    """A trace in a file."""

    place: str
    """The file, as errors name it."""
    version: str
    scenario: str
    claim: str
    steps: Sequence[Mapping[str, Any]]
    lasso: Mapping[str, Any] | None
    """How it goes on for ever; None where it ends."""
    assumptions: Collection[str]
    """What was assumed of fair runs, by name."""

    def replayed(self, system: System) -> Trace:
        """The trace, taken again. Raises CheckerError where a step cannot be taken or changes something else."""
        moves = []
        for number, step in enumerate(self.steps, 1):
            if step["action"] not in system.action:
                raise CheckerError(
                    f"{self.place}: step {number}: {system.name} has no action {step['action']!r}; {HOW}"
                )
            values = self._values(number, system.action[step["action"]], step.get("parameters", {}))
            moves.append(Move(step["action"], values))
        trace = replay(system, moves)
        if (other := self.first_other(trace.steps)) is not None:
            raise CheckerError(
                f"{self.place}: step {other}, {trace.steps[other - 1].event}, changes something else in "
                f"{system.name} than in the file; it was written by another version of the model: run "
                "`podproof check -o json` again"
            )
        return trace

    def run(self, system: System, claim: Property) -> Trace:
        """A run that goes on for ever, taken again. Raises CheckerError where it is no fair one that breaks the claim.

        Where the point of no return is only the file knows.
        """
        from podproof.checker.liveness.groups import assumptions_of
        from podproof.checker.liveness.lasso import objection

        trace, stored = self.replayed(system), self.lasso or {}
        case = next((case for case in lower_cases(system, claim) if case.shown == stored.get("case")), None)
        if case is None:
            raise CheckerError(f"{self.place}: it does not say in which case {self.claim} is broken for ever; {HOW}")
        lasso = Lasso(stored["start"], stored["waiting"], case.shown, stored.get("noReturn"), arguments=case.arguments)
        trace = replace(trace, lasso=lasso)
        without = assumptions_of(system).keys() - self.assumptions
        if what := objection(system, claim, case.arguments, trace, without):
            raise CheckerError(f"{self.place}: taken once more, it is no run that breaks {self.claim}: {what}; {HOW}")
        blocked = who_waits(system, trace, waits_of(system.shape.cls))
        return replace(trace, lasso=replace(lasso, blocked=blocked))

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

    def _values(self, number: int, action: Action, shown: Mapping[str, Any]) -> Mapping[str, int]:
        """The parameters' values from how they are shown."""
        values = {}
        for parameter in action.parameters:
            known = {parameter.show(value): value for value in parameter.values}
            if shown.get(parameter.name) not in known:
                raise CheckerError(
                    f"{self.place}: step {number}: {action.name} has no {parameter.name} "
                    f"{shown.get(parameter.name)!r}; there are {', '.join(map(repr, known))}"
                )
            values[parameter.name] = known[shown[parameter.name]]
        return values


def _in_order(action: Action | None, step: Mapping[str, Any]) -> Sequence[Any]:
    """A step's parameters as its action has them, and as the file has them where there is no such action."""
    given = step.get("parameters", {})
    return list(given.values()) if action is None else [given.get(parameter.name) for parameter in action.parameters]


def read_trace(name: str, properties: Sequence[str]) -> list[StoredTrace]:
    """The traces that `FILE#N` names, or all of the named claims, or the file's only one. Raises CheckerError."""
    stored = [_store(f"--trace {name}", pair) for pair in _select(name, properties)]
    if (steps := sum(len(trace.steps) for trace in stored)) > MOST_STEPS:
        raise CheckerError(f"--trace {name}: {len(stored)} traces of {steps:,} steps are too long to be told; name one")
    return stored


def open_trace(text: str, name: str) -> StoredTrace:
    """The walk in the text of a file of this name, or its only trace where it has no walk. Raises CheckerError."""
    pairs = _pairs(RESULT.parse(text.encode(), name), name, lambda _: True)
    chosen = [pair for pair in pairs if pair[1]["id"] == WALK.id] or pairs
    if not chosen:
        raise CheckerError(f"{name}: there is no trace in it; {HOW}")
    if len(chosen) > 1:
        raise CheckerError(
            f"{name}: there are {len(chosen)} traces in it and no walk; write one of them into a file with "
            "`podproof explain-trace --trace FILE#N --format json`"
        )
    return _store(name, chosen[0])


def _store(place: str, pair: Pair) -> StoredTrace:
    result, found = pair
    refuse_length(len(found["trace"]), f"{place}: ")
    return StoredTrace(
        place,
        result["version"],
        result["scenario"],
        found["id"],
        found["trace"],
        found.get("lasso"),
        result.get("assumptions", {}),
    )


def selected_json(name: str, properties: Sequence[str]) -> str:
    """The same traces as a document of the file's own form."""
    document = _document(_parts(name)[0])
    results = [{**result, "properties": [found]} for result, found in _select(name, properties)]
    return json_text({**document, "results": results})


def _select(name: str, properties: Sequence[str]) -> list[Pair]:
    path, number = _parts(name)
    traces = _pairs(
        _document(path), f"--trace {path}", lambda c: c["status"] == "VIOLATED" or c["id"] in (WALK.id, *properties)
    )
    if properties:
        traces = [pair for pair in traces if pair[1]["id"] in properties]
        missing = set(properties) - {found["id"] for _, found in traces}
        if missing:
            raise CheckerError(
                f"--trace {path}: no trace of {', '.join(sorted(missing))} is in it; name a claim that is"
            )
    if number is not None:
        if not 1 <= number <= len(traces):
            raise CheckerError(f"--trace {name}: there are {len(traces)} traces; give a number from 1 on")
        return [traces[number - 1]]
    best: dict[str, Pair] = {}
    for pair in traces:
        known = best.get(pair[1]["id"])
        if known is None or len(pair[1]["trace"]) < len(known[1]["trace"]):
            best[pair[1]["id"]] = pair
    if not best:
        raise CheckerError(
            f"--trace {path}: there is no counterexample in it; {HOW} about a claim that is violated, or name a claim "
            "of which it has a witness"
        )
    return list(best.values())


def _pairs(document: Mapping[str, Any], place: str, wanted: Callable[[Mapping[str, Any]], bool]) -> list[Pair]:
    """Every trace of a wanted claim, in the order of the file. Raises CheckerError for what another command wrote."""
    if document["kind"] not in ("check", "prove"):
        raise CheckerError(f"{place}: `podproof {document['kind']}` wrote it, which finds no traces of claims; {HOW}")
    claims = [(result, found) for result in document["results"] for found in result["properties"]]
    return [(result, found) for result, found in claims if "trace" in found and wanted(found)]


def _parts(name: str) -> tuple[Path, int | None]:
    """`FILE#N` as path and number."""
    numbered = re.fullmatch(r"(?P<path>.*)#(?P<number>[0-9]{1,9})", name, re.DOTALL)
    return (Path(name), None) if numbered is None else (Path(numbered["path"]), int(numbered["number"]))


def _document(path: Path) -> Mapping[str, Any]:
    document: Mapping[str, Any] = RESULT.read(path, f"--trace {path}")
    return document
