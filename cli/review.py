"""`podproof review`: is a change worse, and what else does it do?"""

from __future__ import annotations

import tempfile
from pathlib import Path

import click

from podproof.checker.core.system import Limits
from podproof.cli import terminal
from podproof.cli.findings import report_of, rules
from podproof.cli.options import (
    assume_option,
    claims_option,
    limits_options,
    liveness_option,
    scenarios_option,
    shared_options,
    version_option,
)
from podproof.cli.outputs import Content, Outputs, output_options
from podproof.cli.policy import EndPolicy, end_options
from podproof.cli.streams import show
from podproof.queries.repository import POD_WORKERS
from podproof.queries.reviewing import ALL, Commits, Reading, Review, ReviewQuery, functions_alone, sides_of, translated
from podproof.reports.content.comparison import comparison_findings
from podproof.reports.content.review.answer import review_answer
from podproof.reports.content.review.page import page_of
from podproof.reports.document import Page
from podproof.reports.layout import Detail
from podproof.reports.render.json import answer_data
from podproof.reports.render.text import text_parts

commit_options = shared_options(
    "commits",
    (
        click.option(
            "--repo", type=click.Path(path_type=Path), help="The git repository of BASE..HEAD. Default: this folder."
        ),
        click.option("--path", "path", default=POD_WORKERS, show_default=True, help="Of commits: the file."),
        click.option("--worktree", is_flag=True, help="Of commits: HEAD, or the given one, and the working tree."),
    ),
    Commits,
)
_GO_RELEASE = version_option("The release whose kubelet is the environment of a .go file.", default="")
reading_options = shared_options("reading", (_GO_RELEASE, assume_option, claims_option), Reading)


@terminal.command(
    examples=[
        ("podproof review v1.29 v1.32", "two releases"),
        ("podproof review my_change.py", "a change, beside the release that it overrides"),
        ("podproof review pod_workers.go", "a Go file, beside the release that it is nearest to"),
        ("podproof review main...HEAD", "a pull request, in a checkout of Kubernetes; --repo names another folder"),
        ("podproof review v1.35 my_change.py --liveness", "who waits for ever with it, and did not before"),
        ("podproof review v1.35 my_change.py -o markdown --output-file change.md", "as a page for a pull request"),
        ("podproof review pod_workers.go --emit UpdatePod", "only the translation, of one function"),
    ]
)
@click.argument("a", required=False, metavar="A")
@click.argument("b", required=False, metavar="B")
@commit_options
@scenarios_option()
@click.option(
    "--by", "fields", metavar="FIELD,…", help="The fields to compare. Default: all that are observable of a worker."
)
@liveness_option("Compare what must happen eventually, instead of claims about states and steps.")
@reading_options
@limits_options
@end_options
@click.option("--emit", metavar="[FUNCTION]", is_flag=False, flag_value=ALL, help="Only print the translated Go.")
@output_options("review", more=("html", "svg", "go-test"))
def review(
    a: str | None,
    b: str | None,
    commits: Commits,
    scenarios: tuple[str, ...],
    fields: str | None,
    liveness: bool,
    reading: Reading,
    limits: Limits,
    end: EndPolicy,
    emit: str | None,
    outputs: Outputs,
) -> int:
    """Say whether B is worse than A, and what else changes: each a version, a file with a class that overrides one, a
    Go file, or a commit.

    It is worse where a claim is NEW, CHANGED or lost. Also told are claims gained, methods and steps that differ, what
    only one of them can show, and which Go functions are EQUAL in every state; or that all is equivalent, which is
    decided and not sampled. Exit code 0 when it is not worse, 1 when it is, 4 when nobody can tell.
    """
    if emit is not None:
        show(*translated(emit, [name for name in (a, b) if name is not None], reading).splitlines())
        return 0
    folder = click.get_current_context().with_resource(tempfile.TemporaryDirectory())
    sides = sides_of(a, b, reading.version, commits, Path(folder))
    detail = terminal.detail()
    if (file := sides.older) is not None:
        if outputs.form != "text" or outputs.main is not None or outputs.files:
            raise click.UsageError(f"{file}: kubelet 1.26 or earlier, of which only single functions are told, as text")
        show(*functions_alone(file, sides.names[0], reading.assumed, detail is Detail.FULL))
        return 0 if end.undecided_ok else 4
    query = ReviewQuery(
        sides, scenarios, fields, limits, liveness, reading, end.undecided_ok, end.on_difference, detail
    )
    answer = query.answer()
    outputs.write(content(answer))
    return answer.code


def content(answer: Review) -> Content:
    """The comparison, as every format is rendered from."""
    found, origin, subjects = answer.found, answer.origin, answer.subjects
    claims = dict.fromkeys(claim for subject in subjects for claim in subject.every_claim)

    def html(page: Page) -> str:
        from podproof.cli.review_page import review_html

        return review_html(page, found, subjects)

    return Content(
        parts=lambda detail: text_parts(page_of(found, origin), detail),
        data=lambda: answer_data(review_answer(found, origin)),
        report=lambda: report_of(
            "review",
            origin.command,
            subjects,
            comparison_findings(found, rules(claims, origin.sources), origin.command, answer.on_difference),
            (answer.code, answer.reason),
            answer.undecided_ok,
        ),
        page=lambda: page_of(found, origin),
        html=html,
        go_tests=answer.go_tests,
    )
