"""getPhase, and what generateAPIPodStatus does to its answer: functions of their inputs alone, in the model language.

Go: pkg/kubelet/kubelet_pods.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.core_v1 import (
    ContainerRestartPolicy,
    ContainerRestartRuleAction,
    PodPhase,
    RestartPolicy,
    Started,
    StateOf,
    policy_of_container,
    restarts_after,
)
from podproof.model.language import NIL, Array, Domain, Size, action
from podproof.model.notes import Go, go

OptionalExitCode = Annotated[int, Domain("optional_exit_codes", default=NIL)]
"""NIL where there is no last termination."""


@dataclass
class ReportedContainer:
    """A container of the spec and its status, as far as getPhase reads them."""

    has_status: bool = False
    restartable_init: Annotated[bool, Go("RestartPolicy")] = False
    state: StateOf = StateOf.NONE
    exit_code: Annotated[int, Domain("exit_codes")] = 0
    last_exit_code: Annotated[OptionalExitCode, Go("LastTerminationState.Terminated")] = NIL
    started: Started = Started.NIL


@dataclass
class ReportedContainer1_35(ReportedContainer):
    """The same with the container's own restart policy, and with what it says of the end of it that is reported."""

    own_policy: Annotated[ContainerRestartPolicy, Go("RestartPolicy")] = ContainerRestartPolicy.NONE
    matching_rule: Annotated[ContainerRestartRuleAction, Go("RestartPolicyRules")] = ContainerRestartRuleAction.NONE
    """What the first rule that matches the exit code says."""
    removed_for_restart: Annotated[bool, Go("Reason", part="RestartingAllContainers")] = False


@dataclass
class GetPhase:
    """The phase that generateAPIPodStatus reports, and what it is made of, in release 1.29."""

    restart_policy: RestartPolicy
    is_static: bool
    pod_is_terminal: bool
    """Does the caller know that no container will run again?"""
    init_containers: Annotated[Array[ReportedContainer], Size("init_containers")]
    containers: Annotated[Array[ReportedContainer], Size("containers")]
    old_phase: Annotated[PodPhase, Go("oldPodStatus.Phase")] = PodPhase.NONE
    """The status manager's; where it has no status, the API server's."""
    api_phase: Annotated[PodPhase, Go("pod.Status.Phase")] = PodPhase.NONE
    past_active_deadline: bool = False
    reported: Annotated[PodPhase, Go("Phase")] = PodPhase.NONE
    """The answer."""

    @action("kubelet", "generateAPIPodStatus")
    def report_phase(self) -> None:
        self.reported = self.generate_phase()

    @go("getPhase")
    def get_phase(self) -> PodPhase:
        if self.has_failed_for_good():
            return PodPhase.FAILED
        if self.is_initializing() or self.has_waiting_container():
            return PodPhase.PENDING
        if self.has_unknown_container():
            return PodPhase.PENDING
        if self.has_running_container():
            return PodPhase.RUNNING
        if self.has_stopped_container():
            return self.get_phase_of_stopped_pod()
        return PodPhase.PENDING

    @go("getPhase", part="all containers are terminated")
    def get_phase_of_stopped_pod(self) -> PodPhase:
        if self.pod_is_terminal and not self.is_static:
            # Nothing will be started again, whatever the policy says.
            if self.have_all_succeeded():
                return PodPhase.SUCCEEDED
            return PodPhase.FAILED
        return self.get_phase_by_policy()

    @go("getPhase", part="all containers are terminated, and the pod goes on")
    def get_phase_by_policy(self) -> PodPhase:
        if self.restart_policy == RestartPolicy.ALWAYS:
            return PodPhase.RUNNING
        if self.have_all_succeeded():
            return PodPhase.SUCCEEDED
        if self.restart_policy == RestartPolicy.NEVER:
            return PodPhase.FAILED
        return PodPhase.RUNNING

    # -- the counters ----------------------------------------------------------------------------------------------

    def is_initializing(self) -> bool:
        """Once a regular container began, nothing that is pending before it counts."""
        pending = self.has_pending_init_container() or self.has_pending_sidecar()
        return pending and not self.has_any_regular_container_started()

    def has_failed_for_good(self) -> bool:
        """Has an init container failed that is not started again?"""
        return self.has_failed_init_container() and self.restart_policy == RestartPolicy.NEVER

    def has_failed_init_container(self) -> bool:
        """failedInitialization."""
        for i in range(len(self.init_containers)):
            container = self.init_containers[i]
            if container.has_status and not container.restartable_init:
                if container.state == StateOf.TERMINATED and container.exit_code != 0:
                    return True
                if container.state == StateOf.WAITING and container.last_exit_code != NIL:
                    if container.last_exit_code != 0:
                        return True
        return False

    def has_pending_init_container(self) -> bool:
        """pendingInitialization of an ordinary init container."""
        for i in range(len(self.init_containers)):
            container = self.init_containers[i]
            if not container.restartable_init:
                if not container.has_status or container.state in (StateOf.NONE, StateOf.RUNNING):
                    return True
                if container.state == StateOf.WAITING and container.last_exit_code == NIL:
                    return True
        return False

    def has_pending_sidecar(self) -> bool:
        """pendingInitialization of a sidecar; one without a status is unknown instead."""
        for i in range(len(self.init_containers)):
            container = self.init_containers[i]
            if container.restartable_init and container.has_status:
                if container.state == StateOf.NONE:
                    return True
                if container.state == StateOf.RUNNING and container.started != Started.YES:
                    return True
                if container.state == StateOf.WAITING and container.last_exit_code == NIL:
                    return True
        return False

    def has_waiting_container(self) -> bool:
        """waiting: a regular container or sidecar that never ran."""
        for i in range(len(self.init_containers)):
            if self.init_containers[i].restartable_init and self.is_waiting(self.init_containers[i]):
                return True
        for i in range(len(self.containers)):
            if self.is_waiting(self.containers[i]):
                return True
        return False

    def is_waiting(self, container: ReportedContainer) -> bool:
        return container.has_status and container.state == StateOf.WAITING and container.last_exit_code == NIL

    def has_unknown_container(self) -> bool:
        """unknown: a regular container or sidecar without a status, or without a state."""
        for i in range(len(self.init_containers)):
            if self.init_containers[i].restartable_init and self.is_unknown(self.init_containers[i]):
                return True
        for i in range(len(self.containers)):
            if self.is_unknown(self.containers[i]):
                return True
        return False

    def is_unknown(self, container: ReportedContainer) -> bool:
        return not container.has_status or container.state == StateOf.NONE

    def has_running_container(self) -> bool:
        """running: a regular container or sidecar."""
        for i in range(len(self.init_containers)):
            if self.init_containers[i].restartable_init and self.is_running(self.init_containers[i]):
                return True
        for i in range(len(self.containers)):
            if self.is_running(self.containers[i]):
                return True
        return False

    def is_running(self, container: ReportedContainer) -> bool:
        return container.has_status and container.state == StateOf.RUNNING

    def has_stopped_container(self) -> bool:
        """stopped: a regular container that ended, also if it waits to be started again."""
        for i in range(len(self.containers)):
            if self.is_stopped(self.containers[i]):
                return True
        return False

    def is_stopped(self, container: ReportedContainer) -> bool:
        if not container.has_status:
            return False
        if container.state == StateOf.TERMINATED:
            return True
        return container.state == StateOf.WAITING and container.last_exit_code != NIL

    def have_all_succeeded(self) -> bool:
        """stopped == succeeded: one that waits to be started again has not succeeded, however it ended."""
        for i in range(len(self.containers)):
            if self.is_stopped(self.containers[i]):
                if self.containers[i].state != StateOf.TERMINATED or self.containers[i].exit_code != 0:
                    return False
        return True

    @go("HasAnyRegularContainerStarted")
    def has_any_regular_container_started(self) -> bool:
        """Does a regular container run now, or has it ended and not been taken up again?"""
        for i in range(len(self.containers)):
            if self.containers[i].has_status:
                if self.containers[i].state in (StateOf.RUNNING, StateOf.TERMINATED):
                    return True
        return False

    def exit_code_of(self, container: ReportedContainer) -> int:
        """Of a container that is stopped."""
        return container.exit_code if container.state == StateOf.TERMINATED else container.last_exit_code

    @go("ContainerShouldRestart", since="1.34")
    def container_should_restart(self, container: ReportedContainer) -> bool:
        """The answer for a container that is stopped and its exit code."""
        return self.has_rule(container) or restarts_after(self.policy_of(container), self.exit_code_of(container))

    def is_restarted(self, container: ReportedContainer) -> bool:
        """Is a container that is stopped started again, while the pod goes on?"""
        if self.restarts_by_rule(container):
            return True
        return restarts_after(self.policy_of(container), self.exit_code_of(container))

    def policy_of(self, container: ReportedContainer) -> RestartPolicy:
        """By which policy does a container restart?"""
        return self.restart_policy

    def restarts_by_rule(self, container: ReportedContainer) -> bool:
        """Is it restarted for its exit code, whatever its policy?"""
        return self.has_rule(container)

    def has_rule(self, container: ReportedContainer) -> bool:
        """Has it a rule that restarts it for its exit code?"""
        return False

    # -- generateAPIPodStatus --------------------------------------------------------------------------------------

    @go("generateAPIPodStatus", part="the phase")
    def keep_terminal_phase(self) -> PodPhase:
        """getPhase's answer, unless the pod is known to have ended. Failed may still become Succeeded."""
        phase = self.get_phase()
        if phase not in (PodPhase.SUCCEEDED, PodPhase.FAILED):
            if self.old_phase in (PodPhase.SUCCEEDED, PodPhase.FAILED):
                return self.old_phase
            if self.api_phase in (PodPhase.SUCCEEDED, PodPhase.FAILED):
                return self.api_phase
        return phase

    @go("generateAPIPodStatus", part="the phase, after all that may change it")
    def generate_phase(self) -> PodPhase:
        """What the API server knows to have ended is never reported otherwise."""
        if self.api_phase in (PodPhase.SUCCEEDED, PodPhase.FAILED):
            return self.api_phase
        if self.past_active_deadline:
            return PodPhase.FAILED
        return self.keep_terminal_phase()


@dataclass
class GetPhase1_32(GetPhase):
    """In release 1.32 an ordinary init container that is pending counts although a regular container runs."""

    def is_initializing(self) -> bool:
        if self.has_pending_init_container():
            return True
        return self.has_pending_sidecar() and not self.has_any_regular_container_started()


@dataclass
class GetPhase1_34(GetPhase1_32):
    """In releases 1.33 and 1.34 the runtime is asked whether a regular container has been started."""

    pod_has_initialized: bool = False
    """HasAnyActiveRegularContainerStarted: is a regular container of any state in the sandbox that is ready?"""

    def is_initializing(self) -> bool:
        if self.has_pending_init_container():
            return True
        return self.has_pending_sidecar() and not self.pod_has_initialized


@dataclass
class GetPhase1_35(GetPhase1_34):
    """In release 1.35 each container has a restart policy, its own or the pod's, and rules for its exit codes."""

    init_containers: Annotated[Array[ReportedContainer1_35], Size("init_containers")]  # type: ignore[assignment]
    containers: Annotated[Array[ReportedContainer1_35], Size("containers")]  # type: ignore[assignment]

    def has_failed_for_good(self) -> bool:
        """failedInitializationNotRestartable."""
        for i in range(len(self.init_containers)):
            container = self.init_containers[i]
            if not container.restartable_init and self.is_stopped(container):
                if self.exit_code_of(container) != 0 and not self.is_restarted(container):
                    return True
        return False

    def get_phase_by_policy(self) -> PodPhase:
        """stoppedNotRestartable: one that waits to be started again, and is not to be, counts as stopped for good."""
        for i in range(len(self.containers)):
            if self.is_stopped(self.containers[i]) and self.is_restarted(self.containers[i]):
                return PodPhase.RUNNING
        if self.have_all_succeeded():
            return PodPhase.SUCCEEDED
        return PodPhase.FAILED

    def policy_of(self, container: ReportedContainer1_35) -> RestartPolicy:  # type: ignore[override]
        return policy_of_container(self.restart_policy, container.own_policy)

    def has_rule(self, container: ReportedContainer1_35) -> bool:  # type: ignore[override]
        """Rules count beside a policy of the container's own. RestartAllContainers is behind a gate that is off."""
        has_policy = container.own_policy != ContainerRestartPolicy.NONE
        return has_policy and container.matching_rule == ContainerRestartRuleAction.RESTART


@dataclass
class GetPhase1_36(GetPhase1_35):
    """In release 1.36 a container may restart all of its pod."""

    def restarts_by_rule(self, container: ReportedContainer1_35) -> bool:  # type: ignore[override]
        return container.removed_for_restart or self.has_rule(container)

    def has_rule(self, container: ReportedContainer1_35) -> bool:  # type: ignore[override]
        has_policy = container.own_policy != ContainerRestartPolicy.NONE
        return has_policy and container.matching_rule != ContainerRestartRuleAction.NONE


@dataclass
class GetPhase1_27(GetPhase):
    """In release 1.27 there are no sidecars, and a pending init container counts although a regular container runs."""

    def is_initializing(self) -> bool:
        return self.has_pending_init_container()


@dataclass
class GetPhase1_26(GetPhase1_27):
    """In release 1.26 nobody says that no container will run again."""

    def get_phase_of_stopped_pod(self) -> PodPhase:
        return self.get_phase_by_policy()


@dataclass
class GetPhase1_22_0(GetPhase1_26):
    """In release 1.22.0 only the API server's phase is kept. Mended by kubernetes/kubernetes#105462, in 1.22.3."""

    def keep_terminal_phase(self) -> PodPhase:
        return self.get_phase()
