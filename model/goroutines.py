"""The worker goroutines and the channels that wake them, below the level of podWorkerLoop.

Go: pkg/kubelet/pod_workers.go, where most of this is `go`, `range`, `select` and `close`. Numbers such as [A7] refer to
ABSTRACTIONS.md.
"""

from __future__ import annotations

from podproof.model.language import NIL, clear, out_of_bounds, programmer_error
from podproof.model.notes import go
from podproof.model.queries import Queries
from podproof.model.state import Channel, Context, Delay, Position, UpdateType, WorkType


class Goroutines(Queries):
    """What a goroutine, its channel and its context can do."""

    def start_pod_worker(self, uid: int) -> None:
        """Make the UID's channel and start the goroutine that ranges over it."""
        for generation in range(len(self.workers[uid])):
            if self.pod_updates[uid] == NIL and self.workers[uid][generation].position == Position.NONE:
                self.workers[uid][generation].position = Position.SPAWNED
                self.pod_updates[uid] = generation
        if self.pod_updates[uid] == NIL:
            out_of_bounds("goroutines of one UID")

    def notify_pod_worker(self, uid: int) -> None:
        """A non-blocking send on podUpdates[uid]. A goroutine that is blocked in receive gets the token at once."""
        if self.pod_updates[uid] != NIL:
            worker = self.workers[uid][self.pod_updates[uid]]
            if worker.position == Position.RECEIVING:
                worker.position = Position.TOKEN
            else:
                worker.token = True

    def drain_pod_updates(self, uid: int) -> None:
        """A non-blocking receive from podUpdates[uid]."""
        if self.pod_updates[uid] != NIL:
            self.workers[uid][self.pod_updates[uid]].token = False

    def receive(self, uid: int, generation: int) -> None:
        """The iteration is over; `range podUpdates` goes on to the next token, or ends when there will be none."""
        self.forget_iteration(uid, generation)
        worker = self.workers[uid][generation]
        if worker.token:
            worker.token = False
            worker.position = Position.TOKEN
        elif worker.closed:
            self.stop(uid, generation)
        else:
            worker.position = Position.RECEIVING

    @go("cleanupPodUpdates")
    def cleanup_pod_updates(self, uid: int) -> None:
        """Close and forget the UID's channel. A token in it is still delivered."""
        if self.pod_updates[uid] != NIL:
            generation = self.pod_updates[uid]
            self.pod_updates[uid] = NIL
            self.workers[uid][generation].closed = True
            if self.workers[uid][generation].position in (Position.RECEIVING, Position.NONE):
                # Woken by the close, the goroutine ends at once. [A7]
                self.stop(uid, generation)

    def stop(self, uid: int, generation: int) -> None:
        """The goroutine ends."""
        self.forget_iteration(uid, generation)
        worker = self.workers[uid][generation]
        worker.position = Position.NONE
        if self.pod_updates[uid] != generation:
            worker.token = False
            worker.closed = False

    def forget_iteration(self, uid: int, generation: int) -> None:
        """Zero what the loop's iteration held, now that nothing reads it."""
        worker = self.workers[uid][generation]
        worker.work_type = WorkType.SYNC
        worker.update_type = UpdateType.SYNC
        worker.revision = 0
        worker.mirror_pod = 0
        worker.context = Context.NONE
        worker.grace_period = NIL
        worker.pod_status_func = NIL

    @go("Enqueue")
    def enqueue(self, uid: int, delay: Delay) -> None:
        """workQueue's. The delay is not kept. [A5]"""
        self.work_queue[uid] = True

    def close_channel(self, request: int) -> None:
        """close(ch) on the CompletedCh of a kill request."""
        if self.completed_channels[request] == Channel.CLOSED:
            programmer_error("close of closed channel")
        self.completed_channels[request] = Channel.CLOSED

    def cancel(self, uid: int) -> None:
        """Call cancelFn: the sync call under way is told to stop."""
        if self.pod_sync_statuses[uid].context == Context.LIVE:
            self.pod_sync_statuses[uid].context = Context.CANCELLED
            for generation in range(len(self.workers[uid])):
                if self.workers[uid][generation].context == Context.LIVE:
                    self.workers[uid][generation].context = Context.CANCELLED

    def replace_context(self, uid: int) -> None:
        """A context for the next sync call alone. Nobody can cancel an earlier one any more."""
        for generation in range(len(self.workers[uid])):
            if self.workers[uid][generation].context == Context.LIVE:
                self.workers[uid][generation].context = Context.NONE
        self.pod_sync_statuses[uid].context = Context.LIVE

    def lose_pod_worker(self, uid: int) -> None:
        """The kubelet ends, and with it everything that podWorkers holds of the UID."""
        clear(self.pod_sync_statuses[uid])
        for generation in range(len(self.workers[uid])):
            clear(self.workers[uid][generation])
        self.pod_updates[uid] = NIL
        self.work_queue[uid] = False

    def delete_pod_sync_status(self, uid: int) -> None:
        """Forget the pod's history, and with it the function that could cancel its sync call."""
        clear(self.pod_sync_statuses[uid])
        for generation in range(len(self.workers[uid])):
            if self.workers[uid][generation].context == Context.LIVE:
                self.workers[uid][generation].context = Context.NONE

    def can_notify_pod_worker(self, uid: int) -> bool:
        """Would a send on podUpdates[uid] go through? A nil channel takes nothing, and a full one neither."""
        if self.pod_updates[uid] == NIL:
            return False
        return not self.workers[uid][self.pod_updates[uid]].token
