"""Environment `sync loop`: the callers of environment `kubelet`, with admission, allocations and mirror pods.

Go: pkg/kubelet/kubelet.go, kubelet_pods.go and allocation/allocation_manager.go in release 1.36.3. `callers.py` says
the same without bounds, and is compared with recordings; a test compares the two, step by step. [A79]
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.fairness import HOUSEKEEPING, RELISTS, SOURCES, STEPS_SUCCEED, delivers
from podproof.model.kubelet import Admission, Count, Housekeeping, Kubelet
from podproof.model.language import CONSTANT, OF_STEP, Array, Size, action, copy, require
from podproof.model.node import Generation
from podproof.model.notes import QUIET, Go, go
from podproof.model.state import Cached, Phase, Position, Revision, Uid, UpdatePodOptions, UpdateType

AS_MADE, DELETED = 1, 2
"""The revisions of a mirror pod: as the kubelet has made it, and being deleted; 0 is none."""


@dataclass
class MirrorPodObjects:
    """What stands for a static pod in the API."""

    revision: Revision
    """That of the API server's object."""
    managed: Annotated[Revision, Go("mirrorPodByUID")]
    """That of the pod manager's, which may be an older object."""


@dataclass
class SyncLoop(Kubelet):
    """The pod workers and who calls them, in release 1.36.3. Each pod asks for as much of the node as any other."""

    room: Annotated[Count, CONSTANT]
    """For how many pods the node has room."""
    idle: Annotated[Array[bool], Size("uids"), CONSTANT]
    """Does the pod's worker never come to run?"""
    calls: Annotated[Array[UpdatePodOptions], Size("uids"), OF_STEP, QUIET]
    """The call of UpdatePod about a pod in this step, as the caller made it. Who that is the action says."""
    allocated: Annotated[Array[bool], Size("uids"), Go("HasPodAllocatedResources")]
    checkpoint: Annotated[Array[bool], Size("uids"), QUIET]
    """What a kubelet that restarts will find allocated."""
    mirror_pods: Annotated[Array[MirrorPodObjects], Size("uids")]
    mirror_deletions: Annotated[Count, QUIET]
    """How many mirror pods may still be deleted by somebody else than the kubelet."""
    relists_late: Annotated[bool, CONSTANT]
    """Does the sync loop take events while PLEG's first relist still fills the cache?"""
    awaits_relist: Annotated[Array[bool], Size("uids"), QUIET]
    """Has PLEG's first relist not yet come to the pod?"""

    def update_pod(self, uid: int, options: UpdatePodOptions) -> None:
        self.calls[uid] = copy(options)
        super().update_pod(uid, options)

    def may_have_called(self, uid: int) -> bool:
        return self.calls[uid].present

    def call(self, uid: int, update_type: UpdateType) -> None:
        """With the pod manager's mirror pod, but where a pod is to be killed."""
        mirror_pod = 0
        if update_type != UpdateType.KILL:
            mirror_pod = self.mirror_pods[uid].managed
        self.call_with_mirror_pod(uid, update_type, mirror_pod)

    def call_with_mirror_pod(self, uid: int, update_type: UpdateType, mirror_pod: int) -> None:
        options = UpdatePodOptions(present=True, update_type=update_type, pod=self.pod(uid), mirror_pod=mirror_pod)
        self.update_pod(uid, options)

    # -- admission and the allocation manager -----------------------------------------------------------------------

    @action("sync loop", "ADD {uid}: {admission}", delivers(Kubelet.is_configured, Admission.ADMITTED))
    @go("HandlePodAdditions")
    def handle_pod_additions(self, uid: Uid, admission: Admission) -> None:
        pod, admitted = self.config[uid], admission == Admission.ADMITTED
        require(self.housekeeping == Housekeeping.IDLE and not self.pod_manager[uid])
        require(pod.exists or self.budget.adds[uid] > 0)
        require(self.can_be_answered(uid, admitted))
        if not pod.exists:
            self.budget.adds[uid] -= 1
            pod.exists = True
        self.add_pod(uid, admitted)
        if self.is_active(uid):
            self.listed_as_active[uid] = True

    def add_pod(self, uid: int, admitted: bool) -> None:
        """What HandlePodAdditions does with a pod, of which the admission handlers would say this."""
        self.pod_manager[uid] = True
        if self.can_be_rejected(uid):
            if not self.admits(uid, admitted):
                self.reject_pod(uid)
                return
        self.call(uid, UpdateType.CREATE)

    @go("rejectPod")
    def reject_pod(self, uid: int) -> None:
        """The checkpoint keeps what the pod had allocated. [A79]"""
        self.rejected[uid] = True

    @go("AddPod")
    def admits(self, uid: int, admitted: bool) -> bool:
        """The allocation manager's, as its admission handlers answer. Who is not asked about gets nothing."""
        if admitted:
            self.allocate(uid)
        else:
            self.note_rejection(uid)
        return admitted

    def can_be_answered(self, uid: int, admitted: bool) -> bool:
        """Where there is room, another admission handler may refuse."""
        if not self.can_be_rejected(uid):
            return admitted
        if self.has_room(uid):
            return super().can_be_answered(uid, admitted)
        return not admitted

    def note_rejection(self, uid: int) -> None:
        if self.has_room(uid):
            super().note_rejection(uid)

    @go("canAdmitPod")
    def has_room(self, uid: int) -> bool:
        others = 0
        for other in range(len(self.pod_manager)):
            if other != uid and self.pod_manager[other] and self.is_active(other) and self.counts(other):
                others += 1
        return others < self.room

    @go("getAllocatedPods", part="for one pod")
    def counts(self, uid: int) -> bool:
        """Does the active pod take up room? Without an allocation it does not. kubernetes/kubernetes#139522"""
        return self.allocated[uid]

    def allocate(self, uid: int) -> None:
        """All that is allocated is written to the checkpoint."""
        self.allocated[uid] = True
        for pod in range(len(self.checkpoint)):
            self.checkpoint[pod] = self.allocated[pod]

    def skips_updates_of(self, uid: int) -> bool:
        """kubernetes/kubernetes#139522"""
        return not self.allocated[uid]

    @action("sync loop", "RECONCILE {uid}: phase {phase}")
    @go("HandlePodReconcile")
    def handle_pod_reconcile(self, uid: Uid, phase: Phase) -> None:
        super().handle_pod_reconcile(uid, phase)
        if self.pod_manager[uid]:
            self.reconcile_pod(uid)

    def reconcile_pod(self, uid: int) -> None:
        """What HandlePodReconcile does: without readiness gates it calls nobody."""
        return

    def remove_pod(self, uid: int) -> None:
        """The checkpoint keeps the allocation until another is made."""
        super().remove_pod(uid)
        self.allocated[uid] = False

    @action("housekeeping", "SyncKnownPods", HOUSEKEEPING)
    @go("HandlePodCleanups", part="up to SyncKnownPods")
    def housekeeping_sync_known_pods(self) -> None:
        """Where it is the whole pass, orphaned allocations are gone with it."""
        super().housekeeping_sync_known_pods()
        if self.housekeeping == Housekeeping.IDLE:
            self.remove_orphaned_pods()

    def finish_housekeeping(self) -> None:
        super().finish_housekeeping()
        self.remove_orphaned_pods()

    @go("RemoveOrphanedPods")
    def remove_orphaned_pods(self) -> None:
        """The allocation manager's: what the runtime's list has to succeed for."""
        for uid in range(len(self.allocated)):
            if not self.pod_manager[uid]:
                self.allocated[uid] = False

    # -- mirror pods -------------------------------------------------------------------------------------------------

    @action("worker", "SyncPod({uid}) makes the mirror pod anew", STEPS_SUCCEED)
    @go("tryReconcileMirrorPods")
    def reconcile_mirror_pod(self, uid: Uid, generation: Generation) -> None:
        """It goes by the mirror pod that the worker was told of; that one is deleted by its UID."""
        worker, mirror_pod = self.workers[uid][generation], self.mirror_pods[uid]
        require(worker.position == Position.SYNC_POD and self.config[uid].static)
        require(worker.mirror_pod == mirror_pod.revision and mirror_pod.revision != AS_MADE)
        mirror_pod.revision = AS_MADE

    @action("sync loop", "ADD of the mirror pod of {uid}", SOURCES)
    @go("HandlePodAdditions", part="for a mirror pod")
    def add_mirror_pod(self, uid: Uid) -> None:
        mirror_pod = self.mirror_pods[uid]
        require(self.housekeeping == Housekeeping.IDLE and mirror_pod.revision != 0 and mirror_pod.managed == 0)
        self.handle_mirror_pod_additions(uid)

    def handle_mirror_pod_additions(self, uid: int) -> None:
        """What HandlePodAdditions does with a mirror pod. Nobody asks whether its static pod was admitted."""
        self.mirror_pods[uid].managed = self.mirror_pods[uid].revision
        if self.pod_manager[uid]:
            self.call(uid, UpdateType.UPDATE)

    @action("sync loop", "DELETE of the mirror pod of {uid}")
    @go("HandlePodUpdates", part="for a mirror pod")
    def delete_mirror_pod(self, uid: Uid) -> None:
        """Somebody deletes it; it stays until the kubelet lets it go. Before the kubelet has it, only it changes."""
        mirror_pod = self.mirror_pods[uid]
        require(self.housekeeping == Housekeeping.IDLE and self.mirror_deletions > 0)
        require(mirror_pod.revision == AS_MADE and mirror_pod.managed != DELETED)
        self.mirror_deletions -= 1
        mirror_pod.revision = DELETED
        if mirror_pod.managed != 0:
            self.handle_mirror_pod_updates(uid)

    def handle_mirror_pod_updates(self, uid: int) -> None:
        """What HandlePodUpdates does with a mirror pod."""
        self.mirror_pods[uid].managed = self.mirror_pods[uid].revision
        if self.pod_manager[uid] and not self.skips_updates_of_mirror_pod(uid):
            self.call(uid, UpdateType.UPDATE)

    def skips_updates_of_mirror_pod(self, uid: int) -> bool:
        """It is the mirror pod's UID that is asked for, and has no allocation. kubernetes/kubernetes#139522"""
        return True

    @action("sync loop", "REMOVE of the mirror pod of {uid}", SOURCES)
    @go("HandlePodRemoves", part="for a mirror pod")
    def remove_mirror_pod(self, uid: Uid) -> None:
        mirror_pod = self.mirror_pods[uid]
        gone = mirror_pod.managed
        require(self.housekeeping == Housekeeping.IDLE and gone != 0)
        require(mirror_pod.revision == 0 or (gone == DELETED and mirror_pod.revision == AS_MADE))
        self.handle_mirror_pod_removes(uid)

    def handle_mirror_pod_removes(self, uid: int) -> None:
        """What HandlePodRemoves does with a mirror pod: its static pod's worker is told of the object that is gone."""
        gone = self.mirror_pods[uid].managed
        self.mirror_pods[uid].managed = 0
        if self.pod_manager[uid]:
            self.call_with_mirror_pod(uid, UpdateType.UPDATE, gone)

    @action(
        "housekeeping", "housekeeping: the mirror pod of {uid}, which is gone from its source, is deleted", HOUSEKEEPING
    )
    @go("HandlePodCleanups", part="orphaned mirror pods")
    def delete_orphaned_mirror_pod(self, uid: Uid) -> None:
        """SyncKnownPods has told the workers of the same pass that their pods are gone."""
        mirror_pod, status = self.mirror_pods[uid], self.pod_sync_statuses[uid]
        require(self.housekeeping == Housekeeping.IDLE and self.sources_ready and not self.pod_manager[uid])
        require(mirror_pod.managed != 0 and mirror_pod.revision != 0)
        require(not status.present or status.is_termination_requested())
        require(not self.is_pod_for_mirror_pod_terminating_by_full_name(self.full_names[uid]))
        mirror_pod.revision = 0

    @action("sync loop", "all sources ready", SOURCES)
    def sources_become_ready(self) -> None:
        """The API server has delivered the mirror pods, too."""
        for uid in range(len(self.mirror_pods)):
            require(self.mirror_pods[uid].revision == 0 or self.mirror_pods[uid].managed != 0)
        super().sources_become_ready()

    # -- the kubelet process -----------------------------------------------------------------------------------------

    def forget_pod(self, uid: int) -> None:
        """What was removed before may be allocated again. A cache that PLEG has yet to fill has nothing of the pod."""
        super().forget_pod(uid)
        self.allocated[uid] = self.checkpoint[uid]
        self.mirror_pods[uid].managed = 0
        if self.relists_late:
            self.pod_cache[uid] = Cached.NOTHING_RUNNING
            self.awaits_relist[uid] = True

    # -- the workers ---------------------------------------------------------------------------------------------------

    def start_pod_sync(self, uid: int, generation: int) -> None:
        """Any step may take as long as it likes [A27]; here one never comes."""
        require(not self.idle[uid])
        super().start_pod_sync(uid, generation)

    # -- PLEG's first relist -----------------------------------------------------------------------------------------

    @action("PLEG", "PLEG relists {uid}", RELISTS)
    def pleg_relist(self, uid: Uid) -> None:
        require(self.awaits_relist[uid] or (self.pod_cache[uid] == Cached.RUNNING) != self.containers[uid])
        self.relist(uid)

    def relist(self, uid: int) -> None:
        super().relist(uid)
        self.awaits_relist[uid] = False

    def get_newer_than(self, uid: int, generation: int, fails: bool) -> None:
        """A worker that has not synced yet waits for it as well."""
        require(not self.awaits_relist[uid])
        super().get_newer_than(uid, generation, fails)


class SyncLoop1_36(SyncLoop):
    """In 1.36.0 to 1.36.2 nobody asks for an allocation. What follows was mended, or made, by kubernetes#139522."""

    def counts(self, uid: int) -> bool:
        return True

    def skips_updates_of(self, uid: int) -> bool:
        """Also a pod that was rejected gets its updates, and a worker."""
        return False

    def skips_updates_of_mirror_pod(self, uid: int) -> bool:
        return False
