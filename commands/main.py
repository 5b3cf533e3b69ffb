"""The command `podproof`."""

from __future__ import annotations

import io
import signal
import sys

import click

from podproof.commands.check import check
from podproof.commands.conform import conform
from podproof.commands.diagram import diagram
from podproof.commands.errors import USAGE, reported
from podproof.commands.export import export
from podproof.commands.listing import explain, listing


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="podproof", prog_name="podproof")
def main() -> None:
    """Check the kubelet's pod worker against its lifecycle guarantees.

    Exit codes: 0 all claims hold, 1 a claim is violated or a trace does not conform, 2 wrong usage or bad input,
    3 internal error, 4 undecided, 130 interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a letter such as an arrow shows a question mark.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    # A reader such as `head` that stops reading ends us quietly, as other tools do.
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


def _unbuilt(name: str, what: str, instead: str) -> click.Command:
    """A command of the plan that is not built yet: it says so, whatever it is given."""

    @click.command(
        name,
        short_help=f"{what} (not built yet).",
        context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    )
    @reported
    def command() -> int:
        click.echo(f"error: `podproof {name}` is not built yet; {instead}", err=True)
        return USAGE

    return command


for built in (check, conform, diagram, export, listing, explain):
    main.add_command(built)
main.add_command(
    _unbuilt("prove", "Prove claims for every grace period", "`podproof check` explores bounded scenarios")
)
main.add_command(_unbuilt("diff", "Compare two versions", "run `podproof check` on both and compare the verdicts"))

if __name__ == "__main__":
    sys.exit(main())
