"""Which sort of Z3 each integer of a system has.

Integers that meet (in a comparison, a sum, a choice or an assignment) must have one sort. Such a family is Z3's
unbounded Int when one of its variables or parameters has no upper bound, and a bit vector just wide enough otherwise;
`Numbers.INTEGERS` makes them all Int.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

import z3

from podproof.checker.core.graph import UNBOUNDED, Expr, Op, topological
from podproof.checker.core.system import AFTER, LoweredProperty, System


class Numbers(Enum):
    """What integers with a bounded range become."""

    BITS = "bit vectors"
    INTEGERS = "integers"


class Sorts:
    """The sorts of a system's integers, together with those of claims about it."""

    def __init__(self, system: System, properties: Iterable[LoweredProperty] = (), numbers: Numbers = Numbers.BITS):
        self.numbers = numbers
        self._parents: dict[object, object] = {}
        roots: list[Expr] = []
        for t in system.transitions:
            roots += [t.enabled, *t.updates.values(), *t.lines.values(), *t.bounds.values(), *t.faults.values()]
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
