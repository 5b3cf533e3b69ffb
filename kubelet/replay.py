"""Drives the model in CPython through the events of a recorded trace, with integers that know no bounds.

Nothing here decides anything: an event is applied, a worker takes a step, the model is shown as a recording would
show it. `podproof.checker.conformance` tries the orders and compares. What a release's recordings look like, and what
its events and steps are, its form says.
"""

from __future__ import annotations

import dataclasses
import functools
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

from podproof.model.language import Array, copy, is_new_member, make

Event = Mapping[str, Any]
Shown = dict[str, Any]
WorkerId = tuple[int, int]
"""A goroutine: its UID's index and its generation. A negative one is a goroutine of some caller's, not a worker."""

MOST_ROOM = 1_000
"""Of a replay: UIDs times what there may be of each; that of a recording is some dozens."""
_OPTIONAL = ("grace", "kill")
"""Go pointers: present and zero is not absent."""


@dataclass
class Journal:
    """What the model's state does not keep: what happened in the current step, and what recordings keep for ever."""

    tick: int = 0
    panicked: bool = False
    stopping: int = 0
    """Goroutines that the model has ended and that in Go still have to wake up for it."""
    enqueued: list[Shown] = dataclasses.field(default_factory=list)
    events: list[str] = dataclasses.field(default_factory=list)

    of_step: ClassVar[tuple[str, ...]] = ("panicked", "enqueued", "events")
    """What begins anew with each step."""

    def copy(self) -> Any:
        kept = {name: value.copy() if hasattr(value, "copy") else value for name, value in vars(self).items()}
        return type(self)(**kept)

    def begin_step(self, tick: int) -> None:
        self.tick = tick
        for field in dataclasses.fields(self):
            if field.name in self.of_step:
                made = field.default_factory
                setattr(self, field.name, field.default if made is dataclasses.MISSING else made())

    def shown(self) -> Shown:
        """The current step's part of what a recording shows."""
        return {
            "panic": self.panicked,
            "enqueued": in_some_order(self.enqueued),
            "recorderEvents": sorted(self.events),
        }


class Form(ABC):
    """How recordings of a release look, and how its pod workers are driven. The model's own objects are `workers`."""

    schema: ClassVar[str] = "trace"
    """The schema of its traces, as `podproof explain schema` names it."""
    recorder: ClassVar[type]
    """Put in front of a version, it writes into a journal what the version does."""
    hooks: ClassVar[Mapping[str, str]]
    """A hook's key -> the stage in which it holds a worker."""
    position: ClassVar[Any]
    """Where a goroutine can stand."""
    running: ClassVar[Sequence[Any]]
    """The positions from which a goroutine goes on by itself."""
    blocking: ClassVar[Sequence[Any]]
    """The positions in which it waits for a sync function."""

    @abstractmethod
    def begin(self, trace: Mapping[str, Any], recorder: type) -> Any:
        """The pod workers before the first event, with room for all of them, `names` and a `journal`."""

    def expected(self, step: Mapping[str, Any], names: Any) -> Shown:
        """What a recorded step says, in normal form. Log lines and the ids of calls are left out."""
        return without_empty(
            {
                "inflight": in_some_order(self.expected_call(call) for call in step.get("inflight") or ()),
                "workers": step.get("workers"),
                "enqueued": in_some_order(step.get("enqueued") or ()),
                # The message is the cache's own, so only UID, type and reason are kept.
                "recorderEvents": sorted(" ".join(text.split(" ")[:3]) for text in step.get("recorderEvents") or ()),
                "panic": bool(step.get("panic")),
            }
        )

    def expected_call(self, call: Mapping[str, Any]) -> Shown:
        """A call that a worker is blocked in, without its id."""
        return without_empty({name: value for name, value in call.items() if name != "id"})

    def shown(self, workers: Any, calls: list[Shown], settled: bool) -> Shown:
        """What the model shows after a step. `calls` are those that workers are blocked in.

        Before the workers ran, a goroutine that has not begun does not count and one that ends does.
        """
        gone = (self.position.NONE,) if settled else (self.position.NONE, self.position.SPAWNED)
        alive = sum(worker.position not in gone for of_uid in workers.workers for worker in of_uid)
        count = alive if settled else alive + int(workers.journal.stopping)
        return without_empty({**workers.journal.shown(), "inflight": in_some_order(calls), "workers": count})

    @abstractmethod
    def shown_call(self, workers: Any, worker_id: WorkerId, stage: str | None) -> Shown:
        """The call that a worker is blocked in, or is held in by a hook."""

    @abstractmethod
    def key(self, journal: Any) -> object:
        """What of a journal later steps may show."""

    def group(self, workers: Any, uid: int) -> int:
        """Workers of UIDs with another one share nothing."""
        return uid

    def callers(self, workers: Any) -> Iterator[WorkerId]:
        """Goroutines of others that are about to call a pod worker."""
        return iter(())

    def note(self, workers: Any, event: Event) -> None:
        """A step begins; what became of the one before is still to be seen."""
        return

    @abstractmethod
    def apply(self, workers: Any, event: Event) -> None:
        """Let an event happen that is of the release's own."""

    @abstractmethod
    def stages(self, workers: Any, worker_id: WorkerId) -> Sequence[str]:
        """Where a hook could hold a worker before its next step."""

    @abstractmethod
    def step(self, workers: Any, worker_id: WorkerId) -> None:
        """Let a goroutine take one step."""

    def let_go(self, workers: Any, worker_id: WorkerId, stage: str) -> None:
        """A worker that was held goes on."""
        self.step(workers, worker_id)

    @abstractmethod
    def returns(self, workers: Any, worker_id: WorkerId, outcome: str) -> None:
        """A sync function returns."""

    @abstractmethod
    def describe(self, event: Event) -> str:
        """An event in one line, as a kubelet engineer would write it."""


class Replayer:
    """One candidate for what the real code did: the model, in one of the orders that its workers may have run in."""

    def __init__(self, trace: Mapping[str, Any], form: Form, recorder: type) -> None:
        self.form = form
        self.workers = form.begin(trace, recorder)
        self.paused: frozenset[tuple[int, str]] = frozenset()
        self.held: Mapping[WorkerId, str] = {}
        """Workers that a hook has stopped, and in which stage."""
        self.returning: Mapping[WorkerId, str] = {}
        """Workers that have not run since their call was allowed to return, and the call's outcome."""
        self.recorded_calls: dict[int, Shown] = {}
        """The calls in flight after the step before, by their recorded ids."""
        self.ended: frozenset[int] = frozenset()
        """The ids of the calls that have returned."""

    def copy(self) -> Self:
        """Another candidate that goes on from here by itself."""
        fresh = object.__new__(type(self))
        fresh.__dict__.update(self.__dict__)
        fresh.workers = copy(self.workers)
        fresh.workers.journal = self.workers.journal.copy()
        return fresh

    def key(self) -> tuple[object, ...]:
        """Equal for candidates that have shown the same and will do the same."""
        kept = (sorted(self.held.items()), sorted(self.returning.items()), self.form.key(self.workers.journal))
        return tuple(_scalars(self.workers)), str(kept)

    # -- the comparison --------------------------------------------------------------------------------------------

    def expected(self, step: Mapping[str, Any]) -> Shown:
        """What the trace recorded, in the form of `shown`."""
        return self.form.expected(step, self.workers.names)

    def shown(self, settled: bool) -> Shown:
        """What the model shows; `settled` says whether the workers have run."""
        return self.form.shown(self.workers, [call for _, call in self.calls()], settled)

    def accept(self, step: Mapping[str, Any]) -> None:
        """The trace agrees with this candidate after `step`; later events name the calls by their recorded ids.

        Raises ValueError where it contradicts itself in what is not compared.
        """
        if step["op"].get("noSettle") and step.get("settled"):
            raise ValueError("the step is settled, and its event says that it is not")
        self._refuse_other_calls(step)
        self.ended |= self.recorded_calls.keys()
        self.recorded_calls = {call["id"]: self.form.expected_call(call) for call in step.get("inflight") or ()}
        self.ended -= self.recorded_calls.keys()
        if step.get("settled"):
            self.workers.journal.stopping = 0

    def _refuse_other_calls(self, step: Mapping[str, Any]) -> None:
        """A call keeps its id until it returns, and no other call has it. Raises ValueError."""
        calls = step.get("inflight") or ()
        ids = [call["id"] for call in calls]
        ended = step["op"].get("inflight") if step["op"]["op"] == "finish" else None
        if len(set(ids)) < len(ids):
            raise ValueError(f"call {next(id for id in ids if ids.count(id) > 1)} is in flight twice")
        for id, call in self.recorded_calls.items():
            if id != ended and id not in ids:
                raise ValueError(f"call {id} of {call['uid']} is in flight no longer, and did not return")
        for call in calls:
            if call["id"] in self.ended or call["id"] == ended:
                raise ValueError(f"call {call['id']} is in flight again after it has returned")
            now = self.form.expected_call(call)
            if _arguments(self.recorded_calls.get(call["id"], now)) != _arguments(now):
                raise ValueError(f"call {call['id']} is another one than in the step before")

    def describe(self, step: Mapping[str, Any]) -> str:
        event = step["op"]
        match event["op"]:
            case "finish":
                text = f"call {event['inflight']} of {event['uid']} returns {event.get('outcome') or 'ok'}"
            case "hook":
                pauses = [name for name in self.form.hooks if event.get(name)]
                text = f"hook of {event['uid']}: {', '.join(pauses) or 'no pause'}"
            case _:
                text = self.form.describe(event)
        return text if step.get("settled") else f"{text}; the workers have not run yet"

    def calls(self) -> Iterator[tuple[WorkerId, Shown]]:
        """The workers that are blocked in a call, with what a recording shows of it."""
        for worker_id, worker in self._workers():
            stage = self.held.get(worker_id)
            if (stage is not None or worker.position in self.form.blocking) and worker_id not in self.returning:
                yield worker_id, self.form.shown_call(self.workers, worker_id, stage)

    def _workers(self) -> Iterator[tuple[WorkerId, Any]]:
        for uid, of_uid in enumerate(self.workers.workers):
            for generation, worker in enumerate(of_uid):
                yield (uid, generation), worker

    # -- the workers -----------------------------------------------------------------------------------------------

    def runnable(self) -> Sequence[Sequence[WorkerId]]:
        """The goroutines that can take a step, in groups whose steps cannot affect each other's."""
        groups: dict[int, list[WorkerId]] = {}
        for worker_id in self.form.callers(self.workers):
            groups.setdefault(self.form.group(self.workers, worker_id[0]), []).append(worker_id)
        for worker_id, worker in self._workers():
            can_go_on = (
                worker.position in self.form.running or is_new_member(worker.position)
            ) and worker_id not in self.held
            if can_go_on or worker_id in self.returning:
                groups.setdefault(self.form.group(self.workers, worker_id[0]), []).append(worker_id)
        return list(groups.values())

    def uid_of(self, worker_id: WorkerId) -> str:
        """The UID of the pod that a goroutine is for."""
        return str(self.workers.names.uids[worker_id[0]])

    def run(self, worker_id: WorkerId) -> None:
        """Let a goroutine take one step, or be stopped by a hook in front of it."""
        if worker_id in self.returning:
            self._return(worker_id)
            return
        stages = self.form.stages(self.workers, worker_id)
        stage = next((stage for stage in stages if (worker_id[0], stage) in self.paused), None)
        if stage is None:
            self.form.step(self.workers, worker_id)
            return
        self.held = {**self.held, worker_id: stage}
        if stage == "enqueue":
            # Recorded when the call begins.
            uid, generation = worker_id
            self.workers.enqueue(uid, self.workers.workers[uid][generation].delay)

    # -- the events ------------------------------------------------------------------------------------------------

    def apply(self, step: Mapping[str, Any]) -> list[Replayer]:
        """Let a step's event happen, but no worker run.

        Several candidates where the trace does not say which call is meant. Raises ValueError for a senseless event.
        """
        event = step["op"]
        self.form.note(self.workers, event)
        self.workers.journal.begin_step(step["i"])
        match event["op"]:
            case "finish":
                return self._finish(event)
            case "hook":
                uid = self.workers.names.index(event["uid"])
                wanted = {(uid, stage) for key, stage in self.form.hooks.items() if event.get(key)}
                self.paused = frozenset(pause for pause in self.paused if pause[0] != uid) | wanted
            case _:
                self.form.apply(self.workers, event)
        return [self]

    def _finish(self, event: Event) -> list[Replayer]:
        """Allow a call to return, which it does when its worker runs.

        Calls of one UID that look the same are tried in turn.
        """
        call = self.recorded_calls.get(event["inflight"])
        if call is None or call["uid"] != event["uid"]:
            known = ", ".join(f"{number} of {call['uid']}" for number, call in self.recorded_calls.items()) or "none"
            raise ValueError(
                f"no call {event['inflight']} of {event['uid']} was in flight after the step before; in flight: {known}"
            )
        found = [worker_id for worker_id, shown in self.calls() if shown == call]
        candidates = [self, *(self.copy() for _ in found[1:])]
        for candidate, worker_id in zip(candidates, found, strict=True):
            candidate.returning = {**candidate.returning, worker_id: event.get("outcome") or "ok"}
        return candidates

    def _return(self, worker_id: WorkerId) -> None:
        outcome = self.returning[worker_id]
        self.returning = {worker: its for worker, its in self.returning.items() if worker != worker_id}
        stage, journal = self.held.get(worker_id), self.workers.journal
        self.held = {held: its for held, its in self.held.items() if held != worker_id}
        if stage is not None:
            enqueued = list(journal.enqueued)
            self.form.let_go(self.workers, worker_id, stage)
            if stage == "enqueue":
                # Recorded already, when the call began.
                journal.enqueued = enqueued
        elif outcome == "panic":
            # runtime.HandleCrash: the goroutine ends, and nobody is told.
            journal.panicked = True
            self.workers.stop(*worker_id)
        else:
            self.form.returns(self.workers, worker_id, outcome)


def _arguments(call: Shown) -> Shown:
    """What of a call does not change while it is in flight."""
    return {name: value for name, value in call.items() if name != "ctxCanceled"}


def record(trace: Mapping[str, Any], replayer: Replayer, newest_first: bool = False) -> dict[str, Any]:
    """A trace of the same events with what the version shows after each: what its recording should say.

    Where the workers could run in several orders, the oldest goroutine of a UID goes first, or the newest.
    """
    ids: dict[WorkerId, int] = {}
    steps, last = [], 0
    for step in trace["steps"]:
        ids = {worker_id: id for worker_id, id in ids.items() if id != step["op"].get("inflight")}
        (replayer, *_) = replayer.apply(step)
        settled = bool(step.get("settled"))
        while settled and (groups := replayer.runnable()):
            replayer.run(groups[0][-1 if newest_first else 0])
        inflight = []
        for worker_id, call in replayer.calls():
            if worker_id not in ids:
                ids[worker_id] = last = last + 1
            inflight.append({"id": ids[worker_id], **call})
        inflight.sort(key=lambda call: int(call["id"]))
        shown = {**replayer.shown(settled), "inflight": inflight}
        steps.append({"i": step["i"], "op": step["op"], "settled": settled, **shown})
        replayer.accept(steps[-1])
    return {**trace, "steps": steps}


@functools.cache
def _names_of_fields(record: type) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(record))


def _scalars(value: Any) -> Iterator[object]:
    """Every scalar of a record or an array, in order."""
    record: type = type(value)
    parts = value if isinstance(value, Array) else [getattr(value, name) for name in _names_of_fields(record)]
    for part in parts:
        if isinstance(part, Array) or dataclasses.is_dataclass(part):
            yield from _scalars(part)
        else:
            yield part


# -- what forms share --------------------------------------------------------------------------------------------------


def without_empty(fields: Mapping[str, Any]) -> Shown:
    """The fields that Go would not leave out: what is false, 0, empty or absent there is no part of the normal form."""
    return {name: value for name, value in fields.items() if value or (name in _OPTIONAL and value is not None)}


def in_some_order(entries: Iterable[Shown]) -> list[Shown]:
    """A list whose order means nothing, in an order that only depends on its entries."""
    return sorted(entries, key=lambda entry: str(sorted(entry.items())))


def with_kill(update: Mapping[str, Any]) -> Shown:
    """An update or call without what is empty; kill options that are there are not nil, even if they say nothing."""
    shown = without_empty(update)
    if "kill" in shown:
        shown["kill"] = without_empty(shown["kill"])
    return shown


def normal_pod(pod: Mapping[str, Any], *updates: str) -> Shown:
    """What is recorded of a pod in normal form; `updates` are the keys of the updates in it."""
    shown = without_empty(pod)
    return shown | {name: with_kill(shown[name]) for name in updates if name in shown}


def room(number: int) -> int:
    """Room for so many; the same for most traces."""
    return 1 << max(0, number - 1).bit_length()


def empty(recorder: type, journal: Journal, names: Any, **sizes: int) -> Any:
    """A node on which nothing has happened. Raises ValueError where it would be too large."""
    most = sizes["uids"] * max(sizes.values())
    if most > MOST_ROOM:
        raise ValueError(
            f"there are so many UIDs and events that a replay would need room for {most:,} of their goroutines or kill "
            f"requests, more than {MOST_ROOM:,}; record fewer pods or fewer steps in one trace"
        )
    workers = copy(_made(recorder, tuple(sizes.items())))
    workers.journal, workers.names = journal, names
    return workers


@functools.lru_cache(maxsize=256)
def _made(recorder: type, sizes: tuple[tuple[str, int], ...]) -> Any:
    """To be copied, which takes a fraction of the time."""
    return make(recorder, dict(sizes))
