"""The hash table of states: which of them are known, exactly.

A slot is 0 where it is free. Of a state of one word it has the hash, which no other such state has. Of a longer one it
has the state's index and the high bits of its hash, so that most unequal states are told apart without reading them;
the comparison that decides is of whole states.

The highest bits of a hash choose its slot, so a slot's place in a larger table follows from the slot itself: a table
grows in one pass from left to right over the old and the new one, and no state is read.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from podproof.checker.compiled.jit import ROWS, WORDS, jit, part

INDEX_BITS = 32
MOST_STORED = (1 << INDEX_BITS) - 1
"""Indices are 32 bits wide."""
MOST_SLOTS = 1 << 31
"""A slot has so many of a hash's bits that its place in a table of this size is known."""
MOST_IN_MEMORY = MOST_SLOTS // 8 * 7
"""More would make a search of the table long."""

_i64, _u64 = types.int64, types.uint64
_SEED = np.uint64(0xA0761D6478BD642F)
"""Its highest bit is set, which no word has: so the hash of a state of one word is never 0."""
_MIX_1, _MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_HALF, _ONE, _EIGHT = np.uint64(32), np.uint64(1), np.uint64(8)
_TAG_SHIFT = np.uint64(INDEX_BITS + 1)
AHEAD = 64
"""How many rows before its turn a row's place in the table is asked for."""


def _generate_prefetch(_typing: Any, address: Any) -> Any:
    """Ask for a cache line before it is needed; changes nothing else."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        pointer, number = ir.IntType(8).as_pointer(), ir.IntType(32)
        kind = ir.FunctionType(ir.VoidType(), [pointer, number, number, number])
        name = "llvm.prefetch.p0"
        function = builder.module.globals.get(name) or ir.Function(builder.module, kind, name)
        read, keep_in_cache, data_cache = ir.Constant(number, 0), ir.Constant(number, 3), ir.Constant(number, 1)
        builder.call(function, [builder.inttoptr(arguments[0], pointer), read, keep_in_cache, data_cache])
        return context.get_dummy_value()

    return types.void(types.uintp), generate


_prefetch: Any = intrinsic(_generate_prefetch)


def _generate_word(_typing: Any, address: Any) -> Any:
    """The word at an address: an array handed to a function costs more than a row takes."""

    def generate(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.load(builder.inttoptr(arguments[0], ir.IntType(64).as_pointer()))

    return types.int64(types.uintp), generate


word_at: Any = intrinsic(_generate_word)


@part
def at_row(rows: Any, row: int) -> Any:
    """The address of a row."""
    return rows.ctypes.data + np.uint64(row * rows.shape[1] * 8)


@part
def hash_at(address: Any, words: int) -> Any:
    """The hash of the state at an address. One word and its hash determine each other: every step can be undone."""
    out = _SEED
    for word in range(words):
        out = (out ^ np.uint64(word_at(address + _EIGHT * np.uint64(word)))) * _MIX_1
        out ^= out >> _HALF
    out *= _MIX_2
    return out ^ (out >> _HALF)


@jit(_u64(ROWS, _i64, _i64))
def hash_row(rows: Any, row: int, words: int) -> Any:
    """The hash of one row."""
    return hash_at(at_row(rows, row), words)


@part
def _same(a: Any, b: Any, words: int) -> Any:
    """Are the states at two addresses equal?"""
    for word in range(words):
        if word_at(a + _EIGHT * np.uint64(word)) != word_at(b + _EIGHT * np.uint64(word)):
            return False
    return True


@part
def shift_of(slots: Any) -> Any:
    """How far right a hash is to be shifted to give its place in this table."""
    shift, size = 64, slots.shape[0]
    while size > 1:
        shift -= 1
        size >>= 1
    return np.uint64(shift)


@part
def entry(value: Any, index: int, words: int) -> Any:
    """What a slot says of the state with this hash and index."""
    if words == 1:
        return np.int64(value)
    return ~((np.int64(value >> _TAG_SHIFT) << INDEX_BITS) | index)


@part
def ask_for(slots_at: Any, shift: Any, value: Any) -> None:
    """Have a hash's place in the table brought into the cache."""
    _prefetch(slots_at + _EIGHT * (value >> shift))


@part
def find(states_at: Any, slots_at: Any, shift: Any, mask: Any, row_at: Any, words: int, value: Any) -> Any:
    """The free slot where the state at an address belongs, or -1 if an equal state is stored."""
    at = value >> shift
    slot = word_at(slots_at + _EIGHT * at)
    if words == 1:
        while slot != 0:
            if slot == np.int64(value):
                return np.int64(-1)
            at = (at + _ONE) & mask
            slot = word_at(slots_at + _EIGHT * at)
        return np.int64(at)
    tag = ~np.int64(value >> _TAG_SHIFT)
    while slot != 0:
        if slot >> INDEX_BITS == tag:
            if _same(states_at + np.uint64(8 * words * (~slot & MOST_STORED)), row_at, words):
                return np.int64(-1)
        at = (at + _ONE) & mask
        slot = word_at(slots_at + _EIGHT * at)
    return np.int64(at)


@jit(_i64(ROWS, WORDS, ROWS, _i64, _u64))
def slot_for(states: Any, slots: Any, rows: Any, row: int, value: Any) -> Any:
    """The free slot where a row's state belongs, or -1 if an equal state is stored."""
    addresses = (states.ctypes.data, slots.ctypes.data, shift_of(slots), np.uint64(slots.shape[0] - 1))
    return find(*addresses, at_row(rows, row), states.shape[1], value)


@jit(_i64(_u64, _i64, _i64))
def entry_of(value: Any, index: int, words: int) -> Any:
    """As `entry`, for a row at a time."""
    return entry(value, index, words)


@jit(types.void(ROWS, _i64, WORDS))
def enter(states: Any, count: int, slots: Any) -> None:
    """Fill an empty table with the first `count` states, which are all different."""
    words, mask, shift = states.shape[1], np.uint64(slots.shape[0] - 1), shift_of(slots)
    states_at, slots_at, row_bytes = states.ctypes.data, slots.ctypes.data, 8 * words
    for index in range(count):
        if index + AHEAD < count:
            ask_for(slots_at, shift, hash_at(states_at + np.uint64(row_bytes * (index + AHEAD)), words))
        value = hash_at(states_at + np.uint64(row_bytes * index), words)
        at = value >> shift
        while slots[at] != 0:
            at = (at + _ONE) & mask
        slots[at] = entry(value, index, words)


@jit(types.void(WORDS, _i64, _i64, WORDS, _i64))
def move(old: Any, first: int, end: int, slots: Any, words: int) -> None:
    """Enter what a part of a table has into a larger one, too."""
    mask, shift = np.uint64(slots.shape[0] - 1), shift_of(slots)
    for place in range(first, end):
        slot = old[place]
        if slot == 0:
            continue
        at = np.uint64(slot) >> shift if words == 1 else np.uint64(~slot >> INDEX_BITS) >> (shift - _TAG_SHIFT)
        while slots[at] != 0:
            at = (at + _ONE) & mask
        slots[at] = slot


@jit(types.void(ROWS, _i64, WORDS))
def forget(rows: Any, count: int, slots: Any) -> None:
    """Empty the slots of the first `count` rows, when there are no others in the table.

    From a row's first choice up to the next empty slot all is emptied. So to the right of an emptied slot, up to a slot
    that was always empty, all are empty; a row's own slot is then never missed.
    """
    words, mask, shift = rows.shape[1], np.uint64(slots.shape[0] - 1), shift_of(slots)
    for row in range(count):
        at = hash_at(at_row(rows, row), words) >> shift
        while slots[at] != 0:
            slots[at] = 0
            at = (at + _ONE) & mask
