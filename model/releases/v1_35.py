"""Kubelet 1.35, as it was developed: contexts of one sync each, and errors that say when a back-off ends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

from podproof.model.language import Array, Size
from podproof.model.notes import Go, go
from podproof.model.releases.v1_32 import V1_32
from podproof.model.state import Context


@dataclass
class V1_35(V1_32):
    """Kubelet 1.35, from a development branch. What differs from 1.32 and makes no difference here:

    A cancellation that another error wraps counts as one (errors.Is), but is retried as before. SyncPod returns a
    function that is called when it is over.
    """

    restarting_all_containers: Annotated[Array[bool], Size("uids"), Go(since="1.35")]
    """podSyncStatus.restartingAllContainers. Nothing in the worker reads it, and only SyncPod sets it, behind a feature
    gate that is off; so no environment does."""

    resync_seconds: ClassVar[int] = 60
    """SyncFrequency of a kubelet that is not configured otherwise."""

    def begin_context(self, uid: int, generation: int) -> None:
        """Every update gets a context of its own, and cancelFn is that of the last one."""
        self.replace_context(uid)
        self.workers[uid][generation].context = Context.LIVE

    @go("IsPodRestartingAllContainers")
    def is_pod_restarting_all_containers(self, uid: int) -> bool:
        return self.restarting_all_containers[uid]

    @go("SetPodRestartingAllContainers")
    def set_pod_restarting_all_containers(self, uid: int, restarting: bool) -> None:
        """Does nothing for a pod that is not known."""
        if self.pod_sync_statuses[uid].present:
            self.restarting_all_containers[uid] = restarting

    def delete_pod_sync_status(self, uid: int) -> None:
        super().delete_pod_sync_status(uid)
        self.restarting_all_containers[uid] = False

    def lose_pod_worker(self, uid: int) -> None:
        super().lose_pod_worker(uid)
        self.restarting_all_containers[uid] = False

    @go("completeWork", part="the delay after a back-off error")
    def clamp_backoff(self, seconds: int) -> int:
        """How long to wait after an error that says when its containers' back-off ends, before jitter.

        Which delay it is decides nothing else. [A5]
        """
        if seconds < 0:
            return 0
        if seconds > self.resync_seconds:
            return self.resync_seconds
        return seconds
