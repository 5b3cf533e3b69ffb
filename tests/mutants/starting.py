"""Faults in what may start, and in what others may ask about it."""

from __future__ import annotations

from tests.mutants.planting import Mutant

STARTING = (
    Mutant(
        "a finished static pod keeps its name",
        "complete_terminated",
        "self.release_static_pod(uid)",
        "pass",
        "uid-reuse",
    ),
    Mutant(
        "a full name is released by the pods that do not hold it",
        "release_static_pod",
        "if self.started_static_pods[full_name] == uid:",
        "if self.started_static_pods[full_name] != uid:",
        "uid-reuse",
    ),
    Mutant(
        "static pods are taken for unknown ones",
        "allow_pod_start",
        "if not status.present:",
        "if status.present:",
        "uid-reuse",
    ),
    Mutant(
        "a pod that ended before it was first seen cannot ever start",
        "allow_pod_start",
        "if not pod.static:",
        "if not pod.static and not self.pod_sync_statuses[uid].is_terminated():",
        "one-pod-restart",
    ),
    Mutant(
        "a waiting static pod is not tried again",
        "allow_pod_start",
        "self.enqueue(uid, Delay.BACKOFF)",
        "pass",
        "static-pair",
    ),
    Mutant(
        "every static pod may start while another has its name",
        "allow_static_pod_start",
        "return started_uid == uid",
        "return True",
        "static-pair",
    ),
    Mutant(
        "a static pod overtakes those before it",
        "allow_static_pod_start",
        "if waiting_pods.uids[i] != uid:",
        "if waiting_pods.uids[i] == NIL:",
        "static-pair",
    ),
    Mutant(
        "a static pod that asks too early drops the first of the line",
        "allow_static_pod_start",
        "waiting_pods.keep_from(i)\n",
        "waiting_pods.keep_from(i + 1)\n",
        "static-pair",
    ),
    Mutant(
        "a busy worker misses a token",
        "notify_pod_worker",
        "worker.token = True",
        "pass",
        "one-pod-restart",
    ),
    Mutant(
        "containers of unknown pods may run once all pods are known, not before",
        "could_have_running_containers",
        "return not self.pods_synced",
        "return self.pods_synced",
        "uid-reuse",
    ),
    Mutant(
        "terminating is announced when it is requested",
        "should_pod_containers_be_terminating",
        "status.is_termination_started()",
        "status.is_termination_requested()",
        "one-pod-restart",
    ),
    Mutant(
        "the runtime of a pod is announced as removable when terminating starts",
        "should_pod_runtime_be_removed",
        "status.is_terminated()",
        "status.is_termination_started()",
        "one-pod-restart",
    ),
    Mutant(
        "a pod is announced as finished when it is terminating",
        "should_pod_be_finished",
        "status.is_finished()",
        "status.is_termination_started()",
        "one-pod-restart",
    ),
)
