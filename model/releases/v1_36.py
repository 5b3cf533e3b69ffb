"""Kubelet 1.36.0 to 1.36.2: contexts of one sync each."""

from __future__ import annotations

from typing import ClassVar

from podproof.model.callers import Callers, Callers1_36
from podproof.model.kubelet import Kubelet
from podproof.model.releases.v1_36_3 import V1_36_3, Kubelet1_36_3
from podproof.model.state import Context
from podproof.model.sync_loop import SyncLoop, SyncLoop1_36


class Kubelet1_36(Kubelet1_36_3):
    """The callers in 1.36.0 to 1.36.2."""

    def skips_updates_of(self, uid: int) -> bool:
        """Also a pod that was rejected gets a worker. Mended by kubernetes/kubernetes#139522, in 1.36.3."""
        return False


class V1_36(V1_36_3):
    """Kubelet 1.36.0 to 1.36.2. Nobody ended the contexts, which therefore leaked: kubernetes/kubernetes#139823."""

    kubelet: ClassVar[type[Kubelet]] = Kubelet1_36
    callers: ClassVar[type[Callers]] = Callers1_36
    sync_loop: ClassVar[type[SyncLoop]] = SyncLoop1_36

    def begin_context(self, uid: int, generation: int) -> None:
        """Every update gets a context of its own, and cancelFn is that of the last one."""
        self.replace_context(uid)
        self.workers[uid][generation].context = Context.LIVE
