"""The versions since 1.22: releases, and readings of the source that depart from them."""

from __future__ import annotations

import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass

from podproof.model.release import KubeletRelease
from podproof.model.releases import (
    V1_22_0,
    V1_22_5,
    V1_26,
    V1_27_0,
    V1_27_2,
    V1_29,
    V1_32,
    V1_34,
    V1_35,
    V1_36,
    V1_36_3,
)
from podproof.model.walkthrough import Walkthrough, WalkthroughComplete, WalkthroughUpdate

__all__ = ["SINCE_1_22", "V1_29", "V1_32", "Version", "numbers", "release_in"]


@dataclass(frozen=True)
class Version:
    """A version as the command line names it."""

    name: str
    cls: type[KubeletRelease]
    based_on: str
    """The version it overrides; empty for none."""
    about: str
    covers: tuple[tuple[str, str], ...] = ()
    """The first and the last release of each stretch of releases whose pod worker it is; none for a departure."""
    read: tuple[str, ...] = ()
    """The releases whose pod_workers.go was read and compared with it, also as it is vendored elsewhere."""

    @property
    def summary(self) -> str:
        return ": ".join(part for part in (self.releases, self.about) if part)

    @property
    def releases(self) -> str:
        """As a reader names what it covers; empty for none."""
        stretches = (first if first == last else f"{first} to {last}" for first, last in self.covers)
        return f"kubelet {', '.join(stretches)}" if self.covers else ""

    @property
    def order(self) -> tuple[bool, tuple[int, ...]]:
        """By which versions are sorted: releases first, from the oldest on."""
        return not self.covers, numbers(self.covers[0][0]) if self.covers else ()

    def is_before(self, release: str) -> bool:
        """Are all releases that it covers before this one? What ends with 1.32 has all of its patch releases."""
        if not self.covers:
            return False
        last, asked = numbers(self.covers[-1][1]), numbers(release)
        return last < asked and asked[: len(last)] != last

    def is_within(self, since: str, until: str) -> bool:
        """Does it have what came with `since` and was mended in `until`? An empty one: it was not mended."""
        return bool(self.covers) and not self.is_before(since) and (not until or self.is_before(until))

    def is_after(self, release: str) -> bool:
        """Are all releases that it covers after this one and its patch releases?"""
        last = numbers(release)
        return bool(self.covers) and numbers(self.covers[0][0])[: len(last)] > last

    def is_of(self, release: tuple[int, ...]) -> bool:
        """Does it cover this release, or some of its patch releases? (1, 29) is kubelet 1.29."""
        stretches = ((numbers(first), numbers(last)) for first, last in self.covers)
        return any(
            first[: len(release)] <= release[: len(first)] and release[: len(last)] <= last for first, last in stretches
        )

    def is_all_of(self, release: tuple[int, ...]) -> bool:
        """Does it cover this release with all its patch releases? v1.32, from 1.31.2 on, is not all of 1.31."""
        stretches = ((numbers(first), numbers(last)) for first, last in self.covers)
        whole = (first <= (*release, 0) and (last == release or last[:2] > release) for first, last in stretches)
        return self.is_of(release) and (len(release) > 2 or any(whole))


def numbers(release: str) -> tuple[int, ...]:
    """Of a release as its own name has them: `1.29.6`."""
    return tuple(map(int, release.split(".")))


_ALL = (
    Version("v1.36.3", V1_36_3, "v1.35", "contexts are kept again", (("1.36.3", "1.36.3"),), ("1.36.3",)),
    Version("v1.36", V1_36, "v1.36.3", "a context for each sync", (("1.36.0", "1.36.2"),), ("1.36.2",)),
    Version("v1.35", V1_35, "v1.34", "errors that say when to try again", (("1.35", "1.35"),), ("1.35.6",)),
    Version(
        "v1.34",
        V1_34,
        "v1.32",
        "the pod workers of 1.32 among other layers",
        (("1.33", "1.34"),),
        ("1.33.13", "1.34.9"),
    ),
    Version(
        "v1.32",
        V1_32,
        "v1.29",
        "a requested grace period of 0 becomes 1, not the spec's",
        (("1.31.2", "1.32"),),
        ("1.31.11", "1.31.14", "1.32.10", "1.32.13"),
    ),
    Version("v1.29", V1_29, "", "", (("1.28", "1.30"),), ("1.28.3", "1.28.6", "1.29.1", "1.29.6", "1.30.7")),
    Version("v1.27.2", V1_27_2, "v1.29", "housekeeping restarts a static pod one pass later", (("1.27.2", "1.27.3"),)),
    Version(
        "v1.27.0",
        V1_27_0,
        "v1.27.2",
        "a pod that ended before it is first seen is finished",
        (("1.27.0", "1.27.1"),),
        ("1.27.1",),
    ),
    Version(
        "v1.26",
        V1_26,
        "v1.27.0",
        "channels carry the work, nobody drives an orphan on",
        (("1.24", "1.26"),),
        ("1.25.10", "1.26.1", "1.26.5"),
    ),
    Version(
        "v1.22.5",
        V1_22_5,
        "v1.26",
        "who is killed while it waits to start blocks the others",
        (("1.22.5", "1.22.7"), ("1.23.0", "1.23.3")),
        ("1.23.1",),
    ),
    Version("v1.22.0", V1_22_0, "v1.22.5", "no restart under a UID, static pods do not wait", (("1.22.0", "1.22.2"),)),
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
SINCE_1_22: Mapping[str, Version] = {version.name: version for version in _ALL}
"""The versions with the pod worker that came with 1.22, by their names, the newest first."""

BRANCHES = ("master", "main", "HEAD")
"""What people call the kubelet that is not released yet."""


def release_in(name: str) -> tuple[int, ...] | None:
    """The numbers of a release of the kubelet as people write it: `v1.28`, `1.28.3`, `release-1.28`, `v1.28.0-rc.1`.

    A branch without a number is later than all; None for anything else.
    """
    if name in BRANCHES:
        return (sys.maxsize,)
    found = re.fullmatch(r"(?:v|release-)?(1\.\d+(\.\d+)?)([-+].*)?", name)
    return numbers(found[1]) if found else None
