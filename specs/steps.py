"""Two-state claims: what every single step keeps."""

from __future__ import annotations

from podproof.model.kubelet import Kubelet
from podproof.model.language import NIL
from podproof.model.node import Node
from podproof.model.state import Channel, PodSyncStatus, Position
from podproof.specs.claim import (
    FORGETS_IDLE_PODS,
    FORGETS_TWO_GOROUTINES,
    GO_TEST_PASSES,
    IGNORES_UPDATES,
    LEFT_BEHIND,
    NEVER_FINISHED,
    SECOND_GOROUTINE,
    WITHOUT_UPDATES,
    Harm,
    broken,
    claim,
)

_ZERO_IS_STILL_NONE = (
    "a deletion with grace period 0 keeps the spec's period out, but a killer's longer one "
    "still replaces it, and 1 grows"
)
_SHORTENED = (
    *("one-pod", "one-pod-restart", "uid-reuse", "evict-and-delete", "orphan", "static-pair", "spec-nil"),
    *("killed-and-restarted", "two-goroutines", "open-pod", "killed-pod", "ended-pod", "deferred-eviction"),
    *("orphan-added", "deleted-and-killed", "deleted-twice-and-killed", "static-waiting", "updated-pod"),
    *("rejected-pod", "rejected-after-restart", "restart-all-containers"),
)
"""The scenarios in which somebody asks for a shorter end than the spec's."""


@claim(
    "step",
    "comment on the PodWorkers interface: a pod that is terminated will never be restarted",
    violations=(SECOND_GOROUTINE, FORGETS_IDLE_PODS),
    wrong="{uid} was terminated, and is started again or loses its end",
)
def terminated_pods_never_restart(before: Node, after: Node) -> bool:
    """Once a pod is terminated, its UID enters no SyncPod and starts no container until its history is removed.

    Only SyncKnownPods removes it, which for a pod that was started means: after the pod's worker has ended.
    """
    for uid in range(len(before.pod_sync_statuses)):
        status = before.pod_sync_statuses[uid]
        if status.terminated_at:
            if after.containers[uid] and not before.containers[uid]:
                return False
            if enters(before, after, uid, Position.SYNC_POD):
                return False
            if after.pod_sync_statuses[uid].present and not after.pod_sync_statuses[uid].terminated_at:
                return False
            if status.started_at and not after.pod_sync_statuses[uid].present and has_worker(after, uid):
                return False
    return True


def has_worker(state: Node, uid: int) -> bool:
    """Does a goroutine of the UID live?"""
    for generation in range(len(state.workers[uid])):
        if state.workers[uid][generation].position != Position.NONE:
            return True
    return False


@claim(
    "step",
    "comment on CouldHaveRunningContainers in the PodWorkers interface",
    violations=(FORGETS_IDLE_PODS,),
    wrong="containers of {uid} run, and CouldHaveRunningContainers has turned false",
)
def running_containers_are_not_denied(before: Node, after: Node) -> bool:
    """While containers of a started pod run, CouldHaveRunningContainers does not turn false.

    Other components unmount volumes and remove cgroups on its word. Of pods that were not started it turns false where
    they are forgotten, and then housekeeping kills them in the same pass, or where static ones are told to terminate.
    """
    for uid in range(len(before.pod_sync_statuses)):
        began = before.pod_sync_statuses[uid].started_at
        if before.pod_sync_statuses[uid].present and after.pod_sync_statuses[uid].present:
            began = began or not before.is_static_pod(uid)
        if began and after.containers[uid]:
            if before.could_have_running_containers(uid) and not after.could_have_running_containers(uid):
                return False
    return True


@claim(
    "step",
    'the rule of calculateEffectiveGracePeriod: "the grace period can only decrease"',
    violations=(
        broken(
            "a grace period of 0 is taken for none",
            by="kubernetes/kubernetes#115819, #120449, #113717",
            until="1.31",
            hidden_by=WITHOUT_UPDATES,
            on_real_code="1.29.6 does it: the Go test that is made of the trace passes there",
        ),
        broken(_ZERO_IS_STILL_NONE, since="1.31", scenarios=("one-pod", "deleted-twice-and-killed", "open-pod")),
    ),
    harm=Harm.CALLERS,
    wrong="the grace period of {uid} grew from {old.grace_period} s to {new.grace_period} s",
)
def grace_period_only_decreases(before: Node, after: Node) -> bool:
    """The grace period of a pod's termination never grows once it is set.

    A hard eviction or a shorter deletion is meant to speed termination up; here it can slow it down.
    """
    for uid in range(len(before.pod_sync_statuses)):
        old = before.pod_sync_statuses[uid]
        new = after.pod_sync_statuses[uid]
        if old.grace_period > 0 and new.grace_period > old.grace_period:
            return False
    return True


@claim(
    "step",
    "comments on the fields of podSyncStatus",
    harm=Harm.BOOKKEEPING,
    wrong="a flag of {uid} that records its progress was unset",
)
def progress_is_never_taken_back(before: Node, after: Node) -> bool:
    """While a pod has its history, no flag that records progress is unset again."""
    for uid in range(len(before.pod_sync_statuses)):
        if after.pod_sync_statuses[uid].present:
            if takes_back(before.pod_sync_statuses[uid], after.pod_sync_statuses[uid]):
                return False
    return True


def takes_back(old: PodSyncStatus, new: PodSyncStatus) -> bool:
    if (old.started_at and not new.started_at) or (old.terminating_at and not new.terminating_at):
        return True
    if (old.terminated_at and not new.terminated_at) or (old.finished and not new.finished):
        return True
    if (old.started_terminating and not new.started_terminating) or (old.deleted and not new.deleted):
        return True
    if (old.evicted and not new.evicted) or (old.restart_requested and not new.restart_requested):
        return True
    return old.observed_runtime and not new.observed_runtime


@claim(
    "step",
    "comments on podSyncer and podWorkers",
    violations=(SECOND_GOROUTINE, LEFT_BEHIND),
    wrong="{uid} goes back to a sync function of an earlier phase, or skips one",
)
def sync_functions_run_in_order(before: Node, after: Node) -> bool:
    """SyncPod, then SyncTerminatingPod, then SyncTerminatedPod: none is entered when a later one may have been."""
    for uid in range(len(before.pod_sync_statuses)):
        status = before.pod_sync_statuses[uid]
        if enters(before, after, uid, Position.SYNC_POD) and status.started_terminating:
            return False
        if enters(before, after, uid, Position.SYNC_TERMINATING_POD) and status.terminated_at:
            return False
        if enters(before, after, uid, Position.SYNC_TERMINATING_RUNTIME_POD) and status.terminated_at:
            return False
        if enters(before, after, uid, Position.SYNC_TERMINATED_POD) and (not status.terminated_at or status.finished):
            return False
    return True


@claim(
    "step",
    "HandlePodRemoves and deletePod",
    violations=(FORGETS_TWO_GOROUTINES, IGNORES_UPDATES),
    wrong="{uid} was removed from its source and is not asked to terminate",
)
def removed_pods_terminate(before: Kubelet, after: Kubelet) -> bool:
    """A pod that its source removes is asked to terminate, if all sources are ready."""
    for uid in range(len(before.pod_manager)):
        if before.pod_manager[uid] and not after.pod_manager[uid] and after.sources_ready:
            if not after.pod_sync_statuses[uid].terminating_at:
                return False
    return True


@claim(
    "step",
    "the sends on podUpdates in UpdatePod and requeueLastPodUpdate",
    violations=(FORGETS_TWO_GOROUTINES, NEVER_FINISHED),
    wrong="{uid} was asked to terminate and its worker has nothing to do",
)
def requested_terminations_have_a_worker(before: Node, after: Node) -> bool:
    """The step that asks a pod to terminate leaves its worker with something to do.

    Nobody else would tell the worker of an orphan.
    """
    for uid in range(len(before.pod_sync_statuses)):
        status = after.pod_sync_statuses[uid]
        if status.terminating_at and not before.pod_sync_statuses[uid].terminating_at and not status.working:
            return False
    return True


@claim(
    "step",
    "comment on SyncKnownPods",
    violations=(FORGETS_IDLE_PODS,),
    wrong="SyncKnownPods forgot {uid}, which is still desired",
)
def desired_pods_keep_their_history(before: Kubelet, after: Kubelet) -> bool:
    """SyncKnownPods forgets a desired pod only when it is finished and its restart was requested."""
    for uid in range(len(before.pod_sync_statuses)):
        old = before.pod_sync_statuses[uid]
        if is_forgotten(before, after, uid) and before.pod_manager[uid]:
            if not leaves(before, after, uid, Position.SYNC_TERMINATING_RUNTIME_POD):
                if not old.restart_requested or not old.finished:
                    return False
    return True


@claim(
    "step",
    "comment on podSyncStatus.observedRuntime",
    violations=(FORGETS_IDLE_PODS,),
    needs=("substitute_last_pod",),
    wrong="{uid} was seen in the runtime and is forgotten before it was terminated",
)
def observed_runtime_pods_are_terminated_before_they_are_forgotten(before: Kubelet, after: Kubelet) -> bool:
    """A pod seen in the runtime is forgotten only after SyncTerminatingRuntimePod or SyncTerminatingPod succeeded."""
    for uid in range(len(before.pod_sync_statuses)):
        old = before.pod_sync_statuses[uid]
        if is_forgotten(before, after, uid) and old.observed_runtime:
            if not old.terminated_at:
                if after.containers[uid] or not leaves(before, after, uid, Position.SYNC_TERMINATING_RUNTIME_POD):
                    return False
    return True


@claim(
    "step",
    "comment on SyncKnownPods; kubernetes/kubernetes#113145",
    violations=(FORGETS_IDLE_PODS,),
    wrong="{uid} was started and is forgotten before it is finished",
)
def started_pods_are_finished_before_they_are_forgotten(before: Kubelet, after: Kubelet) -> bool:
    """The history of a started pod is removed only when the pod is finished."""
    for uid in range(len(before.pod_sync_statuses)):
        old = before.pod_sync_statuses[uid]
        if is_forgotten(before, after, uid) and old.started_at and not old.finished:
            return False
    return True


@claim(
    "step",
    "comment on KillPodOptions.CompletedCh: closed at once if the pod is not running any more",
    violations=(
        broken(
            "a kill of a finished pod is dropped with its channel open; recorded from the real 1.29 code",
            by="kubernetes/kubernetes#118679",
            hidden_by=WITHOUT_UPDATES,
            rests_on=("A22",),
            on_real_code=GO_TEST_PASSES,
        ),
        IGNORES_UPDATES,
    ),
    harm=Harm.CALLERS,
    wrong="kill request {request} was neither answered nor kept: its channel stays open",
)
def kill_requests_are_answered_or_remembered(before: Node, after: Node) -> bool:
    """UpdatePod closes the completion channel of a kill request, or keeps it for completeTerminating.

    Otherwise killPodNow blocks for at least 10 s and records an event ExceededGracePeriod, for a pod that is long dead.
    """
    for request in range(len(before.completed_channels)):
        made = before.completed_channels[request] == Channel.NONE and after.completed_channels[request] == Channel.OPEN
        if made and not is_remembered(after, request):
            return False
    return True


@claim(
    "step",
    "comment on KillPodOptions.CompletedCh: never left open once CouldHaveRunningContainers() is false",
    violations=(
        broken(
            "SyncKnownPods forgets a pod that was killed before it started, with its channel open; recorded from the "
            "real 1.29 code",
            on_real_code=GO_TEST_PASSES,
        ),
    ),
    harm=Harm.CALLERS,
    wrong="kill request {request} was forgotten with its channel open",
)
def remembered_kill_requests_are_not_lost(before: Node, after: Node) -> bool:
    """A completion channel that waits for completeTerminating is closed before the pod's status forgets it.

    Otherwise killPodNow blocks for at least 10 s and records an event ExceededGracePeriod, for a pod that is forgotten.
    """
    for request in range(len(before.completed_channels)):
        if is_remembered(before, request) and not is_remembered(after, request):
            if after.completed_channels[request] == Channel.OPEN:
                return False
    return True


def is_remembered(state: Node, request: int) -> bool:
    """Is the completion channel in a list that completeTerminating will close?"""
    for uid in range(len(state.pod_sync_statuses)):
        if state.pod_sync_statuses[uid].notify_post_terminating[request]:
            return True
    return False


@claim(
    "step",
    "comment on KillPodOptions.CompletedCh: closed when the kill request completes",
    violations=(SECOND_GOROUTINE,),
    harm=Harm.CALLERS,
    wrong="kill request {request} was answered, but not by the end of {uid}",
)
def killers_are_told_when_the_pod_is_terminated(before: Node, after: Node) -> bool:
    """A completion channel that waits for completeTerminating is closed only in the step that terminates its pod.

    An eviction or a shutdown goes on as soon as it is told, and counts on the pod's resources.
    """
    for uid in range(len(before.pod_sync_statuses)):
        for request in range(len(before.completed_channels)):
            closed = before.completed_channels[request] == Channel.OPEN
            if after.completed_channels[request] != Channel.CLOSED:
                closed = False
            if closed and before.pod_sync_statuses[uid].notify_post_terminating[request]:
                if before.pod_sync_statuses[uid].terminated_at or not after.pod_sync_statuses[uid].terminated_at:
                    return False
    return True


@claim(
    "step",
    "comment on startPodSync: a pending update is cleared and merged into the active one",
    needs=("drain_pod_updates",),
    harm=Harm.BOOKKEEPING,
    wrong="the worker of {uid} began with an update and left it pending",
)
def updates_are_worked_on_once(before: Node, after: Node) -> bool:
    """A worker that begins to work on a pending update takes it away.

    One that stays is worked on again and again, without a pause.
    """
    for uid in range(len(before.workers)):
        for generation in range(len(before.workers[uid])):
            if before.workers[uid][generation].position in (Position.TOKEN, Position.SPAWNED):
                if after.workers[uid][generation].position == Position.CACHE:
                    if after.pod_sync_statuses[uid].pending_update.present:
                        return False
    return True


@claim(
    "step",
    "comment on podSyncStatus.gracePeriod, and the fallback of killPod",
    violations=(
        broken(
            "where SyncPod or SyncKnownPods began the termination, the update that is replayed has no grace period, "
            "and a shorter one that is asked for just before the kill does not reach it",
            since="1.24.0",
            scenarios=_SHORTENED,
            hidden_by=WITHOUT_UPDATES,
            rests_on=("A20",),
            on_real_code="1.29.6 and 1.32.10 make the call without the recorded grace period; that containers then "
            "take longer was not tried",
        ),
    ),
    wrong="{uid} is killed with {fallback} s, though {status.grace_period} s are recorded",
)
def grace_period_reaches_the_kill(before: Node, after: Node) -> bool:
    """Where SyncTerminatingPod is called without a grace period, containers get no more time than the recorded one.

    killContainer falls back to the deletion's or the spec's value: whoever asked for a short end waits for a long one.
    """
    for uid in range(len(before.workers)):
        for generation in range(len(before.workers[uid])):
            worker = after.workers[uid][generation]
            if before.workers[uid][generation].position != Position.SYNC_TERMINATING_POD:
                if worker.position == Position.SYNC_TERMINATING_POD and worker.grace_period == NIL:
                    status = after.pod_sync_statuses[uid]
                    fallback = status.active_update.pod.deletion_grace_period_seconds
                    if fallback == NIL:
                        # Before 1.27.0 always: only completeSync leads here without a grace period.
                        fallback = after.grace_period_of_spec(uid)
                    if after.containers[uid] and 0 < status.grace_period < fallback:
                        return False
    return True


def is_forgotten(before: Kubelet, after: Kubelet, uid: int) -> bool:
    """Does the step remove the pod's history, other than by a restart of the kubelet?"""
    gone = before.pod_sync_statuses[uid].present and not after.pod_sync_statuses[uid].present
    return gone and not has_restarted(before, after)


def has_restarted(before: Kubelet, after: Kubelet) -> bool:
    """Was the step a restart of the kubelet, which forgets everything?"""
    return before.budget.restarts != after.budget.restarts


def enters(before: Node, after: Node, uid: int, position: Position) -> bool:
    """Does a goroutine of the UID come to this position in the step?"""
    for generation in range(len(before.workers[uid])):
        if before.workers[uid][generation].position != position:
            if after.workers[uid][generation].position == position:
                return True
    return False


def leaves(before: Node, after: Node, uid: int, position: Position) -> bool:
    """Does a goroutine of the UID leave this position in the step?"""
    return enters(after, before, uid, position)
