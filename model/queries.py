"""What the rest of the kubelet may ask the pod workers. Each query is one critical section and changes nothing.

Go: pkg/kubelet/pod_workers.go, the PodWorkers interface.
"""

from __future__ import annotations

from podproof.model.language import NIL
from podproof.model.notes import go
from podproof.model.state import PodWorkersState


class Queries(PodWorkersState):
    """The queries of the PodWorkers interface."""

    @go("IsPodKnownTerminated")
    def is_pod_known_terminated(self, uid: int) -> bool:
        status = self.pod_sync_statuses[uid]
        if status.present:
            return status.is_terminated()
        # A pod that is not known may still have been terminated: only for pods in the desired set is this an answer.
        return False

    @go("CouldHaveRunningContainers")
    def could_have_running_containers(self, uid: int) -> bool:
        status = self.pod_sync_statuses[uid]
        if status.present:
            return not status.is_terminated()
        # Once all pods were handed over, an unknown one is known not to run.
        return not self.pods_synced

    @go("ShouldPodBeFinished")
    def should_pod_be_finished(self, uid: int) -> bool:
        status = self.pod_sync_statuses[uid]
        if status.present:
            return status.is_finished()
        return self.pods_synced

    @go("IsPodTerminationRequested")
    def is_pod_termination_requested(self, uid: int) -> bool:
        status = self.pod_sync_statuses[uid]
        if status.present:
            return status.is_termination_requested()
        return False

    @go("ShouldPodContainersBeTerminating")
    def should_pod_containers_be_terminating(self, uid: int) -> bool:
        status = self.pod_sync_statuses[uid]
        if status.present:
            return status.is_termination_started()
        return self.pods_synced

    @go("ShouldPodRuntimeBeRemoved")
    def should_pod_runtime_be_removed(self, uid: int) -> bool:
        status = self.pod_sync_statuses[uid]
        if status.present:
            return status.is_terminated()
        return self.pods_synced

    @go("ShouldPodContentBeRemoved")
    def should_pod_content_be_removed(self, uid: int) -> bool:
        status = self.pod_sync_statuses[uid]
        if status.present:
            return status.evicted or (status.deleted and status.is_terminated())
        return self.pods_synced

    @go("IsPodForMirrorPodTerminatingByFullName")
    def is_pod_for_mirror_pod_terminating_by_full_name(self, full_name: int) -> bool:
        uid = self.started_static_pods[full_name]
        if uid == NIL:
            return False
        status = self.pod_sync_statuses[uid]
        if not status.present:
            return False
        return status.is_termination_requested() and not status.is_terminated()
