"""What claims about runs cost beside those about states and steps: `podproof check` with and without --liveness.

    python bench/liveness.py [--scenario one-pod …] [--repeat 3] [--limit 300]

Whole processes, the two kinds in turn, so that a busy machine slows down both. Prints a table of medians. The exit code
is 1 where a run took longer than the limit, or said that it could not decide for another reason than a bound.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / ".src")]


SCENARIOS = ("one-pod", "one-pod --reduce none", "static-successor", "static-pair")
_TITLES = ("scenario", "states", "for runs", "s", "for runs", "times", "peak MiB", "for runs", "times")
_START = f"import sys; sys.path.insert(0, {str(ROOT / '.src')!r}); from podproof.cli.main import main; main()"


@dataclass(frozen=True)
class Run:
    """One whole process: what it found and what it took."""

    states: int
    seconds: float
    peak: int
    complete: bool


def check(arguments: list[str], limit: float) -> Run:
    """Raises RuntimeError where it takes longer or ends with an error."""
    with tempfile.TemporaryDirectory() as folder:
        measured, found = Path(folder) / "measured.json", Path(folder) / "found.json"
        asked = ["check", "--version=v1.29", "--no-cache", *arguments, f"--output-file=json={found}"]
        command = [sys.executable, "-c", _START, *asked]
        measure = [sys.executable, str(ROOT / "tests" / "measured_process.py"), str(measured), f"{limit}", *command]
        said = subprocess.run(measure, check=True, capture_output=True, text=True)
        took = json.loads(measured.read_text())
        if took["code"] not in (0, 1, 4):
            raise RuntimeError(f"podproof check {' '.join(arguments)} ended with {took['code']}: {said.stderr}")
        (result,) = json.loads(found.read_text())["results"]
    return Run(result["states"], took["seconds"], took["peak"], result["complete"])


def row(scenario: str, repeat: int, limit: float) -> tuple[list[str], bool]:
    """The cells of one line, and whether all of it was explored."""
    arguments = ["--scenario", *scenario.split()]
    states, runs = list[Run](), list[Run]()
    for _ in range(repeat):
        states.append(check(arguments, limit))
        runs.append(check([*arguments, "--liveness"], limit))
    seconds = [median(run.seconds for run in each) for each in (states, runs)]
    peaks = [median(run.peak for run in each) for each in (states, runs)]
    cells = [
        *(scenario, f"{states[0].states:,}", f"{runs[0].states:,}"),
        *(f"{seconds[0]:.1f}", f"{seconds[1]:.1f}", f"{seconds[1] / seconds[0]:.1f}"),
        *(f"{peaks[0] / 2**20:.0f}", f"{peaks[1] / 2**20:.0f}", f"{peaks[1] / peaks[0]:.1f}"),
    ]
    return cells, all(run.complete for run in (*states, *runs))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scenario", action="append", help=f"with options of check; default: {', '.join(SCENARIOS)}")
    parser.add_argument("--repeat", type=int, default=3, help="default: %(default)s")
    parser.add_argument("--limit", type=float, default=300, help="seconds for one run; default: %(default)s")
    options = parser.parse_args()
    print(f"| {' | '.join(_TITLES)} |\n|{'|'.join(['---', *['--:'] * (len(_TITLES) - 1)])}|", flush=True)
    all_explored = True
    for scenario in options.scenario or SCENARIOS:
        try:
            cells, is_explored = row(scenario, options.repeat, options.limit)
        except RuntimeError as error:
            print(error, file=sys.stderr)
            return 1
        all_explored &= is_explored
        print(f"| {' | '.join(cells)} |", flush=True)
    return 0 if all_explored else 1


if __name__ == "__main__":
    sys.exit(main())
