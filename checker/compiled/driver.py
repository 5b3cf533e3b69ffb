"""The search loop, compiled once for all models: it is handed the addresses of the generated functions.

States, parents and the hash table are plain arrays that the caller makes room in between calls.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic

from podproof.checker.compiled.jit import HASHES, INDICES, ROWS, WORDS, jit, part
from podproof.checker.compiled.layout import WORD_BITS
from podproof.checker.compiled.table import AHEAD, ask_for, at_row, entry, find, hash_at, shift_of, word_at
from podproof.checker.compiled.transition import TRANSITION_MASK

COUNT, MOST_STATES, TRANSITIONS = range(3)
"""Places in `control`: how many states are stored and may be, how many steps were seen."""
CONTROL_SIZE = 3
NEXT, READY, SOUND = range(3)
"""Places in the notes of a batch: see `expand_states`."""
NOTES_SIZE = 3

_i64 = types.int64
_function = types.uintp
_span = (_i64, _i64, _i64)
_store = (ROWS, INDICES, WORDS)
_batch = (ROWS, INDICES, HASHES)
_notes = (WORDS, WORDS, WORDS, WORDS, WORDS, WORDS, WORDS)


def all_pending(claims: int) -> Any:
    """A set bit for every claim that is not decided yet."""
    left = range(claims, 0, -WORD_BITS)
    return np.array([(1 << min(n, WORD_BITS)) - 1 for n in left], np.int64)


def none_found(words: int) -> Any:
    return np.full(words * WORD_BITS, -1, np.int64)


def _generate_call(_typing: Any, function: Any, arguments: Any) -> Any:
    """Call a function of the generated module by its address; all its arguments are addresses.

    Numba has values for functions, but it runs Python each time it is handed one; Ctrl-C in there makes a mess.
    """

    def generate(_context: Any, builder: Any, _signature: Any, values: Any) -> Any:
        word = ir.IntType(64)
        operands = [builder.extract_value(values[1], i) for i in range(len(arguments))]
        kind = ir.FunctionType(word, [word] * len(operands)).as_pointer()
        return builder.call(builder.inttoptr(values[0], kind), operands)

    return types.int64(types.uintp, arguments), generate


_call: Any = intrinsic(_generate_call)


@part
def _note(bits: Any, pending: Any, seen: Any, index: int) -> None:
    """Note a state's index for the claims that it decides, unless an earlier one of the batch does."""
    for word in range(bits.shape[0]):
        hits = bits[word] & pending[word]
        if hits != 0:
            for bit in range(WORD_BITS):
                if (hits >> bit) & 1 and seen[word * WORD_BITS + bit] < 0:
                    seen[word * WORD_BITS + bit] = index


@jit(types.void(_function, _function, *_span, ROWS, *_batch, *_notes))
def expand_states(
    expand: int,
    examine: int,
    first: int,
    stop: int,
    limit: int,
    states: Any,
    rows: Any,
    origins: Any,
    hashes: Any,
    notes: Any,
    bounds: Any,
    taken: Any,
    violated: Any,
    bits: Any,
    seen: Any,
    pending_states: Any,
) -> None:
    """Fill a batch with the steps from state `first` and later ones, up to `stop` or until there are more than `limit`.

    Everything is done here that needs no order: `notes` gets the state to go on with, the number of rows, the first row
    in which the model goes wrong; `taken` counts the transitions, `violated` has a bit for each step claim that a row
    violates, `seen` gets for each state claim that is pending the first state that decides it. Only reads the states;
    what is decided by now may still be pending here, so whoever stores the rows looks again.
    """
    words, stride, ready, state = states.shape[1], rows.shape[1], 0, first
    states_at, rows_at = states.ctypes.data, rows.ctypes.data
    bounds_at, bits_at = bounds.ctypes.data, bits.ctypes.data
    tag_offset, row_bytes, claim_words = np.uint64(8 * words), np.uint64(8 * stride), violated.shape[0]
    has_state_claims, fault = bits.shape[0] != 0, -1
    while state < stop and ready <= limit:
        state_at = states_at + np.uint64(8 * words * state)
        if has_state_claims:
            _call(examine, (state_at, bits_at))
            _note(bits, pending_states, seen, state)
        row_at = rows_at + row_bytes * np.uint64(ready)
        end = ready + _call(expand, (state_at, row_at, bounds_at))
        while ready < end:
            tag = word_at(row_at + tag_offset)
            if tag < 0 and fault < 0:
                fault = ready
            taken[tag & TRANSITION_MASK] += 1
            for word in range(claim_words):
                violated[word] |= word_at(row_at + tag_offset + np.uint64(8 * (word + 1)))
            hashes[ready] = hash_at(row_at, words)
            origins[ready] = state
            row_at += row_bytes
            ready += 1
        state += 1
    notes[NEXT], notes[READY], notes[SOUND] = state, ready, ready if fault < 0 else fault


@jit(types.void(_function, _i64, ROWS, WORDS, WORDS, WORDS))
def examine_states(examine: int, first: int, states: Any, bits: Any, pending: Any, seen: Any) -> None:
    """As `expand_states`, for states whose steps are not wanted; the first of them has index `first`."""
    for row in range(states.shape[0]):
        _call(examine, (at_row(states, row), bits.ctypes.data))
        _note(bits, pending, seen, first + row)


@jit(_i64(WORDS, *_store, *_batch, _i64, WORDS))
def insert(
    control: Any,
    states: Any,
    parents: Any,
    slots: Any,
    rows: Any,
    origins: Any,
    hashes: Any,
    ready: int,
    fresh: Any,
) -> int:
    """Store those of the first `ready` rows of a batch that are new, in order.

    Gives the row at which MOST_STATES were stored and one more was to be, or `ready`.
    """
    words, stride, mask = states.shape[1], rows.shape[1], np.uint64(slots.shape[0] - 1)
    states_at, rows_at, slots_at, shift = states.ctypes.data, rows.ctypes.data, slots.ctypes.data, shift_of(slots)
    count, most = control[COUNT], control[MOST_STATES]
    for row in range(ready):
        if row + AHEAD < ready:
            ask_for(slots_at, shift, hashes[row + AHEAD])
        slot = find(states_at, slots_at, shift, mask, rows_at + np.uint64(8 * stride * row), words, hashes[row])
        if slot < 0:
            continue
        if count >= most:
            control[COUNT] = count
            return row
        slots[slot] = entry(hashes[row], count, words)
        for word in range(words):
            states[count, word] = rows[row, word]
        parents[count] = origins[row]
        fresh[rows[row, words] & TRANSITION_MASK] += 1
        count += 1
    control[COUNT] = count
    return ready


@jit(types.void(ROWS, _i64, _i64, WORDS))
def count_steps(rows: Any, end: int, words: int, taken: Any) -> None:
    """Count the transitions of the first rows of a batch that is not taken whole."""
    for row in range(end):
        taken[rows[row, words] & TRANSITION_MASK] += 1


@jit(types.void(ROWS, INDICES, _i64, _i64, WORDS, ROWS))
def judge(rows: Any, origins: Any, end: int, words: int, pending: Any, found: Any) -> None:
    """Remember the first step that violates a claim, for every claim, among the first rows of a batch."""
    for row in range(end):
        for word in range(pending.shape[0]):
            hits = rows[row, words + 1 + word] & pending[word]
            if hits != 0:
                pending[word] &= ~hits
                for bit in range(WORD_BITS):
                    if (hits >> bit) & 1:
                        found[word * WORD_BITS + bit, 0] = origins[row]
                        found[word * WORD_BITS + bit, 1] = rows[row, words]
