"""The allocation manager: which pods were admitted, with how much CPU, and which of them wait for a resize.

Go: pkg/kubelet/allocation/allocation_manager.go in release 1.36.3. Of resources it has CPU. All pods have one priority
and one QoS class. [A78]
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from enum import Enum

from podproof.model.core_v1 import ApiPod
from podproof.model.notes import go


class Operation(Enum):
    """What a pod is to be admitted for. Go: lifecycle.Operation."""

    ADD = "add"
    RESIZE = "resize"


Admit = Callable[[ApiPod, list[ApiPod], Operation], str]
"""Admission handlers: why a pod is refused beside these others, with what is allocated to them; empty if it is not."""


@dataclass
class AllocationManager:
    """manager. `checkpoint` is what a restarted kubelet reads."""

    admit: Admit
    get_active_pods: Callable[[], list[ApiPod]]
    get_pod_by_uid: Callable[[str], ApiPod | None]
    all_ready: Callable[[], bool]
    allocated: dict[str, int] = field(default_factory=dict)
    """UID -> CPU."""
    checkpoint: dict[str, int] = field(default_factory=dict)
    pods_with_pending_resizes: list[str] = field(default_factory=list)
    pending_conditions: dict[str, tuple[str, int]] = field(default_factory=dict)
    """PodResizePending in the status manager: UID -> its reason, Deferred or Infeasible, and since when."""
    now: int = 0

    @go("HasPodAllocatedResources")
    def has_pod_allocated_resources(self, uid: str) -> bool:
        return uid in self.allocated

    @go("UpdatePodFromAllocation")
    def is_updated_from_allocation(self, pod: ApiPod) -> bool:
        """Is something else allocated than the pod asks for?"""
        return self.allocated_cpu(pod) != pod.cpu

    def allocated_cpu(self, pod: ApiPod) -> int:
        return self.allocated.get(pod.uid, pod.cpu)

    @go("SetAllocatedResources")
    def set_allocated_resources(self, uid: str, cpu: int) -> None:
        self.allocated[uid] = cpu
        self.checkpoint = dict(self.allocated)

    @go("AddPod")
    def add_pod(self, active_pods: list[ApiPod], pod: ApiPod) -> str:
        """Why the pod is not admitted; empty if it is. What was allocated before a restart wins over the spec."""
        refusal = self.can_admit_pod(active_pods, pod, self.allocated_cpu(pod), Operation.ADD)
        if not refusal:
            self.set_allocated_resources(pod.uid, self.allocated_cpu(pod))
        return refusal

    @go("RemovePod")
    def remove_pod(self, uid: str) -> None:
        """The checkpoint keeps it until something else is allocated."""
        self.allocated.pop(uid, None)

    @go("RemoveOrphanedPods")
    def remove_orphaned_pods(self, remaining: Collection[str]) -> None:
        self.allocated = {uid: cpu for uid, cpu in self.allocated.items() if uid in remaining}

    @go("canAdmitPod")
    def can_admit_pod(self, active_pods: list[ApiPod], pod: ApiPod, cpu: int, operation: Operation) -> str:
        others = [other for other in self.get_allocated_pods(active_pods) if other.uid != pod.uid]
        return self.admit(with_cpu(pod, cpu), others, operation)

    @go("getAllocatedPods")
    def get_allocated_pods(self, active_pods: list[ApiPod]) -> list[ApiPod]:
        """Pods without an allocation do not count. kubernetes/kubernetes#139522"""
        return [with_cpu(pod, self.allocated[pod.uid]) for pod in active_pods if pod.uid in self.allocated]

    # -- resizes ---------------------------------------------------------------------------------------------------

    @go("PushPendingResize")
    def push_pending_resize(self, uid: str) -> None:
        if uid not in self.pods_with_pending_resizes:
            self.pods_with_pending_resizes.append(uid)
            self.sort_pending_resizes()

    @go("sortPendingResizes")
    def sort_pending_resizes(self) -> None:
        """As slices.SortFunc sorts up to a dozen: by insertion, since the comparison is no order."""
        pods = [pod for uid in self.pods_with_pending_resizes if (pod := self.get_pod_by_uid(uid)) is not None]
        for end in range(1, len(pods)):
            i = end
            while i > 0 and self.is_resized_before(pods[i], pods[i - 1]):
                pods[i], pods[i - 1] = pods[i - 1], pods[i]
                i -= 1
        self.pods_with_pending_resizes = [pod.uid for pod in pods]

    def is_resized_before(self, first: ApiPod, second: ApiPod) -> bool:
        if not self.is_resize_increasing_requests(first):
            return True
        if not self.is_resize_increasing_requests(second):
            return False
        if first.uid not in self.pending_conditions:
            return False
        if second.uid not in self.pending_conditions:
            return True
        return self.pending_conditions[first.uid][1] < self.pending_conditions[second.uid][1]

    @go("isResizeIncreasingRequests")
    def is_resize_increasing_requests(self, pod: ApiPod) -> bool:
        return pod.cpu > self.allocated_cpu(pod)

    @go("retryPendingResizes")
    def retry_pending_resizes(self, trigger_pod_sync: Callable[[ApiPod], None]) -> None:
        if not self.all_ready():
            return
        still_pending: list[str] = []
        for uid in self.pods_with_pending_resizes:
            pod = self.get_pod_by_uid(uid)
            if pod is None:
                continue
            before = self.pending_conditions.get(uid)
            is_allocated = self.handle_pod_resources_resize(pod)
            after = self.pending_conditions.get(uid)
            if after is not None and after[0] == "Deferred":
                still_pending.append(uid)
            if is_allocated or before != after:
                trigger_pod_sync(pod)
        self.pods_with_pending_resizes = still_pending

    @go("handlePodResourcesResize")
    def handle_pod_resources_resize(self, pod: ApiPod) -> bool:
        """Is something else allocated now?"""
        if not self.is_updated_from_allocation(pod):
            self.clear_pod_resize_pending_condition(pod.uid)
            return False
        refusal = self.can_admit_pod(self.get_active_pods(), pod, pod.cpu, Operation.RESIZE)
        if not refusal:
            self.set_allocated_resources(pod.uid, pod.cpu)
            self.clear_pod_resize_pending_condition(pod.uid)
            return True
        before = self.pending_conditions.get(pod.uid)
        if before is None or before[0] != refusal:
            self.pending_conditions[pod.uid] = (refusal, self.now)
        return False

    @go("ClearPodResizePendingCondition")
    def clear_pod_resize_pending_condition(self, uid: str) -> None:
        self.pending_conditions.pop(uid, None)


class AllocationManager1_36(AllocationManager):
    """1.36.0 to 1.36.2."""

    def get_allocated_pods(self, active_pods: list[ApiPod]) -> list[ApiPod]:
        """Pods without an allocation count with what they ask for."""
        return [with_cpu(pod, self.allocated_cpu(pod)) for pod in active_pods]


def with_cpu(pod: ApiPod, cpu: int) -> ApiPod:
    return pod if pod.cpu == cpu else replace(pod, cpu=cpu)
