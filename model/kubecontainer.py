"""What the container runtime says of a pod. Go: pkg/kubelet/container/runtime.go and helpers.go."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum

from podproof.model.core_v1 import ApiPod, RestartPolicy
from podproof.model.notes import go


class RuntimeState(Enum):
    """kubecontainer.State of a container; NONE where there is no container."""

    NONE = "no record"
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
    image: str = ""
    """Its spec's; another image is another hash."""
    sandbox: str = ""
    finished_at: int = 0
    """In milliseconds."""
    resize_restarts: bool = False
    """Its spec has other resources than it runs with, and a resize policy that restarts it for that."""


class SandboxState(Enum):
    """runtimeapi.PodSandboxState; NONE where there is no sandbox."""

    NONE = "no sandbox"
    READY = "ready"
    NOT_READY = "notready"


@dataclass
class RuntimeSandbox:
    """runtimeapi.PodSandboxStatus."""

    id: str
    attempt: int = 0
    host_network: bool = False
    state: SandboxState = SandboxState.READY
    address: str | None = "10.0.0.1"
    """None where the status has no network information."""


@dataclass
class RuntimePod:
    """kubecontainer.PodStatus: the answer of GetPodStatus."""

    containers: list[RuntimeContainer] = field(default_factory=list)
    """Newest first."""
    sandboxes: list[RuntimeSandbox] = field(default_factory=list)
    """Newest first."""
    ips: list[str] = field(default_factory=list)

    @go("FindContainerStatusByName")
    def find_container_status_by_name(self, name: str) -> RuntimeContainer | None:
        """The newest container of a name."""
        for container in self.containers:
            if container.name == name:
                return container
        return None

    @go("HasAnyActiveRegularContainerStarted")
    def has_any_active_regular_container_started(self, pod: ApiPod) -> bool:
        """Has the newest sandbox, if it is ready, a regular container, of whatever state?"""
        names = {container.name for container in pod.containers}
        return self.is_sandbox_ready() and any(
            record.name in names and record.sandbox == self.sandboxes[0].id for record in self.containers
        )

    def running(self) -> list[RuntimeContainer]:
        return [container for container in self.containers if container.state == RuntimeState.RUNNING]

    def is_sandbox_ready(self) -> bool:
        """Is the newest one?"""
        return bool(self.sandboxes) and self.sandboxes[0].state == SandboxState.READY


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
