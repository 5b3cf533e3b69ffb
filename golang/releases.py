"""The releases whose Go was proved to be the model, by fingerprints of their functions; none of their text is here."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from podproof.golang.syntax import GoFile
from podproof.model.versions import release_in

FILE = Path(__file__).with_name("releases.json")
DECLARATIONS = "declarations"
"""In the place of a function: all types, constants, variables and imports of the file."""


@dataclass(frozen=True)
class ProvedRelease:
    """A file that `podproof review` found equal to a version, function by function."""

    release: str
    version: str
    fingerprints: Mapping[str, str]

    def differences(self, file: GoFile) -> Iterator[tuple[str, str]]:
        """What of a file is not this release's: the name, and whether it is changed, new or gone."""
        return unlike(self.fingerprints, fingerprints_of(file))


def unlike(before: Mapping[str, str], after: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """The functions whose fingerprints differ: the name, and whether it is changed, new or gone."""
    for name in dict.fromkeys((*after, *before)):
        if after.get(name) != before.get(name):
            yield name, "new" if name not in before else "gone" if name not in after else "changed"


def fingerprints_of(file: GoFile) -> dict[str, str]:
    """The fingerprint of each function of a file, and that of its declarations."""
    return {name: function.fingerprint for name, function in file.functions.items()} | {DECLARATIONS: file.declarations}


@functools.cache
def proved_releases() -> tuple[ProvedRelease, ...]:
    """All of them, the newest first."""
    table = json.loads(FILE.read_text(encoding="utf-8"))
    found = [ProvedRelease(release, one["version"], one["fingerprints"]) for release, one in table.items()]
    return tuple(sorted(found, key=lambda one: [int(part) for part in re.findall(r"\d+", one.release)], reverse=True))


def proved_for(version: str) -> tuple[str, ...]:
    """The releases whose Go was proved to be this version of the model, the oldest first."""
    return tuple(one.release for one in reversed(proved_releases()) if one.version == version)


def proved_within(release: tuple[int, ...]) -> Iterator[ProvedRelease]:
    """A release, or those of its patch releases, whose Go was proved to be a version of the model."""
    return (one for one in proved_releases() if (release_in(one.release) or ())[: len(release)] == release)


def nearest(file: GoFile) -> ProvedRelease | None:
    """The release most of whose functions a file has; None where none has half of them."""
    found, differences = _nearest(file)
    return found if len(differences) <= len(found.fingerprints) // 2 else None


def _nearest(file: GoFile) -> tuple[ProvedRelease, list[tuple[str, str]]]:
    """The release that a file differs from the least, and its differences."""
    return min(((one, list(one.differences(file))) for one in proved_releases()), key=lambda found: len(found[1]))


def recognized(file: GoFile) -> str:
    """What is known of a file by its functions, in one sentence."""
    found, differences = _nearest(file)
    if not differences:
        same = [one.release for one in proved_releases() if not list(one.differences(file))]
        return f"every function is that of {' and '.join(same)}, for which each was proved equal to {found.version}"
    if len(differences) > len(found.fingerprints) // 2:
        return (
            f"no release that is known is near; {found.release} is the nearest, and {len(differences)} functions differ"
        )
    told = [f"{name} ({_as_in(name, file, word)})" for name, word in differences]
    return f"as {found.release} but for {', '.join(told)}"


def _as_in(name: str, file: GoFile, word: str) -> str:
    """That a function is changed, new or gone, or is as in another release."""
    own = fingerprints_of(file).get(name)
    others = [one.release for one in proved_releases() if own is not None and one.fingerprints.get(name) == own]
    return f"as in {' and '.join(others)}" if others else word


def record(file: GoFile, release: str, version: str) -> None:
    """Note that the functions of a file were proved equal to a version."""
    table = json.loads(FILE.read_text(encoding="utf-8")) if FILE.exists() else {}
    table[release] = {"version": version, "fingerprints": fingerprints_of(file)}
    FILE.write_text(json.dumps(dict(sorted(table.items())), indent=1) + "\n", encoding="utf-8")
