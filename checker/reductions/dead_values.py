"""Dead values: a variable that nobody will read before it is written again gets its least value.

States that differ in nothing else become one. What is dead is found for one flag at a time: a boolean such as "its
termination was requested", where it is set. What is read there is read by a guard, a bound, a fault (so steps that are
cut off or go wrong count as well), a claim, or by the update of a variable that is read later; where the step clears
the flag every variable counts as read later.

Why nothing else changes: call two states alike when they are the same, or the flag is set in both and they differ at
most in what is dead there. Alike states have the same steps and give every claim the same value, because all of that
reads live variables only; and the states after a step are alike again, because so do the updates of what is live then,
and the update of the flag. So likeness is a bisimulation, for each flag; and as no flag is ever reset, the resets for
one flag do not disturb those for another. Moves of the reduced system are moves of the original, in the same order, so
traces are as long and are replayed there. Initial states are left alone.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_
from typing import NamedTuple

from podproof.checker.core.graph import UNBOUNDED, Node, Op, assume, literals, substitution, topological
from podproof.checker.core.system import LoweredProperty, System, Transition
from podproof.checker.reductions.symmetry import renamings_of

Dead = Mapping[str, frozenset[str]]
"""For each flag, by path, the variables that are dead in every state in which it is set."""


def dead_values(system: System, properties: Sequence[LoweredProperty], keep: Collection[str]) -> Dead:
    """What is dead among the variables `keep`, on which guards, claims and each other's updates depend alone."""
    search = _Liveness(system, properties, keep)
    flags = (v.path for v in system.variables if v.is_bool and v.path in keep)
    dead = {flag: paths for flag in flags if (paths := search.dead_at(flag))}
    dead = {flag: paths for flag in dead if (paths := _exchanged(system, dead, flag))}
    return {flag: frozenset(left) for flag, paths in dead.items() if (left := paths - dead.keys())}


def with_resets(system: System, dead: Dead) -> System:
    """The same system in which each step gives what is dead after it its least value."""
    graph = system.graph
    now = {v.path: graph.variable(v.path, v.is_bool, v.low, v.high) for v in system.variables}
    flags = {path: [f for f in dead if path in dead[f]] for path in now if any(path in d for d in dead.values())}

    def updates(t: Transition) -> Iterator[tuple[str, Node]]:
        after = {path: t.updates.get(path, node) for path, node in now.items()}
        for path, over in flags.items():
            if path in t.updates or any(flag in t.updates for flag in over):
                least = graph.boolean(False) if now[path].is_bool else graph.integer(now[path].low)
                yield path, graph.ite(graph.or_(*(after[flag] for flag in over)), least, after[path])

    changed = (dataclasses.replace(t, updates={**t.updates, **dict(updates(t))}) for t in system.transitions)
    return dataclasses.replace(system, transitions=tuple(changed))


def _exchanged(system: System, dead: Mapping[str, set[str]], flag: str) -> set[str]:
    """What is dead there together with all its renamings: a state and its images have to be reset alike."""
    found = dead[flag]
    for r in renamings_of(system):
        there = dead.get(r.paths.get(flag, flag), set())
        least = {path: system.variables[system.index(path)].low for path in found}
        found = {p for p in found if r.paths.get(p, p) in there and r.value(p, least[p]) == least[p]}
    return found


class _Update(NamedTuple):
    """One variable that a step writes, and those that its new value is made of; sets are the bits of numbers."""

    written: int
    read: int


class _Liveness:
    """Which variables are live where a flag is set, by a backwards fixpoint over the transitions."""

    def __init__(self, system: System, properties: Sequence[LoweredProperty], keep: Collection[str]) -> None:
        self.system = system
        self._bits = {path: 1 << i for i, path in enumerate(v.path for v in system.variables if v.path in keep)}
        self._all = (1 << len(self._bits)) - 1
        self._never = {v.path for v in system.variables if v.path in system.free or v.low <= -UNBOUNDED}
        """What cannot be reset."""
        self._below: dict[Node, int] = {}
        self._claims = [p.state for p in properties if p.state is not None]
        self._noted = [
            [*t.bounds.values(), *t.faults.values(), *(p.steps[i] for p in properties if p.steps is not None)]
            for i, t in enumerate(system.transitions)
        ]
        """For each transition, what else is evaluated where it is enabled."""
        self._after = [{w: node for w, node in t.updates.items() if w in keep} for t in system.transitions]
        self._guards = [self._read([t.enabled]) for t in system.transitions]
        self._plain = [self._updates(after) for after in self._after]
        for nodes in (self._claims, *self._noted):
            self._read(nodes)

    def _read(self, nodes: Sequence[Node]) -> int:
        """The variables below some nodes."""
        below = self._below
        for node in topological(nodes, below):
            own = self._bits.get(str(node.value), 0) if node.op is Op.VAR else 0
            below[node] = reduce(or_, (below[a] for a in node.args), own)
        return reduce(or_, (below[node] for node in nodes), 0)

    def _updates(self, after: Mapping[str, Node]) -> list[_Update]:
        return [_Update(self._bits[path], self._read([node])) for path, node in after.items()]

    def dead_at(self, flag: str) -> set[str]:
        """The variables that are dead wherever the flag is set; none for most flags."""
        live = self._certainly_live(self._bits[flag])
        return self._dead(self._live(flag, live)) if self._dead(live) else set()

    def _dead(self, live: int) -> set[str]:
        return {path for path, bit in self._bits.items() if not live & bit and path not in self._never}

    def _certainly_live(self, flag: int) -> int:
        """What is read by expressions that do not ask for the flag, and so are the same where it is set.

        Nothing is simplified for it, so it costs nearly nothing, and for many flags these are all variables.
        """
        live, updates = flag, list[_Update]()
        possible = [number for number, guard in enumerate(self._guards) if not guard & flag]
        for node in itertools.chain(self._claims, *(self._noted[number] for number in possible)):
            live |= 0 if self._below[node] & flag else self._below[node]
        for number in possible:
            live |= self._guards[number]
            updates += [update for update in self._plain[number] if not update.read & flag]
        return _closure(live, updates)

    def _live(self, flag: str, live: int) -> int:
        """What is live where the flag is set; `live` is known to be."""
        graph, staying = self.system.graph, list[_Update]()
        put = substitution(graph, {flag: graph.true})
        live |= self._read(put(self._claims))
        for t, noted, updates in zip(self.system.transitions, self._noted, self._after, strict=True):
            (enabled,) = put([t.enabled])
            if enabled is graph.false:
                continue
            nodes = assume(graph, put([*noted, *updates.values()]), literals(enabled))
            after = dict(zip(updates, nodes[len(noted) :], strict=True))
            stays = after.get(flag, graph.true)
            live = _closure(live | self._read([enabled, stays, *nodes[: len(noted)]]), staying)
            if live == self._all:
                break
            if stays is not graph.false:
                staying += self._where(after, stays, True)
            if stays is not graph.true:
                # Where the flag is cleared everything is live: what is written there, and what is left as it was.
                cleared = self._where(after, stays, False)
                live |= reduce(or_, (update.read for update in cleared), 0)
                live |= self._all & ~reduce(or_, (update.written for update in cleared), 0)
        return _closure(live, staying)

    def _where(self, after: Mapping[str, Node], fact: Node, value: bool) -> list[_Update]:
        """The updates as they are where a fact has this value."""
        nodes = assume(self.system.graph, [*after.values()], [(fact, value)])
        return self._updates(dict(zip(after, nodes, strict=True)))


def _closure(live: int, updates: Iterable[_Update]) -> int:
    """The least set with `live` that has, of each variable in it, what its updates read."""
    rest = list(updates)
    while needed := [update for update in rest if update.written & live]:
        rest = [update for update in rest if not update.written & live]
        live = reduce(or_, (update.read for update in needed), live)
    return live
