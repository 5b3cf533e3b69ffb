"""mergePodStatus: what is written of the kubelet's status and the API server's, in the model language.

Go: pkg/kubelet/status/status_manager.go in 1.26 to 1.36.3, which do the same but for resource claims.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from podproof.model.core_v1 import ConditionStatus, PodPhase
from podproof.model.language import Array, Size, action
from podproof.model.notes import Go, go

READY, CONTAINERS_READY, OWNED, DISRUPTION_TARGET, OTHERS = range(5)
"""Numbers of conditions: OWNED is another one that the kubelet owns, OTHERS one that only others write."""
CONDITIONS = {"conditions": 5}
"""The length of the lists."""


class ConditionSource(Enum):
    """Where the reason and the message of a condition come from."""

    OLD = "oldPodStatus"
    NEW = "newPodStatus"
    FAILED = "PodFailed"
    COMPLETED = "PodCompleted"
    NOBODY = ""
    """Made by the kubelet of a pod that has not ended: without a reason."""


class TransitionTime(Enum):
    """Which time a condition has."""

    OLD = "oldPodStatus"
    NEW = "newPodStatus"
    NOW = "now"


@dataclass
class GivenCondition:
    """A condition of a status; none where it has no such."""

    is_there: Annotated[bool, Go("Type")]
    status: Annotated[ConditionStatus, Go("Status")]


@dataclass
class MergedCondition(GivenCondition):
    """A condition of the answer."""

    source: Annotated[ConditionSource, Go("Reason")] = ConditionSource.OLD
    time: Annotated[TransitionTime, Go("LastTransitionTime")] = TransitionTime.OLD


@dataclass
class MergedStatus:
    """The status that is written."""

    phase: Annotated[PodPhase, Go("Phase")]
    has_old_reason: Annotated[bool, Go("Reason", part="oldPodStatus's")]
    has_old_message: Annotated[bool, Go("Message", part="oldPodStatus's")]
    conditions: Annotated[Array[MergedCondition], Size("conditions")]


@dataclass
class MergePhase:
    """The phases that mergePodStatus is given."""

    old_phase: Annotated[PodPhase, Go("oldPodStatus.Phase")]
    """The API server's."""
    new_phase: Annotated[PodPhase, Go("newPodStatus.Phase")]
    """The kubelet's."""
    could_have_running_containers: bool

    @go("mergePodStatus", part="the phase")
    def merged_phase(self) -> PodPhase:
        if self.waits_for_containers():
            return self.old_phase
        return self.new_phase

    def waits_for_containers(self) -> bool:
        """A terminal phase is not written before nothing can run any more."""
        return self.becomes_terminal() and self.could_have_running_containers

    @go("mergePodStatus", part="transitioningToTerminalPhase")
    def becomes_terminal(self) -> bool:
        return not self.is_terminal(self.old_phase) and self.is_terminal(self.new_phase)

    def is_terminal(self, phase: PodPhase) -> bool:
        return phase in (PodPhase.SUCCEEDED, PodPhase.FAILED)


@dataclass
class MergePodStatus(MergePhase):
    """The statuses that mergePodStatus is given, as far as it looks at them, and the one that is written."""

    old_conditions: Annotated[Array[GivenCondition], Size("conditions"), Go("oldPodStatus.Conditions")]
    new_conditions: Annotated[Array[GivenCondition], Size("conditions"), Go("newPodStatus.Conditions")]
    are_listed_backwards: bool
    """In which order do both lists have their conditions?"""
    merged: Annotated[MergedStatus, Go("mergePodStatus")]
    """The answer."""

    @action("status manager", "mergePodStatus")
    def merge(self) -> None:
        self.take_new_status()
        if self.waits_for_containers():
            self.merged.phase = self.old_phase
            self.merged.has_old_reason = True
            self.merged.has_old_message = True
        for number in range(len(self.old_conditions)):
            if not self.is_owned(number):
                self.keep_old_condition(self.merged.conditions[number], self.old_conditions[number])
        if self.writes_disruption_target():
            self.take_disruption_target(
                self.merged.conditions[DISRUPTION_TARGET],
                self.old_conditions[DISRUPTION_TARGET],
                self.new_conditions[DISRUPTION_TARGET],
            )
        if self.is_terminal(self.merged.phase) and self.is_ready():
            self.update_condition(self.merged.conditions[CONTAINERS_READY], self.merged.phase)
            self.update_condition(self.merged.conditions[READY], self.merged.phase)

    def take_new_status(self) -> None:
        """Go: newPodStatus is passed by value."""
        self.merged.phase = self.new_phase
        self.merged.has_old_reason = False
        self.merged.has_old_message = False
        for number in range(len(self.new_conditions)):
            self.take_condition(self.merged.conditions[number], self.new_conditions[number])

    def take_condition(self, merged: MergedCondition, new: GivenCondition) -> None:
        merged.is_there = new.is_there
        merged.status = new.status if new.is_there else ConditionStatus.TRUE
        merged.source = ConditionSource.NEW if new.is_there else ConditionSource.OLD
        merged.time = TransitionTime.NEW if new.is_there else TransitionTime.OLD

    def keep_old_condition(self, merged: MergedCondition, old: GivenCondition) -> None:
        merged.is_there = old.is_there
        merged.status = old.status if old.is_there else ConditionStatus.TRUE
        merged.source = ConditionSource.OLD
        merged.time = TransitionTime.OLD

    @go("PodConditionByKubelet")
    def is_owned(self, number: int) -> bool:
        return number < DISRUPTION_TARGET

    def writes_disruption_target(self) -> bool:
        """Not before the phase says that the pod has ended, so that one PATCH has both."""
        if not self.becomes_terminal() or self.could_have_running_containers:
            return False
        return self.new_conditions[DISRUPTION_TARGET].is_there

    def take_disruption_target(self, merged: MergedCondition, old: GivenCondition, new: GivenCondition) -> None:
        """The kubelet's; it has been so as long as the API server's says, if that says the same."""
        self.take_condition(merged, new)
        is_kept = old.is_there and old.status == new.status
        merged.time = TransitionTime.OLD if is_kept else TransitionTime.NOW

    def is_ready(self) -> bool:
        """Does Ready or ContainersReady say so?"""
        return is_true(self.merged.conditions[READY]) or is_true(self.merged.conditions[CONTAINERS_READY])

    @go("UpdatePodCondition")
    def update_condition(self, condition: MergedCondition, phase: PodPhase) -> None:
        """Set one to false, with the reason that the phase gives; one that is false already has its time."""
        if not condition.is_there or condition.status != ConditionStatus.FALSE:
            condition.time = TransitionTime.NOW
        condition.is_there = True
        condition.status = ConditionStatus.FALSE
        if phase == PodPhase.FAILED:
            condition.source = ConditionSource.FAILED
        elif phase == PodPhase.SUCCEEDED:
            condition.source = ConditionSource.COMPLETED
        else:
            condition.source = ConditionSource.NOBODY


def is_true(condition: GivenCondition) -> bool:
    return condition.is_there and condition.status == ConditionStatus.TRUE


class MergePodStatus1_23(MergePodStatus):
    """In release 1.23 a terminal phase is written at once. Mended by kubernetes/kubernetes#108366, in 1.24.0."""

    def waits_for_containers(self) -> bool:
        return False
