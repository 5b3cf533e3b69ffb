"""Engine `compiled`: breadth-first search over packed states, with successors computed by machine code."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from podproof.checker.claims import LoweredProperty
from podproof.checker.compiled import driver
from podproof.checker.compiled.batch import Batch, Crew
from podproof.checker.compiled.checkpoint import Checkpoint, Point
from podproof.checker.compiled.codegen import Program, generate
from podproof.checker.compiled.evidence import Evidence
from podproof.checker.compiled.layout import Layout, lay_out
from podproof.checker.compiled.long_run import LongRun, identity
from podproof.checker.compiled.machine import Code, compile_module
from podproof.checker.compiled.memory import available_memory, resident_memory
from podproof.checker.system import ActionCount, CheckerError, Exploration, Limits, Progress, System, Verdict
from podproof.checker.verdicts import conclude

if TYPE_CHECKING:
    from podproof.checker.compiled.disk import DiskStore

_WIDE = 1 << 12
"""States of one level that must be waiting before it is worth waking other threads."""
_FIRST_ROOM = 1 << 14
_MEMORY_SHARE = 0.9
"""How much of the available memory the search may fill."""
_PROGRESS_SECONDS = 0.1
_TALLY = ["control", "taken", "fresh", "bounds", "pending_states", "found_states", "pending_steps", "found_steps"]
"""The arrays of a search that change as it goes on, other than the states themselves."""
_SPARE = 96 << 20
"""Memory left for what is not accounted for, where the process is told how much it may use."""


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
        plan: LongRun | None = None,
    ) -> None:
        self.started = time.monotonic()
        self.plan = plan or LongRun()
        self.system, self.properties, self.limits = system, properties, limits
        self.layout: Layout = lay_out(system, keep)
        self.program: Program = generate(system, properties, self.layout)
        self.code: Code = compile_module(self.program.text, cache)
        self.expand = driver.GeneratedFunction(self.code.address("expand"), driver.EXPAND)
        self.examine = driver.GeneratedFunction(self.code.address("examine"), driver.EXAMINE)
        self._resident = resident_memory()
        self._make_arrays()
        self.batches = [Batch(self.program) for _ in range(threads + 2 if threads > 1 else 1)]
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        self._crew = None if self._pool is None else Crew(self._pool, self.batches.copy(), self._fill)
        self.cursor = 0
        self.depth = 0
        self.reason = ""
        self.interrupted = False
        self.disk: DiskStore | None = None
        self.earlier = 0.0
        """Seconds of the runs that this one goes on from."""
        self._checkpoint: Checkpoint | None = None
        self._point: Point | None = None
        self._reported, self._peak = self.started, 0

    def _make_arrays(self) -> None:
        program, words = self.program, self.layout.words
        self.states, self.parents = np.empty((_FIRST_ROOM, words), np.int64), np.empty(_FIRST_ROOM, np.uint32)
        self.slots = np.full(4 * _FIRST_ROOM, -1, np.int64)
        self.bounds = np.zeros(len(program.bounds) + 1, np.int64)
        self.taken, self.fresh = (np.zeros(len(self.system.transitions) + 1, np.int64) for _ in range(2))
        self.bits = np.zeros(program.state_bit_words, np.int64)
        self.pending_states = driver.all_pending(len(program.state_claims))
        self.found_states = driver.none_found(program.state_bit_words)
        self.pending_steps = driver.all_pending(len(program.step_claims))
        self.found_steps = np.stack([driver.none_found(len(self.pending_steps))] * 2, axis=1)
        self.control = np.zeros(driver.CONTROL_SIZE, np.int64)
        most = self.limits.max_states
        self.control[driver.MOST_STATES] = driver.MOST_STORED if most is None else min(most, driver.MOST_STORED)

    @property
    def count(self) -> int:
        return int(self.control[driver.COUNT])

    @property
    def seconds(self) -> float:
        return self.earlier + time.monotonic() - self.started

    @property
    def bytes(self) -> int:
        store = sum(int(array.nbytes) for array in (self.states, self.parents, self.slots))
        store += 0 if self.disk is None else self.disk.bytes
        return store + sum(batch.bytes for batch in self.batches)

    def run(self, progress: Callable[[Progress], None] | None) -> None:
        """Search until nothing is new, a limit is reached or Ctrl-C is pressed.

        Raises OutOfRange for a faulty step and CheckerError where a checkpoint cannot be read or written.
        """
        try:
            self._resume()
            self._search(progress)
            self._save_last()
        finally:
            if self._checkpoint is not None:
                self._checkpoint.close()

    def _search(self, progress: Callable[[Progress], None] | None) -> None:
        try:
            if not self.count:
                self._seed()
            while self.cursor < self.count and not self.reason:
                self._mark_level()
                if self.limits.max_depth is not None and self.depth >= self.limits.max_depth:
                    self.reason = f"stopped at depth {self.depth} (--max-depth)"
                    break
                known = self.count
                self._level(known, progress)
                self.depth += self.count > known
        except KeyboardInterrupt:
            self.reason, self.interrupted = "interrupted", True
        finally:
            if self._pool is not None:
                self._pool.shutdown(cancel_futures=True)
            self._crew = None

    def _resume(self) -> None:
        """Go on from the checkpoint, if there is one and it is asked for."""
        folder = self.plan.folder(self.system)
        if folder is None:
            return
        who = identity(self.system, self.properties, self.layout, self.program)
        self._checkpoint = Checkpoint(folder, who, self.layout.words, self.plan.every)
        point = self._point = self._checkpoint.open(self.plan.resume)
        if point is None:
            return
        self._checkpoint.load(self._restore)
        if self.disk is None:
            self.slots.fill(-1)
            driver.rehash(self.states, point.count, self.slots)
        most = int(self.control[driver.MOST_STATES])
        for name, array in point.arrays.items():
            ours = getattr(self, name)
            ours[...] = array.reshape(ours.shape)
        self.control[driver.MOST_STATES] = most
        self.cursor, self.depth, self.earlier = point.cursor, point.depth, point.seconds
        if self.count > most:
            self._full()

    def _restore(self, first: int, states: Any, parents: Any) -> None:
        """Take over the next states of a checkpoint."""
        end = first + len(states)
        self._make_room(len(states))
        if self.reason:
            raise CheckerError(f"--resume: {self.reason}")
        if self.disk is None:
            self.states[first:end], self.parents[first:end] = states, parents
        else:
            self.disk.adopt(states, parents)
        self.control[driver.COUNT] = end

    def _mark_level(self) -> None:
        """A level begins: remember how things stand, and save them when it is time."""
        if self._checkpoint is not None:
            self._point = self._here(finished=False)
            if self._checkpoint.due():
                self._checkpoint.save(self._point, self._stored)

    def _save_last(self) -> None:
        """Save the end of the search, or the last level that it began."""
        if self._checkpoint is not None:
            if not self.reason:
                self._point = self._here(finished=True)
            if self._point is not None:
                self._checkpoint.save(self._point, self._stored)

    def _here(self, finished: bool) -> Point:
        arrays = {name: getattr(self, name).copy() for name in _TALLY}
        return Point(self.count, self.cursor, self.depth, self.seconds, finished, arrays)

    def _stored(self, first: int, end: int) -> tuple[Any, Any]:
        """The states and the parents of some states."""
        if self.disk is not None:
            return self.disk.states(first, end), self.disk.parents(first, end)
        return self.states[first:end], self.parents[first:end]

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
        self._settle()

    def _batches(self, end: int) -> Iterator[Batch]:
        """The steps of all states from the cursor up to `end`, a batch at a time, in order."""
        if self._crew is not None and end - self.cursor >= _WIDE:
            yield from self._crew.batches(self.cursor, end)
            return
        while self.cursor < end:
            batch = self.batches[0]
            if self.disk is None:
                batch.fill(self.expand, self.states, self.cursor, end)
            else:
                self._fill(batch, self.cursor, min(end, self.cursor + batch.certain))
            yield batch

    def _fill(self, batch: Batch, first: int, stop: int) -> None:
        if self.disk is None:
            batch.fill_all(self.expand, self.states, first, stop)
        else:
            batch.fill_part(self.expand, self.disk.states(first, stop), first)

    def _insert(self, batch: Batch) -> None:
        """Store what is new in a batch, in order. Raises OutOfRange for a faulty step."""
        if self.disk is None:
            outcome = driver.insert(
                *(self.examine, self.control, self.states, self.parents, self.slots),
                *(batch.rows, batch.origins, batch.hashes, batch.ready, self.taken, self.fresh),
                *(self.bits, self.pending_states, self.found_states, self.pending_steps, self.found_steps),
            )
        else:
            outcome = self.disk.collect(self.control, batch, self.taken, self.pending_steps, self.found_steps)
        self.bounds += batch.bounds
        self.cursor = batch.next
        if outcome == driver.FAULT:
            raise self.evidence().fault(*(int(self.control[i]) for i in (driver.FAULT_STATE, driver.FAULT_TAG)))
        if outcome == driver.FULL:
            self._full()

    def _settle(self) -> None:
        """Find out which of the states that were collected for the disk are new."""
        if self.disk is None:
            return
        claims = (self.bits, self.pending_states, self.found_states)
        try:
            if self.disk.settle(self.examine, self.control, self.fresh, *claims) == driver.FULL:
                self._full()
        except OSError as error:
            self.reason = f"stopped at {self.count:,} states: --out-of-core {self.disk.folder}: {error.strerror}"

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
        """Make room for so many more states, if there is memory for it, or go on on disk."""
        if self.disk is not None:
            if not self.disk.has_room(room):
                self._settle()
            return
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
        available = self._available()
        if available is not None and more > available:
            if self.plan.out_of_core is not None:
                self._go_to_disk(self.plan.out_of_core)
            else:
                self.reason = (
                    f"stopped at {count:,} states: {more >> 20:,} MiB more memory are needed, too little is free; "
                    "--out-of-core DIR goes on with the states on disk"
                )
            return
        # The system moves the pages of a large array instead of copying it, so old and new do not add up.
        self.states.resize((capacity, self.layout.words), refcheck=False)
        self.parents.resize(capacity, refcheck=False)
        if size != len(self.slots):
            # The table is made anew from the states, so the old one is let go first.
            self.slots = np.empty(0, np.int64)
            self.slots = np.full(size, -1, np.int64)
            driver.rehash(self.states, count, self.slots)

    def _available(self) -> int | None:
        """Bytes of memory that the search may take in addition; None where nobody can tell."""
        available = available_memory()
        known = [] if available is None else [int(_MEMORY_SHARE * available)]
        if self.plan.memory is not None:
            known.append(self.plan.memory - _SPARE - self._resident - self.bytes)
        return min(known) if known else None

    def _go_to_disk(self, folder: Path) -> None:
        """Move all states to disk, and use the memory that they leave for the candidates of a level."""
        from podproof.checker.compiled.disk import DiskStore

        self._peak = self.bytes
        self.slots = np.empty(0, np.int64)
        disk = DiskStore(folder, self.layout.words)
        disk.adopt(self.states[: self.count], self.parents[: self.count])
        self.disk = disk
        self.states, self.parents = self.states[:0].copy(), self.parents[:0].copy()
        disk.make_table(self._available() or 0, max(len(batch.rows) for batch in self.batches))

    def evidence(self) -> Evidence:
        states, parents = (self.states, self.parents) if self.disk is None else self.disk.maps()
        return Evidence(self.system, self.layout, self.program, self.code.address("expand"), states, parents)

    def _progress(self, now: float) -> Progress:
        transitions = int(self.control[driver.TRANSITIONS])
        waiting = self.count - self.cursor
        return Progress(self.count, transitions, self.depth, waiting, self.seconds, self.bytes)

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
        return Exploration(
            system=self.system,
            engine="compiled",
            complete=not self.reason,
            reason=self.reason,
            states=self.count,
            transitions=int(self.control[driver.TRANSITIONS]),
            depth=self.depth,
            seconds=self.seconds,
            peak_bytes=max(self.bytes, self._peak),
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
