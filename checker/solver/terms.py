"""The graph as Z3 terms: a table over the operators, and nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import z3

from podproof.checker.core.graph import Expr, Op, topological


class GaveUp(Exception):
    """The solver did not answer; the message says why."""


Term = Any
"""A z3.ExprRef; z3-solver has no types that say more."""

_OPERATORS: Mapping[Op, Callable[..., Term]] = {
    Op.NOT: z3.Not,
    Op.AND: z3.And,
    Op.OR: z3.Or,
    Op.EQ: lambda a, b: a == b,
    Op.LT: lambda a, b: a < b,
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.ITE: z3.If,
}


def constant(value: int, sort: z3.SortRef) -> Term:
    """A value of this sort. Raises ValueError where a bit vector has no room for it: Z3 would cut it off."""
    if sort == z3.BoolSort():
        return z3.BoolVal(bool(value))
    if sort == z3.IntSort():
        return z3.IntVal(value)
    if not -(1 << sort.size() - 1) <= value < 1 << sort.size() - 1:
        raise ValueError(f"{value} does not fit {sort.size()} bits")
    return z3.BitVecVal(value, sort)


def symbol(name: str, is_bool: bool, sort: z3.SortRef | None) -> Term:
    """A Z3 constant (what others call a variable) of this name."""
    return z3.Bool(name) if is_bool else z3.Const(name, sort)


def all_of(terms: Iterable[Term]) -> Term:
    """Their conjunction; Z3's own of nothing at all cannot be written to a script."""
    parts = list(terms)
    return z3.And(parts) if parts else z3.BoolVal(True)


def any_of(terms: Iterable[Term]) -> Term:
    """Their disjunction."""
    parts = list(terms)
    return z3.Or(parts) if parts else z3.BoolVal(False)


def value_of(model: z3.ModelRef, term: Term) -> int:
    """The value of a term in a model, as states hold it; what the model leaves open is chosen by Z3."""
    value = model.eval(term, model_completion=True)
    if z3.is_bool(value):
        return int(z3.is_true(value))
    return int(value.as_signed_long() if z3.is_bv_value(value) else value.as_long())


class Terms:
    """Translates nodes, each once. `symbols` has a term for each VAR path and PARAM node, and is asked for no other."""

    def __init__(
        self, sort_of: Callable[[Expr], z3.SortRef], variables: Mapping[str, Term], parameters: Mapping[Expr, Term]
    ) -> None:
        """`sort_of` says the sort of a node's integers, as `Sorts.of` does."""
        self.sort_of, self.variables, self.parameters = sort_of, variables, parameters
        self._made: dict[Expr, Term] = {}

    def of(self, node: Expr, sort: z3.SortRef | None = None) -> Term:
        """The term of a node; `sort` is needed for an integer that may be a constant."""
        if node.is_const and not node.is_bool:
            assert sort is not None
            return constant(node.low, sort)
        for below in topological([node]):
            if below not in self._made and not (below.is_const and not below.is_bool):
                self._made[below] = self._make(below)
        return self._made[node]

    def _make(self, node: Expr) -> Term:
        if node.op is Op.CONST:
            return z3.BoolVal(bool(node.value))
        if node.op is Op.VAR:
            return self.variables[str(node.value)]
        if node.op is Op.PARAM:
            return self.parameters[node]
        sort = self.sort_of(node) if any(not a.is_bool for a in node.args) else None
        args = (constant(a.low, sort) if a.is_const and not a.is_bool else self._made[a] for a in node.args)
        return _OPERATORS[node.op](*args)
