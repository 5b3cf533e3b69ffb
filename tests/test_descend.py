"""Narrow levels that are expanded and stored in one call: nothing that a search finds or counts depends on it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import pytest
from tests.counters import COUNTER_CLAIMS, Counters, Overflowing, counters
from tests.generated_code import random_nodes
from tests.test_state_table import this_one
from tests.two_phase_commit import PROPERTIES, two_phase_commit

from podproof.checker.core.system import Limits, LoweredProperty, OutOfRange, Property, Status, System
from podproof.checker.engines.compiled import machine, search, store
from podproof.checker.engines.compiled.search import Search
from podproof.checker.lowering.claims import lower_properties

COUNTED = ("taken", "fresh", "bounds", "pending_states", "found_states", "pending_steps", "found_steps")


@dataclass(frozen=True)
class Found:
    """All that a search leaves behind."""

    fault: str
    states: Any
    parents: Any
    counts: dict[str, Any]
    cursor: int
    depth: int
    result: Any

    @classmethod
    def by(cls, made: Search) -> Found:
        fault, result = "", None
        try:
            made.run(None)
            result = replace(made.result(), seconds=0, peak_bytes=0)
        except OutOfRange as error:
            fault = f"{error} {error.trace}"
        states, parents = made.states.tolist(), made.parents.tolist()
        counts = {name: getattr(made.statistics, name).tolist() for name in COUNTED}
        counts["numbers"] = [made.count, made.statistics.most, made.transitions]
        return cls(fault, states, parents, counts, made.cursor, made.depth, result)


Kind = Literal["always", "sometimes", "step"]


def of(system: System, claims: Sequence[LoweredProperty], limits: Limits, threads: int = 1) -> Search:
    return Search(system, claims, None, limits, threads)


def without(made: Search) -> Search:
    """The same search, which takes every level as a wide one."""
    made._descend = lambda: False  # type: ignore[method-assign]
    return made


def assert_nothing_depends_on_it(system: System, claims: Sequence[LoweredProperty], *rest: Any) -> Found:
    """The same states in the same order, the same counts, verdicts and traces, or the same fault."""
    together, alone = Found.by(of(system, claims, *rest)), Found.by(without(of(system, claims, *rest)))
    if together.fault:  # How much is stored when a model goes wrong is nobody's business.
        assert together.fault == alone.fault, rest
        return together
    for name in Found.__annotations__:
        assert getattr(together, name) == getattr(alone, name), (name, rest)
    return together


@pytest.fixture(params=["as they are", "one level", "three states", "growing"])
def sizes(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Calls end for each of the reasons that there are; every level of the other search is shared out."""
    wanted: dict[str, Sequence[tuple[Any, str, int]]] = {
        "as they are": (),
        "one level": ((search, "_LEVELS", 1), (machine, "_ENOUGH", 64)),
        "three states": ((machine, "_STATES", 3), (machine, "_ENOUGH", 64), (search, "_CHUNK", 7)),
        "growing": ((store, "_FIRST_ROOM", 4), (search, "_LEVELS", 3)),
    }
    for module, name, value in (*wanted[request.param], (search, "_WIDE", 1)):
        monkeypatch.setattr(module, name, value)


def systems() -> list[tuple[System, tuple[LoweredProperty, ...]]]:
    two, several = two_phase_commit(3), counters(starts=(0, 2, 9))
    return [(two, lower_properties(two, PROPERTIES)), (several, lower_properties(several, COUNTER_CLAIMS))]


@pytest.mark.quick(3)
@pytest.mark.usefixtures("sizes")
@pytest.mark.parametrize("number", [0, 1])
@pytest.mark.parametrize("threads", [1, 3])
def test_every_limit_ends_a_search_at_the_same_place(number: int, threads: int) -> None:
    system, claims = systems()[number]
    whole = assert_nothing_depends_on_it(system, claims, Limits(max_states=1_500), threads)
    count, depth, rng = len(whole.states), whole.depth, random.Random(threads)
    for most in rng.sample(range(depth + 2), 3):
        assert_nothing_depends_on_it(system, claims, Limits(max_depth=most), threads)
        assert_nothing_depends_on_it(system, claims, Limits(most * count // depth + 1, most), threads)
    for most in (1, 2, count - 1, count, count + 1, *rng.sample(range(3, count), 4)):
        found = assert_nothing_depends_on_it(system, claims, Limits(max_states=most), threads)
        assert len(found.states) == most or found.result.complete


@pytest.mark.slow
def test_every_number_of_states_and_every_depth_ends_a_search_at_the_same_place() -> None:
    system = two_phase_commit(2)
    claims = lower_properties(system, PROPERTIES)
    whole = assert_nothing_depends_on_it(system, claims, Limits())
    for most in range(1, len(whole.states) + 2):
        assert_nothing_depends_on_it(system, claims, Limits(max_states=most))
        for depth in range(most % 4, whole.depth + 2, 4):
            assert_nothing_depends_on_it(system, claims, Limits(most, depth))


def claim_for_each_state(system: System, states: Sequence[dict[str, int]], kind: Kind) -> list[LoweredProperty]:
    """It is violated, or seen, in this state, or by the steps that begin there."""
    claims = []
    for number, values in enumerate(states):
        here, named = this_one(system, values), Property(str(number), kind, "")
        if kind == "step":
            claims.append(LoweredProperty(named, steps=(here,) * len(system.transitions)))
        else:
            claims.append(LoweredProperty(named, state=here if kind == "sometimes" else system.graph.not_(here)))
    return claims


@pytest.mark.slow
@pytest.mark.usefixtures("sizes")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("kind", ["always", "sometimes", "step"])
def test_claims_are_decided_at_every_depth(kind: Kind, threads: int) -> None:
    """All of them in one search, and a few alone: then nothing else ends a call of many levels."""
    system = two_phase_commit(3)
    whole = of(system, (), Limits())
    whole.run(None)
    claims = claim_for_each_state(system, [whole.layout.unpack(state) for state in whole.states], kind)
    found = assert_nothing_depends_on_it(system, claims, Limits(), threads)
    assert all(verdict.trace is not None for verdict in found.result.verdicts)
    for number in range(0, 288, 41):
        for limits in (Limits(), Limits(max_depth=4), Limits(max_states=150)):
            assert_nothing_depends_on_it(system, claims[number : number + 1], limits, threads)


@pytest.mark.quick(12)
@pytest.mark.usefixtures("sizes")
@pytest.mark.parametrize("seed", range(6))
def test_random_models_some_of_them_faulty(seed: int) -> None:
    rng = random.Random(seed)
    system = counters(Overflowing if seed % 2 else Counters, (0, 3))
    nodes = random_nodes(system, rng, 60)
    graph, guarded = system.graph, []
    for t in system.transitions:
        also = graph.or_(rng.choice(nodes), rng.choice(nodes)) if rng.random() < 0.7 else graph.true
        guarded.append(replace(t, enabled=graph.and_(t.enabled, also)))
    system = replace(system, transitions=tuple(guarded))
    claims = [LoweredProperty(Property(f"s{i}", "always", ""), node) for i, node in enumerate(nodes[:9])]
    for i in range(9):
        steps = tuple(graph.and_(rng.choice(nodes), rng.choice(nodes)) for _ in guarded)
        claims.append(LoweredProperty(Property(f"t{i}", "step", ""), steps=steps))
    for threads in (1, 2):
        for limits in (Limits(max_states=1_000), Limits(max_depth=2), Limits(max_states=rng.randrange(1, 60))):
            assert_nothing_depends_on_it(system, claims, limits, threads)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("room", [4, 50, 150])
def test_without_memory_only_what_was_found_is_claimed(
    room: int, threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The states are the first ones of a whole search, and each of them was judged."""
    monkeypatch.setattr(store, "_FIRST_ROOM", room)
    monkeypatch.setattr(search, "available_memory", lambda: 0)
    system = two_phase_commit(3)
    claims = lower_properties(system, PROPERTIES)
    made = of(system, claims, Limits(), threads)
    made.run(None)
    found = made.result()
    assert not found.complete and "memory" in found.reason and 0 < found.states <= room
    assert sum(n.new_states for n in found.actions.values()) == found.states - 1
    assert sum(n.taken for n in found.actions.values()) == found.transitions
    for verdict in found.verdicts:
        assert verdict.trace is not None or verdict.status is Status.UNKNOWN
    monkeypatch.undo()
    limited = without(of(system, claims, Limits(max_states=found.states)))
    limited.run(None)
    assert (limited.states == made.states).all() and (limited.parents == made.parents).all()
    assert (made.statistics.found_states == limited.statistics.found_states).all()
