"""Whether a change of a model violates a claim only as the model that it changes does: its base.

A violation is a step: from a state, by a move. It is the base's where the base reaches that state, makes the same move
from it, and violates the claim with that. So it does not count how the change comes to the state. A state is what the
base has of it, and of that what the claim and everything that leads to it depend on.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from podproof.checker.arrays import Bools, Int64s
from podproof.checker.conclude import Shown, conclude
from podproof.checker.core.graph import Expr, Graph, variables_below
from podproof.checker.core.system import (
    AFTER,
    Exploration,
    Limits,
    LoweredProperty,
    OnProgress,
    Outcome,
    OutOfRange,
    Property,
    State,
    Status,
    System,
    Trace,
    Transition,
    Verdict,
)
from podproof.checker.core.trace import NotTaken, is_shown, replay
from podproof.checker.decide import about_steps, broken_by
from podproof.checker.difference.behaviour import number_rows
from podproof.checker.difference.transitions import couples, in_one_graph
from podproof.checker.engines.compiled import processors
from podproof.checker.engines.compiled.layout import WORD_BITS
from podproof.checker.engines.compiled.search import Search
from podproof.checker.explain.failing_part import failure_of
from podproof.checker.lowering.claims import formulas, lower_properties
from podproof.checker.reductions import relevant_variables, unchanging_variables, with_values


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
    before = failure_of(base, p, found).part
    now = None if verdict.failure is None else verdict.failure.part
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


@dataclass(frozen=True)
class ChangedSystem:
    """A changed system beside its base, both in one graph."""

    system: System
    base: System
    broken: tuple[LoweredProperty, ...]
    """One claim for each: the steps that break the claim in the changed system break it."""
    beyond: tuple[LoweredProperty, ...]
    """For each claim one that only those of these steps break which do not break it in the base, from any state.

    Nor is a step the base's that breaks it there as well, but leaves other values of what the claim sees.
    """

    @property
    def is_like_base(self) -> bool:
        """Do both begin alike and make the same steps, so that the one reaches what the other does?"""
        paths = self.system.positions.keys() & self.base.positions.keys()
        first, second = (
            {tuple(s[one.index(p)] for p in paths) for s in one.initial} for one in (self.system, self.base)
        )
        return first == second and all(
            t is not None and other is not None and _is_alike(t, other)
            for t, other in couples(self.system, self.base).values()
        )


def _is_alike(t: Transition, other: Transition) -> bool:
    """Do two transitions say the same, node by node?"""
    mine, theirs = ((x.enabled, x.updates, x.bounds, x.faults, [p.values for p in x.free]) for x in (t, other))
    return mine == theirs


def beside(base: System, of_base: Mapping[str, Property], system: System, claims: Sequence[Property]) -> ChangedSystem:
    """A changed system beside its base, and claims with what the base makes of each.

    The base has to know the changed system's new members of enumerations, so that it says what its code does where a
    field has one; a move by one of them is none of the base's all the same.
    """
    ranges = {variable.path: (variable.low, variable.high) for variable in system.variables}
    assert all(ranges.get(v.path, (v.low, v.high)) == (v.low, v.high) for v in base.variables)
    system, base = in_one_graph(system, base)
    graph, pairs = system.graph, couples(system, base).values()
    theirs_of = {id(t): other for t, other in pairs if t is not None}
    number_of = {id(t): i for i, t in enumerate(base.transitions)}
    every, only = list[LoweredProperty](), list[LoweredProperty]()
    ours, theirs = (lower_properties(system, claims), lower_properties(base, [of_base[p.id] for p in claims]))
    for p, q in zip(ours, theirs, strict=True):
        broken_in_base, mine = broken_by(base, q), tuple(broken_by(system, p))
        read = read_by(system, p)[1]
        seen = {path: node for path, node in system.nodes().items() if path in read}
        steps = []
        for t, broken in zip(system.transitions, mine, strict=True):
            other = theirs_of[id(t)]
            if other is not None:
                before, taken = broken_in_base[number_of[id(other)]], other.when(Outcome.TAKEN, graph)
                known = is_known(graph, t)
                unlike = _unlike_after(graph, t, other, seen, p.property.lines)
                is_same = broken is before and t.when(Outcome.TAKEN, graph) is taken and known is graph.true
                is_same = is_same and unlike is graph.false
                beyond = graph.not_(graph.and_(taken, before, known, graph.not_(unlike)))
                broken = graph.false if is_same else graph.and_(broken, beyond)
            steps.append(broken)
        about = about_steps(p.property)
        every.append(LoweredProperty(about, steps=mine))
        only.append(LoweredProperty(about, steps=tuple(steps)))
    return ChangedSystem(system, base, tuple(every), tuple(only))


def read_by(system: System, p: LoweredProperty) -> tuple[set[str], set[str]]:
    """The variables that a claim reads of the states before and after a step."""
    if p.state is not None:
        read = variables_below([p.state])
        return read, read
    names = set[str]() if p.property.function is None else variables_below(formulas(system, p.property))
    after = {path for path in names if path.startswith(AFTER)}
    return names - after, {path.removeprefix(AFTER) for path in after}


def _unlike_after(
    graph: Graph, t: Transition, other: Transition, seen: Mapping[str, Expr], lines: Collection[str]
) -> Expr:
    """Does a step leave other values than the base's of what a claim sees, or pass others of these lines?"""
    pairs = [(t.updates.get(path, node), other.updates.get(path, node)) for path, node in seen.items()]
    pairs += [(t.lines.get(line, graph.false), other.lines.get(line, graph.false)) for line in lines]
    return graph.or_(*(graph.not_(graph.eq(x, y)) for x, y in pairs if x is not y))


@dataclass(frozen=True)
class Further:
    """Whether a claim, of which a violation is one of the base, is violated otherwise as well."""

    verdict: Verdict | None
    """The verdict with the trace of such a violation; None where none was found."""
    why: str
    """How the violation differs from the base's; where none was found, why one may have been overlooked."""


Explore = Callable[[Sequence[LoweredProperty]], Exploration]


def further(
    change: ChangedSystem,
    claims: Sequence[Property],
    explore: Explore,
    limits: Limits,
    report: OnProgress | None = None,
) -> Mapping[str, Further]:
    """By the claims, for which `change` was made, what violates them and not the base; nothing where nothing does.

    `explore` decides claims about the steps of the changed system. Raises KeyboardInterrupt.
    """
    numbers, false, found = range(len(claims)), change.system.graph.false, dict[str, Further]()
    own = [i for i in numbers if any(step is not false for step in change.beyond[i].steps or ())]
    if own:
        explored = explore([change.beyond[i] for i in own])
        if explored.interrupted:
            raise KeyboardInterrupt
        for i, v in zip(own, explored.verdicts, strict=True):
            if v.status is Status.VIOLATED:
                v = violation(change.system, claims[i], v.trace)
                found[claims[i].id] = Further(v, f"by a step that is none of {change.base.version}'s")
            elif v.status is Status.UNKNOWN:
                found[claims[i].id] = Further(None, explored.reason)
    left = [i for i in numbers if claims[i].id not in found]
    others = [] if change.is_like_base else from_elsewhere(change, [change.broken[i] for i in left], limits, report)
    for i, elsewhere in zip(left, others, strict=False):
        if elsewhere.trace is not None:
            v = violation(change.system, claims[i], elsewhere.trace)
            found[claims[i].id] = Further(v, f"from a state that {change.base.version} never reaches")
        elif elsewhere.reason:
            found[claims[i].id] = Further(None, elsewhere.reason)
    return found


def violation(system: System, p: Property, trace: Trace | None) -> Verdict:
    """The verdict on the claim itself, with the part of it that is false."""
    return replace(conclude(p, Shown(trace)), failure=None if trace is None else failure_of(system, p, trace))


@dataclass(frozen=True)
class Elsewhere:
    """Whether a claim is violated from a state that the base does not reach."""

    trace: Trace | None
    """A shortest one to such a state, and the step that violates the claim from there; None where none was found."""
    reason: str = ""
    """Why one may have been overlooked; empty where everything was explored."""


def from_elsewhere(
    change: ChangedSystem, claims: Sequence[LoweredProperty], limits: Limits, report: OnProgress | None = None
) -> list[Elsewhere]:
    """For each of some claims of `change.broken`, look for a step that breaks it from a state no state of the base is.

    Raises KeyboardInterrupt, and OutOfRange where the changed system goes wrong.
    """
    system, base = (replace(s, transitions=without_lines(s)) for s in (change.system, change.base))
    shared, of_base = (
        {v.path for v in system.variables} & {v.path for v in base.variables},
        relevant_variables(base, ()),
    )
    together: dict[frozenset[str], list[int]] = {}
    for i, claim in enumerate(claims):
        together.setdefault(frozenset(shared & (relevant_variables(system, [claim]) | of_base)), []).append(i)
    found = dict[int, Elsewhere]()
    for compared, numbers in together.items():
        asked = [claims[i] for i in numbers]
        search = searched(system, asked, compared, limits, report)
        unknown = ""
        try:
            own = searched(base, (), compared, limits, report)
            if own.reason:
                unknown = f"{base.version} is not explored to the end: {own.reason}"
        except OutOfRange as error:
            unknown = f"{base.version} itself goes wrong: {error}"
        in_base = has_states_of(own, search, compared)
        for i, (where, tags) in zip(numbers, _breaking(search), strict=True):
            elsewhere = ~in_base[where]
            if not elsewhere.any():
                found[i] = Elsewhere(None, search.reason)
            elif unknown:
                found[i] = Elsewhere(None, unknown)
            else:
                first = int(elsewhere.argmax())
                found[i] = Elsewhere(search.traces().trace(int(where[first]), int(tags[first])))
    return [found[i] for i in range(len(claims))]


def without_lines(system: System) -> tuple[Transition, ...]:
    """The transitions without what they report: a claim about that says itself when it is broken."""
    return tuple(replace(t, lines={}) for t in system.transitions)


def searched(
    system: System,
    claims: Sequence[LoweredProperty],
    kept: Iterable[str],
    limits: Limits,
    report: OnProgress | None,
) -> Search:
    """A finished search that keeps at least these variables. Raises KeyboardInterrupt and OutOfRange."""
    system, claims = with_values(system, claims, unchanging_variables(system))
    search = Search(system, claims, relevant_variables(system, claims, kept), limits, processors())
    search.run(report)
    if search.interrupted:
        raise KeyboardInterrupt
    return search


def _breaking(search: Search) -> list[tuple[Int64s, Int64s]]:
    """For each claim of a finished search the states, by number, and the tags of all steps that break it, in order."""
    words = search.layout.words
    found = [([np.zeros(0, np.int64)], [np.zeros(0, np.int64)]) for _ in search.properties]
    for batch in search.steps():
        rows, origins = batch.rows[: batch.ready], batch.origins[: batch.ready].astype(np.int64)
        for i, (where, tags) in enumerate(found):
            broken = breaks(search, rows, i)
            where.append(origins[broken])
            tags.append(rows[broken, words].copy())
    return [(np.concatenate(where), np.concatenate(tags)) for where, tags in found]


def breaks(search: Search, rows: Int64s, number: int) -> Bools:
    """Whether each of these steps of a search breaks the claim of this number; all claims are about steps."""
    word, bit = divmod(number, WORD_BITS)
    broken: Bools = (rows[:, search.layout.words + 1 + word] >> bit & 1) != 0
    return broken


def has_states_of(own: Search, search: Search, compared: Collection[str]) -> Bools:
    """Whether one search has each state of another one, judged by these variables."""
    columns = []
    for path in compared:
        mine, theirs = (s.layout.fields.get(path) for s in (search, own))
        size = max((f.variable.high - f.variable.low + 1 for f in (mine, theirs) if f is not None), default=1)
        values = [
            np.zeros(s.count, np.int64) if field is None else field.distances(s.states)
            for field, s in ((mine, search), (theirs, own))
        ]
        columns.append((np.concatenate(values), size))
    if not columns:
        return np.full(search.count, True)
    found, _ = number_rows(columns)
    return np.isin(found[: search.count], found[search.count :])


def is_known(graph: Graph, t: Transition) -> Expr:
    """When no parameter of a step is a new member of its enumeration."""
    found = graph.true
    for p in (p for p in t.action.parameters if p.scalar.new):
        fixed = t.fixed.get(p.name)
        node = graph.parameter(p.name, False, p.scalar.low, p.scalar.high) if fixed is None else graph.integer(fixed)
        found = graph.and_(found, *(graph.not_(graph.eq(node, graph.integer(value))) for value in p.scalar.new))
    return found
