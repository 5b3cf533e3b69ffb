"""The table of the versions that can be checked: releases, and readings of the source that depart from them."""

from __future__ import annotations

from dataclasses import dataclass

from podproof.model.releases import V1_22_0, V1_22_5, V1_26, V1_27_0, V1_27_2, V1_29, V1_32, V1_35
from podproof.model.v1_20.release import V1_20
from podproof.model.walkthrough import Walkthrough, WalkthroughComplete, WalkthroughUpdate

__all__ = ["DEFAULT_VERSION", "V1_29", "V1_32", "VERSIONS", "Version"]


@dataclass(frozen=True)
class Version:
    """A version as the command line names it."""

    name: str
    cls: type[V1_29] | type[V1_20]
    based_on: str
    """The version it overrides; empty for none."""
    summary: str


_ALL = (
    Version("v1.35", V1_35, "v1.32", "kubelet 1.35: a context for each sync, errors that say when to try again"),
    Version("v1.32", V1_32, "v1.29", "kubelet 1.32 to 1.34: a requested grace period of 0 becomes 1, not the spec's"),
    Version("v1.29", V1_29, "", "kubelet 1.28 to 1.31"),
    Version("v1.27.2", V1_27_2, "v1.29", "kubelet 1.27.2: housekeeping restarts a static pod one pass later"),
    Version("v1.27.0", V1_27_0, "v1.27.2", "kubelet 1.27.0: a pod that ended before it is first seen is finished"),
    Version("v1.26", V1_26, "v1.27.0", "kubelet 1.24 to 1.26: channels carry the work, nobody drives an orphan on"),
    Version("v1.22.5", V1_22_5, "v1.26", "kubelet 1.22.5: who is killed while it waits to start blocks the others"),
    Version("v1.22.0", V1_22_0, "v1.22.5", "kubelet 1.22.0: no restart under a UID, static pods do not wait"),
    Version("v1.20", V1_20, "", "kubelet 1.19 and 1.20: another worker, which knows no phases and no history of a pod"),
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

RECORDED = {
    "v1.35": (1115, 1115),
    "v1.32": (1215, 1215),
    "v1.29": (1587, 1587),
    "v1.26": (1337, 1337),
    "v1.20": (904, 904),
}
"""Release -> how many of the traces recorded from its real code the model reproduces, and how many there are.

A test replays them and compares, where they are at hand: pytest --recorded FOLDER tests/test_conformance.py.
"""
