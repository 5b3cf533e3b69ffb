"""Drives the model in CPython through the events of a recorded trace, with integers that know no bounds.

Nothing here decides anything: an event is applied, a worker takes a step, the model is shown as a recording would
show it. `podproof.checker.conformance` tries the orders and compares.
"""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from podproof.model.language import Array, copy, make
from podproof.model.pod_worker_loop import SyncOutcome, SyncPodOutcome
from podproof.model.pod_workers import PodWorkers
from podproof.model.state import (
    Cached,
    Channel,
    Delay,
    KillPodOptions,
    Phase,
    Pod,
    PodSyncStatus,
    Position,
    UpdatePodOptions,
    UpdateType,
    WorkType,
)
from podproof.model.trace_format import (
    TIMES,
    UNKNOWN,
    Journal,
    Names,
    Shown,
    normalise_call,
    normalise_step,
    show_call,
    show_step,
    without_empty,
)

WorkerId = tuple[int, int]
"""A goroutine: its UID's index and its generation."""

_CACHED = {
    "": Cached.NOTHING_RUNNING,
    "exited": Cached.NOTHING_RUNNING,
    "running": Cached.RUNNING,
    "sandboxReady": Cached.RUNNING,
    "error": Cached.ERROR,
}
_PHASES = {
    "": Phase.RUNNING,
    "Pending": Phase.RUNNING,
    "Running": Phase.RUNNING,
    "Unknown": Phase.RUNNING,
    "Succeeded": Phase.SUCCEEDED,
    "Failed": Phase.FAILED,
}
_FAILURES = {
    "error": SyncOutcome.ERROR,
    "terminalError": SyncOutcome.ERROR,
    "wrapped": SyncOutcome.ERROR,
    "network": SyncOutcome.NETWORK_NOT_READY,
    "canceled": SyncOutcome.CANCELED,
}
_SYNC_OUTCOMES = {"ok": SyncOutcome.OK, "terminal": SyncOutcome.OK, **_FAILURES}
_SYNC_POD_OUTCOMES = {
    "ok": SyncPodOutcome.OK,
    "terminal": SyncPodOutcome.TERMINAL,
    **{name: SyncPodOutcome[outcome.name] for name, outcome in _FAILURES.items()},
}
_BLOCKING = (
    Position.SYNC_POD,
    Position.SYNC_TERMINATING_POD,
    Position.SYNC_TERMINATING_RUNTIME_POD,
    Position.SYNC_TERMINATED_POD,
)


class Recorder(PodWorkers):
    """Put in front of a version, it writes into a journal what the version does."""

    journal: Journal
    names: Names

    def is_desired(self, uid: int) -> bool:
        return uid in self.journal.desired

    def record_known_pod(self, uid: int, work_type: WorkType, orphan: bool) -> None:
        super().record_known_pod(uid, work_type, orphan)
        self.journal.known[self.names.uids[uid]] = without_empty(
            {
                "state": work_type.value,
                "orphan": orphan,
                "hasConfig": self.has_config(uid),
                "static": self.is_static(uid),
            }
        )

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
        self.journal.times[uid, "terminatedAt"] = self.journal.tick

    def complete_terminating(self, uid: int) -> None:
        super().complete_terminating(uid)
        self.journal.times[uid, "terminatedAt"] = self.journal.tick


@functools.cache
def recorder_of(version: type[PodWorkers]) -> type[Recorder]:
    """The version with the recorder in front of it."""
    return type(f"Recorded{version.__name__}", (Recorder, version), {})


class Replayer:
    """One candidate for what the real code did: the model, in one of the orders that the workers may have run in."""

    def __init__(self, trace: Mapping[str, Any], version: type[PodWorkers]) -> None:
        events = [step["op"] for step in trace["steps"]]
        self.names, full_names = _names(events)
        kills = max(1, sum("kill" in event for event in events))
        updates = max(1, sum(event["op"] == "update" for event in events))
        unsettled = sum(not step.get("settled") for step in trace["steps"])
        sizes = {
            "uids": len(self.names.uids),
            "full_names": len(self.names.full_names),
            "kill_requests": kills,
            "waiting": updates,
            # Only in unsettled steps can a goroutine outlive its channel's place in the map.
            "generations": 2 + unsettled,
        }
        self.workers = make(recorder_of(version), sizes)
        for uid, full_name in enumerate(full_names):
            self.workers.full_names[uid] = full_name
        self.workers.journal = Journal()
        self.workers.names = self.names
        self.kills = 0
        self.paused: frozenset[tuple[int, Position]] = frozenset()
        self.blocked: frozenset[WorkerId] = frozenset()
        """Workers that a hook has stopped before the cache's answer or before the work queue."""
        self.calls: dict[int, Shown] = {}
        """The recorded calls of the step before, by id."""

    def copy(self) -> Replayer:
        """Another candidate that goes on from here by itself."""
        fresh = object.__new__(Replayer)
        fresh.__dict__.update(self.__dict__)
        fresh.workers = copy(self.workers)
        fresh.workers.journal = self.workers.journal.copy()
        return fresh

    def key(self) -> tuple[object, ...]:
        """Equal for candidates that have done the same and will do the same."""
        journal = self.workers.journal
        return (
            tuple(_scalars(self.workers)),
            self.blocked,
            frozenset(journal.times.items()),
            journal.stopping,
            str(self.show(True)),
        )

    # -- what the comparison needs ---------------------------------------------------------------------------------

    def expected(self, step: Mapping[str, Any]) -> Shown:
        """What the trace recorded, in the form of `show`."""
        return normalise_step(step, self.names)

    def show(self, settled: bool) -> Shown:
        """What the model shows."""
        calls = [
            show_call(worker, self.names.uids[uid], self.names) for uid, generation, worker in self._calls(generation=True)
        ]
        return show_step(self.workers, self.names, self.workers.journal, calls, settled)

    def accept(self, step: Mapping[str, Any]) -> None:
        """The trace agrees with this candidate after `step`, whose call ids a later event may name."""
        self.calls = {call["id"]: normalise_call(call) for call in step.get("inflight") or ()}
        if step.get("settled"):
            self.workers.journal.stopping = 0
