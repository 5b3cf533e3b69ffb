"""SyncPod of the runtime manager: its steps in order, and what each does with an error.

Go: pkg/kubelet/kuberuntime/kuberuntime_manager.go. Run as it is, not lowered [A62]; computePodActions, which decides
what is to be done, is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import ClassVar

from podproof.model.core_v1 import ApiPod, Container, format_pod
from podproof.model.kubecontainer import RuntimeContainer, RuntimePod, RuntimeSandbox, RuntimeState
from podproof.model.kuberuntime.compute_pod_actions import (
    ComputePodActions,
    ComputePodActions1_26,
    ComputePodActions1_32,
    ComputePodActions1_34,
    ComputePodActions1_35,
    ComputePodActions1_36,
    PodActions,
)
from podproof.model.kuberuntime.container_runtime import CallError, ContainerRuntime, EventType
from podproof.model.kuberuntime.decide import containers_to_kill, decide
from podproof.model.kuberuntime.kill_pod import ContainerKill, ContainerKill1_26
from podproof.model.kuberuntime.records import ProbeResult
from podproof.model.kuberuntime.start_container import Failure, StartContainer, StartContainer1_32
from podproof.model.kuberuntime.sync_result import PodSyncResult, SyncAction, SyncFailure
from podproof.model.kuberuntime.termination_order import (
    TerminationOrdering,
    TerminationOrdering1_26,
    TerminationOrdering1_32,
)
from podproof.model.language import NIL
from podproof.model.notes import go


class KubeGenericRuntimeManager(StartContainer):
    """kubeGenericRuntimeManager of release 1.29, for one pod."""

    decision: ClassVar[type[ComputePodActions]] = ComputePodActions

    def __init__(self, pod: ApiPod, runtime: ContainerRuntime, sidecar_containers: bool = True) -> None:
        super().__init__(pod, runtime, sidecar_containers)
        self.is_pod_termination_requested = False
        self.restart_all_containers = False
        """ShouldAllContainersRestart, since 1.36."""
        self.liveness_results: dict[str, ProbeResult] = {}
        """What the probes say of a container, by its ID."""
        self.startup_results: dict[str, ProbeResult] = {}
        self.kill_order: Sequence[int] = ()
        """The order in which Go's map gives the next containers to kill; empty for that of the spec."""

    @go("SyncPod")
    def sync_pod(self, status: RuntimePod) -> PodSyncResult:
        """`status` is never read again, however much is done meanwhile."""
        result = PodSyncResult()
        actions = self.compute_pod_actions(status)
        if actions.create_sandbox and actions.sandbox_id != NIL:
            self.runtime.event(
                EventType.NORMAL, "SandboxChanged", "Pod sandbox changed, it will be killed and re-created."
            )
        if not self.kill_what_is_to_go(actions, status, result):
            return result
        self.prune_init_containers_before_start(status)
        sandbox = self.sandbox_of(actions, status, result)
        if sandbox is None:
            return result
        result.add(SyncAction.CONFIG_POD_SANDBOX, sandbox.id)
        for spec in chosen(self.pod.ephemeral_containers, actions.ephemeral_containers_to_start):
            self.start_with_result(spec, status, sandbox, result)
        if self.start_init_containers(actions, status, sandbox, result):
            for spec in chosen(self.pod.containers, actions.containers_to_start):
                self.start_with_result(spec, status, sandbox, result)
        return result

    def compute_pod_actions(self, status: RuntimePod) -> PodActions:
        """What is to be done for the pod as the runtime last showed it."""
        return self.decide(status).actions

    def decide(self, status: RuntimePod) -> ComputePodActions:
        results = self.liveness_results, self.startup_results
        gates = self.sidecar_containers, self.restart_all_containers
        return decide(self.decision, self.pod, status, *results, *gates)

    # -- steps 2 and 3: kill and remove ----------------------------------------------------------------------------

    def kill_what_is_to_go(self, actions: PodActions, status: RuntimePod, result: PodSyncResult) -> bool:
        """Whether SyncPod goes on."""
        if actions.kill_pod:
            result.extend(self.kill_pod_with_sync_result(status.running(), status.sandboxes, NIL))
            if result.is_error():
                return False
            if actions.create_sandbox:
                self.purge_init_containers(status)
            return True
        kills = list(containers_to_kill(self.pod, actions))
        for i in self.kill_order or range(len(kills)):
            spec, reason, message = kills[i]
            record = status.find_container_status_by_name(spec.name)
            assert record is not None
            killed = result.add(SyncAction.KILL_CONTAINER, spec.name)
            error = self.kill_container(record, message, reason, NIL)
            if error is not None:
                killed.fail(SyncFailure.KILL_CONTAINER, error.text)
                return False
        return True

    @go("purgeInitContainers")
    def purge_init_containers(self, status: RuntimePod) -> None:
        """Remove every record of every init container. Errors are only logged."""
        for spec in self.pod.init_containers:
            for record in status.containers:
                if record.name == spec.name:
                    self.runtime.remove_container(record)

    @go("pruneInitContainersBeforeStart")
    def prune_init_containers_before_start(self, status: RuntimePod) -> None:
        """Of the init containers that ended, keep the newest record of each. Errors are only logged."""
        for spec in self.pod.init_containers:
            for record in ended(status.containers, spec.name)[1:]:
                self.runtime.remove_container(record)

    # -- steps 4 and 5: the sandbox --------------------------------------------------------------------------------

    def sandbox_of(self, actions: PodActions, status: RuntimePod, result: PodSyncResult) -> RuntimeSandbox | None:
        """The pod's sandbox, created where it needs one; None where SyncPod ends."""
        if not actions.create_sandbox:
            return status.sandboxes[actions.sandbox_id]
        created = result.add(SyncAction.CREATE_POD_SANDBOX, format_pod(self.pod))
        sandbox = self.runtime.run_pod_sandbox(actions.attempt, self.pod.host_network)
        if isinstance(sandbox, CallError):
            # The only place that asks; what is killed already may well have no network.
            if not self.is_pod_termination_requested:
                message = f'Failed to create sandbox for pod "{format_pod(self.pod)}": {sandbox.text}'
                created.fail(SyncFailure.CREATE_POD_SANDBOX, message)
                text = f"Failed to create pod sandbox: {sandbox.text}"
                self.runtime.event(EventType.WARNING, "FailedCreatePodSandBox", text)
            return None
        seen = self.runtime.pod_sandbox_status(sandbox)
        if isinstance(seen, CallError):
            text = f"Unable to get pod sandbox status: {seen.text}"
            self.runtime.event(EventType.WARNING, "FailedPodSandBoxStatus", text)
            result.sync_error = seen.text
            return None
        if seen is None:
            result.sync_error = "pod sandbox status is nil"
        return seen

    # -- steps 6 to 8: start ---------------------------------------------------------------------------------------

    def start_with_result(
        self, spec: Container, status: RuntimePod, sandbox: RuntimeSandbox, result: PodSyncResult
    ) -> Failure | None:
        started = result.add(SyncAction.START_CONTAINER, spec.name)
        failed = self.start(spec, status, sandbox.id)
        if failed is not None:
            started.fail(*failed)
        return failed

    def start_init_containers(
        self, actions: PodActions, status: RuntimePod, sandbox: RuntimeSandbox, result: PodSyncResult
    ) -> bool:
        """Whether SyncPod goes on: a sidecar that does not start holds up nobody here."""
        if actions.next_init_container_to_start != NIL:
            spec = self.pod.init_containers[actions.next_init_container_to_start]
            if self.start_with_result(spec, status, sandbox, result) is not None:
                return False
        for spec in chosen(self.pod.init_containers, actions.init_containers_to_start):
            failed = self.start_with_result(spec, status, sandbox, result)
            if failed is not None and not spec.restartable_init:
                return False
        return True


class KubeGenericRuntimeManager1_26(KubeGenericRuntimeManager):
    """Of release 1.26, which has no sidecars: no order, and the older code for init containers. Not recorded."""

    decision: ClassVar[type[ComputePodActions]] = ComputePodActions1_26
    container_kill: ClassVar[type[ContainerKill]] = ContainerKill1_26
    termination_ordering: ClassVar[type[TerminationOrdering]] = TerminationOrdering1_26


class KubeGenericRuntimeManager1_32(StartContainer1_32, KubeGenericRuntimeManager):
    """Of release 1.32."""

    decision: ClassVar[type[ComputePodActions]] = ComputePodActions1_32
    termination_ordering: ClassVar[type[TerminationOrdering]] = TerminationOrdering1_32


class KubeGenericRuntimeManager1_34(KubeGenericRuntimeManager1_32):
    """Of releases 1.33 and 1.34, as far as computePodActions goes; from here on the rest is 1.32's. [A76]"""

    decision: ClassVar[type[ComputePodActions]] = ComputePodActions1_34


class KubeGenericRuntimeManager1_35(KubeGenericRuntimeManager1_34):
    """Of release 1.35."""

    decision: ClassVar[type[ComputePodActions]] = ComputePodActions1_35


class KubeGenericRuntimeManager1_36(KubeGenericRuntimeManager1_35):
    """Of release 1.36."""

    decision: ClassVar[type[ComputePodActions]] = ComputePodActions1_36


def chosen(specs: Iterable[Container], flags: Iterable[bool]) -> list[Container]:
    return [spec for spec, flag in zip(specs, flags, strict=True) if flag]


def ended(records: Iterable[RuntimeContainer], name: str) -> list[RuntimeContainer]:
    states = (RuntimeState.EXITED, RuntimeState.UNKNOWN)
    return [record for record in records if record.name == name and record.state in states]
