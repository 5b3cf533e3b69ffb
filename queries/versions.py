"""Every version that can be checked, of whichever model, and which of them a name means."""

from __future__ import annotations

import re

from podproof.kubelet_1_20.release import OF_1_20
from podproof.model.versions import SINCE_1_22, Version, numbers, release_in

_EVERY = (*SINCE_1_22.values(), *OF_1_20.values())
_NEWEST_FIRST = sorted((version for version in _EVERY if version.covers), key=lambda version: version.order)[::-1]
VERSIONS = {version.name: version for version in (*_NEWEST_FIRST, *(v for v in _EVERY if not v.covers))}
"""Every version by its name, in the order of `podproof explain versions`."""
DEFAULT_VERSION = _NEWEST_FIRST[0].name
"""That of the newest release."""
LATEST = "latest"
"""What the newest release is called as well, wherever a version is named."""
MODELS = ("podproof.model", "podproof.kubelet_1_20")
"""The packages that the models of all versions are in."""

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
    earlier = [v for v in VERSIONS.values() if any(numbers(last) < release for _, last in v.covers)]
    later = [v for v in VERSIONS.values() if any(numbers(first) > release for first, _ in v.covers)]
    return earlier[0] if earlier else None, later[-1] if later else None
