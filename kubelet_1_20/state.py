"""The state of kubelet 1.20's pod workers: three maps under podLock, the worker goroutines and their channels.

Go: pkg/kubelet/pod_workers.go of release 1.20, the types podWorkers, UpdatePodOptions and KillPodOptions. There is no
history of a pod: nothing says that it was ever started, or that it was terminated. Numbers such as [A40] refer to
ABSTRACTIONS.md.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import Annotated

from podproof.model.language import CONSTANT, NIL, Array, Domain, Size
from podproof.model.notes import QUIET, SEEN, WHOLE, WORKER, Go
from podproof.model.state import (
    Delay,
    FullName,
    OptionalKillRequest,
    OptionalSeconds,
    Pod,
    Revision,
    UpdateType,
)

OptionalGoroutine = Annotated[int, Domain("optional_goroutines", default=NIL)]
"""Which of a UID's two goroutines; see PodWorker."""


class Position(Enum):
    """Where a worker goroutine stands in managePodLoop."""

    NONE = "no goroutine"
    SPAWNED = "spawned"
    """Not yet run: not blocked in receive, so an update that is sent stays in the channel."""
    RECEIVING = "waiting"
    CACHE = "waiting for the cache"
    """With an update in hand, in podCache.GetNewerThan."""
    SYNC_POD = "syncPod"
    """In syncPodFn, which makes the pod run."""
    KILL_POD = "syncPod: killPod"
    """In syncPodFn, which stops the pod."""
    ENQUEUE = "wrapping up: enqueue"
    """In wrapUp, before workQueue.Enqueue."""
    CHECK = "wrapping up: check for updates"
    """In wrapUp, after it, before podLock."""


@dataclass
class KillPodOptions:
    """KillPodOptions; not `present` is Go's nil pointer. There is neither a channel nor a word on eviction."""

    present: bool = False
    pod_status_func: Annotated[OptionalKillRequest, Go("PodStatusFunc"), QUIET] = NIL
    grace_period_seconds_override: Annotated[
        OptionalSeconds, Go("PodTerminationGracePeriodSecondsOverride", short="override")
    ] = NIL


@dataclass
class UpdatePodOptions:
    """UpdatePodOptions; not `present` means that nothing is in the map, the channel or the hand. Pod is never nil."""

    present: bool = False
    update_type: Annotated[UpdateType, Go("UpdateType"), QUIET] = UpdateType.SYNC
    pod: Annotated[Pod, Go("Pod")] = field(default_factory=Pod)
    mirror_pod: Annotated[Revision, Go("MirrorPod"), QUIET] = 0
    kill_pod_options: Annotated[KillPodOptions, Go("KillPodOptions")] = field(default_factory=KillPodOptions)
    on_complete_func: Annotated[OptionalKillRequest, Go("OnCompleteFunc", short="OnCompleteFunc")] = NIL
    """Which caller the callback belongs to; NIL for Go's nil and for a callback that only feeds a metric."""


@dataclass
class PodWorker:
    """A worker goroutine, the channel it ranges over, and what managePodLoop's current iteration holds.

    A UID can have two: ForgetWorker takes the channel of a busy one out of the map, and the next UpdatePod starts
    another. No more, since one that has nothing to do ends when its channel is closed. [A41]
    """

    position: Annotated[Position, SEEN]
    queued: UpdatePodOptions
    """What is in the channel (capacity 1)."""
    closed: bool
    """Has the channel been closed?"""
    update: UpdatePodOptions
    """The update in hand, until syncPod has returned."""
    running: bool
    """Does the status that GetNewerThan gave show a running container? syncPod goes by it."""
    last_sync_time: bool
    """lastSyncTime is set, so that GetNewerThan waits for a status that is newer than this goroutine's last sync."""
    delay: Delay
    """What wrapUp will enqueue."""


@dataclass
class PodWorkersState:
    """podWorkers: the maps under podLock, and the work queue, which has its own lock."""

    full_names: Annotated[Array[FullName], Size("uids"), CONSTANT]
    """Each UID's full name. The worker does not know it: nothing keeps two pods of one name apart."""
    pod_updates: Annotated[Array[OptionalGoroutine], Size("uids"), WORKER]
    """podUpdates: which of the UID's goroutines ranges over the channel in the map; NIL for no entry."""
    is_working: Annotated[Array[bool], Size("uids"), WORKER]
    """isWorking: entries are never deleted, so that no entry and false are alike here. [A40]"""
    last_undelivered_work_update: Annotated[Array[UpdatePodOptions], Size("uids"), WORKER, WHOLE]
    """lastUndeliveredWorkUpdate: the newest update that came while the UID was being worked on."""
    workers: Annotated[Array[Annotated[Array[PodWorker], Size("goroutines")]], Size("uids"), WORKER]
    work_queue: Annotated[Array[bool], Size("uids")]
    """Does the queue hold the UID? Its delay is not kept: an entry may fall due at any time. [A5]"""
