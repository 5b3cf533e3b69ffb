"""Faults in what 1.33 to 1.36 changed of getPhase and computePodActions, as releases that are wrong in one place."""

from __future__ import annotations

from tests.runtime_departures import departure

from podproof.model.core_v1 import ContainerRestartRuleAction, PodPhase, RestartPolicy
from podproof.model.get_phase import GetPhase1_36, ReportedContainer, ReportedContainer1_35
from podproof.model.kubecontainer import RuntimeState
from podproof.model.kubelet_pods import KubeletPods1_36
from podproof.model.kuberuntime.compute_pod_actions import ComputePodActions1_36
from podproof.model.kuberuntime.records import ContainerKillReason, ContainerReset, KnownContainer, KnownContainer1_35
from podproof.model.releases import V1_36_3

# -- computePodActions -------------------------------------------------------------------------------------------------


class _RulesDoNotCount(ComputePodActions1_36):
    def restarts_by_rule(self, container: KnownContainer) -> bool:  # type: ignore[override]
        return False


class _RestartAllIsNoRestart(ComputePodActions1_36):
    def restarts_by_rule(self, container: KnownContainer1_35) -> bool:  # type: ignore[override]
        return container.matching_rule == ContainerRestartRuleAction.RESTART and super().restarts_by_rule(container)


class _RulesCountForNewSandboxes(ComputePodActions1_36):
    def is_to_run_again(self, container: KnownContainer1_35) -> bool:  # type: ignore[override]
        return self.restarts_by_rule(container) or super().is_to_run_again(container)


class _OwnPoliciesDoNotCount(ComputePodActions1_36):
    def policy_of(self, container: KnownContainer) -> RestartPolicy:  # type: ignore[override]
        return self.restart_policy


class _RestartsUnderNever(ComputePodActions1_36):
    def should_container_be_restarted(self, container: KnownContainer) -> bool:
        return container.state == RuntimeState.EXITED or super().should_container_be_restarted(container)


class _SandboxesGoByTheContainers(ComputePodActions1_36):
    """What would mend `always_means_always`."""

    def needs_sandbox(self) -> bool:
        for i in range(len(self.containers)):
            if self.policy_of(self.containers[i]) == RestartPolicy.ALWAYS:
                return True
        return super().needs_sandbox()


class _FailedInitContainersGoByThePod(ComputePodActions1_36):
    def is_failed_init_container_restarted(self, container: KnownContainer) -> bool:
        return self.restart_policy != RestartPolicy.NEVER


class _FailedInitContainersAreFinal(ComputePodActions1_36):
    def is_failed_init_container_restarted(self, container: KnownContainer) -> bool:
        return False


class _TakesTheOlderCode(ComputePodActions1_36):
    def knows_sidecars(self) -> bool:
        return self.has_restartable_init_container()


class _ExitedShowsThatAPodIsInitialized(ComputePodActions1_36):
    def has_any_regular_container_started(self) -> bool:
        return self.has_any_regular_container_created()


class _KillsForNoResize(ComputePodActions1_36):
    def is_resized(self, container: KnownContainer) -> bool:  # type: ignore[override]
        return False


class _ResizesGoByThePolicy(ComputePodActions1_36):
    def act_on_running_container(self, i: int) -> None:
        super().act_on_running_container(i)
        if self.actions.containers_to_kill[i] == ContainerKillReason.RESIZE:
            self.actions.containers_to_start[i] = self.policy_of(self.containers[i]) != RestartPolicy.NEVER


class _ResizesWhatIsUnhealthy(ComputePodActions1_36):
    def act_on_running_container(self, i: int) -> None:
        super().act_on_running_container(i)
        if self.is_resized(self.containers[i]):
            self.kill_container(i, ContainerKillReason.RESIZE, True)


class _LeavesResizedSidecars(ComputePodActions1_36):
    def reason_to_restart_sidecar(self, container: KnownContainer) -> ContainerKillReason:  # type: ignore[override]
        reason = super().reason_to_restart_sidecar(container)  # type: ignore[arg-type]
        return ContainerKillReason.NONE if reason == ContainerKillReason.RESIZE else reason


class _ResizesSidecarsBeforeTheirProbe(ComputePodActions1_36):
    def reason_to_restart_sidecar(self, container: KnownContainer) -> ContainerKillReason:  # type: ignore[override]
        if self.is_resized(container):  # type: ignore[arg-type]
            return ContainerKillReason.RESIZE
        return super().reason_to_restart_sidecar(container)  # type: ignore[arg-type]


class _StartsWhatItRemoves(ComputePodActions1_36):
    def compute_pod_actions(self) -> None:
        super().compute_pod_actions()
        for i in range(len(self.containers)):
            self.actions.containers_to_start[i] = self.containers[i].state != RuntimeState.RUNNING


class _LeavesWhatWasOnlyCreated(ComputePodActions1_36):
    def reset_of(self, container: KnownContainer1_35) -> ContainerReset:
        return ContainerReset.NONE if container.state == RuntimeState.CREATED else super().reset_of(container)


class _RemovesWhatIsUnknown(ComputePodActions1_36):
    def reset_of(self, container: KnownContainer1_35) -> ContainerReset:
        return ContainerReset.REMOVE if container.state == RuntimeState.UNKNOWN else super().reset_of(container)


class _RemovesTheCauseFirst(ComputePodActions1_36):
    def reset_of(self, container: KnownContainer1_35) -> ContainerReset:
        reset = super().reset_of(container)
        return ContainerReset.REMOVE if reset == ContainerReset.REMOVE_LAST else reset


# -- getPhase ----------------------------------------------------------------------------------------------------------


class _FailsByThePolicyOfThePod(GetPhase1_36):
    def has_failed_for_good(self) -> bool:
        return self.has_failed_init_container() and self.restart_policy == RestartPolicy.NEVER


class _EndsByThePolicyOfThePod(GetPhase1_36):
    def get_phase_by_policy(self) -> PodPhase:
        if self.restart_policy == RestartPolicy.ALWAYS:
            return PodPhase.RUNNING
        if self.have_all_succeeded():
            return PodPhase.SUCCEEDED
        return PodPhase.FAILED if self.restart_policy == RestartPolicy.NEVER else PodPhase.RUNNING


class _EndsWithOneContainer(GetPhase1_36):
    def get_phase_by_policy(self) -> PodPhase:
        for i in range(len(self.containers)):
            if self.is_stopped(self.containers[i]) and not self.is_restarted(self.containers[i]):
                return PodPhase.SUCCEEDED if self.have_all_succeeded() else PodPhase.FAILED
        return PodPhase.RUNNING


class _AsksTheStatuses(GetPhase1_36):
    def is_initializing(self) -> bool:
        if self.has_pending_init_container():
            return True
        return self.has_pending_sidecar() and not self.has_any_regular_container_started()


class _WaitsForEverySidecar(GetPhase1_36):
    def is_initializing(self) -> bool:
        return self.has_pending_init_container() or self.has_pending_sidecar()


class _WaitsForNoSidecar(GetPhase1_36):
    def is_initializing(self) -> bool:
        return self.has_pending_init_container()


class _RemovedContainersAreOver(GetPhase1_36):
    def restarts_by_rule(self, container: ReportedContainer1_35) -> bool:  # type: ignore[override]
        return not container.removed_for_restart and super().restarts_by_rule(container)


class _RestartAllEndsThePod(GetPhase1_36):
    def restarts_by_rule(self, container: ReportedContainer1_35) -> bool:  # type: ignore[override]
        is_other = container.matching_rule != ContainerRestartRuleAction.RESTART_ALL_CONTAINERS
        return container.removed_for_restart or (is_other and super().restarts_by_rule(container))


class _WaitingContainersExitedWithZero(GetPhase1_36):
    def exit_code_of(self, container: ReportedContainer) -> int:
        return container.exit_code


ACTIONS: dict[type[ComputePodActions1_36], str] = {
    _RulesDoNotCount: "exited_containers_restart_by_their_own_rules",
    _RestartAllIsNoRestart: "who_restarts_all_restarts_too",
    _OwnPoliciesDoNotCount: "exited_containers_restart_by_their_own_rules",
    _RestartsUnderNever: "never_means_never",
    _FailedInitContainersGoByThePod: "failed_init_containers_are_final_under_never",
    _FailedInitContainersAreFinal: "failed_init_containers_run_again",
    _TakesTheOlderCode: "deleted_pods_start_no_failed_init_container",
    _KillsForNoResize: "resized_containers_restart",
    _ResizesGoByThePolicy: "resized_containers_restart",
    _LeavesResizedSidecars: "resized_sidecars_restart",
    _StartsWhatItRemoves: "all_are_removed_before_they_restart",
    _LeavesWhatWasOnlyCreated: "all_are_removed_before_they_restart",
    _RemovesWhatIsUnknown: "what_may_run_is_killed_before_it_is_removed",
    _RemovesTheCauseFirst: "the_cause_of_a_restart_goes_last",
}
"""Fault of computePodActions -> a claim about every input that notices it, in one with no or one init container."""
PHASES: dict[type[GetPhase1_36], str] = {
    _FailsByThePolicyOfThePod: "pods_fail_for_what_is_not_restarted",
    _EndsByThePolicyOfThePod: "what_restarts_keeps_a_pod_alive",
    _EndsWithOneContainer: "what_restarts_keeps_a_pod_alive",
    _AsksTheStatuses: "pods_wait_for_their_sidecars",
    _WaitsForEverySidecar: "sidecars_that_restart_leave_a_pod_running",
    _WaitsForNoSidecar: "pods_wait_for_their_sidecars",
}
"""The same of getPhase."""


def _with_phase(rule: type[GetPhase1_36]) -> type:
    pods = type("Pods", (KubeletPods1_36,), {"get_phase": rule})
    return type(rule.__name__.removeprefix("_"), (V1_36_3,), {"kubelet_pods": pods})


def _with_decision(rule: type[ComputePodActions1_36]) -> type:
    return departure(V1_36_3, rule.__name__.removeprefix("_"), decision=rule)


RECORDED = (
    *map(_with_decision, ACTIONS),
    *map(_with_decision, (_RulesCountForNewSandboxes, _SandboxesGoByTheContainers, _ExitedShowsThatAPodIsInitialized)),
    *map(_with_decision, (_ResizesWhatIsUnhealthy, _ResizesSidecarsBeforeTheirProbe)),
    *map(_with_phase, PHASES),
    *map(_with_phase, (_RemovedContainersAreOver, _RestartAllEndsThePod, _WaitingContainersExitedWithZero)),
)
"""Those that recordings have to notice."""
