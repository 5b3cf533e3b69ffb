"""The pod worker read literally from a published walkthrough of the 1.28 source that misplaces two blocks.

Each departure stands alone, so that one can see what it breaks.
"""

from __future__ import annotations

from podproof.model.releases import V1_29
from podproof.model.state import UpdatePodOptions


class WalkthroughUpdate(V1_29):
    """Everything in UpdatePod after the status is made sits inside the block that makes it."""

    def update_known_pod(self, uid: int, options: UpdatePodOptions, is_runtime_pod: bool, first_time: bool) -> None:
        if first_time:
            super().update_known_pod(uid, options, is_runtime_pod, first_time)


class WalkthroughComplete(V1_29):
    """completeWork forgets the pod when no update is pending, where the kubelet only marks it as idle."""

    def nothing_pending(self, uid: int) -> None:
        self.delete_pod_sync_status(uid)


class Walkthrough(WalkthroughUpdate, WalkthroughComplete):
    """The walkthrough as it stands: the second departure partly hides the first."""
