"""Expressions that are plainly never true, though the graph did not see it: they need not be written out.

A claim about a step, applied to an action that leaves its variables alone, often says that a variable has two values.
"""

from __future__ import annotations

from collections.abc import Sequence

from podproof.checker.core.graph import Node, Op

_TRIES = 500
"""So many choices among alternatives are made before an expression is said to be possible."""

_Wanted = tuple[Node, bool]
"""A node and the value that it shall have."""
_Alternatives = tuple[tuple[_Wanted, ...], ...]


def is_never_true(node: Node) -> bool:
    """Does every alternative of this expression give one expression two values? A yes is certain, a no is not."""
    return _Search().contradict([(node, True)], {}, ())


class _Search:
    """Goes through the alternatives of an expression, those first of which few are left."""

    def __init__(self) -> None:
        self.left = _TRIES

    def contradict(self, wanted: Sequence[_Wanted], known: dict[Node, bool], open_: tuple[_Alternatives, ...]) -> bool:
        """Can these nodes not have the wanted values, with what is `known`, one of each alternatives that are open?"""
        known, pending, alternatives = dict(known), list(wanted), list(open_)
        while pending:
            node, value = pending.pop()
            if node in known or node.is_const:
                if known.get(node, bool(node.value)) is not value:
                    return True
                continue
            known[node] = value
            match node.op:
                case Op.NOT:
                    pending.append((node.args[0], not value))
                case Op.AND | Op.OR if (node.op is Op.AND) is value:
                    pending += ((part, value) for part in node.args)
                case Op.AND | Op.OR:
                    alternatives.append(tuple(((part, value),) for part in node.args))
                case Op.ITE:
                    condition, then, other = node.args
                    alternatives.append((((condition, True), (then, value)), ((condition, False), (other, value))))
                case Op.EQ if value and _has_another_value(node, known):
                    return True
        return self.all_contradict(known, alternatives)

    def all_contradict(self, known: dict[Node, bool], alternatives: list[_Alternatives]) -> bool:
        """The same where everything that has to be so is known."""
        possible = [tuple(one for one in among if _fits(one, known)) for among in alternatives]
        first = min(possible, key=len, default=None)
        self.left -= 1
        if first is None or self.left < 0:
            return False
        rest = tuple(among for among in possible if among is not first)
        return all(self.contradict(one, known, rest) for one in first)


def _fits(one: tuple[_Wanted, ...], known: dict[Node, bool]) -> bool:
    """May these nodes have the wanted values, as far as a look shows?"""
    return all(known.get(node, bool(node.value) if node.is_const else value) is value for node, value in one)


def _has_another_value(node: Node, known: dict[Node, bool]) -> bool:
    """Is what is here compared with a constant known to be equal to another constant?"""
    left, right = node.args
    return right.is_const and any(
        holds and other.op is Op.EQ and other is not node and other.args[0] is left and other.args[1].is_const
        for other, holds in known.items()
    )
