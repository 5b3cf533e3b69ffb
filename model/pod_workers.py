"""UpdatePod and SyncKnownPods: how the rest of the kubelet drives the pod workers.

Go: pkg/kubelet/pod_workers.go. The order of the checks is the Go's. Each of the two is one critical section.
"""

from __future__ import annotations

from podproof.model.language import NIL, clear, copy
from podproof.model.notes import go
from podproof.model.pod_worker_loop import PodWorkerLoop
from podproof.model.state import (
    Cached,
    Context,
    KillPodOptions,
    Phase,
    Pod,
    PodSyncStatus,
    UpdatePodOptions,
    UpdateType,
    WorkType,
)


class PodWorkers(PodWorkerLoop):
    """The pod workers of kubelet 1.27.2 up to the release that changed the grace period rule; see versions.py."""

    # -- UpdatePod -------------------------------------------------------------------------------------------------

    @go("UpdatePod")
    def update_pod(self, uid: int, options: UpdatePodOptions) -> None:
        """Something about a pod changed: its configuration, its containers, or the wish to have it killed."""
        is_runtime_pod = False
        if options.running_pod:
            if not options.pod.present:
                # Containers without configuration: only the terminating part of the life cycle is for them.
                if options.update_type != UpdateType.KILL:
                    return
                is_runtime_pod = True
            else:
                options.running_pod = False

        first_time = not self.pod_sync_statuses[uid].present
        if first_time:
            self.add_pod_sync_status(uid, options)
        self.update_known_pod(uid, options, is_runtime_pod, first_time)

    def add_pod_sync_status(self, uid: int, options: UpdatePodOptions) -> None:
        """The pod is being synced for the first time."""
        status = self.pod_sync_statuses[uid]
        status.present = True
        has_ended = options.pod.present and options.pod.phase in (Phase.FAILED, Phase.SUCCEEDED)
        if has_ended and self.pod_cache[uid] == Cached.NOTHING_RUNNING:
            # After a restart of the kubelet a pod that ended before must not count as active; its resources may still
            # have to be released, hence terminated and not finished. kubernetes/kubernetes#105523
            status.terminated_at = True
            status.terminating_at = True
            status.started_terminating = True

    def update_known_pod(self, uid: int, options: UpdatePodOptions, is_runtime_pod: bool, first_time: bool) -> None:
        """The rest of UpdatePod, once the pod has a status."""
        status = self.pod_sync_statuses[uid]
        if is_runtime_pod:
            self.observe_runtime_pod(uid, options)
        # For a runtime pod nothing is known of, this is Go's ToAPIPod: not static, no phase, no grace period.
        pod = options.pod

        if self.is_restart(uid, options, first_time):
            status.restart_requested = True
            return
        if status.is_finished():
            # The completion channel of a kill is left open here.
            return

        became_terminating = self.begin_termination(uid, options, is_runtime_pod)

        was_grace_period_shortened = False
        if status.is_terminated():
            # Housekeeping saw an old state of the runtime.
            if is_runtime_pod:
                return
            self.drop_kill_pod_options(options)
        elif status.is_termination_requested():
            was_grace_period_shortened = self.accept_kill_pod_options(uid, pod, options)
        else:
            self.drop_kill_pod_options(options)

        if self.pod_updates[uid] == NIL:
            if pod.static:
                self.wait_to_start(uid)
            self.start_pod_worker(uid)
        self.queue_update(uid, options, became_terminating or was_grace_period_shortened)

    def observe_runtime_pod(self, uid: int, options: UpdatePodOptions) -> None:
        """The runtime has containers of a pod."""
        self.pod_sync_statuses[uid].observed_runtime = True
        self.substitute_last_pod(uid, options)

    def substitute_last_pod(self, uid: int, options: UpdatePodOptions) -> None:
        """A runtime pod whose configuration is known after all is treated as that pod."""
        status = self.pod_sync_statuses[uid]
        if status.pending_update.present and status.pending_update.pod.present:
            options.pod = copy(status.pending_update.pod)
            options.running_pod = False
        elif status.active_update.present and status.active_update.pod.present:
            options.pod = copy(status.active_update.pod)
            options.running_pod = False

    def is_restart(self, uid: int, options: UpdatePodOptions, first_time: bool) -> bool:
        """A create for a terminating UID means that the UID is used again, which static pods do."""
        is_terminating = self.pod_sync_statuses[uid].is_termination_requested()
        return not first_time and is_terminating and options.update_type == UpdateType.CREATE

    def begin_termination(self, uid: int, options: UpdatePodOptions, is_runtime_pod: bool) -> bool:
        """Is this update the one with which termination begins? Why it began is never revised."""
        status = self.pod_sync_statuses[uid]
        if status.is_termination_requested():
            return False
        if is_runtime_pod:
            status.deleted = True
            status.terminating_at = True
            return True
        if options.pod.deletion_timestamp:
            status.deleted = True
            status.terminating_at = True
            return True
        if options.pod.phase in (Phase.FAILED, Phase.SUCCEEDED):
            status.terminating_at = True
            return True
        if options.update_type == UpdateType.KILL:
            if options.kill_pod_options.present and options.kill_pod_options.evict:
                status.evicted = True
            status.terminating_at = True
            return True
        return False

    def drop_kill_pod_options(self, options: UpdatePodOptions) -> None:
        """Nothing is left to kill, or nothing is to be killed: whoever waits is told at once."""
        if options.kill_pod_options.present:
            if options.kill_pod_options.completed_ch != NIL:
                self.close_channel(options.kill_pod_options.completed_ch)
            clear(options.kill_pod_options)

    def accept_kill_pod_options(self, uid: int, pod: Pod, options: UpdatePodOptions) -> bool:
        """Every update of a terminating pod is a kill. Has its grace period changed?"""
        status = self.pod_sync_statuses[uid]
        kill = options.kill_pod_options
        kill.present = True
        if kill.completed_ch != NIL:
            status.notify_post_terminating[kill.completed_ch] = True
        if kill.pod_status_func != NIL:
            status.status_post_terminating[kill.pod_status_func] = True
        grace_period, grace_period_shortened = self.calculate_effective_grace_period(status, pod, kill)
        status.grace_period = grace_period
        kill.grace_period_seconds_override = grace_period
        return grace_period_shortened

    @go("calculateEffectiveGracePeriod")
    def calculate_effective_grace_period(
        self, status: PodSyncStatus, pod: Pod, options: KillPodOptions
    ) -> tuple[int, bool]:
        """The grace period to terminate with, in seconds, and whether it is another one than before.

        0 stands for "not yet known", although it is also a legal request.
        """
        grace_period = status.grace_period
        deletion = pod.deletion_grace_period_seconds
        if deletion != NIL and (grace_period == 0 or deletion < grace_period):
            grace_period = deletion
        override = options.grace_period_seconds_override
        if options.present and override != NIL and (grace_period == 0 or override < grace_period):
            grace_period = override
        if grace_period == 0 and pod.termination_grace_period_seconds != NIL:
            grace_period = pod.termination_grace_period_seconds
        # No pod is killed without any grace.
        if grace_period < 1:
            grace_period = 1
        return grace_period, status.grace_period != 0 and status.grace_period != grace_period

    def wait_to_start(self, uid: int) -> None:
        """A static pod gets in the line of its full name."""
        self.waiting_to_start_static_pods[self.full_names[uid]].append(uid)

    def queue_update(self, uid: int, options: UpdatePodOptions, cancels: bool) -> None:
        """Leave the update for the pod's worker and wake it. `cancels`: the sync call under way is to stop."""
        status = self.pod_sync_statuses[uid]
        # The oldest start time wins while an update is pending; otherwise the new update replaces it altogether.
        if status.pending_update.present and 0 < status.pending_update.start_time < options.start_time:
            options.start_time = status.pending_update.start_time
        status.pending_update = copy(options)
        status.working = True
        self.notify_pod_worker(uid)
        if cancels and status.context != Context.NONE:
            self.cancel(uid)

    # -- SyncKnownPods ---------------------------------------------------------------------------------------------

    @go("SyncKnownPods")
    def sync_known_pods(self) -> None:
        """Housekeeping says which pods are desired (`is_desired`) and learns which are known (`record_known_pod`)."""
        self.pods_synced = True
        for uid in range(len(self.pod_sync_statuses)):
            if self.pod_sync_statuses[uid].present:
                self.sync_known_pod(uid)

    def sync_known_pod(self, uid: int) -> None:
        """The body of SyncKnownPods' loop."""
        status = self.pod_sync_statuses[uid]
        orphan = not self.is_desired(uid)
        if (status.restart_requested or orphan) and self.remove_terminated_worker(uid, status, orphan):
            # No worker is left, so the pod is not among the known ones.
            return
        self.record_known_pod(uid, status.work_type(), orphan)

    @go("removeTerminatedWorker")
    def remove_terminated_worker(self, uid: int, status: PodSyncStatus, orphaned: bool) -> bool:
        """Forget a pod that is finished or never began; drive an orphan there. Was it forgotten?"""
        if not status.is_finished():
            if not orphaned:
                return False
            # An orphan counts as deleted, and nobody else will tell its worker anything.
            status.deleted = True
            if status.is_started() or status.observed_runtime:
                if not status.is_termination_requested():
                    status.terminating_at = True
                    status.grace_period = self.grace_period_of_orphan(status)
                # The replayed update carries no grace period, and a SyncPod under way is not cancelled.
                self.requeue_last_pod_update(uid, status)
                return False
        self.delete_pod_sync_status(uid)
        self.cleanup_pod_updates(uid)
        self.release_static_pod(uid)
        return True

    def grace_period_of_orphan(self, status: PodSyncStatus) -> int:
        """The grace period of a pod that is terminated because it is not desired any more."""
        if status.active_update.present and status.active_update.pod.present:
            grace_period, _ = self.calculate_effective_grace_period(status, status.active_update.pod, KillPodOptions())
            return grace_period
        return 1

    def has_config(self, uid: int) -> bool:
        """HasConfig of SyncKnownPods' answer: has the pod's last update a configuration?"""
        status = self.pod_sync_statuses[uid]
        if status.active_update.present:
            return status.active_update.pod.present
        return status.pending_update.present and status.pending_update.pod.present

    def is_static(self, uid: int) -> bool:
        """Static of SyncKnownPods' answer."""
        status = self.pod_sync_statuses[uid]
        if status.active_update.present:
            return status.active_update.pod.static
        return status.pending_update.pod.static

    def is_desired(self, uid: int) -> bool:
        """Is the pod among SyncKnownPods' desiredPods? Environments say; on its own, the kubelet desires nothing."""
        return False

    def record_known_pod(self, uid: int, work_type: WorkType, orphan: bool) -> None:
        """An entry of what SyncKnownPods returns. Environments keep what they need of it."""
        return
