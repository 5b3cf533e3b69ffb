"""What environment `containers` reports of a pod and writes to the API server.

Go: generateAPIPodStatus of pkg/kubelet/kubelet_pods.go, pkg/kubelet/status/status_manager.go. [A75]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.core_v1 import PodPhase, Started, StateOf
from podproof.model.fairness import API_SERVER, PATCHES, STATUS_MANAGER
from podproof.model.get_phase import GetPhase, ReportedContainer
from podproof.model.kubecontainer import RuntimeState, SandboxState
from podproof.model.kubelet import Housekeeping, Kubelet
from podproof.model.kuberuntime.records import KnownContainer
from podproof.model.language import NIL, Array, Size, action, require
from podproof.model.notes import go
from podproof.model.pod_layers import SIGKILL_EXIT_CODE, AppContainer, PodLayers
from podproof.model.state import Phase, Uid
from podproof.model.status.merge_pod_status import MergePhase


@dataclass
class ReportedPods(Kubelet):
    """The pod workers, the kubelet around them, and what the API server is told of each pod, in release 1.29."""

    layers: Annotated[Array[PodLayers], Size("uids")]

    # -- generateAPIPodStatus and SetPodStatus ----------------------------------------------------------------------

    @go("generateAPIPodStatus")
    @go("SetPodStatus")
    def report(self, uid: int, pod_is_terminal: bool) -> None:
        """Every caller of the one hands its answer to the other."""
        layers = self.layers[uid]
        status = layers.status
        for i in range(len(status.init_containers)):
            self.convert(layers.runtime.init_containers[i], status.init_containers[i])
        for i in range(len(status.containers)):
            self.convert(layers.runtime.containers[i], status.containers[i])
        status.pod_is_terminal = pod_is_terminal
        status.old_phase = status.reported
        status.api_phase = self.api_phase(uid)
        status.report_phase()
        if status.reported != status.old_phase:
            layers.has_reason = False
        # podCache keeps the address of a sandbox that is gone.
        layers.has_address = layers.runtime.sandboxes[0].state != SandboxState.NONE
        self.forget_arguments(status)

    def forget_arguments(self, status: GetPhase) -> None:
        """States do not differ by what only a function that is over has read."""
        status.pod_is_terminal = False
        status.old_phase = PodPhase.NONE
        status.api_phase = PodPhase.NONE

    @go("convertToAPIContainerStatuses", part="for one container")
    def convert(self, record: KnownContainer, status: ReportedContainer) -> None:
        """A container of which the runtime has no record stays terminated."""
        status.has_status = True
        status.started = Started.NIL
        if record.state == RuntimeState.RUNNING:
            status.state = StateOf.RUNNING
            status.exit_code = 0
            status.started = Started.YES
        elif record.state == RuntimeState.EXITED:
            status.state = StateOf.TERMINATED
            status.exit_code = record.exit_code
        elif status.state != StateOf.TERMINATED:
            if status.state == StateOf.RUNNING and status.last_exit_code == NIL:
                status.last_exit_code = SIGKILL_EXIT_CODE
            status.state = StateOf.WAITING

    def api_phase(self, uid: int) -> PodPhase:
        """The phase at the API server, of which only the terminal ones are kept. [A3]"""
        if self.config[uid].phase == Phase.SUCCEEDED:
            return PodPhase.SUCCEEDED
        if self.config[uid].phase == Phase.FAILED:
            return PodPhase.FAILED
        return PodPhase.NONE

    def has_terminal_status(self, uid: int) -> bool:
        return self.layers[uid].status.reported in (PodPhase.SUCCEEDED, PodPhase.FAILED)

    # -- the status manager and the API server -----------------------------------------------------------------------

    @action("status manager", "PATCH {uid}: phase {phase}", PATCHES)
    @go("syncPod", part="the patch")
    def handle_pod_reconcile(self, uid: Uid, phase: Phase) -> None:
        """The API server answers whenever it likes; the sync loop hears of it as a RECONCILE in the same step."""
        require(phase == self.merged_phase(uid) and self.layers[uid].patch == Phase.RUNNING)
        super().handle_pod_reconcile(uid, phase)

    def merged_phase(self, uid: int) -> Phase:
        """What mergePodStatus makes of the phase."""
        merge = MergePhase(
            old_phase=self.api_phase(uid),
            new_phase=self.layers[uid].status.reported,
            could_have_running_containers=self.could_have_running_containers(uid),
        )
        phase = merge.merged_phase()
        if phase == PodPhase.SUCCEEDED:
            return Phase.SUCCEEDED
        if phase == PodPhase.FAILED:
            return Phase.FAILED
        return Phase.RUNNING

    @action("status manager", "PATCH {uid}: phase {phase}, and the API server takes its time")
    @go("syncPod", part="the patch is sent")
    def send_patch(self, uid: Uid, phase: Phase) -> None:
        layers = self.layers[uid]
        require(layers.slow_patches > 0 and layers.patch == Phase.RUNNING and phase == self.merged_phase(uid))
        require(self.config[uid].exists and not self.config[uid].static and not layers.object_is_deleted)
        require(self.budget.phase_changes > 0 and self.config[uid].phase == Phase.RUNNING and phase != Phase.RUNNING)
        layers.slow_patches -= 1
        layers.patch = phase

    @action("API server", "writes phase {phase} of {uid}, which the kubelet sent", API_SERVER)
    def write_patch(self, uid: Uid, phase: Phase) -> None:
        """Also where the kubelet that sent it has restarted since."""
        require(self.layers[uid].patch == phase and phase != Phase.RUNNING and self.housekeeping == Housekeeping.IDLE)
        require(self.budget.phase_changes > 0)
        self.layers[uid].patch = Phase.RUNNING
        self.budget.phase_changes -= 1
        self.config[uid].phase = phase

    @action("API server", "fails to write what the kubelet sent of {uid}")
    def lose_patch(self, uid: Uid) -> None:
        """It is down, the object has changed, or the kubelet does not wait for the answer any longer."""
        require(self.layers[uid].patch != Phase.RUNNING)
        self.layers[uid].patch = Phase.RUNNING

    @action("status manager", "PATCH mirror pod of {uid}: it has ended")
    @go("syncPod", part="of a static pod")
    def write_mirror_pod(self, uid: Uid) -> None:
        require(self.config[uid].static and self.pod_manager[uid] and not self.layers[uid].mirror_pod_has_ended)
        require(self.has_terminal_status(uid) and self.writes_end_of_mirror_pod(uid))
        self.layers[uid].mirror_pod_has_ended = True

    @go("PodCouldHaveRunningContainers", part="of a mirror pod")
    def writes_end_of_mirror_pod(self, uid: int) -> bool:
        """The workers are asked for the mirror pod's own UID, which they know of no container."""
        return self.pods_synced

    @action("sync loop", "RECONCILE {uid}: it was evicted, and its dead containers are deleted")
    @go("HandlePodReconcile", part="deleteContainersInPod")
    def delete_dead_containers(self, uid: Uid) -> None:
        layers = self.layers[uid]
        require(self.housekeeping == Housekeeping.IDLE and self.pod_manager[uid])
        require(self.config[uid].phase == Phase.FAILED and layers.has_reason)
        for i in range(len(layers.stops)):
            if layers.runtime.containers[i].state == RuntimeState.EXITED:
                self.lose_record_of(layers.runtime.containers[i])

    @action("runtime", "the record of container {container} of {uid} is lost")
    def lose_record(self, uid: Uid, container: AppContainer) -> None:
        """To garbage collection, or to somebody who tidies up."""
        layers = self.layers[uid]
        require(layers.record_losses > 0 and layers.runtime.containers[container].state == RuntimeState.EXITED)
        layers.record_losses -= 1
        self.lose_record_of(layers.runtime.containers[container])

    def lose_record_of(self, container: KnownContainer) -> None:
        container.state = RuntimeState.NONE
        container.exit_code = 0

    @action("status manager", "DELETE {uid}, grace period 0", STATUS_MANAGER)
    @go("syncPod", part="the deletion")
    def delete_object(self, uid: Uid) -> None:
        require(self.config[uid].exists and not self.layers[uid].object_is_deleted)
        require(self.config[uid].deletion_timestamp and self.can_be_deleted(uid))
        self.layers[uid].object_is_deleted = True

    @go("canBeDeleted")
    def can_be_deleted(self, uid: int) -> bool:
        return self.config[uid].phase != Phase.RUNNING and self.layers[uid].pod_is_finished

    @action("sync loop", "REMOVE {uid}")
    def handle_pod_removes(self, uid: Uid) -> None:
        """A pod from the API server is removed when its object is gone, a static pod when its file is."""
        require(self.layers[uid].object_is_deleted or self.config[uid].static)
        super().handle_pod_removes(uid)
        self.layers[uid].object_is_deleted = False
        self.layers[uid].mirror_pod_has_ended = False
        self.layers[uid].patch = Phase.RUNNING
        self.forget_status(uid)

    def forget_status(self, uid: int) -> None:
        layers = self.layers[uid]
        layers.pod_is_finished = False
        layers.has_reason = False
        layers.has_address = False
        layers.status.reported = PodPhase.NONE
        for i in range(len(layers.init_stops)):
            self.forget_container_status(layers.status.init_containers[i])
        for i in range(len(layers.stops)):
            self.forget_container_status(layers.status.containers[i])

    def forget_container_status(self, status: ReportedContainer) -> None:
        status.has_status = False
        status.state = StateOf.NONE
        status.exit_code = 0
        status.last_exit_code = NIL
        status.started = Started.NIL
