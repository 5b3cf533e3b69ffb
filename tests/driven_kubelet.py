"""A release driven through a case of tests/upstream_cases.json: what the case does is done, what it expects is seen."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from podproof.model.kubelet import Chore, Housekeeping, Kubelet
from podproof.model.language import NIL, make
from podproof.model.pod_worker_loop import SyncOutcome, SyncPodOutcome
from podproof.model.pod_workers import PodWorkers
from podproof.model.releases import V1_29
from podproof.model.state import (
    Cached,
    Channel,
    Context,
    Delay,
    KillPodOptions,
    Phase,
    Pod,
    Position,
    UpdatePodOptions,
    UpdateType,
    WorkType,
)
from podproof.queries.versions import VERSIONS

FLAGS = {
    "startedAt": "started_at",
    "terminatingAt": "terminating_at",
    "terminatedAt": "terminated_at",
    "startedTerminating": "started_terminating",
    "restartRequested": "restart_requested",
    "observedRuntime": "observed_runtime",
    "gracePeriod": "grace_period",
    "finished": "finished",
    "deleted": "deleted",
    "evicted": "evicted",
    "working": "working",
}


class Watched(PodWorkers):
    """In front of a release, it notes what SyncKnownPods returns and what is put into the work queue."""

    known: dict[int, list[str]]
    delays: list[str]

    def record_known_pod(self, uid: int, work_type: WorkType, orphan: bool) -> None:
        super().record_known_pod(uid, work_type, orphan)
        found = {"orphan": orphan}
        if hasattr(self, "has_config"):
            found |= {"has config": self.has_config(uid), "static": self.is_static(uid)}
        self.known[uid] = [work_type.value, *(name for name, holds in found.items() if holds)]

    def enqueue(self, uid: int, delay: Delay) -> None:
        super().enqueue(uid, delay)
        self.delays.append(delay.value)


def world_class(version: type[V1_29]) -> type[Any]:
    return dataclass(type("World", (Watched, version.kubelet, version), {}))


class DrivenKubelet:
    """A case on a release: the kubelet with the pods of the case, driven call by call."""

    def __init__(self, case: Mapping[str, Any], version: type[V1_29]) -> None:
        self.pods = case.get("pods") or {
            uid: {"name": f"pod-{uid}", "static": False}
            for uid in dict.fromkeys(step["uid"] for step in case["steps"] if "uid" in step) or ["1"]
        }
        self.pods = {**self.pods, "unknown": {"name": "unknown", "static": False}}
        self.uids, self.names = list(self.pods), list(dict.fromkeys(pod["name"] for pod in self.pods.values()))
        sizes = {"uids": len(self.uids), "full_names": len(self.names), "kill_requests": 2, "waiting": 12}
        self.world: Any = make(world_class(version), {**sizes, "generations": 2})
        self.world.known, self.world.delays = {}, []
        self.world.sources_ready = True
        self.calls: dict[str, list[str]] = {uid: [] for uid in self.uids}
        self.revisions: dict[str, list[int]] = {uid: [] for uid in self.uids}
        self.sync_pod, self.sync_terminating = SyncPodOutcome.OK, SyncOutcome.OK
        self.held: set[str] = set()
        for uid, pod in enumerate(self.pods.values()):
            self.world.full_names[uid] = self.names.index(pod["name"])
            self.world.config[uid].static = pod["static"]
            self.world.config[uid].termination_grace_period_seconds = NIL
        self.give(case.get("given") or {})

    def give(self, given: Mapping[str, Any]) -> None:
        world = self.world
        for uid, state in (given.get("cache") or {}).items():
            world.pod_cache[self.uids.index(uid)] = Cached(state)
        for uid in map(self.uids.index, given.get("config") or ()):
            world.pod_manager[uid] = world.config[uid].exists = True
        for uid in map(self.uids.index, given.get("runtime") or ()):
            world.containers[uid] = True
        for uid in map(self.uids.index, given.get("rejected") or ()):
            world.rejected[uid] = True
        for uid in map(self.uids.index, given.get("deleted") or ()):
            world.config[uid].deletion_timestamp = True
        for uid, phase in (given.get("phase") or {}).items():
            world.config[self.uids.index(uid)].phase = Phase(phase)
        for name, uid in (given.get("started") or {}).items():
            world.started_static_pods[self.names.index(name)] = self.uids.index(uid)
        for name, uids in (given.get("waiting") or {}).items():
            for uid in uids:
                world.waiting_to_start_static_pods[self.names.index(name)].append(self.uids.index(uid))
        for uid, fields in (given.get("status") or {}).items():
            self.give_status(self.uids.index(uid), fields)
        for uid, token in (given.get("channel") or {}).items():
            worker = world.workers[self.uids.index(uid)][0]
            world.pod_updates[self.uids.index(uid)] = 0
            worker.position, worker.token = Position.SPAWNED, token
        if "completing" in given:
            world.workers[self.uids.index(given["completing"])][0].position = Position.COMPLETE

    def give_status(self, uid: int, fields: Mapping[str, Any]) -> None:
        status = self.world.pod_sync_statuses[uid]
        status.present = True
        for name, value in fields.items():
            if name in ("active", "pending"):
                update = UpdatePodOptions(present=True, pod=Pod(present=True, revision=value))
                setattr(status, f"{name}_update", update)
            else:
                assert hasattr(status, name)
                setattr(status, name, value)

    # -- the calls -------------------------------------------------------------------------------------------------

    def do(self, step: Mapping[str, Any]) -> None:
        DO[step["do"]](self, step)

    def update(self, step: Mapping[str, Any]) -> None:
        kill = KillPodOptions()
        if "evict" in step or "grace" in step:
            kill = KillPodOptions(present=True, evict=step.get("evict", False))
            kill.grace_period_seconds_override = step.get("grace", NIL)
            kill.completed_ch = 0 if "ch" in step else NIL
            self.world.completed_channels[0] = Channel.OPEN
        pod = Pod(
            present=True,
            revision=step.get("rev", 1),
            phase=Phase(step.get("phase", "Running")),
            deletion_timestamp="deletionGrace" in step,
            deletion_grace_period_seconds=step.get("deletionGrace", NIL),
            termination_grace_period_seconds=step.get("specGrace", NIL),
            static=self.pods[step["uid"]]["static"],
        )
        options = UpdatePodOptions(
            present=True,
            update_type=UpdateType(step["type"]),
            pod=pod if step.get("pod", True) else Pod(),
            mirror_pod=int(step.get("mirror", False)),
            running_pod=step.get("runningPod", False),
            kill_pod_options=kill,
        )
        self.world.update_pod(self.uids.index(step["uid"]), options)

    def drain(self, _step: Mapping[str, Any]) -> None:
        """Let the workers run until none can go on; every sync function returns at once."""
        while self.run_workers():
            pass

    def drain_once(self, _step: Mapping[str, Any]) -> None:
        """Let the workers run until one has been through completeWork's first half."""
        while not self.world.delays:
            assert self.run_workers()

    def run_workers(self) -> int:
        """Let each worker take one step; says how many could."""
        return sum(self.run_worker(uid, generation) for uid in range(len(self.uids)) for generation in range(2))

    def run_worker(self, uid: int, generation: int) -> bool:
        """One step of a worker; says whether it could take one."""
        world, worker, name = self.world, self.world.workers[uid][generation], self.uids[uid]
        if name in self.held:
            return False
        match worker.position:
            case Position.SPAWNED if not worker.token:
                world.start_receiving(uid, generation)
            case Position.SPAWNED | Position.TOKEN:
                world.start_pod_sync(uid, generation)
            case Position.CACHE:
                world.get_newer_than(uid, generation, False)
            case Position.SYNC_POD:
                self.calls[name].append(f"SyncPod {worker.update_type.value}")
                self.revisions[name].append(worker.revision)
                world.sync_pod_returns(uid, generation, self.sync_pod)
            case Position.SYNC_TERMINATING_POD:
                self.calls[name].append(f"kill {worker.grace_period}" if worker.grace_period != NIL else "kill")
                world.sync_terminating_pod_returns(uid, generation, self.sync_terminating)
            case Position.SYNC_TERMINATING_RUNTIME_POD:
                self.calls[name].append("kill runtime pod")
                world.sync_terminating_runtime_pod_returns(uid, generation, self.sync_terminating)
            case Position.SYNC_TERMINATED_POD:
                self.calls[name].append("terminated")
                world.sync_terminated_pod_returns(uid, generation, SyncOutcome.OK)
            case Position.ENQUEUE:
                world.complete_work_enqueue(uid, generation)
            case Position.COMPLETE:
                world.complete_work(uid, generation)
            case _:
                return False
        return True

    def outcomes(self, step: Mapping[str, Any]) -> None:
        """What the sync functions return from now on."""
        if "SyncPod" in step:
            self.sync_pod = SyncPodOutcome[step["SyncPod"]]
        if "SyncTerminating" in step:
            self.sync_terminating = SyncOutcome[step["SyncTerminating"]]

    def hold(self, step: Mapping[str, Any]) -> None:
        self.held.add(step["uid"])

    def release(self, step: Mapping[str, Any]) -> None:
        self.held.remove(step["uid"])

    def drain_work_queue(self, _step: Mapping[str, Any]) -> None:
        for uid in range(len(self.uids)):
            self.world.work_queue[uid] = False

    def sync_known(self, step: Mapping[str, Any]) -> None:
        self.world.known = {}
        for uid, name in enumerate(self.uids):
            self.world.pod_manager[uid] = name in step["desired"]
        self.world.sync_known_pods()

    def handle_pod_cleanups(self, _step: Mapping[str, Any]) -> None:
        """One pass of housekeeping, in its order, with no other step in between."""
        self.world.housekeeping_sync_known_pods()
        if self.world.housekeeping == Housekeeping.SYNCED:
            self.world.housekeeping_list_pods()
        for chore, act in CHORES.items():
            for uid in range(len(self.uids)):
                if self.world.chores[uid] == chore:
                    act(self.world, uid)
        assert self.world.housekeeping == Housekeeping.IDLE

    def allow_pod_start(self, step: Mapping[str, Any]) -> None:
        pod = Pod(present=True, static=self.pods[step["uid"]]["static"])
        found = self.world.allow_pod_start(self.uids.index(step["uid"]), pod)
        assert found == (step["canStart"], step["canEverStart"])

    def remove_terminated_worker(self, step: Mapping[str, Any]) -> None:
        uid = self.uids.index(step["uid"])
        status = self.world.pod_sync_statuses[uid]
        assert self.world.remove_terminated_worker(uid, status, step["orphan"]) == step["removed"]

    def effective_grace(self, step: Mapping[str, Any]) -> None:
        numbers = {n: NIL if step[n] is None else step[n] for n in ("deletionGrace", "specGrace", "override")}
        pod = Pod(
            present=True,
            deletion_grace_period_seconds=numbers["deletionGrace"],
            termination_grace_period_seconds=numbers["specGrace"],
        )
        kill = KillPodOptions(present=True, grace_period_seconds_override=numbers["override"])
        grace, _ = self.world.calculate_effective_grace_period(self.world.pod_sync_statuses[0], pod, kill)
        assert grace == step["grace"]

    def clamp_backoff(self, step: Mapping[str, Any]) -> None:
        type(self.world).resync_seconds = step["resync"]
        assert self.world.clamp_backoff(step["seconds"]) == step["wait"]

    def complete_work(self, step: Mapping[str, Any]) -> None:
        self.world.complete_work(self.uids.index(step["uid"]), 0)

    # -- what is to be seen ----------------------------------------------------------------------------------------

    def expect(self, expected: Mapping[str, Any]) -> None:
        world = self.world
        for what, wanted in expected.items():
            match what:
                case "status":
                    assert {uid: self.status(uid, fields) for uid, fields in wanted.items()} == wanted
                case "statuses":
                    assert sum(status.present for status in world.pod_sync_statuses) == wanted
                case "terminated":
                    assert {uid: world.is_pod_known_terminated(self.uids.index(uid)) for uid in wanted} == wanted
                case "calls" | "revisions":
                    assert {uid: getattr(self, what)[uid] for uid in wanted} == wanted
                case "channels":
                    assert [uid for n, uid in enumerate(self.uids) if world.pod_updates[n] != NIL] == wanted
                case "started":
                    assert {
                        n: self.uids[u] for n, u in zip(self.names, world.started_static_pods, strict=True) if u != NIL
                    } == wanted
                case "waiting":
                    lines = zip(self.names, world.waiting_to_start_static_pods, strict=True)
                    found = {n: [self.uids[uid] for uid in line.uids if uid != NIL] for n, line in lines}
                    assert {name: uids for name, uids in found.items() if uids} == wanted
                case "queued":
                    assert [uid for n, uid in enumerate(self.uids) if world.work_queue[n]] == wanted
                case "delays":
                    assert world.delays == wanted
                case "result":
                    assert {self.uids[uid]: known for uid, known in world.known.items()} == wanted
                case "known":
                    assert [self.uids[uid] for uid in world.known] == wanted
                case "tokens":
                    assert {u: int(world.workers[self.uids.index(u)][0].token) for u in wanted} == wanted
                case "woken":
                    position = {u: world.workers[self.uids.index(u)][0].position for u in wanted}
                    assert {u: p == Position.TOKEN for u, p in position.items()} == wanted
                case "answered":
                    assert (world.completed_channels[0] == Channel.CLOSED) == wanted
                case "queries":
                    for query, answers in wanted.items():
                        assert {u: getattr(world, query)(self.uids.index(u)) for u in answers} == answers
                case _:
                    raise AssertionError(f"nothing is known of {what!r}")

    def status(self, uid: str, fields: Mapping[str, Any] | None) -> dict[str, Any] | None:
        """The fields of a status that are asked for; None where there is no status."""
        status = self.world.pod_sync_statuses[self.uids.index(uid)]
        if not status.present:
            return None
        found: dict[str, Any] = {}
        for name, wanted in (fields or {}).items():
            if name in ("active", "pending"):
                found[name] = self.update_of(getattr(status, f"{name}_update"), wanted or {})
            elif name == "hasCancelFn":
                found[name] = status.context != Context.NONE
            else:
                found[name] = getattr(status, FLAGS[name])
        return found

    def update_of(self, update: UpdatePodOptions, fields: Mapping[str, Any]) -> dict[str, Any] | None:
        if not update.present:
            return None
        override = update.kill_pod_options.grace_period_seconds_override
        known = {
            "type": update.update_type.value,
            "rev": update.pod.revision,
            "hasPod": update.pod.present,
            "runningPod": update.running_pod,
            "mirror": update.mirror_pod != 0,
            "override": None if override == NIL else override,
            "evict": update.kill_pod_options.evict,
        }
        return {name: known[name] for name in fields}


DO: Mapping[str, Callable[[DrivenKubelet, Mapping[str, Any]], None]] = {
    "update": DrivenKubelet.update,
    "drain": DrivenKubelet.drain,
    "drain once": DrivenKubelet.drain_once,
    "outcomes": DrivenKubelet.outcomes,
    "hold": DrivenKubelet.hold,
    "release": DrivenKubelet.release,
    "drainWorkQueue": DrivenKubelet.drain_work_queue,
    "syncKnown": DrivenKubelet.sync_known,
    "HandlePodCleanups": DrivenKubelet.handle_pod_cleanups,
    "allowPodStart": DrivenKubelet.allow_pod_start,
    "removeTerminatedWorker": DrivenKubelet.remove_terminated_worker,
    "effectiveGrace": DrivenKubelet.effective_grace,
    "clampBackoff": DrivenKubelet.clamp_backoff,
    "completeWork": DrivenKubelet.complete_work,
}
CHORES: Mapping[Chore, Callable[[Kubelet, int], None]] = {
    Chore.RECREATE: Kubelet.housekeeping_recreate,
    Chore.KILL_TERMINAL: Kubelet.housekeeping_kill_terminal,
    Chore.KILL_RUNTIME: Kubelet.housekeeping_kill_runtime,
}


def follow(case: Mapping[str, Any], version: str) -> None:
    driven = DrivenKubelet(case, VERSIONS[version].cls)
    for step in case["steps"]:
        if "expect" in step:
            driven.expect(step["expect"])
        else:
            driven.do(step)
