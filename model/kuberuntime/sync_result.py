"""PodSyncResult: what became of each action. Go: pkg/kubelet/container/sync_result.go and the errors it names."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import Enum


class SyncAction(Enum):
    """SyncAction."""

    START_CONTAINER = "StartContainer"
    KILL_CONTAINER = "KillContainer"
    CREATE_POD_SANDBOX = "CreatePodSandbox"
    CONFIG_POD_SANDBOX = "ConfigPodSandbox"
    KILL_POD_SANDBOX = "KillPodSandbox"


class SyncFailure(Enum):
    """The errors of pkg/kubelet/container, pkg/kubelet/images and pkg/kubelet/kuberuntime that a result may have."""

    NONE = ""
    CRASH_LOOP_BACK_OFF = "CrashLoopBackOff"
    CREATE_CONTAINER = "CreateContainerError"
    CREATE_POD_SANDBOX = "CreatePodSandboxError"
    IMAGE_INSPECT = "ImageInspectError"
    IMAGE_NEVER_PULL = "ErrImageNeverPull"
    IMAGE_PULL = "ErrImagePull"
    IMAGE_PULL_BACK_OFF = "ImagePullBackOff"
    KILL_CONTAINER = "KillContainerError"
    KILL_POD_SANDBOX = "KillPodSandboxError"
    POST_START_HOOK = "PostStartHookError"
    RUN_CONTAINER = "RunContainerError"


@dataclass
class SyncResult:
    """SyncResult."""

    action: SyncAction
    target: str
    error: SyncFailure = SyncFailure.NONE
    message: str = ""

    def fail(self, error: SyncFailure, message: str) -> None:
        self.error, self.message = error, message


@dataclass
class PodSyncResult:
    """PodSyncResult."""

    sync_results: list[SyncResult] = field(default_factory=list)
    sync_error: str = ""

    def add(self, action: SyncAction, target: str) -> SyncResult:
        self.sync_results.append(SyncResult(action, target))
        return self.sync_results[-1]

    def extend(self, results: Iterable[SyncResult]) -> None:
        self.sync_results.extend(results)

    def is_error(self) -> bool:
        return bool(self.sync_error) or any(result.error != SyncFailure.NONE for result in self.sync_results)
