"""SyncTerminatingPod as a reconcile loop: each call does what is due by now and answers "pending" or "completed".

Under discussion for KEP-4438 in kubernetes/kubernetes#140133; today one call blocks until the kill is over. As far as
the worker sees it, three things change: it does not wait for PLEG before the call, each call is given the grace period
recorded by then, and after "pending" the worker wakes itself, where today a failed call waits for the sync loop.
"""

from podproof.model.pod_worker_loop import SyncOutcome
from podproof.model.releases import V1_35
from podproof.model.state import UpdatePodOptions, WorkType


class ReconciledTermination(V1_35):
    def process_pod_event(self, uid: int, generation: int, work_type: WorkType, update: UpdatePodOptions) -> None:
        """The runtime is asked directly while the pod terminates, and the deadline comes from the pod's status."""
        super().process_pod_event(uid, generation, work_type, update)
        if work_type == WorkType.TERMINATING and not update.running_pod:
            if self.pod_sync_statuses[uid].grace_period > 0:
                self.workers[uid][generation].grace_period = self.pod_sync_statuses[uid].grace_period
            self.call_pod_syncer(uid, generation, False)

    def sync_terminating_pod_returns(self, uid: int, generation: int, outcome: SyncOutcome) -> None:
        """nil is "completed"; whatever else the model lets it return stands for "pending" and for errors."""
        super().sync_terminating_pod_returns(uid, generation, outcome)
        if outcome != SyncOutcome.OK:
            self.requeue_last_pod_update(uid, self.pod_sync_statuses[uid])
