"""Do two expressions always have the same value? Asked of Z3, over all values of the variables' ranges."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import z3

from podproof.checker.graph import Node, Op, topological

_CONTEXT_FREE: Mapping[Op, Callable[..., Any]] = {
    Op.NOT: z3.Not,
    Op.AND: z3.And,
    Op.OR: z3.Or,
    Op.EQ: lambda a, b: a == b,
    Op.LT: lambda a, b: a < b,
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.ITE: z3.If,
}


def always_equal(pairs: Sequence[tuple[Node, Node]], where: Node, milliseconds: int) -> bool:
    """Has each pair one value in every state and for all parameters for which `where` holds?

    Variables range over what their declarations allow, whether reachable or not. False also when Z3 gives up.
    """
    pairs = [(a, b) for a, b in pairs if a is not b]
    if not pairs or (where.is_const and not where.value):
        return True
    nodes = topological([where, *(node for pair in pairs for node in pair)])
    bits = 1 + max(max(abs(node.low), abs(node.high)).bit_length() for node in nodes)
    terms: dict[Node, Any] = {}
    solver = z3.SolverFor("QF_BV")
    solver.set("timeout", milliseconds)
    for node in nodes:
        terms[node] = _term(node, [terms[a] for a in node.args], bits)
        if not node.is_bool and node.op in (Op.VAR, Op.PARAM):
            solver.add(node.low <= terms[node], terms[node] <= node.high)
    solver.add(terms[where], z3.Or([terms[a] != terms[b] for a, b in pairs]))
    return bool(solver.check() == z3.unsat)


def _term(node: Node, args: Iterable[Any], bits: int) -> Any:
    """A node as a Z3 expression; numbers are bit vectors wide enough that nothing overflows."""
    match node.op:
        case Op.CONST:
            return z3.BoolVal(bool(node.value)) if node.is_bool else z3.BitVecVal(int(node.value or 0), bits)
        case Op.VAR | Op.PARAM:
            name = f"{node.op.value} {node.value}"
            return z3.Bool(name) if node.is_bool else z3.BitVec(name, bits)
        case _:
            return _CONTEXT_FREE[node.op](*args)
