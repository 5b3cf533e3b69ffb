"""Claims about whole runs and the fairness they assume, as formulas of the system that is exported."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from podproof.checker.core.graph import Expr, Op
from podproof.checker.core.system import FairnessCondition, LoweredProperty, Property, System
from podproof.checker.liveness.groups import groups_of
from podproof.checker.lowering.claims import Case, lower_cases
from podproof.checker.reductions import Plan, plan


@dataclass(frozen=True)
class FairSteps:
    """Steps of which a fair run takes one wherever the condition demands it."""

    condition: FairnessCondition
    steps: Sequence[tuple[int, Mapping[str, int], Expr]]
    """The number of a transition, values of its parameters (any where none is given), and when its step is owed."""


@dataclass(frozen=True)
class Runs:
    """What is claimed of whole runs, and what is assumed of them."""

    claims: Sequence[tuple[Property, Case]] = field(default=())
    fairness: Sequence[FairSteps] = field(default=())


def plan_runs(
    system: System, properties: Sequence[Property], names: Collection[str], without: Collection[str] = ()
) -> tuple[Plan, Runs]:
    """Apply the reductions of these names to a system and to all that is said of its runs.

    Raises ModelError where a claim leaves the model language, CheckerError for the name of an unknown assumption.
    """
    claims = [(p, case) for p in properties for case in lower_cases(system, p)]
    fairness = _fairness(system, without)
    nodes = [node for _, case in claims for node in (case.premise, case.goal)]
    nodes += [promised for group in fairness for _, _, promised in group.steps]
    read = Property("runs", "always", "What claims about runs and their fairness read.")
    reduced = plan(system, [LoweredProperty(read, state=node) for node in nodes], names)
    small = iter([p.state for p in reduced.properties if p.state is not None])
    claims = [(p, replace(case, premise=next(small), goal=next(small))) for p, case in claims]
    fairness = [
        FairSteps(group.condition, [(number, values, next(small)) for number, values, _ in group.steps])
        for group in fairness
    ]
    return reduced, Runs(claims, [group for group in map(partial(_possible, reduced.system), fairness) if group.steps])


def _possible(system: System, group: FairSteps) -> FairSteps:
    """The group without steps that no state allows."""

    def is_possible(number: int, values: Mapping[str, int], promised: Expr) -> bool:
        t, graph = system.transitions[number], system.graph
        given = {p.name: graph.constant(p.is_bool, values[p.name]) for p in t.free if p.name in values}
        return graph.false not in (promised, *graph.substitute([t.enabled], given, Op.PARAM))

    return replace(group, steps=[step for step in group.steps if is_possible(*step)])


def _fairness(system: System, without: Collection[str]) -> list[FairSteps]:
    found = []
    for group in groups_of(system, without):
        steps = list[tuple[int, Mapping[str, int], Expr]]()
        for number, transition in enumerate(system.transitions):
            moves = [move for move in transition.moves() if group.has(move)]
            if moves and group.condition.when is None:
                steps.append((number, group.values, system.graph.true))
            elif moves:
                steps += ((number, move.values, group.promised(system, move)) for move in moves)
        found.append(FairSteps(group.condition, steps))
    return found
