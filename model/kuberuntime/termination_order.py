"""The order in which the containers of a pod with sidecars end. Times are milliseconds.

Go: pkg/kubelet/kuberuntime/kuberuntime_termination_order.go. Go's channels are here the times at which they are closed.
"""

from __future__ import annotations

from collections.abc import Iterable

from podproof.model.core_v1 import ApiPod
from podproof.model.notes import go


class TerminationOrdering:
    """terminationOrdering in release 1.29, where every pod has one."""

    def __init__(self, pod: ApiPod, running: Iterable[str], now: int) -> None:
        self.regular = [container.name for container in pod.containers]
        self.sidecars = [container.name for container in pod.init_containers if container.restartable_init]
        self.terminated: dict[str, int | None] = dict.fromkeys((*self.regular, *self.sidecars))
        self.now = now
        for name in self.ended_before(set(running)):
            self.terminated[name] = now

    @classmethod
    def is_for(cls, pod: ApiPod) -> bool:
        return True

    def ended_before(self, running: set[str]) -> list[str]:
        """A sidecar that does not run counts as one that is still to end, and never does."""
        return [name for name in self.regular if name not in running]

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
        return closed is None or self.may_close_again()

    def may_close_again(self) -> bool:
        return False


class TerminationOrdering1_32(TerminationOrdering):
    """In release 1.32 sidecars that do not run have ended, and a channel is closed once."""

    @classmethod
    def is_for(cls, pod: ApiPod) -> bool:
        return pod.has_restartable_init_container()

    def ended_before(self, running: set[str]) -> list[str]:
        return [name for name in self.terminated if name not in running]

    def may_close_again(self) -> bool:
        return True
