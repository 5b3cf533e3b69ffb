"""How long a scenario took in the last `podproof check` of the same, for the progress line of the next one."""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence
from pathlib import Path

from podproof.queries.build import Subject
from podproof.queries.cache import own_folder, write_whole


def seconds_per_scenario(subjects: Sequence[Subject]) -> float:
    """Seconds for each scenario; 0 where that is not known."""
    path = _path(subjects)
    try:
        return float(path.read_bytes()) if path is not None else 0.0
    except (OSError, ValueError):  # Nothing is kept, or nothing of ours.
        return 0.0


def keep_seconds_per_scenario(subjects: Sequence[Subject], seconds: float) -> None:
    """Keep it for the next run, where there are room and rights."""
    if (path := _path(subjects)) is not None:
        with contextlib.suppress(OSError):
            write_whole(path, f"{seconds}".encode())


def _path(subjects: Sequence[Subject]) -> Path | None:
    """Where it is kept; None where there is no folder for it."""
    folder, places = own_folder(), ("" if one.file is None else one.file.resolve() for one in subjects)
    names = " ".join(f"{place} {one.option}" for place, one in zip(places, subjects, strict=True))
    name = hashlib.sha256(names.encode("utf-8", "surrogatepass")).hexdigest()
    return None if folder is None else folder / f"{name}.last"
