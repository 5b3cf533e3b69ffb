"""Lines of the Go that say "programmer error": each must be unreachable."""

from __future__ import annotations

from collections.abc import Mapping

from podproof.specs.claim import (
    FORGETS_TWO_GOROUTINES,
    SECOND_GOROUTINE,
    Claim,
    Harm,
    Violation,
    broken,
)

_SOURCE = "pod_workers.go, the log line itself"

_FINISHED_AND_WOKEN = broken(
    "a goroutine whose pod was forgotten meets a pod that is finished at first sight",
    since="1.27.0",
    until="1.27.2",
    scenarios=("open-pod",),
)

VIOLATIONS: Mapping[str, tuple[Violation, ...]] = {
    "unstarted_pods_are_not_terminated": (
        SECOND_GOROUTINE,
        broken(
            "a static pod that has ended is first seen, which the real sources of static pods never deliver",
            since="1.27.2",
            scenarios=("open-pod",),
        ),
    ),
    "idle_workers_get_no_work": (SECOND_GOROUTINE, _FINISHED_AND_WOKEN),
    "woken_workers_find_work": (SECOND_GOROUTINE, _FINISHED_AND_WOKEN),
    "complete_sync_finds_a_status": (SECOND_GOROUTINE,),
    "complete_pods_are_terminated": (SECOND_GOROUTINE,),
    "running_pods_without_pod_are_killed": (FORGETS_TWO_GOROUTINES,),
    "terminated_pods_were_asked_to_terminate": (FORGETS_TWO_GOROUTINES,),
    "complete_pods_were_asked_to_terminate": (FORGETS_TWO_GOROUTINES,),
}
"""Claim -> how it is known to be broken."""

HARMLESS: Mapping[str, str] = {
    "complete_sync_requests_termination_first": (
        "Pod worker attempted to set terminatingAt twice, likely programmer error"
    ),
}
"""Claim -> the line that a race reaches in every release since 1.24; the claim says why that does no harm."""

_HISTORY = ("sync_known_pods",)
"""What belongs to the history of pods, which 1.22 brought."""
_TOKENS = ("drain_pod_updates",)
"""What belongs to channels of tokens, which 1.27.0 brought; before, they carried the work."""
NEEDS: Mapping[str, tuple[str, ...]] = {
    "idle_workers_get_no_work": _TOKENS,
    "woken_workers_find_work": _TOKENS,
    "running_pods_without_pod_are_killed": _TOKENS,
    "complete_sync_finds_a_status": _TOKENS,
    "workers_are_sent_work_when_their_channel_is_empty": ("send",),
}
"""Claim -> the methods that the line belongs to, where some release lacks it."""

_HARMS: Mapping[str, Harm] = {
    "workers_are_sent_work_when_their_channel_is_empty": Harm.CALLERS,
    "completion_channels_are_closed_once": Harm.CONTAINERS,
}
"""A send that blocks holds podLock, and a channel that is closed twice ends the kubelet."""

LINES = tuple(
    Claim(
        id,
        "never",
        f'The line "{line}" is never reached ({function}).',
        _SOURCE,
        why,
        lines=(line,),
        needs=NEEDS.get(id, _HISTORY),
        violations=VIOLATIONS.get(id, ()),
        harm=_HARMS.get(id, Harm.LOG),
        wrong=f'{function} reaches the line "{line}"',
    )
    for id, function, line, why in (
        (
            "idle_workers_get_no_work",
            "startPodSync",
            "Pod should be marked as working by the pod worker, programmer error",
            "",
        ),
        (
            "woken_workers_find_work",
            "startPodSync",
            "Pod worker received no pending work, programmer error?",
            "The worker goes back to sleep; nothing is lost.",
        ),
        (
            "running_pods_without_pod_are_killed",
            "startPodSync",
            "Running pod cannot start ever, programmer error",
            "The goroutine would die and leave its channel behind, so that nobody could wake the pod again.",
        ),
        (
            "starting_pods_have_a_status",
            "allowPodStart",
            "Pod sync status does not exist, the worker should not be running",
            "",
        ),
        (
            "complete_sync_finds_a_status",
            "completeSync",
            "Pod had no status in completeSync, programmer error?",
            "",
        ),
        (
            "terminated_pods_were_asked_to_terminate",
            "completeTerminating, completeTerminatingRuntimePod",
            "Pod worker was terminated but did not have terminatingAt set, likely programmer error",
            "",
        ),
        (
            "complete_pods_were_asked_to_terminate",
            "completeTerminated, cleanupUnstartedPod",
            "Pod worker is complete but did not have terminatingAt set, likely programmer error",
            "",
        ),
        (
            "complete_pods_are_terminated",
            "completeTerminated",
            "Pod worker is complete but did not have terminatedAt set, likely programmer error",
            "",
        ),
        (
            "unstarted_pods_are_not_terminated",
            "cleanupUnstartedPod",
            "Pod worker is complete and had terminatedAt set, likely programmer error",
            "",
        ),
        (
            "workers_are_sent_work_when_their_channel_is_empty",
            "UpdatePod, completeWorkQueueNext",
            "blocking send on a full channel",
            "The sender would wait for ever and hold podLock meanwhile: the whole kubelet would stand still.",
        ),
        (
            "completion_channels_are_closed_once",
            "UpdatePod, completeTerminating",
            "close of closed channel",
            "Closing a channel twice panics and ends the kubelet.",
        ),
    )
)
