"""The command line, run in this process."""

from __future__ import annotations

from click.testing import CliRunner, Result

from podproof.commands.main import main


def run(*arguments: str) -> Result:
    """What `podproof` with these arguments writes, and its exit code."""
    return CliRunner().invoke(main, arguments)
