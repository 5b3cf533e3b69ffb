"""Many pods at a time: scenarios side by side, and how the pods of one look to themselves.

Each member has full names of its own and a budget of its own for everything that happens to its pods; the kubelet, with
its restarts, is one for all. What is said here is checked, not believed: see `checker/locality.py`.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Annotated, Any

from podproof.model.kubelet import Budget, Chore, Housekeeping, Kubelet
from podproof.model.language import CONSTANT, NIL, Array, Domain, Size
from podproof.model.notes import QUIET
from podproof.model.release import KubeletRelease
from podproof.model.scenarios import SCENARIOS, PodDescription, Scenario
from podproof.model.state import OptionalKillRequest

Member = Annotated[int, Domain("members")]
_SUMMED = ("updates", "resets", "phase_changes", "kills", "rejections")
OWN_COUNTERS = ("deletions", *_SUMMED)
"""What of `Budget` each member has for itself, so that nothing of it is left to all."""


@dataclass
class Members:
    """Which pods belong together, and what may still happen to them."""

    member_of: Annotated[Array[Member], Size("uids"), CONSTANT]
    budgets: Annotated[Array[Budget], Size("members"), QUIET]
    last_kill_request: Annotated[Array[OptionalKillRequest], Size("members"), CONSTANT]
    """The highest number of a kill request about a pod of the member."""

    def budget_of(self, uid: int) -> Budget:
        return self.budgets[self.member_of[uid]]

    def next_kill_request(self, uid: int) -> int:
        member = self.member_of[uid]
        return self.last_kill_request[member] + 1 - self.budgets[member].kills


@dataclass(frozen=True)
class Crowd(Scenario):
    """The pods of several scenarios, as `crowd` puts them together."""

    members: tuple[Scenario, ...] = ()
    waiting: int = 0
    """How many places there are in each line of static pods."""
    among: tuple[Scenario, ...] = ()
    """Of a member by itself: all that it was taken from, whose numbers it has."""

    def __post_init__(self) -> None:
        super().__post_init__()
        for name, value in _made_of(self.members, self.among or self.members).items():
            if getattr(self, name) != value:
                raise ValueError(
                    f"{name} of scenario {self.name!r} is not what its members make of it; change the members, and "
                    "write crowd(…) of them"
                )

    @property
    def summary(self) -> str:
        members = Counter((member.name, member.summary) for member in self.members)
        return "; ".join(f"{number} x {name}, {summary}" for (name, summary), number in members.items())

    @property
    def sizes(self) -> Mapping[str, int]:
        requests = sum(member.sizes["kill_requests"] for member in self.members)
        return {**super().sizes, "members": len(self.members), "waiting": self.waiting, "kill_requests": requests}

    @property
    def domains(self) -> Mapping[str, tuple[tuple[int, ...], Mapping[int, str]]]:
        domains, sizes = super().domains, self.sizes
        requests = tuple(range(sizes["kill_requests"]))
        return {
            **domains,
            "members": (tuple(range(sizes["members"])), {}),
            "waiting_lengths": (tuple(range(1 + sizes["waiting"])), {}),
            "kill_requests": (requests, {}),
            "optional_kill_requests": ((NIL, *requests), domains["optional_kill_requests"][1]),
        }

    def names_of(self, number: int) -> dict[str, tuple[int, ...]]:
        """What a member, its pods, full names and kill requests are called among all, by size and domain."""
        names: dict[str, tuple[int, ...]] = {"members": (number,)}
        for size in ("uids", "full_names", "kill_requests"):
            first = sum(member.sizes[size] for member in self.members[:number])
            names[size] = names[f"optional_{size}"] = tuple(range(first, first + self.members[number].sizes[size]))
        return names

    def alone(self, number: int) -> Crowd:
        """One member by itself, on the same node with the same numbers of seconds."""
        member = self.members[number]
        pods = tuple(_named(pod, 0) for pod in member.pods)
        return replace(self, name=member.name, members=(member,), pods=pods, among=self.among or self.members)

    def model_class(self, version: type[KubeletRelease]) -> type:
        return dataclass(type(f"Crowd_{version.__name__}", (Members, super().model_class(version)), {}))

    def initial(self, cls: type) -> Any:
        state = super().initial(cls)
        for number, member in enumerate(self.members):
            state.last_kill_request[number] = self.names_of(number)["kill_requests"][-1]
            counts = {counter: getattr(member, counter) for counter in _SUMMED}
            for counter, count in {**counts, "deletions": len(member.deletion_seconds)}.items():
                setattr(state.budgets[number], counter, count)
                setattr(state.budget, counter, 0)
            for uid in self.names_of(number)["uids"]:
                state.member_of[uid] = number
        return state


_OF_A_MEMBER = ("name", "pods", "deletion_seconds", *_SUMMED, "by_default", "remark")
"""The rest of a scenario belongs to the kubelet, so all members have the same."""


def crowd(*members: Scenario, name: str = "") -> Crowd:
    """Scenarios side by side. Raises ValueError where they differ in what belongs to the kubelet."""
    values = _made_of(members, members)
    name, by_default = name or " and ".join(member.name for member in members), all(m.by_default for m in members)
    return Crowd(name=name, members=members, by_default=by_default, **values)


def _made_of(members: Sequence[Scenario], among: Sequence[Scenario]) -> dict[str, Any]:
    """The fields of a crowd of these members, with the numbers of those among which they are. Raises ValueError."""
    if not members:
        raise ValueError("a crowd has no members; write crowd(scenario, …)")
    for member in among:
        if not isinstance(member, Scenario) or isinstance(member, Crowd):
            raise ValueError(f"a crowd's member is {getattr(member, 'name', member)!r}; name scenarios, and no crowds")
    first = among[0]
    shared = {field.name: getattr(first, field.name) for field in fields(Scenario) if field.name not in _OF_A_MEMBER}
    for member, (name, value) in itertools.product(among, shared.items()):
        if getattr(member, name) != value:
            raise ValueError(
                f"{name} of {first.name} is {value}, and of {member.name} {getattr(member, name)}; on one node all "
                "have the same"
            )
    return {
        **shared,
        "pods": tuple(_named(pod, number) for number, member in enumerate(members) for pod in member.pods),
        "deletion_seconds": tuple(seconds for member in among for seconds in member.deletion_seconds),
        **{counter: sum(getattr(member, counter) for member in among) for counter in _SUMMED},
        "waiting": max(member.sizes["waiting"] for member in among),
    }


def _named(pod: PodDescription, number: int) -> PodDescription:
    return replace(pod, name=f"{pod.name}-{number}", full_name=f"{number}-{pod.full_name}")


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


def kills_are_in_the_budget(state: Members, member: int, most: int) -> bool:
    """No member has more calls of killPodNow left than it began with, so each has a number of its own."""
    return state.budgets[member].kills <= most


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

_REGULAR = replace(SCENARIOS["killed-and-restarted"], name="regular-pod", deletion_seconds=(5,), phase_changes=1)
_PAIR = replace(SCENARIOS["static-pair-restart"], name="static-pair", kills=1)
NODES: Mapping[str, Crowd] = {"node": crowd(*(_REGULAR,) * 6, *(_PAIR,) * 2, name="node")}
"""Scenarios with more pods than can be explored, decided by their members; looked into only where they are named."""
