"""The lines of pod_workers.go in a log at --v=4, hung on the methods of the model that write them.

A class of its own and no word in the model: the lines are the same for every reader of the graph, and none needs them.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import FunctionType
from typing import Any, NamedTuple

from podproof.model.language import NIL
from podproof.model.notes import Go, go, names_of
from podproof.model.pod_worker_loop import SyncOutcome, SyncPodOutcome
from podproof.model.pod_workers import PodWorkers
from podproof.model.releases import V1_26, V1_34, V1_36_3
from podproof.model.state import (
    Context,
    Phase,
    Pod,
    PodSyncStatus,
    Position,
    UpdatePodOptions,
    UpdateType,
    WorkType,
)


class LogLine(NamedTuple):
    """A line, as far as the worker's step decides it."""

    message: str
    told: str = ""
    """Its updateType or workType; empty where the line has neither, or where it only repeats the caller's."""


STOPPED = LogLine("Pod worker has stopped")
"""Written when the goroutine has ended, which a closed channel wakes it for."""

FIRST_SYNC = "Pod is being synced for the first time"
TELL_THE_CALL = frozenset(
    {
        FIRST_SYNC,
        "Pod is terminating but has been requested to restart with same UID, will be reconciled later",
        "Pod is finished processing, no further updates",
        "Pod is orphaned and must be torn down",
        "Pod is marked for graceful deletion, begin teardown",
        "Pod is in a terminal phase (success/failed), begin teardown",
        "Pod is being evicted by the kubelet, begin teardown",
        "Pod is being removed by the kubelet, begin teardown",
        "Pod is waiting for termination, ignoring runtime-only kill until after pod worker is fully terminated",
    }
)
"""Messages of UpdatePod that tell the update's type since 1.27."""

LEVELS = {
    "Error syncing pod, skipping": "error",
    "Pod sync status does not exist, the worker should not be running": "error",
    "Pod update included RunningPod which is only valid when Pod is not specified": "info",
    "Pod update is ignored, runtime pods can only be killed": "info",
    "Sync exited with context cancellation error": "V(2)",
    "Cancelling current pod sync": "V(3)",
    "Pod is waiting for termination, ignoring runtime-only kill until after pod worker is fully terminated": "V(3)",
    STOPPED.message: "V(3)",
}
"""Of the messages that a log below --v=4 has as well: they exclude next to nothing."""

HAVE_THE_UID_ALONE = frozenset(
    {
        STOPPED.message,
        "Pod worker no longer has status, worker should exit",
        "Pod should be marked as working by the pod worker, programmer error",
        "Pod worker received no pending work, programmer error?",
        "Pod worker has observed request to terminate",
        "Pod indicated lifecycle completed naturally and should now terminate",
        "Pod had no status in completeSync, programmer error?",
        "Pod worker attempted to set terminatingAt twice, likely programmer error",
        "Pod terminated all containers successfully",
        "Pod terminated all orphaned containers successfully and worker can now stop",
        "Pod worker was terminated but did not have terminatingAt set, likely programmer error",
        "Pod is complete and the worker can now stop",
        "Pod worker is complete but did not have terminatingAt set, likely programmer error",
        "Pod worker is complete but did not have terminatedAt set, likely programmer error",
        "Requeueing pod due to pending update",
        "Requeuing pod due to pending update",
        "Pending update already queued",
        "Pod worker has been requested for removal but is still not fully terminated",
        "Pod is orphaned and has not been started",
        "Pod is orphaned and still running, began terminating",
        "Pod is orphaned and still terminating, notified the pod worker",
        "Pod has been terminated but another pod with the same UID was created, remove history to allow restart",
        "Pod has been terminated and is no longer known to the kubelet, remove all history",
    }
)
"""Messages that, in some release, do not name their pod: who looks for its name does not find them."""


_SYNC_POD = frozenset({Position.SYNC_POD})
_SYNC_TERMINATING_POD = frozenset({Position.SYNC_TERMINATING_POD})
_SYNC_TERMINATING_RUNTIME_POD = frozenset({Position.SYNC_TERMINATING_RUNTIME_POD})
_EITHER = _SYNC_TERMINATING_POD | _SYNC_TERMINATING_RUNTIME_POD
"""Up to 1.26 syncTerminatingPod is called for both."""
_SYNC_TERMINATED_POD = frozenset({Position.SYNC_TERMINATED_POD})
TERMINATING_WITH = "Pod terminating with grace period"
WRITTEN_IN_CALLS: Mapping[str, frozenset[Position]] = {
    "syncPod enter": _SYNC_POD,
    "syncPod exit": _SYNC_POD,
    "SyncPod enter": _SYNC_POD,
    "SyncPod exit": _SYNC_POD,
    "syncTerminatingPod enter": _EITHER,
    "syncTerminatingPod exit": _EITHER,
    "SyncTerminatingPod enter": _SYNC_TERMINATING_POD,
    "SyncTerminatingPod exit": _SYNC_TERMINATING_POD,
    TERMINATING_WITH: _EITHER,
    "Post-termination container state": _SYNC_TERMINATING_POD,
    "Pod termination stopped all running containers": _SYNC_TERMINATING_POD,
    "SyncTerminatingRuntimePod enter": _SYNC_TERMINATING_RUNTIME_POD,
    "SyncTerminatingRuntimePod exit": _SYNC_TERMINATING_RUNTIME_POD,
    "Orphaned running pod terminating without grace period": _SYNC_TERMINATING_RUNTIME_POD,
    "Pod termination stopped all running orphan containers": _SYNC_TERMINATING_RUNTIME_POD,
    "Pod termination stopped all running orphaned containers": _SYNC_TERMINATING_RUNTIME_POD,
    "syncTerminatedPod enter": _SYNC_TERMINATED_POD,
    "syncTerminatedPod exit": _SYNC_TERMINATED_POD,
    "SyncTerminatedPod enter": _SYNC_TERMINATED_POD,
    "SyncTerminatedPod exit": _SYNC_TERMINATED_POD,
    "Pod termination unmounted volumes": _SYNC_TERMINATED_POD,
    "Pod is terminated, but some volumes have not been cleaned up": _SYNC_TERMINATED_POD,
    "Pod termination cleaned up volume paths": _SYNC_TERMINATED_POD,
    "Pod termination removed cgroups": _SYNC_TERMINATED_POD,
    "Pod is terminated and will need no more status updates": _SYNC_TERMINATED_POD,
}
"""Messages of kubelet.go that have the UID, and in which calls by its goroutine alone they are written.

That a container is killed is none of them: the garbage collector of containers does it, too.
"""


class WritesLines(PodWorkers):
    """Put in front of a release since 1.27, it writes `lines` as that release's log has them."""

    lines: list[tuple[int, LogLine]]
    """What was written: the UID's index and the line."""
    iterations: dict[tuple[int, int], WorkType]
    """The work type that each goroutine's iteration began with: its last line names it."""

    received: WorkType
    """What the token that was received last means."""

    def write(self, uid: int, message: str, told: UpdateType | WorkType | None = None) -> None:
        self.lines.append((uid, LogLine(message, told.value if told else "")))

    def write_caller(self, uid: int, message: str, options: UpdatePodOptions) -> None:
        """A line of UpdatePod, which names the type of the update."""
        self.write(uid, message, options.update_type)

    # -- UpdatePod -----------------------------------------------------------------------------------------------------

    @go("UpdatePod")
    def update_pod(self, uid: int, options: UpdatePodOptions) -> None:
        if options.running_pod and options.pod.present:
            message = "Pod update included RunningPod which is only valid when Pod is not specified"
            self.write_caller(uid, message, options)
        elif options.running_pod and options.update_type != UpdateType.KILL:
            self.write_caller(uid, "Pod update is ignored, runtime pods can only be killed", options)
        super().update_pod(uid, options)

    @go("UpdatePod")
    def add_pod_sync_status(self, uid: int, options: UpdatePodOptions) -> None:
        self.write_caller(uid, "Pod is being synced for the first time", options)
        super().add_pod_sync_status(uid, options)

    @go("UpdatePod")
    def is_restart(self, uid: int, options: UpdatePodOptions, first_time: bool) -> bool:
        is_restart = super().is_restart(uid, options, first_time)
        if is_restart:
            message = "Pod is terminating but has been requested to restart with same UID, will be reconciled later"
            self.write_caller(uid, message, options)
        elif self.pod_sync_statuses[uid].is_finished():
            self.write_caller(uid, "Pod is finished processing, no further updates", options)
        return is_restart

    @go("UpdatePod")
    def begin_termination(self, uid: int, options: UpdatePodOptions, is_runtime_pod: bool) -> bool:
        begins = super().begin_termination(uid, options, is_runtime_pod)
        if begins:
            self.write_caller(uid, self.why_terminated(uid, options, is_runtime_pod), options)
        if is_runtime_pod and self.pod_sync_statuses[uid].is_terminated():
            message = (
                "Pod is waiting for termination, ignoring runtime-only kill until after pod worker is fully terminated"
            )
            self.write_caller(uid, message, options)
        return begins

    @go("UpdatePod")
    def why_terminated(self, uid: int, options: UpdatePodOptions, is_runtime_pod: bool) -> str:
        if is_runtime_pod:
            return "Pod is orphaned and must be torn down"
        if options.pod.deletion_timestamp:
            return "Pod is marked for graceful deletion, begin teardown"
        if options.pod.phase in (Phase.FAILED, Phase.SUCCEEDED):
            return "Pod is in a terminal phase (success/failed), begin teardown"
        if self.pod_sync_statuses[uid].evicted:
            return "Pod is being evicted by the kubelet, begin teardown"
        return "Pod is being removed by the kubelet, begin teardown"

    def queue_update(self, uid: int, options: UpdatePodOptions, cancels: bool) -> None:
        self.write_queued(uid, cancels)
        super().queue_update(uid, options, cancels)

    @go("UpdatePod")
    def write_queued(self, uid: int, cancels: bool) -> None:
        status = self.pod_sync_statuses[uid]
        self.write(uid, "Notifying pod of pending update", status.work_type())
        if cancels and status.context != Context.NONE:
            self.write(uid, "Cancelling current pod sync", status.work_type())

    # -- the worker goroutine ------------------------------------------------------------------------------------------

    def start_pod_sync(self, uid: int, generation: int) -> None:
        self.received = self.iterations[uid, generation] = self.write_received(uid)
        super().start_pod_sync(uid, generation)

    @go("startPodSync")
    def write_received(self, uid: int) -> WorkType:
        """What the goroutine says of a token, and what it has to do."""
        status = self.pod_sync_statuses[uid]
        if not status.present:
            self.write(uid, "Pod worker no longer has status, worker should exit")
        elif not status.working:
            self.write(uid, "Pod should be marked as working by the pod worker, programmer error")
        if status.present and not status.pending_update.present:
            self.write(uid, "Pod worker received no pending work, programmer error?")
        return status.work_type()

    @go("startPodSync", since="1.27.0")
    @go("managePodLoop", until="1.26")
    def allow_pod_start(self, uid: int, pod: Pod) -> tuple[bool, bool]:
        can_start, can_ever_start = super().allow_pod_start(uid, pod)
        if can_ever_start and not can_start:
            self.write(uid, "Pod cannot start yet")
        return can_start, can_ever_start

    def cleanup_unstarted_pod(self, uid: int, status: PodSyncStatus) -> None:
        self.write_unstarted(uid, status)
        super().cleanup_unstarted_pod(uid, status)
        self.write_never_started(uid)

    @go("startPodSync")
    def write_never_started(self, uid: int) -> None:
        """The last line of an iteration that finds that its pod will never start."""
        self.write(uid, "Pod cannot start ever", self.received)

    @go("cleanupUnstartedPod")
    def write_unstarted(self, uid: int, status: PodSyncStatus) -> None:
        if not status.is_termination_requested():
            self.write(uid, "Pod worker is complete but did not have terminatingAt set, likely programmer error")
        if status.is_terminated():
            self.write(uid, "Pod worker is complete and had terminatedAt set, likely programmer error")

    @go("podWorkerLoop", since="1.27.0")
    @go("managePodLoop", until="1.26")
    def process_pod_event(self, uid: int, generation: int, work_type: WorkType, update: UpdatePodOptions) -> None:
        self.iterations[uid, generation] = work_type
        self.write(uid, "Processing pod event", work_type)
        super().process_pod_event(uid, generation, work_type, update)

    @go("acknowledgeTerminating")
    def acknowledge_terminating(self, uid: int) -> int:
        status = self.pod_sync_statuses[uid]
        if status.is_termination_requested() and not status.is_termination_started():
            self.write(uid, "Pod worker has observed request to terminate")
        return super().acknowledge_terminating(uid)

    @go("podWorkerLoop", since="1.27.0")
    @go("managePodLoop", until="1.26")
    def get_newer_than(self, uid: int, generation: int, error: bool) -> None:
        if error:
            self.write(uid, "Error syncing pod, skipping")
        super().get_newer_than(uid, generation, error)

    @go("podWorkerLoop", since="1.27.0")
    @go("managePodLoop", until="1.26")
    def sync_pod_returns(self, uid: int, generation: int, outcome: SyncPodOutcome) -> None:
        if outcome == SyncPodOutcome.CANCELED:
            self.write(uid, "Sync exited with context cancellation error", WorkType.SYNC)
        elif outcome in (SyncPodOutcome.ERROR, SyncPodOutcome.NETWORK_NOT_READY):
            self.write(uid, "Error syncing pod, skipping")
        elif outcome == SyncPodOutcome.TERMINAL:
            self.write(uid, "Pod is terminal", WorkType.SYNC)
        super().sync_pod_returns(uid, generation, outcome)

    @go("podWorkerLoop", since="1.27.0")
    @go("managePodLoop", until="1.26")
    def retry(self, uid: int, generation: int, outcome: SyncOutcome) -> None:
        if outcome == SyncOutcome.CANCELED:
            self.write(uid, "Sync exited with context cancellation error", self.iterations[uid, generation])
        else:
            self.write(uid, "Error syncing pod, skipping")
        super().retry(uid, generation, outcome)

    @go("completeSync")
    def complete_sync(self, uid: int) -> None:
        status = self.pod_sync_statuses[uid]
        self.write(uid, "Pod indicated lifecycle completed naturally and should now terminate")
        if not status.present:
            self.write(uid, "Pod had no status in completeSync, programmer error?")
        elif status.is_termination_requested():
            self.write(uid, "Pod worker attempted to set terminatingAt twice, likely programmer error")
        super().complete_sync(uid)

    @go("completeTerminating")
    def complete_terminating(self, uid: int) -> None:
        self.write(uid, "Pod terminated all containers successfully")
        self.write_terminated(uid)
        super().complete_terminating(uid)

    @go("completeTerminatingRuntimePod")
    @go("completeTerminating")
    def write_terminated(self, uid: int) -> None:
        status = self.pod_sync_statuses[uid]
        if status.present and not status.is_termination_requested():
            self.write(uid, "Pod worker was terminated but did not have terminatingAt set, likely programmer error")

    @go("completeTerminatingRuntimePod")
    def complete_terminating_runtime_pod(self, uid: int) -> None:
        self.write(uid, "Pod terminated all orphaned containers successfully and worker can now stop")
        self.write_terminated(uid)
        super().complete_terminating_runtime_pod(uid)
        self.write_done(uid, WorkType.TERMINATING)

    @go("completeTerminated")
    def complete_terminated(self, uid: int) -> None:
        status = self.pod_sync_statuses[uid]
        self.write(uid, "Pod is complete and the worker can now stop")
        if status.present and not status.is_termination_requested():
            self.write(uid, "Pod worker is complete but did not have terminatingAt set, likely programmer error")
        if status.present and not status.is_terminated():
            self.write(uid, "Pod worker is complete but did not have terminatedAt set, likely programmer error")
        super().complete_terminated(uid)
        self.write_done(uid, WorkType.TERMINATED)

    def complete_work(self, uid: int, generation: int) -> None:
        status, channel = self.pod_sync_statuses[uid], self.pod_updates[uid]
        if status.present and status.pending_update.present:
            self.write_requeued(uid, channel != NIL and not self.workers[uid][channel].token)
        self.write_done(uid, self.iterations[uid, generation])
        super().complete_work(uid, generation)

    @go("podWorkerLoop", since="1.27.0")
    @go("managePodLoop", until="1.26")
    def write_done(self, uid: int, work_type: WorkType) -> None:
        """The last line of an iteration."""
        self.write(uid, "Processing pod event done", work_type)

    @go("completeWork")
    def write_requeued(self, uid: int, sent: bool) -> None:
        self.write(uid, "Requeueing pod due to pending update" if sent else "Pending update already queued")

    def stop(self, uid: int, generation: int) -> None:
        if self.workers[uid][generation].position != Position.NONE:
            self.write_stopped(uid)
        super().stop(uid, generation)

    @go("UpdatePod", part="the goroutine that it starts")
    def write_stopped(self, uid: int) -> None:
        self.write(uid, "Pod worker has stopped")

    # -- SyncKnownPods -------------------------------------------------------------------------------------------------

    @go("removeTerminatedWorker")
    def remove_terminated_worker(self, uid: int, status: PodSyncStatus, orphaned: bool) -> bool:
        if not status.is_finished():
            message = self.why_kept(status, orphaned)
            self.write(uid, message)
            if message != "Pod is orphaned and has not been started":
                return super().remove_terminated_worker(uid, status, orphaned)
        if status.restart_requested:
            message = (
                "Pod has been terminated but another pod with the same UID was created, remove history to allow restart"
            )
        else:
            message = "Pod has been terminated and is no longer known to the kubelet, remove all history"
        self.write(uid, message)
        return super().remove_terminated_worker(uid, status, orphaned)

    @go("removeTerminatedWorker")
    def why_kept(self, status: PodSyncStatus, orphaned: bool) -> str:
        """What is said of a pod that is not finished; one that was never started is then removed all the same."""
        if not orphaned:
            return "Pod worker has been requested for removal but is still not fully terminated"
        if not status.is_started() and not status.observed_runtime:
            return "Pod is orphaned and has not been started"
        if not status.is_termination_requested():
            return "Pod is orphaned and still running, began terminating"
        return "Pod is orphaned and still terminating, notified the pod worker"


class WritesLinesSince1_33(WritesLines, V1_34):
    """Says Requeuing."""

    @go("completeWork")
    def write_requeued(self, uid: int, sent: bool) -> None:
        self.write(uid, "Requeuing pod due to pending update" if sent else "Pending update already queued")


class WritesLinesSince1_36(WritesLinesSince1_33, V1_36_3):
    """Does not say that a pod that a token is for is gone."""

    def write_received(self, uid: int) -> WorkType:
        status = self.pod_sync_statuses[uid]
        return super().write_received(uid) if status.present else status.work_type()


class WritesLinesUntil1_26(WritesLines, V1_26):
    """UpdatePod says neither what was asked for nor that it wakes the worker, which stops without a word."""

    def write_caller(self, uid: int, message: str, options: UpdatePodOptions) -> None:
        self.write(uid, message)

    @go("UpdatePod")
    def write_queued(self, uid: int, cancels: bool) -> None:
        status = self.pod_sync_statuses[uid]
        if status.working and cancels and status.context != Context.NONE:
            self.write(uid, "Cancelling current pod sync", status.work_type())

    def write_received(self, uid: int) -> WorkType:
        return self.sent_work[uid].work_type

    @go("completeUnstartedTerminated")
    def write_unstarted(self, uid: int, status: PodSyncStatus) -> None:
        self.write(uid, "Pod never started and the worker can now stop")
        super().write_unstarted(uid, status)

    def write_never_started(self, uid: int) -> None:
        self.write_done(uid, self.received)

    @go("completeWork")
    def write_requeued(self, uid: int, sent: bool) -> None:
        return

    def write_stopped(self, uid: int) -> None:
        return

    @go("removeTerminatedWorker")
    def why_kept(self, status: PodSyncStatus, orphaned: bool) -> str:
        return "Pod worker has been requested for removal but is still not fully terminated"


def with_lines(version: type[PodWorkers], *before: type) -> Any:
    """The version as a class that writes its lines, behind the classes given."""
    return type(f"Logged{version.__name__}", (*before, _form_of(version), version), {})


def _form_of(version: type) -> type[WritesLines]:
    form: type = WritesLines
    if issubclass(version, V1_26):
        form = WritesLinesUntil1_26
    elif issubclass(version, V1_36_3):
        form = WritesLinesSince1_36
    elif issubclass(version, V1_34):
        form = WritesLinesSince1_33
    return form


def functions_of(version: type, message: str) -> list[Go]:
    """Where the version writes a message: each method that writes one has it as a literal, and says where that is."""
    return [name for has, names in _writers(_form_of(version)) if message in has for name in names]


def _writers(form: type[WritesLines]) -> list[tuple[frozenset[object], tuple[Go, ...]]]:
    """The literals and the names in Go of each method that writes lines."""
    methods = (getattr(form, name, None) for name in dir(form) if not name.startswith("__"))
    return [
        (frozenset(each.__code__.co_consts) - {each.__doc__}, names_of(each))
        for each in methods
        if isinstance(each, FunctionType) and each.__module__ == __name__
    ]


MESSAGES = frozenset(
    literal
    for form in (WritesLines, WritesLinesSince1_33, WritesLinesUntil1_26)
    for literals, names in _writers(form)
    for literal in literals
    if names and isinstance(literal, str) and " " in literal
)
"""All that a worker of some release writes."""
