"""The versions of the pod worker that can be checked, each a class that overrides what differs from an earlier one."""

from __future__ import annotations

from dataclasses import dataclass

from podproof.model.language import NIL
from podproof.model.pod_workers import PodWorkers
from podproof.model.state import KillPodOptions, Pod, PodSyncStatus
from podproof.model.walkthrough import Walkthrough, WalkthroughComplete, WalkthroughUpdate


class V1_29(PodWorkers):
    """Kubelet 1.29, as recorded from release 1.29: the older rule for the grace period."""


class V1_32(V1_29):
    """Kubelet 1.32: a requested grace period of 0 is no longer mistaken for none."""

    def calculate_effective_grace_period(
        self, status: PodSyncStatus, pod: Pod, options: KillPodOptions
    ) -> tuple[int, bool]:
        """Go: calculateEffectiveGracePeriod."""
        grace_period = status.grace_period
        overridden = False
        deletion = pod.deletion_grace_period_seconds
        if deletion != NIL and (grace_period == 0 or deletion < grace_period):
            grace_period = deletion
            overridden = True
        override = options.grace_period_seconds_override
        if options.present and override != NIL and (grace_period == 0 or override < grace_period):
            grace_period = override
            overridden = True
        if not overridden and grace_period == 0 and pod.termination_grace_period_seconds != NIL:
            grace_period = pod.termination_grace_period_seconds
        if grace_period < 1:
            grace_period = 1
        return grace_period, status.grace_period != 0 and status.grace_period != grace_period


@dataclass(frozen=True)
class Version:
    """A version as the command line names it."""

    name: str
    cls: type[PodWorkers]
    based_on: str
    """The version it overrides; empty for none."""
    summary: str


VERSIONS: dict[str, Version] = {
    version.name: version
    for version in (
        Version("v1.29", V1_29, "", "kubelet 1.29"),
        Version("v1.32", V1_32, "v1.29", "kubelet 1.32: an explicit grace period of 0 becomes 1, not the spec's"),
        Version("walkthrough-001", Walkthrough, "v1.29", "both departures of walkthrough 001"),
        Version(
            "walkthrough-001-update",
            WalkthroughUpdate,
            "v1.29",
            "walkthrough 001: UpdatePod does nothing for a pod that is already known",
        ),
        Version(
            "walkthrough-001-complete",
            WalkthroughComplete,
            "v1.29",
            "walkthrough 001: completeWork forgets a pod without pending work",
        ),
    )
}
"""Every version by its name, in the order of `podproof list versions`."""

DEFAULT_VERSION = "v1.29"
