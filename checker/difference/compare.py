"""Two versions compared in one scenario: what their steps do, and whether what they show is the same.

Equivalence is decided in three ways, the first that answers counts. (1) Every transition of one is shown to do what
the other's does, in every state of the declared ranges: by bringing both into one graph, or by Z3. (2) Only the steps
that are the same in both are explored; where no step differs in any state that they lead to, there are no other
reachable states. (3) Both are explored, and the union of the two state graphs is refined to its coarsest bisimulation.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Iterator, Mapping, Sequence

from podproof.checker.core.graph import Expr, Op
from podproof.checker.core.printer import number_of
from podproof.checker.core.system import (
    Exploration,
    Limits,
    LoweredProperty,
    OnProgress,
    Property,
    System,
    Trace,
)
from podproof.checker.difference.behaviour import Behaviour, Labels, StateSpace, attempt, follow
from podproof.checker.difference.inherited import read_by
from podproof.checker.difference.result import Decision, Difference, Divergence, Side, View
from podproof.checker.difference.transitions import Couple, StepComparison, TransitionName
from podproof.checker.engines.compiled import Compiled
from podproof.checker.reductions import relevant_variables, unchanging_variables, with_values


@dataclasses.dataclass(frozen=True)
class Criteria:
    """What is compared besides the steps themselves."""

    paths: tuple[str, ...]
    """The fields, which both systems have."""
    missing: tuple[str, ...]
    """Names of other fields, which only one of them has."""
    picture: tuple[str, ...]
    """The fields that a picture shows."""
    actors: tuple[str, ...]
    """A state waits when none of these has a step."""
    claims: tuple[Sequence[LoweredProperty], Sequence[LoweredProperty]]
    """The claims about each system; what these depend on is compared as well."""


def compare(
    systems: tuple[System, System],
    criteria: Criteria,
    limits: Limits,
    report: OnProgress | None = None,
    described: Container[str] = (),
) -> Difference:
    """Compare two systems that share their graph, see `in_one_graph`. Actions in `described` are only named.

    Raises OutOfRange where a model goes wrong and KeyboardInterrupt on Ctrl-C.
    """
    a, b = systems
    relevant = frozenset[str]()
    for system, claims in zip(systems, criteria.claims, strict=True):
        # Of the state after a step a claim reads what the step stores there, of which no later step may depend.
        read = (path for p in claims for paths in read_by(system, p) for path in paths)
        relevant |= relevant_variables(system, claims, (*criteria.paths, *read))
    comparison = StepComparison(a, b, relevant)
    changed = comparison.changes()
    pairs = tuple((a.variables[a.index(path)], b.variables[b.index(path)]) for path in criteria.paths)
    picture = tuple(map(criteria.paths.index, criteria.picture))
    view = View(criteria.paths, pairs, comparison.own, criteria.missing, picture)
    names = tuple(dict.fromkeys(name for name, _ in changed))
    actions = comparison.action_changes(changed, described)
    found = Difference(systems, view, Decision.UNDECIDED, "", names, actions)
    if comparison.is_possible and not changed:
        found = dataclasses.replace(found, decision=Decision.IDENTICAL, reason=Decision.IDENTICAL.value)
        return _with_size(found, criteria, limits, report)
    if comparison.is_possible:
        common, kept = _common_part(comparison, changed, criteria, limits, report)
        divergences, never = _divergences(systems, common)
        found = dataclasses.replace(found, divergences=divergences)
        if not common.complete:
            return dataclasses.replace(found, reason=f"what both do alike is not explored to the end: {common.reason}")
        found = dataclasses.replace(found, never=never)
        if not divergences:
            reason = f"{Decision.UNREACHED.value}: in all of them every step does the same"
            found = dataclasses.replace(found, decision=Decision.UNREACHED, reason=reason)
            if kept == relevant_variables(a, (), criteria.paths):  # Its states and steps are those of the whole.
                return _of_size(found, common)
            return _with_size(found, criteria, limits, report)
    return _refine(found, comparison, criteria, limits, report)


def _with_size(found: Difference, criteria: Criteria, limits: Limits, report: OnProgress | None) -> Difference:
    """Count the states of two versions that have the same. The versions are equivalent, whatever the limits."""
    system = found.systems[0]
    size = Compiled().run(system, (), relevant_variables(system, (), criteria.paths), limits, report)
    if size.interrupted:
        raise KeyboardInterrupt
    return _of_size(found, size) if size.complete else found


def _of_size(found: Difference, size: Exploration) -> Difference:
    side = Side(size.states, size.transitions, size.depth or 0)
    return dataclasses.replace(found, sides=(side, side))


def _refine(
    found: Difference, comparison: StepComparison, criteria: Criteria, limits: Limits, report: OnProgress | None
) -> Difference:
    labels = Labels()
    first, second = (StateSpace(system, criteria.paths, labels, limits) for system in found.systems)
    for one in (first, second):
        one.run(report)
        if one.reason:
            return dataclasses.replace(found, reason=f"{one.system.version} is not explored to the end: {one.reason}")
    shared = comparison.shared if comparison.same_record else criteria.paths
    behaviour = Behaviour((first, second), found.view, shared)
    waits, only_waits, told = behaviour.waits(criteria.actors)
    experiment = behaviour.experiment()
    sides = behaviour.sides(waits, only_waits)
    found = dataclasses.replace(found, sides=sides, experiment=experiment)
    if experiment is None:
        reason = f"a {Decision.BISIMILAR.value}, found by refining {first.count + second.count:,} states of both"
        return dataclasses.replace(found, decision=Decision.BISIMILAR, reason=reason)
    count = min(len(trace.steps) for trace in experiment.traces) + bool(experiment.event)
    return dataclasses.replace(
        found,
        decision=Decision.DIFFERENT,
        reason=f"{number_of(count, 'step')} tell them apart",
        new_steps=behaviour.new_steps(),
        waits=told,
        flows=behaviour.flows(found.view.picture),
    )


def _common_part(
    comparison: StepComparison,
    changed: Mapping[TransitionName, Couple],
    criteria: Criteria,
    limits: Limits,
    report: OnProgress | None,
) -> tuple[Exploration, frozenset[str]]:
    """Explore the steps that both systems take alike, and look for a state in which an event differs.

    With it come the variables that were kept.
    """
    graph = comparison.graph
    differing = {key: comparison.difference(couple) for key, couple in changed.items()}
    transitions = []
    for key, (t, _) in comparison.couples.items():
        if t is not None:
            alike = graph.not_(differing[key]) if key in differing else graph.true
            transitions.append(dataclasses.replace(t, enabled=graph.and_(t.enabled, alike)))
    system = dataclasses.replace(comparison.a, transitions=tuple(transitions))
    events = [
        LoweredProperty(Property(event, "sometimes", action), state=node)
        for key, couple in changed.items()
        for event, action, node in _events(comparison, couple, differing[key])
        if node is not graph.false
    ]
    keep = relevant_variables(system, events, criteria.paths)
    smaller, asked = with_values(system, events, unchanging_variables(system))
    found = Compiled().run(smaller, asked, keep, limits, report)
    if found.interrupted:
        raise KeyboardInterrupt
    return found, keep


def _events(comparison: StepComparison, couple: Couple, differing: Expr) -> Iterator[tuple[str, str, Expr]]:
    """Each event (a choice of the free parameters) with its action and the states in which it differs."""
    t, graph = next(x for x in couple if x is not None), comparison.graph
    for move in t.moves():
        constants = {p.name: graph.constant(p.is_bool, move.values[p.name]) for p in t.free}
        (node,) = graph.substitute([differing], constants, Op.PARAM)
        yield t.action.event(move.values), move.action, node


def _divergences(systems: tuple[System, System], common: Exploration) -> tuple[tuple[Divergence, ...], tuple[str, ...]]:
    """The events that differ somewhere, nearest first, and those that were not seen to."""
    found, never = [], []
    for verdict in common.verdicts:
        event, action = verdict.property.id, verdict.property.meaning
        if verdict.trace is None:
            never.append(event)
            continue
        outcomes: list[Trace | None] = []
        first, second = (follow(system, verdict.trace.steps) for system in systems)
        for system, before in zip(systems, (first, second), strict=True):
            moves = (move for t in system.transitions if t.action.name == action for move in t.moves())
            move = next((move for move in moves if system.event(move) == event), None)
            last = attempt(system, before.states[-1], move)
            outcomes.append(None if last is None else Trace(before.initial, (*before.steps, last)))
        found.append(Divergence(event, action, verdict.trace, (first, second), (outcomes[0], outcomes[1])))
    found.sort(key=lambda divergence: len(divergence.common.steps))
    return tuple(found), tuple(never)
