"""generateAPIPodStatus: what the kubelet reports of a pod.

Go: pkg/kubelet/kubelet_pods.go, pkg/kubelet/prober/prober_manager.go and pkg/kubelet/active_deadline.go.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import ClassVar

from podproof.model.core_v1 import (
    LOST,
    OWNED,
    RESTARTING_ALL_CONTAINERS,
    ApiPod,
    ConditionStatus,
    ConditionType,
    Container,
    ContainerState,
    ContainerStatus,
    PodCondition,
    PodStatus,
    Started,
    StateOf,
    find_matching_container_restart_rule,
    get_container_status,
    get_pod_condition,
    replace_or_append_pod_condition,
)
from podproof.model.get_phase import (
    GetPhase,
    GetPhase1_22_0,
    GetPhase1_26,
    GetPhase1_27,
    GetPhase1_32,
    GetPhase1_34,
    GetPhase1_35,
    GetPhase1_36,
    ReportedContainer,
    ReportedContainer1_35,
)
from podproof.model.kubecontainer import RuntimeContainer, RuntimePod, RuntimeState, should_container_be_restarted
from podproof.model.language import NIL, Array
from podproof.model.notes import go
from podproof.model.status.generate import (
    generate_containers_ready_condition,
    generate_pod_initialized_condition,
    generate_pod_ready_condition,
)


class ProbeAnswer(Enum):
    """proberesults.Result."""

    SUCCESS = "ok"
    FAILURE = "fail"
    UNKNOWN = "unk"


@dataclass
class KubeletPods:
    """What generateAPIPodStatus reads besides its arguments, in release 1.29."""

    get_phase: ClassVar[type[GetPhase]] = GetPhase
    reasons: dict[str, tuple[str, str]] = field(default_factory=dict)
    """reasonCache: why containers of the pod could not be started, reason and message by name."""
    readiness: Mapping[str, ProbeAnswer] = field(default_factory=dict)
    """readinessManager, by container ID."""
    startup: Mapping[str, ProbeAnswer] = field(default_factory=dict)
    """startupManager, by container ID."""
    probes: bool = True
    """Does the probe manager know the pod's results?"""
    now: int = 0
    node_ip: str = ""
    """Empty where no API server is there to say it."""

    # -- generateAPIPodStatus --------------------------------------------------------------------------------------

    @go("generateAPIPodStatus")
    def generate_api_pod_status(
        self, pod: ApiPod, runtime_pod: RuntimePod, cached: PodStatus | None, pod_is_terminal: bool
    ) -> PodStatus:
        old = cached if cached is not None else pod.status
        status = self.convert_status_to_api_status(pod, runtime_pod, old)
        has_initialized = runtime_pod.has_any_active_regular_container_started(pod)
        rule = self.phase_rule(pod, status, pod_is_terminal, has_initialized)
        rule.old_phase, rule.api_phase = old.phase, pod.status.phase
        rule.past_active_deadline = self.past_active_deadline(pod, old)
        status.phase = rule.generate_phase()
        if rule.past_active_deadline:
            status.reason = "DeadlineExceeded"
            status.message = "Pod was active on the node longer than the specified deadline"
        elif rule.keep_terminal_phase() == old.phase:
            status.reason = old.reason or pod.status.reason
            status.message = old.message or pod.status.message
        if self.probes:
            self.update_pod_status(pod, status)
        status.conditions = self.generate_conditions(pod, runtime_pod, old, status)
        if pod.host_network and not status.pod_ip:
            status.pod_ip = self.node_ip
        return status

    def phase_rule(self, pod: ApiPod, status: PodStatus, pod_is_terminal: bool, pod_has_initialized: bool) -> GetPhase:
        """What getPhase is asked: the containers of the spec, each with its status."""
        return self.get_phase(
            restart_policy=pod.restart_policy,
            is_static=pod.is_static(),
            pod_is_terminal=pod_is_terminal,
            init_containers=self.reported(pod.init_containers, status.init_container_statuses),
            containers=self.reported(pod.containers, status.container_statuses),
        )

    def reported(self, containers: list[Container], statuses: list[ContainerStatus]) -> Array[ReportedContainer]:
        """The containers of a spec with their statuses, as getPhase reads them."""
        return Array(
            self.report(container, get_container_status(statuses, container.name)) for container in containers
        )  # fmt: skip

    def report(self, container: Container, status: ContainerStatus | None) -> ReportedContainer:
        return report(container.restartable_init, status)

    @go("pastActiveDeadline")
    def past_active_deadline(self, pod: ApiPod, old: PodStatus) -> bool:
        if pod.active_deadline_seconds == NIL or old.start_time == NIL:
            return False
        return self.now - old.start_time >= pod.active_deadline_seconds

    def generate_conditions(
        self, pod: ApiPod, runtime_pod: RuntimePod, old: PodStatus, status: PodStatus
    ) -> list[PodCondition]:
        """Those of others from the API server, the status manager's DisruptionTarget, and the kubelet's anew."""
        conditions = [replace(condition) for condition in pod.status.conditions if condition.type not in OWNED]
        disruption = get_pod_condition(old, ConditionType.DISRUPTION_TARGET)
        if disruption is not None:
            replace_or_append_pod_condition(conditions, replace(disruption))
        every = [*status.init_container_statuses, *status.container_statuses]
        ready_to_start = ConditionStatus.TRUE if runtime_pod.is_sandbox_ready() else ConditionStatus.FALSE
        conditions.append(PodCondition(ConditionType.POD_READY_TO_START_CONTAINERS, ready_to_start))
        conditions.append(generate_pod_initialized_condition(pod, every, status.phase))
        conditions.append(generate_pod_ready_condition(pod, conditions, every, status.phase))
        conditions.append(generate_containers_ready_condition(pod, every, status.phase))
        conditions.append(PodCondition(ConditionType.POD_SCHEDULED, ConditionStatus.TRUE))
        return conditions

    # -- the containers --------------------------------------------------------------------------------------------

    @go("convertStatusToAPIStatus")
    def convert_status_to_api_status(self, pod: ApiPod, runtime_pod: RuntimePod, old: PodStatus) -> PodStatus:
        status = PodStatus(pod_ip=runtime_pod.ips[0] if runtime_pod.ips else "")
        regular = self.convert_to_api_container_statuses(
            pod, runtime_pod, old.container_statuses, pod.containers, is_init_container=False
        )
        status.container_statuses = sorted(regular, key=lambda container: container.name)
        status.init_container_statuses = self.convert_to_api_container_statuses(
            pod, runtime_pod, old.init_container_statuses, pod.init_containers, is_init_container=True
        )
        return status

    @go("convertToAPIContainerStatuses")
    def convert_to_api_container_statuses(
        self,
        pod: ApiPod,
        runtime_pod: RuntimePod,
        previous: list[ContainerStatus],
        containers: list[Container],
        is_init_container: bool,
    ) -> list[ContainerStatus]:
        """The statuses of these containers, in the order of the spec."""
        statuses = []
        for container in containers:
            old = get_container_status(previous, container.name)
            records = [record for record in runtime_pod.containers if record.name == container.name]
            if records:
                status = self.convert_container_status(records[0], old)
                if len(records) > 1:
                    # Whatever was known of an earlier end is lost, also where this one tells of none.
                    before = self.convert_container_status(records[1], old)
                    if before.state.of == StateOf.TERMINATED:
                        status.last_termination_state = before.state
            else:
                status = self.default_status(pod, container, old)
            has_completed = bool(
                is_init_container and records and records[0].state == RuntimeState.EXITED and records[0].exit_code == 0
            )
            if not has_completed and should_container_be_restarted(container.name, pod, runtime_pod):
                self.wait_for_restart(status)
            statuses.append(status)
        return statuses

    @go("convertToAPIContainerStatuses", part="the default status")
    def default_status(self, pod: ApiPod, container: Container, old: ContainerStatus | None) -> ContainerStatus:
        """Of a container that the runtime does not have: it waits, or it has ended before."""
        if old is not None and old.state.of == StateOf.TERMINATED:
            return replace(old)
        waiting = ContainerState(
            StateOf.WAITING, reason="PodInitializing" if pod.init_containers else "ContainerCreating"
        )
        status = ContainerStatus(container.name, waiting)
        if old is not None:
            status.restart_count = old.restart_count
            status.last_termination_state = old.last_termination_state
            if old.state.of == StateOf.RUNNING and old.last_termination_state.of == StateOf.NONE:
                # It ran, and without an end the pod would be Pending again.
                status.last_termination_state = LOST
                if not pod.deletion_timestamp:
                    status.restart_count += 1
        return status

    @go("convertToAPIContainerStatuses", part="convertContainerStatus")
    def convert_container_status(self, record: RuntimeContainer, old: ContainerStatus | None) -> ContainerStatus:
        status = ContainerStatus(record.name, restart_count=record.restart_count, container_id=container_id(record))
        if record.state == RuntimeState.RUNNING:
            status.state = ContainerState(StateOf.RUNNING)
        elif record.state == RuntimeState.EXITED:
            status.state = ContainerState(StateOf.TERMINATED, record.exit_code, record.reason)
        elif record.state == RuntimeState.UNKNOWN and old is not None and old.state.of == StateOf.RUNNING:
            status.state = LOST
            # The runtime does not count an end that it did not see.
            status.restart_count = old.restart_count + 1
        else:
            status.state = ContainerState(StateOf.WAITING)
        return status

    @go("convertToAPIContainerStatuses", part="containers that failed to be started")
    def wait_for_restart(self, status: ContainerStatus) -> None:
        """A container that the next SyncPod starts again waits, for the reason why the last try failed."""
        if status.name not in self.reasons:
            return
        if status.state.of == StateOf.TERMINATED:
            status.last_termination_state = status.state
        reason, message = self.reasons[status.name]
        status.state = ContainerState(StateOf.WAITING, reason=reason, message=message)

    # -- the probe manager -----------------------------------------------------------------------------------------

    @go("UpdatePodStatus")
    def update_pod_status(self, pod: ApiPod, status: PodStatus) -> None:
        """Put what the probes say into started and ready."""
        specs = {container.name: container for container in [*pod.init_containers, *pod.containers]}
        ordinary = {container.name for container in pod.init_containers if not container.restartable_init}
        for container in [*status.container_statuses, *status.init_container_statuses]:
            # Ordinary init containers have no probes.
            spec = Container(container.name) if container.name in ordinary else specs[container.name]
            started = self.is_container_started(spec, container)
            container.started = Started.YES if started else Started.NO
            if container.name in ordinary:
                if container.state.of == StateOf.TERMINATED and container.state.exit_code == 0:
                    container.ready = True
            elif started:
                container.ready = self.is_container_ready(spec, container)

    @go("isContainerStarted")
    def is_container_started(self, spec: Container, status: ContainerStatus) -> bool:
        if status.state.of != StateOf.RUNNING:
            return False
        answer = self.startup.get(runtime_id(status))
        return answer == ProbeAnswer.SUCCESS if answer is not None else not spec.startup_probe

    def is_container_ready(self, spec: Container, status: ContainerStatus) -> bool:
        """Of a container that has started: without a probe it is ready."""
        return self.readiness.get(runtime_id(status)) == ProbeAnswer.SUCCESS or not spec.readiness_probe


class KubeletPods1_32(KubeletPods):
    """In release 1.32 only getPhase differs."""

    get_phase: ClassVar[type[GetPhase]] = GetPhase1_32


class KubeletPods1_34(KubeletPods1_32):
    """In releases 1.33 and 1.34 getPhase is told whether the runtime has a regular container."""

    get_phase: ClassVar[type[GetPhase]] = GetPhase1_34

    def phase_rule(self, pod: ApiPod, status: PodStatus, pod_is_terminal: bool, pod_has_initialized: bool) -> GetPhase:
        rule = super().phase_rule(pod, status, pod_is_terminal, pod_has_initialized)
        assert isinstance(rule, GetPhase1_34)
        rule.pod_has_initialized = pod_has_initialized
        return rule


class KubeletPods1_35(KubeletPods1_34):
    """In release 1.35 getPhase reads the restart rules of the containers."""

    get_phase = GetPhase1_35

    def report(self, container: Container, status: ContainerStatus | None) -> ReportedContainer:
        known = report(container.restartable_init, status)
        ended = last_end(status)
        return ReportedContainer1_35(
            **vars(known),
            own_policy=container.restart_policy,
            matching_rule=find_matching_container_restart_rule(container, ended.exit_code),
            removed_for_restart=ended.reason == RESTARTING_ALL_CONTAINERS,
        )


class KubeletPods1_36(KubeletPods1_35):
    """In release 1.36 a container may restart all of its pod."""

    get_phase = GetPhase1_36


class KubeletPods1_27(KubeletPods):
    """In release 1.27 there is no condition of the sandbox: its feature gate is off."""

    get_phase: ClassVar[type[GetPhase]] = GetPhase1_27

    def generate_conditions(
        self, pod: ApiPod, runtime_pod: RuntimePod, old: PodStatus, status: PodStatus
    ) -> list[PodCondition]:
        conditions = super().generate_conditions(pod, runtime_pod, old, status)
        return [c for c in conditions if c.type != ConditionType.POD_READY_TO_START_CONTAINERS]


class KubeletPods1_26(KubeletPods1_27):
    """In release 1.26 only getPhase differs."""

    get_phase = GetPhase1_26


class KubeletPods1_22_0(KubeletPods1_26):
    """In release 1.22.0 only the phase differs."""

    get_phase = GetPhase1_22_0


RUNTIME_TYPE = "x"
"""What container IDs begin with."""


def container_id(container: RuntimeContainer) -> str:
    """A container's ID as the API server knows it."""
    return f"{RUNTIME_TYPE}://{container.id}"


def runtime_id(status: ContainerStatus) -> str:
    """A container's ID as the runtime knows it."""
    return status.container_id.removeprefix(f"{RUNTIME_TYPE}://")


def report(restartable_init: bool, status: ContainerStatus | None) -> ReportedContainer:
    if status is None:
        return ReportedContainer(restartable_init=restartable_init)
    last = status.last_termination_state
    return ReportedContainer(
        True,
        restartable_init,
        status.state.of,
        status.state.exit_code,
        last.exit_code if last.of == StateOf.TERMINATED else NIL,
        status.started,
    )


def last_end(status: ContainerStatus | None) -> ContainerState:
    """The end that getPhase reads of a container: the present one, else the one before."""
    if status is None:
        return ContainerState()
    return status.state if status.state.of == StateOf.TERMINATED else status.last_termination_state
