"""Console sessions: commands as a user types them, run in one folder, and what each writes.

`podproof …` runs in this process; whatever else is typed (`cat > FILE <<'END'`, `sed`, `git`) runs in the shell, and so
does what stands behind the first `|`.
"""

from __future__ import annotations

import math
import re
import shlex
import subprocess
from collections.abc import Iterator
from contextlib import chdir
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from click.testing import CliRunner

from podproof.cli import progress
from podproof.cli.main import main

PODPROOF, BOTH = "podproof ", " 2>&1"
_COMMAND = re.compile(
    r"\$ (?P<typed>.*<<'(?P<end>\w+)'.*\n(?:.*\n)*?(?P=end)|(?:.*\\\n)*.*)\n(?P<shown>(?:(?!\$ ).*\n)*)"
)
_ENVIRONMENT = {"NO_COLOR": "1", "PODPROOF_CACHE": "", "PODPROOF_PLACES": "functions"}


class Written(NamedTuple):
    """What a command wrote, and its exit code; of `podproof … | …` that of podproof."""

    text: str
    exit_code: int


def commands(text: str) -> Iterator[tuple[str, str]]:
    """Each command of a session, without its `$ ` and with all its lines, and the text below it."""
    for match in _COMMAND.finditer(text):
        yield match["typed"], match["shown"]


def run(typed: str, folder: Path) -> Written:
    """Run a command in a folder. How far podproof is, which a clock decides about, is not told."""
    with chdir(folder):
        if not typed.startswith(PODPROOF):
            return _in_shell(typed)
        podproof, pipe, filter = typed.replace("\\\n", "").partition(" | ")
        with patch.object(progress, "PLAIN_SECONDS", math.inf):
            result = CliRunner().invoke(
                main, shlex.split(podproof.removeprefix(PODPROOF).removesuffix(BOTH)), env=_ENVIRONMENT
            )
        if "Traceback" in result.output or not isinstance(result.exception, SystemExit | None):
            raise RuntimeError(f"{podproof}: {result.output}") from result.exception
        if not pipe:
            return Written(result.output, result.exit_code)
        aside, piped = ("", result.output) if podproof.endswith(BOTH) else (result.stderr, result.stdout)
        return Written(aside + _in_shell(filter, piped).text, result.exit_code)


def _in_shell(typed: str, given: str = "") -> Written:
    done = subprocess.run(
        ["sh", "-c", typed], input=given, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False
    )
    return Written(done.stdout, done.returncode)
