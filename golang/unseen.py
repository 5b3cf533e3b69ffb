"""What nobody looks at, such as the arguments of a log: it must do nothing, and Go must not panic at it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from podproof.golang.syntax import expressions, field, inside, root_of, text, unwrapped
from podproof.golang.translation import FunctionTranslation
from podproof.golang.values import negated
from podproof.golang.vocabulary import EFFECTS, RECORDS

if TYPE_CHECKING:
    from tree_sitter import Node

_OF_NIL = ("IsZero", "Before", "Equal", "DeepCopy")
"""Methods of *metav1.Time that nil has, too."""
_POINTERS = ("SecurityContext", "Affinity", "DNSConfig", "OS", "Running", "Waiting", "Terminated")
"""Pointers within a pod to structs, of which the model knows nothing."""


class UnseenTranslation(FunctionTranslation):
    """Adds what is asked of an expression whose value is not translated."""

    def check_pure(self, node: Node) -> None:
        """What is not looked at must do nothing, read nothing that podLock protects without it, and follow no nil."""
        if node.type == "binary_expression" and text(field(node, "operator")) in ("&&", "||"):
            left, both = field(node, "left"), text(field(node, "operator")) == "&&"
            self.check_pure(left)
            before, self.flow, guards = self.flow, self.flow.copy(), len(self.guards)
            self.learn(left, both)
            said = self.peek(left)
            if said is not None and said.kind == "bool":
                self.guards.append(said.text if both else negated(said.text))
            self.check_pure(field(node, "right"))
            before.sections, self.flow = self.flow.sections, before
            del self.guards[guards:]
            return
        operator = text(field(node, "operator")) if node.type in ("unary_expression", "binary_expression") else ""
        if node.type == "func_literal":
            self.refuse(node, "a function literal that is not looked at", "call it elsewhere")
        if node.type == "unary_expression" and operator == "<-":
            self.refuse(node, "a receive that is not looked at", "receive before")
        if node.type == "unary_expression" and operator == "*":
            self.check_pointer(field(node, "operand"))
        if node.type in ("slice_expression", "type_assertion_expression") or (
            operator in ("/", "%") and not re.fullmatch(r"[1-9]\d*", text(field(node, "right")))
        ):
            self.refuse(node, f"`{text(node)}` may panic, and is not looked at", "leave it out")
        if node.type == "index_expression":
            self.check_index(node)
        if node.type == "selector_expression":
            self.check_read(node)
        if node.type == "call_expression":
            self.check_call(node)
        for part in node.named_children:
            self.check_pure(part)

    def check_pointer(self, node: Node) -> None:
        """A pointer that is followed where nobody looks at the value."""
        pointer = self.peek(node)
        if pointer is not None and pointer.kind in (*RECORDS, "optional", "optional_bool"):
            self.need_not_nil(pointer, node)
        elif pointer is None and self.flow.known.get(text(node)) is not True:
            self.refuse(node, f"`{text(node)}` may be nil, and Go would panic", "test it first")

    def check_index(self, node: Node) -> None:
        """An element that is read where nobody looks at it: of a map, or of a list that has it."""
        key = field(node, "index")
        found = self.peek(key)
        is_function = (
            node.parent is not None
            and node.parent.type == "call_expression"
            and (field(node.parent, "function") == node)
        )
        is_map = text(field(node, "operand")).endswith((".Annotations", ".Labels"))
        is_key = (
            is_map or "string" in key.type or (found is not None and found.kind not in ("int", "count", "remaining"))
        )
        if not is_function and not is_key and self.attempt(node) is None:
            self.refuse(node, f"`{text(node)}` may be outside the list, and Go would panic", "leave it out")

    def check_call(self, node: Node) -> None:
        """A call of which nobody looks at the result."""
        function = field(node, "function")
        is_builtin = function.type == "identifier" and text(function) in EFFECTS
        own = self.own(node)
        is_builtin = is_builtin or text(function) in self.closures
        called = None if own is None else self.translate(own, own.node)
        if is_builtin or (called is not None and called.writes):
            self.refuse(node, f"`{text(node)}` does something, and its result is not looked at", "call it before")
        if called is not None and called.locks:
            self.enter_section(node)
        elif called is not None and called.touches:
            self.touch(node)
        if self.may_panic(node):
            self.refuse(
                node,
                f"`{text(node)}` follows a pointer that may be nil, and is not looked at",
                "name its result before",
            )
        if function.type != "selector_expression" or own is not None:
            return
        operand = unwrapped(field(function, "operand"))
        base = self.peek(operand)
        if base is not None and base.kind in ("error", "failure", "context"):
            self.need_not_nil(base, operand)
        of = operand if operand.type == "selector_expression" else function
        is_part = self.is_workers(field(of, "operand")) and text(field(of, "field")) != "clock"
        if is_part and not self.vocabulary.match("values", node):
            self.refuse(node, f"`{text(node)}` may do something, and is not looked at", "call it before")

    def may_panic(self, call: Node) -> bool:
        """Does a function of the file, or what it calls, follow a pointer that may be nil? What it is given is none."""
        own = self.own(call)
        if own is None:
            return False
        called = self.translate(own, call)
        given = {f"assert {name}.present" for name in called.parameters}
        needs = {line.text for line in called.lines if line.text.startswith("assert ")}
        pending, seen = [own], {own.name}
        while pending:
            calls = inside(pending.pop().body, "call_expression")
            named = {text(field(part, "function")).rpartition(".")[2] for part in calls} - seen
            for other in (other for other in self.file.functions.values() if other.name in named):
                seen.add(other.name)
                pending.append(other)
                needs |= {line.text for line in self.translate(other, call).lines if line.text.startswith("assert ")}
        if needs and needs <= given:
            for argument in expressions(field(call, "arguments")):
                value = self.peek(argument)
                if value is not None and value.kind in (*RECORDS, "pod"):
                    self.need_not_nil(value, argument)
        return not needs <= given

    def check_read(self, node: Node) -> None:
        """A field that is read where nobody looks at it: podLock is held if it protects it, and no pointer is nil."""
        operand, name = field(node, "operand"), text(field(node, "field"))
        if self.is_workers(operand):
            if name in self.fields.state or name in self.fields.of["podWorkers"]:
                self.touch(node)
            return
        if unwrapped(operand) != operand or operand.type == "unary_expression":
            own = self.file.functions.get(f"podWorkers.{name}")
            if own is not None:
                self.refuse(node, f"of what `{text(node)}` is asked cannot be seen", "call it by the workers' name")
        operand = unwrapped(operand)
        self.check_part_of_pod(operand, name)
        base = self.flow.scope.get(text(operand)) or self.peek(operand)
        if base is None and operand.type == "index_expression":
            entries = self.peek(field(operand, "operand"))
            if entries is not None and entries.kind == "statuses":
                self.refuse(node, f"`{text(operand)}` may be nil, and Go would panic", "look it up before, and test it")
        if base is not None and base.kind in ("lost", "target") and self.flow.known.get(text(operand)) is not True:
            self.refuse(node, f"`{text(operand)}` is not kept here, and may be nil",
                        base.text if base.kind == "lost" else "test it first")  # fmt: skip
        if base is not None and base.kind == "held":
            self.refuse(node, f"`{text(operand)}` may be nil, or another one by now", "read it of the status")
        if base is None or base.kind not in (*RECORDS, "pod", "running", "mirror"):
            return
        self.need_not_nil(base, operand)
        if base.kind in RECORDS:
            self.touch_record(base, node)

    def check_part_of_pod(self, operand: Node, name: str) -> None:
        """A pointer within a pod, of which the model knows at most whether it is nil, is followed."""
        if operand.type != "selector_expression" or self.flow.known.get(text(operand)) is True:
            return
        around, part = field(operand, "operand"), text(field(operand, "field"))
        pod = self.peek(around)
        if part == "DeletionTimestamp" and pod is not None and pod.kind == "pod":
            if name not in _OF_NIL:
                self.need(f"{pod.text}.deletion_timestamp")
        elif part in _POINTERS or (part == "StartTime" and text(around).endswith("Status") and name not in _OF_NIL):
            self.refuse(operand, f"`{text(operand)}` may be nil, and Go would panic", "test it first")

    def reads_of(self, names: set[str], node: Node) -> bool:
        """Does anything here read what one of these names points to? A time is no pointer: it is asked for zero."""
        return any(
            text(root_of(field(part, "operand"))) in names and not text(part).endswith(".IsZero")
            for part in inside(node, "selector_expression", "unary_expression")
        )
