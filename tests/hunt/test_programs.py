"""CPython and every engine say the same of programs made at random; see `tests.hunt` for how to run it for long."""

from __future__ import annotations

import warnings
from collections import Counter
from random import Random

import pytest
from tests.hunt.hunting import Outcome, hunt
from tests.hunt.intruders import Stranger
from tests.hunt.method_mutation import mutants
from tests.hunt.mutated import compare
from tests.hunt.programs import Program

SHORT = 15
"""Programs of each kind in the default suite."""
PEERS = 25
"""One of so many programs also goes through SPIN and TLC."""


def told(seed: int, outcome: Outcome) -> str:
    return f"seed {seed}: python -m tests.hunt.show {seed}\n{outcome.text}"


def inside(seed: int, peers: bool = False) -> Outcome:
    return hunt(Program(seed, large=False if peers else None).text, thoroughly=True, peers=peers)


def outside(seed: int) -> Outcome:
    stranger = Stranger(seed)
    text = stranger.placed(Program(seed, stranger).text)
    with warnings.catch_warnings(action="ignore", category=SyntaxWarning):
        return hunt(text, inside=False)


@pytest.mark.slow
def test_engines_agree_on_programs() -> None:
    kinds: Counter[str] = Counter()
    for seed in range(SHORT):
        outcome = inside(seed)
        assert outcome.kind != "FOUND", told(seed, outcome)
        kinds[outcome.kind] += 1
    assert kinds["agreed"] > SHORT * 0.8, kinds


def test_programs_outside_the_language_are_refused_or_agreed_upon() -> None:
    for seed in range(SHORT):
        outcome = outside(seed)
        assert outcome.kind != "FOUND", told(seed, outcome)


@pytest.mark.slow
@pytest.mark.parametrize("version", ["v1.29", "v1.35"])
def test_engines_agree_on_mutated_methods(version: str) -> None:
    for what, text in Random(version).sample(list(mutants(version)), 1):
        assert not (difference := compare(version, text, depth=5)), f"{what}: {difference}"


@pytest.mark.hunt
def test_engines_agree_on_many_programs(request: pytest.FixtureRequest) -> None:
    first, count = request.config.getoption("--hunt-from"), request.config.getoption("--hunt")
    kinds: Counter[str] = Counter()
    found = list[str]()
    for seed in range(first, first + count):
        outcome = inside(seed, peers=seed % PEERS == 0)
        kinds[outcome.kind] += 1
        kinds["answers"] += outcome.answers
        found += [told(seed, outcome)] if outcome.kind == "FOUND" else []
    print(dict(kinds))
    assert not found, "\n\n".join(found)


@pytest.mark.hunt
def test_many_programs_outside_the_language_are_refused_or_agreed_upon(request: pytest.FixtureRequest) -> None:
    first, count = request.config.getoption("--hunt-from"), request.config.getoption("--hunt")
    outcomes = {seed: outside(seed) for seed in range(first, first + count)}
    print(dict(Counter(outcome.kind for outcome in outcomes.values())))
    found = [told(seed, outcome) for seed, outcome in outcomes.items() if outcome.kind == "FOUND"]
    assert not found, "\n\n".join(found)


@pytest.mark.hunt
@pytest.mark.parametrize("version", ["v1.29", "v1.35"])
def test_engines_agree_on_every_mutated_method(version: str, request: pytest.FixtureRequest) -> None:
    every = list(mutants(version))
    chosen = Random(version).sample(every, min(len(every), request.config.getoption("--hunt")))
    found = [f"{what}: {difference}" for what, text in chosen if (difference := compare(version, text, depth=12))]
    assert not found, "\n".join(found)
