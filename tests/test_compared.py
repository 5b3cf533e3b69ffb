"""What a recording says is compared or refused; docs/traces.md lists what is not, and why."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import run
from tests.recorded_traces import CREATE, TRACES, conformance, recorded, release_of, version_of

from podproof.checker.conformance import compare, replay_case
from podproof.checker.core.system import CheckerError
from podproof.kubelet_1_20.release import V1_20
from podproof.model.versions import V1_29
from podproof.queries.versions import VERSIONS

WITH_QUERIES = [name for name, trace in TRACES.items() if version_of(trace) != "v1.20"]
Change = Callable[[Any], None]


def changed(name: str, change: Change) -> Any:
    trace = copy.deepcopy(TRACES[name])
    change(trace)
    return trace


# -- queries about a UID that no event names ---------------------------------------------------------------------------


@pytest.mark.quick(4)
@pytest.mark.parametrize("name", WITH_QUERIES[::3])
def test_a_uid_that_no_event_names_is_answered_like_the_unknown_one(name: str) -> None:
    trace = copy.deepcopy(TRACES[name])
    for number, step in enumerate(trace["steps"], 1):
        known = step["queries"]["unknown"]
        step["queries"]["ghost"] = known
        assert conformance(trace, release_of(trace)).conforms
        for place, answer in enumerate(known):
            other = {"0": "1", "1": "0", "-": "1"}[answer]
            step["queries"]["ghost"] = known[:place] + other + known[place + 1 :]
            found = conformance(trace, release_of(trace))
            assert (found.step, [d.path for d in found.differences]) == (number, ["queries.ghost"])
            assert found.differences[0].model == known
        step["queries"]["ghost"] = known


EVENTS = {
    "that is desired": {"op": "syncKnown", "desired": ["ghost"]},
    "whose cache is set": {"op": "cache", "uid": "ghost", "cache": "running"},
    "that a hook would hold": {"op": "hook", "uid": "ghost", "pauseCache": True},
}


@pytest.mark.parametrize("release", ["v1.26", "v1.29", "v1.36"])
@pytest.mark.parametrize("event", EVENTS.values(), ids=EVENTS)
def test_a_uid_without_an_update_is_like_the_unknown_one(release: str, event: Any) -> None:
    cls = VERSIONS[release].cls
    steps = [{"i": n, "op": op, "settled": True} for n, op in enumerate((CREATE, event), 1)]
    trace = recorded({"trace": "ghost", "version": release, "steps": steps}, cls)
    for queries in (step["queries"] for step in trace["steps"]):
        queries["ghost"] = queries["unknown"]
    assert conformance(trace, cls).conforms
    trace["steps"][1]["queries"]["ghost"] = trace["steps"][1]["queries"]["unknown"].translate(str.maketrans("01", "10"))
    assert conformance(trace, cls).step == 2


def test_the_command_says_what_the_model_answers(tmp_path: Path) -> None:
    def ghost(trace: Any) -> None:
        trace["steps"][1]["queries"]["ghost"] = "1111111"

    file = tmp_path / "traces.jsonl"
    file.write_text(json.dumps(changed("grace-of-zero-v1.29", ghost)))
    found = run("conform", str(file), "--version", "v1.29")
    assert found.exit_code == 1
    model = TRACES["grace-of-zero-v1.29"]["steps"][1]["queries"]["unknown"]
    assert f'queries.ghost  recorded "1111111", the model shows "{model}"' in found.stdout


# -- what nothing would compare ----------------------------------------------------------------------------------------


def at(*path: Any, value: Any) -> Change:
    """A value put into the first step whose place `path` leads to."""

    def change(trace: Any) -> None:
        for step in trace["steps"]:
            inner = step
            try:
                for key in path[:-1]:
                    inner = inner[key]
            except (KeyError, IndexError):
                continue
            inner[path[-1]] = value
            return
        raise AssertionError(f"nothing has {path}")

    return change


STRANGE = {
    "a step": ("grace-of-zero-v1.29", ("podSynced",)),
    "an update": ("grace-of-zero-v1.29", ("op", "outcome")),
    "a pod": ("grace-of-zero-v1.29", ("op", "pod", "restartPolicy")),
    "a kill": ("eviction-v1.29", ("op", "kill", "force")),
    "a runningPod": ("containers-without-configuration-v1.29", ("op", "runningPod", "static")),
    "a step of 1.20": ("a-kill-is-forgotten-v1.20", ("queries",)),
    "an update of 1.20": ("a-kill-is-forgotten-v1.20", ("op", "startTime")),
    "a pod of 1.20": ("a-kill-is-forgotten-v1.20", ("op", "pod", "restartPolicy")),
}


@pytest.mark.parametrize(("name", "path"), STRANGE.values(), ids=STRANGE)
@pytest.mark.parametrize("value", [True, 7, "x", ["x"], {"x": 0}, 0.5])
def test_a_key_that_nothing_compares_is_refused(name: str, path: Any, value: Any) -> None:
    with pytest.raises(CheckerError, match=rf"{path[-1]} is .*, but has to be left out: no such key is known"):
        conformance(changed(name, at(*path, value=value)), release_of(TRACES[name]))


@pytest.mark.parametrize(("name", "path"), STRANGE.values(), ids=STRANGE)
@pytest.mark.parametrize("value", [None, False, 0, "", [], {}])
def test_a_key_that_says_nothing_is_none(name: str, path: Any, value: Any) -> None:
    assert conformance(changed(name, at(*path, value=value)), release_of(TRACES[name])).conforms


@pytest.mark.parametrize("kind", ["finish", "cache", "hook", "syncKnown"])
def test_an_event_has_no_key_of_another(kind: str) -> None:
    name, number = next(
        (name, n)
        for name, trace in TRACES.items()
        for n, step in enumerate(trace["steps"])
        if step["op"]["op"] == kind and version_of(trace) == "v1.29"
    )
    trace = copy.deepcopy(TRACES[name])
    trace["steps"][number]["op"]["startTime"] = True
    with pytest.raises(CheckerError, match=rf"steps\[{number}\].op.startTime is true, but has to be left out"):
        conformance(trace, V1_29)


def test_log_lines_and_what_a_trace_says_of_itself_are_not_compared() -> None:
    def more(trace: Any) -> None:
        trace |= {"seed": 7, "profile": "wild", "recorder": {"by": "hand"}}
        trace["steps"][0] |= {"logLines": ["SyncPod enter"]}

    assert conformance(changed("grace-of-zero-v1.29", more), V1_29).conforms


# -- a trace that contradicts itself in what is not compared -----------------------------------------------------------


def _renumbered(trace: Any) -> bool:
    """The first call that stays in flight gets another id in the last step that has it."""
    for before, after in reversed(list(pairwise(trace["steps"]))):
        ids = {call["id"] for call in before.get("inflight") or ()}
        for call in after.get("inflight") or ():
            if call["id"] in ids:
                call["id"] = 99
                return True
    return False


def _twice(trace: Any) -> bool:
    calls = next((step["inflight"] for step in trace["steps"] if len(step.get("inflight") or ()) > 1), None)
    if calls is not None:
        calls[1]["id"] = calls[0]["id"]
    return calls is not None


def _used_again(trace: Any) -> bool:
    for before, after in pairwise(trace["steps"]):
        old = [call["id"] for call in before.get("inflight") or ()]
        new = [call for call in after.get("inflight") or () if call["id"] not in old]
        if after["op"]["op"] == "finish" and new:
            new[0]["id"] = after["op"]["inflight"]
            return True
    return False


def _out_of_order(trace: Any) -> bool:
    trace["steps"][-1]["i"] += 3
    return True


def _settled_and_not(trace: Any) -> bool:
    step = next(step for step in trace["steps"] if step["settled"])
    step["op"]["noSettle"] = True
    return True


CONTRADICTIONS: dict[str, tuple[Callable[[Any], bool], str]] = {
    "a call with another id": (_renumbered, "is in flight no longer, and did not return"),
    "two calls with one id": (_twice, r"call \d+ is in flight twice"),
    "an id that is used again": (_used_again, "is in flight again after it has returned"),
    "a step out of order": (_out_of_order, r"it says that it is step \d+; steps are numbered from 1, without a gap"),
    "settled, and not": (_settled_and_not, "the step is settled, and its event says that it is not"),
}


@pytest.mark.parametrize(("change", "message"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_a_contradiction_in_what_is_not_compared_is_refused(change: Callable[[Any], bool], message: str) -> None:
    refused = 0
    for trace in map(copy.deepcopy, TRACES.values()):
        if change(trace):
            try:
                assert not conformance(trace, release_of(trace)).conforms
            except CheckerError as error:
                refused += re.search(message, str(error)) is not None
    assert refused >= 3


@pytest.mark.parametrize("key", ["name", "ns"])
def test_a_pod_keeps_its_name(key: str) -> None:
    trace = copy.deepcopy(TRACES["grace-of-zero-v1.29"])
    later = [step["op"]["pod"] for step in trace["steps"] if step["op"]["op"] == "update"][-1]
    later[key] = "other"
    with pytest.raises(CheckerError, match=r"traces.jsonl:1: the pod web is called \S+ and \S+; a pod keeps its name"):
        conformance(trace, V1_29)


# -- the comparison itself ---------------------------------------------------------------------------------------------


def test_what_is_not_equal_differs_somewhere() -> None:
    """Null and nothing are told alike, and still they are not equal."""
    recorded, shown = {"out": {"a": None}}, {"out": {}}
    assert not list(compare(recorded, shown))
    found = replay_case("f", "cases.jsonl:1", 1, iter([("f()", recorded, shown)]))
    assert not found.conforms and found.differences


def test_a_step_of_the_status_manager_has_no_other_effects(tmp_path: Path) -> None:
    case = json.loads(Path("tests/layers/v1.32/status.jsonl").read_text().splitlines()[0])
    file = tmp_path / "status.jsonl"
    for value, code in (("web", 1), ("", 0)):
        case["steps"][1]["evicted"] = value
        file.write_text(json.dumps(case))
        assert run("conform", str(file), "--version", "v1.32").exit_code == code


def test_1_20_refuses_the_same() -> None:
    trace = {"trace": "a", "steps": [{"i": 2, "op": CREATE}]}
    with pytest.raises(CheckerError, match=r"step 1: it says that it is step 2; steps are numbered from 1"):
        conformance(recorded(trace, V1_20), V1_20)
