"""What `podproof review` takes: the median of the processor seconds and the wall time of whole processes.

    python bench/reviews.py [--repeat N] [A B [--scenario SCENARIO …]]

Without names: two releases that hardly differ, and two that do. Prints a row of a Markdown table for each review; the
processor time is that of the process and of all that it started.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAIRS = (("v1.32", "v1.33"), ("v1.29", "v1.32"))
START = "import sys; from podproof.cli.main import main; sys.argv[0] = 'podproof'; sys.exit(main())"


def measure(arguments: Sequence[str]) -> tuple[float, float]:
    """The processor seconds and the wall time of one review, which has to come to an end by itself."""
    before, started = os.times(), time.monotonic()
    environment = {**os.environ, "PYTHONPATH": str(ROOT / ".src")}
    run = subprocess.run(
        [sys.executable, "-c", START, "review", *arguments, "-q"], env=environment, capture_output=True
    )
    after, seconds = os.times(), time.monotonic() - started
    if run.returncode not in (0, 1, 4):
        raise SystemExit(run.stderr.decode())
    used = after.children_user + after.children_system - before.children_user - before.children_system
    return used, seconds


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("versions", nargs="*", metavar="A B", help="two versions or files")
    parser.add_argument("--scenario", action="append", default=[])
    parser.add_argument("--repeat", type=int, default=3, help="how often each is run")
    options = parser.parse_args()
    if len(options.versions) not in (0, 2):
        parser.error("give both versions, or none")
    print("| review | processor seconds | wall time |\n|---|---:|---:|")
    for pair in [tuple(options.versions)] if options.versions else PAIRS:
        arguments = [*pair, *(f"--scenario={name}" for name in options.scenario)]
        runs = [measure(arguments) for _ in range(options.repeat)]
        used, seconds = (statistics.median(column) for column in zip(*runs, strict=True))
        print(f"| `{' '.join(arguments)}` | {used:.1f} | {seconds:.1f} |", flush=True)


if __name__ == "__main__":
    main()
