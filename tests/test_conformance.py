"""Recorded traces against the model: each conforms to its own release, and a replay notices every departure."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from tests.command_line import run_v1_29 as run
from tests.departures import DEPARTURES
from tests.recorded_traces import TRACES, Release, conformance, recorded, release_of, version_of

from podproof.checker.conformance import replay
from podproof.kubelet.replay import record
from podproof.kubelet_1_20.release import V1_20
from podproof.model.language import NIL
from podproof.model.state import WaitingPods
from podproof.model.versions import V1_29
from podproof.queries.build import replayer_of, subject_of
from podproof.queries.formats import trace_format
from podproof.queries.forms import replayer_factory
from podproof.queries.versions import RECORDED, VERSIONS

NOT_COMPARED = ("i", "op", "settled")


@pytest.mark.parametrize("name", TRACES)
def test_a_recorded_trace_conforms(name: str) -> None:
    result = conformance(TRACES[name], release_of(TRACES[name]))
    assert result.conforms, result.story()


@pytest.mark.parametrize("name", TRACES)
def test_the_recorded_traces_are_what_the_model_records(name: str) -> None:
    assert recorded(TRACES[name], release_of(TRACES[name])) == TRACES[name]


@pytest.mark.parametrize(
    "name", [name for name, trace in TRACES.items() if version_of(trace) in ("v1.26", "v1.35", "v1.36")]
)
def test_a_trace_of_another_release_conforms_to_it_alone(name: str) -> None:
    assert not conformance(TRACES[name], V1_29).conforms


def test_any_order_of_the_workers_explains_a_trace() -> None:
    trace = TRACES["two-goroutines-of-one-uid-v1.29"]
    begun = {**trace, "steps": trace["steps"][:4]}
    other = record(begun, replayer_factory(V1_29)(begun), newest_first=True)
    assert other["steps"][3]["workers"] == 1 and trace["steps"][3]["workers"] == 2
    assert conformance(other, V1_29).conforms


def test_any_order_of_killers_and_goroutines_explains_a_trace_of_1_20() -> None:
    """killPodNow calls UpdatePod before the worker has taken the second update, which is then lost, or after."""
    trace = TRACES["a-kill-that-may-come-first-v1.20"]
    replayer = replayer_factory(V1_20)(trace)
    for step in trace["steps"]:
        (replayer,) = replayer.apply(step)
        while step["settled"] and (groups := replayer.runnable()):
            replayer.run(groups[0][-1])
    other = {**trace, "steps": [*trace["steps"][:-1], {**trace["steps"][-1], **replayer.shown(settled=True)}]}
    assert [len(t["steps"][-1]["completed"]) for t in (trace, other)] == [1, 2]
    assert conformance(trace, V1_20).conforms and conformance(other, V1_20).conforms


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a step that holds no further structure, except the ids of calls in flight."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if key != "id" or path[0] != "inflight":
                yield from leaves(inner, (*path, key))
    else:
        yield path


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "name",
    [
        "static-pair-v1.29",
        "eviction-v1.29",
        "containers-without-configuration-v1.29",
        "held-before-termination-v1.29",
        "a-kill-is-forgotten-v1.20",
        "held-on-its-way-v1.20",
        "the-cache-fails-v1.20",
        "what-the-pod-says-changes-nothing-v1.20",
    ],
)
def test_a_trace_with_one_other_value_anywhere_does_not_conform(name: str) -> None:
    trace = TRACES[name]
    for number, step in enumerate(trace["steps"]):
        for path in leaves({key: value for key, value in step.items() if key not in NOT_COMPARED}):
            changed = copy.deepcopy(step)
            inner = changed
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = _other(inner[path[-1]])
            steps = [*trace["steps"][:number], changed, *trace["steps"][number + 1 :]]
            result = conformance({**trace, "steps": steps}, release_of(trace))
            assert result.step == number + 1, f"step {number + 1}: {path} is not compared"


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    if set(value) <= {"0", "1"}:
        return value.translate(str.maketrans("01", "10"))
    return {"Succeeded": "Failed"}.get(value, value + "x")


FOLDERS = {"v1.36.3": "v1.36", "v1.36": "v1.35"}
"""Where recordings lie that were named when fewer releases were told apart: 1.36 was recorded while 1.35 developed."""


@pytest.mark.recordings
@pytest.mark.parametrize("version", RECORDED)
def test_the_table_of_recorded_traces_is_true(version: str, request: pytest.FixtureRequest) -> None:
    folder = request.config.getoption("--recorded")
    if folder is None:
        pytest.skip("give the folder with the recordings: --recorded FOLDER")
    recordings = folder / FOLDERS.get(version, version)
    files = sorted(recordings.glob("*.jsonl.gz"))
    assert files, f"{recordings} has no recordings"
    subject = subject_of(version, None)
    factory, form = replayer_of(subject), trace_format(subject.cls)
    results = [replay(trace, factory, where) for file in files for where, trace in form.read_lines(file)]
    assert (sum(result.conforms for result in results), len(results)) == RECORDED[version]


def test_every_version_says_what_it_is_based_on_and_what_was_recorded_of_it() -> None:
    found = run("explain", "versions")
    lines = {line.split()[0]: line for line in found.output.splitlines()}
    assert list(lines) == list(VERSIONS)
    assert "overrides v1.27.0" in lines["v1.26"] and "1,337 of 1,337 recorded traces" in lines["v1.26"]
    assert "overrides" not in lines["v1.29"] and "1,587 of 1,587" in lines["v1.29"]
    assert "none recorded" in lines["v1.22.5"]
    for version in VERSIONS.values():
        assert ("; read in " in lines[version.name]) == bool(version.read)
    assert "; read in 1.36.3" in lines["v1.36.3"] and "read in" not in lines["v1.27.2"]


@pytest.mark.parametrize(("release", "departure"), DEPARTURES, ids=lambda part: getattr(part, "__name__", part))
def test_a_departure_from_the_recorded_release_is_noticed(release: str, departure: Release) -> None:
    of_release = [trace for trace in TRACES.values() if version_of(trace) == release]
    assert not all(conformance(trace, departure).conforms for trace in of_release)


def test_a_goroutine_that_waits_longer_is_noticed() -> None:
    trace = copy.deepcopy(TRACES["static-pair-v1.29"])
    trace["steps"][3]["settled"] = False
    assert not conformance(trace, V1_29).conforms


def test_a_line_of_waiting_pods_keeps_its_order() -> None:
    waiting = replayer_factory(V1_29)(TRACES["static-pair-v1.29"]).workers.waiting_to_start_static_pods[0]
    assert isinstance(waiting, WaitingPods)
    for uid in (2, 0, 1):
        waiting.append(uid)
    waiting.keep_from(1)
    assert waiting.length == 2 and waiting.uids[0] == 0 and waiting.uids[1] == 1 and waiting.uids[2] == NIL
