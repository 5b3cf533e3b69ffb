"""Do two expressions always have the same value? Asked of Z3, over all values of the variables' ranges."""

from __future__ import annotations

from collections.abc import Sequence

import z3

from podproof.checker.graph import UNBOUNDED, Node, Op, topological
from podproof.checker.smt.sorts import OneSort
from podproof.checker.smt.terms import Terms, constant, symbol


def always_equal(pairs: Sequence[tuple[Node, Node]], where: Node, milliseconds: int) -> bool:
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
    leaves = {n: symbol(f"{n.op.value} {n.value}", n.is_bool, sort) for n in nodes if n.op in (Op.VAR, Op.PARAM)}
    terms = Terms(OneSort(sort), {str(n.value): term for n, term in leaves.items() if n.op is Op.VAR}, leaves)
    solver = z3.SolverFor("QF_LIA" if most >= UNBOUNDED else "QF_BV")
    solver.set("timeout", milliseconds)
    for leaf, term in leaves.items():
        if not leaf.is_bool:
            solver.add(term >= constant(leaf.low, sort))
            if leaf.high < UNBOUNDED:
                solver.add(term <= constant(leaf.high, sort))
    of = terms.of
    solver.add(of(where), z3.Or([of(a, sort) != of(b, sort) for a, b in pairs]))
    return bool(solver.check() == z3.unsat)
