"""Recordings of pkg/kubelet/kubelet.go and kubelet_pods.go: which events make the sync loop call UpdatePod.

The callers' own memory (pod manager, allocations, pending resizes, sources) is the model's, and compared after each
step. What their neighbours answer is what was recorded after the step before.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from podproof.kubelet.layers.case import Case, Layer, LayerStep
from podproof.kubelet.replay import Shown
from podproof.model.allocation_manager import Operation
from podproof.model.callers import TERMINAL, Callers, KillOptions, UpdatePodCall
from podproof.model.core_v1 import ApiPod, PodPhase, PodSource, PodStatus
from podproof.model.language import NIL
from podproof.model.state import UpdateType

Step = Mapping[str, Any]
_REQUESTED, _KNOWN_TERMINATED = 3, 0
"""Where the queries IsPodTerminationRequested and IsPodKnownTerminated stand among a pod's seven."""


class RecordedNeighbours:
    """What the workers, the status manager and the runtime answer: as recorded, and as this step's calls change it."""

    def __init__(self) -> None:
        self.before: Step = {}
        self.step: Step = {}
        self.calls: list[UpdatePodCall] = []
        self.admissions: list[Shown] = []
        self.desired: list[list[str]] = []
        """What SyncKnownPods was called with."""
        self.requested: set[str] = set()
        self.terminated: set[str] = set()
        self.known: set[str] = set()
        self.phases: dict[str, PodPhase] = {}
        self.capacity = 4
        self.list_fails = False
        self.gated: set[str] = set()
        self.deadlines: dict[str, int] = {}
        self.started: dict[str, int] = {}
        """UID -> since when the status manager has a status of it."""

    def begin(self, before: Step, step: Step) -> None:
        """A step begins where another has ended."""
        self.before, self.step, self.calls, self.admissions, self.desired = before, step, [], [], []
        self.know(before)
        event = step["op"]
        uid = event.get("uid") or ""
        match event["op"]:
            case "capacity":
                self.capacity = event.get("cpu") or 0
            case "listError":
                self.list_fails = not event.get("off")
            case "apiAdd":
                if event.get("gate"):
                    self.gated.add(uid)
                if event.get("deadline"):
                    self.deadlines[uid] = event["deadline"]

    def know(self, step: Step) -> None:
        queries = step.get("queries") or {}
        self.requested = {uid for uid, answers in queries.items() if answers[_REQUESTED] == "1"}
        self.terminated = {uid for uid, answers in queries.items() if answers[_KNOWN_TERMINATED] == "1"}
        self.known = set(step.get("workers") or {})
        statuses = step.get("status") or {}
        self.phases = {uid: PodPhase(status["phase"]) for uid, status in statuses.items()}
        second: int = step.get("t", 0)
        self.started = {uid: self.started.get(uid, second) for uid in statuses}

    # -- as Neighbours ---------------------------------------------------------------------------------------------

    def update_pod(self, call: UpdatePodCall) -> None:
        """What UpdatePod changes at once of what the same handler may ask next."""
        self.calls.append(call)
        uid, pod = call.uid, call.pod
        is_terminal = pod is not None and pod.status.phase in TERMINAL
        if uid not in self.known and is_terminal and self.is_terminal_in_cache(uid):
            self.terminated.add(uid)
        if call.update_type == UpdateType.KILL or is_terminal or (pod is not None and pod.deletion_timestamp):
            self.requested.add(uid)
        self.known.add(uid)

    def is_terminal_in_cache(self, uid: str) -> bool:
        return (self.before.get("cache") or {}).get(uid) not in ("running", "sandboxReady")

    def is_pod_termination_requested(self, uid: str) -> bool:
        return uid in self.requested

    def is_pod_known_terminated(self, uid: str) -> bool:
        return uid in self.terminated

    def sync_known_pods(self, desired: Collection[str]) -> set[str]:
        """As recorded, and with it what the workers have forgotten."""
        self.desired.append(sorted(desired))
        known = {uid for call in self.step.get("syncKnown") or () for uid in call.get("ret") or ()}
        self.known &= known
        self.requested &= known
        self.terminated &= known
        return known

    def phase_in_status_manager(self, uid: str) -> PodPhase | None:
        return self.phases.get(uid)

    def set_rejected(self, pod: ApiPod, reason: str) -> None:
        self.phases[pod.uid] = PodPhase.FAILED

    def remove_orphaned_statuses(self, remaining: Collection[str]) -> None:
        self.phases = {uid: phase for uid, phase in self.phases.items() if uid in remaining}

    def running_runtime_pods(self) -> Sequence[str] | None:
        if self.list_fails:
            return None
        return [uid for uid, pod in (self.before.get("runtime") or {}).items() if is_running(pod)]

    def need_to_reconcile_pod_readiness(self, pod: ApiPod) -> bool:
        """Of a pod with a readiness gate: as recorded, since its conditions are not."""
        calls = self.step.get("updates") or ()
        return pod.uid in self.gated and any(
            call["from"] == "HandlePodReconcile" and (call.get("pod") or {}).get("uid") == pod.uid for call in calls
        )

    def should_sync(self, pod: ApiPod) -> bool:
        deadline, start = self.deadlines.get(pod.uid), self.started.get(pod.uid)
        return deadline is not None and start is not None and self.step["t"] - start >= deadline

    def admit(self, pod: ApiPod, others: list[ApiPod], operation: Operation) -> str:
        """The one handler of the recordings: it counts CPU."""
        reason = ""
        if pod.cpu + sum(other.cpu for other in others) > self.capacity:
            reason = "OutOfcpu"
            if operation == Operation.RESIZE:
                reason = "Infeasible" if pod.cpu > self.capacity else "Deferred"
        asked = {"uid": pod.uid, "rev": pod.revision, "operation": operation.value, "cpu": pod.cpu}
        answer = {"others": sorted(other.uid for other in others), "admit": not reason, "reason": reason}
        self.admissions.append(without_empty({**asked, **answer}))
        return reason


def is_running(pod: Mapping[str, Any]) -> bool:
    """Does GetPods(all=false) of the runtime list it?"""
    return pod.get("sandbox") == "ready" or any(c.endswith(" running") for c in pod.get("containers") or ())


class CallersSequence:
    """The callers with recorded neighbours, driven through the steps of a recording."""

    def __init__(self, part: type[Callers]) -> None:
        self.part = part
        self.neighbours = RecordedNeighbours()
        self.callers = part(self.neighbours, self.neighbours.admit)
        self.before: Step = {}
        self.in_hand: dict[tuple[str, int], tuple[ApiPod, ApiPod | None]] = {}
        """UID and revision -> what the worker was last called with."""
        self.in_sync: dict[str, tuple[ApiPod, ApiPod | None]] = {}
        """UID -> what its SyncPod has."""

    def take(self, step: Step) -> Shown:
        """Let a step's event happen; what can be seen then."""
        callers, event = self.callers, step["op"]
        self.neighbours.begin(self.before, step)
        callers.at(step["t"])
        match event["op"]:
            case "config":
                for update in step.get("config") or ():
                    pods = [pod_of(pod) for pod in update.get("pods") or ()]
                    callers.take_config(update["event"], update["source"], pods)
            case "pleg":
                for lifecycle in step.get("pleg") or ():
                    callers.take_pleg_event(lifecycle["uid"], lifecycle["type"])
            case "sync":
                queue = self.before.get("queue") or {}
                callers.take_sync_tick({uid for uid, due in queue.items() if due < step["t"]})
            case "housekeeping":
                callers.take_housekeeping_tick()
            case "kill":
                grace = event.get("grace")
                options = KillOptions(
                    bool(event.get("evict")), NIL if grace is None else grace, True, bool(event.get("fn"))
                )
                callers.kill_pod_now(event["uid"], options)
            case "restart":
                self.restart(bool(event.get("loseAllocation")))
        self.run_sync_pods(step)
        self.neighbours.know(step)
        self.before = step
        return self.show()

    def restart(self, loses_allocation: bool) -> None:
        """Another kubelet, over the same checkpoint."""
        checkpoint = {} if loses_allocation else self.callers.allocation_manager.checkpoint
        self.callers = self.part(self.neighbours, self.neighbours.admit, checkpoint)
        self.neighbours.started = {}

    def run_sync_pods(self, step: Step) -> None:
        """What the workers do in the step: which pod each SyncPod has, and which of them ask for another one."""
        for call in self.neighbours.calls:
            if call.pod is not None:
                self.in_hand[call.uid, call.pod.revision] = call.pod, call.mirror_pod
        made = [call for call in step.get("runtimeCalls") or () if call["call"] == "SyncPod"]
        for sync in step.get("syncs") or ():
            uid = sync["uid"]
            if sync["fn"] != "SyncPod":
                continue
            if sync["ev"] == "start":
                self.begin_sync_pod(uid, sync.get("rev") or 0)
                continue
            ended = next((call for call in made if call["uid"] == uid), None)
            if ended is not None:
                made.remove(ended)
                if ended.get("removedAll") and uid in self.in_sync:
                    self.callers.sync_pod_has_removed_all(*self.in_sync[uid])

    def begin_sync_pod(self, uid: str, revision: int) -> None:
        """SyncPod has the pod with what is allocated now; none where, in the model, nobody called with this one."""
        self.in_sync.pop(uid, None)
        if (uid, revision) in self.in_hand:
            pod, mirror_pod = self.in_hand[uid, revision]
            cpu = self.callers.allocation_manager.allocated_cpu(pod)
            self.in_sync[uid] = replace(pod, cpu=cpu), mirror_pod

    def show(self) -> Shown:
        callers, manager = self.callers, self.callers.allocation_manager
        pods = [*callers.pod_manager.pod_by_uid.values(), *callers.pod_manager.mirror_pod_by_uid.values()]
        return field_values(
            {
                "updates": by_uid([show_call(call) for call in self.neighbours.calls], uid_of_call),
                "admission": self.neighbours.admissions,
                "desired": self.neighbours.desired,
                "podManager": {pod.uid: {k: v for k, v in show_pod(pod).items() if k != "uid"} for pod in pods},
                "orphanedMirrors": sorted(callers.pod_manager.orphaned_mirror_pod_full_names()),
                "activePods": sorted(pod.uid for pod in callers.get_active_pods()),
                "allocated": manager.allocated,
                "pendingResizes": manager.pods_with_pending_resizes,
                "sourcesReady": callers.all_ready(),
            }
        )


_COMPARED = ("updates", "admission", "podManager", "orphanedMirrors", "activePods", "allocated", "pendingResizes",
             "sourcesReady")  # fmt: skip


def expected_step(step: Step) -> Shown:
    expected = {key: step.get(key) for key in _COMPARED}
    expected["updates"] = by_uid([without_empty(call) for call in step.get("updates") or ()], uid_of_call)
    expected["admission"] = [
        without_empty({**asked, "others": sorted(asked.get("others") or ())}) for asked in step.get("admission") or ()
    ]
    expected["desired"] = [sorted(call.get("desired") or ()) for call in step.get("syncKnown") or ()]
    expected["activePods"] = sorted(step.get("activePods") or ())
    expected["orphanedMirrors"] = sorted(step.get("orphanedMirrors") or ())
    return field_values(expected)


def by_uid(calls: list[Shown], uid_of: Callable[[Shown], str]) -> list[Shown]:
    """In one step, the order of calls for different pods means nothing: Go walks maps."""
    return sorted(calls, key=uid_of)


def uid_of_call(call: Shown) -> str:
    return str(call["pod"]["uid"] if "pod" in call else call.get("runningPod"))


# -- pods and calls, as recorded ---------------------------------------------------------------------------------------


def pod_of(pod: Mapping[str, Any]) -> ApiPod:
    source = PodSource.MIRROR if pod.get("mirror") else PodSource.STATIC if pod.get("static") else PodSource.API
    grace = pod.get("delGrace")
    return ApiPod(
        uid=pod["uid"],
        name=pod.get("name") or "",
        source=source,
        deletion_timestamp=bool(pod.get("del")),
        deletion_grace_period_seconds=NIL if grace is None else grace,
        status=PodStatus(phase=PodPhase(pod.get("phase") or "")),
        revision=pod.get("rev") or 0,
        creation_timestamp=pod.get("created") or 0,
        cpu=pod.get("cpu") or 0,
    )


def show_pod(pod: ApiPod) -> Shown:
    return field_values(
        {
            "uid": pod.uid,
            "name": pod.name,
            "rev": pod.revision,
            "phase": pod.status.phase.value,
            "created": pod.creation_timestamp,
            "del": pod.deletion_timestamp,
            "delGrace": optional(pod.deletion_grace_period_seconds),
            "static": pod.source == PodSource.STATIC,
            "mirror": pod.source == PodSource.MIRROR,
            "cpu": pod.cpu,
        }
    )


def show_call(call: UpdatePodCall) -> Shown:
    kill = call.kill
    has_start = not call.caller.endswith(("HandlePodCleanups", "killPodNow", "SyncPod")) and not call.caller.startswith(
        "deletePod"
    )
    return field_values(
        {
            "type": call.update_type.value,
            "from": call.caller,
            "pod": show_pod(call.pod) if call.pod is not None else None,
            "mirrorPod": show_pod(call.mirror_pod) if call.mirror_pod is not None else None,
            "runningPod": call.running_pod,
            "startTick": optional(call.start_time) if has_start else None,
            "kill": kill
            and {
                "evict": kill.evict,
                "grace": optional(kill.grace),
                "ch": int(kill.completed_channel),
                "statusFn": int(kill.status_func),
            },
        }
    )


def optional(value: int) -> int | None:
    return None if value is NIL else value


def field_values(fields: Mapping[str, Any]) -> Shown:
    """Without what is empty, as a recording has it."""
    shown: Shown = without_empty(fields)
    return shown


def without_empty(value: Any) -> Any:
    """Without what is false, 0, empty or absent; but a grace period of 0 is one."""
    if isinstance(value, Mapping):
        inner = {key: without_empty(entry) for key, entry in value.items()}
        kept = ("grace", "delGrace")
        return {key: entry for key, entry in inner.items() if entry or (key in kept and entry is not None)}
    return [without_empty(entry) for entry in value] if isinstance(value, list) else value


def replay_callers(case: Case, part: type[Callers]) -> Iterator[LayerStep]:
    """Up to the step from which Go itself does not always do the same."""
    sequence = CallersSequence(part)
    until = case.get("any") or len(case["steps"]) + 1
    for number, step in enumerate(case["steps"], start=1):
        if step["i"] != number:
            raise ValueError(
                f"step {number} says that it is step {step['i']}; steps are numbered from 1, without a gap"
            )
        if number >= until:
            return
        shown = sequence.take(step)
        yield LayerStep(describe(step), expected_step(step), shown)


def describe(step: Step) -> str:
    event = step["op"]
    told = " ".join(f"{key}={value}" for key, value in event.items() if key != "op" and not isinstance(value, list))
    if event["op"] == "config":
        told = "; ".join(
            f"{c['event']} {', '.join(pod['uid'] for pod in c.get('pods') or ()) or 'no pod'} ({c['source']})"
            for c in step.get("config") or ()
        )
    return f"{event['op']} {told}".rstrip()


EVENTS = frozenset(
    [
        "config",
        "pleg",
        "sync",
        "housekeeping",
        "kill",
        "restart",
        "watch",
        "relist",
        "relistPod",
        "statusSync",
        "hold",
        "go",
        "stub",
        "apiAdd",
        "apiDelete",
        "apiTouch",
        "apiResize",
        "apiPhase",
        "apiCond",
        "fileSet",
        "exit",
        "gc",
        "runtimeAdd",
        "killError",
        "runtimeError",
        "listError",
        "network",
        "capacity",
        "advance",
    ]
)
"""What may happen in a step. The model takes part in the first six; the others are its neighbours'."""
LAYERS = (Layer("syncLoopIteration", frozenset({"trace", "steps"}), ("callers",), replay_callers, events=EVENTS),)
