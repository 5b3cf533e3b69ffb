"""Kubelet 1.35: an error that says when its containers' back-off ends is tried again then; containers have rules."""

from __future__ import annotations

from typing import ClassVar

from podproof.model.kubelet_pods import KubeletPods, KubeletPods1_35
from podproof.model.kuberuntime.sync_pod import KubeGenericRuntimeManager, KubeGenericRuntimeManager1_35
from podproof.model.notes import go
from podproof.model.releases.v1_34 import V1_34
from podproof.model.status.status_manager import StatusManager, StatusManager1_35


class V1_35(V1_34):
    """Kubelet 1.35. Its pod workers do what those of 1.32 do, a little earlier or later."""

    whose_layers: ClassVar[str] = (
        "of the layers around the pod workers, getPhase, computePodActions, isPodStatusByKubeletEqual and "
        "checkContainerStateTransition are those of the release, killContainer, the order of sidecars and "
        "mergePodStatus are as in 1.32, and the others are 1.32's, which have changed [A76]"
    )
    status_manager: ClassVar[type[StatusManager]] = StatusManager1_35
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
