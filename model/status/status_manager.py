"""What the status manager decides by, and the status manager itself.

Go: pkg/kubelet/status/status_manager.go in 1.29 to 1.32, which do the same.
"""

from __future__ import annotations

from dataclasses import replace

from podproof.model.core_v1 import (
    OWNED,
    ApiPod,
    ConditionStatus,
    ConditionType,
    ContainerStatus,
    PodCondition,
    PodPhase,
    PodStatus,
    RestartPolicy,
    StateOf,
    get_pod_condition,
    replace_or_append_pod_condition,
)
from podproof.model.notes import go
from podproof.model.status.generate import POD_COMPLETED, POD_FAILED


class StatusManager:
    """The status manager of kubelet 1.29 to 1.32."""

    # -- may the containers have become what a status says? --------------------------------------------------------

    @go("checkContainerStateTransition")
    def check_container_state_transition(self, old: PodStatus, new: PodStatus, pod: ApiPod) -> str:
        """What is wrong with the change; empty for nothing. A container that ended stays so, unless it may restart."""
        if pod.restart_policy == RestartPolicy.ALWAYS:
            return ""
        for status in old.container_statuses:
            if self.has_left_its_end(status, new.container_statuses, pod.restart_policy):
                return f"terminated container {status.name} attempted illegal transition to non-terminated state"
        for i, status in enumerate(old.init_container_statuses):
            if i >= len(pod.init_containers) or pod.init_containers[i].name != status.name:
                return f"found mismatch between pod spec and status, container: {status.name}"
            if pod.init_containers[i].restartable_init:
                continue
            if self.has_left_its_end(status, new.init_container_statuses, pod.restart_policy):
                return f"terminated init container {status.name} attempted illegal transition to non-terminated state"
        return ""

    def has_left_its_end(self, old: ContainerStatus, new: list[ContainerStatus], policy: RestartPolicy) -> bool:
        """Was the container terminated for good, and is not any more? One that is missing has not left it."""
        if old.state.of != StateOf.TERMINATED:
            return False
        if old.state.exit_code != 0 and policy == RestartPolicy.ON_FAILURE:
            return False
        for status in new:
            if status.name == old.name and status.state.of != StateOf.TERMINATED:
                return True
        return False

    # -- are two statuses the same as far as the kubelet writes them? ----------------------------------------------

    @go("isPodStatusByKubeletEqual")
    def is_pod_status_by_kubelet_equal(self, old: PodStatus, status: PodStatus) -> bool:
        """Conditions that only the old one has, those of others and the times of all do not count."""
        for condition in status.conditions:
            if condition.type in OWNED or condition.type == ConditionType.DISRUPTION_TARGET:
                before = get_pod_condition(old, condition.type)
                if before is None or not same_condition(before, condition):
                    return False
        return replace(old, conditions=[]) == replace(status, conditions=[])

    # -- what is written to the API server -------------------------------------------------------------------------

    @go("mergePodStatus")
    def merge_pod_status(self, old: PodStatus, new: PodStatus, could_have_running: bool, now: int) -> PodStatus:
        """The API server's status with the kubelet's put over it; a terminal phase waits until nothing can run.

        A condition DisruptionTarget of `new` gets its time there as well, as the Go's two slices share it.
        """
        becomes_terminal = not old.phase.is_terminal() and new.phase.is_terminal()
        conditions = [condition for condition in old.conditions if condition.type not in OWNED]
        for condition in new.conditions:
            if condition.type in OWNED:
                conditions.append(condition)
            elif condition.type == ConditionType.DISRUPTION_TARGET:
                if becomes_terminal and not could_have_running:
                    update_last_transition_time(condition, old, now)
                    replace_or_append_pod_condition(conditions, condition)
        merged = replace(new, conditions=[replace(condition) for condition in conditions])
        if becomes_terminal and could_have_running:
            merged.phase, merged.reason, merged.message = old.phase, old.reason, old.message
        if merged.phase.is_terminal():
            self.unready(merged, now)
        return merged

    def unready(self, status: PodStatus, now: int) -> None:
        """A pod that has ended is not ready: if one of the two conditions says so, both are made false."""
        for condition_type in (ConditionType.READY, ConditionType.CONTAINERS_READY):
            condition = get_pod_condition(status, condition_type)
            if condition is not None and condition.status == ConditionStatus.TRUE:
                reason = POD_FAILED if status.phase == PodPhase.FAILED else POD_COMPLETED
                for made in (ConditionType.CONTAINERS_READY, ConditionType.READY):
                    update = PodCondition(made, ConditionStatus.FALSE, reason)
                    update_last_transition_time(update, status, now)
                    replace_or_append_pod_condition(status.conditions, update)
                return


def same_condition(one: PodCondition, other: PodCondition) -> bool:
    """Are two conditions of one type the same but for their times?"""
    return one.status == other.status and one.reason == other.reason and one.message == other.message


@go("updateLastTransitionTime")
def update_last_transition_time(condition: PodCondition, old: PodStatus, now: int) -> None:
    """The time of the old condition while it says the same, else now."""
    before = get_pod_condition(old, condition.type)
    unchanged = before is not None and before.status == condition.status
    condition.last_transition_time = before.last_transition_time if before is not None and unchanged else now
