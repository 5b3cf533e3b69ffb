"""Which release of the kubelet has which function, and under which name.

The model gives every release from 1.22 on the functions of 1.27. Releases are modelled backwards, so the class of an
older one derives from that of a newer one, and what a class lacks its descendants lack as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from podproof.model.language import Absent
from podproof.model.releases.v1_22_0 import V1_22_0
from podproof.model.releases.v1_22_5 import V1_22_5
from podproof.model.releases.v1_26 import V1_26


@dataclass(frozen=True)
class First:
    """The release that a function or a field came with."""

    release: str
    lacked_by: type
    """The newest modelled release without it."""


@dataclass(frozen=True)
class Earlier:
    """What stood for a function before the release that it came with."""

    release: str
    until: type
    """The newest modelled release in which it was so."""
    name: str = ""
    """Its name then; empty where it was no function of its own."""
    lines_of: str = ""
    """Where its lines stood then, if it was no function of its own."""


FIRST: Mapping[str, First] = {
    "complete_sync": First("1.24.0", V1_22_5),
    "cleanup_unstarted_pod": First("1.24.0", V1_22_5),
    "allow_pod_start": First("1.22.5", V1_22_0),
    "started_static_pods": First("1.22.5", V1_22_0),
    "waiting_to_start_static_pods": First("1.22.5", V1_22_0),
    "restart_requested": First("1.22.3", V1_22_0),
}
"""By the name in the model. What a class marks with `absent` need not be here."""

EARLIER: Mapping[str, Earlier] = {
    "start_pod_sync": Earlier("1.27.0", V1_26, lines_of="the beginning of an iteration of managePodLoop"),
    "requeue_last_pod_update": Earlier("1.27.0", V1_26, lines_of="the end of completeSync and completeTerminating"),
    "cleanup_unstarted_pod": Earlier("1.27.0", V1_26, name="completeUnstartedTerminated"),
    "complete_work": Earlier("1.27.0", V1_26, name="completeWorkQueueNext"),
}
"""By the name in the model."""

HALVES: Mapping[str, str] = {
    "complete_work_enqueue": "first half of completeWork",
    "complete_work": "second half, under podLock",
}
"""Functions that the model has in two steps, for somebody else may come in between."""


def lacks(cls: type, name: str) -> str | None:
    """The release that brought a function or field which this class's release lacks; None where it has it."""
    first = FIRST.get(name)
    if first is not None and issubclass(cls, first.lacked_by) and not _is_proposal(cls):
        return first.release
    there = next((vars(part)[name] for part in cls.__mro__ if name in vars(part)), None)
    return there.since if isinstance(there, Absent) else None


def _is_proposal(cls: type) -> bool:
    """Is a part of the class a user's? That may bring what the release lacks."""
    return any(not part.__module__.startswith("podproof.model.") for part in cls.__mro__ if part is not object)


def earlier(cls: type, name: str) -> Earlier | None:
    """What stands for a function in this class's release; None where it has the function itself."""
    found = EARLIER.get(name)
    return found if found is not None and issubclass(cls, found.until) else None


def half(cls: type, name: str) -> str:
    """Which half of a Go function a method is; empty where it is a whole one."""
    return "" if earlier(cls, name) is not None else HALVES.get(name, "")
