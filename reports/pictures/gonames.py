"""The Go names of what the model calls in snake_case."""

from __future__ import annotations

from collections.abc import Mapping

_INITIALS = {"api": "API", "id": "ID", "uid": "UID"}

FIELDS: Mapping[str, str] = {
    "started_static_pods": "startedStaticPodsByFullname",
    "waiting_to_start_static_pods": "waitingToStartStaticPodsByFullname",
    "grace_period_seconds_override": "PodTerminationGracePeriodSecondsOverride",
    "phase": "Status.Phase",
    "termination_grace_period_seconds": "Spec.TerminationGracePeriodSeconds",
    "context": "ctx",
}
"""Fields that Go calls otherwise than the model, also apart from the manner of writing."""

RECORDS: Mapping[str, str] = {
    "pod_sync_statuses": "podSyncStatus",
    "kill_pod_options": "KillPodOptions",
    "active_update": "UpdatePodOptions",
    "pending_update": "UpdatePodOptions",
}
"""The Go types behind the pointers that the model makes."""


def export_name(name: str) -> str:
    """`is_pod_known_terminated` as `IsPodKnownTerminated`."""
    return "".join(_capital(word) for word in name.split("_"))


def unexport_name(name: str) -> str:
    """`terminating_at` as `terminatingAt`."""
    first, *rest = name.split("_")
    if not first:
        return name
    return first + "".join(_capital(word) for word in rest)


def _capital(word: str) -> str:
    return _INITIALS.get(word, word[:1].upper() + word[1:])
