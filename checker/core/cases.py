"""Expressions under assumptions: what is left of them where a condition is known to hold, or not to.

A step's new values are conditionals that ask the same few questions again and again. Asking one of them first, with a
branch, leaves two sets of expressions that are together little larger than the one, and only one of them is computed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from podproof.checker.core.graph import Expr, Graph, Op, assume, literals, topological

_WORTH_A_BRANCH = 24
"""A branch that the processor guesses wrong costs as much as so many operators."""
_GROWTH = 1.6
"""How much larger the expressions may become, all cases together."""


def consistent(graph: Graph, node: Expr) -> Expr:
    """The same condition, each of its parts simplified by what the others say; often they contradict each other."""
    parts = [*literals(node)]
    for i, (part, wanted) in enumerate(parts):
        if part.args:
            (left,) = assume(graph, [part], [*parts[:i], *parts[i + 1 :]])
            if left.is_const and bool(left.value) is not wanted:
                return graph.false
            parts[i] = left, wanted
    return graph.and_(*(part if wanted else graph.not_(part) for part, wanted in parts))


def size(roots: Iterable[Expr]) -> int:
    """How many operators there are to compute."""
    return sum(1 for node in topological(roots) if node.args)


def cases(graph: Graph, roots: Sequence[Expr]) -> tuple[Expr, list[Expr], list[Expr]] | None:
    """A condition worth a branch, with what is left of the expressions where it holds and where it does not."""
    nodes = topological(roots)
    whole = sum(1 for node in nodes if node.args)
    if whole <= _WORTH_A_BRANCH:
        return None
    asked = Counter(node.args[0] for node in nodes if node.op is Op.ITE)
    if not asked:
        return None
    condition = min(asked, key=lambda node: (-asked[node], node.number))
    then, other = (assume(graph, roots, [(condition, value)]) for value in (True, False))
    total = size(then) + size(other)
    if total / 2 + _WORTH_A_BRANCH > whole or total > _GROWTH * whole:
        return None
    return condition, then, other
