"""What only tells: branches and loops that do nothing which is not ignored, whatever is true."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from podproof.golang.calls import ERROR_LINES
from podproof.golang.in_place import InPlaceTranslation
from podproof.golang.syntax import GoFunction, GoRefusal, expressions, field, inside, root_of, statements, text
from podproof.golang.translation import WORKERS, Way
from podproof.golang.values import Meaning
from podproof.golang.vocabulary import RECORDS

if TYPE_CHECKING:
    from tree_sitter import Node

_POINTERS = (*RECORDS, "pod", "running", "mirror", "optional", "optional_bool", "error", "failure")
"""Kinds of what may be nil."""
_CONVERSIONS = ("time.Duration", "int", "int32", "int64", "float64", "string")
"""Conversions of numbers and texts, which do nothing."""
_ENDS = ("break_statement", "continue_statement", "goto_statement", "labeled_statement")
"""What may end what stands around it."""
_OWN = re.compile(r"\w+(, \w+)* = ")
"""What sets locals."""


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
            is_idle = all(map(self.is_idle_statement, body)) or self.only_counts(body)
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

    def only_counts(self, body: list[Node]) -> bool:
        """Do these statements set nothing but their own locals, which only logs tell?"""
        own = {text(name) for part in body for name in self.declared_in(part)}
        is_apart = all(text(root_of(target)) in own for part in body for target in self.targets(part))
        is_apart = is_apart and not any(True for part in body for _ in inside(part, *_ENDS))
        done = (part for one in body for part in inside(one, "expression_statement", "return_statement"))
        if (
            not own
            or not is_apart
            or not all(part.named_children and self.is_told(part.named_children[0]) for part in done)
        ):
            return False
        before, out, self.out = self.flow, self.out, []
        self.flow = self.flow.copy()
        ignored, changes, writes, self.writes = len(self.ignored), self.changes, self.writes, False
        try:
            is_idle = not self.block(body) and not self.writes and self.changes == changes
        except GoRefusal:
            is_idle = False
        said = [line.text for line in self.out if not line.text.endswith(":") and line.text != "pass"]
        is_idle = is_idle and all(_OWN.match(line) for line in said)
        before.sections, self.flow, self.out, self.writes = self.flow.sections, before, out, writes
        if not is_idle:
            del self.ignored[ignored:]
        return is_idle

    def declared_in(self, node: Node) -> Iterator[Node]:
        """The names that this statement declares."""
        for part in inside(node, "short_var_declaration"):
            yield from expressions(field(part, "left"))
        for part in inside(node, "var_spec"):
            yield from part.children_by_field_name("name")

    def tells_only(self, function: GoFunction, call: Node) -> bool:
        """Does a function without results nothing but telling, also where it names what it tells, or returns early?"""
        if function.results or function.name in self.entered or function.receiver == "podWorkers":
            return False
        nodes = dict(zip(function.parameters, expressions(field(call, "arguments")), strict=False))
        if function.receiver:
            nodes[function.receiver_name] = field(field(call, "function"), "operand")
        before, ignored, needs, enters = self.flow, len(self.ignored), list(self.needs), self.enters
        given = {name: self.peek(node) for name, node in nodes.items()}
        if None in given.values():
            return False
        self.flow = self.flow.copy()
        self.flow.scope = {name: self.renamed(value, name) for name, value in given.items() if value is not None}
        self.entered.append(function.name)
        is_idle = all(map(self.is_told_step, statements(function.body))) and self.needs == needs
        self.entered.pop()
        before.sections, self.flow = self.flow.sections if is_idle else before.sections, before
        if not is_idle:
            del self.ignored[ignored:]
            self.needs[:], self.enters = needs, enters
        return is_idle

    def is_told_step(self, node: Node) -> bool:
        """Is this a log, a name for what is told, or an `if` that returns where nothing is to be told?"""
        if node.type == "short_var_declaration":
            named, given = (expressions(field(node, side)) for side in ("left", "right"))
            values = self.peek_all(given[0]) if len(given) == 1 else []
            if not all(map(self.is_known_call, inside(node, "call_expression"))):
                return False
            for part in given:
                self.check_pure(part)
            for name, value in zip(named, values or [Meaning("_", "unknown")] * len(named), strict=False):
                self.flow.scope[text(name)] = self.renamed(value, text(name))
            pointers = [name for name, value in zip(named, values, strict=False) if value.kind in _POINTERS]
            assert node.parent is not None
            return not self.reads_of({text(name) for name in (pointers if values else named)}, node.parent)
        body = statements(field(node, "consequence")) if node.type == "if_statement" else []
        if not body or body[-1].type != "return_statement" or node.child_by_field_name("alternative") is not None:
            return self.is_idle_statement(node)
        condition = field(node, "condition")
        if node.child_by_field_name("initializer") is not None or not self.does_nothing_if(condition, body[:-1]):
            return False
        self.learn(condition, False)
        return True

    def does_nothing_if(self, condition: Node, body: list[Node]) -> bool:
        before, self.flow = self.flow, self.flow.copy()
        self.learn(condition, True)
        is_idle = all(map(self.is_idle_statement, body))
        self.flow = before
        if not is_idle or not all(map(self.is_known_call, inside(condition, "call_expression"))):
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
