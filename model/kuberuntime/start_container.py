"""startContainer: image, create, start, postStart; and the back-off in front of it.

Go: pkg/kubelet/kuberuntime/kuberuntime_container.go (startContainer), kuberuntime_manager.go (doBackOff) and
pkg/kubelet/images/image_manager.go (EnsureImageExists). Run as it is, not lowered [A62].
"""

from __future__ import annotations

from podproof.model.core_v1 import ApiPod, Container, PullPolicy, format_pod
from podproof.model.kubecontainer import RuntimeContainer, RuntimePod, RuntimeState
from podproof.model.kuberuntime.back_off import Backoff
from podproof.model.kuberuntime.container_runtime import CallError, ContainerRuntime, EventType
from podproof.model.kuberuntime.kill_pod import SECOND, KillPod
from podproof.model.kuberuntime.records import ContainerKillReason
from podproof.model.kuberuntime.sync_result import SyncFailure
from podproof.model.language import NIL
from podproof.model.notes import go

Failure = tuple[SyncFailure, str]
"""The error of a start, with its message."""


class StartContainer(KillPod):
    """The part of kubeGenericRuntimeManager that starts one container, in release 1.29."""

    def __init__(self, pod: ApiPod, runtime: ContainerRuntime, sidecar_containers: bool = True) -> None:
        super().__init__(pod, runtime, sidecar_containers)
        self.back_off = Backoff()
        self.image_back_off = Backoff()
        self.pull_errors: dict[str, str] = {}
        """prevPullErrMsg: how the last pull of each image failed."""

    @go("SyncPod", part="start")
    def start(self, spec: Container, status: RuntimePod, sandbox: str) -> Failure | None:
        return self.do_back_off(spec, status) or self.start_container(spec, status, sandbox)

    @go("doBackOff")
    def do_back_off(self, spec: Container, status: RuntimePod) -> Failure | None:
        """Only a record that has exited counts. The key contains the hash of the spec: a changed one starts afresh."""
        exited = (r for r in status.containers if r.name == spec.name and r.state == RuntimeState.EXITED)
        last = next(exited, None)
        if last is None:
            return None
        key = spec.name, spec.image
        if self.back_off.is_in_back_off_since(key, last.finished_at, self.runtime.now):
            text = f"Back-off restarting failed container {spec.name} in pod {format_pod(self.pod)}"
            self.runtime.event(EventType.WARNING, "BackOff", text)
            wait = duration(self.back_off.get(key))
            message = f"back-off {wait} restarting failed container={spec.name} pod={format_pod(self.pod)}"
            return SyncFailure.CRASH_LOOP_BACK_OFF, message
        self.back_off.next(key, last.finished_at, self.runtime.now)
        return None

    @go("startContainer")
    def start_container(self, spec: Container, status: RuntimePod, sandbox: str) -> Failure | None:
        """A container that was created and not started stays."""
        failed = self.ensure_image_exists(spec)
        if failed is not None:
            error, _ = failed
            self.runtime.event(EventType.WARNING, "Failed", f"Error: {error.value}")
            return failed
        last = status.find_container_status_by_name(spec.name)
        attempt = last.restart_count + 1 if last is not None else 0
        record = self.runtime.create_container(spec, attempt, sandbox)
        if isinstance(record, CallError):
            self.runtime.event(EventType.WARNING, "Failed", f"Error: {record.description}")
            return SyncFailure.CREATE_CONTAINER, record.description
        self.runtime.event(EventType.NORMAL, "Created", spec.name)
        error_of_start = self.runtime.start_container(record)
        if error_of_start is not None:
            self.runtime.event(EventType.WARNING, "Failed", f"Error: {error_of_start.description}")
            return SyncFailure.RUN_CONTAINER, error_of_start.description
        self.runtime.event(EventType.NORMAL, "Started", spec.name)
        return self.run_post_start_hook(spec, record)

    def run_post_start_hook(self, spec: Container, record: RuntimeContainer) -> Failure | None:
        """The container is running already; a hook that fails has it killed."""
        if spec.post_start is None:
            return None
        error = self.runtime.run_hook(record, spec.post_start, None)
        if error is None:
            return None
        self.runtime.event(EventType.WARNING, "FailedPostStartHook", "PostStartHook failed")
        reason = ContainerKillReason.FAILED_POST_START_HOOK
        # An error is only logged.
        self.kill_container(record, reason.value, reason, NIL)
        return SyncFailure.POST_START_HOOK, error.text

    @go("EnsureImageExists")
    def ensure_image_exists(self, spec: Container) -> Failure | None:
        has_image = self.runtime.has_image(spec.image)
        if isinstance(has_image, CallError):
            text = f'Failed to inspect image "{self.name_of_uninspected(spec.image)}": {has_image.text}'
            self.runtime.event(EventType.WARNING, "InspectFailed", text)
            return SyncFailure.IMAGE_INSPECT, text
        if has_image and spec.image_pull_policy != PullPolicy.ALWAYS:
            self.runtime.event(EventType.NORMAL, "Pulled", "")
            return None
        if spec.image_pull_policy == PullPolicy.NEVER:
            text = f'Container image "{spec.image}" is not present with pull policy of Never'
            self.runtime.event(EventType.WARNING, "ErrImageNeverPull", text)
            return SyncFailure.IMAGE_NEVER_PULL, text
        return self.pull_image(spec.image)

    def name_of_uninspected(self, image: str) -> str:
        return image

    def pull_image(self, image: str) -> Failure | None:
        key = self.pod.uid, image
        if self.image_back_off.is_in_back_off_since_update(key, self.runtime.now):
            text = f'Back-off pulling image "{image}"'
            self.runtime.event(EventType.NORMAL, "BackOff", text)
            return SyncFailure.IMAGE_PULL_BACK_OFF, self.message_of_back_off(text, image)
        self.runtime.event(EventType.NORMAL, "Pulling", f'"{image}"')
        error = self.runtime.pull_image(image)
        if error is not None:
            self.runtime.event(EventType.WARNING, "Failed", f'Failed to pull image "{image}": {error.text}')
            self.image_back_off.next(key, self.runtime.now, self.runtime.now)
            self.pull_errors[image] = f"{SyncFailure.IMAGE_PULL.value}: {error.text}"
            return SyncFailure.IMAGE_PULL, error.text
        self.runtime.event(EventType.NORMAL, "Pulled", "")
        return None

    def message_of_back_off(self, text: str, image: str) -> str:
        return text


class StartContainer1_32(StartContainer):
    """In release 1.32 a back-off tells why the last pull failed; an image that cannot be inspected is not named."""

    def name_of_uninspected(self, image: str) -> str:
        return ""

    def message_of_back_off(self, text: str, image: str) -> str:
        return f"{text}: {self.pull_errors[image]}"


def duration(milliseconds: int) -> str:
    """As Go writes a time.Duration of whole seconds."""
    minutes, seconds = divmod(milliseconds // SECOND, 60)
    return f"{minutes}m{seconds}s" if minutes else f"{seconds}s"
