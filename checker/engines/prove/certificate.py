"""A proof as an inductive invariant, and the three questions to a plain solver that make it one.

The invariant is the conjunction of the ranges of all variables and of lemmas. It has to hold in every initial state, be
kept by every move, and exclude what the claim forbids. Each question is satisfiable only if that fails.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import z3

from podproof.checker.core.system import LoweredProperty
from podproof.checker.solver.relation import Relation, violation
from podproof.checker.solver.terms import Term, any_of

RESOURCES = 500_000_000
"""Z3's resource limit for one question; the answer does not depend on how busy the machine is."""


@dataclass(frozen=True)
class Lemma:
    """A part of an invariant: `name` identifies it where it is passed on."""

    name: object
    term: Term


@dataclass(frozen=True)
class Certificate:
    """An invariant that is said to be inductive and to exclude what a claim forbids."""

    relation: Relation
    claim: LoweredProperty
    lemmas: tuple[Lemma, ...]

    @property
    def invariant(self) -> list[Term]:
        return [self.relation.ranges(), *(lemma.term for lemma in self.lemmas)]

    @cached_property
    def questions(self) -> Mapping[str, list[Term]]:
        """What a solver has to answer with `unsat`: init, step and property."""
        r, invariant = self.relation, self.invariant
        # SMT-LIB has no plain symbols with a quotation mark, as the relation's own names of variables after a step.
        then = {path: z3.Const(f"next {path}", term.sort()) for path, term in r.now.items()}
        names = [(r.then[path], term) for path, term in then.items()]
        moves = any_of(z3.And(m.condition, z3.substitute(r.after(m), *names)) for m in r.moves)
        kept = [z3.substitute(part, *((r.now[path], term) for path, term in then.items())) for part in invariant]
        return {
            "init": [r.initial(), z3.Not(z3.And(invariant))],
            "step": [*invariant, moves, z3.Not(z3.And(kept))],
            "property": [*invariant, self._forbidden()],
        }

    def _forbidden(self) -> Term:
        if self.claim.state is not None:
            return z3.Not(self.relation.holds(self.claim))
        return any_of(violation(self.relation, self.claim, m) for m in self.relation.moves)

    def refuted(self) -> str | None:
        """Which question was not answered with `unsat`, and how; None when the proof stands."""
        for name, terms in self.questions.items():
            if (answer := _ask(terms)) != z3.unsat:
                return f"the check `{name}` of its invariant was answered with {answer}"
        return None

    def is_inductive(self) -> bool:
        """Is it an invariant, whatever it says about the claim?"""
        questions = self.questions
        return all(_ask(questions[name]) == z3.unsat for name in ("init", "step"))

    def minimised(self) -> Certificate:
        """With fewer lemmas: without any one of them the proof would not stand."""
        needed = list(self.lemmas)
        step, end = self._guarded("step"), self._guarded("property")
        for lemma in reversed(self.lemmas):
            fewer = [other for other in needed if other is not lemma]
            chosen = [_name(i) if own in fewer else z3.Not(_name(i)) for i, own in enumerate(self.lemmas)]
            if all(solver.check(*chosen) == z3.unsat for solver in (end, step)):
                needed = fewer
        return replace(self, lemmas=tuple(needed))

    def _guarded(self, question: str) -> z3.Solver:
        """A solver for the question about those lemmas whose names are assumed."""
        names = [_name(i) for i in range(len(self.lemmas))]
        parts = [z3.Implies(name, lemma.term) for name, lemma in zip(names, self.lemmas, strict=True)]
        guarded = replace(self, lemmas=tuple(Lemma(None, part) for part in parts))
        solver = z3.Solver()
        solver.set("rlimit", RESOURCES)
        solver.add(*guarded.questions[question])
        return solver

    def scripts(self) -> Mapping[str, str]:
        """The questions in SMT-LIB 2; all numbers of the relation have to be integers."""
        found = {}
        for name, terms in self.questions.items():
            solver = z3.Solver()
            solver.add(*terms)
            script = [line for line in solver.to_smt2().splitlines() if not line.startswith(("; ", "(set-info"))]
            found[name] = "\n".join(["(set-logic QF_LIA)", *script, ""])
        return found


def _name(number: int) -> Term:
    """Says in a guarded question that a lemma is part of the invariant."""
    return z3.Bool(f"lemma {number}")


def _ask(terms: Sequence[Term]) -> z3.CheckSatResult:
    """The answer of a new solver with default settings, which knows nothing else."""
    solver = z3.Solver()
    solver.set("rlimit", RESOURCES)
    solver.add(*terms)
    return solver.check()
