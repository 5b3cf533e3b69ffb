"""The API objects of a pod, as far as the layers around the pod worker read them.

Go: k8s.io/api/core/v1. Times are seconds, NIL where they are not set. Names and texts are only ever compared. [A51]
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from podproof.model.language import NIL


class PodPhase(Enum):
    """v1.PodPhase; the pod worker itself tells three of them apart, `state.Phase`."""

    NONE = ""
    PENDING = "Pending"
    RUNNING = "Running"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"
    UNKNOWN = "Unknown"

    def is_terminal(self) -> bool:
        return self in (PodPhase.SUCCEEDED, PodPhase.FAILED)


class RestartPolicy(Enum):
    ALWAYS = "Always"
    ON_FAILURE = "OnFailure"
    NEVER = "Never"


class ContainerRestartPolicy(Enum):
    """v1.ContainerRestartPolicy: a container's own policy; NONE for Go's nil."""

    NONE = ""
    ALWAYS = "Always"
    ON_FAILURE = "OnFailure"
    NEVER = "Never"


class ContainerRestartRuleAction(Enum):
    """v1.ContainerRestartRuleAction; NONE where no rule matches an exit code."""

    NONE = "no rule matches"
    RESTART = "Restart"
    RESTART_ALL_CONTAINERS = "RestartAllContainers"


class PodSource(Enum):
    """Where the kubelet has a pod from. Go: IsStaticPod, IsMirrorPod of pkg/kubelet/types."""

    API = ""
    STATIC = "static"
    MIRROR = "mirror"


class ConditionStatus(Enum):
    TRUE = "True"
    FALSE = "False"
    UNKNOWN = "Unknown"


class StateOf(Enum):
    """Which of the three pointers of a v1.ContainerState is set."""

    NONE = ""
    WAITING = "waiting"
    RUNNING = "running"
    TERMINATED = "terminated"


class Started(Enum):
    """ContainerStatus.Started, a pointer to a bool."""

    NIL = "nil"
    NO = "false"
    YES = "true"


class ConditionType:
    """The conditions that the kubelet writes."""

    POD_SCHEDULED = "PodScheduled"
    READY = "Ready"
    INITIALIZED = "Initialized"
    CONTAINERS_READY = "ContainersReady"
    POD_READY_TO_START_CONTAINERS = "PodReadyToStartContainers"
    DISRUPTION_TARGET = "DisruptionTarget"


OWNED = (
    ConditionType.POD_SCHEDULED,
    ConditionType.READY,
    ConditionType.INITIALIZED,
    ConditionType.CONTAINERS_READY,
    ConditionType.POD_READY_TO_START_CONTAINERS,
)
"""Go: PodConditionsByKubelet of pkg/kubelet/types."""


@dataclass
class ContainerState:
    """One of the three, or none."""

    of: StateOf = StateOf.NONE
    exit_code: int = 0
    reason: str = ""
    message: str = ""
    """Of a waiting container."""


RESTARTING_ALL_CONTAINERS = "RestartingAllContainers"
"""The reason of a termination that removed a container for the sake of another one's rule."""
LOST = ContainerState(StateOf.TERMINATED, 137, "ContainerStatusUnknown")
"""The end of a container that began and that nobody saw end."""


@dataclass
class ContainerStatus:
    name: str
    state: ContainerState = field(default_factory=ContainerState)
    last_termination_state: ContainerState = field(default_factory=ContainerState)
    """Terminated or none: nothing else is ever put there."""
    restart_count: int = 0
    ready: bool = False
    started: Started = Started.NIL
    container_id: str = ""


@dataclass
class PodCondition:
    type: str
    status: ConditionStatus
    reason: str = ""
    message: str = ""
    last_transition_time: int = NIL


@dataclass
class PodStatus:
    phase: PodPhase = PodPhase.NONE
    reason: str = ""
    message: str = ""
    container_statuses: list[ContainerStatus] = field(default_factory=list)
    init_container_statuses: list[ContainerStatus] = field(default_factory=list)
    conditions: list[PodCondition] = field(default_factory=list)
    start_time: int = NIL
    pod_ip: str = ""


class PullPolicy(Enum):
    IF_NOT_PRESENT = "IfNotPresent"
    ALWAYS = "Always"
    NEVER = "Never"


class HookKind(Enum):
    """Which member of a v1.LifecycleHandler is set; only an exec hook is a call of the container runtime."""

    EXEC = "exec"
    SLEEP = "sleep"


@dataclass(frozen=True)
class LifecycleHook:
    """A v1.LifecycleHandler, with what happens when it runs."""

    kind: HookKind
    milliseconds: int
    fails: bool


class ExitCodesOperator(Enum):
    """v1.ContainerRestartRuleOnExitCodesOperator."""

    IN = "In"
    NOT_IN = "NotIn"


@dataclass(frozen=True)
class ContainerRestartRule:
    """What happens where a container exits with one of these codes, or with none of them."""

    action: ContainerRestartRuleAction
    operator: ExitCodesOperator
    values: tuple[int, ...]


@dataclass
class Container:
    name: str
    restartable_init: bool = False
    """Is it an init container that restarts, a sidecar? Go: IsRestartableInitContainer."""
    restart_policy: ContainerRestartPolicy = ContainerRestartPolicy.NONE
    restart_policy_rules: list[ContainerRestartRule] = field(default_factory=list)
    startup_probe: bool = False
    readiness_probe: bool = False
    liveness_probe: bool = False
    startup_probe_seconds: int = NIL
    """terminationGracePeriodSeconds of the probe itself."""
    liveness_probe_seconds: int = NIL
    image: str = ""
    image_pull_policy: PullPolicy = PullPolicy.IF_NOT_PRESENT
    pre_stop: LifecycleHook | None = None
    post_start: LifecycleHook | None = None


@dataclass
class ApiPod:
    """A v1.Pod, metadata, spec and status."""

    uid: str = ""
    name: str = ""
    namespace: str = ""
    source: PodSource = PodSource.API
    deletion_timestamp: bool = False
    deletion_grace_period_seconds: int = NIL
    termination_grace_period_seconds: int = NIL
    restart_policy: RestartPolicy = RestartPolicy.ALWAYS
    init_containers: list[Container] = field(default_factory=list)
    containers: list[Container] = field(default_factory=list)
    ephemeral_containers: list[Container] = field(default_factory=list)
    readiness_gates: list[str] = field(default_factory=list)
    host_network: bool = False
    active_deadline_seconds: int = NIL
    image_pull_secrets: list[str] = field(default_factory=list)
    status: PodStatus = field(default_factory=PodStatus)
    revision: int = 0
    """Which version of the object it is, where somebody tells them apart."""
    creation_timestamp: int = 0
    """0 of a pod that no API server made."""
    cpu: int = 0
    """What its containers request, in cores."""

    def is_static(self) -> bool:
        """Does the pod come from a file, and not from the API server?"""
        return self.source == PodSource.STATIC

    def has_restartable_init_container(self) -> bool:
        """Has it a sidecar? Go: HasRestartableInitContainer of pkg/kubelet/types."""
        return any(container.restartable_init for container in self.init_containers)


def format_pod(pod: ApiPod) -> str:
    """As log lines and events name a pod. Go: Pod of pkg/kubelet/util/format."""
    return f"{pod.name}_{pod.namespace}({pod.uid})"


def get_container_spec(pod: ApiPod, name: str) -> Container | None:
    """Go: GetContainerSpec of pkg/kubelet/container."""
    every = (*pod.containers, *pod.init_containers, *pod.ephemeral_containers)
    return next((container for container in every if container.name == name), None)


def find_matching_container_restart_rule(container: Container, exit_code: int) -> ContainerRestartRuleAction:
    """The action of the first rule that matches; NONE for none. Go: the function of pkg/api/v1/pod."""
    for rule in container.restart_policy_rules:
        if (exit_code in rule.values) == (rule.operator == ExitCodesOperator.IN):
            return rule.action
    return ContainerRestartRuleAction.NONE


def all_containers_could_restart(pod: ApiPod) -> bool:
    """Has a container a rule that restarts all of the pod? Go: AllContainersCouldRestart of pkg/api/v1/pod."""
    rules = (rule for of in (*pod.init_containers, *pod.containers) for rule in of.restart_policy_rules)
    return any(rule.action == ContainerRestartRuleAction.RESTART_ALL_CONTAINERS for rule in rules)


def policy_of_container(policy: RestartPolicy, own_policy: ContainerRestartPolicy) -> RestartPolicy:
    """By which policy a container restarts: its own, or the pod's."""
    if own_policy == ContainerRestartPolicy.ALWAYS:
        return RestartPolicy.ALWAYS
    if own_policy == ContainerRestartPolicy.ON_FAILURE:
        return RestartPolicy.ON_FAILURE
    if own_policy == ContainerRestartPolicy.NEVER:
        return RestartPolicy.NEVER
    return policy


def restarts_after(policy: RestartPolicy, exit_code: int) -> bool:
    """Does a policy start a container again that exited with this code? Go: the end of ContainerShouldRestart."""
    return policy == RestartPolicy.ALWAYS or (policy == RestartPolicy.ON_FAILURE and exit_code != 0)


def get_pod_condition(status: PodStatus, condition_type: str) -> PodCondition | None:
    """Go: GetPodCondition of pkg/api/v1/pod."""
    for condition in status.conditions:
        if condition.type == condition_type:
            return condition
    return None


def get_container_status(statuses: list[ContainerStatus], name: str) -> ContainerStatus | None:
    """Go: GetContainerStatus of pkg/api/v1/pod."""
    for status in statuses:
        if status.name == name:
            return status
    return None


def replace_or_append_pod_condition(conditions: list[PodCondition], condition: PodCondition) -> None:
    """Go: ReplaceOrAppendPodCondition of pkg/api/v1/pod."""
    for i in range(len(conditions)):
        if conditions[i].type == condition.type:
            conditions[i] = condition
            return
    conditions.append(condition)
