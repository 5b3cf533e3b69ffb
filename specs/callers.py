"""Who calls UpdatePod, with which pod, and who takes up room on the node.

`after.calls[uid]` is the call of UpdatePod about a pod in a step, and the step's action who makes it.
"""

from __future__ import annotations

from podproof.model.language import Event
from podproof.model.state import Position, UpdateType
from podproof.model.sync_loop import SyncLoop
from podproof.specs.claim import Harm, broken, claim

_MOVED_AWAY_AND_BACK = ("removed-and-added", "added-during-outage", "overcommit")
MIRROR_POD_ADDED = broken(
    "HandlePodAdditions calls UpdatePod for a mirror pod without asking whether its static pod was admitted: a kubelet "
    "restarts, rejects the static pod, and then is told of its mirror pod",
    since="1.36.0",
    scenarios=("static-pod-restart",),
    on_real_code="1.36.3 does it: recorded; the static pod had no worker before, and counts as active then",
)
"""What a mirror pod does to a static pod that was rejected. In 1.35 the lines are the same."""
LEFT_FROM_BEFORE = broken(
    "a pod is removed, added again under its UID and rejected: what its former life has left is taken for it, an entry "
    "of the work queue that has yet to fall due, or, of a static pod, the REMOVE of its mirror pod",
    since="1.36.0",
    scenarios=("removed-and-added", "overcommit"),
    rests_on=("A5", "A27"),
)
"""The entry falls due within a second after the former life is terminated, in which all this has to happen."""
_NO_ALLOCATION = broken(
    "HandlePodUpdates leaves out who has no allocation, and a pod that has ended or whose UID terminates when it is "
    "added has none",
    by="kubernetes/kubernetes#139522",
    since="1.36.3",
    scenarios=("rejected-after-restart",),
    on_real_code="1.36.3 does it: recorded",
)


@claim(
    "step",
    'HandlePodUpdates and HandlePodAdditions: "Unable to find pod for mirror pod, skipping" is all they skip',
    violations=(
        broken(
            "HandlePodUpdates asks for the allocation of the mirror pod's own UID, which never has one",
            by="kubernetes/kubernetes#139522",
            since="1.36.3",
            scenarios=("static-pod-restart", "removed-and-added"),
            on_real_code="1.36.3 does it: recorded; once the check is taken out it calls UpdatePod again",
        ),
    ),
    harm=Harm.CALLERS,
    wrong="the mirror pod of {event.uid} is deleted, and UpdatePod is not called: {event.uid} is not told",
)
def changes_of_mirror_pods_reach_the_worker(before: SyncLoop, event: Event, after: SyncLoop) -> bool:
    """When a mirror pod is added, deleted or goes away, UpdatePod is called for its static pod, if that was admitted.

    SyncPod makes the mirror pod anew. Otherwise what users see of the static pod stays as somebody has left it, a pod
    that is being deleted, until the next resync, a minute later or more.
    """
    if event.action not in ("add_mirror_pod", "delete_mirror_pod", "remove_mirror_pod"):
        return True
    known = before.mirror_pods[event.uid].managed != 0 or after.mirror_pods[event.uid].managed != 0
    if not known or not before.pod_manager[event.uid] or before.rejected[event.uid]:
        return True
    return after.calls[event.uid].present


@claim(
    "step",
    "HandlePodUpdates and HandlePodRemoves call UpdatePod for each pod",
    violations=(_NO_ALLOCATION,),
    harm=Harm.CALLERS,
    wrong="the kubelet is told that {event.uid} has changed, and does not call UpdatePod",
)
def changes_of_pods_reach_the_worker(before: SyncLoop, event: Event, after: SyncLoop) -> bool:
    """When a pod that was not rejected has another spec, is deleted or removed, UpdatePod is called for it.

    The worker goes on with the object from before, until a resync brings the newer one. (While a source is not ready,
    the removal is left to housekeeping.)
    """
    if event.action in ("handle_pod_deletion", "handle_pod_spec_update"):
        if before.pod_manager[event.uid] and not before.rejected[event.uid]:
            return after.calls[event.uid].present
    if event.action == "handle_pod_removes" and before.pod_manager[event.uid] and before.sources_ready:
        return after.calls[event.uid].present
    return True


@claim(
    "step",
    "HandlePodAdditions, which calls UpdatePod only for pods that are admitted; kubernetes/kubernetes#136508",
    violations=(
        broken(
            "an UPDATE or a DELETE",
            by="kubernetes/kubernetes#135296, #136508",
            since="1.36.0",
            until="1.36.3",
            scenarios=("rejected-pod",),
            on_real_code="1.36.2 does it: recorded",
        ),
        broken(
            "an UPDATE or a DELETE up to 1.36.2; in 1.36.3 an event of PLEG about containers from before a restart of "
            "the kubelet, since HandlePodSyncs asks for no allocation, or a DELETE, since the checkpoint has one",
            by="kubernetes/kubernetes#135296, #136508",
            since="1.36.0",
            scenarios=("rejected-after-restart",),
            on_real_code="1.36.3 does it: recorded",
        ),
        MIRROR_POD_ADDED,
        LEFT_FROM_BEFORE,
    ),
    harm=Harm.CALLERS,
    wrong="UpdatePod({call.update_type}) is called for {uid}, which was rejected at admission",
)
def rejected_pods_are_not_handed_to_a_worker(before: SyncLoop, after: SyncLoop) -> bool:
    """UpdatePod is called for a pod that was rejected at admission only to have it killed.

    It gets a worker, SyncPod begins for a pod that has Failed in its status, and until it is terminated it counts.
    """
    for uid in range(len(before.rejected)):
        call = after.calls[uid]
        if after.rejected[uid] and call.present and call.update_type != UpdateType.KILL:
            return False
    return True


@claim(
    "always",
    'HandlePodAdditions: "activePods include all admitted pods that are alive"; kubernetes/kubernetes#136508',
    violations=(
        broken(
            "a DELETE brings the pod to a worker, and pods that terminate are active",
            by="kubernetes/kubernetes#135296, #136508",
            since="1.36.0",
            until="1.36.3",
            scenarios=("rejected-pod",),
            on_real_code="1.36.2 does it: recorded",
        ),
        broken(
            "a pod that gets a worker after it was rejected is active, and counts: up to 1.36.2 any, in 1.36.3 one "
            "that was admitted before the kubelet restarted, whose allocation the checkpoint keeps",
            by="kubernetes/kubernetes#135296, #136508",
            since="1.36.0",
            scenarios=("rejected-after-restart", "static-pod-restart"),
            on_real_code="1.36.3 does it: recorded",
        ),
        broken(
            "what a former life of its UID has left brings the pod to a worker, and pods that terminate are active; "
            "since 1.36.3 they do not count without an allocation",
            since="1.36.0",
            until="1.36.3",
            scenarios=("removed-and-added", "overcommit"),
            rests_on=("A5", "A27"),
        ),
    ),
    harm=Harm.CALLERS,
    wrong="{uid}, which was rejected at admission, takes up room",
)
def rejected_pods_take_up_no_room(state: SyncLoop) -> bool:
    """A pod that was rejected at admission does not count where another pod is to be admitted.

    The next pod is rejected with OutOfcpu although the node has room.
    """
    for uid in range(len(state.rejected)):
        if state.rejected[uid] and state.pod_manager[uid] and state.is_active(uid) and state.counts(uid):
            return False
    return True


@claim(
    "always",
    'HandlePodAdditions: "activePods include all admitted pods that are alive"',
    violations=(
        broken(
            "a pod that is added while its UID terminates gets no allocation, and is created without by housekeeping",
            by="kubernetes/kubernetes#139522",
            since="1.36.3",
            scenarios=_MOVED_AWAY_AND_BACK,
            on_real_code="1.36.3 does it, a manifest that is moved away and back: it admits a pod of 3 CPU beside a "
            "static pod of 3 on a node of 4; recorded",
        ),
    ),
    wrong="{uid} is active, and takes up no room",
)
def active_pods_take_up_room(state: SyncLoop) -> bool:
    """An active pod that was not rejected counts where another pod is to be admitted.

    Otherwise the node takes more than it has room for.
    """
    for uid in range(len(state.rejected)):
        if state.pod_manager[uid] and not state.rejected[uid] and state.is_active(uid) and not state.counts(uid):
            return False
    return True


@claim(
    "always",
    "allocation manager: AddPod allocates what a pod asks for before UpdatePod is called",
    violations=(
        broken(
            "HandlePodAdditions leaves out AddPod for a pod whose UID terminates, and HandlePodCleanups creates it "
            "later without; up to 1.36.2 nobody asks",
            since="1.36.0",
            scenarios=_MOVED_AWAY_AND_BACK,
            on_real_code="1.36.3 does it: recorded",
        ),
    ),
    harm=Harm.BOOKKEEPING,
    wrong="SyncPod is under way for {uid}, to which nothing is allocated",
)
def running_pods_have_an_allocation(state: SyncLoop) -> bool:
    """SyncPod is under way only for pods to which resources are allocated.

    A pod that runs without was not admitted. Since 1.36.3 its updates and deletions are dropped as well.
    """
    for uid in range(len(state.workers)):
        for generation in range(len(state.workers[uid])):
            if state.workers[uid][generation].position == Position.SYNC_POD:
                if state.pod_manager[uid] and not state.allocated[uid]:
                    return False
    return True


@claim(
    "step",
    "comment on UpdatePodOptions.Pod: the pod to update",
    violations=(
        broken(
            "SyncPod, which has removed all containers to restart them, passes the pod object that it was called with",
            by="kubernetes/kubernetes#136966",
            since="1.36.0",
            scenarios=("restart-all-containers",),
            on_real_code="1.36.3 does it: recorded",
        ),
    ),
    harm=Harm.CALLERS,
    wrong=(
        "UpdatePod({call.update_type}) is called with revision {call.pod.revision} of {uid}, and the kubelet has "
        "{after.config[uid].revision}"
    ),
)
def callers_pass_the_newest_pod(before: SyncLoop, after: SyncLoop) -> bool:
    """UpdatePod is called with the pod object that the pod manager has.

    It replaces what waits, also a deletion or another spec, and the worker goes on with the older object.
    """
    for uid in range(len(before.config)):
        call = after.calls[uid]
        if call.present and call.pod.present and after.pod_manager[uid]:
            if call.pod.revision != after.config[uid].revision:
                return False
    return True


@claim(
    "step",
    "GetPodAndMirrorPod: HandlePodSyncs and HandlePodCleanups pass the mirror pod along",
    harm=Harm.CALLERS,
    wrong="UpdatePod({call.update_type}) is called for {uid} without its mirror pod, or with another one",
)
def static_pods_come_with_their_mirror_pod(before: SyncLoop, event: Event, after: SyncLoop) -> bool:
    """UpdatePod is called with the mirror pod that the pod manager has, unless the pod is to be killed.

    SyncPod makes anew a mirror pod that it is not told of, or that is being deleted, and no other. (When one goes away,
    UpdatePod is called with that.)
    """
    for uid in range(len(before.config)):
        call = after.calls[uid]
        asks = call.present and call.update_type != UpdateType.KILL and before.config[uid].static
        if asks and event.action not in ("remove_mirror_pod", "sync_pod_calls_update_pod"):
            if call.mirror_pod != after.mirror_pods[uid].managed:
                return False
    return True
