"""Do two expressions always have the same value? Asked of Z3, over all values of the variables' ranges."""

from __future__ import annotations

from collections.abc import Iterable

import z3

from podproof.checker.core.graph import UNBOUNDED, Expr, Op, topological
from podproof.checker.solver.terms import Term, Terms, constant, symbol


class Equivalence:
    """Such questions about the expressions of one graph; what is in several of them is translated once."""

    def __init__(self, milliseconds: int) -> None:
        """How long Z3 may think about one question."""
        self._milliseconds = milliseconds
        self._translations: dict[z3.SortRef, _Translation] = {}

    def always_equal(self, pairs: Iterable[tuple[Expr, Expr]], where: Expr) -> bool:
        """Has each pair one value in every state and for all parameters for which `where` holds?

        Variables range over what their declarations allow, whether reachable or not. False also when Z3 gives up.
        """
        pairs = [(a, b) for a, b in pairs if a is not b]
        if not pairs or (where.is_const and not where.value):
            return True
        nodes = topological([where, *(node for pair in pairs for node in pair)])
        # Numbers are bit vectors wide enough that nothing overflows; where one has no bound they are all integers.
        most = max(max(abs(node.low), abs(node.high)) for node in nodes)
        sort = z3.IntSort() if most >= UNBOUNDED else z3.BitVecSort(1 + most.bit_length())
        if sort not in self._translations:
            self._translations[sort] = _Translation(sort)
        translation = self._translations[sort]
        solver = z3.SolverFor("QF_LIA" if most >= UNBOUNDED else "QF_BV")
        solver.set("timeout", self._milliseconds)
        of = translation.of
        solver.add(*(term for node in nodes if node.op in (Op.VAR, Op.PARAM) for term in translation.range_of(node)))
        solver.add(of(where), z3.Or([of(a) != of(b) for a, b in pairs]))
        return bool(solver.check() == z3.unsat)


class _Translation:
    """Expressions as terms in which every number has one sort."""

    def __init__(self, sort: z3.SortRef) -> None:
        self._sort = sort
        self._variables: dict[str, Term] = {}
        self._parameters: dict[Expr, Term] = {}
        self._ranges: dict[Expr, list[Term]] = {}
        self._terms = Terms(lambda _: sort, self._variables, self._parameters)

    def range_of(self, leaf: Expr) -> list[Term]:
        """What the declaration of a variable or parameter says. To be asked before it is met in an expression."""
        if leaf not in self._ranges:
            term = symbol(f"{leaf.op.value} {leaf.value}", leaf.is_bool, self._sort)
            if leaf.op is Op.VAR:
                self._variables[str(leaf.value)] = term
            else:
                self._parameters[leaf] = term
            self._terms.of(leaf)  # Another variable may have the same path, and another range.
            ends = [] if leaf.is_bool else [term >= constant(leaf.low, self._sort)]
            if not leaf.is_bool and leaf.high < UNBOUNDED:
                ends.append(term <= constant(leaf.high, self._sort))
            self._ranges[leaf] = ends
        return self._ranges[leaf]

    def of(self, node: Expr) -> Term:
        """The term of an expression."""
        return self._terms.of(node, self._sort)
