"""What people read of recorded traces: the first difference, and what is wrong with a trace or an event."""

from __future__ import annotations

import copy
import re
from typing import Any

import pytest
from tests.departures_1_20 import OverwritesAKillThatWaits
from tests.recorded_traces import CREATE, TRACES, Release, conformance, recorded, release_of

from podproof.checker.core.system import CheckerError
from podproof.kubelet_1_20.release import V1_20
from podproof.model.versions import V1_29, V1_32
from podproof.queries.versions import VERSIONS


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
    assert "\n".join(conformance(TRACES[name], release).story()) == story


def trace_of(event: dict[str, Any], **step: Any) -> dict[str, Any]:
    return {"trace": "a", "steps": [{"i": 1, "op": event, "settled": True, **step}]}


GONE = {"op": "cache", "uid": "web", "cache": "gone"}
LOST = {**CREATE, "pod": {"ns": "a", "name": "b", "phase": "Lost"}}
CALL = {"id": 1, "uid": "web", "stage": "sync"}
FAULTS: dict[Release, dict[str, dict[str, Any]]] = {
    V1_29: {
        'op.op is "explode", but has to be one of "update" or "syncKnown" or "fin': trace_of({"op": "explode"}),
        'op.cache is "gone", but has to be one of null or "" or "exited" or': trace_of(GONE),
        'op.type is "delete", but has to be one of "create" or "update"': trace_of({**CREATE, "type": "delete"}),
        'op.pod.phase is "Lost", but has to be one of null or "" or "Pending"': trace_of(LOST),
        "op.inflight is missing": trace_of({"op": "finish", "uid": "web"}),
        "op.inflight is [1], but has to be of type integer": trace_of({"op": "finish", "uid": "web", "inflight": [1]}),
        'op.outcome is "backoff\u00b2", but has to be ok, terminal,': trace_of(
            {"op": "finish", "uid": "web", "inflight": 1, "outcome": "backoff\u00b2"}
        ),
        'op is {"op": "update", "uid": "web", "type": "create"}, but has to be an update with a pod': trace_of(
            {name: value for name, value in CREATE.items() if name != "pod"}
        ),
        'op.uid is "unknown", but has to be a UID other than': trace_of({**CREATE, "uid": "unknown"}),
        "inflight[0].id is missing": trace_of(CREATE, inflight=[{"uid": "web", "stage": "sync"}]),
        "inflight[0].id is [1], but has to be of type integer": trace_of(CREATE, inflight=[{**CALL, "id": [1]}]),
        'pods["a b"].gracePeriod is "30", but has to be of type integer or null': trace_of(
            CREATE, pods={"a b": {"gracePeriod": "30"}}
        ),
        "i is true, but has to be of type integer": trace_of(CREATE, i=True),
        "i is 1.5, but has to be of type integer": trace_of(CREATE, i=1.5),
    },
    V1_20: {
        'op.op is "syncKnown", but has to be one of "update" or "killPodNow" or': trace_of({"op": "syncKnown"}),
        'op.cache is "gone", but has to be one of null or "" or "error"': trace_of(GONE),
        "op.uid is missing": trace_of({"op": "forget"}),
        "op.killNow is missing": trace_of({"op": "killPodNow", "uid": "web"}),
        'op.seconds is "1", but has to be of type integer': trace_of({"op": "wait", "seconds": "1"}),
        "op.seconds is -1, but has to be 0 or more": trace_of({"op": "wait", "seconds": -1}),
        'inflight[0].phase is "Lost", but has to be one of': trace_of(CREATE, inflight=[{**CALL, "phase": "Lost"}]),
    },
}


@pytest.mark.parametrize(
    ("release", "message"), [(release, message) for release, faults in FAULTS.items() for message in faults]
)
def test_what_a_format_does_not_have_is_refused_with_its_place(release: Release, message: str) -> None:
    with pytest.raises(CheckerError) as refused:
        conformance(FAULTS[release][message], release)
    assert str(refused.value).startswith(f"traces.jsonl:1: steps[0].{message}")
    assert re.search(r"; docs/traces(-v1\.20)?\.md has the format$", str(refused.value))


@pytest.mark.parametrize("release", [V1_29, V1_20])
def test_a_trace_without_steps_does_not_conform(release: Release) -> None:
    found = r"^traces.jsonl:1: steps is \[\], but has to be of length 1 or more; give a .jsonl file; docs"
    with pytest.raises(CheckerError, match=found):
        conformance({"trace": "a", "steps": []}, release)


@pytest.mark.parametrize(
    ("name", "changed", "message"),
    [
        ("grace-of-zero-v1.29", {"inflight": 9}, "no call 9 of web was in flight after the step before; in flight: 1"),
        ("grace-of-zero-v1.29", {"uid": "job"}, "no call 1 of job was in flight after the step before; in flight: 1"),
        ("a-kill-is-forgotten-v1.20", {"inflight": 9}, "no call 9 of web was in flight after the step before; in"),
    ],
)
def test_a_call_that_is_not_in_flight_does_not_return(name: str, changed: dict[str, Any], message: str) -> None:
    trace = copy.deepcopy(TRACES[name])
    number, step = next((n, s) for n, s in enumerate(trace["steps"], 1) if s["op"]["op"] == "finish")
    step["op"] |= changed
    with pytest.raises(CheckerError) as refused:
        conformance(trace, release_of(trace))
    assert str(refused.value).startswith(f"traces.jsonl:1: step {number}: {message}")
    assert str(refused.value).endswith("; correct the trace, docs/traces.md has the format")


@pytest.mark.parametrize(
    ("first", "ids", "message"),
    [
        (7, {4: 3}, "step 7: call 3 is in flight again after it has returned"),
        (3, {1: 2, 2: 1}, "step 3: call 2 is another one than in the step before"),
        (5, {2: 9}, "step 5: call 2 of static-a is in flight no longer, and did not return"),
    ],
)
def test_a_call_keeps_its_id_until_it_returns(first: int, ids: dict[int, int], message: str) -> None:
    """Everything else of the trace is as it was."""
    trace = copy.deepcopy(TRACES["orphans-v1.29"])
    for step in trace["steps"][first - 1 :]:
        for named, key in [(call, "id") for call in step["inflight"]] + [(step["op"], "inflight")]:
            if named.get(key) in ids:
                named[key] = ids[named[key]]
    with pytest.raises(CheckerError) as refused:
        conformance(trace, V1_29)
    assert str(refused.value).startswith(f"traces.jsonl:1: {message}")


@pytest.mark.parametrize("name", ["grace-of-zero-v1.29", "two-goroutines-of-one-uid-v1.36"])
def test_what_a_query_says_of_a_pod_that_no_event_names_is_compared(name: str) -> None:
    trace = copy.deepcopy(TRACES[name])
    queries = trace["steps"][2]["queries"]
    queries["nobody"] = queries["unknown"]
    assert conformance(trace, release_of(trace)).conforms
    queries["nobody"] = queries["unknown"].translate(str.maketrans("01", "10"))
    result = conformance(trace, release_of(trace))
    assert not result.conforms and result.step == 3 and "queries.nobody" in "\n".join(result.story())


@pytest.mark.parametrize("count", [500, 40])
def test_a_trace_that_needs_too_much_room_is_refused(count: int) -> None:
    pod = {"ns": "default", "name": "web"}
    steps = [{"i": n, "op": {**CREATE, "uid": f"pod-{n % count}", "pod": pod}} for n in range(1000)]
    with pytest.raises(CheckerError, match="record fewer pods or fewer steps in one trace"):
        conformance({"trace": "crowd", "steps": steps}, V1_29)


@pytest.mark.slow
def test_a_trace_that_leaves_too_many_orders_open_is_refused() -> None:
    pod = {"ns": "default", "name": "web", "static": True}
    events = [{**CREATE, "uid": f"pod-{n}", "pod": pod} for n in range(9)]
    trace = {"trace": "race", "steps": [{"i": n, "op": event} for n, event in enumerate(events, 1)]}
    trace = recorded(trace, V1_29)
    trace["steps"] += [{"i": 10, "op": {"op": "hook", "uid": "pod-0"}, "settled": True}]
    with pytest.raises(CheckerError, match=r"step 10: the workers can have run in more than 2,000 orders; record more"):
        conformance(trace, V1_29)


def test_an_outcome_that_a_release_does_not_have_is_refused() -> None:
    with pytest.raises(CheckerError, match=r"step 2: SyncPod does not return 'terminal' in this release; correct"):
        conformance(_ends_at_once(), VERSIONS["v1.22.5"].cls)


def _ends_at_once() -> Any:
    create = {"i": 1, "op": CREATE, "settled": True}
    first = {"trace": "ended", "steps": [create]}
    begun = recorded(first, VERSIONS["v1.22.5"].cls)["steps"]
    end = {"op": "finish", "uid": "web", "inflight": 1, "outcome": "terminal"}
    return {**first, "steps": [*begun, {"i": 2, "op": end, "settled": True}]}


def test_a_name_of_digits_is_told_with_its_place() -> None:
    """Found by the hunt: the validator tells such a name as a number."""
    trace = copy.deepcopy(TRACES["grace-of-zero-v1.29"])
    trace["steps"][0]["pods"] = {"2": {"pending": 1}}
    with pytest.raises(CheckerError, match=r"pods\[2\]"):
        conformance(trace, V1_29)
