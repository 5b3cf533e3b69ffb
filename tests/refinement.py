"""Does a plain system allow every step that a detailed one takes?

The plain system's variables are variables of the detailed one as well, and a state of the one is seen as the state of
the other that has the same values. Where both have an action it has to be the same one, with the same parameters; a
step of any other action has to change nothing that is seen, or be a step of the plain system.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from podproof.checker.core.system import Action, CheckerError, Limits, System, Trace
from podproof.checker.difference.behaviour import Labels, StateSpace, number_states
from podproof.checker.difference.result import View

_ANY = 0
"""Stands for the event of a step that the plain system may take under any name."""


@dataclass(frozen=True)
class Outside:
    """Steps of one action that the plain system does not allow."""

    action: str
    steps: int
    """How many different ones are seen, out of states that the plain system reaches as well."""
    example: Trace
    """A shortest trace of the detailed system that ends with such a step."""


@dataclass(frozen=True)
class Refinement:
    """What was found; `reason` says why nothing was, where a limit ended a search."""

    states: int
    steps: int
    plain_states: int
    seen: int
    """Different steps of the detailed system, as they are seen."""
    outside: tuple[Outside, ...]
    reason: str = ""


class _WithoutActors(Labels):
    """Events whoever acts: the status manager may do what the API server does in the plain system."""

    def number(self, action: Action, values: Mapping[str, int], end: str = "") -> int:
        return super().number(replace(action, actor=""), values, end)


def refinement(detailed: System, plain: System, limits: Limits) -> Refinement:
    """Explore both, and look for steps of the detailed system that the plain one does not allow, the nearest first."""
    theirs = {v.path: v for v in detailed.variables}
    if missing := [v.path for v in plain.variables if v.path not in theirs]:
        raise CheckerError(
            f"{detailed.scenario}: it has no {missing[0]}, so nothing says how {plain.environment} sees it"
        )
    paths = tuple(v.path for v in plain.variables)
    pairs = tuple((theirs[v.path], v) for v in plain.variables)
    labels = _WithoutActors()
    mine, other = (StateSpace(system, paths, labels, limits) for system in (detailed, plain))
    for one in (mine, other):
        one.run(None)
        if one.reason:
            return Refinement(0, 0, 0, 0, (), f"{one.system.environment} is not explored to the end: {one.reason}")
    _, nodes, count = number_states((mine, other), View(paths, pairs))
    shared = {action.name for action in plain.actions}
    is_shared = np.array([_ANY, *(action in shared for _, action, _ in labels.events)], bool)
    events = np.where(is_shared[mine.labels + 1], mine.labels + 1, _ANY)
    size = len(labels.events) + 1
    if count**2 * size >= 1 << 63:
        raise CheckerError("there are more states than can be compared by number; ask about a smaller scenario")

    def codes_of(ends: Any, one: StateSpace, names: Any) -> Any:
        ends = ends.astype(np.int64)
        return (ends[one.origins] * size + names) * count + ends[one.targets]

    allowed = np.concatenate((codes_of(nodes[1], other, other.labels + 1), codes_of(nodes[1], other, _ANY)))
    codes, first = np.unique(codes_of(nodes[0], mine, events), return_index=True)
    origins, names, targets = codes // count // size, codes // count % size, codes % count
    follows = np.isin(codes, allowed) | ((names == _ANY) & (origins == targets))
    outside = first[~follows & np.isin(origins, nodes[1])]
    if not np.isin(nodes[0][mine.initial], nodes[1][other.initial]).all():
        raise CheckerError(f"{detailed.scenario}: it begins where {plain.environment} does not")
    found: dict[str, list[int]] = {}
    for step in sorted(outside.tolist()):
        found.setdefault(labels.events[mine.labels[step]][1], []).append(step)
    told = tuple(Outside(action, len(steps), mine.trace_through(steps[0])) for action, steps in found.items())
    return Refinement(mine.count, len(mine.labels), other.count, len(codes), told)
