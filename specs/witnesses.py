"""What must be reachable: the guard against a model in which nothing happens, where every other claim would hold."""

from __future__ import annotations

from podproof.model.kubelet import Chore, Kubelet
from podproof.model.node import Node
from podproof.model.state import Channel, Context, Position
from podproof.specs.claim import IGNORES_UPDATES, IGNORES_UPDATES_ALONE, NEVER_FINISHED, NEVER_RESTARTED, broken, claim

_LIFECYCLE = "the timeline in the comment on podWorkers"
_ONE_POD = ("one-pod", "one-pod-restart", "evict-and-delete", "uid-reuse")


@claim("sometimes", _LIFECYCLE, wrong="no pod is started with its containers")
def a_pod_runs(state: Node) -> bool:
    """A pod is started and its containers run."""
    return state.pod_sync_statuses[0].started_at and state.containers[0]


@claim("sometimes", _LIFECYCLE, _ONE_POD, wrong="no pod that was started is finished")
def a_pod_finishes(state: Node) -> bool:
    """A pod that was started is finished."""
    return state.pod_sync_statuses[0].started_at and state.pod_sync_statuses[0].finished


@claim(
    "sometimes",
    "comment on podSyncStatus.evicted",
    ("one-pod", "evict-and-delete"),
    wrong="no evicted pod is terminated",
)
def a_pod_is_evicted(state: Node) -> bool:
    """An evicted pod is terminated."""
    return state.pod_sync_statuses[0].evicted and state.pod_sync_statuses[0].terminated_at


@claim(
    "sometimes",
    "kubernetes/kubernetes#104847",
    ("uid-reuse",),
    wrong="no static pod is started a second time under its UID",
)
def a_pod_restarts_under_its_uid(state: Kubelet) -> bool:
    """A static pod that was removed and added again is started a second time."""
    status = state.pod_sync_statuses[0]
    return state.budget.adds[0] == 0 and state.budget.removes[0] < 2 and status.started_at and not status.terminating_at


@claim(
    "sometimes",
    "comment on podSyncStatus.restartRequested",
    ("uid-reuse",),
    (IGNORES_UPDATES, NEVER_RESTARTED),
    wrong="no pod is noted to be restarted while it terminates",
)
def a_restart_is_requested(state: Node) -> bool:
    """A pod is added under its UID while its former life still terminates."""
    return state.pod_sync_statuses[0].restart_requested and not state.pod_sync_statuses[0].terminated_at


@claim(
    "sometimes",
    "kubernetes/kubernetes#97722, #104743",
    ("static-pair",),
    needs=("allow_static_pod_start",),
    wrong="no static pod waits for another one",
)
def a_static_pod_waits(state: Node) -> bool:
    """A static pod waits because another one holds its full name."""
    return state.started_static_pods[0] == 0 and state.waiting_to_start_static_pods[0].length > 0


@claim(
    "sometimes",
    "kubernetes/kubernetes#97722, #107900",
    ("static-pair",),
    needs=("allow_static_pod_start",),
    wrong="no static pod starts after it has waited",
)
def a_waiting_static_pod_starts(state: Node) -> bool:
    """The successor of a finished static pod is started."""
    return state.started_static_pods[0] == 1 and state.pod_sync_statuses[0].finished


@claim("sometimes", "cancelFn in UpdatePod", _ONE_POD, (IGNORES_UPDATES,), wrong="no SyncPod under way is cancelled")
def a_sync_is_cancelled(state: Node) -> bool:
    """SyncPod is under way with a cancelled context."""
    worker = state.workers[0][0]
    return worker.position == Position.SYNC_POD and worker.context == Context.CANCELLED


@claim(
    "sometimes",
    "completeTerminating",
    ("one-pod", "evict-and-delete", "uid-reuse", "static-pair"),
    (IGNORES_UPDATES,),
    wrong="no completion channel is closed",
)
def a_killer_is_told(state: Node) -> bool:
    """A completion channel is closed."""
    return state.completed_channels[0] == Channel.CLOSED


@claim("sometimes", "SyncKnownPods", _ONE_POD, wrong="no pod that was removed is forgotten")
def a_pod_is_forgotten(state: Kubelet) -> bool:
    """A pod that was removed from its source is removed from the history as well, and its containers are gone."""
    gone = not state.pod_sync_statuses[0].present and not state.pod_manager[0]
    return gone and state.budget.adds[0] == 0 and state.pods_synced and not state.containers[0]


@claim(
    "sometimes",
    "comment on SyncTerminatingRuntimePod",
    ("orphan", "one-pod-restart"),
    wrong="no containers without configuration are stopped",
)
def an_orphan_is_killed(state: Node) -> bool:
    """SyncTerminatingRuntimePod is under way: containers without configuration are being stopped."""
    return state.workers[0][0].position == Position.SYNC_TERMINATING_RUNTIME_POD


@claim(
    "sometimes",
    "comment in removeTerminatedWorker",
    _ONE_POD,
    wrong="no pod that is gone from its source still terminates",
)
def an_orphan_is_driven_on(state: Kubelet) -> bool:
    """A pod that is gone from its source still terminates."""
    status = state.pod_sync_statuses[0]
    return not state.pod_manager[0] and status.started_terminating and not status.terminated_at


@claim(
    "sometimes",
    "kubernetes/kubernetes#105527, #117019",
    ("one-pod-restart",),
    (
        NEVER_FINISHED,
        broken(
            "a pod that ended before it is first seen is like any other",
            by="kubernetes/kubernetes#105523, #105527",
            until="1.22.3",
        ),
    ),
    wrong="no pod that has ended is terminated at first sight",
)
def an_ended_pod_is_seen_first_after_a_restart(state: Node) -> bool:
    """A pod whose API phase is terminal is first seen when nothing of it runs: terminated, but not finished."""
    status = state.pod_sync_statuses[0]
    return status.present and status.terminated_at and not status.started_at and not status.finished


@claim("sometimes", "rejectPod", ("one-pod-restart",), wrong="no pod is rejected at admission")
def a_pod_is_rejected(state: Kubelet) -> bool:
    """A pod is rejected at admission and unknown to the workers."""
    return state.rejected[0] and not state.pod_sync_statuses[0].present


@claim(
    "sometimes",
    "HandlePodCleanups",
    ("uid-reuse",),
    (IGNORES_UPDATES_ALONE, NEVER_RESTARTED),
    wrong="housekeeping creates no pod anew",
)
def housekeeping_recreates_a_pod(state: Kubelet) -> bool:
    """Housekeeping is about to create a desired pod anew whose history it has removed."""
    return state.chores[0] == Chore.RECREATE


@claim(
    "sometimes",
    "calculateEffectiveGracePeriod",
    ("evict-and-delete",),
    (IGNORES_UPDATES_ALONE,),
    wrong="no pod is killed with the least grace period",
)
def a_grace_period_is_shortened_to_one(state: Node) -> bool:
    """A pod is killed with the least grace period there is."""
    return state.pod_sync_statuses[0].grace_period == 1
