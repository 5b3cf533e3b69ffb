"""`podproof check`: explore the scenarios and say which claims hold."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from podproof.checker.core.system import Exploration, Limits, Verdict
from podproof.checker.engines import AUTO, ENGINES, WITH_MEMORY, candidates
from podproof.checker.reductions import REDUCTIONS
from podproof.cli import terminal
from podproof.cli.errors import make_folder
from podproof.cli.findings import ReportContext, command_line
from podproof.cli.options import (
    Subjects,
    budget_option,
    max_states_option,
    memory_option,
    properties_option,
    ray_option,
    scenarios_option,
    subjects_options,
)
from podproof.cli.output_path import OutputFolder
from podproof.cli.outputs import Content, Outputs, output_options
from podproof.cli.policy import Policy, policy_options
from podproof.cli.watching import WATCH, watchable
from podproof.model.scenarios import Scenario
from podproof.queries.baseline import SearchOptions, spared, with_baseline, with_superseded
from podproof.queries.build import Subject, not_about, notes_of, properties_of, run_properties_of, scenarios_of
from podproof.queries.cache import Cache, CachedQuery, own_folder
from podproof.queries.known import with_known
from podproof.queries.last_run import keep_pace, last_pace
from podproof.queries.pool import ALONE, local, on_ray
from podproof.queries.search import explore, explore_runs, unanswered
from podproof.reports.content.check import CheckReport, TextOptions, check_data
from podproof.reports.content.finding import Report
from podproof.reports.content.subjects import (
    SubjectAnswer,
    subjects_data,
    subjects_parts,
    subjects_report,
    together,
)
from podproof.reports.judgement import Judgement, judge
from podproof.reports.render.json import tool
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
        ("podproof check --version all --model 'proposals/*.py'", "every release and proposal"),
        ("podproof check --strict", "what is known to be violated fails, too"),
    ]
)
@watchable
@subjects_options
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
@ray_option
@policy_options
@output_options("check", more=("go-test",))
def check(
    subjects: Subjects,
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
    liveness: bool,
    without: tuple[str, ...],
    no_cache: bool,
    ray: str | None,
    policy: Policy,
    outputs: Outputs,
) -> int:
    """Explore the scenarios and say which claims hold, with a shortest counterexample for each that does not."""
    if no_reduce and click.get_current_context().get_parameter_source("reductions") is ParameterSource.COMMANDLINE:
        raise click.UsageError("--reduce and --no-reduce: one names reductions and the other wants none; give one")
    every = subjects.every
    liveness = liveness or any(subject.is_about_runs(name) for subject in every for name in properties)
    if part is not None:
        properties += ids_with(part, [c for one in every for c in (one.run_claims if liveness else one.claims)])
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
    policy.listed.check_names(every)
    all_chosen = scenarios_of(scenarios, *every)
    if unknown := [name for name in properties if not any(wanted_of(one, (name,)) for one in every)]:
        (run_properties_of if liveness else properties_of)(every[0], all_chosen[0], unknown)  # It is told.
    if report_dir is not None and len(every) > 1:
        raise click.UsageError("--report-dir: a page is about one version or model; name one, or take -o markdown")
    if "go-test" in (outputs.form, outputs.printed, *(form for form, _ in outputs.files)) and len(every) > 1:
        raise click.UsageError("-o go-test: a Go test is of the code of one version or model; name one")
    if report_dir is not None:
        make_folder(report_dir, "--report-dir")
    limits = Limits(max_states, max_depth, budget)
    # What a run costs, and what it saves, only a run says; and its time is its own.
    is_alone = stats or memory is not None or budget is not None
    is_new = no_cache or stats or memory is not None
    names = () if no_reduce else reductions
    asked = {
        one: ([one.scenarios[s.name] for s in all_chosen if s.name in one.scenarios], wanted_of(one, properties))
        for one in every
    }
    questions, about = list[CachedQuery](), list[tuple[Subject, Scenario]]()
    for subject, (chosen, wanted) in asked.items():
        for scenario in chosen if wanted or not properties else ():
            options = (scenario, wanted, engine, limits, names)
            if liveness:
                find = partial(explore_runs, subject, *options, without)
                questions.append(CachedQuery(find, subject, ("explore runs", *options, without)))
            else:
                find = partial(explore, subject, *options, memory, counterexamples)
                questions.append(CachedQuery(find, subject, ("explore", *options, counterexamples)))
            about.append((subject, scenario))
    here = ALONE if is_alone else local(len(questions))
    where = here if ray is None else click.get_current_context().with_resource(on_ray(ray, every))
    cache = Cache(None if is_new else own_folder(), where, pace=last_pace(every))
    search = SearchOptions(engine, limits, names, memory, counterexamples, cache)
    explored: dict[Subject, list[Exploration]] = {one: [] for one in every}
    left, is_interrupted = list(about), False
    try:
        for n, found in cache.answers(questions):
            left.remove(about[n])
            if found is not None:
                explored[about[n][0]].append(found)
                if found.interrupted:
                    is_interrupted = True
                    break
    except KeyboardInterrupt:
        is_interrupted, (subject, scenario) = True, left[0]
        explored[subject].append(unanswered(subject, scenario, asked[subject][1], engine, liveness))
    for subject in (one for one, found in explored.items() if not found and not is_interrupted):
        if not any(explored.values()):
            raise click.UsageError(not_about(subject, properties))
        terminal.note(not_about(subject, wanted_of(subject, properties)))
    cache.pool = here
    notes, answers, contexts = notes_of(every), list[SubjectAnswer](), list[ReportContext]()
    for subject, explorations in ((one, found) for one, found in explored.items() if found):
        chosen, wanted = asked[subject]
        if liveness:
            explorations = [with_superseded(subject, e) for e in explorations]
        elif not is_interrupted:
            explorations = with_baseline(subject, chosen, explorations, search)
            is_interrupted = explorations[-1].interrupted
        for sentence in spared(subject, explorations):
            terminal.note(sentence)
        explorations = with_known(subject, explorations, policy.listed)
        judgement = judge(explorations, policy.strictness)
        replay = _replay_of(subject, engine, counterexamples)
        line = command_line("check", subject.option, scenarios, properties)
        contexts.append(ReportContext("check", subject, line, notes, replay, judgement))
        details = TextOptions(
            notes,
            replay,
            stats,
            judgement,
            counterexamples,
            subject.harms,
            subject.effects,
            True,
            wanted,
        )
        answers.append(SubjectAnswer(explorations, judgement, details))
    if not is_interrupted:
        keep_pace(every, cache.pace)
    cache.tell()
    whole = together(answers)
    line = command_line("check", subjects.options, scenarios, properties)
    outputs.write(_content(answers, contexts, whole, line))
    if report_dir is not None:
        from podproof.cli.report_page import write_report  # Jinja2 takes a while to load.

        write_report(report_dir, answers[0].explorations, contexts[0])
    return whole.code


def wanted_of(subject: Subject, properties: tuple[str, ...]) -> tuple[str, ...]:
    """Those of the claims that somebody makes of the subject, and what its file makes in the place of one."""
    known = {claim.id for claim in subject.every_claim}
    return subject.with_successors(tuple(name for name in properties if name in known))


def _content(
    answers: Sequence[SubjectAnswer], contexts: Sequence[ReportContext], whole: Judgement, line: str
) -> Content:
    """One subject by itself, or all of them beside each other."""

    def data() -> Sequence[dict[str, Any]]:
        return [
            check_data(
                answer.explorations,
                tool(),
                context.replay,
                answer.judgement,
                consequence=context.subject.consequence,
            )
            for answer, context in zip(answers, contexts, strict=True)
        ]

    def reports() -> Sequence[Report]:
        return [c.report(answer.explorations) for answer, c in zip(answers, contexts, strict=True)]

    if len(answers) == 1:
        return Content(
            parts=lambda detail: CheckReport(answers[0].explorations, answers[0].wanted, detail).parts(),
            data=lambda: data()[0],
            report=lambda: reports()[0],
            go_tests=lambda: _go_tests(contexts[0].subject, answers[0].explorations),
        )
    return Content(
        parts=lambda detail: subjects_parts(answers, whole, detail),
        data=lambda: subjects_data(data(), whole),
        report=lambda: subjects_report(reports(), line, whole),
    )


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
