"""For whom each container of a pod with sidecars waits when the pod is killed: a function, in the model language.

Go: pkg/kubelet/kuberuntime/kuberuntime_termination_order.go. The times at which it happens are in termination_order.py.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.language import Array, Domain, Size, action
from podproof.model.notes import Go, go


@dataclass
class EndingContainer:
    """A container of the spec, as the snapshot has it that killPod goes by."""

    running: Annotated[int, Domain("running_records")] = 0
    """How many of its records run."""
    stop_fails: Annotated[bool, Go("StopContainer")] = False
    """With another error than NotFound."""


@dataclass
class TerminationTurns:
    """terminationOrdering in release 1.29: whose channel is closed at last, and who waits for one that is not."""

    regular: Annotated[Array[EndingContainer], Size("containers")]
    sidecars: Annotated[Array[EndingContainer], Size("init_containers")]
    """In the order of the spec."""
    waits_in_vain: Annotated[Array[bool], Size("init_containers")]
    """Which sidecars wait until their grace period is over."""
    panics: bool
    """Is a closed channel closed?"""

    @action("runtime manager", "killContainersWithSyncResult")
    @go("newTerminationOrdering")
    def end_in_order(self) -> None:
        self.panics = False
        for i in range(len(self.regular)):
            if self.closes_twice(self.regular[i]):
                self.panics = True
        for i in range(len(self.sidecars)):
            if self.closes_twice(self.sidecars[i]):
                self.panics = True
            self.waits_in_vain[i] = self.sidecars[i].running > 0 and not self.has_its_turn(i)

    def has_order(self) -> bool:
        """Do containers wait for each other?"""
        return True

    @go("waitForTurn")
    def has_its_turn(self, i: int) -> bool:
        """Do all regular containers end, and the next later sidecar?"""
        if not self.has_order():
            return True
        for j in range(len(self.regular)):
            if not self.closes(self.regular[j], False):
                return False
        for j in range(len(self.sidecars)):
            if j == i + 1 and not self.closes(self.sidecars[j], True):
                return False
        return True

    def closes(self, container: EndingContainer, is_sidecar: bool) -> bool:
        """Is the channel of the container closed, at once or after it was stopped?"""
        if container.running == 0:
            return self.has_ended_before(is_sidecar)
        return not container.stop_fails

    def closes_twice(self, container: EndingContainer) -> bool:
        return container.running > 1 and not container.stop_fails and not self.may_close_again()

    def has_ended_before(self, is_sidecar: bool) -> bool:
        """Does a container that does not run count as ended? A sidecar counts as one that never does."""
        return not is_sidecar

    @go("containerTerminated", part="the second time")
    def may_close_again(self) -> bool:
        return False


class TerminationTurns1_26(TerminationTurns):
    """In release 1.26 there is no order."""

    def has_order(self) -> bool:
        return False

    def may_close_again(self) -> bool:
        return True


class TerminationTurns1_32(TerminationTurns):
    """In release 1.32 sidecars that do not run have ended, and a channel is closed once."""

    def has_ended_before(self, is_sidecar: bool) -> bool:
        return True

    def may_close_again(self) -> bool:
        return True
