"""What the last `podproof check` of a subject left for the next one: what failed, and how long a scenario took."""

from __future__ import annotations

import contextlib
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from podproof.checker.core.system import Exploration, Status, Verdict
from podproof.commands.systems.build import Subject
from podproof.commands.systems.cache import own_folder, write_whole


@dataclass(frozen=True)
class LastRun:
    """What is kept of a run; of none, nothing."""

    scenarios: tuple[str, ...] = ()
    """Those in which a claim failed."""
    claims: tuple[str, ...] = ()
    """Those that failed in one of them."""
    pace: float = 0.0
    """So many seconds went by for each scenario; 0 where that is not known."""


def last_run(subject: Subject) -> LastRun:
    """What was kept; of a claim or a scenario that there is no more, nothing."""
    path, claims = _path(subject), {claim.id for claim in subject.every_claim}
    try:
        kept = json.loads(path.read_bytes()) if path is not None else {}
        scenarios = tuple(name for name in kept.get("scenarios", ()) if name in subject.scenarios)
        failed = tuple(name for name in kept.get("claims", ()) if name in claims)
        return LastRun(scenarios, failed, float(kept.get("pace", 0.0)))
    except (OSError, ValueError, TypeError, AttributeError):  # Nothing is kept, or nothing of ours.
        return LastRun()


def keep_run(subject: Subject, explorations: Sequence[Exploration], pace: float) -> None:
    """Keep it for the next run, where there are room and rights."""
    failed = [(e.system.scenario, v.property.id) for e in explorations for v in failures(e)]
    scenarios, claims = (tuple(dict.fromkeys(pair[side] for pair in failed)) for side in (0, 1))
    if (path := _path(subject)) is not None:
        with contextlib.suppress(OSError):
            write_whole(path, json.dumps(asdict(LastRun(scenarios, claims, pace))).encode())


def failures(found: Exploration) -> list[Verdict]:
    """What is violated there, and not merely as it is in the release that a file changes."""
    return [
        verdict
        for verdict in found.verdicts
        if verdict.status is Status.VIOLATED and verdict.property.kind != "sometimes" and not verdict.is_inherited
    ]


def _path(subject: Subject) -> Path | None:
    """Where it is kept; None where there is no folder for it."""
    folder, place = own_folder(), "" if subject.file is None else subject.file.resolve()
    name = hashlib.sha256(f"{place} {subject.option}".encode("utf-8", "surrogatepass")).hexdigest()
    return None if folder is None else folder / f"{name}.last"
