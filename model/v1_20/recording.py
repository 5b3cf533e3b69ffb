"""Drives kubelet 1.20's worker in CPython through the events of a recorded trace; see model/recording.py."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from podproof.model.language import NIL, copy
from podproof.model.state import Delay
from podproof.model.trace_events import Event
from podproof.model.trace_format import Shown, call_named, empty, room
from podproof.model.v1_20.pod_workers import Outcome, PodWorkers
from podproof.model.v1_20.state import Position
from podproof.model.v1_20.trace_format import (
    STAGES,
    Journal,
    Names,
    WorkerId,
    cached,
    describe,
    names_of,
    normalise_call,
    normalise_step,
    outcome_of,
    seconds_to_wait,
    show_call,
    show_step,
    update_options,
)

_RUNNING = (Position.SPAWNED, Position.CACHE, Position.ENQUEUE, Position.CHECK)
_KILLER = -1
"""In place of a generation: not a worker but a goroutine of killPodNow that is about to call UpdatePod."""


class Recorder(PodWorkers):
    """Put in front of a version, it writes into a journal what the version does."""

    journal: Journal
    names: Names
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


class Replayer:
    """One candidate for what the real code did: the model, in one of the orders that its goroutines may have run in."""

    def __init__(self, trace: Mapping[str, Any], recorder: type[Recorder]) -> None:
        events = [step["op"] for step in trace["steps"]]
        self.names = names_of(events)
        # A goroutine begins with an update, and it is another one only after the one before has been forgotten.
        goroutines = max((min(_begun(events, uid), 1 + _forgotten(events, uid)) for uid in self.names.uids), default=1)
        self.workers = empty(recorder, uids=len(self.names.uids), goroutines=room(goroutines))
        self.workers.journal = Journal()
        self.workers.names = self.names
        self.events = events
        self.number = -1
        """Which of them happened last."""
        self.cached: Mapping[int, Outcome] = {}
        self.paused: frozenset[tuple[int, str]] = frozenset()
        self.held: Mapping[WorkerId, str] = {}
        """Workers that a hook has stopped, and in which stage."""
        self.returning: Mapping[WorkerId, Event] = {}
        """Workers that have not run since their call was allowed to return, and the event that allowed it."""
        self.killers: tuple[int, ...] = ()
        """The events of those killPodNow that have not called UpdatePod yet."""
        self.recorded_calls: dict[int, Shown] = {}
        """The calls in flight after the step before, by their recorded ids."""

    def copy(self) -> Replayer:
        """Another candidate that goes on from here by itself."""
        fresh = object.__new__(Replayer)
        fresh.__dict__.update(self.__dict__)
        fresh.workers = copy(self.workers)
        fresh.workers.journal = self.workers.journal.copy()
        return fresh

    def key(self) -> tuple[object, ...]:
        """Equal for candidates that have shown the same and will do the same."""
        journal = self.workers.journal
        kept = (sorted(journal.seen), sorted(journal.synced.items()), sorted(journal.waiting.items()), journal.stopping)
        waiting = (sorted(self.held.items()), sorted(self.returning.items()), self.killers)
        return repr(self.workers), str((journal.shown(), kept, waiting))

    # -- the comparison --------------------------------------------------------------------------------------------

    def expected(self, step: Mapping[str, Any]) -> Shown:
        """What the trace recorded, in the form of `shown`."""
        return normalise_step(step)

    def shown(self, settled: bool) -> Shown:
        """What the model shows; `settled` says whether the workers have run."""
        return show_step(self.workers, self.names, self.workers.journal, (call for _, call in self.calls()), settled)

    def accept(self, step: Mapping[str, Any]) -> None:
        """The trace agrees with this candidate after `step`; later events name the calls by their recorded ids."""
        self.recorded_calls = {call["id"]: normalise_call(call) for call in step.get("inflight") or ()}
        if step.get("settled"):
            self.workers.journal.stopping = 0

    def describe(self, step: Mapping[str, Any]) -> str:
        return describe(step)

    def calls(self) -> Iterator[tuple[WorkerId, Shown]]:
        """The workers that are blocked in a call, with what a recording shows of it."""
        for uid, of_uid in enumerate(self.workers.workers):
            for generation, worker in enumerate(of_uid):
                name, stage = self.names.uids[uid], self.held.get((uid, generation))
                if (uid, generation) in self.returning:
                    continue
                if worker.position == Position.SYNC_POD:
                    yield (uid, generation), show_call(worker, name, self.names)
                elif stage == "complete":
                    called = self.workers.journal.called_back[uid, generation]
                    yield (uid, generation), {"uid": name, "stage": stage, **called}
                elif stage == "enqueue":
                    yield (uid, generation), {"uid": name, "stage": stage, "delay": worker.delay.value}
                elif stage is not None:
                    yield (uid, generation), {"uid": name, "stage": stage}

    # -- the goroutines --------------------------------------------------------------------------------------------

    def runnable(self) -> Sequence[Sequence[WorkerId]]:
        """The goroutines that can take a step, by UID: those of two UIDs share nothing."""
        groups: dict[int, list[WorkerId]] = {}
        for number in self.killers:
            groups.setdefault(self._uid(self.events[number]), []).append((number, _KILLER))
        for uid, of_uid in enumerate(self.workers.workers):
            for generation, worker in enumerate(of_uid):
                worker_id = (uid, generation)
                if worker_id in self.returning or (worker.position in _RUNNING and worker_id not in self.held):
                    groups.setdefault(uid, []).append(worker_id)
        return list(groups.values())

    def uid_of(self, worker_id: WorkerId) -> str:
        """The UID of the pod that a goroutine is for."""
        number, generation = worker_id
        return str(self.events[number]["uid"]) if generation == _KILLER else self.names.uids[number]

    def run(self, worker_id: WorkerId) -> None:
        """Let a goroutine take one step, or be stopped by a hook in front of it."""
        number, generation = worker_id
        if generation == _KILLER:
            self.killers = tuple(killer for killer in self.killers if killer != number)
            self._update(number)
            return
        if worker_id in self.returning:
            self._return(worker_id)
            return
        stage = self._stage(worker_id)
        if stage is None:
            self._step(worker_id)
            return
        self.held = {**self.held, worker_id: stage}
        if stage == "enqueue":
            # Recorded when the call begins.
            self.workers.enqueue(number, self.workers.workers[number][generation].delay)

    def _stage(self, worker_id: WorkerId) -> str | None:
        """Where a hook wants the worker stopped before its next step."""
        uid, generation = worker_id
        position = self.workers.workers[uid][generation].position
        if position == Position.CACHE and (uid, "cache") in self.paused:
            return "cache"
        if position == Position.ENQUEUE:
            if worker_id in self.workers.journal.called_back and (uid, "complete") in self.paused:
                return "complete"
            if (uid, "enqueue") in self.paused:
                return "enqueue"
        return None

    def _step(self, worker_id: WorkerId) -> None:
        uid, generation = worker_id
        match self.workers.workers[uid][generation].position:
            case Position.SPAWNED:
                self.workers.start_receiving(uid, generation)
            case Position.CACHE:
                self.workers.get_newer_than(uid, generation, self.cached.get(uid, Outcome.OK))
            case Position.ENQUEUE:
                self._forget_callback(worker_id)
                self.workers.wrap_up(uid, generation)
            case Position.CHECK:
                self.workers.check_for_updates(uid, generation)
            case position:
                raise AssertionError(f"a worker cannot go on from {position}")

    def _forget_callback(self, worker_id: WorkerId) -> None:
        called = self.workers.journal.called_back
        self.workers.journal.called_back = {w: call for w, call in called.items() if w != worker_id}

    # -- the events ------------------------------------------------------------------------------------------------

    def apply(self, step: Mapping[str, Any]) -> list[Replayer]:
        """Let a step's event happen, but no worker run.

        Several candidates where the trace does not say which call is meant. Raises ValueError for a senseless event.
        """
        self.workers.journal.begin_step(step["i"])
        self.number += 1
        event = step["op"]
        match event["op"]:
            case "update":
                self._update(self.number)
            case "killPodNow":
                self.killers += (self.number,)
            case "forget":
                self.workers.forget_worker(self._uid(event))
            case "forgetNonExisting":
                self.workers.desired = frozenset(
                    uid for uid, name in enumerate(self.names.uids) if name in (event.get("desired") or ())
                )
                self.workers.forget_non_existing_pod_workers()
            case "finish":
                return self._finish(event)
            case "cache":
                self.cached = {**self.cached, self._uid(event): cached(event)}
            case "hook":
                uid = self._uid(event)
                wanted = {(uid, stage) for key, stage in STAGES.items() if event.get(key)}
                self.paused = frozenset(pause for pause in self.paused if pause[0] != uid) | wanted
            case "wait":
                self._wait(event["seconds"])
        return [self]

    def _uid(self, event: Event) -> int:
        return self.names.uids.index(event["uid"])

    def _update(self, number: int) -> None:
        """Call UpdatePod, which is all that an `update` does and what killPodNow begins with."""
        event = self.events[number]
        if event.get("pod") is None:
            # UpdatePod looks at the pod's UID first of all.
            self.workers.journal.panicked = True
            return
        options = update_options(event, number)
        if event["op"] == "killPodNow":
            self.workers.journal.waiting = {**self.workers.journal.waiting, number: seconds_to_wait(options)}
        self.workers.update_pod(self._uid(event), options)

    def _wait(self, seconds: int) -> None:
        """Time passes, which only killPodNow notices."""
        journal = self.workers.journal
        left = {number: wait - seconds for number, wait in journal.waiting.items()}
        journal.waiting = {number: wait for number, wait in left.items() if wait > 0}
        for number in left.keys() - journal.waiting.keys():
            callback = self.names.callbacks[number]
            journal.returned.append({"id": callback.id, "uid": callback.uid, "err": True})
            journal.events.append(f"{callback.uid} Warning ExceededGracePeriod")

    def _finish(self, event: Event) -> list[Replayer]:
        """Allow a call to return, which it does when its worker runs.

        Calls of one UID that look the same are tried in turn.
        """
        call = call_named(event, self.recorded_calls)
        found = [worker_id for worker_id, shown in self.calls() if shown == call]
        candidates = [self, *(self.copy() for _ in found[1:])]
        for candidate, worker_id in zip(candidates, found, strict=True):
            candidate.returning = {**candidate.returning, worker_id: event}
        return candidates

    def _return(self, worker_id: WorkerId) -> None:
        event = self.returning[worker_id]
        self.returning = {worker: its for worker, its in self.returning.items() if worker != worker_id}
        uid, generation = worker_id
        stage = self.held.get(worker_id)
        self.held = {held: its for held, its in self.held.items() if held != worker_id}
        if stage == "complete":
            self._forget_callback(worker_id)
        elif stage is not None:
            enqueued = list(self.workers.journal.enqueued)
            self._step(worker_id)
            if stage == "enqueue":
                # Recorded already, when the call began.
                self.workers.journal.enqueued = enqueued
        elif event.get("outcome") == "panic":
            # runtime.HandleCrash: the goroutine ends, and nobody is told.
            self.workers.journal.panicked = True
            self.workers.stop(uid, generation)
        else:
            self.workers.sync_pod_returns(uid, generation, outcome_of(event))


def _begun(events: Sequence[Event], uid: str) -> int:
    return sum(event["op"] in ("update", "killPodNow") and event["uid"] == uid for event in events)


def _forgotten(events: Sequence[Event], uid: str) -> int:
    return sum(
        (event["op"] == "forget" and event["uid"] == uid)
        or (event["op"] == "forgetNonExisting" and uid not in (event.get("desired") or ()))
        for event in events
    )


def replayer_factory(version: type[PodWorkers]) -> Callable[[Mapping[str, Any]], Replayer]:
    """What starts a replay of a trace on a version."""
    recorder = type(f"Recorded{version.__name__}", (Recorder, version), {})
    return lambda trace: Replayer(trace, recorder)


def record(trace: Mapping[str, Any], version: type[PodWorkers]) -> dict[str, Any]:
    """A trace of the same events with what the version shows after each: what its recording should say.

    Where the goroutines could run in several orders, the oldest of a UID goes first.
    """
    replayer = replayer_factory(version)(trace)
    ids: dict[WorkerId, int] = {}
    steps, last = [], 0
    for step in trace["steps"]:
        ids = {worker_id: id for worker_id, id in ids.items() if id != step["op"].get("inflight")}
        (replayer, *_) = replayer.apply(step)
        settled = bool(step.get("settled"))
        while settled and (groups := replayer.runnable()):
            replayer.run(groups[0][0])
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
