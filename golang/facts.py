"""What a condition says that holds: of pointers that they are not nil, of values which constant they are."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from podproof.golang.syntax import field, root_of, text, unwrapped
from podproof.golang.unseen import UnseenTranslation
from podproof.golang.values import Meaning
from podproof.model.state import Phase, UpdateType, WorkType

if TYPE_CHECKING:
    from tree_sitter import Node

_ENUMERATIONS = {
    kind: tuple(f"{enumeration.__name__}.{member.name}" for member in enumeration)
    for kind, enumeration in (("work_type", WorkType), ("update_type", UpdateType), ("phase", Phase))
}
"""Kind of enumeration -> its members."""


class FactTranslation(UnseenTranslation):
    """Adds what is known where the translation stands."""

    def all_facts(self) -> tuple[dict[str, Any], ...]:
        return self.flow.known, self.flow.bound, self.flow.excluded

    def facts_below(self, key: str) -> tuple[dict[str, Any], ...]:
        """What is known of the fields of a struct, without its name."""
        return tuple(
            {path.removeprefix(key): fact for path, fact in facts.items() if path.startswith(f"{key}.")}
            for facts in self.all_facts()
        )

    def learn_below(self, key: str, known: tuple[dict[str, Any], ...]) -> None:
        """What is known of the fields of a struct that has another name here."""
        for facts, found in zip(self.all_facts(), known, strict=False):
            facts.update({f"{key}{path}": fact for path, fact in found.items()})

    def renamed(self, value: Meaning, key: str) -> Meaning:
        """A value under another name of the Go."""
        fields = {name: replace(part, key=f"{key}.{name}") for name, part in value.fields.items()}
        return replace(value, key=key, fields=fields, implies="")

    def learn(self, condition: Node, holds: bool) -> None:
        """Remember what follows from a condition that holds, or does not."""
        condition = unwrapped(condition)
        key = text(condition)
        if condition.type == "identifier":
            found = self.flow.scope.get(key)
            if found is not None and found.implies and holds:
                self.flow.known[found.implies] = True
            elif found is not None and found.implies:
                self.flow.known[found.implies] = False
            if found is not None and found.kind == "bool":
                self.flow.bound[key] = Meaning(str(holds), "bool", key)
        elif condition.type == "unary_expression" and text(field(condition, "operator")) == "!":
            self.learn(field(condition, "operand"), not holds)
        elif condition.type == "binary_expression":
            self.learn_binary(condition, holds)
        elif text(condition).startswith("errors.As("):
            self.flow.known[text(condition.named_children[-1].named_children[-1]).removeprefix("&")] = holds
        elif condition.type == "call_expression":
            self.learn_call(condition, holds)

    def learn_binary(self, condition: Node, holds: bool) -> None:
        operator = text(field(condition, "operator"))
        left, right = field(condition, "left"), field(condition, "right")
        if condition in self.changing:
            return
        if (operator, holds) in (("&&", True), ("||", False)):
            self.learn(left, holds)
            self.learn(right, holds)
        elif operator in ("==", "!="):
            equal = (operator == "==") == holds
            for one, other in ((left, right), (right, left)):
                if other.type == "nil":
                    self.learn_nil(one, equal)
                elif one.type in ("identifier", "selector_expression"):
                    self.learn_equal(one, other, equal)

    def learn_equal(self, node: Node, other: Node, equal: bool) -> None:
        constant = self.peek(other) if self.is_local_path(node) else None
        if constant is not None and constant.is_constant and constant.kind in _ENUMERATIONS:
            self.learn_constant(text(node), constant, equal)

    def learn_nil(self, node: Node, is_nil: bool) -> None:
        key = text(node)
        self.flow.known[key] = not is_nil
        value = self.peek(node)
        if value is not None and value.kind == "failure" and value.implies:
            self.flow.known[value.implies] = is_nil
        if value is not None and value.kind == "running" and self.is_local_path(node):
            self.flow.bound[key] = Meaning(str(not is_nil), "running", key, value.uid)

    def learn_constant(self, key: str, constant: Meaning, equal: bool) -> None:
        if equal:
            self.flow.bound[key] = Meaning(constant.text, constant.kind, key)
            return
        excluded = self.flow.excluded.get(key, frozenset()) | {constant.text}
        self.flow.excluded[key] = excluded
        left = [member for member in _ENUMERATIONS[constant.kind] if member not in excluded]
        if len(left) == 1:
            self.flow.bound[key] = Meaning(left[0], constant.kind, key)

    def is_local_path(self, node: Node) -> bool:
        """Is this a local struct's field, which nobody else can write? Only then does it stay what it is."""
        found = self.flow.scope.get(text(root_of(node)))
        return found is not None and (bool(found.fields) or found.by_value)
