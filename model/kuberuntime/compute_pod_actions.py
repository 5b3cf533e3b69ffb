"""computePodActions: what SyncPod has to do for a pod, decided by its spec and what the runtime said of it.

Go: pkg/kubelet/kuberuntime/kuberuntime_manager.go and kuberuntime_container.go, pkg/kubelet/container/helpers.go and
util/util.go. A function of its inputs but for the calls of PostStopContainer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.core_v1 import (
    ContainerRestartPolicy,
    ContainerRestartRuleAction,
    RestartPolicy,
    policy_of_container,
    restarts_after,
)
from podproof.model.kubecontainer import RuntimeState, SandboxState
from podproof.model.kuberuntime.records import (
    ContainerKillReason,
    ContainerReset,
    KnownContainer,
    KnownContainer1_34,
    KnownContainer1_35,
    KnownSandbox,
    OptionalIndex,
    ProbeResult,
    SandboxAddress,
)
from podproof.model.language import NIL, Array, Domain, Size, action, clear
from podproof.model.notes import Go, go

Reasons = Annotated[Array[ContainerKillReason], Size("containers")]
InitReasons = Annotated[Array[ContainerKillReason], Size("init_containers")]


@dataclass
class PodActions:
    """podActions. Go's lists and its map are flags here, one a container of the spec, in the order of the spec."""

    kill_pod: bool
    create_sandbox: bool
    sandbox_id: Annotated[OptionalIndex, Go("SandboxID")]
    attempt: Annotated[int, Domain("next_attempts")]
    next_init_container_to_start: OptionalIndex
    """Of the code that knows no sidecars."""
    init_containers_to_start: Annotated[Array[bool], Size("init_containers")]
    """Of the code that knows them."""
    containers_to_start: Annotated[Array[bool], Size("containers")]
    ephemeral_containers_to_start: Annotated[Array[bool], Size("ephemeral_containers")]
    init_containers_to_kill: Annotated[InitReasons, Go("ContainersToKill", part="init containers")]
    containers_to_kill: Annotated[Reasons, Go("ContainersToKill", part="regular containers")]
    post_stop_calls: Annotated[Array[bool], Size("containers")]
    """For which containers the internal life cycle's PostStopContainer was called."""


@dataclass
class ComputePodActions:
    """computePodActions in release 1.29: every pod takes the code that knows sidecars."""

    restart_policy: RestartPolicy
    deletion_timestamp: bool
    host_network: bool
    sidecar_containers: Annotated[bool, Go("SidecarContainers")]
    """Is the feature gate on?"""
    init_containers: Annotated[Array[KnownContainer], Size("init_containers")]
    containers: Annotated[Array[KnownContainer], Size("containers")]
    ephemeral_containers: Annotated[Array[KnownContainer], Size("ephemeral_containers")]
    has_stranger: Annotated[bool, Go("KnownContaineres", part="names that the spec has not")]
    """Has the runtime a record of a container that the spec does not name?"""
    sandboxes: Annotated[Array[KnownSandbox], Size("sandboxes")]
    """Newest first."""
    actions: PodActions

    @action("runtime manager", "computePodActions")
    @go("computePodActions")
    def compute_pod_actions(self) -> None:
        clear(self.actions)
        if self.pod_sandbox_changed():
            self.actions.kill_pod = True
            self.actions.create_sandbox = self.needs_sandbox()
            if self.actions.create_sandbox:
                self.start_in_new_sandbox()
            return
        self.start_ephemeral_containers()
        if self.initialize():
            self.compute_container_actions()

    # -- the sandbox -----------------------------------------------------------------------------------------------

    @go("PodSandboxChanged")
    def pod_sandbox_changed(self) -> bool:
        """Does the pod need another sandbox? Which attempt that is, and which sandbox it has, is in the actions."""
        newest = self.sandboxes[0]
        if newest.state == SandboxState.NONE:
            return True
        self.actions.attempt = newest.attempt
        self.actions.sandbox_id = 0
        if self.has_several_ready_sandboxes() or newest.state == SandboxState.NOT_READY:
            self.actions.attempt += 1
            return True
        if newest.other_network:
            # The containers in the old sandbox are not told from those in the new one any more.
            self.actions.attempt += 1
            self.actions.sandbox_id = NIL
            return True
        if not self.host_network and newest.address == SandboxAddress.EMPTY:
            self.actions.attempt += 1
            return True
        return False

    def has_several_ready_sandboxes(self) -> bool:
        ready = 0
        for i in range(len(self.sandboxes)):
            if self.sandboxes[i].state == SandboxState.READY:
                ready += 1
        return ready > 1

    def needs_sandbox(self) -> bool:
        """Is there anything that a new sandbox would be for?"""
        if self.restart_policy == RestartPolicy.NEVER and self.actions.attempt != 0 and self.has_any_record():
            # The pod has run already, and is not to run again.
            return False
        return self.has_container_to_run_again() or not self.is_initialized()

    def has_any_record(self) -> bool:
        """Does the runtime have a container of the pod?"""
        for i in range(len(self.init_containers)):
            if self.init_containers[i].state != RuntimeState.NONE:
                return True
        for i in range(len(self.containers)):
            if self.containers[i].state != RuntimeState.NONE:
                return True
        for i in range(len(self.ephemeral_containers)):
            if self.ephemeral_containers[i].state != RuntimeState.NONE:
                return True
        return self.has_stranger

    def has_container_to_run_again(self) -> bool:
        for i in range(len(self.containers)):
            if self.is_to_run_again(self.containers[i]):
                return True
        return False

    def is_to_run_again(self, container: KnownContainer) -> bool:
        """Does a regular container run in a new sandbox, too?"""
        return self.policy_of(container) != RestartPolicy.ON_FAILURE or not self.is_container_succeeded(container)

    @go("containerSucceeded")
    def is_container_succeeded(self, container: KnownContainer) -> bool:
        """An exit code of 0 is enough, also of a record that was never started or that nothing is known of."""
        has_ended = container.state not in (RuntimeState.NONE, RuntimeState.RUNNING)
        return has_ended and container.exit_code == 0

    def is_initialized(self) -> bool:
        """Did the init containers, if any, end before the sandbox was lost?"""
        if self.knows_sidecars():
            return self.has_any_regular_container_created()
        _, done = self.find_next_init_container_to_run()
        return done

    @go("HasAnyRegularContainerCreated")
    def has_any_regular_container_created(self) -> bool:
        for i in range(len(self.containers)):
            if self.containers[i].state in (RuntimeState.CREATED, RuntimeState.RUNNING, RuntimeState.EXITED):
                return True
        return False

    def start_in_new_sandbox(self) -> None:
        """The first init container; the regular ones where there is none."""
        if len(self.init_containers) > 0:
            if self.knows_sidecars():
                self.actions.init_containers_to_start[0] = True
            else:
                self.actions.next_init_container_to_start = 0
        else:
            for i in range(len(self.containers)):
                self.actions.containers_to_start[i] = self.is_to_run_again(self.containers[i])

    def start_ephemeral_containers(self) -> None:
        """Once; they are never restarted."""
        for i in range(len(self.ephemeral_containers)):
            if self.ephemeral_containers[i].state == RuntimeState.NONE:
                self.actions.ephemeral_containers_to_start[i] = True

    # -- init containers -------------------------------------------------------------------------------------------

    def knows_sidecars(self) -> bool:
        """Which of the two codes for init containers does the pod take?"""
        return self.sidecar_containers

    def initialize(self) -> bool:
        """What the init containers need; have they come so far that the regular ones may run?"""
        if self.knows_sidecars():
            return self.compute_init_container_actions() and not self.actions.kill_pod
        next_init_container, done = self.find_next_init_container_to_run()
        if next_init_container != NIL:
            self.start_next_init_container(next_init_container)
        return done

    @go("findNextInitContainerToRun")
    def find_next_init_container_to_run(self) -> tuple[int, bool]:
        """The init container to start, NIL for none, and whether all are done. One that failed comes before all."""
        if self.has_running_container() or len(self.init_containers) == 0:
            return NIL, True
        for i in range(len(self.init_containers) - 1, -1, -1):
            if self.is_init_container_failed(self.init_containers[i]):
                return i, False
        for i in range(len(self.init_containers) - 1, -1, -1):
            if self.init_containers[i].state == RuntimeState.RUNNING:
                return NIL, False
            if self.init_containers[i].state == RuntimeState.EXITED:
                if i == len(self.init_containers) - 1:
                    return NIL, True
                return i + 1, False
        return 0, False

    def has_running_container(self) -> bool:
        """Does a regular container run?"""
        for i in range(len(self.containers)):
            if self.containers[i].state == RuntimeState.RUNNING:
                return True
        return False

    @go("isInitContainerFailed")
    def is_init_container_failed(self, container: KnownContainer) -> bool:
        if container.oom_killed or container.state == RuntimeState.UNKNOWN:
            return True
        return container.state == RuntimeState.EXITED and container.exit_code != 0

    def start_next_init_container(self, i: int) -> None:
        container = self.init_containers[i]
        if self.is_init_container_failed(container):
            if self.restart_policy == RestartPolicy.NEVER:
                self.actions.kill_pod = True
                return
            if container.state == RuntimeState.UNKNOWN:
                self.actions.init_containers_to_kill[i] = ContainerKillReason.UNKNOWN
        self.actions.next_init_container_to_start = i

    @go("computeInitContainerActions")
    def compute_init_container_actions(self) -> bool:
        """From the last init container to the first; is the pod initialized?

        What comes before one that has a record has been done already, but for sidecars, which run for ever.
        """
        if len(self.init_containers) == 0:
            return True
        initialized = self.has_any_regular_container_started()
        later_has_record = initialized
        for i in range(len(self.init_containers) - 1, -1, -1):
            container = self.init_containers[i]
            if container.state == RuntimeState.NONE:
                if later_has_record and container.restartable:
                    self.actions.init_containers_to_start[i] = True
            elif container.restartable or not later_has_record:
                if self.act_on_init_container(i, later_has_record):
                    initialized = True
                if self.actions.kill_pod:
                    self.start_no_init_container()
                    return False
                later_has_record = True
        if not later_has_record:
            self.actions.init_containers_to_start[0] = True
        return initialized

    def has_any_regular_container_started(self) -> bool:
        for i in range(len(self.containers)):
            if self.containers[i].state in (RuntimeState.CREATED, RuntimeState.RUNNING):
                return True
        return False

    def start_no_init_container(self) -> None:
        for i in range(len(self.init_containers)):
            self.actions.init_containers_to_start[i] = False

    def act_on_init_container(self, i: int, later_has_record: bool) -> bool:
        """One init container that has a record; is the pod initialized by it?"""
        container = self.init_containers[i]
        if container.state == RuntimeState.CREATED:
            self.act_on_created_init_container(i)
        elif container.state == RuntimeState.UNKNOWN:
            if container.restartable or self.policy_of(container) != RestartPolicy.NEVER:
                self.restart_init_container(i, ContainerKillReason.UNKNOWN)
            else:
                self.actions.kill_pod = True
        elif container.restartable:
            if container.state == RuntimeState.RUNNING:
                return self.act_on_running_sidecar(i, later_has_record)
            self.actions.init_containers_to_start[i] = True
        elif container.state == RuntimeState.EXITED:
            return self.act_on_exited_init_container(i)
        return False

    def act_on_created_init_container(self, i: int) -> None:
        """Nothing: it is started by nobody, and the pod waits for it."""
        return

    def act_on_exited_init_container(self, i: int) -> bool:
        """Is it the last one, and has it succeeded?"""
        container = self.init_containers[i]
        if self.is_init_container_failed(container):
            if self.is_failed_init_container_restarted(container):
                self.actions.init_containers_to_start[i] = True
            else:
                self.actions.kill_pod = True
            return False
        if i == len(self.init_containers) - 1:
            return True
        self.actions.init_containers_to_start[i + 1] = True
        return False

    def is_failed_init_container_restarted(self, container: KnownContainer) -> bool:
        return self.restart_policy != RestartPolicy.NEVER

    def act_on_running_sidecar(self, i: int, later_has_record: bool) -> bool:
        """The next one may start once it has started up; is it the last one?"""
        container = self.init_containers[i]
        if container.has_startup_probe and container.startup != ProbeResult.SUCCESS:
            if container.startup == ProbeResult.FAILURE:
                self.restart_init_container(i, ContainerKillReason.STARTUP_PROBE)
            return False
        is_last = i == len(self.init_containers) - 1
        if not is_last and not later_has_record:
            self.actions.init_containers_to_start[i + 1] = True
        reason = self.reason_to_restart_sidecar(container)
        if reason != ContainerKillReason.NONE:
            self.restart_init_container(i, reason)
        return is_last

    def reason_to_restart_sidecar(self, container: KnownContainer) -> ContainerKillReason:
        """Another spec is none."""
        if container.has_liveness_probe and container.liveness == ProbeResult.FAILURE:
            return ContainerKillReason.LIVENESS_PROBE
        return ContainerKillReason.NONE

    def restart_init_container(self, i: int, reason: ContainerKillReason) -> None:
        self.actions.init_containers_to_kill[i] = reason
        self.actions.init_containers_to_start[i] = True

    # -- regular containers ----------------------------------------------------------------------------------------

    def compute_container_actions(self) -> None:
        """The regular containers; nothing to keep and nothing to start: the pod is killed."""
        needed = False
        for i in range(len(self.containers)):
            if self.containers[i].state == RuntimeState.RUNNING:
                self.act_on_running_container(i)
            else:
                self.act_on_other_container(i)
            if self.is_kept(i) or self.actions.containers_to_start[i]:
                needed = True
        if not needed:
            self.actions.kill_pod = True
            self.start_no_init_container()

    def is_kept(self, i: int) -> bool:
        """Go counts these in keepCount."""
        is_running = self.containers[i].state == RuntimeState.RUNNING
        return is_running and self.actions.containers_to_kill[i] == ContainerKillReason.NONE

    def act_on_running_container(self, i: int) -> None:
        container = self.containers[i]
        restarts = self.policy_of(container) != RestartPolicy.NEVER
        if container.definition_changed:
            self.kill_container(i, ContainerKillReason.DEFINITION_CHANGED, True)
        elif container.liveness == ProbeResult.FAILURE:
            self.kill_container(i, ContainerKillReason.LIVENESS_PROBE, restarts)
        elif container.startup == ProbeResult.FAILURE:
            self.kill_container(i, ContainerKillReason.STARTUP_PROBE, restarts)

    def kill_container(self, i: int, reason: ContainerKillReason, restart: bool) -> None:
        self.actions.containers_to_kill[i] = reason
        self.actions.containers_to_start[i] = restart

    def act_on_other_container(self, i: int) -> None:
        container = self.containers[i]
        self.actions.post_stop_calls[i] = container.state != RuntimeState.NONE
        if self.should_container_be_restarted(container):
            self.actions.containers_to_start[i] = True
            if container.state == RuntimeState.UNKNOWN:
                # It may still run.
                self.actions.containers_to_kill[i] = ContainerKillReason.UNKNOWN

    @go("ShouldContainerBeRestarted")
    def should_container_be_restarted(self, container: KnownContainer) -> bool:
        if self.deletion_timestamp:
            return False
        if container.state == RuntimeState.NONE:
            return True
        if container.state == RuntimeState.RUNNING:
            return False
        if container.state in (RuntimeState.UNKNOWN, RuntimeState.CREATED):
            return True
        return self.restarts_by_rule(container) or restarts_after(self.policy_of(container), container.exit_code)

    # -- what newer releases let a container say -------------------------------------------------------------------

    def policy_of(self, container: KnownContainer) -> RestartPolicy:
        """By which policy does a container restart?"""
        return self.restart_policy

    def restarts_by_rule(self, container: KnownContainer) -> bool:
        """Has it a rule that restarts it for its exit code, whatever its policy?"""
        return False

    def is_resized(self, container: KnownContainer) -> bool:
        """Is it to be restarted because it gets other resources?"""
        return False

    def restarts_all(self) -> bool:
        """Has a container exited with what restarts all of the pod?"""
        return False


class ComputePodActions1_26(ComputePodActions):
    """In release 1.26 there are no sidecars. Not recorded."""

    def knows_sidecars(self) -> bool:
        return False


class ComputePodActions1_32(ComputePodActions):
    """In release 1.32 pods without sidecars take the older code again; a created init container is started.

    A sidecar whose spec changed is restarted, and only a container that exited counts as succeeded.
    """

    def knows_sidecars(self) -> bool:
        return self.sidecar_containers and self.has_restartable_init_container()

    @go("HasRestartableInitContainer")
    def has_restartable_init_container(self) -> bool:
        for i in range(len(self.init_containers)):
            if self.init_containers[i].restartable:
                return True
        return False

    def is_container_succeeded(self, container: KnownContainer) -> bool:
        return container.state == RuntimeState.EXITED and container.exit_code == 0

    def act_on_created_init_container(self, i: int) -> None:
        self.actions.init_containers_to_start[i] = True

    def reason_to_restart_sidecar(self, container: KnownContainer) -> ContainerKillReason:
        if container.definition_changed:
            return ContainerKillReason.DEFINITION_CHANGED
        return super().reason_to_restart_sidecar(container)


@dataclass
class ComputePodActions1_34(ComputePodActions1_32):
    """In releases 1.33 and 1.34 every pod takes the code that knows sidecars, and a resize may restart a container.

    1.33 still has the older code, behind a feature gate that is off: LegacySidecarContainers.
    """

    init_containers: Annotated[Array[KnownContainer1_34], Size("init_containers")]  # type: ignore[assignment]
    containers: Annotated[Array[KnownContainer1_34], Size("containers")]  # type: ignore[assignment]

    def knows_sidecars(self) -> bool:
        return True

    def is_resized(self, container: KnownContainer1_34) -> bool:  # type: ignore[override]
        return container.resize_restarts

    def reason_to_restart_sidecar(self, container: KnownContainer1_34) -> ContainerKillReason:  # type: ignore[override]
        """A resize waits until the liveness probe has said something."""
        reason = super().reason_to_restart_sidecar(container)
        waits = container.has_liveness_probe and container.liveness == ProbeResult.NONE
        if reason == ContainerKillReason.NONE and self.is_resized(container) and not waits:
            return ContainerKillReason.RESIZE
        return reason

    def act_on_running_container(self, i: int) -> None:
        """A resize restarts under every policy."""
        super().act_on_running_container(i)
        if self.is_kept(i) and self.is_resized(self.containers[i]):
            self.kill_container(i, ContainerKillReason.RESIZE, True)


@dataclass
class ComputePodActions1_35(ComputePodActions1_34):
    """In release 1.35 each container has a restart policy, its own or the pod's, and rules for its exit codes.

    Only when it exits in its sandbox: whether there is to be another sandbox, the pod's policy says (`needs_sandbox`),
    and no rule counts there.
    """

    init_containers: Annotated[Array[KnownContainer1_35], Size("init_containers")]  # type: ignore[assignment]
    containers: Annotated[Array[KnownContainer1_35], Size("containers")]  # type: ignore[assignment]

    def policy_of(self, container: KnownContainer1_35) -> RestartPolicy:  # type: ignore[override]
        return policy_of_container(self.restart_policy, container.own_policy)

    def restarts_by_rule(self, container: KnownContainer1_35) -> bool:  # type: ignore[override]
        """Rules count beside a policy of the container's own. RestartAllContainers is behind a gate that is off."""
        has_policy = container.own_policy != ContainerRestartPolicy.NONE
        return has_policy and container.matching_rule == ContainerRestartRuleAction.RESTART

    def is_failed_init_container_restarted(self, container: KnownContainer) -> bool:
        """Not of a pod that is deleted, nor one that ran out of memory and exited with 0 under OnFailure."""
        return self.should_container_be_restarted(container)


@dataclass
class PodActions1_36(PodActions):
    """podActions with the containers that are removed so that all restart."""

    init_containers_to_reset: Annotated[
        Array[ContainerReset], Size("init_containers"), Go("ContainersToReset", part="init containers")
    ]
    containers_to_reset: Annotated[
        Array[ContainerReset], Size("containers"), Go("ContainersToReset", part="regular containers")
    ]


@dataclass
class ComputePodActions1_36(ComputePodActions1_35):
    """In release 1.36 a container may restart all of its pod: they are removed first, and nothing else is done."""

    actions: PodActions1_36
    restart_all_containers: bool
    """ShouldAllContainersRestart: has a container exited with what restarts all?"""

    @action("runtime manager", "computePodActions")
    @go("computePodActions")
    def compute_pod_actions(self) -> None:
        if not self.restarts_all():
            super().compute_pod_actions()
            return
        clear(self.actions)
        self.actions.kill_pod = self.pod_sandbox_changed()
        self.actions.create_sandbox = self.actions.kill_pod
        for i in range(len(self.init_containers)):
            self.actions.init_containers_to_reset[i] = self.reset_of(self.init_containers[i])
        for i in range(len(self.containers)):
            self.actions.containers_to_reset[i] = self.reset_of(self.containers[i])

    @go("getContainersToReset")
    def reset_of(self, container: KnownContainer1_35) -> ContainerReset:
        """What is done with a record of a container; also with those that are not its newest."""
        if container.state == RuntimeState.NONE:
            return ContainerReset.NONE
        if container.state != RuntimeState.EXITED:
            return ContainerReset.KILL_AND_REMOVE
        if container.matching_rule == ContainerRestartRuleAction.RESTART_ALL_CONTAINERS:
            return ContainerReset.REMOVE_LAST
        return ContainerReset.REMOVE

    def restarts_by_rule(self, container: KnownContainer1_35) -> bool:  # type: ignore[override]
        has_policy = container.own_policy != ContainerRestartPolicy.NONE
        return has_policy and container.matching_rule != ContainerRestartRuleAction.NONE

    def restarts_all(self) -> bool:
        return self.restart_all_containers

    def act_on_init_container(self, i: int, later_has_record: bool) -> bool:
        """A resize restarts an ordinary one that runs, too, though the API server takes no such policy of it."""
        container = self.init_containers[i]
        is_ordinary = container.state == RuntimeState.RUNNING and not container.restartable
        if is_ordinary and self.is_resized(container):
            self.restart_init_container(i, ContainerKillReason.RESIZE)
        return super().act_on_init_container(i, later_has_record)


@dataclass
class ComputePodActionsOneByOne(ComputePodActions1_36):
    """computePodActions where not all containers of the pod restart: what its Go is compared with."""

    @action("runtime manager", "computePodActions")
    def compute_pod_actions(self) -> None:
        super().compute_pod_actions()

    def restarts_all(self) -> bool:
        return False
