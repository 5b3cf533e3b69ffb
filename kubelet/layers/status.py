"""Recordings of pkg/kubelet/status: what the status manager decides by."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from copy import deepcopy
from typing import Any

from podproof.kubelet.layers.case import (
    Case,
    Layer,
    LayerStep,
    condition_of,
    containers_of,
    init_containers_of,
    plain,
    pod_of,
    show_status,
    status_of,
)
from podproof.kubelet.replay import Shown
from podproof.model.core_v1 import ApiPod, PodPhase, RestartPolicy
from podproof.model.status.api_server import ApiCall, Verb
from podproof.model.status.status_manager import PodSync, StatusManager

NOW = 1 << 40
"""The current time where it is not recorded; no recording has this second."""


def replay_transition(case: Case, part: type[StatusManager]) -> Iterator[LayerStep]:
    pod = ApiPod(restart_policy=RestartPolicy(case["rp"]), init_containers=init_containers_of(case.get("init")))
    pod.containers = containers_of(case.get("ctr"))
    wrong = part().check_container_state_transition(status_of(case["old"]), status_of(case["new"]), pod)
    yield LayerStep(f"checkContainerStateTransition(restartPolicy={case['rp']})", {"err": case["err"]}, {"err": wrong})


def replay_equal(case: Case, part: type[StatusManager]) -> Iterator[LayerStep]:
    equal = part().is_pod_status_by_kubelet_equal(status_of(case["a"]), status_of(case["b"]))
    yield LayerStep("isPodStatusByKubeletEqual(a, b)", {"eq": case["eq"]}, {"eq": equal})


def replay_merge(case: Case, part: type[StatusManager]) -> Iterator[LayerStep]:
    old, new, run = status_of(case["old"]), status_of(case["new"]), bool(case["run"])
    shown = show_status(part().merge_pod_status(old, new, run, NOW))
    shown["cond"] = [[*told, "now" if time == str(NOW) else time] for *told, time in shown.get("cond", ())]
    event = f"mergePodStatus({old.phase.value}, {new.phase.value}, couldHaveRunningContainers={str(run).lower()})"
    yield LayerStep(event, {"out": plain(case["out"])}, {"out": plain(shown)})


class StatusSequence:
    """The status manager with its surroundings, driven through the steps of a recording."""

    def __init__(self, part: type[StatusManager]) -> None:
        self.manager = part()
        self.seen: dict[str, ApiPod] = {}
        """The object that each UID's callers last had in hand."""

    def take(self, event: Mapping[str, Any]) -> int:
        """Let an event happen; how many syncs the writer tried."""
        manager, name, uid = self.manager, event.get("name") or "", event.get("uid") or ""
        match event["op"]:
            case "apiput":
                pod = pod_of(event["pod"])
                manager.api.pods[pod.name] = pod
            case "apigone":
                manager.api.pods.pop(name, None)
            case "apidel" | "apicond" | "apiphase" if name in manager.api.pods:
                self.change(manager.api.pods[name], event)
            case "see" if name in manager.api.pods:
                self.see(deepcopy(manager.api.pods[name]))
            case "static":
                self.see(pod_of(event["pod"]))
            case "unsee" if uid in self.seen:
                manager.pod_manager.remove_pod(self.seen[uid])
            case "running":
                manager.could_have_running[uid] = bool(event.get("v"))
            case "set" if uid in self.seen:
                manager.set_pod_status(self.seen[uid], status_of(event["status"]))
            case "ready":
                manager.set_container_readiness(uid, event["cid"], bool(event.get("v")))
            case "started":
                manager.set_container_startup(uid, event["cid"], bool(event.get("v")))
            case "terminate" if uid in self.seen:
                manager.terminate_pod(self.seen[uid])
            case "orphans":
                manager.remove_orphaned_statuses(set(event.get("uids") or ()))
        return 0

    def change(self, pod: ApiPod, event: Mapping[str, Any]) -> None:
        """Somebody else changes an object at the API server."""
        match event["op"]:
            case "apidel":
                pod.deletion_timestamp = True
            case "apicond":
                pod.status.conditions.append(condition_of(event["cond"]))
            case "apiphase":
                pod.status.phase = PodPhase(event["cid"])

    def see(self, pod: ApiPod) -> None:
        self.seen[pod.uid] = pod
        self.manager.pod_manager.update_pod(pod)

    def write(self, updates: Sequence[PodSync]) -> None:
        """The writer's part of a batch, in this order; the token is taken."""
        self.manager.token = False
        for update in updates:
            self.manager.sync_pod(update.uid, update.status)

    # -- what can be seen ------------------------------------------------------------------------------------------

    def look(self) -> dict[str, Any]:
        manager = self.manager
        return {
            "cache": {
                uid: plain({"v": held.version, "fin": held.pod_is_finished, "st": show_status(held.status)})
                for uid, held in manager.pod_statuses.items()
            },
            "api": {
                name: plain({"uid": pod.uid, "del": pod.deletion_timestamp, "st": show_status(pod.status)})
                for name, pod in manager.api.pods.items()
            },
            "ver": dict(manager.api_status_versions),
        }

    def show(self, before: Mapping[str, Any], tried: int) -> Shown:
        """A step as a recording has it; `before` is what could be seen before it."""
        now = self.look()
        shown: Shown = {
            "n": tried,
            "tok": int(self.manager.token),
            "calls": [self.show_call(c) for c in self.manager.api.calls],
        }
        for part in ("cache", "api"):
            changed = [key for key in {**before[part], **now[part]} if before[part].get(key) != now[part].get(key)]
            shown[part] = {key: now[part].get(key, REMOVED) for key in changed}
        if before["ver"] != now["ver"]:
            shown["ver"] = now["ver"]
        return shown

    def show_call(self, call: ApiCall) -> Shown:
        gone = call.status is not None and call.name not in self.manager.api.pods
        status = show_status(call.status) if gone and call.status is not None else None
        shown: Shown = plain({"v": call.verb.value, "name": call.name, "uid": call.uid, "e": call.error, "st": status})
        return shown


REMOVED = "removed"
_SHOWN = ("op", "t", "any", "n", "tok", "calls", "cache", "api", "ver")
"""The keys of a step that say what happened, or what the model shows."""


def expected_step(step: Mapping[str, Any]) -> Shown:
    """A recorded step in the form of `StatusSequence.show`; what that does not have is a difference."""
    expected: Shown = plain({key: value for key, value in step.items() if key not in _SHOWN})
    expected |= {"n": step.get("n") or 0, "tok": step.get("tok") or 0}
    expected["calls"] = [plain(call) for call in step.get("calls") or ()]
    for part in ("cache", "api"):
        changes = step.get(part) or {}
        expected[part] = {key: REMOVED if value is None else plain(value) for key, value in changes.items()}
    if step.get("ver") is not None:
        expected["ver"] = step["ver"]
    return expected


def replay_status_manager(case: Case, part: type[StatusManager]) -> Iterator[LayerStep]:
    sequence = StatusSequence(part)
    for step in case["steps"]:
        event, expected = step["op"], expected_step(step)
        sequence.manager.now = step["t"]
        sequence.manager.api.calls = []
        sequence.manager.api.faults = {Verb(verb): error for verb, error in (event.get("fault") or {}).items()}
        before = sequence.look()
        if event["op"] in ("sync", "batch"):
            updates = sequence.manager.updated_statuses(every=event["op"] == "batch")
            sequence, shown = in_any_order(sequence, updates, before, expected)
        else:
            shown = sequence.show(before, sequence.take(event))
        yield LayerStep(describe(event), expected, shown)


def in_any_order(
    sequence: StatusSequence, updates: Sequence[PodSync], before: Mapping[str, Any], expected: Shown
) -> tuple[StatusSequence, Shown]:
    """The batch written in the order that was recorded: Go walks a map. In the first one where none was."""
    tried: list[tuple[StatusSequence, Shown]] = []
    for order in itertools.islice(itertools.permutations(range(len(updates))), MOST_ORDERS):
        after, waiting = deepcopy((sequence, updates))
        after.write([waiting[i] for i in order])
        tried.append((after, after.show(before, len(updates))))
        if tried[-1][1] == expected:
            return tried[-1]
    return tried[0]


MOST_ORDERS = 720
"""Orders of the writes of one batch that are tried; batches are of two or three pods."""


def describe(event: Mapping[str, Any]) -> str:
    told = [str(event[key]) for key in ("name", "uid", "cid", "uids") if event.get(key)]
    if "pod" in event:
        told.append(event["pod"].get("uid") or "without a UID")
    if "v" in event:
        told.append(str(event["v"]).lower())
    if event.get("status"):
        told.append(event["status"].get("ph") or "no phase")
    if event.get("fault"):
        told.append(", ".join(f"{verb} fails: {error}" for verb, error in event["fault"].items()))
    return f"{EVENTS[event['op']]}({', '.join(told)})"


EVENTS = {
    "apiput": "the API server gets the pod ",
    "apidel": "deletionTimestamp is set ",
    "apigone": "the object is gone ",
    "apicond": "a condition is appended ",
    "apiphase": "the API phase becomes ",
    "see": "podManager.UpdatePod",
    "static": "podManager.UpdatePod",
    "unsee": "podManager.RemovePod",
    "running": "PodCouldHaveRunningContainers",
    "set": "SetPodStatus",
    "ready": "SetContainerReadiness",
    "started": "SetContainerStartup",
    "terminate": "TerminatePod",
    "orphans": "RemoveOrphanedStatuses",
    "sync": "syncBatch",
    "batch": "syncBatch of all",
}

_MANAGER = ("status_manager",)
LAYERS = (
    Layer("checkContainerStateTransition", frozenset({"rp", "old", "new", "err"}), _MANAGER, replay_transition),
    Layer("isPodStatusByKubeletEqual", frozenset({"a", "b", "eq"}), _MANAGER, replay_equal),
    Layer("mergePodStatus", frozenset({"old", "new", "run", "out"}), _MANAGER, replay_merge),
    Layer("statusManager", frozenset({"id", "steps"}), _MANAGER, replay_status_manager, frozenset({"pod", "trace"})),
)
