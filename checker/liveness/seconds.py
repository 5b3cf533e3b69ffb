"""Claims about runs for every number of seconds, by forgetting the numbers.

What a step compares with a number of seconds may come out either way: each such comparison becomes a choice of the
step, and the variables that have numbers go. Every run of the system is a run of the smaller one, with the same values
of all that is left; and every fair one is fair there, unless whether an owed step is possible, or owed, depends on what
was forgotten, which is refused. So a claim that holds of all fair runs of the smaller system holds of the system
whatever the seconds are. The other way round nothing follows: such a claim is asked again with the scenario's seconds.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence

from podproof.checker.core.graph import UNBOUNDED, Expr, Op, Rewriter, topological, variables_below
from podproof.checker.core.shapes import Scalar
from podproof.checker.core.system import (
    NO_LIMITS,
    CheckerError,
    Exploration,
    OnProgress,
    Parameter,
    Property,
    Status,
    System,
    Transition,
    Verdict,
)
from podproof.checker.liveness.decide import RunChecker
from podproof.checker.liveness.groups import FairGroup, assumptions_of, groups_of
from podproof.checker.liveness.stored import StoredRuns
from podproof.checker.lowering.claims import lower_cases

_BOOL = Scalar(bool, 0, 1, {}, 0)


def prove_runs(
    system: System, bounded: System, claims: Sequence[Property], report: OnProgress | None = None
) -> Exploration:
    """The verdicts for every number of seconds; `bounded` is the system with a scenario's seconds."""
    groups = groups_of(system)
    numbers = {v.path for v in system.variables if v.high >= UNBOUNDED}
    cases = {p.id: lower_cases(system, p) for p in claims}
    fits = {
        p.id: numbers.isdisjoint(variables_below(n for c in cases[p.id] for n in (c.premise, c.goal))) for p in claims
    }
    decided = dict[str, Verdict]()
    try:
        smaller = without_seconds(system, groups)
        asked = [case for p in claims if fits[p.id] for case in cases[p.id]]
        runs = StoredRuns(smaller, asked, groups, NO_LIMITS, ("slicing", "constants"), report)
        found = dataclasses.replace(runs.exploration, system=bounded, reductions=runs.reductions)
    except CheckerError as error:
        found = Exploration(bounded, "runs", False, str(error), 0.0, ())
    for p in claims if found.complete else ():
        answers = [runs.waiting(case).answer(groups, False) for case in cases[p.id]] if fits[p.id] else []
        if answers and not any(a.run is not None or a.is_cut_off for a in answers):
            exercised = None if any(a.is_asked for a in answers) else False
            reason = "only because its premise never happens here" if exercised is False else "in every fair run"
            decided[p.id] = Verdict(p, Status.PROVED, reason, exercised=exercised)
    left = [p for p in claims if p.id not in decided]
    for verdict in RunChecker(bounded, needs=False, report=report).decide(left).verdicts if left else ():
        if verdict.status is Status.HOLDS:
            why = (
                found.reason
                or "it holds with the scenario's seconds, and not where each comparison may come out either way"
            )
            verdict = Verdict(verdict.property, Status.UNKNOWN, why)
        decided[verdict.property.id] = verdict
    return dataclasses.replace(
        found, engine="runs", verdicts=tuple(decided[p.id] for p in claims), assumptions=assumptions_of(system)
    )


def without_seconds(system: System, groups: Collection[FairGroup]) -> System:
    """The system without its unbounded numbers. Raises CheckerError where fairness needs them."""
    numbers = {v.path for v in system.variables if v.high >= UNBOUNDED}
    for group in groups:
        moves = [move for t in system.transitions for move in t.moves() if group.condition.when and group.has(move)]
        if not numbers.isdisjoint(variables_below(group.promised(system, move) for move in moves)):
            raise CheckerError(f"whether {group.action.name} is owed depends on a number of seconds")
    owed = {group.action.name for group in groups}
    transitions = tuple(_forget(system, t, numbers, t.action.name in owed) for t in system.transitions)
    kept = [i for i, v in enumerate(system.variables) if v.path not in numbers]
    return dataclasses.replace(
        system,
        variables=tuple(system.variables[i] for i in kept),
        initial=tuple(dict.fromkeys(tuple(state[i] for i in kept) for state in system.initial)),
        transitions=transitions,
        free={},
    )


def _forget(system: System, t: Transition, numbers: Collection[str], is_owed: bool) -> Transition:
    """A step without numbers."""
    unknown = {p.name for p in t.free if p.unbounded}
    forgotten, about = set[Expr](), set[Expr]()
    for node in topological(t.nodes()):
        is_number = str(node.value) in (numbers if node.op is Op.VAR else unknown if node.op is Op.PARAM else ())
        if is_number or not about.isdisjoint(node.args):
            about.add(node)
        if is_number or (not node.is_bool and not forgotten.isdisjoint(node.args)):
            forgotten.add(node)
    if is_owed and t.enabled in about:
        raise CheckerError(f"whether {t.action.name} is possible depends on a number of seconds")
    choices = dict[Expr, Expr]()

    def choice(node: Expr, _args: tuple[Expr, ...]) -> Expr | None:
        if not node.is_bool or forgotten.isdisjoint(node.args):
            return None
        return choices.setdefault(node, system.graph.parameter(f"comparison_{len(choices) + 1}", True, 0, 1))

    kept = dataclasses.replace(
        t,
        updates={path: node for path, node in t.updates.items() if path not in numbers},
        # That no number leaves its range is what proofs of claims about states say.
        faults={what: node for what, node in t.faults.items() if node not in about},
        stores={},
    )
    made = kept.rewrite(Rewriter(system.graph, choice))
    used = {str(node.value) for node in topological(made.nodes()) if node.op is Op.PARAM}
    names = [str(node.value) for node in choices.values() if str(node.value) in used]
    free = [*(p for p in t.free if not p.unbounded), *(Parameter(name, _BOOL, (0, 1)) for name in names)]
    return dataclasses.replace(made, free=tuple(free))
