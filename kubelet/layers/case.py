"""What the recordings of all layers share: how a case is told apart, and how the API objects are written in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from podproof.kubelet.replay import Shown
from podproof.model.core_v1 import (
    ApiPod,
    ConditionStatus,
    Container,
    ContainerRestartPolicy,
    ContainerRestartRule,
    ContainerRestartRuleAction,
    ContainerState,
    ContainerStatus,
    ExitCodesOperator,
    HookKind,
    LifecycleHook,
    PodCondition,
    PodPhase,
    PodSource,
    PodStatus,
    PullPolicy,
    RestartPolicy,
    Started,
    StateOf,
)
from podproof.model.language import NIL

Case = Mapping[str, Any]
"""A line of a recording, which follows the schema of its layer."""


class LayerStep(NamedTuple):
    """A step of a case: what happened, what was recorded of it, and what the model shows."""

    event: str
    recorded: Any
    model: Any


@dataclass(frozen=True)
class Layer:
    """A function around the pod worker whose recordings can be replayed."""

    function: str
    """As Go calls it."""
    keys: frozenset[str]
    """What every line of its recordings has; no line of another layer has all of them and none of `without`."""
    parts: tuple[str, ...]
    """What of a release models it: the names of its attributes."""
    replay: Callable[..., Iterator[LayerStep]]
    """The steps of a case on these parts of a release; one for a function without a memory."""
    without: frozenset[str] = frozenset()
    """What no line of its recordings has."""
    events: frozenset[str] = frozenset()
    """Where its keys are those of a trace of the pod workers: events of which its lines have one, and those none."""

    def is_of(self, line: Mapping[str, Any]) -> bool:
        if not self.keys <= line.keys() or self.without & line.keys():
            return False
        return not self.events or any(event in self.events for event in _events_of(line["steps"]))


def _events_of(steps: Any) -> Iterator[str]:
    """The names of the events of these steps, as far as they are some: no schema has been asked yet."""
    for step in steps if isinstance(steps, list) else ():
        event = step.get("op") if isinstance(step, Mapping) else None
        name = event.get("op") if isinstance(event, Mapping) else None
        if isinstance(name, str):
            yield name


# -- what a recording says -> the model's own --------------------------------------------------------------------------

_STATES = {"": StateOf.NONE, "w": StateOf.WAITING, "r": StateOf.RUNNING, "t": StateOf.TERMINATED}
_LETTERS = {state: letter for letter, state in _STATES.items()}
_STARTED = {None: Started.NIL, False: Started.NO, True: Started.YES}
_BOOLS = {started: value for value, started in _STARTED.items()}


def pod_of(pod: Mapping[str, Any]) -> ApiPod:
    return ApiPod(
        uid=pod.get("uid") or "",
        name=pod.get("name") or "",
        source=PodSource(pod.get("kind") or ""),
        deletion_timestamp=bool(pod.get("del")),
        deletion_grace_period_seconds=_number(pod.get("dg")),
        termination_grace_period_seconds=_number(pod.get("sg")),
        restart_policy=RestartPolicy(pod["rp"]),
        init_containers=init_containers_of(pod.get("init")),
        containers=containers_of(pod.get("ctr")),
        ephemeral_containers=containers_of(pod.get("eph")),
        readiness_gates=list(pod.get("gates") or ()),
        host_network=bool(pod.get("hn")),
        active_deadline_seconds=_number(pod.get("adl")),
        image_pull_secrets=list(pod.get("pull") or ()),
        status=status_of(pod.get("status") or {}),
    )


def containers_of(containers: Sequence[Mapping[str, Any]] | None) -> list[Container]:
    return [
        Container(
            name=c["n"],
            restartable_init=bool(c.get("side")),
            restart_policy=ContainerRestartPolicy("Always" if c.get("side") else c.get("crp") or ""),
            restart_policy_rules=[restart_rule_of(rule) for rule in c.get("rules") or ()],
            startup_probe=bool(c.get("sp")),
            readiness_probe=bool(c.get("rp")),
            liveness_probe=bool(c.get("lp")),
            startup_probe_seconds=_number(c.get("spg") if c.get("sp") else None),
            liveness_probe_seconds=_number(c.get("lpg") if c.get("lp") else None),
            image_pull_policy=PullPolicy(c.get("pull") or "IfNotPresent"),
            pre_stop=hook_of(c.get("pre")),
            post_start=hook_of(c.get("post")),
        )
        for c in containers or ()
    ]


def init_containers_of(containers: Sequence[Mapping[str, Any]] | None) -> list[Container]:
    """One with a policy Always of its own is a sidecar, however that is written. Go: IsRestartableInitContainer."""
    made = containers_of(containers)
    for container in made:
        container.restartable_init = container.restart_policy == ContainerRestartPolicy.ALWAYS
    return made


def restart_rule_of(rule: Mapping[str, Any]) -> ContainerRestartRule:
    return ContainerRestartRule(
        ContainerRestartRuleAction(rule["a"]), ExitCodesOperator(rule["op"]), tuple(rule.get("codes") or ())
    )


def hook_of(hook: Mapping[str, Any] | None) -> LifecycleHook | None:
    return LifecycleHook(HookKind(hook["k"]), hook.get("d") or 0, bool(hook.get("e"))) if hook is not None else None


def status_of(status: Mapping[str, Any]) -> PodStatus:
    return PodStatus(
        phase=PodPhase(status.get("ph") or ""),
        reason=status.get("re") or "",
        message=status.get("ms") or "",
        container_statuses=container_statuses_of(status.get("c")),
        init_container_statuses=container_statuses_of(status.get("i")),
        conditions=[condition_of(condition) for condition in status.get("cond") or ()],
        start_time=_number(status.get("t0")),
        pod_ip=status.get("ip") or "",
    )


def container_statuses_of(statuses: Sequence[Mapping[str, Any]] | None) -> list[ContainerStatus]:
    return [
        ContainerStatus(
            name=s["n"],
            state=ContainerState(_STATES[s.get("s") or ""], s.get("x") or 0, s.get("r") or "", s.get("m") or ""),
            last_termination_state=ContainerState(StateOf.TERMINATED, s["l"], s.get("lr") or "")
            if s.get("l") is not None
            else ContainerState(),
            restart_count=s.get("rc") or 0,
            ready=bool(s.get("rdy")),
            started=_STARTED[s.get("sta")],
            container_id=s.get("id") or "",
        )
        for s in statuses or ()
    ]


def condition_of(condition: Sequence[str]) -> PodCondition:
    kind, status, reason, message, *time = condition
    seconds = int(time[0]) if time else -1
    return PodCondition(kind, ConditionStatus(status), reason, message, NIL if seconds < 0 else seconds)


def _number(value: int | None) -> int:
    return NIL if value is None else value


# -- and back, without what is false, 0, empty or absent ---------------------------------------------------------------

_KEPT = ("l", "sta")
"""Go pointers: present and zero is not absent."""


def plain(recorded: Any) -> Any:
    """A recorded value without what Go would leave out."""
    if isinstance(recorded, Mapping):
        inner = {name: plain(value) for name, value in recorded.items()}
        return {name: value for name, value in inner.items() if value or (name in _KEPT and value is not None)}
    if isinstance(recorded, list):
        return [plain(value) for value in recorded]
    return recorded


def show_status(status: PodStatus, timed: bool = True) -> Shown:
    """A status as a recording has it; `timed`: with the times of the conditions."""
    shown: Shown = plain(
        {
            "ph": status.phase.value,
            "re": status.reason,
            "ms": status.message,
            "c": [show_container_status(s) for s in status.container_statuses],
            "i": [show_container_status(s) for s in status.init_container_statuses],
            "cond": [show_condition(condition, timed) for condition in status.conditions],
            "t0": None if status.start_time is NIL else status.start_time,
            "ip": status.pod_ip,
        }
    )
    return shown


def show_container_status(status: ContainerStatus) -> Shown:
    last = status.last_termination_state
    return {
        "n": status.name,
        "s": _LETTERS[status.state.of],
        "x": status.state.exit_code,
        "r": status.state.reason,
        "m": status.state.message,
        "l": last.exit_code if last.of == StateOf.TERMINATED else None,
        "lr": last.reason,
        "rc": status.restart_count,
        "rdy": status.ready,
        "sta": _BOOLS[status.started],
        "id": status.container_id,
    }


def show_condition(condition: PodCondition, timed: bool) -> list[str]:
    told = [condition.type, condition.status.value, condition.reason, condition.message]
    time = condition.last_transition_time
    return [*told, "-1" if time is NIL else str(time)] if timed else told
