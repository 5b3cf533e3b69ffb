"""What a scenario is: which pods there are, what may happen to them how often, and with which numbers."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any, get_args, get_origin, get_type_hints

from podproof.model.containers import Containers
from podproof.model.core_v1 import RestartPolicy
from podproof.model.functions import kill_rule
from podproof.model.kubelet import Kubelet
from podproof.model.kuberuntime.kill_container import MINIMUM_GRACE_PERIOD_IN_SECONDS
from podproof.model.language import NIL, Array, Size, make
from podproof.model.notes import RUNTIME
from podproof.model.open import Open
from podproof.model.pod_layers import SIGKILL_EXIT_CODE, ContainerStop, PodLayers
from podproof.model.release import KubeletRelease, LayeredRelease
from podproof.model.sync_loop import DELETED, SyncLoop


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

    def __post_init__(self) -> None:
        _validate(self, PodDescription, "a pod")
        for text in (self.name, self.full_name):
            if not _NAME.fullmatch(text):
                raise ValueError(
                    f"a pod is called {text!r}; write small letters, digits and `-`, `.` or `_` between them"
                )


OF_CONTAINERS = ("restart_policy", "init_containers", "app_containers", "pre_stop_seconds", "sandbox_losses")
"""Fields of a scenario that no environment but `containers` reads."""
OF_SYNC_LOOP = ("room", "mirror_deletions", "relists_late", "idle_workers")
"""Those that no environment but `sync loop` reads."""
_NAME = re.compile("[a-z0-9]([-a-z0-9._]*[a-z0-9])?")
_LEAST = {"generations": 1, "app_containers": 1, "soft_eviction_seconds": -1000, "node_shutdown_seconds": -1000}
"""Where it is not 0; a kubelet's configuration may be negative."""
_MOST, _MOST_SECONDS = 1000, 100_000
ENDLESS = _MOST + 1
"""What a budget begins with that does not end; no run that is shown takes so many events."""


def _validate(thing: object, cls: type, of: str) -> None:
    """Raises ValueError for what is of another type than declared, or out of range."""
    for name, (kind, is_tuple) in _DECLARED[cls].items():
        value = getattr(thing, name)
        values = value if is_tuple and isinstance(value, tuple) else (value,)
        if name == "spec_seconds" and value is NIL:
            continue
        if is_tuple is not isinstance(value, tuple) or any(type(one) is not kind for one in values):
            wanted = f"a tuple of {kind.__name__}" if is_tuple else f"{kind.__name__}"
            raise ValueError(f"{name} of {of} is {value!r}; it takes {wanted}")
        least, most = _LEAST.get(name, 0), _MOST_SECONDS if name.endswith("seconds") else _MOST
        if kind is int and not all(least <= one <= most for one in values):
            raise ValueError(f"{name} of {of} is {value!r}; write whole numbers from {least:,} to {most:,}")


SECONDS = frozenset(
    (
        *("seconds", "optional_seconds", "optional_spec_seconds", "deletion_seconds", "open_deletions"),
        *("open_overrides", "elapsed_seconds", "pre_stop_seconds", "turn_seconds"),
    )
)
"""The domains of seconds. A proof is for every number from the least value of each on, not only for a scenario's."""


@dataclass(frozen=True)
class Scenario:
    """A bounded world. All seconds are whole; the spec's grace period is the same for every pod."""

    name: str
    environment: type[Kubelet] | type[Open] | type[Containers] | type[SyncLoop]
    pods: tuple[PodDescription, ...]
    updates: int = 0
    """How often a pod's spec may change; where it may, the objects of a pod are told apart by their revisions."""
    deletion_seconds: tuple[int, ...] = ()
    phase_changes: int = 0
    kills: int = 0
    rejections: int = 0
    restarts: int = 0
    outages: int = 0
    """How often the container runtime may be down: the sync loop stands still, or HandlePodCleanups ends early."""
    resets: int = 0
    """How often SyncPod may remove all containers of a pod to restart them (RestartAllContainers, since 1.36)."""
    spec_seconds: int = 30
    soft_eviction_seconds: int = 20
    only_soft_evictions: bool = False
    node_shutdown_seconds: int = 10
    restart_policy: RestartPolicy = RestartPolicy.ALWAYS
    """This and what follows is read only where there are containers."""
    init_containers: int = 0
    sidecars: int = 0
    """How many of the init containers restart, the last ones."""
    app_containers: int = 1
    pre_stop_seconds: tuple[int, ...] = ()
    """How long the preStop hook of the first regular container may take; empty where it has none."""
    sandbox_losses: int = 0
    record_losses: int = 0
    """How often the runtime's record of a container that ended is lost."""
    slow_patches: int = 0
    """How many PATCH the API server may take its time for."""
    room: int = 1
    """For how many pods the node has room. This and the next three are read only where there is the sync loop."""
    mirror_deletions: int = 0
    """How many mirror pods may be deleted by somebody else than the kubelet."""
    relists_late: bool = False
    """May a kubelet that restarts take events while PLEG's first relist still fills the cache?"""
    idle_workers: int = 0
    """How many pods, the last ones, have workers that never come to run: they are there to take up room."""
    endless: bool = False
    """May what may happen at all happen ever again? Of UPDATE and killPodNow, which are numbered, the counts stay.

    So does that one ADD of a pod from the API server, which gives no UID to a second pod.
    """
    generations: int = 1
    """How many goroutines of one UID may be alive at a time; a second one is cut off and reported as a bound hit."""
    by_default: bool = True
    """Is it part of a check that names no scenario?"""
    remark: str = ""
    """What the numbers do not say."""

    def __post_init__(self) -> None:
        _validate(self, Scenario, f"scenario {self.name!r}")
        names = [pod.name for pod in self.pods]
        if not names or len(set(names)) < len(names):
            raise ValueError(
                f"the pods of scenario {self.name!r} are {names}; write at least one, each of another name"
            )
        if self.environment is SyncLoop and len(self.full_names) < len(names):
            raise ValueError(
                f"pods of scenario {self.name!r} share a full name, and environment sync loop has one mirror pod for "
                "each static pod; give each a full name of its own"
            )

        if self.idle_workers > len(names):
            raise ValueError(
                f"idle_workers of scenario {self.name!r} is {self.idle_workers}, which has {len(names)} pods; "
                "write at most as many"
            )

    @property
    def environment_name(self) -> str:
        """What reports call the environment: that of `SyncLoop` is `sync loop`."""
        return re.sub("(?<=[a-z])(?=[A-Z])", " ", self.environment.__name__).lower()

    @property
    def summary(self) -> str:
        """All that bounds it, in the one line that every verdict quotes."""
        return f"{_pods(self.pods)}: {', '.join(_bounds(self))}"

    @property
    def full_names(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(pod.full_name for pod in self.pods))

    def budget_for(self, count: int) -> int:
        """What the budget begins with of events that the scenario has so many of."""
        return ENDLESS if self.endless and count else count

    def own_budgets(self, pod: PodDescription) -> tuple[int, int]:
        """What the budgets of a pod's ADDs and REMOVEs begin with.

        HandlePodCleanups calls it a major API violation where a pod of the API server is added again under its UID; a
        static pod is, whenever its manifest comes back.
        """
        if not pod.static and pod.adds <= 1:
            return pod.adds, pod.removes
        return self.budget_for(pod.adds), self.budget_for(pod.removes)

    @property
    def counts(self) -> Mapping[str, int]:
        """How often each kind of event may happen, by the budget's names, but for those that each pod has."""
        numbered = {"updates": self.updates, "kills": self.kills}
        changes = {"deletions": len(self.deletion_seconds), "phase_changes": self.phase_changes}
        others = {name: getattr(self, name) for name in ("rejections", "restarts", "outages", "resets")}
        if self.updates:  # Then each change has a revision.
            numbered |= changes
        else:
            others |= changes
        return {**numbered, **{name: self.budget_for(count) for name, count in others.items()}}

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
            "init_containers": self.init_containers,
            "containers": self.app_containers,
            "ephemeral_containers": 0,
            "sandboxes": 1,
        }

    @property
    def domains(self) -> Mapping[str, tuple[tuple[int, ...], Mapping[int, str]]]:
        """Values and their names, by the names of `Domain` annotations."""
        uids = {i: pod.name for i, pod in enumerate(self.pods)}
        names = dict(enumerate(self.full_names))
        nil = {NIL: "nil"}
        spec = 0 if self.spec_seconds == NIL else self.spec_seconds
        numbers = (*self.deletion_seconds, spec, self.soft_eviction_seconds, self.node_shutdown_seconds, 1)
        if self.environment is Containers:
            numbers = (*numbers, *self.pre_stop_seconds, MINIMUM_GRACE_PERIOD_IN_SECONDS)
        seconds = tuple(range(max(numbers) + 1))
        asked = range(min(0, *numbers), max(numbers) + 1)
        changes = self.updates + len(self.deletion_seconds) + self.phase_changes
        exit_codes = {code: str(code) for code in (0, 1, SIGKILL_EXIT_CODE)}
        losses = (self.sandbox_losses, self.record_losses, self.slow_patches)
        of_sync_loop = (self.room, self.mirror_deletions) if self.environment is SyncLoop else ()
        revision = max(changes if self.updates else 0, DELETED if self.environment is SyncLoop else 0)
        of_pods = (max(self.own_budgets(pod)) for pod in self.pods)
        most = max(*self.counts.values(), *losses, *of_sync_loop, *of_pods)
        return {
            "uids": (tuple(uids), uids),
            "optional_uids": ((NIL, *uids), nil | uids),
            "full_names": (tuple(names), names),
            "optional_full_names": ((NIL, *names), nil | names),
            "seconds": (seconds, {}),
            "optional_seconds": ((NIL, *asked), nil),
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
            "revisions": (tuple(range(1 + revision)), {}),
            "ticks": ((0,), {}),
            "kill_requests": (tuple(range(self.sizes["kill_requests"])), {}),
            "counts": (tuple(range(most + 1)), {}),
            "elapsed_seconds": (seconds, {}),
            "pre_stop_seconds": (self.pre_stop_seconds or (0,), {}),
            "turn_seconds": ((0, seconds[-1]) if self.sidecars else (0,), {}),
            "exit_codes": (tuple(exit_codes), exit_codes),
            "own_exit_codes": ((0, 1), {}),
            "optional_exit_codes": ((NIL, *exit_codes), nil | exit_codes),
            "init_container_indexes": (tuple(range(max(1, self.init_containers))), {}),
            "container_indexes": (tuple(range(self.app_containers)), {}),
            "optional_indexes": ((NIL, *range(max(1, self.init_containers))), nil),
            "attempts": ((0, 1), {}),
            "next_attempts": ((0, 1, 2), {}),
        }

    @property
    def interchangeable(self) -> tuple[Mapping[str, tuple[int, ...]], ...]:
        """Exchanges of two pods that differ in nothing but their names, by the names of sizes and domains."""
        exchanges = []
        for second, pod in enumerate(self.pods):
            alike = (i for i in reversed(range(second)) if self.is_like(self.pods[i], pod))
            first = next((i for i in alike if self.is_idle(i) == self.is_idle(second)), None)
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

    def is_idle(self, uid: int) -> bool:
        return uid >= len(self.pods) - self.idle_workers

    @property
    def parts(self) -> Sequence[str]:
        """The attributes by which a release names its own classes of the environment; the pod workers are none."""
        return _PARTS[self.environment]

    def is_for(self, version: type[KubeletRelease]) -> bool:
        """Is there a model of what the scenario is about for this version?"""
        if self.environment is Containers and not issubclass(version, LayeredRelease):
            return False
        if self.environment is SyncLoop and not hasattr(version, "sync_loop"):
            return False
        return not any(getattr(self, field) for field in version.lacks)

    def model_class(self, version: type[KubeletRelease]) -> type:
        """The environment around one version of the pod workers; a release names the kubelet it belongs to."""
        if self.environment is Containers:
            if not issubclass(version, LayeredRelease):
                raise TypeError(f"there is no model of the containers of {version.__name__}; ask is_for first")
            bases = (version.containers_environment, version.kubelet, version)
            of_a_pod = _layers_of(version)
            layers = Annotated[Array[of_a_pod], Size("uids")]  # type: ignore[valid-type]
            return dataclass(type(f"Containers_{version.__name__}", bases, {"__annotations__": {"layers": layers}}))
        if self.environment is SyncLoop:
            if not (issubclass(version, LayeredRelease) and hasattr(version, "sync_loop")):
                raise TypeError(f"there is no model of the sync loop of {version.__name__}; ask is_for first")
            return dataclass(type(f"SyncLoop_{version.__name__}", (version.sync_loop, version.kubelet, version), {}))
        environment: type = version.kubelet if self.environment is Kubelet else version.open
        # Again a dataclass, because the release may have fields of its own.
        return dataclass(type(f"{self.environment.__name__}_{version.__name__}", (environment, version), {}))

    def initial(self, cls: type) -> Any:
        """The initial state, as an object of `cls`."""
        state: Any = make(cls, self.sizes)
        for uid, pod in enumerate(self.pods):
            state.full_names[uid] = self.full_names.index(pod.full_name)
            state.find_running(uid, pod.running)
        _INITIAL[self.environment](self, state)
        return state


def _bounds(scenario: Scenario) -> Iterator[str]:
    """What there is and what may happen, and which numbers are not as usual."""
    graces = " or ".join(", ".join(map(str, scenario.deletion_seconds)).rsplit(", ", 1))
    if scenario.environment is Open:
        yield f"any UpdatePod (deletion grace {graces or 'unset'}) and SyncKnownPods at any time"
        yield _counted(scenario.kills, "kill request")
    else:
        counts = scenario.counts
        yield _own_events(scenario)
        if scenario.updates:
            yield _counted(scenario.updates, "UPDATE")
        if graces:
            yield f"{_counted(counts['deletions'], 'deletion')} with grace {graces}"
        if scenario.phase_changes:
            yield _counted(counts["phase_changes"], "terminal API phase")
        if scenario.rejections:
            yield _counted(counts["rejections"], "rejection")
        yield _counted(scenario.kills, "soft eviction" if scenario.only_soft_evictions else "killPodNow call")
        yield _counted(counts["restarts"], "kubelet restart")
        if scenario.outages:
            yield f"{_counted(counts['outages'], 'outage')} of the runtime"
        if scenario.resets:
            yield f"{_counted(counts['resets'], 'reset')} of all containers"
    if scenario.environment is Containers:
        yield from _container_bounds(scenario)
    if scenario.environment is SyncLoop:
        yield f"room for {_counted(scenario.room, 'pod')}"
        if scenario.mirror_deletions:
            yield _counted(scenario.mirror_deletions, "deletion") + " of mirror pods"
        if scenario.relists_late:
            yield "PLEG's first relist takes its time"
        if scenario.idle_workers:
            yield f"{_counted(scenario.idle_workers, 'worker')} that never runs"
        yield "no resizes, readiness gates or deadlines [A79]"
    if scenario.generations > 1:
        yield f"up to {scenario.generations} goroutines of one UID"
    for field in ("spec_seconds", "soft_eviction_seconds", "node_shutdown_seconds"):
        if (seconds := getattr(scenario, field)) != getattr(Scenario, field):
            yield f"{field.replace('_seconds', '').replace('_', ' ')} grace {'nil' if seconds == NIL else seconds}"
    if scenario.remark:
        yield scenario.remark


def _container_bounds(scenario: Scenario) -> Iterator[str]:
    """What the pods are made of."""
    yield f"restart policy {scenario.restart_policy.value}"
    if scenario.init_containers:
        sidecars = f", {scenario.sidecars} of them restarting" if scenario.sidecars else ""
        yield _counted(scenario.init_containers, "init container") + sidecars
    yield _counted(scenario.app_containers, "container")
    if scenario.pre_stop_seconds:
        yield f"a preStop hook of {' or '.join(map(str, scenario.pre_stop_seconds))} s"
    if scenario.sandbox_losses:
        yield f"the sandbox is lost at most {scenario.sandbox_losses} times"
    if scenario.record_losses:
        yield f"{_counted(scenario.record_losses, 'record')} of containers lost"
    if scenario.slow_patches:
        yield f"{_counted(scenario.slow_patches, 'PATCH')} that the API server takes its time for"


def _pods(pods: Sequence[PodDescription]) -> str:
    """How many of which kind: `2 static pods with 1 full name`."""
    kinds = Counter(f"{'static ' if pod.static else ''}pod" for pod in pods)
    text = " and ".join(_counted(number, kind) for kind, number in kinds.items())
    names = len({pod.full_name for pod in pods})
    if names < len(pods):
        text += f" with {_counted(names, 'full name')}"
    running = [pod.name for pod in pods if pod.running]
    if len(running) == len(pods):
        return f"{text} whose containers run at first"
    return f"{text}, and containers of {' and '.join(running)} run at first" if running else text


def _own_events(scenario: Scenario) -> str:
    """What the configuration may say of each pod: `1 ADD and 1 REMOVE each`."""
    told, pods = [], scenario.pods
    for pod in pods:
        adds, removes = scenario.own_budgets(pod)
        events = f"{_counted(adds, 'ADD')} and {_counted(removes, 'REMOVE')}".replace("and any number of ", "and ")
        told.append(f"{events}{' under one UID' if adds > 1 else ''}")
    if len(set(told)) == 1:
        return told[0] + (" each" if len(pods) > 1 else "")
    return ", ".join(f"{events} of {pod.name}" for pod, events in zip(pods, told, strict=True))


def _counted(number: int, noun: str) -> str:
    many = "any number of" if number == ENDLESS else number or "no"
    return f"{many} {noun}" + ("" if number < 2 else "s")


def _exchanged(count: int, first: int, second: int) -> tuple[int, ...]:
    """The numbers below `count`, two of them exchanged."""
    return tuple({first: second, second: first}.get(i, i) for i in range(count))


def _initial_kubelet(scenario: Scenario, state: Kubelet) -> None:
    state.sources_ready = True
    state.soft_eviction_seconds = scenario.soft_eviction_seconds
    state.node_shutdown_seconds = scenario.node_shutdown_seconds
    state.only_soft_evictions = scenario.only_soft_evictions
    state.tells_objects_apart = scenario.updates > 0
    for event, count in scenario.counts.items():
        setattr(state.budget, event, count)
    for uid, pod in enumerate(scenario.pods):
        state.config[uid].static = pod.static
        state.config[uid].termination_grace_period_seconds = scenario.spec_seconds
        state.budget.adds[uid], state.budget.removes[uid] = scenario.own_budgets(pod)


def _initial_open(scenario: Scenario, state: Open) -> None:
    state.termination_grace_period_seconds = scenario.spec_seconds
    state.kills = scenario.kills
    for uid, pod in enumerate(scenario.pods):
        state.static[uid] = pod.static


def _initial_containers(scenario: Scenario, state: Containers) -> None:
    _initial_kubelet(scenario, state)
    for uid, pod in enumerate(scenario.pods):
        layers = state.layers[uid]
        layers.runtime.restart_policy = scenario.restart_policy
        layers.runtime.sidecar_containers = True
        layers.status.restart_policy = scenario.restart_policy
        layers.status.is_static = pod.static
        layers.sandbox_losses = scenario.sandbox_losses
        layers.record_losses = scenario.record_losses
        layers.slow_patches = scenario.slow_patches
        for i in range(scenario.init_containers - scenario.sidecars, scenario.init_containers):
            layers.runtime.init_containers[i].restartable = True
            layers.status.init_containers[i].restartable_init = True
        layers.stops[0].has_pre_stop_hook = bool(scenario.pre_stop_seconds)


def _initial_sync_loop(scenario: Scenario, state: SyncLoop) -> None:
    _initial_kubelet(scenario, state)
    state.room = scenario.room
    state.mirror_deletions = scenario.mirror_deletions
    state.relists_late = scenario.relists_late
    for uid in range(len(scenario.pods)):
        state.idle[uid] = scenario.is_idle(uid)


def _layers_of(version: type[LayeredRelease]) -> type[PodLayers]:
    """The layers with the classes of a release."""
    stop = _stop_of(version)
    fields = {
        "runtime": Annotated[version.runtime_manager.decision, RUNTIME],
        "status": version.kubelet_pods.get_phase,
        "stops": Annotated[Array[stop], Size("containers")],  # type: ignore[valid-type]
        "init_stops": Annotated[Array[stop], Size("init_containers")],  # type: ignore[valid-type]
    }
    return dataclass(type(f"PodLayers_{version.__name__}", (PodLayers,), {"__annotations__": fields}))


def _stop_of(version: type[LayeredRelease]) -> type[ContainerStop]:
    fields = {"rule": kill_rule(version)}
    return dataclass(type(f"ContainerStop_{version.__name__}", (ContainerStop,), {"__annotations__": fields}))


_PARTS: Mapping[type, Sequence[str]] = {
    Kubelet: ["kubelet"],
    Open: ["open"],
    Containers: [
        "kubelet", "containers_environment", "kubelet_pods", "pod_syncer", "status_manager", "runtime_manager"
    ],
    SyncLoop: ["kubelet", "sync_loop"],
}  # fmt: skip
_INITIAL: Mapping[type, Callable[[Scenario, Any], None]] = {
    Kubelet: _initial_kubelet,
    Open: _initial_open,
    Containers: _initial_containers,
    SyncLoop: _initial_sync_loop,
}

_DECLARED: Mapping[type, Mapping[str, tuple[type, bool]]] = {
    cls: {
        name: (get_args(hint)[0] if get_origin(hint) is tuple else hint, get_origin(hint) is tuple)
        for name, hint in get_type_hints(cls).items()
        if name != "environment"
    }
    for cls in (PodDescription, Scenario)
}
"""The type of each field, and whether there is a tuple of it; the environment is looked at where a file is read."""
