"""SyncKnownPods leaves terminated pods out of its result, so that housekeeping stops what still runs of them.

Proposed in kubernetes/kubernetes#139833; a change is under review in #139881.
"""

from podproof.model.releases import V1_35


class TerminatedAreUnknown(V1_35):
    def sync_known_pod(self, uid: int) -> None:
        """The body of SyncKnownPods' loop: a terminated pod that is kept is not reported."""
        status = self.pod_sync_statuses[uid]
        orphan = not self.is_desired(uid)
        if (status.restart_requested or orphan) and self.remove_terminated_worker(uid, status, orphan):
            return
        if not status.is_terminated():
            self.record_known_pod(uid, status.work_type(), orphan)
