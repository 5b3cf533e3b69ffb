"""Drives the model in CPython through the events of a recorded trace, with integers that know no bounds.

Nothing here decides anything: an event is applied, a worker takes a step, the model is shown as a recording would
show it. `podproof.checker.conformance` tries the orders and compares.
"""

from __future__ import annotations

import dataclasses
import functools
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from podproof.model.language import NIL, Array, Disabled, copy
from podproof.model.pod_workers import PodWorkers
from podproof.model.recorder import Recorder, recorder_of, retry_after
from podproof.model.state import Cached, Channel, PodWorker, Position
from podproof.model.trace_events import cached, describe, names_of, outcomes, update_options
from podproof.model.trace_format import (
    TIMES,
    UNKNOWN,
    Journal,
    Shown,
    call_named,
    empty,
    in_some_order,
    normalise_call,
    normalise_step,
    room,
    show_call,
    show_step,
)

WorkerId = tuple[int, int]
"""A goroutine: its UID's index and its generation."""

_PAUSES = {"pauseCache": Position.CACHE, "pauseEnqueue": Position.ENQUEUE}
_RUNNING = (Position.SPAWNED, Position.TOKEN, Position.CACHE, Position.ENQUEUE, Position.COMPLETE)
_BLOCKING = (
    Position.SYNC_POD,
    Position.SYNC_TERMINATING_POD,
    Position.SYNC_TERMINATING_RUNTIME_POD,
    Position.SYNC_TERMINATED_POD,
)


class Replayer:
    """One candidate for what the real code did: the model, in one of the orders that its workers may have run in."""

    def __init__(self, trace: Mapping[str, Any], recorder: type[Recorder]) -> None:
        events = [step["op"] for step in trace["steps"]]
        self.names, full_names = names_of(events, recorder.form)
        updates = [event for event in events if event["op"] == "update"]
        most_updates = max(Counter(event["uid"] for event in updates).values(), default=1)
        unsettled = sum(not step.get("settled") for step in trace["steps"])
        self.workers = empty(
            recorder,
            uids=len(self.names.uids),
            full_names=len(self.names.full_names),
            kill_requests=room(sum(event.get("kill") is not None for event in updates)),
            waiting=room(len(updates)),
            # Only in unsettled steps can a goroutine outlive its channel's place in podUpdates; updates begin them.
            generations=room(min(2 + unsettled, most_updates)),
        )
        for uid, full_name in enumerate(full_names):
            self.workers.full_names[uid] = full_name
        self.workers.journal = Journal()
        self.workers.names = self.names
        self.kills = 0
        self.paused: frozenset[tuple[int, Position]] = frozenset()
        self.held: frozenset[WorkerId] = frozenset()
        """Workers that a hook has stopped, waiting for the cache or before the work queue."""
        self.returning: Mapping[WorkerId, str] = {}
        """Workers that have not run since their call was allowed to return, and the call's outcome."""
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
        done = (journal.known, in_some_order(journal.enqueued), sorted(journal.closed), sorted(journal.events))
        kept = (self.held, frozenset(self.returning.items()), frozenset(journal.times.items()), journal.stopping)
        return tuple(_scalars(self.workers)), kept, str(done)

    # -- the comparison --------------------------------------------------------------------------------------------

    def expected(self, step: Mapping[str, Any]) -> Shown:
        """What the trace recorded, in the form of `shown`."""
        return normalise_step(step, self.names)

    def shown(self, settled: bool) -> Shown:
        """What the model shows; `settled` says whether the workers have run."""
        calls = [show_call(worker, self.names.uids[uid], self.names) for (uid, _), worker in self.calls()]
        return show_step(self.workers, self.names, self.workers.journal, calls, settled)

    def accept(self, step: Mapping[str, Any]) -> None:
        """The trace agrees with this candidate after `step`; later events name the calls by their recorded ids."""
        self.recorded_calls = {call["id"]: normalise_call(call) for call in step.get("inflight") or ()}
        if step.get("settled"):
            self.workers.journal.stopping = 0

    def describe(self, step: Mapping[str, Any]) -> str:
        return describe(step)

    def calls(self) -> Iterator[tuple[WorkerId, PodWorker]]:
        """The workers that are blocked in a call."""
        for uid, of_uid in enumerate(self.workers.workers):
            for generation, worker in enumerate(of_uid):
                worker_id = (uid, generation)
                if (worker.position in _BLOCKING or worker_id in self.held) and worker_id not in self.returning:
                    yield worker_id, worker

    # -- the workers -----------------------------------------------------------------------------------------------

    def runnable(self) -> Sequence[Sequence[WorkerId]]:
        """The workers that can take a step, in groups whose steps cannot affect each other's.

        Workers meet in podSyncStatuses[uid] and in the static pods of one full name, and nowhere else.
        """
        groups: dict[int, list[WorkerId]] = {}
        for uid, of_uid in enumerate(self.workers.workers):
            for generation, worker in enumerate(of_uid):
                worker_id = (uid, generation)
                if worker_id in self.returning or (worker.position in _RUNNING and worker_id not in self.held):
                    groups.setdefault(self.workers.full_names[uid], []).append(worker_id)
        return list(groups.values())

    def uid_of(self, worker_id: WorkerId) -> str:
        """The UID of the pod that a worker is for."""
        return self.names.uids[worker_id[0]]

    def run(self, worker_id: WorkerId) -> None:
        """Let a worker take one step."""
        if worker_id in self.returning:
            self._return(worker_id)
            return
        uid, generation = worker_id
        workers, worker = self.workers, self.workers.workers[uid][generation]
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
            case position:
                raise AssertionError(f"a worker cannot go on from {position}")
        self._hold(worker_id)

    def _hold(self, worker_id: WorkerId) -> None:
        """Stop a worker where a hook wants it. A call of the work queue is recorded before it is stopped."""
        uid, generation = worker_id
        worker = self.workers.workers[uid][generation]
        if (uid, worker.position) in self.paused:
            self.held |= {worker_id}
            if worker.position == Position.ENQUEUE:
                self.workers.enqueue(uid, worker.delay)

    # -- the events ------------------------------------------------------------------------------------------------

    def apply(self, step: Mapping[str, Any]) -> list[Replayer]:
        """Let a step's event happen, but no worker run.

        Several candidates where the trace does not say which call is meant. Raises ValueError for a senseless event.
        """
        self._note_times()
        self.workers.journal.begin_step(step["i"])
        event = step["op"]
        match event["op"]:
            case "update":
                self._update(event)
            case "syncKnown":
                self.workers.journal.desired = frozenset(self._uid(name) for name in event.get("desired") or ())
                self.workers.sync_known_pods()
            case "finish":
                return self._finish(event)
            case "cache":
                self.workers.pod_cache[self._uid(event["uid"])] = cached(event)
            case "hook":
                self._hook(event)
        return [self]

    def _note_times(self) -> None:
        """Times that became set in the step before get its tick."""
        times, tick = self.workers.journal.times, self.workers.journal.tick
        for uid, status in enumerate(self.workers.pod_sync_statuses):
            for name, flag in TIMES.items():
                if getattr(status, flag):
                    times.setdefault((uid, name), tick)
                else:
                    times.pop((uid, name), None)

    def _uid(self, name: str) -> int:
        # A desired pod that the workers never hear of is like the unknown one.
        return self.names.uids.index(name if name in self.names.uids else UNKNOWN)

    def _update(self, event: Mapping[str, Any]) -> None:
        options = update_options(event, self.workers.journal.tick, self.kills)
        if event.get("kill") is not None:
            if options.kill_pod_options.completed_ch != NIL:
                self.workers.completed_channels[self.kills] = Channel.OPEN
            self.kills += 1
        self.workers.update_pod(self._uid(event["uid"]), options)

    def _hook(self, event: Mapping[str, Any]) -> None:
        uid = self._uid(event["uid"])
        wanted = {(uid, position) for name, position in _PAUSES.items() if event.get(name)}
        self.paused = frozenset(p for p in self.paused if p[0] != uid) | wanted

    def _finish(self, event: Mapping[str, Any]) -> list[Replayer]:
        """Allow a call to return, which it does when its worker runs.

        Calls of one UID that look the same are tried in turn.
        """
        call = call_named(event, self.recorded_calls)
        found = [
            worker_id
            for worker_id, worker in self.calls()
            if show_call(worker, self.names.uids[worker_id[0]], self.names) == call
        ]
        candidates = [self, *(self.copy() for _ in found[1:])]
        for candidate, worker_id in zip(candidates, found, strict=True):
            candidate.returning = {**candidate.returning, worker_id: event.get("outcome") or "ok"}
        return candidates

    def _return(self, worker_id: WorkerId) -> None:
        outcome = self.returning[worker_id]
        self.returning = {worker: its for worker, its in self.returning.items() if worker != worker_id}
        uid, generation = worker_id
        if worker_id in self.held:
            self.held -= {worker_id}
            in_work_queue = self.workers.workers[uid][generation].position == Position.ENQUEUE
            self.run(worker_id)
            if in_work_queue:
                # Recorded already, when the call began.
                self.workers.journal.enqueued.pop()
            return
        if outcome == "panic":
            # runtime.HandleCrash: the goroutine ends, and nobody is told.
            self.workers.journal.panicked = True
            self.workers.stop(uid, generation)
            return
        of_sync_pod, of_others = outcomes(outcome)
        match self.workers.workers[uid][generation].position:
            case Position.SYNC_POD:
                try:
                    self.workers.sync_pod_returns(uid, generation, of_sync_pod)
                except Disabled as none:
                    raise ValueError(f"SyncPod does not return {outcome!r} in this release") from none
            case Position.SYNC_TERMINATING_POD:
                self.workers.sync_terminating_pod_returns(uid, generation, of_others)
            case Position.SYNC_TERMINATING_RUNTIME_POD:
                self.workers.sync_terminating_runtime_pod_returns(uid, generation, of_others)
            case Position.SYNC_TERMINATED_POD:
                self.workers.sync_terminated_pod_returns(uid, generation, of_others)
        if outcome.startswith("backoff"):
            retry_after(self.workers, worker_id, int(outcome.removeprefix("backoff")))
        self._hold(worker_id)


def replayer_factory(version: type[PodWorkers]) -> Callable[[Mapping[str, Any]], Replayer]:
    """What starts a replay of a trace on a version."""
    recorder = type(f"Recorded{version.__name__}", (recorder_of(version), version), {})
    return lambda trace: Replayer(trace, recorder)


def record(trace: Mapping[str, Any], version: type[PodWorkers], newest_first: bool = False) -> dict[str, Any]:
    """A trace of the same events with what the version shows after each: what its recording should say.

    Where the workers could run in several orders, the oldest goroutine of a UID goes first, or the newest.
    """
    replayer = replayer_factory(version)(trace)
    ids: dict[WorkerId, int] = {}
    steps, last = [], 0
    for step in trace["steps"]:
        ids = {worker_id: id for worker_id, id in ids.items() if id != step["op"].get("inflight")}
        (replayer, *_) = replayer.apply(step)
        settled = bool(step.get("settled"))
        while settled and (groups := replayer.runnable()):
            replayer.run(groups[0][-1 if newest_first else 0])
        inflight = []
        for worker_id, worker in replayer.calls():
            if worker_id not in ids:
                ids[worker_id] = last = last + 1
            call = show_call(worker, replayer.names.uids[worker_id[0]], replayer.names)
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
