"""Sorted runs of states: the loops over them, compiled once for all models.

A run holds states in the order of their hashes; the few that share a hash are in the order of their words. So the order
is one of whole states, and whether two are equal is always decided by all their words.
"""

from __future__ import annotations

from podproof.checker.engines.compiled.jit import I64, Flags, Hashes, Indices, Rows, Words, loop, part
from podproof.checker.engines.compiled.table import entry, find, hash_of
from podproof.checker.engines.compiled.transition import TRANSITION_MASK

AT, AT_OTHER, MADE = range(3)
"""What a loop that may stop in the middle is told and tells: where it is, also in the other block; the rows it made."""


@part
def _precedes(a: Rows, i: I64, b: Rows, j: I64) -> bool:
    """The order of states that share a hash."""
    for word in range(a.shape[1]):
        if a[i, word] != b[j, word]:
            return a[i, word] < b[j, word]  # type: ignore[no-any-return]
    return False


@part
def _copy(a: Rows, i: I64, b: Rows, j: I64) -> None:
    """Make row `j` of `b` the same as row `i` of `a`."""
    for word in range(b.shape[1]):
        b[j, word] = a[i, word]


@loop
def order_equal_hashes(rows: Rows, order: Words, hashes: Hashes) -> None:
    """Complete an order by hash: `hashes` is sorted, `order` has the rows that they belong to."""
    for at in range(1, order.shape[0]):
        back = at
        while back > 0 and hashes[back] == hashes[back - 1] and _precedes(rows, order[back], rows, order[back - 1]):
            order[back], order[back - 1] = order[back - 1], order[back]
            back -= 1


@loop
def mark_known(block: Rows, length: I64, rows: Rows, order: Words, hashes: Hashes, first: I64, known: Flags) -> I64:
    """Flag the rows that are among the first `length` of a sorted block. Both are walked side by side.

    `first` is where in `order` to begin; the answer is where to begin for the block after this one.
    """
    at, words, end = first, block.shape[1], order.shape[0]
    for j in range(length):
        value = hash_of(block, j, words)
        while at < end and (hashes[at] < value or (hashes[at] == value and _precedes(rows, order[at], block, j))):
            at += 1
        if at == end:
            return at
        if hashes[at] == value and not _precedes(block, j, rows, order[at]):
            known[order[at]] = 1
    return at


@loop
def merge_blocks(a: Rows, end_a: I64, b: Rows, end_b: I64, out: Rows, places: Words) -> None:
    """Merge sorted blocks from their `places` on until one is used up or `out` is full; moves the places on."""
    i, j, made, words = places[AT], places[AT_OTHER], 0, out.shape[1]
    if i < end_a and j < end_b:
        hash_a, hash_b = hash_of(a, i, words), hash_of(b, j, words)
        while made < out.shape[0]:
            if hash_a < hash_b or (hash_a == hash_b and _precedes(a, i, b, j)):
                _copy(a, i, out, made)
                made, i = made + 1, i + 1
                if i == end_a:
                    break
                hash_a = hash_of(a, i, words)
            else:
                _copy(b, j, out, made)
                made, j = made + 1, j + 1
                if j == end_b:
                    break
                hash_b = hash_of(b, j, words)
    places[AT], places[AT_OTHER], places[MADE] = i, j, made


@loop
def gather(rows: Rows, order: Words, known: Flags, out: Rows, places: Words) -> None:
    """The rows without a flag, in the given order from their place on, until `out` is full; moves the place on."""
    at, made = places[AT], 0
    while at < order.shape[0] and made < out.shape[0]:
        row = order[at]
        if known[row] == 0:
            _copy(rows, row, out, made)
            made += 1
        at += 1
    places[AT], places[MADE] = at, made


@loop
def gather_new(
    count: I64,
    rows: Rows,
    origins: Indices,
    transitions: Indices,
    known: Flags,
    out: Rows,
    out_origins: Indices,
    out_transitions: Indices,
    places: Words,
) -> None:
    """As `gather`, in the order in which they were found, with parents and transitions."""
    at, made = places[AT], 0
    while at < count and made < out.shape[0]:
        if known[at] == 0:
            _copy(rows, at, out, made)
            out_origins[made], out_transitions[made] = origins[at], transitions[at]
            made += 1
        at += 1
    places[AT], places[MADE] = at, made


@loop
def confirm(transitions: Indices, count: I64, fresh: Words) -> None:
    """Count the transitions that lead to the first `count` new states."""
    for row in range(count):
        fresh[transitions[row]] += 1


@loop
def collect(
    rows: Rows,
    origins: Indices,
    hashes: Hashes,
    ready: I64,
    count: I64,
    states: Rows,
    parents: Indices,
    transitions: Indices,
    slots: Words,
) -> I64:
    """Keep those of the first `ready` rows of a batch that are not among the `count` candidates; gives the new count.

    As `driver.insert`, but whether a candidate is new is found out later.
    """
    words = states.shape[1]
    for row in range(ready):
        slot = find(states, slots, rows, row, hashes[row])
        if slot >= 0:
            slots[slot] = entry(hashes[row], count, words)
            _copy(rows, row, states, count)
            parents[count] = origins[row]
            transitions[count] = rows[row, words] & TRANSITION_MASK
            count += 1
    return count
