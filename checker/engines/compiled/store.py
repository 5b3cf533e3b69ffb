"""The states of a search, in memory or on disk.

In memory they are in arrays that grow without being copied, beside a table of what these hold.
"""

from __future__ import annotations

import mmap
import tempfile
import threading
from pathlib import Path
from typing import Any

import numpy as np

from podproof.checker.core.system import CheckerError
from podproof.checker.engines import available_memory
from podproof.checker.engines.compiled.machine import Batch, Statistics, StoreArrays, loops_for, zeros

MOST_STORED = (1 << 32) - 1
"""Indices are 32 bits wide."""
MOST_SLOTS = 1 << 31
"""A slot has so many bits of a hash, which choose its place."""
MOST_IN_MEMORY = MOST_SLOTS // 8 * 7
"""More would make a search of the table long."""
_FIRST_ROOM = 1 << 17
_LOAD = (4, 7)
"""No more than this part of a table is filled: so that searches in it stay short."""
_PARTS = 16
"""A table is moved to a larger one in so many parts; what is moved gives its memory back."""
_UNKNOWN_MEMORY = 1 << 32


class Store(StoreArrays):
    """`states` is int64 of shape (addresses, words), `parents`, uint32, has for each the state it was reached from.

    There are addresses for as many states as could ever fit, and memory only where something was written; `room` is how
    many have been allowed for. Who reads an array may go on doing so while the store grows.
    """

    def __init__(self, words: int) -> None:
        super().__init__()
        self._row_bytes = 8 * words + 4
        self.room = _FIRST_ROOM
        self.states, self.parents = np.empty((0, words), np.int64), np.empty(0, np.uint32)
        self._have_addresses(self.room, 0)
        self._have_table(2 * _FIRST_ROOM)

    def _have_table(self, size: int) -> None:
        self.slots, self.size = zeros(size, np.int64), size

    @property
    def free_up_to(self) -> int:
        """So many states find room without growing."""
        filled, of = _LOAD
        return min(self.room, self.size * filled // of)

    def bytes(self, count: int) -> int:
        """Memory in use with so many states stored."""
        return count * self._row_bytes + int(self.slots.nbytes)

    def capacity(self, count: int, more: int) -> tuple[int, int]:
        """How much room and how many slots there should be for so many more states than the `count` stored."""
        room, slots = self.room, self.size
        if count + more > room:
            room = max(room + room // 4, count + 2 * more)
        filled, of = _LOAD
        while of * (count + more) > filled * slots and slots < MOST_SLOTS:
            slots *= 2
        return room, slots

    def cost(self, capacity: tuple[int, int], count: int) -> int:
        """Bytes of memory that all of this room takes besides those in use with `count` states stored; 0 to stay."""
        room, slots = capacity
        if capacity == (self.room, self.size):
            return 0
        return self._row_bytes * (room - count) + 8 * (slots - self.size)

    def grow(self, capacity: tuple[int, int], count: int) -> None:
        """Make the room. Raises OSError where the system does not have so many addresses; nothing is lost then."""
        room, slots = capacity
        self._have_addresses(room, count)
        self.room = room
        if slots != self.size:
            self._enlarge_table(slots)

    def _enlarge_table(self, slots: int) -> None:
        old, move = self.slots, loops_for(self.states.shape[1]).move
        self._have_table(slots)
        part = max(1, len(old) // _PARTS)
        for first in range(0, len(old), part):
            end = min(first + part, len(old))
            move(old, first, end, self.slots, slots)
            _give_back(old, first, end)

    def enter(self, count: int) -> None:
        """Make the table of the first `count` states, which came from elsewhere."""
        loops_for(self.states.shape[1]).enter(self.states, count, self.slots, self.size)

    def _have_addresses(self, room: int, count: int) -> None:
        if len(self.states) >= room:
            return
        words = self.states.shape[1]
        try:
            rows = max(room, (available_memory() or _UNKNOWN_MEMORY) // self._row_bytes)
            states, parents = zeros(rows * words, np.int64), zeros(rows, np.uint32)
        except OSError:  # Addresses are limited here; then there are some for the next while, and states are copied.
            rows = 2 * room
            states, parents = zeros(rows * words, np.int64), zeros(rows, np.uint32)
        states = states.reshape(rows, words)
        states[:count], parents[:count] = self.states[:count], self.parents[:count]
        self.states, self.parents = states, parents


def _give_back(array: Any, first: int, end: int) -> None:
    """Let go of the memory of a part of an array of `zeros` that nobody needs any more."""
    if hasattr(mmap, "MADV_DONTNEED"):
        size, page = array.itemsize, mmap.PAGESIZE
        start, stop = -(-first * size // page) * page, end * size // page * page
        if start < stop:
            array.base.obj.madvise(mmap.MADV_DONTNEED, start, stop - start)


# -- states on disk, the same in the same order ------------------------------------------------------------------------
#
# Steps of a level are collected in a table in memory. When it is full, and at the end of each level, its states are
# sorted and walked along sorted runs of all states known so far; what is in none of them is new. New states are
# appended to a file in the order in which they were found, their parents to another, and they become a run of their
# own. Runs of like size are merged, so there are few. Files are read and written in blocks: pages of a mapped file
# would count as memory of this process.


_BLOCK = 1 << 14
"""States of a run that are read at a time; blocks in which no candidate can lie are passed over."""
_CHUNK = 1 << 22
"""Bytes of states that are written at a time; up to six such buffers are in use together."""
_LEAST_SLOTS = 1 << 17


class _Column:
    """A file of rows of one shape. It has no name, so it goes when the process ends, however that comes about."""

    def __init__(self, folder: Path, kind: type[Any], width: int | None = None) -> None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._file: Any = tempfile.TemporaryFile(dir=folder, buffering=0)  # noqa: SIM115 - closed by `close`.
        except OSError as error:
            raise CheckerError(f"--out-of-core {folder}: {error.strerror}; give a folder to write to") from error
        self._shape = () if width is None else (width,)
        self._kind = np.dtype(kind)
        self._row = self._kind.itemsize * (width or 1)
        self._lock = threading.Lock()
        self.rows = 0

    def append(self, rows: Any) -> None:
        if not len(rows):
            return
        content = np.ascontiguousarray(rows, self._kind).data.cast("B")
        with self._lock:
            self._file.seek(self.rows * self._row)
            while content:
                content = content[self._file.write(content) :]
        self.rows += len(rows)

    def read(self, first: int, out: Any) -> None:
        """Fill `out` with rows from `first` on."""
        if not len(out):
            return
        content = out.data.cast("B")
        with self._lock:
            self._file.seek(first * self._row)
            while content:
                got = self._file.readinto(content)
                if not got:
                    raise OSError("a file of states ends too early")
                content = content[got:]

    def some(self, first: int, end: int) -> Any:
        out = np.empty((end - first, *self._shape), self._kind)
        self.read(first, out)
        return out

    def map(self) -> Any:
        """All rows, read only where they are looked at."""
        return np.memmap(self._file, self._kind, "r", shape=(self.rows, *self._shape))

    def close(self) -> None:
        self._file.close()


class _SortedRun:
    """A file of states in the order of their hashes, and the hash of the first state of each block."""

    def __init__(self, folder: Path, words: int) -> None:
        self.column, self._loops = _Column(folder, np.int64, words), loops_for(words)
        self._fences: list[Any] = []

    def __len__(self) -> int:
        return self.column.rows

    def append(self, rows: Any) -> None:
        skip = -len(self) % _BLOCK
        heads = np.ascontiguousarray(rows[skip::_BLOCK])
        fences = np.empty(len(heads), np.uint64)
        self._loops.hash_rows(heads, len(heads), fences)
        self._fences.append(fences)
        self.column.append(rows)

    def mark(self, rows: Any, order: Any, hashes: Any, known: Any) -> None:
        """Flag the rows that are in this run; `order` and `hashes` as for `mark_known`."""
        fences = np.concatenate([*self._fences, np.zeros(0, np.uint64)])
        begin = np.searchsorted(hashes, fences, "left")
        # States that share a hash may lie on both sides of a fence.
        end = np.append(np.searchsorted(hashes, fences[1:], "right"), len(hashes))
        block = np.empty((_BLOCK, rows.shape[1]), np.int64)
        for number in np.flatnonzero(begin < end).tolist():
            first = number * _BLOCK
            length = min(_BLOCK, len(self) - first)
            self.column.read(first, block[:length])
            self._loops.mark_known(block, length, rows, order, hashes, len(order), int(begin[number]), known)


class DiskStore:
    """All states of a search and their parents on disk, and the candidates of the level at hand in memory."""

    def __init__(self, folder: Path, words: int) -> None:
        self.folder, self.words, self._loops = folder, words, loops_for(words)
        self._chunk = max(1, _CHUNK // (8 * words))
        self._states, self._parents = _Column(folder, np.int64, words), _Column(folder, np.uint32)
        self._runs: list[_SortedRun] = []
        self._count, self._candidates = 0, StoreArrays()
        self.make_table(0, 0)

    def make_table(self, room: int, batch_rows: int) -> None:
        """Room for candidates in so many bytes of memory; what is needed to work at all is taken in any case."""
        # Besides itself and its slots a candidate needs its place in the order and a flag while it is sorted.
        size, row = _LEAST_SLOTS, 8 * self.words + 17
        while size < 4 * batch_rows or (16 * size + size * row <= room and size < MOST_SLOTS):
            size *= 2
        most, candidates = size // 2, self._candidates
        candidates.slots, candidates.size = np.zeros(size, np.int64), size
        candidates.states = np.empty((most, self.words), np.int64)
        candidates.parents, self._transitions = np.empty(most, np.uint32), np.empty(most, np.uint32)

    @property
    def bytes(self) -> int:
        """Memory in use, with what sorting takes."""
        arrays = (self._candidates.states, self._candidates.parents, self._transitions, self._candidates.slots)
        return sum(int(array.nbytes) for array in arrays) + 9 * len(self._transitions)

    def adopt(self, states: Any, parents: Any) -> None:
        """Take over states that are known to be new and come next in order."""
        for first in range(0, len(states), self._chunk):
            some = np.ascontiguousarray(states[first : first + self._chunk], np.int64)
            self._states.append(some)
            self._parents.append(parents[first : first + self._chunk])
            hashes = np.empty(len(some), np.uint64)
            self._loops.hash_rows(some, len(some), hashes)
            order = np.argsort(hashes)
            self._loops.order_equal_hashes(some, order, hashes[order], len(some))
            self._add_run(some, order, np.zeros(len(some), np.uint8))

    def states(self, first: int, end: int) -> Any:
        return self._states.some(first, end)

    def parents(self, first: int, end: int) -> Any:
        return self._parents.some(first, end)

    def maps(self) -> tuple[Any, Any]:
        """All states and all parents, as arrays that stay on disk."""
        return self._states.map(), self._parents.map()

    @property
    def is_settled(self) -> bool:
        """Are there no candidates?"""
        return not self._count

    def has_room(self, room: int) -> bool:
        return self._count + room <= len(self._transitions)

    def collect(self, batch: Batch) -> int:
        """Keep the states that the sound steps of a batch lead to, until `settle`. Gives how many steps these are."""
        self._count = self._loops.collect(self._candidates, self._count, self._transitions, batch, batch.sound)
        return int(batch.sound)

    def settle(self, total: Statistics) -> tuple[int, Any] | None:
        """Store the candidates that are new, up to the most that may be stored.

        Gives the first for which there was no room, as the state that it was reached from and its own words.
        """
        count, candidates, over = self._count, self._candidates, None
        if not count:
            return None
        order, known = self._sort_and_mark(count)
        for first in range(0, count, self._chunk):
            new = first + np.flatnonzero(known[first : min(count, first + self._chunk)] == 0)
            left = max(total.most - total.count, 0)
            if len(new) > left:
                over = int(candidates.parents[new[left]]), candidates.states[new[left]].copy()
                new = new[:left]
            self._states.append(candidates.states[new])
            self._parents.append(candidates.parents[new])
            total.fresh += np.bincount(self._transitions[new], minlength=len(total.fresh))
            total.count += len(new)
            if over is not None:
                break
        self._add_run(candidates.states, order, known)
        self._count = 0
        if not self._are_few(count):
            candidates.slots.fill(0)
        else:
            self._loops.forget(candidates.states, count, candidates.slots, candidates.size)
        return over

    def _are_few(self, count: int) -> bool:
        """Are so many candidates sorted and forgotten one by one, so that a small level costs little?"""
        return bool(16 * count < self._candidates.size)

    def _sort_and_mark(self, count: int) -> tuple[Any, Any]:
        """The candidates' order, and flags for those that are stored already. Many use the slots as scratch memory."""
        scratch = np.empty(2 * count, np.int64) if self._are_few(count) else self._candidates.slots
        hashes, ordered = (scratch[i * count : (i + 1) * count].view(np.uint64) for i in range(2))
        rows = self._candidates.states[:count]
        self._loops.hash_rows(rows, count, hashes)
        order = np.argsort(hashes)
        np.take(hashes, order, out=ordered, mode="clip")  # Any other mode copies.
        self._loops.order_equal_hashes(rows, order, ordered, count)
        known = np.zeros(count, np.uint8)
        for run in self._runs:
            run.mark(rows, order, ordered, known)
        return order, known

    def _add_run(self, rows: Any, order: Any, known: Any) -> None:
        """Make a run of the rows that are not flagged, and merge it with those that are not much longer."""
        run = _SortedRun(self.folder, self.words)
        for first in range(0, len(order), self._chunk):
            some = order[first : first + self._chunk]
            run.append(rows[some[known[some] == 0]])
        if not len(run):
            return
        self._runs.append(run)
        while len(self._runs) > 1 and len(self._runs[-2]) < 2 * len(self._runs[-1]):
            b, a = self._runs.pop(), self._runs.pop()
            self._runs.append(self._merge(a, b))

    def _merge(self, a: _SortedRun, b: _SortedRun) -> _SortedRun:
        """One run of two; they have no state in common."""
        run = _SortedRun(self.folder, self.words)
        left, right = sides = (_RunCursor(a, self._chunk, self.words), _RunCursor(b, self._chunk, self.words))
        out = np.empty((self._chunk, self.words), np.int64)
        while left.refill() and right.refill():
            places = np.array([left.at, right.at])
            made = self._loops.merge_blocks(left.block, left.end, right.block, right.end, out, len(out), places)
            left.at, right.at = places.tolist()
            run.append(out[:made])
        for side in sides:
            while side.refill():
                run.append(side.block[side.at : side.end])
                side.at = side.end
            side.run.column.close()
        return run


class _RunCursor:
    """A run while it is merged: the block at hand and how much of it is used."""

    def __init__(self, run: _SortedRun, chunk: int, words: int) -> None:
        self.run, self.block = run, np.empty((chunk, words), np.int64)
        self.at, self.end, self._read = 0, 0, 0

    def refill(self) -> bool:
        """Have at least one row at hand; False at the end of the run."""
        if self.at == self.end:
            self.at, self.end = 0, min(len(self.block), len(self.run) - self._read)
            self.run.column.read(self._read, self.block[: self.end])
            self._read += self.end
        return self.at < self.end
