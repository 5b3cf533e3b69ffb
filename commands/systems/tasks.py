"""Many independent checks: one at a time, or each in a process of its own."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from podproof.checker.adequacy.judge import Judge
from podproof.checker.core.system import CheckerError, Limits
from podproof.checker.reductions import REDUCTIONS
from podproof.commands.adequacy import pod_worker_mutants, worlds_of
from podproof.commands.systems.build import Subject, scenarios_of, subject_of, with_claims
from podproof.commands.systems.cache import Cache, Inquiry, own_folder
from podproof.commands.systems.search import explore
from podproof.reports.content.sweep import CheckResult, Row


@dataclass(frozen=True)
class CheckTask:
    """One check, as it is sent to a process."""

    row: Row
    version: str
    model: Path | None
    claim_files: tuple[Path, ...]
    """What is claimed besides."""
    mutant: str
    """The key of a mutant; empty for the model as it is."""
    scenario: str
    claims: tuple[str, ...]
    budget: float | None
    weight: int
    """The higher, the sooner: what fails is to be known early, and what is long begins first."""
    identity: str
    """Stands for everything that the result depends on."""


def run_task(task: CheckTask) -> CheckResult:
    """One check, in whichever process. What cannot be checked is a result, too."""
    started = time.monotonic()
    try:
        found = _mutant_result(task) if task.mutant else _result(task)
    except CheckerError as error:
        found = CheckResult(task.row, task.scenario, 0, {}, f"refused: {error}")
    return found.after(time.monotonic() - started)


def _result(task: CheckTask) -> CheckResult:
    subject = _subject(task.version, task.model, task.claim_files)
    (scenario,) = scenarios_of([task.scenario], subject)
    asked = (scenario, task.claims, "auto", Limits(None, None, task.budget), tuple(REDUCTIONS))
    question = Inquiry(partial(explore, subject, *asked), subject, ("explore", *asked, 1))  # As `podproof check` asks.
    found = Cache(subject, own_folder()).answer(question)
    assert found is not None, "a task has claims"
    verdicts = {v.property.id: (v.status.value, v.depth) for v in found.verdicts}
    return CheckResult(task.row, task.scenario, found.states, verdicts, found.reason)


def _mutant_result(task: CheckTask) -> CheckResult:
    about = (task.version, task.model, task.claim_files)
    found = _judge(*about, task.scenario).judge(_mutants(*about)[task.mutant])
    verdicts = {kill.claim: (kill.objection.value, kill.steps) for kill in found.kills}
    return CheckResult(task.row, task.scenario, 0, verdicts, "", fate=found.fate)


@cache
def _subject(version: str, model: Path | None, claim_files: tuple[Path, ...]) -> Subject:
    return with_claims(subject_of(version, model), claim_files)


@cache
def _mutants(version: str, model: Path | None, claim_files: tuple[Path, ...]) -> Mapping[str, Any]:
    return {mutant.key: mutant for mutant in pod_worker_mutants(_subject(version, model, claim_files))}


@lru_cache(maxsize=1)
def _judge(version: str, model: Path | None, claim_files: tuple[Path, ...], scenario: str) -> Judge:
    """It has all states of the scenario, so one is enough at a time."""
    subject = _subject(version, model, claim_files)
    return Judge(worlds_of(subject, scenarios_of([scenario], subject)), False)


def run_tasks(tasks: Sequence[CheckTask], jobs: int) -> Iterator[tuple[CheckTask, CheckResult]]:
    """The results, in the order in which they are known."""
    if jobs == 1:
        yield from ((task, run_task(task)) for task in tasks)
        return
    queue = list(tasks)
    while queue:
        try:
            for task, cell in _in_processes(queue, jobs):
                queue.remove(task)
                yield task, cell
        except BrokenProcessPool:
            # One of those that were under way has ended its process; the others are not to blame.
            for task in queue[:jobs]:
                try:
                    (found,) = _in_processes([task], 1)
                except BrokenProcessPool:
                    found = (task, CheckResult(task.row, task.scenario, 0, {}, "its process was killed", is_lost=True))
                queue.remove(task)
                yield found


def _in_processes(tasks: Iterable[CheckTask], jobs: int) -> Iterator[tuple[CheckTask, CheckResult]]:
    """The same in several processes. Raises BrokenProcessPool when one is killed; what it had is among the next."""
    context = multiprocessing.get_context("spawn")
    with _ignored("SIGPIPE"), ProcessPoolExecutor(jobs, context, _begin, (context.Value("i", 0),)) as pool:
        waiting, under_way = iter(tasks), dict[Future[CheckResult], CheckTask]()
        try:
            while True:
                while len(under_way) < jobs and (task := next(waiting, None)) is not None:
                    under_way[pool.submit(run_task, task)] = task
                if not under_way:
                    return
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    cell = future.result()
                    yield under_way.pop(future), cell
        except BaseException:
            for process in multiprocessing.active_children():
                process.terminate()
            raise


@contextlib.contextmanager
def _ignored(name: str) -> Iterator[None]:
    """The pipe to a process that was killed must not end this one."""
    number = getattr(signal, name, None)
    if number is None:
        yield
        return
    before = signal.signal(number, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(number, before)


def _begin(number: Any) -> None:
    """Each process has a processor of its own. Ctrl-C is for the process that collects."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(os, "sched_setaffinity"):
        usable = sorted(os.sched_getaffinity(0))
        with number.get_lock():
            mine = usable[number.value % len(usable)]
            number.value += 1
        os.sched_setaffinity(0, {mine})
