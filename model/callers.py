"""The sync loop's side of the kubelet: who calls UpdatePod, with which pod, and when.

Go: pkg/kubelet/kubelet.go and kubelet_pods.go in release 1.36.3. What the pod workers, the status manager and the
runtime answer is not decided here. [A78]
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import ClassVar, Protocol

from podproof.model.allocation_manager import Admit, AllocationManager, AllocationManager1_36
from podproof.model.core_v1 import ApiPod, PodPhase
from podproof.model.language import NIL
from podproof.model.notes import go
from podproof.model.pod_manager import PodManager
from podproof.model.state import UpdateType

TERMINAL = (PodPhase.SUCCEEDED, PodPhase.FAILED)


@dataclass(frozen=True)
class KillOptions:
    """KillPodOptions of a call, as its caller passed them."""

    evict: bool = False
    grace: int = NIL
    """PodTerminationGracePeriodSecondsOverride."""
    completed_channel: bool = False
    status_func: bool = False


@dataclass(frozen=True)
class UpdatePodCall:
    """A call of UpdatePod: the caller's UpdatePodOptions, and who it is, innermost first."""

    update_type: UpdateType
    caller: str
    pod: ApiPod | None = None
    mirror_pod: ApiPod | None = None
    running_pod: str = ""
    """Its UID, where no pod is given."""
    start_time: int = NIL
    kill: KillOptions | None = None

    @property
    def uid(self) -> str:
        return self.running_pod if self.pod is None else self.pod.uid


class Neighbours(Protocol):
    """What the callers ask of the rest of the kubelet."""

    def update_pod(self, call: UpdatePodCall, /) -> None: ...

    def is_pod_termination_requested(self, uid: str, /) -> bool: ...

    def is_pod_known_terminated(self, uid: str, /) -> bool: ...

    def sync_known_pods(self, desired: Collection[str], /) -> set[str]:
        """The UIDs of the pods that the workers still know."""

    def phase_in_status_manager(self, uid: str, /) -> PodPhase | None: ...

    def set_rejected(self, pod: ApiPod, reason: str, /) -> None:
        """SetPodStatus: the pod is Failed."""

    def remove_orphaned_statuses(self, remaining: Collection[str], /) -> None: ...

    def running_runtime_pods(self) -> Sequence[str] | None:
        """The UIDs that runtimeCache.GetPods lists; None where the list fails."""

    def need_to_reconcile_pod_readiness(self, pod: ApiPod, /) -> bool: ...

    def should_sync(self, pod: ApiPod, /) -> bool:
        """Is the pod past its active deadline?"""


class Callers:
    """The part of Kubelet that calls UpdatePod, in release 1.36.3."""

    allocation: ClassVar[type[AllocationManager]] = AllocationManager
    sources: ClassVar[frozenset[str]] = frozenset({"api", "file"})

    def __init__(self, neighbours: Neighbours, admit: Admit, checkpoint: dict[str, int] | None = None) -> None:
        self.neighbours = neighbours
        self.pod_manager = PodManager()
        self.seen_sources: set[str] = set()
        self.allocation_manager = self.allocation(
            admit, self.get_active_pods, self.pod_manager.get_pod_by_uid, self.all_ready
        )
        self.allocation_manager.checkpoint = dict(checkpoint or {})
        self.allocation_manager.allocated = dict(checkpoint or {})
        self.now = 0

    def at(self, now: int) -> None:
        """Let it be this second."""
        self.now = self.allocation_manager.now = now

    def call(self, update_type: UpdateType, caller: str, pod: ApiPod, mirror_pod: ApiPod | None) -> None:
        self.neighbours.update_pod(UpdatePodCall(update_type, caller, pod, mirror_pod, start_time=self.now))

    # -- syncLoopIteration -----------------------------------------------------------------------------------------

    @go("syncLoopIteration", part="configCh")
    def take_config(self, event: str, source: str, pods: list[ApiPod]) -> None:
        """Dispatch an event of the config mux: ADD, UPDATE, REMOVE, RECONCILE or DELETE."""
        match event:
            case "ADD":
                self.handle_pod_additions(pods)
            case "UPDATE" | "DELETE":
                self.handle_pod_updates(pods)
            case "REMOVE":
                self.handle_pod_removes(pods)
            case "RECONCILE":
                self.handle_pod_reconcile(pods)
        self.seen_sources.add(source)

    @go("syncLoopIteration", part="plegCh")
    def take_pleg_event(self, uid: str, kind: str) -> None:
        pod = self.pod_manager.get_pod_by_uid(uid)
        if kind != "ContainerRemoved" and pod is not None:
            self.handle_pod_syncs([pod])

    @go("syncLoopIteration", part="syncCh")
    def take_sync_tick(self, due: Collection[str]) -> None:
        """`due`: whose work the work queue hands out."""
        self.handle_pod_syncs(self.get_pods_to_sync(due))

    @go("syncLoopIteration", part="housekeepingCh")
    def take_housekeeping_tick(self) -> None:
        if self.all_ready():
            self.handle_pod_cleanups()

    @go("AllReady")
    def all_ready(self) -> bool:
        return self.sources <= self.seen_sources

    @go("getPodsToSync")
    def get_pods_to_sync(self, due: Collection[str]) -> list[ApiPod]:
        return [p for p in self.pod_manager.get_pods() if p.uid in due or self.neighbours.should_sync(p)]

    # -- the handlers ----------------------------------------------------------------------------------------------

    @go("HandlePodAdditions")
    def handle_pod_additions(self, pods: list[ApiPod]) -> None:
        pending_resizes: list[str] = []
        for added in sorted(pods, key=lambda pod: pod.creation_timestamp):
            self.pod_manager.update_pod(added)
            pod, mirror_pod, was_mirror = self.pod_manager.get_pod_and_mirror_pod(added)
            if pod is None:
                continue
            if was_mirror:
                self.call(UpdateType.UPDATE, "HandlePodAdditions", pod, mirror_pod)
                continue
            if not self.neighbours.is_pod_termination_requested(pod.uid) and pod.status.phase not in TERMINAL:
                refusal = self.allocation_manager.add_pod(self.get_active_pods(), pod)
                if refusal:
                    self.reject_pod(pod, refusal)
                    continue
                if self.allocation_manager.is_updated_from_allocation(pod):
                    pending_resizes.append(pod.uid)
            self.call(UpdateType.CREATE, "HandlePodAdditions", pod, mirror_pod)
        for uid in pending_resizes:
            self.allocation_manager.push_pending_resize(uid)
        if pending_resizes:
            self.retry_pending_resizes("HandlePodAdditions")

    @go("HandlePodUpdates")
    def handle_pod_updates(self, pods: list[ApiPod]) -> None:
        for updated in pods:
            old_pod = self.pod_manager.get_pod_by_uid(updated.uid)
            self.pod_manager.update_pod(updated)
            if self.skips(updated.uid):
                continue
            pod, mirror_pod, _ = self.pod_manager.get_pod_and_mirror_pod(updated)
            if pod is None:
                continue
            if old_pod is None or old_pod.cpu != pod.cpu:
                self.queue_resize(pod)
            self.call(UpdateType.UPDATE, "HandlePodUpdates", pod, mirror_pod)

    def skips(self, uid: str) -> bool:
        """Are the pod's updates dropped? A mirror pod never has an allocation. kubernetes/kubernetes#139522"""
        return not self.allocation_manager.has_pod_allocated_resources(uid)

    def queue_resize(self, pod: ApiPod) -> None:
        """What follows recordResizeOperations in HandlePodUpdates."""
        if self.allocation_manager.is_updated_from_allocation(pod):
            self.allocation_manager.push_pending_resize(pod.uid)
            self.retry_pending_resizes("HandlePodUpdates")
        else:
            self.allocation_manager.clear_pod_resize_pending_condition(pod.uid)

    @go("HandlePodRemoves")
    def handle_pod_removes(self, pods: list[ApiPod]) -> None:
        for removed in pods:
            self.pod_manager.remove_pod(removed)
            self.allocation_manager.remove_pod(removed.uid)
            pod, mirror_pod, was_mirror = self.pod_manager.get_pod_and_mirror_pod(removed)
            if pod is None:
                continue
            if was_mirror:
                self.call(UpdateType.UPDATE, "HandlePodRemoves", pod, mirror_pod)
            else:
                self.delete_pod(pod, "deletePod < HandlePodRemoves")
        self.retry_pending_resizes("HandlePodRemoves")

    @go("deletePod")
    def delete_pod(self, pod: ApiPod, caller: str) -> None:
        """It fails while a source has not reported; housekeeping tries again."""
        if self.all_ready():
            self.neighbours.update_pod(UpdatePodCall(UpdateType.KILL, caller, pod))

    @go("rejectPod")
    def reject_pod(self, pod: ApiPod, reason: str) -> None:
        self.neighbours.set_rejected(pod, reason)

    @go("HandlePodReconcile")
    def handle_pod_reconcile(self, pods: list[ApiPod]) -> None:
        retry, has_pending = False, bool(self.allocation_manager.pods_with_pending_resizes)
        for reported in pods:
            old_pod = self.pod_manager.get_pod_by_uid(reported.uid)
            self.pod_manager.update_pod(reported)
            pod, mirror_pod, _ = self.pod_manager.get_pod_and_mirror_pod(reported)
            if pod is None:
                continue
            if has_pending and old_pod is not None:
                retry |= pod.status.phase in TERMINAL and old_pod.status.phase not in TERMINAL
            if self.skips(pod.uid):
                continue
            if self.neighbours.need_to_reconcile_pod_readiness(pod):
                self.call(UpdateType.SYNC, "HandlePodReconcile", pod, mirror_pod)
        if retry:
            self.retry_pending_resizes("HandlePodReconcile")

    @go("HandlePodSyncs")
    def handle_pod_syncs(self, pods: list[ApiPod], caller: str = "HandlePodSyncs") -> None:
        for synced in pods:
            pod, mirror_pod, was_mirror = self.pod_manager.get_pod_and_mirror_pod(synced)
            if pod is not None and not was_mirror:
                self.call(UpdateType.SYNC, caller, pod, mirror_pod)

    @go("RetryPendingResizes")
    def retry_pending_resizes(self, caller: str) -> None:
        caller = f"HandlePodSyncs < RetryPendingResizes < {caller}"
        self.allocation_manager.retry_pending_resizes(lambda pod: self.handle_pod_syncs([pod], caller))

    # -- others who call UpdatePod ---------------------------------------------------------------------------------

    @go("killPodNow")
    def kill_pod_now(self, uid: str, options: KillOptions) -> None:
        """With the pod that the pod manager has."""
        pod = self.pod_manager.get_pod_by_uid(uid)
        if pod is not None:
            self.neighbours.update_pod(UpdatePodCall(UpdateType.KILL, "killPodNow", pod, kill=options))

    @go("SyncPod", part="after RestartAllContainers")
    def sync_pod_has_removed_all(self, pod: ApiPod, mirror_pod: ApiPod | None) -> None:
        """With the pod it was called with, which has what is allocated. kubernetes/kubernetes#136966"""
        self.neighbours.update_pod(UpdatePodCall(UpdateType.UPDATE, "SyncPod", pod, mirror_pod))

    # -- which pods are active -------------------------------------------------------------------------------------

    @go("GetActivePods")
    def get_active_pods(self) -> list[ApiPod]:
        return self.filter_out_inactive_pods(self.pod_manager.get_pods())

    @go("filterOutInactivePods")
    def filter_out_inactive_pods(self, pods: list[ApiPod]) -> list[ApiPod]:
        return [pod for pod in pods if not self.is_pod_inactive(pod)]

    @go("isPodInactive")
    def is_pod_inactive(self, pod: ApiPod) -> bool:
        if self.neighbours.is_pod_known_terminated(pod.uid):
            return True
        return self.is_admitted_pod_terminal(pod) and not self.neighbours.is_pod_termination_requested(pod.uid)

    @go("isAdmittedPodTerminal")
    def is_admitted_pod_terminal(self, pod: ApiPod) -> bool:
        return pod.status.phase in TERMINAL or self.neighbours.phase_in_status_manager(pod.uid) in TERMINAL

    # -- housekeeping ----------------------------------------------------------------------------------------------

    @go("HandlePodCleanups")
    def handle_pod_cleanups(self) -> None:
        all_pods = self.pod_manager.get_pods()
        uids = {pod.uid for pod in all_pods}
        working = self.neighbours.sync_known_pods(uids)
        running = self.neighbours.running_runtime_pods()
        if running is None:
            return
        self.neighbours.remove_orphaned_statuses(uids)
        self.allocation_manager.remove_orphaned_pods(uids)
        for desired in self.filter_out_inactive_pods(all_pods):
            if desired.uid in working:
                continue
            _, mirror_pod, _ = self.pod_manager.get_pod_and_mirror_pod(desired)
            self.neighbours.update_pod(UpdatePodCall(UpdateType.CREATE, "HandlePodCleanups", desired, mirror_pod))
            working.add(desired.uid)
        for pod in self.filter_terminal_pods_to_delete(all_pods, running, working):
            self.neighbours.update_pod(UpdatePodCall(UpdateType.KILL, "HandlePodCleanups", pod))
        for uid in running:
            if uid not in working:
                kill = KillOptions(grace=1)
                call = UpdatePodCall(UpdateType.KILL, "HandlePodCleanups", running_pod=uid, kill=kill)
                self.neighbours.update_pod(call)
                working.add(uid)

    @go("filterTerminalPodsToDelete")
    def filter_terminal_pods_to_delete(
        self, pods: list[ApiPod], running: Collection[str], working: Collection[str]
    ) -> list[ApiPod]:
        return [
            pod
            for pod in pods
            if pod.deletion_timestamp
            and pod.status.phase in TERMINAL
            and pod.uid not in working
            and pod.uid not in running
        ]


class Callers1_36(Callers):
    """1.36.0 to 1.36.2."""

    allocation: ClassVar[type[AllocationManager]] = AllocationManager1_36

    def skips(self, uid: str) -> bool:
        """Also a pod that was rejected gets its updates, and a worker."""
        return False
