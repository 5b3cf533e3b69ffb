"""What the engine `diagrams` reaches: each model in a process of its own, all claims and their premises, one run.

Run it from the project's root: `python bench/diagrams.py [MODEL ...]`. Seconds are the processor's, so that other work
on the machine counts little: `lowering`, the search for what is reachable, and all of it from the start of the process;
`shell s` is by the clock. The last columns are of the engine `compiled` on the same system without symmetry, which goes
through the states one by one, and how many times longer it takes without lowering.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / ".src")]

from bench.compare import machine  # noqa: E402
from bench.scaling import pods, static, static_pairs  # noqa: E402
from tests.two_phase_commit import PROPERTIES, two_phase_commit  # noqa: E402

from podproof.checker.core.system import LoweredProperty, System  # noqa: E402
from podproof.checker.decide import Checker  # noqa: E402
from podproof.checker.engines import engine  # noqa: E402
from podproof.checker.engines.diagrams.search import SetSearch  # noqa: E402
from podproof.checker.lowering.claims import lower_properties  # noqa: E402
from podproof.model.scenarios import SCENARIOS, Scenario  # noqa: E402
from podproof.queries.build import properties_of, subject_of, system_of  # noqa: E402
from podproof.queries.versions import DEFAULT_VERSION  # noqa: E402

Question = tuple[System, tuple[LoweredProperty, ...]]


def of_managers(size: int) -> Callable[[], Question]:
    """Two-phase commit."""

    def made() -> Question:
        system = two_phase_commit(size)
        return system, tuple(lower_properties(system, PROPERTIES))

    return made


def of_a_node(scenario: Scenario) -> Callable[[], Question]:
    """The pod workers of the default release."""

    def made() -> Question:
        subject = subject_of(DEFAULT_VERSION, None)
        system = system_of(subject, scenario)
        return system, tuple(lower_properties(system, properties_of(subject, scenario)))

    return made


MODELS: Mapping[str, tuple[Callable[[], Question], bool]] = {
    "2pc-20": (of_managers(20), False),
    "2pc-100": (of_managers(100), False),
    **{f"{size} pods": (of_a_node(pods(size)), False) for size in (3, 4, 6, 8)},
    "static-pair": (of_a_node(SCENARIOS["static-pair"]), True),
    "3 static pods of one name": (of_a_node(static(3)), False),
    "2 + 2 static pods of two names": (of_a_node(static_pairs(2)), False),
    "evict-and-delete": (of_a_node(SCENARIOS["evict-and-delete"]), True),
}
"""By name: how it is made, and whether `compiled` is asked as well."""


def once(name: str, way: str) -> None:
    """What one process does; it prints what it found as JSON."""
    system, claims = MODELS[name][0]()
    lowered, reach = time.process_time(), [0.0]
    search = SetSearch._reach

    def measured(self: SetSearch) -> None:
        started = time.process_time()
        search(self)
        reach[0] += time.process_time() - started

    SetSearch._reach = measured  # type: ignore[method-assign]
    found = Checker(system, engine(way), ("slicing", "constants")).decide(claims)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10
    print(json.dumps([found.states, lowered, reach[0], time.process_time(), peak]))


def measure(name: str, way: str) -> tuple[int, float, float, float, float, int]:
    """States, lowering, search, all of it, by the clock, and MiB at most."""
    started = time.perf_counter()
    command = [sys.executable, str(Path(__file__).resolve()), "--once", name, way]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    states, lowered, reach, whole, peak = json.loads(printed.splitlines()[-1])
    return states, lowered, reach, whole, time.perf_counter() - started, peak


def main() -> int:
    """Print the table as Markdown."""
    if sys.argv[1:2] == ["--once"]:
        once(*sys.argv[2:])
        return 0
    print(f"{machine()}\n")
    titles = ("model", "states", "lowering", "search", "all of it", "shell s", "MiB", "compiled", "MiB", "times")
    print(f"| {' | '.join(titles)} |\n|---|{'--:|' * (len(titles) - 1)}")
    for name in sys.argv[1:] or MODELS:
        states, lowered, reach, whole, shell, peak = measure(name, "diagrams")
        cells = [name, f"{states:,}" if states < 1e30 else f"{states:.2e}"]
        cells += [f"{lowered:.1f}", f"{reach:.2f}", f"{whole:.1f}", f"{shell:.0f}", f"{peak:,}"]
        if MODELS[name][1]:
            others, before, _, other, _, more = measure(name, "compiled")
            assert others == states, f"{name}: compiled finds {others:,} states"
            cells += [f"{other:.1f}", f"{more:,}", f"{(other - before) / (whole - lowered):.1f}"]
        else:
            cells += [""] * 3
        print(f"| {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
