"""Kubelet 1.28 to 1.30: the pod worker that the other releases are told apart from."""

from __future__ import annotations

from typing import ClassVar

from podproof.model.containers import Containers
from podproof.model.kubelet import Kubelet
from podproof.model.kubelet_pods import KubeletPods
from podproof.model.kuberuntime.sync_pod import KubeGenericRuntimeManager
from podproof.model.open import Open
from podproof.model.pod_syncer import PodSyncer
from podproof.model.pod_workers import PodWorkers
from podproof.model.release import LayeredRelease
from podproof.model.status.status_manager import StatusManager


class V1_29(PodWorkers, LayeredRelease):
    """Kubelet 1.29. Its rule for the grace period is the older one, as recordings of that release show.

    1.31 is not this: it has the rule of V1_32, and hard evictions ask for 1 second (kubernetes/kubernetes#124063). From
    October 2024 on the patch releases of 1.28 to 1.30 add pods that have ended without asking the admission handlers,
    as in V1_32 (kubernetes/kubernetes#127208 to #127210).
    """

    kubelet: ClassVar[type[Kubelet]] = Kubelet
    open: ClassVar[type[Open]] = Open
    containers_environment: ClassVar[type[Containers]] = Containers
    kubelet_pods: ClassVar[type[KubeletPods]] = KubeletPods
    pod_syncer: ClassVar[type[PodSyncer]] = PodSyncer
    status_manager: ClassVar[type[StatusManager]] = StatusManager
    runtime_manager: ClassVar[type[KubeGenericRuntimeManager]] = KubeGenericRuntimeManager
