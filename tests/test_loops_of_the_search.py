"""The loops of the searches beside their own text, run by Python."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from tests.test_loops import as_python, assert_as_python

from podproof.checker.difference import bisimulation, explored
from podproof.checker.engines.compiled import driver, runs, table
from podproof.checker.engines.compiled.layout import WORD_BITS

WORDS = pytest.mark.parametrize("words", [1, 2, 3])
TRANSITIONS = 5


def random_rows(rng: random.Random, count: int, words: int, more: int = 0) -> Any:
    """States, some of them twice, and behind each `more` words, the first of which is a tag."""
    few = [[rng.getrandbits(rng.choice((2, 12, WORD_BITS))) for _ in range(words)] for _ in range(max(1, count // 2))]
    tags = [[rng.randrange(TRANSITIONS) | rng.randrange(9) << 20, *([3] * (more - 1))] for _ in range(count)]
    return np.array([rng.choice(few) + tag[:more] for tag in tags], np.int64).reshape(count, words + more)


def different(rows: Any) -> Any:
    """Each row once."""
    return np.array(list(dict.fromkeys(map(tuple, rows.tolist()))), np.int64)


def hashes_of(rows: Any, words: int) -> Any:
    found = np.array([table.hash_row(rows, i, words) for i in range(len(rows))], np.uint64)
    expected = [int(as_python(table.hash_row, [rows, i, words])) for i in range(len(rows))]
    assert found.tolist() == expected
    return found


def zeros(count: int, kind: Any = np.int64) -> Any:
    return np.zeros(count, kind)


def ordered(rows: Any) -> tuple[Any, Any]:
    """The order of rows by their hashes, and the hashes in that order."""
    hashes = hashes_of(rows, rows.shape[1])
    order = np.argsort(hashes, kind="stable")
    return order, hashes[order]


def as_run(rows: Any) -> Any:
    order, hashes = ordered(rows)
    runs.order_equal_hashes(rows, order, hashes)
    return np.ascontiguousarray(rows[order])


@WORDS
def test_tables_are_filled_moved_searched_and_emptied_as_python_does_it(words: int) -> None:
    rng = random.Random(words)
    for size in (16, 64, 100):
        states = different(random_rows(rng, size // 2, words))
        assert_as_python(table.enter, [states, len(states), zeros(size)])
        slots, larger = zeros(size), zeros(2 * size)
        table.enter(states, len(states), slots)
        assert_as_python(table.move, [slots, 3, size - 2, larger, words])
        assert_as_python(table.move, [slots, 0, size, larger, words])
        assert_as_python(table.forget, [states, len(states) // 2, slots])
        assert_as_python(table.forget, [states, len(states), slots])
        asked = np.concatenate([states, random_rows(rng, 20, words)])
        for row, value in enumerate(hashes_of(asked, words)):
            assert_as_python(table.slot_for, [states, slots, asked, row, value])
            assert_as_python(table.entry_of, [value, np.int64(row), words])


@WORDS
@pytest.mark.parametrize("most", [10, 1_000])
def test_batches_are_stored_as_python_does_it(words: int, most: int) -> None:
    rng = random.Random(words)
    for ready in (0, 1, 40, 100):
        rows = random_rows(rng, 100, words, 2)
        origins = np.array([rng.randrange(1 << 32) for _ in range(100)], np.uint32)
        one = zeros(1)
        steps = driver.Steps(rows, origins, hashes_of(rows, words), *(one.copy() for _ in range(7)))
        stored = driver.Stored(np.zeros((120, words), np.int64), zeros(120, np.uint32), zeros(256))
        totals = driver.Totals(np.array([0, most, 0]), one, one.copy(), zeros(TRANSITIONS + 1), one.copy())
        assert_as_python(driver.insert, [stored, totals, steps, ready])
        driver.insert(stored, totals, steps, ready)
        assert_as_python(driver.insert, [stored, totals, steps, 100])
        collected = [np.zeros((120, words), np.int64), zeros(120, np.uint32), zeros(120, np.uint32), zeros(256)]
        assert_as_python(runs.collect, [rows, origins, steps.hashes, ready, 7, *collected])


@WORDS
def test_steps_are_counted_and_judged_as_python_does_it(words: int) -> None:
    rng = random.Random(words)
    rows = random_rows(rng, 50, words, 3)
    rows[:, words + 1 :] = [[rng.getrandbits(WORD_BITS) & rng.getrandbits(WORD_BITS) for _ in "12"] for _ in rows]
    origins, found = np.arange(50, dtype=np.uint32), np.full((2 * WORD_BITS, 2), -1, np.int64)
    for end in (0, 1, 50):
        assert_as_python(driver.count_steps, [rows, end, words, zeros(TRANSITIONS + 1)])
        assert_as_python(driver.judge, [rows, origins, end, words, driver.all_pending(100), found])


@WORDS
def test_runs_are_sorted_merged_and_searched_as_python_does_it(words: int) -> None:
    rng = random.Random(words)
    for count in (1, 2, 30):
        rows = random_rows(rng, count, words)
        alike = np.sort(np.array([rng.randrange(4) for _ in range(count)], np.uint64))
        assert_as_python(runs.order_equal_hashes, [rows, np.array(rng.sample(range(count), count)), alike])
        a, b = as_run(different(rows)), as_run(different(random_rows(rng, 25, words)))
        assert_as_python(runs.order_equal_hashes, [rows, *ordered(rows)])
        for length in {0, 1, len(a)}:
            order, hashes = ordered(rows)
            assert_as_python(runs.mark_known, [a, length, rows, order, hashes, 0, zeros(count, np.uint8)])
        for room in (1, 7, 100):
            out, places = np.zeros((room, words), np.int64), np.array([0, rng.randrange(len(b)), 0])
            assert_as_python(runs.merge_blocks, [a, len(a), b, len(b), out, places])


@WORDS
def test_new_states_are_gathered_as_python_does_it(words: int) -> None:
    rng = random.Random(words)
    rows, order = random_rows(rng, 30, words), np.array(rng.sample(range(30), 30))
    known = np.array([rng.randrange(2) for _ in range(30)], np.uint8)
    numbers = np.array([rng.randrange(TRANSITIONS) for _ in range(30)], np.uint32)
    for room in (0, 4, 40):
        out, places = np.zeros((room, words), np.int64), np.array([rng.randrange(9), 0, 0])
        assert_as_python(runs.gather, [rows, order, known, out, places])
        more = zeros(room, np.uint32), zeros(room, np.uint32)
        assert_as_python(runs.gather_new, [25, rows, numbers, numbers[::-1].copy(), known, out, *more, places])
        assert_as_python(runs.confirm, [numbers, min(room, 30), zeros(TRANSITIONS)])


@WORDS
def test_steps_of_two_versions_are_looked_up_and_compared_as_python_does_it(words: int) -> None:
    rng = random.Random(words)
    states = different(random_rows(rng, 40, words))
    numbers = np.full(128, -1, np.int32)
    assert_as_python(explored._enter, [states, len(states), numbers])
    explored._enter(states, len(states), numbers)
    rows = states[[rng.randrange(len(states)) for _ in range(60)]]
    assert_as_python(explored._find, [states, numbers, rows, 55, zeros(60, np.int32)])
    for _ in range(20):
        first = np.cumsum([0, *(rng.randrange(4) for _ in range(8))])
        labels, targets = (np.array([rng.randrange(n) for _ in range(first[-1])], np.int32) for n in (2, 8))
        blocks = np.array([rng.randrange(2) for _ in range(8)], np.int32)
        example = np.array([blocks.tolist().index(block) if block in blocks else 0 for block in (0, 1)])
        assert_as_python(bisimulation._sign, [first, labels, targets, blocks, zeros(8, np.uint64)])
        assert_as_python(bisimulation._first_unlike, [first, labels, targets, blocks, example])
