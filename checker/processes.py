"""Work in several processes, each forked from this one, so that it has all that there is here."""

from __future__ import annotations

import io
import math
import multiprocessing
import os
import pickle
import signal
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from multiprocessing.context import ForkProcess
from typing import Any

CAN_FORK = "fork" in multiprocessing.get_all_start_methods()


def processors() -> int:
    """How many this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


@dataclass(frozen=True)
class Failure:
    """A task that gave no result, and why."""

    reason: str


@dataclass(frozen=True)
class Task:
    """Something to be computed elsewhere. Its result has to be plain data, but for what both sides have."""

    call: Callable[[], Any]
    seconds: float = math.inf
    """When it is stopped, in wall time."""
    shared: Sequence[object] = ()
    """Objects that are there before it is started: in the result they are these very ones, and no copies."""


def run_tasks(tasks: Iterable[Task], processes: int) -> Iterator[tuple[int, Any]]:
    """The results, with the tasks' numbers, as they come; a Failure for a task that raised, crashed or was stopped.

    At most so many processes run at a time, and none is left when this ends. A task is taken from `tasks` when it can
    be started. A process that is killed harms nobody: this one only reads from it.
    """
    waiting, is_empty = enumerate(tasks), False
    running: dict[Connection, tuple[int, Task, ForkProcess, float]] = {}
    try:
        while True:
            while not is_empty and len(running) < processes:
                number, task = next(waiting, (0, None))
                if task is None:
                    is_empty = True
                else:
                    connection, process = _start(task)
                    running[connection] = (number, task, process, time.monotonic() + task.seconds)
            if not running:
                return
            nearest = min(deadline for *_, deadline in running.values())
            left = None if math.isinf(nearest) else max(0.0, nearest - time.monotonic())
            ready = wait(list(running), timeout=left)
            now = time.monotonic()
            for connection, (number, task, process, deadline) in list(running.items()):
                if connection in ready:
                    yield number, _result(task, connection, process)
                elif now >= deadline:
                    yield number, Failure("stopped: it took too long")
                else:
                    continue
                _end(connection, process)
                del running[connection]
    finally:
        for connection, (_, _, process, _) in running.items():
            _end(connection, process)


def _start(task: Task) -> tuple[Connection, ForkProcess]:
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    # Python swallows what a signal's handler raises while it forks.
    before = signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
    try:
        process = context.Process(target=_work, args=(task, theirs, before), daemon=True)
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
    theirs.close()
    return ours, process


def _work(task: Task, connection: Connection, blocked: Collection[int]) -> None:
    """What a process does. Ctrl-C reaches it too, but it is the parent that ends it; other signals end it quietly."""
    for number in signal.valid_signals():
        if signal.getsignal(number) is signal.default_int_handler:
            signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
    try:
        result = _pickled(task.call(), task.shared)
    except Exception as error:
        result = _pickled(Failure(f"{type(error).__name__}: {error}"))
    connection.send_bytes(result)


def _pickled(result: object, shared: Sequence[object] = ()) -> bytes:
    buffer, numbers = io.BytesIO(), {id(thing): number for number, thing in enumerate(shared)}
    pickler = pickle.Pickler(buffer, pickle.HIGHEST_PROTOCOL)
    pickler.persistent_id = lambda thing: numbers.get(id(thing))  # type: ignore[method-assign]
    pickler.dump(result)
    return buffer.getvalue()


def _result(task: Task, connection: Connection, process: ForkProcess) -> Any:
    try:
        unpickler = pickle.Unpickler(io.BytesIO(connection.recv_bytes()))
    except (EOFError, OSError):  # Before its result, or in the middle of it.
        process.join(1)
        return Failure(f"its process ended without a result (exit code {process.exitcode})")
    unpickler.persistent_load = lambda number: task.shared[number]  # type: ignore[method-assign]
    return unpickler.load()


def _end(connection: Connection, process: ForkProcess) -> None:
    connection.close()
    process.kill()
    process.join()
