"""The command `podproof`."""

from __future__ import annotations

import io
import signal
import sys

import click

from podproof.commands.check import check
from podproof.commands.conform import conform
from podproof.commands.diagram import diagram
from podproof.commands.diff import diff
from podproof.commands.export import export
from podproof.commands.listing import explain, listing
from podproof.commands.pods import pods
from podproof.commands.prove import prove


@click.group(context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="podproof", prog_name="podproof")
def main() -> None:
    """Check the kubelet's pod worker against its lifecycle guarantees.

    Exit codes: 0 all claims hold, 1 a claim is violated, a trace does not conform or versions differ, 2 wrong usage
    or bad input, 3 internal error, 4 undecided, 130 interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a letter such as an arrow shows a question mark.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    # A reader such as `head` that stops reading ends us quietly, as other tools do.
    if hasattr(signal, "SIGPIPE"):
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)


for built in (check, conform, diagram, diff, export, listing, explain, pods, prove):
    main.add_command(built)

if __name__ == "__main__":
    sys.exit(main())
