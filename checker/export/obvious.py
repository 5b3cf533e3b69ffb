"""Expressions that are plainly never true, though the graph did not see it: they need not be written out.

A claim about a step, applied to an action that leaves its variables alone, often says that a variable has two values.
"""

from __future__ import annotations

from collections.abc import Iterator

from podproof.checker.graph import Node, Op


def is_never_true(node: Node) -> bool:
    """Does every alternative of this expression give one expression two values? A yes is certain, a no is not."""
    return _is_decided(node, True)


def _is_decided(node: Node, wanted: bool) -> bool:
    """Can the node plainly not have the wanted value?"""
    if node.is_const:
        return bool(node.value) is not wanted
    if node.op is Op.NOT:
        return _is_decided(node.args[0], not wanted)
    if (node.op is Op.AND) == wanted and node.op in (Op.AND, Op.OR):
        return _contradicts(node, wanted)
    if node.op in (Op.AND, Op.OR):
        return all(_is_decided(part, wanted) for part in node.args)
    return False


def _contradicts(node: Node, wanted: bool) -> bool:
    """Do the parts, all of which must have their values, contradict each other?"""
    values: dict[Node, bool] = {}
    constants: dict[Node, Node] = {}
    for part, value in _all_of(node, wanted):
        if values.setdefault(part, value) is not value or _is_decided(part, value):
            return True
        if part.op is Op.EQ and value and part.args[1].is_const:
            left, constant = part.args
            if constants.setdefault(left, constant) is not constant:
                return True
    return False


def _all_of(node: Node, wanted: bool) -> Iterator[tuple[Node, bool]]:
    """The parts that must all be true, or false, for the node to have the wanted value."""
    if node.op is Op.NOT:
        yield from _all_of(node.args[0], not wanted)
    elif node.op is (Op.AND if wanted else Op.OR):
        for part in node.args:
            yield from _all_of(part, wanted)
    else:
        yield node, wanted
