"""How much faster a sweep is on several processes: the same checks on one and on more, one after the other.

python bench/sweep.py [PROCESSES] [ARGUMENT OF podproof sweep ...]
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time

from podproof.checker.processes import processors

USUAL = ("--version", "all", "--scenario", "orphan", "--scenario", "static-removed", "--scenario", "uid-reuse")


def seconds_of(jobs: int, arguments: list[str]) -> tuple[float, int]:
    """How long a sweep takes from the shell, and how many checks it makes."""
    command = [sys.executable, "-m", "podproof.cli.main", "sweep", *arguments, "-j", str(jobs), "-o", "json"]
    started = time.perf_counter()
    environment = {**os.environ, "PODPROOF_CACHE": ""}  # Nothing that was found before.
    done = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return time.perf_counter() - started, len(json.loads(done.stdout)["checks"])


def main() -> int:
    """Print the table."""
    given = sys.argv[1:]
    jobs = int(given.pop(0)) if given and given[0].isdecimal() else processors()
    print(f"{'processes':>9} {'checks':>7} {'seconds':>8} {'ratio':>6}")
    alone, checks = seconds_of(1, given or list(USUAL))
    print(f"{1:>9} {checks:>7} {alone:>8.1f} {1.0:>6.2f}")
    several, checks = seconds_of(jobs, given or list(USUAL))
    print(f"{jobs:>9} {checks:>7} {several:>8.1f} {alone / several:>6.2f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
