"""How the command line ends: exit codes, and errors as sentences instead of tracebacks."""

from __future__ import annotations

import functools
import platform
import shlex
import sys
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Final, NoReturn, ParamSpec

import click

from podproof.checker.core import UsageError
from podproof.checker.core.system import CheckerError, OutOfRange
from podproof.cli import out_of_memory
from podproof.cli.streams import say

P = ParamSpec("P")

HOLDS, VIOLATED, USAGE, INTERNAL = 0, 1, 2, 3
INTERRUPTED: Final = 130


def reported(command: Callable[P, int | None]) -> Callable[P, NoReturn]:
    """A command that ends with its exit code; an error of the user's is told in its own words, without a traceback."""

    @functools.wraps(command)
    def run(*args: P.args, **kwargs: P.kwargs) -> NoReturn:
        try:
            with out_of_memory.report_out_of_memory():
                sys.exit(command(*args, **kwargs) or HOLDS)
        except UsageError as error:
            raise click.UsageError(str(error)) from error
        except CheckerError as error:
            say(f"error: {error}")
            if isinstance(error, OutOfRange) and error.trace is not None:
                say("the way there:", *(f"  {i}  {step.event}" for i, step in enumerate(error.trace.steps, 1)))
            sys.exit(USAGE)
        except KeyboardInterrupt:
            say("interrupted")
            sys.exit(INTERRUPTED)
        except (click.ClickException, click.exceptions.Exit):
            raise
        except OSError as error:
            place = "" if error.filename is None else f"{error.filename}: "
            what = error.strerror or str(error)
            say(f"error: {place}it cannot be read or written ({what}); give another path, or room")
            sys.exit(USAGE)
        except Exception as error:
            sys.exit(internal(error))

    return run


def internal(error: Exception) -> int:
    """Tell an error that is podproof's own, with all that a report of it needs; gives the exit code."""
    from importlib.metadata import version  # It loads zipfile and email.

    say(
        *"".join(traceback.format_exception(error)).splitlines(),
        f"internal error: {error or type(error).__name__}",
        "This is a fault of podproof, and nothing that this run says counts. Please report it, with the lines above, "
        "with the model attached, if it is a file of yours, and with these two lines:",
        f"    {shlex.join(['podproof', *sys.argv[1:]])}",
        f"    podproof {version('podproof')}, Python {platform.python_version()}, {platform.platform()}",
    )
    return INTERNAL


def make_folder(path: Path, option: str) -> None:
    """Make a folder that an option names, before any work whose result could be lost. Raises CheckerError."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise CheckerError(
            f"{option} {path}: the folder cannot be made ({error.strerror}); name another one"
        ) from error
