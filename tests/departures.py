"""Releases with a fault each: departures from what their traces recorded, which a replay must notice."""

from __future__ import annotations

from podproof.model.language import NIL
from podproof.model.releases import V1_26, V1_35, V1_36
from podproof.model.state import Context, KillPodOptions, Pod, PodSyncStatus, UpdatePodOptions
from podproof.model.versions import V1_29
from podproof.queries.versions import VERSIONS


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


class SharesItsContext(V1_36):
    def begin_context(self, uid: int, generation: int) -> None:
        V1_29.begin_context(self, uid, generation)
        for other in range(len(self.workers[uid])):
            if self.workers[uid][other].context != Context.CANCELLED and other != generation:
                self.workers[uid][other].context = Context.LIVE


class WaitsAsLongAsItIsTold(V1_35):
    def clamp_backoff(self, seconds: int) -> int:
        return seconds


DEPARTURES = (
    *(
        ("v1.29", VERSIONS[name].cls)
        for name in ("v1.32", "walkthrough-001", "walkthrough-001-update", "walkthrough-001-complete")
    ),
    *(
        (release, cls)
        for release in ("v1.29", "v1.26", "v1.35", "v1.36")
        for cls in VERSIONS[release].cls.__subclasses__()
        if cls.__module__ == __name__
    ),
)
"""The release whose traces must notice, and what departs from it: the classes above, and releases that differ."""
