"""The hash table of states: which of them are known, exactly.

A slot is 0 where it is free. Of a state of one word it has the hash, which no other such state has. Of a longer one it
has the state's index and the high bits of its hash, so that most unequal states are told apart without reading them;
the comparison that decides is of whole states.

The highest bits of a hash choose its slot, in a table of any size, so a slot's place in a larger table follows from the
slot itself: a table grows in one pass from left to right over the old and the new one, and no state is read.
"""

from __future__ import annotations

import numpy as np

from podproof.checker.engines.compiled.jit import I64, U64, Hashes, Rows, Words, loop, part
from podproof.checker.engines.compiled.routine import prefetch

INDEX_BITS = 32
MOST_STORED = (1 << INDEX_BITS) - 1
"""Indices are 32 bits wide."""
_PLACE_BITS = 64 - INDEX_BITS - 1
"""So many of a hash's highest bits are in a slot and choose its place."""
_TAG_SHIFT = 64 - _PLACE_BITS
MOST_SLOTS = 1 << _PLACE_BITS
MOST_IN_MEMORY = MOST_SLOTS // 8 * 7
"""More would make a search of the table long."""

_SEED = np.uint64(0xA0761D6478BD642F)
"""Its highest bit is set, which no word has: so the hash of a state of one word is never 0."""
_MIX_1, _MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
AHEAD = 64
"""How many rows before its turn a row's place in the table is asked for."""


@part
def hash_of(rows: Rows, row: I64, words: I64) -> U64:
    """The hash of a state. One word and its hash determine each other: every step can be undone."""
    out = _SEED
    for word in range(words):
        out = (out ^ np.uint64(rows[row, word])) * _MIX_1
        out ^= out >> 32
    out *= _MIX_2
    return out ^ (out >> 32)


@loop
def hash_row(rows: Rows, row: I64, words: I64) -> U64:
    """The hash of one row."""
    return hash_of(rows, row, words)


@loop
def hash_rows(rows: Rows, hashes: Hashes) -> None:
    """The hash of every row, as many as `hashes` has room for."""
    for row in range(hashes.shape[0]):
        hashes[row] = hash_of(rows, row, rows.shape[1])


@part
def _same(a: Rows, i: I64, b: Rows, j: I64, words: I64) -> bool:
    """Are two states equal?"""
    for word in range(words):
        if a[i, word] != b[j, word]:
            return False
    return True


@part
def _place(tag: I64, size: I64) -> I64:
    """Where in a table of this size to begin, for the highest bits of a hash."""
    return (tag * size) >> _PLACE_BITS


@part
def _place_of(value: U64, size: I64) -> I64:
    return _place(np.int64(value >> _TAG_SHIFT), size)


@part
def _next(at: I64, size: I64) -> I64:
    at += 1
    return at if at < size else 0


@part
def entry(value: U64, index: I64, words: I64) -> I64:
    """What a slot says of the state with this hash and index."""
    if words == 1:
        return np.int64(value)
    return ~((np.int64(value >> _TAG_SHIFT) << INDEX_BITS) | index)


@part
def ask_for(slots: Words, value: U64) -> None:
    """Have a hash's place in the table brought into the cache."""
    prefetch(slots, _place_of(value, slots.shape[0]))


@part
def find(states: Rows, slots: Words, rows: Rows, row: I64, value: U64) -> I64:
    """The free slot where a row's state belongs, or -1 if an equal state is stored."""
    words, size = states.shape[1], slots.shape[0]
    at = _place_of(value, size)
    slot = slots[at]
    if words == 1:
        whole = np.int64(value)
        while slot != 0:
            if slot == whole:
                return -1
            at = _next(at, size)
            slot = slots[at]
        return at
    tag = ~np.int64(value >> _TAG_SHIFT)
    while slot != 0:
        if slot >> INDEX_BITS == tag and _same(states, ~slot & MOST_STORED, rows, row, words):
            return -1
        at = _next(at, size)
        slot = slots[at]
    return at


@loop
def slot_for(states: Rows, slots: Words, rows: Rows, row: I64, value: U64) -> I64:
    """The free slot where a row's state belongs, or -1 if an equal state is stored."""
    return find(states, slots, rows, row, value)


@loop
def entry_of(value: U64, index: I64, words: I64) -> I64:
    """As `entry`, for a row at a time."""
    return entry(value, index, words)


@loop
def enter(states: Rows, count: I64, slots: Words) -> None:
    """Fill an empty table with the first `count` states, which are all different."""
    words, size = states.shape[1], slots.shape[0]
    for index in range(count):
        if index + AHEAD < count:
            ask_for(slots, hash_of(states, index + AHEAD, words))
        value = hash_of(states, index, words)
        at = _place_of(value, size)
        while slots[at] != 0:
            at = _next(at, size)
        slots[at] = entry(value, index, words)


@loop
def move(old: Words, first: I64, end: I64, slots: Words, words: I64) -> None:
    """Enter what a part of a table has into a larger one, too."""
    size = slots.shape[0]
    for place in range(first, end):
        slot = old[place]
        if slot != 0:
            if words == 1:
                at = _place_of(np.uint64(slot), size)
            else:
                at = _place(~slot >> INDEX_BITS, size)
            while slots[at] != 0:
                at = _next(at, size)
            slots[at] = slot


@loop
def forget(rows: Rows, count: I64, slots: Words) -> None:
    """Empty the slots of the first `count` rows, when there are no others in the table.

    From a row's first choice up to the next empty slot all is emptied. So to the right of an emptied slot, up to a slot
    that was always empty, all are empty; a row's own slot is then never missed.
    """
    words, size = rows.shape[1], slots.shape[0]
    for row in range(count):
        at = _place_of(hash_of(rows, row, words), size)
        while slots[at] != 0:
            slots[at] = 0
            at = _next(at, size)
