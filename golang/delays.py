"""Delays: of one that is known when the file is read, what it is; of one that an error tells, that it is the back-off.

The model's work queue has a name for each delay, and no clock [A5]. So nothing may depend on how long a delay is,
unless that is known of both sides of a comparison, or the delay is the same one whatever the comparison says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from podproof.golang.assignments import AssignmentTranslation
from podproof.golang.syntax import expressions, expressions_of_return, field, statements, text, unwrapped
from podproof.golang.values import DELAYS, NOTHING, Meaning, as_delay

if TYPE_CHECKING:
    from tree_sitter import Node

_BOUNDS = {("<", "Delay.NOW"), ("<=", "Delay.NOW"), (">", "Delay.RESYNC"), (">=", "Delay.RESYNC")}
"""What the kubelet cuts a delay off at that an error has told: the model's back-off is within."""
_TURNED = {"<": ">", "<=": ">=", ">": "<", ">=": "<="}


class DelayTranslation(AssignmentTranslation):
    """Adds what is done with delays."""

    def declare(self, name: str, value: Meaning, node: Node) -> None:
        is_told = value.kind == "told"
        if value.kind in DELAYS and (is_told or self.assignments(name) > 1):
            value = as_delay(value)
        super().declare(name, value, node)

    def emit(self, line: str, node: Node) -> None:
        super().emit(line, node)
        asked, given = self.times_in(line)
        self.check_times({time for time in asked if self.flow.set_times.get(time) in ("each", "asked")}, node)
        if asked or given:
            before = {time for found, _ in self.times for time in found}
            self.flow.set_times |= {time: "asked" if time in before else "each" for time in given}
            self.times.append((asked, given))

    def has_elapsed(self, a: Meaning, operator: str, b: Meaning, node: Node) -> Meaning:
        found = super().has_elapsed(a, operator, b, node)
        copies = {value.text for value in self.flow.scope.values() if value.kind == "status" and value.by_value}
        place, _, time = (a if a.kind == "elapsed" else b).text.rpartition(".")
        asks = [node] if node.type == "call_expression" else [field(node, "left"), field(node, "right")]
        if place in copies or not any(
            unwrapped(part).type == "call_expression" for part in asks
        ):  # May be an older one.
            self.check_times({time} & self.flow.set_times.keys(), node)
        return found

    def check_times(self, times: set[str], node: Node) -> None:
        """How long ago something was is one answer in the whole of a step, in which it must not become another."""
        for time in times:
            self.refuse(node, f"this asks how long ago `{time}` was, which is set in the same step before",
                        "ask before it is set")  # fmt: skip

    def times_in(self, line: str) -> tuple[set[str], set[str]]:
        """Since which times of a status a line asks how long it is, and which it sets, itself or by what it calls."""
        lines = self.reached(line)
        asked = {time for name, time in self.fields.elapsed.items() if any(f".{name}[" in said for said in lines)}
        sets = [said.partition(" = ")[0].split(", ") for said in lines if " = " in said]
        return asked, {target.rpartition(".")[2] for targets in sets for target in targets} & self.fields.times

    def is_same_delay(self, node: Node) -> bool:
        """Does this assignment leave a local the delay that it is, as far as the model has names for delays?"""
        if node.type != "assignment_statement" or text(field(node, "operator")) != "=":
            return False
        left, right = expressions(field(node, "left")), expressions(field(node, "right"))
        place = self.flow.scope.get(text(left[0]), NOTHING)
        if len(left) != 1 or len(right) != 1 or place.kind not in DELAYS or not place.is_constant:
            return False
        value = self.peek(right[0])
        if value is None or as_delay(value).kind != "delay":
            return False
        is_told = value.kind == "told" and place.text == value.text
        if not is_told and as_delay(value).text != place.text and not self.cuts_off(node, text(left[0]), value):
            return False
        self.check_pure(right[0])
        if is_told:
            self.flow.told.add(text(left[0]))
        self.ignored.append(f"{self.file.name}:{self.go_line(node)} a delay's length")
        return True

    def returns_same_delay(self, node: Node) -> bool:
        """Does this return a delay cut off, where all that comes after it returns the delay itself, or cuts it off?"""
        values = expressions_of_return(node) if node.type == "return_statement" else []
        body = statements(self.function.body)
        around = node.parent
        while around is not None and around not in body:
            around = around.parent if around.type in ("block", "statement_list", "if_statement") else None
        if len(values) != 1 or around is None or body[-1].type != "return_statement":
            return False
        name, value = text(body[-1]).removeprefix("return").strip(), self.peek(values[0])
        after = body[body.index(around) + 1 : -1]
        if value is None or as_delay(value).kind != "delay" or not self.cuts_off(node, name, value):
            return False
        if not all(part.type == "if_statement" and self.is_idle(part) for part in after):
            return False
        self.check_pure(values[0])
        self.ignored.append(f"{self.file.name}:{self.go_line(node)} a delay's length")
        return True

    def cuts_off(self, node: Node, name: str, bound: Meaning) -> bool:
        """Is this what an `if` does that cuts the delay off at one of the kubelet's bounds?"""
        body = node.parent
        while body is not None and body.type != "block":
            body = body.parent
        around = body.parent if body is not None else None
        if around is None or around.type != "if_statement" or field(around, "consequence") != body:
            return False
        condition = unwrapped(field(around, "condition"))
        if condition.type != "binary_expression" or name not in self.flow.told:
            return False
        operator = text(field(condition, "operator"))
        left, right = field(condition, "left"), field(condition, "right")
        if text(right) == name:
            left, right, operator = right, left, _TURNED.get(operator, "")
        limit = self.peek(right)
        is_its = text(left) == name and limit is not None and as_delay(limit).text == as_delay(bound).text
        return is_its and (operator, as_delay(bound).text) in _BOUNDS
