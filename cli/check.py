"""`podproof check`: explore the scenarios and say which claims hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from podproof.checker.core.system import Exploration, Limits, Status, Verdict
from podproof.checker.engines import AUTO, ENGINES, WITH_MEMORY, candidates
from podproof.checker.reductions import REDUCTIONS
from podproof.cli import terminal
from podproof.cli.errors import make_folder
from podproof.cli.expecting import Policy, verdict_options
from podproof.cli.findings import ReportContext, command_line
from podproof.cli.options import (
    budget_option,
    max_states_option,
    memory_option,
    properties_option,
    scenarios_option,
    subject_options,
)
from podproof.cli.output_path import OutputFolder
from podproof.cli.outputs import Content, Outputs, output_options
from podproof.cli.watching import WATCH, watchable
from podproof.queries import pool
from podproof.queries.baseline import SearchOptions, spared, with_baseline, with_superseded
from podproof.queries.build import Subject, not_about, notes_of, scenarios_of
from podproof.queries.cache import Cache, Inquiry, own_folder
from podproof.queries.last_run import keep_pace, last_pace
from podproof.queries.search import explore, explore_runs, unanswered
from podproof.reports.content.check import CheckReport, TextOptions, check_data
from podproof.reports.render.json import tool
from podproof.reports.summary import overall, vacuous_claims
from podproof.specs import Claim

if TYPE_CHECKING:
    from podproof.queries.go_tests import GoTests


def names_of_reductions(_context: click.Context, parameter: click.Parameter, text: str) -> tuple[str, ...]:
    """The reductions in a list that commas separate."""
    names = tuple(name.strip() for name in text.split(","))
    for name in names:
        if name not in REDUCTIONS:
            known = ", ".join(REDUCTIONS)
            raise click.BadParameter(f"{name!r} is no reduction; known are {known}", param=parameter)
    return names


@terminal.command(
    examples=[
        ("podproof check", "all claims about the newest kubelet, in the default scenarios"),
        ("podproof check --model my_change.py", "the same about a change"),
        ("podproof check --scenario one-pod --property grace_period_only_decreases", "one claim, in one scenario"),
        ("podproof check --report-dir report/", "also write a page and pictures"),
        ("podproof check -o go-test --output-file claims_test.go", "a Go test of each claim that is violated"),
        ("podproof check -q", "only what does not hold"),
        ("podproof check --expect verdicts.txt", "only what differs fails; --write-expect writes the file"),
    ]
)
@watchable
@subject_options
@scenarios_option()
@properties_option()
@click.option(
    "-k", "--match", "part", metavar="TEXT", help="The claims whose id contains this text; |, . and * as in grep -E."
)
@click.option(
    "--engine",
    type=click.Choice([AUTO, *ENGINES]),
    default=AUTO,
    show_default=True,
    help="python is the slow reference; symbolic covers every number of seconds at once; diagrams takes states in "
    "sets; auto is compiled, or diagrams where three pods or more are alike.",
)
@click.option("--report-dir", type=OutputFolder(), help="Write an HTML report into this folder.")
@click.option("--stats", is_flag=True, help="Times, memory, and per action the steps taken and states first reached.")
@max_states_option
@click.option("--max-depth", type=click.IntRange(min=0), help="Stop at this depth, undecided.")
@budget_option
@memory_option
@click.option(
    "--reduce",
    "reductions",
    callback=names_of_reductions,
    is_flag=False,
    flag_value=",".join(REDUCTIONS),
    default=",".join(REDUCTIONS),
    metavar="NAME,…",
    show_default=True,
    help="Only these reductions of the state space; none changes a verdict.",
)
@click.option("--no-reduce", is_flag=True, help="Explore every state with all its variables.")
@click.option(
    "--counterexamples",
    type=click.IntRange(min=1),
    default=1,
    show_default=True,
    help="Up to this many for each violated claim, each ending in a different action.",
)
@click.option(
    "--strict",
    is_flag=True,
    help="Exit code 1 also for inherited violations, and for claims that hold vacuously in every scenario.",
)
@click.option(
    "--liveness", is_flag=True, help="Check what must happen eventually in every fair run, instead of states and steps."
)
@click.option(
    "--without",
    multiple=True,
    metavar="NAME",
    help="With --liveness: drop this fairness assumption, such as work-queue; may be repeated.",
)
@click.option(WATCH, is_flag=True, help="Check again whenever the file of --model, --go or --claims is saved.")
@click.option("--no-cache", is_flag=True, help="Explore again, even if nothing has changed since the last time.")
@verdict_options("check")
@output_options("check", more=("go-test",))
def check(
    subject: Subject,
    scenarios: tuple[str, ...],
    properties: tuple[str, ...],
    part: str | None,
    engine: str,
    report_dir: Path | None,
    stats: bool,
    max_states: int | None,
    max_depth: int | None,
    budget: float | None,
    memory: int | None,
    reductions: tuple[str, ...],
    no_reduce: bool,
    counterexamples: int,
    strict: bool,
    liveness: bool,
    without: tuple[str, ...],
    no_cache: bool,
    policy: Policy,
    outputs: Outputs,
) -> int:
    """Explore the scenarios and say which claims hold, with a shortest counterexample for each that does not."""
    if no_reduce and click.get_current_context().get_parameter_source("reductions") is ParameterSource.COMMANDLINE:
        raise click.UsageError("--reduce and --no-reduce: one names reductions and the other wants none; give one")
    liveness = liveness or any(map(subject.is_about_runs, properties))
    if part is not None:
        properties += ids_with(part, subject.run_claims if liveness else subject.claims)
    if liveness and counterexamples > 1:
        raise click.UsageError(
            "--counterexamples: claims about what must happen eventually are decided without; leave it out"
        )
    if memory is not None and engine not in (AUTO, *WITH_MEMORY):
        raise click.UsageError(
            f"--memory is for the engines {' and '.join(f'`{e}`' for e in WITH_MEMORY)}; leave it out"
        )
    if liveness and memory is not None:
        raise click.UsageError("--memory: claims about what must happen eventually are decided without; leave it out")
    if without and not liveness:
        message = "--without: only claims about what must happen eventually assume fairness; add --liveness"
        raise click.UsageError(message)
    properties = subject.with_successors(properties)
    limits = Limits(max_states, max_depth, budget)
    explorations: list[Exploration] = []
    chosen = scenarios_of(scenarios, subject)
    if report_dir is not None:
        make_folder(report_dir, "--report-dir")
    # What a run costs, and what it saves, only a run says; and its time is its own.
    processes = 1 if stats or memory is not None or budget is not None else pool.at_a_time(len(chosen))
    is_new = no_cache or stats or memory is not None
    cache = Cache(None if is_new else own_folder(), processes, pace=last_pace(subject))
    names = () if no_reduce else reductions
    questions = []
    for scenario in chosen:
        asked = (scenario, properties, engine, limits, names)
        if liveness:
            find = partial(explore_runs, subject, *asked, without)
            questions.append(Inquiry(find, subject, ("explore runs", *asked, without)))
        else:
            find = partial(explore, subject, *asked, memory, counterexamples)
            questions.append(Inquiry(find, subject, ("explore", *asked, counterexamples)))
    search = SearchOptions(engine, limits, names, memory, counterexamples, cache)
    is_compared, left = not (liveness or policy.expects), list(chosen)
    try:
        for n, found in cache.answers(questions):
            left.remove(chosen[n])
            if found is not None:
                explorations.append(found)
                if found.interrupted:
                    break
    except KeyboardInterrupt:
        explorations.append(unanswered(subject, left[0], properties, engine, liveness))
    if not explorations:
        raise click.UsageError(not_about(subject, properties))
    if is_compared and not explorations[-1].interrupted:
        explorations = with_baseline(subject, chosen, explorations, search)
    elif liveness:
        explorations = [with_superseded(subject, e) for e in explorations]
    for sentence in spared(subject, explorations):
        terminal.note(sentence)
    if not explorations[-1].interrupted:
        keep_pace(subject, cache.pace)
    cache.tell()
    judgement = policy.judge(explorations, subject.name, chosen, properties)
    if strict and judgement.code in (0, 4) and not policy.expects and Status.VIOLATED in overall(explorations).values():
        judgement = replace(judgement, code=1, reason="a claim is violated (--strict)")
    if strict and judgement.code == 0 and (vacuous := vacuous_claims(explorations)):
        reason = f"nothing exercises a claim that holds (--strict): {', '.join(vacuous)}"
        judgement = replace(judgement, code=1, reason=reason)
    replay = _replay_of(subject, engine, counterexamples)
    notes = notes_of([subject])
    told = ReportContext(
        "check", subject, command_line("check", subject, scenarios, properties), notes, replay, judgement
    )
    wanted = TextOptions(
        notes,
        replay,
        stats,
        judgement,
        counterexamples,
        subject.harms,
        subject.effects,
        subject.known_by,
        properties,
    )
    outputs.write(
        Content(
            parts=lambda detail: CheckReport(explorations, wanted, detail).parts(),
            data=lambda: check_data(explorations, tool(), replay, judgement, consequence=subject.consequence),
            report=lambda: told.report(explorations),
            go_tests=lambda: _go_tests(subject, explorations),
        )
    )
    if report_dir is not None:
        from podproof.cli.report_page import write_report  # Jinja2 takes a while to load.

        write_report(report_dir, explorations, told)
    return policy.end(judgement)


def _go_tests(subject: Subject, explorations: Sequence[Exploration]) -> GoTests:
    from podproof.queries.go_tests import go_tests, violations  # Jinja2 takes a while to load.

    return go_tests(subject, violations(explorations))


def ids_with(part: str, claims: Sequence[Claim]) -> tuple[str, ...]:
    """The claims whose id matches a regular expression somewhere. Raises UsageError where there are none."""
    try:
        found = tuple(claim.id for claim in claims if re.search(part, claim.id))
    except re.error as error:
        raise click.UsageError(f"-k {part!r}: {error}; write a part of a claim's id") from error
    if not found:
        raise click.UsageError(f"-k {part!r}: no claim's id has this in it; see `podproof explain properties`")
    return found


def _replay_of(subject: Subject, engine: str, counterexamples: int = 1) -> Callable[[Exploration, Verdict], str]:
    """The command that shows one violation again; the search is deterministic, so it is the same trace."""

    def command(exploration: Exploration, verdict: Verdict) -> str:
        scenario = exploration.system.scenario
        # The reference finds the same traces as the default.
        same = "" if engine in (AUTO, *candidates(AUTO)) else f" --engine {engine}"
        same += f" --counterexamples {counterexamples}" if counterexamples > 1 else ""
        return f"podproof check {subject.option} --scenario {scenario} --property {verdict.property.id}{same}"

    return command
