"""What is declared and assigned in a function, as steps and values of its tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from podproof.golang.syntax import expressions, inside, text, unwrapped
from podproof.golang.syntax import field as part_of
from podproof.golang.terms import Act, KnownHere, NotFollowed, Scope, Term, TermTranslation, is_value

if TYPE_CHECKING:
    from tree_sitter import Node


class PlaceTranslation(TermTranslation):
    """The declarations and assignments of one text of a function."""

    def assignment(self, node: Node, scope: Scope, state: KnownHere, out: list[Act]) -> Scope:
        make = self.terms.make
        if node.type in ("inc_statement", "dec_statement"):
            place = node.named_children[0]
            old = self.value(place, scope, state, out)
            self.store(place, make(node.type[:3], old), scope, state, out)
            return scope
        left, right = expressions(part_of(node, "left")), expressions(part_of(node, "right"))
        sign = "=" if node.type == "short_var_declaration" else text(part_of(node, "operator"))
        if sign != "=":
            old, given = self.operands([left[0], right[0]], scope, state, out)
            found = make(sign, old, given)
            if sign in ("/=", "%=", "<<=", ">>="):
                self.check(found, state, out, node)
            self.store(left[0], found, scope, state, out)
            return scope
        if any(unwrapped(part).type != "identifier" for part in left) and len(left) > 1:
            raise NotFollowed("several places are set at once", node)
        values = self.values_of(left, right, scope, state, out)
        if node.type == "short_var_declaration":
            new, own = scope, self.own_names(node)
            for name, value in zip(left, values, strict=True):
                if text(name) in own:
                    self.assign(name, value, scope, state, out)
                else:
                    type_ = self.type_of(right[0], scope, state) if len(left) == 1 else ""
                    new = self.declare(text(name), type_, value, new, state, out, node)
            return new
        for place, value in zip(left, values, strict=True):
            self.store(place, value, scope, state, out)
        return scope

    def own_names(self, node: Node) -> set[str]:
        """The names that the block of a declaration has already, so that it sets them."""
        block = node.parent
        if block is None or block.type != "statement_list":
            return set()
        names: set[str] = set()
        holder = block.parent
        if holder is not None and holder.parent is not None and holder.parent.type in _FUNCTIONS:
            for list_ in filter(
                None, (holder.parent.child_by_field_name(f) for f in ("parameters", "receiver", "result"))
            ):
                names.update(text(n) for p in list_.named_children for n in p.children_by_field_name("name"))
        for sibling in block.named_children:
            if sibling.start_byte >= node.start_byte:
                break
            if sibling.type == "short_var_declaration":
                names.update(map(text, expressions(part_of(sibling, "left"))))
            elif sibling.type == "var_declaration":
                names.update(
                    text(n) for spec in inside(sibling, "var_spec") for n in spec.children_by_field_name("name")
                )
        return names - {"_"}

    def values_of(
        self, left: Sequence[Node], right: Sequence[Node], scope: Scope, state: KnownHere, out: list[Act]
    ) -> list[Term]:
        """What is assigned to each place."""
        make = self.terms.make
        if len(left) == len(right):
            found = self.operands(right, scope, state, out)
            return [self.copied(node, value, scope, state) for node, value in zip(right, found, strict=True)]
        given = unwrapped(right[0])
        if given in self.known:
            return [state.values[number] for number in self.known[given]]
        match given.type:
            case "call_expression":
                number = self.call(given, scope, state, out)
                return [make("result", number, i) for i in range(len(left))]
            case "index_expression":
                parts = self.operands([part_of(given, "operand"), part_of(given, "index")], scope, state, out)
                base = make("entry", *parts, state.memory)
            case "type_assertion_expression":
                operand = self.value(part_of(given, "operand"), scope, state, out)
                base = make("is a", operand, text(part_of(given, "type")))
            case "unary_expression":
                channel = self.value(part_of(given, "operand"), scope, state, out)
                step, number = self.pass_step(state, "receive", given, channel)
                out.append(step)
                base = make("result", number)
            case _:
                raise NotFollowed(f"`{text(given)[:40]}` is not followed", given)
        return [make("part", base, i) for i in range(len(left))]

    def copied(self, node: Node, value: Term, scope: Scope, state: KnownHere) -> Term:
        """A copy of a variable need not stay what the variable is."""
        node = unwrapped(node)
        is_known = node.type != "identifier" or text(node) not in scope
        if is_known or is_value(self.variables[scope[text(node)]].type):
            return value
        return self.terms.make("copy", value, state.memory)

    def type_of(self, node: Node, scope: Scope, state: KnownHere) -> str:
        """The type of an expression, where it is a pointer, a list or a map."""
        node = unwrapped(node)
        if self.is_logger(node, scope, state):
            return "klog.Logger"
        if node.type == "unary_expression" and text(part_of(node, "operator")) == "&":
            return "*"
        if node.type == "composite_literal":
            return text(part_of(node, "type"))
        if node.type == "call_expression" and text(part_of(node, "function")) in ("make", "new"):
            made = expressions(part_of(node, "arguments"))
            return text(made[0]) if text(part_of(node, "function")) == "make" else "*"
        return ""

    def store(self, place: Node, value: Term, scope: Scope, state: KnownHere, out: list[Act]) -> None:
        place = unwrapped(place)
        match place.type:
            case "identifier":
                self.assign(place, value, scope, state, out)
                return
            case "selector_expression":
                base = self.place(part_of(place, "operand"), scope, state, out)
                parts: list[object] = ["field", base, text(part_of(place, "field"))]
            case "index_expression":
                base = self.place(part_of(place, "operand"), scope, state, out)
                parts = ["element", base, self.value(part_of(place, "index"), scope, state, out)]
            case "unary_expression":
                parts = ["content", self.value(part_of(place, "operand"), scope, state, out)]
            case _:
                raise NotFollowed(f"`{text(place)[:40]}` is not followed", place)
        out.append(self.pass_step(state, "set", place, *parts, value)[0])

    def declaration(self, node: Node, scope: Scope, state: KnownHere, out: list[Act]) -> Scope:
        for spec in inside(node, "var_spec", into_functions=False):
            type_node, value = spec.child_by_field_name("type"), spec.child_by_field_name("value")
            type_, names = text(type_node) if type_node is not None else "", spec.children_by_field_name("name")
            if value is None:
                values = [self.terms.make("zero", type_)] * len(names)
            else:
                right = expressions(value)
                values = self.values_of(names, right, scope, state, out)
                if type_:
                    parts = right if len(right) == len(values) else [None] * len(values)
                    values = [self.as_type(type_, *one, scope) for one in zip(parts, values, strict=True)]
            new = scope
            for name, given in zip(names, values, strict=True):
                new = self.declare(text(name), type_, given, new, state, out, spec)
            scope = new
        return scope


_FUNCTIONS = ("function_declaration", "method_declaration", "func_literal")
