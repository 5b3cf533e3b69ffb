"""Many independent checks: one at a time, or each in a process of its own."""

from __future__ import annotations

import contextlib
import itertools
import multiprocessing
import os
import signal
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path
from typing import Any

from podproof.checker.adequacy.judge import Judge
from podproof.checker.core.system import CheckerError, Limits
from podproof.checker.reductions import REDUCTIONS
from podproof.cli.adequacy import explored_scenarios, pod_worker_mutants
from podproof.queries.build import Subject, scenarios_of, subject_of, with_claims
from podproof.queries.cache import Cache, Inquiry, own_folder
from podproof.queries.search import explore
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

    @property
    def world(self) -> str:
        """Tasks of one have most of their work in common."""
        return f"{self.version} {self.model} {self.scenario}"


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
    found = Cache(own_folder()).answer(question)
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
    return Judge(explored_scenarios(subject, scenarios_of([scenario], subject)), False)


def run_tasks(tasks: Sequence[CheckTask], jobs: int) -> Iterator[tuple[CheckTask, CheckResult]]:
    """The results, in the order in which they are known."""
    if jobs == 1:
        yield from ((task, run_task(task)) for task in tasks)
        return
    context = multiprocessing.get_context("spawn")
    number = context.Value("i", 0)
    pools = [ProcessPoolExecutor(1, context, _begin, (number,)) for _ in range(min(jobs, len(tasks)))]
    broken = list[ProcessPoolExecutor]()
    worlds, left, again = [""] * len(pools), list(tasks), set[CheckTask]()
    under_way = dict[Future[CheckResult], tuple[int, CheckTask]]()
    with _ignored("SIGPIPE"):  # Until no pool is left that may write to a process that was killed.
        try:
            while left or under_way:
                for worker in set(range(len(pools))) - {worker for worker, _ in under_way.values()}:
                    if left:
                        task = _next(left, worlds, worker)
                        left.remove(task)
                        worlds[worker] = task.world
                        under_way[pools[worker].submit(run_task, task)] = worker, task
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    worker, task = under_way.pop(future)
                    try:
                        yield task, future.result()
                    except BrokenProcessPool:
                        broken.append(pools[worker])
                        pools[worker] = ProcessPoolExecutor(1, context, _begin, (number,))
                        if task in again:
                            lost = CheckResult(task.row, task.scenario, 0, {}, "its process was killed", is_lost=True)
                            yield task, lost
                        else:  # Maybe it was not to blame.
                            again.add(task)
                            left.insert(0, task)
        except BaseException:
            for process in multiprocessing.active_children():
                process.terminate()
            raise
        finally:
            for pool in (*pools, *broken):
                pool.shutdown()


def _next(left: Sequence[CheckTask], worlds: Sequence[str], worker: int) -> CheckTask:
    """What a process does next: best what it has everything for, else what no other one has everything for."""
    same = (task for task in left if task.world == worlds[worker])
    new = (task for task in left if task.world not in worlds)
    return next(itertools.chain(same, new, left))


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
