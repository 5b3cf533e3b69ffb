"""Questions to a solver under many assumptions, without the conversions that z3's Python layer does each time."""

from __future__ import annotations

from collections.abc import Iterable

import z3

from podproof.checker.solver.terms import Term


class GaveUp(Exception):
    """The solver did not answer; the message says why."""


class Assumptions:
    """Boolean constants that are assumed together, ready for the solver."""

    def __init__(self, names: Iterable[Term]) -> None:
        self.names = tuple(names)
        self.array = (z3.Ast * len(self.names))(*(name.as_ast() for name in self.names))


def check_assuming(solver: z3.Solver, assumptions: Assumptions) -> z3.CheckSatResult:
    """As `solver.check(*names)`."""
    answer = z3.Z3_solver_check_assumptions(solver.ctx.ref(), solver.solver, len(assumptions.names), assumptions.array)
    return z3.CheckSatResult(answer)
