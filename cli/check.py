"""`podproof check`: explore the scenarios and say which claims hold."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from podproof.cli import terminal
from podproof.cli.errors import make_folder
from podproof.cli.findings import ReportContext, command_line
from podproof.cli.options import (
    Selection,
    Subjects,
    ray_option,
    report_dir_option,
    search_options,
    selection_options,
    subjects_options,
)
from podproof.cli.outputs import Content, Outputs, output_options
from podproof.cli.policy import Policy, policy_options
from podproof.cli.watching import WATCH, watchable
from podproof.queries.build import notes_of
from podproof.queries.checking import CheckAnswer, CheckQuery, replay_command, review_command
from podproof.queries.claims import called
from podproof.queries.search import SearchOptions
from podproof.reports.content.check import CheckReport, TextOptions
from podproof.reports.content.finding import Report
from podproof.reports.content.subjects import (
    SubjectAnswer,
    subjects_answer,
    subjects_parts,
    subjects_report,
    together,
)
from podproof.reports.content.verdicts import Verdicts, check_answer
from podproof.reports.judgement import Judgement
from podproof.reports.render.json import answer_data


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
@selection_options
@click.option(
    "-k", "--match", "part", metavar="TEXT", help="The claims whose id contains this text; |, . and * as in grep -E."
)
@click.option(
    "--without",
    multiple=True,
    metavar="NAME",
    help="With --liveness: drop this fairness assumption, such as work-queue; may be repeated.",
)
@search_options
@report_dir_option
@click.option("--stats", is_flag=True, help="Times, memory, and per action the steps taken and states first reached.")
@click.option(WATCH, is_flag=True, help="Check again whenever the file of --model, --go or --claims is saved.")
@click.option("--no-cache", is_flag=True, help="Explore again, even if nothing has changed since the last time.")
@ray_option
@policy_options
@output_options("check", more=("go-test",))
def check(
    subjects: Subjects,
    selection: Selection,
    part: str | None,
    without: tuple[str, ...],
    search: SearchOptions,
    report_dir: Path | None,
    stats: bool,
    no_cache: bool,
    ray: str | None,
    policy: Policy,
    outputs: Outputs,
) -> int:
    """Explore the scenarios and say which claims hold, with a shortest counterexample for each that does not."""
    scenarios = selection.scenarios
    query = CheckQuery(
        subjects.every,
        scenarios,
        selection.properties,
        part,
        search,
        selection.liveness,
        without,
        policy.listed,
        policy.strictness,
    )
    several = len(subjects.every) > 1
    if report_dir is not None and several:
        raise click.UsageError("--report-dir: a page is about one version or model; name one, or take -o markdown")
    if "go-test" in (outputs.form, outputs.printed, *(form for form, _ in outputs.files)) and several:
        raise click.UsageError("-o go-test: a Go test is of the code of one version or model; name one")
    if report_dir is not None:
        make_folder(report_dir, "--report-dir")
    # What a run costs, and what it saves, only a run says; and its time is its own.
    found = query.answers(anew=no_cache or stats, alone=stats, ray=ray)
    notes, answers, contexts = notes_of(subjects.every), list[SubjectAnswer](), list[ReportContext]()
    for answer in found:
        subject, judgement = answer.subject, answer.judgement
        replay = replay_command(subject, search)
        line = command_line("check", subject.option, scenarios, query.properties)
        contexts.append(ReportContext("check", subject, line, notes, replay, judgement))
        details = TextOptions(
            notes,
            replay,
            stats,
            judgement,
            search.counterexamples,
            subject.harms,
            subject.effects,
            True,
            answer.wanted,
            called,
            replay_command(subject, search, called),
            () if several else review_command(subject),
        )
        answers.append(SubjectAnswer(answer.explorations, judgement, details))
    whole = together(answers)
    line = command_line("check", subjects.options, scenarios, query.properties)
    outputs.write(_content(found, answers, contexts, whole, line))
    if report_dir is not None:
        from podproof.cli.report_page import write_report  # Jinja2 takes a while to load.

        write_report(report_dir, answers[0].explorations, contexts[0])
    return whole.code


def _content(
    found: Sequence[CheckAnswer],
    answers: Sequence[SubjectAnswer],
    contexts: Sequence[ReportContext],
    whole: Judgement,
    line: str,
) -> Content:
    """One subject by itself, or all of them beside each other."""

    def verdicts() -> Sequence[Verdicts]:
        return [
            check_answer(answer.explorations, context.replay, answer.judgement, context.subject.consequence)
            for answer, context in zip(answers, contexts, strict=True)
        ]

    def reports() -> Sequence[Report]:
        return [c.report(answer.explorations) for answer, c in zip(answers, contexts, strict=True)]

    if len(answers) == 1:
        return Content(
            parts=lambda detail: CheckReport(answers[0].explorations, answers[0].wanted, detail).parts(),
            data=lambda: answer_data(verdicts()[0]),
            report=lambda: reports()[0],
            go_tests=found[0].go_tests,
        )
    return Content(
        parts=lambda detail: subjects_parts(answers, whole, detail),
        data=lambda: answer_data(subjects_answer(verdicts(), whole)),
        report=lambda: subjects_report(reports(), line, whole),
    )
