"""kubernetes/kubernetes#136508, one of its designs: HandlePodUpdates asks whether a worker knows the pod."""

from __future__ import annotations

from typing import ClassVar

from podproof.model.releases.v1_36 import V1_36
from podproof.model.sync_loop import SyncLoop, SyncLoop1_36


class AsksTheWorker(SyncLoop1_36):
    """A pod that was rejected has no worker, and so gets no update."""

    def skips_updates_of(self, uid: int) -> bool:
        return not self.pod_sync_statuses[uid].present


class Proposal(V1_36):
    sync_loop: ClassVar[type[SyncLoop]] = AsksTheWorker
