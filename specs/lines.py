"""Lines of the Go that say "programmer error": each must be unreachable."""

from __future__ import annotations

from collections.abc import Mapping

from podproof.specs.claim import FORGETS_TWO_GOROUTINES, SECOND_GOROUTINE, UNREPORTED, Claim, known

_SOURCE = "pod_workers.go, the log line itself"

KNOWN: Mapping[str, Mapping[str, str]] = {
    "complete_sync_requests_termination_first": known(UNREPORTED),
    "unstarted_pods_are_not_terminated": {
        **SECOND_GOROUTINE,
        **known(
            "a static pod that has ended is first seen, which the real sources of static pods never deliver",
            scenarios=("open-pod",),
        ),
    },
    "idle_workers_get_no_work": SECOND_GOROUTINE,
    "woken_workers_find_work": SECOND_GOROUTINE,
    "complete_sync_finds_a_status": SECOND_GOROUTINE,
    "complete_pods_are_terminated": SECOND_GOROUTINE,
    "running_pods_without_pod_are_killed": FORGETS_TWO_GOROUTINES,
    "terminated_pods_were_asked_to_terminate": FORGETS_TWO_GOROUTINES,
    "complete_pods_were_asked_to_terminate": FORGETS_TWO_GOROUTINES,
}
"""Claim -> the versions known to break it."""

LINES = tuple(
    Claim(
        id,
        "never",
        f'The line "{line}" is never reached ({function}).',
        _SOURCE,
        why,
        None,
        (line,),
        (),
        KNOWN.get(id, {}),
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
            "complete_sync_requests_termination_first",
            "completeSync",
            "Pod worker attempted to set terminatingAt twice, likely programmer error",
            "Harmless: somebody else asked for termination while SyncPod was finding out that the pod had ended.",
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
            "completion_channels_are_closed_once",
            "UpdatePod, completeTerminating",
            "close of closed channel",
            "Closing a channel twice panics and ends the kubelet.",
        ),
    )
)
