"""What is written: expressions in whatever language, texts that nothing obeys, and places in a source."""

from __future__ import annotations

import functools
import linecache
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from podproof.checker.core.graph import Expr, Op, operands

BINDING: Mapping[Op, int] = {
    **dict.fromkeys(Op, 6),
    Op.ITE: 0,
    Op.OR: 1,
    Op.AND: 2,
    Op.NOT: 3,
    Op.EQ: 4,
    Op.LT: 4,
    Op.ADD: 5,
    Op.SUB: 5,
}
ATOM = max(BINDING.values())

Show = Callable[[int], str]
"""The text of a number."""


@dataclass(frozen=True)
class Syntax:
    """How a language writes the operators."""

    true: str
    false: str
    not_: str
    and_: str
    or_: str
    equal: str
    unequal: str
    ite: str
    """Condition, value and other value, by position."""
    ite_parts: tuple[int, int, int]
    """How tightly each of these has to bind."""
    ite_is_atom: bool = False
    """Does the conditional bring its own parentheses?"""
    is_ranked: bool = False
    """Does everybody know that a conjunction binds more tightly than a disjunction?"""
    turns: bool = True
    """Is `0 < x` written as `x > 0`?"""


class Printer:
    """Writes expressions of one system.

    `leaf` gives the text of a variable or parameter, `values` how numbers read that are compared with it or stored in
    it, None where they are just numbers; `names` has the names of expressions that have a definition of their own.
    """

    def __init__(
        self,
        syntax: Syntax,
        leaf: Callable[[Expr], str],
        values: Callable[[Expr], Show | None],
        names: Mapping[Expr, str] | None = None,
    ) -> None:
        self.syntax, self.leaf, self.values, self.names = syntax, leaf, values, dict(names or {})

    def text(self, node: Expr, needs: int = 0, show: Show | None = None) -> str:
        """The node's text, in parentheses where it binds less tightly than its place needs."""
        if node in self.names:
            return self.names[node]
        text, binding = self._operator(node, show)
        return text if binding >= needs else f"({text})"

    def _operator(self, node: Expr, show: Show | None) -> tuple[str, int]:
        syntax, binding = self.syntax, BINDING[node.op]
        match node.op:
            case Op.CONST:
                value = int(node.value or 0)
                return self.boolean(value) if node.is_bool else (show or str)(value), ATOM
            case Op.VAR | Op.PARAM:
                return self.leaf(node), ATOM
            case Op.NOT:
                (negated,) = node.args
                if negated.op in (Op.EQ, Op.LT) and negated not in self.names:
                    return self._comparison(negated, is_negated=True), BINDING[negated.op]
                return syntax.not_ + self.text(negated, ATOM), binding
            case Op.AND | Op.OR:
                word = syntax.and_ if node.op is Op.AND else syntax.or_
                needs = binding if syntax.is_ranked else BINDING[Op.NOT]
                return f" {word} ".join(self.text(part, needs) for part in operands(node.op, node, self.names)), binding
            case Op.EQ | Op.LT:
                return self._comparison(node), binding
            case Op.ADD | Op.SUB:
                left, right = node.args
                last = self.text(right, binding + (node.op is Op.SUB))  # Behind a plus, parentheses change nothing.
                return f"{self.text(left, binding)} {node.op.value} {last}", binding
            case Op.ITE:
                show = show or self.show_of(node)
                parts = (self.text(part, needs, show) for part, needs in zip(node.args, syntax.ite_parts, strict=True))
                return syntax.ite.format(*parts), ATOM if syntax.ite_is_atom else binding

    def boolean(self, value: int) -> str:
        return self.syntax.true if value else self.syntax.false

    def _comparison(self, node: Expr, is_negated: bool = False) -> str:
        left, right = node.args
        word = (self.syntax.equal, self.syntax.unequal) if node.op is Op.EQ else ("<", ">=")
        if node.op is Op.LT and left.is_const and self.syntax.turns:
            left, right, word = right, left, (">", "<=")
        show = self.show_of(left) or self.show_of(right)
        needs = BINDING[node.op] + 1
        return f"{self.text(left, needs, show)} {word[is_negated]} {self.text(right, needs, show)}"

    def show_of(self, node: Expr) -> Show | None:
        """How the node's values read, guessed from the variables and parameters that it may be."""
        pending, seen = [node], set[Expr]()
        while pending:
            item = pending.pop()
            if item in seen:
                continue
            seen.add(item)
            if item.op in (Op.VAR, Op.PARAM):
                return self.values(item)
            pending += item.args[1:] if item.op is Op.ITE else ()
        return None


# -- texts: what a file says is shown and never obeyed, by a terminal, a build service, a browser or a parser ----------
#
# Every text that leaves podproof goes through `visible`, line by line, where it is written: in `reports.layout` for
# people, in each format's own module for the others.


_TO_LOOK_AT = re.compile(r"[^ -~]|^ *:(?=:)|#(?=#\w*\[)")
"""Letters that may be no letters to a reader, and with what a build service has its commands begin."""
_BLANK = re.compile("[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]")
"""Letters that show nothing, although Unicode says that they can be printed."""


def visible(line: str) -> str:
    """One line of text, whoever wrote it, with everything as its code that could be obeyed instead of read.

    That is what cannot be seen, such as `\\n`, `\\x1b` and `\\u202e`, and the first sign of `::error` and `##[error]`.
    """
    return encode_unseen(line, _code)


def encode_unseen(line: str, code: Callable[[str], str]) -> str:
    """The same with the codes of another language."""

    def encode(found: re.Match[str]) -> str:
        before, letter = found[0][:-1], found[0][-1]
        is_seen = letter > "~" and letter.isprintable() and not _BLANK.match(letter)
        return letter if is_seen else before + code(letter)

    return _TO_LOOK_AT.sub(encode, line)


def _code(letter: str) -> str:
    code = letter.encode("unicode_escape", "surrogatepass").decode("ascii")
    return code if code != letter else f"\\x{ord(letter):02x}"


def number_of(number: int, noun: str) -> str:
    """`1 step`, `2 steps`, `68,123 states`."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


PROJECT = Path(__file__).resolve().parents[2]
"""The folder with podproof's own rooms."""


@functools.cache
def short_path(file: str) -> str:
    """A path as people write it: below the project or the working directory, else the file's own name."""
    path = Path(file).resolve()
    for base in (PROJECT, Path.cwd()):
        if path.is_relative_to(base):
            return visible(str(path.relative_to(base)))
    return visible(path.name)


TRANSLATED = " (translated)"
"""End of the name of a source that was translated; each of its lines ends with the place that it comes from."""


ORIGIN = re.compile(r"  # (?:\w+ )?(.+):(\d+)$", re.MULTILINE)
"""A place: its file and line."""


@functools.cache
def place_of(file: str, number: int) -> tuple[str, int]:
    """A line of a source as people write it: the file, and the line; for a translation those of the original."""
    if file.endswith(TRANSLATED):
        found = ORIGIN.search(linecache.getline(file, number).rstrip())
        if found is not None:
            return found[1], int(found[2])
    return short_path(file), number
