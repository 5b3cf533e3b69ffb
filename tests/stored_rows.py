"""States that were not found by a search, on their way into a store."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import numpy as np

from podproof.checker.engines.compiled.machine import Batch, Statistics, loops_for

TRANSITIONS = 5


def program_of(words: int, claims: int = 0) -> Any:
    """What the arrays have to know of a model with rows that have a tag and a word for so many claims each."""
    program = SimpleNamespace(words=words, stride=words + 1 + claims, most_rows=1, transitions=TRANSITIONS, bounds=())
    numbers = tuple(range(63 * claims))
    return SimpleNamespace(
        **vars(program), state_claims=(), step_claims=numbers, state_bit_words=0, step_bit_words=claims
    )


def hashes_of(rows: Any) -> Any:
    rows = np.ascontiguousarray(rows, np.int64)
    hashes = np.empty(len(rows), np.uint64)
    loops_for(rows.shape[1]).hash_rows(rows, len(rows), hashes)
    return hashes


def batch_of(states: Any, tags: Any = 0) -> Batch:
    """Steps that lead to these states, from states 0, 1, 2 and so on."""
    rows = np.array(states, np.int64)
    count, words = rows.shape
    made = Batch(program_of(words), np.zeros(0, np.int64))
    if made.room < count:
        made.rows, made.origins = np.empty((count, words + 1), np.int64), np.empty(count, np.uint32)
        made.hashes = np.empty(count, np.uint64)
    made.rows[:count, :words], made.rows[:count, words] = rows, tags
    made.origins[:count], made.hashes[:count] = np.arange(count), hashes_of(rows)
    made.ready = made.sound = count
    return made


def no_statistics(count: int, most: int, words: int = 1, claims: int = 0) -> Statistics:
    """Nothing is counted yet but states."""
    made = Statistics(program_of(words, claims))
    made.count, made.most = count, most
    return made


def kept_after(kept: Any, count: int, states: Any) -> int:
    """How many states a store has after these, where it had so many."""
    given, total = batch_of(states), no_statistics(count, len(kept.states))
    loops_for(kept.states.shape[1]).insert(kept, total, given, given.ready)
    return int(total.count)


def colliding_rows(rng: random.Random, groups: int) -> Any:
    """States of two words of which three each share a hash: the second word undoes what the first one did."""

    def first_round(word: int) -> int:
        mixed = (word ^ 0xA0761D6478BD642F) * 0x9E3779B97F4A7C15 % (1 << 64)
        return mixed ^ (mixed >> 32)

    rows: list[tuple[int, int]] = []
    while len(rows) < 3 * groups:
        start, second = rng.getrandbits(40), rng.getrandbits(60)
        group = [(start, second)]
        while len(group) < 3:
            other = rng.getrandbits(40)
            partner = second ^ first_round(start) ^ first_round(other)
            if partner < 1 << 63:
                group.append((other, partner))
        rows += group
    return np.array(rows, np.int64)
