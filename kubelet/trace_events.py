"""The events of a recorded trace, docs/traces.md, as the model's own values. A trace follows trace.schema.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podproof.kubelet.replay import Event
from podproof.model.language import NIL
from podproof.model.pod_worker_loop import SyncOutcome, SyncPodOutcome
from podproof.model.state import Cached, KillPodOptions, Phase, Pod, UpdatePodOptions, UpdateType

_CACHED = {
    "": Cached.NOTHING_RUNNING,
    "exited": Cached.NOTHING_RUNNING,
    "running": Cached.RUNNING,
    "sandboxReady": Cached.RUNNING,
    "error": Cached.ERROR,
}
_PHASES = {
    "": Phase.RUNNING,
    "Pending": Phase.RUNNING,
    "Running": Phase.RUNNING,
    "Unknown": Phase.RUNNING,
    "Succeeded": Phase.SUCCEEDED,
    "Failed": Phase.FAILED,
}
_FAILURES = {
    "error": SyncOutcome.ERROR,
    "terminalError": SyncOutcome.ERROR,
    "wrapped": SyncOutcome.ERROR,
    "network": SyncOutcome.NETWORK_NOT_READY,
    "canceled": SyncOutcome.CANCELED,
}
_SYNC_OUTCOMES = {"ok": SyncOutcome.OK, "terminal": SyncOutcome.OK, **_FAILURES}
_SYNC_POD_OUTCOMES = {
    "ok": SyncPodOutcome.OK,
    "terminal": SyncPodOutcome.TERMINAL,
    **{name: SyncPodOutcome[outcome.name] for name, outcome in _FAILURES.items()},
}


def update_options(event: Event, tick: int, request: int) -> UpdatePodOptions:
    """UpdatePod's argument; `request` numbers the kill request, if it is one."""
    kill = event.get("kill")
    return UpdatePodOptions(
        present=True,
        update_type=UpdateType(event["type"]),
        start_time=tick if event.get("startTime") else 0,
        pod=pod_of(event["pod"]) if event.get("pod") is not None else Pod(),
        mirror_pod=event.get("mirrorRev") or 0,
        running_pod=event.get("runningPod") is not None,
        kill_pod_options=_kill(kill, request) if kill is not None else KillPodOptions(),
    )


def cached(event: Event) -> Cached:
    """What podCache answers from now on."""
    return _CACHED[event.get("cache") or ""]


def outcomes(name: str) -> tuple[SyncPodOutcome, SyncOutcome]:
    """What a sync function returns: SyncPod, or one of the others."""
    if name.startswith("backoff"):
        # An error with a time of its own, which changes only when the pod is tried again.
        name = "error"
    return _SYNC_POD_OUTCOMES[name], _SYNC_OUTCOMES[name]


def details_of(event: Event) -> list[str]:
    """What else an event says of the update, in words."""
    details = ["RunningPod"] if event.get("runningPod") is not None else []
    for part in ("pod", "kill"):
        for name, value in (event.get(part) or {}).items():
            if name not in ("ns", "name"):
                details.append(name if value is True else f"{name}={value}")
    return details


def pod_of(pod: Mapping[str, Any]) -> Pod:
    """A recorded pod object."""
    grace, spec = pod.get("deletionGrace"), pod.get("specGrace")
    return Pod(
        present=True,
        revision=pod.get("rev") or 0,
        phase=_PHASES[pod.get("phase") or ""],
        deletion_timestamp=bool(pod.get("deletionTimestamp")),
        deletion_grace_period_seconds=NIL if grace is None else grace,
        termination_grace_period_seconds=NIL if spec is None else spec,
        static=bool(pod.get("static")),
    )


def _kill(kill: Mapping[str, Any], request: int) -> KillPodOptions:
    grace = kill.get("grace")
    return KillPodOptions(
        present=True,
        completed_ch=request if kill.get("ch") else NIL,
        evict=bool(kill.get("evict")),
        pod_status_func=request if kill.get("statusFn") else NIL,
        grace_period_seconds_override=NIL if grace is None else grace,
    )
