"""The releases of the kubelet whose pod workers differ, each a class that overrides what changed."""

from __future__ import annotations

from podproof.model.language import NIL
from podproof.model.pod_workers import PodWorkers
from podproof.model.state import KillPodOptions, Pod, PodSyncStatus


class V1_29(PodWorkers):
    """Kubelet 1.29. Its rule for the grace period is the older one, as recordings of that release show."""


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
