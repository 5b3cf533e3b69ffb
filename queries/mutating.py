"""Would the claims notice a wrong worker? The model is changed in one small way after another."""

from __future__ import annotations

import os
import random
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, is_dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Final

from podproof.checker import conformance
from podproof.checker.adequacy.explored_scenario import ExploredScenario, Question
from podproof.checker.adequacy.judge import Judge
from podproof.checker.adequacy.mutants import Mutant, mutants_of
from podproof.checker.adequacy.result import Adequacy, MutantResult
from podproof.checker.core.answer import decoded, encoded, schema_of
from podproof.checker.core.system import CheckerError
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.lowering.source import suggestion
from podproof.checker.processes import Task
from podproof.checker.reading import Format
from podproof.golang.values import snake
from podproof.model.goroutines import Goroutines
from podproof.model.notes import names_of
from podproof.model.scenarios import Scenario
from podproof.queries import progress
from podproof.queries.build import (
    Subject,
    properties_of,
    replayer_of,
    run_properties_of,
    scenarios_of,
    subject_named,
    system_of,
)
from podproof.queries.fields import seen_paths
from podproof.queries.formats import trace_format
from podproof.queries.identity import identity, sources
from podproof.queries.kept import keeper, read_kept
from podproof.queries.pool import Pool, local, on_ray
from podproof.reports.content.adequacy import AdequacyAnswer, adequacy_answer

BELOW: Final = 1
INTERRUPTED: Final = 130
"""The exit codes of a score below --min-score, and after Ctrl-C."""
_MOST_BYTES = 1 << 20


def adequacy(
    subject: str | Path | Subject,
    scenarios: Sequence[str] = (),
    functions: Sequence[str] = (),
    sample: int | None = None,
    seed: int = 0,
) -> AdequacyAnswer:
    """Mutate the model of a release, or of a model's or a Go file, one place at a time, and say which claims notice.

    Without names: the default scenarios, every function. `sample`: so many mutants, chosen at random. Raises
    CheckerError for what cannot be read, and where there is no such function.
    """
    asked = subject if isinstance(subject, Subject) else subject_named(str(subject))
    return AdequacyQuery(asked, tuple(scenarios), tuple(functions), sample, seed).answer()


@dataclass
class AdequacyQuery:
    """Which mutants are to be judged, in which scenarios. Raises CheckerError for what makes no sense."""

    subject: Subject
    scenarios: tuple[str, ...] = ()
    functions: tuple[str, ...] = ()
    """By their Go names or the model's; none for all."""
    sample: int | None = None
    """The size of a random sample; None for all mutants."""
    seed: int = 0
    min_score: float | None = None
    """The percentage below which the claims are not good enough."""
    recorded: Path | None = None
    """The folder of traces that are replayed on mutants that no claim kills."""
    thorough: bool = False
    """Is the search to go on to the end, so that every claim that kills a mutant is found?"""

    def __post_init__(self) -> None:
        self.chosen = scenarios_of(self.scenarios, self.subject)
        wanted = {*self.functions, *map(snake, self.functions)}
        every = pod_worker_mutants(self.subject)
        self.mutants = [m for m in every if not self.functions or not _names(m).isdisjoint(wanted)]
        if not self.mutants:
            known = {name for m in every for name in _names(m)}
            raise CheckerError(
                f"--function: {self.subject.name} has no function {self.functions[0]!r}; "
                f"{suggestion(self.functions[0], known)}"
            )
        self.available = len(self.mutants)
        if self.sample is not None and self.sample < self.available:
            chosen = sorted(random.Random(self.seed).sample(range(self.available), self.sample))
            self.mutants = [self.mutants[i] for i in chosen]

    def answer(self, ray: str | None = None, resume: Path | None = None) -> AdequacyAnswer:
        """What becomes of the mutants; after Ctrl-C, of those that were judged by then.

        `ray`: on the cluster at this address; `resume`: the file of earlier results, which gets the new ones, too.
        """
        started = time.monotonic()
        judged_by = self._identity(resume)
        done = _finished(resume, judged_by)
        left = [m for m in self.mutants if m.key not in done]
        is_whole = True
        if left:
            with ExitStack() as stack:
                where, tasks = self._tasks(left, ray, stack)
                keep = stack.enter_context(keeper(resume))
                tell = stack.enter_context(progress.stage(f"{self.subject.name}: {len(left):,} mutants"))
                try:
                    for _, result in where.answers(tasks):
                        done[result.key] = result
                        keep(encoded(result) | {"judgedBy": judged_by})
                        tell(_progress(self.subject, done, len(self.mutants), time.monotonic() - started))
                except KeyboardInterrupt:
                    is_whole = False
        asked = ((*properties_of(self.subject, s), *run_properties_of(self.subject, s)) for s in self.chosen)
        claims = dict.fromkeys(p.id for properties in asked for p in properties)
        found = Adequacy(
            self.subject.name,
            tuple(scenario.name for scenario in self.chosen),
            tuple(claims),
            tuple(done[m.key] for m in self.mutants if m.key in done),
            len(self.mutants),
            self.available,
            time.monotonic() - started,
        )
        is_below = self.min_score is not None and (found.score or 0) < self.min_score
        return adequacy_answer(found, self._command(), INTERRUPTED if not is_whole else BELOW if is_below else 0)

    def _identity(self, resume: Path | None) -> str:
        """What stands for everything that decides what becomes of a mutant. Raises CheckerError where it is unknown."""
        traces = [(str(file), file.read_bytes()) for file in recordings(self.recorded)] if self.recorded else []
        name = self.subject.name
        found = identity(self.subject.digest, sources(), "adequacy", name, self.chosen, self.thorough, traces)
        if resume is not None and not found:
            raise CheckerError(
                f"--resume {resume}: what {self.subject.option} imports or reads is not known to be the same the next "
                "time, so nothing that was found can be kept; leave --resume out, or import only Python's pure modules "
                "and files that do the same"
            )
        return found or ""

    def _tasks(self, mutants: Sequence[Mutant], ray: str | None, stack: ExitStack) -> tuple[Pool, Sequence[Task]]:
        """A task for each of these, and where they are done."""
        where, recorded = local(len(mutants)), self.recorded
        if ray is not None:
            files = recordings(recorded) if recorded is not None else ()
            where = stack.enter_context(on_ray(ray, [self.subject], files))
            recorded = None if recorded is None else Path(os.path.relpath(recorded))
        judged_alike = (self.subject, self.chosen, self.thorough, recorded)
        _judge.cache_clear()  # The recordings may be others.
        if ray is None:
            _judge(*judged_alike)  # The processes share the states that it has explored.
        return where, [Task(partial(_judged, *judged_alike, m.key)) for m in mutants]

    def _command(self) -> str:
        names = [f"--scenario {name}" for name in self.scenarios]
        names += [f"--function {shlex.quote(name)}" for name in self.functions]
        sample = [] if self.sample is None else [f"--mutants {self.sample} --seed {self.seed}"]
        return " ".join(["podproof adequacy", self.subject.option, *names, *sample])


# -- what is changed ---------------------------------------------------------------------------------------------------


def pod_worker_mutants(subject: Subject) -> list[Mutant]:
    """The mutants of the pod worker: of the release's and the file's classes, and of the records that they define.

    How Go's channels and goroutines work is no part of it. With --go they are those of the Go's translation.
    """
    if subject.origin:
        return list(mutants_of([subject.cls], [], [sys.modules[subject.cls.__module__]]))
    classes = [cls for cls in subject.cls.__mro__ if cls not in (object, Goroutines)]
    modules = {cls.__module__ for cls in classes}
    records = [
        thing
        for module in sorted(modules)
        for thing in vars(sys.modules[module]).values()
        if isinstance(thing, type) and thing.__module__ == module and is_dataclass(thing) and thing not in classes
    ]
    kubelets = {subject.cls.kubelet, subject.cls.open}
    return list(mutants_of(classes, [r for r in records if r not in kubelets and not issubclass(r, tuple(kubelets))]))


def _names(mutant: Mutant) -> set[str]:
    method = vars(mutant.owner)[mutant.name]
    return {mutant.name, mutant.function, *(go.name for go in names_of(method))}


# -- by what it is judged ----------------------------------------------------------------------------------------------


def explored_scenarios(subject: Subject, scenarios: Sequence[Scenario]) -> list[ExploredScenario]:
    """The scenarios, explored, the small ones first."""
    found = []
    for scenario in scenarios:
        with progress.stage(f"{subject.name} {scenario.name}"):
            system = system_of(subject, scenario)
            claims = lower_properties(system, properties_of(subject, scenario))
            seen = seen_paths(system)
            queries, about_runs = tuple(_queries(subject, scenario)), run_properties_of(subject, scenario)
            found.append(
                ExploredScenario(Question(system, claims, scenario.interchangeable, seen, queries, about_runs))
            )
    return sorted(found, key=lambda one: one.count)


def _queries(subject: Subject, scenario: Scenario) -> Iterator[tuple[str, int]]:
    """What others ask the pod workers, with how many indices there are; the answers of SyncKnownPods among them."""
    sizes = {"uid": len(scenario.pods), "full_name": len(scenario.full_names)}
    owners = [cls for cls in subject.cls.__mro__ if cls.__name__ == "Queries"]
    names = [name for owner in owners for name in vars(owner)] + ["has_config", "is_static"]
    for name in names:
        hints = getattr(getattr(subject.cls, name, None), "__annotations__", {})
        asked = [argument for argument in hints if argument != "return"]
        if hints.get("return") == "bool" and len(asked) == 1 and asked[0] in sizes:
            yield name, sizes[asked[0]]


def recordings(folder: Path) -> list[Path]:
    """The files of traces in a folder. Raises CheckerError where there is none."""
    files = sorted([*folder.glob("*.jsonl"), *folder.glob("*.jsonl.gz")])
    if not files:
        raise CheckerError(f"--recorded {folder}: there is no .jsonl or .jsonl.gz in it; docs/traces.md has the format")
    return files


def _recorded(subject: Subject, folder: Path | None) -> Callable[[], str]:
    """What says which trace in a folder the model does not reproduce, of those that the original does."""
    if folder is None:
        return lambda: ""
    files = recordings(folder)
    form, factory = trace_format(subject.cls), replayer_of(subject)
    with progress.stage(f"{subject.name}: traces of {folder}"):
        traces = [
            (where, trace)
            for file in files
            for where, trace in form.read_lines(file)
            if conformance.replay(trace, factory, where).conforms
        ]
    if not traces:
        raise CheckerError(
            f"--recorded {folder}: {subject.name} reproduces none of its traces; name those of its release"
        )

    def ask() -> str:
        for where, trace in traces:
            found = conformance.replay(trace, replayer_of(subject), where)
            if not found.conforms:
                return f"trace {found.trace} does not fit from step {found.step} on ({where})"
        return ""

    return ask


# -- the work ----------------------------------------------------------------------------------------------------------


def _judged(
    subject: Subject, scenarios: tuple[Scenario, ...], thorough: bool, recorded: Path | None, key: str
) -> MutantResult:
    """What becomes of a mutant."""
    return _judge(subject, scenarios, thorough, recorded).judge(_mutants(subject)[key])


@lru_cache(maxsize=1)
def _judge(subject: Subject, scenarios: tuple[Scenario, ...], thorough: bool, recorded: Path | None) -> Judge:
    """It has all states of the scenarios, so one is enough at a time."""
    return Judge(explored_scenarios(subject, scenarios), thorough, _recorded(subject, recorded))


@lru_cache(maxsize=1)
def _mutants(subject: Subject) -> Mapping[str, Mutant]:
    return {mutant.key: mutant for mutant in pod_worker_mutants(subject)}


def _progress(subject: Subject, done: Mapping[str, MutantResult], planned: int, seconds: float) -> str:
    killed = sum(bool(outcome.kills) for outcome in done.values())
    return f"{subject.name}: {len(done):,} of {planned:,} mutants, {killed:,} killed, {seconds:.0f} s"


# -- what is kept ------------------------------------------------------------------------------------------------------


class KeptMutant(MutantResult, frozen=True, kw_only=True):
    """A line of a file of --resume."""

    judged_by: str
    """Stands for the model, the claims and the scenarios."""


_KEPT = Format(
    partial(schema_of, KeptMutant),
    "name a file that `podproof adequacy --resume` has written, or a new one",
    _MOST_BYTES,
)


def _finished(path: Path | None, identity: str) -> dict[str, MutantResult]:
    """The results in a file. Raises CheckerError for a file of something else."""
    found: dict[str, MutantResult] = {}
    for where, document in read_kept(path, _KEPT):
        if document["judgedBy"] != identity:
            raise CheckerError(
                f"{where}: this was judged by other claims, another model or in other scenarios than those of now; "
                "name another file, or remove this one"
            )
        found[document["key"]] = decoded(document, MutantResult)
    return found
