"""The allocation manager's HandlePodSyncs, if HandlePodUpdates and HandlePodRemoves waited for allocationMutex."""

from __future__ import annotations

from typing import ClassVar

from podproof.model.language import action, require
from podproof.model.releases.v1_36_3 import V1_36_3
from podproof.model.state import Uid
from podproof.model.sync_loop import SyncLoop


class HandlersWait(SyncLoop):
    """Nothing of theirs comes between its look at the pod manager and its call, so both are one step."""

    @action("allocation manager", "retryPendingResizes calls HandlePodSyncs for {uid}")
    def trigger_pod_sync(self, uid: Uid) -> None:
        """Housekeeping may be under way: that does not wait. Of a rejected pod no resize is assumed to wait."""
        require(self.pod_manager[uid] and self.allocated[uid] and not self.rejected[uid])
        self.handle_pod_syncs(uid)


class Proposal(V1_36_3):
    sync_loop: ClassVar[type[SyncLoop]] = HandlersWait
