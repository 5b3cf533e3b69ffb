"""Faults in the worker of 1.26, where it differs from that of 1.29."""

from __future__ import annotations

from functools import partial

from tests.mutants.planting import Mutant

from podproof.model.releases import V1_26

_Mutant = partial(Mutant, version=V1_26)

WORKER_OF_1_26 = (
    _Mutant(
        "a busy worker is sent its work at once",
        "queue_update",
        "if not status.working:",
        "if status.present:",
        "one-pod-restart",
    ),
    _Mutant(
        "work that was begun stays in the channel",
        "start_pod_sync",
        "clear(self.sent_work[uid])",
        "pass",
        "one-pod-restart",
    ),
    _Mutant(
        "work that waits means SyncPod",
        "queue_update",
        "self.undelivered_work_types[uid] = status.work_type()",
        "pass",
        "one-pod-restart",
    ),
    _Mutant(
        "the next phase begins with SyncPod",
        "requeue_last_pod_update",
        "self.undelivered_work_types[uid] = status.work_type()",
        "pass",
        "one-pod-restart",
    ),
    _Mutant(
        "the sync of a busy worker is not cancelled",
        "queue_update",
        "self.cancel(uid)",
        "pass",
        "uid-reuse",
    ),
    _Mutant(
        "a worker without work counts as working",
        "complete_work",
        "status.working = False",
        "pass",
        "one-pod-restart",
    ),
    _Mutant(
        "a static pod is started although it is told to wait",
        "start_pod_sync",
        "if not can_start:",
        "if not can_ever_start:",
        "static-pair",
    ),
    _Mutant(
        "containers without configuration are gone and their worker is not finished",
        "complete_terminating_runtime_pod",
        "status.finished = True",
        "pass",
        "orphan",
    ),
    _Mutant(
        "a pod is forgotten before it is finished",
        "remove_terminated_worker",
        "if not status.is_finished():",
        "if not status.is_terminated():",
        "one-pod-restart",
    ),
    _Mutant(
        "a pod that is forgotten to be restarted is not created",
        "sync_known_pod",
        "is_restartable = status.is_terminated() and status.restart_requested",
        "is_restartable = False",
        "uid-reuse",
    ),
)
