"""What a release does, as a journal: the classes put in front of a version in order to replay a trace on it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from podproof.model.pod_workers import PodWorkers
from podproof.model.releases import V1_26, V1_35
from podproof.model.state import Context, Delay, PodSyncStatus, Position, WorkType
from podproof.model.trace_format import Form, Journal, Names, without_empty


class Recorder(PodWorkers):
    """Put in front of a version, it writes into a journal what the version does."""

    form: ClassVar[Form] = Form()
    journal: Journal
    names: Names

    def is_desired(self, uid: int) -> bool:
        return uid in self.journal.desired

    def record_known_pod(self, uid: int, work_type: WorkType, orphan: bool) -> None:
        super().record_known_pod(uid, work_type, orphan)
        known = {"state": work_type.value, "orphan": orphan}
        config = {"hasConfig": self.has_config(uid), "static": self.is_static(uid)}
        self.journal.known[self.names.uids[uid]] = without_empty(known | config)

    def enqueue(self, uid: int, delay: Delay) -> None:
        super().enqueue(uid, delay)
        self.journal.enqueued.append({"uid": self.names.uids[uid], "delay": delay.value})

    def close_channel(self, request: int) -> None:
        super().close_channel(request)
        self.journal.closed.append(self.names.channels[request])

    def get_newer_than(self, uid: int, generation: int, error: bool) -> None:
        super().get_newer_than(uid, generation, error)
        if error:
            self.journal.events.append(f"{self.names.uids[uid]} Warning FailedSync")

    def stop(self, uid: int, generation: int) -> None:
        if self.workers[uid][generation].position == Position.RECEIVING:
            self.journal.stopping += 1
        super().stop(uid, generation)

    # Go sets terminatedAt a second time where the model's flag is set already.
    def cleanup_unstarted_pod(self, uid: int, status: PodSyncStatus) -> None:
        super().cleanup_unstarted_pod(uid, status)
        self.note_terminated_at(uid)

    def complete_terminating(self, uid: int) -> None:
        super().complete_terminating(uid)
        self.note_terminated_at(uid)

    def note_terminated_at(self, uid: int) -> None:
        self.journal.times[uid, "terminatedAt"] = self.journal.tick


class RecorderUntil1_26(Recorder, V1_26):
    """Recordings of 1.26 have the times at which a change was first seen, and another answer of SyncKnownPods."""

    form = Form(
        hidden=frozenset(("startedAt", "observedRuntime")),
        runtime_call="SyncTerminatingPod+runningPod",
        runtime_pods_have_a_pod=True,
        pending_status_functions=False,
    )

    def record_known_pod(self, uid: int, work_type: WorkType, orphan: bool) -> None:
        self.journal.known[self.names.uids[uid]] = {"state": work_type.value}

    def record_restartable_pod(self, uid: int) -> None:
        self.journal.known[self.names.uids[uid]] = {"state": "terminatedAndRecreated"}

    def note_terminated_at(self, uid: int) -> None:
        self.journal.times.setdefault((uid, "terminatedAt"), self.journal.tick)


class RecorderSince1_35(Recorder, V1_35):
    """Recordings of 1.35 only tell whether there is a cancelFn."""

    form = Form(contexts={Context.NONE: "", Context.LIVE: "set", Context.CANCELLED: "set"})


def recorder_of(version: type[PodWorkers]) -> type[Recorder]:
    """The recorder that goes in front of a version."""
    for recorder in (RecorderUntil1_26, RecorderSince1_35):
        if issubclass(version, recorder.__mro__[recorder.__mro__.index(Recorder) + 1]):
            return recorder
    return Recorder


@dataclass(frozen=True)
class RetryAfter:
    """A delay by its seconds, in place of a Delay: the model itself keeps no durations. [A5]"""

    value: str


def retry_after(workers: Any, worker_id: tuple[int, int], seconds: int) -> None:
    """A sync function's error said when to try again; before 1.35 nothing looks at that."""
    uid, generation = worker_id
    if isinstance(workers, V1_35):
        clamped = workers.clamp_backoff(seconds)
        named: dict[int, Any] = {0: Delay.NOW, 1: Delay.TRANSIENT, 10: Delay.BACKOFF}
        named[workers.resync_seconds] = Delay.RESYNC
        label = f"{duration(clamped)}..{duration(1.5 * clamped)}"
        workers.workers[uid][generation].delay = named.get(clamped, RetryAfter(label))


def duration(seconds: float) -> str:
    """As Go prints a time.Duration below an hour: 52.5s, 1m15s."""
    minutes, rest = divmod(seconds, 60)
    return f"{minutes:.0f}m{rest:g}s" if minutes else f"{rest:g}s"
