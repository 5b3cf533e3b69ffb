"""Steps of the worker: what its sync functions returned, and what it takes and calls."""

from __future__ import annotations

from podproof.model.kubelet import Kubelet
from podproof.model.language import NIL, Event
from podproof.model.node import Node
from podproof.model.pod_worker_loop import SyncOutcome, SyncPodOutcome
from podproof.model.releases import V1_26
from podproof.model.state import Cached, Context, Delay, PodSyncStatus, Position, WorkType
from podproof.specs.always import has_busy_worker, is_in_sync_call
from podproof.specs.claim import SECOND_GOROUTINE, Harm, broken, claim

_SMALL = ("lone-pod", "killed-pod", "uid-reuse", "static-removed", "orphan")
"""Scenarios for what would tell too many states apart in others."""


# -- what a sync function returns --------------------------------------------------------------------------------------


@claim(
    "step",
    "podWorkerLoop: completeSync is called for (true, nil) alone",
    wrong=(
        "SyncPod of {event.uid} returned {event.outcome}, and the pod's terminating_at went from "
        "{old.terminating_at} to {new.terminating_at}"
    ),
)
def sync_pod_ends_a_pod_only_when_it_says_so(before: Node, event: Event, after: Node) -> bool:
    """When SyncPod returns, its pod begins to terminate if it returned (true, nil), and else does not.

    Otherwise every pod that is synced well is terminated, or the pod of a Job is never done.
    """
    if event.action != "worker_sync_pod_returns":
        return True
    old = before.pod_sync_statuses[event.uid]
    new = after.pod_sync_statuses[event.uid]
    if event.outcome == SyncPodOutcome.TERMINAL:
        return not old.present or (new.terminating_at and new.started_terminating)
    return new.terminating_at == old.terminating_at and new.started_terminating == old.started_terminating


@claim(
    "step",
    "podWorkerLoop: completeTerminating is called when SyncTerminatingPod returns nil",
    wrong=(
        "terminated_at of {uid} went from {old.terminated_at} to {new.terminated_at}; "
        "SyncTerminatingPod has succeeded: {succeeded}"
    ),
)
def pods_are_terminated_when_sync_terminating_pod_succeeds(before: Node, event: Event, after: Node) -> bool:
    """A known pod is terminated when its SyncTerminatingPod returns nil, and at no other time.

    Its containers may still run otherwise. (A pod that was told to terminate before it was allowed to start is
    terminated at its worker's next look, and a pod of the runtime alone when SyncTerminatingRuntimePod returns nil.)
    """
    for uid in range(len(before.pod_sync_statuses)):
        old = before.pod_sync_statuses[uid]
        new = after.pod_sync_statuses[uid]
        succeeded = False
        if event.action == "worker_sync_terminating_pod_returns":
            succeeded = event.uid == uid and event.outcome == SyncOutcome.OK
        if succeeded and old.present and not new.terminated_at:
            return False
        if old.present and new.terminated_at and not old.terminated_at and not succeeded:
            if not ends_unstarted(event, uid, old) and not ends_in_the_runtime(event, uid):
                return False
    return True


@claim(
    "step",
    "podWorkerLoop: completeTerminated is called when SyncTerminatedPod returns nil",
    wrong=(
        "finished of {uid} went from {old.finished} to {new.finished}; SyncTerminatedPod has succeeded: {succeeded}"
    ),
)
def pods_are_finished_when_sync_terminated_pod_succeeds(before: Node, event: Event, after: Node) -> bool:
    """A known pod is finished when its SyncTerminatedPod returns nil, and at no other time.

    Its volumes may still be mounted otherwise. (The exceptions are those of its termination. Where a late goroutine
    comes back for a UID that has begun anew, nothing is said of what becomes of its answer.)
    """
    for uid in range(len(before.pod_sync_statuses)):
        old = before.pod_sync_statuses[uid]
        new = after.pod_sync_statuses[uid]
        succeeded = False
        if event.action == "worker_sync_terminated_pod_returns":
            succeeded = event.uid == uid and event.outcome == SyncOutcome.OK
        if succeeded and old.present and old.terminated_at and not new.finished:
            return False
        if old.present and new.finished and not old.finished and not succeeded:
            if not ends_unstarted(event, uid, old) and not ends_in_the_runtime(event, uid):
                return False
    return True


def ends_unstarted(event: Event, uid: int, old: PodSyncStatus) -> bool:
    """Does the worker find that the pod was told to terminate before it was allowed to start?"""
    if event.action != "worker_start_pod_sync":
        return False
    return event.uid == uid and old.terminating_at and not old.started_at


def ends_in_the_runtime(event: Event, uid: int) -> bool:
    """Has the runtime's pod, which has no configuration, been killed?"""
    if event.action != "worker_sync_terminating_runtime_pod_returns":
        return False
    return event.uid == uid and event.outcome == SyncOutcome.OK


@claim(
    "step",
    "podWorkerLoop: completeTerminatingRuntimePod",
    wrong=(
        "SyncTerminatingRuntimePod of {event.uid} returned {event.outcome}, and the pod is "
        "known: {after.pod_sync_statuses[event.uid].present}"
    ),
)
def pods_of_the_runtime_alone_are_done_with_when_they_are_killed(before: Node, event: Event, after: Node) -> bool:
    """When SyncTerminatingRuntimePod returns nil its pod is finished or forgotten; an error leaves it as it is."""
    if event.action != "worker_sync_terminating_runtime_pod_returns":
        return True
    known = before.pod_sync_statuses[event.uid].present
    if event.outcome == SyncOutcome.OK:
        return not after.pod_sync_statuses[event.uid].present or after.pod_sync_statuses[event.uid].finished
    return after.pod_sync_statuses[event.uid].present == known


@claim(
    "step",
    "podWorkerLoop and completeWork: the delay by what went wrong",
    violations=(broken("completeWork does not know that a phase has ended, and waits for the resync", until="1.24.0"),),
    harm=Harm.BOOKKEEPING,
    wrong=(
        "the worker of {event.uid} goes on after "
        "{after.workers[event.uid][event.generation].delay}, which is not what the outcome asks "
        "for"
    ),
)
def retries_wait_as_long_as_the_outcome_says(before: Node, event: Event, after: Node) -> bool:
    """A worker whose sync function returned goes on to completeWork, with the delay that the outcome asks for.

    At once after a phase has ended, with the next resync after a success, shortly after the network was not ready, and
    with a back-off after any other error. Nobody would try again otherwise, or all the time.
    """
    if event.action == "worker_sync_pod_returns":
        delay = Delay.BACKOFF
        if event.outcome == SyncPodOutcome.TERMINAL:
            delay = Delay.NOW
        elif event.outcome == SyncPodOutcome.OK:
            delay = Delay.RESYNC
        elif event.outcome == SyncPodOutcome.NETWORK_NOT_READY:
            delay = Delay.TRANSIENT
        return completes(after, event.uid, event.generation, delay)
    if event.action == "worker_sync_terminating_pod_returns":
        done = event.outcome == SyncOutcome.OK
        return completes(after, event.uid, event.generation, Delay.NOW if done else Delay.BACKOFF)
    if event.action in ("worker_sync_terminating_runtime_pod_returns", "worker_sync_terminated_pod_returns"):
        # After a success the goroutine ends. Which delay it is otherwise would tell too many states apart.
        position = after.workers[event.uid][event.generation].position
        return position != Position.ENQUEUE if event.outcome == SyncOutcome.OK else position == Position.ENQUEUE
    if event.action == "worker_get_newer_than_fails":
        return completes(after, event.uid, event.generation, Delay.BACKOFF)
    return True


def completes(after: Node, uid: int, generation: int, delay: Delay) -> bool:
    worker = after.workers[uid][generation]
    return worker.position == Position.ENQUEUE and worker.delay == delay


@claim(
    "step",
    "comments on completeSync and completeTerminating: the next phase begins at once",
    violations=(SECOND_GOROUTINE,),
    wrong="a phase of {event.uid} has ended, and no update waits for the next one",
)
def the_next_phase_has_work(before: Node, event: Event, after: Node) -> bool:
    """A pod whose SyncPod or SyncTerminatingPod ended a phase has an update waiting for the next one."""
    ended = False
    if event.action == "worker_sync_pod_returns":
        ended = event.outcome == SyncPodOutcome.TERMINAL
    elif event.action == "worker_sync_terminating_pod_returns":
        ended = event.outcome == SyncOutcome.OK
    if not ended:
        return True
    status = after.pod_sync_statuses[event.uid]
    return not status.present or (status.pending_update.present and status.working)


@claim(
    "step",
    "completeSync, where it logs that terminatingAt is set twice",
    violations=(SECOND_GOROUTINE,),
    harm=Harm.LOG,
    wrong="SyncPod ends {event.uid}, which was asked to terminate before, and no update waits",
)
def complete_sync_requests_termination_first(before: Node, event: Event, after: Node) -> bool:
    """Where SyncPod ends a pod that somebody else asked to terminate meanwhile, the update that asked for it waits.

    completeSync logs the line then, which does no harm: the worker goes on with that update.
    """
    if event.action != "worker_sync_pod_returns" or event.outcome != SyncPodOutcome.TERMINAL:
        return True
    status = before.pod_sync_statuses[event.uid]
    return not status.terminating_at or status.pending_update.present


@claim(
    "step",
    "podWorkerLoop's switch over the update's WorkType",
    wrong=("the worker of {event.uid} took work of type {taken.work_type} and came to {called.position}"),
)
def the_work_type_says_which_sync_function_is_called(before: Node, event: Event, after: Node) -> bool:
    """What a worker has taken says which sync function is called, and with which grace period SyncTerminatingPod.

    Where the pod has come to another phase since, it may also call none.
    """
    if event.action != "worker_get_newer_than":
        return True
    taken = before.workers[event.uid][event.generation]
    called = after.workers[event.uid][event.generation]
    has_moved_on = before.pod_sync_statuses[event.uid].work_type() != taken.work_type
    if has_moved_on and not is_in_sync_call(called.position):
        return True
    if taken.work_type == WorkType.TERMINATED:
        return called.position == Position.SYNC_TERMINATED_POD
    if taken.work_type == WorkType.TERMINATING:
        return called.position == Position.SYNC_TERMINATING_POD and called.grace_period == taken.grace_period
    return called.position == Position.SYNC_POD


# -- what a worker takes -----------------------------------------------------------------------------------------------


@claim(
    "step",
    "startPodSync: what an update means is decided when it is taken",
    needs=("drain_pod_updates",),
    wrong="the worker of {event.uid} took another update than the one that waited",
)
def updates_are_taken_as_they_were_left(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """A worker that begins a sync takes the pending update, with its pod and grace period, for the phase the pod is in.

    SyncTerminatingPod would be called with another grace period than UpdatePod worked out, or for the wrong phase.
    """
    if event.action != "worker_start_pod_sync":
        return True
    worker = after.workers[event.uid][event.generation]
    if worker.position != Position.CACHE:
        return True
    old = before.pod_sync_statuses[event.uid]
    new = after.pod_sync_statuses[event.uid]
    if worker.work_type != old.work_type() or not new.started_at or not new.active_update.present:
        return False
    asked = old.pending_update.kill_pod_options.grace_period_seconds_override
    if worker.work_type == WorkType.TERMINATING and worker.grace_period != asked:
        return False
    taken = old.pending_update.pod
    kept = new.active_update.pod
    if taken.present != kept.present or taken.phase != kept.phase or taken.static != kept.static:
        return False
    if taken.deletion_grace_period_seconds != kept.deletion_grace_period_seconds:
        return False
    return taken.termination_grace_period_seconds == kept.termination_grace_period_seconds


@claim(
    "step",
    "podSyncStatus.mergeLastUpdate: kill options accumulate",
    needs=("drain_pod_updates",),
    wrong=(
        "the active update of {event.uid} kills with {kept.grace_period_seconds_override} s, "
        "where {taken.grace_period_seconds_override} s were taken"
    ),
)
def active_updates_keep_how_the_pod_is_killed(before: Node, event: Event, after: Node) -> bool:
    """The active update has the kill options of the update that its worker has just taken.

    An update that is replayed, after an error or as an orphan's, would kill the pod with other ones.
    """
    if event.action != "worker_start_pod_sync":
        return True
    position = after.workers[event.uid][event.generation].position
    taken = before.pod_sync_statuses[event.uid].pending_update.kill_pod_options
    if not taken.present or position not in (Position.CACHE, Position.SYNC_TERMINATING_RUNTIME_POD):
        return True
    kept = after.pod_sync_statuses[event.uid].active_update.kill_pod_options
    if not kept.present or (taken.evict and not kept.evict):
        return False
    return kept.grace_period_seconds_override == taken.grace_period_seconds_override


@claim(
    "step",
    "managePodLoop before 1.27.0: the channel carries the work",
    _SMALL,
    wrong=(
        "the worker of {event.uid} calls for {worker.work_type} with {worker.grace_period} s, "
        "which is not what was sent"
    ),
)
def work_is_done_as_it_was_sent(before: V1_26, event: Event, after: V1_26) -> bool:
    """What is called for work from the channel gets its type, grace period and status function.

    What only the runtime has would be killed with another grace period, and a create not told from what comes later.
    """
    if event.action != "worker_start_pod_sync":
        return True
    work = before.sent_work[event.uid]
    worker = after.workers[event.uid][event.generation]
    status = after.pod_sync_statuses[event.uid]
    if worker.position == Position.CACHE:
        if worker.work_type != work.work_type:
            return False
        if work.work_type == WorkType.TERMINATING:
            return worker.grace_period == work.options.kill_pod_options.grace_period_seconds_override
        return work.work_type != WorkType.SYNC or worker.update_type == work.options.update_type
    if worker.position == Position.SYNC_TERMINATING_RUNTIME_POD:
        last = NIL
        for request in range(len(status.status_post_terminating)):
            if status.status_post_terminating[request]:
                last = request
        if worker.pod_status_func != last or not (status.observed_runtime or status.started_at):
            return False
        return worker.grace_period == work.options.kill_pod_options.grace_period_seconds_override
    return True


@claim(
    "step",
    "podWorkerLoop: SyncPod is called with the update's type",
    _SMALL,
    needs=("drain_pod_updates",),
    harm=Harm.BOOKKEEPING,
    wrong=(
        "SyncPod of {event.uid} is called with {worker.update_type}, where the update was "
        "{before.pod_sync_statuses[event.uid].pending_update.update_type}"
    ),
)
def the_update_type_reaches_sync_pod(before: Node, event: Event, after: Node) -> bool:
    """SyncPod is called with the type of the update that was waiting: a create is told from what comes later."""
    if event.action != "worker_start_pod_sync":
        return True
    worker = after.workers[event.uid][event.generation]
    if worker.position != Position.CACHE or worker.work_type != WorkType.SYNC:
        return True
    return worker.update_type == before.pod_sync_statuses[event.uid].pending_update.update_type


@claim(
    "step",
    "acknowledgeTerminating and comment on KillPodOptions.PodStatusFunc",
    harm=Harm.CALLERS,
    wrong=(
        "SyncTerminatingPod of {event.uid} gets status function {worker.pod_status_func}, and the last kill gave {last}"
    ),
)
def the_last_status_function_reaches_the_kill(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """SyncTerminatingPod gets the status function of the last kill that UpdatePod accepted, and marks its start.

    The pod's status would not say that it was evicted, and why; containers might be started while others are stopped.
    """
    if event.action != "worker_get_newer_than":
        return True
    worker = after.workers[event.uid][event.generation]
    old = before.pod_sync_statuses[event.uid]
    if worker.position != Position.SYNC_TERMINATING_POD or not old.present:
        return True
    last = NIL
    for request in range(len(old.status_post_terminating)):
        if old.status_post_terminating[request]:
            last = request
    return worker.pod_status_func == last and after.pod_sync_statuses[event.uid].started_terminating


@claim(
    "step",
    "comment on cleanupUnstartedPod",
    needs=("drain_pod_updates",),
    harm=Harm.BOOKKEEPING,
    wrong="{event.uid} was to terminate before it started, and its worker does not finish it",
)
def static_pods_that_were_killed_waiting_end_at_once(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """A static pod that was told to terminate while it waited to start is finished at its worker's next look.

    Unless its containers run since before a restart of the kubelet, or it does not know that they do not: that they
    are stopped first is what waiting_static_pods_are_stopped_before_they_are_terminated asks for.
    """
    if event.action != "worker_start_pod_sync":
        return True
    old = before.pod_sync_statuses[event.uid]
    if not old.terminating_at or old.started_at or not old.pending_update.pod.static:
        return True
    if old.pending_update.running_pod:
        return True
    if before.containers[event.uid] or before.pod_cache[event.uid] != Cached.NOTHING_RUNNING:
        return True
    return after.pod_sync_statuses[event.uid].terminated_at and after.pod_sync_statuses[event.uid].finished


@claim(
    "step",
    "startPodSync: a context for the worker, if there is none that is live",
    needs=("drain_pod_updates",),
    wrong="the worker of {event.uid} goes on with a context that is {worker.context}",
)
def what_a_worker_begins_can_be_cancelled(before: Node, event: Event, after: Node) -> bool:
    """A worker that has taken an update goes on with a live context, which UpdatePod can cancel.

    Nobody could end the wait of SyncPod or SyncTerminatedPod for volumes.
    """
    if event.action != "worker_start_pod_sync":
        return True
    worker = after.workers[event.uid][event.generation]
    live = worker.context == Context.LIVE and after.pod_sync_statuses[event.uid].context == Context.LIVE
    return worker.position != Position.CACHE or live


@claim(
    "step",
    "podWorkerLoop ranges over podUpdates",
    harm=Harm.BOOKKEEPING,
    wrong="the worker of {event.uid} was started, and is woken once more for the same update",
)
def wake_ups_are_spent(before: Node, event: Event, after: Node) -> bool:
    """A goroutine that looks after its pod for the first time does so once for the update it was started with."""
    if event.action != "worker_start_pod_sync":
        return True
    started = before.workers[event.uid][event.generation].position == Position.SPAWNED
    return not started or after.workers[event.uid][event.generation].position != Position.TOKEN


@claim(
    "always",
    "cleanupPodUpdates, which closes the channel that podWorkerLoop ranges over",
    harm=Harm.BOOKKEEPING,
    wrong="goroutine {generation} of {uid} waits, and has no channel",
)
def waiting_goroutines_have_a_channel(state: Node) -> bool:
    """A goroutine that waits for an update has a channel on which it comes.

    Every pod that ended would leave a goroutine behind.
    """
    for uid in range(len(state.workers)):
        for generation in range(len(state.workers[uid])):
            if state.workers[uid][generation].position == Position.RECEIVING and state.pod_updates[uid] != generation:
                return False
    return True


@claim(
    "always",
    "podSyncStatus.working: a worker has yet to do something",
    violations=(SECOND_GOROUTINE,),
    wrong="{uid} is said to be worked on, and no goroutine is at it",
)
def working_pods_have_a_busy_worker(state: Node) -> bool:
    """Where a pod's status says that its worker has something to do, a goroutine is at it or on its way to it."""
    for uid in range(len(state.pod_sync_statuses)):
        if state.pod_sync_statuses[uid].working and not has_busy_worker(state, uid):
            return False
    return True
