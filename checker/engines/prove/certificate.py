"""A proof as an inductive invariant, and the three questions to a plain solver that make it one.

The invariant is the conjunction of the ranges of all variables and of lemmas. It has to hold in every initial state, be
kept by every move, and exclude what the claim forbids. Each question is satisfiable only if that fails.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sysconfig
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from importlib import metadata
from pathlib import Path

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
        if self.claim.state is not None:
            forbidden = z3.Not(r.holds(self.claim))
        else:
            forbidden = any_of(violation(self.relation, self.claim, m) for m in self.relation.moves)
        return {
            "init": [r.initial(), z3.Not(z3.And(invariant))],
            "step": [*invariant, moves, z3.Not(z3.And(kept))],
            "property": [*invariant, forbidden],
        }

    def refutation(self) -> str | None:
        """Which question was not answered with `unsat`, and how; None when the proof stands."""
        for name, terms in self.questions.items():
            if (answer := _ask(terms)) != z3.unsat:
                return f"the check `{name}` of its invariant was answered with {answer}"
        return None

    def is_inductive(self) -> bool:
        """Is it an invariant, whatever it says about the claim?"""
        questions = self.questions
        return all(_ask(questions[name]) == z3.unsat for name in ("init", "step"))

    def minimise(self) -> Certificate:
        """With fewer lemmas: without any one of them the proof would not stand."""
        needed = list(self.lemmas)
        step, end = self._guarded_solver("step"), self._guarded_solver("property")
        for lemma in reversed(self.lemmas):
            fewer = [other for other in needed if other is not lemma]
            chosen = [_name(i) if own in fewer else z3.Not(_name(i)) for i, own in enumerate(self.lemmas)]
            if all(solver.check(*chosen) == z3.unsat for solver in (end, step)):
                needed = fewer
        return replace(self, lemmas=tuple(needed))

    def _guarded_solver(self, question: str) -> z3.Solver:
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
        return {name: script_of(terms) for name, terms in self.questions.items()}


def script_of(terms: Sequence[Term]) -> str:
    """A question in SMT-LIB 2."""
    solver = z3.Solver()
    solver.add(*terms)
    script = [line for line in solver.to_smt2().splitlines() if not line.startswith(("; ", "(set-info"))]
    return "\n".join(["(set-logic QF_LIA)", *script, ""])


def _name(number: int) -> Term:
    """Says in a guarded question that a lemma is part of the invariant."""
    return z3.Bool(f"lemma {number}")


def _ask(terms: Sequence[Term]) -> z3.CheckSatResult:
    """The answer of a new solver with default settings, which knows nothing else."""
    solver = z3.Solver()
    solver.set("rlimit", RESOURCES)
    solver.add(*terms)
    return solver.check()


# -- a solver that others wrote answers the questions once more --------------------------------------------------------


ANSWERS = ("sat", "unsat", "unknown")
GRACE = 5.0
"""Seconds that a program gets beyond its time before it is stopped from outside."""


@dataclass(frozen=True)
class SecondSolver:
    """A solver that is installed."""

    name: str
    """With its version: `Yices 2.6.5`."""
    is_quick: bool
    """Does it need so little of a proof's time that it is asked without being asked for?"""
    ask: Callable[[str, float], str]
    """What it answers to a script within so many seconds: sat, unsat, unknown, or why there is no answer."""


def second_solver() -> SecondSolver | None:
    """The quickest one that is installed."""
    return (
        _program("Yices", "yices-smt2", "--timeout={}", 1, True)
        or _cvc5()
        or _program("cvc5", "cvc5", "--tlimit-per={}", 1000, False)
    )


def _program(name: str, command: str, option: str, per_second: int, is_quick: bool) -> SecondSolver | None:
    """A program on PATH, or beside the Python that runs. `option` takes its time, in parts of a second."""
    path = shutil.which(command) or shutil.which(command, path=sysconfig.get_path("scripts"))
    if path is None:
        return None
    version = re.search(r"\d+(\.\d+)+", _output([path, "--version"], 10.0))
    if version is None:
        return None  # It does not run.

    def ask(script: str, seconds: float) -> str:
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "question.smt2")
            file.write_text(script, encoding="utf-8")
            limit = option.format(max(1, round(seconds * per_second)))
            return _answer(_output([path, limit, str(file)], seconds + GRACE))

    return SecondSolver(f"{name} {version[0]}", is_quick, ask)


def _output(command: list[str], seconds: float) -> str:
    try:
        done = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=seconds
        )
    except subprocess.TimeoutExpired:
        return "it took too long"
    except OSError as error:
        return f"it cannot be run ({error.strerror})"
    return done.stdout or done.stderr or f"it ended without an answer (exit code {done.returncode})"


def _cvc5() -> SecondSolver | None:
    """The Python package."""
    try:
        version = metadata.version("cvc5")
    except metadata.PackageNotFoundError:
        return None

    def ask(script: str, seconds: float) -> str:
        import cvc5  # It takes a while to load.

        solver = cvc5.Solver(cvc5.TermManager())
        solver.setOption("tlimit-per", str(max(1, round(seconds * 1000))))
        parser = cvc5.InputParser(solver)
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, script, "question")
        symbols, said = parser.getSymbolManager(), ""
        while not (command := parser.nextCommand()).isNull():
            said += str(command.invoke(solver, symbols))
        return _answer(said)

    return SecondSolver(f"cvc5 {version}", False, ask)


def _answer(said: str) -> str:
    """The answer, or the first line of what was said instead: an answer after an error counts for nothing."""
    return said.strip() if said.strip() in ANSWERS else said.strip().partition("\n")[0]
