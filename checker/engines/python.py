"""Engine `python`: runs the model's own Python, one state at a time. Slow, and the oracle of every other engine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from podproof.checker.conclude import Evidence, after_search
from podproof.checker.core.system import ActionCount, EngineFault, Limits, Move, Outcome, State, System, Trace
from podproof.checker.core.trace import breaks, decides, refusal, replay
from podproof.checker.engines import Claims, Engine, Kept, LimitedSearch

Key = tuple[int, ...]
"""A state without the variables that a reduction drops: what tells states apart."""


def successors(system: System, state: State) -> Iterator[tuple[Move, State | Exception, list[str]]]:
    """Each step out of a state: the move, the state after it or what the model raised instead, the lines reached."""
    tree = None
    for transition in system.transitions:
        for move in transition.moves():
            tree = system.build(state) if tree is None else tree
            with system.record_lines() as lines:
                try:
                    transition.action.run(tree, move.values)
                    after: State | Exception = system.flatten(tree)
                except Exception as error:
                    if refusal(error) is Outcome.DISABLED:
                        continue  # A `require` failed, before the first assignment: the tree is as it was.
                    after = error
            tree = None
            yield move, after, lines


class _Search(LimitedSearch):
    """What the search has seen; `found` has the first state or step that decides a claim."""

    engine = "python"

    def __init__(self, system: System, properties: Claims, keep: Kept, limits: Limits) -> None:
        super().__init__(system, properties, keep, limits)
        self.claims = [p.property for p in properties]
        self.stored = tuple(i for i, v in enumerate(system.variables) if keep is None or v.path in keep)
        self.parents: dict[Key, tuple[Key | None, Move | None]] = {}
        self.states: dict[Key, State] = {}
        self.found: dict[str, tuple[Key, Move | None]] = {}
        self.taken = {action.name: [0, 0] for action in system.actions}

    @property
    def count(self) -> int:
        return len(self.parents)

    @property
    def bytes(self) -> int:
        """About what the stored states take: dictionaries and tuples, without the small numbers that tuples share."""
        tuples = len(self.states) * sum(
            sys.getsizeof((0,) * n) for n in (len(self.system.variables), len(self.stored), 2)
        )
        return sys.getsizeof(self.states) + sys.getsizeof(self.parents) + tuples

    def actions(self) -> dict[str, ActionCount]:
        return {name: ActionCount(*count) for name, count in self.taken.items()}

    def explore(self) -> None:
        frontier = [self.key(state) for state in self.system.initial if self.add(state, None, None)]
        while frontier and not self.reason and not self.end_if_deep_enough():
            following: list[Key] = []
            for key in frontier:
                following += self.expand(key)
                self.check_limits_and_report(len(frontier))
                if self.reason:
                    break
            self.depth += bool(following)
            frontier = following

    def key(self, state: State) -> Key:
        return tuple(state[i] for i in self.stored)

    def add(self, state: State, parent: Key | None, move: Move | None) -> bool:
        """Is the state new, and is there room for it? Then it is stored and looked at."""
        key = self.key(state)
        if key in self.parents or self.end_if_full():
            return False
        self.parents[key], self.states[key] = (parent, move), state
        tree: Any = None
        for p in self.claims:
            if p.is_about_states and p.id not in self.found:
                tree = self.system.build(state) if tree is None else tree
                if decides(p, tree):
                    self.found[p.id] = (key, None)
        return True

    def expand(self, key: Key) -> Iterator[Key]:
        """The new states one step away."""
        state = self.states[key]
        before = self.system.build(state)
        for move, after, lines in successors(self.system, state):
            if isinstance(after, Exception):
                if refusal(after) is Outcome.FAULT:
                    self.trace(key, move)
                    raise EngineFault(f"{self.system.event(move)}: the model goes wrong there only the first time")
                self.bounds_hit[str(after)] += 1
                continue
            if self.reason:
                continue  # There was no room for a state: of the other steps only those that are cut off count.
            self.taken[move.action][0] += 1
            for p in self.claims:
                if not p.is_about_states and p.id not in self.found:
                    built = self.system.build(after) if p.kind == "step" else None
                    if breaks(self.system, p, move, before, built, lines):
                        self.found[p.id] = (key, move)
            if self.add(after, key, move):
                self.taken[move.action][1] += 1
                yield self.key(after)

    def trace(self, key: Key, last: Move | None) -> Trace:
        """The way to a state, and then a step. Raises OutOfRange where the model goes wrong in it."""
        moves = [] if last is None else [last]
        while True:
            parent, move = self.parents[key]
            if parent is None or move is None:
                return replay(self.system, moves[::-1], self.states[key])
            moves.append(move)
            key = parent

    def evidence(self) -> Iterator[Evidence]:
        for p in self.claims:
            trace = self.trace(*self.found[p.id]) if p.id in self.found else None
            yield after_search(trace, self.reason)


class Python(Engine):
    """The engine; it needs no settings. It runs the model itself, and knows no renaming."""

    name = "python"

    def search(self, system: System, claims: Claims, keep: Kept, limits: Limits) -> LimitedSearch:
        return _Search(system, claims, keep, limits)
