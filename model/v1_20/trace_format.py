"""The recorded format of kubelet 1.20, docs/traces-v1.20.md: as recorded, as the model shows it, and its events.

Both sides come in one normal form: what is false, 0, empty or absent in Go is left out; lists whose order means nothing
are sorted; of an error only that there was one is kept. A trace follows trace.schema.json.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from podproof.model.language import NIL
from podproof.model.state import Phase, UpdateType
from podproof.model.trace_events import Event, details_of, pod_of
from podproof.model.trace_format import Shown, in_some_order, without_empty
from podproof.model.v1_20.pod_workers import Outcome, PodWorkers
from podproof.model.v1_20.state import KillPodOptions, PodWorker, Position, UpdatePodOptions

WorkerId = tuple[int, int]
"""A goroutine: its UID's index and its generation."""

_OUTCOMES = {
    "ok": Outcome.OK,
    "error": Outcome.ERROR,
    "network": Outcome.NETWORK_NOT_READY,
    "wrappedNetwork": Outcome.NETWORK_NOT_READY,
}
_CACHED = {"": Outcome.OK, "error": Outcome.ERROR, "networkError": Outcome.NETWORK_NOT_READY}
STAGES = {"pauseCache": "cache", "pauseComplete": "complete", "pauseEnqueue": "enqueue"}
"""A hook's key -> the stage in which it holds a worker."""


@dataclass(frozen=True)
class Callback:
    """Who asked for an update: the test, which gave its callback an id, or killPodNow, whose call has one."""

    kind: str
    """`onComplete` or `killNow`."""
    id: int
    uid: str


@dataclass(frozen=True)
class Names:
    """What a trace calls things, by the model's indices."""

    uids: tuple[str, ...]
    callbacks: Mapping[int, Callback]
    """Number of the event -> the callback of its update."""
    status_funcs: Mapping[int, int]
    """Number of the event -> the id of its PodStatusFunc."""


@dataclass
class Journal:
    """What the model's state does not keep: what happened in the current step, and what recordings keep for ever."""

    tick: int = 0
    panicked: bool = False
    cache_calls: list[Shown] = field(default_factory=list)
    completed: list[Shown] = field(default_factory=list)
    enqueued: list[Shown] = field(default_factory=list)
    returned: list[Shown] = field(default_factory=list)
    events: list[str] = field(default_factory=list)
    seen: frozenset[int] = frozenset()
    """The UIDs that isWorking has an entry for."""
    synced: Mapping[WorkerId, int] = field(default_factory=dict)
    """Goroutine -> the tick in which its last sync ended."""
    called_back: Mapping[WorkerId, Shown] = field(default_factory=dict)
    """Goroutine -> the callback that it has called and may be held in."""
    waiting: Mapping[int, int] = field(default_factory=dict)
    """The event of a killPodNow that has not returned -> the seconds after which it gives up."""
    stopping: int = 0
    """Goroutines that the model has ended and that in Go still have to wake up for it."""

    def begin_step(self, tick: int) -> None:
        self.tick, self.panicked = tick, False
        self.cache_calls, self.completed, self.enqueued, self.returned, self.events = [], [], [], [], []

    def copy(self) -> Journal:
        fresh = Journal(**vars(self))
        for name in ("cache_calls", "completed", "enqueued", "returned", "events"):
            setattr(fresh, name, list(getattr(self, name)))
        return fresh

    def shown(self) -> Shown:
        """The current step's part of what a recording shows."""
        return {
            "panic": self.panicked,
            "cacheCalls": in_some_order(self.cache_calls),
            "completed": in_some_order(self.completed),
            "enqueued": in_some_order(self.enqueued),
            "killNowReturned": in_some_order(self.returned),
            "recorderEvents": sorted(self.events),
        }


# -- as recorded ---------------------------------------------------------------------------------------------------


def normalise_step(step: Mapping[str, Any]) -> Shown:
    """What a recorded step says, in normal form. Log lines and the ids of calls are left out."""
    shown = {
        "panic": bool(step.get("panic")),
        "pods": {uid: _normalise_pod(pod) for uid, pod in (step.get("pods") or {}).items()},
        "inflight": in_some_order(normalise_call(call) for call in step.get("inflight") or ()),
        "workers": step.get("workers"),
        "enqueued": in_some_order(step.get("enqueued") or ()),
        "recorderEvents": sorted(" ".join(text.split(" ")[:3]) for text in step.get("recorderEvents") or ()),
    }
    for name in ("cacheCalls", "completed", "killNowReturned"):
        shown[name] = in_some_order(_without_text(call) for call in step.get(name) or ())
    return without_empty(shown)


def normalise_call(call: Mapping[str, Any]) -> Shown:
    """A call that a worker is blocked in, without its id."""
    shown = _without_text({name: value for name, value in call.items() if name != "id"})
    if "phase" in shown:
        shown["phase"] = _terminal(pod_of({"phase": shown["phase"]}).phase)
    return _with_kill(shown)


def _normalise_pod(pod: Mapping[str, Any]) -> Shown:
    shown = without_empty(pod)
    if "lastUndelivered" in shown:
        shown["lastUndelivered"] = _with_kill(shown["lastUndelivered"])
    return shown


def _with_kill(update: Mapping[str, Any]) -> Shown:
    """An update or call without what is empty; kill options that are there are not nil, even if they say nothing."""
    shown = without_empty(update)
    if "kill" in shown:
        shown["kill"] = without_empty(shown["kill"])
    return shown


def _without_text(call: Mapping[str, Any]) -> Shown:
    """A call with its error's text replaced by the fact that there was one."""
    return without_empty({name: bool(value) if name == "err" else value for name, value in call.items()})


# -- as the model shows it -----------------------------------------------------------------------------------------


def show_step(workers: PodWorkers, names: Names, journal: Journal, calls: Iterable[Shown], settled: bool) -> Shown:
    """What the model shows after a step. `calls` are those that workers are blocked in."""
    pods = {name: _show_pod(workers, names, journal, uid) for uid, name in enumerate(names.uids)}
    shown = {
        **journal.shown(),
        "pods": {name: pod for name, pod in pods.items() if pod},
        "inflight": in_some_order(calls),
        "workers": _count_workers(workers, journal, settled),
    }
    return without_empty(shown)


def show_call(worker: PodWorker, uid: str, names: Names) -> Shown:
    """The call of syncPodFn that a worker is blocked in."""
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


def _show_pod(workers: PodWorkers, names: Names, journal: Journal, uid: int) -> Shown:
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


def _show_update(update: UpdatePodOptions, names: Names) -> Shown:
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


def _show_kill(kill: KillPodOptions, names: Names) -> Shown | None:
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


def _count_workers(workers: PodWorkers, journal: Journal, settled: bool) -> int:
    """The live goroutines; before the workers ran, one that has not begun does not count and one that ends does."""
    absent = (Position.NONE,) if settled else (Position.NONE, Position.SPAWNED)
    alive = sum(worker.position not in absent for of_uid in workers.workers for worker in of_uid)
    return alive if settled else alive + journal.stopping


# -- the events ----------------------------------------------------------------------------------------------------


def names_of(events: Sequence[Event]) -> Names:
    """What the trace calls things; whoever asks for an update has the number of its event."""
    uids = tuple(dict.fromkeys(event["uid"] for event in events if "uid" in event))
    callbacks = {
        number: Callback(kind, event[kind], event["uid"])
        for number, event in enumerate(events)
        for kind in ("onComplete", "killNow")
        if event.get(kind)
    }
    kills = {number: event["kill"] for number, event in enumerate(events) if event.get("kill") is not None}
    return Names(uids, callbacks, {number: kill["statusFn"] for number, kill in kills.items() if kill.get("statusFn")})


def update_options(event: Event, number: int) -> UpdatePodOptions:
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


def outcome_of(event: Event) -> Outcome:
    """What a call of syncPodFn returns; of the other calls nothing is said but that they go on."""
    return _OUTCOMES[event.get("outcome") or "ok"]


def cached(event: Event) -> Outcome:
    """What GetNewerThan returns from now on."""
    return _CACHED[event.get("cache") or ""]


def seconds_to_wait(options: UpdatePodOptions) -> int:
    """How long killPodNow waits for its callback. Go: killPodNow."""
    grace = options.kill_pod_options.grace_period_seconds_override
    if grace == NIL:
        grace = options.pod.termination_grace_period_seconds
        grace = 0 if grace == NIL else max(0, grace)
    return max(10, grace + grace // 2)


def describe(step: Mapping[str, Any]) -> str:
    """A step's event in one line, as a person would write it."""
    event = step["op"]
    match event["op"]:
        case "update":
            text = f"UpdatePod({', '.join([event['type'], *details_of(event)])}) of {event['uid']}"
        case "killPodNow":
            text = f"killPodNow({', '.join(details_of(event))}) of {event['uid']}"
        case "forget":
            text = f"ForgetWorker({event['uid']})"
        case "forgetNonExisting":
            text = f"ForgetNonExistingPodWorkers({', '.join(event.get('desired') or ())})"
        case "finish":
            text = f"call {event['inflight']} of {event['uid']} returns {event.get('outcome') or 'ok'}"
        case "cache":
            text = f"the cache of {event['uid']} becomes {event.get('cache') or 'good'}"
        case "hook":
            text = f"hook of {event['uid']}: {', '.join(name for name in STAGES if event.get(name)) or 'no pause'}"
        case "wait":
            text = f"{event['seconds']} seconds pass"
    return text if step.get("settled") else f"{text}; the workers have not run yet"
