"""The text of one function in LLVM's language: a table over the operators of the expression graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from podproof.checker.core.graph import Expr, Op
from podproof.checker.core.system import CheckerError, TooWide
from podproof.checker.engines.compiled.layout import WORD_BITS, Field, Layout

_OPERATORS: Mapping[Op, str] = {
    Op.NOT: "xor i1 {0}, true",
    Op.AND: "and i1 {0}, {1}",
    Op.OR: "or i1 {0}, {1}",
    Op.EQ: "icmp eq {sort} {0}, {1}",
    Op.LT: "icmp slt {sort} {0}, {1}",
    Op.ADD: "add {sort} {0}, {1}",
    Op.SUB: "sub {sort} {0}, {1}",
    Op.ITE: "select i1 {0}, {sort} {1}, {sort} {2}",
}
_BITS = {"i64": 64, "i128": 128}
"""LLVM's types for integers, the narrowest first: words have 64 bits, and what is calculated may need more."""


def narrowest(low: int, high: int) -> str | None:
    """The type that has all integers from `low` to `high`, if there is one."""
    return next((s for s, bits in _BITS.items() if -(1 << bits - 1) <= low and high < 1 << bits - 1), None)


def sort_of(node: Expr, users: Iterable[Expr] = ()) -> str:
    """LLVM's type for the values of a node, which these others use. Raises TooWide where there is none."""
    sort = "i1" if node.is_bool else narrowest(node.low, node.high)
    if sort is None:
        place = next(filter(None, (user.line for user in (node, *users))), node.value or "an expression")
        raise TooWide(
            f"{place}: a number here may be anything from {node.low} to {node.high}, and compiled code calculates with "
            f"at most {_BITS['i128']} bits; use smaller numbers, or `podproof check --engine python`"
        )
    return sort


def lower_bits(value: int, sort: str) -> str:
    """A number of this type with the same lower bits."""
    half = 1 << _BITS[sort] - 1
    return str((value + half) % (2 * half) - half)


class Body:
    """The text of one function: every node is computed once, where it is first needed."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.lines: list[str] = []
        self.names: dict[Expr, str] = {}
        self.count = 0

    def say(self, text: str) -> None:
        self.lines.append("  " + text)

    def let(self, text: str) -> str:
        """A new value."""
        self.count += 1
        name = f"%v{self.count}"
        self.say(f"{name} = {text}")
        return name

    def load_words(self) -> None:
        for word in range(self.layout.words):
            self.say(f"%word{word}.at = getelementptr i64, ptr %state, i64 {word}")
            self.say(f"%word{word} = load i64, ptr %word{word}.at")

    def name(self, node: Expr) -> str:
        """A computed node or a constant, as an operand."""
        if node.is_const:
            return ("true" if node.value else "false") if node.is_bool else str(node.value)
        return self.names[node]

    def operand(self, node: Expr, sort: str) -> str:
        """A computed node or a constant as a value of this type; one that is too large for it loses its upper bits."""
        if node.is_const and not node.is_bool:
            return lower_bits(int(node.value or 0), sort)
        return self.converted(self.name(node), sort_of(node), sort)

    def converted(self, value: str, own: str, sort: str) -> str:
        if own == sort:
            return value
        return self.let(f"{'sext' if own == 'i64' else 'trunc'} {own} {value} to {sort}")

    def emit(self, roots: Iterable[Expr]) -> None:
        """Compute what these nodes need and the function does not have yet."""
        nodes = self.missing(roots)
        for node in nodes:
            self.names[node] = self.compute(node, (user for user in nodes if node in user.args))

    def missing(self, roots: Iterable[Expr]) -> list[Expr]:
        """The nodes still to be computed for these, arguments first."""
        seen: set[Expr] = set()
        pending = list(roots)
        while pending:
            node = pending.pop()
            if node not in seen and not node.is_const and node not in self.names:
                seen.add(node)
                pending += node.args
        return sorted(seen, key=lambda node: node.number)

    def compute(self, node: Expr, users: Iterable[Expr] = ()) -> str:
        if node.op is Op.VAR:
            return self.read(str(node.value), sort_of(node, users))
        if node.op is Op.PARAM:
            raise CheckerError(f"an expression reads {node.value!r}, which is no parameter of its action")
        # Numbers are compared as they are. Of a sum, a difference or a choice only the value must fit: its bits do not
        # depend on what its operands lose.
        sorts = [sort_of(a, [node]) for a in node.args]
        sort = max(sorts, key=len) if node.is_bool else sort_of(node)
        operands = [self.operand(a, "i1" if a.is_bool else sort) for a in node.args]
        return self.let(_OPERATORS[node.op].format(*operands, sort=sort))

    def read(self, path: str, sort: str) -> str:
        """A variable of this type, taken out of its word."""
        field = self.layout.fields.get(path)
        if field is None:
            raise CheckerError(f"{path} is read but not stored: the reduction that left it out is wrong")
        variable = field.variable
        if not field.bits:
            return ("true" if variable.low else "false") if variable.is_bool else str(variable.low)
        if variable.is_bool:
            return self.let(f"icmp ne i64 {self.let(f'and i64 %word{field.word}, {field.mask}')}, 0")
        value = self.distance(field)
        if sort != "i64":
            value = self.let(f"zext i64 {value} to {sort}")
        return self.let(f"add {sort} {value}, {variable.low}") if variable.low else value

    def distance(self, field: Field) -> str:
        """How far above its least value a variable is, as its word has it."""
        value = f"%word{field.word}"
        if field.shift:
            value = self.let(f"lshr i64 {value}, {field.shift}")
        return self.let(f"and i64 {value}, {(1 << field.bits) - 1}")

    def test(self, conditions: Sequence[tuple[Expr, bool]]) -> str:
        """Has each of these nodes the value that is wanted?"""
        self.emit(node for node, _ in conditions)
        return self.join("and", [self.name(n) if wanted else self.negated(n) for n, wanted in conditions])

    def negated(self, node: Expr) -> str:
        return self.let(f"xor i1 {self.name(node)}, true")

    def join(self, operator: str, values: Sequence[str]) -> str:
        out = values[0]
        for value in values[1:]:
            out = self.let(f"{operator} i1 {out}, {value}")
        return out

    def store(self, value: str, row: str, word: int) -> None:
        at = self.let(f"getelementptr i64, ptr {row}, i64 {word}")
        self.say(f"store i64 {value}, ptr {at}")

    def store_bits(self, bits: Sequence[str], row: str, first_word: int, more: Sequence[str] = ()) -> None:
        """Store truth values as bits of as many words as they need; `more` has words whose bits are set besides."""
        for start in range(0, len(bits), WORD_BITS):
            word = more[start // WORD_BITS] if more else "0"
            for shift, bit in enumerate(bits[start : start + WORD_BITS]):
                if bit != "false":
                    word = self.either(word, self.shifted(self.let(f"zext i1 {bit} to i64"), shift))
            self.store(word, row, first_word + start // WORD_BITS)

    def shifted(self, value: str, shift: int) -> str:
        return self.let(f"shl i64 {value}, {shift}") if shift else value

    def either(self, a: str, b: str) -> str:
        return b if a == "0" else self.let(f"or i64 {a}, {b}")
