"""Kubelet 1.33 and 1.34: the pod workers of 1.32 among other layers."""

from __future__ import annotations

from typing import ClassVar

from podproof.model.kubelet_pods import KubeletPods, KubeletPods1_34
from podproof.model.kuberuntime.sync_pod import KubeGenericRuntimeManager, KubeGenericRuntimeManager1_34
from podproof.model.releases.v1_32 import V1_32
from podproof.model.status.status_manager import StatusManager, StatusManager1_34


class V1_34(V1_32):
    """Kubelet 1.33 and 1.34."""

    whose_layers: ClassVar[str] = (
        "of the layers around the pod workers, getPhase, computePodActions and isPodStatusByKubeletEqual are those of "
        "the release, killContainer, the order of sidecars, mergePodStatus and checkContainerStateTransition are as "
        "in 1.32, and the others are 1.32's, which have changed [A76]"
    )
    kubelet_pods: ClassVar[type[KubeletPods]] = KubeletPods1_34
    status_manager: ClassVar[type[StatusManager]] = StatusManager1_34
    runtime_manager: ClassVar[type[KubeGenericRuntimeManager]] = KubeGenericRuntimeManager1_34
