"""The table of the versions that can be checked: releases, and readings of the source that depart from them."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass

from podproof.kubelet_1_20.release import V1_20
from podproof.model.releases import V1_22_0, V1_22_5, V1_26, V1_27_0, V1_27_2, V1_29, V1_32, V1_35, V1_36, V1_36_3
from podproof.model.walkthrough import Walkthrough, WalkthroughComplete, WalkthroughUpdate

__all__ = [
    "DEFAULT_VERSION",
    "LATEST",
    "V1_29",
    "V1_32",
    "VERSIONS",
    "Version",
    "covering",
    "neighbours",
    "release_in",
]


@dataclass(frozen=True)
class Version:
    """A version as the command line names it."""

    name: str
    cls: type[V1_29] | type[V1_20]
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
        return not self.covers, _numbers(self.covers[0][0]) if self.covers else ()

    def is_before(self, release: str) -> bool:
        """Are all releases that it covers before this one?"""
        return bool(self.covers) and _numbers(self.covers[-1][1]) < _numbers(release)

    def is_within(self, since: str, until: str) -> bool:
        """Does it have what came with `since` and was mended in `until`? An empty one: it was not mended."""
        return bool(self.covers) and not self.is_before(since) and (not until or self.is_before(until))

    def is_after(self, release: str) -> bool:
        """Are all releases that it covers after this one and its patch releases?"""
        numbers = _numbers(release)
        return bool(self.covers) and _numbers(self.covers[0][0])[: len(numbers)] > numbers

    def is_of(self, release: tuple[int, ...]) -> bool:
        """Does it cover this release, or some of its patch releases? (1, 29) is kubelet 1.29."""
        stretches = ((_numbers(first), _numbers(last)) for first, last in self.covers)
        return any(
            first[: len(release)] <= release[: len(first)] and release[: len(last)] <= last for first, last in stretches
        )

    def is_all_of(self, release: tuple[int, ...]) -> bool:
        """Does it cover this release with all its patch releases? v1.32, from 1.31.2 on, is not all of 1.31."""
        stretches = ((_numbers(first), _numbers(last)) for first, last in self.covers)
        whole = (first <= (*release, 0) and (last == release or last[:2] > release) for first, last in stretches)
        return self.is_of(release) and (len(release) > 2 or any(whole))


def _numbers(release: str) -> tuple[int, ...]:
    return tuple(map(int, release.split(".")))


_ALL = (
    Version("v1.36.3", V1_36_3, "v1.35", "contexts are kept again", (("1.36.3", "1.36.3"),), ("1.36.3",)),
    Version("v1.36", V1_36, "v1.36.3", "a context for each sync", (("1.36.0", "1.36.2"),), ("1.36.2",)),
    Version("v1.35", V1_35, "v1.32", "errors that say when to try again", (("1.35", "1.35"),), ("1.35.6",)),
    Version(
        "v1.32",
        V1_32,
        "v1.29",
        "a requested grace period of 0 becomes 1, not the spec's",
        (("1.31.2", "1.34"),),
        ("1.31.11", "1.31.14", "1.32.10", "1.32.13", "1.33.13", "1.34.9"),
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
    Version(
        "v1.20",
        V1_20,
        "",
        "another worker, which knows no phases and no history of a pod",
        (("1.19", "1.20"),),
        ("1.19.2", "1.20.0"),
    ),
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
"""Every version by its name, in the order of `podproof explain versions`."""
DEFAULT_VERSION = max((version for version in _ALL if version.covers), key=lambda version: version.order).name
"""That of the newest release."""
LATEST = "latest"
"""What the newest release is called as well, wherever a version is named."""

RECORDED = {
    "v1.36.3": (1446, 1446),
    "v1.36": (1115, 1115),
    "v1.32": (1215, 1215),
    "v1.29": (1587, 1587),
    "v1.26": (1337, 1337),
    "v1.20": (904, 904),
}
"""Release -> how many of the traces recorded from its real code the model reproduces, and how many there are.

A test replays them and compares, where they are at hand: pytest --recorded FOLDER tests/test_conformance.py.
"""


BRANCHES = ("master", "main", "HEAD")
"""What people call the kubelet that is not released yet."""


def release_in(name: str) -> tuple[int, ...] | None:
    """The numbers of a release of the kubelet as people write it: `v1.28`, `1.28.3`, `release-1.28`, `v1.28.0-rc.1`.

    A branch without a number is later than all; None for anything else.
    """
    if name in BRANCHES:
        return (sys.maxsize,)
    found = re.fullmatch(r"(?:v|release-)?(1\.\d+(\.\d+)?)([-+].*)?", name)
    return _numbers(found[1]) if found else None


def version_of(name: str) -> Version | None:
    """The version that a release of the kubelet is, by its own name or as the one that covers all of it.

    Also with what a distribution adds to the name, as in `v1.32.4+k3s1`; not for alpha and beta releases, nor for
    `v1.22.5-rc.0`, which is 1.22.4 under another name.
    """
    release = release_in(name)
    if release is None or name in VERSIONS or re.search(r"-(alpha|beta)|\.[1-9]\d*-rc", name):
        return VERSIONS.get(name)
    own = VERSIONS.get(f"v{name.removeprefix('v')}")
    found = [own] if own else covering(release)
    return found[0] if len(found) == 1 and (own or found[0].is_all_of(release)) else None


def covering(release: tuple[int, ...]) -> list[Version]:
    """The versions that cover a release, or some of its patch releases."""
    return [version for version in VERSIONS.values() if version.is_of(release)]


def neighbours(release: tuple[int, ...]) -> tuple[Version | None, Version | None]:
    """The versions of the releases before and after one that none covers; None where it is older or newer than all."""
    earlier = [v for v in VERSIONS.values() if any(_numbers(last) < release for _, last in v.covers)]
    later = [v for v in VERSIONS.values() if any(_numbers(first) > release for first, _ in v.covers)]
    return earlier[0] if earlier else None, later[-1] if later else None
