"""One pool for everything that is asked at a time: processes that are forked from this one."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from multiprocessing import current_process
from typing import Any

from podproof.checker.processes import CAN_FORK, Failure, Task, processors, run_tasks
from podproof.queries import progress


def at_a_time(count: int) -> int:
    """How many of so many tasks run at a time; one where they run in this process."""
    return min(count, processors()) if CAN_FORK and not current_process().daemon else 1


def answers(tasks: Iterable[Task], processes: int) -> Iterator[tuple[int, Any]]:
    """What the tasks' calls return, with their numbers, as it comes. What a call raises is raised here.

    A process that is killed, or gives nothing for another reason, leaves its task to this one.
    """
    if processes == 1:
        yield from ((number, task.call()) for number, task in enumerate(tasks))
        return
    taken = list[Task]()

    def silent() -> Iterator[Task]:
        for task in tasks:
            taken.append(task)
            yield replace(task, call=partial(_silently, task.call))

    for number, found in run_tasks(silent(), processes):
        yield number, taken[number].call() if isinstance(found, Failure) else found


def _silently(call: Callable[[], Any]) -> Any:
    """In a process whose progress nobody sees."""
    with progress.unheard():
        return call()
