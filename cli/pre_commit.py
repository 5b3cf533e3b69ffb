"""`podproof check` for each of several model files: what the pre-commit hook `podproof-check` runs."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from itertools import takewhile

WRONG_USAGE = 2


def check_each(arguments: Sequence[str]) -> int:
    """Check every file with the options before the files, as pre-commit passes them; the highest exit code."""
    files = list(takewhile(lambda argument: argument.endswith(".py"), reversed(arguments)))[::-1]
    options = arguments[: len(arguments) - len(files)]
    if not files:
        print("error: there is no file to check; give options of `podproof check` and then .py files", file=sys.stderr)
        return WRONG_USAGE
    command = [sys.executable, "-m", "podproof.cli.main", "check", "--quiet", *options]
    return max(subprocess.run([*command, "--model", file], check=False).returncode for file in files)


if __name__ == "__main__":
    sys.exit(check_each(sys.argv[1:]))
