"""Sorted runs of states: the loops over them, compiled once for all models.

A run holds states in the order of their hashes; the few that share a hash are in the order of their words. So the order
is one of whole states, and whether two are equal is always decided by all their words.
"""

from __future__ import annotations

from typing import Any

from numba import types

from podproof.checker.compiled.jit import HASHES, INDICES, ROWS, WORDS, jit
from podproof.checker.compiled.table import entry_of, hash_row, slot_for
from podproof.checker.compiled.transition import TRANSITION_MASK

_i64 = types.int64
_any: Any = types
_flags = types.Array(types.uint8, 1, "C")
_pair: Any = _any.UniTuple(_i64, 2)
_triple: Any = _any.UniTuple(_i64, 3)


@jit(types.void(ROWS, HASHES))
def hash_rows(rows: Any, hashes: Any) -> None:
    """The hash of every row, as many as `hashes` has room for."""
    words = rows.shape[1]
    for row in range(hashes.shape[0]):
        hashes[row] = hash_row(rows, row, words)


@jit(types.boolean(ROWS, _i64, ROWS, _i64))
def _precedes(a: Any, i: int, b: Any, j: int) -> Any:
    """The order of states that share a hash."""
    for word in range(a.shape[1]):
        if a[i, word] != b[j, word]:
            return a[i, word] < b[j, word]
    return False


@jit(types.void(ROWS, WORDS, HASHES))
def order_equal_hashes(rows: Any, order: Any, hashes: Any) -> None:
    """Complete an order by hash: `hashes` is sorted, `order` has the rows that they belong to."""
    for at in range(1, order.shape[0]):
        back = at
        while back > 0 and hashes[back] == hashes[back - 1] and _precedes(rows, order[back], rows, order[back - 1]):
            order[back], order[back - 1] = order[back - 1], order[back]
            back -= 1


@jit(_i64(ROWS, _i64, ROWS, WORDS, HASHES, _i64, _flags))
def mark_known(block: Any, length: int, rows: Any, order: Any, hashes: Any, first: int, known: Any) -> int:
    """Flag the rows that are among the first `length` of a sorted block. Both are walked side by side.

    `first` is where in `order` to begin; the answer is where to begin for the block after this one.
    """
    at, words, end = first, block.shape[1], order.shape[0]
    for j in range(length):
        value = hash_row(block, j, words)
        while at < end and (hashes[at] < value or (hashes[at] == value and _precedes(rows, order[at], block, j))):
            at += 1
        if at == end:
            return at
        if hashes[at] == value and not _precedes(block, j, rows, order[at]):
            known[order[at]] = 1
    return at


@jit(_triple(ROWS, _i64, _i64, ROWS, _i64, _i64, ROWS))
def merge_blocks(a: Any, i: int, end_a: int, b: Any, j: int, end_b: int, out: Any) -> tuple[int, int, int]:
    """Merge sorted blocks until one is used up or `out` is full. Gives the new `i` and `j` and the number of rows."""
    made, words = 0, out.shape[1]
    if i == end_a or j == end_b:
        return i, j, made
    hash_a, hash_b = hash_row(a, i, words), hash_row(b, j, words)
    while made < out.shape[0]:
        if hash_a < hash_b or (hash_a == hash_b and _precedes(a, i, b, j)):
            for word in range(words):
                out[made, word] = a[i, word]
            made, i = made + 1, i + 1
            if i == end_a:
                break
            hash_a = hash_row(a, i, words)
        else:
            for word in range(words):
                out[made, word] = b[j, word]
            made, j = made + 1, j + 1
            if j == end_b:
                break
            hash_b = hash_row(b, j, words)
    return i, j, made


@jit(_pair(ROWS, WORDS, _flags, _i64, ROWS))
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


@jit(_pair(_i64, ROWS, INDICES, INDICES, _flags, _i64, ROWS, INDICES, INDICES))
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


@jit(types.void(INDICES, _i64, WORDS))
def confirm(transitions: Any, count: int, fresh: Any) -> None:
    """Count the transitions that lead to the first `count` new states."""
    for row in range(count):
        fresh[transitions[row]] += 1


@jit(_i64(ROWS, INDICES, HASHES, _i64, _i64, ROWS, INDICES, INDICES, WORDS))
def collect(
    rows: Any,
    origins: Any,
    hashes: Any,
    ready: int,
    count: int,
    states: Any,
    parents: Any,
    transitions: Any,
    slots: Any,
) -> int:
    """Keep those of the first `ready` rows of a batch that are not among the `count` candidates; gives the new count.

    As `driver.insert`, but whether a candidate is new is found out later.
    """
    words = states.shape[1]
    for row in range(ready):
        slot = slot_for(states, slots, rows, row, hashes[row])
        if slot < 0:
            continue
        slots[slot] = entry_of(hashes[row], count, words)
        for word in range(words):
            states[count, word] = rows[row, word]
        parents[count] = origins[row]
        transitions[count] = rows[row, words] & TRANSITION_MASK
        count += 1
    return count
