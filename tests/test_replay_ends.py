"""A replay ends, whatever the model does: workers that are never blocked, and models that go wrong, are told."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import run_v1_29 as run
from tests.recorded_traces import LIFECYCLES, TRACES, Release, conformance

from podproof.kubelet_1_20 import state as v1_20
from podproof.kubelet_1_20.release import V1_20
from podproof.model.language import out_of_bounds
from podproof.model.state import Delay, Position
from podproof.model.versions import V1_29


class NeverBlocks(V1_29):
    def receive(self, uid: int, generation: int) -> None:
        self.workers[uid][generation].position = Position.TOKEN


class EnqueuesForEver(V1_29):
    def receive(self, uid: int, generation: int) -> None:
        self.enqueue(uid, Delay.NOW)
        self.workers[uid][generation].position = Position.SPAWNED


class NeverBlocks1_20(V1_20):
    def check_for_updates(self, uid: int, generation: int) -> None:
        self.workers[uid][generation].position = v1_20.Position.CHECK


class WorksForNobody(V1_29):
    def receive(self, uid: int, generation: int) -> None:
        self.workers[uid - 1][generation].position = Position.RECEIVING


class HasNoRoom(V1_29):
    def start_pod_worker(self, uid: int) -> None:
        out_of_bounds("goroutines of one UID")


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("grace-of-zero-v1.29", NeverBlocks),
        ("grace-of-zero-v1.29", EnqueuesForEver),
        ("a-kill-is-forgotten-v1.20", NeverBlocks1_20),
    ],
)
def test_a_worker_that_is_never_blocked_is_a_difference(name: str, model: Release) -> None:
    result = conformance(TRACES[name], model)
    assert not result.conforms
    (difference,) = result.differences
    assert (difference.path, difference.recorded) == ("worker of web", "blocked")
    assert difference.model == "not blocked 1,000 steps after the event"
    assert f"step {result.step} of " in "\n".join(result.story())


def test_one_of_two_workers_that_is_never_blocked_is_a_difference() -> None:
    """They share a full name, so that all their orders are tried, and the state of each comes again."""

    class OneNeverBlocks(V1_29):
        def receive(self, uid: int, generation: int) -> None:
            super().receive(uid, generation)
            if uid == 1:
                self.workers[uid][generation].position = Position.SPAWNED

    result = conformance(TRACES["static-race-v1.29"], OneNeverBlocks)
    assert not result.conforms
    assert [difference.path for difference in result.differences] == ["worker of static-b"]


@pytest.mark.parametrize(
    ("model", "place", "said"),
    [
        (WorksForNobody, "worker of web", "IndexError: array index -1 is negative at tests/test_replay_ends.py:"),
        (HasNoRoom, "the event", "OutOfBounds: goroutines of one UID at tests/test_replay_ends.py:"),
    ],
)
def test_a_model_that_goes_wrong_differs_there(model: Release, place: str, said: str) -> None:
    (difference,) = conformance(TRACES["grace-of-zero-v1.29"], model).differences
    assert (difference.path, difference.recorded) == (place, None)
    line = int(difference.model.removeprefix(said))
    assert Path(__file__).read_text().splitlines()[line - 1].startswith("        ")


def test_other_errors_are_not_put_down_to_the_model() -> None:
    class Broken(V1_29):
        def receive(self, uid: int, generation: int) -> None:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        conformance(TRACES["grace-of-zero-v1.29"], Broken)


HEAD = "from podproof.model.state import Position\nfrom podproof.model.versions import V1_29\n\n\n"


def test_the_command_tells_it_and_goes_on_to_the_other_traces(tmp_path: Path) -> None:
    model = tmp_path / "never_blocks.py"
    model.write_text(HEAD + inspect.getsource(NeverBlocks))
    first, second = (json.dumps(TRACES[name]) for name in ("grace-of-zero-v1.29", "worker-that-panics-v1.29"))
    traces = tmp_path / "traces.jsonl"
    traces.write_text(f"{first}\n{second}\n")
    result = run("conform", str(traces), "--model", str(model), "-v")
    assert result.exit_code == 1, result.output
    assert '     worker of web  recorded "blocked", the model shows "not blocked 1,000 steps after' in result.output
    assert result.output.endswith(f"1 of 2 traces conform to {model}\n")


def test_what_is_no_model_is_refused_before_it_is_run(tmp_path: Path) -> None:
    model = tmp_path / "spins.py"
    model.write_text(
        HEAD
        + "class Spins(V1_29):\n"
        + "    def receive(self, uid: int, generation: int) -> None:\n"
        + "        while True:\n"
        + "            pass\n"
    )
    result = run("conform", str(LIFECYCLES), "--model", str(model))
    assert result.exit_code == 2, result.output
    assert "spins.py:7: " in result.stderr and "while" in result.stderr


def test_the_traces_are_of_the_releases_that_they_say(tmp_path: Path) -> None:
    """The schema of one format refuses what only the other has."""
    trace: Any = {"trace": "a", "steps": [{"i": 1, "op": {"op": "wait", "seconds": 1}, "settled": True}]}
    path = tmp_path / "wait.jsonl"
    path.write_text(json.dumps(trace))
    assert run("conform", str(path), "--version", "v1.20").exit_code == 0
    assert 'steps[0].op.op is "wait"' in run("conform", str(path)).stderr
