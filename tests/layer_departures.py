"""Releases whose layers around the pod worker are wrong in one place, each of which its recordings have to notice."""

from __future__ import annotations

from podproof.model.core_v1 import ContainerStatus, PodStatus, RestartPolicy
from podproof.model.releases import V1_32
from podproof.model.status.status_manager import StatusManager


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
    def has_left_its_end(self, old: ContainerStatus, new: list[ContainerStatus], policy: RestartPolicy) -> bool:
        return old.state.exit_code == 0 and super().has_left_its_end(old, new, policy)


class FailedContainersMayRestart(V1_32):
    status_manager = _RestartsWhatFailed


class _ComparesAllConditions(StatusManager):
    def is_pod_status_by_kubelet_equal(self, old: PodStatus, status: PodStatus) -> bool:
        return old == status


class ForeignConditionsCount(V1_32):
    status_manager = _ComparesAllConditions


DEPARTURES = (TerminalPhaseIsNotDelayed, EndedPodsStayReady, FailedContainersMayRestart, ForeignConditionsCount)
