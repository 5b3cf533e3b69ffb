"""Two versions compared in one scenario: what their steps do, and whether what they show is the same.

Equivalence is decided in three ways, the first that answers counts. (1) Every transition of one is shown to do what
the other's does, in every state of the declared ranges: by bringing both into one graph, or by Z3. (2) Only the steps
that are the same in both are explored; where no step differs in any state that they lead to, there are no other
reachable states. (3) Both are explored, and the union of the two state graphs is refined to its coarsest bisimulation.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Container, Iterator, Mapping, Sequence

from podproof.checker.core.graph import Expr, Graph, Op
from podproof.checker.core.printer import number_of
from podproof.checker.core.system import (
    Exploration,
    Limits,
    LoweredProperty,
    OnProgress,
    OutOfRange,
    Property,
    State,
    System,
    Trace,
    Transition,
    Verdict,
)
from podproof.checker.core.trace import NotTaken, is_shown, replay
from podproof.checker.decide import about_steps, broken_by
from podproof.checker.difference.behaviour import Behaviour, Labels, StateSpace, attempt, follow
from podproof.checker.difference.result import Decision, Difference, Parting, Side, View
from podproof.checker.difference.transitions import Couple, StepComparison, TransitionName, couples, in_one_graph
from podproof.checker.engines.compiled import Compiled
from podproof.checker.explain.conjuncts import false_conjunct
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import relevant_variables
from podproof.checker.reductions.symmetry import is_taken


@dataclasses.dataclass(frozen=True)
class Criteria:
    """What is compared besides the steps themselves."""

    paths: tuple[str, ...]
    """The fields, which both systems have."""
    missing: tuple[str, ...]
    """Names of other fields, which only one of them has."""
    picture: tuple[str, ...]
    """Those of them that a picture shows."""
    actors: tuple[str, ...]
    """A state waits when none of these has a step."""
    claims: tuple[Sequence[LoweredProperty], Sequence[LoweredProperty]]
    """Of each system: what they depend on is compared as well."""


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
    relevant = frozenset().union(
        *(relevant_variables(s, claims, criteria.paths) for s, claims in zip(systems, criteria.claims, strict=True))
    )
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
        common = _common_part(comparison, changed, criteria, limits, report)
        partings, never = _partings(systems, common)
        found = dataclasses.replace(found, partings=partings)
        if not common.complete:
            return dataclasses.replace(found, reason=f"what both do alike is not explored to the end: {common.reason}")
        found = dataclasses.replace(found, never=never)
        if not partings:
            reason = f"{Decision.UNREACHED.value}: in all of them every step does the same"
            found = dataclasses.replace(found, decision=Decision.UNREACHED, reason=reason)
            return _with_size(found, criteria, limits, report)
    return _refine(found, comparison, criteria, limits, report)


def _with_size(found: Difference, criteria: Criteria, limits: Limits, report: OnProgress | None) -> Difference:
    """How many states there are of two versions that have the same. They are equivalent, whatever the limits."""
    system = found.systems[0]
    size = Compiled().run(system, (), relevant_variables(system, (), criteria.paths), limits, report)
    if size.interrupted:
        raise KeyboardInterrupt
    if not size.complete:
        return found
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
        novelties=behaviour.novelties(),
        waits=told,
        flows=behaviour.flows(found.view.picture),
    )


def _common_part(
    comparison: StepComparison,
    changed: Mapping[TransitionName, Couple],
    criteria: Criteria,
    limits: Limits,
    report: OnProgress | None,
) -> Exploration:
    """Explore the steps that both systems take alike, and look for a state in which an event differs."""
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
    found = Compiled().run(system, events, keep, limits, report)
    if found.interrupted:
        raise KeyboardInterrupt
    return found


def _events(comparison: StepComparison, couple: Couple, differing: Expr) -> Iterator[tuple[str, str, Expr]]:
    """For each choice of the free parameters the event, its action, and in which states it differs."""
    t, graph = next(x for x in couple if x is not None), comparison.graph
    for move in t.moves():
        constants = {p.name: graph.constant(p.is_bool, move.values[p.name]) for p in t.free}
        (node,) = graph.substitute([differing], constants, Op.PARAM)
        yield t.action.event(move.values), move.action, node


def _partings(systems: tuple[System, System], common: Exploration) -> tuple[tuple[Parting, ...], tuple[str, ...]]:
    """The events that differ somewhere, nearest first, and those that were not seen to."""
    found, never = [], []
    for verdict in common.verdicts:
        event, action = verdict.property.id, verdict.property.meaning
        if verdict.trace is None:
            never.append(event)
            continue
        outcomes: list[Trace | None] = []
        for system in systems:
            before = follow(system, verdict.trace.steps)
            moves = (move for t in system.transitions if t.action.name == action for move in t.moves())
            move = next((move for move in moves if system.event(move) == event), None)
            last = attempt(system, before.states[-1], move)
            outcomes.append(None if last is None else Trace(before.initial, (*before.steps, last)))
        found.append(Parting(event, action, verdict.trace, (outcomes[0], outcomes[1])))
    found.sort(key=lambda parting: len(parting.common.steps))
    return tuple(found), tuple(never)


# -- whether a change of a model violates a claim only as the model that it changes does -------------------------------


def other_way(base: System, p: Property, system: System, verdict: Verdict) -> str:
    """Why the trace of a violation is none of the base's; empty where it is one, with the same false part of the claim.

    `verdict` is on the changed `system`, and `p` is the claim as the base has it.
    """
    trace = verdict.trace
    if trace is None:
        return "there is no trace to compare"
    initial = _initial(base, system, trace.initial)
    if initial is None:
        return f"{base.version} does not begin like this"
    for number, move in enumerate(trace.moves, 1):
        action, own = base.action.get(move.action), system.action[move.action].parameters
        is_new = any(move.values[parameter.name] in parameter.scalar.new for parameter in own)
        if action is None or is_new or {one.name for one in action.parameters} != move.values.keys():
            return f"{base.version} has no step like step {number}, {trace.steps[number - 1].event}"
    try:
        found = replay(base, trace.moves, initial)
    except NotTaken as error:
        return f"in {base.version} {str(error).partition(':')[0]}"
    except OutOfRange:
        return f"{base.version} itself goes wrong on the way"
    (lowered,) = lower_properties(base, [p])
    if not is_shown(base, lowered, found):
        return f"the same steps do not violate it in {base.version}"
    before, now = false_conjunct(base, p, found), verdict.conjunct
    if (before and before.text) != (now and now.text):
        return f"the same steps violate another part of it in {base.version}"
    return ""


def _initial(base: System, system: System, state: State) -> State | None:
    """The state in which the base begins as the changed system does in this one, as far as it has the variables."""
    wanted = {v.path: v.show(value) for v, value in zip(system.variables, state, strict=True)}
    for initial in base.initial:
        named = {v.path: v.show(value) for v, value in zip(base.variables, initial, strict=True)}
        if all(wanted.get(path, value) == value for path, value in named.items()):
            return initial
    return None


def steps_beyond(
    base: System, of_base: Mapping[str, Property], system: System, claims: Sequence[Property]
) -> tuple[System, list[LoweredProperty]]:
    """The changed system, and for each claim one that only steps break which do not break it in the base.

    A step is the same move from the same state, whether or not the base ever comes to that state. The base has to know
    the changed system's new members of enumerations, so that it says what its code does where a field has one; a move
    by one of them is none of the base's all the same.
    """
    ranges = {variable.path: (variable.low, variable.high) for variable in system.variables}
    assert all(ranges.get(v.path, (v.low, v.high)) == (v.low, v.high) for v in base.variables)
    system, base = in_one_graph(system, base)
    graph, pairs = system.graph, couples(system, base).values()
    theirs_of = {id(t): other for t, other in pairs if t is not None}
    number_of = {id(t): i for i, t in enumerate(base.transitions)}
    found = []
    ours, theirs = (lower_properties(system, claims), lower_properties(base, [of_base[p.id] for p in claims]))
    for p, q in zip(ours, theirs, strict=True):
        broken_in_base, steps = broken_by(base, q), []
        for t, broken in zip(system.transitions, broken_by(system, p), strict=True):
            other = theirs_of[id(t)]
            if other is not None:
                before, taken = broken_in_base[number_of[id(other)]], is_taken(graph, other)
                known = is_known(graph, t)
                is_same = broken is before and is_taken(graph, t) is taken and known is graph.true
                beyond = graph.not_(graph.and_(taken, before, known))
                broken = graph.false if is_same else graph.and_(broken, beyond)
            steps.append(broken)
        found.append(LoweredProperty(about_steps(p.property), steps=tuple(steps)))
    return system, found


def is_known(graph: Graph, t: Transition) -> Expr:
    """When no parameter of a step is a new member of its enumeration."""
    found = graph.true
    for p in (p for p in t.action.parameters if p.scalar.new):
        fixed = t.fixed.get(p.name)
        node = graph.parameter(p.name, False, p.scalar.low, p.scalar.high) if fixed is None else graph.integer(fixed)
        found = graph.and_(found, *(graph.not_(graph.eq(node, graph.integer(value))) for value in p.scalar.new))
    return found
