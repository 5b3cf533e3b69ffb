"""`podproof review`: is a change worse, and what else does it do?"""

from __future__ import annotations

from dataclasses import replace

import click
from click.core import ParameterSource

from podproof.checker.core.system import Limits
from podproof.checker.difference.result import Worse
from podproof.cli import terminal
from podproof.cli.options import limits_options
from podproof.cli.outputs import Outputs, output_options
from podproof.cli.policy import EndPolicy, end_options
from podproof.cli.review_content import content
from podproof.cli.review_options import Comparing, commit_options, comparing_options, reading_options
from podproof.cli.streams import show
from podproof.queries.reviewing import ALL, ENDS, Reading, ReviewQuery, functions_alone, translated
from podproof.queries.sides import Commits, sides_of
from podproof.reports.layout import Detail


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
@click.argument("more", nargs=-1, metavar="[FILE.go]...")
@commit_options
@comparing_options
@reading_options
@limits_options
@end_options
@click.option("--emit", metavar="[FUNCTION]", is_flag=False, flag_value=ALL, help="Only print the translated Go.")
@output_options("review", more=("html", "svg", "go-test"))
def review(
    a: str | None,
    b: str | None,
    more: tuple[str, ...],
    commits: Commits,
    comparing: Comparing,
    reading: Reading,
    limits: Limits,
    end: EndPolicy,
    emit: str | None,
    outputs: Outputs,
) -> int:
    """Say whether B is worse than A, and what else changes: each a version, a file with a class that overrides one, a
    Go file, or a commit. With a release several Go files of one kubelet may be given.

    It is worse where a claim is NEW, CHANGED or lost. Also told are claims gained, methods and steps that differ, what
    only one of them can show, and which Go functions are EQUAL in every state; or that all is equivalent, which is
    decided and not sampled. Exit code 0 when it is not worse, 1 when it is, 4 when nobody can tell.
    """
    if emit is not None:
        show(*translated(emit, [name for name in (a, b, *more) if name is not None], reading).splitlines())
        return 0
    sides = sides_of(a, b, reading.version, commits, terminal.temporary_folder(), more)
    is_typed = click.get_current_context().get_parameter_source("version") is ParameterSource.COMMANDLINE
    if not (is_typed or any(name.endswith(".go") for name in sides.names)):
        reading = replace(reading, version="")  # What a configuration file says is about Go files.
    detail = terminal.detail()
    beside = sides.functions_beside()
    if beside and not any(one.differs for one in beside):
        files = " and ".join(map(str, sides.beside))
        if not outputs.is_plain:
            raise click.UsageError(f"{files}: no handler differs, so single functions are told, as text")
        if comparing.scenarios or comparing.fields or comparing.liveness:
            raise click.UsageError(f"{files}: no handler differs, so leave out --scenario, --by and --liveness")
        show(*(line for one in beside for line in one.lines()))
        worse = {one.worse for one in beside}
        code, _ = ENDS[next(one for one in (Worse.YES, Worse.UNKNOWN, Worse.NO) if one in worse)]
        return 0 if end.undecided_ok and code == 4 else code
    if not beside and (file := sides.older) is not None:
        if not outputs.is_plain:
            raise click.UsageError(f"{file}: kubelet 1.26 or earlier, of which only single functions are told, as text")
        show(*functions_alone(file, sides.names[0], reading.assumed, detail is Detail.FULL))
        return 0 if end.undecided_ok else 4
    answer = ReviewQuery(
        sides,
        comparing.scenarios,
        comparing.fields,
        limits,
        comparing.liveness,
        reading,
        end.undecided_ok,
        end.on_difference,
        detail,
        beside,
    ).answer()
    outputs.write(content(answer))
    return answer.code
