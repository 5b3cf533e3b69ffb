"""What the container runtime says of a pod. Go: pkg/kubelet/container/runtime.go and helpers.go."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from podproof.model.core_v1 import ApiPod, RestartPolicy
from podproof.model.notes import go


class RuntimeState(Enum):
    """kubecontainer.State."""

    CREATED = "created"
    RUNNING = "running"
    EXITED = "exited"
    UNKNOWN = "unknown"


@dataclass
class RuntimeContainer:
    """kubecontainer.Status: a container that the runtime has."""

    name: str
    id: str
    state: RuntimeState
    exit_code: int = 0
    reason: str = ""
    restart_count: int = 0


@dataclass
class RuntimePod:
    """kubecontainer.PodStatus: the answer of GetPodStatus."""

    containers: list[RuntimeContainer] = field(default_factory=list)
    """Newest first."""
    has_sandbox: bool = False
    sandbox_ready: bool = False
    """Of the newest one."""
    ips: list[str] = field(default_factory=list)

    @go("FindContainerStatusByName")
    def find_container_status_by_name(self, name: str) -> RuntimeContainer | None:
        """The newest container of a name."""
        for container in self.containers:
            if container.name == name:
                return container
        return None

    def running(self) -> list[RuntimeContainer]:
        return [container for container in self.containers if container.state == RuntimeState.RUNNING]


@go("ShouldContainerBeRestarted")
def should_container_be_restarted(name: str, pod: ApiPod, runtime_pod: RuntimePod) -> bool:
    if pod.deletion_timestamp:
        return False
    container = runtime_pod.find_container_status_by_name(name)
    if container is None:
        return True
    if container.state == RuntimeState.RUNNING:
        return False
    if container.state in (RuntimeState.UNKNOWN, RuntimeState.CREATED):
        return True
    if pod.restart_policy == RestartPolicy.NEVER:
        return False
    return pod.restart_policy != RestartPolicy.ON_FAILURE or container.exit_code != 0
