"""Kubelet 1.35: an error that says when its containers' back-off ends is tried again then."""

from __future__ import annotations

from typing import ClassVar

from podproof.model.notes import go
from podproof.model.releases.v1_32 import V1_32


class V1_35(V1_32):
    """Kubelet 1.35. It does what 1.32 does, a little earlier or later."""

    resync_seconds: ClassVar[int] = 60
    """SyncFrequency of a kubelet that is not configured otherwise."""

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
