"""What a step does in the form that exports start from, and which lines of the model do it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping

from podproof.checker.core.graph import Graph, Line, Node
from podproof.checker.core.system import LoweredProperty, Transition
from podproof.checker.export.plan import Item


def possible(graph: Graph, transition: Transition) -> Node:
    """When the step can be taken and no bound of the scenario cuts it off."""
    return graph.and_(transition.enabled, *(graph.not_(node) for node in transition.bounds.values()))


def assignments(transition: Transition, stored: Collection[str]) -> Iterator[Item]:
    """What the step gives to the variables that are stored, with the lines that do it."""
    for path, node in transition.updates.items():
        if path in stored:
            lines = _lines(transition.stores.get(path, ()))
            yield Item(path, node, line=lines.get(node, ""), lines=lines)


def _lines(stores: Iterable[tuple[Node, Line]]) -> Mapping[Node, str]:
    """The line that stores a value, unless several store the same: which of them was last is not known then."""
    found: dict[Node, set[Line]] = {}
    for node, line in stores:
        found.setdefault(node, set()).add(line)
    return {node: str(*lines) for node, lines in found.items() if len(lines) == 1}


def sources(transition: Transition, claims: Iterable[LoweredProperty] = ()) -> frozenset[Line]:
    """The lines of a step and of claims about it.

    An expression is made once in a graph, and knows the line that made it first, which may be of another action.
    """
    return frozenset(transition.source).union(*(p.source for p in claims))


def origin(node: Node, lines: Collection[Line]) -> str:
    """The line of an expression, if it is one of these."""
    return str(node.line) if node.line in lines else ""
