"""Fewer and smaller states with the same verdicts: each reduction takes a system apart and says what it did.

Here are what is left out, and the plan of all that is done; `symmetry` has the exchange of names.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum

from podproof.checker.core.graph import Expr, Graph, Op, Rewriter, literals, substitution, topological
from podproof.checker.core.system import (
    AFTER,
    CheckerError,
    EngineFault,
    Exploration,
    LoweredProperty,
    Move,
    System,
    Trace,
    Transition,
)
from podproof.checker.core.trace import evidence, is_shown
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
        """Translate what an engine found into a result about the original system and the original claims."""
        bounds, notes = dict(found.bounds_hit), self.notes
        if (stood_for := bounds.pop(STATES_STOOD_FOR, 0)) > 0:
            which = "these" if found.complete else "those that were expanded"
            notes = (*notes, f"{REDUCTIONS['symmetry']}: {which} stand for {stood_for:,}")
        verdicts = tuple(
            v if v.trace is None else dataclasses.replace(v, trace=self.translate(p, v.trace))
            for p, v in zip(self.asked, found.verdicts, strict=True)
        )
        return dataclasses.replace(found, system=self.original, bounds_hit=bounds, reductions=notes, verdicts=verdicts)

    def translate(self, asked: LoweredProperty, trace: Trace) -> Trace:
        """Rename a trace of the smaller system so that it decides this claim, and not the same one about other pods."""
        if is_shown(self.original, asked, trace):
            return trace
        renamed = (self._rename(trace, renaming) for renaming in renamings_of(self.system))
        if (found := next((one for one in renamed if is_shown(self.original, asked, one)), None)) is None:
            raise EngineFault(f"{asked.property.id}: its trace does not show it")
        return found

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
        if system.endless:
            refuse_to_count(system, properties)
        values = unchanging_variables(system, system.endless)
        system, properties = with_values(system, properties, values)
        keep -= values.keys()
        notes += _left_out(len(values.keys() - system.endless), system, "never change")
        notes += _left_out(len(system.endless), system, "count events that have no end")
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


# -- variables that cannot matter --------------------------------------------------------------------------------------
#
# A variable that no guard, fault, bound, reached line or claim reads, directly or through the updates of those that
# they read, has no influence on any verdict; leaving it out merges states that differ in nothing else.


def relevant_variables(
    system: System, properties: Sequence[LoweredProperty], also: Iterable[str] = ()
) -> frozenset[str]:
    """The least set with the variables of guards, claims and `also` that is closed under "its update reads"."""
    pending: list[Expr] = []
    updates: defaultdict[str, list[Expr]] = defaultdict(list)
    for t in system.transitions:
        pending += [t.enabled, *t.lines.values(), *t.bounds.values(), *t.faults.values()]
        for path, node in t.updates.items():
            updates[path].append(node)
    for p in properties:
        pending += [p.state] if p.state is not None else list(p.steps or ())
    kept, seen = set(also), set[Expr]()
    pending += [node for path in kept for node in updates[path]]
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            pending += node.args
            if node.op is Op.VAR:
                kept.add(str(node.value))
                pending += updates[str(node.value)]
    return frozenset(kept)


# -- variables that never change ---------------------------------------------------------------------------------------
#
# They make no state fewer, but states smaller, and the graph easier to reason about: without static pods, say, nothing
# is left of the lines in which they wait.


def unchanging_variables(system: System, counts: Collection[str] = ()) -> dict[str, Expr]:
    """The greatest set of variables of which this is inductive: each has its initial value, and each step keeps it.

    Steps that a bound cuts off, or on which the model goes wrong, count as well; that can only make the set smaller.
    Among them are those of `counts`, of which `refuse_to_count` has found that no number makes a difference.
    """
    graph = system.graph
    values: dict[str, Expr] = {}
    for position, variable in enumerate(system.variables):
        starts = {state[position] for state in system.initial}
        if len(starts) == 1 and variable.path not in system.free:
            (start,) = starts
            values[variable.path] = graph.constant(variable.is_bool, start)
    while changed := set(changing(system, values)).difference(counts):
        values = {path: value for path, value in values.items() if path not in changed}
    return values


class _Reading(Enum):
    """What an expression makes of how much is left of something, where it makes anything of it."""

    LEFT = "as much, or one less"
    MORE = "true with more left where it is with less"
    LESS = "true with less left where it is with more"
    NUMBER = "something else"


class DependsOnCount(CheckerError):
    """It matters how much is left of something that is to be endless."""

    def __init__(self, system: System, name: str, path: str) -> None:
        self.reason = f"{name} depends on how much is left of {path}"
        super().__init__(
            f"{system.name}: {self.reason}, which is to be endless; let an action only wait until something is left, "
            "and a claim only fail while something is, or ask whether a step took one"
        )


def refuse_to_count(system: System, properties: Sequence[LoweredProperty]) -> None:
    """Raises DependsOnCount where it matters how much is left of something endless.

    An action may wait until something is left, and a claim may fail only while something is: where more is left, both
    are so still. A claim may ask whether a step took one. Nothing may be done, or fail, because nothing is left.
    """
    begins_anywhere = dataclasses.replace(system, free={**system.free, **dict.fromkeys(system.endless, 0)})
    system, properties = with_values(system, properties, unchanging_variables(begins_anywhere))
    told = {p.property.id: _what_tells(system.graph, p) for p in properties if p.property.kind != "never"}
    nodes = topological(itertools.chain(*(t.nodes() for t in system.transitions), *told.values()))
    for path in sorted(system.endless):
        readings = _readings(path, nodes)
        for t in system.transitions:
            if not _waits_at_most(system.graph, t, path, readings):
                raise DependsOnCount(system, f"the action {t.action.name}", path)
        for name, tells in told.items():
            if not all(readings.get(node, _Reading.MORE) is _Reading.MORE for node in tells):
                raise DependsOnCount(system, f"the claim {name}", path)


def _what_tells(graph: Graph, p: LoweredProperty) -> Sequence[Expr]:
    """What decides a claim by being true once: a violation, or of kind sometimes a witness."""
    if p.state is None:
        return p.steps or ()
    return [p.state if p.property.kind == "sometimes" else graph.not_(p.state)]


def _waits_at_most(graph: Graph, t: Transition, path: str, readings: Mapping[Expr, _Reading]) -> bool:
    """Is all that it matters to how much is left whether the step may be taken, which it may with more left, too?"""
    others = [node for name, node in t.updates.items() if name != path]
    takes = path not in t.updates or readings.get(t.updates[path]) is _Reading.LEFT
    waits = readings.get(t.enabled, _Reading.MORE) is _Reading.MORE
    if not (takes and waits and readings.keys().isdisjoint([*others, *t.lines.values(), *t.bounds.values()])):
        return False
    # That less than nothing is left would be a fault, which its guard has to exclude.
    faults = [node for node in t.faults.values() if node in readings]
    at_last = [substitution(graph, {path: graph.integer(left)}) for left in (0, 1)]
    return all(
        readings[node] is not _Reading.NUMBER
        and all(_exclude_each_other(graph, *put([t.enabled, node])) for put in at_last)
        for node in faults
    )


def _exclude_each_other(graph: Graph, first: Expr, second: Expr) -> bool:
    """Is the first false wherever the second is true? Often it can be seen from what has to hold there."""
    holds = {node: graph.boolean(wanted) for node, wanted in literals(second)}
    (left,) = Rewriter(graph, lambda node, _: holds.get(node))([first])
    return graph.false in (second, left)


def _readings(path: str, nodes: Iterable[Expr]) -> Mapping[Expr, _Reading]:
    """Those of these expressions to which it matters how much is left; arguments come before their users."""
    found: dict[Expr, _Reading] = {}
    for node in nodes:
        if node.op is Op.VAR and node.value == path:
            found[node] = _Reading.LEFT
        elif not found.keys().isdisjoint(node.args) and (reading := _reading(node, found)) is not None:
            found[node] = reading
    return found


def _reading(node: Expr, found: Mapping[Expr, _Reading]) -> _Reading | None:
    """What an expression makes of it, since its arguments make something of it; None for nothing."""
    args = [found.get(arg) for arg in node.args]
    match node.op, args:
        case Op.SUB, [_Reading.LEFT, None] if node.args[0].op is Op.VAR and node.args[1].value == 1:
            return _Reading.LEFT
        case Op.ITE, [None, _Reading.LEFT, _Reading.LEFT]:
            return _Reading.LEFT
        case ((Op.EQ | Op.LT), [_Reading.LEFT, _Reading.LEFT]):
            return None
        case Op.LT, [None, _Reading.LEFT] if node.args[0].value == 0:
            return _Reading.MORE
        case Op.LT, [_Reading.LEFT, None] if node.args[1].value == 0:
            return _Reading.LESS
        case Op.NOT, [_Reading.MORE]:
            return _Reading.LESS
        case Op.NOT, [_Reading.LESS]:
            return _Reading.MORE
        case (Op.AND | Op.OR, _) | (Op.ITE, [None, *_]):
            (one, *others) = {*args} - {None}
            if not others and one is not _Reading.LEFT:
                return one
    return _Reading.NUMBER


def changing(system: System, values: Mapping[str, Expr]) -> Iterator[str]:
    """The variables that a step may change, as far as the graph can tell when all of them have these values."""
    put = substitution(system.graph, values)
    for t in system.transitions:
        written = [path for path in t.updates if path in values]
        enabled, *after = put([t.enabled, *(t.updates[path] for path in written)])
        if enabled is not system.graph.false:
            yield from (path for path, node in zip(written, after, strict=True) if node is not values[path])


def with_values(
    system: System, properties: Sequence[LoweredProperty], values: Mapping[str, Expr]
) -> tuple[System, tuple[LoweredProperty, ...]]:
    """The same system and claims, with some variables replaced by their values everywhere."""
    after = {AFTER + path: value for path, value in values.items() if path not in system.endless}
    put = substitution(system.graph, {**values, **after})

    def transition(t: Transition) -> Transition:
        updates = {path: node for path, node in t.updates.items() if path not in values}
        stores = {path: t.stores.get(path, ()) for path in updates}
        return dataclasses.replace(t, updates=updates, stores=stores).rewrite(put)

    def claim(p: LoweredProperty) -> LoweredProperty:
        state, both = (None if node is None else put([node])[0] for node in (p.state, p.both))
        return dataclasses.replace(p, state=state, steps=None if p.steps is None else tuple(put(p.steps)), both=both)

    transitions = tuple(map(transition, system.transitions))
    return dataclasses.replace(system, transitions=transitions), tuple(map(claim, properties))
