"""The order in which the containers of a pod with sidecars end. Times are milliseconds.

Go: pkg/kubelet/kuberuntime/kuberuntime_termination_order.go. Go's channels are here the times at which they are closed.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import ClassVar

from podproof.model.core_v1 import ApiPod
from podproof.model.kuberuntime.termination_turns import TerminationTurns, TerminationTurns1_26, TerminationTurns1_32
from podproof.model.language import make
from podproof.model.notes import go


class TerminationOrdering:
    """terminationOrdering in release 1.29, where every pod has one."""

    turns: ClassVar[type[TerminationTurns]] = TerminationTurns

    def __init__(self, pod: ApiPod, running: Iterable[str], now: int) -> None:
        self.regular = [container.name for container in pod.containers]
        self.sidecars = [container.name for container in pod.init_containers if container.restartable_init]
        self.terminated: dict[str, int | None] = dict.fromkeys((*self.regular, *self.sidecars))
        self.now = now
        self.rule = make(self.turns, {"containers": 0, "init_containers": 0})
        for name in self.terminated.keys() - set(running):
            if self.rule.has_ended_before(name in self.sidecars):
                self.terminated[name] = now

    @classmethod
    def is_for(cls, pod: ApiPod) -> bool:
        return True

    def place(self, name: str) -> int:
        """Nobody waits for a container of a higher place."""
        return len(self.sidecars) - self.sidecars.index(name) if name in self.sidecars else 0

    @go("waitForTurn")
    def turn(self, name: str) -> int | None:
        """When all channels are closed that a container waits for; None for never.

        A sidecar comes after all regular containers and after the next later sidecar.
        """
        if name not in self.sidecars:
            return self.now
        following = self.sidecars[self.sidecars.index(name) + 1 :][:1]
        times = [self.terminated[earlier] for earlier in (*self.regular, *following)]
        closed = [at for at in times if at is not None]
        return max([self.now, *closed]) if len(closed) == len(times) else None

    @go("containerTerminated")
    def container_terminated(self, name: str, at: int) -> bool:
        """Did the goroutine survive it? Closing a closed channel panics."""
        if name not in self.terminated:
            return True
        closed = self.terminated[name]
        self.terminated[name] = at if closed is None else min(closed, at)
        return closed is None or self.rule.may_close_again()


class TerminationOrdering1_26(TerminationOrdering):
    """In release 1.26 no pod has one."""

    turns = TerminationTurns1_26

    @classmethod
    def is_for(cls, pod: ApiPod) -> bool:
        return False


class TerminationOrdering1_32(TerminationOrdering):
    """In release 1.32 a pod with sidecars has one."""

    turns = TerminationTurns1_32

    @classmethod
    def is_for(cls, pod: ApiPod) -> bool:
        return pod.has_restartable_init_container()
