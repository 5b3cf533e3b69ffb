"""Invariants: what holds in every reachable state."""

from __future__ import annotations

from dataclasses import replace

from podproof.model.kubelet import Kubelet
from podproof.model.language import NIL
from podproof.model.node import Node
from podproof.model.state import Context, Phase, Position, UpdatePodOptions
from podproof.model.walkthrough import Walkthrough, WalkthroughUpdate
from podproof.specs.claim import (
    ENDED_BEFORE_RELIST,
    FINISHED_WHILE_RUNNING,
    FORGETS_IDLE_PODS,
    GO_TEST_PASSES,
    IGNORES_UPDATES,
    IGNORES_UPDATES_ALONE,
    LEFT_BEHIND,
    SECOND_GOROUTINE,
    Harm,
    broken,
    claim,
)


@claim(
    "always",
    "the sanity checks of completeTerminated and cleanupUnstartedPod in pod_workers.go",
    violations=(SECOND_GOROUTINE,),
    harm=Harm.BOOKKEEPING,
    wrong=(
        "{uid}: finished {status.finished}, terminated {status.terminated_at}, asked to "
        "terminate {status.terminating_at}"
    ),
)
def finished_pods_are_terminated(state: Node) -> bool:
    """A finished pod is terminated, and a terminated one was asked to terminate."""
    for uid in range(len(state.pod_sync_statuses)):
        status = state.pod_sync_statuses[uid]
        if status.finished and not status.terminated_at:
            return False
        if status.terminated_at and not status.terminating_at:
            return False
    return True


@claim(
    "always",
    "comment on podSyncStatus.startedTerminating",
    harm=Harm.BOOKKEEPING,
    wrong="{uid} has started to terminate, and nobody asked for it",
)
def terminating_is_requested_before_it_starts(state: Node) -> bool:
    """Termination starts only after it was requested."""
    for uid in range(len(state.pod_sync_statuses)):
        status = state.pod_sync_statuses[uid]
        if status.started_terminating and not status.terminating_at:
            return False
    return True


@claim(
    "always",
    'comment on podSyncStatus.startedTerminating: "it is safe to assume no other containers may be started"',
    violations=(SECOND_GOROUTINE, LEFT_BEHIND),
    wrong="SyncPod is under way for {uid}, whose termination has started",
)
def no_sync_pod_once_terminating_started(state: Node) -> bool:
    """SyncPod is not under way for a pod whose termination has started.

    Other components tear a pod down on the word of ShouldPodContainersBeTerminating; containers started then would
    run without volumes.
    """
    for uid in range(len(state.workers)):
        for generation in range(len(state.workers[uid])):
            if state.workers[uid][generation].position == Position.SYNC_POD:
                if state.pod_sync_statuses[uid].started_terminating or state.should_pod_containers_be_terminating(uid):
                    return False
    return True


@claim(
    "always",
    "SyncTerminatingPod in kubelet.go: a running container after the kill is an error",
    violations=(
        SECOND_GOROUTINE,
        FORGETS_IDLE_PODS,
        replace(
            FINISHED_WHILE_RUNNING,
            how=f"{FINISHED_WHILE_RUNNING.how}; what takes no race is told by "
            "waiting_static_pods_are_stopped_before_they_are_terminated",
            scenarios=("static-removed", "static-moved-back", "static-pair-restart", "static-pod-restart"),
            hidden_by=(WalkthroughUpdate,),
        ),
        ENDED_BEFORE_RELIST,
    ),
    wrong="{uid} is terminated and its containers run",
)
def terminated_pods_run_no_containers(state: Node) -> bool:
    """No container of a terminated pod runs.

    Volumes are unmounted and resources given to other pods as soon as a pod is terminated.
    """
    for uid in range(len(state.pod_sync_statuses)):
        if state.pod_sync_statuses[uid].terminated_at and state.containers[uid]:
            return False
    return True


@claim(
    "always",
    "calculateEffectiveGracePeriod, whose last rule is that no pod is killed without any grace",
    violations=(SECOND_GOROUTINE,),
    wrong="SyncTerminatingPod of {uid} got {worker.grace_period} s, and {recorded} s are recorded",
)
def grace_period_handed_over_is_positive(state: Node) -> bool:
    """The grace period that UpdatePod hands to SyncTerminatingPod is at least one second, and one is recorded."""
    for uid in range(len(state.workers)):
        for generation in range(len(state.workers[uid])):
            worker = state.workers[uid][generation]
            if worker.position == Position.SYNC_TERMINATING_POD:
                recorded = state.pod_sync_statuses[uid].grace_period
                if worker.grace_period != NIL and (worker.grace_period < 1 or recorded < 1):
                    return False
    return True


@claim(
    "always",
    "comment in startPodSync",
    needs=("substitute_last_pod",),
    harm=Harm.BOOKKEEPING,
    wrong="{uid} was never started and has an active update",
)
def unstarted_pods_have_no_active_update(state: Node) -> bool:
    """A pod that was never started has no active update, unless it was seen in the runtime."""
    for uid in range(len(state.pod_sync_statuses)):
        status = state.pod_sync_statuses[uid]
        if status.active_update.present and not status.started_at and not status.observed_runtime:
            return False
    return True


@claim(
    "always",
    "design of podWorkerLoop since kubernetes/kubernetes#113145",
    violations=(SECOND_GOROUTINE,),
    wrong="{uid} has a pending update, and no goroutine is on its way to it",
)
def pending_updates_are_not_forgotten(state: Node) -> bool:
    """A pending update has a goroutine on its way to it, unless the pod waits to be started or is finished.

    A lost wake-up leaves a pod stuck until the next event for it.
    """
    for uid in range(len(state.pod_sync_statuses)):
        status = state.pod_sync_statuses[uid]
        if status.pending_update.present and status.working and not has_busy_worker(state, uid):
            return False
        waits = not status.started_at or status.finished
        if status.pending_update.present and not status.working and not waits:
            return False
    return True


def has_busy_worker(state: Node, uid: int) -> bool:
    for generation in range(len(state.workers[uid])):
        worker = state.workers[uid][generation]
        # A goroutine that has yet to run comes to the update by the token in its channel.
        if worker.position not in (Position.NONE, Position.RECEIVING, Position.SPAWNED) or worker.token:
            return True
    return False


@claim(
    "always",
    "completeWork and allowPodStart, which put a pod into the work queue; getPodsToSync",
    violations=(
        broken(
            "the entry falls due while the pod is gone from its source, and the pod is added again",
            by="kubernetes/kubernetes#107483, #113065",
            since="1.22.3",
            until="1.27.0",
            scenarios=("uid-reuse", "orphan", "two-goroutines", "static-moved-back"),
            with_more_events=("static-removed", "static-pair", "static-pair-restart"),
            rests_on=("A5", "A27"),
        ),
        broken(
            "the entry falls due while the pod is gone from its source and the sync loop stands still, and the pod is "
            "added again",
            since="1.27.0",
            scenarios=("runtime-down", "added-during-outage"),
            rests_on=("A5", "A27"),
            on_real_code="1.29.6 does it where housekeeping, which runs every 2 s, does not run for 10 to 15 s; else "
            "the pod goes on 9 to 11 s after its ADD",
        ),
        broken(
            "the entry falls due while the manifest of a static pod is away and a kubelet that has restarted waits for "
            "its sources, without which there is no housekeeping, and the manifest comes back",
            since="1.27.0",
            scenarios=("static-moved-back",),
            with_more_events=("static-removed", "static-pair-restart"),
            rests_on=("A5", "A27"),
            on_real_code="1.36.3 does it: the Go test that is made of the trace passes there",
        ),
        SECOND_GOROUTINE,
        IGNORES_UPDATES_ALONE,
        replace(IGNORES_UPDATES, departure=Walkthrough, scenarios=("static-pair", "static-pair-restart")),
    ),
    wrong="the worker of {uid} is idle, and the work queue has no entry for it",
)
def idle_pods_are_retried(state: Kubelet) -> bool:
    """A desired pod that is not finished and whose worker is idle has an entry in the work queue.

    Without one nothing is tried again until the containers change or somebody changes the pod. With housekeeping every
    2 s the real kubelet handed the pod out 9 to 11 s after its ADD; it stayed stuck only where housekeeping did not run
    for 10 to 15 s.
    """
    for uid in range(len(state.pod_manager)):
        status = state.pod_sync_statuses[uid]
        if state.pod_manager[uid] and status.present and not status.working and not status.finished:
            if not state.work_queue[uid]:
                return False
    return True


@claim(
    "always",
    'comment on podWorkers.podUpdates: "each per-pod goroutine"',
    violations=(SECOND_GOROUTINE,),
    wrong="{calls} sync functions of {uid} are under way at once",
)
def one_sync_call_per_pod(state: Node) -> bool:
    """At most one sync function is under way for a UID.

    Two would start and stop containers of one pod at the same time.
    """
    for uid in range(len(state.workers)):
        calls = 0
        for generation in range(len(state.workers[uid])):
            if is_in_sync_call(state.workers[uid][generation].position):
                calls += 1
        if calls > 1:
            return False
    return True


def is_in_sync_call(position: Position) -> bool:
    return position in (
        Position.SYNC_POD,
        Position.SYNC_TERMINATING_POD,
        Position.SYNC_TERMINATING_RUNTIME_POD,
        Position.SYNC_TERMINATED_POD,
    )


@claim(
    "always",
    "the timeline in the comment on podWorkers",
    violations=(SECOND_GOROUTINE,),
    needs=("is_pod_known_terminated", "should_pod_be_finished"),
    harm=Harm.CALLERS,
    wrong=(
        "of {uid} the queries say: requested {state.is_pod_termination_requested(uid)}, "
        "terminating {state.should_pod_containers_be_terminating(uid)}, removable "
        "{state.should_pod_runtime_be_removed(uid)}, finished {state.should_pod_be_finished(uid)}"
    ),
)
def queries_follow_the_timeline(state: Node) -> bool:
    """For a known pod the queries turn true in order: termination requested, terminating, runtime removable, finished.

    Containers could run exactly until the runtime is removable. A pod that never started may skip terminating.
    """
    for uid in range(len(state.pod_sync_statuses)):
        status = state.pod_sync_statuses[uid]
        if status.present:
            if state.should_pod_be_finished(uid) and not state.should_pod_runtime_be_removed(uid):
                return False
            if state.should_pod_runtime_be_removed(uid) and not state.is_pod_termination_requested(uid):
                return False
            if state.should_pod_containers_be_terminating(uid) and not state.is_pod_termination_requested(uid):
                return False
            if state.should_pod_runtime_be_removed(uid) == state.could_have_running_containers(uid):
                return False
            if state.is_pod_known_terminated(uid) != state.should_pod_runtime_be_removed(uid):
                return False
        if status.started_at and state.should_pod_runtime_be_removed(uid):
            if not state.should_pod_containers_be_terminating(uid):
                return False
    return True


@claim(
    "always",
    "comments on the PodWorkers interface",
    needs=("should_pod_be_finished",),
    harm=Harm.CALLERS,
    wrong="{uid} has no history, and a query keeps something of it",
)
def forgotten_pods_may_be_cleaned_up(state: Node) -> bool:
    """Once pods are synced, everything of a pod without history may be removed."""
    for uid in range(len(state.pod_sync_statuses)):
        if state.pods_synced and not state.pod_sync_statuses[uid].present:
            if state.could_have_running_containers(uid) or not state.should_pod_content_be_removed(uid):
                return False
            if not state.should_pod_runtime_be_removed(uid) or not state.should_pod_be_finished(uid):
                return False
            if not state.should_pod_containers_be_terminating(uid):
                return False
    return True


@claim(
    "always",
    "cleanupPodUpdates and its callers",
    violations=(FORGETS_IDLE_PODS,),
    harm=Harm.BOOKKEEPING,
    wrong="{uid} has a channel, and it is known: {status.present}, finished: {status.finished}",
)
def channels_belong_to_living_pods(state: Node) -> bool:
    """A UID has an entry in podUpdates only while it has a history and is not finished.

    A leaked channel leaves its goroutine waiting for ever.
    """
    for uid in range(len(state.pod_sync_statuses)):
        status = state.pod_sync_statuses[uid]
        if state.pod_updates[uid] != NIL and (not status.present or status.finished):
            return False
    return True


@claim(
    "always",
    'comment on podSyncStatus.deleted: "the pod has been marked for deletion on the apiserver"',
    violations=(
        broken(
            "a pod that terminates for another reason, and not by eviction, is deleted",
            on_real_code="1.29.6 and 1.32.10 leave a pod unmarked that is deleted while it terminates; that was tried "
            "with an eviction",
        ),
    ),
    harm=Harm.CALLERS,
    wrong="{uid} terminates, was told of its deletion and is not recorded as deleted",
)
def deleted_pods_are_marked_deleted(state: Kubelet) -> bool:
    """A pod that is being deleted is recorded as deleted while it terminates, unless it was evicted.

    ShouldPodContentBeRemoved stays false, so content is kept until the pod is orphaned. That of an evicted pod is
    removed all the same.
    """
    for uid in range(len(state.config)):
        status = state.pod_sync_statuses[uid]
        told = not state.rejected[uid] and state.config[uid].deletion_timestamp
        if told and status.terminating_at and not status.finished:
            if not status.deleted and not status.evicted:
                return False
    return True


@claim(
    "always",
    "comments on the PodWorkers interface; the cases of UpdatePod that request termination",
    violations=(IGNORES_UPDATES,),
    wrong="{uid} is being deleted or has ended, and is not asked to terminate",
)
def ended_and_deleted_pods_terminate(state: Kubelet) -> bool:
    """A pod that is being deleted, or that the worker was told has ended, is asked to terminate."""
    for uid in range(len(state.pod_sync_statuses)):
        status = state.pod_sync_statuses[uid]
        if status.present and not status.terminating_at:
            if state.config[uid].deletion_timestamp or has_ended(status.pending_update):
                return False
            if has_ended(status.active_update):
                return False
    return True


def has_ended(update: UpdatePodOptions) -> bool:
    """Is it about a pod whose API phase is terminal?"""
    return update.pod.phase != Phase.RUNNING


@claim(
    "always",
    "comment in ShouldPodContentBeRemoved: a pod that is being deleted can still be evicted",
    violations=(
        broken(
            "a pod that is being deleted is evicted, and UpdatePod notes only why termination began; recorded from the "
            "real 1.29 code",
            hidden_by=(WalkthroughUpdate,),
            on_real_code=GO_TEST_PASSES,
        ),
    ),
    harm=Harm.CALLERS,
    wrong="the pending update of {uid} is an eviction and {uid} is not recorded as evicted",
)
def evictions_are_recorded(state: Node) -> bool:
    """A pod whose pending update is an eviction is recorded as evicted.

    Where it is not, ShouldPodContentBeRemoved stays false until the pod is terminated and counts as deleted.
    """
    for uid in range(len(state.pod_sync_statuses)):
        status = state.pod_sync_statuses[uid]
        if status.pending_update.kill_pod_options.evict and not status.evicted:
            return False
    return True


@claim(
    "always",
    "cancelFn in UpdatePod, called when a pod becomes terminating",
    violations=(
        broken(
            "SyncKnownPods terminates an orphan without cancelling its sync",
            since="1.27.0",
            on_real_code=GO_TEST_PASSES,
        ),
        broken("a context is made anew after the wait for the cache", until="1.27.0"),
    ),
    wrong="{uid} is asked to terminate and the context of its SyncPod is live",
)
def terminating_cancels_sync_pod(state: Node) -> bool:
    """The context of a SyncPod under way is cancelled when its pod is asked to terminate.

    Otherwise SyncPod goes on to wait for the volumes of a pod that is no longer wanted. That wait ends with the context
    since 1.28; image pulls and starts of containers ignore it (kubernetes/kubernetes#113606).
    """
    for uid in range(len(state.workers)):
        for generation in range(len(state.workers[uid])):
            worker = state.workers[uid][generation]
            if worker.position == Position.SYNC_POD and worker.context == Context.LIVE:
                if state.pod_sync_statuses[uid].terminating_at:
                    return False
    return True
