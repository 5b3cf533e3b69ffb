"""Engine `compiled` agrees with the reference and with counts made by others, under every limit."""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.counters import COUNTER_CLAIMS, Overflowing, assert_same, counters
from tests.generated_code import MachineCode, random_nodes, random_state
from tests.two_phase_commit import PROPERTIES, STATES, two_phase_commit

import podproof.checker
from podproof.checker.core.graph import evaluate
from podproof.checker.core.system import (
    NO_LIMITS,
    CheckerError,
    Exploration,
    Limits,
    LoweredProperty,
    OutOfRange,
    Progress,
    Property,
    Status,
    System,
)
from podproof.checker.engines.compiled import Compiled, machine, search
from podproof.checker.engines.compiled.layout import lay_out
from podproof.checker.engines.python import Python
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import plan, relevant_variables


def both(system: System, properties: tuple[Property, ...], **limits: Any) -> tuple[Exploration, Exploration]:
    lowered = lower_properties(system, properties)
    return (
        Compiled().run(system, lowered, None, Limits(**limits)),
        Python().run(system, lowered, None, Limits(**limits)),
    )


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("managers", [3, 5, 7, 8])
def test_two_phase_commit_has_the_known_number_of_states(managers: int, threads: int) -> None:
    found = Compiled(threads=threads).run(two_phase_commit(managers), ())
    assert found.complete
    assert found.states == STATES[managers]


@pytest.mark.parametrize("managers", [1, 3, 4])
def test_both_engines_say_the_same_about_two_phase_commit(managers: int) -> None:
    assert_same(*both(two_phase_commit(managers), PROPERTIES))


@pytest.mark.slow
@pytest.mark.parametrize("starts", [(0,), (0, 2, 9)])
def test_both_engines_say_the_same_about_counters(starts: tuple[int, ...]) -> None:
    system = counters(starts=starts)
    assert lay_out(system, None).words == 2
    fast, slow = both(system, COUNTER_CLAIMS)
    assert_same(fast, slow)
    assert set(fast.bounds_hit) == {"too much", "too little"}


def test_counterexamples_are_shortest_and_end_in_the_violation() -> None:
    found = Compiled().run(two_phase_commit(3), lower_properties(two_phase_commit(3), PROPERTIES))
    depths = {v.property.id: (v.status, v.depth) for v in found.verdicts}
    assert depths == {
        "consistent": (Status.HOLDS, None),
        "nobody_commits": (Status.VIOLATED, 8),
        "first_is_never_undone": (Status.VIOLATED, 3),
        "decisions_stay": (Status.HOLDS, None),
        "all_commit": (Status.HOLDS, 10),
        "both_sent": (Status.VIOLATED, None),
    }


def expected_steps(system: System, values: dict[str, int]) -> Iterator[tuple[str, dict[str, int], dict[str, int]]]:
    for t in system.transitions:
        for _, choice in t.moves():
            (enabled,) = evaluate([t.enabled], values, choice)
            if not enabled or any(evaluate(t.bounds.values(), values, choice)):
                continue
            if any(evaluate(t.faults.values(), values, choice)):
                continue
            after = dict(zip(t.updates, evaluate(t.updates.values(), values, choice), strict=True))
            yield t.action.name, choice, {**values, **after}


@pytest.mark.parametrize("quick", [True, False])
@pytest.mark.parametrize("system", [counters(), two_phase_commit(3)], ids=lambda s: s.scenario)
def test_machine_code_and_graph_give_the_same_steps_from_random_states(system: System, quick: bool) -> None:
    rng, compiled = random.Random(1), MachineCode(system, (), quick)
    for _ in range(300):
        state = random_state(system, rng)
        values = dict(zip((v.path for v in system.variables), state, strict=True))
        found = [(*tag.move(system), s) for tag, s in compiled.expand(state) if not tag.faulty]
        assert found == list(expected_steps(system, values))


@pytest.mark.parametrize("quick", [True, False])
def test_machine_code_computes_every_operator_as_the_graph_does(quick: bool) -> None:
    system, rng = counters(), random.Random(2)
    nodes = random_nodes(system, rng, 400)
    claims = tuple(LoweredProperty(Property(str(i), "sometimes", ""), node) for i, node in enumerate(nodes))
    compiled = MachineCode(system, claims, quick)
    for _ in range(200):
        state = random_state(system, rng)
        values = dict(zip((v.path for v in system.variables), state, strict=True))
        assert compiled.examine(state) == evaluate(nodes, values)


def test_more_claims_than_bits_in_a_word_are_all_judged() -> None:
    system = two_phase_commit(3)
    properties = tuple(replace(p, id=f"{p.id} {i}") for i in range(40) for p in PROPERTIES)
    found = Compiled().run(system, lower_properties(system, properties))
    once = Compiled().run(system, lower_properties(system, PROPERTIES))
    assert [v.status for v in found.verdicts] == [v.status for v in once.verdicts] * 40
    assert [v.trace for v in found.verdicts] == [v.trace for v in once.verdicts] * 40


def test_variables_that_matter_to_nothing_need_not_be_stored() -> None:
    system = counters()
    lowered = lower_properties(system, COUNTER_CLAIMS)
    keep = relevant_variables(system, lowered)
    assert "noise" not in keep
    whole, sliced = Compiled().run(system, lowered), Compiled().run(system, lowered, keep)
    assert sliced.states < whole.states
    assert [(v.status, v.depth) for v in sliced.verdicts] == [(v.status, v.depth) for v in whole.verdicts]
    assert "left out" in " ".join(plan(system, lowered, ["slicing"]).notes)
    assert not plan(system, lowered, []).notes


def test_leaving_out_a_variable_that_is_read_is_refused() -> None:
    system = counters()
    with pytest.raises(CheckerError, match="flag is read but not stored"):
        Compiled().run(system, (), frozenset(v.path for v in system.variables) - {"flag"})


def test_a_field_that_leaves_its_range_ends_the_search_with_the_trace() -> None:
    with pytest.raises(OutOfRange, match="far_2") as error:
        Compiled().run(counters(Overflowing), ())
    assert error.value.trace is not None
    assert len(error.value.trace.steps) == 2


@pytest.fixture
def eager_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    """Even small levels are shared out, in small batches."""
    monkeypatch.setattr(search, "_WIDE", 1)
    monkeypatch.setattr(machine, "_STATES", 16)


@pytest.mark.usefixtures("eager_threads")
@pytest.mark.parametrize("threads", [2, 3, 7])
@pytest.mark.parametrize("limits", [Limits(), Limits(max_depth=9), Limits(max_states=30_000)], ids=str)
def test_any_number_of_threads_finds_the_same_in_the_same_order(threads: int, limits: Limits) -> None:
    system = two_phase_commit(6)
    lowered = lower_properties(system, PROPERTIES)
    alone, together = (search.Search(system, lowered, None, limits, n) for n in (1, threads))
    alone.run(None)
    together.run(None)
    assert (alone.states[: alone.count] == together.states[: together.count]).all()
    assert (alone.parents[: alone.count] == together.parents[: together.count]).all()
    assert_same(together.result(), alone.result())


@pytest.mark.usefixtures("eager_threads")
def test_threads_count_cut_steps_and_report_faults_as_one_does() -> None:
    system = counters(starts=(0, 2, 9))
    lowered = lower_properties(system, COUNTER_CLAIMS)
    assert_same(Compiled(threads=3).run(system, lowered), Compiled(threads=1).run(system, lowered))
    with pytest.raises(OutOfRange, match="far_2") as error:
        Compiled(threads=3).run(counters(Overflowing), ())
    assert error.value.trace is not None
    assert len(error.value.trace.steps) == 2


@pytest.mark.parametrize("most", [1, 2, 100, 287])
def test_a_limit_on_states_is_exact_and_ends_in_unknown(most: int) -> None:
    system = two_phase_commit(3)
    found = Compiled().run(system, lower_properties(system, PROPERTIES), None, Limits(max_states=most))
    assert not found.complete
    assert found.states == most
    assert found.verdicts[0].status is Status.UNKNOWN
    assert "--max-states" in found.reason


def test_a_limit_that_is_not_reached_changes_nothing() -> None:
    assert Compiled().run(two_phase_commit(3), (), None, Limits(max_states=288, max_depth=11, seconds=60)).complete


@pytest.mark.parametrize("depth", [0, 1, 3, 8])
def test_a_limit_on_depth_means_the_same_to_both_engines(depth: int) -> None:
    assert_same(*both(two_phase_commit(3), PROPERTIES, max_depth=depth))


def test_two_phase_commit_has_as_many_states_as_a_formula_says() -> None:
    """Which gives every number that others have counted."""
    assert {n: 6**n + 4**n + 2**n for n in STATES} == STATES


def test_a_limit_on_time_ends_in_unknown() -> None:
    found = Compiled().run(two_phase_commit(7), (), None, Limits(seconds=0.0))
    assert not found.complete
    assert "--budget" in found.reason


def test_too_little_memory_ends_the_search_before_the_system_does(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(search, "available_memory", lambda: 1 << 20)
    found = Compiled().run(two_phase_commit(8), ())
    assert not found.complete
    assert "memory" in found.reason
    assert 0 < found.states < STATES[8]


@pytest.mark.parametrize("threads", [1, 2])
def test_control_c_keeps_what_was_established(threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    system = two_phase_commit(7)
    lowered = lower_properties(system, PROPERTIES)
    monkeypatch.setattr("podproof.checker.engines._REPORT_SECONDS", 0.0)

    def press(progress: Progress) -> None:
        if progress.states > 10_000:
            raise KeyboardInterrupt

    found = Compiled(threads).run(system, lowered, None, NO_LIMITS, press)
    assert found.interrupted
    assert 10_000 < found.states < STATES[7]
    statuses = {v.property.id: v.status for v in found.verdicts}
    assert statuses["first_is_never_undone"] is Status.VIOLATED
    assert statuses["consistent"] is Status.UNKNOWN


@pytest.mark.slow
@pytest.mark.usefixtures("eager_threads")
@pytest.mark.parametrize("threads", [1, 3])
def test_better_code_changes_nothing_wherever_a_search_goes_over_to_it(
    threads: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    system = two_phase_commit(6)
    lowered = lower_properties(system, PROPERTIES)

    def searched(worth: float) -> search.Search:
        monkeypatch.setattr(search, "_WORTH", worth)
        made = search.Search(system, lowered, None, Limits(), threads)
        made.run(None)
        return made

    quick = searched(1 << 60)
    better = [searched(waiting / len(quick.program.text)) for waiting in (0, 300, 5_000)]
    assert quick.code.is_quick and not any(made.code.is_quick for made in better)
    for made in better:
        assert (made.states[: made.count] == quick.states[: quick.count]).all()
        assert (made.parents[: made.count] == quick.parents[: quick.count]).all()
        assert_same(made.result(), quick.result())


@pytest.mark.slow
def test_nothing_that_is_executed_is_kept_between_runs(tmp_path: Path) -> None:
    """What lies in a folder can be another's, or come from a cache that others fill."""
    command = [sys.executable, "-m", "podproof.cli.main", "check", "-q", "--scenario", "static-removed"]
    places = {
        "HOME": str(tmp_path / "home"),
        "XDG_CACHE_HOME": str(tmp_path / "cache"),
        "TMPDIR": str(tmp_path / "tmp"),
    }
    for place in places.values():
        Path(place).mkdir()
    environment = {**places, "PYTHONPATH": str(Path(podproof.checker.__file__).parents[2])}
    found = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert found.returncode == 0 and "2 VIOLATED" in found.stdout, found.stderr
    kept = [path for path in tmp_path.rglob("*") if not path.is_dir()]
    # A finding, and what failed and how long it took: data.
    assert {path.parent for path in kept} == {tmp_path / "cache" / "podproof"}
    assert sorted(path.suffix for path in kept) == ["", ".last"]


def test_the_engine_is_loaded_only_when_it_is_used() -> None:
    code = "import sys, podproof.checker.engines.compiled; sys.exit(bool({'numpy', 'llvmlite'} & set(sys.modules)))"
    source = Path(podproof.checker.__file__).parents[2]
    assert subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": str(source)}, check=False).returncode == 0
