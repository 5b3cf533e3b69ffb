"""Whether a change of a model violates a claim only as the model that it changes does."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from podproof.checker.core.graph import Expr, Graph
from podproof.checker.core.system import LoweredProperty, OutOfRange, Property, State, System, Transition, Verdict
from podproof.checker.core.trace import NotTaken, is_shown, replay
from podproof.checker.decide import about_steps, broken_by
from podproof.checker.difference.transitions import couples, in_one_graph
from podproof.checker.explain.conjuncts import false_conjunct
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions.symmetry import is_taken


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
