"""What was found before, and what a trace says, after one change; see `tests.hunt` for how to run it for long."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from random import Random

import pytest
from tests.hunt.stores import World
from tests.hunt.traces import judge

SHORT, LONG_ENOUGH = 60, 12
"""Changed traces, and changes of files, in the default suite."""


def told(seeds: range) -> Counter[str]:
    """What becomes of so many traces. Raises AssertionError for one that conforms and says something else."""
    kinds: Counter[str] = Counter()
    found = list[str]()
    for seed in seeds:
        kind, what = judge(seed)
        kinds[kind] += 1
        found += [f"seed {seed}: {what}"] if kind == "FOUND" else []
    assert not found, "\n".join(found)
    return kinds


def asked(folder: Path, seed: int, count: int) -> Counter[str]:
    """What changed, and how often the store answered. Raises AssertionError where it says something else."""
    world, kinds = World(folder, Random(seed)), Counter[str]()
    for number in range(count):
        what = world.change()
        kept, anew = world.answers()
        assert kept == anew, f"seed {seed}, change {number}, {what}:\n{kept}\n----\n{anew}"
        kinds[what] += 1
        kinds["answered from the store"] += bool(world.taken)
        kinds["refused"] += anew.startswith("refused")
    return kinds


def test_a_changed_trace_does_not_conform_unless_it_says_the_same() -> None:
    kinds = told(range(SHORT))
    assert kinds["differs"] > 10 and kinds["refused"] > 5 and kinds["conforms"] > 2, kinds


@pytest.mark.hunt
def test_many_changed_traces_do_not_conform(request: pytest.FixtureRequest) -> None:
    first, count = request.config.getoption("--hunt-from"), request.config.getoption("--hunt")
    print(dict(told(range(first, first + count))))


@pytest.fixture(autouse=True)
def importable(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HUNTED", "0")
    for place in ("second", "first"):
        monkeypatch.syspath_prepend(str(tmp_path / place))


@pytest.mark.slow
def test_the_store_says_what_no_cache_says(tmp_path: Path) -> None:
    kinds = asked(tmp_path, 1, LONG_ENOUGH)
    assert kinds["refused"] < LONG_ENOUGH, kinds


@pytest.mark.hunt
def test_the_store_says_what_no_cache_says_for_long(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    print(dict(asked(tmp_path, request.config.getoption("--hunt-from"), request.config.getoption("--hunt"))))
