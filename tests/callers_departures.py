"""Releases whose callers of UpdatePod are wrong in one place, each of which its recordings have to notice."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from podproof.model.allocation_manager import AllocationManager
from podproof.model.callers import TERMINAL, Callers, Callers1_36
from podproof.model.core_v1 import ApiPod
from podproof.model.releases import V1_36, V1_36_3


class _CountsEveryActivePod(AllocationManager):
    def get_allocated_pods(self, active_pods: list[ApiPod]) -> list[ApiPod]:
        return active_pods


class _KeepsWhatIsRemoved(AllocationManager):
    def remove_pod(self, uid: str) -> None:
        pass


class _DefersNothing(AllocationManager):
    def push_pending_resize(self, uid: str) -> None:
        pass


def _asks_for_the_static_pods_allocation(self: Callers, uid: str) -> bool:
    static_pod = self.pod_manager.translate_pod_uid(uid)
    return not self.allocation_manager.has_pod_allocated_resources(static_pod)


def _takes_every_update(self: Callers, uid: str) -> bool:
    return False


def _kills_before_the_sources_are_ready(self: Callers) -> bool:
    return True


def _starts_what_is_rejected(self: Callers, pod: ApiPod, reason: str) -> None:
    self.handle_pod_syncs([pod], "HandlePodAdditions")


def _trusts_the_api_server(self: Callers, pod: ApiPod) -> bool:
    return pod.status.phase in TERMINAL


def _terminated_pods_are_active(self: Callers, pod: ApiPod) -> bool:
    return self.is_admitted_pod_terminal(pod)


def _restarts_nothing(self: Callers) -> None:
    self.neighbours.sync_known_pods({pod.uid for pod in self.pod_manager.get_pods()})


def _has_the_newest_pod(self: Callers, pod: ApiPod, mirror_pod: ApiPod | None) -> None:
    newest = self.pod_manager.get_pod_by_uid(pod.uid)
    Callers.sync_pod_has_removed_all(self, newest if newest is not None else pod, mirror_pod)


def _departure(release: type, base: type[Callers], name: str, fault: Callable[..., Any] | type) -> type:
    callers = type(f"Callers{fault.__name__}", (base,), {name: fault})
    return type(fault.__name__.removeprefix("_"), (release,), {"callers": callers})


CALLERS_DEPARTURES: tuple[type, ...] = (
    *(_departure(V1_36_3, Callers, name, fault) for name, fault in (
        ("allocation", _CountsEveryActivePod),
        ("allocation", _KeepsWhatIsRemoved),
        ("allocation", _DefersNothing),
        ("skips", _asks_for_the_static_pods_allocation),
        ("skips", _takes_every_update),
        ("all_ready", _kills_before_the_sources_are_ready),
        ("reject_pod", _starts_what_is_rejected),
        ("is_admitted_pod_terminal", _trusts_the_api_server),
        ("is_pod_inactive", _terminated_pods_are_active),
        ("handle_pod_cleanups", _restarts_nothing),
        ("sync_pod_has_removed_all", _has_the_newest_pod),
    )),
    _departure(V1_36, Callers1_36, "skips", Callers.skips),
)  # fmt: skip
