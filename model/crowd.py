"""Many pods at a time: scenarios side by side, and how the pods of one look to themselves.

Each member has full names of its own and a budget of its own for everything that happens to its pods; the kubelet, with
its restarts, is one for all. What is said here is checked, not believed: see `checker/locality.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from podproof.model.kubelet import Chore, Housekeeping, Kubelet
from podproof.model.language import NIL
from podproof.model.scenarios import PodDescription, Scenario


@dataclass(frozen=True)
class Crowd(Scenario):
    """The pods of several scenarios; the line of each full name has the places that it has in the first scenario."""

    waiting: int = 0

    @property
    def sizes(self) -> Mapping[str, int]:
        return {**super().sizes, "waiting": self.waiting}

    @property
    def domains(self) -> Mapping[str, tuple[tuple[int, ...], Mapping[int, str]]]:
        return {**super().domains, "waiting_lengths": (tuple(range(1 + self.waiting)), {})}


def crowd(*members: Scenario) -> Crowd:
    """Scenarios side by side; what belongs to the kubelet and not to its pods is as in the first one."""
    first = members[0]
    values = {field.name: getattr(first, field.name) for field in fields(Scenario)}
    values.update(
        name=" and ".join(member.name for member in members),
        pods=tuple(_named(pod, number) for number, member in enumerate(members) for pod in member.pods),
        deletion_seconds=tuple(seconds for member in members for seconds in member.deletion_seconds),
        phase_changes=sum(member.phase_changes for member in members),
        kills=sum(member.sizes["kill_requests"] for member in members),
        rejections=sum(member.rejections for member in members),
    )
    return Crowd(**values, waiting=first.sizes["waiting"])


def _named(pod: PodDescription, number: int) -> PodDescription:
    return replace(pod, name=f"{pod.name}-{number}", full_name=f"{number}-{pod.full_name}")


OWN_COUNTERS = ("budget.deletions", "budget.phase_changes", "budget.kills", "budget.rejections")
"""What a member counts for itself."""


# -- how a member looks to itself: its pods are those from `first` on, `count` of them ---------------------------------


def housekeeping_as_seen(state: Kubelet, first: int, count: int) -> Housekeeping:
    """Where the pass stands for these pods: over as soon as it has nothing left to do for them."""
    for uid in range(len(state.known_pods)):
        if first <= uid < first + count:
            if state.housekeeping == Housekeeping.SYNCED and not state.known_pods[uid]:
                return Housekeeping.SYNCED
            if state.housekeeping == Housekeeping.CHORES and state.chores[uid] != Chore.NONE:
                return Housekeeping.CHORES
    return Housekeeping.IDLE


def known_pod_as_seen(state: Kubelet, first: int, count: int, uid: int) -> bool:
    """SyncKnownPods' result is forgotten at once by a pass that has nothing left to do."""
    return state.known_pods[uid] and housekeeping_as_seen(state, first, count) == Housekeeping.SYNCED


def next_kill_request(state: Kubelet) -> int:
    return len(state.completed_channels) - state.budget.kills


# -- what keeps members apart, in every reachable state ----------------------------------------------------------------


def housekeeping_is_where_it_says(state: Kubelet) -> bool:
    """Pods are known between SyncKnownPods and the list of running pods, and chores are there after it."""
    for uid in range(len(state.known_pods)):
        if state.known_pods[uid] and state.housekeeping != Housekeeping.SYNCED:
            return False
        if state.chores[uid] != Chore.NONE and state.housekeeping != Housekeeping.CHORES:
            return False
    return True


def forgotten_pods_leave_nothing(state: Kubelet) -> bool:
    """A pod without history has made no progress."""
    for uid in range(len(state.pod_sync_statuses)):
        status = state.pod_sync_statuses[uid]
        if not status.present and (status.started_at or status.terminating_at or status.terminated_at):
            return False
        if not status.present and (status.started_terminating or status.finished):
            return False
    return True


def lines_have_no_gaps(state: Kubelet) -> bool:
    """The pods that wait for a full name come first in its line, and nothing comes after them."""
    for full_name in range(len(state.waiting_to_start_static_pods)):
        line = state.waiting_to_start_static_pods[full_name]
        for i in range(len(line.uids)):
            if (i < line.length) != (line.uids[i] != NIL):
                return False
    return True


def names_have_their_own_pods(state: Kubelet) -> bool:
    """A full name is held by a pod that has it, and such pods alone wait for it."""
    for full_name in range(len(state.started_static_pods)):
        for uid in range(len(state.full_names)):
            if state.full_names[uid] != full_name:
                if state.started_static_pods[full_name] == uid:
                    return False
                for i in range(len(state.waiting_to_start_static_pods[full_name].uids)):
                    if state.waiting_to_start_static_pods[full_name].uids[i] == uid:
                        return False
    return True


def requests_are_about_their_own_pods(state: Kubelet, request: int, first: int, count: int, own: bool) -> bool:
    """A kill request of a member is remembered by no pod of another one."""
    for uid in range(len(state.pod_sync_statuses)):
        if (first <= uid < first + count) != own:
            status = state.pod_sync_statuses[uid]
            if status.notify_post_terminating[request] or status.status_post_terminating[request]:
                return False
            pending = status.pending_update.kill_pod_options
            active = status.active_update.kill_pod_options
            if pending.completed_ch == request or pending.pod_status_func == request:
                return False
            if active.completed_ch == request or active.pod_status_func == request:
                return False
            for generation in range(len(state.workers[uid])):
                if state.workers[uid][generation].pod_status_func == request:
                    return False
    return True


INVARIANTS = (
    housekeeping_is_where_it_says,
    forgotten_pods_leave_nothing,
    lines_have_no_gaps,
    names_have_their_own_pods,
)
