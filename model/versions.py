"""The table of the versions that can be checked: releases, and readings of the source that depart from them."""

from __future__ import annotations

from dataclasses import dataclass

from podproof.model.pod_workers import PodWorkers
from podproof.model.releases import V1_29, V1_32
from podproof.model.walkthrough import Walkthrough, WalkthroughComplete, WalkthroughUpdate

__all__ = ["DEFAULT_VERSION", "V1_29", "V1_32", "VERSIONS", "Version"]


@dataclass(frozen=True)
class Version:
    """A version as the command line names it."""

    name: str
    cls: type[PodWorkers]
    based_on: str
    """The version it overrides; empty for none."""
    summary: str


_ALL = (
    Version("v1.29", V1_29, "", "kubelet 1.29"),
    Version("v1.32", V1_32, "v1.29", "kubelet 1.32: a requested grace period of 0 becomes 1, not the spec's"),
    Version("walkthrough-001", Walkthrough, "v1.29", "walkthrough 001 as it stands: both departures below"),
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
        "walkthrough 001: completeWork forgets a pod that has no pending update",
    ),
)
VERSIONS: dict[str, Version] = {version.name: version for version in _ALL}
"""Every version by its name, in the order of `podproof list versions`."""
DEFAULT_VERSION = "v1.29"
