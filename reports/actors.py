"""Who acts in a trace: the lanes of a timeline or a sequence diagram."""

from __future__ import annotations

from collections.abc import Mapping

LANES = ("sync loop", "worker", "runtime", "environment")
"""From the left: the kubelet's main loop, the pod's goroutine, the container runtime, and everybody else."""

_LANE_OF: Mapping[str, str] = {
    "sync loop": "sync loop",
    "housekeeping": "sync loop",  # HandlePodCleanups runs in the goroutine of the sync loop
    "worker": "worker",
    "runtime": "runtime",
    "PLEG": "runtime",  # it tells what the runtime says
}


def lane_of(actor: str) -> str:
    """The lane of an action's actor; whoever is no part of the kubelet's loop is the environment."""
    return _LANE_OF.get(actor, "environment")
