"""What the rest of the kubelet is told when it asks the pod workers."""

from __future__ import annotations

from podproof.model.language import NIL
from podproof.model.node import Node
from podproof.specs.claim import Harm, claim

_HISTORY = ("is_pod_known_terminated",)


@claim(
    "always",
    "comments in the PodWorkers interface",
    needs=_HISTORY,
    harm=Harm.CALLERS,
    wrong=(
        "of {uid} a query answers otherwise than its status says: terminating "
        "{status.terminating_at}, terminated {status.terminated_at}"
    ),
)
def queries_of_known_pods_follow_their_status(state: Node) -> bool:
    """Of a pod that the workers know, each query answers what its comment says.

    Other components start, stop and remove what belongs to a pod on the word of these answers.
    """
    for uid in range(len(state.pod_sync_statuses)):
        status = state.pod_sync_statuses[uid]
        if status.present:
            if state.is_pod_known_terminated(uid) != status.terminated_at:
                return False
            if state.could_have_running_containers(uid) == status.terminated_at:
                return False
            if state.should_pod_runtime_be_removed(uid) != status.terminated_at:
                return False
            if state.is_pod_termination_requested(uid) != status.terminating_at:
                return False
            if state.should_pod_containers_be_terminating(uid) != status.started_terminating:
                return False
            removable = status.evicted or (status.deleted and status.terminated_at)
            if state.should_pod_content_be_removed(uid) != removable:
                return False
    return True


@claim(
    "always",
    "comments in the PodWorkers interface: podsSynced",
    needs=_HISTORY,
    harm=Harm.CALLERS,
    wrong="of {uid}, which is not known, a query answers wrongly; pods synced: {state.pods_synced}",
)
def queries_of_unknown_pods_wait_for_the_first_pass(state: Node) -> bool:
    """A pod that the workers do not know may run until the first SyncKnownPods, and is gone for good after it."""
    for uid in range(len(state.pod_sync_statuses)):
        if not state.pod_sync_statuses[uid].present:
            if state.is_pod_known_terminated(uid) or state.is_pod_termination_requested(uid):
                return False
            if state.could_have_running_containers(uid) == state.pods_synced:
                return False
            if state.should_pod_runtime_be_removed(uid) != state.pods_synced:
                return False
            if state.should_pod_containers_be_terminating(uid) != state.pods_synced:
                return False
            if state.should_pod_content_be_removed(uid) != state.pods_synced:
                return False
    return True


@claim(
    "always",
    "comment on ShouldPodBeFinished",
    needs=("should_pod_be_finished",),
    harm=Harm.CALLERS,
    wrong=("ShouldPodBeFinished of {uid} is {state.should_pod_be_finished(uid)} and should be {finished}"),
)
def pods_are_said_to_be_finished_when_they_are(state: Node) -> bool:
    """ShouldPodBeFinished is true of a known pod once it is finished, and of others since the first SyncKnownPods."""
    for uid in range(len(state.pod_sync_statuses)):
        status = state.pod_sync_statuses[uid]
        finished = status.finished if status.present else state.pods_synced
        if state.should_pod_be_finished(uid) != finished:
            return False
    return True


@claim(
    "always",
    "comments on PodWorkerSync: HasConfig and Static",
    needs=("has_config",),
    harm=Harm.CALLERS,
    wrong=(
        "SyncKnownPods says of {uid}: configuration {state.has_config(uid)}, static "
        "{state.is_static(uid)}, and its update says otherwise"
    ),
)
def housekeeping_is_told_of_the_last_update(state: Node) -> bool:
    """SyncKnownPods says of a pod whether its last update has a configuration, and whether that is a static pod's.

    That is the update that its worker has taken, or the one that waits where it has taken none yet.
    """
    for uid in range(len(state.pod_sync_statuses)):
        status = state.pod_sync_statuses[uid]
        if status.active_update.present:
            if state.has_config(uid) != status.active_update.pod.present:
                return False
            if state.is_static(uid) != status.active_update.pod.static:
                return False
        else:
            if state.has_config(uid) != status.pending_update.pod.present:
                return False
            if state.is_static(uid) != status.pending_update.pod.static:
                return False
    return True


@claim(
    "always",
    "comment on IsPodForMirrorPodTerminatingByFullName",
    needs=("is_pod_for_mirror_pod_terminating_by_full_name",),
    harm=Harm.CALLERS,
    wrong=(
        "the mirror pod of {name} is said to terminate: "
        "{state.is_pod_for_mirror_pod_terminating_by_full_name(name)}, and its static pod does "
        "otherwise"
    ),
)
def mirror_pods_are_kept_while_their_static_pod_terminates(state: Node) -> bool:
    """The mirror pod of a full name is known to terminate exactly while the static pod started under it does."""
    for uid in range(len(state.pod_sync_statuses)):
        name = state.full_names[uid]
        if state.started_static_pods[name] == uid:
            status = state.pod_sync_statuses[uid]
            terminates = status.terminating_at and not status.terminated_at
            if state.is_pod_for_mirror_pod_terminating_by_full_name(name) != terminates:
                return False
    for name in range(len(state.started_static_pods)):
        if state.started_static_pods[name] == NIL and state.is_pod_for_mirror_pod_terminating_by_full_name(name):
            return False
    return True
