"""Kubelet 1.31.2 to 1.32: a grace period of 0 that is asked for is no longer mistaken for none."""

from __future__ import annotations

from typing import ClassVar

from podproof.model.containers import Containers, Containers1_32
from podproof.model.kubelet import Killer, Kubelet
from podproof.model.kubelet_pods import KubeletPods, KubeletPods1_32
from podproof.model.kuberuntime.sync_pod import KubeGenericRuntimeManager, KubeGenericRuntimeManager1_32
from podproof.model.language import NIL
from podproof.model.pod_syncer import PodSyncer, PodSyncer1_32
from podproof.model.releases.v1_29 import V1_29
from podproof.model.state import KillPodOptions, Phase, Pod, PodSyncStatus


class Kubelet1_32(Kubelet):
    """The callers from 1.31.2 on."""

    def can_be_rejected(self, uid: int) -> bool:
        """A pod that has ended is added without asking the admission handlers. kubernetes/kubernetes#126343"""
        return super().can_be_rejected(uid) and self.config[uid].phase == Phase.RUNNING

    def override_of(self, killer: Killer) -> int:
        """A hard eviction asks for 1 second, not for 0. kubernetes/kubernetes#124063, in 1.31"""
        if killer == Killer.HARD_EVICTION:
            return 1
        return super().override_of(killer)


class V1_32(V1_29):
    """Kubelet 1.31.2 to 1.32.

    The rule for the grace period came with 1.31 (kubernetes/kubernetes#124063), and since 1.31.2 at the latest pods
    that have ended are not asked for admission (kubernetes/kubernetes#127207).
    """

    whose_layers: ClassVar[str] = "the layers around the pod workers are those of 1.32: 1.31 has others [A76]"
    kubelet: ClassVar[type[Kubelet]] = Kubelet1_32
    containers_environment: ClassVar[type[Containers]] = Containers1_32
    kubelet_pods: ClassVar[type[KubeletPods]] = KubeletPods1_32
    pod_syncer: ClassVar[type[PodSyncer]] = PodSyncer1_32
    runtime_manager: ClassVar[type[KubeGenericRuntimeManager]] = KubeGenericRuntimeManager1_32

    def calculate_effective_grace_period(
        self, status: PodSyncStatus, pod: Pod, options: KillPodOptions
    ) -> tuple[int, bool]:
        grace_period = status.grace_period
        overridden = False
        deletion = pod.deletion_grace_period_seconds
        if deletion != NIL and (grace_period == 0 or deletion < grace_period):
            grace_period = deletion
            overridden = True
        override = options.grace_period_seconds_override
        if options.present and override != NIL and (grace_period == 0 or override < grace_period):
            grace_period = override
            overridden = True
        if not overridden and grace_period == 0 and pod.termination_grace_period_seconds != NIL:
            grace_period = pod.termination_grace_period_seconds
        if grace_period < 1:
            grace_period = 1
        return grace_period, status.grace_period != 0 and status.grace_period != grace_period
