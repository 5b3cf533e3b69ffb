"""Steps on their way into the store, and the threads that compute them ahead of their turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import numpy as np

from podproof.checker.engines.compiled.codegen import Program
from podproof.checker.engines.compiled.layout import WORD_BITS
from podproof.checker.engines.compiled.machine import BatchArrays, Functions, loops_for
from podproof.checker.engines.compiled.statistics import Statistics
from podproof.checker.engines.compiled.store import Store, zeros

_STATES = 1 << 11
"""States of a batch, if there are addresses for all the steps that they could have; few of these are ever taken."""
_ENOUGH = 1 << 14
"""Rows after which a thread that works alone stops to store them, while they are still in its cache."""


class Batch(BatchArrays):
    """The rows of neighbouring states, with the state and the hash of each, and what was noted while they were made.

    `next` is the state to go on with, `ready` the number of rows, `sound` that of rows before the first in which the
    model goes wrong. `taken` counts the transitions of all rows, `bounds` the steps that were cut off; `seen` has for
    each state claim the first expanded state that decides it, or -1, `violated` a bit for each step claim that a row
    violates.
    """

    def __init__(self, program: Program, pending: Any) -> None:
        super().__init__()
        self.most_rows = max(1, program.most_rows)
        self.certain = _STATES
        """So many states fit in, whatever steps they have."""
        self.stride = program.stride
        self._loops = loops_for(program.words)
        try:
            self._have_addresses()
        except OSError:
            self.certain = 2
            self._have_addresses()
        self._touched = 0
        self.bound_count, self.transitions = len(program.bounds), program.transitions
        self.step_words, self.bit_words = program.step_bit_words, program.state_bit_words
        self.bounds, self.taken = (np.zeros(n + 1, np.int64) for n in (self.bound_count, self.transitions))
        self.violated, self.bits = (np.zeros(n, np.int64) for n in (self.step_words, self.bit_words))
        self.seen = np.full(self.bit_words * WORD_BITS, -1, np.int64)
        self.pending = pending

    @property
    def bytes(self) -> int:
        """Memory in use: what no step was ever written to is not taken."""
        return self._touched * (8 * self.stride + 12)

    def _have_addresses(self) -> None:
        self.room = room = self.certain * self.most_rows
        self.rows = zeros(room * self.stride, np.int64, large_pages=False).reshape(room, self.stride)
        self.origins = zeros(room, np.uint32, large_pages=False)
        self.hashes = zeros(room, np.uint64, large_pages=False)

    def fill(self, model: Functions, states: Any, first: int, stop: int, enough: int = 0) -> None:
        """The steps of states from `first` on, up to `stop` or until there are `enough` rows, 0 for some."""
        self._forget()
        limit = min(self.room, max(enough or _ENOUGH, self.most_rows)) - self.most_rows
        self._loops.expand_states(model, states, first, stop, limit, self)
        self._touched = max(self._touched, self.ready)

    def descend(self, model: Functions, first: int, levels: int, room: int, store: Store, total: Statistics) -> None:
        """Expand and store whole levels from state `first` on; see `descend` in loops.c."""
        self._forget()
        self.next = first
        self._loops.descend(model, levels, self.certain, room, store, total, self)
        self._touched = max(self._touched, self.widest)

    def fill_all(self, model: Functions, states: Any, first: int, stop: int) -> None:
        """The steps of all states from `first` up to `stop`, at most `certain` many."""
        self.fill(model, states, first, stop, self.room)

    def fill_part(self, model: Functions, states: Any, first: int) -> None:
        """The steps of all of `states`, at most `certain` many, which are those from `first` on."""
        self.fill(model, states, 0, len(states), self.room)
        self.origins[: self.ready] += np.uint32(first)
        self.seen[self.seen >= 0] += first
        self.next += first

    def _forget(self) -> None:
        self.next = self.ready = self.sound = 0
        for counts in (self.bounds, self.taken, self.violated):
            counts[:] = 0
        self.seen[:] = -1

    def hold(self, words: tuple[int, ...], index: int) -> Batch:
        """One row: an initial state that will be its own parent if it is stored at `index`."""
        self._forget()
        self.rows[0, :] = 0
        self.rows[0, : len(words)] = words
        self.origins[0] = index
        self._loops.hash_rows(self.rows, 1, self.hashes)
        self.ready = self.sound = 1
        return self


@dataclass
class _Task:
    """A batch that is to be filled with the steps of states `first` up to `stop`."""

    batch: Batch
    first: int
    stop: int
    future: Future[None] | None = None


class Workers:
    """Fills batches of one level in several threads and gives them out in the order of their states."""

    def __init__(self, pool: ThreadPoolExecutor, spare: list[Batch], fill: Callable[[Batch, int, int], None]) -> None:
        self._pool, self._spare, self._fill = pool, spare, fill
        self._tasks: deque[_Task] = deque()

    def batches(self, first: int, end: int) -> Iterator[Batch]:
        """The batches of states `first` up to `end`; each may be used until the next is asked for."""
        while first < end or self._tasks:
            while self._spare and first < end:
                batch = self._spare.pop()
                task = _Task(batch, first, min(end, first + batch.certain))
                task.future = self._pool.submit(self._fill, batch, task.first, task.stop)
                self._tasks.append(task)
                first = task.stop
            batch = self._first()
            yield batch
            self._spare.append(batch)

    def _first(self) -> Batch:
        """The first batch, when it is filled; until then this thread fills others."""
        head = self._tasks.popleft()
        while head.future is not None and not head.future.done():
            if not self._help(head):
                wait([head.future])
        if head.future is not None:
            head.future.result()
        return head.batch

    def _help(self, head: _Task) -> bool:
        """Fill a batch that no thread has begun; was there one?"""
        for task in (head, *self._tasks):
            if task.future is not None and task.future.cancel():
                task.future = None
                self._fill(task.batch, task.first, task.stop)
                return True
        return False

    def rest(self) -> None:
        """Wait until no thread reads the states."""
        wait([task.future for task in self._tasks if task.future is not None])
