"""One pool for everything that is asked at a time: processes that are forked from this one, or a Ray cluster."""

from __future__ import annotations

import contextlib
import functools
import importlib.util
import io
import logging
import os
import pickle
import re
import shutil
import signal
import socket
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import current_process
from pathlib import Path
from typing import Any

from podproof.checker.core.system import CheckerError
from podproof.checker.processes import CAN_FORK, Failure, Task, processors, run_tasks
from podproof.model.scenarios import Scenario
from podproof.queries import progress
from podproof.queries.build import Subject, subject_from
from podproof.queries.identity import is_users


@dataclass(frozen=True)
class Pool:
    """Where tasks run."""

    answers: Callable[[Sequence[Task]], Iterator[tuple[int, Any]]]
    """What the tasks' calls return, with their numbers, as it comes. What a call raises is raised here."""
    fewest: int = 2
    """Fewer tasks than these are done one by one, in this process."""


def local(count: int) -> Pool:
    """For so many tasks as many processes as there are processors."""
    return Pool(lambda tasks: answers(tasks, at_a_time(min(count, len(tasks)))))


ALONE = Pool(lambda tasks: answers(tasks, 1), fewest=sys.maxsize)
"""This process, which does one task after the other."""


def at_a_time(count: int) -> int:
    """How many of so many tasks run at a time; one where they run in this process."""
    return max(1, min(count, processors())) if CAN_FORK and not current_process().daemon else 1


def answers(tasks: Iterable[Task], processes: int) -> Iterator[tuple[int, Any]]:
    """As a pool's, in so many processes.

    One that is killed, or gives nothing for another reason, leaves its task to this one.
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
    with progress.silent():
        return call()


# -- a Ray cluster -----------------------------------------------------------------------------------------------------
#
# podproof's code and the user's files travel with the job, to the same places below a node's working directory. Of a
# subject or a scenario a task says how the command line names it; what a task calls is a function of a module.


@contextlib.contextmanager
def on_ray(address: str, subjects: Sequence[Subject], more: Sequence[Path] = ()) -> Iterator[Pool]:
    """The cluster at an address, for tasks about these subjects, which may read more files. Raises CheckerError."""
    try:
        import ray
    except ImportError as error:
        raise CheckerError("--ray: Ray is not installed here; `pip install 'podproof[ray]'` does it") from error
    look_for(address)
    with tempfile.TemporaryDirectory() as folder, _ignored("SIGPIPE"):
        code, work = Path(folder, "podproof"), Path(folder, "work")
        found = importlib.util.find_spec("podproof")
        for root in (found and found.submodule_search_locations) or ():
            shutil.copytree(root, code, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
        _copy([*(file for subject in subjects for file in subject.files if is_users(str(file))), *more], work)
        environment = {"py_modules": [str(code)], "working_dir": str(work)}
        try:
            ray.init(address, runtime_env=environment, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, RuntimeError, ValueError, TimeoutError, OSError) as error:
            (why, *_) = str(error).splitlines() or [type(error).__name__]
            raise CheckerError(
                f"--ray {address}: no cluster of Python {sys.version.split()[0]} and Ray {ray.__version__} answers "
                f"({why}); give the address that `ray start --head` prints"
            ) from error
        try:
            yield Pool(partial(_collect, ray, subjects), fewest=1)
        finally:
            ray.shutdown()


def look_for(address: str) -> None:
    """Raises CheckerError where nothing listens: Ray itself would try for minutes."""
    where = re.fullmatch(r"(?:ray://)?\[?([^/]*?)\]?:(\d{1,5})", address)
    if where is None and address != "auto":
        raise CheckerError(f"--ray {address}: this is no address; give one such as 10.0.0.1:6379, or `auto`")
    if where is not None:
        try:
            socket.create_connection((where[1], int(where[2])), timeout=10).close()
        except (OSError, OverflowError) as error:
            raise CheckerError(
                f"--ray {address}: nobody answers ({error}); give the address that `ray start --head` prints"
            ) from error


@contextlib.contextmanager
def _ignored(name: str) -> Iterator[None]:
    """The connection to a node that was killed must not end this process."""
    number = getattr(signal, name, None)
    if number is None:
        yield
        return
    before = signal.signal(number, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(number, before)


def _copy(files: Iterable[Path], folder: Path) -> None:
    """What the nodes find in their working directory, as it is here. Raises CheckerError for what is elsewhere."""
    folder.mkdir()
    for file in dict.fromkeys(files):
        path = Path(os.path.abspath(file))
        if not path.is_relative_to(Path.cwd()):
            raise CheckerError(
                f"--ray: {file} is not below the working directory, and only what is gets to the nodes; "
                "start podproof in a folder that has all files below it"
            )
        target = folder / path.relative_to(Path.cwd())
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)


def _collect(ray: Any, subjects: Sequence[Subject], tasks: Sequence[Task]) -> Iterator[tuple[int, Any]]:
    """The results as they come. What a node had that dies is done again by another one, and at last by this process."""
    with contextlib.redirect_stdout(sys.stderr):  # Ray tells of nodes that died on standard output.
        remote = ray.remote(num_cpus=1, max_retries=3)(_answer_there)
        under_way = {remote.remote(_sent(task, subjects)): number for number, task in enumerate(tasks)}
        while under_way:
            (ready, *_), _ = ray.wait(list(under_way), num_returns=1)
            number = under_way.pop(ready)
            try:
                found = ray.get(ready)
            except ray.exceptions.RayError as error:
                progress.note(f"--ray: a node gave no answer ({type(error).__name__}); this machine looks for it")
                found = tasks[number].call()
            yield number, found


def _sent(task: Task, subjects: Sequence[Subject]) -> bytes:
    buffer = io.BytesIO()
    _Sender(buffer, subjects).dump(task.call)
    return buffer.getvalue()


def _answer_there(call: bytes) -> Any:
    """On a node."""
    return _silently(_Receiver(io.BytesIO(call)).load())


class _Sender(pickle.Pickler):
    def __init__(self, file: io.BytesIO, subjects: Sequence[Subject]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self.subjects = subjects

    def persistent_id(self, obj: Any) -> Any:
        for subject in self.subjects if isinstance(obj, Subject | Scenario) else ():
            named = (os.getcwd(), subject.option, subject.name)
            if obj == subject:
                return *named, None
            if isinstance(obj, Scenario) and subject.scenarios.get(obj.name) == obj:
                return *named, obj.name
        return None


class _Receiver(pickle.Unpickler):
    def persistent_load(self, pid: Any) -> Subject | Scenario:
        *named, scenario = pid
        subject = _subject_there(*named)
        return subject if scenario is None else subject.scenarios[scenario]


@functools.cache
def _subject_there(folder: str, option: str, name: str) -> Subject:
    """A subject, whose files were below `folder`, from the same files below the working directory."""
    return replace(subject_from(option, Path(folder)), name=name)
