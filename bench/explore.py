"""How fast engine `compiled` is: a table, one line a model.

Run it from the project's root: `python bench/explore.py`, with names of models or a number of threads if you like.
Every model is searched three times and the fastest search is shown; `build` is lowering, generating and compiling.
Numbers of states are checked where others have published them.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / ".src")]

from tests.two_phase_commit import PROPERTIES, STATES, two_phase_commit  # noqa: E402

from podproof.checker.core.system import Exploration, Limits, Property, System  # noqa: E402
from podproof.checker.engines.compiled import processors  # noqa: E402
from podproof.checker.engines.compiled.search import Search  # noqa: E402
from podproof.checker.lowering.claims import lower_properties  # noqa: E402
from podproof.checker.reductions import relevant_variables  # noqa: E402
from podproof.model.scenarios import SCENARIOS  # noqa: E402
from podproof.queries.build import properties_of, subject_of, system_of  # noqa: E402

Model = Callable[[], tuple[System, tuple[Property, ...]]]
_TITLES = ("model", "words", "states", "transitions", "depth", "build s", "search s", "M states/s", "bytes/state")
_WIDTHS = (24, 5, 12, 12, 5, 8, 8, 10, 11)


def models() -> Iterator[tuple[str, Model, int | None]]:
    """Every model by name, with its known number of states."""

    def closed(managers: int, properties: tuple[Property, ...]) -> Model:
        return lambda: (two_phase_commit(managers), properties)

    def scenario(name: str) -> Model:
        subject = subject_of("v1.29", None)
        return lambda: (system_of(subject, SCENARIOS[name]), properties_of(subject, SCENARIOS[name]))

    for managers in (7, 8, 9):
        yield f"2pc-{managers}", closed(managers, ()), STATES[managers]
        yield f"2pc-{managers}-claims", closed(managers, PROPERTIES), STATES[managers]
    for name in SCENARIOS:
        yield name, scenario(name), None


def measure(model: Model, threads: int) -> tuple[int, float, float, Exploration]:
    """Words in a state, seconds to build, seconds of the fastest search, and what it found."""
    started = time.perf_counter()
    system, properties = model()
    lowered = lower_properties(system, properties)
    keep = relevant_variables(system, lowered) if lowered else None
    build, best = 0.0, float("inf")
    for attempt in range(3):
        search = Search(system, lowered, keep, Limits(), threads)
        if attempt == 0:
            build = time.perf_counter() - started
        begun = time.perf_counter()
        search.run(None)
        best = min(best, time.perf_counter() - begun)
    return search.layout.words, build, best, search.result()


def main(arguments: list[str]) -> int:
    """Print the table; the exit code is 1 when a known number of states is missed."""
    names = [argument for argument in arguments if not argument.isdecimal()]
    threads = next((int(argument) for argument in arguments if argument.isdecimal()), processors())
    print(f"{threads} threads")
    print(line(_TITLES))
    wrong = 0
    for name, model, known in models():
        if names and name not in names:
            continue
        words, build, seconds, found = measure(model, threads)
        numbers = (f"{words}", f"{found.states:,}", f"{found.transitions:,}", f"{found.depth}")
        rate, size = found.states / seconds / 1e6, found.peak_bytes / found.states
        print(line((name, *numbers, f"{build:.2f}", f"{seconds:.3f}", f"{rate:.2f}", f"{size:.0f}")), flush=True)
        if known is not None and known != found.states:
            wrong += 1
            print(f"{name} has {known:,} states, not {found.states:,}: the engine is wrong", file=sys.stderr)
    return 1 if wrong else 0


def line(cells: tuple[str, ...]) -> str:
    name, *numbers = cells
    return "  ".join([name.ljust(_WIDTHS[0]), *(c.rjust(w) for c, w in zip(numbers, _WIDTHS[1:], strict=True))])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
