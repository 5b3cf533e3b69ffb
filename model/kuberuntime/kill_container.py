"""killContainer: with how many seconds of grace a container is stopped.

Go: pkg/kubelet/kuberuntime/kuberuntime_container.go, killContainer and setTerminationGracePeriod. Time passes in whole
seconds, as Go counts it where it subtracts: a hook of 999 ms costs nothing. [A61]
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from podproof.model.kuberuntime.records import ContainerKillReason
from podproof.model.language import NIL, Domain, action
from podproof.model.notes import Go, go
from podproof.model.state import OptionalSeconds, OptionalSpecSeconds, Seconds

MINIMUM_GRACE_PERIOD_IN_SECONDS = 2


@dataclass
class KillContainer:
    """killContainer in releases 1.29 and 1.32, whose recordings do not differ."""

    deletion_grace_period_seconds: Annotated[OptionalSeconds, Go("DeletionGracePeriodSeconds")]
    termination_grace_period_seconds: Annotated[OptionalSpecSeconds, Go("Spec.TerminationGracePeriodSeconds")]
    liveness_probe_seconds: Annotated[OptionalSeconds, Go("LivenessProbe.TerminationGracePeriodSeconds")]
    startup_probe_seconds: Annotated[OptionalSeconds, Go("StartupProbe.TerminationGracePeriodSeconds")]
    reason: ContainerKillReason
    grace_period_override: OptionalSeconds
    has_pre_stop_hook: Annotated[bool, Go("Lifecycle.PreStop")]
    pre_stop_seconds: Seconds
    """How long the hook takes, if nothing ends it."""
    has_ordering: Annotated[bool, Go("ordering")]
    """Does the container have a place in the termination order of its pod's sidecars?"""
    turn_seconds: Seconds
    """How long it takes until it is its turn."""
    elapsed_seconds: Annotated[int, Domain("elapsed_seconds")]
    """From the beginning until StopContainer is called."""
    stop_timeout: Annotated[OptionalSeconds, Go("timeout", part="StopContainer")]
    """With which timeout StopContainer was called."""

    @action("runtime manager", "killContainer")
    @go("killContainer")
    def kill_container(self) -> None:
        self.elapsed_seconds = 0
        grace_period = self.asked_for()
        if self.has_pre_stop_hook and grace_period > 0:
            grace_period -= self.execute_pre_stop_hook(grace_period)
        if self.has_ordering and grace_period > 0:
            grace_period -= self.wait_for_turn(grace_period)
        self.stop_container(max(grace_period, MINIMUM_GRACE_PERIOD_IN_SECONDS))

    def asked_for(self) -> int:
        """The override, else what the deletion, the probe or the spec says."""
        if self.grace_period_override != NIL:
            return self.grace_period_override
        return self.set_termination_grace_period()

    @go("setTerminationGracePeriod")
    def set_termination_grace_period(self) -> int:
        """What a probe asks for counts only where the pod's spec asks for something."""
        if self.deletion_grace_period_seconds != NIL:
            return self.deletion_grace_period_seconds
        if self.termination_grace_period_seconds != NIL:
            if self.reason == ContainerKillReason.STARTUP_PROBE and self.startup_probe_seconds != NIL:
                return self.startup_probe_seconds
            if self.reason == ContainerKillReason.LIVENESS_PROBE and self.liveness_probe_seconds != NIL:
                return self.liveness_probe_seconds
            return self.termination_grace_period_seconds
        return MINIMUM_GRACE_PERIOD_IN_SECONDS

    @go("executePreStopHook")
    def execute_pre_stop_hook(self, grace_period: int) -> int:
        """For how many whole seconds Go waits for the hook, which goes on behind its back where it takes longer."""
        seconds = min(self.pre_stop_seconds, grace_period)
        self.elapsed_seconds += seconds
        return seconds

    @go("waitForTurn")
    def wait_for_turn(self, grace_period: int) -> int:
        """For how many whole seconds the container waits for those that end before it."""
        seconds = min(self.turn_seconds, grace_period)
        self.elapsed_seconds += seconds
        return seconds

    @go("StopContainer")
    def stop_container(self, timeout: int) -> None:
        """The runtime sends the stop signal, and SIGKILL when the timeout has passed."""
        self.stop_timeout = timeout


class KillContainer1_26(KillContainer):
    """In release 1.26 there is no order, and an override replaces what preStop has left, unclamped. Not recorded."""

    @action("runtime manager", "killContainer")
    def kill_container(self) -> None:
        self.elapsed_seconds = 0
        grace_period = self.set_termination_grace_period()
        if self.has_pre_stop_hook and grace_period > 0:
            grace_period -= self.execute_pre_stop_hook(grace_period)
        grace_period = max(grace_period, MINIMUM_GRACE_PERIOD_IN_SECONDS)
        if self.grace_period_override != NIL:
            grace_period = self.grace_period_override
        self.stop_container(grace_period)


class KillContainer1_20(KillContainer1_26):
    """In release 1.20 a probe has no grace period of its own. Not recorded."""

    def set_termination_grace_period(self) -> int:
        if self.deletion_grace_period_seconds != NIL:
            return self.deletion_grace_period_seconds
        if self.termination_grace_period_seconds != NIL:
            return self.termination_grace_period_seconds
        return MINIMUM_GRACE_PERIOD_IN_SECONDS


class KillError(Enum):
    """An error, as far as killContainer asks what it is."""

    NONE = ""
    OTHER = "error"
    NOT_FOUND = "not found"


@dataclass
class KillContainerCall(KillContainer):
    """killContainer with what its callers give it and what the runtime answers: what its Go is compared with."""

    pod_is_nil: bool = False
    specs_missing: Annotated[int, Domain("specs_missing"), Go("containerSpec", part="1 where there is none")] = 0
    """1 where the pod has no such container, or, without a pod, the container's labels cannot be read."""
    has_message: Annotated[bool, Go("message")] = False
    has_lifecycle: Annotated[bool, Go("Lifecycle")] = False
    """It may be there without preStop."""
    has_startup_probe: Annotated[bool, Go("StartupProbe")] = False
    """It may be there without a period of its own; so may the other one."""
    has_liveness_probe: Annotated[bool, Go("LivenessProbe")] = False
    stop_error: Annotated[KillError, Go("err", part="of StopContainer")] = KillError.NONE
    runs_hook: Annotated[bool, Go("executePreStopHook")] = False
    has_waited: Annotated[bool, Go("waitForTurn")] = False
    tells_others: Annotated[bool, Go("containerTerminated")] = False
    """Does it say to those that wait for it that it has ended?"""
    is_failed: Annotated[bool, Go("err", part="not nil")] = False
    """The answer."""

    @action("runtime manager", "killContainer")
    def kill_container(self) -> None:
        self.elapsed_seconds = 0
        self.stop_timeout = NIL
        self.runs_hook = False
        self.has_waited = False
        self.tells_others = False
        self.is_failed = self.kill() != KillError.NONE

    def kill(self) -> KillError:
        if self.specs_missing == 1:
            return KillError.OTHER
        super().kill_container()
        if self.stop_error == KillError.OTHER:
            return KillError.OTHER
        if self.has_ordering:
            self.container_terminated()
        return KillError.NONE

    def execute_pre_stop_hook(self, grace_period: int) -> int:
        self.runs_hook = True
        return super().execute_pre_stop_hook(grace_period)

    def wait_for_turn(self, grace_period: int) -> int:
        self.has_waited = True
        return super().wait_for_turn(grace_period)

    def stop(self, timeout: int) -> KillError:
        self.stop_container(timeout)
        return self.stop_error

    def container_terminated(self) -> None:
        self.tells_others = True
