"""The search loop, compiled once for all models: it is handed the addresses of the generated functions.

States, parents and the hash table are plain arrays that the caller makes room in between calls.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

import numpy as np

from podproof.checker.engines.compiled import jit
from podproof.checker.engines.compiled.jit import I64, Hashes, Indices, Rows, Words, loop, part
from podproof.checker.engines.compiled.layout import WORD_BITS
from podproof.checker.engines.compiled.routine import address, call
from podproof.checker.engines.compiled.table import AHEAD, ask_for, entry, find, hash_of, hash_row, move
from podproof.checker.engines.compiled.transition import TRANSITION_MASK

COUNT, MOST_STATES, TRANSITIONS = range(3)
"""Places in `control`: how many states are stored and may be, how many steps were seen."""
CONTROL_SIZE = 3
NEXT, READY, SOUND, FIRST, LEVELS, WIDEST = range(6)
"""Places in the notes of a batch: see `expand_states` and `descend`."""
NOTES_SIZE = 6


def all_pending(claims: int) -> Any:
    """A set bit for every claim that is not decided yet."""
    left = range(claims, 0, -WORD_BITS)
    return np.array([(1 << min(n, WORD_BITS)) - 1 for n in left], np.int64)


def none_found(words: int) -> Any:
    return np.full(words * WORD_BITS, -1, np.int64)


class Model(NamedTuple):
    """The addresses of the generated functions."""

    expand: I64
    examine: I64


class Stored(NamedTuple):
    """The states of a search; see `podproof.checker.engines.compiled.store`."""

    states: Rows
    parents: Indices
    slots: Words


class Steps(NamedTuple):
    """The steps of neighbouring states; see `podproof.checker.engines.compiled.batch`."""

    rows: Rows
    origins: Indices
    hashes: Hashes
    notes: Words
    bounds: Words
    taken: Words
    violated: Words
    bits: Words
    seen: Words
    pending_states: Words


class Totals(NamedTuple):
    """What a search has counted; see `podproof.checker.engines.compiled.tally`."""

    control: Words
    bounds: Words
    taken: Words
    fresh: Words
    pending_steps: Words


@part
def _note(bits: Words, pending: Words, seen: Words, index: I64) -> None:
    """Note a state's index for the claims that it decides, unless an earlier one of the batch does."""
    for word in range(bits.shape[0]):
        hits = bits[word] & pending[word]
        if hits != 0:
            for bit in range(WORD_BITS):
                if (hits >> bit) & 1 != 0 and seen[word * WORD_BITS + bit] < 0:
                    seen[word * WORD_BITS + bit] = index


@loop
def expand_states(model: Model, first: I64, stop: I64, limit: I64, states: Rows, steps: Steps) -> None:
    """Fill a batch with the steps from state `first` and later ones, up to `stop` or until there are more than `limit`.

    Everything is done here that needs no order: `notes` gets the state to go on with, the number of rows, the first row
    in which the model goes wrong; `taken` counts the transitions, `violated` has a bit for each step claim that a row
    violates, `seen` gets for each state claim that is pending the first state that decides it. Only reads the states;
    what is decided by now may still be pending here, so whoever stores the rows looks again.
    """
    words, ready, state, fault = states.shape[1], 0, first, -1
    while state < stop and ready <= limit:
        row_at = address(steps.rows, ready)
        end = ready + call(model.expand, address(states, state), row_at, address(steps.bounds), address(steps.bits))
        _note(steps.bits, steps.pending_states, steps.seen, state)
        while ready < end:
            tag = steps.rows[ready, words]
            if tag < 0 and fault < 0:
                fault = ready
            steps.taken[tag & TRANSITION_MASK] += 1
            for word in range(steps.violated.shape[0]):
                steps.violated[word] |= steps.rows[ready, words + 1 + word]
            steps.hashes[ready] = hash_of(steps.rows, ready, words)
            steps.origins[ready] = state
            ready += 1
        state += 1
    steps.notes[NEXT], steps.notes[READY], steps.notes[SOUND] = state, ready, ready if fault < 0 else fault


@loop
def examine_states(examine: I64, first: I64, states: Rows, bits: Words, pending: Words, seen: Words) -> None:
    """As `expand_states`, for states whose steps are not wanted; the first of them has index `first`."""
    for row in range(states.shape[0]):
        call(examine, address(states, row), address(bits))
        _note(bits, pending, seen, first + row)


@loop
def insert(stored: Stored, totals: Totals, steps: Steps, ready: I64) -> I64:
    """Store those of the first `ready` rows of a batch that are new, in order.

    Gives the row at which MOST_STATES were stored and one more was to be, or `ready`.
    """
    words, count, most = stored.states.shape[1], totals.control[COUNT], totals.control[MOST_STATES]
    for row in range(ready):
        if row + AHEAD < ready:
            ask_for(stored.slots, steps.hashes[row + AHEAD])
        slot = find(stored.states, stored.slots, steps.rows, row, steps.hashes[row])
        if slot >= 0:
            if count >= most:
                totals.control[COUNT] = count
                return row
            stored.slots[slot] = entry(steps.hashes[row], count, words)
            for word in range(words):
                stored.states[count, word] = steps.rows[row, word]
            stored.parents[count] = steps.origins[row]
            totals.fresh[steps.rows[row, words] & TRANSITION_MASK] += 1
            count += 1
    totals.control[COUNT] = count
    return ready


@part
def _hand_over(counts: Words, totals: Words) -> None:
    for place in range(counts.shape[0]):
        totals[place] += counts[place]
        counts[place] = 0


@part
def _any_of(bits: Words, pending: Words) -> bool:
    for word in range(bits.shape[0]):
        if bits[word] & pending[word] != 0:
            return True
    return False


@loop
def descend(model: Model, levels: I64, narrow: I64, room: I64, stored: Stored, totals: Totals, steps: Steps) -> None:
    """Expand and store up to so many whole levels, as long as they have no more than `narrow` states.

    `notes` has the state to begin with, which begins a level. It ends with a level that was expanded and not stored
    where something is to be looked at first: its steps find no `room`, go wrong or violate a claim that is pending. The
    notes are then as after `expand_states`, else they have no rows. FIRST is the first state of which no step is
    stored, LEVELS are those that led to new states, WIDEST is the most rows that a level had.
    """
    first, end, gone, widest = steps.notes[NEXT], totals.control[COUNT], 0, 0
    while first < end and gone < levels and end - first <= narrow:
        expand_states(model, first, end, steps.rows.shape[0], stored.states, steps)
        ready = steps.notes[READY]
        widest = ready if ready > widest else widest
        if steps.notes[SOUND] < ready or end + ready > room or _any_of(steps.violated, totals.pending_steps):
            break
        insert(stored, totals, steps, ready)
        totals.control[TRANSITIONS] += ready
        _hand_over(steps.bounds, totals.bounds)
        _hand_over(steps.taken, totals.taken)
        steps.notes[READY], steps.notes[SOUND] = 0, 0
        first, end = end, totals.control[COUNT]
        if end > first:
            gone += 1
    steps.notes[FIRST], steps.notes[LEVELS], steps.notes[WIDEST] = first, gone, widest


@cache
def prepare(words: int, stride: int) -> None:
    """Have the loops ready that every search needs, for states of so many words in rows of so many. Once is enough."""
    together = dict.fromkeys((descend, expand_states, insert), (words, stride))
    jit.prepare({**together, hash_row: (stride,), move: ()})


@loop
def count_steps(rows: Rows, end: I64, words: I64, taken: Words) -> None:
    """Count the transitions of the first rows of a batch that is not taken whole."""
    for row in range(end):
        taken[rows[row, words] & TRANSITION_MASK] += 1


@loop
def judge(rows: Rows, origins: Indices, end: I64, words: I64, pending: Words, found: Rows) -> None:
    """Remember the first step that violates a claim, for every claim, among the first rows of a batch."""
    for row in range(end):
        for word in range(pending.shape[0]):
            hits = rows[row, words + 1 + word] & pending[word]
            if hits != 0:
                pending[word] &= ~hits
                for bit in range(WORD_BITS):
                    if (hits >> bit) & 1 != 0:
                        found[word * WORD_BITS + bit, 0] = origins[row]
                        found[word * WORD_BITS + bit, 1] = rows[row, words]
