"""How time and memory grow: with the number of pods, of static pods, and of the grace periods of a deletion.

Run it from the project's root: `python bench/scaling.py`. One line for each family, size and way to search: engine
`compiled` with every reduction, the same without symmetry, and the reference engine `python`; for pods also engine
`diagrams`, and for grace periods engine `symbolic`, whose states stand for every number of seconds. Each search is a
process of its own, so that its memory can be seen; one that takes too long is stopped, and its line says at how many
states.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / ".src")]

from bench.compare import machine  # noqa: E402
from tests.peer_tools import PeerFailed, last_lines, run  # noqa: E402

from podproof.checker.core.system import Limits  # noqa: E402
from podproof.checker.reductions import REDUCTIONS  # noqa: E402
from podproof.model.kubelet import Kubelet  # noqa: E402
from podproof.model.scenarios import PodDescription, Scenario  # noqa: E402
from podproof.queries.build import subject_of  # noqa: E402
from podproof.queries.search import explore  # noqa: E402

_TITLES = (
    "family",
    "size",
    "engine",
    "states",
    "times the size before",
    "depth",
    "search s",
    "peak MiB",
    "bytes/state",
)
_WAYS: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "compiled": ("compiled", tuple(REDUCTIONS)),
    "compiled, no symmetry": ("compiled", tuple(name for name in REDUCTIONS if name != "symmetry")),
    "python": ("python", tuple(REDUCTIONS)),
    "symbolic": ("symbolic", tuple(REDUCTIONS)),
    "diagrams": ("diagrams", tuple(REDUCTIONS)),
}
"""Each way to search by its name in the table: the engine and the reductions."""
_GRACE = (45, 30, 20, 10, 5, 1, 0)


@dataclass(frozen=True)
class Found:
    """What one process found out."""

    states: int
    depth: int | None
    seconds: float
    complete: bool
    own_bytes: int
    """In the engine's own arrays or dictionaries, as the engine says."""
    peak_bytes: int
    """Of the whole process, Python and its libraries included."""


def pods(size: int) -> Scenario:
    """Pods that differ in nothing but their names and are only added."""
    names = [f"pod-{i}" for i in range(size)]
    return Scenario(
        name=f"{size} pods",
        environment=Kubelet,
        pods=tuple(PodDescription(name, f"{name}_default", removes=0) for name in names),
    )


def graces(size: int) -> Scenario:
    """One pod that is deleted as often as there are grace periods to choose from, and killed once."""
    return Scenario(
        name=f"{size} grace periods",
        environment=Kubelet,
        pods=(PodDescription("web", "web_default"),),
        deletion_seconds=_GRACE[:size],
        kills=1,
    )


def static(size: int) -> Scenario:
    """Static pods of one full name, which wait for each other."""
    return _static(f"{size} static pods", [("web", i) for i in range(size)])


def static_pairs(size: int) -> Scenario:
    """So many full names, with two static pods each."""
    return _static(f"{size} static pairs", [(name, i) for name in ("web", "db")[:size] for i in range(2)])


def _static(title: str, pods: list[tuple[str, int]]) -> Scenario:
    described = (PodDescription(f"{name}-{i}", f"{name}_kube-system", static=True) for name, i in pods)
    return Scenario(name=title, environment=Kubelet, pods=tuple(described), kills=1)


_FAMILIES = {
    "pods": (pods, (1, 2, 3, 4, 6, 8), ("compiled", "compiled, no symmetry", "python", "diagrams")),
    "static pods of one name": (static, (2, 3), ("compiled", "diagrams")),
    "static pairs": (static_pairs, (1, 2), ("compiled", "diagrams")),
    "grace periods": (graces, (1, 2, 3, 4, 5, 6), ("compiled", "python", "symbolic")),
}


def search(family: str, size: int, way: str, budget: float) -> None:
    """What one process does; it prints what it found as JSON."""
    engine, reductions = _WAYS[way]
    scenario = _FAMILIES[family][0](size)
    found = explore(subject_of("v1.29", None), scenario, (), engine, Limits(seconds=budget), reductions)
    assert found is not None
    print(json.dumps([found.states, found.depth, found.seconds, found.complete, found.peak_bytes]))


def measure(family: str, size: int, way: str, budget: float) -> Found:
    """One search in a process of its own. Raises PeerFailed when it ends with an error."""
    command = [sys.executable, str(Path(__file__).resolve()), "--once", family, str(size), way, str(budget)]
    with tempfile.TemporaryDirectory() as folder:
        done = run(command, Path(folder), 3 * budget + 60)
    last = done.output.strip().rpartition("\n")[2]
    if not last.startswith("["):
        raise PeerFailed(last_lines(done.output))
    return Found(*json.loads(last), done.peak_bytes)


def rows(families: Sequence[str], budget: float) -> Iterator[list[str]]:
    """The lines of the table; a way that was stopped is not tried with a larger size."""
    for family in families:
        _, sizes, ways = _FAMILIES[family]
        before: dict[str, Found] = {}
        for size in sizes:
            for way in ways:
                if way in before and not before[way].complete:
                    continue
                found = measure(family, size, way, budget)
                growth = f"{found.states / before[way].states:.1f}" if way in before and found.complete else ""
                states = f"{found.states:,}" if found.complete else f"over {found.states:,}, stopped"
                numbers = [
                    "" if found.depth is None else f"{found.depth}",
                    f"{found.seconds:.2f}",
                    f"{found.peak_bytes / 2**20:.0f}",
                ]
                yield [family, f"{size}", way, states, growth, *numbers, f"{found.own_bytes / found.states:.0f}"]
                before[way] = found


def main() -> int:
    """Print the table as Markdown."""
    if sys.argv[1:2] == ["--once"]:
        family, size, way, budget = sys.argv[2:]
        search(family, int(size), way, float(budget))
        return 0
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--budget", type=float, default=120.0, help="seconds after which a search is stopped")
    parser.add_argument("--family", choices=_FAMILIES, action="append", help="only this one; may be repeated")
    options = parser.parse_args()
    print(f"{machine()}\n")
    print(f"| {' | '.join(_TITLES)} |\n|{'|'.join(['---', '--:', '---', *['--:'] * (len(_TITLES) - 3)])}|")
    for cells in rows(options.family or [*_FAMILIES], options.budget):
        print(f"| {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
