"""What kubelet 1.20's environments share: the goroutines' steps, what syncPod does, the containers, and PLEG.

Go: pkg/kubelet/kubelet.go (syncPod) of release 1.19; that 1.20 has the same is [R]. Numbers such as [A42] refer to
ABSTRACTIONS.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from podproof.kubelet_1_20.pod_workers import Outcome, PodWorkers
from podproof.kubelet_1_20.state import Position
from podproof.model.fairness import CACHE_ANSWERS, GOROUTINES, RELISTS, SYNC_CALLS_RETURN, succeeds
from podproof.model.language import Array, Domain, Size, action, require
from podproof.model.notes import PHASE, RUNTIME, go
from podproof.model.state import Cached, OptionalUid, Phase, Uid, UpdateType

Goroutine = Annotated[int, Domain("goroutines")]


@dataclass
class PodStatus:
    """The part of a v1.PodStatus by which a pod counts as terminated. podIsTerminated goes by it."""

    phase: Annotated[Phase, PHASE]
    running: bool
    """Is a container neither terminated nor waiting? One that is about to be started is waiting."""


class Answer(Enum):
    """What killPodNow has heard from its callback."""

    NONE = "not asked"
    WAITING = "waiting"
    DONE = "done"
    FAILED = "an error"


@dataclass
class KillRequest:
    """A call of killPodNow, which waits for its callback. It gives up in time, which the worker is not told. [A22]"""

    uid: OptionalUid
    """Which pod is to be killed; NIL again once a source delivers its UID anew."""
    answer: Answer


@dataclass
class Node(PodWorkers):
    """The pod workers on a node with a container runtime. [A20]"""

    containers: Annotated[Array[bool], Size("uids"), RUNTIME, PHASE]
    """Does a container of the pod run?"""
    pod_cache: Annotated[Array[Cached], Size("uids"), RUNTIME]
    """What podCache has: as old as PLEG's last relist."""
    statuses: Annotated[Array[PodStatus], Size("uids")]
    """The status manager's, or the API server's where it has none."""
    resources: Annotated[Array[bool], Size("uids")]
    """Are the pod's cgroup, directories and volumes there?"""
    kill_requests: Annotated[Array[KillRequest], Size("kill_requests")]

    # -- the worker goroutines -------------------------------------------------------------------------------------
    @action("worker", "worker {uid}: begins to receive", GOROUTINES)
    def worker_start_receiving(self, uid: Uid, generation: Goroutine) -> None:
        self.start_receiving(uid, generation)

    @action("worker", "worker {uid}: podCache.GetNewerThan answers, syncPod begins", CACHE_ANSWERS)
    def worker_get_newer_than(self, uid: Uid, generation: Goroutine) -> None:
        self.get_newer_than(uid, generation, Outcome.OK)

    @action("worker", "worker {uid}: podCache.GetNewerThan fails")
    def worker_get_newer_than_fails(self, uid: Uid, generation: Goroutine) -> None:
        self.get_newer_than(uid, generation, Outcome.ERROR)

    @action("runtime", "syncPod({uid}) starts containers")
    def start_containers(self, uid: Uid, generation: Goroutine) -> None:
        """Whatever has become of the pod since syncPod began."""
        require(self.workers[uid][generation].position == Position.SYNC_POD)
        require(not self.containers[uid] and self.may_start(uid))
        self.containers[uid] = True

    @action("worker", "syncPod({uid}) returns {outcome}", SYNC_CALLS_RETURN, succeeds(Outcome.OK))
    def worker_sync_pod_returns(self, uid: Uid, generation: Goroutine, outcome: Outcome) -> None:
        """killPod stops what the cache showed when syncPod began; nobody looks whether something runs then. [A46]"""
        worker = self.workers[uid][generation]
        require(outcome != Outcome.NETWORK_NOT_READY or worker.position == Position.SYNC_POD)
        stopped = worker.position == Position.KILL_POD and worker.running and outcome == Outcome.OK
        self.sync_pod_returns(uid, generation, outcome)
        if stopped:
            self.containers[uid] = False

    @action("worker", "worker {uid}: wrapUp enqueues", GOROUTINES)
    def worker_wrap_up(self, uid: Uid, generation: Goroutine) -> None:
        self.wrap_up(uid, generation)

    @action("worker", "worker {uid}: checkForUpdates", GOROUTINES)
    def worker_check_for_updates(self, uid: Uid, generation: Goroutine) -> None:
        self.check_for_updates(uid, generation)

    def ask(self, request: int, uid: int) -> None:
        """killPodNow begins to wait."""
        self.kill_requests[request].uid = uid
        self.kill_requests[request].answer = Answer.WAITING

    @go("killPodNow")
    def on_complete_func(self, request: int, outcome: Outcome) -> None:
        """killPodNow is told, and tells its caller. A failed kill is not tried again as a kill."""
        self.kill_requests[request].answer = Answer.DONE if outcome == Outcome.OK else Answer.FAILED

    # -- syncPod ---------------------------------------------------------------------------------------------------
    @go("syncPod")
    def sync_pod(self, uid: int, generation: int) -> None:
        """syncPod up to where it waits for the runtime: the update in hand says whether the pod is to run or to stop.

        The status comes first, then cgroup, directories and volumes. [A42]
        """
        worker = self.workers[uid][generation]
        if worker.last_sync_time:
            # The cache was made to wait for a status that is newer; a goroutine's first sync takes what there is. [A43]
            self.relist(uid)
        worker.running = self.pod_cache[uid] == Cached.RUNNING
        if worker.update.update_type == UpdateType.KILL:
            # The killer's status: Failed, and no container. It is published before anything is stopped.
            self.set_pod_status(uid, Phase.FAILED, False)
            worker.position = Position.KILL_POD
            return
        phase = self.generate_api_pod_status(uid, generation)
        self.set_pod_status(uid, phase, worker.running)
        if worker.update.pod.deletion_timestamp or phase == Phase.FAILED:
            worker.position = Position.KILL_POD
            return
        self.resources[uid] = True
        worker.position = Position.SYNC_POD

    @go("SetPodStatus")
    def set_pod_status(self, uid: int, phase: Phase, running: bool) -> None:
        """The status manager's."""
        self.statuses[uid].phase = phase
        self.statuses[uid].running = running

    @go("generateAPIPodStatus")
    def generate_api_pod_status(self, uid: int, generation: int) -> Phase:
        """The phase that syncPod computes: the API's, if that one is terminal."""
        return self.workers[uid][generation].update.pod.phase

    def may_start(self, uid: int) -> bool:
        """Does the restart policy let the pod's containers start?"""
        return True

    # -- the runtime -----------------------------------------------------------------------------------------------
    @action("runtime", "containers of {uid} exit")
    def containers_exit(self, uid: Uid) -> None:
        require(self.containers[uid])
        self.containers[uid] = False

    @action("PLEG", "PLEG relists {uid}", RELISTS)
    def pleg_relist(self, uid: Uid) -> None:
        require((self.pod_cache[uid] == Cached.RUNNING) != self.containers[uid])
        self.relist(uid)

    def find_running(self, uid: int, running: bool) -> None:
        """What there is before anything happens: the kubelet starts, and the pod runs or does not."""
        self.containers[uid] = running
        self.resources[uid] = running
        self.relist(uid)

    def relist(self, uid: int) -> None:
        """podCache shows what runs."""
        self.pod_cache[uid] = Cached.RUNNING if self.containers[uid] else Cached.NOTHING_RUNNING
