"""kubernetes/kubernetes#136966, otherwise: SyncPod asks the pod manager for the pod before it calls UpdatePod."""

from __future__ import annotations

from typing import ClassVar

from podproof.model.language import action, require
from podproof.model.node import Generation
from podproof.model.releases.v1_36_3 import V1_36_3
from podproof.model.state import Position, Uid, UpdateType
from podproof.model.sync_loop import SyncLoop


class PassesTheNewest(SyncLoop):
    """As HandlePodSyncs does. Of a pod that is gone it tells nobody."""

    @action("worker", "SyncPod({uid}) has removed all containers and calls UpdatePod")
    def sync_pod_calls_update_pod(self, uid: Uid, generation: Generation) -> None:
        require(self.workers[uid][generation].position == Position.SYNC_POD and not self.containers[uid])
        require(self.budget.resets > 0)
        self.budget.resets -= 1
        if self.pod_manager[uid]:
            self.call(uid, UpdateType.UPDATE)


class Proposal(V1_36_3):
    sync_loop: ClassVar[type[SyncLoop]] = PassesTheNewest
