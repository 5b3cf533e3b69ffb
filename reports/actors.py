"""Who acts in a trace: the lanes of a timeline or a sequence diagram."""

from __future__ import annotations

from podproof.model.notes import ENVIRONMENT, RUNTIME, WORKER, Lane

KILLER = "killer"
LANES = ("API server", Lane.SYNC_LOOP.value, "housekeeping", WORKER.value, RUNTIME.value, KILLER, ENVIRONMENT.value)
"""From the left. Housekeeping has its own, though it runs in the goroutine of the sync loop."""
_LANE_OF = {"PLEG": RUNTIME.value, "podKiller": KILLER}  # PLEG tells what the runtime says.


def lane_of(actor: str) -> str:
    """The lane of an action's actor."""
    lane = _LANE_OF.get(actor, actor)
    return lane if lane in LANES else ENVIRONMENT.value
