"""Kubelet 1.20 as a version: its pod workers and the surroundings that call them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

from podproof.kubelet_1_20.kubelet import Kubelet
from podproof.kubelet_1_20.open import Open
from podproof.kubelet_1_20.pod_workers import PodWorkers
from podproof.model.release import KubeletRelease
from podproof.model.versions import Version


class V1_20(PodWorkers, KubeletRelease):
    """Kubelet 1.20. Its pod_workers.go is that of 1.19, which was read and recorded, but for comments.

    The surroundings are those of 1.19 [R]: kubelet.go and kubelet_pods.go of 1.20 itself were not read. For 1.21, which
    lets a pod that has completed go on syncing until its containers have stopped (kubernetes/kubernetes#98742), nothing
    here stands.
    """

    kubelet: ClassVar[type[Kubelet]] = Kubelet
    open: ClassVar[type[Open]] = Open
    lacks: ClassVar[frozenset[str]] = frozenset({"outages"})


_ABOUT = "another worker, which knows no phases and no history of a pod"
OF_1_20: Mapping[str, Version] = {
    "v1.20": Version("v1.20", V1_20, "", _ABOUT, (("1.19", "1.20"),), ("1.19.2", "1.20.0"))
}
"""The versions with this pod worker, by their names."""
