"""Steps on their way into the store, and the threads that compute them ahead of their turn."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from typing import Any

import numpy as np

from podproof.checker.compiled import driver
from podproof.checker.compiled.codegen import Program

_ROOM = 1 << 15
"""Rows of a batch. Few of them are touched: states have far fewer steps than they could have."""
_ENOUGH = 1 << 12
"""Rows after which a thread that works alone stops to store them, while they are still in its cache."""


class Batch:
    """The rows of neighbouring states, with the state and the hash of each."""

    def __init__(self, program: Program) -> None:
        self.most_rows = max(1, program.most_rows)
        room = max(_ROOM, 2 * self.most_rows)
        self.rows = np.empty((room, program.stride), np.int64)
        self.origins, self.hashes = np.empty(room, np.uint32), np.empty(room, np.uint64)
        self.bounds = np.zeros(len(program.bounds) + 1, np.int64)
        self.next, self.ready = 0, 0

    @property
    def bytes(self) -> int:
        return self.rows.nbytes + self.origins.nbytes + self.hashes.nbytes

    @property
    def certain(self) -> int:
        """So many states fit in, whatever steps they have."""
        return len(self.rows) // self.most_rows

    def fill(self, expand: driver.GeneratedFunction, states: Any, first: int, stop: int, enough: int = _ENOUGH) -> None:
        """The steps of states from `first` on, up to `stop` or until there are `enough` rows.

        `next` becomes the state to go on with; `bounds` counts the steps that were cut off.
        """
        self.bounds[:] = 0
        limit = min(len(self.rows), max(enough, self.most_rows)) - self.most_rows
        arrays = (states, self.rows, self.origins, self.hashes, self.bounds)
        self.next, self.ready = driver.expand_states(expand, first, stop, limit, *arrays)

    def fill_all(self, expand: driver.GeneratedFunction, states: Any, first: int, stop: int) -> None:
        """The steps of all states from `first` up to `stop`, at most `certain` many."""
        self.fill(expand, states, first, stop, len(self.rows))

    def fill_part(self, expand: driver.GeneratedFunction, states: Any, first: int) -> None:
        """The steps of all of `states`, at most `certain` many, which are those from `first` on."""
        self.fill(expand, states, 0, len(states), len(self.rows))
        self.origins[: self.ready] += np.uint32(first)
        self.next += first

    def hold(self, words: tuple[int, ...], index: int) -> Batch:
        """One row: an initial state that will be its own parent if it is stored at `index`."""
        self.rows[0, :] = 0
        self.rows[0, : len(words)] = words
        self.origins[0] = index
        self.hashes[0] = driver.hash_row(self.rows, 0, len(words))
        self.next, self.ready = 0, 1
        return self


@dataclass
class _Task:
    """A batch that is to be filled with the steps of states `first` up to `stop`."""

    batch: Batch
    first: int
    stop: int
    future: Future[None] | None = None


class Crew:
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
