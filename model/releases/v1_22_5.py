"""Kubelet 1.22.5: what 1.23 and 1.24 mended, read backwards."""

from __future__ import annotations

from typing import ClassVar

from podproof.model.containers import Containers, Containers1_23
from podproof.model.language import require
from podproof.model.pod_worker_loop import SyncPodOutcome
from podproof.model.releases.v1_26 import V1_26
from podproof.model.state import Delay, Pod
from podproof.model.status.status_manager import StatusManager, StatusManager1_23


class V1_22_5(V1_26):
    """Kubelet 1.22.5 to 1.22.7, and 1.23.0 to 1.23.3.

    Reconstructed from the pull requests that changed it, not read in the source. Not here: a pod that ended before it
    was first seen had no full name (kubernetes/kubernetes#107695); static pods that end do not occur in the scenarios.
    """

    containers_environment: ClassVar[type[Containers]] = Containers1_23
    status_manager: ClassVar[type[StatusManager]] = StatusManager1_23

    def sync_pod_returns(self, uid: int, generation: int, outcome: SyncPodOutcome) -> None:
        """SyncPod returns an error or none: that a pod ran to its end is learnt from its phase in the API.

        Mended by kubernetes/kubernetes#108366, in 1.24.0.
        """
        require(outcome != SyncPodOutcome.TERMINAL)
        super().sync_pod_returns(uid, generation, outcome)

    def begin_complete_work(self, uid: int, generation: int, delay: Delay) -> None:
        """completeWork does not know of changes of phase; they are synced like everything else."""
        super().begin_complete_work(uid, generation, Delay.RESYNC if delay == Delay.NOW else delay)

    def allow_pod_start(self, uid: int, pod: Pod) -> tuple[bool, bool]:
        """A pod that was killed while it waited waits on, to be started and terminated then.

        Mended by kubernetes/kubernetes#107900, in 1.24.0.
        """
        if pod.static and not self.allow_static_pod_start(self.full_names[uid], uid):
            self.enqueue(uid, Delay.BACKOFF)
            self.pod_sync_statuses[uid].working = False
            return False, True
        return True, True

    def is_waiting_to_start(self, uid: int) -> bool:
        """Whoever is known keeps its place in the line, also when it is terminating.

        Mended by kubernetes/kubernetes#107900, in 1.24.0.
        """
        return self.pod_sync_statuses[uid].present
