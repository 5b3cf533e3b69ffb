"""Kubelet 1.36.3: contexts are kept and used again, as up to 1.35."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from podproof.model.callers import Callers
from podproof.model.kubelet import Kubelet
from podproof.model.kubelet_pods import KubeletPods, KubeletPods1_36
from podproof.model.kuberuntime.sync_pod import KubeGenericRuntimeManager, KubeGenericRuntimeManager1_36
from podproof.model.language import Array, Size, action, copy, require
from podproof.model.node import Generation
from podproof.model.notes import QUIET, go
from podproof.model.releases.v1_32 import Kubelet1_32
from podproof.model.releases.v1_35 import V1_35
from podproof.model.state import Position, Uid, UpdatePodOptions, UpdateType
from podproof.model.status.status_manager import StatusManager, StatusManager1_36
from podproof.model.sync_loop import SyncLoop


@dataclass
class Kubelet1_36_3(Kubelet1_32):
    """The callers in 1.36.3."""

    lacks_allocation: Annotated[Array[bool], Size("uids"), QUIET]
    """HasPodAllocatedResources: was the pod rejected, and never admitted before? A checkpoint outlives a restart.

    One that is added while it terminates has no allocation either, and nothing that comes after would be told of it.
    """

    def note_allocation(self, uid: int, admitted: bool) -> None:
        if admitted and self.can_be_rejected(uid):
            self.lacks_allocation[uid] = False
        elif not admitted and not self.config[uid].exists:
            self.lacks_allocation[uid] = True

    def skips_updates_of(self, uid: int) -> bool:
        """A pod that has no allocation is left out. kubernetes/kubernetes#139522"""
        return self.lacks_allocation[uid]

    @action("worker", "SyncPod({uid}) has removed all containers and calls UpdatePod")
    @go("SyncPod", since="1.36", part="after RestartAllContainers")
    def sync_pod_calls_update_pod(self, uid: Uid, generation: Generation) -> None:
        """With the pod object that it was called with. kubernetes/kubernetes#136966"""
        require(self.workers[uid][generation].position == Position.SYNC_POD and not self.containers[uid])
        pod, budget = copy(self.pod_sync_statuses[uid].active_update.pod), self.budget_of(uid)
        require(budget.resets > 0 and pod.present)
        budget.resets -= 1
        mirror_pod = self.workers[uid][generation].mirror_pod
        options = UpdatePodOptions(present=True, update_type=UpdateType.UPDATE, pod=pod, mirror_pod=mirror_pod)
        self.update_pod(uid, options)


class V1_36_3(V1_35):
    """Kubelet 1.36.3. What differs from 1.35 in its pod workers and makes no difference here:

    UpdatePod takes a context, and the contexts of sync calls have its values but not its end. A cancellation that
    another error wraps counts as one (errors.Is), but is retried as before. SyncPod returns a function that is called
    when it is over.
    """

    kubelet: ClassVar[type[Kubelet]] = Kubelet1_36_3
    callers: ClassVar[type[Callers]] = Callers
    sync_loop: ClassVar[type[SyncLoop]] = SyncLoop
    status_manager: ClassVar[type[StatusManager]] = StatusManager1_36
    kubelet_pods: ClassVar[type[KubeletPods]] = KubeletPods1_36
    runtime_manager: ClassVar[type[KubeGenericRuntimeManager]] = KubeGenericRuntimeManager1_36
