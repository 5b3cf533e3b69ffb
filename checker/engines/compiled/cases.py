"""Expressions under assumptions: what is left of them where a condition is known to hold, or not to.

A step's new values are conditionals that ask the same few questions again and again. Asking one of them first, with a
branch, leaves two sets of expressions that are together little larger than the one, and only one of them is computed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from podproof.checker.core.graph import Graph, Node, Op, topological

_WORTH_A_BRANCH = 24
"""A branch that the processor guesses wrong costs as much as so many operators."""
_GROWTH = 1.6
"""How much larger the expressions may become, all cases together."""


Ranges = Mapping[tuple[Op, str], tuple[int, int]]
"""The least and the greatest value of variables and parameters, where they may have fewer than their nodes say."""


def transplant(
    graph: Graph, roots: Sequence[Node], done: dict[Node, Node], ranges: Ranges = MappingProxyType({})
) -> list[Node]:
    """The same expressions made in `graph`, from which they may be taken further; `done` remembers what was made."""
    for node in topological(roots):
        if node not in done:
            leaf = _leaf(graph, node, ranges)
            done[node] = graph.rebuild(node, tuple(map(done.__getitem__, node.args))) if leaf is None else leaf
    return [done[root] for root in roots]


def _leaf(graph: Graph, node: Node, ranges: Ranges) -> Node | None:
    if node.op is Op.CONST:
        return graph.boolean(bool(node.value)) if node.is_bool else graph.integer(int(node.value or 0))
    if node.op not in (Op.VAR, Op.PARAM):
        return None
    name = str(node.value)
    low, high = ranges.get((node.op, name), (node.low, node.high))
    make = graph.variable if node.op is Op.VAR else graph.parameter
    return make(name, node.is_bool, max(low, node.low), min(high, node.high))


def conjuncts(node: Node, wanted: bool) -> Iterator[tuple[Node, bool]]:
    """What must hold, piece by piece, for `node` to have the value `wanted`."""
    pending = [(node, wanted)]
    while pending:
        node, wanted = pending.pop()
        if node.op is Op.NOT:
            pending.append((node.args[0], not wanted))
        elif node.op is (Op.AND if wanted else Op.OR):
            pending += [(part, wanted) for part in reversed(node.args)]
        elif not (node.is_const and bool(node.value) == wanted):
            yield node, wanted


def assume(graph: Graph, roots: Sequence[Node], facts: Iterable[tuple[Node, bool]]) -> list[Node]:
    """The same expressions where every fact, a node and its truth value, holds."""
    known: dict[Node, Node] = {}
    for fact, wanted in facts:
        for node, value in conjuncts(fact, wanted):
            known[node] = graph.boolean(value)
            if node.op is Op.EQ and value and node.args[1].is_const:
                known[node.args[0]] = node.args[1]
    done: dict[Node, Node] = {}
    for node in topological(roots):
        done[node] = known[node] if node in known else graph.rebuild(node, tuple(map(done.__getitem__, node.args)))
    return [done[root] for root in roots]


def consistent(graph: Graph, node: Node) -> Node:
    """The same condition, each of its parts simplified by what the others say; often they contradict each other."""
    parts = [*conjuncts(node, True)]
    for i, (part, wanted) in enumerate(parts):
        if part.args:
            (left,) = assume(graph, [part], [*parts[:i], *parts[i + 1 :]])
            if left.is_const and bool(left.value) is not wanted:
                return graph.false
            parts[i] = left, wanted
    return graph.and_(*(part if wanted else graph.not_(part) for part, wanted in parts))


def size(roots: Iterable[Node]) -> int:
    """How many operators there are to compute."""
    return sum(1 for node in topological(roots) if node.args)


def cases(graph: Graph, roots: Sequence[Node]) -> tuple[Node, list[Node], list[Node]] | None:
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
