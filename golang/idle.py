"""What only tells: branches and loops that do nothing which is not ignored, whatever is true."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

from podproof.golang.calls import ERROR_LINES
from podproof.golang.in_place import InPlaceTranslation
from podproof.golang.syntax import expressions, field, inside, statements, text
from podproof.golang.translation import WORKERS, Way
from podproof.golang.values import Meaning
from podproof.golang.vocabulary import RECORDS

if TYPE_CHECKING:
    from tree_sitter import Node

_POINTERS = (*RECORDS, "pod", "running", "mirror", "optional", "optional_bool", "error", "failure")
"""Kinds of what may be nil."""
_CONVERSIONS = ("time.Duration", "int", "int32", "int64", "float64", "string")
"""Conversions of numbers and texts, which do nothing."""


class IdleTranslation(InPlaceTranslation):
    """Adds what an `if`, a `switch` or a loop does that only tells."""

    @abstractmethod
    def ways(self, node: Node) -> list[Way]:
        """See statements.py."""

    @abstractmethod
    def learn_all(self, conditions: list[Node], tag: Node | None, holds: bool) -> None:
        """See statements.py."""

    def is_idle(self, node: Node) -> bool:
        """Does this `if` or `switch` do nothing that is not ignored, whatever is true?"""
        parts = [node.child_by_field_name(name) for name in ("initializer", "value")]
        conditions = [condition for way in self.ways(node) for condition in way[0]]
        for part in inside(node, "call_expression"):
            if text(field(part, "function")).endswith((".Lock", ".Unlock", ".RLock", ".RUnlock")):
                return False
        ignored, scope = len(self.ignored), dict(self.flow.scope)
        sections, enters, needs, known = self.flow.sections, self.enters, list(self.needs), dict(self.flow.known)
        if parts[0] is not None and parts[0].type == "short_var_declaration":
            named, given = (expressions(field(parts[0], side)) for side in ("left", "right"))
            values = self.peek_all(given[0]) if len(given) == 1 else []
            pointers = [name for name, value in zip(named, values, strict=False) if value.kind in _POINTERS]
            if self.reads_of({text(name) for name in (pointers if values else named)}, node):
                return False
            for name, value in zip(named, values, strict=False):
                if value.kind in ("logger", "expiration", "expires"):
                    self.flow.scope[text(name)] = replace(value, key=text(name), implies=text(named[0]))
        is_idle = self.does_nothing(node, parts, conditions) and self.needs == needs
        self.flow.scope, self.needs[:], self.flow.known = scope, needs, known
        if not is_idle:
            del self.ignored[ignored:]
            self.flow.sections, self.enters = sections, enters
        return is_idle

    def does_nothing(self, node: Node, parts: list[Node | None], conditions: list[Node]) -> bool:
        for holds, tag, body, _ in self.ways(node):
            before, self.flow = self.flow, self.flow.copy()
            self.learn_all(holds, tag, True)
            is_idle = all(map(self.is_idle_statement, body))
            before.sections, before.told, self.flow = self.flow.sections, self.flow.told | before.told, before
            if not is_idle:
                return False
        for condition in (*parts, *conditions):
            if condition is not None:
                calls = list(inside(condition, "call_expression"))
                if (
                    not all(map(self.is_known_call, calls))
                    or any(map(self.may_panic, calls))
                    or any(map(self.is_changing, calls))
                ):
                    return False
                self.check_pure(condition)
        return True

    def is_idle_statement(self, node: Node) -> bool:
        """Is this a log, a delay's length, or an `if` or a loop that does nothing?"""
        if (
            (node.type == "if_statement" and self.is_idle(node))
            or self.is_idle_loop(node)
            or (self.is_same_delay(node) or self.returns_same_delay(node))
        ):
            return True
        call = node.named_children[0] if node.type == "expression_statement" else None
        return call is not None and not any(word in text(node) for word in ERROR_LINES) and self.is_ignored(call)

    def is_idle_loop(self, node: Node) -> bool:
        """Does this loop over what is written there, or over the desired pods, only tell of each?"""
        clause = next((part for part in node.named_children if part.type == "range_clause"), None)
        if node.type != "for_statement" or clause is None:
            return False
        over, body = field(clause, "right"), statements(field(node, "body"))
        is_written = over.type == "composite_literal" and "*" not in text(field(over, "type"))
        calls = inside(over, "call_expression")
        if not body or not (is_written or self.flow.scope.get(text(over), WORKERS).kind == "desired pods"):
            return False
        before, self.flow, ignored, needs = self.flow, self.flow.copy(), len(self.ignored), list(self.needs)
        for name in map(text, expressions(clause.child_by_field_name("left"))):
            self.flow.forget(name)
            self.flow.scope[name] = Meaning("_", "unknown", name)
        is_idle = all(map(self.is_known_call, calls)) and all(map(self.is_idle_statement, body))
        before.sections, self.flow = self.flow.sections, before
        if not is_idle or self.needs != needs:
            del self.ignored[ignored:]
            self.needs[:] = needs
            return False
        self.check_pure(over)
        self.flush(node)
        return True

    def is_known_call(self, node: Node) -> bool:
        """Is it said of this call what it stands for? Of any other nobody knows that it does nothing."""
        whole = node.parent.parent if node.parent is not None and node.parent.type == "selector_expression" else None
        return (
            (self.own(node) is not None and self.stands_here(node) is None)
            or text(field(node, "function")) in ("len", "errors.Is", "errors.As", *_CONVERSIONS)
            or bool(self.vocabulary.match("values", node))
            or (whole is not None and bool(self.vocabulary.match("values", whole)))
        )
