"""Environment `kubelet` for kubelet 1.20: only the calls that the real callers make, under their guards.

Go: pkg/kubelet/kubelet.go (dispatchWork, the HandlePod… handlers, deletePod, syncPod), kubelet_pods.go
(HandlePodCleanups, podIsTerminated, podKiller) and pod_workers.go (killPodNow) of release 1.19; that 1.20 has no others
is [R]. The sync loop is one goroutine, so its steps exclude each other; workers, killers and the podKiller interleave
with it. Numbers such as [A44] refer to ABSTRACTIONS.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.kubelet_1_20.node import Answer, Node, PodStatus
from podproof.kubelet_1_20.pod_workers import Outcome
from podproof.kubelet_1_20.state import KillPodOptions, UpdatePodOptions
from podproof.model.fairness import (
    HOUSEKEEPING,
    SOURCES,
    STATUS_MANAGER,
    SYNC_CALLS_RETURN,
    TEARDOWN,
    WORK_QUEUE,
    delivers,
    succeeds,
)
from podproof.model.kubelet import Admission, Budget, DeletionSeconds, KillCallers, Killer
from podproof.model.language import CONSTANT, NIL, Array, Domain, Size, action, clear, require
from podproof.model.notes import PHASE, QUIET, go
from podproof.model.state import OptionalSeconds, Phase, Pod, Uid, UpdateType


@dataclass
class ConfiguredPod:
    """A pod as its config source has it now (API server or file)."""

    exists: bool
    status: PodStatus
    """As the status manager last wrote it; a file says nothing of it."""
    deletion_timestamp: bool
    deletion_grace_period_seconds: OptionalSeconds
    static: Annotated[bool, CONSTANT]
    termination_grace_period_seconds: Annotated[int, Domain("optional_spec_seconds"), CONSTANT]


@dataclass
class Kubelet(KillCallers, Node):
    """The pod workers with the kubelet around them. [A44]"""

    config: Annotated[Array[ConfiguredPod], Size("uids"), QUIET]
    pod_manager: Annotated[Array[bool], Size("uids"), PHASE]
    """Does the pod manager have the pod?"""
    ended: Annotated[Array[Phase], Size("uids")]
    """The phase that the pod has come to by itself: its containers are not restarted, or its deadline is over."""
    being_killed: Annotated[Array[bool], Size("uids")]
    """Is the podKiller at work on the pod?"""
    listed_as_active: Annotated[Array[bool], Size("uids"), QUIET]
    """Since the kubelet started, could an eviction, preemption or shutdown manager have listed the pod as active?"""
    sources_ready: bool
    budget: Annotated[Budget, QUIET]

    # -- config events: the sync loop -------------------------------------------------------------------------------
    def is_configured(self, uid: int) -> bool:
        """Has the source the pod already, so that it delivers it after a restart of the kubelet?"""
        return self.config[uid].exists

    @action("sync loop", "ADD {uid}: {admission}", delivers(is_configured, Admission.ADMITTED))
    @go("HandlePodAdditions")
    def handle_pod_additions(self, uid: Uid, admission: Admission) -> None:
        """After a restart the pods that exist are added again; that costs no budget."""
        require(not self.pod_manager[uid] and (self.config[uid].exists or self.budget.adds[uid] > 0))
        admitted = admission == Admission.ADMITTED
        require(admitted or (self.budget.rejections > 0 and not self.pod_is_terminated(uid)))
        if not self.config[uid].exists:
            self.budget.adds[uid] -= 1
            self.config[uid].exists = True
            self.ended[uid] = Phase.RUNNING
            for request in range(len(self.kill_requests)):
                if self.kill_requests[request].uid == uid:
                    self.kill_requests[request].uid = NIL
        self.pod_manager[uid] = True
        if admitted:
            if self.is_desired(uid):
                self.listed_as_active[uid] = True
            self.dispatch_work(uid, UpdateType.CREATE)
        else:
            self.budget.rejections -= 1
            self.set_pod_status(uid, Phase.FAILED, False)

    @action("sync loop", "DELETE {uid}: grace period {grace}")
    @go("HandlePodUpdates")
    def handle_pod_deletion(self, uid: Uid, grace: DeletionSeconds) -> None:
        """A graceful deletion, or a second one with a shorter period. Static pods come from files: they have none.

        Before the kubelet has the pod, only the API object changes.
        """
        pod = self.config[uid]
        require(pod.exists and not pod.static and self.budget.deletions > 0)
        before = pod.deletion_grace_period_seconds
        require(not pod.deletion_timestamp or before == NIL or grace < before)
        self.budget.deletions -= 1
        pod.deletion_timestamp = True
        pod.deletion_grace_period_seconds = grace
        if self.pod_manager[uid]:
            self.dispatch_work(uid, UpdateType.UPDATE)

    @action("sync loop", "RECONCILE {uid}: the API server has its status", STATUS_MANAGER)
    @go("HandlePodReconcile")
    def handle_pod_reconcile(self, uid: Uid) -> None:
        """The status manager's syncPod, then HandlePodReconcile. A static pod's status goes to its mirror pod."""
        pod = self.config[uid]
        status = self.statuses[uid]
        require(pod.exists and not pod.static and self.pod_manager[uid])
        require(pod.status.phase != status.phase or pod.status.running != status.running)
        pod.status.phase = status.phase
        pod.status.running = status.running

    @action("sync loop", "REMOVE {uid}")
    @go("HandlePodRemoves")
    @go("deletePod")
    def handle_pod_removes(self, uid: Uid) -> None:
        """deletePod gives up while a source is not ready.

        The worker is forgotten, not asked to stop the pod. What runs is the podKiller's; what will run yet, nobody's.
        """
        require(self.config[uid].exists and self.budget.removes[uid] > 0)
        self.budget.removes[uid] -= 1
        if self.pod_manager[uid] and self.sources_ready:
            self.forget_worker(uid)
            if self.containers[uid]:
                self.being_killed[uid] = True
        self.pod_manager[uid] = False
        clear(self.config[uid].status)
        self.config[uid].exists = False
        self.config[uid].deletion_timestamp = False
        self.config[uid].deletion_grace_period_seconds = NIL

    @action("sync loop", "all sources ready", SOURCES)
    def sources_become_ready(self) -> None:
        """After a restart: every source has delivered the pods it has."""
        require(not self.sources_ready)
        for uid in range(len(self.config)):
            require(self.pod_manager[uid] or not self.config[uid].exists)
        self.sources_ready = True

    @action("sync loop", "SYNC {uid}: its work queue entry is due", WORK_QUEUE)
    @go("getPodsToSync")
    @go("HandlePodSyncs")
    def sync_tick(self, uid: Uid) -> None:
        """An entry of a pod that the pod manager lacks is lost."""
        require(self.work_queue[uid])
        self.work_queue[uid] = False
        if self.pod_manager[uid]:
            self.dispatch_work(uid, UpdateType.SYNC)

    @action("sync loop", "SYNC {uid}: PLEG or probe event")
    def pod_event(self, uid: Uid) -> None:
        require(self.pod_manager[uid])
        self.dispatch_work(uid, UpdateType.SYNC)

    @go("dispatchWork")
    def dispatch_work(self, uid: int, update_type: UpdateType) -> None:
        """Hand the pod to its worker, unless it counts as terminated."""
        if self.config[uid].deletion_timestamp and not self.statuses[uid].running:
            # TerminatePod finds no container to mark as terminated. That a syncPod may be under way is not asked.
            return
        if self.pod_is_terminated(uid):
            return
        self.update_pod(uid, UpdatePodOptions(present=True, update_type=update_type, pod=self.pod(uid)))

    @go("podIsTerminated")
    def pod_is_terminated(self, uid: int) -> bool:
        """By its status: has the pod ended, or is it being deleted with no container running?"""
        status = self.statuses[uid]
        if status.phase in (Phase.FAILED, Phase.SUCCEEDED):
            return True
        return self.config[uid].deletion_timestamp and not status.running

    def pod(self, uid: int) -> Pod:
        """The pod object as the pod manager has it."""
        pod = self.config[uid]
        return Pod(
            present=True,
            phase=pod.status.phase,
            deletion_timestamp=pod.deletion_timestamp,
            deletion_grace_period_seconds=pod.deletion_grace_period_seconds,
            termination_grace_period_seconds=pod.termination_grace_period_seconds,
            static=pod.static,
        )

    # -- what a pod comes to by itself ------------------------------------------------------------------------------
    @go("generateAPIPodStatus")
    @go("getPhase")
    def generate_api_pod_status(self, uid: int, generation: int) -> Phase:
        """What the status manager had is not asked, so an end that is not yet in the API may be taken back."""
        worker = self.workers[uid][generation]
        api_phase = worker.update.pod.phase
        if self.ended[uid] == Phase.FAILED or api_phase == Phase.FAILED:
            return Phase.FAILED
        if api_phase == Phase.SUCCEEDED or (self.ended[uid] == Phase.SUCCEEDED and not worker.running):
            return Phase.SUCCEEDED
        return Phase.RUNNING

    def may_start(self, uid: int) -> bool:
        return self.ended[uid] == Phase.RUNNING

    @action("runtime", "{uid} ends: {phase}")
    def pod_ends(self, uid: Uid, phase: Phase) -> None:
        """Its containers have exited and are not restarted; or it has failed, and some of them still run."""
        require(self.budget.phase_changes > 0 and phase != Phase.RUNNING)
        require(self.containers[uid] and self.ended[uid] == Phase.RUNNING)
        self.budget.phase_changes -= 1
        self.ended[uid] = phase
        if phase == Phase.SUCCEEDED:
            self.containers[uid] = False

    # -- housekeeping, the podKiller and the loops that take resources down -----------------------------------------
    @action("housekeeping", "HandlePodCleanups", HOUSEKEEPING)
    @go("HandlePodCleanups")
    def handle_pod_cleanups(self) -> None:
        """Forget the workers of pods that are not active, and have what runs of them killed. [A45]"""
        require(self.sources_ready)
        self.forget_non_existing_pod_workers()
        for uid in range(len(self.pod_manager)):
            if self.containers[uid] and not self.is_desired(uid):
                self.being_killed[uid] = True
            if not self.pod_manager[uid]:
                self.forget_status(uid)

    @go("filterOutTerminatedPods")
    def is_desired(self, uid: int) -> bool:
        """Is the pod active?"""
        return self.pod_manager[uid] and not self.pod_is_terminated(uid)

    @go("removeOrphanedPodStatuses")
    def forget_status(self, uid: int) -> None:
        """What the status manager does not know, the API server says."""
        self.statuses[uid].phase = self.config[uid].status.phase
        self.statuses[uid].running = self.config[uid].status.running

    @action("podKiller", "podKiller: killPod({uid}) returns {outcome}", SYNC_CALLS_RETURN, succeeds(Outcome.OK))
    @go("podKiller")
    def pod_killer_returns(self, uid: Uid, outcome: Outcome) -> None:
        """An error is only logged; housekeeping tries again. [A46]"""
        require(self.being_killed[uid] and outcome != Outcome.NETWORK_NOT_READY)
        self.being_killed[uid] = False
        if outcome == Outcome.OK:
            self.containers[uid] = False

    @action("teardown", "volumes, directories and cgroup of {uid} are removed", TEARDOWN)
    @go("cleanupOrphanedPodCgroups")
    @go("cleanupOrphanedPodDirs")
    def tear_down(self, uid: Uid) -> None:
        """Of a pod that is not active and of which nothing runs: the worker is not asked, it could not tell. [A47]

        The volume manager's part is [R].
        """
        require(self.sources_ready and self.resources[uid])
        require(not self.is_desired(uid) and not self.containers[uid])
        self.resources[uid] = False

    # -- killers: goroutines of their own ---------------------------------------------------------------------------
    @action("killer", "killPodNow({uid}): {killer}")
    @go("killPodNow")
    def kill_pod_now(self, uid: Uid, killer: Killer) -> None:
        """The eviction and shutdown managers listed the pod while it was active, maybe long ago.

        That node shutdown, which 1.20 brought, calls it as it does later, and soft eviction's period, are [R].
        """
        require(self.budget.kills > 0 and self.listed_as_active[uid])
        require(killer == Killer.NODE_SHUTDOWN or not self.config[uid].static)
        require(killer == Killer.SOFT_EVICTION or not self.only_soft_evictions)
        require(killer != Killer.PREEMPTION or self.is_desired(uid))
        request = len(self.kill_requests) - self.budget.kills
        self.budget.kills -= 1
        self.ask(request, uid)
        kill = KillPodOptions(
            present=True, pod_status_func=request, grace_period_seconds_override=self.override_of(killer)
        )
        options = UpdatePodOptions(
            present=True,
            update_type=UpdateType.KILL,
            pod=self.pod(uid),
            kill_pod_options=kill,
            on_complete_func=request,
        )
        self.update_pod(uid, options)

    # -- the kubelet process ----------------------------------------------------------------------------------------
    @action("kubelet", "kubelet restarts")
    def restart(self) -> None:
        """Everything in memory is lost; containers, resources and config sources stay."""
        require(self.budget.restarts > 0)
        self.budget.restarts -= 1
        self.sources_ready = False
        for uid in range(len(self.pod_manager)):
            self.forget_pod(uid)
        for request in range(len(self.kill_requests)):
            self.kill_requests[request].uid = NIL
            self.kill_requests[request].answer = Answer.NONE

    def forget_pod(self, uid: int) -> None:
        for generation in range(len(self.workers[uid])):
            clear(self.workers[uid][generation])
        self.pod_updates[uid] = NIL
        self.is_working[uid] = False
        clear(self.last_undelivered_work_update[uid])
        self.work_queue[uid] = False
        # The sync loop waits for PLEG's first relist before it takes config events ("pleg has yet to be successful").
        self.relist(uid)
        self.pod_manager[uid] = False
        self.forget_status(uid)
        self.being_killed[uid] = False
        self.listed_as_active[uid] = False
