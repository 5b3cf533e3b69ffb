"""Who acts in a trace: the lanes of a timeline or a sequence diagram."""

from __future__ import annotations

from podproof.model.notes import Lane

LANES = tuple(Lane)

_LANE_OF = {
    **{lane.value: lane for lane in LANES},
    "housekeeping": Lane.SYNC_LOOP,  # HandlePodCleanups runs in the goroutine of the sync loop
    "PLEG": Lane.RUNTIME,  # it tells what the runtime says
}


def lane_of(actor: str) -> Lane:
    """The lane of an action's actor; whoever is no part of the kubelet's loop is the environment."""
    return _LANE_OF.get(actor, Lane.ENVIRONMENT)
