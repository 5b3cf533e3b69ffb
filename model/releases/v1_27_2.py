"""Kubelet 1.27.2: the pod worker of 1.29, with another housekeeping around it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from podproof.model.kubelet import Chore, Kubelet
from podproof.model.kubelet_pods import KubeletPods, KubeletPods1_27
from podproof.model.kuberuntime.sync_pod import KubeGenericRuntimeManager, KubeGenericRuntimeManager1_26
from podproof.model.language import Array, Size
from podproof.model.pod_syncer import PodSyncer, PodSyncer1_27
from podproof.model.releases.v1_29 import V1_29


@dataclass
class Kubelet1_27(Kubelet):
    """The callers in 1.27.0 to 1.27.3: HandlePodCleanups as it was before two changes.

    Reconstructed, not read in the source; and so is that SyncPod does not look at its context before 1.28. A
    distribution has 1.27.1 with the first of the changes in it.
    """

    active_pods: Annotated[Array[bool], Size("uids")]
    """Was the pod active before SyncKnownPods? What that forgets in order to restart it was not, and waits for the
    next pass. Mended by kubernetes/kubernetes#116690, in 1.28."""

    def is_cancelled(self, uid: int, generation: int) -> bool:
        return False

    def begin_housekeeping(self) -> None:
        for uid in range(len(self.active_pods)):
            self.active_pods[uid] = self.pod_manager[uid] and self.is_active(uid)

    def chore(self, uid: int) -> Chore:
        """A pod that ended and is being deleted gets no worker. Mended by kubernetes/kubernetes#118497, in 1.27.4."""
        if self.active_pods[uid]:
            return Chore.RECREATE
        if self.containers[uid]:
            return Chore.KILL_RUNTIME
        return Chore.NONE

    def forget_known_pods(self) -> None:
        super().forget_known_pods()
        for uid in range(len(self.active_pods)):
            self.active_pods[uid] = False

    def forget_pod(self, uid: int) -> None:
        super().forget_pod(uid)
        self.active_pods[uid] = False


class V1_27_2(V1_29):
    """Kubelet 1.27.2 and 1.27.3; from 1.27.4 on only `active_pods` tells 1.27 from 1.29."""

    kubelet: ClassVar[type[Kubelet]] = Kubelet1_27
    lacks: ClassVar[frozenset[str]] = frozenset({"sidecars"})
    kubelet_pods: ClassVar[type[KubeletPods]] = KubeletPods1_27
    pod_syncer: ClassVar[type[PodSyncer]] = PodSyncer1_27
    runtime_manager: ClassVar[type[KubeGenericRuntimeManager]] = KubeGenericRuntimeManager1_26
