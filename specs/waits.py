"""Who waits, and on what: what is said of a run in which something must happen and never does.

A function each, which says of a state whether somebody waits so there. A lasso tells those that wait so all the way
round its loop, whatever claim it breaks.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from podproof.model.kubelet import Kubelet
from podproof.model.language import NIL
from podproof.model.node import Generation
from podproof.model.reported_pods import ReportedPods
from podproof.model.state import Channel, Phase, PodWorkersState, Position, Uid
from podproof.specs.claim import model_class_of
from podproof.specs.liveness import KillRequest


class Wait(NamedTuple):
    """One way to wait."""

    text: str
    """Who waits and on what; `{parameter}` stands for a parameter's value."""
    function: Callable[..., bool]


def is_asleep(state: PodWorkersState, uid: int, generation: int) -> bool:
    """Does the pod's goroutine wait for a token, while the pod is known?"""
    is_current = state.pod_updates[uid] == generation and state.pod_sync_statuses[uid].present
    return is_current and state.workers[uid][generation].position == Position.RECEIVING


def has_no_retry(state: PodWorkersState, uid: Uid, generation: Generation) -> bool:
    return is_asleep(state, uid, generation) and not state.work_queue[uid]


def has_retry(state: PodWorkersState, uid: Uid, generation: Generation) -> bool:
    return is_asleep(state, uid, generation) and state.work_queue[uid]


def is_not_scheduled(state: PodWorkersState, uid: Uid, generation: Generation) -> bool:
    position = state.workers[uid][generation].position
    return position in (Position.SPAWNED, Position.TOKEN, Position.ENQUEUE, Position.COMPLETE)


def is_in_call(state: PodWorkersState, uid: Uid, generation: Generation, call: Position) -> bool:
    """Is the goroutine in a call of the pod syncer?"""
    calls = (Position.SYNC_POD, Position.SYNC_TERMINATING_POD, Position.SYNC_TERMINATING_RUNTIME_POD)
    is_call = call in calls or call == Position.SYNC_TERMINATED_POD
    return is_call and state.workers[uid][generation].position == call


def waits_for_the_cache(state: PodWorkersState, uid: Uid, generation: Generation) -> bool:
    return state.workers[uid][generation].position == Position.CACHE


def waits_for_its_full_name(state: PodWorkersState, uid: Uid, other: Uid) -> bool:
    status = state.pod_sync_statuses[uid]
    is_held = other not in (NIL, uid) and state.started_static_pods[state.full_names[uid]] == other
    return is_held and status.present and not status.is_started() and not status.is_finished()


def has_no_worker(state: PodWorkersState, uid: Uid) -> bool:
    status = state.pod_sync_statuses[uid]
    return status.present and not status.is_finished() and state.pod_updates[uid] == NIL


def is_not_forgotten(state: Kubelet, uid: Uid) -> bool:
    return state.pod_sync_statuses[uid].is_finished() and not state.pod_manager[uid]


def is_not_started_again(state: Kubelet, uid: Uid) -> bool:
    status, pod = state.pod_sync_statuses[uid], state.config[uid]
    is_wanted = state.pod_manager[uid] and pod.phase == Phase.RUNNING and not pod.deletion_timestamp
    return is_wanted and status.is_finished() and not status.evicted


def runs_without_worker(state: Kubelet, uid: Uid) -> bool:
    return state.containers[uid] and not state.pod_sync_statuses[uid].present


def is_waited_for(state: PodWorkersState, request: KillRequest) -> bool:
    return state.completed_channels[request] == Channel.OPEN


def is_to_be_told_by(state: PodWorkersState, request: KillRequest, uid: Uid) -> bool:
    status = state.pod_sync_statuses[uid]
    return is_waited_for(state, request) and status.notify_post_terminating[request] and not status.is_terminated()


def was_not_told_by(state: PodWorkersState, request: KillRequest, uid: Uid) -> bool:
    status = state.pod_sync_statuses[uid]
    return is_waited_for(state, request) and status.notify_post_terminating[request] and status.is_terminated()


def is_lost(state: PodWorkersState, request: KillRequest) -> bool:
    for uid in range(len(state.pod_sync_statuses)):
        if state.pod_sync_statuses[uid].notify_post_terminating[request]:
            return False
    return is_waited_for(state, request)


def is_to_leave_the_api_server(state: ReportedPods, uid: Uid) -> bool:
    pod = state.config[uid]
    return pod.exists and pod.deletion_timestamp and not state.layers[uid].object_is_deleted


WAITS = (
    Wait("worker {uid} waits for a token; its retry is gone", has_no_retry),
    Wait("worker {uid} waits for a token; its entry in the work queue is never taken", has_retry),
    Wait("worker {uid} waits to be scheduled", is_not_scheduled),
    Wait("worker {uid} waits for podCache.GetNewerThan to answer", waits_for_the_cache),
    Wait("worker {uid} waits for {call} to return", is_in_call),
    Wait("pod {uid} waits for its full name, which {other} has", waits_for_its_full_name),
    Wait("pod {uid} has no worker any more and is not finished", has_no_worker),
    Wait("pod {uid} is finished and waits to be forgotten", is_not_forgotten),
    Wait("pod {uid} is finished, has no worker any more and waits to start again", is_not_started_again),
    Wait("containers of {uid} run, and no worker knows of them", runs_without_worker),
    Wait("a killPodNow waits for CompletedCh {request}, which {uid} is to close", is_to_be_told_by),
    Wait(
        "a killPodNow waits for CompletedCh {request}, which {uid} left open when it ended, and will report "
        "ExceededGracePeriod",
        was_not_told_by,
    ),
    Wait(
        "a killPodNow waits for CompletedCh {request}, which nobody has any more, and will report ExceededGracePeriod",
        is_lost,
    ),
    Wait("the API server waits to be asked to delete the object of {uid}", is_to_leave_the_api_server),
)


def waits_of(model_class: type) -> dict[str, Callable[..., bool]]:
    """Those that make sense of a model, by what is said of them."""
    return {text: function for text, function in WAITS if issubclass(model_class, model_class_of(function))}
