"""The states of a search: in arrays that grow without being copied, beside a table of what these hold."""

from __future__ import annotations

import mmap
from typing import Any

import numpy as np

from podproof.checker.arrays import AnyArray
from podproof.checker.engines import available_memory
from podproof.checker.engines.compiled.machine import StoreArrays, loops_for, zeros

MOST_SLOTS = 1 << 31
"""A slot has so many bits of a hash, which choose its place."""
MOST_STORED = MOST_SLOTS // 8 * 7
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
        """The number of states that fit without growing."""
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


def _give_back(array: AnyArray, first: int, end: int) -> None:
    """Let go of the memory of a part of an array of `zeros` that nobody needs any more."""
    if hasattr(mmap, "MADV_DONTNEED"):
        size, page = array.itemsize, mmap.PAGESIZE
        start, stop = -(-first * size // page) * page, end * size // page * page
        if start < stop:
            memory: Any = array.base
            memory.obj.madvise(mmap.MADV_DONTNEED, start, stop - start)
