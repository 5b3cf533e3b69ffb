"""The pod workers of kubelet 1.20: UpdatePod, managePodLoop, and how a worker is forgotten.

Go: pkg/kubelet/pod_workers.go of release 1.20. A method that says its name in Go is one critical section
under podLock, except for the steps of managePodLoop, which say so. Read from source and replayed against recordings of
the real code. Numbers such as [A41] refer to ABSTRACTIONS.md.
"""

from __future__ import annotations

from enum import Enum

from podproof.kubelet_1_20.state import PodWorkersState, Position, UpdatePodOptions
from podproof.model.language import NIL, clear, copy, out_of_bounds, programmer_error, require
from podproof.model.notes import go
from podproof.model.state import Delay, UpdateType


class Outcome(Enum):
    """What syncPod or the cache returns, as far as managePodLoop can tell it apart."""

    OK = "nil"
    ERROR = "an error"
    NETWORK_NOT_READY = "network is not ready"


class PodWorkers(PodWorkersState):
    """One goroutine a UID, which is handed one update at a time and knows nothing of the last one."""

    # -- what the rest of the kubelet calls -------------------------------------------------------------------------

    @go("UpdatePod")
    def update_pod(self, uid: int, options: UpdatePodOptions) -> None:
        """Something about a pod changed: its configuration, its containers, or the wish to have it killed."""
        if self.pod_updates[uid] == NIL:
            # A new pod, or one that was forgotten, or the kubelet restarted: nobody can tell.
            self.start_pod_worker(uid)
        if not self.is_working[uid]:
            self.is_working[uid] = True
            self.send(uid, options)
        else:
            # Nothing replaces a kill that waits, not even another kill: what comes now is dropped.
            pending = self.last_undelivered_work_update[uid]
            if not pending.present or pending.update_type != UpdateType.KILL:
                self.last_undelivered_work_update[uid] = copy(options)

    @go("ForgetWorker")
    def forget_worker(self, uid: int) -> None:
        """The pod is gone from its source."""
        self.remove_worker(uid)

    @go("ForgetNonExistingPodWorkers")
    def forget_non_existing_pod_workers(self) -> None:
        """Housekeeping says which pods are desired (`is_desired`)."""
        for uid in range(len(self.pod_updates)):
            if self.pod_updates[uid] != NIL and not self.is_desired(uid):
                self.remove_worker(uid)

    def is_desired(self, uid: int) -> bool:
        """Is the pod in the argument of ForgetNonExistingPodWorkers? On its own, the kubelet desires nothing."""
        return False

    @go("removeWorker")
    def remove_worker(self, uid: int) -> None:
        """Close the UID's channel and forget what was not delivered. A sync under way goes on, isWorking stays."""
        if self.pod_updates[uid] != NIL:
            generation = self.pod_updates[uid]
            self.pod_updates[uid] = NIL
            clear(self.last_undelivered_work_update[uid])
            self.close(uid, generation)

    # -- one iteration of managePodLoop, in order. No step but the last one holds podLock. --------------------------

    def start_receiving(self, uid: int, generation: int) -> None:
        """A goroutine runs for the first time."""
        require(self.workers[uid][generation].position == Position.SPAWNED)
        self.receive(uid, generation)

    @go("managePodLoop")
    def get_newer_than(self, uid: int, generation: int, outcome: Outcome) -> None:
        """podCache.GetNewerThan returns; without an error, syncPodFn is called at once."""
        require(self.workers[uid][generation].position == Position.CACHE)
        if outcome == Outcome.OK:
            self.sync_pod(uid, generation)
        else:
            self.call_back(uid, generation, outcome)

    def sync_pod(self, uid: int, generation: int) -> None:
        """Call syncPodFn with the update in hand. Environments say what it does."""
        self.workers[uid][generation].position = Position.SYNC_POD

    @go("managePodLoop", part="after syncPodFn")
    def sync_pod_returns(self, uid: int, generation: int, outcome: Outcome) -> None:
        require(self.workers[uid][generation].position in (Position.SYNC_POD, Position.KILL_POD))
        self.workers[uid][generation].last_sync_time = True
        self.call_back(uid, generation, outcome)

    def call_back(self, uid: int, generation: int, outcome: Outcome) -> None:
        """Tell whoever asked for the update how it went, on an error as well, and enter wrapUp."""
        worker = self.workers[uid][generation]
        if worker.update.on_complete_func != NIL:
            self.on_complete_func(worker.update.on_complete_func, outcome)
        # Nothing reads the update any more, so states do not differ by it.
        clear(worker.update)
        worker.running = False
        if outcome == Outcome.OK:
            worker.delay = Delay.RESYNC
        elif outcome == Outcome.NETWORK_NOT_READY:
            worker.delay = Delay.TRANSIENT
        else:
            worker.delay = Delay.BACKOFF
        worker.position = Position.ENQUEUE

    def on_complete_func(self, request: int, outcome: Outcome) -> None:
        """The callback of an update. Environments say what its maker does with the answer."""
        return

    @go("wrapUp")
    def wrap_up(self, uid: int, generation: int) -> None:
        """The first half of wrapUp: when to sync the pod again, whatever was asked for this time."""
        worker = self.workers[uid][generation]
        require(worker.position == Position.ENQUEUE)
        self.enqueue(uid, worker.delay)
        worker.delay = Delay.NONE
        worker.position = Position.CHECK

    @go("checkForUpdates")
    def check_for_updates(self, uid: int, generation: int) -> None:
        """The second half, under podLock: go on with what came meanwhile.

        It goes to the channel in the map, which after ForgetWorker is another goroutine's.
        """
        require(self.workers[uid][generation].position == Position.CHECK)
        if self.last_undelivered_work_update[uid].present:
            self.send(uid, self.last_undelivered_work_update[uid])
            clear(self.last_undelivered_work_update[uid])
        else:
            self.is_working[uid] = False
        self.receive(uid, generation)

    # -- goroutines and channels ------------------------------------------------------------------------------------

    def start_pod_worker(self, uid: int) -> None:
        """Make the UID's channel and start the goroutine that ranges over it."""
        for generation in range(len(self.workers[uid])):
            if self.pod_updates[uid] == NIL and self.workers[uid][generation].position == Position.NONE:
                self.workers[uid][generation].position = Position.SPAWNED
                self.pod_updates[uid] = generation
        if self.pod_updates[uid] == NIL:
            out_of_bounds("goroutines of one UID")

    def send(self, uid: int, options: UpdatePodOptions) -> None:
        """A send on podUpdates[uid] that waits for room, with podLock held: if there is none, the kubelet stands still.

        A goroutine that is blocked in receive gets the update at once.
        """
        if self.pod_updates[uid] == NIL:
            programmer_error("blocking send on no channel")
            return
        worker = self.workers[uid][self.pod_updates[uid]]
        if worker.queued.present:
            programmer_error("blocking send on a full channel")
            return
        if worker.position == Position.RECEIVING:
            worker.update = copy(options)
            worker.position = Position.CACHE
        else:
            worker.queued = copy(options)

    def receive(self, uid: int, generation: int) -> None:
        """The next turn of `range podUpdates`: an update that is queued, also after the close, or the end. [A7]"""
        worker = self.workers[uid][generation]
        if worker.queued.present:
            worker.update = copy(worker.queued)
            clear(worker.queued)
            worker.position = Position.CACHE
        elif worker.closed:
            self.stop(uid, generation)
        else:
            worker.position = Position.RECEIVING

    def close(self, uid: int, generation: int) -> None:
        """Close a goroutine's channel. One with nothing to do ends at once. [A7, A41]"""
        worker = self.workers[uid][generation]
        worker.closed = True
        idle = worker.position in (Position.SPAWNED, Position.RECEIVING, Position.NONE)
        if idle and not worker.queued.present:
            self.stop(uid, generation)

    def stop(self, uid: int, generation: int) -> None:
        """The goroutine ends."""
        clear(self.workers[uid][generation])

    @go("Enqueue")
    def enqueue(self, uid: int, delay: Delay) -> None:
        """workQueue's. The delay is not kept. [A5]"""
        self.work_queue[uid] = True
