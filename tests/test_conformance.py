"""Recorded traces against the model. `python tests/test_conformance.py` rewrites tests/traces from their own events."""

from __future__ import annotations

import copy
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from podproof.checker.conformance import Conformance, read_traces, replay
from podproof.checker.system import CheckerError
from podproof.commands.main import main
from podproof.commands.systems.build import replayer_of, subject_of
from podproof.model.language import NIL
from podproof.model.pod_workers import PodWorkers
from podproof.model.recording import record, replayer_factory
from podproof.model.releases import V1_26, V1_35
from podproof.model.state import Context, KillPodOptions, Pod, PodSyncStatus, UpdatePodOptions, WaitingPods
from podproof.model.versions import RECORDED, V1_29, V1_32, VERSIONS


def version_of(trace: Any) -> str:
    return str(trace["version"]).split()[-1]


FILE = Path(__file__).parent / "traces" / "lifecycles.jsonl"
TRACES: dict[str, Any] = {trace["trace"]: trace for _, trace in read_traces(FILE)}
OTHERS = FILE.with_name("other-releases.jsonl")
"""Traces of 1.26 and 1.35, where these do other things than 1.29; `version` ends in the release's name."""
OTHER_TRACES: dict[str, Any] = {f"{t['trace']}-{version_of(t)}": t for _, t in read_traces(OTHERS)}
NOT_COMPARED = ("i", "op", "settled")


def conformance(trace: Any, version: type[PodWorkers] = V1_29) -> Conformance:
    return replay(trace, replayer_factory(version), "lifecycles.jsonl:1")


@pytest.mark.parametrize("name", TRACES)
def test_a_recorded_trace_conforms(name: str) -> None:
    result = conformance(TRACES[name])
    assert result.conforms, result.story()


@pytest.mark.parametrize("name", TRACES)
def test_the_recorded_traces_are_what_the_model_records(name: str) -> None:
    assert record(TRACES[name], V1_29) == TRACES[name]


@pytest.mark.parametrize("name", OTHER_TRACES)
def test_a_trace_of_another_release_conforms_to_it_alone(name: str) -> None:
    trace = OTHER_TRACES[name]
    result = conformance(trace, VERSIONS[version_of(trace)].cls)
    assert result.conforms, result.story()
    assert record(trace, VERSIONS[version_of(trace)].cls) == trace
    assert not conformance(trace).conforms


def test_that_all_containers_restart_is_remembered_as_long_as_the_pod() -> None:
    trace = {"trace": "restart", "steps": [{"i": 1, "op": STEP["op"], "settled": True}]}
    replayer: Any = replayer_factory(V1_35)(trace)
    workers = replayer.workers
    workers.set_pod_restarting_all_containers(0, True)
    assert not workers.is_pod_restarting_all_containers(0), "a pod that is not known"
    replayer.apply(trace["steps"][0])
    workers.set_pod_restarting_all_containers(0, True)
    assert workers.is_pod_restarting_all_containers(0)
    workers.sync_known_pods()
    assert not workers.is_pod_restarting_all_containers(0), "the pod was not desired and is forgotten"


def test_an_outcome_that_a_release_does_not_have_is_refused() -> None:
    with pytest.raises(CheckerError, match=r"step 2: SyncPod does not return 'terminal' in this release; correct"):
        conformance(_ends_at_once(), VERSIONS["v1.22.5"].cls)


def _ends_at_once() -> Any:
    create = {"i": 1, "op": STEP["op"], "settled": True}
    first = {"trace": "ended", "steps": [create]}
    recorded = record(first, VERSIONS["v1.22.5"].cls)["steps"]
    end = {"op": "finish", "uid": "web", "inflight": 1, "outcome": "terminal"}
    return {**first, "steps": [*recorded, {"i": 2, "op": end, "settled": True}]}


def test_any_order_of_the_workers_explains_a_trace() -> None:
    trace = TRACES["two-goroutines-of-one-uid"]
    other = record({**trace, "steps": trace["steps"][:4]}, V1_29, newest_first=True)
    assert other["steps"][3]["workers"] == 1 and trace["steps"][3]["workers"] == 2
    assert conformance(other).conforms


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Every place in a step that holds no further structure, except the ids of calls."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            if key != "id":
                yield from leaves(inner, (*path, key))
    else:
        yield path


@pytest.mark.parametrize(
    "name", ["static-pair", "eviction", "containers-without-configuration", "held-before-termination"]
)
def test_a_trace_with_one_other_value_anywhere_does_not_conform(name: str) -> None:
    trace = TRACES[name]
    for number, step in enumerate(trace["steps"]):
        for path in leaves({key: value for key, value in step.items() if key not in NOT_COMPARED}):
            changed = copy.deepcopy(trace)
            inner = changed["steps"][number]
            for key in path[:-1]:
                inner = inner[key]
            inner[path[-1]] = _other(inner[path[-1]])
            result = conformance(changed)
            assert result.step == number + 1, f"step {number + 1}: {path} is not compared"


def _other(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + 1
    return value.translate(str.maketrans("01", "10")) if set(value) <= {"0", "1"} else value + "x"


@pytest.mark.parametrize("version", RECORDED)
def test_the_table_of_recorded_traces_is_true(version: str, request: pytest.FixtureRequest) -> None:
    folder = request.config.getoption("--recorded")
    if folder is None:
        pytest.skip("give the folder with the recordings: --recorded FOLDER")
    files = sorted((folder / version).glob("*.jsonl.gz"))
    assert files, f"{folder / version} has no recordings"
    factory = replayer_of(subject_of(version, None))
    results = [replay(trace, factory, where) for file in files for where, trace in read_traces(file)]
    assert (sum(result.conforms for result in results), len(results)) == RECORDED[version]


def test_every_version_says_what_it_is_based_on_and_what_was_recorded_of_it() -> None:
    found = CliRunner().invoke(main, ["list", "versions"])
    lines = {line.split()[0]: line for line in found.output.splitlines()}
    assert list(lines) == list(VERSIONS)
    assert "overrides v1.27.0" in lines["v1.26"] and "1,337 of 1,337 recorded traces" in lines["v1.26"]
    assert "overrides" not in lines["v1.29"] and "1,587 of 1,587" in lines["v1.29"]
    assert "none recorded" in lines["v1.22.5"]


# -- faults that a trace must notice -------------------------------------------------------------------------------


class ClosesChannelsOfUnstartedPods(V1_29):
    def cleanup_unstarted_pod(self, uid: int, status: PodSyncStatus) -> None:
        for request in range(len(status.notify_post_terminating)):
            if status.notify_post_terminating[request]:
                self.close_channel(request)
        super().cleanup_unstarted_pod(uid, status)


class ClosesChannelsOfFinishedPods(V1_29):
    def update_known_pod(self, uid: int, options: UpdatePodOptions, is_runtime_pod: bool, first_time: bool) -> None:
        if self.pod_sync_statuses[uid].is_finished():
            self.drop_kill_pod_options(options)
        super().update_known_pod(uid, options, is_runtime_pod, first_time)


class NeverRequeues(V1_29):
    def requeue_last_pod_update(self, uid: int, status: PodSyncStatus) -> None:
        return


class NeverCancels(V1_29):
    def cancel(self, uid: int) -> None:
        return


class CancelsOrphans(V1_29):
    def grace_period_of_orphan(self, status: PodSyncStatus) -> int:
        for uid in range(len(self.pod_sync_statuses)):
            self.cancel(uid)
        return super().grace_period_of_orphan(status)


class LeavesTheTokenInTheChannel(V1_29):
    def drain_pod_updates(self, uid: int) -> None:
        return


class StartsStaticPodsInAnyOrder(V1_29):
    def allow_static_pod_start(self, full_name: int, uid: int) -> bool:
        started = self.started_static_pods[full_name]
        if started == NIL:
            self.started_static_pods[full_name] = uid
        return started in (NIL, uid)


class KeepsTheNameOfAFinishedStaticPod(V1_29):
    def release_static_pod(self, uid: int) -> None:
        return


class AppliesTheFirstStatusFunction(V1_29):
    def acknowledge_terminating(self, uid: int) -> int:
        super().acknowledge_terminating(uid)
        flags = self.pod_sync_statuses[uid].status_post_terminating
        return flags.index(True) if True in flags else NIL


class EvictsAPodThatIsAlreadyTerminating(V1_29):
    def accept_kill_pod_options(self, uid: int, pod: Pod, options: UpdatePodOptions) -> bool:
        self.pod_sync_statuses[uid].evicted = True
        return super().accept_kill_pod_options(uid, pod, options)


class ForgetsThatARuntimePodWasSeen(V1_29):
    def substitute_last_pod(self, uid: int, options: UpdatePodOptions) -> None:
        self.pod_sync_statuses[uid].observed_runtime = False
        super().substitute_last_pod(uid, options)


class IgnoresTheSpec(V1_29):
    def calculate_effective_grace_period(
        self, status: PodSyncStatus, pod: Pod, options: KillPodOptions
    ) -> tuple[int, bool]:
        pod.termination_grace_period_seconds = NIL
        return super().calculate_effective_grace_period(status, pod, options)


class ContentStaysUntilThePodIsForgotten(V1_29):
    def should_pod_content_be_removed(self, uid: int) -> bool:
        return not self.pod_sync_statuses[uid].present and self.pods_synced


class FinishesEndedPodsAtOnce(V1_29):
    def add_pod_sync_status(self, uid: int, options: UpdatePodOptions) -> None:
        super().add_pod_sync_status(uid, options)
        status = self.pod_sync_statuses[uid]
        status.finished = status.terminated_at


DEPARTURES = [
    *(
        VERSIONS[name].cls
        for name in ("v1.32", "walkthrough-001", "walkthrough-001-update", "walkthrough-001-complete")
    ),
    *(cls for cls in V1_29.__subclasses__() if cls.__module__ == __name__),
]


class KeepsWhatWaits(V1_26):
    def requeue_last_pod_update(self, uid: int, status: PodSyncStatus) -> None:
        if not status.pending_update.present:
            super().requeue_last_pod_update(uid, status)


class ForgetsWhatIsLeftBehind(V1_26):
    def allow_pod_start(self, uid: int, pod: Pod) -> tuple[bool, bool]:
        can_start, can_ever_start = super().allow_pod_start(uid, pod)
        if not can_start:
            self.forget_undelivered_work(uid)
        return can_start, can_ever_start


class CancelsForGood(V1_26):
    def begin_context(self, uid: int, generation: int) -> None:
        was = self.pod_sync_statuses[uid].context
        super().begin_context(uid, generation)
        if was == Context.CANCELLED:
            self.cancel(uid)


class FinishesPodsLater(V1_26):
    def add_pod_sync_status(self, uid: int, options: UpdatePodOptions) -> None:
        super().add_pod_sync_status(uid, options)
        self.pod_sync_statuses[uid].finished = False


class ForgetsRuntimePods(V1_26):
    def complete_terminating_runtime_pod(self, uid: int) -> None:
        super().complete_terminating_runtime_pod(uid)
        self.delete_pod_sync_status(uid)


class RestartsNothing(V1_26):
    def is_restart(self, uid: int, options: UpdatePodOptions, first_time: bool) -> bool:
        return False


class StartsWhoeverAsks(V1_26):
    def allow_pod_start(self, uid: int, pod: Pod) -> tuple[bool, bool]:
        return True, True


class NeverTriesRuntimePodsAgain(V1_26):
    def call_pod_syncer(self, uid: int, generation: int, running_pod: bool) -> None:
        super().call_pod_syncer(uid, generation, running_pod)
        self.workers[uid][generation].grace_period = NIL


class SharesItsContext(V1_35):
    def begin_context(self, uid: int, generation: int) -> None:
        V1_29.begin_context(self, uid, generation)
        for other in range(len(self.workers[uid])):
            if self.workers[uid][other].context != Context.CANCELLED and other != generation:
                self.workers[uid][other].context = Context.LIVE


class WaitsAsLongAsItIsTold(V1_35):
    def clamp_backoff(self, seconds: int) -> int:
        return seconds


OTHER_DEPARTURES = [cls for base in (V1_26, V1_35) for cls in base.__subclasses__() if cls.__module__ == __name__]


@pytest.mark.parametrize("departure", OTHER_DEPARTURES, ids=lambda cls: cls.__name__)
def test_a_departure_from_another_release_is_noticed(departure: type[PodWorkers]) -> None:
    of_release = [t for t in OTHER_TRACES.values() if issubclass(departure, VERSIONS[version_of(t)].cls)]
    assert of_release and not all(conformance(trace, departure).conforms for trace in of_release)


@pytest.mark.parametrize("departure", DEPARTURES, ids=lambda cls: cls.__name__)
def test_a_departure_from_the_recorded_version_is_noticed(departure: type[PodWorkers]) -> None:
    assert not all(conformance(trace, departure).conforms for trace in TRACES.values())


def test_a_goroutine_that_waits_longer_is_noticed() -> None:
    trace = copy.deepcopy(TRACES["static-pair"])
    trace["steps"][3]["settled"] = False
    assert not conformance(trace).conforms


# -- what people read ----------------------------------------------------------------------------------------------


def test_the_first_difference_is_told_as_a_story() -> None:
    result = conformance(TRACES["grace-of-zero"], V1_32)
    assert result.story() == (
        "DIFFERS   grace-of-zero   step 4 of 6   lifecycles.jsonl:1\n"
        "  1  UpdatePod(create, rev=7, specGrace=30) of web\n"
        "  2  call 1 of web returns ok\n"
        "  3  UpdatePod(update, rev=8, specGrace=30, deletionTimestamp, deletionGrace=5) of web\n"
        "  4  UpdatePod(update, rev=9, specGrace=30, deletionTimestamp, deletionGrace=0) of web\n"
        "     pods.web.pending.kill.grace  recorded 30, the model shows 1\n"
        "     pods.web.gracePeriod         recorded 30, the model shows 1"
    )


def test_a_packed_file_reads_like_a_plain_one(tmp_path: Path) -> None:
    packed = tmp_path / "lifecycles.jsonl.gz"
    packed.write_bytes(gzip.compress(FILE.read_bytes()))
    assert [trace for _, trace in read_traces(packed)] == [trace for _, trace in read_traces(FILE)]


STEP: dict[str, Any] = {
    "i": 1,
    "op": {"op": "update", "uid": "web", "type": "create", "pod": {"ns": "default", "name": "web"}},
}
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


EVENTS = {
    "there is no event 'explode'; the events are update, syncKnown, finish, cache and hook": {"op": "explode"},
    "'gone' is no cache state; known are '', 'exited'": {"op": "cache", "uid": "web", "cache": "gone"},
    "'delete' is no update type; known are 'sync', 'update'": {**STEP["op"], "type": "delete"},
    "'Lost' is no pod phase; known are '', 'Pending'": {**STEP["op"], "pod": {"ns": "a", "name": "b", "phase": "Lost"}},
    "no call 9 was in flight after the step before; in flight: none": {"op": "finish", "uid": "web", "inflight": 9},
    "the key 'inflight' is missing": {"op": "finish", "uid": "web"},
}


@pytest.mark.parametrize("message", EVENTS)
def test_an_event_that_makes_no_sense_is_refused_with_its_place(message: str) -> None:
    trace = {"trace": "a", "steps": [{"i": 1, "op": EVENTS[message], "settled": True}]}
    with pytest.raises(CheckerError) as refused:
        conformance(trace)
    assert str(refused.value).startswith("lifecycles.jsonl:1: step 1: " + message)
    assert str(refused.value).endswith("; correct the trace, docs/traces.md has the format")


def test_a_line_of_waiting_pods_keeps_its_order() -> None:
    waiting = replayer_factory(V1_29)(TRACES["static-pair"]).workers.waiting_to_start_static_pods[0]
    assert isinstance(waiting, WaitingPods)
    for uid in (2, 0, 1):
        waiting.append(uid)
    waiting.keep_from(1)
    assert waiting.length == 2 and waiting.uids[0] == 0 and waiting.uids[1] == 1 and waiting.uids[2] == NIL


if __name__ == "__main__":
    for path, traces, version in ((FILE, TRACES, lambda _: "v1.29"), (OTHERS, OTHER_TRACES, version_of)):
        lines = [record(trace, VERSIONS[version(trace)].cls) for trace in traces.values()]
        path.write_text("".join(json.dumps(line, separators=(",", ":")) + "\n" for line in lines))
