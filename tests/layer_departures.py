"""Releases whose layers around the pod worker are wrong in one place, each of which its recordings have to notice."""

from __future__ import annotations

import dataclasses

from podproof.model.core_v1 import ApiPod, Container, ContainerStatus, PodPhase, PodStatus, RestartPolicy
from podproof.model.get_phase import GetPhase, GetPhase1_32
from podproof.model.kubecontainer import RuntimeContainer, RuntimePod
from podproof.model.kubelet_pods import KubeletPods, KubeletPods1_32
from podproof.model.kuberuntime.sync_result import PodSyncResult, SyncFailure
from podproof.model.pod_syncer import MirrorPod, PodStatusFunc, PodSyncer, PodSyncer1_26, PodSyncer1_32, SyncError
from podproof.model.releases import V1_26, V1_29, V1_32
from podproof.model.status.status_manager import StatusManager, StatusManager1_26, VersionedPodStatus


class _MergesAtOnce(StatusManager):
    def merge_pod_status(self, old: PodStatus, new: PodStatus, could_have_running: bool, now: int) -> PodStatus:
        return super().merge_pod_status(old, new, False, now)


class TerminalPhaseIsNotDelayed(V1_32):
    status_manager = _MergesAtOnce


class _LeavesReady(StatusManager):
    def unready(self, status: PodStatus, now: int) -> None:
        pass


class EndedPodsStayReady(V1_32):
    status_manager = _LeavesReady


class _RestartsWhatFailed(StatusManager):
    def has_left_its_end(
        self, old: ContainerStatus, new: list[ContainerStatus], policy: RestartPolicy, spec: Container | None
    ) -> bool:
        return old.state.exit_code == 0 and super().has_left_its_end(old, new, policy, spec)


class FailedContainersMayRestart(V1_32):
    status_manager = _RestartsWhatFailed


class _ComparesAllConditions(StatusManager):
    def is_pod_status_by_kubelet_equal(self, old: PodStatus, status: PodStatus) -> bool:
        return old == status


class ForeignConditionsCount(V1_32):
    status_manager = _ComparesAllConditions


class _ForgetsThePast(GetPhase1_32):
    def keep_terminal_phase(self) -> PodPhase:
        return self.get_phase()


class _PodsWithoutPast(KubeletPods1_32):
    get_phase = _ForgetsThePast


class TerminalPhaseIsNotKept(V1_32):
    kubelet_pods = _PodsWithoutPast


class PendingInitContainersDoNotCount(V1_32):
    kubelet_pods = KubeletPods


class _AlwaysRestarts(GetPhase1_32):
    def get_phase_of_stopped_pod(self) -> PodPhase:
        return PodPhase.RUNNING if self.restart_policy == RestartPolicy.ALWAYS else super().get_phase_of_stopped_pod()


class _PodsThatAlwaysRestart(KubeletPods1_32):
    get_phase = _AlwaysRestarts


class NoPodOfAlwaysEnds(V1_32):
    kubelet_pods = _PodsThatAlwaysRestart


class _TakesALongDeadline(KubeletPods1_32):
    def past_active_deadline(self, pod: ApiPod, old: PodStatus) -> bool:
        self.now -= 1
        return super().past_active_deadline(pod, old)


class DeadlineIsOneSecondLater(V1_32):
    kubelet_pods = _TakesALongDeadline


class _ReadsNoStartupProbe(KubeletPods1_32):
    def is_container_started(self, spec: Container, status: ContainerStatus) -> bool:
        return super().is_container_started(Container(spec.name), status)


class RunningIsStarted(V1_32):
    kubelet_pods = _ReadsNoStartupProbe


class _TrustsTheRuntime(KubeletPods1_32):
    def convert_container_status(self, record: RuntimeContainer, old: ContainerStatus | None) -> ContainerStatus:
        return super().convert_container_status(record, None)


class UnknownContainersWait(V1_32):
    kubelet_pods = _TrustsTheRuntime


class _CountsPendingInitContainers(KubeletPods):
    get_phase: type[GetPhase] = GetPhase1_32


class PendingInitContainersCountEarly(V1_29):
    kubelet_pods = _CountsPendingInitContainers


class _TrustsTheCallersPhase(StatusManager):
    def can_be_deleted(self, pod: ApiPod, pod_is_finished: bool) -> bool:
        return pod.deletion_timestamp and pod_is_finished


class MirrorPodsAreDeleted(V1_32):
    status_manager = _TrustsTheCallersPhase


class _DropsOnlyTheStatus(StatusManager):
    def update_status_internal(self, pod: ApiPod, status: PodStatus, force_update: bool, pod_is_finished: bool) -> None:
        super().update_status_internal(pod, status, force_update, pod_is_finished)
        if pod.uid in self.pod_statuses and pod_is_finished:
            self.pod_statuses[pod.uid].pod_is_finished = True


class FinishedOutlivesADroppedUpdate(V1_32):
    status_manager = _DropsOnlyTheStatus


class _ForgetsVersions(StatusManager):
    def remove_orphaned_statuses(self, uids: set[str]) -> None:
        super().remove_orphaned_statuses(uids)
        self.api_status_versions.clear()


class VersionsAreForgottenWithTheStatus(V1_32):
    status_manager = _ForgetsVersions


class _AsksForTheStaticPod(StatusManager):
    def sync_pod(self, uid: str, status: VersionedPodStatus) -> None:
        if uid in self.could_have_running:
            for mirror in self.pod_manager.mirror_pod_by_uid:
                self.could_have_running[mirror] = self.could_have_running[uid]
        super().sync_pod(uid, status)


class MirrorPodsWaitForTheirContainers(V1_32):
    status_manager = _AsksForTheStaticPod


class _WritesWithoutAToken(StatusManager):
    def set_container_readiness(self, uid: str, container_id: str, ready: bool) -> None:
        super().set_container_readiness(uid, container_id, ready)
        self.token = False


class ReadinessWaitsForTheBatch(V1_32):
    status_manager = _WritesWithoutAToken


class _AppliesTheFunctionAgain(PodSyncer1_32):
    def sync_terminating_pod(
        self, pod: ApiPod, runtime_pod: RuntimePod, grace_period: int, pod_status_func: PodStatusFunc | None
    ) -> None:
        super().sync_terminating_pod(pod, runtime_pod, grace_period, pod_status_func)
        if pod_status_func is not None:
            self.parts.set_pod_status(PodStatus(PodPhase.FAILED))


class StatusFunctionIsAppliedAgain(V1_32):
    pod_syncer = _AppliesTheFunctionAgain


class _CountsNoSuccess(PodSyncer1_32):
    def has_only_back_offs(self, result: PodSyncResult) -> bool:
        return super().has_only_back_offs(
            PodSyncResult([r for r in result.sync_results if r.error != SyncFailure.NONE])
        )


class BackOffIsNoError(V1_32):
    pod_syncer = _CountsNoSuccess


class _GoesOnWhenInterrupted(PodSyncer1_32):
    def gives_up_after(self, error: SyncError) -> bool:
        return False


class InterruptedKillIsIgnored(V1_32):
    pod_syncer = _GoesOnWhenInterrupted


class _LosesAddresses(PodSyncer1_32):
    def keep_addresses(self, stopped: RuntimePod, before: RuntimePod) -> RuntimePod:
        return stopped


class StoppedPodsLoseTheirAddresses(V1_32):
    pod_syncer = _LosesAddresses


class _GuardsMirrorPods(PodSyncer1_32):
    def reconcile_mirror_pod(self) -> None:
        if self.parts.mirror_pod() == MirrorPod.NONE:
            super().reconcile_mirror_pod()


class MirrorPodsAreNeverReplaced(V1_32):
    pod_syncer = _GuardsMirrorPods


class _ReleasesInAnotherOrder(PodSyncer1_32):
    def sync_terminated_pod(self, pod: ApiPod, runtime_pod: RuntimePod) -> None:
        self.report(pod, runtime_pod, pod_is_terminal=True)
        self.parts.terminate_pod()


class TerminatedBeforeReleased(V1_32):
    pod_syncer = _ReleasesInAnotherOrder


class _KeepsAddresses(PodSyncer):
    def keep_addresses(self, stopped: RuntimePod, before: RuntimePod) -> RuntimePod:
        return dataclasses.replace(stopped, ips=before.ips)


class StoppedPodsKeepTheirAddresses(V1_29):
    pod_syncer = _KeepsAddresses


class _ReportsStoppedPods(PodSyncer1_26):
    def report_stopped_pod(self, pod: ApiPod, stopped: RuntimePod) -> None:
        PodSyncer.report_stopped_pod(self, pod, stopped)


class StoppedPodsAreReportedAtOnce(V1_26):
    pod_syncer = _ReportsStoppedPods


class _DeletesWhatIsFinished(StatusManager1_26):
    def can_be_deleted(self, pod: ApiPod, pod_is_finished: bool) -> bool:
        return StatusManager.can_be_deleted(self, pod, True)


class TerminalPodsAreDeleted(V1_26):
    status_manager = _DeletesWhatIsFinished


DEPARTURES = (
    StoppedPodsAreReportedAtOnce,
    TerminalPodsAreDeleted,
    StatusFunctionIsAppliedAgain,
    BackOffIsNoError,
    InterruptedKillIsIgnored,
    StoppedPodsLoseTheirAddresses,
    MirrorPodsAreNeverReplaced,
    TerminatedBeforeReleased,
    StoppedPodsKeepTheirAddresses,
    MirrorPodsAreDeleted,
    FinishedOutlivesADroppedUpdate,
    VersionsAreForgottenWithTheStatus,
    MirrorPodsWaitForTheirContainers,
    ReadinessWaitsForTheBatch,
    TerminalPhaseIsNotDelayed,
    EndedPodsStayReady,
    FailedContainersMayRestart,
    ForeignConditionsCount,
    TerminalPhaseIsNotKept,
    PendingInitContainersDoNotCount,
    NoPodOfAlwaysEnds,
    DeadlineIsOneSecondLater,
    RunningIsStarted,
    UnknownContainersWait,
    PendingInitContainersCountEarly,
)
