"""The recorded format, docs/traces.md, on both sides of the comparison: as recorded, and as the model shows it.

Both come in one normal form: what is false, 0, empty or absent in Go is left out; lists whose order means nothing are
sorted.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from podproof.model.language import NIL, copy, make
from podproof.model.pod_workers import PodWorkers
from podproof.model.state import (
    Context,
    KillPodOptions,
    PodWorker,
    Position,
    UpdatePodOptions,
    WorkType,
)

R = TypeVar("R")
Shown = dict[str, Any]
UNKNOWN = "unknown"
"""The UID that recordings ask the queries about although no pod ever had it."""
TIMES = {
    "syncedAt": "present",
    "startedAt": "started_at",
    "terminatingAt": "terminating_at",
    "terminatedAt": "terminated_at",
}
"""Recorded time -> the field of PodSyncStatus that says whether it is set."""

MOST_ROOM = 1_000
"""Of a replay: UIDs times what there may be of each; that of a recording is some dozens."""
_OPTIONAL = ("grace", "kill")
"""Go pointers: present and zero is not absent."""
_WORK_TYPES = {WorkType.SYNC: 0, WorkType.TERMINATING: 1, WorkType.TERMINATED: 2}


@dataclass(frozen=True)
class Form:
    """What the recordings of a release show differently; the defaults are those of 1.27 to 1.34."""

    contexts: Mapping[Context, str] = field(
        default_factory=lambda: {Context.NONE: "", Context.LIVE: "live", Context.CANCELLED: "canceled"}
    )
    hidden: frozenset[str] = frozenset()
    """What a status has in the model and no recording shows."""
    runtime_call: str = "SyncTerminatingRuntimePod"
    """The name of the call that kills containers without configuration."""
    runtime_pods_have_a_pod: bool = False
    """Is a pod made of the containers without configuration put into their update?"""
    pending_status_functions: bool = True
    """Is the PodStatusFunc of an update that waits recorded?"""

    @property
    def calls(self) -> Mapping[Position, str]:
        return {
            Position.SYNC_POD: "SyncPod",
            Position.SYNC_TERMINATING_POD: "SyncTerminatingPod",
            Position.SYNC_TERMINATING_RUNTIME_POD: self.runtime_call,
            Position.SYNC_TERMINATED_POD: "SyncTerminatedPod",
        }


@dataclass(frozen=True)
class Names:
    """What a trace calls things, by the model's indices."""

    uids: tuple[str, ...]
    """The last one is UNKNOWN."""
    full_names: tuple[str, ...]
    """The last one is no pod's."""
    channels: Mapping[int, int]
    """Kill request -> the id of its CompletedCh."""
    status_funcs: Mapping[int, int]
    """Kill request -> the id of its PodStatusFunc."""
    form: Form


@dataclass
class Journal:
    """What the model's state does not keep: what happened in the current step, and when times became set."""

    tick: int = 0
    desired: frozenset[int] = frozenset()
    known: Shown = field(default_factory=dict)
    enqueued: list[Shown] = field(default_factory=list)
    closed: list[int] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    panicked: bool = False
    stopping: int = 0
    """Goroutines that the model has ended and that in Go still have to wake up for it."""
    times: dict[tuple[int, str], int] = field(default_factory=dict)

    def copy(self) -> Journal:
        return Journal(
            self.tick,
            self.desired,
            dict(self.known),
            list(self.enqueued),
            list(self.closed),
            list(self.events),
            self.panicked,
            self.stopping,
            dict(self.times),
        )

    def begin_step(self, tick: int) -> None:
        self.tick = tick
        self.desired = frozenset()
        self.known = {}
        self.enqueued, self.closed, self.events = [], [], []
        self.panicked = False


def without_empty(fields: Mapping[str, Any]) -> Shown:
    """The fields that Go would not leave out."""
    return {name: value for name, value in fields.items() if value or (name in _OPTIONAL and value is not None)}


def in_some_order(entries: Iterable[Shown]) -> list[Shown]:
    """A list whose order means nothing, in an order that only depends on its entries."""
    return sorted(entries, key=lambda entry: str(sorted(entry.items())))


# -- where a trace is replayed -----------------------------------------------------------------------------------------


def room(number: int) -> int:
    """Room for so many; the same for most traces."""
    return 1 << max(0, number - 1).bit_length()


def empty(recorder: type[R], **sizes: int) -> R:
    """A node on which nothing has happened. Raises ValueError where it would be too large."""
    most = sizes["uids"] * max(sizes.values())
    if most > MOST_ROOM:
        raise ValueError(
            f"there are so many UIDs and events that a replay would need room for {most:,} of their goroutines or kill "
            f"requests, more than {MOST_ROOM:,}; record fewer pods or fewer steps in one trace"
        )
    untyped: type = recorder
    prototype: R = _made(untyped, tuple(sizes.items()))
    return copy(prototype)


@functools.lru_cache(maxsize=256)
def _made(recorder: type, sizes: tuple[tuple[str, int], ...]) -> Any:
    """To be copied, which takes a fraction of the time."""
    return make(recorder, dict(sizes))


# -- as recorded ---------------------------------------------------------------------------------------------------


def normalise_step(step: Mapping[str, Any], names: Names) -> Shown:
    """What a recorded step says, in normal form. Log lines and the ids of calls are left out."""
    queries = step.get("queries") or {}
    # A UID that the recording had not met yet is as good as unknown.
    unknown = queries.get(UNKNOWN, "")
    return without_empty(
        {
            "pods": {uid: _normalise_pod(pod) for uid, pod in (step.get("pods") or {}).items()},
            "podsSynced": step.get("podsSynced"),
            "chans": step.get("chans"),
            "startedStatic": step.get("startedStatic"),
            "waitingStatic": without_empty(step.get("waitingStatic") or {}),
            "inflight": in_some_order(normalise_call(call) for call in step.get("inflight") or ()),
            "workers": step.get("workers"),
            "queries": {uid: queries.get(uid, unknown) for uid in names.uids},
            "mirrorTerminating": sorted(step.get("mirrorTerminating") or ()),
            "ret": {uid: without_empty(known) for uid, known in (step.get("ret") or {}).items()},
            "enqueued": in_some_order(step.get("enqueued") or ()),
            "closedCh": sorted(step.get("closedCh") or ()),
            "recorderEvents": sorted(_event(text) for text in step.get("recorderEvents") or ()),
            "panic": bool(step.get("panic")),
        }
    )


def normalise_call(call: Mapping[str, Any]) -> Shown:
    """A call that a worker is blocked in, without its id."""
    return without_empty({name: value for name, value in call.items() if name != "id"})


def call_named(event: Mapping[str, Any], calls: Mapping[int, Shown]) -> Shown:
    """The call that a `finish` is about, among those in flight by their ids. Raises ValueError where there is none."""
    call = calls.get(event["inflight"])
    if call is None or call["uid"] != event["uid"]:
        known = ", ".join(f"{number} of {call['uid']}" for number, call in calls.items()) or "none"
        raise ValueError(
            f"no call {event['inflight']} of {event['uid']} was in flight after the step before; in flight: {known}"
        )
    return call


def _normalise_pod(pod: Mapping[str, Any]) -> Shown:
    shown = without_empty(pod)
    for name in ("pending", "active"):
        if name in shown:
            shown[name] = without_empty(shown[name])
            if "kill" in shown[name]:
                shown[name]["kill"] = without_empty(shown[name]["kill"])
    return shown


def _event(text: str) -> str:
    """An event without its message, which is the cache's own: UID, type and reason."""
    return " ".join(text.split(" ")[:3])


# -- as the model shows it -----------------------------------------------------------------------------------------


def show_step(workers: PodWorkers, names: Names, journal: Journal, calls: list[Shown], settled: bool) -> Shown:
    """What the model shows after a step. `calls` are those that workers are blocked in."""
    uids, statuses = names.uids, workers.pod_sync_statuses
    return without_empty(
        {
            "pods": {
                uids[uid]: _show_pod(workers, names, journal, uid)
                for uid, status in enumerate(statuses)
                if status.present
            },
            "podsSynced": workers.pods_synced,
            "chans": {
                uids[uid]: int(workers.workers[uid][generation].token)
                for uid, generation in enumerate(workers.pod_updates)
                if generation != NIL
            },
            "startedStatic": {
                names.full_names[full_name]: uids[uid]
                for full_name, uid in enumerate(workers.started_static_pods)
                if uid != NIL
            },
            "waitingStatic": {
                names.full_names[full_name]: [uids[uid] for uid in waiting.uids if uid != NIL]
                for full_name, waiting in enumerate(workers.waiting_to_start_static_pods)
                if waiting.length
            },
            "inflight": in_some_order(calls),
            "workers": _count_workers(workers, journal, settled),
            "queries": {name: _show_queries(workers, uid) for uid, name in enumerate(uids)},
            "mirrorTerminating": _show_terminating_names(workers, names),
            "ret": journal.known,
            "enqueued": in_some_order(journal.enqueued),
            "closedCh": sorted(journal.closed),
            "recorderEvents": sorted(journal.events),
            "panic": journal.panicked,
        }
    )


def show_call(worker: PodWorker, uid: str, names: Names) -> Shown:
    """The call that a worker is blocked in, by its position."""
    if worker.position == Position.CACHE:
        return {"uid": uid, "stage": "cache"}
    if worker.position == Position.ENQUEUE:
        return {"uid": uid, "stage": "enqueue", "delay": worker.delay.value}
    return without_empty(
        {
            "uid": uid,
            "stage": "sync",
            "fn": names.form.calls[worker.position],
            "type": worker.update_type.value if worker.position == Position.SYNC_POD else "",
            "rev": worker.revision if worker.position != Position.SYNC_TERMINATING_RUNTIME_POD else 0,
            "mirrorRev": worker.mirror_pod,
            "grace": None if worker.grace_period == NIL else worker.grace_period,
            "statusFn": 0 if worker.pod_status_func == NIL else names.status_funcs[worker.pod_status_func],
            "ctxCanceled": worker.context == Context.CANCELLED,
        }
    )


def _show_pod(workers: PodWorkers, names: Names, journal: Journal, uid: int) -> Shown:
    status = workers.pod_sync_statuses[uid]
    shown: Shown = {
        "fullname": names.full_names[workers.full_names[uid]],
        "working": status.working,
        "pending": _show_update(status.pending_update, names),
        "active": _show_update(status.active_update, names),
        "gracePeriod": status.grace_period,
        "notify": sum(status.notify_post_terminating),
        "statusPost": sum(status.status_post_terminating),
        "startedTerminating": status.started_terminating,
        "deleted": status.deleted,
        "evicted": status.evicted,
        "finished": status.finished,
        "restartRequested": status.restart_requested,
        "observedRuntime": status.observed_runtime,
        "ctx": names.form.contexts[status.context],
        "workType": _WORK_TYPES[status.work_type()],
    }
    for name, flag in TIMES.items():
        if getattr(status, flag):
            shown[name] = journal.times.get((uid, name), journal.tick)
    return {name: value for name, value in without_empty(shown).items() if name not in names.form.hidden}


def _show_update(update: UpdatePodOptions, names: Names) -> Shown:
    if not update.present:
        return {}
    return without_empty(
        {
            "type": update.update_type.value,
            "rev": update.pod.revision,
            "hasPod": update.pod.present or (update.running_pod and names.form.runtime_pods_have_a_pod),
            "running": update.running_pod,
            "mirrorRev": update.mirror_pod,
            "kill": _show_kill(update.kill_pod_options, names),
            "startTick": update.start_time,
        }
    )


def _show_kill(kill: KillPodOptions, names: Names) -> Shown | None:
    if not kill.present:
        return None
    shows_function = kill.pod_status_func != NIL and names.form.pending_status_functions
    return without_empty(
        {
            "evict": kill.evict,
            "grace": None if kill.grace_period_seconds_override == NIL else kill.grace_period_seconds_override,
            "ch": int(kill.completed_ch != NIL),
            "statusFn": names.status_funcs[kill.pod_status_func] if shows_function else 0,
        }
    )


_QUERIES = (
    "is_pod_known_terminated",
    "could_have_running_containers",
    "should_pod_be_finished",
    "is_pod_termination_requested",
    "should_pod_containers_be_terminating",
    "should_pod_runtime_be_removed",
    "should_pod_content_be_removed",
)


@functools.cache
def _queries_of(release: type) -> Sequence[Callable[[PodWorkers, int], bool] | None]:
    """The queries; None in place of one that the release lacks."""
    return [getattr(release, name, None) for name in _QUERIES]


def _show_queries(workers: PodWorkers, uid: int) -> str:
    """Each query's answer, 0 or 1; a dash for a query that the release lacks."""
    release: type = type(workers)
    return "".join(["-" if query is None else "01"[query(workers, uid)] for query in _queries_of(release)])


def _show_terminating_names(workers: PodWorkers, names: Names) -> list[str]:
    if not hasattr(workers, "is_pod_for_mirror_pod_terminating_by_full_name"):
        return []
    is_terminating = workers.is_pod_for_mirror_pod_terminating_by_full_name
    return sorted(name for full_name, name in enumerate(names.full_names) if is_terminating(full_name))


def _count_workers(workers: PodWorkers, journal: Journal, settled: bool) -> int:
    """The live goroutines; before the workers ran, one that has not begun does not count and one that ends does."""
    absent = (Position.NONE,) if settled else (Position.NONE, Position.SPAWNED)
    alive = sum(worker.position not in absent for of_uid in workers.workers for worker in of_uid)
    return alive if settled else alive + journal.stopping
