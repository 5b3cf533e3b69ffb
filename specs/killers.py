"""Whoever waits for a kill: what is known to be broken of that, and what else holds."""

from __future__ import annotations

from podproof.model.kubelet import Kubelet
from podproof.model.language import Event
from podproof.model.state import Channel
from podproof.specs.claim import FORGETS_IDLE_PODS, IGNORES_UPDATES, Harm, broken, claim

_RUNTIME_KILLS_CLOSE_NOTHING = broken(
    "completeTerminatingRuntimePod finishes the pod and closes no channel", until="1.27.0"
)


@claim(
    "step",
    "comment on KillPodOptions.CompletedCh",
    violations=(IGNORES_UPDATES,),
    harm=Harm.CALLERS,
    wrong=(
        "kill request {request} of {event.uid}: answered {answered}, kept {remembered}, "
        "terminated {status.terminated_at}"
    ),
)
def kill_requests_of_unfinished_pods_are_answered_or_remembered(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """As kill_requests_are_answered_or_remembered, for pods that are not finished: the only way in which it is broken.

    A kill of a pod that is terminated already is answered at once, and no other one is.
    """
    if event.action != "kill_pod_now" or before.pod_sync_statuses[event.uid].finished:
        return True
    status = after.pod_sync_statuses[event.uid]
    for request in range(len(before.completed_channels)):
        if before.completed_channels[request] == Channel.NONE and after.completed_channels[request] != Channel.NONE:
            answered = after.completed_channels[request] == Channel.CLOSED
            remembered = status.notify_post_terminating[request] and status.status_post_terminating[request]
            if answered != status.terminated_at or answered == remembered:
                return False
    return True


@claim(
    "step",
    "comment on KillPodOptions.CompletedCh",
    violations=(FORGETS_IDLE_PODS, _RUNTIME_KILLS_CLOSE_NOTHING),
    harm=Harm.CALLERS,
    wrong="kill request {request} of {uid} was forgotten with its channel open",
)
def kill_requests_of_started_pods_are_not_lost(before: Kubelet, event: Event, after: Kubelet) -> bool:
    """As remembered_kill_requests_are_not_lost, for pods that were started: the only way in which it is broken.

    A restart of the kubelet forgets everything, and whoever waited with it.
    """
    for uid in range(len(before.pod_sync_statuses)):
        for request in range(len(before.completed_channels)):
            known = before.pod_sync_statuses[uid].notify_post_terminating[request]
            lost = known and not after.pod_sync_statuses[uid].notify_post_terminating[request]
            if lost and before.pod_sync_statuses[uid].started_at and after.completed_channels[request] == Channel.OPEN:
                return False
    return True


@claim(
    "always",
    "completeTerminating forgets whom to tell, and UpdatePod accepts no kill of a terminated pod",
    violations=(_RUNTIME_KILLS_CLOSE_NOTHING,),
    harm=Harm.BOOKKEEPING,
    wrong="{uid} is terminated and still keeps kill request {request}",
)
def started_pods_forget_their_killers_when_terminated(state: Kubelet) -> bool:
    """A terminated pod that was started keeps no completion channel and no status function."""
    for uid in range(len(state.pod_sync_statuses)):
        status = state.pod_sync_statuses[uid]
        if status.terminated_at and status.started_at:
            for request in range(len(status.notify_post_terminating)):
                if status.notify_post_terminating[request] or status.status_post_terminating[request]:
                    return False
    return True
