"""Which reductions are used on a system, and what a report says of them."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from podproof.checker.core.system import (
    CheckerError,
    EngineFault,
    Exploration,
    LoweredProperty,
    Move,
    System,
    Trace,
    Verdict,
)
from podproof.checker.core.trace import evidence, is_shown
from podproof.checker.reductions.slicing import relevant_variables, unchanging_variables, with_values
from podproof.checker.reductions.symmetry import STATES_STOOD_FOR, Names, NotSymmetric, Renaming, quotient, renamings_of

REDUCTIONS: Mapping[str, str] = {
    "slicing": "variables that no guard and no claim depends on are left out",
    "constants": "variables that never change are left out",
    "symmetry": "states that differ by an exchange of interchangeable pods count as one",
}
"""Used unless somebody says otherwise."""


@dataclass(frozen=True)
class Plan:
    """A system made smaller for an engine, with claims that fit it."""

    original: System
    asked: tuple[LoweredProperty, ...]
    """The claims as they are, about the original system."""
    system: System
    properties: tuple[LoweredProperty, ...]
    keep: frozenset[str]
    notes: tuple[str, ...]

    def report(self, found: Exploration) -> Exploration:
        """What an engine found out, as a statement about the original system and the claims that were asked."""
        bounds, notes = dict(found.bounds_hit), self.notes
        if (stood_for := bounds.pop(STATES_STOOD_FOR, 0)) > 0:
            which = "these" if found.complete else "those that were expanded"
            notes = (*notes, f"{REDUCTIONS['symmetry']}: {which} stand for {stood_for:,}")
        verdicts = tuple(self._verdict(p, v) for p, v in zip(self.asked, found.verdicts, strict=True))
        return dataclasses.replace(found, system=self.original, bounds_hit=bounds, reductions=notes, verdicts=verdicts)

    def _verdict(self, asked: LoweredProperty, verdict: Verdict) -> Verdict:
        """The verdict with a trace that decides the claim itself, and not only the same claim about other pods."""
        if verdict.trace is None or is_shown(self.original, asked, verdict.trace):
            return verdict
        for renaming in renamings_of(self.system):
            trace = self._rename(verdict.trace, renaming)
            if is_shown(self.original, asked, trace):
                return dataclasses.replace(verdict, trace=trace)
        raise EngineFault(f"{asked.property.id}: its trace does not show it")

    def _rename(self, trace: Trace, renaming: Renaming) -> Trace:
        moves = []
        for move in trace.moves:
            image = self.original.transitions[renaming.transitions[self.original.transition_of(move)]]
            moves.append(Move(move.action, {**move.values, **image.fixed}))
        return evidence(self.original, moves, renaming.of_state(self.original, trace.initial))


def plan(
    system: System, properties: Sequence[LoweredProperty], names: Collection[str], interchangeable: Sequence[Names] = ()
) -> Plan:
    """Apply the reductions of these names. `interchangeable` proposes exchanges of names, which are proved or not used.

    Raises CheckerError for an unknown name.
    """
    for name in names:
        if name not in REDUCTIONS:
            raise CheckerError(f"--reduce: there is no reduction {name!r}; known are {', '.join(REDUCTIONS)}")
    original, asked, notes = system, tuple(properties), []
    properties = asked
    keep = {v.path for v in system.variables}
    if "constants" in names:
        values = unchanging_variables(system)
        system, properties = with_values(system, properties, values)
        keep -= values.keys()
        notes += _left_out(len(values), system, "never change")
    if "symmetry" in names and interchangeable:
        try:
            system, properties = quotient(system, properties, interchangeable)
        except NotSymmetric as difference:
            notes.append(f"the pods are not interchangeable: {difference}")
    if "slicing" in names:
        relevant = _relevant(system, properties)
        notes += _left_out(len(keep - relevant), system, "matter to no guard and no claim")
        keep &= relevant
    return Plan(original, asked, system, tuple(properties), frozenset(keep), tuple(notes))


def _relevant(system: System, properties: Sequence[LoweredProperty]) -> frozenset[str]:
    """The variables that matter, together with those that renamings put into their places."""
    relevant = relevant_variables(system, properties)
    while not (images := {r.paths.get(path, path) for r in renamings_of(system) for path in relevant}) <= relevant:
        relevant = relevant_variables(system, properties, relevant | images)
    return relevant


def _left_out(count: int, system: System, why: str) -> list[str]:
    return [f"{count} of {len(system.variables)} variables {why} and are left out"] if count else []
