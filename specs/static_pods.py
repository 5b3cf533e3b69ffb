"""Static pods: one at a time of each full name, and the line of those that wait."""

from __future__ import annotations

from podproof.model.kubelet import Kubelet
from podproof.model.language import NIL
from podproof.model.node import Node
from podproof.model.state import Position
from podproof.specs.claim import FINISHED_WHILE_RUNNING, FORGETS_IDLE_PODS, KILLED_WAITING, Harm, broken, claim
from podproof.specs.steps import enters, has_restarted, leaves


@claim(
    "always",
    "kubernetes/kubernetes#97722, #104743",
    violations=(
        broken(
            "static pods of one full name do not wait for each other",
            by="kubernetes/kubernetes#97722, #104743",
            until="1.22.5",
            scenarios=("static-pair", "static-pair-restart", "static-successor", "static-waiting"),
        ),
    ),
    wrong="{first} and {second} have one full name, and both are started and not finished",
)
def one_static_pod_per_full_name(state: Node) -> bool:
    """At most one static pod of a full name is started and not finished.

    Two would write the same mirror pod and use the same host ports and paths.
    """
    for first in range(len(state.pod_sync_statuses)):
        for second in range(first + 1, len(state.pod_sync_statuses)):
            if state.full_names[first] == state.full_names[second]:
                if is_running_static_pod(state, first) and is_running_static_pod(state, second):
                    return False
    return True


def is_running_static_pod(state: Node, uid: int) -> bool:
    status = state.pod_sync_statuses[uid]
    return status.started_at and not status.finished and state.is_static_pod(uid)


@claim(
    "always",
    "UpdatePod, where it makes the pod's channel, and allowStaticPodStart",
    violations=(FORGETS_IDLE_PODS,),
    needs=("allow_static_pod_start",),
    wrong="{uid} waits to start and is not in the line of its full name",
)
def waiting_static_pods_are_in_line(state: Node) -> bool:
    """A static pod that has not been started and can still start is in the line of its full name.

    Without a place in the line it is overtaken by every pod that has one.
    """
    for uid in range(len(state.pod_sync_statuses)):
        status = state.pod_sync_statuses[uid]
        waits = status.present and state.is_static_pod(uid) and not status.terminating_at
        if waits and not status.started_at and not is_in_line(state, uid):
            return False
    return True


def is_in_line(state: Node, uid: int) -> bool:
    line = state.waiting_to_start_static_pods[state.full_names[uid]]
    for i in range(len(line.uids)):
        if i < line.length and line.uids[i] == uid:
            return True
    return False


@claim(
    "always",
    "allowStaticPodStart and the releases of startedStaticPodsByFullname",
    violations=(FORGETS_IDLE_PODS,),
    needs=("allow_static_pod_start",),
    wrong=(
        "{uid} holds full name {full_name}: known {status.present}, started {status.started_at}, "
        "finished {status.finished}"
    ),
)
def started_static_pod_is_known(state: Node) -> bool:
    """The static pod that holds a full name is known, started and not finished.

    A name held by a pod that is gone blocks every successor.
    """
    for full_name in range(len(state.started_static_pods)):
        for uid in range(len(state.pod_sync_statuses)):
            if state.started_static_pods[full_name] == uid:
                status = state.pod_sync_statuses[uid]
                if not status.present or not status.started_at or status.finished:
                    return False
                if state.full_names[uid] != full_name:
                    return False
    return True


@claim(
    "step",
    'comment in podWorkerLoop: static pods "start in the order they are received"',
    violations=(KILLED_WAITING,),
    needs=("allow_static_pod_start",),
    wrong="{winner} got full name {full_name} before {first}, which stood first in the line",
)
def static_pods_start_in_order(before: Node, after: Node) -> bool:
    """A full name goes to the first of its waiting static pods that can still start."""
    for full_name in range(len(before.started_static_pods)):
        winner = after.started_static_pods[full_name]
        if before.started_static_pods[full_name] == NIL and winner != NIL:
            first = first_waiting(before, full_name)
            if first != NIL and first != winner:
                return False
    return True


def first_waiting(state: Node, full_name: int) -> int:
    """The first UID in the line that is neither gone nor terminating; NIL for none."""
    line = state.waiting_to_start_static_pods[full_name]
    for i in range(len(line.uids)):
        if i < line.length and can_still_start(state, line.uids[i]):
            return line.uids[i]
    return NIL


def can_still_start(state: Node, uid: int) -> bool:
    """Is a waiting UID neither gone nor terminating?"""
    return state.pod_sync_statuses[uid].present and not state.pod_sync_statuses[uid].terminating_at


@claim(
    "step",
    "allowStaticPodStart, and the comment in podWorkerLoop on the order of static pods",
    needs=("allow_static_pod_start",),
    harm=Harm.BOOKKEEPING,
    wrong="the line for full name {full_name} has lost its order",
)
def waiting_static_pods_keep_their_place(before: Kubelet, after: Kubelet) -> bool:
    """A line of waiting static pods grows at its end and shrinks at its front, by pods that start or cannot start.

    A pod that lost its place would be overtaken.
    """
    for full_name in range(len(before.waiting_to_start_static_pods)):
        if not has_restarted(before, after) and not keeps_order(before, after, full_name):
            return False
    return True


def keeps_order(before: Kubelet, after: Kubelet, full_name: int) -> bool:
    """Is the line after the step what is left of the one before, with one pod more at most?"""
    old = before.waiting_to_start_static_pods[full_name]
    new = after.waiting_to_start_static_pods[full_name]
    for left in range(len(old.uids) + 1):
        if left <= old.length and old.length - left <= new.length <= old.length - left + 1:
            same = True
            for i in range(len(old.uids)):
                if left <= i < old.length and old.uids[i] != new.uids[i - left]:
                    same = False
                if i < left and not may_leave(before, after, full_name, old.uids[i]):
                    same = False
            if same:
                return True
    return False


def may_leave(before: Kubelet, after: Kubelet, full_name: int, uid: int) -> bool:
    """Does the pod start in this step, or could it not start any more?"""
    return after.started_static_pods[full_name] == uid or not can_still_start(before, uid)


@claim(
    "step",
    "allowStaticPodStart; kubernetes/kubernetes#107733, #107900",
    violations=(KILLED_WAITING,),
    needs=("allow_static_pod_start",),
    wrong="{uid} is first in the line for its free full name, and is told to wait",
)
def the_first_waiting_static_pod_may_start(before: Node, after: Node) -> bool:
    """The first static pod in line that can still start is not told to wait while its full name is free.

    A pod before it that was killed while it waited blocks it otherwise.
    """
    for uid in range(len(before.pod_sync_statuses)):
        full_name = before.full_names[uid]
        if before.started_static_pods[full_name] == NIL and first_waiting(before, full_name) == uid:
            if enters(before, after, uid, Position.RECEIVING):
                return False
    return True


@claim(
    "step",
    "cleanupUnstartedPod; SyncTerminatingPod in kubelet.go: a running container after the kill is an error",
    ("static-pair-restart",),
    (FINISHED_WHILE_RUNNING,),
    ("allow_static_pod_start",),
    wrong="{uid} waited to start and is terminated while its containers run",
)
def waiting_static_pods_are_stopped_before_they_are_terminated(before: Node, after: Node) -> bool:
    """A static pod that waits because another one has its full name is not terminated while containers of it run.

    They run since before a restart of the kubelet, and now beside those of the other pod. Nothing of it takes a race:
    its worker has run and was told to wait.
    """
    for uid in range(len(before.pod_sync_statuses)):
        taken = before.started_static_pods[before.full_names[uid]] not in (NIL, uid)
        if leaves(before, after, uid, Position.TOKEN) and taken:
            if after.pod_sync_statuses[uid].terminated_at and after.containers[uid]:
                return False
    return True


@claim(
    "always",
    "allowStaticPodStart: who may start leaves the line",
    violations=(
        broken(
            "a UID that is added again while it stands in the line stands there twice",
            since="1.24.0",
            scenarios=(
                *("uid-reuse", "two-goroutines", "static-added-again", "open-pod", "removed-and-added"),
                *("added-during-outage", "overcommit", "static-moved-back"),
            ),
            with_more_events=("static-removed", "static-pair", "static-pair-restart"),
        ),
    ),
    needs=("allow_static_pod_start",),
    harm=Harm.BOOKKEEPING,
    wrong="{line.uids[0]} holds its full name and still is first in the line for it",
)
def started_static_pods_have_left_the_line(state: Node) -> bool:
    """The static pod that holds its full name is not first in the line of those that wait for it."""
    for name in range(len(state.started_static_pods)):
        line = state.waiting_to_start_static_pods[name]
        if line.length > 0 and line.uids[0] == state.started_static_pods[name]:
            return False
    return True
