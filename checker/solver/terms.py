"""The graph as Z3 reads it: terms by a table over the operators, and the sorts of integers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from typing import Any

import z3

from podproof.checker.core.graph import UNBOUNDED, Expr, Op, topological
from podproof.checker.core.system import AFTER, LoweredProperty, System

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


def between(term: Term, low: int, high: int) -> Iterator[Term]:
    """That a number is in a range, which may have no greatest one."""
    yield term >= constant(low, term.sort())
    if high < UNBOUNDED:
        yield term <= constant(high, term.sort())


def value_of(model: z3.ModelRef, term: Term) -> int:
    """The value of a term in a model, as states hold it; what the model leaves open is chosen by Z3."""
    value = model.eval(term, model_completion=True)
    if z3.is_bool(value):
        return int(z3.is_true(value))
    return int(value.as_signed_long() if z3.is_bv_value(value) else value.as_long())


class Terms:
    """Translates nodes, each once."""

    def __init__(self, sort_of: Callable[[Expr], z3.SortRef], leaf: Callable[[Expr], Term]) -> None:
        """`sort_of` says the sort of a node's integers, as `Sorts.of` does, and `leaf` the term of a VAR or PARAM."""
        self.sort_of, self.leaf = sort_of, leaf
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
        if node.op in (Op.VAR, Op.PARAM):
            return self.leaf(node)
        sort = self.sort_of(node) if any(not a.is_bool for a in node.args) else None
        args = (constant(a.low, sort) if a.is_const and not a.is_bool else self._made[a] for a in node.args)
        return _OPERATORS[node.op](*args)


# -- sorts -------------------------------------------------------------------------------------------------------------
#
# Integers that meet (in a comparison, a sum, a choice or an assignment) must have one sort. Such a family is Z3's
# unbounded Int when one of its variables or parameters has no upper bound, and a bit vector just wide enough otherwise;
# `Numbers.INTEGERS` makes them all Int.


class Numbers(Enum):
    """What integers with a bounded range become."""

    BITS = "bit vectors"
    INTEGERS = "integers"


class Sorts:
    """The sorts of a system's integers, together with those of claims about it."""

    def __init__(self, system: System, properties: Iterable[LoweredProperty] = (), numbers: Numbers = Numbers.BITS):
        self.numbers = numbers
        self._parents: dict[object, object] = {}
        roots = [node for t in system.transitions for node in t.nodes()]
        for p in properties:
            roots += [p.state] if p.state is not None else list(p.steps or ())
        nodes = topological(roots)
        for node in nodes:
            self._unite_arguments(node)
        for t in system.transitions:
            for path, update in t.updates.items():
                self._unite(path, update)
        self._sorts = self._choose(system, nodes)

    def _unite_arguments(self, node: Expr) -> None:
        if node.op is Op.VAR and not node.is_bool:
            self._unite(node, str(node.value).removeprefix(AFTER))
        if node.op in (Op.EQ, Op.LT):
            self._unite(*node.args)
        elif node.op in (Op.ADD, Op.SUB, Op.ITE) and not node.is_bool:
            for argument in node.args[-2:]:
                self._unite(node, argument)

    def _find(self, item: object) -> object:
        while (parent := self._parents.get(item, item)) is not item:
            item = parent
        return item

    def _unite(self, a: object, b: object) -> None:
        """Equal constants are one node wherever they stand, so they tie nothing together."""
        if not any(isinstance(x, Expr) and (x.is_const or x.is_bool) for x in (a, b)):
            self._parents[self._find(a)] = self._find(b)

    def _choose(self, system: System, nodes: Iterable[Expr]) -> dict[object, z3.SortRef]:
        lows: dict[object, int] = {}
        highs: dict[object, int] = {}

        def widen(item: object, low: int, high: int) -> None:
            family = self._find(item)
            lows[family] = min(low, lows.get(family, low))
            highs[family] = max(high, highs.get(family, high))

        for variable in system.variables:
            if not variable.is_bool:
                widen(variable.path, variable.low, variable.high)
        for t in system.transitions:
            for path, update in t.updates.items():
                if not update.is_bool:
                    widen(path, update.low, update.high)
        for node in nodes:
            if not node.is_bool:
                widen(node, node.low, node.high)
            for argument in node.args:
                if argument.is_const and not argument.is_bool and not node.is_bool:
                    widen(node, argument.low, argument.high)
            if node.op in (Op.EQ, Op.LT):
                for argument in node.args:
                    widen(_number(node), argument.low, argument.high)
        return {family: self._sort(lows[family], highs[family]) for family in lows}

    def _sort(self, low: int, high: int) -> z3.SortRef:
        if self.numbers is Numbers.INTEGERS or high >= UNBOUNDED or low <= -UNBOUNDED:
            return z3.IntSort()
        return z3.BitVecSort(1 + max(high, -1 - low).bit_length())

    def of_variable(self, path: str) -> z3.SortRef:
        """The sort of an integer variable, before and after a step."""
        return self._sorts[self._find(path)]

    def of(self, node: Expr) -> z3.SortRef:
        """The sort of an integer node that is no constant, or of the two sides of a comparison."""
        return self._sorts[self._find(_number(node) if node.is_bool else node)]


def _number(comparison: Expr) -> Expr:
    """A side of a comparison that is no constant."""
    left, right = comparison.args
    return right if left.is_const else left
