"""Steps that call UpdatePod or SyncKnownPods: why a pod terminates, in which time, and who is told."""

from __future__ import annotations

from podproof.model.kubelet import Admission, Housekeeping, Killer, Kubelet
from podproof.model.language import Event
from podproof.model.node import Node
from podproof.model.pod_worker_loop import SyncPodOutcome
from podproof.model.state import Cached, Context, Phase, PodSyncStatus
from podproof.specs.claim import (
    FORGETS_TWO_GOROUTINES,
    IGNORES_UPDATES,
    NEVER_RESTARTED,
    Harm,
    broken,
    claim,
)

# -- why a pod terminates ----------------------------------------------------------------------------------------------


@claim("step", "UpdatePod: the reasons to terminate", wrong="{uid} began to terminate, and nobody asked for it")
def pods_terminate_for_a_reason(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """A pod begins to terminate when it is deleted, has ended, is killed or orphaned, or when SyncPod says so."""
    for uid in range(len(before.pod_sync_statuses)):
        if after.pod_sync_statuses[uid].terminating_at and not before.pod_sync_statuses[uid].terminating_at:
            has_ended = after.config[uid].deletion_timestamp or after.config[uid].phase != Phase.RUNNING
            if not has_ended and not is_killed(event, uid) and not says_terminal(event, uid):
                if event.action != "housekeeping_sync_known_pods" or before.pod_manager[uid]:
                    return False
    return True


@claim(
    "step",
    "UpdatePod: the reasons to terminate",
    violations=(FORGETS_TWO_GOROUTINES, IGNORES_UPDATES),
    wrong="{uid} is deleted, has ended or is killed, and is not asked to terminate",
)
def reasons_to_terminate_are_acted_on(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """UpdatePod asks a pod to terminate that is deleted, has ended, or is to be killed."""
    for uid in range(len(before.pod_sync_statuses)):
        ends = after.config[uid].deletion_timestamp or after.config[uid].phase != Phase.RUNNING
        if updates(before, event, after, uid) and (ends or is_killed(event, uid)):
            if not after.pod_sync_statuses[uid].terminating_at:
                return False
    return True


def updates(before: Kubelet, event: Event, after: Kubelet, uid: int) -> bool:
    """Is UpdatePod called for the UID in this step, with its configuration?"""
    if not after.may_have_called(uid):
        return False
    if event.action == "handle_pod_additions":
        return event.uid == uid and event.admission == Admission.ADMITTED
    if event.action in ("handle_pod_deletion", "handle_pod_spec_update"):
        # That a pod gets no worker that was rejected is another claim's.
        told = before.pod_sync_statuses[uid].present or not before.rejected[uid]
        return event.uid == uid and before.pod_manager[uid] and told and not before.skips_updates_of(uid)
    if event.action in ("sync_tick", "handle_pod_removes"):
        return (
            event.uid == uid
            and before.pod_manager[uid]
            and (event.action != "handle_pod_removes" or before.sources_ready)
        )
    if event.action in ("pod_event", "housekeeping_recreate", "housekeeping_kill_terminal", "kill_pod_now"):
        return event.uid == uid
    return False


def is_killed(event: Event, uid: int) -> bool:
    """Is it a call of UpdatePod that asks for the pod's end?"""
    if event.action in ("housekeeping_kill_terminal", "housekeeping_kill_runtime"):
        return event.uid == uid
    return event.action in ("handle_pod_removes", "kill_pod_now") and event.uid == uid


def says_terminal(event: Event, uid: int) -> bool:
    """Does SyncPod say that the pod has run to its end?"""
    if event.action != "worker_sync_pod_returns":
        return False
    return event.uid == uid and event.outcome == SyncPodOutcome.TERMINAL


@claim(
    "step",
    "UpdatePod: evicted is set by a kill that evicts, where nothing else ended the pod before",
    violations=(IGNORES_UPDATES,),
    harm=Harm.CALLERS,
    wrong="{uid} was marked evicted: {marked}; it was evicted: {evicts}, and that alone made it terminate: {first}",
)
def evictions_are_marked_evicted(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """A pod is marked evicted when an eviction is what makes it terminate, and by nothing but an eviction.

    The content of an evicted pod is removed although the API still has the pod. Of the eviction of a pod that
    terminates already it says nothing: releases forget it, which evictions_are_recorded calls a fault.
    """
    for uid in range(len(before.pod_sync_statuses)):
        evicts = False
        if event.action == "kill_pod_now":
            evicts = event.uid == uid and event.killer != Killer.NODE_SHUTDOWN
        config = after.config[uid]
        old = before.pod_sync_statuses[uid]
        new = after.pod_sync_statuses[uid]
        first = evicts and not old.terminating_at and not config.deletion_timestamp and config.phase == Phase.RUNNING
        marked = new.evicted and not old.evicted
        if first and not marked:
            return False
        if marked and not evicts:
            return False
    return True


@claim(
    "step",
    "UpdatePod and removeTerminatedWorker: deleted is set for what is being deleted, orphans, runtime pods",
    harm=Harm.BOOKKEEPING,
    wrong="{uid} was marked deleted, and nobody deletes it",
)
def deleted_marks_what_is_deleted_or_gone(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """A pod is marked deleted only when it is being deleted, is gone from its source, or only the runtime has it.

    The content of a terminated pod that is marked deleted is removed.
    """
    for uid in range(len(before.pod_sync_statuses)):
        if after.pod_sync_statuses[uid].deleted and not before.pod_sync_statuses[uid].deleted:
            if not after.config[uid].deletion_timestamp and after.pod_manager[uid]:
                if event.action != "housekeeping_kill_runtime":
                    return False
    return True


@claim(
    "step",
    "UpdatePod: deleted is set where a deletion, or a pod of the runtime alone, begins the termination",
    harm=Harm.CALLERS,
    wrong="{uid} began to terminate by its deletion and is not marked deleted",
)
def terminations_by_deletion_are_marked_deleted(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """A pod that begins to terminate because it is being deleted, or only the runtime has it, is marked deleted.

    As deleted_pods_are_marked_deleted, which pods break alone that terminate already when they are deleted.
    """
    for uid in range(len(before.pod_sync_statuses)):
        old = before.pod_sync_statuses[uid]
        new = after.pod_sync_statuses[uid]
        deletes = updates(before, event, after, uid) and after.config[uid].deletion_timestamp
        if event.action == "housekeeping_kill_runtime":
            deletes = event.uid == uid
        begins = new.terminating_at and not old.terminating_at and not new.terminated_at
        if begins and deletes and not new.deleted:
            return False
    return True


@claim(
    "step",
    "UpdatePod: only what ends a pod, or shortens its end, cancels",
    wrong=("the sync call of {uid} was cancelled, and neither its end nor another grace period asks for that"),
)
def sync_calls_are_cancelled_for_a_reason(before: Node, event: Event, after: Node) -> bool:
    """The sync call under way is cancelled only when its pod begins to terminate, or its grace period changes.

    A grace period that is set for the first time, after SyncPod has ended the pod, shortens nothing.
    """
    for uid in range(len(before.workers)):
        for generation in range(len(before.workers[uid])):
            if before.workers[uid][generation].context != Context.CANCELLED:
                if after.workers[uid][generation].context == Context.CANCELLED:
                    old = before.pod_sync_statuses[uid]
                    new = after.pod_sync_statuses[uid]
                    changed = old.grace_period not in (0, new.grace_period)
                    if old.terminating_at == new.terminating_at and not changed:
                        return False
    return True


@claim(
    "step",
    "UpdatePod: a pod that becomes terminating cancels the sync call under way",
    wrong="the sync call of {uid} goes on, though it is to end in {new.grace_period} s",
)
def terminations_cancel_the_sync_call(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """An update that makes a pod terminate, or shortens its grace period, cancels the sync call under way.

    A SyncPod that waits for volumes would hold up the end. Since 1.28 that wait ends with the context, as do those of
    SyncTerminatedPod; image pulls, starts and kills of containers ignore it (kubernetes/kubernetes#113606).
    """
    for uid in range(len(before.workers)):
        old = before.pod_sync_statuses[uid]
        new = after.pod_sync_statuses[uid]
        begins = new.terminating_at and not old.terminating_at
        shortened = 0 < new.grace_period < old.grace_period
        if updates(before, event, after, uid) and (begins or shortened):
            for generation in range(len(before.workers[uid])):
                if before.workers[uid][generation].context == Context.LIVE:
                    if after.workers[uid][generation].context == Context.LIVE:
                        return False
    return True


@claim(
    "step",
    "UpdatePod: kubernetes/kubernetes#105523",
    violations=(
        broken(
            "a pod that ended before it is first seen is like any other",
            by="kubernetes/kubernetes#105523, #105527",
            until="1.22.3",
            scenarios=("one-pod-restart", "ended-pod"),
        ),
    ),
    wrong="at first sight {uid} is terminated: {new.terminated_at}, and it ended before: {gone}",
)
def pods_that_ended_before_they_are_first_seen_are_terminated(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """A pod is terminated at first sight if it has ended and the runtime has nothing of it, and else is not.

    After a restart of the kubelet a pod that ended long ago would count as active, or a running one as ended.
    """
    for uid in range(len(before.pod_sync_statuses)):
        new = after.pod_sync_statuses[uid]
        if updates(before, event, after, uid) and not before.pod_sync_statuses[uid].present:
            gone = before.config[uid].phase != Phase.RUNNING and before.pod_cache[uid] == Cached.NOTHING_RUNNING
            if gone != new.terminated_at or (gone and not new.terminating_at) or gone != new.started_terminating:
                return False
    return True


# -- SyncKnownPods and restarts ----------------------------------------------------------------------------------------


@claim(
    "step",
    "SyncKnownPods and removeTerminatedWorker",
    needs=("drain_pod_updates",),
    wrong="SyncKnownPods kept what is done, or did not do what it does for an orphan",
)
def housekeeping_forgets_what_is_done(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """SyncKnownPods forgets a finished pod that is gone from its source or to be restarted, and marks orphans deleted.

    A pod that never started, and of which the runtime has nothing, is forgotten too once it is gone, if no killer waits
    for it. What SyncKnownPods returns it knows, and what it knows and is not terminated it returns.
    """
    if event.action != "housekeeping_sync_known_pods":
        return True
    for uid in range(len(before.pod_sync_statuses)):
        old = before.pod_sync_statuses[uid]
        new = after.pod_sync_statuses[uid]
        orphan = not before.pod_manager[uid]
        if old.finished and (orphan or old.restart_requested) and new.present:
            return False
        if orphan and not old.finished:
            begun = old.started_at or old.observed_runtime
            if begun and not (new.present and new.deleted and new.terminating_at):
                return False
            if not begun and new.present and not has_killers(old):
                return False
        if after.housekeeping == Housekeeping.SYNCED:
            if after.known_pods[uid] != new.present and not (new.present and new.terminated_at):
                return False
    return after.pods_synced


def has_killers(status: PodSyncStatus) -> bool:
    """Does somebody wait for the pod's end?"""
    for request in range(len(status.notify_post_terminating)):
        if status.notify_post_terminating[request]:
            return True
    return False


@claim(
    "step",
    "UpdatePod: kubernetes/kubernetes#104648",
    violations=(
        NEVER_RESTARTED,
        broken(
            "recorded from the real 1.26 code: the creation of a pod that ended before it is first seen counts as one",
            since="1.22.3",
            until="1.27.0",
            scenarios=("one-pod-restart", "ended-pod"),
        ),
        IGNORES_UPDATES,
    ),
    wrong=(
        "restart_requested of {uid} went from {old.restart_requested} to "
        "{after.pod_sync_statuses[uid].restart_requested}, or its worker was woken too early"
    ),
)
def restarts_are_remembered(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """A restart is requested by the creation of a pod whose UID still terminates, each time, and by nothing else.

    The pod is created anew when its former life has ended; until then its worker is not woken for that.
    """
    for uid in range(len(before.pod_sync_statuses)):
        old = before.pod_sync_statuses[uid]
        creates = False
        if event.action in ("handle_pod_additions", "housekeeping_recreate"):
            creates = updates(before, event, after, uid) and old.terminating_at
        if creates and not after.pod_sync_statuses[uid].restart_requested:
            return False
        if creates and after.pod_sync_statuses[uid].working and not old.working:
            return False
        if after.pod_sync_statuses[uid].restart_requested and not old.restart_requested and not creates:
            return False
    return True


@claim(
    "step",
    "UpdatePod: the update is left for the pod's worker",
    violations=(IGNORES_UPDATES,),
    needs=("drain_pod_updates",),
    wrong="the newest object of {uid} was not left for its worker, or with other values",
)
def updates_are_left_for_the_worker(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """UpdatePod leaves the newest pod object for the pod's worker, unless the pod is finished or to be restarted."""
    for uid in range(len(before.pod_sync_statuses)):
        old = before.pod_sync_statuses[uid]
        status = after.pod_sync_statuses[uid]
        creates = event.action in ("handle_pod_additions", "housekeeping_recreate")
        if updates(before, event, after, uid) and not status.finished and not (creates and old.terminating_at):
            update = status.pending_update
            if not update.present or not update.pod.present or not status.working:
                return False
            # A killer of a pod that is gone may have an older object than the workers.
            if event.action != "handle_pod_removes" and after.config[uid].exists:
                if update.pod.deletion_grace_period_seconds != after.config[uid].deletion_grace_period_seconds:
                    return False
                if update.pod.phase != after.config[uid].phase:
                    return False
            if status.terminating_at and not status.terminated_at:
                kill = update.kill_pod_options
                if not kill.present or kill.grace_period_seconds_override != status.grace_period:
                    return False
    return True


@claim(
    "step",
    "UpdatePod: housekeeping saw an old state of the runtime",
    wrong="{event.uid} is terminated, and the kill of a runtime pod wakes its worker",
)
def terminated_pods_ignore_what_the_runtime_still_has(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """The kill of a runtime pod changes nothing for a terminated pod: the list of running pods is an old one."""
    if event.action != "housekeeping_kill_runtime" or not before.pod_sync_statuses[event.uid].terminated_at:
        return True
    old = before.pod_sync_statuses[event.uid]
    new = after.pod_sync_statuses[event.uid]
    return new.pending_update.present == old.pending_update.present and new.working == old.working


@claim(
    "step",
    "UpdatePod: a runtime pod whose configuration is known",
    violations=(IGNORES_UPDATES,),
    needs=("substitute_last_pod",),
    wrong="the kill of {event.uid} has no pod in it, though its configuration is known",
)
def runtime_pods_with_a_configuration_are_that_pod(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """The kill of a runtime pod whose configuration the workers know is one of that pod, with its grace periods.

    Its SyncTerminatingPod and SyncTerminatedPod would not run otherwise, which unmount its volumes.
    """
    if event.action != "housekeeping_kill_runtime":
        return True
    old = before.pod_sync_statuses[event.uid]
    update = after.pod_sync_statuses[event.uid].pending_update
    if old.terminated_at or not (old.pending_update.pod.present or old.active_update.pod.present):
        return True
    return update.present and update.pod.present and not update.running_pod
