"""The search loop, compiled once for all models: it is handed the generated functions as values.

States, parents and the hash table are plain arrays that the caller grows between calls. A slot of the table is -1 or a
state's index with some bits of its hash above it, so that most unequal states are told apart without reading them; the
comparison that decides is always of whole states.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit, types
from numba.core.types.function_type import WrapperAddressProtocol

from podproof.checker.compiled.codegen import TRANSITION_MASK
from podproof.checker.compiled.layout import WORD_BITS

CURSOR, COUNT, STOP, MOST_ROWS, MOST_STATES, TRANSITIONS, STATUS, FAULT_STATE, FAULT_TAG = range(9)
"""Places in `control`: the next state to expand, how many there are, where to pause, …"""
CONTROL_SIZE = 9
PAUSED, GROW, FULL, FAULT = range(4)
"""Why a call came back: reached STOP, needs room for another batch, MOST_STATES are stored, the model went wrong."""

INDEX_BITS = 32
MOST_INDEX = (1 << INDEX_BITS) - 2
_INDEX_MASK = (1 << INDEX_BITS) - 1

_i64 = types.int64
_words, _rows = types.Array(_i64, 1, "C"), types.Array(_i64, 2, "C")
_indices, _hashes = types.Array(types.uint32, 1, "C"), types.Array(types.uint64, 1, "C")
EXPAND = _i64(_i64, _i64, _i64)
EXAMINE = _i64(_i64, _i64)
_expand, _examine = types.FunctionType(EXPAND), types.FunctionType(EXAMINE)
_store = (_rows, _indices, _words)
_claims = (_words, _words, _words, _words, _rows)

_MIX_1, _MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)
_HALF = np.uint64(32)
_TAG_SHIFT = np.uint64(64 - (63 - INDEX_BITS))


class GeneratedFunction(WrapperAddressProtocol):  # type: ignore[misc]
    """A function of the generated module, as Numba takes it for an argument."""

    def __init__(self, address: int, signature: Any) -> None:
        self._address, self._signature = address, signature

    def __wrapper_address__(self) -> int:
        return self._address

    def signature(self) -> Any:
        return self._signature


def _jit(*signatures: Any) -> Any:
    """Compile with an explicit signature, kept on disk where there is a place for it."""

    def decorate(function: Any) -> Any:
        try:
            return njit(*signatures, nogil=True, cache=True)(function)
        except RuntimeError:  # "no locator available": no folder that Numba could write to
            return njit(*signatures, nogil=True)(function)

    return decorate


@_jit(types.uint64(_rows, _i64, _i64))
def _hash(rows: Any, row: int, words: int) -> Any:
    """The hash of a row's state: its high bits tag the slot, its low bits choose it."""
    out = np.uint64(0)
    for word in range(words):
        out = (out ^ np.uint64(rows[row, word])) * _MIX_1
        out ^= out >> _HALF
    out *= _MIX_2
    return out ^ (out >> _HALF)


@_jit(types.void(_rows, _i64, _words))
def rehash(states: Any, count: int, slots: Any) -> None:
    """Fill an empty table with the first `count` states, which are all different."""
    words, mask = states.shape[1], np.uint64(slots.shape[0] - 1)
    for index in range(count):
        value = _hash(states, index, words)
        at = value & mask
        while slots[at] != -1:
            at = (at + np.uint64(1)) & mask
        slots[at] = (np.int64(value >> _TAG_SHIFT) << INDEX_BITS) | index


@_jit(_i64(_rows, _words, _rows, _i64, types.uint64, _i64))
def _find_or_claim(states: Any, slots: Any, rows: Any, row: int, value: Any, count: int) -> int:
    """The slot of an equal state, as -1 - slot; or the free slot that was taken for a new state."""
    words, mask = states.shape[1], np.uint64(slots.shape[0] - 1)
    tag, at = np.int64(value >> _TAG_SHIFT), value & mask
    while True:
        slot = slots[at]
        if slot == -1:
            slots[at] = (tag << INDEX_BITS) | count
            return np.int64(at)
        if slot >> INDEX_BITS == tag:
            index = slot & _INDEX_MASK
            word = 0
            while word < words and states[index, word] == rows[row, word]:
                word += 1
            if word == words:
                return -1 - np.int64(at)
        at = (at + np.uint64(1)) & mask


@_jit(types.void(_words, _i64, _i64, _words, _i64))
def _note_state(pending: Any, word: int, hits: int, found: Any, index: int) -> None:
    """Remember the first state that decides a claim."""
    pending[word] &= ~hits
    for bit in range(WORD_BITS):
        if (hits >> bit) & 1:
            found[word * WORD_BITS + bit] = index


@_jit(types.void(_words, _i64, _i64, _rows, _i64, _i64))
def _note_step(pending: Any, word: int, hits: int, found: Any, parent: int, tag: int) -> None:
    """Remember the first step that violates a claim."""
    pending[word] &= ~hits
    for bit in range(WORD_BITS):
        if (hits >> bit) & 1:
            found[word * WORD_BITS + bit, 0] = parent
            found[word * WORD_BITS + bit, 1] = tag


@_jit(types.boolean(_examine, _words, *_store, _rows, _i64, types.uint64, _i64, *_claims))
def _insert(
    examine: Any,
    control: Any,
    states: Any,
    parents: Any,
    slots: Any,
    rows: Any,
    row: int,
    value: Any,
    parent: int,
    bits: Any,
    pending: Any,
    found: Any,
    _pending_steps: Any,
    _found_steps: Any,
) -> bool:
    """Store a row's state if it is new, and look at it; is it new? A parent of -1 makes it an initial state."""
    count, words = control[COUNT], states.shape[1]
    if count >= control[MOST_STATES] and True:
        return False
    if _find_or_claim(states, slots, rows, row, value, count) < 0:
        return False
    for word in range(words):
        states[count, word] = rows[row, word]
    parents[count] = count if parent < 0 else parent
    control[COUNT] = count + 1
    if bits.shape[0]:
        examine(states.ctypes.data + count * words * 8, bits.ctypes.data)
        for word in range(bits.shape[0]):
            hits = bits[word] & pending[word]
            if hits:
                _note_state(pending, word, hits, found, count)
    return True
