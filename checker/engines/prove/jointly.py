"""One search on bits for all claims of a system: shortest runs first, then one invariant of all that is left."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from pysat.process import Processor

from podproof.checker.core.system import CheckerError, OutOfRange
from podproof.checker.core.trace import is_shown, replay
from podproof.checker.engines.prove.certificate import Run, whole_state
from podproof.checker.engines.prove.circuit import Circuit
from podproof.checker.engines.prove.ic3 import Cube, InvariantSearch, OutOfTime, Problem
from podproof.checker.engines.prove.literals import Clause, Literals
from podproof.checker.engines.prove.unrolled import Unrolling
from podproof.checker.reductions import Plan
from podproof.checker.solver.terms import NO_FAULT

WIDTHS = (4, 6, 8)
"""The bits of a number without end while an invariant is looked for: enough for the order of a few of them, and more
where an invariant that was found with fewer is none of the integers."""
WIDTH_OF_RUNS = 12
"""The same while shortest runs are looked for: enough for all numbers that a dozen steps choose."""
UNROLLED = 4
"""Runs of so many steps are all looked at before an invariant is looked for."""


@dataclass
class Findings:
    """What came out; nothing of it is believed before it is checked."""

    lemmas: tuple[Clause, ...] = ()
    """An invariant that excludes what violates the claims without a run; empty where there was no time for it."""
    needs: dict[str, tuple[Clause, ...]] = field(default_factory=dict)
    """For each claim that they prove, those that it needs; empty where nobody asked."""
    runs: dict[str, Run] = field(default_factory=dict)
    is_shortest: dict[str, bool] = field(default_factory=dict)
    """Does no shorter run violate the claim, whatever its numbers?"""
    reason: str = "the common invariant does not exclude it"
    """Why nothing is known of the other claims."""


def problem(plan: Plan, literals: Literals | None, width: int) -> Problem:
    """The system and its claims as a circuit, with latches for what lemmas may say, its clauses simplified."""
    circuit = Circuit(plan.system, plan.properties, plan.keep, width)
    atoms = () if literals is None else literals.atoms
    latches = [circuit.started, *(circuit.latch(atom.node) for atom in atoms)]
    every = [*latches, *circuit.bit_latches()]
    frozen = circuit.interface() | {abs(x) for latch in every for x in (latch.now, latch.then)}
    with Processor(bootstrap_with=circuit.gates.clauses) as processor:
        clauses = processor.process(freeze=sorted(frozen)).clauses
    return Problem(circuit, clauses, every, len(latches))


class JointSearch:
    """A search about all claims of a plan. `expired` is asked from time to time whether to end it."""

    def __init__(self, plan: Plan, literals: Literals, expired: Callable[[], bool]) -> None:
        self.plan, self.literals, self.expired = plan, literals, expired
        self.states = {p.property.id for p in plan.properties if p.state is not None}
        self.open = {p.property.id for p in plan.properties}
        self.found = Findings()
        self.wide = problem(plan, None, WIDTH_OF_RUNS)
        self.unrolling = Unrolling(self.wide.circuit, self.wide.clauses, self.states)

    def run(self, width: int, with_needs: bool = False) -> Findings:
        """Look for runs that violate claims which are open, and for an invariant that excludes all others."""
        try:
            self._unroll(UNROLLED)
            narrow = problem(self.plan, self.literals, width)
            bad = {name: literal for name, literal in narrow.circuit.violations.items() if name in self.open}
            searching = InvariantSearch(narrow, bad, self.expired)
            search = searching.run()
            lemmas = map(_clause, filter(narrow.is_said, search.invariant))
            self.found.lemmas = tuple(dict.fromkeys((*self.found.lemmas, *lemmas)))
            for name in searching.bad if with_needs else ():
                needs = searching.needs(search.invariant, name)
                self.found.needs[name] = tuple(map(_clause, filter(narrow.is_said, needs)))
            # A state that is bad by itself needs no step after it.
            steps = {name: steps[: -1 if name in self.states else None] for name, steps in search.runs.items()}
            runs = {name: narrow.circuit.run(chosen) for name, chosen in steps.items()}
            while left := {name: run for name, run in runs.items() if name in self.open}:
                self._unroll(self.unrolling.length + 1, left)
                for name, run in left.items():
                    if name in self.open and len(run.moves) <= self.unrolling.length:
                        self._take(name, run)
        except OutOfTime:
            self.found.reason = "the search for an invariant took too long"
        return self.found

    def _unroll(self, length: int, names: Collection[str] | None = None) -> None:
        """Take the runs of up to so many steps that violate these claims, or any."""
        asked = [p.property.id for p in self.plan.properties if names is None or p.property.id in names]
        while self.unrolling.length < length and (left := [name for name in asked if name in self.open]):
            if self.expired():
                raise OutOfTime
            for name, steps in self.unrolling.next_length(left).items():
                self._take(name, self.wide.circuit.run(steps))

    def _take(self, name: str, run: Run) -> None:
        """A run that violates a claim, all shorter ones having been looked at."""
        self.open.remove(name)
        is_exact = self.wide.circuit.is_exact(len(run.moves))
        if is_exact or self._is_shown(name, run):
            self.found.runs[name], self.found.is_shortest[name] = run, is_exact

    def _is_shown(self, name: str, run: Run) -> bool:
        """Does the model, whose numbers are not cut off, take the run and violate the claim?"""
        asked = next(p for p in self.plan.asked if p.property.id == name)
        try:
            trace = replay(self.plan.original, run.moves, whole_state(self.plan.original, run.beginning))
        except OutOfRange:
            return name == NO_FAULT.id
        except CheckerError:
            return False
        return is_shown(self.plan.original, asked, trace)


def _clause(cube: Cube) -> Clause:
    """That a run which has begun is not in the cube. Latch 1 is the beginning, and the atoms follow."""
    return tuple(2 * (abs(x) - 2) + (x > 0) for x in cube if abs(x) > 1)
