"""A call that has only just been allowed to return: nothing has happened yet, and the worker runs later."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest
from tests.recorded_traces import TRACES, conformance, recorded, release_of

OF_ONE_STEP = ("panic", "ret", "cacheCalls", "completed", "enqueued", "killNowReturned", "closedCh", "recorderEvents")
"""What a step shows of itself alone, and not of what there is after it."""


def parted(trace: Any) -> Iterator[tuple[int, Any]]:
    """For each call that returns the trace in which its worker runs only at a later event, which changes nothing."""
    caches: dict[str, str] = {}
    for number, step in enumerate(trace["steps"]):
        event = step["op"]
        if event["op"] == "cache":
            caches[event["uid"]] = event.get("cache") or ""
        if event["op"] == "finish" and step["settled"]:
            before = trace["steps"][number - 1]
            calls = [call for call in before["inflight"] if call["id"] != event["inflight"]]
            unchanged = {key: value for key, value in before.items() if key not in OF_ONE_STEP}
            nothing = {"op": "cache", "uid": event["uid"], "cache": caches.get(event["uid"], "")}
            two = [
                {**unchanged, "i": step["i"], "op": event, "settled": False, "inflight": calls},
                {**step, "op": nothing},
            ]
            yield number + 1, {**trace, "steps": [*trace["steps"][:number], *two, *trace["steps"][number + 1 :]]}


@pytest.mark.parametrize("name", TRACES)
def test_a_worker_may_run_later_than_its_call_returns(name: str) -> None:
    for _, other in parted(TRACES[name]):
        result = conformance(other, release_of(TRACES[name]))
        assert result.conforms, result.story()


def test_what_the_call_changes_is_not_there_before_its_worker_runs() -> None:
    trace = TRACES["graceful-deletion-v1.29"]
    number, other = next((n, t) for n, t in parted(trace) if t["steps"][n]["pods"] != t["steps"][n - 1]["pods"])
    too_early = copy.deepcopy(other)
    too_early["steps"][number - 1] |= {key: other["steps"][number][key] for key in ("pods", "inflight")}
    result = conformance(too_early, release_of(trace))
    assert (result.conforms, result.step) == (False, number)


@pytest.mark.parametrize("name", ["held-before-termination-v1.29", "held-on-its-way-v1.20"])
def test_what_the_model_records_of_an_unsettled_return_conforms(name: str) -> None:
    trace = TRACES[name]
    for _, other in parted(trace):
        assert conformance(recorded(other, release_of(trace)), release_of(trace)).conforms
