"""The scenarios: which pods there are, what may happen to them how often, and with which numbers.

A scenario's `summary` is the one line that every verdict quotes as its bound.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from podproof.model.kubelet import Kubelet
from podproof.model.language import NIL, make
from podproof.model.open import Open
from podproof.model.releases import V1_29
from podproof.model.v1_20.release import V1_20


@dataclass(frozen=True)
class PodDescription:
    """A pod of a scenario. `name` stands for its UID in reports."""

    name: str
    full_name: str
    static: bool = False
    adds: int = 1
    removes: int = 1
    running: bool = False
    """Do containers of it run at the beginning, from an earlier life of the kubelet?"""


SECONDS = frozenset(
    ("seconds", "optional_seconds", "optional_spec_seconds", "deletion_seconds", "open_deletions", "open_overrides")
)
"""The domains of seconds. A proof is for every number from the least value of each on, not only for a scenario's."""


@dataclass(frozen=True)
class Scenario:
    """A bounded world. All seconds are whole; the spec's grace period is the same for every pod."""

    name: str
    summary: str
    environment: type[Kubelet] | type[Open]
    pods: tuple[PodDescription, ...]
    deletion_seconds: tuple[int, ...] = ()
    phase_changes: int = 0
    kills: int = 0
    rejections: int = 0
    restarts: int = 0
    spec_seconds: int = 30
    soft_eviction_seconds: int = 20
    node_shutdown_seconds: int = 10
    generations: int = 1
    """How many goroutines of one UID may be alive at a time; a second one is cut off and reported as a bound hit."""
    by_default: bool = True
    """Is it part of a check that names no scenario?"""

    @property
    def full_names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(pod.full_name for pod in self.pods))

    @property
    def sizes(self) -> Mapping[str, int]:
        """The array lengths, by the names of `Size` annotations."""
        return {
            "uids": len(self.pods),
            "full_names": len(self.full_names),
            "generations": self.generations,
            "goroutines": 2,
            "waiting": 1 + len(self.pods),
            "kill_requests": max(1, self.kills),
        }

    @property
    def domains(self) -> Mapping[str, tuple[tuple[int, ...], Mapping[int, str]]]:
        """Values and their names, by the names of `Domain` annotations."""
        uids = {i: pod.name for i, pod in enumerate(self.pods)}
        names = dict(enumerate(self.full_names))
        nil = {NIL: "nil"}
        numbers = (*self.deletion_seconds, self.spec_seconds, self.soft_eviction_seconds, self.node_shutdown_seconds, 1)
        seconds = tuple(range(max(numbers) + 1))
        counts = (len(self.deletion_seconds), self.phase_changes, self.kills, self.rejections, self.restarts)
        most = max(*counts, *(max(pod.adds, pod.removes) for pod in self.pods))
        return {
            "uids": (tuple(uids), uids),
            "optional_uids": ((NIL, *uids), nil | uids),
            "full_names": (tuple(names), names),
            "optional_full_names": ((NIL, *names), nil | names),
            "seconds": (seconds, {}),
            "optional_seconds": ((NIL, *seconds), nil),
            "optional_spec_seconds": ((NIL, *seconds), nil),
            "deletion_seconds": (self.deletion_seconds or (0,), {}),
            "open_deletions": ((NIL, *self.deletion_seconds), nil),
            "open_overrides": ((NIL, 0, self.node_shutdown_seconds), nil),
            "optional_kill_requests": ((NIL, *range(max(1, self.kills))), nil),
            "generations": (tuple(range(self.generations)), {}),
            "optional_generations": ((NIL, *range(self.generations)), nil),
            "goroutines": ((0, 1), {}),
            "optional_goroutines": ((NIL, 0, 1), nil),
            "waiting_lengths": (tuple(range(2 + len(self.pods))), {}),
            "revisions": ((0,), {}),
            "ticks": ((0,), {}),
            "counts": (tuple(range(most + 1)), {}),
        }

    @property
    def interchangeable(self) -> tuple[Mapping[str, tuple[int, ...]], ...]:
        """Exchanges of two pods that differ in nothing but their names, by the names of sizes and domains."""
        exchanges = []
        for second, pod in enumerate(self.pods):
            first = next((i for i in reversed(range(second)) if self.is_like(self.pods[i], pod)), None)
            if first is not None:
                uids = _exchanged(len(self.pods), first, second)
                names = [self.full_names.index(p.full_name) for p in (self.pods[first], pod)]
                full_names = _exchanged(len(self.full_names), *names)
                exchanges.append(
                    {"uids": uids, "optional_uids": uids, "full_names": full_names, "optional_full_names": full_names}
                )
        return tuple(exchanges)

    def is_like(self, first: PodDescription, second: PodDescription) -> bool:
        """Do two pods differ in nothing but their names? A full name is both's or nobody else's."""
        sharing = [pod for pod in self.pods if pod.full_name in (first.full_name, second.full_name)]
        own_names = first.full_name == second.full_name or len(sharing) == 2
        return own_names and replace(first, name=second.name, full_name=second.full_name) == second

    def model_class(self, version: type[V1_29] | type[V1_20]) -> type:
        """The environment around one version of the pod workers; a release names the kubelet it belongs to."""
        environment: type = self.environment
        if self.environment is Kubelet:
            environment = version.kubelet
        elif issubclass(version, V1_20):
            environment = version.open
        # Again a dataclass, because the release may have fields of its own.
        return dataclass(type(f"{self.environment.__name__}_{version.__name__}", (environment, version), {}))

    def initial(self, cls: type) -> Any:
        """The initial state, as an object of `cls`."""
        state: Any = make(cls, self.sizes)
        for uid, pod in enumerate(self.pods):
            state.full_names[uid] = self.full_names.index(pod.full_name)
            state.containers[uid] = pod.running
            state.relist(uid)
            if issubclass(cls, V1_20):
                state.resources[uid] = pod.running
        _INITIAL[self.environment](self, state)
        return state


def _exchanged(count: int, first: int, second: int) -> tuple[int, ...]:
    """The numbers below `count`, two of them exchanged."""
    return tuple({first: second, second: first}.get(i, i) for i in range(count))


def _initial_kubelet(scenario: Scenario, state: Kubelet) -> None:
    state.sources_ready = True
    state.soft_eviction_seconds = scenario.soft_eviction_seconds
    state.node_shutdown_seconds = scenario.node_shutdown_seconds
    state.budget.deletions = len(scenario.deletion_seconds)
    state.budget.phase_changes = scenario.phase_changes
    state.budget.kills = scenario.kills
    state.budget.rejections = scenario.rejections
    state.budget.restarts = scenario.restarts
    for uid, pod in enumerate(scenario.pods):
        state.config[uid].static = pod.static
        state.config[uid].termination_grace_period_seconds = scenario.spec_seconds
        state.budget.adds[uid] = pod.adds
        state.budget.removes[uid] = pod.removes


def _initial_open(scenario: Scenario, state: Open) -> None:
    state.termination_grace_period_seconds = scenario.spec_seconds
    state.kills = scenario.kills
    for uid, pod in enumerate(scenario.pods):
        state.static[uid] = pod.static


_INITIAL: Mapping[type, Callable[[Scenario, Any], None]] = {Kubelet: _initial_kubelet, Open: _initial_open}

_WEB = PodDescription("web", "web_default", removes=0)
_STATIC = PodDescription("static", "static-web_kube-system", static=True)
HISTORY: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        Scenario(
            name="lone-pod",
            summary="1 pod: 1 ADD, and nothing else happens to it",
            environment=Kubelet,
            pods=(_WEB,),
            by_default=False,
        ),
        Scenario(
            name="ended-pod",
            summary="1 pod: 1 ADD, 1 deletion with grace 5, 1 terminal API phase, 1 rejection, 1 kubelet restart",
            environment=Kubelet,
            pods=(_WEB,),
            deletion_seconds=(5,),
            phase_changes=1,
            rejections=1,
            restarts=1,
            by_default=False,
        ),
        Scenario(
            name="killed-pod",
            summary="1 pod: 1 ADD, 1 REMOVE, 1 killPodNow, no restart",
            environment=Kubelet,
            pods=(replace(_WEB, removes=1),),
            kills=1,
            by_default=False,
        ),
        Scenario(
            name="deleted-and-killed",
            summary="1 pod: 1 ADD, 1 deletion with grace 5, 1 killPodNow, no restart",
            environment=Kubelet,
            pods=(_WEB,),
            deletion_seconds=(5,),
            kills=1,
            by_default=False,
        ),
        Scenario(
            name="deleted-twice-and-killed",
            summary="1 pod: 1 ADD, deletions with grace 5 and 0, 1 killPodNow, no restart",
            environment=Kubelet,
            pods=(_WEB,),
            deletion_seconds=(5, 0),
            kills=1,
            by_default=False,
        ),
        Scenario(
            name="orphan-added",
            summary="1 pod whose containers run without configuration at first: 1 ADD, 1 killPodNow, no restart",
            environment=Kubelet,
            pods=(replace(_WEB, running=True),),
            kills=1,
            by_default=False,
        ),
        Scenario(
            name="static-added-again",
            summary="1 static pod: 2 ADDs and 1 REMOVE under one UID, no kill, no restart",
            environment=Kubelet,
            pods=(replace(_STATIC, adds=2),),
            by_default=False,
        ),
        Scenario(
            name="static-rejected",
            summary="1 static pod: 1 ADD, 1 rejection, no restart",
            environment=Kubelet,
            pods=(replace(_STATIC, removes=0),),
            rejections=1,
            by_default=False,
        ),
        Scenario(
            name="static-successor",
            summary="2 static pods with one full name: 1 ADD each, 1 REMOVE of the old one, no kill, no restart",
            environment=Kubelet,
            pods=(replace(_STATIC, name="old"), replace(_STATIC, name="new", removes=0)),
            by_default=False,
        ),
        Scenario(
            name="static-waiting",
            summary="2 static pods with one full name: 1 ADD each, 1 killPodNow, no restart",
            environment=Kubelet,
            pods=(replace(_STATIC, name="old", removes=0), replace(_STATIC, name="new", removes=0)),
            kills=1,
            by_default=False,
        ),
    )
}
"""Small worlds, each for some bugs of the past: nothing happens in them that these bugs do not need."""

SCENARIOS: Mapping[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        Scenario(
            name="one-pod",
            summary="1 pod: 1 ADD, 1 REMOVE, deletions with grace 5 and 0, "
            "1 terminal API phase, 1 killPodNow, no restart",
            environment=Kubelet,
            pods=(PodDescription("web", "web_default"),),
            deletion_seconds=(5, 0),
            phase_changes=1,
            kills=1,
        ),
        Scenario(
            name="one-pod-restart",
            summary="1 pod: 1 ADD, 1 REMOVE, 1 deletion with grace 5, "
            "1 terminal API phase, 1 rejection, 1 kubelet restart",
            environment=Kubelet,
            pods=(PodDescription("web", "web_default"),),
            deletion_seconds=(5,),
            phase_changes=1,
            rejections=1,
            restarts=1,
        ),
        Scenario(
            name="uid-reuse",
            summary="1 static pod: 2 ADDs and 2 REMOVEs under one UID, 1 killPodNow, no restart",
            environment=Kubelet,
            pods=(PodDescription("static", "static-web_kube-system", static=True, adds=2, removes=2),),
            kills=1,
        ),
        Scenario(
            name="static-removed",
            summary="1 static pod: 1 ADD, 1 REMOVE, 1 kubelet restart",
            environment=Kubelet,
            pods=(_STATIC,),
            restarts=1,
        ),
        Scenario(
            name="static-pair",
            summary="2 static pods with one full name: 1 ADD and 1 REMOVE each, 1 killPodNow, no restart",
            environment=Kubelet,
            pods=(
                PodDescription("old", "static-web_kube-system", static=True),
                PodDescription("new", "static-web_kube-system", static=True),
            ),
            kills=1,
        ),
        Scenario(
            name="evict-and-delete",
            summary="1 pod: 1 ADD, 1 REMOVE, deletions with grace 45, 5 and 1, 2 killPodNow, no restart",
            environment=Kubelet,
            pods=(PodDescription("web", "web_default"),),
            deletion_seconds=(45, 5, 1),
            kills=2,
        ),
        Scenario(
            name="orphan",
            summary="1 pod whose containers run without configuration at first: 1 ADD, "
            "1 REMOVE, 1 killPodNow, no restart",
            environment=Kubelet,
            pods=(PodDescription("web", "web_default", running=True),),
            kills=1,
        ),
        Scenario(
            name="two-pods",
            summary="2 pods that differ in nothing but their names: 1 ADD and 1 REMOVE each, no kill, no restart",
            environment=Kubelet,
            pods=(PodDescription("left", "left_default"), PodDescription("right", "right_default")),
        ),
        Scenario(
            name="two-goroutines",
            summary="as uid-reuse, and a goroutine may sleep until its UID is added again: 2 goroutines of one UID",
            environment=Kubelet,
            pods=(PodDescription("static", "static-web_kube-system", static=True, adds=2, removes=2),),
            kills=1,
            generations=2,
            by_default=False,
        ),
        Scenario(
            name="three-pods",
            summary="3 pods that differ in nothing but their names: 1 ADD each, no REMOVE, no kill, no restart",
            environment=Kubelet,
            pods=tuple(PodDescription(name, f"{name}_default", removes=0) for name in ("red", "green", "blue")),
            by_default=False,
        ),
        Scenario(
            name="open-pod",
            summary="1 static pod: any UpdatePod and SyncKnownPods at any time, deletion grace 0 or 5, 1 kill request",
            environment=Open,
            pods=(PodDescription("static", "static-web_kube-system", static=True),),
            deletion_seconds=(5, 0),
            kills=1,
            by_default=False,
        ),
    )
} | HISTORY
