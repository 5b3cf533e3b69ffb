"""Fairness as groups of steps: each group is an obligation, and each of its steps discharges it."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from podproof.checker.core.graph import Expr
from podproof.checker.core.system import Action, CheckerError, FairnessCondition, Move, System
from podproof.checker.lowering.claims import lower_over_state
from podproof.checker.lowering.source import parameters_of, source_of
from podproof.checker.lowering.symbols import argument
from podproof.checker.lowering.values import FAILED, TypedValue


@dataclass(frozen=True, eq=False)
class FairGroup:
    """Steps of one action, of which a fair run takes one wherever the condition demands it."""

    action: Action
    condition: FairnessCondition
    values: Mapping[str, int]
    """The parameters that all of its steps share."""

    @property
    def is_strong(self) -> bool:
        return self.condition.is_strong

    def has(self, move: Move) -> bool:
        """Is a step one of them, as far as its parameters say?"""
        return move.action == self.action.name and self.values.items() <= move.values.items()

    def is_obligation(self, tree: Any, move: Move) -> bool:
        """Is the step a fairness obligation in this state, given as the model's objects?"""
        if self.condition.when is None:
            return True
        arguments = self.action.arguments(move.values)
        names = list(parameters_of(self.condition.when))[1:]
        return bool(self.condition.when(tree, *(arguments[name] for name in names)))

    def obligation(self, system: System, move: Move) -> Expr:
        """When the step is a fairness obligation, as a formula."""
        function, graph = self.condition.when, system.graph
        if function is None:
            return graph.true
        parameters = {p.name: p for p in self.action.parameters}
        asked = list(parameters_of(function))[1:]
        given = (argument(graph, parameters[name], move.values) for name in asked)
        owner = next((c for c in system.shape.cls.__mro__ if function in vars(c).values()), None)
        value, context = lower_over_state(system, function, *given, owner=owner)
        if not isinstance(value, TypedValue) or value.sort is not bool:
            source = source_of(function)
            source.refuse(source.tree, "a fairness condition's `when` gives no bool", "return a bool on every path")
        if context.when(FAILED) is not graph.false:
            source = source_of(function)
            source.refuse(source.tree, "a fairness condition's `when` can go wrong", "ask first what it needs")
        return value.node


def groups_of(system: System, without: Collection[str] = ()) -> tuple[FairGroup, ...]:
    """The fairness obligations of a run, without some of the assumptions. Raises CheckerError for an unknown name."""
    known = assumptions_of(system)
    for name in without:
        if name not in known:
            have = f"this model's are {', '.join(known)}" if known else "this model makes none"
            raise CheckerError(f"--without: there is no fairness assumption {name!r}; {have}")
    return tuple(
        FairGroup(action, condition, dict(zip(names, values, strict=True)))
        for action in system.actions
        for condition in action.fairness
        if condition.assumption not in without
        for names in [[p.name for p in action.parameters if p.name not in condition.whichever]]
        for values in itertools.product(
            *(
                (condition.values[p.name],) if p.name in condition.values else p.values
                for p in action.parameters
                if p.name not in condition.whichever
            )
        )
    )


def assumptions_of(system: System) -> dict[str, str]:
    """The names of the fairness assumptions that a model makes, with their reasons."""
    return {c.assumption: c.reason for action in system.actions for c in action.fairness}


def fairness_obligations(system: System) -> list[object]:
    """Which steps are fairness obligations, and when.

    Two systems in one graph with equal obligations have the same fair runs.
    """
    moves = [move for t in system.transitions for move in t.moves()]
    return [
        (g.condition.assumption, g.is_strong, tuple(g.values.items()), move, g.obligation(system, move))
        for g in groups_of(system)
        for move in moves
        if g.has(move)
    ]
