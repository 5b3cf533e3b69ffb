"""Recordings of 1.22 and later, docs/traces.md, on both sides of the comparison: as recorded, as the model shows it.

Both come in one normal form: what is false, 0, empty or absent in Go is left out; lists whose order means nothing are
sorted.
"""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from podproof.kubelet.replay import (
    Event,
    Form,
    Journal,
    Shown,
    WorkerId,
    empty,
    normal_pod,
    room,
    without_empty,
)
from podproof.kubelet.trace_events import cached, details_of, outcomes, update_options
from podproof.model.language import NIL, Disabled, is_new_member
from podproof.model.pod_workers import PodWorkers
from podproof.model.releases import V1_26, V1_35
from podproof.model.state import (
    Cached,
    Channel,
    Context,
    Delay,
    KillPodOptions,
    Position,
    UpdatePodOptions,
    WorkType,
)

UNKNOWN = "unknown"
"""The UID that recordings ask the queries about although no pod ever had it."""
TIMES = {
    "syncedAt": "present",
    "startedAt": "started_at",
    "terminatingAt": "terminating_at",
    "terminatedAt": "terminated_at",
}
"""Recorded time -> the field of PodSyncStatus that says whether it is set."""

_WORK_TYPES = {WorkType.SYNC: 0, WorkType.TERMINATING: 1, WorkType.TERMINATED: 2}


@dataclass(frozen=True)
class PodNames:
    """What a trace calls things, by the model's indices."""

    uids: tuple[str, ...]
    """The last one is UNKNOWN."""
    strangers: tuple[str, ...]
    """UIDs that the queries are asked about, and that no event names: each is like UNKNOWN."""
    full_names: tuple[str, ...]
    """The last one is no pod's."""
    channels: Mapping[int, int]
    """Kill request -> the id of its CompletedCh."""
    status_funcs: Mapping[int, int]
    """Kill request -> the id of its PodStatusFunc."""

    def index(self, uid: str) -> int:
        # A desired pod that the workers never hear of is like the unknown one.
        return self.uids.index(uid if uid in self.uids else UNKNOWN)


@dataclass
class PodJournal(Journal):
    """Also: which requests to kill there were, and when times became set."""

    desired: frozenset[int] = frozenset()
    known: Shown = field(default_factory=dict)
    closed: list[int] = field(default_factory=list)
    times: dict[tuple[int, str], int] = field(default_factory=dict)
    kills: int = 0

    of_step: ClassVar[tuple[str, ...]] = (*Journal.of_step, "desired", "known", "closed")

    def shown(self) -> Shown:
        return {**super().shown(), "ret": self.known, "closedCh": sorted(self.closed)}


class Recorder(PodWorkers):
    """Put in front of a version, it writes into a journal what the version does."""

    journal: PodJournal
    names: PodNames

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
    def cleanup_unstarted_pod(self, uid: int, *given: Any) -> None:
        """The Go's takes the pod as well, which a translation may keep."""
        super().cleanup_unstarted_pod(uid, *given)
        self.note_terminated_at(uid)

    def complete_terminating(self, uid: int) -> None:
        super().complete_terminating(uid)
        self.note_terminated_at(uid)

    def note_terminated_at(self, uid: int) -> None:
        self.journal.times[uid, "terminatedAt"] = self.journal.tick


class RecorderUntil1_26(Recorder, V1_26):
    """Recordings of 1.26 have the times at which a change was first seen, and another answer of SyncKnownPods."""

    def record_known_pod(self, uid: int, work_type: WorkType, orphan: bool) -> None:
        self.journal.known[self.names.uids[uid]] = {"state": work_type.value}

    def record_restartable_pod(self, uid: int) -> None:
        self.journal.known[self.names.uids[uid]] = {"state": "terminatedAndRecreated"}

    def note_terminated_at(self, uid: int) -> None:
        self.journal.times.setdefault((uid, "terminatedAt"), self.journal.tick)


class FormSince1_27(Form):
    """The recordings of 1.27 to 1.34."""

    recorder: ClassVar[type] = Recorder
    hooks: ClassVar[Mapping[str, str]] = {"pauseCache": "cache", "pauseEnqueue": "enqueue"}
    position = Position
    running = (Position.SPAWNED, Position.TOKEN, Position.CACHE, Position.ENQUEUE, Position.COMPLETE)
    blocking = (
        Position.SYNC_POD,
        Position.SYNC_TERMINATING_POD,
        Position.SYNC_TERMINATING_RUNTIME_POD,
        Position.SYNC_TERMINATED_POD,
    )
    contexts: ClassVar[Mapping[Context, str]] = {
        Context.NONE: "",
        Context.LIVE: "live",
        Context.CANCELLED: "canceled",
    }
    hidden: ClassVar[frozenset[str]] = frozenset()
    """What a status has in the model and no recording shows."""
    runtime_call: ClassVar[str] = "SyncTerminatingRuntimePod"
    """The name of the call that kills containers without configuration."""
    runtime_pods_have_a_pod: ClassVar[bool] = False
    """Is a pod made of the containers without configuration put into their update?"""
    pending_status_functions: ClassVar[bool] = True
    """Is the PodStatusFunc of an update that waits recorded?"""

    def begin(self, trace: Mapping[str, Any], recorder: type) -> Any:
        updates = [step["op"] for step in trace["steps"] if step["op"]["op"] == "update"]
        asked = dict.fromkeys(uid for step in trace["steps"] for uid in step.get("queries") or ())
        unsettled = sum(not step.get("settled") for step in trace["steps"])
        most_updates = max(Counter(event["uid"] for event in updates).values(), default=1)
        names, full_names = _names_of(updates, asked)
        workers = empty(
            recorder,
            PodJournal(),
            names,
            uids=len(names.uids),
            full_names=len(names.full_names),
            kill_requests=room(sum(event.get("kill") is not None for event in updates)),
            waiting=room(len(updates)),
            # Only in unsettled steps can a goroutine outlive its channel's place in podUpdates; updates begin them.
            generations=room(min(2 + unsettled, most_updates)),
        )
        for uid, full_name in enumerate(full_names):
            workers.full_names[uid] = full_name
        return workers

    def key(self, journal: PodJournal) -> object:
        return journal.shown(), sorted(journal.times.items()), journal.stopping

    def group(self, workers: Any, uid: int) -> int:
        """Workers meet in podSyncStatuses[uid] and in the static pods of one full name, and nowhere else."""
        return int(workers.full_names[uid])

    # -- the events and the workers' steps -----------------------------------------------------------------------------

    def apply(self, workers: Any, event: Event) -> None:
        match event["op"]:
            case "update":
                self._update(workers, event)
            case "syncKnown":
                workers.journal.desired = frozenset(map(workers.names.index, event.get("desired") or ()))
                workers.sync_known_pods()
            case "cache":
                workers.pod_cache[workers.names.index(event["uid"])] = cached(event)

    def note(self, workers: Any, event: Event) -> None:
        """Times that became set in the step before get its tick."""
        times, tick = workers.journal.times, workers.journal.tick
        for uid, status in enumerate(workers.pod_sync_statuses):
            for name, flag in TIMES.items():
                if getattr(status, flag):
                    times.setdefault((uid, name), tick)
                else:
                    times.pop((uid, name), None)

    def _update(self, workers: Any, event: Event) -> None:
        journal = workers.journal
        options = update_options(event, journal.tick, journal.kills)
        if event.get("kill") is not None:
            if options.kill_pod_options.completed_ch != NIL:
                workers.completed_channels[journal.kills] = Channel.OPEN
            journal.kills += 1
        workers.update_pod(workers.names.index(event["uid"]), options)

    def stages(self, workers: Any, worker_id: WorkerId) -> Sequence[str]:
        uid, generation = worker_id
        match workers.workers[uid][generation].position:
            case Position.CACHE:
                return ("cache",)
            case Position.ENQUEUE:
                return ("enqueue",)
        return ()

    def step(self, workers: Any, worker_id: WorkerId) -> None:
        uid, generation = worker_id
        worker = workers.workers[uid][generation]
        match worker.position:
            case Position.SPAWNED if not worker.token:
                workers.start_receiving(uid, generation)
            case Position.SPAWNED | Position.TOKEN:
                workers.start_pod_sync(uid, generation)
            case Position.CACHE:
                workers.get_newer_than(uid, generation, workers.pod_cache[uid] == Cached.ERROR)
            case Position.ENQUEUE:
                workers.complete_work_enqueue(uid, generation)
            case Position.COMPLETE:
                workers.complete_work(uid, generation)
            case position if is_new_member(position):  # Of Go that takes podLock once more.
                getattr(workers, f"worker_{position.name.lower()}")(uid, generation)
            case position:
                raise AssertionError(f"a worker cannot go on from {position}")

    def returns(self, workers: Any, worker_id: WorkerId, outcome: str) -> None:
        uid, generation = worker_id
        of_sync_pod, of_others = outcomes(outcome)
        match workers.workers[uid][generation].position:
            case Position.SYNC_POD:
                try:
                    workers.sync_pod_returns(uid, generation, of_sync_pod)
                except Disabled as none:
                    raise ValueError(f"SyncPod does not return {outcome!r} in this release") from none
            case Position.SYNC_TERMINATING_POD:
                workers.sync_terminating_pod_returns(uid, generation, of_others)
            case Position.SYNC_TERMINATING_RUNTIME_POD:
                workers.sync_terminating_runtime_pod_returns(uid, generation, of_others)
            case Position.SYNC_TERMINATED_POD:
                workers.sync_terminated_pod_returns(uid, generation, of_others)
        if outcome.startswith("backoff"):
            self.retry_after(workers, worker_id, int(outcome.removeprefix("backoff")))

    def retry_after(self, workers: Any, worker_id: WorkerId, seconds: int) -> None:
        """A sync function's error said when to try again, which nothing looks at before 1.35."""

    def describe(self, event: Event) -> str:
        match event["op"]:
            case "update":
                return f"UpdatePod({', '.join([event['type'], *details_of(event)])}) of {event['uid']}"
            case "syncKnown":
                return f"SyncKnownPods({', '.join(event.get('desired') or ())})"
            case _:
                return f"the cache of {event['uid']} becomes {event.get('cache') or 'empty'}"

    # -- as recorded ---------------------------------------------------------------------------------------------------

    def expected(self, step: Mapping[str, Any], names: PodNames) -> Shown:
        queries = step.get("queries") or {}
        # A UID that is not asked about is one that the recording had not met yet, which is as good as unknown.
        unknown = queries.get(UNKNOWN, "")
        return super().expected(step, names) | without_empty(
            {
                "pods": {uid: normal_pod(pod, "pending", "active") for uid, pod in (step.get("pods") or {}).items()},
                "podsSynced": step.get("podsSynced"),
                "chans": step.get("chans"),
                "startedStatic": step.get("startedStatic"),
                "waitingStatic": without_empty(step.get("waitingStatic") or {}),
                "queries": {uid: queries.get(uid, unknown) for uid in (*names.uids, *names.strangers)},
                "mirrorTerminating": sorted(step.get("mirrorTerminating") or ()),
                "ret": {uid: without_empty(known) for uid, known in (step.get("ret") or {}).items()},
                "closedCh": sorted(step.get("closedCh") or ()),
            }
        )

    # -- as the model shows it -----------------------------------------------------------------------------------------

    def shown(self, workers: Any, calls: list[Shown], settled: bool) -> Shown:
        names = workers.names
        uids, statuses = names.uids, workers.pod_sync_statuses
        return super().shown(workers, calls, settled) | without_empty(
            {
                "pods": {
                    uids[uid]: self._show_pod(workers, uid) for uid, status in enumerate(statuses) if status.present
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
                "queries": {name: _show_queries(workers, names.index(name)) for name in (*uids, *names.strangers)},
                "mirrorTerminating": _show_terminating_names(workers, names),
            }
        )

    def shown_call(self, workers: Any, worker_id: WorkerId, stage: str | None) -> Shown:
        names, (uid_index, generation) = workers.names, worker_id
        uid, worker = names.uids[uid_index], workers.workers[uid_index][generation]
        if worker.position == Position.CACHE:
            return {"uid": uid, "stage": "cache"}
        if worker.position == Position.ENQUEUE:
            return {"uid": uid, "stage": "enqueue", "delay": worker.delay.value}
        return without_empty(
            {
                "uid": uid,
                "stage": "sync",
                "fn": self._call_at(worker.position),
                "type": worker.update_type.value if worker.position == Position.SYNC_POD else "",
                "rev": worker.revision if worker.position != Position.SYNC_TERMINATING_RUNTIME_POD else 0,
                "mirrorRev": worker.mirror_pod,
                "grace": None if worker.grace_period == NIL else worker.grace_period,
                "statusFn": 0 if worker.pod_status_func == NIL else names.status_funcs[worker.pod_status_func],
                "ctxCanceled": worker.context == Context.CANCELLED,
            }
        )

    def _show_pod(self, workers: Any, uid: int) -> Shown:
        names, journal = workers.names, workers.journal
        status = workers.pod_sync_statuses[uid]
        shown: Shown = {
            "fullname": names.full_names[workers.full_names[uid]],
            "working": status.working,
            "pending": self._show_update(status.pending_update, names),
            "active": self._show_update(status.active_update, names),
            "gracePeriod": status.grace_period,
            "notify": sum(status.notify_post_terminating),
            "statusPost": sum(status.status_post_terminating),
            "startedTerminating": status.started_terminating,
            "deleted": status.deleted,
            "evicted": status.evicted,
            "finished": status.finished,
            "restartRequested": status.restart_requested,
            "observedRuntime": status.observed_runtime,
            "ctx": self.contexts[status.context],
            "workType": _WORK_TYPES[status.work_type()],
        }
        for name, flag in TIMES.items():
            if getattr(status, flag):
                shown[name] = journal.times.get((uid, name), journal.tick)
        return {name: value for name, value in without_empty(shown).items() if name not in self.hidden}

    def _show_update(self, update: UpdatePodOptions, names: PodNames) -> Shown:
        if not update.present:
            return {}
        return without_empty(
            {
                "type": update.update_type.value,
                "rev": update.pod.revision,
                "hasPod": update.pod.present or (update.running_pod and self.runtime_pods_have_a_pod),
                "running": update.running_pod,
                "mirrorRev": update.mirror_pod,
                "kill": self._show_kill(update.kill_pod_options, names),
                "startTick": update.start_time,
            }
        )

    def _show_kill(self, kill: KillPodOptions, names: PodNames) -> Shown | None:
        if not kill.present:
            return None
        shows_function = kill.pod_status_func != NIL and self.pending_status_functions
        return without_empty(
            {
                "evict": kill.evict,
                "grace": None if kill.grace_period_seconds_override == NIL else kill.grace_period_seconds_override,
                "ch": int(kill.completed_ch != NIL),
                "statusFn": names.status_funcs[kill.pod_status_func] if shows_function else 0,
            }
        )

    def _call_at(self, position: Position) -> str:
        return {
            Position.SYNC_POD: "SyncPod",
            Position.SYNC_TERMINATING_POD: "SyncTerminatingPod",
            Position.SYNC_TERMINATING_RUNTIME_POD: self.runtime_call,
            Position.SYNC_TERMINATED_POD: "SyncTerminatedPod",
        }[position]


class FormUntil1_26(FormSince1_27):
    """The recordings of 1.22 to 1.26."""

    recorder = RecorderUntil1_26
    hidden = frozenset(("startedAt", "observedRuntime"))
    runtime_call = "SyncTerminatingPod+runningPod"
    runtime_pods_have_a_pod = True
    pending_status_functions = False


class FormSince1_35(FormSince1_27):
    """The recordings of 1.35 and later, in which an error may say when to try again."""

    def retry_after(self, workers: V1_35, worker_id: WorkerId, seconds: int) -> None:
        uid, generation = worker_id
        clamped = workers.clamp_backoff(seconds)
        named: dict[int, Any] = {0: Delay.NOW, 1: Delay.TRANSIENT, 10: Delay.BACKOFF}
        named[workers.resync_seconds] = Delay.RESYNC
        label = f"{duration(clamped)}..{duration(1.5 * clamped)}"
        workers.workers[uid][generation].delay = named.get(clamped, RetryAfter(label))


class FormOf1_36(FormSince1_35):
    """The recordings of 1.36.0 to 1.36.2, which only tell whether there is a cancelFn."""

    contexts: ClassVar[Mapping[Context, str]] = {Context.NONE: "", Context.LIVE: "set", Context.CANCELLED: "set"}


@dataclass(frozen=True)
class RetryAfter:
    """A delay by its seconds, in place of a Delay: the model itself keeps no durations. [A5]"""

    value: str


def duration(seconds: float) -> str:
    """As Go prints a time.Duration below an hour: 52.5s, 1m15s."""
    minutes, rest = divmod(seconds, 60)
    return f"{minutes:.0f}m{rest:g}s" if minutes else f"{rest:g}s"


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


def _show_terminating_names(workers: PodWorkers, names: PodNames) -> list[str]:
    if not hasattr(workers, "is_pod_for_mirror_pod_terminating_by_full_name"):
        return []
    is_terminating = workers.is_pod_for_mirror_pod_terminating_by_full_name
    return sorted(name for full_name, name in enumerate(names.full_names) if is_terminating(full_name))


def _names_of(updates: Sequence[Event], asked: Iterable[str]) -> tuple[PodNames, list[int]]:
    """What the trace calls things, and each UID's full name; kill requests are numbered in their order.

    Raises ValueError for a pod whose name changes.
    """
    full_name_of: dict[str, str] = {}
    for event in updates:
        for pod in filter(None, (event.get("pod"), event.get("runningPod"))):
            full_name = f"{pod['name']}_{pod['ns']}"
            if full_name_of.setdefault(event["uid"], full_name) != full_name:
                first = full_name_of[event["uid"]]
                raise ValueError(f"the pod {event['uid']} is called {first} and {full_name}; a pod keeps its name")
    uids = (*full_name_of, UNKNOWN)
    full_names = (*dict.fromkeys(full_name_of.values()), UNKNOWN)
    kills = [event["kill"] for event in updates if event.get("kill") is not None]
    channels = {request: kill["ch"] for request, kill in enumerate(kills) if kill.get("ch")}
    status_funcs = {request: kill["statusFn"] for request, kill in enumerate(kills) if kill.get("statusFn")}
    indices = [full_names.index(full_name_of.get(uid, UNKNOWN)) for uid in uids]
    strangers = tuple(uid for uid in asked if uid not in uids)
    return PodNames(uids, strangers, full_names, channels, status_funcs), indices
