"""The allocation manager retries resizes in a goroutine of its own since 1.34, and calls HandlePodSyncs there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from podproof.model.language import Array, Size, action, clear, copy, require
from podproof.model.releases.v1_36_3 import V1_36_3
from podproof.model.state import Pod, Uid, UpdatePodOptions, UpdateType
from podproof.model.sync_loop import SyncLoop


@dataclass
class AllocationSyncs(SyncLoop):
    """It holds allocationMutex, which HandlePodUpdates and HandlePodRemoves do not ask for before they call UpdatePod.

    A resize of a pod may wait at any time, of a rejected one never. HandlePodRemoves waits for the mutex at its end, in
    RetryPendingResizes; here the sync loop goes on at once, so it may do more than the kubelet's.
    """

    looked_up: Annotated[Array[Pod], Size("uids")]
    """The pod objects with which retryPendingResizes is busy."""

    @action("allocation manager", "retryPendingResizes looks up {uid}")
    def look_up(self, uid: Uid) -> None:
        require(self.pod_manager[uid] and self.allocated[uid] and not self.rejected[uid])
        require(not self.looked_up[uid].present)
        self.looked_up[uid] = self.pod(uid)

    @action("allocation manager", "retryPendingResizes calls HandlePodSyncs for {uid}")
    def trigger_pod_sync(self, uid: Uid) -> None:
        require(self.looked_up[uid].present)
        pod = copy(self.looked_up[uid])
        clear(self.looked_up[uid])
        mirror_pod = self.mirror_pods[uid].managed
        self.update_pod(
            uid, UpdatePodOptions(present=True, update_type=UpdateType.SYNC, pod=pod, mirror_pod=mirror_pod)
        )

    def forget_pod(self, uid: int) -> None:
        super().forget_pod(uid)
        clear(self.looked_up[uid])


class Proposal(V1_36_3):
    sync_loop: ClassVar[type[SyncLoop]] = AllocationSyncs
