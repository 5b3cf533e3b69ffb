"""The text of one function in LLVM's language: a table over the operators of the expression graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from podproof.checker.compiled.layout import WORD_BITS, Layout
from podproof.checker.graph import Node, Op
from podproof.checker.system import CheckerError

_OPERATORS: Mapping[Op, str] = {
    Op.NOT: "xor i1 {0}, true",
    Op.AND: "and i1 {0}, {1}",
    Op.OR: "or i1 {0}, {1}",
    Op.EQ: "icmp eq {sort} {0}, {1}",
    Op.LT: "icmp slt i64 {0}, {1}",
    Op.ADD: "add i64 {0}, {1}",
    Op.SUB: "sub i64 {0}, {1}",
    Op.ITE: "select i1 {0}, {sort} {1}, {sort} {2}",
}


class Body:
    """The text of one function: every node is computed once, where it is first needed."""

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self.lines: list[str] = []
        self.names: dict[Node, str] = {}
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

    def name(self, node: Node) -> str:
        """A computed node or a constant, as an operand."""
        if node.is_const:
            return ("true" if node.value else "false") if node.is_bool else str(node.value)
        return self.names[node]

    def emit(self, roots: Iterable[Node]) -> None:
        """Compute what these nodes need and the function does not have yet."""
        for node in self.missing(roots):
            self.names[node] = self.compute(node)

    def missing(self, roots: Iterable[Node]) -> list[Node]:
        """The nodes still to be computed for these, arguments first."""
        seen: set[Node] = set()
        pending = list(roots)
        while pending:
            node = pending.pop()
            if node not in seen and not node.is_const and node not in self.names:
                seen.add(node)
                pending += node.args
        return sorted(seen, key=lambda node: node.number)

    def compute(self, node: Node) -> str:
        if node.op is Op.VAR:
            return self.read(str(node.value))
        if node.op is Op.PARAM:
            raise CheckerError(f"an expression reads {node.value!r}, which is no parameter of its action")
        operands = [self.name(a) for a in node.args]
        sort = "i1" if node.args[-1].is_bool else "i64"
        return self.let(_OPERATORS[node.op].format(*operands, sort=sort))

    def read(self, path: str) -> str:
        """A variable, taken out of its word."""
        field = self.layout.fields.get(path)
        if field is None:
            raise CheckerError(f"{path} is read but not stored: the reduction that left it out is wrong")
        variable, value = field.variable, f"%word{field.word}"
        if not field.bits:
            return ("true" if variable.low else "false") if variable.is_bool else str(variable.low)
        if variable.is_bool:
            return self.let(f"icmp ne i64 {self.let(f'and i64 {value}, {field.mask}')}, 0")
        if field.shift:
            value = self.let(f"lshr i64 {value}, {field.shift}")
        value = self.let(f"and i64 {value}, {(1 << field.bits) - 1}")
        return self.let(f"add i64 {value}, {variable.low}") if variable.low else value

    def test(self, conditions: Sequence[tuple[Node, bool]]) -> str:
        """Has each of these nodes the value that is wanted?"""
        self.emit(node for node, _ in conditions)
        return self.join("and", [self.name(n) if wanted else self.negated(n) for n, wanted in conditions])

    def negated(self, node: Node) -> str:
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
