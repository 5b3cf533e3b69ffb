"""`podproof adequacy`: would the claims notice a wrong worker? The model is changed in one small way after another."""

from __future__ import annotations

import os
import random
import shlex
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import is_dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Final, Literal

import click

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
from podproof.cli import terminal
from podproof.cli.errors import INTERRUPTED
from podproof.cli.kept import keeper, read_kept
from podproof.cli.options import ray_option, scenarios_option, subject_options
from podproof.cli.outputs import Content, Outputs, output_options
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
    system_of,
)
from podproof.queries.comparing import seen_paths
from podproof.queries.formats import trace_format
from podproof.queries.identity import identity, sources
from podproof.queries.pool import local, on_ray
from podproof.reports.content.adequacy import (
    adequacy_answer,
    adequacy_page,
    adequacy_parts,
)
from podproof.reports.render.json import answer_data

BELOW: Final = 1
"""The exit code of a score below --min-score."""
_MOST_BYTES = 1 << 20


@terminal.command(
    examples=[
        ("podproof adequacy --mutants 100", "a sample of the mutants of the newest kubelet, in the default scenarios"),
        ("podproof adequacy --function calculateEffectiveGracePeriod", "all mutants of one function"),
        ("podproof adequacy --model my_change.py --min-score 95", "in CI: exit code 1 below that percentage"),
        ("podproof adequacy --resume found.jsonl", "saves finished mutants in this file, and continues from there"),
    ]
)
@subject_options
@scenarios_option()
@click.option("--function", "functions", multiple=True, help="Only of this function, by its Go name or the model's.")
@click.option("--mutants", "most", type=click.IntRange(min=1), help="The size of a random sample. Default: all.")
@click.option("--seed", default=0, show_default=True, help="Of the sample.")
@click.option("--min-score", type=click.FloatRange(0, 100), metavar="PERCENT", help="Exit code 1 below this score.")
@click.option(
    "--recorded",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Also replay the traces (.jsonl, .jsonl.gz) in this folder on mutants that no claim kills.",
)
@click.option("--thorough", is_flag=True, help="Search to the end, to find every claim that kills a mutant.")
@ray_option
@click.option("--resume", type=click.Path(dir_okay=False, path_type=Path), help="Keep finished mutants in this file.")
@output_options("adequacy", forms=("text", "json", "markdown", "html"))
def adequacy(
    subject: Subject,
    scenarios: tuple[str, ...],
    functions: tuple[str, ...],
    most: int | None,
    seed: int,
    min_score: float | None,
    recorded: Path | None,
    thorough: bool,
    ray: str | None,
    resume: Path | None,
    outputs: Outputs,
) -> int:
    """Mutate the model, one place at a time, and report which claims notice.

    A mutant is killed when a claim that holds is violated, or a witness is lost; a known violation that is gone kills
    nothing. Equivalent is decided, not sampled. The score is the percentage of the others that claims kill.
    """
    started = time.monotonic()
    chosen = scenarios_of(scenarios, subject)
    wanted = {*functions, *map(snake, functions)}
    every = [m for m in pod_worker_mutants(subject) if not functions or not _names(m).isdisjoint(wanted)]
    if not every:
        known = {name for m in pod_worker_mutants(subject) for name in _names(m)}
        raise CheckerError(
            f"--function: {subject.name} has no function {functions[0]!r}; {suggestion(functions[0], known)}"
        )
    mutants = every
    if most is not None and most < len(every):
        mutants = [every[i] for i in sorted(random.Random(seed).sample(range(len(every)), most))]
    traces = [(str(file), file.read_bytes()) for file in recordings(recorded)] if recorded is not None else []
    judged_by = identity(subject.digest, sources(), "adequacy", subject.name, chosen, thorough, traces) or ""
    if resume is not None and not judged_by:
        raise CheckerError(
            f"--resume {resume}: what {subject.option} imports or reads is not known to be the same the next time, so "
            "nothing that was found can be kept; leave --resume out, or import only Python's pure modules and "
            "files that do the same"
        )
    done = _finished(resume, judged_by)
    left = [m for m in mutants if m.key not in done]
    is_whole = True
    if left:
        files = recordings(recorded) if recorded is not None else ()
        cluster = None if ray is None else on_ray(ray, [subject], files)
        where = local(len(left)) if cluster is None else click.get_current_context().with_resource(cluster)
        there = recorded if recorded is None or cluster is None else Path(os.path.relpath(recorded))
        judged_alike = (subject, chosen, thorough, there)
        tasks = [Task(partial(_judged, *judged_alike, m.key)) for m in left]
        _judge.cache_clear()  # The recordings may be others.
        if cluster is None:
            _judge(*judged_alike)  # The processes share the states that it has explored.
        with keeper(resume) as keep, progress.told(f"{subject.name}: {len(left):,} mutants") as tell:
            try:
                for _, outcome in where.answers(tasks):
                    done[outcome.key] = outcome
                    keep(encoded(outcome) | {"judgedBy": judged_by})
                    tell(_progress(subject, done, len(mutants), time.monotonic() - started))
            except KeyboardInterrupt:
                is_whole = False
    asked = ((*properties_of(subject, s), *run_properties_of(subject, s)) for s in chosen)
    claims = dict.fromkeys(p.id for properties in asked for p in properties)
    results = tuple(done[m.key] for m in mutants if m.key in done)
    found = Adequacy(
        subject.name,
        tuple(scenario.name for scenario in chosen),
        tuple(claims),
        results,
        len(mutants),
        len(every),
        time.monotonic() - started,
    )
    code: Literal[0, 1, 130] = 0 if is_whole else INTERRUPTED
    if is_whole and min_score is not None and (found.score or 0) < min_score:
        code = BELOW
    answer = adequacy_answer(found, _command(subject, scenarios, functions, most, seed), code)
    outputs.write(
        Content(
            parts=lambda detail: adequacy_parts(answer, detail),
            data=lambda: answer_data(answer),
            page=lambda: adequacy_page(answer),
        )
    )
    return code


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
        with progress.told(f"{subject.name} {scenario.name}"):
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
    with progress.told(f"{subject.name}: traces of {folder}"):
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


def _command(subject: Subject, scenarios: Sequence[str], functions: Sequence[str], most: int | None, seed: int) -> str:
    names = [*(f"--scenario {name}" for name in scenarios), *(f"--function {shlex.quote(name)}" for name in functions)]
    sample = [] if most is None else [f"--mutants {most} --seed {seed}"]
    return " ".join(["podproof adequacy", subject.option, *names, *sample])
