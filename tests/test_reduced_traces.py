"""A run that breaks a claim is told without the steps that it can do without."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from tests.command_line import run_v1_29 as run
from tests.waterworks import BY_HAND, CLAIMS, breaks, in_scenario, valve_is_open, works

from podproof.checker.core.system import (
    CheckerError,
    Limits,
    Move,
    Property,
    Status,
    System,
    Trace,
    Verdict,
)
from podproof.checker.core.trace import replay
from podproof.checker.engines.compiled import Compiled
from podproof.checker.engines.python import successors
from podproof.checker.explain.stepping import reduce_trace
from podproof.checker.lowering.claims import lower_properties
from podproof.reports.content.check import check_data
from podproof.reports.render.json import json_text


def is_broken_by(system: System, p: Property, initial: tuple[int, ...], moves: list[Move]) -> bool:
    """Can the moves be taken, and does the last one break the claim?"""
    try:
        trace = replay(system, moves, initial)
    except CheckerError:
        return False
    return bool(moves) and breaks(system, p, trace)[-1:] == [len(moves)]


def assert_needed(system: System, p: Property, trace: Trace) -> None:
    """The run breaks the claim, and without any one of its steps it does not."""
    moves = trace.moves
    assert breaks(system, p, trace) == [len(moves)]
    for i in range(len(moves)):
        assert not is_broken_by(system, p, trace.initial, moves[:i] + moves[i + 1 :]), moves[i]


def walk(system: System, p: Property, seed: int, most: int) -> Trace | None:
    """A random run to a violation of the claim, if it comes to one."""
    chance = random.Random(seed)
    moves: list[Move] = []
    state = system.initial[0]
    while len(moves) < most:
        steps = [step for step in successors(system, state) if not isinstance(step[1], Exception)]
        if not steps:
            return None
        move, after, _ = chance.choice(steps)
        moves.append(move)
        trace = replay(system, [moves[-1]], state)
        if breaks(system, p, trace):
            return replay(system, moves, system.initial[0])
        assert not isinstance(after, Exception)
        state = after
    return None


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_every_step_that_is_left_of_a_random_run_is_needed(claim: Property) -> None:
    shrunk = 0
    for seed in range(20):
        trace = walk(works(), claim, seed, 60)
        if trace is not None:
            left = reduce_trace(works(), claim, trace)
            assert_needed(works(), claim, left)
            assert len(left.steps) >= min(BY_HAND[claim.id].values())
            shrunk += len(left.steps) < len(trace.steps)
    assert shrunk >= 5


@pytest.mark.parametrize(
    ("scenario", "claim", "seeds"),
    [
        ("open-pod", "remembered_kill_requests_are_not_lost", (7, 18, 20)),
        ("static-pair", "remembered_kill_requests_are_not_lost", (2, 10, 29)),
    ],
)
def test_long_runs_of_the_pod_worker_shrink_to_what_matters(scenario: str, claim: str, seeds: tuple[int, ...]) -> None:
    system, claims = in_scenario("v1.29", scenario)
    (p,) = (p for p in claims if p.id == claim)
    for seed in seeds:
        trace = walk(system, p, seed, 120)
        assert trace is not None and len(trace.steps) > 8, seed
        left = reduce_trace(system, p, trace)
        assert len(left.steps) < len(trace.steps) / 2
        assert_needed(system, p, left)


@pytest.mark.parametrize(
    ("version", "scenario"), [("v1.29", "one-pod"), ("v1.29", "orphan"), ("v1.26", "orphan"), ("v1.20", "orphan")]
)
def test_nothing_can_be_left_out_of_a_shortest_trace(version: str, scenario: str) -> None:
    system, claims = in_scenario(version, scenario)
    found = Compiled().run(system, lower_properties(system, claims))
    violated = [v for v in found.verdicts if v.status is Status.VIOLATED and v.trace is not None]
    assert len(violated) > (3 if version == "v1.20" else 5)
    for v in violated:
        assert v.trace is not None
        assert reduce_trace(system, v.property, v.trace) == v.trace, v.property.id


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """A walk with three steps too many, in the form of `check -o json`."""
    system, claims = in_scenario("v1.29", "one-pod")
    found = Compiled().run(system, lower_properties(system, claims), limits=Limits(max_states=1))
    (p,) = (p for p in claims if p.id == "grace_period_only_decreases")
    grace = [("handle_pod_deletion", {"uid": 0, "grace": seconds}) for seconds in (5, 0)]
    idle: list[Move] = [("housekeeping_sync_known_pods", {}), ("housekeeping_list_pods", {})]
    added: Move = ("handle_pod_additions", {"uid": 0, "admission": 0})
    moves = [*idle, added, ("worker_start_pod_sync", {"uid": 0, "generation": 0}), *grace]
    trace = replay(system, moves)
    assert breaks(system, p, trace) == [len(moves)]
    file = tmp_path / "walk.json"
    verdict = Verdict(p, Status.VIOLATED, "chosen by hand", trace)
    file.write_text(
        json_text(check_data([replace(found, verdicts=(verdict,))], {"name": "podproof"})), encoding="utf-8"
    )
    return file


def test_a_walk_in_a_file_is_told_without_what_it_does_not_need(played: Path) -> None:
    result = run("explain-trace", "--trace", str(played))
    assert result.exit_code == 0, result.stderr
    assert "grace_period_only_decreases: 3 of 6 steps left out" in result.stderr
    assert "grace_period_only_decreases   3 steps " in result.stdout and "housekeeping" not in result.stdout
    whole = run("explain-trace", "--trace", str(played), "--whole")
    assert whole.stderr == "" and "grace_period_only_decreases   6 steps " in whole.stdout


def test_a_walk_in_a_file_that_breaks_nothing_is_refused(played: Path) -> None:
    document = json.loads(played.read_text(encoding="utf-8"))
    (claim,) = document["results"][0]["properties"]
    claim["trace"].pop()
    played.write_text(json.dumps(document), encoding="utf-8")
    result = run("explain-trace", "--trace", str(played))
    assert result.exit_code == 2
    assert "grace_period_only_decreases: none of the 5 steps breaks it; give a trace of a violation" in result.stderr


def test_a_run_ends_where_it_first_breaks_the_claim() -> None:
    trace = replay(works(), [("turn", {}), ("drip", {"tank": 0}), ("drip", {"tank": 0}), ("drip", {"tank": 0})])
    left = reduce_trace(works(), CLAIMS[2], trace)
    assert [step.event for step in left.steps] == ["a drop into left"] * 2


def test_the_actors_named_first_lose_their_steps_first() -> None:
    """What flows into the left tank was dripped or pumped into the right one before; one of the two is enough."""
    drops, pumped = [("drip", {"tank": 1})] * 2, [("switch", {"tank": 1}), ("pump", {"tank": 1})]
    trace = replay(works(), [*drops, *pumped, ("turn", {}), ("flow", {"tank": 0})])
    for first, left in (("pump", ["drip", "drip", "turn", "flow"]), ("tap", ["switch", "pump", "turn", "flow"])):
        kept = reduce_trace(works(), CLAIMS[2], trace, (first,))
        assert [step.action for step in kept.steps] == left
        assert_needed(works(), CLAIMS[2], kept)


def test_a_run_that_breaks_nothing_is_refused() -> None:
    with pytest.raises(CheckerError, match=r"the_left_tank_is_low: none of the 1 steps breaks it; give a trace of"):
        reduce_trace(works(), CLAIMS[2], replay(works(), [("turn", {})]))


def test_a_claim_that_is_false_at_once_needs_no_step() -> None:
    trace = replay(works(), [("drip", {"tank": 0})])
    assert reduce_trace(works(), Property("open", "always", "", valve_is_open), trace).steps == ()
