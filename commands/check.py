"""`podproof check`: explore the scenarios and say which claims hold."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from importlib.metadata import version as installed_version
from pathlib import Path

import click

from podproof.checker import reference, symbolic
from podproof.checker.claims import lower_properties
from podproof.checker.compiled import explore as explore_compiled
from podproof.checker.compiled.long_run import LongRun, explore_long
from podproof.checker.reductions.plan import REDUCTIONS, plan
from podproof.checker.system import Exploration, Limits, Verdict
from podproof.commands import progress
from podproof.commands.build import Subject, properties_of, scenarios_of, subject_of, system_of
from podproof.commands.errors import make_folder, reported
from podproof.commands.long_run import duration, long_run_options
from podproof.model.scenarios import SCENARIOS, Scenario
from podproof.model.versions import DEFAULT_VERSION
from podproof.reports.layout import Style
from podproof.reports.machine import check_json
from podproof.reports.picture import write_trace_pictures
from podproof.reports.summary import exit_code
from podproof.reports.text import Wanted, check_text
from podproof.specs import CLAIMS


def names_of_reductions(_context: click.Context, parameter: click.Parameter, text: str) -> tuple[str, ...]:
    """The reductions in a list that commas separate."""
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in REDUCTIONS:
            raise click.BadParameter(f"{name!r} is no reduction; known are {', '.join(REDUCTIONS)}", param=parameter)
    return names


@click.command()
@click.option("--version", "version", default=DEFAULT_VERSION, show_default=True, help="The release of the kubelet.")
@click.option("--model", type=click.Path(path_type=Path), help="A file that overrides a release, in its place.")
@click.option("--scenario", "scenarios", multiple=True, help="A scenario, or `all`; may be repeated.")
@click.option("--property", "properties", multiple=True, help="A claim's id; may be repeated. Default: all.")
@click.option(
    "--engine",
    type=click.Choice(["auto", "python", "compiled", "symbolic"]),
    default="auto",
    show_default=True,
    help="python is the slow reference; symbolic covers every number of seconds at once; auto is compiled.",
)
@click.option("-o", "--output", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--report-dir", type=click.Path(file_okay=False, path_type=Path), help="Write trace pictures here.")
@click.option("--stats", is_flag=True, help="Times, memory, and per action the steps taken and states first reached.")
@click.option("--max-states", type=click.IntRange(min=1), help="Stop at this many states, undecided.")
@click.option("--max-depth", type=click.IntRange(min=0), help="Stop at this depth, undecided.")
@click.option("--budget", callback=duration, help="Stop after this time for each scenario (60s, 5m), undecided.")
@click.option(
    "--reduce",
    "reductions",
    callback=names_of_reductions,
    is_flag=False,
    flag_value=",".join(REDUCTIONS),
    default=",".join(REDUCTIONS),
    metavar="NAME,…",
    show_default=True,
    help="Only these ways to have fewer and smaller states; all of them leave the verdicts as they are.",
)
@click.option("--no-reduce", is_flag=True, help="Explore every state with all its variables.")
@long_run_options
@reported
def check(
    version: str,
    model: Path | None,
    scenarios: tuple[str, ...],
    properties: tuple[str, ...],
    engine: str,
    output: str,
    report_dir: Path | None,
    stats: bool,
    max_states: int | None,
    max_depth: int | None,
    budget: float | None,
    reductions: tuple[str, ...],
    no_reduce: bool,
    long_run: LongRun | None,
) -> int:
    """Explore the scenarios and say which claims hold, with a shortest counterexample for each that does not."""
    subject = subject_of(version, model)
    if report_dir is not None:
        make_folder(report_dir, "--report-dir")
    limits = Limits(max_states, max_depth, budget)
    explorations: list[Exploration] = []
    for scenario in scenarios_of(scenarios):
        found = explore(subject, scenario, properties, engine, limits, () if no_reduce else reductions, long_run)
        if found is not None:
            explorations.append(found)
            if found.interrupted:
                break
    if not explorations:
        raise click.UsageError("none of these claims is about any of these scenarios; see `podproof explain ID`")
    replay = _replay_of(subject, engine)
    if output == "json":
        tool = {"name": "podproof", "version": installed_version("podproof")}
        click.echo(check_json(explorations, tool, replay), nl=False)
    else:
        wanted = Wanted(_notes(subject), replay, stats)
        color = sys.stdout.isatty() and "NO_COLOR" not in os.environ
        click.echo(check_text(explorations, wanted, Style(color=color)), nl=False)
    if report_dir is not None:
        for exploration in explorations:
            for path in write_trace_pictures(exploration, report_dir):
                click.echo(f"wrote {path}", err=True)
    return exit_code(explorations)


def explore(
    subject: Subject,
    scenario: Scenario,
    wanted: tuple[str, ...],
    engine: str,
    limits: Limits,
    reductions: tuple[str, ...],
    long_run: LongRun | None = None,
) -> Exploration | None:
    """One scenario through one engine; None when no wanted claim is about it."""
    properties = properties_of(subject, scenario, wanted)
    if not properties:
        return None
    system = system_of(subject, scenario, unbounded=engine == "symbolic")
    # The others leave variables out, and that is all: they run the model itself, or know no renaming of numbers.
    names = set(reductions) - ({"symmetry"} if engine in ("python", "symbolic") else set())
    reduced = plan(system, lower_properties(system, properties), names, scenario.interchangeable)
    with progress.shown(f"{subject.name} {scenario.name}") as report:
        if engine == "python":
            found = reference.explore(system, properties, reduced.keep, limits, report)
        elif engine == "symbolic":
            found = symbolic.explore(reduced.system, reduced.properties, reduced.keep, limits, report)
        elif long_run is None:
            found = explore_compiled(reduced.system, reduced.properties, reduced.keep, limits, report)
        else:
            found = explore_long(reduced.system, reduced.properties, reduced.keep, limits, report, long_run)
    return reduced.report(found)


def _replay_of(subject: Subject, engine: str) -> Callable[[Exploration, Verdict], str]:
    """The command that shows one violation again; the search is deterministic, so it is the same trace."""

    def command(exploration: Exploration, verdict: Verdict) -> str:
        scenario = exploration.system.scenario
        same = " --engine symbolic" if engine == "symbolic" else ""
        return f"podproof check {subject.option} --scenario {scenario} --property {verdict.property.id}{same}"

    return command


def _notes(subject: Subject) -> dict[str, str]:
    """For each claim its upstream source, and what is known of this version breaking it."""
    notes = {}
    for claim in CLAIMS:
        known = (subject.known_violation(claim, name) for name in SCENARIOS)
        texts = dict.fromkeys(text for text in known if text is not None)
        notes[claim.id] = "; ".join([claim.source, *(f"known: {text}" for text in texts)])
    return notes
