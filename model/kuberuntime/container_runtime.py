"""What the runtime manager calls: the container runtime (CRI), the image service and the event recorder.

Go: k8s.io/cri-api, internalapi.RuntimeService and internalapi.ImageManagerService; record.EventRecorder. Times are
milliseconds.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import Enum

from podproof.model.core_v1 import Container, LifecycleHook
from podproof.model.kubecontainer import RuntimeContainer, RuntimePod, RuntimeSandbox


@dataclass(frozen=True)
class CallError:
    """What a call failed with."""

    text: str
    description: str
    """The text without what gRPC puts in front of it."""
    is_not_found: bool = False


class EventType(Enum):
    """v1.EventTypeNormal and v1.EventTypeWarning."""

    NORMAL = "N"
    WARNING = "W"


class ContainerRuntime(ABC):
    """The runtime of one pod. Each call takes its time, after which it is `now`."""

    def __init__(self) -> None:
        self.now = 0
        self.began = self.ended = 0

    def begin_goroutines(self) -> None:
        """What is called until `wait` happens at once, each goroutine's calls one after the other."""
        self.began = self.ended = self.now

    def begin_goroutine(self) -> None:
        self.ended = max(self.ended, self.now)
        self.now = self.began

    def wait(self) -> None:
        """sync.WaitGroup: until the last of them has ended."""
        self.now = max(self.ended, self.now)

    @abstractmethod
    def get_pod_status(self) -> RuntimePod:
        """kubeGenericRuntimeManager.GetPodStatus: of records that have not exited there is no exit code."""

    @abstractmethod
    def event(self, kind: EventType, reason: str, text: str) -> None: ...

    @abstractmethod
    def run_pod_sandbox(self, attempt: int, host_network: bool) -> RuntimeSandbox | CallError: ...

    @abstractmethod
    def pod_sandbox_status(self, sandbox: RuntimeSandbox) -> RuntimeSandbox | CallError | None: ...

    @abstractmethod
    def stop_pod_sandbox(self, sandbox: RuntimeSandbox) -> CallError | None: ...

    @abstractmethod
    def create_container(self, spec: Container, attempt: int, sandbox: str) -> RuntimeContainer | CallError: ...

    @abstractmethod
    def start_container(self, record: RuntimeContainer) -> CallError | None: ...

    @abstractmethod
    def stop_container(self, record: RuntimeContainer, timeout: int) -> CallError | None: ...

    @abstractmethod
    def remove_container(self, record: RuntimeContainer) -> CallError | None: ...

    @abstractmethod
    def run_hook(self, record: RuntimeContainer, hook: LifecycleHook, limit: int | None) -> CallError | None:
        """Wait for a hook, but no longer than `limit`; it runs to its end in any case, and that is what is told."""

    @abstractmethod
    def has_image(self, image: str) -> bool | CallError: ...

    @abstractmethod
    def pull_image(self, image: str) -> CallError | None: ...
