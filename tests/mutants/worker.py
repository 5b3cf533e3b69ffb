"""Faults in the worker goroutine."""

from __future__ import annotations

from tests.mutants.planting import Mutant

WORKER = (
    Mutant(
        "an update is worked on and stays pending",
        "start_pod_sync",
        "clear(status.pending_update)",
        "pass",
        "one-pod-restart",
    ),
    Mutant(
        "the token of an update that is worked on stays in the channel",
        "start_pod_sync",
        "self.drain_pod_updates(uid)",
        "pass",
        "one-pod-restart",
    ),
    Mutant(
        "every update means SyncPod",
        "start_pod_sync",
        "work_type = status.work_type()",
        "work_type = WorkType.SYNC",
        "one-pod-restart",
    ),
    Mutant(
        "a static pod counts as started before it may start",
        "start_pod_sync",
        "if status.is_started():",
        "if status.is_started() or work_type != WorkType.SYNC:",
        "static-pair",
    ),
    Mutant(
        "a started pod is not recorded as started",
        "start_pod_sync",
        "status.started_at = True",
        "pass",
        "uid-reuse",
    ),
    Mutant(
        "a pod that has to wait counts as being worked on",
        "start_pod_sync",
        "status.pending_update = copy(update)\n        status.working = False",
        "status.pending_update = copy(update)",
        "static-pair",
    ),
    Mutant(
        "SyncTerminatingPod is not told the grace period",
        "process_pod_event",
        "worker.grace_period = update.kill_pod_options.grace_period_seconds_override",
        "pass",
        "uid-reuse",
    ),
    Mutant(
        "nobody is told that terminating has started",
        "call_pod_syncer",
        "pod_status_func = self.acknowledge_terminating(uid)",
        "pod_status_func = NIL",
        "one-pod-restart",
    ),
    Mutant(
        "a terminating pod is released before it is terminated",
        "call_pod_syncer",
        "if worker.work_type == WorkType.TERMINATED:",
        "if worker.work_type != WorkType.SYNC:",
        "one-pod-restart",
    ),
    Mutant(
        "SyncTerminatingPod and SyncPod are mixed up",
        "call_pod_syncer",
        "elif worker.work_type == WorkType.TERMINATING:",
        "elif worker.work_type == WorkType.SYNC:",
        "one-pod-restart",
    ),
    Mutant(
        "a failed SyncTerminatingPod counts as a success, and the other way round",
        "sync_terminating_pod_returns",
        "if outcome == SyncOutcome.OK:",
        "if outcome != SyncOutcome.OK:",
        "one-pod-restart",
    ),
    Mutant(
        "a failed SyncTerminatingRuntimePod counts as a success, and the other way round",
        "sync_terminating_runtime_pod_returns",
        "if outcome == SyncOutcome.OK:",
        "if outcome != SyncOutcome.OK:",
        "orphan",
    ),
    Mutant(
        "completeWork does not put the pod into the work queue",
        "complete_work_enqueue",
        "self.enqueue(uid, worker.delay)",
        "pass",
        "one-pod-restart",
    ),
    Mutant(
        "completeWork goes to sleep over a pending update",
        "complete_work",
        "self.notify_pod_worker(uid)",
        "self.nothing_pending(uid)",
        "one-pod-restart",
    ),
    Mutant(
        "completeSync asks for termination if somebody else has, and else does not",
        "complete_sync",
        "if not status.is_termination_requested():",
        "if status.is_termination_requested():",
        "one-pod-restart",
    ),
    Mutant(
        "completeTerminating leaves the pod terminating",
        "complete_terminating",
        "status.terminated_at = True",
        "pass",
        "uid-reuse",
    ),
    Mutant(
        "completeTerminated leaves the pod unfinished",
        "complete_terminated",
        "status.finished = True",
        "pass",
        "one-pod-restart",
    ),
    Mutant(
        "a finished pod keeps its channel",
        "complete_terminated",
        "self.cleanup_pod_updates(uid)",
        "pass",
        "one-pod-restart",
    ),
)
