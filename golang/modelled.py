"""The Go functions beside the pod workers that are read, and what of the model each is compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from podproof.model.kuberuntime.kill_container import KillContainer, KillContainerCall


def _as_it_is(cls: type) -> type:
    return cls


def _kill_container_call(cls: type) -> type | None:
    """Releases before 1.28 have another order of override and preStop."""
    return KillContainerCall if cls is KillContainer else None


@dataclass(frozen=True)
class ModelledFunction:
    """A Go function that a method of the model does, whose base is the class of a function of `model/functions.py`."""

    name: str
    """As the Go has it."""
    group: str
    """As `podproof prove --scenario` has it."""
    method: str
    vocabulary: str
    parameters: tuple[tuple[str, str, str], ...]
    """Type, meaning and kind of each but loggers; releases may leave out the last ones."""
    result: tuple[str, str]
    """The type of the answer, and its kind."""
    gates: Mapping[str, str]
    """Feature gate -> the release since which it is on by default."""
    header: str
    inputs: str
    """What the input is, but for the lengths of lists."""
    receiver: str = ""
    """The type whose method it is; empty for a function."""
    cls_of: Callable[[type], type | None] = _as_it_is
    """The class that is compared, of that of a release; none where the release is not to be compared with."""
    domains: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """What is asked besides that of the claims."""


GET_PHASE = ModelledFunction(
    "getPhase",
    "get-phase",
    "get_phase",
    "get_phase.vocabulary",
    (
        ("*v1.Pod", "self", "pod"),
        ("[]v1.ContainerStatus", "self", "statuses"),
        ("bool", "self.pod_is_terminal", "bool"),
        ("bool", "self.pod_has_initialized", "bool"),
    ),
    ("v1.PodPhase", "phase"),
    {"SidecarContainers": "1.29", "ContainerRestartRules": "1.35", "RestartAllContainersOnContainerExits": "1.36"},
    "from podproof.model.core_v1 import PodPhase, RestartPolicy, Started, StateOf\n"
    "from podproof.model.language import NIL, out_of_bounds\n",
    "at most one status by each name, with at most one state set, exit codes from 0 to 2^31 - 1",
)
KILL_CONTAINER = ModelledFunction(
    "killContainer",
    "kill-container",
    "kill",
    "kill_container.vocabulary",
    (
        ("*v1.Pod", "self.pod_is_nil", "pod_or_nil"),
        ("kubecontainer.ContainerID", "_", "id"),
        ("string", "_", "name"),
        ("string", "self.has_message", "text"),
        ("containerKillReason", "self.reason", "reason"),
        ("*int64", "self.grace_period_override", "optional"),
        ("*terminationOrdering", "not self.has_ordering", "ordering_or_nil"),
    ),
    ("error", "error"),
    {},
    "from podproof.model.kuberuntime.kill_container import MINIMUM_GRACE_PERIOD_IN_SECONDS, KillError\n"
    "from podproof.model.kuberuntime.records import ContainerKillReason\n"
    "from podproof.model.language import NIL, out_of_bounds\n",
    "any pod and container, also without a spec of them, periods of 0 to 2^62 seconds, whole seconds; compared are the "
    "timeout of StopContainer, how long it took until then, whether it is an error, and whether the others are told",
    "kubeGenericRuntimeManager",
    _kill_container_call,
    {"specs_missing": (0, 1)},
)
MODELLED: Mapping[str, ModelledFunction] = {one.name: one for one in (GET_PHASE, KILL_CONTAINER)}
"""By their Go names."""
BEYOND = "what the model does not have"
"""The bound at which a translation leaves an input of which the model knows too little."""
