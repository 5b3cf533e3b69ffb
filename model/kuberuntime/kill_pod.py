"""killPodWithSyncResult: all containers at once, and then the sandboxes.

Go: pkg/kubelet/kuberuntime/kuberuntime_manager.go and kuberuntime_container.go. Run as it is, not lowered [A62]; the
rule for the grace period, which is, stands in kill_container.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from podproof.model.core_v1 import ApiPod, Container, format_pod, get_container_spec
from podproof.model.kubecontainer import RuntimeContainer, RuntimeSandbox
from podproof.model.kuberuntime.container_runtime import CallError, ContainerRuntime, EventType
from podproof.model.kuberuntime.kill_container import KillContainer, KillContainer1_26
from podproof.model.kuberuntime.records import ContainerKillReason
from podproof.model.kuberuntime.sync_result import SyncAction, SyncFailure, SyncResult
from podproof.model.kuberuntime.termination_order import TerminationOrdering
from podproof.model.language import make
from podproof.model.notes import go

SECOND = 1000


class ContainerKill(KillContainer):
    """killContainer on a runtime whose calls take their time."""

    runtime: ContainerRuntime
    record: RuntimeContainer
    spec: Container
    ordering: TerminationOrdering | None = None
    error: CallError | None = None

    def execute_pre_stop_hook(self, grace_period: int) -> int:
        assert self.spec.pre_stop is not None
        began = self.runtime.now
        if self.runtime.run_hook(self.record, self.spec.pre_stop, grace_period * SECOND) is not None:
            self.runtime.event(EventType.WARNING, "FailedPreStopHook", "PreStopHook failed")
        return (self.runtime.now - began) // SECOND

    def wait_for_turn(self, grace_period: int) -> int:
        assert self.ordering is not None
        began = self.runtime.now
        latest = began + grace_period * SECOND
        turn = self.ordering.turn(self.record.name)
        self.runtime.now = max(began, min(latest, turn)) if turn is not None else latest
        return (self.runtime.now - began) // SECOND

    def stop_container(self, timeout: int) -> None:
        super().stop_container(timeout)
        error = self.runtime.stop_container(self.record, timeout)
        if error is not None and not error.is_not_found:
            self.error = error


class ContainerKill1_26(ContainerKill, KillContainer1_26):
    """The same in release 1.26."""


class KillPod:
    """The part of kubeGenericRuntimeManager that kills, in release 1.29."""

    container_kill: ClassVar[type[ContainerKill]] = ContainerKill
    termination_ordering: ClassVar[type[TerminationOrdering]] = TerminationOrdering

    def __init__(self, pod: ApiPod, runtime: ContainerRuntime, sidecar_containers: bool = True) -> None:
        self.pod, self.runtime = pod, runtime
        self.sidecar_containers = sidecar_containers
        """The feature gate SidecarContainers."""
        self.panics = 0
        """Of goroutines that were to kill a container."""

    @go("killContainer")
    def kill_container(
        self,
        record: RuntimeContainer,
        message: str,
        reason: ContainerKillReason,
        override: int,
        ordering: TerminationOrdering | None = None,
    ) -> CallError | None:
        spec = get_container_spec(self.pod, record.name)
        if spec is None:
            text = (
                f'failed to get containerSpec "{record.name}" (id="{record.id}") in pod "{format_pod(self.pod)}" '
                f'when killing container for reason "{message}"'
            )
            return CallError(text, text)
        self.runtime.event(EventType.NORMAL, "Killing", message or f"Stopping container {spec.name}")
        kill = make(self.container_kill, {})
        kill.deletion_grace_period_seconds = self.pod.deletion_grace_period_seconds
        kill.termination_grace_period_seconds = self.pod.termination_grace_period_seconds
        kill.liveness_probe_seconds = spec.liveness_probe_seconds
        kill.startup_probe_seconds = spec.startup_probe_seconds
        kill.reason = reason
        kill.grace_period_override = override
        kill.has_pre_stop_hook = spec.pre_stop is not None
        kill.has_ordering = ordering is not None
        kill.runtime, kill.record, kill.spec, kill.ordering = self.runtime, record, spec, ordering
        kill.kill_container()
        return kill.error

    @go("killPodWithSyncResult")
    def kill_pod_with_sync_result(
        self, running: Sequence[RuntimeContainer], sandboxes: Sequence[RuntimeSandbox], override: int
    ) -> list[SyncResult]:
        """Every sandbox is stopped, whatever became of the containers."""
        results = self.kill_containers_with_sync_result(running, override)
        result = SyncResult(SyncAction.KILL_POD_SANDBOX, self.pod.uid)
        for sandbox in sandboxes:
            error = self.runtime.stop_pod_sandbox(sandbox)
            if error is not None and not error.is_not_found:
                result.fail(SyncFailure.KILL_POD_SANDBOX, error.text)
        return [*results, result]

    @go("killContainersWithSyncResult")
    def kill_containers_with_sync_result(self, running: Sequence[RuntimeContainer], override: int) -> list[SyncResult]:
        """A goroutine each."""
        self.runtime.begin_goroutines()
        ordering = None
        if self.sidecar_containers and self.termination_ordering.is_for(self.pod):
            ordering = self.termination_ordering(self.pod, [record.name for record in running], self.runtime.now)
        results = []
        for record in self.in_termination_order(running, ordering):
            self.runtime.begin_goroutine()
            error = self.kill_container(record, "", ContainerKillReason.UNKNOWN, override, ordering)
            result = SyncResult(SyncAction.KILL_CONTAINER, record.name)
            if error is not None:
                result.fail(SyncFailure.KILL_CONTAINER, error.text)
            if error is not None or ordering is None or ordering.container_terminated(record.name, self.runtime.now):
                results.append(result)
            else:
                self.panics += 1
        self.runtime.wait()
        return sorted(results, key=lambda result: result.target)

    @staticmethod
    def in_termination_order(
        running: Sequence[RuntimeContainer], ordering: TerminationOrdering | None
    ) -> Sequence[RuntimeContainer]:
        """Those first that others wait for."""
        if ordering is None:
            return running
        return sorted(running, key=lambda record: ordering.place(record.name))
