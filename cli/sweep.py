"""`podproof sweep`: many independent checks, on every processor or on one part of them in each job."""

from __future__ import annotations

import glob
import json
import random
import shlex
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

import click

from podproof.checker.core.system import CheckerError
from podproof.checker.lowering.source import suggestion
from podproof.checker.processes import processors
from podproof.checker.reading import Format
from podproof.cli import terminal
from podproof.cli.adequacy import pod_worker_mutants
from podproof.cli.errors import INTERRUPTED
from podproof.cli.kept import keeper, read_kept
from podproof.cli.options import budget_option, claims_option, properties_option, scenarios_option
from podproof.cli.outputs import Content, Outputs, output_options
from podproof.model.scenarios import Scenario
from podproof.queries import progress
from podproof.queries.build import Subject, not_about, properties_of, scenarios_of, subject_of, with_claims
from podproof.queries.identity import identity, sources
from podproof.queries.ray_cluster import on_ray
from podproof.queries.tasks import CheckTask, run_tasks
from podproof.queries.versions import DEFAULT_VERSION, VERSIONS
from podproof.reports.content.sweep import (
    Row,
    Sweep,
    check_result,
    check_result_data,
    sweep_data,
    sweep_page,
    sweep_parts,
)
from podproof.reports.render.json import schema_text, tool

UNDECIDED = 4
_MOST_BYTES = 1 << 20


@terminal.command(
    examples=[
        ("podproof sweep --version all", "every release in the default scenarios"),
        ("podproof sweep --version all --model 'proposals/*.py'", "and every proposal"),
        ("podproof sweep --mutants 50 --resume found.jsonl", "also mutants; saves what is finished, and resumes"),
        ("podproof sweep --version all --shard 3/8 --resume 3.jsonl", "one of eight jobs of a CI matrix"),
    ]
)
@click.option("--version", "versions", multiple=True, help="A release of the kubelet, or `all`; may be repeated.")
@click.option("--model", "models", multiple=True, metavar="PATTERN", help="Files that override a release; repeatable.")
@claims_option
@scenarios_option()
@properties_option()
@click.option(
    "--mutants", "most", type=click.IntRange(min=1), help="Also a random sample of this many mutants of each."
)
@click.option("--seed", default=0, show_default=True, help="Of the samples.")
@budget_option
@click.option("-j", "--jobs", type=click.IntRange(min=1), help="How many processes. Default: one per processor.")
@click.option("--ray", metavar="ADDRESS", help="On the Ray cluster at this address; needs podproof[ray].")
@click.option("--shard", metavar="I/N", help="Only the I-th of N parts, of about equal size.")
@click.option("--resume", type=click.Path(dir_okay=False, path_type=Path), help="Keep finished checks in this file.")
@output_options("sweep", forms=("text", "json", "markdown", "html"))
def sweep(
    versions: tuple[str, ...],
    models: tuple[str, ...],
    claim_files: tuple[Path, ...],
    scenarios: tuple[str, ...],
    properties: tuple[str, ...],
    most: int | None,
    seed: int,
    budget: float | None,
    jobs: int | None,
    ray: str | None,
    shard: str | None,
    resume: Path | None,
    outputs: Outputs,
) -> int:
    """Check every version and model in every scenario, each by itself, and say where their verdicts differ.

    With --resume a sweep that was ended goes on where it was, and only what has changed since is checked again. The
    files of several shards, put together, give the whole table.
    """
    if ray is not None and jobs is not None:
        raise click.UsageError("--ray and --jobs: the cluster knows how many processes it has; leave --jobs out")
    started = time.monotonic()
    subjects = _subjects(versions, models, claim_files)
    tasks = list(_tasks(subjects, claim_files, scenarios, properties, most, seed, budget))
    if not tasks:
        raise click.UsageError(not_about(subjects[0], properties))
    if shard is not None:
        tasks = _share(tasks, shard)
    kept = {document["identity"]: check_result(document) for _, document in read_kept(resume, _KEPT)}
    done = {task: kept[task.identity] for task in tasks if task.identity and task.identity in kept}
    left = sorted((task for task in tasks if task not in done), key=lambda task: (-task.weight, task.world))
    code = 0
    runner = on_ray(ray) if ray is not None else partial(run_tasks, jobs=jobs or processors())
    with keeper(resume) as keep, progress.told(f"{len(left):,} checks") as tell:
        tell(_progress(len(done), len(tasks), 0, 0.0))
        try:
            for number, (task, cell) in enumerate(runner(left), 1):
                done[task] = cell
                if not cell.is_lost and task.identity:
                    keep(check_result_data(cell) | {"identity": task.identity})
                tell(_progress(len(done), len(tasks), number, time.monotonic() - started))
        except KeyboardInterrupt:
            code = INTERRUPTED
    cells = [done[task] for task in tasks if task in done]
    found = Sweep(tuple(cells), len(tasks), len(kept.keys() & {t.identity for t in tasks}), time.monotonic() - started)
    if code == 0 and found.undecided:
        code = UNDECIDED
    command = _command(versions, models, claim_files, scenarios, properties, most, seed, shard)
    outputs.write(
        Content(
            parts=lambda detail: sweep_parts(found, detail),
            data=lambda: sweep_data(found, tool(), command, code),
            page=lambda: sweep_page(found, command),
        )
    )
    return code


# -- what is checked ---------------------------------------------------------------------------------------------------


def _subjects(versions: Sequence[str], models: Sequence[str], claim_files: Sequence[Path]) -> list[Subject]:
    """The releases and model files, loaded, with what is claimed of them. Raises CheckerError."""
    names = list(VERSIONS) if "all" in versions else list(dict.fromkeys(versions))
    if not names and not models:
        names = [DEFAULT_VERSION]
    files: dict[Path, None] = {}
    for pattern in models:
        matching = sorted(glob.glob(pattern)) or [pattern]
        files |= dict.fromkeys(Path(name) for name in matching)
    found = [*(subject_of(name, None) for name in names), *(subject_of("", file) for file in files)]
    found = [with_claims(subject, claim_files) for subject in found]
    for i, subject in enumerate(found):
        for other in found[:i]:
            if other.name == subject.name:
                raise CheckerError(
                    f"--model {subject.file}: {other.option} has the same name in the table; give the file another one"
                )
    return found


def _tasks(
    subjects: Sequence[Subject],
    claim_files: tuple[Path, ...],
    names: Sequence[str],
    claims: Sequence[str],
    most: int | None,
    seed: int,
    budget: float | None,
) -> Iterator[CheckTask]:
    """Every check that was asked for, in the order of the table."""
    if unknown := [c for c in claims if not any(c == known.id for s in subjects for known in s.every_claim)]:
        ids = {claim.id for subject in subjects for claim in subject.every_claim}
        raise CheckerError(f"--property: there is no claim {unknown[0]!r}; {suggestion(unknown[0], ids)}")
    for subject in subjects:
        own = tuple(name for name in claims if any(name == claim.id for claim in subject.every_claim))
        about = [s for s in scenarios_of(names, subject) if properties_of(subject, s, own)] if own or not claims else []
        mutants = pod_worker_mutants(subject) if most is not None else []
        if most is not None and most < len(mutants):
            mutants = [mutants[i] for i in sorted(random.Random(seed).sample(range(len(mutants)), most))]
        rows = [Row(subject.name), *(Row(subject.name, m.key) for m in mutants)]
        for row in rows:
            for scenario in about:
                parts = (subject.name, row.mutant, scenario, own, budget)
                yield CheckTask(
                    row,
                    "" if subject.file else subject.name,
                    subject.file,
                    claim_files,
                    row.mutant,
                    scenario.name,
                    own,
                    budget,
                    _weight(scenario, is_proposal=subject.file is not None),
                    identity(subject.digest, sources(), "sweep", *parts) or "",
                )


def _weight(scenario: Scenario, is_proposal: bool) -> int:
    """How soon to begin: proposals before releases, then what has the more events and pods."""
    events = (
        *(pod.adds + pod.removes for pod in scenario.pods),
        *(len(scenario.deletion_seconds), scenario.phase_changes, scenario.kills),
        *(scenario.rejections, scenario.restarts, scenario.outages),
    )
    return is_proposal * 1_000 + 10 * len(scenario.pods) + sum(events)


def _share(tasks: Sequence[CheckTask], shard: str) -> list[CheckTask]:
    """One part of the tasks. Raises CheckerError."""
    number, _, of = shard.partition("/")
    if not (number.isdecimal() and of.isdecimal() and 1 <= int(number) <= int(of)):
        raise CheckerError(f"--shard {shard}: this is no part of a whole; write 1/8 for the first of eight")
    # Dealt out by size, so that no part gets all of the long ones.
    dealt = sorted(range(len(tasks)), key=lambda i: (-tasks[i].weight, i))
    mine = {i for turn, i in enumerate(dealt) if turn % int(of) == int(number) - 1}
    return [task for i, task in enumerate(tasks) if i in mine]


# -- what is told and kept ---------------------------------------------------------------------------------------------


def _progress(done: int, planned: int, now: int, seconds: float) -> str:
    """How far it is, and for how long it will go on if the rest is like what was done now."""
    text = f"{done:,} of {planned:,} checks, {seconds:.0f} s"
    return text + (f", some {seconds / now * (planned - done):.0f} s to go" if now and done < planned else "")


def _schema() -> str:
    whole = json.loads(schema_text())
    required = {"required": ["identity"]}
    return json.dumps({"$schema": whole["$schema"], "$defs": whole["$defs"], "$ref": "#/$defs/sweptCheck", **required})


_KEPT = Format(_schema, "name a file that `podproof sweep --resume` has written, or a new one", _MOST_BYTES)


def _command(
    versions: Sequence[str],
    models: Sequence[str],
    claim_files: Sequence[Path],
    scenarios: Sequence[str],
    properties: Sequence[str],
    most: int | None,
    seed: int,
    shard: str | None,
) -> str:
    """The command line that says the same."""
    words = ["podproof sweep"]
    claims = [str(file) for file in claim_files]
    options = {"--version": versions, "--model": models, "--claims": claims}
    for option, values in {**options, "--scenario": scenarios, "--property": properties}.items():
        words += [f"{option} {shlex.quote(value)}" for value in values]
    if most is not None:
        words.append(f"--mutants {most} --seed {seed}")
    return " ".join([*words, *([f"--shard {shard}"] if shard else [])])
