"""Kubelet 1.22.0: the first pod worker that knows phases, kubernetes/kubernetes#102344."""

from __future__ import annotations

from typing import ClassVar

from podproof.model.kubelet import Kubelet
from podproof.model.kubelet_pods import KubeletPods, KubeletPods1_22_0
from podproof.model.language import absent
from podproof.model.releases.v1_22_5 import V1_22_5
from podproof.model.releases.v1_26 import Kubelet1_26
from podproof.model.state import Phase, Pod, UpdatePodOptions


class Kubelet1_22_0(Kubelet1_26):
    """The callers in 1.22.0, reconstructed, not read in the source."""

    def is_active(self, uid: int) -> bool:
        """A pod that was rejected counts. Mended by kubernetes/kubernetes#104817, in 1.22.3."""
        if self.config[uid].phase != Phase.RUNNING:
            return self.is_pod_termination_requested(uid)
        return True


class V1_22_0(V1_22_5):
    """Kubelet 1.22.0, with nothing of what came in 1.22.3 and 1.22.5; which fix came in which of them is inferred.

    Mirror pods are not modelled, and so is the set of names that IsPodForMirrorPodTerminatingByFullName looks into.
    """

    kubelet: ClassVar[type[Kubelet]] = Kubelet1_22_0
    kubelet_pods: ClassVar[type[KubeletPods]] = KubeletPods1_22_0

    is_pod_known_terminated = absent("1.22.3")
    is_pod_for_mirror_pod_terminating_by_full_name = absent("1.22.5")
    allow_static_pod_start = absent("1.22.5")
    is_waiting_to_start = absent("1.22.5")

    def add_pod_sync_status(self, uid: int, options: UpdatePodOptions) -> None:
        """A pod that ended before it was first seen is like any other.

        Mended by kubernetes/kubernetes#105527, in 1.22.3.
        """
        self.pod_sync_statuses[uid].present = True

    def is_restart(self, uid: int, options: UpdatePodOptions, first_time: bool) -> bool:
        """A UID that is used again while its pod terminates is forgotten.

        Mended by kubernetes/kubernetes#104847, in 1.22.3.
        """
        return False

    def wait_to_start(self, uid: int) -> None:
        """Static pods of one full name do not wait for each other.

        Mended by kubernetes/kubernetes#104743, in 1.22.5.
        """
        return

    def allow_pod_start(self, uid: int, pod: Pod) -> tuple[bool, bool]:
        return True, True
