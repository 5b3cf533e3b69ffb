"""Environment `containers`: the callers of environment `kubelet`, and below them the layers around the pod workers.

Each container is started, stopped and seen to end by itself. What a sync function returns follows from what it has
done, a phase from the containers' ends, and what the API server knows from what the status manager writes. [A71-A76]
"""

from __future__ import annotations

from podproof.model.core_v1 import PodPhase, RestartPolicy, StateOf
from podproof.model.fairness import CACHE_ANSWERS, GOROUTINES, HOOKS_END, STEPS_SUCCEED, SYNC_CALLS_RETURN, succeeds
from podproof.model.kubecontainer import RuntimeState, SandboxState
from podproof.model.kuberuntime.records import KnownContainer
from podproof.model.language import NIL, absent, action, clear, require
from podproof.model.node import Generation
from podproof.model.notes import go
from podproof.model.pod_layers import (
    SIGKILL_EXIT_CODE,
    AppContainer,
    ContainerStop,
    InitContainer,
    OwnExitCode,
    PreStopSeconds,
    StopStage,
    TurnSeconds,
)
from podproof.model.pod_worker_loop import SyncOutcome, SyncPodOutcome
from podproof.model.reported_pods import ReportedPods
from podproof.model.state import Phase, Position, Uid


class Containers(ReportedPods):
    """The pod workers, the kubelet around them and the containers of each pod, in release 1.29."""

    start_containers = absent("environment kubelet")
    containers_exit = absent("environment kubelet")

    # -- the sync functions begin ------------------------------------------------------------------------------------

    @action("worker", "worker {uid}: startPodSync", GOROUTINES)
    def worker_start_pod_sync(self, uid: Uid, generation: Generation) -> None:
        """For containers without configuration, SyncTerminatingRuntimePod begins at once, and knows of no hooks."""
        self.start_pod_sync(uid, generation)
        if self.workers[uid][generation].position == Position.SYNC_TERMINATING_RUNTIME_POD:
            self.kill_pod(uid, 1, False)

    @action("worker", "worker {uid}: podCache.GetNewerThan answers", CACHE_ANSWERS)
    def worker_get_newer_than(self, uid: Uid, generation: Generation) -> None:
        """What the cache tells is what the sync function goes by, and what it reports first. [A71]"""
        self.get_newer_than(uid, generation, False)
        worker = self.workers[uid][generation]
        if worker.position == Position.SYNC_POD:
            self.report(uid, False)
            if not self.has_terminal_status(uid):
                self.layers[uid].is_probed = True
                self.layers[uid].runtime.deletion_timestamp = self.config[uid].deletion_timestamp
                self.layers[uid].runtime.compute_pod_actions()
                self.layers[uid].runtime.deletion_timestamp = False
        elif worker.position == Position.SYNC_TERMINATING_POD:
            self.report(uid, False)
            if worker.pod_status_func != NIL:
                self.layers[uid].status.reported = PodPhase.FAILED
                self.layers[uid].has_reason = True
            self.kill_pod(uid, worker.grace_period, True)
        elif worker.position == Position.SYNC_TERMINATED_POD:
            self.report(uid, True)

    # -- kubelet.SyncPod and the runtime's ---------------------------------------------------------------------------

    @action("worker", "SyncPod({uid}) makes the pod's cgroup and mounts its volumes", STEPS_SUCCEED)
    def make_resources(self, uid: Uid, generation: Generation) -> None:
        require(self.workers[uid][generation].position == Position.SYNC_POD)
        require(not self.layers[uid].has_resources and not self.has_terminal_status(uid))
        self.layers[uid].has_resources = True

    @action("runtime", "SyncPod({uid}) kills the pod", STEPS_SUCCEED)
    def sync_pod_kills(self, uid: Uid, generation: Generation) -> None:
        """computePodActions says KillPod: it needs another sandbox, or has nothing left to run."""
        require(self.is_in_runtime(uid, generation) and self.layers[uid].runtime.actions.kill_pod)
        runtime = self.layers[uid].runtime
        runtime.actions.kill_pod = False
        self.kill_pod(uid, NIL, True)
        self.stop_sandbox(uid)
        if runtime.actions.create_sandbox:
            # purgeInitContainers: they run anew in the new sandbox.
            for i in range(len(runtime.init_containers)):
                if runtime.init_containers[i].state == RuntimeState.EXITED:
                    runtime.init_containers[i].state = RuntimeState.NONE
                    runtime.init_containers[i].exit_code = 0

    @action("runtime", "SyncPod({uid}) creates a sandbox", STEPS_SUCCEED)
    @go("createPodSandbox")
    def create_pod_sandbox(self, uid: Uid, generation: Generation) -> None:
        require(self.is_in_runtime(uid, generation))
        actions = self.layers[uid].runtime.actions
        require(actions.create_sandbox and not actions.kill_pod)
        sandbox = self.layers[uid].runtime.sandboxes[0]
        sandbox.state = SandboxState.READY
        sandbox.attempt = min(actions.attempt, 1)
        actions.create_sandbox = False

    @action("runtime", "SyncPod({uid}) starts init container {container}", STEPS_SUCCEED)
    def start_init_container(self, uid: Uid, generation: Generation, container: InitContainer) -> None:
        require(self.is_in_runtime(uid, generation) and self.is_ready_to_start(uid))
        runtime = self.layers[uid].runtime
        require(self.is_init_container_due(uid, container))
        for i in range(len(runtime.init_containers)):
            if i == container:
                runtime.actions.init_containers_to_start[i] = False
                runtime.actions.next_init_container_to_start = NIL
                self.start(uid, runtime.init_containers[i], self.layers[uid].init_stops[i])

    @action("runtime", "SyncPod({uid}) starts container {container}", STEPS_SUCCEED)
    def start_container(self, uid: Uid, generation: Generation, container: AppContainer) -> None:
        """Also after the context was cancelled: the runtime's SyncPod runs to its end once begun."""
        require(self.is_in_runtime(uid, generation) and self.is_ready_to_start(uid))
        runtime = self.layers[uid].runtime
        require(runtime.actions.containers_to_start[container])
        require(not self.has_init_container_due(uid))
        runtime.actions.containers_to_start[container] = False
        self.start(uid, runtime.containers[container], self.layers[uid].stops[container])

    def start(self, uid: int, container: KnownContainer, stop: ContainerStop) -> None:
        container.state = RuntimeState.RUNNING
        container.exit_code = 0
        stop.hook_has_begun = False
        self.containers[uid] = True

    def is_in_runtime(self, uid: int, generation: int) -> bool:
        """Is the runtime's SyncPod at work, and does no killContainer keep it waiting?"""
        in_sync_pod = self.workers[uid][generation].position == Position.SYNC_POD
        return in_sync_pod and self.layers[uid].has_resources and not self.is_stopping(uid)

    def is_ready_to_start(self, uid: int) -> bool:
        """A sandbox that was lost meanwhile takes no containers: SyncPod can only fail."""
        sandbox = self.layers[uid].runtime.sandboxes[0]
        return self.has_sandbox_done(uid) and sandbox.state == SandboxState.READY

    def has_sandbox_done(self, uid: int) -> bool:
        actions = self.layers[uid].runtime.actions
        return not actions.kill_pod and not actions.create_sandbox

    def is_init_container_due(self, uid: int, container: int) -> bool:
        actions = self.layers[uid].runtime.actions
        for i in range(len(actions.init_containers_to_start)):
            if i == container and (actions.init_containers_to_start[i] or actions.next_init_container_to_start == i):
                return True
        return False

    def has_init_container_due(self, uid: int) -> bool:
        for i in range(len(self.layers[uid].init_stops)):
            if self.is_init_container_due(uid, i):
                return True
        return False

    def has_done_everything(self, uid: int) -> bool:
        """Has SyncPod done all that it set out to do?"""
        layers = self.layers[uid]
        for i in range(len(layers.stops)):
            if layers.runtime.actions.containers_to_start[i]:
                return False
        return layers.has_resources and self.has_sandbox_done(uid) and not self.has_init_container_due(uid)

    @action("worker", "SyncPod({uid}) returns {outcome}", SYNC_CALLS_RETURN, succeeds(SyncPodOutcome.OK))
    def worker_sync_pod_returns(self, uid: Uid, generation: Generation, outcome: SyncPodOutcome) -> None:
        """Where the pod has come to its end it does nothing else; without an error it has done everything."""
        require(outcome != SyncPodOutcome.CANCELED or self.is_cancelled(uid, generation))
        require((outcome == SyncPodOutcome.TERMINAL) == self.has_terminal_status(uid))
        require(outcome != SyncPodOutcome.OK or self.has_done_everything(uid))
        require(not self.is_stopping(uid))
        self.sync_pod_returns(uid, generation, outcome)
        clear(self.layers[uid].runtime.actions)

    # -- killPod and killContainer -----------------------------------------------------------------------------------

    @go("killPodWithSyncResult", part="the beginning")
    def kill_pod(self, uid: int, override: int, has_hooks: bool) -> None:
        """killContainer is called for every container that was seen to run, in parallel."""
        layers = self.layers[uid]
        for i in range(len(layers.init_stops)):
            if layers.runtime.init_containers[i].state == RuntimeState.RUNNING:
                waits = has_hooks and layers.runtime.init_containers[i].restartable
                self.kill_container(uid, layers.init_stops[i], override, has_hooks, waits)
        for i in range(len(layers.stops)):
            if layers.runtime.containers[i].state == RuntimeState.RUNNING:
                self.kill_container(uid, layers.stops[i], override, has_hooks, False)

    @go("killContainer", part="until the preStop hook has begun or StopContainer is called")
    def kill_container(self, uid: int, stop: ContainerStop, override: int, has_hooks: bool, waits: bool) -> None:
        rule = stop.rule
        rule.deletion_grace_period_seconds = self.config[uid].deletion_grace_period_seconds
        rule.termination_grace_period_seconds = self.config[uid].termination_grace_period_seconds
        rule.grace_period_override = override
        rule.has_pre_stop_hook = stop.has_pre_stop_hook and has_hooks
        if rule.has_pre_stop_hook:
            stop.stage = StopStage.PRE_STOP
            stop.hook_has_begun = True
        elif waits:
            rule.has_ordering = True
            stop.stage = StopStage.TURN
        else:
            rule.kill_container()
            stop.stage = StopStage.SIGNALED

    @action(
        "runtime",
        "preStop hook of {uid}, container {container}, ends or is given up: it would take {seconds} s",
        HOOKS_END,
    )
    def pre_stop_hook_ends(self, uid: Uid, container: AppContainer, seconds: PreStopSeconds) -> None:
        stop = self.layers[uid].stops[container]
        require(stop.stage == StopStage.PRE_STOP)
        stop.rule.pre_stop_seconds = seconds
        stop.rule.kill_container()
        stop.stage = StopStage.SIGNALED

    @action("runtime", "sidecar {container} of {uid} has waited {seconds} s for the regular containers", STEPS_SUCCEED)
    @go("waitForTurn")
    def sidecar_has_its_turn(self, uid: Uid, container: InitContainer, seconds: TurnSeconds) -> None:
        """They have ended, or its grace period is over."""
        require(self.is_init_container_waiting(uid, container))
        require(not self.has_running_app(uid) or seconds >= self.layers[uid].init_stops[container].rule.asked_for())
        for i in range(len(self.layers[uid].init_stops)):
            if i == container:
                stop = self.layers[uid].init_stops[i]
                stop.rule.turn_seconds = seconds
                stop.rule.kill_container()
                stop.stage = StopStage.SIGNALED

    def has_running_app(self, uid: int) -> bool:
        for i in range(len(self.layers[uid].stops)):
            if self.layers[uid].runtime.containers[i].state == RuntimeState.RUNNING:
                return True
        return False

    def is_init_container_waiting(self, uid: int, container: int) -> bool:
        for i in range(len(self.layers[uid].init_stops)):
            if i == container and self.layers[uid].init_stops[i].stage == StopStage.TURN:
                return True
        return False

    @action("runtime", "SIGKILL to {uid}, container {container}: its grace period is over", STEPS_SUCCEED)
    def stop_timeout_passes(self, uid: Uid, container: AppContainer) -> None:
        require(self.layers[uid].stops[container].stage == StopStage.SIGNALED)
        self.end_container(uid, container, SIGKILL_EXIT_CODE)

    @action("runtime", "SIGKILL to {uid}, init container {container}: its grace period is over", STEPS_SUCCEED)
    def init_stop_timeout_passes(self, uid: Uid, container: InitContainer) -> None:
        require(self.is_init_container_signaled(uid, container))
        self.end_init_container(uid, container, SIGKILL_EXIT_CODE)

    def is_init_container_signaled(self, uid: int, container: int) -> bool:
        for i in range(len(self.layers[uid].init_stops)):
            if i == container and self.layers[uid].init_stops[i].stage == StopStage.SIGNALED:
                return True
        return False

    @action("runtime", "StopContainer of {uid}, container {container}, fails")
    def stop_container_fails(self, uid: Uid, container: AppContainer) -> None:
        require(self.layers[uid].stops[container].stage == StopStage.SIGNALED)
        self.forget_stop(self.layers[uid].stops[container])

    def forget_stop(self, stop: ContainerStop) -> None:
        """killContainer has returned."""
        stop.stage = StopStage.NONE
        clear(stop.rule)

    def is_stopping(self, uid: int) -> bool:
        """Has a killContainer not returned yet?"""
        layers = self.layers[uid]
        for i in range(len(layers.init_stops)):
            if layers.init_stops[i].stage != StopStage.NONE:
                return True
        for i in range(len(layers.stops)):
            if layers.stops[i].stage != StopStage.NONE:
                return True
        return False

    @action("worker", "SyncTerminatingPod({uid}) returns {outcome}", SYNC_CALLS_RETURN, succeeds(SyncOutcome.OK))
    def worker_sync_terminating_pod_returns(self, uid: Uid, generation: Generation, outcome: SyncOutcome) -> None:
        """It asks the runtime once more, and fails if anything runs; else it reports how the containers ended."""
        require(outcome in (SyncOutcome.OK, SyncOutcome.ERROR) and not self.is_stopping(uid))
        require(outcome == SyncOutcome.ERROR or not self.containers[uid])
        self.sync_terminating_pod_returns(uid, generation, outcome)
        self.stop_sandbox(uid)
        if outcome == SyncOutcome.OK:
            self.layers[uid].is_probed = False
            self.report_stopped_pod(uid)

    def report_stopped_pod(self, uid: int) -> None:
        """The end of SyncTerminatingPod. The runtime says no address of a sandbox that is stopped."""
        self.report(uid, True)
        self.layers[uid].has_address = False

    @action("worker", "SyncTerminatingRuntimePod({uid}) returns {outcome}", SYNC_CALLS_RETURN, succeeds(SyncOutcome.OK))
    def worker_sync_terminating_runtime_pod_returns(
        self, uid: Uid, generation: Generation, outcome: SyncOutcome
    ) -> None:
        """Nobody asks the runtime again, but killContainer has returned without an error for all that ran."""
        require(outcome in (SyncOutcome.OK, SyncOutcome.ERROR) and not self.is_stopping(uid))
        require(outcome == SyncOutcome.ERROR or not self.containers[uid])
        self.sync_terminating_runtime_pod_returns(uid, generation, outcome)
        self.stop_sandbox(uid)

    def stop_sandbox(self, uid: int) -> None:
        sandbox = self.layers[uid].runtime.sandboxes[0]
        if sandbox.state == SandboxState.READY:
            sandbox.state = SandboxState.NOT_READY

    # -- SyncTerminatedPod -------------------------------------------------------------------------------------------

    @action("worker", "SyncTerminatedPod({uid}): volumes are unmounted, the cgroup is gone", STEPS_SUCCEED)
    def release_resources(self, uid: Uid, generation: Generation) -> None:
        require(self.workers[uid][generation].position == Position.SYNC_TERMINATED_POD)
        require(self.layers[uid].has_resources)
        self.layers[uid].has_resources = False

    @action("worker", "SyncTerminatedPod({uid}) returns {outcome}", SYNC_CALLS_RETURN, succeeds(SyncOutcome.OK))
    def worker_sync_terminated_pod_returns(self, uid: Uid, generation: Generation, outcome: SyncOutcome) -> None:
        require(outcome in (SyncOutcome.OK, SyncOutcome.ERROR) or self.is_cancelled(uid, generation))
        require(outcome != SyncOutcome.NETWORK_NOT_READY)
        require(outcome != SyncOutcome.OK or not self.layers[uid].has_resources)
        self.sync_terminated_pod_returns(uid, generation, outcome)
        if outcome == SyncOutcome.OK:
            self.terminate_pod(uid)

    @go("TerminatePod")
    def terminate_pod(self, uid: int) -> None:
        """A pod from the API server has ended, whatever its status says."""
        self.layers[uid].pod_is_finished = True
        if not self.has_terminal_status(uid) and not self.config[uid].static:
            self.layers[uid].status.reported = PodPhase.FAILED

    # -- the containers by themselves --------------------------------------------------------------------------------

    @action("runtime", "container {container} of {uid} exits with {exit_code}")
    def container_exits(self, uid: Uid, container: AppContainer, exit_code: OwnExitCode) -> None:
        require(self.layers[uid].runtime.containers[container].state == RuntimeState.RUNNING)
        self.end_container(uid, container, exit_code)

    @action("runtime", "init container {container} of {uid} exits with {exit_code}")
    def init_container_exits(self, uid: Uid, container: InitContainer, exit_code: OwnExitCode) -> None:
        require(self.is_init_container_running(uid, container))
        self.end_init_container(uid, container, exit_code)

    def is_init_container_running(self, uid: int, container: int) -> bool:
        for i in range(len(self.layers[uid].init_stops)):
            if i == container and self.layers[uid].runtime.init_containers[i].state == RuntimeState.RUNNING:
                return True
        return False

    def end_init_container(self, uid: int, container: int, exit_code: int) -> None:
        for i in range(len(self.layers[uid].init_stops)):
            if i == container:
                self.end(uid, self.layers[uid].runtime.init_containers[i], exit_code)
                self.forget_stop(self.layers[uid].init_stops[i])

    @action("runtime", "the sandbox of {uid} is lost, with all that runs in it")
    def lose_sandbox(self, uid: Uid) -> None:
        layers = self.layers[uid]
        require(layers.sandbox_losses > 0 and layers.runtime.sandboxes[0].state == SandboxState.READY)
        layers.sandbox_losses -= 1
        self.stop_sandbox(uid)
        for i in range(len(layers.init_stops)):
            if layers.runtime.init_containers[i].state == RuntimeState.RUNNING:
                self.end(uid, layers.runtime.init_containers[i], SIGKILL_EXIT_CODE)
                self.forget_stop(layers.init_stops[i])
        for i in range(len(layers.stops)):
            if layers.runtime.containers[i].state == RuntimeState.RUNNING:
                self.end_container(uid, i, SIGKILL_EXIT_CODE)

    def end_container(self, uid: int, container: int, exit_code: int) -> None:
        layers = self.layers[uid]
        self.end(uid, layers.runtime.containers[container], exit_code)
        self.forget_stop(layers.stops[container])
        policy = layers.runtime.restart_policy
        if policy == RestartPolicy.NEVER or (policy == RestartPolicy.ON_FAILURE and exit_code == 0):
            layers.has_ended[container] = True

    def end(self, uid: int, container: KnownContainer, exit_code: int) -> None:
        container.state = RuntimeState.EXITED
        container.exit_code = exit_code
        self.containers[uid] = self.has_running_container(uid)

    def has_running_container(self, uid: int) -> bool:
        runtime = self.layers[uid].runtime
        for i in range(len(runtime.init_containers)):
            if runtime.init_containers[i].state == RuntimeState.RUNNING:
                return True
        for i in range(len(runtime.containers)):
            if runtime.containers[i].state == RuntimeState.RUNNING:
                return True
        return False

    # -- the kubelet process -----------------------------------------------------------------------------------------

    def forget_pod(self, uid: int) -> None:
        """Calls of killContainer end with the kubelet; the containers do not."""
        super().forget_pod(uid)
        self.forget_status(uid)
        self.layers[uid].is_probed = False
        clear(self.layers[uid].runtime.actions)
        for i in range(len(self.layers[uid].init_stops)):
            self.forget_stop(self.layers[uid].init_stops[i])
        for i in range(len(self.layers[uid].stops)):
            self.forget_stop(self.layers[uid].stops[i])


class Containers1_26(Containers):
    """In release 1.26 a pod may be deleted as soon as its resources are gone, and TerminatePod leaves its phase."""

    def report_stopped_pod(self, uid: int) -> None:
        """SyncTerminatingPod does not report again."""
        return

    def terminate_pod(self, uid: int) -> None:
        return

    @go("PodResourcesAreReclaimed")
    def can_be_deleted(self, uid: int) -> bool:
        if self.could_have_running_containers(uid) or self.layers[uid].has_resources:
            return False
        for i in range(len(self.layers[uid].stops)):
            if self.layers[uid].status.containers[i].state == StateOf.RUNNING:
                return False
        return True


class Containers1_23(Containers1_26):
    """In release 1.23 SyncPod does not say that a pod has ended, and the status manager writes that at once."""

    @action("worker", "SyncPod({uid}) returns {outcome}", SYNC_CALLS_RETURN, succeeds(SyncPodOutcome.OK))
    def worker_sync_pod_returns(self, uid: Uid, generation: Generation, outcome: SyncPodOutcome) -> None:
        require(outcome != SyncPodOutcome.TERMINAL and not self.is_stopping(uid))
        require(outcome != SyncPodOutcome.CANCELED or self.is_cancelled(uid, generation))
        has_ended = self.has_terminal_status(uid)
        require(outcome != SyncPodOutcome.OK or has_ended or self.has_done_everything(uid))
        self.sync_pod_returns(uid, generation, outcome)
        clear(self.layers[uid].runtime.actions)

    def merged_phase(self, uid: int) -> Phase:
        if self.layers[uid].status.reported == PodPhase.SUCCEEDED:
            return Phase.SUCCEEDED
        if self.layers[uid].status.reported == PodPhase.FAILED:
            return Phase.FAILED
        return self.config[uid].phase

    def writes_end_of_mirror_pod(self, uid: int) -> bool:
        return True

    @action("kubelet", "probe manager: the workers of {uid} are removed, its termination was requested")
    def remove_probes(self, uid: Uid) -> None:
        """By loops that do not wait for its containers. Mended by kubernetes/kubernetes#110191, in 1.25 and before."""
        require(self.layers[uid].is_probed and self.is_pod_termination_requested(uid))
        self.layers[uid].is_probed = False


class Containers1_32(Containers):
    """In release 1.32 the last status of SyncTerminatingPod keeps the address."""

    def report_stopped_pod(self, uid: int) -> None:
        self.report(uid, True)
