"""What updateStatusInternal takes over, and what syncBatch writes of it: functions, in the model language.

Go: pkg/kubelet/status/status_manager.go in 1.29 to 1.36.3, of which checkContainerStateTransition has changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.core_v1 import (
    ContainerRestartPolicy,
    ContainerRestartRuleAction,
    RestartPolicy,
    StateOf,
    policy_of_container,
    restarts_after,
)
from podproof.model.language import Array, Domain, Size, absent, action
from podproof.model.notes import Go, go

StatusVersion = Annotated[int, Domain("status_versions")]


@dataclass
class ContainerChange:
    """A container of the spec in the old status and in the new one."""

    restartable_init: Annotated[bool, Go("RestartPolicy")] = False
    old_state: StateOf = StateOf.NONE
    """NONE also where the old status has no such container."""
    old_exit_code: Annotated[int, Domain("exit_codes")] = 0
    is_reported: bool = False
    """Has the new status such a container?"""
    new_state: StateOf = StateOf.NONE


@dataclass
class UpdateStatus:
    """updateStatusInternal: does a status become the cached one, and is the pod finished then?"""

    restart_policy: RestartPolicy
    is_static: bool
    is_cached: bool
    cached_is_finished: Annotated[bool, Go("podIsFinished", part="cached")]
    init_containers: Annotated[Array[ContainerChange], Size("init_containers")]
    containers: Annotated[Array[ContainerChange], Size("containers")]
    is_equal: Annotated[bool, Go("isPodStatusByKubeletEqual")]
    force_update: bool
    pod_is_finished: bool
    """What the caller says."""
    is_stored: bool
    """Part of the answer."""
    stored_is_finished: Annotated[bool, Go("podIsFinished", part="cached")]
    """What is cached afterwards."""

    @action("status manager", "updateStatusInternal")
    def update_status(self) -> None:
        self.is_stored = not self.has_illegal_transition() and self.is_worth_storing()
        self.stored_is_finished = self.is_cached and self.cached_is_finished
        if self.is_stored:
            self.remember_whether_finished()

    def remember_whether_finished(self) -> None:
        self.stored_is_finished = self.is_finished_now()

    @go("updateStatusInternal", part="podIsFinished")
    def is_finished_now(self) -> bool:
        """Nobody takes it back but for a static pod, whose UID may be used again."""
        if self.is_cached and self.cached_is_finished and not self.is_static:
            return True
        return self.pod_is_finished

    def is_worth_storing(self) -> bool:
        return not self.is_cached or self.force_update or not self.is_equal

    @go("checkContainerStateTransition")
    def has_illegal_transition(self) -> bool:
        """Has a container left its end that may not? Then all of the update is dropped."""
        for i in range(len(self.containers)):
            if self.has_left_its_end(self.containers[i]):
                return True
        for i in range(len(self.init_containers)):
            if not self.init_containers[i].restartable_init and self.has_left_its_end(self.init_containers[i]):
                return True
        return False

    def has_left_its_end(self, change: ContainerChange) -> bool:
        """Was the container terminated for good, and is not any more? One that is missing has not left it."""
        if self.restart_policy == RestartPolicy.ALWAYS or change.old_state != StateOf.TERMINATED:
            return False
        if change.old_exit_code != 0 and self.restart_policy == RestartPolicy.ON_FAILURE:
            return False
        return change.is_reported and change.new_state != StateOf.TERMINATED

    def has_own_policy(self, change: ContainerChange) -> bool:
        """Has the container a restart policy of its own?"""
        return False

    def may_restart_all(self) -> bool:
        """May a container of the pod restart all of them?"""
        return False


@dataclass
class ContainerChange1_35(ContainerChange):
    """The same with the container's own restart policy, and with what its rules say of the old exit code."""

    own_policy: Annotated[ContainerRestartPolicy, Go("RestartPolicy")] = ContainerRestartPolicy.NONE
    matching_rule: Annotated[ContainerRestartRuleAction, Go("RestartPolicyRules")] = ContainerRestartRuleAction.NONE


@dataclass
class UpdateStatus1_35(UpdateStatus):
    """In release 1.35 a container may leave its end, too, where its own policy or a rule of it restarts it.

    That only adds to what the pod's policy allows: under OnFailure one that failed may leave its end, whatever its own
    policy says, and under Always any. RestartAllContainers is behind a gate that is off.
    """

    init_containers: Annotated[Array[ContainerChange1_35], Size("init_containers")]  # type: ignore[assignment]
    containers: Annotated[Array[ContainerChange1_35], Size("containers")]  # type: ignore[assignment]

    def has_own_policy(self, change: ContainerChange1_35) -> bool:  # type: ignore[override]
        return change.own_policy != ContainerRestartPolicy.NONE

    def has_left_its_end(self, change: ContainerChange1_35) -> bool:  # type: ignore[override]
        return super().has_left_its_end(change) and not self.restarts(change)

    @go("ContainerShouldRestart")
    def restarts(self, change: ContainerChange1_35) -> bool:
        if change.own_policy != ContainerRestartPolicy.NONE and self.is_restarting(change.matching_rule):
            return True
        return restarts_after(policy_of_container(self.restart_policy, change.own_policy), change.old_exit_code)

    def is_restarting(self, action: ContainerRestartRuleAction) -> bool:
        return action == ContainerRestartRuleAction.RESTART


@dataclass
class UpdateStatus1_36(UpdateStatus1_35):
    """In release 1.36 every container may leave its end in a pod of which one has a rule that restarts all."""

    all_containers_could_restart: Annotated[bool, Go("AllContainersCouldRestart")]

    def has_illegal_transition(self) -> bool:
        return not self.all_containers_could_restart and super().has_illegal_transition()

    def is_restarting(self, action: ContainerRestartRuleAction) -> bool:
        return action != ContainerRestartRuleAction.NONE

    def may_restart_all(self) -> bool:
        return self.all_containers_could_restart


class UpdateStatus1_26(UpdateStatus):
    """In release 1.26 nobody says that a pod is finished."""

    is_finished_now = absent("1.27.0")

    def remember_whether_finished(self) -> None:
        self.stored_is_finished = False


@dataclass
class WriteStatus:
    """syncBatch: is a cached status written to the API server?"""

    every: bool
    """Is it the batch of every ten seconds, and not that of the statuses that have just been stored?"""
    version: StatusVersion
    is_recorded: bool
    """Has a status been written under the UID?"""
    recorded_version: Annotated[StatusVersion, Go("apiStatusVersions")]
    """Which one it was last. It outlives the cached status."""
    was_forgotten: bool
    """Was the cached status removed since, so that versions begin at 1 again?"""
    differs: Annotated[bool, Go("needsReconcile")]
    """Does the pod manager's object, which came from the API server, say something else?"""
    can_be_deleted: bool
    is_written: bool
    """The answer."""

    @action("status manager", "syncBatch")
    def sync_batch(self) -> None:
        self.is_written = self.is_to_be_written()

    @go("syncBatch", part="for one status")
    def is_to_be_written(self) -> bool:
        if not self.every:
            return self.has_new_version()
        return self.needs_update() or self.differs

    @go("needsUpdate")
    def needs_update(self) -> bool:
        return self.has_new_version() or self.can_be_deleted

    def has_new_version(self) -> bool:
        return not self.is_recorded or self.recorded_version < self.version
