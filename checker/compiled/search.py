"""Engine `compiled`: breadth-first search over packed states, with successors computed by machine code."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from podproof.checker.claims import LoweredProperty
from podproof.checker.compiled import driver
from podproof.checker.compiled.batch import Batch, Crew
from podproof.checker.compiled.codegen import Program, generate
from podproof.checker.compiled.evidence import Evidence
from podproof.checker.compiled.layout import WORD_BITS, Layout, lay_out
from podproof.checker.compiled.machine import Code, compile_module
from podproof.checker.compiled.memory import available_memory
from podproof.checker.system import ActionCount, Exploration, Limits, Progress, System, Verdict
from podproof.checker.verdicts import conclude

_WIDE = 1 << 12
"""States of one level that must be waiting before it is worth waking other threads."""
_FIRST_ROOM = 1 << 14
_MEMORY_SHARE = 0.9
"""How much of the available memory the search may fill."""
_PROGRESS_SECONDS = 0.1


class Search:
    """The arrays of one search, and the loop that feeds the compiled driver."""

    def __init__(
        self,
        system: System,
        properties: Sequence[LoweredProperty],
        keep: frozenset[str] | None,
        limits: Limits,
        cache: Path | None,
        threads: int = 1,
    ) -> None:
        self.started = time.monotonic()
        self.system, self.properties, self.limits = system, properties, limits
        self.layout: Layout = lay_out(system, keep)
        self.program: Program = generate(system, properties, self.layout)
        self.code: Code = compile_module(self.program.text, cache)
        self.expand = driver.GeneratedFunction(self.code.address("expand"), driver.EXPAND)
        self.examine = driver.GeneratedFunction(self.code.address("examine"), driver.EXAMINE)
        self._make_arrays()
        self.batches = [Batch(self.program) for _ in range(threads + 2 if threads > 1 else 1)]
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        self._crew = None if self._pool is None else Crew(self._pool, self.batches.copy(), self._fill)
        self.cursor = 0
        self.depth = 0
        self.reason = ""
        self.interrupted = False
        self._reported = self.started

    def _make_arrays(self) -> None:
        program, words = self.program, self.layout.words
        self.states, self.parents = np.empty((_FIRST_ROOM, words), np.int64), np.empty(_FIRST_ROOM, np.uint32)
        self.slots = np.full(4 * _FIRST_ROOM, -1, np.int64)
        self.bounds = np.zeros(len(program.bounds) + 1, np.int64)
        self.taken, self.fresh = (np.zeros(len(self.system.transitions) + 1, np.int64) for _ in range(2))
        self.bits = np.zeros(program.state_bit_words, np.int64)
        self.pending_states, self.found_states = _pending(len(program.state_claims)), _unfound(program.state_bit_words)
        self.pending_steps = _pending(len(program.step_claims))
        self.found_steps = np.stack([_unfound(len(self.pending_steps))] * 2, axis=1)
        self.control = np.zeros(driver.CONTROL_SIZE, np.int64)
        most = self.limits.max_states
        self.control[driver.MOST_STATES] = driver.MOST_STORED if most is None else min(most, driver.MOST_STORED)

    @property
    def count(self) -> int:
        return int(self.control[driver.COUNT])

    @property
    def bytes(self) -> int:
        store = sum(int(array.nbytes) for array in (self.states, self.parents, self.slots))
        return store + sum(batch.bytes for batch in self.batches)

    def run(self, progress: Callable[[Progress], None] | None) -> None:
        """Search until nothing is new, a limit is reached or Ctrl-C is pressed. Raises OutOfRange for a faulty step."""
        try:
            self._seed()
            while self.cursor < self.count and not self.reason:
                if self.limits.max_depth is not None and self.depth >= self.limits.max_depth:
                    self.reason = f"stopped at depth {self.depth} (--max-depth)"
                    return
                known = self.count
                self._level(known, progress)
                self.depth += self.count > known
        except KeyboardInterrupt:
            self.reason, self.interrupted = "interrupted", True
        finally:
            if self._pool is not None:
                self._pool.shutdown(cancel_futures=True)
            self._crew = None

    def _seed(self) -> None:
        """Store the initial states, each its own parent; no step was taken for that."""
        for state in self.system.initial:
            self._make_room(1)
            if not self.reason:
                self._insert(self.batches[0].hold(self.layout.pack(state), self.count))
        for counts in (self.taken, self.fresh):
            counts[:] = 0
        self.control[driver.TRANSITIONS] = 0

    def _level(self, end: int, progress: Callable[[Progress], None] | None) -> None:
        """Expand every state before `end`, which are those of one depth.

        Other threads may compute steps ahead, but one stores all states, in order: nothing depends on their number.
        """
        for batch in self._batches(end):
            self._make_room(batch.ready)
            if self.reason:
                return
            self._insert(batch)
            self._look_around(progress)
            if self.reason:
                return

    def _batches(self, end: int) -> Iterator[Batch]:
        """The steps of all states from the cursor up to `end`, a batch at a time, in order."""
        if self._crew is not None and end - self.cursor >= _WIDE:
            yield from self._crew.batches(self.cursor, end)
            return
        while self.cursor < end:
            self.batches[0].fill(self.expand, self.states, self.cursor, end)
            yield self.batches[0]

    def _fill(self, batch: Batch, first: int, stop: int) -> None:
        batch.fill_all(self.expand, self.states, first, stop)

    def _insert(self, batch: Batch) -> None:
        """Store what is new in a batch, in order. Raises OutOfRange for a faulty step."""
        outcome = driver.insert(
            *(self.examine, self.control, self.states, self.parents, self.slots),
            *(batch.rows, batch.origins, batch.hashes, batch.ready, self.taken, self.fresh),
            *(self.bits, self.pending_states, self.found_states, self.pending_steps, self.found_steps),
        )
        self.bounds += batch.bounds
        self.cursor = batch.next
        if outcome == driver.FAULT:
            raise self.evidence().fault(*(int(self.control[i]) for i in (driver.FAULT_STATE, driver.FAULT_TAG)))
        if outcome == driver.FULL:
            self._full()

    def _look_around(self, progress: Callable[[Progress], None] | None) -> None:
        """Is the time up? Is a report due?"""
        now = time.monotonic()
        if self.limits.seconds is not None and now - self.started >= self.limits.seconds and not self.reason:
            self.reason = f"stopped after {now - self.started:.0f} s (--budget)"
        if progress is not None and now - self._reported >= _PROGRESS_SECONDS:
            self._reported = now
            progress(self._progress(now))

    def _full(self) -> None:
        if self.limits.max_states is not None and self.count >= self.limits.max_states:
            self.reason = f"stopped at {self.count:,} states (--max-states)"
        else:
            self.reason = f"stopped at {self.count:,} states, the most that this engine can number"

    def _make_room(self, room: int) -> None:
        """Make room for so many more states, if there is memory for it."""
        count, row_bytes = self.count, 8 * self.layout.words + 4
        capacity, size = len(self.states), len(self.slots)
        if count + room > capacity:
            capacity = max(capacity + capacity // 4, count + 2 * room)
        while 2 * (count + room) > size:
            size *= 2
        if (capacity, size) == (len(self.states), len(self.slots)):
            return
        if self._crew is not None:
            self._crew.rest()
        more = row_bytes * (capacity - len(self.states)) + 8 * (size - len(self.slots))
        available = available_memory()
        if available is not None and more > _MEMORY_SHARE * available:
            self.reason = f"stopped at {count:,} states: {more >> 20:,} MiB more memory are needed, too little is free"
            return
        # The system moves the pages of a large array instead of copying it, so old and new do not add up.
        self.states.resize((capacity, self.layout.words), refcheck=False)
        self.parents.resize(capacity, refcheck=False)
        if size != len(self.slots):
            # The table is made anew from the states, so the old one is let go first.
            self.slots = np.empty(0, np.int64)
            self.slots = np.full(size, -1, np.int64)
            driver.rehash(self.states, count, self.slots)

    def evidence(self) -> Evidence:
        return Evidence(self.system, self.layout, self.program, self.code.address("expand"), self.states, self.parents)

    def _progress(self, now: float) -> Progress:
        transitions = int(self.control[driver.TRANSITIONS])
        waiting = self.count - self.cursor
        return Progress(self.count, transitions, self.depth, waiting, now - self.started, self.bytes)

    def verdicts(self) -> tuple[Verdict, ...]:
        evidence, found = self.evidence(), {}
        for bit, i in enumerate(self.program.state_claims):
            if (index := int(self.found_states[bit])) >= 0:
                found[i] = evidence.trace_to(index)
        for bit, i in enumerate(self.program.step_claims):
            if (index := int(self.found_steps[bit, 0])) >= 0:
                found[i] = evidence.trace_through(index, int(self.found_steps[bit, 1]))
        return tuple(
            conclude(p.property, found.get(i), not self.reason, self.reason) for i, p in enumerate(self.properties)
        )

    def result(self) -> Exploration:
        """What was found out, whether or not the search came to its end."""
        seconds = time.monotonic() - self.started
        return Exploration(
            system=self.system,
            engine="compiled",
            complete=not self.reason,
            reason=self.reason,
            states=self.count,
            transitions=int(self.control[driver.TRANSITIONS]),
            depth=self.depth,
            seconds=seconds,
            peak_bytes=self.bytes,
            actions=self._action_counts(),
            bounds_hit={name: int(n) for name, n in zip(self.program.bounds, self.bounds, strict=False) if n},
            reductions=self._reductions(),
            verdicts=self.verdicts(),
            interrupted=self.interrupted,
        )

    def _action_counts(self) -> dict[str, ActionCount]:
        totals = {action.name: [0, 0] for action in self.system.actions}
        for transition, taken, fresh in zip(self.system.transitions, self.taken, self.fresh, strict=False):
            totals[transition.action.name][0] += int(taken)
            totals[transition.action.name][1] += int(fresh)
        return {name: ActionCount(*counts) for name, counts in totals.items()}

    def _reductions(self) -> tuple[str, ...]:
        dropped = len(self.system.variables) - len(self.layout.fields)
        if not dropped:
            return ()
        return (
            f"{dropped} of {len(self.system.variables)} variables, which no guard and no claim depends on, left out",
        )


def _pending(claims: int) -> Any:
    """A set bit for every claim that is not decided yet."""
    left = range(claims, 0, -WORD_BITS)
    return np.array([(1 << min(n, WORD_BITS)) - 1 for n in left], np.int64)


def _unfound(words: int) -> Any:
    return np.full(words * WORD_BITS, -1, np.int64)
