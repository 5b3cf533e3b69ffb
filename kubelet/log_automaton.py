"""What one pod's worker may write: an automaton over the lines of a log, made while it is read.

The worker is alone and called by anybody. What is left out leaves more behaviour, never less: a grace period is set or
not; whether it was shortened, whether the runtime cache has containers, and whether a static pod may start are free.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any, NamedTuple, get_origin

from podproof.kubelet.log_lines import STOPPED, LogLine, with_lines
from podproof.model.language import NIL, Array, Disabled, OutOfBounds, base_of, clear, copy, hints_of, make
from podproof.model.pod_worker_loop import SyncOutcome, SyncPodOutcome
from podproof.model.pod_workers import PodWorkers
from podproof.model.releases import V1_26
from podproof.model.state import (
    Cached,
    Context,
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

MOST_CONFIGURATIONS = 100_000
"""Of an automaton; what would need more stays undecided."""
MOST_ENDED = 3
"""Goroutines that have ended and still have lines to write, at one time."""
GENERATIONS = 2
SIZES = {"uids": 1, "full_names": 1, "kill_requests": 1, "waiting": 1, "generations": GENERATIONS}
ANYWHERE = frozenset(
    {
        "Pod update included RunningPod which is only valid when Pod is not specified",
        "Pod update is ignored, runtime pods can only be killed",
    }
)
"""Lines of UpdatePod before it looks at anything."""
ANNOUNCED = ("Pod is terminal", "Error syncing pod, skipping", "Sync exited with context cancellation error")
"""Written by a goroutine before the critical section that follows, also while somebody else is in one."""
LATE = ("Processing pod event", "Processing pod event done", STOPPED.message)
"""Written after the critical section of their step, so others may come before them."""
_IN_AN_ITERATION = (
    Position.CACHE,
    Position.SYNC_POD,
    Position.SYNC_TERMINATING_POD,
    Position.SYNC_TERMINATING_RUNTIME_POD,
    Position.SYNC_TERMINATED_POD,
    Position.COMPLETE,
)

RETURNS: Mapping[Position, tuple[str, type[SyncPodOutcome] | type[SyncOutcome]]] = {
    Position.SYNC_POD: ("sync_pod_returns", SyncPodOutcome),
    Position.SYNC_TERMINATING_POD: ("sync_terminating_pod_returns", SyncOutcome),
    Position.SYNC_TERMINATING_RUNTIME_POD: ("sync_terminating_runtime_pod_returns", SyncOutcome),
    Position.SYNC_TERMINATED_POD: ("sync_terminated_pod_returns", SyncOutcome),
}
"""What a goroutine in a sync function does next, and with which outcomes."""

Lines = tuple[LogLine, ...]


class TooMany(Exception):
    """A cap was reached; its text says which."""


class Alone(PodWorkers):
    """In front of a release: nothing but the pod decides, or else what was chosen for the step."""

    desired: bool
    may_start: bool
    shortens: bool

    def is_desired(self, uid: int) -> bool:
        return self.desired

    def allow_static_pod_start(self, full_name: int, uid: int) -> bool:
        return self.may_start

    def wait_to_start(self, uid: int) -> None:
        return

    def enqueue(self, uid: int, delay: Delay) -> None:
        return

    def calculate_effective_grace_period(
        self, status: PodSyncStatus, pod: Pod, options: KillPodOptions
    ) -> tuple[int, bool]:
        return 1, self.shortens and status.grace_period != 0


class WorkerStep(NamedTuple):
    """A step of the worker, or of somebody who calls it."""

    method: str
    """Of the model."""
    actor: int
    """The goroutine; NIL for a caller."""
    locked: Lines
    """What is written under podLock."""
    late: Lines
    """What is written after it."""
    ended: tuple[bool, ...]
    """Which goroutines end by it."""
    woken: tuple[bool, ...]
    """Which of these are woken to end, and will say that they have stopped."""
    after: int
    """The state then."""
    renamed: bool
    """Has the second goroutine become the first?"""
    announced: LogLine | None
    """What the goroutine writes before it, outside podLock."""
    broken: frozenset[str]
    """The claims that it breaks."""
    choice: str
    """What it is given, and what it finds, in a few words; of steps that are alike otherwise only the first is kept."""


Holds = Callable[[Any, Any], bool]
"""Does a step keep a claim? By the states before it and after it, of which neither may read what is left out."""


class LoneWorker:
    """The states and steps of one pod's worker in a release."""

    def __init__(self, version: type[PodWorkers], static: bool, claims: Mapping[str, Holds] | None = None) -> None:
        self.static = static
        self.claims = claims or {}
        self.late = (*LATE, "Pod cannot start yet") if issubclass(version, V1_26) else LATE
        self.states: list[Any] = []
        self.beyond: set[int] = set()
        """States with a step that leaves the room of `SIZES`: from there on nothing is excluded."""
        self._ids: dict[object, int] = {}
        self._moves: dict[int, tuple[WorkerStep, ...]] = {}
        self._written: dict[int, Mapping[LogLine, frozenset[WorkerAndLines]]] = {}
        stopped = () if issubclass(version, V1_26) else (STOPPED,)
        done = [(LogLine("Processing pod event done", work.value), *stopped) for work in WorkType]
        self.owed_at_end: tuple[Lines, ...] = tuple(filter(None, (*done, stopped)))
        """What a goroutine that has ended may still have to write, at most."""
        first = make(with_lines(version, Alone), SIZES)
        first.lines, first.iterations = [], {}
        first.desired = first.may_start = first.shortens = False
        self.start, _ = self._intern(first)

    def moves(self, state: int) -> tuple[WorkerStep, ...]:
        """The steps in a state."""
        if state not in self._moves:
            alike: dict[WorkerStep, WorkerStep] = {}
            for step in self._steps(state):
                alike.setdefault(step._replace(choice=""), step)
            self._moves[state] = tuple(alike.values())
        return self._moves[state]

    def written(self, goroutines: int) -> Mapping[LogLine, frozenset[WorkerAndLines]]:
        """Each line -> the configurations after it, from every one that is reachable with so many goroutines at a time.

        What those owe that have ended decides nothing else, so it is left out, and is unknown in the configurations.
        """
        if goroutines not in self._written:
            automaton = Automaton(self)
            reached, written = {WorkerAndLines(self.start)}, dict[LogLine, set[WorkerAndLines]]()
            todo, parts = list(reached), dict[Any, Any]()

            def add(now: WorkerAndLines, found: set[WorkerAndLines]) -> None:
                """Equal parts of configurations are kept once."""
                if now not in found:
                    found.add(WorkerAndLines(*(parts.setdefault(part, part) for part in now)))

            while todo:
                silent, lines = automaton.follow(todo.pop())
                for line, after in (*((None, after) for after in silent), *lines):
                    kept = after._replace(ended=(), broken=frozenset())
                    if line is not None:
                        add(kept._replace(unknown=MOST_ENDED), written.setdefault(line, set()))
                    if kept not in reached and self.goroutines(kept.state) <= goroutines:
                        if len(reached) >= MOST_CONFIGURATIONS:
                            raise TooMany(f"more than {MOST_CONFIGURATIONS:,} configurations of the pod's worker")
                        add(kept, reached)
                        todo.append(kept)
            for owed in self.owed_at_end:
                rest = _sorted(owed[1:])
                for now in reached:
                    add(now._replace(ended=rest, unknown=MOST_ENDED - 1), written.setdefault(owed[0], set()))
            self._written[goroutines] = {line: frozenset(after) for line, after in written.items()}
        return self._written[goroutines]

    def goroutines(self, state: int) -> int:
        """How many goroutines the UID has in a state."""
        return sum(worker.position != Position.NONE for worker in self.states[state].workers[0])

    def number(self, workers: Any) -> int:
        """Of the state that workers are in, who may know more than the automaton."""
        fresh = copy(workers)
        fresh.iterations = dict(workers.iterations)
        return self._intern(fresh)[0]

    def _intern(self, workers: Any) -> tuple[int, bool]:
        """The number of a state without what no later line depends on, and whether its goroutines were renamed."""
        status = workers.pod_sync_statuses[0]
        status.deleted = status.evicted = False
        if status.context == Context.CANCELLED:
            status.context = Context.LIVE
        updates = [status.pending_update, status.active_update]
        if hasattr(workers, "sent_work"):
            updates.append(workers.sent_work[0].options)
        for update in updates:
            update.update_type, update.start_time, update.mirror_pod = UpdateType.SYNC, 0, 0
            update.kill_pod_options = KillPodOptions()
            update.pod = Pod(present=update.pod.present, static=update.pod.static)
        status.observed_runtime = status.observed_runtime and not status.started_at
        if status.terminated_at or not status.terminating_at:
            status.grace_period = 0
        goroutines = workers.workers[0]
        if status.finished and all(worker.position == Position.NONE for worker in goroutines):
            restart_requested = status.restart_requested
            clear(status)
            status.present = status.terminating_at = status.terminated_at = status.finished = True
            status.restart_requested = restart_requested
        renamed = goroutines[0].position == Position.NONE != goroutines[1].position
        if renamed:
            goroutines.reverse()
            if workers.pod_updates[0] != NIL:
                workers.pod_updates[0] = 0
        iterations = {}
        for generation, worker in enumerate(goroutines):
            worker.update_type, worker.mirror_pod, worker.revision = UpdateType.SYNC, 0, 0
            worker.context, worker.delay = Context.NONE, Delay.NONE
            worker.grace_period, worker.pod_status_func = NIL, NIL
            if worker.position == Position.ENQUEUE:
                worker.position = Position.COMPLETE
            if worker.position in _IN_AN_ITERATION:
                iterations[0, generation] = workers.iterations[0, 1 - generation if renamed else generation]
        workers.pods_synced, workers.pod_cache[0] = False, Cached.NOTHING_RUNNING
        workers.iterations, workers.lines = iterations, []
        key = _values(workers), tuple(sorted((g, kind.value) for (_, g), kind in iterations.items()))
        if key not in self._ids:
            self._ids[key] = len(self.states)
            self.states.append(workers)
        return self._ids[key], renamed

    def _take(self, state: int, actor: int, name: str, *given: Any, **chosen: Any) -> Iterator[WorkerStep]:
        """The step of a method, if it is possible; that one leaves the room is noted."""
        workers, choice = copy(self.states[state]), _choice(*given, **chosen)
        workers.lines, workers.iterations = [], dict(workers.iterations)
        workers.pod_cache[0] = chosen.pop("cached", Cached.NOTHING_RUNNING)
        workers.__dict__.update({"desired": False, "may_start": False, "shortens": False} | chosen)
        before = [worker.position for worker in workers.workers[0]]
        try:
            getattr(workers, name)(*given)
        except Disabled:
            return
        except OutOfBounds:
            self.beyond.add(state)
            return
        now = [worker.position for worker in workers.workers[0]]
        ended = tuple(was != Position.NONE == is_ for was, is_ in zip(before, now, strict=True))
        lines = [line for _, line in workers.lines]
        others = [has_ended and g != actor and STOPPED in lines for g, has_ended in enumerate(ended)]
        for is_woken in others:
            if is_woken:
                lines.remove(STOPPED)
        announced = lines.pop(0) if lines and lines[0].message in ANNOUNCED else None
        at = next((i for i, line in enumerate(lines) if line.message in self.late), len(lines))
        broken = frozenset(claim for claim, holds in self.claims.items() if not holds(self.states[state], workers))
        after, renamed = self._intern(workers)
        locked, late = tuple(lines[:at]), tuple(lines[at:])
        yield WorkerStep(name, actor, locked, late, ended, tuple(others), after, renamed, announced, broken, choice)

    def _steps(self, state: int) -> Iterator[WorkerStep]:
        workers = self.states[state]
        status = workers.pod_sync_statuses[0]
        for options, cached in self._updates(status):
            for shortens in (False, True) if status.grace_period else (False,):
                given = copy(options)
                yield from self._take(state, NIL, "update_pod", 0, given, cached=cached, shortens=shortens)
        for desired in (False, True):
            yield from self._take(state, NIL, "sync_known_pods", desired=desired)
        for generation, worker in enumerate(workers.workers[0]):
            yield from self._steps_of_worker(state, generation, worker)

    def _updates(self, status: PodSyncStatus) -> Iterator[tuple[UpdatePodOptions, Cached]]:
        """Every update that the lines or the state tell from others, with what the cache has."""
        plain = Pod(present=True, static=self.static)
        deleted, failed = replace(plain, deletion_timestamp=True), replace(plain, phase=Phase.FAILED)
        pods = [plain, deleted, failed] if not status.terminating_at else [plain]
        for kind in (UpdateType.SYNC, UpdateType.UPDATE, UpdateType.CREATE, UpdateType.KILL):
            for pod in pods:
                yield UpdatePodOptions(present=True, update_type=kind, pod=pod), Cached.NOTHING_RUNNING
            if not status.present:
                yield UpdatePodOptions(present=True, update_type=kind, pod=failed), Cached.RUNNING
        if not status.terminating_at:
            kill = KillPodOptions(present=True, evict=True)
            yield (
                UpdatePodOptions(present=True, update_type=UpdateType.KILL, pod=plain, kill_pod_options=kill),
                Cached.NOTHING_RUNNING,
            )
        yield UpdatePodOptions(present=True, update_type=UpdateType.KILL, running_pod=True), Cached.NOTHING_RUNNING

    def _steps_of_worker(self, state: int, generation: int, worker: Any) -> Iterator[WorkerStep]:
        take = functools.partial(self._take, state, generation)
        match worker.position:
            case Position.SPAWNED if not worker.token:
                yield from take("start_receiving", 0, generation)
            case Position.SPAWNED | Position.TOKEN:
                for may_start in (True, False) if self.static else (True,):
                    yield from take("start_pod_sync", 0, generation, may_start=may_start)
            case Position.CACHE:
                for error in (False, True):
                    yield from take("get_newer_than", 0, generation, error)
                if hasattr(self.states[state], "sent_work"):
                    # Up to 1.26 another critical section follows before the sync function is called.
                    yield from take("begin_context", 0, generation)
            case position if position in RETURNS:
                method, outcomes = RETURNS[position]
                for outcome in outcomes:
                    yield from take(method, 0, generation, outcome)
            case Position.COMPLETE:
                yield from take("complete_work", 0, generation)


class WorkerAndLines(NamedTuple):
    """A state and the lines that steps have still to write."""

    state: int
    locked: Lines = ()
    """Until they are out nobody takes a step."""
    writer: int = NIL
    """The goroutine that is writing these."""
    owed: tuple[Lines, ...] = ((),) * GENERATIONS
    """Of each goroutine, which takes no step until they are out."""
    said: tuple[LogLine | None, ...] = (None,) * GENERATIONS
    """What the goroutine has announced and not done yet."""
    ended: tuple[Lines, ...] = ()
    """Of goroutines that have ended; sorted."""
    unknown: int = 0
    """How many goroutines may have ended before the first line that is known, and owe any lines that one may owe."""
    broken: frozenset[str] = frozenset()
    """The claims that a step has broken since the first line that is known."""

    def with_locked(self, lines: Lines, writer: int) -> WorkerAndLines:
        return self._replace(locked=lines, writer=writer if lines else NIL)


Writing = tuple[LogLine, WorkerAndLines]
"""A line, and the configuration after it."""


class Automaton:
    """Over the lines that a worker writes into a log that lacks the lines and messages of `hidden`."""

    ANYWHERE = -1
    """In place of a set's number: every reachable configuration, all that is known after what the log does not have."""
    ALONE = -2
    """The same, of a UID that has one goroutine at most."""

    def __init__(
        self, worker: LoneWorker, hidden: frozenset[str | LogLine] = frozenset(), most: int = MOST_CONFIGURATIONS
    ) -> None:
        self.worker, self.hidden, self.most = worker, hidden, most
        self.sets: list[frozenset[WorkerAndLines]] = []
        self._set_ids: dict[frozenset[WorkerAndLines], int] = {}
        self._after: dict[tuple[int, LogLine], int | None] = {}
        self._enabled: dict[int, frozenset[LogLine]] = {}
        self._in_call: dict[tuple[int, frozenset[Position]], int | None] = {}
        self._broken: dict[int, tuple[frozenset[str], frozenset[str]]] = {}
        self._next: dict[
            WorkerAndLines, tuple[tuple[WorkerAndLines, ...], tuple[tuple[LogLine, WorkerAndLines], ...]]
        ] = {}
        self.start = self._closure([WorkerAndLines(worker.start)])

    def after(self, number: int, line: LogLine) -> int | None:
        """The set after a line; None where no configuration writes it."""
        key = number, line
        if key not in self._after:
            found: set[WorkerAndLines] = set()
            if number < 0:
                found.update(map(self._projected, self._written(number).get(line, ())))
            else:
                found.update(now for was in self.sets[number] for wrote, now in self.next(was)[1] if wrote == line)
            self._after[key] = self._closure(found) if found else None
        return self._after[key]

    def in_call(self, number: int, calls: frozenset[Position]) -> int | None:
        """The set of those in which a goroutine is in one of these calls, and what follows; None where there is none.

        Where lines are missing it is everything still.
        """
        if number < 0:
            return number
        key = number, calls
        if key not in self._in_call:
            found = [now for now in self.sets[number] if self._is_in_call(now, calls)]
            self._in_call[key] = self._closure(found) if found else None
        return self._in_call[key]

    def _is_in_call(self, now: WorkerAndLines, calls: frozenset[Position]) -> bool:
        """Not before what its goroutine wrote before the call is out, nor once it has announced what follows."""
        return any(
            worker.position in calls
            and generation != now.writer
            and not now.owed[generation]
            and not now.said[generation]
            for generation, worker in enumerate(self.worker.states[now.state].workers[0])
        )

    def enabled(self, number: int) -> frozenset[LogLine]:
        """The lines that may come next."""
        if number < 0:
            return frozenset(line for line in self._written(number) if self._is_shown(line))
        if number not in self._enabled:
            self._enabled[number] = frozenset(line for now in self.sets[number] for line, _ in self.next(now)[1])
        return self._enabled[number]

    def broken(self, number: int) -> tuple[frozenset[str], frozenset[str]]:
        """The claims that every explanation breaks, and those that any does."""
        if number not in self._broken:
            each = [now.broken for now in self.sets[number]] if number >= 0 else [frozenset[str]()]
            self._broken[number] = each[0].intersection(*each), each[0].union(*each)
        return self._broken[number]

    def is_beyond(self, number: int) -> bool:
        """Has a configuration of the set a step that leaves the automaton's room?"""
        if number < 0:
            return False
        return any(now.state in self.worker.beyond or len(now.ended) >= MOST_ENDED for now in self.sets[number])

    def _written(self, number: int) -> Mapping[LogLine, frozenset[WorkerAndLines]]:
        return self.worker.written(1 if number == self.ALONE else GENERATIONS)

    def _projected(self, now: WorkerAndLines) -> WorkerAndLines:
        """A configuration of the automaton that hides nothing, in this one."""
        said = tuple(line if line is not None and self._is_shown(line) else None for line in now.said)
        owed, ended = tuple(map(self._shown, now.owed)), _sorted(*map(self._shown, now.ended))
        return now._replace(owed=owed, said=said, ended=ended).with_locked(self._shown(now.locked), now.writer)

    # -- configurations ------------------------------------------------------------------------------------------------

    def _closure(self, configurations: Iterable[WorkerAndLines]) -> int:
        """The number of the set of these and of all that silent steps lead to, without what others do as well."""
        found = set(configurations)
        todo = list(found)
        while todo:
            for after in self.next(todo.pop())[0]:
                if after not in found:
                    found.add(after)
                    todo.append(after)
        kept = frozenset(now for now in found if not any(more in found for more in _more_general(now)))
        if kept not in self._set_ids:
            self._set_ids[kept] = len(self.sets)
            self.sets.append(kept)
        return self._set_ids[kept]

    def next(self, now: WorkerAndLines) -> tuple[tuple[WorkerAndLines, ...], tuple[Writing, ...]]:
        """What may follow: configurations after a silent step, and those after each line."""
        if now not in self._next:
            if len(self._next) >= self.most:
                raise TooMany(f"more than {self.most:,} configurations of the pod's worker")
            self._next[now] = self.follow(now)
        return self._next[now]

    def follow(self, now: WorkerAndLines) -> tuple[tuple[WorkerAndLines, ...], tuple[Writing, ...]]:
        """The same, not kept."""
        silent: list[WorkerAndLines] = []
        written: list[Writing] = []
        for _, line, after in self.followed(now):
            if line is None:
                silent.append(after)
            else:
                written.append((line, after))
        return tuple(dict.fromkeys(silent)), tuple(dict.fromkeys(written))

    def followed(self, now: WorkerAndLines) -> Iterator[tuple[WorkerStep | None, LogLine | None, WorkerAndLines]]:
        """What may follow, each with the step that is taken and the line that is written, where there is one."""
        for generation, owed in enumerate(now.owed):
            if owed and generation != now.writer:
                yield None, owed[0], now._replace(owed=_with(now.owed, generation, owed[1:]))
        for i, lines in enumerate(now.ended):
            others = now.ended[:i] + now.ended[i + 1 :]
            yield None, lines[0], now._replace(ended=_sorted(*others, lines[1:]))
        if now.unknown:
            for lines in {self._shown(owed) for owed in self.worker.owed_at_end} - {()}:
                ended = _sorted(*now.ended, lines[1:])
                yield None, lines[0], now._replace(ended=ended, unknown=now.unknown - 1)
        if now.locked:
            yield None, now.locked[0], now.with_locked(now.locked[1:], now.writer)
        yield from self._steps(now)

    def _steps(self, now: WorkerAndLines) -> Iterator[tuple[WorkerStep | None, LogLine | None, WorkerAndLines]]:
        for move in self.worker.moves(now.state):
            if move.actor != NIL:
                announced = move.announced if move.announced and self._is_shown(move.announced) else None
                said = now.said[move.actor]
                if announced and not said and not now.owed[move.actor] and move.actor != now.writer:
                    yield None, announced, now._replace(said=_with(now.said, move.actor, announced))
                if said != announced or now.owed[move.actor]:
                    continue
            if now.locked:
                continue
            after = self._taken(now, move)
            if len(after.ended) > MOST_ENDED:
                continue
            line = after.locked[0] if after.locked else None
            yield move, line, after.with_locked(after.locked[1:], after.writer)

    def _taken(self, now: WorkerAndLines, move: WorkerStep) -> WorkerAndLines:
        """The configuration when a step was taken and nothing of it is written."""
        owed, said, ended = list(now.owed), list(now.said), list(now.ended)
        if move.actor != NIL:
            owed[move.actor], said[move.actor] = self._shown(move.late), None
        for generation, has_ended in enumerate(move.ended):
            if has_ended:
                stopped = (STOPPED,) if move.woken[generation] else ()
                ended.append(owed[generation] + self._shown(stopped))
                owed[generation] = ()
        if move.renamed:
            owed.reverse()
            said.reverse()
        writer = GENERATIONS - 1 - move.actor if move.renamed and move.actor != NIL else move.actor
        broken = now.broken | move.broken
        after = WorkerAndLines(move.after, (), NIL, tuple(owed), tuple(said), _sorted(*ended), now.unknown, broken)
        return after.with_locked(self._shown(move.locked), writer)

    def _shown(self, lines: Lines) -> Lines:
        return tuple(line for line in lines if self._is_shown(line))

    def _is_shown(self, line: LogLine) -> bool:
        return line.message not in self.hidden and line not in self.hidden


def _choice(*given: Any, **chosen: Any) -> str:
    """What a step is given, and what it finds, in a few words."""
    words = []
    for each in given:
        if isinstance(each, UpdatePodOptions):
            words += [each.update_type.value, "of a runtime pod" if each.running_pod else ""]
            words += ["to evict it" if each.kill_pod_options.evict else ""]
            words += ["deletionTimestamp is set" if each.pod.deletion_timestamp else ""]
            words += [f"its phase is {each.pod.phase.value}" if each.pod.phase != Phase.RUNNING else ""]
        elif isinstance(each, SyncPodOutcome | SyncOutcome):
            words.append(each.value)
        elif each is True:
            words.append("an error")
    words += ["the runtime cache has containers" if chosen.get("cached") == Cached.RUNNING else ""]
    words += ["the grace period becomes shorter" if chosen.get("shortens") else ""]
    words += ["the pod is desired" if chosen.get("desired") else ""]
    words += ["another static pod of its name comes first" if chosen.get("may_start") is False else ""]
    return ", ".join(filter(None, words))


def _with(items: tuple[Any, ...], index: int, item: Any) -> tuple[Any, ...]:
    return (*items[:index], item, *items[index + 1 :])


def _sorted(*ended: Lines) -> tuple[Lines, ...]:
    return tuple(sorted(lines for lines in ended if lines))


def _more_general(now: WorkerAndLines) -> Iterator[WorkerAndLines]:
    """Configurations that can do all that this one can: more of what ended before the log is unknown."""
    if now.unknown < MOST_ENDED:
        yield now._replace(unknown=now.unknown + 1)
        for i in range(len(now.ended)):
            yield now._replace(ended=now.ended[:i] + now.ended[i + 1 :], unknown=now.unknown + 1)


def _values(record: Any) -> tuple[object, ...]:
    """All that is in a record, however deep, to be hashed."""
    flat, deep = _fields_of(record.__class__)
    return flat(record), *[_value_of(getattr(record, name)) for name in deep]


def _value_of(value: Any) -> object:
    if isinstance(value, Array):
        return tuple(map(_value_of, value))
    return _values(value) if hasattr(value, "__dataclass_fields__") else value


@functools.cache
def _fields_of(record: type) -> tuple[Callable[[Any], object], tuple[str, ...]]:
    """What takes a record's scalars, and the names of its other fields."""
    hints = hints_of(record)
    deep = tuple(f.name for f in fields(record) if _is_deep(base_of(hints[f.name])))
    flat = [f.name for f in fields(record) if f.name not in deep]
    return (operator.attrgetter(*flat) if flat else lambda _: ()), deep


def _is_deep(base: Any) -> bool:
    return is_dataclass(base) or get_origin(base) is Array
