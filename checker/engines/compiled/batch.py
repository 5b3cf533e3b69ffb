"""What a search has counted, and the batches of steps on their way into its store."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from functools import partial
from typing import Any

import numpy as np

from podproof.checker.engines.compiled.codegen import Program
from podproof.checker.engines.compiled.layout import WORD_BITS
from podproof.checker.engines.compiled.machine import BatchArrays, Functions, StatisticsArrays, loops_for
from podproof.checker.engines.compiled.store import Store, zeros
from podproof.checker.engines.compiled.transition import TRANSITION_MASK

_ARRAYS = ("taken", "fresh", "bounds", "pending_states", "found_states", "pending_steps", "found_steps")


class Statistics(StatisticsArrays):
    """Counters, int64, and for each claim whether it is pending and what decided it.

    `count` states are stored, at most `most` may be, and `steps` were seen; `taken` and `fresh` have one count a
    transition, `bounds` one a bound. `pending_*` have a bit for each claim, `found_states` the index of a state,
    `found_steps` that and the step's tag.
    """

    def __init__(self, program: Program) -> None:
        super().__init__()
        self._program = program
        self.taken, self.fresh = (np.zeros(program.transitions + 1, np.int64) for _ in range(2))
        self.bounds = np.zeros(len(program.bounds) + 1, np.int64)
        self.pending_states, self.pending_steps = map(_all_bits, (program.state_claims, program.step_claims))
        self.found_states = np.full(program.state_bit_words * WORD_BITS, -1, np.int64)
        self.found_steps = np.full((program.step_bit_words * WORD_BITS, 2), -1, np.int64)

    def copy(self) -> dict[str, Any]:
        """All arrays by name, as they are now, and the three numbers as one of them."""
        arrays = {name: getattr(self, name).copy() for name in _ARRAYS}
        return {"control": np.array([self.count, self.most, self.steps]), **arrays}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Take over what `copy` gave, except for how many states may be stored."""
        for name in _ARRAYS:
            ours = getattr(self, name)
            ours[...] = arrays[name].reshape(ours.shape)
        self.count, _, self.steps = arrays["control"].tolist()

    def add(self, batch: BatchArrays, steps: int) -> None:
        """Take over what was noted about the states and the first so many steps of a batch."""
        words = self._program.words
        if steps == batch.ready:
            self.taken += batch.taken
        else:
            transitions = batch.rows[:steps, words] & TRANSITION_MASK
            self.taken += np.bincount(transitions, minlength=len(self.taken))
        self.steps += steps
        self.bounds += batch.bounds
        if (batch.violated & self.pending_steps).any():
            loops_for(words).judge(batch, steps, self.pending_steps, self.found_steps)
        self.decide(batch.seen)

    def examine(self, model: Functions, first: int, states: Any, batch: BatchArrays) -> None:
        """Judge states, the first of which has index `first`; their steps are not wanted."""
        batch.seen[:] = -1
        loops_for(self._program.words).examine_states(model, states, len(states), first, batch)
        self.decide(batch.seen)

    def decide(self, seen: Any) -> None:
        """Take over the states that decide claims, unless earlier ones did."""
        for bit in np.flatnonzero(seen >= 0).tolist():
            word, mask = bit // WORD_BITS, 1 << bit % WORD_BITS
            if self.pending_states[word] & mask:
                # In this order, so that Ctrl-C between the two loses nothing.
                self.found_states[bit] = seen[bit]
                self.pending_states[word] &= ~mask


def _all_bits(claims: Sequence[int]) -> Any:
    """A set bit for every claim."""
    left = range(len(claims), 0, -WORD_BITS)
    return np.array([(1 << min(n, WORD_BITS)) - 1 for n in left], np.int64)


# -- batches, and the threads that fill them ---------------------------------------------------------------------------


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
                fill = partial(self._fill, batch, first, stop)
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
