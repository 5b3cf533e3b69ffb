"""Environment `kubelet`: only the calls that the real callers make, under their guards.

Go: pkg/kubelet/kubelet.go (the HandlePod… handlers, deletePod, rejectPod), kubelet_pods.go (HandlePodCleanups,
filterOutInactivePods) and pod_workers.go (killPodNow), in release 1.29. The sync loop is one goroutine, so its steps
exclude each other; workers and killers interleave with it.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from podproof.model.fairness import GOROUTINES, HOUSEKEEPING, SOURCES, WORK_QUEUE, delivers
from podproof.model.language import CONSTANT, NIL, Array, Domain, Size, action, clear, require
from podproof.model.node import Node
from podproof.model.notes import QUIET, go
from podproof.model.state import (
    Channel,
    KillPodOptions,
    OptionalSeconds,
    Phase,
    Pod,
    Position,
    Revision,
    Uid,
    UpdatePodOptions,
    UpdateType,
    WorkType,
)

DeletionSeconds = Annotated[int, Domain("deletion_seconds")]
Count = Annotated[int, Domain("counts")]


class Killer(Enum):
    """Who calls killPodNow, and with which options. Go: the callers of killPodNow in release 1.29."""

    HARD_EVICTION = "hard eviction, override 0"
    SOFT_EVICTION = "soft eviction"
    PREEMPTION = "preemption"
    NODE_SHUTDOWN = "node shutdown"


class Admission(Enum):
    """What the admission handlers say of a pod."""

    ADMITTED = "admitted"
    REJECTED = "rejected at admission"


class Housekeeping(Enum):
    """Where HandlePodCleanups stands; the sync loop does nothing else meanwhile."""

    IDLE = "idle"
    SYNCED = "SyncKnownPods done"
    CHORES = "acting on the list of running pods"


class Chore(Enum):
    """What HandlePodCleanups still has to do for a pod."""

    NONE = "none"
    RECREATE = "re-create"
    KILL_TERMINAL = "kill terminal"
    KILL_RUNTIME = "kill runtime pod"


@dataclass
class ConfiguredPod:
    """A pod as its config source has it now (API server or file)."""

    exists: bool
    revision: Annotated[Revision, QUIET]
    """How often the object has changed, where a scenario tells its objects apart."""
    phase: Phase
    deletion_timestamp: bool
    deletion_grace_period_seconds: OptionalSeconds
    static: Annotated[bool, CONSTANT]
    termination_grace_period_seconds: Annotated[int, Domain("optional_spec_seconds"), CONSTANT]


@dataclass
class Budget:
    """How many events of each kind the environment may still cause."""

    adds: Annotated[Array[Count], Size("uids")]
    removes: Annotated[Array[Count], Size("uids")]
    updates: Count
    """Of the spec."""
    deletions: Count
    phase_changes: Count
    kills: Count
    rejections: Count
    restarts: Count
    outages: Count
    """Of the container runtime."""
    resets: Count
    """Removals of all containers of a pod by SyncPod."""


@dataclass
class KillCallers:
    """Who calls killPodNow."""

    soft_eviction_seconds: Annotated[OptionalSeconds, CONSTANT]
    node_shutdown_seconds: Annotated[OptionalSeconds, CONSTANT]
    only_soft_evictions: Annotated[bool, CONSTANT]
    """Is every call of killPodNow one of the eviction manager, for a soft threshold?"""

    def override_of(self, killer: Killer) -> int:
        """PodTerminationGracePeriodSecondsOverride, as each caller sets it."""
        if killer == Killer.HARD_EVICTION:
            return 0
        if killer == Killer.SOFT_EVICTION:
            return self.soft_eviction_seconds
        if killer == Killer.NODE_SHUTDOWN:
            return self.node_shutdown_seconds
        return NIL


@dataclass
class Kubelet(KillCallers, Node):
    """The pod workers with the kubelet around them. [A21, A22]"""

    tells_objects_apart: Annotated[bool, CONSTANT]
    """Do pod objects have revisions?"""
    config: Annotated[Array[ConfiguredPod], Size("uids"), QUIET]
    pod_manager: Annotated[Array[bool], Size("uids")]
    """Does the pod manager have the pod? This is the desired set."""
    rejected: Annotated[Array[bool], Size("uids")]
    """rejectPod: the status manager has phase Failed, and the worker was never told."""
    listed_as_active: Annotated[Array[bool], Size("uids"), QUIET]
    """Since the kubelet started, could an eviction, preemption or shutdown manager have listed the pod as active?"""
    sources_ready: bool
    housekeeping: Housekeeping
    housekeeping_is_late: bool
    """Has the sync loop stood still for longer than a back-off since it last ran HandlePodCleanups?"""
    known_pods: Annotated[Array[bool], Size("uids")]
    """The UIDs in SyncKnownPods' result."""
    chores: Annotated[Array[Chore], Size("uids")]
    budget: Annotated[Budget, QUIET]

    def budget_of(self, uid: int) -> Budget:
        """What may still happen to a pod and to those that share this with it."""
        return self.budget

    def next_kill_request(self, uid: int) -> int:
        """The number of the next call of killPodNow about a pod."""
        return len(self.completed_channels) - self.budget.kills

    # -- config events: the sync loop -------------------------------------------------------------------------------
    def is_configured(self, uid: int) -> bool:
        """Has the source the pod already, so that it delivers it after a restart of the kubelet?"""
        return self.config[uid].exists

    @action("sync loop", "ADD {uid}: {admission}", delivers(is_configured, Admission.ADMITTED))
    @go("HandlePodAdditions")
    def handle_pod_additions(self, uid: Uid, admission: Admission) -> None:
        """After a restart the pods that exist are added again; that costs no budget."""
        require(self.housekeeping == Housekeeping.IDLE and not self.pod_manager[uid])
        require(self.config[uid].exists or self.budget.adds[uid] > 0)
        admitted = admission == Admission.ADMITTED
        require(self.can_be_answered(uid, admitted))
        self.note_allocation(uid, admitted)
        if not self.config[uid].exists:
            self.budget.adds[uid] -= 1
            self.config[uid].exists = True
        self.pod_manager[uid] = True
        if admitted:
            self.rejected[uid] = False
            self.call(uid, UpdateType.CREATE)
            if self.is_active(uid):
                self.listed_as_active[uid] = True
        else:
            self.note_rejection(uid)
            self.rejected[uid] = True

    def note_allocation(self, uid: int, admitted: bool) -> None:
        """What is remembered of a pod's admission, of which nobody asks in this release."""
        return

    def can_be_answered(self, uid: int, admitted: bool) -> bool:
        """May the admission of the pod come out so?"""
        return admitted or (self.budget_of(uid).rejections > 0 and self.can_be_rejected(uid))

    def note_rejection(self, uid: int) -> None:
        self.budget_of(uid).rejections -= 1

    def can_be_rejected(self, uid: int) -> bool:
        """Are the admission handlers asked about the pod?"""
        return not self.is_pod_termination_requested(uid)

    @action("sync loop", "UPDATE {uid}: another spec")
    def handle_pod_spec_update(self, uid: Uid) -> None:
        """The worker reads nothing of a spec that may change: the newer object is told by its revision alone."""
        pod, budget = self.config[uid], self.budget_of(uid)
        require(self.housekeeping == Housekeeping.IDLE and pod.exists and not pod.static and budget.updates > 0)
        budget.updates -= 1
        self.change(uid)
        self.handle_pod_updates(uid)

    def change(self, uid: int) -> None:
        """The pod's source has a newer object of it."""
        if self.tells_objects_apart:
            self.config[uid].revision += 1

    @action("sync loop", "DELETE {uid}: grace period {grace}")
    def handle_pod_deletion(self, uid: Uid, grace: DeletionSeconds) -> None:
        """A graceful deletion, or a second one with a shorter period. Static pods come from files: they have none."""
        pod, budget = self.config[uid], self.budget_of(uid)
        require(self.housekeeping == Housekeeping.IDLE and pod.exists and not pod.static and budget.deletions > 0)
        before = pod.deletion_grace_period_seconds
        require(not pod.deletion_timestamp or before == NIL or grace < before)
        budget.deletions -= 1
        pod.deletion_timestamp = True
        pod.deletion_grace_period_seconds = grace
        self.change(uid)
        self.handle_pod_updates(uid)

    @action("sync loop", "RECONCILE {uid}: phase {phase}")
    @go("HandlePodReconcile")
    def handle_pod_reconcile(self, uid: Uid, phase: Phase) -> None:
        """A change of the status alone reaches the pod manager; the worker sees it later.

        Anybody may say Failed. Succeeded is said by the status manager alone, once mergePodStatus lets it.
        """
        pod, budget = self.config[uid], self.budget_of(uid)
        require(phase == Phase.FAILED or not self.pods_synced or not self.could_have_running_containers(uid))
        require(self.housekeeping == Housekeeping.IDLE and pod.exists and not pod.static)
        require(budget.phase_changes > 0 and pod.phase == Phase.RUNNING and phase != Phase.RUNNING)
        budget.phase_changes -= 1
        pod.phase = phase
        self.change(uid)

    @go("HandlePodUpdates")
    def handle_pod_updates(self, uid: int) -> None:
        """Before the kubelet has the pod, only the API object changes."""
        if self.pod_manager[uid] and not self.skips_updates_of(uid):
            self.call(uid, UpdateType.UPDATE)

    def skips_updates_of(self, uid: int) -> bool:
        """Does HandlePodUpdates leave the pod out? In this release none."""
        return False

    @action("sync loop", "REMOVE {uid}")
    @go("HandlePodRemoves")
    @go("deletePod")
    def handle_pod_removes(self, uid: Uid) -> None:
        require(self.housekeeping == Housekeeping.IDLE and self.config[uid].exists and self.budget.removes[uid] > 0)
        self.budget.removes[uid] -= 1
        if self.pod_manager[uid]:
            self.remove_pod(uid)
        self.rejected[uid] = False
        self.config[uid].exists = False
        self.config[uid].phase = Phase.RUNNING
        self.config[uid].deletion_timestamp = False
        self.config[uid].deletion_grace_period_seconds = NIL

    def remove_pod(self, uid: int) -> None:
        """What HandlePodRemoves does; deletePod gives up while a source is not ready."""
        self.pod_manager[uid] = False
        if self.sources_ready:
            self.call(uid, UpdateType.KILL)

    @action("sync loop", "all sources ready", SOURCES)
    def sources_become_ready(self) -> None:
        """After a restart: every source has delivered the pods it has."""
        require(not self.sources_ready and self.housekeeping == Housekeeping.IDLE)
        for uid in range(len(self.config)):
            require(self.pod_manager[uid] or not self.config[uid].exists)
        self.sources_ready = True

    @action("sync loop", "SYNC {uid}: its work queue entry is due", WORK_QUEUE)
    @go("getPodsToSync")
    @go("HandlePodSyncs")
    def sync_tick(self, uid: Uid) -> None:
        """An entry of a pod that the pod manager lacks is lost."""
        require(self.housekeeping == Housekeeping.IDLE and self.work_queue[uid])
        require(self.pod_manager[uid] or self.housekeeping_is_late or not self.is_driven_on(uid))
        self.work_queue[uid] = False
        if self.pod_manager[uid]:
            self.handle_pod_syncs(uid)

    def is_driven_on(self, uid: int) -> bool:
        """Does housekeeping give the idle worker of an orphan its last update again, before a back-off is over?

        It comes every 2 s; the worker of an orphan is idle only after a failure, and its entry is due in 10 to 15 s.
        """
        status = self.pod_sync_statuses[uid]
        if not self.sources_ready or not status.present or status.is_finished() or status.pending_update.present:
            return False
        for generation in range(len(self.workers[uid])):
            if self.workers[uid][generation].position not in (Position.NONE, Position.RECEIVING, Position.COMPLETE):
                return False
        return True

    @action("sync loop", "the runtime is down, and the sync loop stands still")
    @go("syncLoop", part="runtimeErrors")
    def runtime_goes_down(self) -> None:
        """Longer than a back-off. Afterwards its select takes at random what has become ready meanwhile."""
        require(self.housekeeping == Housekeeping.IDLE and self.budget.outages > 0)
        self.budget.outages -= 1
        self.housekeeping_is_late = True

    @action("sync loop", "SYNC {uid}: PLEG or probe event")
    def pod_event(self, uid: Uid) -> None:
        require(self.housekeeping == Housekeeping.IDLE and self.pod_manager[uid])
        require(not self.rejected[uid] or self.containers[uid])
        self.handle_pod_syncs(uid)

    def handle_pod_syncs(self, uid: int) -> None:
        self.call(uid, UpdateType.SYNC)

    def call(self, uid: int, update_type: UpdateType) -> None:
        """UpdatePod, without kill options."""
        self.update_pod(uid, UpdatePodOptions(present=True, update_type=update_type, pod=self.pod(uid)))

    def may_have_called(self, uid: int) -> bool:
        """May this step have called UpdatePod about the pod? Here no calls are kept."""
        return True

    def is_static_pod(self, uid: int) -> bool:
        return self.config[uid].static

    def grace_period_of_spec(self, uid: int) -> int:
        return self.config[uid].termination_grace_period_seconds

    def pod(self, uid: int) -> Pod:
        """The pod object as the pod manager or the kubelet's lister has it."""
        pod = self.config[uid]
        return Pod(
            present=True,
            revision=pod.revision,
            phase=pod.phase,
            deletion_timestamp=pod.deletion_timestamp,
            deletion_grace_period_seconds=pod.deletion_grace_period_seconds,
            termination_grace_period_seconds=pod.termination_grace_period_seconds,
            static=pod.static,
        )

    # -- housekeeping: the sync loop --------------------------------------------------------------------------------
    @action("housekeeping", "SyncKnownPods", HOUSEKEEPING)
    @go("HandlePodCleanups", part="up to SyncKnownPods")
    def housekeeping_sync_known_pods(self) -> None:
        """When every pod is known, nothing of the rest calls a worker."""
        require(self.housekeeping == Housekeeping.IDLE and self.sources_ready)
        self.housekeeping_is_late = False
        self.begin_housekeeping()
        self.sync_known_pods()
        for uid in range(len(self.known_pods)):
            if not self.known_pods[uid]:
                self.housekeeping = Housekeeping.SYNCED
        if self.housekeeping == Housekeeping.IDLE:
            self.forget_known_pods()

    def begin_housekeeping(self) -> None:
        """What HandlePodCleanups looks at before SyncKnownPods, which in this release is nothing."""
        return

    def is_desired(self, uid: int) -> bool:
        return self.pod_manager[uid]

    def record_known_pod(self, uid: int, work_type: WorkType, orphan: bool) -> None:
        self.known_pods[uid] = True

    def forget_known_pods(self) -> None:
        for uid in range(len(self.known_pods)):
            self.known_pods[uid] = False

    @action("housekeeping", "housekeeping lists the running pods", GOROUTINES)
    def housekeeping_list_pods(self) -> None:
        """The runtime cache is refreshed here, and is as old as this step when the chores below act on it."""
        require(self.housekeeping == Housekeeping.SYNCED)
        for uid in range(len(self.chores)):
            self.chores[uid] = self.chore_of(uid)
        self.forget_known_pods()
        self.finish_housekeeping()

    @action("housekeeping", "housekeeping ends: the runtime does not list its pods")
    def housekeeping_fails(self) -> None:
        """Where every pod is known the rest of the pass would have called no worker."""
        require(self.housekeeping != Housekeeping.CHORES and self.budget.outages > 0)
        self.budget.outages -= 1
        self.forget_known_pods()
        self.housekeeping = Housekeeping.IDLE

    def chore_of(self, uid: int) -> Chore:
        """What HandlePodCleanups still does for a UID after SyncKnownPods."""
        if self.known_pods[uid]:
            return Chore.NONE
        return self.chore(uid)

    def chore(self, uid: int) -> Chore:
        """What HandlePodCleanups does for a UID that SyncKnownPods did not return."""
        pod = self.config[uid]
        if self.pod_manager[uid] and self.is_active(uid):
            return Chore.RECREATE
        if self.containers[uid]:
            return Chore.KILL_RUNTIME
        if self.pod_manager[uid] and pod.deletion_timestamp and pod.phase != Phase.RUNNING:
            return Chore.KILL_TERMINAL
        return Chore.NONE

    @go("filterOutInactivePods", part="for one pod")
    def is_active(self, uid: int) -> bool:
        """Does the pod count as active?"""
        if self.is_pod_known_terminated(uid):
            return False
        if self.config[uid].phase != Phase.RUNNING or self.rejected[uid]:
            return self.is_pod_termination_requested(uid)
        return True

    @action("housekeeping", "housekeeping: UpdatePod(create, {uid})", GOROUTINES)
    def housekeeping_recreate(self, uid: Uid) -> None:
        require(self.chores[uid] == Chore.RECREATE and self.is_turn_of(Chore.RECREATE))
        self.chores[uid] = Chore.NONE
        self.listed_as_active[uid] = True
        self.recreate(uid)
        self.finish_housekeeping()

    def recreate(self, uid: int) -> None:
        """Its call of UpdatePod, as are those of the next two."""
        self.call(uid, UpdateType.CREATE)

    @action("housekeeping", "housekeeping: UpdatePod(kill, {uid}), it is terminal and deleted", GOROUTINES)
    def housekeeping_kill_terminal(self, uid: Uid) -> None:
        require(self.chores[uid] == Chore.KILL_TERMINAL and self.is_turn_of(Chore.KILL_TERMINAL))
        self.chores[uid] = Chore.NONE
        self.kill_terminal(uid)
        self.finish_housekeeping()

    def kill_terminal(self, uid: int) -> None:
        self.call(uid, UpdateType.KILL)

    @action("housekeeping", "housekeeping: UpdatePod(kill, {uid}, runtime pod, override=1)", GOROUTINES)
    def housekeeping_kill_runtime(self, uid: Uid) -> None:
        require(self.chores[uid] == Chore.KILL_RUNTIME and self.is_turn_of(Chore.KILL_RUNTIME))
        self.chores[uid] = Chore.NONE
        self.kill_runtime_pod(uid)
        self.finish_housekeeping()

    def kill_runtime_pod(self, uid: int) -> None:
        kill = KillPodOptions(present=True, grace_period_seconds_override=1)
        options = UpdatePodOptions(present=True, update_type=UpdateType.KILL, running_pod=True, kill_pod_options=kill)
        self.update_pod(uid, options)

    def is_turn_of(self, chore: Chore) -> bool:
        """The order of HandlePodCleanups: create, kill what is terminal, kill what only the runtime has."""
        if chore == Chore.KILL_RUNTIME and self.has_chore(Chore.KILL_TERMINAL):
            return False
        return chore == Chore.RECREATE or not self.has_chore(Chore.RECREATE)

    def has_chore(self, chore: Chore) -> bool:
        for uid in range(len(self.chores)):
            if self.chores[uid] == chore:
                return True
        return False

    def finish_housekeeping(self) -> None:
        """The pass ends when no chore is left."""
        self.housekeeping = Housekeeping.IDLE
        for uid in range(len(self.chores)):
            if self.chores[uid] != Chore.NONE:
                self.housekeeping = Housekeeping.CHORES

    # -- killers: goroutines of their own ---------------------------------------------------------------------------
    @action("killer", "killPodNow({uid}): {killer}")
    @go("killPodNow")
    def kill_pod_now(self, uid: Uid, killer: Killer) -> None:
        """The eviction and shutdown managers listed the pod while it was active, maybe long ago."""
        budget = self.budget_of(uid)
        require(budget.kills > 0 and self.listed_as_active[uid])
        require(killer == Killer.NODE_SHUTDOWN or not self.config[uid].static)
        require(killer == Killer.SOFT_EVICTION or not self.only_soft_evictions)
        require(killer != Killer.PREEMPTION or self.can_be_preempted(uid))
        request = self.next_kill_request(uid)
        budget.kills -= 1
        self.completed_channels[request] = Channel.OPEN
        kill = KillPodOptions(
            present=True,
            completed_ch=request,
            evict=killer != Killer.NODE_SHUTDOWN,
            pod_status_func=request,
            grace_period_seconds_override=self.override_of(killer),
        )
        options = UpdatePodOptions(present=True, update_type=UpdateType.KILL, pod=self.pod(uid), kill_pod_options=kill)
        self.update_pod(uid, options)

    def can_be_preempted(self, uid: int) -> bool:
        """Preemption is part of the admission of another pod: the sync loop lists the active pods and kills at once."""
        return self.housekeeping == Housekeeping.IDLE and self.pod_manager[uid] and self.is_active(uid)

    # -- the kubelet process ----------------------------------------------------------------------------------------
    @action("kubelet", "kubelet restarts")
    def restart(self) -> None:
        """Everything in memory is lost; containers and config sources stay."""
        require(self.budget.restarts > 0)
        self.budget.restarts -= 1
        self.pods_synced = False
        self.sources_ready = False
        self.housekeeping = Housekeeping.IDLE
        self.housekeeping_is_late = False
        for name in range(len(self.started_static_pods)):
            self.started_static_pods[name] = NIL
            clear(self.waiting_to_start_static_pods[name])
        for uid in range(len(self.pod_manager)):
            self.forget_pod(uid)
        for request in range(len(self.completed_channels)):
            self.completed_channels[request] = Channel.NONE

    def forget_pod(self, uid: int) -> None:
        self.lose_pod_worker(uid)
        # The sync loop waits for PLEG's first relist before it takes config events ("pleg has yet to be successful").
        self.relist(uid)
        self.pod_manager[uid] = False
        self.rejected[uid] = False
        self.listed_as_active[uid] = False
        self.known_pods[uid] = False
        self.chores[uid] = Chore.NONE
