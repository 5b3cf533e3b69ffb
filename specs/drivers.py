"""What drives pods on: housekeeping, admission, and updates that wait. Older releases left pods lying here."""

from __future__ import annotations

from dataclasses import replace

from podproof.model.kubelet import Chore, Housekeeping, Kubelet
from podproof.model.language import NIL
from podproof.model.node import Node
from podproof.model.state import Cached, Phase, Position, UpdatePodOptions
from podproof.specs.callers import LEFT_FROM_BEFORE, MIRROR_POD_ADDED
from podproof.specs.claim import LEFT_BEHIND, NEVER_FINISHED, WITHOUT_UPDATES, Harm, broken, claim
from podproof.specs.steps import enters, has_restarted

_SYNC_POD_UPDATES = broken(
    "SyncPod, which has removed all containers to restart them, calls UpdatePod with the pod object that it was called "
    "with, as kubernetes/kubernetes#136966 has it do",
    since="1.36.0",
)
_ALLOCATED_BEFORE = broken(
    "a pod that was admitted before a restart of the kubelet and is rejected after it keeps its allocation in the "
    "checkpoint, so that HandlePodUpdates does not leave it out",
    by="kubernetes/kubernetes#136508, #139522",
    since="1.36.3",
    scenarios=("one-pod-restart", "ended-pod", "rejected-after-restart"),
)


@claim(
    "step",
    "comment on SyncKnownPods; kubernetes/kubernetes#113145",
    violations=(
        broken(
            "nobody retries a pod that is gone from its source",
            by="kubernetes/kubernetes#113145, #113065, #107483, #109596, #116880",
            until="1.27.0",
        ),
    ),
    wrong="{uid} is gone from its source and not finished, and its worker has nothing to do",
)
def housekeeping_drives_orphans_on(before: Kubelet, after: Kubelet) -> bool:
    """SyncKnownPods leaves every pod that is not desired any more and not finished with a worker that has work.

    The sync loop does nothing for pods that are gone from their source: nobody else retries what failed. (Judged where
    housekeeping goes on after SyncKnownPods, because it has something to look after.)
    """
    if before.housekeeping == Housekeeping.IDLE and after.housekeeping == Housekeeping.SYNCED:
        for uid in range(len(after.pod_manager)):
            status = after.pod_sync_statuses[uid]
            if not after.pod_manager[uid] and status.present and not status.finished and not status.working:
                return False
    return True


@claim(
    "step",
    "HandlePodCleanups; kubernetes/kubernetes#116690",
    violations=(
        broken(
            "the active pods are listed before SyncKnownPods",
            by="kubernetes/kubernetes#116690",
            since="1.27.0",
            until="1.28",
        ),
    ),
    wrong="{uid} is active and unknown to the workers, and housekeeping does not create it",
)
def forgotten_pods_are_created_in_the_same_pass(before: Kubelet, after: Kubelet) -> bool:
    """Housekeeping creates every pod that is active, not rejected, without history and not returned by SyncKnownPods.

    Above all a static pod that SyncKnownPods forgets; it comes back one pass, two seconds, later otherwise. (One that
    its worker forgets after SyncKnownPods returned it waits for the next pass.)
    """
    for uid in range(len(before.pod_manager)):
        active = before.pod_manager[uid] and before.is_active(uid) and not before.rejected[uid]
        if lists_pods(before, after) and active and is_unknown(before, uid):
            if after.chores[uid] != Chore.RECREATE:
                return False
    return True


@claim(
    "step",
    "filterTerminalPodsToDelete; kubernetes/kubernetes#118497",
    violations=(
        broken(
            "a pod that ended and is being deleted gets no worker",
            by="kubernetes/kubernetes#118472, #118497",
            since="1.27.0",
            until="1.27.4",
        ),
    ),
    needs=("should_pod_be_finished",),
    harm=Harm.CALLERS,
    wrong="{uid} has ended and is being deleted, and housekeeping gives it no worker",
)
def deleted_pods_that_ended_get_a_worker(before: Kubelet, after: Kubelet) -> bool:
    """Housekeeping has a worker finish a pod that ended, is being deleted, and is known to no worker.

    A pod is deleted from the API only when its worker has finished it. One that was rejected at admission never had
    a worker, so it hangs. (One that its worker forgets after SyncKnownPods returned it waits for the next pass.)
    """
    for uid in range(len(before.pod_manager)):
        pod = before.config[uid]
        ended = before.pod_manager[uid] and pod.deletion_timestamp and pod.phase != Phase.RUNNING
        if lists_pods(before, after) and ended and is_unknown(before, uid):
            if after.chores[uid] == Chore.NONE:
                return False
    return True


def lists_pods(before: Kubelet, after: Kubelet) -> bool:
    """Is it the step in which housekeeping lists the running pods and decides what to do for which pod?"""
    is_past = after.housekeeping != Housekeeping.SYNCED and not has_restarted(before, after)
    did_fail = before.budget.outages != after.budget.outages
    return before.housekeeping == Housekeeping.SYNCED and is_past and not did_fail


def is_unknown(state: Kubelet, uid: int) -> bool:
    """Has the pod no history, and did SyncKnownPods not return it? HandlePodCleanups goes by its answer."""
    return not state.pod_sync_statuses[uid].present and not state.known_pods[uid]


@claim(
    "step",
    "HandlePodAdditions; kubernetes/kubernetes#126343",
    violations=(
        broken(
            "a pod that has ended is added again after a restart of the kubelet, and may be rejected at admission",
            by="kubernetes/kubernetes#126343",
            until="1.31.2",
        ),
    ),
    harm=Harm.CALLERS,
    wrong="{uid} has ended ({before.config[uid].phase}) and is rejected at admission",
)
def ended_pods_are_not_rejected(before: Kubelet, after: Kubelet) -> bool:
    """A pod whose API phase is terminal is not rejected at admission.

    Its phase would go from Succeeded to Failed, and a Job would run it again.
    """
    for uid in range(len(before.rejected)):
        if after.rejected[uid] and not before.rejected[uid] and before.config[uid].phase != Phase.RUNNING:
            return False
    return True


@claim(
    "always",
    'HandlePodAdditions: "activePods include all admitted pods that are alive"; kubernetes/kubernetes#136508',
    violations=(
        broken(
            "only the API's phase counts, not the status manager's",
            by="kubernetes/kubernetes#104817",
            until="1.22.3",
            scenarios=("one-pod-restart", "ended-pod", "static-rejected"),
        ),
        broken(
            "a deletion brings the pod to a worker, and pods that terminate are active",
            by="kubernetes/kubernetes#135296, #136508",
            until="1.36.3",
            scenarios=("one-pod-restart", "ended-pod", "rejected-pod", "rejected-after-restart"),
        ),
        _ALLOCATED_BEFORE,
        MIRROR_POD_ADDED,
        LEFT_FROM_BEFORE,
    ),
    harm=Harm.CALLERS,
    wrong="{uid}, which was rejected at admission, counts as active although nothing of it runs",
)
def rejected_pods_are_active_only_while_they_run(state: Kubelet) -> bool:
    """A pod that was rejected at admission counts as active only while something of it runs.

    Admission counts the resources of active pods: the next pod is rejected with OutOfCpu although the node has room.
    (What runs of a rejected pod was started before the kubelet restarted.)
    """
    for uid in range(len(state.rejected)):
        runs = state.containers[uid] or state.pod_cache[uid] != Cached.NOTHING_RUNNING
        if state.rejected[uid] and not runs and state.is_active(uid):
            return False
    return True


@claim(
    "step",
    "HandlePodAdditions, which calls UpdatePod only for pods that are admitted; kubernetes/kubernetes#136508",
    violations=(
        broken(
            "HandlePodUpdates gives a worker to a pod that was rejected",
            by="kubernetes/kubernetes#135296, #136508",
            until="1.36.3",
            scenarios=("one-pod-restart", "ended-pod", "rejected-pod", "rejected-after-restart"),
        ),
        _ALLOCATED_BEFORE,
        MIRROR_POD_ADDED,
        LEFT_FROM_BEFORE,
    ),
    harm=Harm.CALLERS,
    wrong="{uid}, which was rejected at admission, gets a worker although nothing of it runs",
)
def only_admitted_pods_get_a_worker(before: Kubelet, after: Kubelet) -> bool:
    """A pod that was rejected at admission gets a worker only if something of it runs, or as a pod that is terminated.

    Whoever asks the workers takes the pod for one that is on the node, and waits for its end. (That a terminated pod
    gets one lets its object be deleted.)
    """
    for uid in range(len(before.rejected)):
        is_new = after.pod_sync_statuses[uid].present and not before.pod_sync_statuses[uid].present
        runs = before.containers[uid] or before.pod_cache[uid] != Cached.NOTHING_RUNNING
        if is_new and after.rejected[uid] and not runs and not after.pod_sync_statuses[uid].terminated_at:
            return False
    return True


@claim(
    "step",
    "kubernetes/kubernetes#116925, #117019",
    violations=(NEVER_FINISHED,),
    wrong="{uid} is finished in the step in which it becomes known",
)
def pods_are_not_finished_at_first_sight(before: Node, after: Node) -> bool:
    """No pod is finished in the step in which the workers get to know it.

    After a restart of the kubelet its volumes and cgroups may still be there; SyncTerminatedPod would not run for it.
    """
    for uid in range(len(before.pod_sync_statuses)):
        if after.pod_sync_statuses[uid].finished and not before.pod_sync_statuses[uid].present:
            return False
    return True


@claim(
    "step",
    "comments on completeSync and completeTerminating: if no update is already waiting",
    violations=(
        broken(
            "recorded from the real 1.26 code: completeSync and completeTerminating put an update with the pod alone "
            "in its place",
            until="1.27.0",
        ),
    ),
    wrong=(
        "the update of {uid} that waited has {grace_period_of(new.pending_update)} s now, and "
        "had {grace_period_of(old.pending_update)} s"
    ),
)
def waiting_updates_survive_a_change_of_phase(before: Node, after: Node) -> bool:
    """An update that waits when a sync function returns keeps its grace period.

    Otherwise the update is lost: the pod is terminated as an older object says, and not in the time that a killer set.
    """
    for uid in range(len(before.pod_sync_statuses)):
        old = before.pod_sync_statuses[uid]
        new = after.pod_sync_statuses[uid]
        if enters(before, after, uid, Position.ENQUEUE) and old.pending_update.present:
            if grace_period_of(old.pending_update) != grace_period_of(new.pending_update):
                return False
    return True


def grace_period_of(update: UpdatePodOptions) -> int:
    return update.kill_pod_options.grace_period_seconds_override


@claim(
    "step",
    "comment on podSyncStatus.pendingUpdate: the updated state the pod worker should observe",
    ("updated-pod", "restart-all-containers"),
    (
        broken(
            "recorded from the real 1.26 code: completeSync and completeTerminating put an update with the pod that "
            "the worker had in the place of the one that waits",
            until="1.27.0",
        ),
        _SYNC_POD_UPDATES,
    ),
    harm=Harm.CALLERS,
    wrong="in the pending update of {uid}, revision {new.revision} of the pod replaces the newer {old.revision}",
)
def older_pods_never_replace_newer_ones(before: Kubelet, after: Kubelet) -> bool:
    """The pod object of a pending update is not replaced by an older one.

    The worker goes on with an old spec, or a pod that does not know of its deletion, until something else brings the
    newer object again: of a spec that changed the next resync, up to a minute later.
    """
    for uid in range(len(before.pod_sync_statuses)):
        old = before.pod_sync_statuses[uid].pending_update.pod
        new = after.pod_sync_statuses[uid].pending_update.pod
        if old.present and new.present and new.revision < old.revision:
            return False
    return True


@claim(
    "step",
    "comment on podSyncStatus.pendingUpdate: the updated state the pod worker should observe",
    violations=(
        broken(
            "a pod that was deleted and is gone is killed with the object that was listed before; node shutdown lists "
            "all pods at once and kills them group by group",
            since="1.27.0",
            scenarios=("one-pod", "evict-and-delete"),
            hidden_by=WITHOUT_UPDATES,
            rests_on=("A22",),
            on_real_code="1.36.3 does it: the Go test that is made of the trace passes there, and fails once UpdatePod "
            "keeps the newer object",
        ),
        replace(_SYNC_POD_UPDATES, scenarios=("updated-pod", "restart-all-containers")),
    ),
    needs=("drain_pod_updates",),
    harm=Harm.BOOKKEEPING,
    wrong="the pending update of {uid} gets a pod object from before its deletion or its end",
)
def pending_updates_keep_what_is_final(before: Kubelet, after: Kubelet) -> bool:
    """A pending update whose pod is being deleted, or has ended, is not replaced by one whose pod is not, or has not.

    As older_pods_never_replace_newer_ones, where no object has a revision. The kill itself comes to no harm: the status
    keeps its grace period.
    """
    for uid in range(len(before.pod_sync_statuses)):
        old = before.pod_sync_statuses[uid].pending_update.pod
        new = after.pod_sync_statuses[uid].pending_update.pod
        if old.present and new.present:
            if old.deletion_grace_period_seconds != NIL and new.deletion_grace_period_seconds == NIL:
                return False
            if old.phase != Phase.RUNNING and new.phase == Phase.RUNNING:
                return False
    return True


@claim(
    "always",
    "comment on podWorkers.lastUndeliveredWorkUpdate",
    violations=(replace(LEFT_BEHIND, until="1.27.0", scenarios=("static-pair", "static-pair-restart")),),
    needs=("send",),
    harm=Harm.BOOKKEEPING,
    wrong="an update of {uid} waits while its worker is idle",
)
def idle_workers_have_no_update_waiting(state: Node) -> bool:
    """Work that was not delivered waits for a worker that is busy.

    Left behind by an idle one, it is worked on after whatever comes next: the pod goes back to an older object.
    """
    for uid in range(len(state.pod_sync_statuses)):
        status = state.pod_sync_statuses[uid]
        if status.pending_update.present and not status.working:
            return False
    return True
