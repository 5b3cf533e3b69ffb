"""The worker goroutine: podWorkerLoop, with every critical section that it enters.

Go: pkg/kubelet/pod_workers.go, from podWorkerLoop on. Between the steps below the goroutine holds no lock, so anybody
else may come in there. Numbers such as [A6] refer to ABSTRACTIONS.md.
"""

from __future__ import annotations

from enum import Enum

from podproof.model.goroutines import Goroutines
from podproof.model.language import NIL, clear, copy, programmer_error, require
from podproof.model.notes import go
from podproof.model.state import (
    Context,
    Delay,
    Pod,
    PodSyncStatus,
    Position,
    UpdatePodOptions,
    WorkType,
)


class SyncPodOutcome(Enum):
    """What SyncPod returns, as far as the loop can tell it apart."""

    OK = "(false, nil)"
    TERMINAL = "(true, nil)"
    ERROR = "an error"
    NETWORK_NOT_READY = "network is not ready"
    CANCELED = "context.Canceled"


class SyncOutcome(Enum):
    """What the terminating and terminated sync functions return, as far as the loop can tell it apart."""

    OK = "nil"
    ERROR = "an error"
    NETWORK_NOT_READY = "network is not ready"
    CANCELED = "context.Canceled"


class PodWorkerLoop(Goroutines):
    """The steps of podWorkerLoop. One step is one critical section; `generation` says which goroutine of the UID."""

    # -- one iteration, in order -----------------------------------------------------------------------------------

    def start_receiving(self, uid: int, generation: int) -> None:
        """A goroutine runs for the first time and finds its channel drained, which takes a second one on its UID."""
        worker = self.workers[uid][generation]
        require(worker.position == Position.SPAWNED and not worker.token)
        self.receive(uid, generation)

    @go("startPodSync", since="1.27.0")
    @go("managePodLoop", until="1.26", part="the beginning of an iteration")
    def start_pod_sync(self, uid: int, generation: int) -> None:
        """A token was received: decide what it means, and whether the pod may start."""
        worker = self.workers[uid][generation]
        require(worker.position == Position.TOKEN or (worker.position == Position.SPAWNED and worker.token))
        if worker.position == Position.SPAWNED:
            worker.token = False
        status = self.pod_sync_statuses[uid]
        if not status.present:
            # The history was purged while the token was on its way.
            self.receive(uid, generation)
            return
        if not status.working:
            programmer_error("Pod should be marked as working by the pod worker, programmer error")
        if not status.pending_update.present:
            status.working = False
            programmer_error("Pod worker received no pending work, programmer error?")
            self.receive(uid, generation)
            return

        # Consume the update. What it means is decided now, not when it was queued.
        work_type = status.work_type()
        update = copy(status.pending_update)
        clear(status.pending_update)
        self.drain_pod_updates(uid)
        self.begin_context(uid, generation)

        if status.is_started():
            status.merge_last_update(update)
            self.process_pod_event(uid, generation, work_type, update)
            return
        # Containers without configuration never start; they go straight to terminating.
        if update.running_pod and work_type == WorkType.TERMINATING:
            status.merge_last_update(update)
            self.process_pod_event(uid, generation, work_type, update)
            return
        if not update.pod.present:
            status.merge_last_update(update)
            programmer_error("Running pod cannot start ever, programmer error")
            self.stop(uid, generation)
            return
        can_start, can_ever_start = self.allow_pod_start(uid, update.pod)
        if not can_ever_start:
            self.cleanup_unstarted_pod(uid, status)
            status.working = False
            self.stop(uid, generation)
            return
        if not can_start:
            status.pending_update = copy(update)
            status.working = False
            self.receive(uid, generation)
            return
        status.started_at = True
        status.merge_last_update(update)
        self.process_pod_event(uid, generation, work_type, update)

    def process_pod_event(self, uid: int, generation: int, work_type: WorkType, update: UpdatePodOptions) -> None:
        """The iteration keeps of the update what its sync function will be called with, and waits for the cache."""
        worker = self.workers[uid][generation]
        worker.work_type = work_type
        worker.revision = update.pod.revision
        if work_type == WorkType.SYNC:
            worker.update_type = update.update_type
            worker.mirror_pod = update.mirror_pod
        if work_type == WorkType.TERMINATING:
            worker.grace_period = update.kill_pod_options.grace_period_seconds_override
        if update.running_pod:
            # Runtime pods do without a status. [A6]
            self.call_pod_syncer(uid, generation, update.running_pod)
        else:
            worker.position = Position.CACHE

    def begin_context(self, uid: int, generation: int) -> None:
        """The iteration's sync call gets the context of the pod's status, a new one if it was cancelled."""
        self.pod_sync_statuses[uid].context = Context.LIVE
        self.workers[uid][generation].context = Context.LIVE

    def get_newer_than(self, uid: int, generation: int, error: bool) -> None:
        """podCache.GetNewerThan returns, and the sync function is called at once. [A6]"""
        require(self.workers[uid][generation].position == Position.CACHE)
        if error:
            self.begin_complete_work(uid, generation, Delay.BACKOFF)
        else:
            self.call_pod_syncer(uid, generation, False)

    def call_pod_syncer(self, uid: int, generation: int, running_pod: bool) -> None:
        """The switch of podWorkerLoop over the update's work type."""
        worker = self.workers[uid][generation]
        if worker.work_type == WorkType.TERMINATED:
            worker.position = Position.SYNC_TERMINATED_POD
        elif worker.work_type == WorkType.TERMINATING:
            pod_status_func = self.acknowledge_terminating(uid)
            if running_pod:
                worker.grace_period = NIL
                worker.position = Position.SYNC_TERMINATING_RUNTIME_POD
            else:
                worker.pod_status_func = pod_status_func
                worker.position = Position.SYNC_TERMINATING_POD
        else:
            worker.position = Position.SYNC_POD
        # From here on the position says it.
        worker.work_type = WorkType.SYNC

    @go("podWorkerLoop", part="after SyncPod")
    def sync_pod_returns(self, uid: int, generation: int, outcome: SyncPodOutcome) -> None:
        require(self.workers[uid][generation].position == Position.SYNC_POD)
        if outcome == SyncPodOutcome.TERMINAL:
            self.complete_sync(uid)
            self.begin_complete_work(uid, generation, Delay.NOW)
        elif outcome == SyncPodOutcome.OK:
            self.begin_complete_work(uid, generation, Delay.RESYNC)
        elif outcome == SyncPodOutcome.NETWORK_NOT_READY:
            self.begin_complete_work(uid, generation, Delay.TRANSIENT)
        else:
            self.begin_complete_work(uid, generation, Delay.BACKOFF)

    @go("podWorkerLoop", part="after SyncTerminatingPod")
    def sync_terminating_pod_returns(self, uid: int, generation: int, outcome: SyncOutcome) -> None:
        require(self.workers[uid][generation].position == Position.SYNC_TERMINATING_POD)
        if outcome == SyncOutcome.OK:
            self.complete_terminating(uid)
            self.begin_complete_work(uid, generation, Delay.NOW)
        else:
            self.retry(uid, generation, outcome)

    @go("podWorkerLoop", part="after SyncTerminatingRuntimePod")
    def sync_terminating_runtime_pod_returns(self, uid: int, generation: int, outcome: SyncOutcome) -> None:
        require(self.workers[uid][generation].position == Position.SYNC_TERMINATING_RUNTIME_POD)
        if outcome == SyncOutcome.OK:
            self.complete_terminating_runtime_pod(uid)
            self.stop(uid, generation)
        else:
            self.retry(uid, generation, outcome)

    @go("podWorkerLoop", part="after SyncTerminatedPod")
    def sync_terminated_pod_returns(self, uid: int, generation: int, outcome: SyncOutcome) -> None:
        require(self.workers[uid][generation].position == Position.SYNC_TERMINATED_POD)
        if outcome == SyncOutcome.OK:
            self.complete_terminated(uid)
            self.stop(uid, generation)
        else:
            self.retry(uid, generation, outcome)

    def retry(self, uid: int, generation: int, outcome: SyncOutcome) -> None:
        """A terminating or terminated sync failed; for the loop a cancelled one has failed as well."""
        if outcome == SyncOutcome.NETWORK_NOT_READY:
            self.begin_complete_work(uid, generation, Delay.TRANSIENT)
        else:
            self.begin_complete_work(uid, generation, Delay.BACKOFF)

    def begin_complete_work(self, uid: int, generation: int, delay: Delay) -> None:
        """Enter completeWork; of the iteration only the delay is still needed."""
        self.forget_iteration(uid, generation)
        worker = self.workers[uid][generation]
        worker.delay = delay
        worker.position = Position.ENQUEUE

    @go("completeWork", part="the first half")
    def complete_work_enqueue(self, uid: int, generation: int) -> None:
        """The first half of completeWork, which is not under podLock."""
        worker = self.workers[uid][generation]
        require(worker.position == Position.ENQUEUE)
        self.enqueue(uid, worker.delay)
        worker.delay = Delay.NONE
        worker.position = Position.COMPLETE

    @go("completeWork", since="1.27.0", part="the second half, under podLock")
    @go("completeWorkQueueNext", until="1.26")
    def complete_work(self, uid: int, generation: int) -> None:
        """The second half of completeWork, and the end of the iteration."""
        require(self.workers[uid][generation].position == Position.COMPLETE)
        status = self.pod_sync_statuses[uid]
        if status.present:
            if status.pending_update.present:
                self.notify_pod_worker(uid)
            else:
                self.nothing_pending(uid)
        self.receive(uid, generation)

    def nothing_pending(self, uid: int) -> None:
        """completeWork found no update to go on with."""
        self.pod_sync_statuses[uid].working = False

    # -- may it start? ---------------------------------------------------------------------------------------------

    @go("allowPodStart", since="1.22.5")
    def allow_pod_start(self, uid: int, pod: Pod) -> tuple[bool, bool]:
        """Can the pod start now, and can it ever?"""
        if not pod.static:
            return True, True
        status = self.pod_sync_statuses[uid]
        if not status.present:
            programmer_error("Pod sync status does not exist, the worker should not be running")
            return False, False
        if status.is_termination_requested():
            return False, False
        if not self.allow_static_pod_start(self.full_names[uid], uid):
            self.enqueue(uid, Delay.BACKOFF)
            return False, True
        return True, True

    @go("allowStaticPodStart")
    def allow_static_pod_start(self, full_name: int, uid: int) -> bool:
        """One static pod of a full name at a time, in the order of their arrival."""
        started_uid = self.started_static_pods[full_name]
        if started_uid != NIL:
            return started_uid == uid
        waiting_pods = self.waiting_to_start_static_pods[full_name]
        for i in range(len(waiting_pods.uids)):
            if i < waiting_pods.length and self.is_waiting_to_start(waiting_pods.uids[i]):
                if waiting_pods.uids[i] != uid:
                    # Another pod is next in line.
                    waiting_pods.keep_from(i)
                    return False
                waiting_pods.keep_from(i + 1)
                self.started_static_pods[full_name] = uid
                return True
        # Nobody in the line can start any more: it stays as it is, and this pod starts even if it is not in it.
        self.started_static_pods[full_name] = uid
        return True

    def is_waiting_to_start(self, uid: int) -> bool:
        """Is a UID in the line neither gone nor terminating?"""
        status = self.pod_sync_statuses[uid]
        return status.present and not status.is_termination_requested() and not status.is_terminated()

    def release_static_pod(self, uid: int) -> None:
        """The full name is free for the next static pod, if it was this one's."""
        full_name = self.full_names[uid]
        if self.started_static_pods[full_name] == uid:
            self.started_static_pods[full_name] = NIL

    @go("cleanupUnstartedPod", since="1.27.0")
    @go("completeUnstartedTerminated", since="1.24.0", until="1.26")
    def cleanup_unstarted_pod(self, uid: int, status: PodSyncStatus) -> None:
        """The pod was told to terminate before it was allowed to start. Its completion channels stay open."""
        self.cleanup_pod_updates(uid)
        if not status.is_termination_requested():
            programmer_error("Pod worker is complete but did not have terminatingAt set, likely programmer error")
        if status.is_terminated():
            programmer_error("Pod worker is complete and had terminatedAt set, likely programmer error")
        status.finished = True
        status.working = False
        status.terminated_at = True
        self.release_static_pod(uid)

    # -- the ends of the phases ------------------------------------------------------------------------------------

    @go("acknowledgeTerminating")
    def acknowledge_terminating(self, uid: int) -> int:
        """From now on nothing starts containers of the pod; the answer is the last status function, or NIL."""
        status = self.pod_sync_statuses[uid]
        last = NIL
        if not status.present:
            return last
        if status.is_termination_requested() and not status.is_termination_started():
            status.started_terminating = True
        for request in range(len(status.status_post_terminating)):
            if status.status_post_terminating[request]:
                last = request
        return last

    @go("completeSync", since="1.24.0")
    def complete_sync(self, uid: int) -> None:
        """SyncPod said that the pod has run to its end."""
        status = self.pod_sync_statuses[uid]
        if not status.present:
            programmer_error("Pod had no status in completeSync, programmer error?")
            return
        if not status.is_termination_requested():
            status.terminating_at = True
        else:
            # No error at all: somebody else asked for termination while SyncPod ran.
            programmer_error("Pod worker attempted to set terminatingAt twice, likely programmer error")
        status.started_terminating = True
        self.requeue_last_pod_update(uid, status)

    @go("completeTerminating")
    def complete_terminating(self, uid: int) -> None:
        """No container runs any more."""
        status = self.pod_sync_statuses[uid]
        if not status.present:
            return
        if not status.is_termination_requested():
            programmer_error("Pod worker was terminated but did not have terminatingAt set, likely programmer error")
        status.terminated_at = True
        for request in range(len(status.notify_post_terminating)):
            if status.notify_post_terminating[request]:
                self.close_channel(request)
            status.notify_post_terminating[request] = False
            status.status_post_terminating[request] = False
        self.requeue_last_pod_update(uid, status)

    @go("completeTerminatingRuntimePod")
    def complete_terminating_runtime_pod(self, uid: int) -> None:
        """Containers without configuration are gone, and with them all that is known of the pod."""
        self.cleanup_pod_updates(uid)
        status = self.pod_sync_statuses[uid]
        if not status.present:
            return
        if not status.is_termination_requested():
            programmer_error("Pod worker was terminated but did not have terminatingAt set, likely programmer error")
        self.release_static_pod(uid)
        # Go also sets terminatedAt, finished and working, which nobody can see.
        self.delete_pod_sync_status(uid)

    @go("completeTerminated")
    def complete_terminated(self, uid: int) -> None:
        """The pod's resources are released: it is finished."""
        self.cleanup_pod_updates(uid)
        status = self.pod_sync_statuses[uid]
        if not status.present:
            return
        if not status.is_termination_requested():
            programmer_error("Pod worker is complete but did not have terminatingAt set, likely programmer error")
        if not status.is_terminated():
            programmer_error("Pod worker is complete but did not have terminatedAt set, likely programmer error")
        status.finished = True
        status.working = False
        self.release_static_pod(uid)

    @go("requeueLastPodUpdate", since="1.27.0")
    @go("completeTerminating", until="1.26", part="the end, and that of completeSync")
    def requeue_last_pod_update(self, uid: int, status: PodSyncStatus) -> None:
        """Replay the last update, unless another one is waiting or there never was one."""
        if status.pending_update.present or not status.active_update.present:
            return
        status.pending_update = copy(status.active_update)
        status.working = True
        self.notify_pod_worker(uid)
