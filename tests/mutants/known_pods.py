"""Faults in SyncKnownPods and in what it drives."""

from __future__ import annotations

from tests.mutants.planting import Mutant

KNOWN_PODS = (
    Mutant(
        "the workers never learn that all pods were handed over",
        "sync_known_pods",
        "self.pods_synced = True",
        "pass",
        "one-pod-restart",
    ),
    Mutant(
        "a requested restart does not lead to one",
        "sync_known_pod",
        "(status.restart_requested or orphan)",
        "orphan",
        "uid-reuse",
    ),
    Mutant(
        "desired pods are taken for orphans, and orphans for desired",
        "sync_known_pod",
        "not self.is_desired(uid)",
        "self.is_desired(uid)",
        "uid-reuse",
    ),
    Mutant(
        "a pod is forgotten once it is terminated",
        "remove_terminated_worker",
        "if not status.is_finished():",
        "if not status.is_terminated():",
        "one-pod-restart",
    ),
    Mutant(
        "a desired pod is terminated because its restart was requested",
        "remove_terminated_worker",
        "if not orphaned:",
        "if orphaned:",
        "uid-reuse",
    ),
    Mutant(
        "a pod known from the runtime alone is forgotten at once",
        "remove_terminated_worker",
        "status.is_started() or status.observed_runtime",
        "status.is_started()",
        "orphan",
    ),
    Mutant(
        "an orphan is forgotten while it runs",
        "remove_terminated_worker",
        "if status.is_started() or status.observed_runtime:",
        "if status.is_terminated():",
        "one-pod-restart",
    ),
    Mutant(
        "an orphan is forgotten while it runs, and added again",
        "remove_terminated_worker",
        "if status.is_started() or status.observed_runtime:",
        "if status.is_terminated():",
        "two-goroutines",
    ),
    Mutant(
        "an orphan is asked to terminate and nobody acts on it",
        "remove_terminated_worker",
        "self.requeue_last_pod_update(uid, status)",
        "pass",
        "one-pod-restart",
    ),
    Mutant(
        "a forgotten pod keeps its channel",
        "remove_terminated_worker",
        "self.cleanup_pod_updates(uid)",
        "pass",
        "one-pod-restart",
    ),
    Mutant(
        "an orphan's last update is marked as nobody's work",
        "requeue_last_pod_update",
        "status.working = True",
        "pass",
        "one-pod-restart",
    ),
)
