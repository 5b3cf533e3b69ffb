"""Operators of Go: of truth values, numbers, pointers and delays."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from podproof.golang.advice import SAY_IT, pattern_of
from podproof.golang.expressions import LARGEST, NAMES, ExpressionTranslation
from podproof.golang.syntax import field, inside, root_of, text, unwrapped
from podproof.golang.values import DELAYS, NIL_VALUE, Meaning, as_delay, disjunction, negated, operand
from podproof.golang.vocabulary import RECORDS

if TYPE_CHECKING:
    from tree_sitter import Node


NO_OVERFLOW = "no sum and no difference of numbers leaves their type, where Go's would begin anew"
"""What is assumed of a file that adds: numbers of the model have no end."""


class OperatorTranslation(ExpressionTranslation):
    """Adds operators."""

    def unary(self, node: Node) -> Meaning:
        operator, inner = text(field(node, "operator")), field(node, "operand")
        match operator:
            case "!":
                self.wanted[inner] = "bool"
                value = self.expression(inner)
                if value.kind == "bool":
                    return Meaning(negated(value.text), "bool")
            case "-":
                self.wanted[inner] = "int"
                value = self.expression(inner)
                if value.kind in ("int", "duration"):
                    return self.computed(Meaning("0", "int"), "-", value, node)
            case "*":
                value = self.expression(inner)
                if value.kind == "optional":
                    if self.flow.known.get(text(inner)) is not True:
                        self.need(f"{value.text} != NIL")
                    return Meaning(value.text, "int")
                if value.kind == "optional_bool":
                    if self.flow.known.get(text(inner)) is not True:
                        self.need(f"{value.text} != OptionalBool.NIL")
                    return Meaning(f"{value.text} == OptionalBool.TRUE", "bool")
                if value.kind == "struct" and value.fresh:  # A pointer to it, which is not nil.
                    return replace(value, fresh=False)
                if value.kind in RECORDS:
                    self.touch_record(value, node)
                    self.need_not_nil(value, inner)
                    return Meaning(value.text, value.kind, value.key, value.uid, by_value=True)
            case "&":
                return self.address(inner, node)
        self.refuse(
            node, f"`{text(node)}` is outside what is translated", "use !, -, * of a pointer and & of a new one"
        )

    def check_struct(self, name: str, value: Meaning, node: Node) -> None:
        """A struct of the file that is kept field by field has one name, and is not made of itself."""
        if value.fresh and value.key:
            self.refuse(node, f"`{name}` would be one {value.text} under two names", f"write `{value.key}` itself")
        if node.type != "assignment_statement":
            return
        if value.fresh or self.flow.scope[name].fresh:
            self.refuse(node, f"`{name}` becomes another {value.text}", "use another name")
        if any(text(part) == name for part in inside(field(node, "right"), "identifier")):
            self.refuse(node, f"`{name}` is made of itself", "use another name")

    def address(self, operand: Node, node: Node) -> Meaning:
        if operand.type == "composite_literal":
            return replace(self.composite(operand), fresh=True)  # Of a struct: the name is that of a pointer.
        value = self.expression(operand)
        root = root_of(operand)
        name = text(root)
        if value.kind in ("int", "bool") and operand.type == "identifier":
            if self.assignments(name) > 1:
                self.refuse(
                    node, f"the address of `{name}`, which is set more than once", "copy it: `value := …; &value`"
                )
            if value.kind == "bool":
                return Meaning(f"(OptionalBool.TRUE if {value.text} else OptionalBool.FALSE)", "optional_bool")
            return Meaning(value.text, "optional")
        if value.kind in ("update", "kill") and value.by_value and root.type == "identifier":
            if name in self.flow.escaped:
                self.refuse(
                    node, f"the address of `{name}` is stored a second time, as on line {self.flow.escaped[name]}",
                    "two names would be one object; copy it: `copied := …`",
                )  # fmt: skip
            return Meaning(value.text, value.kind, f"&{name}", value.uid)
        self.refuse(node, f"`{text(node)}` is outside what is translated", "take the address of a new struct")

    def binary(self, node: Node) -> Meaning:
        operator = text(field(node, "operator"))
        left, right = field(node, "left"), field(node, "right")
        if operator in ("&&", "||"):
            return self.junction(left, operator, right)
        a, b = self.expression(left), self.expression(right)
        for named, value in ((a, right), (b, left)):
            if named.kind in NAMES and operator in ("==", "!=") and text(value) == '""':
                there = self.is_named(named)
                return Meaning(there if operator == "!=" else negated(there), "bool")
        if operator in ("==", "!="):
            return self.equality(a, operator, b, node)
        if operator in ("<", "<=", ">", ">="):
            if "elapsed" in (a.kind, b.kind):
                return self.has_elapsed(a, operator, b, node)
            if a.kind == b.kind and a.kind in ("int", "tick"):
                return Meaning(f"{operand(a.text)} {operator} {operand(b.text)}", "bool")
            if operator == ">" and a.kind in ("count", "remaining") and b == Meaning("0", "int"):
                return self.equality(a, "!=", b, node)
            if {a.kind, b.kind} & set(DELAYS):
                return Meaning(str(self.is_longer(a, operator, b, node)), "bool")
        return self.computed(a, operator, b, node)

    def is_named(self, value: Meaning) -> str:
        """Is this UID or name no empty text? That of a pod is none, and a map gives one for a key that it lacks."""
        self.fields.assumptions["no pod's UID, name or namespace is empty"] = None
        return f"{value.text} != NIL"

    def has_elapsed(self, a: Meaning, operator: str, b: Meaning, node: Node) -> Meaning:
        """Is more than a delay over since a time of a status? Of each pod it may be either, at any time. [A5]"""
        is_call = node.type == "call_expression"  # As `now.After(t.Add(d))`.
        sides = [f"time.Since({a.key})", ""] if is_call else [text(field(node, side)) for side in ("left", "right")]
        if b.kind == "elapsed":
            a, operator, b, sides = b, {"<": ">", "<=": ">=", ">": "<", ">=": "<="}[operator], a, sides[::-1]
        time, delay = a.text.rpartition(".")[2], as_delay(b)
        is_known = delay.kind == "delay" and delay.is_constant and delay.text != "Delay.NOW"
        if not a.uid or time not in self.fields.times or not is_known:
            self.refuse(
                node, f"`{text(node)}` depends on how much time has passed since what is no time of a status",
                "compare a time of the status, and a delay that stays what it is",
            )  # fmt: skip
        strictly = operator in (">", "<=")
        told = self.fields.delays[delay.text] if b.length and delay.text in self.fields.delays else delay.text
        length = re.sub(r"\W+", "_", told.rpartition("Delay.")[2]).lower()
        name = f"{time}_{'over' if strictly else 'at_least'}_{length}_ago"
        go = f" {'>' if strictly else '>='} ".join([sides[0], sides[1] or told])
        others = [other for other, since in self.fields.elapsed.items() if since == time and other != name]
        if others:
            self.refuse(
                node, f"`{text(node)}` is asked beside `{self.fields.either[others[0]]}`, and the model has no clock "
                "by which both could hold or not [A5]", "compare one time with one delay, in one way",
            )  # fmt: skip
        self.fields.elapsed[name] = time
        self.fields.either.setdefault(name, go)
        self.fields.assumptions[
            f"whether `{self.fields.either[name]}` may change of each pod at any time: the model has no clock [A5]"
        ] = None
        self.uses_uid = self.uses_uid or a.uid == self.implicit_uid
        said = disjunction(negated(a.text), f"self.{name}[{a.uid}]")  # Since no time it is as long as can be.
        return Meaning(said if operator in (">", ">=") else negated(said), "bool")

    def computed(self, a: Meaning, operator: str, b: Meaning, node: Node) -> Meaning:
        """What is computed of two numbers, of two delays, or of both."""
        if operator in ("+", "-") and a.kind == b.kind == "int":
            if node.parent is None or node.parent.type not in ("index_expression", "slice_expression"):
                self.fields.assumptions[NO_OVERFLOW] = None  # The places of a list are few.
            first = "" if a.text == "0" and operator == "-" else f"{operand(a.text)} "
            return Meaning(f"{first}{operator}{' ' * bool(first)}{operand(b.text)}", "int")
        if operator in ("*", "<<") and a.kind == b.kind == "int" and a.is_constant and b.is_constant:
            x, y = int(a.text), int(b.text)
            number = x * y if operator == "*" else x << y if 0 <= y < 32 else LARGEST + 1
            if abs(number) > LARGEST:
                self.refuse(node, f"`{text(node)}` is a large number", "use a smaller one")
            return Meaning(str(number), "int")
        lasting = self.fields.computed(a, operator, b)
        if lasting is not None:
            return lasting
        self.refuse(node, f"`{text(node)}` is outside what is translated", "numbers are compared, added and subtracted")

    def is_longer(self, a: Meaning, operator: str, b: Meaning, node: Node) -> bool:
        """Compare two delays of a known length, or one with itself."""
        x, y = (int(value.text) if value == Meaning(value.text, "int") and value.is_constant else value.length
                for value in (a, b))  # fmt: skip
        if a.kind == b.kind == "duration" and a.text == b.text and x == y:
            return operator in ("<=", ">=", "==")
        if x is None or y is None:
            left = unwrapped(node).child_by_field_name("left") if a.kind == "unknown" else None
            is_asked = left is not None and unwrapped(left).type == "call_expression"
            self.refuse(
                node,
                f"`{text(node)}` depends on how long a delay is, which this file does not say",
                f"{SAY_IT}: --assume '{pattern_of(node)} = any bool'"
                if is_asked
                else "let the same be done in either case: the model has no clock [A5]",
            )
        return {"<": x < y, "<=": x <= y, ">": x > y, ">=": x >= y, "==": x == y, "!=": x != y}[operator]

    def first_not_zero(self, node: Node, arguments: list[Node]) -> Meaning | None:
        """cmp.Or of numbers."""
        changes = self.changes
        values = [self.expression(part) for part in arguments]
        if any(value.kind != "int" for value in values):
            return None
        if self.changes != changes:
            self.refuse(node, f"a call in `{text(node)}` changes something", "call it before")
        found = values[-1].text
        for value in values[-2::-1]:
            found = f"({value.text} if {value.text} != 0 else {found})"
        return Meaning(found, "int")

    def furthest(self, name: str, values: list[Meaning]) -> Meaning | None:
        """The shortest or the longest of some delays, where it is known which one that is."""
        if not {value.kind for value in values} <= {"int", "duration", "told"}:
            return None
        told = [value for value in values if value.kind == "told" or value.key in self.flow.told]
        bounds = {as_delay(value).text for value in values if value not in told}
        if told and bounds == {"Delay.NOW" if name == "max" else "Delay.RESYNC"}:
            return told[0]  # Cut off where the kubelet cuts it off.
        lengths = [int(v.text) if v.kind == "int" and v.is_constant else v.length for v in values]
        known = [length for length in lengths if length is not None]
        if len(known) < len(values):
            return None
        return self.fields.lasting(min(known) if name == "min" else max(known))

    @contextmanager
    def where(self, condition: Node, holds: bool, python: str) -> Iterator[None]:
        """What is translated meanwhile is evaluated only where the condition holds, or does not."""
        before = self.flow.copy()
        self.learn(condition, holds)
        self.guards.append(python if holds else negated(python))
        try:
            yield
        finally:  # What is only tried may be refused.
            self.guards.pop()
            lasting = self.flow
            self.flow = before
            self.flow.sections = lasting.sections
            self.flow.touched_since_escape = lasting.touched_since_escape

    def boolean(self, node: Node) -> str:
        self.wanted[unwrapped(node)] = "bool"
        value = self.expression(node)
        if value.kind != "bool":
            self.refuse(node, f"`{text(node)}` is no bool that the model knows", "compare it")
        return value.text

    def equality(self, a: Meaning, operator: str, b: Meaning, node: Node) -> Meaning:
        if NIL_VALUE in (a, b):
            other, at = (b, field(node, "right")) if a == NIL_VALUE else (a, field(node, "left"))
            if other.kind == "status":
                self.check_doubt(other, at)
            set_ = self.is_set(other, at)
            return Meaning(set_ if operator == "!=" else negated(set_), "bool")
        if a.kind in ("count", "remaining") and b == Meaning("0", "int"):
            there = f"last({a.text}) != NIL" if a.kind == "count" else f"{a.text} > 0"
            return Meaning(there if operator == "!=" else negated(there), "bool")
        if a.kind == b.kind == "time" and "False" in (a.text, b.text):
            # The model has of a time whether it is set.
            there = b.text if a.text == "False" else a.text
            return Meaning(there if operator == "!=" else negated(there), "bool")
        if {a.kind, b.kind} & set(DELAYS):
            return Meaning(str(self.is_longer(a, operator, b, node)), "bool")
        kinds = ("bool", "int", "uid", "full_name", "work_type", "update_type", "phase", *self.fields.enumerations)
        alike = a.kind == b.kind and a.kind in kinds
        if not alike:
            self.refuse(node, f"`{text(node)}` compares what the model cannot", "compare bools, numbers, UIDs, names")
        for one, key in ((a, b), (b, a)):
            if one.is_constant and key.is_constant:
                return Meaning(str((a.text == b.text) == (operator == "==")), "bool")
            if one.is_constant and one.text in self.flow.excluded.get(key.key, ()):
                return Meaning(str(operator == "!="), "bool")
        return Meaning(f"{operand(a.text)} {operator} {operand(b.text)}", "bool")

    def is_set(self, value: Meaning, node: Node) -> str:
        """When a pointer, function or channel is not nil."""
        known = self.flow.known.get(value.key)
        if value.by_value or value.fresh:
            self.refuse(node, f"`{text(node)}` is never nil", "compare a pointer")
        if known is not None and value.kind != "error":
            return str(known)
        match value.kind:
            case "status" | "update" | "kill" | "pod" | "held":
                return value.present or f"{value.text}.present"
            case "running":
                return value.text
            case "optional" | "request":
                return "False" if value.text == "NIL" else f"{value.text} != NIL"
            case "optional_bool":
                return "False" if value.is_constant else f"{operand(value.text)} != OptionalBool.NIL"
            case "mirror":
                return f"{value.text} != 0"
            case "error" if value.is_constant:
                return str(value.text != "NO_ERROR")
            case "failure":
                return value.text
            case "context" | "cancel":
                return f"{value.text} != Context.NONE"
            case "nothing" if value.text == "NIL":
                return "False"
        if value.kind == "uid list":
            self.refuse(node, f"whether `{text(node)}` is nil is not known", f"ask for its length: len({text(node)})")
        line = f"{pattern_of(node.parent)} = any bool" if node.parent is not None else ""
        self.refuse(node, f"whether `{text(node)}` is nil is not known", f"{SAY_IT}: --assume '{line}'")
