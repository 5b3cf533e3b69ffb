"""Kubelet 1.35: an error that says when its containers' back-off ends is tried again then; containers have rules."""

from __future__ import annotations

from typing import ClassVar

from podproof.model.kubelet_pods import KubeletPods, KubeletPods1_35
from podproof.model.kuberuntime.sync_pod import KubeGenericRuntimeManager, KubeGenericRuntimeManager1_35
from podproof.model.notes import go
from podproof.model.releases.v1_34 import V1_34


class V1_35(V1_34):
    """Kubelet 1.35. Its pod workers do what those of 1.32 do, a little earlier or later."""

    kubelet_pods: ClassVar[type[KubeletPods]] = KubeletPods1_35
    runtime_manager: ClassVar[type[KubeGenericRuntimeManager]] = KubeGenericRuntimeManager1_35
    resync_seconds: ClassVar[int] = 60
    """SyncFrequency of a kubelet that is not configured otherwise."""

    @go("completeWork", part="the delay after a back-off error")
    def clamp_backoff(self, seconds: int) -> int:
        """How long to wait after an error that says when its containers' back-off ends, before jitter.

        Which delay it is decides nothing else. [A5]
        """
        if seconds < 0:
            return 0
        if seconds > self.resync_seconds:
            return self.resync_seconds
        return seconds
