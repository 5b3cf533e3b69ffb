"""What members say of systems of pods made at random, beside a search of the whole; see `tests.hunt`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import pytest
from tests.hunt.crowds import Maker, by_members, explored, lowered
from tests.hunt.engines import loaded

from podproof.checker.core.system import Outcome
from podproof.checker.locality import Simulation, untaken_alike

SHORT = 40
"""Systems in the default suite."""

Untaken = Callable[[Sequence[Simulation]], Iterator[str]]


def compared(seed: int, untaken: Untaken = untaken_alike) -> tuple[str, str]:
    """How the members answer, and what is wrong in it; empty for nothing."""
    with loaded(Maker(seed).text()) as module:
        members = by_members(module, untaken)
        if members.kind != "explored":
            return members.kind, ""
        whole = explored(*lowered(module, module.KINDS))
    text = "all that hold" if members.holds == whole.holds else "some that hold"
    return whole.kind if whole.kind != "explored" else text, members.contradicted_by(whole)


def hunt(seeds: Iterator[int] | range, untaken: Untaken = untaken_alike) -> tuple[Counter[str], list[str]]:
    kinds, found = Counter[str](), list[str]()
    for seed in seeds:
        kind, wrong = compared(seed, untaken)
        kinds[kind] += 1
        found += [f"seed {seed}: {wrong}"] if wrong else []
    return kinds, found


@pytest.mark.slow
def test_members_say_of_a_crowd_what_all_of_it_does() -> None:
    kinds, found = hunt(range(SHORT))
    assert not found, found
    assert kinds["all that hold"] >= SHORT * 0.2, kinds


def untaken_by_what_is_said(parts: Sequence[Simulation]) -> Iterator[str]:
    """As it was once: the small system's faults are looked at, and not whether its step is possible at all."""
    for part in parts:
        for number, t in enumerate(part.large.transitions):
            if (image := part.images[number]) is not None:
                faults = part.small.graph.or_(*part.small.transitions[image].faults.values())
                where = part.graph.and_(part.invariant, t.when(Outcome.FAULT, part.graph))
                if not part.always(part.of(faults), where):
                    yield t.action.name


@pytest.mark.slow
def test_the_hunt_finds_faults_and_bounds_that_members_once_hid() -> None:
    _, found = hunt(range(SHORT), untaken_by_what_is_said)
    said = {text.partition(": ")[2].partition(":")[0] for text in found}
    assert said == {"the whole goes wrong, and no member does", "bounds that no member meets"}


@pytest.mark.hunt
def test_members_say_of_many_crowds_what_all_of_each_does(request: pytest.FixtureRequest) -> None:
    first, count = request.config.getoption("--hunt-from"), request.config.getoption("--hunt")
    kinds, found = hunt(range(first, first + count))
    print(dict(kinds))
    assert not found, found
