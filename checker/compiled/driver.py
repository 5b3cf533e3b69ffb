"""The search loop, compiled once for all models: it is handed the generated functions as values.

States, parents and the hash table are plain arrays that the caller grows between calls. A slot of the table is -1, or a
state's index with some bits of its hash above it, so that most unequal states are told apart without reading them; the
comparison that decides is always of whole states.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from llvmlite import ir
from numba import njit, types
from numba.core.types.function_type import WrapperAddressProtocol
from numba.extending import intrinsic

from podproof.checker.compiled.layout import WORD_BITS
from podproof.checker.compiled.transition import TRANSITION_MASK

COUNT, MOST_STATES, TRANSITIONS, FAULT_STATE, FAULT_TAG = range(5)
"""Places in `control`: how many states are stored and may be, how many steps were seen, where the model went wrong."""
CONTROL_SIZE = 5
DONE, FULL, FAULT = range(3)
"""Why `insert` came back: no rows are left, MOST_STATES are stored, the model went wrong."""

INDEX_BITS = 32
MOST_STORED = (1 << INDEX_BITS) - 1
"""Indices are 32 bits wide."""

_i64, _u64 = types.int64, types.uint64
_words, _rows = types.Array(_i64, 1, "C"), types.Array(_i64, 2, "C")
_indices, _hashes = types.Array(types.uint32, 1, "C"), types.Array(_u64, 1, "C")
EXPAND = _i64(types.uintp, types.uintp, types.uintp)
EXAMINE = _i64(types.uintp, types.uintp)
_expand, _examine = types.FunctionType(EXPAND), types.FunctionType(EXAMINE)
_any: Any = types
_pair = _any.UniTuple(_i64, 2)
_store = (_rows, _indices, _words)
_batch = (_rows, _indices, _hashes)
_counts = (_words, _words)
_state_claims, _step_claims = (_words, _words, _words), (_words, _rows)

_MIX_1, _MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_HALF, _ONE, _EIGHT = np.uint64(32), np.uint64(1), np.uint64(8)
TAG_SHIFT = np.uint64(INDEX_BITS + 1)


_AHEAD = 64
"""How many rows before its turn a row's place in the table is asked for."""


def all_pending(claims: int) -> Any:
    """A set bit for every claim that is not decided yet."""
    left = range(claims, 0, -WORD_BITS)
    return np.array([(1 << min(n, WORD_BITS)) - 1 for n in left], np.int64)


def none_found(words: int) -> Any:
    return np.full(words * WORD_BITS, -1, np.int64)


class GeneratedFunction(WrapperAddressProtocol):
    """A function of the generated module, as Numba takes it for an argument."""

    def __init__(self, address: int, signature: Any) -> None:
        self._address, self._signature = address, signature

    def __wrapper_address__(self) -> int:
        return self._address

    def signature(self) -> Any:
        return self._signature


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


_word: Any = intrinsic(_generate_word)


def part(function: Callable[..., Any]) -> Any:
    """A piece of a loop, put in place where it is called: a call for each row costs more than what it does."""
    return njit(nogil=True, forceinline=True)(function)


def jit(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile with an explicit signature, kept on disk where there is a place for it."""

    def decorate(function: Callable[..., Any]) -> Any:
        try:
            return njit(signature, nogil=True, cache=True)(function)
        except RuntimeError:  # No folder that Numba could write to: compiling anew only costs time.
            return njit(signature, nogil=True)(function)

    return decorate


@part
def _hash_at(address: Any, words: int) -> Any:
    """The hash of a state: its high bits tag the slot, its low bits choose it."""
    out = np.uint64(0)
    for word in range(words):
        out = (out ^ np.uint64(_word(address + np.uint64(8 * word)))) * _MIX_1
        out ^= out >> _HALF
    out *= _MIX_2
    return out ^ (out >> _HALF)


@part
def _same(a: Any, b: Any, words: int) -> Any:
    """Are the states at two addresses equal?"""
    for word in range(words):
        if _word(a + np.uint64(8 * word)) != _word(b + np.uint64(8 * word)):
            return False
    return True


@part
def _at(rows: Any, row: int) -> Any:
    """The address of a row."""
    return rows.ctypes.data + np.uint64(row * rows.shape[1] * 8)


@jit(_u64(_rows, _i64, _i64))
def hash_row(rows: Any, row: int, words: int) -> Any:
    """The hash of one row."""
    return _hash_at(_at(rows, row), words)


@jit(types.void(_rows, _i64, _words))
def rehash(states: Any, count: int, slots: Any) -> None:
    """Fill an empty table with the first `count` states, which are all different."""
    words, mask = states.shape[1], np.uint64(slots.shape[0] - 1)
    states_at, slots_at, row_bytes = states.ctypes.data, slots.ctypes.data, 8 * words
    for index in range(count):
        if index + _AHEAD < count:
            ahead = _hash_at(states_at + np.uint64(row_bytes * (index + _AHEAD)), words)
            _prefetch(slots_at + _EIGHT * (ahead & mask))
        value = _hash_at(states_at + np.uint64(row_bytes * index), words)
        at = value & mask
        while slots[at] != -1:
            at = (at + _ONE) & mask
        slots[at] = (np.int64(value >> TAG_SHIFT) << INDEX_BITS) | index


@part
def _find(states_at: Any, slots_at: Any, mask: Any, row_at: Any, words: int, value: Any) -> Any:
    """The free slot where the state at an address belongs, or -1 if an equal state is stored."""
    tag, at = np.int64(value >> TAG_SHIFT), value & mask
    slot = _word(slots_at + _EIGHT * at)
    while slot != -1:
        if slot >> INDEX_BITS == tag:
            if _same(states_at + np.uint64(8 * words * (slot & MOST_STORED)), row_at, words):
                return np.int64(-1)
        at = (at + _ONE) & mask
        slot = _word(slots_at + _EIGHT * at)
    return np.int64(at)


@jit(_i64(_rows, _words, _rows, _i64, _u64))
def slot_for(states: Any, slots: Any, rows: Any, row: int, value: Any) -> Any:
    """The free slot where a row's state belongs, or -1 if an equal state is stored."""
    addresses = (states.ctypes.data, slots.ctypes.data, np.uint64(slots.shape[0] - 1), _at(rows, row))
    return _find(*addresses, states.shape[1], value)


@jit(types.void(_examine, _rows, _i64, _i64, *_state_claims))
def look_at(examine: Any, rows: Any, row: int, index: int, bits: Any, pending: Any, found: Any) -> None:
    """Evaluate the state claims on the state in a row, and remember the index of the first that decides one."""
    examine(_at(rows, row), bits.ctypes.data)
    for word in range(bits.shape[0]):
        hits = bits[word] & pending[word]
        if hits != 0:
            pending[word] &= ~hits
            for bit in range(WORD_BITS):
                if (hits >> bit) & 1:
                    found[word * WORD_BITS + bit] = index


@jit(types.void(_rows, _i64, _i64, _i64, *_step_claims))
def judge(rows: Any, row: int, parent: int, words: int, pending: Any, found: Any) -> None:
    """Remember the first step that violates a claim."""
    for word in range(pending.shape[0]):
        hits = rows[row, words + 1 + word] & pending[word]
        if hits != 0:
            pending[word] &= ~hits
            for bit in range(WORD_BITS):
                if (hits >> bit) & 1:
                    found[word * WORD_BITS + bit, 0] = parent
                    found[word * WORD_BITS + bit, 1] = rows[row, words]


@part
def _remarkable(rows: Any, row: int, words: int, pending: Any) -> Any:
    """Is there more to a step than where it leads? A fault, or a violation that is still looked for."""
    out = rows[row, words] < 0
    for word in range(pending.shape[0]):
        out |= (rows[row, words + 1 + word] & pending[word]) != 0
    return out


@jit(_pair(_expand, _i64, _i64, _i64, _rows, *_batch, _words))
def expand_states(
    expand: Any,
    state: int,
    stop: int,
    limit: int,
    states: Any,
    rows: Any,
    origins: Any,
    hashes: Any,
    bounds: Any,
) -> tuple[int, int]:
    """Fill a batch with the steps from `state` and later ones, up to `stop` or until there are more than `limit` rows.

    Gives the first state that is not expanded and the number of rows. Only reads the states.
    """
    words, stride, ready = states.shape[1], rows.shape[1], 0
    states_at, rows_at, bounds_at = states.ctypes.data, rows.ctypes.data, bounds.ctypes.data
    while state < stop and ready <= limit:
        row_at = rows_at + np.uint64(8 * stride * ready)
        end = ready + expand(states_at + np.uint64(8 * words * state), row_at, bounds_at)
        while ready < end:
            hashes[ready] = _hash_at(rows_at + np.uint64(8 * stride * ready), words)
            origins[ready] = state
            ready += 1
        state += 1
    return state, ready


@jit(_i64(_examine, _words, *_store, *_batch, _i64, *_counts, *_state_claims, *_step_claims))
def insert(
    examine: Any,
    control: Any,
    states: Any,
    parents: Any,
    slots: Any,
    rows: Any,
    origins: Any,
    hashes: Any,
    ready: int,
    taken: Any,
    fresh: Any,
    bits: Any,
    pending_states: Any,
    found_states: Any,
    pending_steps: Any,
    found_steps: Any,
) -> int:
    """Judge the first `ready` rows of a batch in order, and store the states that are new."""
    words, stride, mask = states.shape[1], rows.shape[1], np.uint64(slots.shape[0] - 1)
    states_at, rows_at, slots_at = states.ctypes.data, rows.ctypes.data, slots.ctypes.data
    for row in range(ready):
        if row + _AHEAD < ready:
            _prefetch(slots_at + _EIGHT * (hashes[row + _AHEAD] & mask))
        tag = rows[row, words]
        if tag < 0:
            control[FAULT_STATE], control[FAULT_TAG] = origins[row], tag
            return FAULT
        transition = tag & TRANSITION_MASK
        taken[transition] += 1
        control[TRANSITIONS] += 1
        if _remarkable(rows, row, words, pending_steps):
            judge(rows, row, origins[row], words, pending_steps, found_steps)
        row_at = rows_at + np.uint64(8 * stride * row)
        slot = _find(states_at, slots_at, mask, row_at, words, hashes[row])
        if slot < 0:
            continue
        count = control[COUNT]
        if count >= control[MOST_STATES]:
            return FULL
        slots[slot] = (np.int64(hashes[row] >> TAG_SHIFT) << INDEX_BITS) | count
        for word in range(words):
            states[count, word] = rows[row, word]
        parents[count] = origins[row]
        fresh[transition] += 1
        control[COUNT] = count + 1
        if bits.shape[0] != 0:
            look_at(examine, states, count, count, bits, pending_states, found_states)
    return DONE
