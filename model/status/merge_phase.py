"""What mergePodStatus makes of the phase and of readiness: a function of its inputs alone, in the model language.

Go: pkg/kubelet/status/status_manager.go in 1.26 to 1.32, which do the same.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.core_v1 import PodPhase
from podproof.model.language import action
from podproof.model.notes import Go, go


@dataclass
class MergePhase:
    """The phases that mergePodStatus is given, and the one that is written."""

    old_phase: Annotated[PodPhase, Go("oldPodStatus.Phase")]
    """The API server's."""
    new_phase: Annotated[PodPhase, Go("newPodStatus.Phase")]
    """The kubelet's."""
    could_have_running_containers: bool
    new_ready: Annotated[bool, Go("newPodStatus.Conditions", part="Ready or ContainersReady is true")] = False
    phase: PodPhase = PodPhase.NONE
    """The answer."""
    ready: Annotated[bool, Go("Conditions", part="Ready or ContainersReady is true")] = False

    @action("status manager", "mergePodStatus")
    def merge(self) -> None:
        self.phase = self.merged_phase()
        self.ready = self.new_ready and not self.is_terminal(self.phase)

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


class MergePhase1_23(MergePhase):
    """In release 1.23 a terminal phase is written at once. Mended by kubernetes/kubernetes#108366, in 1.24.0."""

    def waits_for_containers(self) -> bool:
        return False
