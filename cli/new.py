"""`podproof new`: a proposal to begin with."""

from __future__ import annotations

import click

from podproof.checker.core.system import CheckerError
from podproof.cli import terminal
from podproof.cli.streams import show
from podproof.queries.proposing import propose


@terminal.command(
    examples=[
        ("podproof new my_change --from v1.35 UpdatePod", "writes my_change.py; takes Go names and the model's"),
        ("podproof new old_worker --from v1.26 managePodLoop", "by the names that this release has"),
    ]
)
@click.argument("name", metavar="NAME")
@click.option("--from", "base", metavar="VERSION", required=True, help="The release to change.")
@click.argument("functions", metavar="FUNCTION...", nargs=-1, required=True)
def new(name: str, base: str, functions: tuple[str, ...]) -> int:
    """Write NAME.py, a model file that overrides functions of a release with what they do there.

    It is equivalent to the release until you change it: podproof review says so. It may also have state, events, new
    members of enumerations, claims and scenarios of its own, see docs/proposals.md.
    """
    draft = propose(name, base, functions)
    path = draft.path
    try:
        with path.open("x", encoding="utf-8") as file:
            file.write(draft.text)
    except FileExistsError as error:
        raise CheckerError(f"{path}: it is there already, and is left as it is; give another name") from error
    except OSError as error:
        raise CheckerError(f"{path}: it cannot be written ({error.strerror}); give another path") from error
    show(f"{path} overrides {', '.join(draft.overridden)} of {draft.version}. Change it, and ask:")
    show(f"  podproof review {path}", f"  podproof check --model {path}")
    return 0
