"""Engine `compiled`: breadth-first search over packed states, with successors computed by machine code."""

from __future__ import annotations

import functools
import signal
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager, suppress
from types import FrameType

import numpy as np

from podproof.checker.arrays import Int32s, Int64s, Uint32s
from podproof.checker.conclude import Evidence, Shown, after_search
from podproof.checker.core.system import (
    ActionCount,
    EngineFault,
    Exploration,
    Limits,
    OnProgress,
    ProjectedMove,
    StateGraph,
    System,
    Trace,
)
from podproof.checker.engines import Claims, Kept, LimitedSearch, MemoryLimit, available_memory
from podproof.checker.engines.compiled.codegen import Program, generate
from podproof.checker.engines.compiled.evidence import TraceBuilder
from podproof.checker.engines.compiled.layout import Field, Layout, lay_out
from podproof.checker.engines.compiled.machine import Batch, Code, Functions, Statistics, compile_module, loops_for
from podproof.checker.engines.compiled.store import MOST_STORED, Store
from podproof.checker.engines.compiled.transition import Tag

_LEVELS = 1 << 6
"""Narrow levels that are expanded before somebody looks around."""
_WIDE = 1 << 12
"""States of one level that must be waiting before it is worth waking other threads."""
_WORTH = 0.5
"""When so many states wait for each letter of the generated code, there is so much to do that better code pays off."""
_CHUNK = 1 << 16
"""States that are examined at a time when the search is over."""


class Search(LimitedSearch):
    """The arrays of one search, and the loop that feeds the compiled driver."""

    engine = "compiled"

    def __init__(
        self,
        system: System,
        properties: Claims,
        keep: Kept,
        limits: Limits,
        threads: int = 1,
        memory: int | None = None,
    ) -> None:
        super().__init__(system, properties, keep, limits)
        self.layout: Layout = lay_out(system, keep)
        self.program: Program = generate(system, properties, self.layout)
        self._codes: list[Code] = []
        """What was compiled, the best last; other threads may still execute the one before."""
        self._compile(quick=True)
        self.loops = loops_for(self.layout.words)
        self.budget = MemoryLimit(memory)
        self.store, self.statistics = Store(self.layout.words), Statistics(self.program)
        most = limits.max_states
        self.statistics.most = MOST_STORED if most is None else min(most, MOST_STORED)
        pending = self.statistics.pending_states
        self.batches = [Batch(self.program, pending) for _ in range(threads + 2 if threads > 1 else 1)]
        self._pool = ThreadPoolExecutor(threads - 1) if threads > 1 else None
        self._workers = None if self._pool is None else Workers(self._pool, self.batches.copy(), self._fill)
        self.cursor = 0
        self._interrupt = threading.Event()
        """Was Ctrl-C pressed, or did another signal come that means the same?"""

    def _compile(self, quick: bool) -> None:
        self.code = compile_module(self.program.text, quick)
        self._codes.append(self.code)
        self.functions = Functions(self.code.address("expand"), self.code.address("examine"))

    @property
    def count(self) -> int:
        return int(self.statistics.count)

    @property
    def transitions(self) -> int:
        return int(self.statistics.steps)

    @property
    def states(self) -> Int64s:
        """The states stored in memory, int64 of shape (count, words); not to be changed."""
        return self.store.states[: self.count]

    @property
    def parents(self) -> Uint32s:
        """The state from which each stored state was first reached, uint32 of shape (count,)."""
        return self.store.parents[: self.count]

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    @property
    def bytes(self) -> int:
        return self.store.bytes(self.count) + sum(batch.bytes for batch in self.batches)

    def run(self, progress: OnProgress | None) -> None:
        with postpone_interrupt() as self._interrupt:
            super().run(progress)
        self.interrupted |= self._interrupt.is_set()  # Also when nothing was left to do: nobody wants to go on.
        self._examine_rest()

    def explore(self) -> None:
        try:
            if not self.count:
                self._store_initial_states()
            while self.cursor < self.count and not self.reason:
                if self.end_if_deep_enough():
                    break
                if not self._descend():
                    self._store_level(self._batches(self.count))
        finally:
            if self._pool is not None:
                self._pool.shutdown(cancel_futures=True)
            self._workers = None

    def restore(self, states: Int64s, parents: Uint32s) -> None:
        """Begin with what another search has stored.

        `states` has shape (count, words), and `parents` shape (count,).
        """
        count = len(states)
        self._make_room(count)
        if not self.reason:
            self.store.states[:count], self.store.parents[:count] = states, parents
            self.store.enter(count)
            self.statistics.count = count

    def _store_initial_states(self) -> None:
        """Store the initial states, each its own parent; no step was taken for that."""
        for state in self.system.initial:
            self._make_room(1)
            if not self.reason:
                self._insert(self.batches[0].hold(self.layout.pack(state), self.count))
        self.statistics.taken[:], self.statistics.fresh[:], self.statistics.steps = 0, 0, 0

    def _descend(self) -> bool:
        """Expand the next levels together, if they are narrow. Were there any?"""
        batch = self.batches[0]
        if self.count - self.cursor > batch.certain:
            return False
        most = self.limits.max_depth
        levels = _LEVELS if most is None else min(_LEVELS, most - self.depth)
        room = min(self.store.free_up_to, self.statistics.most)
        batch.descend(self.functions, self.cursor, levels, room, self.store, self.statistics)
        self.depth, self.cursor = self.depth + batch.levels, batch.first
        self.statistics.decide(batch.seen)
        if batch.ready:
            self._store_level([batch])
        else:
            self._check_limits_and_report()
        return True

    def _store_level(self, batches: Iterable[Batch]) -> None:
        """Store what is new in the batches, which together have the rest of a level, in order.

        Other threads may compute steps ahead, but this one stores all states: nothing depends on their number.
        """
        known = self.count
        for batch in batches:
            self._make_room(batch.ready)
            if not self.reason:
                self._insert(batch)
                self._check_limits_and_report()
            if self.reason:
                break
        self.depth += self.count > known

    def _batches(self, end: int) -> Iterator[Batch]:
        """The steps of all states from the cursor up to `end`, a batch at a time, in order."""
        if self._workers is not None and end - self.cursor >= _WIDE:
            yield from self._workers.batches(self.cursor, end)
            return
        while self.cursor < end:
            batch = self.batches[0]
            batch.fill(self.functions, self.store.states, self.cursor, end)
            yield batch

    def _fill(self, batch: Batch, first: int, stop: int) -> None:
        batch.fill_all(self.functions, self.store.states, first, stop)

    def _insert(self, batch: Batch) -> None:
        """Store what is new in a batch, in order. Raises OutOfRange for a faulty step."""
        stored = self.loops.insert(self.store, self.statistics, batch, batch.sound)
        is_full = stored < batch.sound
        if is_full and batch.next > self.cursor:
            # How many states a batch has depends on the threads; those after this step's are not to be counted.
            batch.fill_all(self.functions, self.store.states, self.cursor, int(batch.origins[stored]) + 1)
        self.statistics.add(batch, stored + is_full)
        self.cursor = batch.next
        if is_full:
            self.end_as_full()
        elif stored < batch.ready:
            raise self.traces().fault(int(batch.origins[stored]), int(batch.rows[stored, self.layout.words]))

    def _examine_rest(self) -> None:
        """Judge the states that are stored and were not expanded."""
        if not self.statistics.pending_states.any():
            return
        try:
            for first in range(self.cursor, self.count, _CHUNK):
                states = self.store.states[first : min(self.count, first + _CHUNK)]
                self.statistics.examine(self.functions, first, states, self.batches[0])
        except KeyboardInterrupt:
            self.reason, self.interrupted = "interrupted", True

    def _check_limits_and_report(self) -> None:
        """Also raise KeyboardInterrupt after Ctrl-C, and optimise the code of a search that goes on for long."""
        if self._interrupt.is_set():
            raise KeyboardInterrupt
        if self.code.is_quick and self.count - self.cursor > _WORTH * len(self.program.text):
            self._compile(quick=False)
        self.check_limits_and_report(self.count - self.cursor)

    def end_as_full(self) -> None:
        """End the search where no more states can be stored or numbered."""
        if not self.end_if_full():
            self.reason = f"stopped at {self.count:,} states, the most that this engine can number"

    def _make_room(self, room: int) -> None:
        """Make room for so many more states, or end the search where there is no memory for it."""
        count = self.count
        capacity = self.store.capacity(count, room)
        more = self.store.cost(capacity, count)
        if not more:
            return
        is_affordable = self.budget.allows(more, self.bytes, available_memory)
        if is_affordable:
            with suppress(OSError):  # The process may not have so many addresses (`ulimit -v`).
                return self.store.grow(capacity, count)
        what = self.budget.out_of_memory(more, self.bytes, has_addresses=not is_affordable)
        self.reason = f"stopped at {count:,} states: {what}"

    def steps(self) -> Iterator[Batch]:
        """All steps of a finished search once more, by state and then in order; a batch lasts until the next."""
        batch, first = self.batches[0], 0
        while first < self.count:
            batch.fill_all(self.functions, self.store.states, first, self.count)
            yield batch
            first = batch.next

    def numbered_steps(self) -> Iterator[tuple[Batch, Int32s]]:
        """All steps, with the number of the state to which each leads, int32 of shape (steps,)."""
        size = 1 << (2 * self.count - 1).bit_length()
        table = np.full(size, -1, np.int32)
        self.loops.number_states(self.states, self.count, table, size - 1)
        for batch in self.steps():
            found = np.empty(batch.ready, np.int32)
            self.loops.numbers_of(self.states, table, size - 1, batch, found)
            if (found < 0).any():
                raise EngineFault("a step leads to a state that the search does not have")
            yield batch, found

    def traces(self) -> TraceBuilder:
        return TraceBuilder(self.system, self.layout, self.program, self.functions, self.states, self.parents)

    def deciders(self) -> dict[int, tuple[int, ...]]:
        """The claims that a state or a step decides, by number: that state, or where the step begins and its tag."""
        states = zip(self.program.state_claims, self.statistics.found_states[:, None].tolist(), strict=False)
        steps = zip(self.program.step_claims, self.statistics.found_steps.tolist(), strict=False)
        return {claim: tuple(where) for claim, where in (*states, *steps) if where[0] >= 0}

    def evidence(self) -> Iterator[Evidence]:
        trace, decided = functools.cache(self.traces().trace), self.deciders()
        for number, p in enumerate(claim.property for claim in self.properties):
            where = decided.get(number)
            if where is not None and p.is_premise:
                yield Shown(None)
            else:
                yield after_search(None if where is None else trace(*where), self.reason)

    def actions(self) -> dict[str, ActionCount]:
        return self.system.count_actions(self.statistics.taken, self.statistics.fresh)

    def result(self) -> Exploration:
        self.bounds_hit = Counter(dict(zip(self.program.bounds, self.statistics.bounds.tolist(), strict=False)))
        return super().result()


# -- threads that compute steps ahead ----------------------------------------------------------------------------------


class Workers:
    """Fills batches of one level in several threads and gives them out in the order of their states."""

    def __init__(self, pool: ThreadPoolExecutor, spare: list[Batch], fill: Callable[[Batch, int, int], None]) -> None:
        self._pool, self._spare, self._fill = pool, spare, fill
        self._tasks: deque[tuple[Batch, Callable[[], None], Future[None]]] = deque()
        """Batches, what fills them, and when that is done; a future is cancelled where this thread does it."""

    def batches(self, first: int, end: int) -> Iterator[Batch]:
        """The batches of states `first` up to `end`; each may be used until the next is asked for."""
        while first < end or self._tasks:
            while self._spare and first < end:
                batch = self._spare.pop()
                stop = min(end, first + batch.certain)
                fill = functools.partial(self._fill, batch, first, stop)
                self._tasks.append((batch, fill, self._pool.submit(fill)))
                first = stop
            batch, _, future = head = self._tasks.popleft()
            while not future.done():
                # Until it is filled this thread fills those that no other has begun.
                not_begun = (
                    fill for _, fill, other in (head, *self._tasks) if not other.cancelled() and other.cancel()
                )
                if (fill_one := next(not_begun, None)) is not None:
                    fill_one()
                else:
                    wait([future])
            if not future.cancelled():
                future.result()
            yield batch
            self._spare.append(batch)

    def rest(self) -> None:
        """Wait until no thread reads the states."""
        wait([future for _, _, future in self._tasks if not future.cancelled()])


# -- Ctrl-C, and what else is to end a search, waits until it is between two batches: there all counts fit together ----


@contextmanager
def postpone_interrupt() -> Iterator[threading.Event]:
    """Note the first Ctrl-C instead of raising KeyboardInterrupt; a second one acts at once.

    So with every signal for which Python's own handler of Ctrl-C is in force, and in the main thread, which alone may
    change it.
    """
    found, usual = threading.Event(), signal.default_int_handler
    in_main = threading.current_thread() is threading.main_thread()
    signals = [s for s in signal.valid_signals() if in_main and signal.getsignal(s) is usual]

    def note(_signal: int, _frame: FrameType | None) -> None:
        found.set()
        handle_by(usual)

    def handle_by(handler: Callable[[int, FrameType | None], None]) -> None:
        for number in signals:
            signal.signal(number, handler)

    handle_by(note)
    try:
        yield found
    finally:
        handle_by(usual)


# -- the state graph, projected on a few variables while the stored states are expanded once more ----------------------


_ROWS = 1 << 16
"""Rows collected before they are projected together."""


def project(search: Search, by: Sequence[str]) -> tuple[StateGraph, Callable[[int], Trace]]:
    """The graph of a finished search on the variables `by`, which it must have stored; see `state_graph`."""
    fields = [search.layout.fields[path] for path in by]
    states = search.states[: search.count]
    projected = distances(states, fields)
    keys, first, node_of, counts = np.unique(
        projected, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    sources = rank[node_of.reshape(-1)]
    number_of = {tuple(int(v) for v in key): int(rank[i]) for i, key in enumerate(keys)}
    edges: dict[tuple[int, int], Counter[str]] = {}
    moves: dict[tuple[int, int], Counter[ProjectedMove]] = {}
    for parents, rows in _batches(search):
        targets = distances(rows, fields)
        # Most steps lead from a node to itself. They are dropped before the rest is sorted, which takes longest.
        leaves = (targets != projected[parents]).any(axis=1)
        tags = rows[leaves, search.layout.words]
        found_steps = np.column_stack([sources[parents[leaves]], tags, targets[leaves]])
        steps, times = np.unique(found_steps, axis=0, return_counts=True)
        for (source, tag, *target), count in zip(steps.tolist(), times.tolist(), strict=True):
            to = number_of.get(tuple(target))
            if to is not None:
                name, values = Tag.read(tag).move(search.system)
                edges.setdefault((source, to), Counter())[name] += count
                moves.setdefault((source, to), Counter())[name, tuple(values.items())] += count
    # Initial states are their own parents. There may be fewer than the system has: some may be alike.
    roots = np.flatnonzero(search.parents == np.arange(search.count))
    graph = StateGraph(
        system=search.system,
        by=tuple(field.variable for field in fields),
        nodes=tuple(tuple(int(v) + f.variable.low for v, f in zip(keys[i], fields, strict=True)) for i in order),
        counts=tuple(int(counts[i]) for i in order),
        initial=tuple(sorted({int(source) for source in sources[roots]})),
        edges=dict(sorted(edges.items())),
        complete=not search.reason,
        moves=moves,
    )
    return graph, lambda node: search.traces().trace(int(first[order[node]]))


def distances(rows: Int64s, fields: Sequence[Field]) -> Int64s:
    """How far above their least values some fields are, of shape (rows, fields); `rows` begin with packed states."""
    out = np.zeros((len(rows), len(fields)), np.int64)
    for column, field in enumerate(fields):
        out[:, column] = field.distances(rows)
    return out


def _batches(search: Search) -> Iterator[tuple[Int64s, Int64s]]:
    """Every step of the graph: the index of the state each comes from, and the row that `expand` writes of each."""
    parents, rows = list[Int64s](), list[Int64s]()
    for batch in search.steps():
        parents.append(batch.origins[: batch.ready].astype(np.int64))
        rows.append(batch.rows[: batch.ready].copy())
        if sum(map(len, parents)) >= _ROWS or batch.next == search.count:
            yield np.concatenate(parents), np.concatenate(rows)
            parents, rows = [], []
