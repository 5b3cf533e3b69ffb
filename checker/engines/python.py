"""Engine `python`: runs the model's own Python, one state at a time. Slow, and the oracle of every other engine."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from podproof.checker.core.system import (
    NO_LIMITS,
    ActionCount,
    EngineFault,
    Exploration,
    Limits,
    LoweredProperty,
    Move,
    OnProgress,
    Progress,
    Property,
    State,
    System,
)
from podproof.checker.core.trace import Refusal, breaks, conclude, decides, refusal, replay

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
                    transition.action.call(tree, **transition.action.arguments(move.values))
                    after: State | Exception = system.flatten(tree)
                except Exception as error:
                    if refusal(error) is Refusal.DISABLED:
                        continue  # A `require` failed, before the first assignment: the tree is as it was.
                    after = error
            tree = None
            yield move, after, lines


@dataclass
class _Search:
    """What the search has seen; `found` has the first state or step that decides a property."""

    system: System
    properties: Sequence[Property]
    keep: tuple[int, ...]
    most: int | None = None
    """How many states may be stored."""
    full: bool = False
    """Was there no room for a new state?"""
    parents: dict[Key, tuple[Key | None, Move | None]] = field(default_factory=dict)
    states: dict[Key, State] = field(default_factory=dict)
    found: dict[str, tuple[Key, Move | None]] = field(default_factory=dict)
    transitions: int = 0
    taken: dict[str, list[int]] = field(default_factory=dict)
    bounds_hit: dict[str, int] = field(default_factory=dict)

    def key(self, state: State) -> Key:
        return tuple(state[i] for i in self.keep)

    def add(self, state: State, parent: Key | None, move: Move | None) -> bool:
        """Is the state new, and is there room for it? Then it is stored and looked at."""
        key = self.key(state)
        if key in self.parents:
            return False
        if self.most is not None and len(self.parents) >= self.most:
            self.full = True
            return False
        self.parents[key], self.states[key] = (parent, move), state
        tree: Any = None
        for p in self.properties:
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
                if refusal(after) is Refusal.FAULT:
                    self.show_fault(key, move)
                self.bounds_hit[str(after)] = self.bounds_hit.get(str(after), 0) + 1
                continue
            if self.full:
                continue
            self.transitions += 1
            count = self.taken[move.action]
            count[0] += 1
            for p in self.properties:
                if not p.is_about_states and p.id not in self.found:
                    built = self.system.build(after) if p.kind == "step" else None
                    if breaks(self.system, p, move, before, built, lines):
                        self.found[p.id] = (key, move)
            if self.add(after, key, move):
                count[1] += 1
                yield self.key(after)

    def show_fault(self, key: Key, move: Move) -> NoReturn:
        """Raises OutOfRange, with the trace, for a step on which the model itself goes wrong."""
        moves, initial = self.moves(key)
        replay(self.system, [*moves, move], initial)
        raise EngineFault(f"{self.system.event(move)}: the model goes wrong there only the first time")

    @property
    def bytes(self) -> int:
        """About what the stored states take: dictionaries and tuples, without the small numbers that tuples share."""
        tuples = len(self.states) * sum(
            sys.getsizeof((0,) * n) for n in (len(self.system.variables), len(self.keep), 2)
        )
        return sys.getsizeof(self.states) + sys.getsizeof(self.parents) + tuples

    def moves(self, key: Key) -> tuple[list[Move], State]:
        """The moves from an initial state to this one, and that initial state."""
        out: list[Move] = []
        while True:
            parent, move = self.parents[key]
            if parent is None or move is None:
                return out[::-1], self.states[key]
            out.append(move)
            key = parent


class Python:
    """The engine; it needs no settings."""

    name = "python"
    is_unbounded = False
    reductions = frozenset({"slicing", "constants"})
    """It runs the model itself, which can leave variables out, and knows no renaming."""

    def run(
        self,
        system: System,
        claims: Sequence[LoweredProperty],
        keep: frozenset[str] | None = None,
        limits: Limits = NO_LIMITS,
        progress: OnProgress | None = None,
    ) -> Exploration:
        """Visit every reachable state once, nearest first, by running the model."""
        system.refuse_unbounded("python")
        properties = [p.property for p in claims]
        started = time.monotonic()
        positions = tuple(i for i, v in enumerate(system.variables) if keep is None or v.path in keep)
        taken = {a.name: [0, 0] for a in system.actions}
        search = _Search(system, properties, positions, limits.max_states, taken=taken)
        depth, interrupted = 0, False
        frontier = [search.key(state) for state in system.initial if search.add(state, None, None)]
        reason = _reason_to_stop(Limits(), search, 0.0)
        try:
            while frontier and not reason:
                if limits.max_depth is not None and depth >= limits.max_depth:
                    reason = f"stopped at depth {depth} (--max-depth)"
                    break
                following: list[Key] = []
                for key in frontier:
                    following += search.expand(key)
                    reason = _reason_to_stop(limits, search, time.monotonic() - started)
                    if reason:
                        break
                depth += bool(following)
                frontier = following
                if progress is not None:
                    seconds = time.monotonic() - started
                    progress(Progress(len(search.parents), search.transitions, depth, len(frontier), seconds, 0))
        except KeyboardInterrupt:
            reason, interrupted = "interrupted", True
        verdicts = []
        for p in properties:
            trace = None
            if p.id in search.found:
                key, move = search.found[p.id]
                moves, initial = search.moves(key)
                trace = replay(system, [*moves, *([move] if move else [])], initial)
            verdicts.append(conclude(p, trace, not reason, reason))
        return Exploration(
            system=system,
            engine="python",
            complete=not reason,
            reason=reason,
            states=len(search.parents),
            transitions=search.transitions,
            depth=depth,
            seconds=time.monotonic() - started,
            peak_bytes=search.bytes,
            actions={name: ActionCount(*count) for name, count in search.taken.items()},
            bounds_hit=search.bounds_hit,
            verdicts=tuple(verdicts),
            interrupted=interrupted,
        )


def _reason_to_stop(limits: Limits, search: _Search, seconds: float) -> str:
    """Why to stop now; empty when nothing asks for it."""
    if search.full:
        return f"stopped at {len(search.parents):,} states (--max-states)"
    if limits.seconds is not None and seconds >= limits.seconds:
        return f"stopped after {seconds:.0f} s (--budget)"
    return ""
