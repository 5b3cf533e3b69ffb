"""The options that decide the exit code, and what the configuration lists as known."""

from __future__ import annotations

from dataclasses import dataclass

import click

from podproof.cli.config import listed_violations
from podproof.cli.options import Decorator, shared_options
from podproof.queries.known import ListedViolations
from podproof.reports.judgement import Strictness

undecided_option = click.option(
    "--undecided",
    type=click.Choice(["fail", "ok"]),
    default="fail",
    show_default=True,
    help="Whether UNKNOWN gives exit code 4, or 0.",
)


@dataclass(frozen=True)
class EndPolicy:
    """What decides the exit code of a comparison."""

    undecided_ok: bool
    on_difference: bool
    """Is every difference a failure, and not only what is worse?"""


def _end(undecided: str, exit_on: str) -> EndPolicy:
    return EndPolicy(undecided == "ok", exit_on == "difference")


end_options: Decorator = shared_options(
    "end",
    (
        undecided_option,
        click.option(
            "--exit-on",
            type=click.Choice(["worse", "difference"]),
            default="worse",
            show_default=True,
            help="What gives exit code 1.",
        ),
    ),
    _end,
)
"""As one argument, `end`."""
_OPTIONS = (
    undecided_option,
    click.option(
        "--strict",
        is_flag=True,
        help="Exit code 1 also for known and inherited violations, for what is listed as known and holds, and for "
        "claims that hold vacuously in every scenario.",
    ),
)


@dataclass(frozen=True)
class Policy:
    """What decides the exit code of a run."""

    strictness: Strictness
    listed: ListedViolations


def _policy(undecided: str, strict: bool) -> Policy:
    return Policy(Strictness(undecided == "ok", strict), listed_violations())


policy_options: Decorator = shared_options("policy", _OPTIONS, _policy)
"""These options as one argument, `policy`."""
