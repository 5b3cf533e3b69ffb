"""What `review` compares: commits or names, in which scenarios, by what, and how files are read."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from podproof.cli.options import (
    Decorator,
    assume_option,
    claims_option,
    liveness_option,
    scenarios_option,
    shared_options,
    version_option,
)
from podproof.queries.repository import POD_WORKERS
from podproof.queries.reviewing import Reading
from podproof.queries.sides import Commits

commit_options: Decorator = shared_options(
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
"""As one argument, `commits`."""


@dataclass(frozen=True)
class Comparing:
    """Where two versions are compared, and by what."""

    scenarios: tuple[str, ...]
    fields: str | None
    liveness: bool


comparing_options: Decorator = shared_options(
    "comparing",
    (
        scenarios_option(),
        click.option(
            "--by",
            "fields",
            metavar="FIELD,…",
            help="The fields to compare. Default: all that are observable of a worker.",
        ),
        liveness_option("Compare what must happen eventually, instead of claims about states and steps."),
    ),
    Comparing,
)
"""As one argument, `comparing`."""
_GO_RELEASE = version_option("The release whose kubelet is the environment of a .go file.", default="")
reading_options: Decorator = shared_options("reading", (_GO_RELEASE, assume_option, claims_option), Reading)
"""As one argument, `reading`."""
