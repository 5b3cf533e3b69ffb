"""What people read of recorded traces: the first difference, and what is wrong with a file, a line or an event."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import pytest
from tests.departures_1_20 import OverwritesAKillThatWaits
from tests.recorded_traces import CREATE, LIFECYCLES, TRACES, Release, conformance, recorded

from podproof.checker.conformance import read_traces
from podproof.checker.system import CheckerError
from podproof.model.v1_20.release import V1_20
from podproof.model.versions import V1_29, V1_32, VERSIONS


@pytest.mark.parametrize(
    ("name", "release", "story"),
    [
        (
            "grace-of-zero-v1.29",
            V1_32,
            "DIFFERS   grace-of-zero   step 4 of 6   traces.jsonl:1\n"
            "  1  UpdatePod(create, rev=7, specGrace=30) of web\n"
            "  2  call 1 of web returns ok\n"
            "  3  UpdatePod(update, rev=8, specGrace=30, deletionTimestamp, deletionGrace=5) of web\n"
            "  4  UpdatePod(update, rev=9, specGrace=30, deletionTimestamp, deletionGrace=0) of web\n"
            "     pods.web.pending.kill.grace  recorded 30, the model shows 1\n"
            "     pods.web.gracePeriod         recorded 30, the model shows 1",
        ),
        (
            "a-kill-that-waits-is-not-replaced-v1.20",
            OverwritesAKillThatWaits,
            "DIFFERS   a-kill-that-waits-is-not-replaced   step 4 of 9   traces.jsonl:1\n"
            "  1  UpdatePod(create, rev=1, specGrace=30) of web\n"
            "  2  UpdatePod(sync, rev=2, specGrace=30) of web\n"
            "  3  UpdatePod(kill, rev=3, specGrace=30, grace=5, statusFn=1) of web\n"
            "  4  UpdatePod(sync, rev=4, specGrace=30) of web\n"
            '     pods.web.lastUndelivered.type        recorded "kill", the model shows "sync"\n'
            "     pods.web.lastUndelivered.rev         recorded 3, the model shows 4\n"
            '     pods.web.lastUndelivered.kill        recorded {"grace": 5, "statusFn": 1}, the model shows nothing\n'
            "     pods.web.lastUndelivered.onComplete  recorded 3, the model shows 4",
        ),
    ],
)
def test_the_first_difference_is_told_as_a_story(name: str, release: Release, story: str) -> None:
    assert conformance(TRACES[name], release).story() == story


def test_a_packed_file_reads_like_a_plain_one(tmp_path: Path) -> None:
    packed = tmp_path / "lifecycles.jsonl.gz"
    packed.write_bytes(gzip.compress(LIFECYCLES.read_bytes()))
    assert [trace for _, trace in read_traces(packed)] == [trace for _, trace in read_traces(LIFECYCLES)]


MISTAKES = {
    "{": "t.jsonl:1: '{' is no JSON (Expecting property name enclosed in double quotes at column 2); "
    "a trace is one JSON object on one line, see docs/traces.md",
    "[1]": "t.jsonl:1: '[1]' is no JSON object, but a trace is one; see docs/traces.md",
    '{"trace": "a"}': "t.jsonl:1: a trace without 'steps' (keys found: trace); see docs/traces.md",
    '{"trace": "a", "steps": 3}': "t.jsonl:1: 'steps' is '3', but must be a JSON array; see docs/traces.md",
    '{"trace": "a", "steps": [{"i": 1}]}': "t.jsonl:1: step 1: a step without 'op' (keys found: i); see docs/traces.md",
}


@pytest.mark.parametrize("line", MISTAKES)
def test_a_line_that_is_no_trace_is_refused_with_its_place(line: str, tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.jsonl").write_text(line + "\n")
    with pytest.raises(CheckerError) as refused:
        list(read_traces(Path("t.jsonl")))
    assert str(refused.value) == MISTAKES[line]


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckerError, match=r"none.jsonl:1: the file cannot be read .* give a .jsonl file of traces"):
        list(read_traces(tmp_path / "none.jsonl"))


GONE = {"op": "cache", "uid": "web", "cache": "gone"}
EVENTS: dict[Release, dict[str, Any]] = {
    V1_29: {
        "there is no event 'explode'; the events are update, syncKnown, finish, cache and hook": {"op": "explode"},
        "'gone' is no cache state; known are '', 'exited'": GONE,
        "'delete' is no update type; known are 'sync', 'update'": {**CREATE, "type": "delete"},
        "'Lost' is no pod phase; known are '', 'Pending'": {**CREATE, "pod": {"ns": "a", "name": "b", "phase": "Lost"}},
        "no call 9 was in flight after the step before; in flight: none": {"op": "finish", "uid": "web", "inflight": 9},
        "the key 'inflight' is missing": {"op": "finish", "uid": "web"},
    },
    V1_20: {
        "there is no event 'syncKnown'; the events are update, killPodNow, forget": {"op": "syncKnown"},
        "'gone' is no cache state; known are '', 'error', 'networkError'": GONE,
        "no call 9 was in flight after the step before; in flight: none": {"op": "finish", "uid": "web", "inflight": 9},
        "the key 'uid' is missing": {"op": "forget"},
    },
}


@pytest.mark.parametrize(
    ("release", "message"), [(release, message) for release, events in EVENTS.items() for message in events]
)
def test_an_event_that_makes_no_sense_is_refused_with_its_place(release: Release, message: str) -> None:
    trace = {"trace": "a", "steps": [{"i": 1, "op": EVENTS[release][message], "settled": True}]}
    with pytest.raises(CheckerError) as refused:
        conformance(trace, release)
    assert str(refused.value).startswith("traces.jsonl:1: step 1: " + message)
    assert str(refused.value).endswith("; correct the trace, docs/traces.md has the format")


def test_an_outcome_that_a_release_does_not_have_is_refused() -> None:
    with pytest.raises(CheckerError, match=r"step 2: SyncPod does not return 'terminal' in this release; correct"):
        conformance(_ends_at_once(), VERSIONS["v1.22.5"].cls)


def _ends_at_once() -> Any:
    create = {"i": 1, "op": CREATE, "settled": True}
    first = {"trace": "ended", "steps": [create]}
    begun = recorded(first, VERSIONS["v1.22.5"].cls)["steps"]
    end = {"op": "finish", "uid": "web", "inflight": 1, "outcome": "terminal"}
    return {**first, "steps": [*begun, {"i": 2, "op": end, "settled": True}]}
