"""The table of states and the arrays that hold them, beside Python's own sets."""

from __future__ import annotations

import os
import random
import signal
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from tests.counters import COUNTER_CLAIMS, assert_same, counters
from tests.stored_rows import colliding_rows, hashes_of, kept_after
from tests.two_phase_commit import PROPERTIES, two_phase_commit

from podproof.checker.core.graph import Expr
from podproof.checker.core.system import Limits, LoweredProperty, Progress, Property, System
from podproof.checker.engines.compiled import Compiled, machine, search, store
from podproof.checker.engines.compiled.layout import WORD_BITS
from podproof.checker.engines.compiled.machine import StoreArrays, loops_for
from podproof.checker.engines.compiled.search import Search
from podproof.checker.engines.compiled.store import MOST_SLOTS, Store
from podproof.checker.lowering.claims import lower_properties

MASK = (1 << 64) - 1


def states_with_repetitions(rng: random.Random, words: int, count: int) -> list[tuple[int, ...]]:
    """Some close to each other, some far, and each about twice."""
    few = [tuple(rng.getrandbits(rng.choice((3, 12, WORD_BITS))) for _ in range(words)) for _ in range(count // 2)]
    return [rng.choice(few) for _ in range(count)]


def add(kept: Store, count: int, state: tuple[int, ...]) -> int:
    """Store a state if it is new; gives the number of states stored."""
    kept.grow(kept.capacity(count, 1), count)
    return kept_after(kept, count, [state])


@pytest.mark.slow
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


def test_states_that_share_a_hash_are_told_apart() -> None:
    rows = [tuple(row) for row in colliding_rows(random.Random(5), 100).tolist()]
    kept, count = Store(2), 0
    for row in rows:
        count = add(kept, count, row)
    assert count == len(rows)
    assert all(add(kept, count, row) == count for row in rows)


@pytest.mark.parametrize("differing", [0, 1])
def test_states_that_share_a_tag_and_a_word_are_told_apart(differing: int) -> None:
    rows = np.zeros((300_000, 2), np.int64)
    rows[:, differing] = np.arange(len(rows))
    _, tags, counts = np.unique(hashes_of(rows) >> np.uint64(33), return_inverse=True, return_counts=True)
    alike = rows[counts[tags] > 1]
    kept, count = Store(2), 0
    for row in alike.tolist():
        count = add(kept, count, tuple(row))
    assert count == len(alike) > 10


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
    plain = Compiled(threads=threads).run(system, lower_properties(system, PROPERTIES))
    for module in (store, machine):
        monkeypatch.setattr(module, "zeros", only_so_many_bytes(1 << 20))
    monkeypatch.setattr(store, "_FIRST_ROOM", 1 << 14)
    monkeypatch.setattr(search, "_WIDE", 1)
    assert_same(Compiled(threads=threads).run(system, lower_properties(system, PROPERTIES)), plain)


@pytest.mark.parametrize("words", [1, 2])
def test_an_entry_finds_its_place_in_the_largest_table(words: int) -> None:
    """Only addresses are taken for tables of so many slots, and a page for each entry."""
    try:
        half, whole = (store.zeros(MOST_SLOTS // n, np.int64, large_pages=False) for n in (2, 1))
    except OSError:
        pytest.skip("too few addresses")
    rng = random.Random(words)
    kept = StoreArrays()
    kept.states, kept.parents = np.zeros((50, words), np.int64), np.zeros(50, np.uint32)
    for index in range(50):
        state = [rng.getrandbits(WORD_BITS) for _ in range(words)]
        value = int(hashes_of(np.array([state]))[0])
        kept.slots, kept.size = half, len(half)
        assert half[value >> 34] == 0
        assert kept_after(kept, index, [state]) == kept_after(kept, index + 1, [state]) == index + 1
        assert half[value >> 34] != 0
        loops_for(words).move(half, value >> 34, (value >> 34) + 1, whole, len(whole))
        assert whole[value >> 33] == half[value >> 34]
        kept.slots, kept.size = whole, len(whole)
        assert kept_after(kept, index + 1, [state]) == index + 1


def test_memory_is_asked_for_all_the_room_that_is_made() -> None:
    """Or a search would go on filling old room after its last look at how much memory is left."""
    rng, kept, count = random.Random(1), Store(2), 0
    for _ in range(40):
        more = rng.randrange(1, 20_000)
        wanted = kept.capacity(count, more)
        cost, used = kept.cost(wanted, count), kept.bytes(count)
        assert (cost == 0) == (wanted == (kept.room, len(kept.slots)))
        kept.grow(wanted, count)
        assert kept.room >= count + more
        assert not cost or used + cost == kept.bytes(kept.room)
        count += rng.randrange(more + 1)


def test_large_pages_are_done_without_where_there_are_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(store.mmap, "MADV_HUGEPAGE", 1 << 20, raising=False)
    assert not store.zeros(1_000, np.int64).any()


def test_a_process_without_addresses_ends_the_search_as_one_without_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    system, real = two_phase_commit(8), store.zeros
    made = Search(system, lower_properties(system, PROPERTIES), None, Limits())
    left = [1 << 20]

    def zeros(count: int, kind: type[Any], large_pages: bool = True) -> Any:
        left[0] -= count * np.dtype(kind).itemsize
        if left[0] < 0:
            raise OSError("no addresses are left")
        return real(count, kind, large_pages)

    monkeypatch.setattr(store, "zeros", zeros)
    made.run(None)
    found = made.result()
    assert not found.complete and "addresses" in found.reason
    assert found.states > 10_000
    assert {v.property.id: v.depth for v in found.verdicts}["first_is_never_undone"] == 3


# -- what a search has counted and decided where it stopped ------------------------------------------------------------


@pytest.fixture
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every level is shared out, in batches of a few states, and the store grows often."""
    for module, name, value in (
        *((search, "_WIDE", 1), (machine, "_STATES", 3), (machine, "_ENOUGH", 64)),
        *((store, "_FIRST_ROOM", 4), (search, "_CHUNK", 7)),
    ):
        monkeypatch.setattr(module, name, value)


def searched(system: System, properties: tuple[Property, ...], limits: Limits, threads: int) -> Search:
    made = Search(system, lower_properties(system, properties), None, limits, threads)
    made.run(None)
    return made


@pytest.mark.parametrize("most", [1, 2, 3, 10, 77, 300])
def test_steps_that_are_cut_off_are_counted_alike_by_any_number_of_threads(
    most: int, request: pytest.FixtureRequest
) -> None:
    """Where a limit on states ends the search in the middle of a batch, whatever else is in that batch."""
    system, limits = counters(starts=(0, 2, 9)), Limits(max_states=most)
    expected = searched(system, COUNTER_CLAIMS, limits, 1)
    assert expected.count == most
    assert most < 50 or expected.result().bounds_hit
    request.getfixturevalue("small_batches")
    for threads in (1, 2, 3):
        found = searched(system, COUNTER_CLAIMS, limits, threads)
        assert_same(found.result(), expected.result())
        assert found.cursor == expected.cursor


def this_one(system: System, values: Mapping[str, int]) -> Expr:
    """Is the state this one?"""
    graph, parts = system.graph, list[Expr]()
    for v in system.variables:
        node = graph.variable(v.path, v.is_bool, v.low, v.high)
        wanted = graph.boolean(bool(values[v.path])) if v.is_bool else graph.integer(values[v.path])
        parts.append(graph.eq(node, wanted))
    return graph.and_(*parts)


@pytest.mark.usefixtures("small_batches")
@pytest.mark.parametrize("threads", [1, 3])
def test_every_state_that_was_stored_is_judged_and_no_other(threads: int) -> None:
    """There is a claim for each reachable state, that it is seen: at whatever state a search stops, one tells."""
    system = two_phase_commit(3)
    whole = searched(system, (), Limits(), 1)
    nodes = [this_one(system, whole.layout.unpack(state)) for state in whole.states]
    claims = [LoweredProperty(Property(str(i), "sometimes", ""), state=node) for i, node in enumerate(nodes)]
    numbers = np.arange(whole.count)
    limits = [Limits(max_states=n) for n in (1, 2, 40, 41, 287, 288)] + [Limits(max_depth=n) for n in (0, 1, 5, 99)]
    for limit in limits:
        found = Search(system, claims, None, limit, threads)
        found.run(None)
        assert (found.statistics.found_states[: len(nodes)] == np.where(numbers < found.count, numbers, -1)).all(), (
            limit
        )


@pytest.mark.parametrize("words", [1, 2])
def test_a_table_made_from_states_is_like_one_that_grew(words: int) -> None:
    rng = random.Random(words)
    states = list(dict.fromkeys(states_with_repetitions(rng, words, 3_000)))
    kept = Store(words)
    kept.states[: len(states)] = states
    kept.enter(len(states))
    assert kept_after(kept, len(states), states) == len(states)
    known = set(states)
    for state in [tuple([rng.getrandbits(WORD_BITS)] * words) for _ in range(500)]:
        assert (kept_after(kept, len(states), [state]) == len(states)) == (state in known)


def test_a_word_and_its_hash_determine_each_other() -> None:
    """What the slots of states of one word rest on: `undone` takes every step of the hash back."""
    rng = random.Random(7)
    words = [0, 1, (1 << WORD_BITS) - 1, *(rng.getrandbits(WORD_BITS) for _ in range(2_000))]
    rows = np.array(words, np.int64).reshape(-1, 1)
    for word, value in zip(words, hashes_of(rows).tolist(), strict=True):
        assert value != 0
        assert undone(value) == word


def undone(value: int) -> int:
    def halves(mixed: int) -> int:
        return mixed ^ (mixed >> 32)

    value = halves(value) * pow(0xD6E8FEB86659FD93, -1, 1 << 64) & MASK
    return (halves(value) * pow(0x9E3779B97F4A7C15, -1, 1 << 64) & MASK) ^ 0xA0761D6478BD642F


def test_no_word_has_the_hash_of_an_empty_slot() -> None:
    assert undone(0) >= 1 << WORD_BITS


@pytest.mark.parametrize("threads", [1, 2])
def test_ctrl_c_takes_effect_between_two_batches(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "_STATES", 16)
    monkeypatch.setattr(machine, "_ENOUGH", 64)
    monkeypatch.setattr(search, "_WIDE", 1)
    monkeypatch.setattr("podproof.checker.engines._REPORT_SECONDS", 0.0)
    system = two_phase_commit(5)

    def press(found: Progress) -> None:
        if found.states > 2_000:
            os.kill(os.getpid(), signal.SIGINT)

    found = Compiled(threads=threads).run(system, lower_properties(system, PROPERTIES), None, Limits(), press)
    assert found.interrupted and not found.complete
    assert 2_000 < found.states < 8_832
    assert sum(count.new_states for count in found.actions.values()) == found.states - 1
    assert sum(count.taken for count in found.actions.values()) == found.transitions
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_second_ctrl_c_acts_at_once() -> None:
    with pytest.raises(KeyboardInterrupt), search.postpone_interrupt() as noted:
        os.kill(os.getpid(), signal.SIGINT)
        assert noted.is_set()
        os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
