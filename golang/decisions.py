"""Where a function goes one of two ways, and where they meet again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from podproof.golang.places import PlaceTranslation
from podproof.golang.syntax import field as part_of
from podproof.golang.syntax import text, unwrapped
from podproof.golang.terms import Act, KnownHere, Scope, Term

if TYPE_CHECKING:
    from tree_sitter import Node

Ways = tuple[list[Act], KnownHere | None]
"""Acts, and what is known after them; nothing where none comes after them."""
Way = Callable[[KnownHere], Ways]
"""What is done from some place on."""


class DecisionTranslation(PlaceTranslation):
    """The decisions of one text of a function."""

    def decide(self, node: Node, scope: Scope, state: KnownHere, then: Way, other: Way) -> Ways:
        """Go one of two ways. `&&` and `||` are decisions of their own; what is asked is never a negation."""
        node = unwrapped(node)
        if node.type == "unary_expression" and text(part_of(node, "operator")) == "!":
            return self.decide(part_of(node, "operand"), scope, state, other, then)
        if node.type == "binary_expression" and text(part_of(node, "operator")) in ("&&", "||"):
            right, known = part_of(node, "right"), self.known

            def both(s: KnownHere) -> Ways:
                self.known = known
                return self.decide(right, scope, s, then, other)

            ways = (both, other) if text(part_of(node, "operator")) == "&&" else (then, both)
            return self.decide(part_of(node, "left"), scope, state, *ways)
        out: list[Act] = []
        asked = self.value(node, scope, state, out)
        steps, end = self.decide_on(asked, line_of(node), state, then, other)
        return out + steps, end

    def decide_on(self, asked: Term, line: int, state: KnownHere, then: Way, other: Way) -> Ways:
        make, (sign, *parts) = self.terms.make, self.terms.parts[asked]
        if sign == "!":
            return self.decide_on(int(str(parts[0])), line, state, other, then)
        if sign == "either":
            condition, *ends = (int(str(part)) for part in parts)
            ways = [lambda s, end=end: self.decide_on(end, line, s, then, other) for end in ends]
            return self.decide_on(condition, line, state, *ways)
        known = {make("literal", "true"): True, make("literal", "false"): False} | state.facts
        if asked in known:
            return (then if known[asked] else other)(state)
        states = state.copy(), state.copy()
        states[0].facts[asked], states[1].facts[asked] = True, False
        (steps, end), (other_steps, other_end) = then(states[0]), other(states[1])
        found = [Act(("if", asked), line, (tuple(steps), tuple(other_steps)))]
        if end is None or other_end is None:
            return found, end or other_end
        return found if steps or other_steps else [], self.met(asked, end, other_end)

    def met(self, asked: Term, first: KnownHere, second: KnownHere) -> KnownHere:
        """What is known where two ways meet."""
        values = {
            number: self.either(asked, value, second.values[number])
            for number, value in first.values.items()
            if number in second.values
        }
        memory = first.memory if first.memory == second.memory else self.terms.make("after", self.next())
        facts = {term: is_so for term, is_so in first.facts.items() if second.facts.get(term) is is_so}
        return KnownHere(values, memory, facts, first.checked & second.checked)


def line_of(node: Node) -> int:
    return int(node.start_point[0]) + 1
