"""What claims about runs cost beside those about states and steps: `podproof check` with and without --liveness.

    python bench/liveness.py [--scenario one-pod …] [--repeat 3] [--limit 300]
    python bench/liveness.py --engines ["3 pods" …]

Whole processes, the two kinds in turn, so that a busy machine slows down both. Prints a table of medians. The exit code
is 1 where a run took longer than the limit, or said that it could not decide for another reason than a bound.

With --engines it is the engines `diagrams` and `compiled` beside each other, all claims about runs of the default
release with the fairness that they need, in seconds of the processor: whole processes, one run of each.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / ".src")]

from bench.peers import machine  # noqa: E402
from bench.scaling import pods  # noqa: E402

from podproof.checker.liveness.decide import RunChecker  # noqa: E402
from podproof.commands.systems.build import run_properties_of, subject_of, system_of  # noqa: E402
from podproof.model.scenarios import SCENARIOS as KNOWN  # noqa: E402
from podproof.model.versions import DEFAULT_VERSION  # noqa: E402

SCENARIOS = ("one-pod", "one-pod --no-reduce", "static-successor", "static-pair")
_TITLES = ("scenario", "states", "for runs", "s", "for runs", "times", "peak MiB", "for runs", "times")
_START = f"import sys; sys.path.insert(0, {str(ROOT / '.src')!r}); from podproof.commands.main import main; main()"


_REMOVED = replace(pods(3), pods=tuple(replace(pod, removes=1) for pod in pods(3).pods))
MODELS = {
    "2 pods": (pods(2), True),
    "3 pods": (pods(3), False),
    "4 pods": (pods(4), False),
    "two-pods": (KNOWN["two-pods"], True),
    "3 pods, added and removed": (_REMOVED, False),
    "one-pod": (KNOWN["one-pod"], True),
    "static-pair": (KNOWN["static-pair"], True),
}
"""By name, what the engines decide, and whether `compiled` is asked as well."""


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


def once(name: str, engine: str) -> None:
    """What one process does; it prints what it found as JSON."""
    subject, scenario = subject_of(DEFAULT_VERSION, None), MODELS[name][0]
    found = RunChecker(system_of(subject, scenario), engine).decide(run_properties_of(subject, scenario))
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    statuses = [verdict.status.name for verdict in found.verdicts]
    print(json.dumps([found.states, statuses, time.process_time(), peak]))


def by_engine(names: Sequence[str]) -> None:
    """Print the table of both engines."""
    print(f"{machine()}\n\n| scenario | states | `diagrams`: s | MiB | `compiled`: s | MiB |\n|---|{'--:|' * 5}")
    for name in names:
        found = []
        for engine in ("diagrams", "compiled") if MODELS[name][1] else ("diagrams",):
            command = [sys.executable, str(Path(__file__).resolve()), "--once", name, engine]
            found.append(json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout))
        assert all(one[:2] == found[0][:2] for one in found), f"{name}: the engines do not agree"
        cells = [cell for _, _, seconds, peak in found for cell in (f"{seconds:.1f}", f"{peak:,}")]
        print(f"| {' | '.join([name, f'{found[0][0]:,}', *cells, *['', ''] * (2 - len(found))])} |", flush=True)


def main() -> int:
    if sys.argv[1:2] == ["--once"]:
        once(*sys.argv[2:])
        return 0
    if sys.argv[1:2] == ["--engines"]:
        by_engine(sys.argv[2:] or list(MODELS))
        return 0
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
