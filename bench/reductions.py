"""What each reduction saves, and that none changes a verdict: every version and scenario, with and without each.

    python bench/reductions.py [--version v1.29 …] [--scenario one-pod …] [--max-states N]

The status of every claim and the length of its trace have to be the same whatever is reduced, and with symmetry the
states have to stand for exactly as many as there are without. Prints one line for each version, scenario and choice of
reductions; exit code 1 when something differs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / ".src"))

from podproof.checker.core.system import Exploration, Limits
from podproof.checker.engines.compiled import Compiled
from podproof.checker.engines.compiled.layout import lay_out
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import REDUCTIONS, Plan, plan
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import properties_of, subject_of, system_of
from podproof.queries.versions import VERSIONS

CHOICES = ((), *((name,) for name in REDUCTIONS), tuple(REDUCTIONS))


def reduced(version: str, scenario: str, names: Iterable[str], limits: Limits) -> tuple[Plan, Exploration]:
    subject, world = subject_of(version, None), SCENARIOS[scenario]
    system = system_of(subject, world)
    made = plan(system, lower_properties(system, properties_of(subject, world)), set(names), world.interchangeable)
    return made, made.report(Compiled().run(made.system, made.properties, made.keep, limits))


def differences(whole: Exploration, found: Exploration) -> list[str]:
    """The claims with another verdict, or with a trace of another length."""
    pairs = zip(whole.verdicts, found.verdicts, strict=True)
    return [a.property.id for a, b in pairs if (a.status, a.depth) != (b.status, b.depth)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--version", action="append", choices=VERSIONS)
    parser.add_argument("--scenario", action="append", choices=SCENARIOS)
    parser.add_argument("--max-states", type=int, default=20_000_000, help="what has more is not compared")
    options = parser.parse_args()
    failed = False
    for version in options.version or VERSIONS:
        for scenario in options.scenario or SCENARIOS:
            failed |= not compare(version, scenario, Limits(max_states=options.max_states))
    return int(failed)


def compare(version: str, scenario: str, limits: Limits) -> bool:
    """Print a line for each choice; did all agree?"""
    whole: Exploration | None = None
    same = True
    for names in CHOICES:
        if names == ("symmetry",) and not SCENARIOS[scenario].interchangeable:
            continue
        made, found = reduced(version, scenario, names, limits)
        wrong: list[str] = []
        if found.complete:
            whole = whole or found
            wrong = differences(whole, found)
        same &= not wrong
        words = lay_out(made.system, made.keep).words
        outcome = "same verdicts" if found.complete else f"{found.reason}; not compared"
        print(
            f"{version:26} {scenario:16} {'+'.join(names) or 'none':42} {found.states:>12,} states {words:>2} words "
            f"{found.seconds:>6.1f} s  {'DIFFERENT: ' + ', '.join(wrong) if wrong else outcome}",
            flush=True,
        )
    return same


if __name__ == "__main__":
    sys.exit(main())
