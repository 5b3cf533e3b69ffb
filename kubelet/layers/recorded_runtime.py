"""The container runtime of the recordings: it does at once what it is asked for, or fails as the case plans it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace

from podproof.kubelet.replay import Shown
from podproof.model.core_v1 import ApiPod, Container, HookKind, LifecycleHook, format_pod
from podproof.model.kubecontainer import RuntimeContainer, RuntimePod, RuntimeSandbox, RuntimeState, SandboxState
from podproof.model.kuberuntime.container_runtime import CallError, ContainerRuntime, EventType

SECOND = 1000
NOT_FOUND = CallError("rpc error: code = NotFound desc = gone", "gone", is_not_found=True)


class RecordedRuntime(ContainerRuntime):
    """Every call takes `latency` milliseconds before anything happens."""

    def __init__(self, pod: ApiPod, latency: int, milliseconds_to_exit: Mapping[str, int] | None = None) -> None:
        super().__init__()
        self.pod, self.latency = pod, latency
        self.milliseconds_to_exit = milliseconds_to_exit or {}
        self.plan: Mapping[str, str] = {}
        """Call, or call/name -> the error it fails with."""
        self.calls: list[Shown] = []
        self.events: list[tuple[int, str]] = []
        self.containers: list[RuntimeContainer] = []
        """Oldest first, as the sandboxes."""
        self.sandboxes: list[RuntimeSandbox] = []
        self.images: set[str] = set()
        self.before: tuple[int, int] = 0, 0
        """How many calls and events there were when the goroutines began."""

    # -- what is recorded ------------------------------------------------------------------------------------------

    def begin_step(self, plan: Mapping[str, str]) -> None:
        self.plan, self.calls, self.events = plan, [], []

    def begin_goroutines(self) -> None:
        super().begin_goroutines()
        self.before = len(self.calls), len(self.events)

    def wait(self) -> None:
        """What happens in one millisecond has no order."""
        super().wait()
        calls, events = self.before
        self.calls[calls:] = sorted(self.calls[calls:], key=by_time)
        self.events[events:] = sorted(self.events[events:])

    def call(self, name: str, about: str, number: int = 0) -> CallError | None:
        """A call, recorded; what it fails with is planned for it and for what it is about, or for it alone."""
        self.now += self.latency
        error = next((self.plan[key] for key in (f"{name}/{about}", name) if key in self.plan), "")
        self.calls.append({"t": self.now, "m": name, "a": about, "g": number, "e": error})
        return error_of(error)

    def shown_calls(self) -> Iterator[Shown]:
        """The calls; Go removes containers in the order of a map, so those in a row are sorted."""
        for name, group in itertools.groupby(self.calls, key=lambda call: call["m"]):
            calls = list(group)
            sort = name == "RemoveContainer"
            for time, call in zip(calls, sorted(calls, key=lambda call: call["a"]) if sort else calls, strict=True):
                yield {**call, "t": time["t"]}

    def shown_events(self) -> list[str]:
        return [text for _, text in self.events]

    def event(self, kind: EventType, reason: str, text: str) -> None:
        self.events.append((self.now, f"{kind.value} {reason} {text}"))

    # -- what is asked ---------------------------------------------------------------------------------------------

    def get_pod_status(self) -> RuntimePod:
        return RuntimePod(
            [as_seen(record) for record in reversed(self.containers)],
            [replace(sandbox) for sandbox in reversed(self.sandboxes)],
        )

    def newest(self, name: str) -> RuntimeContainer | None:
        return next((record for record in reversed(self.containers) if record.name == name), None)

    def record_of(self, seen: RuntimeContainer) -> RuntimeContainer | None:
        """A container that was seen at some time, as it is now; None if it is gone."""
        return next((record for record in self.containers if record.id == seen.id), None)

    # -- what is done ----------------------------------------------------------------------------------------------

    def run_pod_sandbox(self, attempt: int, host_network: bool) -> RuntimeSandbox | CallError:
        if error := self.call("RunPodSandbox", str(attempt)):
            return error
        self.sandboxes.append(RuntimeSandbox(str(attempt), attempt, host_network))
        return self.sandboxes[-1]

    def pod_sandbox_status(self, sandbox: RuntimeSandbox) -> RuntimeSandbox | CallError | None:
        error = self.call("PodSandboxStatus", sandbox.id)
        if error is not None and error.text == "nil":
            return None
        return error or sandbox

    def stop_pod_sandbox(self, sandbox: RuntimeSandbox) -> CallError | None:
        error = self.call("StopPodSandbox", sandbox.id)
        if error is None:
            for known in self.sandboxes:
                if known.id == sandbox.id:
                    known.state = SandboxState.NOT_READY
        return error

    def create_container(self, spec: Container, attempt: int, sandbox: str) -> RuntimeContainer | CallError:
        if error := self.call("CreateContainer", spec.name, number=attempt):
            return error
        record = RuntimeContainer(
            spec.name,
            f"{spec.name}#{attempt}",
            RuntimeState.CREATED,
            restart_count=attempt,
            image=spec.image,
            sandbox=sandbox,
        )
        self.containers.append(record)
        return record

    def start_container(self, record: RuntimeContainer) -> CallError | None:
        error = self.call("StartContainer", record.name)
        if error is None:
            record.state = RuntimeState.RUNNING
        return error

    def stop_container(self, record: RuntimeContainer, timeout: int) -> CallError | None:
        if error := self.call("StopContainer", record.name, number=timeout):
            return error
        self.now += min(self.milliseconds_to_exit.get(record.name, 0), timeout * SECOND)
        self.calls.append({"t": self.now, "m": "stopped", "a": record.name})
        self.exit(self.record_of(record), 0)
        return None

    def exit(self, record: RuntimeContainer | None, exit_code: int) -> None:
        """A process ends, if it runs."""
        if record is not None and record.state == RuntimeState.RUNNING:
            record.state, record.exit_code, record.finished_at = RuntimeState.EXITED, exit_code, self.now

    def remove_container(self, record: RuntimeContainer) -> CallError | None:
        known = self.record_of(record)
        if known is None:
            return NOT_FOUND
        error = self.call("RemoveContainer", record.id)
        if error is None:
            self.containers.remove(known)
        return error

    def run_hook(self, record: RuntimeContainer, hook: LifecycleHook, limit: int | None) -> CallError | None:
        latest = None if limit is None else self.now + limit
        error = self.call("ExecSync", record.name) if hook.kind == HookKind.EXEC else None
        if error is None:
            self.now += hook.milliseconds
            error = CallError("hook failed", "hook failed") if hook.fails else None
        if latest is not None:
            self.now = min(self.now, latest)
        if error is None:
            return None
        text = (
            f'Exec lifecycle hook ([{hook.milliseconds} true]) for Container "{record.name}" in Pod '
            f'"{format_pod(self.pod)}" failed - error: {error.text}, message: ""'
        )
        return CallError(text, text)

    def has_image(self, image: str) -> bool | CallError:
        return error_of(self.plan.get(f"ImageStatus/{image}:latest", "")) or image in self.images

    def pull_image(self, image: str) -> CallError | None:
        error = self.call("PullImage", image)
        if error is None:
            self.images.add(image)
        return error


def error_of(planned: str) -> CallError | None:
    if not planned:
        return None
    return NOT_FOUND if planned == "notfound" else CallError(planned, planned)


def as_seen(record: RuntimeContainer) -> RuntimeContainer:
    """GetPodStatus: how a container ended is told only of those that have."""
    if record.state == RuntimeState.EXITED:
        return replace(record)
    return replace(record, exit_code=0, reason="", finished_at=0)


def by_time(call: Shown) -> tuple[int, str, str]:
    return call["t"], call["m"], call["a"]
