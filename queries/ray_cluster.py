"""Checks on a Ray cluster that is there already."""

from __future__ import annotations

import atexit
import contextlib
import logging
import re
import shutil
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from podproof.checker.core.system import CheckerError
from podproof.queries.tasks import CheckTask, run_task
from podproof.reports.content.sweep import CheckResult

_ROOMS = ("checker", "cli", "golang", "kubelet", "kubelet_1_20", "model", "queries", "reports", "specs")


def on_ray(address: str) -> Callable[[Sequence[CheckTask]], Iterator[tuple[CheckTask, CheckResult]]]:
    """What runs tasks on the cluster at an address. Raises CheckerError where none answers."""
    try:
        import ray
    except ImportError as error:
        raise CheckerError("--ray: Ray is not installed here; `pip install 'podproof[ray]'` does it") from error
    look_for(address)
    with tempfile.TemporaryDirectory() as folder:
        code = Path(folder, "podproof")
        for room in _ROOMS:
            spec = find_spec(f"podproof.{room}")
            assert spec is not None and spec.origin is not None
            shutil.copytree(Path(spec.origin).parent, code / room, ignore=shutil.ignore_patterns("__pycache__"))
        try:
            ray.init(address, runtime_env={"py_modules": [str(code)]}, log_to_driver=False, logging_level=logging.ERROR)
        except (ConnectionError, RuntimeError, ValueError, TimeoutError, OSError) as error:
            (why, *_) = str(error).splitlines() or [type(error).__name__]
            raise CheckerError(
                f"--ray {address}: no cluster of Python {sys.version.split()[0]} and Ray {ray.__version__} answers "
                f"({why}); give the address that `ray start --head` prints"
            ) from error
    return _run


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


def _run(tasks: Sequence[CheckTask]) -> Iterator[tuple[CheckTask, CheckResult]]:
    """The results, in the order in which they are known. What a node had that dies is done again by another one."""
    import ray

    with contextlib.redirect_stdout(sys.stderr):  # Ray tells of nodes that died on standard output.
        yield from _collect(ray, tasks)


def _collect(ray: Any, tasks: Sequence[CheckTask]) -> Iterator[tuple[CheckTask, CheckResult]]:
    remote = ray.remote(num_cpus=1, max_retries=3)(_run_there)
    under_way = {remote.remote(task, sources_of(task)): task for task in tasks}
    try:
        while under_way:
            (ready, *_), _ = ray.wait(list(under_way), num_returns=1)
            task = under_way.pop(ready)
            try:
                yield task, ray.get(ready)
            except ray.exceptions.RayError as error:
                why = f"its node was lost ({type(error).__name__})"
                yield task, CheckResult(task.row, task.scenario, 0, {}, why, is_lost=True)
    finally:
        ray.shutdown()


def sources_of(task: CheckTask) -> Mapping[Path, bytes]:
    """What the user's files of a check hold, which a node does not have."""
    files = task.claim_files if task.model is None else (task.model, *task.claim_files)
    return {file: file.read_bytes() for file in files}


def _run_there(task: CheckTask, sources: Mapping[Path, bytes]) -> Any:
    """On a node."""
    placed = {file: _placed(file.name, source) for file, source in sources.items()}
    model = None if task.model is None else placed[task.model]
    return run_task(replace(task, model=model, claim_files=tuple(placed[file] for file in task.claim_files)))


@cache
def _placed(name: str, source: bytes) -> Path:
    """The file in a folder of this process, the same for all tasks about it."""
    folder = tempfile.mkdtemp(prefix="podproof-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    file = Path(folder, name)
    file.write_bytes(source)
    return file
