"""The pod workers' state: podSyncStatus, UpdatePodOptions, the worker goroutines and the maps under podLock.

Go: pkg/kubelet/pod_workers.go, the types podWorkers, podSyncStatus, UpdatePodOptions and KillPodOptions.
Numbers such as [A1] refer to ABSTRACTIONS.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated

from podproof.model.language import CONSTANT, NIL, Array, Domain, Size, copy, out_of_bounds
from podproof.model.notes import ENVIRONMENT, PHASE, QUIET, RUNTIME, SEEN, TIME, WORKER, Go, Quiet, go

Uid = Annotated[int, Domain("uids")]
"""A pod's UID, as an index into the scenario's pods."""
OptionalUid = Annotated[int, Domain("optional_uids", default=NIL)]
FullName = Annotated[int, Domain("full_names")]
"""name_namespace, as an index into the scenario's full names."""
Seconds = Annotated[int, Domain("seconds")]
"""Whole seconds; 0 stands for Go's zero value where the Go reads it as unset."""
OptionalSeconds = Annotated[int, Domain("optional_seconds", default=NIL)]
"""A *int64 of seconds: NIL or a number, 0 included."""
OptionalSpecSeconds = Annotated[int, Domain("optional_spec_seconds", default=NIL)]
"""spec.terminationGracePeriodSeconds."""
OptionalKillRequest = Annotated[int, Domain("optional_kill_requests", default=NIL)]
"""Which kill request a CompletedCh or a PodStatusFunc belongs to; NIL for Go's nil."""
OptionalGeneration = Annotated[int, Domain("optional_generations", default=NIL)]
"""Which of a UID's worker goroutines; see PodWorker."""
Revision = Annotated[int, Domain("revisions")]
"""Tells pod objects of one UID apart in recorded traces; scenarios give it one value, which costs nothing. [A2]"""
Tick = Annotated[int, Domain("ticks")]
"""UpdatePodOptions.StartTime, 0 for the zero time; scenarios give it one value. [A2]"""

Flags = Annotated[Array[bool], Size("kill_requests")]
"""A set of kill requests."""
Time = Annotated[bool, TIME, SEEN]
"""A time.Time: set or unset. [A1]"""
Seen = Annotated[bool, SEEN]
"""A flag of podSyncStatus."""


class UpdateType(Enum):
    """kubetypes.SyncPodType; SYNC is the zero value."""

    SYNC = "sync"
    UPDATE = "update"
    CREATE = "create"
    KILL = "kill"


class Phase(Enum):
    """v1.PodPhase; Pending, Running and Unknown are one here: the worker only asks for the terminal ones. [A3]"""

    RUNNING = "Running"
    SUCCEEDED = "Succeeded"
    FAILED = "Failed"


class WorkType(Enum):
    """PodWorkerState: what a worker does next for a pod."""

    SYNC = "sync"
    TERMINATING = "terminating"
    TERMINATED = "terminated"


class Context(Enum):
    """podSyncStatus.ctx and cancelFn: none yet, live, or cancelled."""

    NONE = "none"
    LIVE = "live"
    CANCELLED = "cancelled"


class Cached(Enum):
    """What podCache tells about a pod. NOTHING_RUNNING: no running container and no ready sandbox, or no entry."""

    NOTHING_RUNNING = "nothing running"
    RUNNING = "running"
    ERROR = "error"


class Position(Enum):
    """Where a worker goroutine stands in podWorkerLoop."""

    NONE = "no goroutine"
    SPAWNED = "spawned"
    """Not yet run: not blocked in receive, so tokens stay in the channel."""
    RECEIVING = "waiting"
    TOKEN = "woken"
    """A token was handed over; startPodSync comes next. It happens even if the channel is closed meanwhile."""
    CACHE = "waiting for the cache"
    SYNC_POD = "SyncPod"
    SYNC_TERMINATING_POD = "SyncTerminatingPod"
    SYNC_TERMINATING_RUNTIME_POD = "SyncTerminatingRuntimePod"
    SYNC_TERMINATED_POD = "SyncTerminatedPod"
    ENQUEUE = "completing: enqueue"
    """In completeWork, before workQueue.Enqueue."""
    COMPLETE = "completing: wake"
    """In completeWork, after it, before podLock."""


class Channel(Enum):
    """A completion channel, as its kill request sees it. Open and in no list that is ever closed: lost."""

    NONE = "none"
    OPEN = "open"
    CLOSED = "closed"


class Delay(Enum):
    """When a work queue entry falls due; the ranges are completeWork's."""

    NONE = "none"
    NOW = "now"
    RESYNC = "resync"
    TRANSIENT = "transient"
    BACKOFF = "backoff"


@dataclass
class Pod:
    """The part of a *v1.Pod that the pod worker reads; not `present` is Go's nil."""

    present: bool = False
    revision: Annotated[Revision, QUIET] = 0
    phase: Annotated[Phase, Go("Status.Phase")] = Phase.RUNNING
    deletion_timestamp: Annotated[bool, Go("DeletionTimestamp"), QUIET] = False
    deletion_grace_period_seconds: Annotated[
        OptionalSeconds, Go("DeletionGracePeriodSeconds", short="deletionGrace")
    ] = NIL
    termination_grace_period_seconds: Annotated[
        OptionalSpecSeconds, Go("Spec.TerminationGracePeriodSeconds"), QUIET
    ] = NIL
    static: Annotated[bool, QUIET] = False


@dataclass
class KillPodOptions:
    """KillPodOptions; not `present` is Go's nil pointer."""

    present: bool = False
    completed_ch: Annotated[OptionalKillRequest, Go("CompletedCh", short="CompletedCh")] = NIL
    evict: Annotated[bool, Go("Evict")] = False
    pod_status_func: Annotated[OptionalKillRequest, Go("PodStatusFunc"), QUIET] = NIL
    grace_period_seconds_override: Annotated[
        OptionalSeconds, Go("PodTerminationGracePeriodSecondsOverride", short="override")
    ] = NIL


@dataclass
class UpdatePodOptions:
    """UpdatePodOptions; not `present` is Go's nil pointer. RunningPod and MirrorPod are only set or unset. [A4]"""

    present: bool = False
    update_type: Annotated[UpdateType, Go("UpdateType"), QUIET] = UpdateType.SYNC
    start_time: Annotated[Tick, Go("StartTime"), QUIET] = 0
    pod: Annotated[Pod, Go("Pod")] = field(default_factory=Pod)
    mirror_pod: Annotated[Revision, Go("MirrorPod"), QUIET] = 0
    running_pod: Annotated[bool, Go("RunningPod", short="runtime pod")] = False
    kill_pod_options: Annotated[KillPodOptions, Go("KillPodOptions")] = field(default_factory=KillPodOptions)


@dataclass
class PodSyncStatus:
    """podSyncStatus; not `present` means that podSyncStatuses has no entry. Every time.Time is set or unset. [A1]"""

    present: Annotated[bool, Go("syncedAt"), SEEN, PHASE]
    """Go's syncedAt is set when the entry is made. Go's fullname is `full_names[uid]`."""
    context: Annotated[Context, Go("ctx"), Quiet(("none", "live"))]
    working: Seen
    pending_update: UpdatePodOptions
    active_update: UpdatePodOptions
    started_at: Annotated[Time, PHASE]
    terminating_at: Annotated[Time, PHASE]
    terminated_at: Annotated[Time, PHASE]
    grace_period: Annotated[Seconds, SEEN]
    notify_post_terminating: Flags
    status_post_terminating: Flags
    """Requests are numbered in the order of their calls, so Go's last element is the highest one."""
    started_terminating: Seen
    deleted: Seen
    evicted: Seen
    finished: Annotated[bool, SEEN, PHASE]
    restart_requested: Annotated[bool, Go(since="1.22.3"), SEEN]
    observed_runtime: Seen

    @go("IsWorking")
    def is_working(self) -> bool:
        return self.working

    @go("IsTerminationRequested")
    def is_termination_requested(self) -> bool:
        return self.terminating_at

    @go("IsTerminationStarted")
    def is_termination_started(self) -> bool:
        return self.started_terminating

    @go("IsTerminated")
    def is_terminated(self) -> bool:
        return self.terminated_at

    @go("IsFinished")
    def is_finished(self) -> bool:
        return self.finished

    @go("IsStarted")
    def is_started(self) -> bool:
        return self.started_at

    @go("WorkType")
    def work_type(self) -> WorkType:
        if self.is_terminated():
            return WorkType.TERMINATED
        if self.is_termination_requested():
            return WorkType.TERMINATING
        return WorkType.SYNC

    @go("mergeLastUpdate")
    def merge_last_update(self, other: UpdatePodOptions) -> None:
        """What is remembered of an update that is about to be acted on: never its type, channel or status function."""
        active = self.active_update
        active.present = True
        # A runtime-only update brings no pod: the last real one stays, unless there never was one.
        if not active.pod.present or not other.running_pod:
            active.pod = copy(other.pod)
        active.running_pod = other.running_pod
        if other.mirror_pod != 0:
            active.mirror_pod = other.mirror_pod
        # Not accumulated, whatever the Go's comment says: evict and override of earlier updates are forgotten.
        if other.kill_pod_options.present:
            kill = active.kill_pod_options
            kill.present = True
            kill.evict = other.kill_pod_options.evict
            kill.grace_period_seconds_override = other.kill_pod_options.grace_period_seconds_override


@dataclass
class PodWorker:
    """A worker goroutine with the channel it ranges over, and what the loop's current iteration holds.

    Usually a UID has one. A second one appears when SyncKnownPods removes a pod whose goroutine still has a token
    and the UID is added again.
    """

    position: Annotated[Position, SEEN]
    token: bool
    """Is a token queued in its channel (capacity 1)?"""
    closed: bool
    """Has its channel been closed?"""
    work_type: WorkType
    update_type: Annotated[UpdateType, SEEN]
    revision: Annotated[Revision, QUIET]
    mirror_pod: Revision
    context: Annotated[Context, Quiet(("none", "live")), SEEN]
    """Of the sync call under way; NONE as well when the pod's status is gone, so that nobody can cancel it any more."""
    grace_period: Annotated[OptionalSeconds, SEEN]
    """The grace period handed to SyncTerminatingPod; NIL for Go's nil."""
    pod_status_func: Annotated[OptionalKillRequest, SEEN]
    delay: Delay
    """What completeWork will enqueue."""
    # Whatever the rest of the iteration does not read is zero, so that states do not differ by it.


@dataclass
class WaitingPods:
    """waitingToStartStaticPodsByFullname[f]: a FIFO of UIDs; slots from `length` on are NIL."""

    uids: Annotated[Array[OptionalUid], Size("waiting")]
    length: Annotated[int, Domain("waiting_lengths")]

    def append(self, uid: int) -> None:
        if self.length == len(self.uids):
            out_of_bounds("waiting static pods")
        else:
            self.uids[self.length] = uid
            self.length += 1

    def keep_from(self, first: int) -> None:
        """The slice waitingPods[first:]."""
        for i in range(len(self.uids)):
            self.uids[i] = self.uids[i + first] if i + first < len(self.uids) else NIL
        self.length -= first


@dataclass
class PodWorkersState:
    """podWorkers, all of it under podLock but for the work queue, which has its own lock."""

    full_names: Annotated[Array[FullName], Size("uids"), CONSTANT]
    """Each UID's full name: fixed, because name and namespace of a UID never change."""
    pods_synced: bool
    pod_sync_statuses: Annotated[Array[PodSyncStatus], Size("uids"), WORKER]
    pod_updates: Annotated[Array[OptionalGeneration], Size("uids"), WORKER]
    """podUpdates: which of the UID's goroutines owns the channel in the map; NIL for no entry."""
    workers: Annotated[Array[Annotated[Array[PodWorker], Size("generations")]], Size("uids"), WORKER]
    started_static_pods: Annotated[
        Array[OptionalUid], Size("full_names"), Go("startedStaticPodsByFullname", since="1.22.5")
    ]
    waiting_to_start_static_pods: Annotated[
        Array[WaitingPods], Size("full_names"), Go("waitingToStartStaticPodsByFullname", since="1.22.5")
    ]
    work_queue: Annotated[Array[bool], Size("uids")]
    """Does the queue hold the UID? Its delay is not kept: an entry may fall due at any time. [A5]"""
    pod_cache: Annotated[Array[Cached], Size("uids"), RUNTIME]
    """What podCache.Get and GetNewerThan would answer."""
    completed_channels: Annotated[Array[Channel], Size("kill_requests"), ENVIRONMENT, SEEN]
    """KillPodOptions.CompletedCh of each kill request."""
