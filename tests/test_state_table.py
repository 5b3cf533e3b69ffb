"""The table of states and the arrays that hold them, beside Python's own sets."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.test_compiled_engine import assert_same
from tests.two_phase_commit import PROPERTIES, two_phase_commit

from podproof.checker.claims import lower_properties
from podproof.checker.compiled import batch, explore, jit, search, store, table
from podproof.checker.compiled.layout import WORD_BITS
from podproof.checker.compiled.store import Store

MASK = (1 << 64) - 1


def states_with_repetitions(rng: random.Random, words: int, count: int) -> list[tuple[int, ...]]:
    """Some close to each other, some far, and each about twice."""
    few = [tuple(rng.getrandbits(rng.choice((3, 12, WORD_BITS))) for _ in range(words)) for _ in range(count // 2)]
    return [rng.choice(few) for _ in range(count)]


def add(kept: Store, count: int, state: tuple[int, ...]) -> int:
    """Store a state if it is new; gives the number of states stored."""
    row = np.array([state], np.int64)
    value = table.hash_row(row, 0, len(state))
    slot = table.slot_for(kept.states, kept.slots, row, 0, value)
    if slot < 0:
        return count
    kept.grow(kept.wanted(count, 1), count)
    slot = table.slot_for(kept.states, kept.slots, row, 0, value)
    kept.slots[slot] = table.entry_of(value, count, len(state))
    kept.states[count] = row[0]
    return count + 1


@pytest.mark.parametrize("words", [1, 2, 3])
@pytest.mark.parametrize("addresses", ["many", "few"])
def test_a_growing_table_knows_exactly_the_states_it_was_given(
    words: int, addresses: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(store, "_FIRST_ROOM", 4)
    if addresses == "few":
        monkeypatch.setattr(store, "zeros", only_so_many_bytes(1 << 20))
    rng = random.Random(words)
    kept, count, order = Store(words), 0, dict[tuple[int, ...], int]()
    for state in [(0,) * words, *states_with_repetitions(rng, words, 4_000)]:
        order.setdefault(state, len(order))
        count = add(kept, count, state)
        assert count == len(order)
    assert [tuple(row) for row in kept.states[:count].tolist()] == list(order)
    assert np.count_nonzero(kept.slots) == count


def only_so_many_bytes(most: int) -> Any:
    """As `zeros`, on a machine where a process has few addresses."""
    real = store.zeros

    def zeros(count: int, kind: type[Any], large_pages: bool = True) -> Any:
        if count * np.dtype(kind).itemsize > most:
            raise OSError("no addresses are left")
        return real(count, kind, large_pages)

    return zeros


@pytest.mark.parametrize("threads", [1, 2])
def test_a_search_does_with_few_addresses(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    system = two_phase_commit(5)
    plain = explore(system, lower_properties(system, PROPERTIES), threads=threads)
    for module in (store, batch):
        monkeypatch.setattr(module, "zeros", only_so_many_bytes(1 << 20))
    monkeypatch.setattr(search, "_WIDE", 1)
    assert_same(explore(system, lower_properties(system, PROPERTIES), threads=threads), plain)


@pytest.mark.parametrize("words", [1, 2])
def test_a_table_made_from_states_is_like_one_that_grew(words: int) -> None:
    rng = random.Random(words)
    states = list(dict.fromkeys(states_with_repetitions(rng, words, 3_000)))
    rows = np.array(states, np.int64)
    slots = np.zeros(8_192, np.int64)
    table.enter(rows, len(rows), slots)
    for i in range(len(rows)):
        assert table.slot_for(rows, slots, rows, i, table.hash_row(rows, i, words)) == -1
    fresh = np.array([[rng.getrandbits(WORD_BITS)] * words for _ in range(500)], np.int64)
    known = set(states)
    for i, row in enumerate(fresh.tolist()):
        found = table.slot_for(rows, slots, fresh, i, table.hash_row(fresh, i, words))
        assert (found == -1) == (tuple(row) in known)


def test_a_word_and_its_hash_determine_each_other() -> None:
    """What the slots of states of one word rest on: `undone` takes every step of the hash back."""
    rng = random.Random(7)
    words = [0, 1, (1 << WORD_BITS) - 1, *(rng.getrandbits(WORD_BITS) for _ in range(2_000))]
    rows = np.array(words, np.int64).reshape(-1, 1)
    for i, word in enumerate(words):
        value = int(table.hash_row(rows, i, 1))
        assert value != 0
        assert undone(value) == word


def undone(value: int) -> int:
    def halves(mixed: int) -> int:
        return mixed ^ (mixed >> 32)

    value = halves(value) * pow(0xD6E8FEB86659FD93, -1, 1 << 64) & MASK
    return (halves(value) * pow(0x9E3779B97F4A7C15, -1, 1 << 64) & MASK) ^ 0xA0761D6478BD642F


def test_no_word_has_the_hash_of_an_empty_slot() -> None:
    assert undone(0) >= 1 << WORD_BITS


def test_compiled_loops_are_kept_apart_by_the_text_they_are_made_of(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jit, "default_cache", lambda: tmp_path)
    monkeypatch.setattr(jit, "_MOST_FOLDERS", 2)
    jit._own_folder.cache_clear()
    try:
        first = jit._own_folder()
        assert first is not None and first.is_dir()
        for files in (("jit",), ("jit", "table"), ("table",)):
            monkeypatch.setattr(jit, "_FILES", files)
            jit._own_folder.cache_clear()
            assert jit._own_folder() not in (None, first)
        assert len(list(tmp_path.iterdir())) == 2
    finally:
        jit._own_folder.cache_clear()


def test_without_a_place_for_them_loops_are_compiled_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(jit, "default_cache", lambda: tmp_path / "file")
    jit._own_folder.cache_clear()
    try:
        assert jit._own_folder() is None
        with jit._folder() as found:
            assert not found
    finally:
        jit._own_folder.cache_clear()
