"""Recordings of 1.20, docs/traces-v1.20.md, on both sides of the comparison: as recorded, and as the model shows it.

Both come in one normal form: what is false, 0, empty or absent in Go is left out; lists whose order means nothing are
sorted; of an error only that there was one is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar

from podproof.kubelet.replay import (
    Event,
    Form,
    Journal,
    Shown,
    WorkerId,
    empty,
    in_some_order,
    normal_pod,
    room,
    with_kill,
    without_empty,
)
from podproof.kubelet.trace_events import details_of, pod_of
from podproof.kubelet_1_20.pod_workers import Outcome, PodWorkers
from podproof.kubelet_1_20.state import KillPodOptions, Position, UpdatePodOptions
from podproof.model.language import NIL
from podproof.model.state import Delay, Phase, UpdateType

_OUTCOMES = {
    "ok": Outcome.OK,
    "error": Outcome.ERROR,
    "network": Outcome.NETWORK_NOT_READY,
    "wrappedNetwork": Outcome.NETWORK_NOT_READY,
}
_CACHED = {"": Outcome.OK, "error": Outcome.ERROR, "networkError": Outcome.NETWORK_NOT_READY}


@dataclass(frozen=True)
class Callback:
    """Who asked for an update: the test, which gave its callback an id, or killPodNow, whose call has one."""

    kind: str
    """`onComplete` or `killNow`."""
    id: int
    uid: str


@dataclass(frozen=True)
class CallbackNames:
    """What a trace calls things, by the model's indices."""

    uids: tuple[str, ...]
    callbacks: Mapping[int, Callback]
    """Number of the event -> the callback of its update."""
    status_funcs: Mapping[int, int]
    """Number of the event -> the id of its PodStatusFunc."""

    def index(self, uid: str) -> int:
        return self.uids.index(uid)


@dataclass
class CallbackJournal(Journal):
    """Also: who called whom back, and who is still to call."""

    cache_calls: list[Shown] = field(default_factory=list)
    completed: list[Shown] = field(default_factory=list)
    returned: list[Shown] = field(default_factory=list)
    seen: frozenset[int] = frozenset()
    """The UIDs that isWorking has an entry for."""
    synced: Mapping[WorkerId, int] = field(default_factory=dict)
    """Goroutine -> the tick in which its last sync ended."""
    called_back: Mapping[WorkerId, Shown] = field(default_factory=dict)
    """Goroutine -> the callback that it has called and may be held in."""
    waiting: Mapping[int, int] = field(default_factory=dict)
    """The event of a killPodNow that has not returned -> the seconds after which it gives up."""
    cached: Mapping[int, Outcome] = field(default_factory=dict)
    """What GetNewerThan returns from now on."""
    happened: tuple[Event, ...] = ()
    killers: tuple[int, ...] = ()
    """The events of those killPodNow that have not called UpdatePod yet."""

    of_step: ClassVar[tuple[str, ...]] = (*Journal.of_step, "cache_calls", "completed", "returned")

    def shown(self) -> Shown:
        return {
            **super().shown(),
            "cacheCalls": in_some_order(self.cache_calls),
            "completed": in_some_order(self.completed),
            "killNowReturned": in_some_order(self.returned),
        }


class RecorderOf1_20(PodWorkers):
    """Put in front of a version, it writes into a journal what the version does."""

    journal: CallbackJournal
    names: CallbackNames
    desired: frozenset[int]

    def is_desired(self, uid: int) -> bool:
        return uid in self.desired

    def update_pod(self, uid: int, options: Any) -> None:
        self.journal.seen |= {uid}
        super().update_pod(uid, options)

    def get_newer_than(self, uid: int, generation: int, outcome: Outcome) -> None:
        name, failed = self.names.uids[uid], outcome != Outcome.OK
        call = {"uid": name, "newerThanTick": self.journal.synced.get((uid, generation), 0), "err": failed}
        self.journal.cache_calls.append({key: value for key, value in call.items() if value})
        if failed:
            self.journal.events.append(f"{name} Warning FailedSync")
        super().get_newer_than(uid, generation, outcome)

    def sync_pod_returns(self, uid: int, generation: int, outcome: Outcome) -> None:
        super().sync_pod_returns(uid, generation, outcome)
        self.journal.synced = {**self.journal.synced, (uid, generation): self.journal.tick}

    def call_back(self, uid: int, generation: int, outcome: Outcome) -> None:
        request = self.workers[uid][generation].update.on_complete_func
        if request != NIL and self.names.callbacks[request].kind == "onComplete":
            call = {"onComplete": self.names.callbacks[request].id, **({} if outcome == Outcome.OK else {"err": True})}
            self.journal.called_back = {**self.journal.called_back, (uid, generation): call}
        super().call_back(uid, generation, outcome)

    def on_complete_func(self, request: int, outcome: Outcome) -> None:
        super().on_complete_func(request, outcome)
        callback = self.names.callbacks[request]
        call = {"id": callback.id, "uid": callback.uid, **({} if outcome == Outcome.OK else {"err": True})}
        if callback.kind == "onComplete":
            self.journal.completed.append(call)
        elif request in self.journal.waiting:
            self.journal.waiting = {r: s for r, s in self.journal.waiting.items() if r != request}
            self.journal.returned.append(call)

    def enqueue(self, uid: int, delay: Delay) -> None:
        super().enqueue(uid, delay)
        self.journal.enqueued.append({"uid": self.names.uids[uid], "delay": delay.value})

    def stop(self, uid: int, generation: int) -> None:
        if self.workers[uid][generation].position == Position.RECEIVING:
            self.journal.stopping += 1
        self.journal.synced = {w: tick for w, tick in self.journal.synced.items() if w != (uid, generation)}
        super().stop(uid, generation)


class FormOf1_20(Form):
    """The recordings of 1.20."""

    schema = "trace-v1.20"
    recorder: ClassVar[type] = RecorderOf1_20
    hooks: ClassVar[Mapping[str, str]] = {"pauseCache": "cache", "pauseComplete": "complete", "pauseEnqueue": "enqueue"}
    position = Position
    running = (Position.SPAWNED, Position.CACHE, Position.ENQUEUE, Position.CHECK)
    blocking = (Position.SYNC_POD,)

    def begin(self, trace: Mapping[str, Any], recorder: type) -> Any:
        events = [step["op"] for step in trace["steps"]]
        names = _names_of(events)
        # A goroutine begins with an update, and it is another one only after the one before has been forgotten.
        goroutines = max((min(_begun(events, uid), 1 + _forgotten(events, uid)) for uid in names.uids), default=1)
        return empty(recorder, CallbackJournal(), names, uids=len(names.uids), goroutines=room(goroutines))

    def key(self, journal: CallbackJournal) -> object:
        maps = (journal.synced, journal.called_back, journal.waiting)
        kept = (sorted(journal.seen), *(sorted(entries.items()) for entries in maps))
        return journal.shown(), kept, journal.stopping, journal.killers

    # -- the events and the goroutines' steps --------------------------------------------------------------------------

    def callers(self, workers: Any) -> Iterator[WorkerId]:
        """Each killPodNow that is about to call UpdatePod, by minus the number of its event."""
        for number in workers.journal.killers:
            yield workers.names.index(workers.journal.happened[number]["uid"]), -1 - number

    def note(self, workers: Any, event: Event) -> None:
        workers.journal.happened += (event,)

    def apply(self, workers: Any, event: Event) -> None:
        journal, number = workers.journal, len(workers.journal.happened) - 1
        match event["op"]:
            case "update":
                self._update(workers, number)
            case "killPodNow":
                journal.killers += (number,)
            case "forget":
                workers.forget_worker(workers.names.index(event["uid"]))
            case "forgetNonExisting":
                desired = event.get("desired") or ()
                workers.desired = frozenset(uid for uid, name in enumerate(workers.names.uids) if name in desired)
                workers.forget_non_existing_pod_workers()
            case "cache":
                answer = _CACHED[event.get("cache") or ""]
                journal.cached = {**journal.cached, workers.names.index(event["uid"]): answer}
            case "wait":
                self._wait(workers, event["seconds"])

    def _update(self, workers: Any, number: int) -> None:
        """Call UpdatePod, which is all that an `update` does and what killPodNow begins with."""
        event = workers.journal.happened[number]
        if event.get("pod") is None:
            # UpdatePod looks at the pod's UID first of all.
            workers.journal.panicked = True
            return
        options = _update_options(event, number)
        if event["op"] == "killPodNow":
            workers.journal.waiting = {**workers.journal.waiting, number: seconds_to_wait(options)}
        workers.update_pod(workers.names.index(event["uid"]), options)

    def _wait(self, workers: Any, seconds: int) -> None:
        """Time passes, which only killPodNow notices."""
        journal = workers.journal
        left = {number: wait - seconds for number, wait in journal.waiting.items()}
        journal.waiting = {number: wait for number, wait in left.items() if wait > 0}
        for number in left.keys() - journal.waiting.keys():
            callback = workers.names.callbacks[number]
            journal.returned.append({"id": callback.id, "uid": callback.uid, "err": True})
            journal.events.append(f"{callback.uid} Warning ExceededGracePeriod")

    def stages(self, workers: Any, worker_id: WorkerId) -> Sequence[str]:
        uid, generation = worker_id
        if generation < 0:
            return ()
        match workers.workers[uid][generation].position:
            case Position.CACHE:
                return ("cache",)
            case Position.ENQUEUE if worker_id in workers.journal.called_back:
                return ("complete", "enqueue")
            case Position.ENQUEUE:
                return ("enqueue",)
        return ()

    def step(self, workers: Any, worker_id: WorkerId) -> None:
        uid, generation = worker_id
        if generation < 0:
            number = -1 - generation
            workers.journal.killers = tuple(killer for killer in workers.journal.killers if killer != number)
            self._update(workers, number)
            return
        match workers.workers[uid][generation].position:
            case Position.SPAWNED:
                workers.start_receiving(uid, generation)
            case Position.CACHE:
                workers.get_newer_than(uid, generation, workers.journal.cached.get(uid, Outcome.OK))
            case Position.ENQUEUE:
                _forget_callback(workers, worker_id)
                workers.wrap_up(uid, generation)
            case Position.CHECK:
                workers.check_for_updates(uid, generation)
            case position:
                raise AssertionError(f"a worker cannot go on from {position}")

    def let_go(self, workers: Any, worker_id: WorkerId, stage: str) -> None:
        if stage == "complete":
            _forget_callback(workers, worker_id)
        else:
            self.step(workers, worker_id)

    def returns(self, workers: Any, worker_id: WorkerId, outcome: str) -> None:
        workers.sync_pod_returns(*worker_id, _OUTCOMES[outcome])

    def describe(self, event: Event) -> str:
        match event["op"]:
            case "update":
                return f"UpdatePod({', '.join([event['type'], *details_of(event)])}) of {event['uid']}"
            case "killPodNow":
                return f"killPodNow({', '.join(details_of(event))}) of {event['uid']}"
            case "forget":
                return f"ForgetWorker({event['uid']})"
            case "forgetNonExisting":
                return f"ForgetNonExistingPodWorkers({', '.join(event.get('desired') or ())})"
            case "cache":
                return f"the cache of {event['uid']} becomes {event.get('cache') or 'good'}"
            case _:
                return f"{event['seconds']} seconds pass"

    # -- as recorded ---------------------------------------------------------------------------------------------------

    def expected(self, step: Mapping[str, Any], names: CallbackNames) -> Shown:
        shown: Shown = {
            "pods": {uid: normal_pod(pod, "lastUndelivered") for uid, pod in (step.get("pods") or {}).items()}
        }
        for name in ("cacheCalls", "completed", "killNowReturned"):
            shown[name] = in_some_order(_without_text(call) for call in step.get(name) or ())
        return super().expected(step, names) | without_empty(shown)

    def expected_call(self, call: Mapping[str, Any]) -> Shown:
        shown = _without_text(super().expected_call(call))
        if "phase" in shown:
            shown["phase"] = _terminal(pod_of({"phase": shown["phase"]}).phase)
        return with_kill(shown)

    # -- as the model shows it -----------------------------------------------------------------------------------------

    def shown(self, workers: Any, calls: list[Shown], settled: bool) -> Shown:
        names = workers.names
        pods = {name: _show_pod(workers, names, workers.journal, uid) for uid, name in enumerate(names.uids)}
        shown = {"pods": {name: pod for name, pod in pods.items() if pod}}
        return super().shown(workers, calls, settled) | without_empty(shown)

    def shown_call(self, workers: Any, worker_id: WorkerId, stage: str | None) -> Shown:
        names, (uid_index, generation) = workers.names, worker_id
        uid, worker = names.uids[uid_index], workers.workers[uid_index][generation]
        if worker.position != Position.SYNC_POD:
            said: Shown = {"uid": uid, "stage": stage}
            if stage == "complete":
                said |= workers.journal.called_back[worker_id]
            return said | ({"delay": worker.delay.value} if stage == "enqueue" else {})
        update = worker.update
        shown = {
            "uid": uid,
            "stage": "sync",
            **_show_update(update, names),
            "deletionTimestamp": update.pod.deletion_timestamp,
            "phase": _terminal(update.pod.phase),
        }
        # syncPodFn is not handed the callback.
        return without_empty({name: value for name, value in shown.items() if name not in ("onComplete", "killNow")})


def seconds_to_wait(options: UpdatePodOptions) -> int:
    """How long killPodNow waits for its callback. Go: killPodNow."""
    grace = options.kill_pod_options.grace_period_seconds_override
    if grace == NIL:
        grace = options.pod.termination_grace_period_seconds
        grace = 0 if grace == NIL else max(0, grace)
    return max(10, grace + grace // 2)


def _forget_callback(workers: Any, worker_id: WorkerId) -> None:
    called = workers.journal.called_back
    workers.journal.called_back = {w: call for w, call in called.items() if w != worker_id}


def _begun(events: Sequence[Event], uid: str) -> int:
    return sum(event["op"] in ("update", "killPodNow") and event["uid"] == uid for event in events)


def _forgotten(events: Sequence[Event], uid: str) -> int:
    return sum(
        (event["op"] == "forget" and event["uid"] == uid)
        or (event["op"] == "forgetNonExisting" and uid not in (event.get("desired") or ()))
        for event in events
    )


def _without_text(call: Mapping[str, Any]) -> Shown:
    """A call with its error's text replaced by the fact that there was one."""
    return without_empty({name: bool(value) if name == "err" else value for name, value in call.items()})


def _show_pod(workers: PodWorkers, names: CallbackNames, journal: CallbackJournal, uid: int) -> Shown:
    generation = workers.pod_updates[uid]
    undelivered = workers.last_undelivered_work_update[uid]
    return without_empty(
        {
            "worker": generation != NIL,
            "queued": int(generation != NIL and workers.workers[uid][generation].queued.present),
            "isWorking": workers.is_working[uid],
            "isWorkingKey": uid in journal.seen,
            "lastUndelivered": _show_update(undelivered, names) if undelivered.present else None,
        }
    )


def _show_update(update: UpdatePodOptions, names: CallbackNames) -> Shown:
    shown: Shown = {
        "type": update.update_type.value,
        "rev": update.pod.revision,
        "mirrorRev": update.mirror_pod,
        "kill": _show_kill(update.kill_pod_options, names),
    }
    if update.on_complete_func != NIL:
        callback = names.callbacks[update.on_complete_func]
        shown[callback.kind] = callback.id
    return without_empty(shown)


def _show_kill(kill: KillPodOptions, names: CallbackNames) -> Shown | None:
    if not kill.present:
        return None
    grace = kill.grace_period_seconds_override
    func = kill.pod_status_func
    return without_empty(
        {"grace": None if grace == NIL else grace, "statusFn": 0 if func == NIL else names.status_funcs[func]}
    )


def _terminal(phase: Phase) -> str:
    """A phase as far as anybody asks for it. [A3]"""
    return "" if phase == Phase.RUNNING else phase.value


def _names_of(events: Sequence[Event]) -> CallbackNames:
    """What the trace calls things; whoever asks for an update has the number of its event."""
    uids = tuple(dict.fromkeys(event["uid"] for event in events if "uid" in event))
    callbacks = {
        number: Callback(kind, event[kind], event["uid"])
        for number, event in enumerate(events)
        for kind in ("onComplete", "killNow")
        if event.get(kind)
    }
    kills = {number: event["kill"] for number, event in enumerate(events) if event.get("kill") is not None}
    return CallbackNames(
        uids, callbacks, {number: kill["statusFn"] for number, kill in kills.items() if kill.get("statusFn")}
    )


def _update_options(event: Event, number: int) -> UpdatePodOptions:
    """UpdatePod's argument in an event `update`, or the one that killPodNow makes."""
    kill = event.get("kill")
    grace = None if kill is None else kill.get("grace")
    called_back = event.get("onComplete") or event.get("killNow")
    return UpdatePodOptions(
        present=True,
        update_type=UpdateType.KILL if event["op"] == "killPodNow" else UpdateType(event["type"]),
        pod=pod_of(event["pod"]),
        mirror_pod=event.get("mirrorRev") or 0,
        kill_pod_options=KillPodOptions(
            present=kill is not None,
            pod_status_func=number if kill is not None and kill.get("statusFn") else NIL,
            grace_period_seconds_override=NIL if grace is None else grace,
        ),
        on_complete_func=number if called_back else NIL,
    )
