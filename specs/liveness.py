"""What must happen eventually, in every fair run: nobody waits in vain."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from podproof.model.containers import Containers
from podproof.model.kubecontainer import RuntimeState
from podproof.model.kubelet import Kubelet
from podproof.model.language import Domain
from podproof.model.pod_layers import AppContainer, StopStage
from podproof.model.state import Channel, Phase, Uid
from podproof.specs.claim import Harm, broken, claim

KillRequest = Annotated[int, Domain("kill_requests")]

NOT_RETRIED = broken(
    "the retry of a pod that the pod manager no longer has is lost, and housekeeping leaves orphans alone",
    by="kubernetes/kubernetes#113145, #113065, #107483",
    until="1.27.0",
    scenarios=(
        *(
            "evict-and-delete",
            "killed-and-restarted",
            "killed-pod",
            "mirror-pod",
            "one-pod",
            "one-pod-restart",
            "orphan",
        ),
        *("runtime-down", "static-added-again", "static-pair", "static-pair-restart", "static-removed"),
        *("static-moved-back", "static-successor", "two-goroutines", "two-pods", "uid-reuse"),
    ),
)
OF_SINGLE_CONTAINERS = (
    *("always-restarted", "deleted-while-starting", "init-then-app", "never-restarted", "pre-stop", "restarted-kill"),
    *("restarted-on-failure", "slow-api-server", "two-containers"),
)
NOT_RETRIED_AGAIN = replace(NOT_RETRIED, scenarios=(*NOT_RETRIED.scenarios, *OF_SINGLE_CONTAINERS, "orphan-added"))
RETRY_LOST = broken(
    "the retry falls due while the sync loop stands still, or housekeeping waits for the sources, and the pod manager "
    "does not have the pod, and is lost; a pod that is added again then is no orphan, and its create is dropped, so "
    "that only a PLEG or probe event wakes the worker",
    since="1.27.0",
    scenarios=("runtime-down", "added-during-outage", "static-moved-back"),
)


@claim(
    "leads_to",
    harm=Harm.CALLERS,
    source="KillPodOptions: CompletedCh is closed when the kill request completes",
    violations=(
        broken(
            "a pod that is finished, or is forgotten or cleaned up before it starts, leaves the channel open",
            by="kubernetes/kubernetes#118679",
            scenarios=(
                *("deleted-and-killed", "deleted-twice-and-killed", "evict-and-delete", "evicted-pod"),
                *("killed-and-restarted", "killed-pod", "mirror-pod", "one-pod", "orphan", "orphan-added"),
                *("slow-api-server", "spec-nil", "spec-zero", "static-pair", "two-goroutines", "uid-reuse"),
            ),
        ),
        broken(
            "an eviction that comes when the pod is finished leaves the channel open",
            since="1.24.0",
            scenarios=("deferred-eviction",),
        ),
        broken(
            "a pod that is killed while it waits for its full name leaves the channel open",
            since="1.22.5",
            scenarios=("static-waiting",),
        ),
    ),
    wrong="kill request {request} is never answered",
)
def kill_requests_are_answered(state: Kubelet, request: KillRequest) -> tuple[bool, bool]:
    """Whoever calls killPodNow is eventually told that the pod is gone.

    A caller that is not told waits for the grace period and ten seconds more, and reports a timeout.
    """
    return state.completed_channels[request] == Channel.OPEN, state.completed_channels[request] != Channel.OPEN


@claim(
    "leads_to",
    source="SyncTerminatingPod: retried until it succeeds",
    violations=(
        NOT_RETRIED_AGAIN,
        RETRY_LOST,
        broken(
            "a pod that was killed while it waited waits for ever",
            by="kubernetes/kubernetes#107733",
            since="1.22.5",
            until="1.24.0",
            scenarios=("static-waiting",),
        ),
    ),
    wrong="{uid} was told to terminate and never is terminated",
)
def terminating_pods_are_terminated(state: Kubelet, uid: Uid) -> tuple[bool, bool]:
    """A pod that is told to terminate is eventually terminated, or forgotten."""
    status = state.pod_sync_statuses[uid]
    return status.is_termination_requested(), status.is_terminated() or not status.present


@claim(
    "leads_to",
    source="SyncTerminatedPod: retried until it succeeds",
    violations=(
        replace(NOT_RETRIED, scenarios=(*NOT_RETRIED.scenarios, *OF_SINGLE_CONTAINERS)),
        replace(RETRY_LOST, scenarios=("added-during-outage", "static-moved-back")),
    ),
    wrong="{uid} is terminated and never finished",
)
def terminated_pods_are_finished(state: Kubelet, uid: Uid) -> tuple[bool, bool]:
    """A pod that is terminated is eventually finished, or forgotten."""
    status = state.pod_sync_statuses[uid]
    return status.is_terminated(), status.is_finished() or not status.present


@claim(
    "leads_to",
    harm=Harm.BOOKKEEPING,
    source="SyncKnownPods: removes the history of pods that are finished and no longer desired",
    wrong="{uid} is finished and never forgotten",
)
def finished_pods_are_forgotten(state: Kubelet, uid: Uid) -> tuple[bool, bool]:
    """A pod that is finished and not desired any more is eventually forgotten, or desired again."""
    status = state.pod_sync_statuses[uid]
    return status.is_finished() and not state.pod_manager[uid], not status.present or state.pod_manager[uid]


@claim(
    "leads_to",
    source="kubernetes/kubernetes#104847",
    violations=(
        broken(
            "the create is dropped, and nobody wakes a worker whose retry was lost",
            by="kubernetes/kubernetes#107483",
            since="1.22.5",
            until="1.27.0",
            scenarios=(
                *("orphan", "orphan-added", "runtime-down", "static-added-again", "static-moved-back"),
                *("two-goroutines", "uid-reuse"),
            ),
        ),
        RETRY_LOST,
        broken(
            "killPodNow comes after housekeeping has forgotten the pod and before it creates it again: the new history "
            "begins with the kill, and ends",
            since="1.27.0",
            scenarios=("two-goroutines", "uid-reuse"),
        ),
    ),
    wrong="{uid} was added again and never starts",
)
def restart_requests_are_fulfilled(state: Kubelet, uid: Uid) -> tuple[bool, bool]:
    """A UID that is used again while its pod terminates starts again eventually, or is removed, or has ended."""
    status = state.pod_sync_statuses[uid]
    started = status.present and status.is_started() and not status.restart_requested
    over = not state.pod_manager[uid] or state.config[uid].phase != Phase.RUNNING
    return status.restart_requested and not over, started or over


@claim(
    "leads_to",
    source="kubernetes/kubernetes#107900",
    violations=(
        broken(
            "the pod before it is never finished, since its retry is lost",
            by="kubernetes/kubernetes#113091",
            since="1.22.5",
            until="1.27.0",
            scenarios=("static-pair", "static-pair-restart", "static-successor"),
        ),
    ),
    wrong="{uid} waits for its full name, which is free, and never starts",
)
def waiting_static_pods_start(state: Kubelet, uid: Uid) -> tuple[bool, bool]:
    """A static pod in line starts eventually once all others of its full name are removed or told to terminate."""
    status = state.pod_sync_statuses[uid]
    gone = not status.present or status.is_termination_requested() or not state.pod_manager[uid]
    is_waiting = state.is_static_pod(uid) and not status.is_started() and not gone
    return is_waiting and not has_rival(state, uid), not is_waiting or has_rival(state, uid)


def has_rival(state: Kubelet, uid: int) -> bool:
    """Is another pod of the same full name wanted, and not told to terminate?"""
    for other in range(len(state.pod_sync_statuses)):
        if other != uid and state.full_names[other] == state.full_names[uid] and state.pod_manager[other]:
            if not state.pod_sync_statuses[other].is_termination_requested():
                return True
    return False


@claim(
    "leads_to",
    source="HandlePodCleanups: kills pods that the runtime has and nobody wants",
    violations=(replace(NOT_RETRIED, scenarios=(*NOT_RETRIED.scenarios, "orphan-added")),),
    wrong="nobody wants {uid}, and its containers are never stopped",
)
def orphans_are_stopped(state: Kubelet, uid: Uid) -> tuple[bool, bool]:
    """Containers of a pod that nobody wants any more are eventually stopped, or the pod is wanted again."""
    return state.containers[uid] and not state.pod_manager[uid], not state.containers[uid] or state.pod_manager[uid]


@claim(
    "leads_to",
    source="kubernetes/kubernetes#113145",
    violations=(NOT_RETRIED_AGAIN,),
    wrong="{uid} was removed from its source and is never finished",
)
def removed_pods_are_finished(state: Kubelet, uid: Uid) -> tuple[bool, bool]:
    """A pod that is removed from its source is eventually finished, or forgotten, or there again."""
    status = state.pod_sync_statuses[uid]
    gone = status.is_finished() or not status.present or state.pod_manager[uid]
    return status.present and not state.pod_manager[uid], gone


@claim(
    "leads_to",
    source="kubernetes/kubernetes#116880",
    scenarios=("static-removed",),
    violations=(
        broken(
            "deletePod gives up while a source is not ready, and nobody else tries",
            by="kubernetes/kubernetes#116880",
            until="1.27.0",
        ),
    ),
    wrong="{uid} is gone from its source and never told to terminate",
)
def removed_pods_are_told_to_terminate(state: Kubelet, uid: Uid) -> tuple[bool, bool]:
    """A pod that is gone from its source is told to terminate eventually, or is forgotten, or there again."""
    status = state.pod_sync_statuses[uid]
    is_waiting = status.present and not state.pod_manager[uid] and not status.is_termination_requested()
    return is_waiting, not is_waiting


@claim(
    "leads_to",
    source="filterTerminalPodsToDelete; kubernetes/kubernetes#118497",
    scenarios=("ended-pod",),
    needs=("should_pod_be_finished",),
    violations=(
        broken(
            "a pod that was rejected after a restart has no worker, and nobody finishes it",
            by="kubernetes/kubernetes#118472, #118497",
            since="1.27.0",
            until="1.27.4",
        ),
    ),
    wrong="{uid} has ended, is being deleted and is never finished",
)
def deleted_pods_that_ended_are_finished(state: Kubelet, uid: Uid) -> tuple[bool, bool]:
    """A pod that has ended and is being deleted is eventually finished: until then its object is not deleted."""
    config = state.config[uid]
    has_ended = config.exists and config.deletion_timestamp and config.phase != Phase.RUNNING
    is_waiting = has_ended and not state.pod_sync_statuses[uid].is_finished()
    return is_waiting, not is_waiting


@claim(
    "leads_to",
    source="kubernetes/kubernetes#116484",
    scenarios=("static-rejected",),
    violations=(broken("its status is terminal for ever", by="kubernetes/kubernetes#116484"),),
    wrong="{uid} was rejected and never gets a worker",
)
def rejected_static_pods_get_a_worker(state: Kubelet, uid: Uid) -> tuple[bool, bool]:
    """A static pod that was rejected at admission gets a worker eventually, or is removed."""
    is_waiting = state.rejected[uid] and state.pod_manager[uid] and not state.pod_sync_statuses[uid].present
    return is_waiting and state.is_static_pod(uid), not is_waiting


@claim(
    "leads_to",
    source="documentation of the pod lifecycle: the API server deletes the object when the kubelet asks",
    violations=(
        broken(
            "a pod that has ended is finished as soon as it is seen after a restart, and never released by "
            "SyncTerminatedPod",
            by="kubernetes/kubernetes#117019",
            since="1.27.0",
            until="1.27.2",
            scenarios=("restarted-kill", "slow-api-server"),
        ),
        broken(
            "a pod that has ended is finished as soon as it is seen after a restart, and only other loops take down "
            "its volumes and cgroup",
            since="1.22.5",
            until="1.27.0",
            scenarios=("slow-api-server",),
            rests_on=("A74",),
        ),
    ),
    wrong="{uid} is being deleted, and its object never goes",
)
def deleted_pods_leave_the_api_server(state: Containers, uid: Uid) -> tuple[bool, bool]:
    """The object of a pod that is being deleted is eventually deleted."""
    config = state.config[uid]
    is_waiting = config.exists and config.deletion_timestamp and not state.layers[uid].object_is_deleted
    return is_waiting, not is_waiting


@claim(
    "leads_to",
    source="killContainer: SIGKILL comes when the grace period is over; killPod that fails is tried again",
    violations=(replace(NOT_RETRIED, scenarios=("mirror-pod",)),),
    wrong="container {container} of {uid} is being stopped and never ends",
)
def containers_that_are_stopped_end(state: Containers, uid: Uid, container: AppContainer) -> tuple[bool, bool]:
    """A container that is being stopped has ended eventually, or its pod is to run on.

    It is where a restart of the kubelet has forgotten who killed it. How long it may take say claims about states.
    """
    layers = state.layers[uid]
    is_stopping = layers.stops[container].stage != StopStage.NONE
    is_running = layers.runtime.containers[container].state == RuntimeState.RUNNING
    is_wanted = state.pod_manager[uid] and not state.config[uid].deletion_timestamp
    runs_on = not is_stopping and is_wanted and not state.pod_sync_statuses[uid].is_termination_requested()
    return is_stopping, not is_running or runs_on
