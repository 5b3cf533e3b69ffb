"""Functions whose answer is a struct that they build field by field: what is written is a record of the model."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from podproof.golang.answer_values import LocalNames
from podproof.golang.answers import AnswerTranslation
from podproof.golang.syntax import GoFunction, expressions, expressions_of_return, inside, text, tokens, unwrapped
from podproof.golang.syntax import field as part_of
from podproof.golang.values import Meaning
from podproof.golang.vocabulary import Phrase

if TYPE_CHECKING:
    from tree_sitter import Node

_INDEXES: Mapping[str, str] = {
    "self.init_containers": "init_containers_to_start",
    "self.containers": "containers_to_start",
    "self.ephemeral_containers": "ephemeral_containers_to_start",
}
"""List of containers -> the flags that its indexes are kept as."""
_BUILT = ("built", "built_pointer")
_REVERSE = re.compile(
    r"for (?P<i>\w+) := 0 (?P=i) < (?P<number>\w+) / 2 (?P=i) \+\+ \{ "
    r"(?P<list>(?P<owner>\w+) \. (?P<field>\w+)) \[ (?P=i) \] , (?P=list) \[ (?P=number) - 1 - (?P=i) \] = "
    r"(?P=list) \[ (?P=number) - 1 - (?P=i) \] , (?P=list) \[ (?P=i) \] \}"
)
_BOUND = "bound"
"""The kind of what holds only within the bounds."""
_APART = "apart"
"""The kind of a field of which nothing is compared."""
_ONE_NAME = ("built", "indexes", "list", "condition_list", "condition")
"""Kinds of which another name would be a copy in Go."""


class BuiltAnswerTranslation(AnswerTranslation):
    """Translates a function that builds its answer. What its record is called is in the first of its fields' places."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.built: Node | None = None
        """Where the struct is made."""
        self.is_bound = False
        """Does what is read now hold only within the bounds?"""
        self.messages: set[Node] = set()
        """What is given as a text."""
        self.moved: set[str] = set()
        """The local lists that a field has been given, which are not appended to any more."""
        self.keeps_pointers = False
        """Has what calls this function pointers to conditions?"""

    def parameters(self) -> Iterator[tuple[str, Meaning]]:
        """A struct that is given is the answer from the beginning, and no other one is made."""
        for name, meaning in super().parameters():
            if meaning.kind == "built":
                self.built = self.function.node
            yield name, meaning

    def place(self, name: str, node: Node) -> tuple[str, str]:
        """Where a field is, and its kind."""
        found = self.modelled.fields.get(name)
        if found is None:
            self.refuse(node, f"the model's {self.modelled.result[0]} has no field {name}", "leave it out")
        return f"{self.modelled.record}.{found[0]}", found[1]

    def field_of(self, node: Node, scope: LocalNames) -> tuple[str, str] | None:
        """Place and kind of a field of the answer; None for what is none."""
        node = unwrapped(node)
        if node.type != "selector_expression":
            return None
        owner = scope.get(text(part_of(node, "operand")))
        if owner is None or owner.kind not in _BUILT:
            return None
        return self.place(text(part_of(node, "field")), node)

    # -- statements ------------------------------------------------------------------------------------------------
    def statement(self, node: Node, scope: LocalNames, depth: int, in_loop: bool) -> bool:
        if node.type == "for_statement" and self.modelled.counts_down and self.reverse(node, scope, depth):
            return False
        if node.type == "return_statement" and self.modelled.counts_down and len(self.within) == 1:
            ended = super().statement(node, scope, depth, in_loop)
            returned = self.lines.pop()
            for place in _INDEXES.values():
                self.write(depth, f"expect_reversed({self.modelled.record}.{place}, are_reversed)", node)
            self.lines.append(returned)
            return ended
        if node.type == "return_statement" and self.result == "built":
            values = expressions_of_return(node)
            if len(values) != 1 or self.value(values[0], scope).kind != "built":
                self.refuse(node, "this is no answer of the function", f"return one {self.modelled.result[0]}")
            self.check(depth, node)
            self.write(depth, "return", node)
            return True
        return super().statement(node, scope, depth, in_loop)

    def assign(self, node: Node, scope: LocalNames, depth: int) -> None:
        for phrase, holes in self.vocabulary.match("effects", node):
            if self.means(phrase, holes, scope):
                if any(text(hole) in scope and scope[text(hole)].text in self.moved for hole in holes.values()):
                    self.refuse(node, "this list has got another name", "append to it before")
                (done,) = self.meanings(phrase, holes, scope)
                self.check(depth, node)
                self.write(depth, done.text, node)
                return
        left = expressions(node.child_by_field_name("left"))
        right = expressions(node.child_by_field_name("right"))
        if len(left) == len(right) == 1 and text(part_of(node, "operator")) == "=":
            if (field := self.field_of(left[0], scope)) is not None:
                lines = self.lines_of_field(field, left[0], right[0], scope, node)
                self.write_each(lines, depth, node)
                return
            local = scope.get(text(left[0]))
            if local is not None and local.kind == "list":
                self.write_each(self.lines_of_list(local.text, left[0], right[0], scope), depth, node)
                return
        self.is_bound = False
        super().assign(node, scope, depth)
        if self.is_bound:
            self.refuse(node, "what holds only within the bounds is kept here", "ask for it where it decides something")

    def write_each(self, lines: list[str], depth: int, node: Node) -> None:
        self.check(depth, node)
        for line in lines:
            self.write(depth, line, node)

    def lines_of_field(
        self, field: tuple[str, str], left: Node | None, right: Node, scope: LocalNames, at: Node
    ) -> list[str]:
        """What sets a field of the answer."""
        place, kind = field
        match kind:
            case "apart":
                self.unread[at] = None
                return []
            case "indexes":
                return self.lines_of_indexes(place, left, right, scope)
            case "conditions":
                return self.lines_of_conditions(place, right, scope)
            case "kills":
                is_made = right.type == "call_expression" and text(part_of(right, "function")) == "make"
                if left is not None or not is_made or not any(inside(right, "map_type")):
                    self.refuse(right, "this map is made once", "write make(…) where the struct is made")
                return []
        value = self.as_kind(right, kind, scope)
        if value.kind != kind:
            self.refuse(right, "this is a value of another kind", "assign one of the same type")
        return [f"{place} = {value.text}"]

    def lines_of_indexes(self, place: str, left: Node | None, right: Node, scope: LocalNames) -> list[str]:
        """What sets a field that is a list of indexes."""
        right, record = unwrapped(right), place.rpartition(".")[2]
        if (given := self.literal(right)) is not None:
            return [f"clear_indexes({place})", *(f"append_first_index({place})" for _ in given)]
        if right.type == "identifier" and (local := scope.get(text(right))) is not None and local.kind == "list":
            if _is_repeated(right):
                self.refuse(right, "this list gets another name in a loop", "assign it after the loop")
            self.moved.add(local.text)
            others = (one for one in _INDEXES.values() if one != record)
            return [
                *(f"expect_no_indexes({local.text}.{one})" for one in others),
                f"copy_indexes({place}, {local.text}.{record})",
            ]
        if left is not None and (given := self.appended(left, right)) is not None:
            return [self.line_of_index(place, one, scope, record) for one in given]
        self.refuse(right, "this is no list of indexes", "append the index of a container, or write nil")

    def reverse(self, node: Node, scope: LocalNames, depth: int) -> bool:
        """A loop that turns the indexes of init containers round, of as many as a local says; it appends no others."""
        said = _REVERSE.fullmatch(" ".join(tokens(node)))
        number, owner = (
            (scope.get(said[name], Meaning("", "")) for name in ("number", "owner")) if said else (None, None)
        )
        if said is None or number is None or owner is None or number.kind != "int" or owner.kind not in _BUILT:
            return False
        place, kind = self.place(said["field"], node)
        if kind != "indexes" or place != f"{self.modelled.record}.{_INDEXES['self.init_containers']}":
            return False
        self.write(depth, f"are_reversed = turn_round({place}, {number.text}, are_reversed)", node)
        return True

    def lines_of_conditions(self, place: str, right: Node, scope: LocalNames) -> list[str]:
        """What sets the conditions of a status: they become those of a local list."""
        local = scope.get(text(unwrapped(right)))
        if local is None or local.kind != "condition_list" or _is_repeated(right):
            self.refuse(right, "this is no list of conditions", "assign a local list, once, and not in a loop")
        self.expect_no_pointers(right, scope)
        self.moved.add(local.text)
        return [f"copy_conditions({place.rpartition('.')[0]}, {local.text})"]

    def expect_no_pointers(self, node: Node, scope: LocalNames) -> None:
        """Where the conditions of a status change their place, a pointer to one would be to what it was."""
        if self.keeps_pointers or _has_pointers(scope):
            self.refuse(node, "there are pointers to conditions here", "find the condition again behind it")

    def begin_loop(self, over: Meaning, index: str, depth: int, node: Node) -> tuple[str, int]:
        """Of a list of conditions the passes have copies, of those that are there as it begins."""
        if over.kind not in ("old_conditions", "conditions"):
            return super().begin_loop(over, index, depth, node)
        listed = over.text
        if over.kind == "conditions":
            own = self.own("listed")
            self.write(depth, f"{own} = copy({self.modelled.record})", node)
            listed = f"{own}.{over.text.rpartition('.')[2]}"
        self.write(depth, f"for {index}_place in range(len({over.text})):", node)
        self.write(depth + 1, f"{index} = in_order(self, {index}_place)", node)
        self.write(depth + 1, f"if {listed}[{index}].is_there:", node)
        if listed != over.text:
            self.write(depth + 2, f"expect_unchanged({over.text}[{index}], {listed}[{index}])", node)
        return f"{listed}[{index}]", depth + 2

    def lines_of_list(self, own: str, left: Node, right: Node, scope: LocalNames) -> list[str]:
        given = self.appended(left, unwrapped(right))
        if given is None or own in self.moved:
            self.refuse(right, "this is no list of indexes", "append the index of a container to it")
        return [self.line_of_index(own, one, scope, "") for one in given]

    def line_of_index(self, place: str, node: Node, scope: LocalNames, record: str) -> str:
        """What appends an index to a field, or to a local list, which has one for each kind of containers."""
        if text(node) == "0" and record:
            append = (
                "append_lower_index({}, 0, are_reversed)" if self.modelled.counts_down else "append_first_index({})"
            )
            return append.format(place)
        parts = re.fullmatch(r"(\w+) *\+ *1", text(unwrapped(node)))
        value = self.value(node, scope) if parts is None else scope.get(parts[1], Meaning("", ""))
        if value.kind != "index" or (record and _INDEXES.get(value.key) != record) or value.key not in _INDEXES:
            self.refuse(node, "this is no index of such a container", "append what the loop counts with")
        index = value.text if parts is None else f"{value.text} + 1"
        if self.modelled.counts_down:
            return f"append_lower_index({place}, {index}, are_reversed)"
        return f"append_index({place}{'' if record else f'.{_INDEXES[value.key]}'}, {index})"

    def appended(self, left: Node, right: Node) -> list[Node] | None:
        """What is appended to a list; None where something else is assigned."""
        if right.type != "call_expression" or text(part_of(right, "function")) != "append":
            return None
        first, *others = expressions(part_of(right, "arguments"))
        is_own = " ".join(text(first).split()) == " ".join(text(left).split())
        return others if is_own and "..." not in text(part_of(right, "arguments")) else None

    def literal(self, node: Node) -> list[Node] | None:
        """The elements of a list that is written out, of which each is 0; None where it is none."""
        if node.type == "nil":
            return []
        if node.type != "composite_literal" or text(part_of(node, "type")) != "[]int":
            return None
        found = [one for one in part_of(node, "body").named_children if one.type != "comment"]
        return found if all(text(one) == "0" for one in found) and len(found) <= 1 else None

    def declare(self, node: Node, scope: LocalNames, depth: int) -> None:
        if node.type == "var_declaration":
            (spec, *more) = inside(node, "var_spec")
            is_list = not more and spec.child_by_field_name("value") is None and text(part_of(spec, "type")) == "[]int"
            if is_list:
                for name in spec.children_by_field_name("name"):
                    own = self.own(text(name))
                    self.write(depth, f"{own} = no_indexes({self.modelled.record})", node)
                    scope[text(name)] = Meaning(own, "list", own)
                    scope.declared.add(text(name))
                return
        self.is_bound = False
        super().declare(node, scope, depth)

    def kept(self, name: str, value: Meaning, depth: int, node: Node) -> Meaning:
        if value.kind in _ONE_NAME and not value.fresh:
            self.refuse(node, "this would be a copy", "use the one that is there")
        if value.fresh:
            return Meaning(value.text, value.kind)
        if value.key == _BOUND and not self.is_set(name):
            return value
        if self.is_bound:
            self.refuse(node, "what holds only within the bounds is kept here", "ask for it where it decides something")
        return super().kept(name, value, depth, node)

    def is_set(self, name: str) -> bool:
        """Is a local assigned to?"""
        given = inside(self.function.body, "assignment_statement")
        return any(text(one) == name for node in given for one in expressions(part_of(node, "left")))

    # -- expressions -----------------------------------------------------------------------------------------------
    def values(self, node: Node, scope: LocalNames) -> tuple[Meaning, ...]:
        node = unwrapped(node)
        if (field := self.field_of(node, scope)) is not None:
            place, kind = field
            if kind in ("indexes", "kills", "conditions", _APART):
                return (Meaning(place, kind),)
            # What stands behind it in the statement may change it.
            return self.hoisted(node, Meaning(place, kind))
        if node.type == "composite_literal" and text(part_of(node, "type")) == self.modelled.result[0]:
            return (self.begin(node, scope),)
        if node.type == "unary_expression" and text(part_of(node, "operator")) == "&":
            whose = scope.get(text(part_of(node, "operand")))
            if whose is not None and whose.kind == "built":
                return (Meaning(whose.text, "built_pointer"),)
        if node.type == "call_expression" and text(part_of(node, "function")) == "len" and "len" not in scope:
            (of,) = expressions(part_of(node, "arguments"))
            if self.field_of(of, scope) is not None or scope.get(text(of), Meaning("", "")).kind == "list":
                listed = self.value(of, scope)
                places = (
                    [f"{listed.text}.{one}" for one in _INDEXES.values()] if listed.kind == "list" else [listed.text]
                )
                if listed.kind in ("indexes", "list"):
                    number = " + ".join(f"number_of_indexes({place})" for place in places)
                    return self.hoisted(node, Meaning(number, "int"))
        found = super().values(node, scope)
        if node.type == "call_expression" and [one.kind for one in found] == ["text"]:
            self.unread[node] = None
            self.messages.add(node)
        if node.type == "identifier" and any(one.kind == _BOUND or one.key == _BOUND for one in found):
            return self.within_bounds(node, found)
        return found

    def within_bounds(self, node: Node, found: tuple[Meaning, ...]) -> tuple[Meaning, ...]:
        """What holds only within the bounds is a bool, and what is decided by it is kept as text."""
        self.is_bound = True
        self.unread[_decided_by(node)] = None
        return tuple(Meaning(one.text, "bool", _BOUND) if one.kind == _BOUND else one for one in found)

    def as_kind(self, node: Node, kind: str, scope: LocalNames) -> Meaning:
        if kind == "text" and unwrapped(node).type == "interpreted_string_literal":
            self.unread[node] = None
            self.messages.add(node)
        return super().as_kind(node, kind, scope)

    def call_of(self, helper: GoFunction, node: Node, scope: LocalNames) -> Meaning:
        for one in expressions(part_of(node, "arguments")):
            if (whose := scope.get(text(unwrapped(one)))) is not None and whose.kind in _ONE_NAME:
                self.refuse(one, "this would be a copy", "give the function what it reads of it")
        kept, self.keeps_pointers = self.keeps_pointers, self.keeps_pointers or _has_pointers(scope)
        found = super().call_of(helper, node, scope)
        self.keeps_pointers = kept
        return found

    def called(self, node: Node, scope: LocalNames) -> tuple[Meaning, ...] | None:
        found = super().called(node, scope)
        if found is not None and [one.kind for one in found] == ["nothing"]:
            self.expect_no_pointers(node, scope)
        return found

    def hoisted(self, node: Node, call: Meaning, *others: Meaning) -> tuple[Meaning, ...]:
        """A list that is made has no other name yet."""
        return tuple(replace(one, fresh=one.kind == "condition_list") for one in super().hoisted(node, call, *others))

    def begin(self, node: Node, scope: LocalNames) -> Meaning:
        """The struct is made: what a literal does not name is zero."""
        if self.built not in (None, node):
            self.refuse(node, "this is a second one", f"make one {self.modelled.result[0]}, and set its fields")
        if self.guard != "True" or _is_repeated(node):
            self.refuse(node, "this is made on some ways only", "make it in a statement of its own")
        self.built = node
        lines = [f"clear({self.modelled.record})"]
        maps = {name for name, (_, kind) in self.modelled.fields.items() if kind == "kills"}
        for element in part_of(node, "body").named_children:
            if element.type != "keyed_element":
                self.refuse(element, "this field has no name", "write Name: value")
            name, value = (one.named_children[0] for one in element.named_children[:2])
            maps.discard(text(name))
            lines += self.lines_of_field(self.place(text(name), name), None, value, scope, element)
        if maps:
            self.refuse(node, f"{min(maps)} is nil here", "make it")
        for line in lines:
            self.do(line)
        return Meaning(self.modelled.record, "built", fresh=True)

    def meanings(self, phrase: Phrase, holes: Mapping[str, Node], scope: LocalNames) -> tuple[Meaning, ...]:
        found = super().meanings(phrase, holes, scope)
        if any(one.kind == _BOUND for one in found):
            return self.within_bounds(next(iter(holes.values())), found)
        return found

    def text_of_unread(self, node: Node) -> str:
        """A message has no place: where it is given, something is decided that is compared."""
        return " ".join(tokens(node)) if node in self.messages else super().text_of_unread(node)


def _has_pointers(scope: LocalNames) -> bool:
    """To conditions of the answer."""
    return any(one.kind == "condition_pointer" for one in scope.values())


def _decided_by(node: Node) -> Node:
    """The condition or the statement that a value is a part of."""
    while node.parent is not None and not node.type.endswith(("_statement", "_declaration")):
        if node.parent.type == "if_statement" and node.parent.child_by_field_name("condition") == node:
            return node
        node = node.parent
    return node


def _is_repeated(node: Node) -> bool:
    """Is it in a loop?"""
    parent = node.parent
    while parent is not None and parent.type != "for_statement":
        parent = parent.parent
    return parent is not None
