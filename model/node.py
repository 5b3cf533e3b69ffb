"""What every environment shares: the worker goroutines' steps, the containers they start and stop, and PLEG."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.fairness import CACHE_ANSWERS, GOROUTINES, RELISTS, SYNC_CALLS_RETURN, succeeds
from podproof.model.language import NIL, Array, Domain, Size, action, require
from podproof.model.notes import RUNTIME
from podproof.model.pod_worker_loop import SyncOutcome, SyncPodOutcome
from podproof.model.pod_workers import PodWorkers
from podproof.model.state import Cached, Context, Position, Uid

Generation = Annotated[int, Domain("generations")]


@dataclass
class Node(PodWorkers):
    """The pod workers on a node with a container runtime. [A20]"""

    containers: Annotated[Array[bool], Size("uids"), RUNTIME]
    """Does a container of the pod run?"""

    def is_static_pod(self, uid: int) -> bool:
        """Does the pod come from a file? Environments say."""
        return False

    def grace_period_of_spec(self, uid: int) -> int:
        """spec.terminationGracePeriodSeconds of the pod. Environments say."""
        return NIL

    # -- the worker goroutines, one critical section a step --------------------------------------------------------
    @action("worker", "worker {uid}: startPodSync", GOROUTINES)
    def worker_start_pod_sync(self, uid: Uid, generation: Generation) -> None:
        self.start_pod_sync(uid, generation)

    @action("worker", "worker {uid}: begins to receive", GOROUTINES)
    def worker_start_receiving(self, uid: Uid, generation: Generation) -> None:
        self.start_receiving(uid, generation)

    @action("worker", "worker {uid}: podCache.GetNewerThan answers", CACHE_ANSWERS)
    def worker_get_newer_than(self, uid: Uid, generation: Generation) -> None:
        """PLEG has relisted since the worker's last sync; what it saw need not be so any more."""
        self.get_newer_than(uid, generation, False)

    @action("worker", "worker {uid}: podCache.GetNewerThan fails")
    def worker_get_newer_than_fails(self, uid: Uid, generation: Generation) -> None:
        self.get_newer_than(uid, generation, True)

    @action("runtime", "SyncPod({uid}) starts containers")
    def start_containers(self, uid: Uid, generation: Generation) -> None:
        """Also after the context was cancelled: the runtime's SyncPod runs to its end once begun."""
        require(self.workers[uid][generation].position == Position.SYNC_POD)
        require(not self.containers[uid])
        self.containers[uid] = True

    @action("worker", "SyncPod({uid}) returns {outcome}", SYNC_CALLS_RETURN, succeeds(SyncPodOutcome.OK))
    def worker_sync_pod_returns(self, uid: Uid, generation: Generation, outcome: SyncPodOutcome) -> None:
        require(outcome != SyncPodOutcome.CANCELED or self.is_cancelled(uid, generation))
        self.sync_pod_returns(uid, generation, outcome)

    @action("worker", "SyncTerminatingPod({uid}) returns {outcome}", SYNC_CALLS_RETURN, succeeds(SyncOutcome.OK))
    def worker_sync_terminating_pod_returns(self, uid: Uid, generation: Generation, outcome: SyncOutcome) -> None:
        """It ignores its context, so it never returns Canceled; without an error it has seen no running container."""
        require(outcome in (SyncOutcome.OK, SyncOutcome.ERROR))
        self.sync_terminating_pod_returns(uid, generation, outcome)
        if outcome == SyncOutcome.OK:
            self.containers[uid] = False

    @action("worker", "SyncTerminatingRuntimePod({uid}) returns {outcome}", SYNC_CALLS_RETURN, succeeds(SyncOutcome.OK))
    def worker_sync_terminating_runtime_pod_returns(
        self, uid: Uid, generation: Generation, outcome: SyncOutcome
    ) -> None:
        require(outcome in (SyncOutcome.OK, SyncOutcome.ERROR))
        self.sync_terminating_runtime_pod_returns(uid, generation, outcome)
        if outcome == SyncOutcome.OK:
            self.containers[uid] = False

    @action("worker", "SyncTerminatedPod({uid}) returns {outcome}", SYNC_CALLS_RETURN, succeeds(SyncOutcome.OK))
    def worker_sync_terminated_pod_returns(self, uid: Uid, generation: Generation, outcome: SyncOutcome) -> None:
        require(outcome in (SyncOutcome.OK, SyncOutcome.ERROR) or self.is_cancelled(uid, generation))
        require(outcome != SyncOutcome.NETWORK_NOT_READY)
        self.sync_terminated_pod_returns(uid, generation, outcome)

    @action("worker", "worker {uid}: completeWork enqueues", GOROUTINES)
    def worker_complete_work_enqueue(self, uid: Uid, generation: Generation) -> None:
        self.complete_work_enqueue(uid, generation)

    @action("worker", "worker {uid}: completeWork", GOROUTINES)
    def worker_complete_work(self, uid: Uid, generation: Generation) -> None:
        self.complete_work(uid, generation)

    def is_cancelled(self, uid: int, generation: int) -> bool:
        """Was the context of the sync call under way cancelled?"""
        return self.workers[uid][generation].context == Context.CANCELLED

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
        self.relist(uid)

    def relist(self, uid: int) -> None:
        """podCache shows what runs."""
        self.pod_cache[uid] = Cached.RUNNING if self.containers[uid] else Cached.NOTHING_RUNNING
