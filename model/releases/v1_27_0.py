"""Kubelet 1.27.0: what kubernetes/kubernetes#117019 mended in 1.27.2."""

from __future__ import annotations

from podproof.model.releases.v1_27_2 import V1_27_2
from podproof.model.state import UpdatePodOptions


class V1_27_0(V1_27_2):
    """Kubelet 1.27.0 and 1.27.1. That nothing else differs from 1.27.2 is reconstructed, not read in the source."""

    def add_pod_sync_status(self, uid: int, options: UpdatePodOptions) -> None:
        """A pod that ended before it was first seen is finished at once: SyncTerminatedPod never runs for it."""
        super().add_pod_sync_status(uid, options)
        status = self.pod_sync_statuses[uid]
        status.finished = status.terminated_at
