"""Whoever asks for a pod's end is told of it: no completion channel is left open or forgotten.

killPodNow waits in vain, and reports ExceededGracePeriod, where the channel it passed is dropped: by UpdatePod for a
finished pod, by cleanupUnstartedPod, by SyncKnownPods for an orphan that never started, and by
completeTerminatingRuntimePod. Closing the first two ways alone would not do: the others lose the same channels.
"""

from podproof.model.language import clear
from podproof.model.releases import V1_35
from podproof.model.state import PodSyncStatus, UpdatePodOptions


class ClosedChannels(V1_35):
    def update_known_pod(self, uid: int, options: UpdatePodOptions, is_runtime_pod: bool, first_time: bool) -> None:
        """Nothing is left to kill of a finished pod: the killer is told at once."""
        if self.pod_sync_statuses[uid].is_finished():
            self.drop_kill_pod_options(options)
        super().update_known_pod(uid, options, is_runtime_pod, first_time)

    def cleanup_unstarted_pod(self, uid: int, status: PodSyncStatus) -> None:
        """A static pod that was told to terminate before it could start tells its killers, as completeTerminating."""
        super().cleanup_unstarted_pod(uid, status)
        for request in range(len(status.notify_post_terminating)):
            if status.notify_post_terminating[request]:
                self.close_channel(request)
            status.notify_post_terminating[request] = False
            status.status_post_terminating[request] = False

    def remove_terminated_worker(self, uid: int, status: PodSyncStatus, orphaned: bool) -> bool:
        """An orphan that never started stays while a killer waits: its worker was told, and will end it first."""
        is_unknown_to_runtime = not status.is_started() and not status.observed_runtime
        if orphaned and not status.is_finished() and is_unknown_to_runtime and self.somebody_waits(status):
            status.deleted = True
            return False
        return super().remove_terminated_worker(uid, status, orphaned)

    def complete_terminating_runtime_pod(self, uid: int) -> None:
        """If somebody asked for the pod's end meanwhile, the pod is finished, and forgotten by SyncKnownPods."""
        status = self.pod_sync_statuses[uid]
        if status.present and self.somebody_waits(status):
            self.cleanup_unstarted_pod(uid, status)
            clear(status.pending_update)
        else:
            super().complete_terminating_runtime_pod(uid)

    def somebody_waits(self, status: PodSyncStatus) -> bool:
        """Is there a completion channel to be closed?"""
        for request in range(len(status.notify_post_terminating)):
            if status.notify_post_terminating[request]:
                return True
        return False
