"""The conditions of a pod that follow from its containers.

Go: pkg/kubelet/status/generate.go in 1.29 to 1.32, which do the same.
"""

from __future__ import annotations

from podproof.model.core_v1 import (
    ApiPod,
    ConditionStatus,
    ConditionType,
    ContainerStatus,
    PodCondition,
    PodPhase,
    Started,
    StateOf,
    get_container_status,
)
from podproof.model.notes import go

POD_COMPLETED, POD_FAILED = "PodCompleted", "PodFailed"
CONTAINERS_NOT_READY, CONTAINERS_NOT_INITIALIZED = "ContainersNotReady", "ContainersNotInitialized"
READINESS_GATES_NOT_READY = "ReadinessGatesNotReady"


@go("GenerateContainersReadyCondition")
def generate_containers_ready_condition(pod: ApiPod, statuses: list[ContainerStatus], phase: PodPhase) -> PodCondition:
    """Are all regular containers and sidecars ready? None of a pod that has ended is."""
    unknown, unready = [], []
    for container in [*(c for c in pod.init_containers if c.restartable_init), *pod.containers]:
        status = get_container_status(statuses, container.name)
        if status is None:
            unknown.append(container.name)
        elif not status.ready:
            unready.append(container.name)
    if phase == PodPhase.SUCCEEDED and not unknown:
        return PodCondition(ConditionType.CONTAINERS_READY, ConditionStatus.FALSE, POD_COMPLETED)
    if phase == PodPhase.FAILED:
        return PodCondition(ConditionType.CONTAINERS_READY, ConditionStatus.FALSE, POD_FAILED)
    message = _message(("unknown", unknown), ("unready", unready))
    if message:
        return PodCondition(ConditionType.CONTAINERS_READY, ConditionStatus.FALSE, CONTAINERS_NOT_READY, message)
    return PodCondition(ConditionType.CONTAINERS_READY, ConditionStatus.TRUE)


@go("GeneratePodReadyCondition")
def generate_pod_ready_condition(
    pod: ApiPod, conditions: list[PodCondition], statuses: list[ContainerStatus], phase: PodPhase
) -> PodCondition:
    """Are all containers ready, and all readiness gates open?"""
    containers_ready = generate_containers_ready_condition(pod, statuses, phase)
    if containers_ready.status != ConditionStatus.TRUE:
        containers_ready.type = ConditionType.READY
        return containers_ready
    messages = []
    for gate in pod.readiness_gates:
        condition = next((condition for condition in conditions if condition.type == gate), None)
        if condition is None:
            messages.append(f'corresponding condition of pod readiness gate "{gate}" does not exist.')
        elif condition.status != ConditionStatus.TRUE:
            messages.append(f'the status of pod readiness gate "{gate}" is not "True", but {condition.status.value}')
    if messages:
        message = ", ".join(messages)
        return PodCondition(ConditionType.READY, ConditionStatus.FALSE, READINESS_GATES_NOT_READY, message)
    return PodCondition(ConditionType.READY, ConditionStatus.TRUE)


@go("GeneratePodInitializedCondition")
def generate_pod_initialized_condition(pod: ApiPod, statuses: list[ContainerStatus], phase: PodPhase) -> PodCondition:
    """Have all init containers ended, and all sidecars started? Once a regular container began, they had."""
    unknown, incomplete = [], []
    for container in pod.init_containers:
        status = get_container_status(statuses, container.name)
        if status is None:
            unknown.append(container.name)
        elif not (status.started == Started.YES if container.restartable_init else status.ready):
            incomplete.append(container.name)
    if phase == PodPhase.SUCCEEDED and not unknown:
        return PodCondition(ConditionType.INITIALIZED, ConditionStatus.TRUE, POD_COMPLETED)
    if has_any_regular_container_started(pod, statuses):
        return PodCondition(ConditionType.INITIALIZED, ConditionStatus.TRUE)
    message = _message(("unknown", unknown), ("incomplete", incomplete))
    if message:
        return PodCondition(ConditionType.INITIALIZED, ConditionStatus.FALSE, CONTAINERS_NOT_INITIALIZED, message)
    return PodCondition(ConditionType.INITIALIZED, ConditionStatus.TRUE)


@go("HasAnyRegularContainerStarted")
def has_any_regular_container_started(pod: ApiPod, statuses: list[ContainerStatus]) -> bool:
    """Does a regular container run, or has it ended? Go: pkg/kubelet/container/helpers.go."""
    for container in pod.containers:
        status = get_container_status(statuses, container.name)
        if status is not None and status.state.of in (StateOf.RUNNING, StateOf.TERMINATED):
            return True
    return False


def _message(*found: tuple[str, list[str]]) -> str:
    return ", ".join(f"containers with {what} status: [{' '.join(names)}]" for what, names in found if names)
