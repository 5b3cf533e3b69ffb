"""Expressions as text: a table over the operators, with no more parentheses than a reader needs."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from podproof.checker.core.graph import Node, Op
from podproof.checker.export.names import Kind, kind_of, refuse_wide

WIDTH = 118
_LOOSEST, _JUNCTION, _COMPARISON, _SUM, _ATOM = range(5)
_GLUE = "\0"
"""Stands for a space at which no line may end."""


@dataclass(frozen=True)
class Syntax:
    """How a language writes the operators; the templates take operands by position."""

    true: str
    false: str
    not_: str
    and_: str
    or_: str
    equal: str
    unequal: str
    ite: str
    ite_is_atom: bool
    """Does the conditional bring its own parentheses?"""


class Formulas:
    """Writes expressions of one transition or claim.

    `variable` gives the text of a variable by its path, `parameters` the identifier of each parameter, `named` that of
    a node which has a definition of its own.
    """

    def __init__(
        self,
        syntax: Syntax,
        variable: Callable[[str], str],
        kinds: Mapping[str, Kind],
        parameters: Mapping[str, str] | None = None,
        parameter_kinds: Mapping[str, Kind] | None = None,
        named: Mapping[Node, str] | None = None,
    ) -> None:
        self.syntax, self.variable, self.kinds = syntax, variable, kinds
        self.parameters, self.parameter_kinds = parameters or {}, parameter_kinds or {}
        self.named: dict[Node, str] = dict(named or {})

    def inside(self) -> Formulas:
        """The same for an inner scope: what is named there is unknown outside."""
        return Formulas(self.syntax, self.variable, self.kinds, self.parameters, self.parameter_kinds, named=self.named)

    def write(self, node: Node, kind: Kind | None = None, tightness: int = _LOOSEST) -> str:
        """The node's text; in parentheses when it binds less tightly than its place asks for."""
        if node in self.named:
            return self.named[node]
        text, own = self._operator(node, kind or {})
        return text if own >= tightness else f"({text})"

    def atom(self, node: Node, kind: Kind | None = None) -> str:
        """The node's text, fit to be an operand of anything."""
        return self.write(node, kind, _ATOM)

    def operand(self, node: Node) -> str:
        """The node's text, fit to be part of a conjunction or a disjunction."""
        return self.write(node, None, _COMPARISON)

    def condition(self, node: Node) -> str:
        """The node's text, fit to follow an IF."""
        return self.write(node, None, _JUNCTION)

    def conjunct(self, node: Node) -> str:
        """The node's text, fit to be part of a conjunction only."""
        return self.write(node, None, _JUNCTION if node.op is Op.AND else _COMPARISON)

    def right_side(self, node: Node, kind: Kind) -> str:
        """The node's text, fit to stand alone on the right of an equals sign."""
        stands_alone = node.op is Op.ITE and node not in self.named
        return self.write(node, kind, _LOOSEST if stands_alone else _SUM)

    def _operator(self, node: Node, kind: Kind) -> tuple[str, int]:
        if not node.is_bool:
            refuse_wide(node.low, node.high, node.line or node.value)
        match node.op:
            case Op.CONST:
                return self.constant(node, kind), _ATOM
            case Op.VAR:
                return self.variable(str(node.value)), _ATOM
            case Op.PARAM:
                return self.parameters[str(node.value)], _ATOM
            case Op.NOT:
                return self._negation(node.args[0])
            case Op.AND | Op.OR:
                word = self.syntax.and_ if node.op is Op.AND else self.syntax.or_
                return f"{_GLUE}{word} ".join(self.operand(part) for part in self._chain(node)), _JUNCTION
            case Op.EQ:
                return self._comparison(self.syntax.equal, node), _COMPARISON
            case Op.LT:
                # A constant reads better on the right.
                swapped = node.args[0].is_const
                return self._comparison(">" if swapped else "<", node, swapped), _COMPARISON
            case Op.ADD | Op.SUB:
                left, right = self.write(node.args[0], None, _SUM), self.atom(node.args[1])
                return f"{left}{_GLUE}{node.op.value}{_GLUE}{right}", _SUM
            case Op.ITE:
                condition, *values = node.args
                kind = kind or kind_of(node, self.kinds, self.parameter_kinds)
                parts = (self.condition(condition), *(self.write(value, kind, _COMPARISON) for value in values))
                return self.syntax.ite.format(*parts), _ATOM if self.syntax.ite_is_atom else _LOOSEST

    def _negation(self, node: Node) -> tuple[str, int]:
        if node not in self.named and node.op is Op.EQ:
            return self._comparison(self.syntax.unequal, node), _COMPARISON
        if node not in self.named and node.op is Op.LT:
            swapped = node.args[0].is_const
            return self._comparison("<=" if swapped else ">=", node, swapped), _COMPARISON
        return self.syntax.not_ + self.atom(node), _COMPARISON

    def _comparison(self, word: str, node: Node, swapped: bool = False) -> str:
        left, right = reversed(node.args) if swapped else node.args
        kind = kind_of(left, self.kinds, self.parameter_kinds) or kind_of(right, self.kinds, self.parameter_kinds)
        return f"{self.write(left, kind, _SUM)}{_GLUE}{word}{_GLUE}{self.write(right, kind, _SUM)}"

    def _chain(self, node: Node) -> list[Node]:
        """The parts of a conjunction or disjunction in their order, as far as they have no name."""
        parts: list[Node] = []
        pending = list(reversed(node.args))
        while pending:
            part = pending.pop()
            if part.op is node.op and part not in self.named:
                pending += reversed(part.args)
            else:
                parts.append(part)
        return parts

    def constant(self, node: Node, kind: Kind) -> str:
        if node.is_bool:
            return self.syntax.true if node.value else self.syntax.false
        return kind.get(int(node.value or 0), str(node.value))


def laid_out(head: str, text: str, tail: str = "", comment: str = "") -> str:
    """A line of an export, broken where it is too long; the parts that follow stand further in.

    Head and comment are not broken, and no line begins with a conjunction: in TLA+ that would be a list of its own.
    """
    indentation = len(head) - len(head.lstrip())
    lines = textwrap.wrap(
        head[indentation:].replace(" ", _GLUE) + text + tail + comment.replace(" ", _GLUE),
        max(WIDTH, indentation + 60),
        initial_indent=" " * indentation,
        subsequent_indent=" " * (indentation + 6),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines).replace(_GLUE, " ")
