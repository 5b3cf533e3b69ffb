"""Kubelet 1.24 to 1.26: what kubernetes/kubernetes#113145 changed in 1.27.0, read backwards.

The channel carries the work itself, and whether it means to sync or to terminate is fixed when it is sent. What comes
while the worker is busy waits in lastUndeliveredWorkUpdate. Nobody drives an orphan on.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from podproof.model.containers import Containers, Containers1_26
from podproof.model.kubelet import Chore, Housekeeping, Kubelet
from podproof.model.kubelet_pods import KubeletPods, KubeletPods1_26
from podproof.model.language import Array, Size, absent, clear, copy, programmer_error, require
from podproof.model.notes import go
from podproof.model.pod_syncer import PodSyncer, PodSyncer1_26
from podproof.model.releases.v1_27_0 import V1_27_0
from podproof.model.state import (
    Cached,
    Context,
    Phase,
    Pod,
    PodSyncStatus,
    Position,
    UpdatePodOptions,
    WorkType,
)
from podproof.model.status.status_manager import StatusManager, StatusManager1_26


class Kubelet1_26(Kubelet):
    """The callers in 1.26: another HandlePodCleanups, and sync functions that do not look at their context."""

    def is_cancelled(self, uid: int, generation: int) -> bool:
        return False

    def is_driven_on(self, uid: int) -> bool:
        return False

    def record_known_pod(self, uid: int, work_type: WorkType, orphan: bool) -> None:
        """SyncKnownPods returns every pod; those that are terminated do not count as taken care of."""
        self.known_pods[uid] = work_type != WorkType.TERMINATED

    def record_restartable_pod(self, uid: int) -> None:
        self.chores[uid] = Chore.RECREATE

    def chore(self, uid: int) -> Chore:
        """The list of running pods comes from a cache that is up to two seconds old. [A28]"""
        pod = self.config[uid]
        if self.chores[uid] == Chore.RECREATE and self.pod_manager[uid]:
            if pod.phase == Phase.RUNNING and not self.rejected[uid]:
                return Chore.RECREATE
        is_listed = self.containers[uid] or self.pod_cache[uid] == Cached.RUNNING
        if is_listed and not self.pod_manager[uid]:
            return Chore.KILL_RUNTIME
        return Chore.NONE

    def is_turn_of(self, chore: Chore) -> bool:
        """Pods are created anew last, and all of it comes after the list of running pods."""
        if chore == Chore.RECREATE and self.has_chore(Chore.KILL_RUNTIME):
            return False
        return self.housekeeping == Housekeeping.CHORES


@dataclass
class PodWork:
    """podWork: what the channel carries."""

    work_type: WorkType
    options: UpdatePodOptions


@dataclass
class V1_26(V1_27_0):
    """Kubelet 1.26. Late 1.23 has the same code, so 1.24 and 1.25 are taken to have it as well.

    `pending_update` is lastUndeliveredWorkUpdate[uid], which is only set while the pod has a status. `started_at`, or
    for containers without configuration `observed_runtime`, is managePodLoop's local podStarted: a status has one
    goroutine at most. `active_update` is not there. [A28]
    """

    undelivered_work_types: Annotated[Array[WorkType], Size("uids")]
    """The work type of each pending update."""
    sent_work: Annotated[Array[PodWork], Size("uids")]
    """The work in podUpdates[uid], or in the hands of its goroutine that has not begun with it: never both."""

    kubelet: ClassVar[type[Kubelet]] = Kubelet1_26
    containers_environment: ClassVar[type[Containers]] = Containers1_26
    kubelet_pods: ClassVar[type[KubeletPods]] = KubeletPods1_26
    pod_syncer: ClassVar[type[PodSyncer]] = PodSyncer1_26
    status_manager: ClassVar[type[StatusManager]] = StatusManager1_26

    should_pod_be_finished = absent("1.27.0")
    has_config = absent("1.27.0")
    is_static = absent("1.27.0")
    grace_period_of_orphan = absent("1.27.0")
    substitute_last_pod = absent("1.27.0")
    drain_pod_updates = absent("1.27.0")

    # -- UpdatePod -------------------------------------------------------------------------------------------------

    def is_restart(self, uid: int, options: UpdatePodOptions, first_time: bool) -> bool:
        """A create asks for a restart even of a pod that is seen for the first time, and has ended."""
        return super().is_restart(uid, options, False)

    def observe_runtime_pod(self, uid: int, options: UpdatePodOptions) -> None:
        """Containers without configuration are killed as such, whatever else is known of their pod."""
        return

    def queue_update(self, uid: int, options: UpdatePodOptions, cancels: bool) -> None:
        """An idle worker gets the work at once, a busy one later; only a busy one's sync can be cancelled."""
        status = self.pod_sync_statuses[uid]
        if not status.working:
            status.working = True
            self.send(uid, status.work_type(), options)
            return
        if status.pending_update.present and 0 < status.pending_update.start_time < options.start_time:
            options.start_time = status.pending_update.start_time
        status.pending_update = copy(options)
        self.undelivered_work_types[uid] = status.work_type()
        if cancels and status.context != Context.NONE:
            self.cancel(uid)

    def send(self, uid: int, work_type: WorkType, options: UpdatePodOptions) -> None:
        """A blocking send on podUpdates[uid], which podLock is held for: the channel has to be empty."""
        if self.sent_work[uid].options.present:
            programmer_error("blocking send on a full channel")
        self.sent_work[uid].work_type = work_type
        self.sent_work[uid].options = copy(options)
        self.notify_pod_worker(uid)

    # -- managePodLoop ---------------------------------------------------------------------------------------------

    def start_pod_sync(self, uid: int, generation: int) -> None:
        """Work was received. Whether the pod may start is asked until it may."""
        worker = self.workers[uid][generation]
        require(worker.position == Position.TOKEN or (worker.position == Position.SPAWNED and worker.token))
        if worker.position == Position.SPAWNED:
            worker.token = False
        status = self.pod_sync_statuses[uid]
        work_type = self.sent_work[uid].work_type
        update = copy(self.sent_work[uid].options)
        clear(self.sent_work[uid])
        if not status.started_at and not status.observed_runtime:
            can_start, can_ever_start = self.allow_pod_start(uid, update.pod)
            if not can_ever_start:
                self.cleanup_unstarted_pod(uid, status)
                self.stop(uid, generation)
                return
            if not can_start:
                # The work is dropped; only the work queue remembers the pod.
                self.receive(uid, generation)
                return
            if update.running_pod:
                status.observed_runtime = True
            else:
                status.started_at = True
        self.process_pod_event(uid, generation, work_type, update)

    def allow_pod_start(self, uid: int, pod: Pod) -> tuple[bool, bool]:
        """Also says that the worker of a pod that has to wait is idle."""
        can_start, can_ever_start = super().allow_pod_start(uid, pod)
        if can_ever_start and not can_start:
            self.pod_sync_statuses[uid].working = False
        return can_start, can_ever_start

    @go("contextForWorker")
    def call_pod_syncer(self, uid: int, generation: int, running_pod: bool) -> None:
        """The context is made last, so a cancellation since the work was received is undone."""
        self.begin_context(uid, generation)
        worker = self.workers[uid][generation]
        grace_period = worker.grace_period
        is_terminating = worker.work_type == WorkType.TERMINATING
        super().call_pod_syncer(uid, generation, running_pod)
        if is_terminating and running_pod:
            # syncTerminatingPod kills running pods as well, with the arguments it has for the others.
            worker.grace_period = grace_period
            worker.pod_status_func = self.acknowledge_terminating(uid)

    def requeue_last_pod_update(self, uid: int, status: PodSyncStatus) -> None:
        """The next phase begins with the pod alone, in place of whatever was waiting."""
        pod = Pod(present=True, revision=self.workers[uid][self.pod_updates[uid]].revision)
        status.pending_update = UpdatePodOptions(present=True, pod=pod)
        self.undelivered_work_types[uid] = status.work_type()

    def complete_work(self, uid: int, generation: int) -> None:
        require(self.workers[uid][generation].position == Position.COMPLETE)
        status = self.pod_sync_statuses[uid]
        if status.pending_update.present:
            self.send(uid, self.undelivered_work_types[uid], status.pending_update)
            self.forget_undelivered_work(uid)
        else:
            status.working = False
        self.receive(uid, generation)

    def complete_terminating_runtime_pod(self, uid: int) -> None:
        """Nothing is closed and nothing is forgotten: the pod is finished."""
        status = self.pod_sync_statuses[uid]
        if not status.is_termination_requested():
            programmer_error("Pod worker was terminated but did not have terminatingAt set, likely programmer error")
        status.terminated_at = True
        status.finished = True
        status.working = False
        self.release_static_pod(uid)
        self.cleanup_pod_updates(uid)

    def cleanup_pod_updates(self, uid: int) -> None:
        """What was not delivered is forgotten with the channel."""
        super().cleanup_pod_updates(uid)
        self.forget_undelivered_work(uid)

    def forget_undelivered_work(self, uid: int) -> None:
        clear(self.pod_sync_statuses[uid].pending_update)
        self.undelivered_work_types[uid] = WorkType.SYNC

    def lose_pod_worker(self, uid: int) -> None:
        super().lose_pod_worker(uid)
        clear(self.sent_work[uid])
        self.undelivered_work_types[uid] = WorkType.SYNC

    # -- SyncKnownPods ---------------------------------------------------------------------------------------------

    def sync_known_pod(self, uid: int) -> None:
        """Every pod is returned, also one whose history has just been removed."""
        status = self.pod_sync_statuses[uid]
        orphan = not self.is_desired(uid)
        work_type = status.work_type()
        is_restartable = status.is_terminated() and status.restart_requested
        if status.restart_requested or orphan:
            self.remove_terminated_worker(uid, status, orphan)
        self.record_known_pod(uid, work_type, orphan)
        if is_restartable:
            self.record_restartable_pod(uid)

    def remove_terminated_worker(self, uid: int, status: PodSyncStatus, orphaned: bool) -> bool:
        """An orphan is left to itself until it is finished."""
        if not status.is_finished():
            return False
        self.delete_pod_sync_status(uid)
        self.cleanup_pod_updates(uid)
        self.release_static_pod(uid)
        return True

    def record_restartable_pod(self, uid: int) -> None:
        """A terminated pod of SyncKnownPods' answer is to be created anew. Environments keep what they need of it."""
        return
