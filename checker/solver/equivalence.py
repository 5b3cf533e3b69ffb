"""Are expressions equal? Z3 says."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any

from podproof.checker.core.graph import UNBOUNDED, Expr, Op, topological
from podproof.checker.solver import GaveUp

_STEPS = 25_000
"""Z3's own steps in a millisecond. The limit counts steps, so that no answer depends on the machine's load."""


class Equivalence:
    """Questions whether expressions of one graph are equal; what is in several of them is translated once."""

    def __init__(self, milliseconds: int, widest: int = UNBOUNDED) -> None:
        """How long Z3 may think about one question, on a processor of its own.

        Where a number may be `widest`, all are integers: sums of wide ones are faster to decide than those of bits.
        """
        self._steps, self._widest = milliseconds * _STEPS, widest
        self._terms: dict[Any, Any] = {}
        self._ranges: dict[tuple[Expr, Any], list[Any]] = {}

    def always_equal(self, pairs: Iterable[tuple[Expr, Expr]], where: Expr) -> bool:
        """Has each pair one value in every state and for all parameters for which `where` holds?

        Variables range over what their declarations allow, whether reachable or not. False also when Z3 gives up.
        """
        try:
            return self.counterexample(pairs, where) is None
        except GaveUp:
            return False

    def counterexample(self, pairs: Iterable[tuple[Expr, Expr]], where: Expr) -> Mapping[Expr, int] | None:
        """Values of variables and parameters for which `where` holds and a pair differs. Raises GaveUp."""
        pairs = [(a, b) for a, b in pairs if a is not b]
        if not pairs or (where.is_const and not where.value):
            return None
        import z3

        from podproof.checker.solver.terms import Terms, between, symbol, value_of

        nodes = topological([where, *(node for pair in pairs for node in pair)])
        # Numbers are bit vectors wide enough that nothing overflows; where one is too wide they are all integers.
        most = max(max(abs(node.low), abs(node.high)) for node in nodes)
        sort = z3.IntSort() if most >= self._widest else z3.BitVecSort(1 + most.bit_length())
        if sort not in self._terms:
            self._terms[sort] = Terms(
                lambda _: sort, lambda leaf: symbol(f"{leaf.op.value} {leaf.value}", leaf.is_bool, sort)
            )
        of = functools.partial(self._terms[sort].of, sort=sort)
        solver = z3.SolverFor("QF_LIA" if most >= self._widest else "QF_BV")
        solver.set("rlimit", self._steps)
        leaves = [node for node in nodes if node.op in (Op.VAR, Op.PARAM)]
        for node in leaves:
            if not node.is_bool:
                if (node, sort) not in self._ranges:
                    self._ranges[node, sort] = [*between(of(node), node.low, node.high)]
                solver.add(*self._ranges[node, sort])
        solver.add(of(where), z3.Or([of(a) != of(b) for a, b in pairs]))
        answer = solver.check()
        if answer == z3.unknown:
            raise GaveUp(f"Z3 gave up ({solver.reason_unknown()})")
        if answer == z3.unsat:
            return None
        model = solver.model()
        return {node: value_of(model, of(node)) for node in leaves}
