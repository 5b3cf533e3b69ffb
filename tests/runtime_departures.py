"""Runtime managers that are wrong in one place, each of which the recordings of its release have to notice."""

from __future__ import annotations

from typing import Any

from podproof.model.core_v1 import Container, RestartPolicy
from podproof.model.kubecontainer import RuntimeContainer, RuntimePod, RuntimeState
from podproof.model.kuberuntime.back_off import Backoff
from podproof.model.kuberuntime.compute_pod_actions import ComputePodActions, ComputePodActions1_32
from podproof.model.kuberuntime.kill_container import KillContainer
from podproof.model.kuberuntime.kill_pod import ContainerKill, ContainerKill1_26
from podproof.model.kuberuntime.records import KnownContainer
from podproof.model.kuberuntime.start_container import Failure, StartContainer
from podproof.model.kuberuntime.sync_pod import KubeGenericRuntimeManager, KubeGenericRuntimeManager1_32
from podproof.model.kuberuntime.sync_result import PodSyncResult, SyncFailure
from podproof.model.kuberuntime.termination_order import TerminationOrdering, TerminationOrdering1_32
from podproof.model.language import NIL
from podproof.model.releases import V1_29, V1_32


def departure(base: type, name: str, **parts: object) -> type:
    """A release whose runtime manager has other parts."""
    manager = type(base.runtime_manager.__name__, (base.runtime_manager,), parts)  # type: ignore[attr-defined]
    return type(name, (base,), {"runtime_manager": manager})


class _RestartsUnderNever(ComputePodActions1_32):
    def should_container_be_restarted(self, container: KnownContainer) -> bool:
        return container.state == RuntimeState.EXITED or super().should_container_be_restarted(container)


class _RestartsDeleted(ComputePodActions1_32):
    def should_container_be_restarted(self, container: KnownContainer) -> bool:
        self.deletion_timestamp = False
        return super().should_container_be_restarted(container)


class _ForgetsMemory(ComputePodActions1_32):
    def is_init_container_failed(self, container: KnownContainer) -> bool:
        return container.state == RuntimeState.EXITED and container.exit_code != 0


class _KeepsOldSandbox(ComputePodActions1_32):
    def has_several_ready_sandboxes(self) -> bool:
        return False


class _StartsAllAgain(ComputePodActions1_32):
    def is_to_run_again(self, container: KnownContainer) -> bool:
        return True


class _NeverEnds(ComputePodActions1_32):
    def compute_container_actions(self) -> None:
        super().compute_container_actions()
        self.actions.kill_pod = False


class _StartsAfterAFailure(ComputePodActions1_32):
    def act_on_exited_init_container(self, i: int) -> bool:
        policy = self.restart_policy
        self.restart_policy = RestartPolicy.ON_FAILURE
        initialized = super().act_on_exited_init_container(i)
        self.restart_policy = policy
        return initialized


class _MinimumIsOne(ContainerKill):
    def stop_container(self, timeout: int) -> None:
        super().stop_container(1 if timeout == 2 else timeout)


class _HooksAreFree(ContainerKill):
    def execute_pre_stop_hook(self, grace_period: int) -> int:
        super().execute_pre_stop_hook(grace_period)
        return 0


class _ProbesNeedNoSpec(ContainerKill):
    def set_termination_grace_period(self) -> int:
        if self.termination_grace_period_seconds == NIL and self.liveness_probe_seconds != NIL:
            return self.liveness_probe_seconds
        return super().set_termination_grace_period()


class _SpecBeatsDeletion(ContainerKill):
    def set_termination_grace_period(self) -> int:
        self.deletion_grace_period_seconds = NIL
        return super().set_termination_grace_period()


class _OnlyShortens(ContainerKill):
    def kill_container(self) -> None:
        override = self.grace_period_override
        if override != NIL and override > self.set_termination_grace_period():
            self.grace_period_override = NIL
        KillContainer.kill_container(self)


class _WaitsForNobody(TerminationOrdering1_32):
    def turn(self, name: str) -> int | None:
        return self.now


class _LooksAtNoSidecar(TerminationOrdering1_32):
    def turn(self, name: str) -> int | None:
        times = [self.terminated[earlier] for earlier in self.regular]
        return max([self.now, *(at for at in times if at is not None)]) if None not in times else None


class _ForgivingBackoff(Backoff):
    def next(self, key: tuple[str, str], event_time: int, now: int) -> None:
        self.entries.pop(key, None)
        super().next(key, event_time, now)


def _with_forgiving_back_off(self: StartContainer, *arguments: object) -> None:
    KubeGenericRuntimeManager1_32.__init__(self, *arguments)  # type: ignore[arg-type]
    self.back_off = _ForgivingBackoff()


def _no_back_off_after_success(self: StartContainer, spec: Container, status: RuntimePod) -> Failure | None:
    last = status.find_container_status_by_name(spec.name)
    if last is not None and last.state == RuntimeState.EXITED and last.exit_code == 0:
        return None
    return StartContainer.do_back_off(self, spec, status)


def _stop_at_a_sidecar(self: KubeGenericRuntimeManager, *arguments: Any) -> bool:
    """A sidecar that does not start holds up the others."""
    result: PodSyncResult = arguments[3]
    goes_on = KubeGenericRuntimeManager.start_init_containers(self, *arguments)
    return goes_on and not any(found.error != SyncFailure.NONE for found in result.sync_results)


def _keep_every_record(self: KubeGenericRuntimeManager, status: RuntimePod) -> None:
    pass


def _nobody_is_killed_for_a_hook(self: StartContainer, spec: Container, record: RuntimeContainer) -> Failure | None:
    kill, self.kill_container = self.kill_container, lambda *arguments: None  # type: ignore[method-assign, assignment]
    failed = StartContainer.run_post_start_hook(self, spec, record)
    self.kill_container = kill  # type: ignore[method-assign]
    return failed


def _look_at_termination_always(self: KubeGenericRuntimeManager, status: RuntimePod) -> PodSyncResult:
    if self.is_pod_termination_requested:
        return PodSyncResult()
    return KubeGenericRuntimeManager.sync_pod(self, status)


RUNTIME_DEPARTURES = (
    departure(V1_32, "NeverRestartsAll", decision=_RestartsUnderNever),
    departure(V1_32, "DeletedPodsRestart", decision=_RestartsDeleted),
    departure(V1_32, "OutOfMemoryIsNoFailure", decision=_ForgetsMemory),
    departure(V1_32, "TwoSandboxesAreFine", decision=_KeepsOldSandbox),
    departure(V1_32, "SucceededContainersRunAgain", decision=_StartsAllAgain),
    departure(V1_32, "EndedPodsAreNotKilled", decision=_NeverEnds),
    departure(V1_32, "InitContainersRestartUnderNever", decision=_StartsAfterAFailure),
    departure(V1_32, "DecidesAs1_29", decision=ComputePodActions),
    departure(V1_29, "DecidesAs1_32", decision=ComputePodActions1_32),
    departure(V1_32, "MinimumIsOneSecond", container_kill=_MinimumIsOne),
    departure(V1_32, "PreStopIsFree", container_kill=_HooksAreFree),
    departure(V1_32, "ProbesNeedNoSpec", container_kill=_ProbesNeedNoSpec),
    departure(V1_32, "SpecBeatsDeletion", container_kill=_SpecBeatsDeletion),
    departure(V1_32, "OverridesOnlyShorten", container_kill=_OnlyShortens),
    departure(V1_32, "KillsAs1_26", container_kill=ContainerKill1_26),
    departure(V1_32, "NobodyWaitsForItsTurn", termination_ordering=_WaitsForNobody),
    departure(V1_32, "SidecarsEndTogether", termination_ordering=_LooksAtNoSidecar),
    departure(V1_32, "OrdersAs1_29", termination_ordering=TerminationOrdering),
    departure(V1_29, "OrdersAs1_32", termination_ordering=TerminationOrdering1_32),
    departure(V1_32, "BackOffDoesNotGrow", __init__=_with_forgiving_back_off),
    departure(V1_32, "SuccessIsNotBackedOff", do_back_off=_no_back_off_after_success),
    departure(V1_32, "AppsWaitForSidecars", start_init_containers=_stop_at_a_sidecar),
    departure(V1_32, "InitRecordsStay", prune_init_containers_before_start=_keep_every_record),
    departure(V1_32, "AllInitRecordsStay", purge_init_containers=_keep_every_record),
    departure(V1_32, "HookFailureKillsNobody", run_post_start_hook=_nobody_is_killed_for_a_hook),
    departure(V1_32, "SyncPodSeesTermination", sync_pod=_look_at_termination_always),
)
