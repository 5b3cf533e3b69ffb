"""Whom the sync loop starts and kills on its own: HandlePodCleanups, and the removals that it makes up for."""

from __future__ import annotations

from podproof.model.language import Event
from podproof.model.state import Phase, UpdateType
from podproof.model.sync_loop import SyncLoop
from podproof.specs.claim import Harm, broken, claim


@claim(
    "step",
    'HandlePodCleanups: "We must use active pods because that is the set of admitted pods"',
    wrong="housekeeping creates {event.uid}, which has ended, was rejected, or is gone from its source",
)
def housekeeping_creates_admitted_pods_alone(before: SyncLoop, event: Event, after: SyncLoop) -> bool:
    """HandlePodCleanups creates a pod only if its source has it, it was not rejected, and it has not ended."""
    if event.action != "housekeeping_recreate":
        return True
    config = before.config[event.uid]
    return before.pod_manager[event.uid] and not before.rejected[event.uid] and config.phase == Phase.RUNNING


@claim(
    "step",
    "deletePod: \"If the sources aren't ready, skip deletion, as we may accidentally delete pods for sources that "
    "haven't reported yet\"",
    wrong="UpdatePod(kill) is called for {uid}, and not all sources have reported",
)
def the_sync_loop_kills_once_sources_are_ready(before: SyncLoop, event: Event, after: SyncLoop) -> bool:
    """The sync loop calls UpdatePod(kill) only after every source has reported its pods.

    Until then a pod that the kubelet does not know may well be wanted.
    """
    for uid in range(len(before.config)):
        if after.calls[uid].present and after.calls[uid].update_type == UpdateType.KILL:
            if event.action != "kill_pod_now" and not before.sources_ready:
                return False
    return True


@claim(
    "step",
    "HandlePodRemoves and HandlePodCleanups, which kill what is gone from its source, has ended or was rejected",
    wrong="the sync loop calls UpdatePod(kill) for {uid}, which its source has and which has not ended",
)
def the_sync_loop_kills_what_is_unwanted(before: SyncLoop, event: Event, after: SyncLoop) -> bool:
    """The sync loop calls UpdatePod(kill) only for a pod that is gone from its source, has ended or was rejected."""
    for uid in range(len(before.config)):
        if after.calls[uid].present and after.calls[uid].update_type == UpdateType.KILL:
            wanted = after.pod_manager[uid] and not after.rejected[uid] and after.config[uid].phase == Phase.RUNNING
            if event.action != "kill_pod_now" and wanted:
                return False
    return True


@claim(
    "step",
    'HandlePodCleanups: the 1 s of grace is for an "orphaned pod we had not seen before"',
    violations=(
        broken(
            "a pod that runs is rejected after a restart of the kubelet and has no worker: if housekeeping comes "
            "before PLEG's event, it is killed as if nobody knew it, within 1 s",
            since="1.36.0",
            scenarios=("rejected-after-restart", "static-pod-restart"),
            on_real_code="1.36.2 and 1.36.3 do it: recorded, with a pod whose spec says 30 s; where PLEG's event comes "
            "first it gets them. In 1.29 the lines are the same",
        ),
    ),
    wrong="housekeeping kills {event.uid} within 1 s, and its source has it, with its grace period",
)
def configured_pods_get_their_grace_period(before: SyncLoop, event: Event, after: SyncLoop) -> bool:
    """Housekeeping kills within one second only pods that no source has.

    The containers of another one have a grace period in its spec, which they need in order to save their data.
    """
    return event.action != "housekeeping_kill_runtime" or not before.pod_manager[event.uid]


@claim(
    "step",
    "IsPodForMirrorPodTerminatingByFullName: the mirror pod stays as long as its static pod terminates",
    violations=(
        broken(
            "the manifest is removed while the kubelet is down: only the runtime knows of the pod, and "
            "HandlePodCleanups deletes the mirror pod before it has the containers killed",
            since="1.36.0",
            scenarios=("static-pod-restart",),
            on_real_code="1.36.2 and 1.36.3 do it: recorded; where killing fails the containers run on without it",
        ),
    ),
    harm=Harm.CALLERS,
    wrong="the mirror pod of {event.uid} is deleted, and its containers run",
)
def mirror_pods_stay_while_their_pod_runs(before: SyncLoop, event: Event, after: SyncLoop) -> bool:
    """Housekeeping deletes a mirror pod only when no container of its static pod runs any more.

    The scheduler takes the room for free, and nobody who asks the API server sees what runs.
    """
    return event.action != "delete_orphaned_mirror_pod" or not before.containers[event.uid]
