"""Sorted runs of states: the loops over them, compiled once for all models.

A run holds states in the order of their hashes; the few that share a hash are in the order of their words. So the order
is one of whole states, and whether two are equal is always decided by all their words.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import types

from podproof.checker.compiled import driver
from podproof.checker.compiled.driver import DONE, FAULT, FAULT_STATE, FAULT_TAG, INDEX_BITS, TRANSITIONS, jit
from podproof.checker.compiled.transition import TRANSITION_MASK

_i64, _u64 = types.int64, types.uint64
_any: Any = types
_words, _rows = types.Array(_i64, 1, "C"), types.Array(_i64, 2, "C")
_indices, _hashes = types.Array(types.uint32, 1, "C"), types.Array(_u64, 1, "C")
_flags = types.Array(types.uint8, 1, "C")
_examine = types.FunctionType(driver.EXAMINE)
_pair: Any = _any.UniTuple(_i64, 2)
_triple: Any = _any.UniTuple(_i64, 3)

_hash_row, _slot_for, _judge, _look_at = driver.hash_row, driver.slot_for, driver.judge, driver.look_at
_TAG_SHIFT, _COUNT = driver.TAG_SHIFT, driver.COUNT


@jit(types.void(_rows, _hashes))
def hash_rows(rows: Any, hashes: Any) -> None:
    """The hash of every row, as many as `hashes` has room for."""
    words = rows.shape[1]
    for row in range(hashes.shape[0]):
        hashes[row] = _hash_row(rows, row, words)


@jit(types.void(_rows, _i64, _words))
def forget(rows: Any, count: int, slots: Any) -> None:
    """Empty the slots of the first `count` rows, when there are no others in the table.

    From a row's first choice up to the next empty slot all is emptied. So to the right of an emptied slot, up to a slot
    that was always empty, all are empty; a row's own slot is then never missed.
    """
    words, mask = rows.shape[1], np.uint64(slots.shape[0] - 1)
    for row in range(count):
        at = _hash_row(rows, row, words) & mask
        while slots[at] != -1:
            slots[at] = -1
            at = (at + np.uint64(1)) & mask


@jit(types.boolean(_rows, _i64, _rows, _i64))
def _precedes(a: Any, i: int, b: Any, j: int) -> Any:
    """The order of states that share a hash."""
    for word in range(a.shape[1]):
        if a[i, word] != b[j, word]:
            return a[i, word] < b[j, word]
    return False


@jit(types.void(_rows, _words, _hashes))
def order_equal_hashes(rows: Any, order: Any, hashes: Any) -> None:
    """Complete an order by hash: `hashes` is sorted, `order` has the rows that they belong to."""
    for at in range(1, order.shape[0]):
        back = at
        while back > 0 and hashes[back] == hashes[back - 1] and _precedes(rows, order[back], rows, order[back - 1]):
            order[back], order[back - 1] = order[back - 1], order[back]
            back -= 1


@jit(_i64(_rows, _i64, _rows, _words, _hashes, _i64, _flags))
def mark_known(block: Any, length: int, rows: Any, order: Any, hashes: Any, first: int, known: Any) -> int:
    """Flag the rows that are among the first `length` of a sorted block. Both are walked side by side.

    `first` is where in `order` to begin; the answer is where to begin for the block after this one.
    """
    at, words, end = first, block.shape[1], order.shape[0]
    for j in range(length):
        value = _hash_row(block, j, words)
        while at < end and (hashes[at] < value or (hashes[at] == value and _precedes(rows, order[at], block, j))):
            at += 1
        if at == end:
            return at
        if hashes[at] == value and not _precedes(block, j, rows, order[at]):
            known[order[at]] = 1
    return at


@jit(_triple(_rows, _i64, _i64, _rows, _i64, _i64, _rows))
def merge_blocks(a: Any, i: int, end_a: int, b: Any, j: int, end_b: int, out: Any) -> tuple[int, int, int]:
    """Merge sorted blocks until one is used up or `out` is full. Gives the new `i` and `j` and the number of rows."""
    made, words = 0, out.shape[1]
    if i == end_a or j == end_b:
        return i, j, made
    hash_a, hash_b = _hash_row(a, i, words), _hash_row(b, j, words)
    while made < out.shape[0]:
        if hash_a < hash_b or (hash_a == hash_b and _precedes(a, i, b, j)):
            for word in range(words):
                out[made, word] = a[i, word]
            made, i = made + 1, i + 1
            if i == end_a:
                break
            hash_a = _hash_row(a, i, words)
        else:
            for word in range(words):
                out[made, word] = b[j, word]
            made, j = made + 1, j + 1
            if j == end_b:
                break
            hash_b = _hash_row(b, j, words)
    return i, j, made


@jit(_pair(_rows, _words, _flags, _i64, _rows))
def gather(rows: Any, order: Any, known: Any, first: int, out: Any) -> tuple[int, int]:
    """The rows without a flag, in the given order from place `first` on, until `out` is full.

    Gives the place to go on from and how many there are.
    """
    at, made = first, 0
    while at < order.shape[0] and made < out.shape[0]:
        row = order[at]
        if known[row] == 0:
            for word in range(out.shape[1]):
                out[made, word] = rows[row, word]
            made += 1
        at += 1
    return at, made


@jit(_pair(_i64, _rows, _indices, _indices, _flags, _i64, _rows, _indices, _indices))
def gather_new(
    count: int,
    rows: Any,
    origins: Any,
    transitions: Any,
    known: Any,
    first: int,
    out: Any,
    out_origins: Any,
    out_transitions: Any,
) -> tuple[int, int]:
    """As `gather`, in the order in which they were found, with parents and transitions."""
    at, made = first, 0
    while at < count and made < out.shape[0]:
        if known[at] == 0:
            for word in range(out.shape[1]):
                out[made, word] = rows[at, word]
            out_origins[made], out_transitions[made] = origins[at], transitions[at]
            made += 1
        at += 1
    return at, made


@jit(types.void(_examine, _words, _rows, _indices, _i64, _words, _words, _words, _words))
def confirm(
    examine: Any,
    control: Any,
    rows: Any,
    transitions: Any,
    count: int,
    fresh: Any,
    bits: Any,
    pending_states: Any,
    found_states: Any,
) -> None:
    """Count and judge the first `count` rows, which are new states."""
    for row in range(count):
        fresh[transitions[row]] += 1
        if bits.shape[0] != 0:
            _look_at(examine, rows, row, control[_COUNT], bits, pending_states, found_states)
        control[_COUNT] += 1


@jit(
    _pair(
        *(_words, _rows, _indices, _hashes, _i64, _words, _words, _rows),
        *(_i64, _rows, _indices, _indices, _words),
    )
)
def collect(
    control: Any,
    rows: Any,
    origins: Any,
    hashes: Any,
    ready: int,
    taken: Any,
    pending_steps: Any,
    found_steps: Any,
    count: int,
    states: Any,
    parents: Any,
    transitions: Any,
    slots: Any,
) -> tuple[int, int]:
    """Judge the first `ready` rows of a batch in order, and keep those that are not among the `count` candidates.

    As `driver.insert`, but whether a candidate is new is found out later. Gives the outcome and the new count.
    """
    words = states.shape[1]
    for row in range(ready):
        tag = rows[row, words]
        if tag < 0:
            control[FAULT_STATE], control[FAULT_TAG] = origins[row], tag
            return FAULT, count
        transition = tag & TRANSITION_MASK
        taken[transition] += 1
        control[TRANSITIONS] += 1
        if pending_steps.shape[0] != 0:
            _judge(rows, row, origins[row], words, pending_steps, found_steps)
        slot = _slot_for(states, slots, rows, row, hashes[row])
        if slot < 0:
            continue
        slots[slot] = (np.int64(hashes[row] >> _TAG_SHIFT) << INDEX_BITS) | count
        for word in range(words):
            states[count, word] = rows[row, word]
        parents[count] = origins[row]
        transitions[count] = transition
        count += 1
    return DONE, count
