"""kubernetes/kubernetes#136508, one of its designs: the status manager remembers who was rejected at admission."""

from __future__ import annotations

from typing import ClassVar

from podproof.model.releases.v1_36 import V1_36
from podproof.model.sync_loop import SyncLoop, SyncLoop1_36


class RejectedIsInactive(SyncLoop1_36):
    """Whatever its worker does, such a pod does not count."""

    def is_active(self, uid: int) -> bool:
        return not self.rejected[uid] and super().is_active(uid)


class Proposal(V1_36):
    sync_loop: ClassVar[type[SyncLoop]] = RejectedIsInactive
