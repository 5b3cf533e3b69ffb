"""What translates a function without a memory: its statements, one after the other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from podproof.golang.answer_values import (
    LISTS,
    TYPES,
    LocalNames,
    TranslatedMethod,
    ValueTranslation,
    is_variable,
)
from podproof.golang.syntax import GoFunction, expressions, expressions_of_return, inside, statements, text
from podproof.golang.syntax import field as part_of
from podproof.golang.values import Meaning, TranslatedLine, disjunction, negated

if TYPE_CHECKING:
    from tree_sitter import Node

_UNTOLD = ("klog.Logger", "context.Context")


@dataclass(frozen=True)
class _Frame:
    """Statements that are still to be translated, and what names stand for there."""

    statements: tuple[Node, ...]
    scope: LocalNames
    is_case: bool = False
    """The statements of a case, which `break` leaves."""


Frames = tuple[_Frame, ...]
"""What comes after a place, the next first."""


class AnswerTranslation(ValueTranslation):
    """Translates one function."""

    def translate(self) -> tuple[TranslatedMethod, ...]:
        scope = LocalNames(self.parameters())
        if self.function.receiver:
            scope[self.function.receiver_name] = Meaning("_", "manager")
        scope.declared |= scope.keys()
        if [kind for _, kind in self.function.results] != [self.modelled.result[0]] or self.function.results[0][0]:
            self.refuse(self.function.node, "this function answers otherwise", f"return one {self.modelled.result[0]}")
        begins = (TranslatedLine(1, line, self.function.line) for line in self.modelled.begins)
        lines = (*begins, *self.body(self.function, scope))
        return (*self.methods, TranslatedMethod(self.modelled.method, (), self.function, lines))

    def body(self, function: GoFunction, scope: LocalNames) -> tuple[TranslatedLine, ...]:
        """The lines of a function; a parameter that is assigned to becomes a local."""
        outer, self.lines = self.lines, []
        self.within.append(function.name)
        assigned = {text(name) for name in _assigned(function.body)}
        for name, value in list(scope.items()):
            if name in assigned and is_variable(value.kind):
                scope[name] = self.kept(name, value, 1, function.node)
        ends = self.run((_Frame(tuple(statements(function.body)), scope),), 1, False)
        if not ends and self.result != "nothing":
            self.refuse(function.node, "this function may end without an answer", "return one on each way")
        self.within.pop()
        lines, self.lines = tuple(self.lines), outer
        return lines

    def parameters(self) -> Iterator[tuple[str, Meaning]]:
        known = list(self.modelled.parameters)
        for name, kind in self.function.parameters.items():
            if kind in _UNTOLD:
                yield name, Meaning("_", "logger")
                continue
            while known and known[0][0] != kind and known[0][1:] == ("_", "pod"):
                known.pop(0)
            go, meaning, of = known.pop(0) if known else ("", "", "")
            is_there = all(
                hasattr(self.base, read) or read in getattr(self.base, "__dataclass_fields__", {})
                for read in re.findall(r"self\.(\w+)", meaning)
            )
            if kind != go or not is_there:
                self.refuse(
                    self.function.node, f"the model's {self.modelled.name} has no parameter `{name} {kind}` here",
                    "give it the parameters of the release",
                )  # fmt: skip
            yield name, Meaning(meaning, of)

    # -- statements ----------------------------------------------------------------------------------------------
    def run(self, frames: Frames, depth: int, in_loop: bool) -> bool:
        """Translate what is to be done; does each way end, by a return or with the pass of the loop?"""
        begin = len(self.lines)
        ended = False
        while frames and not ended:
            frame, rest = frames[0], frames[1:]
            if not frame.statements:
                frames = rest
                continue
            node, after = frame.statements[0], (replace(frame, statements=frame.statements[1:]), *rest)
            if node.type == "break_statement" and not node.named_children and _left_by(node).type != "for_statement":
                frames = after[1 + [one.is_case for one in after].index(True) :]
                continue
            if node.type in ("if_statement", "expression_switch_statement", "block") and _leaves(node):
                ended = self.branch(node, frame.scope, depth, after, in_loop)
                break
            ended = self.statement(node, frame.scope, depth, in_loop)
            frames = after
        if len(self.lines) == begin:
            self.write(depth, "pass", self.function.node)
        return ended

    def statement(self, node: Node, scope: LocalNames, depth: int, in_loop: bool) -> bool:
        match node.type:
            case "short_var_declaration" | "var_declaration":
                self.declare(node, scope, depth)
            case "assignment_statement" | "inc_statement" | "dec_statement":
                self.assign(node, scope, depth)
            case "expression_statement":
                self.ignore(node, scope, depth)
            case "return_statement" if self.result == "nothing" and not node.named_children:
                self.write(depth, "return", node)
                return True
            case "return_statement":
                values = [self.as_kind(part, self.result, scope) for part in expressions_of_return(node)]
                if [value.kind for value in values] != [self.result]:
                    self.refuse(node, "this is no answer of the function", "return one of its type")
                self.check(depth, node)
                self.write(depth, f"return {values[0].text}", node)
                return True
            case "continue_statement" if in_loop and not node.named_children:
                return True
            case "break_statement" if in_loop and not node.named_children:
                self.write(depth, f"{self.left[-1]} = True", node)
                return True
            case "if_statement" | "expression_switch_statement" | "block":
                return self.branch(node, scope, depth, (), in_loop)
            case "for_statement":
                self.loop(node, scope, depth)
            case _:
                self.refuse(node, f"`{node.type.removesuffix('_statement')}` is not read here", "write it otherwise")
        return False

    def branch(self, node: Node, scope: LocalNames, depth: int, after: Frames, in_loop: bool) -> bool:
        """An if, a switch or a block, and on each of its ways what comes after it."""
        inner = LocalNames(scope)
        if node.type == "block":
            return self.run((_Frame(tuple(statements(node)), inner), *_copied(after)), depth, in_loop)
        initializer = node.child_by_field_name("initializer")
        if initializer is not None:
            self.statement(initializer, inner, depth, in_loop)
        if node.type == "if_statement":
            otherwise = node.child_by_field_name("alternative")
            ways = [
                ([part_of(node, "condition")], tuple(statements(part_of(node, "consequence")))),
                ([], () if otherwise is None else (otherwise,)),
            ]
            return self.ways(ways, None, inner, depth, after, in_loop, False)
        value = node.child_by_field_name("value")
        tag = None if value is None else self.value(value, inner)
        if tag is not None:
            self.check(depth, node)
        return self.ways(list(self.cases(node)), tag, inner, depth, after, in_loop, True)

    def cases(self, node: Node) -> Iterator[tuple[list[Node], tuple[Node, ...]]]:
        """Conditions and statements of each case, `default` last; of one that falls through also those of the next."""
        found = [child for child in node.named_children if child.type in ("expression_case", "default_case")]
        bodies: dict[int, tuple[Node, ...]] = {}
        for number in reversed(range(len(found))):
            skipped = found[number].child_by_field_name("value")
            own = [one for one in statements_of_case(found[number]) if one != skipped]
            if own and own[-1].type == "fallthrough_statement":
                bodies[number] = (*own[:-1], *bodies[number + 1])
            else:
                bodies[number] = tuple(own)
            if any(True for one in bodies[number] for _ in inside(one, "fallthrough_statement")):
                self.refuse(found[number], "this leaves a case in its middle", "write it with if")
        default: tuple[list[Node], tuple[Node, ...]] = ([], ())
        for number, case in enumerate(found):
            if case.type == "default_case":
                default = ([], bodies[number])
            else:
                yield expressions(part_of(case, "value")), bodies[number]
        yield default

    def ways(
        self,
        ways: list[tuple[list[Node], tuple[Node, ...]]],
        tag: Meaning | None,
        scope: LocalNames,
        depth: int,
        after: Frames,
        in_loop: bool,
        is_case: bool,
    ) -> bool:
        """if, elif, …, else; the last one has no condition."""
        (conditions, body), *others = ways
        if not conditions:
            return self.run((_Frame(body, LocalNames(scope), is_case), *_copied(after)), depth, in_loop)
        asked, guards = [], len(self.guards)
        for condition in conditions:
            value = self.value(condition, scope)
            if tag is not None:
                value = self.compared("==", tag, value, condition)
            if value.kind != "bool":
                self.refuse(condition, "this is no condition", "compare it with something")
            asked.append(value.text)
            self.guards.append(negated(value.text))
        del self.guards[guards:]
        whether = "False"
        for one in asked:
            whether = disjunction(whether, one)
        self.check(depth, conditions[0])
        if whether == "False":
            self.unread |= dict.fromkeys(body)
            return self.ways(others, tag, scope, depth, after, in_loop, is_case)
        if whether == "True":
            self.unread |= dict.fromkeys(part for way, rest in others for part in (*way, *rest))
            return self.run((_Frame(body, LocalNames(scope), is_case), *_copied(after)), depth, in_loop)
        self.write(depth, f"if {whether}:", conditions[0])
        first = self.run((_Frame(body, LocalNames(scope), is_case), *_copied(after)), depth + 1, in_loop)
        before = len(self.lines)
        self.write(depth, "else:", conditions[0])
        second = self.ways(others, tag, scope, depth + 1, after, in_loop, is_case)
        if [line.text for line in self.lines[before + 1 :]] == ["pass"]:
            del self.lines[before:]
        return first and second

    def loop(self, node: Node, scope: LocalNames, depth: int) -> None:
        if any(child.type == "for_clause" for child in node.named_children):
            self.countdown(node, scope, depth)
            return
        clause = next((child for child in node.named_children if child.type == "range_clause"), None)
        if clause is None or clause.child_by_field_name("left") is None:
            self.refuse(node, "this loop is not read here", "write `for _, x := range list`")
        names = [text(name) for name in expressions(part_of(clause, "left"))]
        over = self.value(part_of(clause, "right"), scope)
        if over.kind not in LISTS or ":=" not in {text(child) for child in clause.children}:
            self.refuse(clause, "this is no list that the model has", "go through the containers of the spec")
        self.check(depth, clause)
        left = self.begin_breaks(node, depth)
        self.loops += 1
        index, inner = f"i{self.loops}", LocalNames(scope)
        inner[names[0]] = Meaning(index, "index", over.text)
        element, depth = self.begin_loop(over, index, depth, node)
        if names[1:]:
            inner[names[1]] = Meaning(element, LISTS[over.kind])
        self.passes(node, inner, depth, left)

    def begin_breaks(self, node: Node, depth: int) -> str:
        """The local that says whether a loop has been left; empty for one that goes through all."""
        if not any(_left_by(one) == node for one in inside(node, "break_statement")):
            return ""
        left = self.own("left")
        self.write(depth, f"{left} = False", node)
        return left

    def passes(self, node: Node, scope: LocalNames, depth: int, left: str) -> None:
        """The statements of a loop."""
        if left:
            self.write(depth, f"if not {left}:", node)
        self.left.append(left)
        self.run((_Frame(tuple(statements(part_of(node, "body"))), scope),), depth + bool(left), True)
        self.left.pop()

    def countdown(self, node: Node, scope: LocalNames, depth: int) -> None:
        """A loop from the last element of a list to the first."""
        clause = next(child for child in node.named_children if child.type == "for_clause")
        parts = [" ".join(text(part_of(clause, one)).split()) for one in ("initializer", "condition", "update")]
        said = re.fullmatch(r"(\w+) := len\((.+)\) - 1; \1 >= 0; \1--", "; ".join(parts))
        if said is None or any(text(one) == said[1] for one in _assigned(part_of(node, "body"))):
            self.refuse(clause, "this loop is not read here", "write `for i := len(list) - 1; i >= 0; i--`")
        (length,) = inside(part_of(clause, "initializer"), "call_expression")
        over = self.value(expressions(part_of(length, "arguments"))[0], scope)
        if over.kind not in LISTS or "conditions" in over.kind:
            self.refuse(clause, "this is no list that the model has", "go through the containers of the spec")
        self.check(depth, clause)
        left = self.begin_breaks(node, depth)
        self.loops += 1
        index, inner = f"i{self.loops}", LocalNames(scope)
        inner[said[1]] = Meaning(index, "index", over.text)
        self.write(depth, f"for {index} in range(len({over.text}) - 1, -1, -1):", node)
        self.passes(node, inner, depth + 1, left)

    def begin_loop(self, over: Meaning, index: str, depth: int, node: Node) -> tuple[str, int]:
        """The element of a pass, and the depth of its statements."""
        self.write(depth, f"for {index} in range(len({over.text})):", node)
        return f"{over.text}[{index}]", depth + 1

    def declare(self, node: Node, scope: LocalNames, depth: int) -> None:
        for spec in [node] if node.type == "short_var_declaration" else inside(node, "var_spec"):
            if spec.type == "short_var_declaration":
                names, given = expressions(part_of(spec, "left")), expressions(part_of(spec, "right"))
            else:
                names, given = spec.children_by_field_name("name"), expressions(spec.child_by_field_name("value"))
            if not given:
                kind = TYPES.get(text(part_of(spec, "type")), "")
                if self.zero(kind) is None:
                    self.refuse(spec, "nothing is known of this type", "use bool or int")
                values = [Meaning(self.zero(kind) or "", kind)] * len(names)
            elif len(given) == 1:
                values = list(self.values(given[0], scope))
            else:
                values = [self.value(one, scope) for one in given]
            if len(values) != len(names):
                self.refuse(spec, "there are not as many values as names", "give each name one")
            self.check(depth, spec)
            again = [name for name in map(text, names) if name in scope.declared and is_variable(scope[name].kind)]
            if again and spec.type == "short_var_declaration":
                self.refuse(spec, f"`{again[0]}` is the one that is there already", "give it another name")
            made: dict[str, Meaning] = {}
            for name, value in zip(map(text, names), values, strict=True):
                if name != "_":
                    made[name] = self.kept(name, value, depth, spec)
            scope.update(made)
            scope.declared |= made.keys()

    def kept(self, name: str, value: Meaning, depth: int, node: Node) -> Meaning:
        """A local: a variable of the translation, or another name for what it is given."""
        if not is_variable(value.kind):
            return value
        own = self.own(name)
        self.write(depth, f"{own} = {value.text}", node)
        return Meaning(own, value.kind, own)

    def assign(self, node: Node, scope: LocalNames, depth: int) -> None:
        if node.type != "assignment_statement":
            target, value = self.target(node.named_children[0], scope), Meaning("1", "int")
            sign = "+=" if node.type == "inc_statement" else "-="
            if target.kind == "seconds":
                self.refuse(node, "this assignment is not read here", "write it with `+=`")
        else:
            left, right = expressions(part_of(node, "left")), expressions(part_of(node, "right"))
            sign = text(part_of(node, "operator"))
            if sign == "=" and (len(left) > 1 or text(left[0]) == "_"):
                self.assign_each(node, scope, depth)
                return
            if len(left) != 1 or len(right) != 1 or sign not in ("=", "+=", "-="):
                self.refuse(node, "this assignment is not read here", "assign one value to one name")
            target = self.target(left[0], scope)
            value = self.as_kind(right[0], target.kind, scope)
        if value.kind != target.kind or (sign != "=" and value.kind not in ("int", "seconds")):
            self.refuse(node, "this is a value of another kind", "assign one of the same type")
        if sign != "=" and value.kind == "seconds":
            value, sign = self.sum_of(target, sign[0], value), "="
        self.check(depth, node)
        self.write(depth, f"{target.text} {sign} {value.text}", node)

    def assign_each(self, node: Node, scope: LocalNames, depth: int) -> None:
        """All values are read before the first is assigned."""
        left, right = expressions(part_of(node, "left")), expressions(part_of(node, "right"))
        targets = [None if text(one) == "_" else self.target(one, scope) for one in left]
        if len(right) == 1:
            values = list(self.values(right[0], scope))
        else:
            values = [self.as_kind(one, t.kind if t else "", scope) for one, t in zip(right, targets, strict=False)]
        kinds = [value.kind for value in values]
        if len(values) != len(targets) or any(t and t.kind != kind for t, kind in zip(targets, kinds, strict=True)):
            self.refuse(node, "these are values of another kind", "assign one of the same type to each name")
        self.check(depth, node)
        pairs = [(t, self.kept("each", v, depth, node)) for t, v in zip(targets, values, strict=True) if t is not None]
        for target, value in pairs:
            self.write(depth, f"{target.text} = {value.text}", node)

    def target(self, node: Node, scope: LocalNames) -> Meaning:
        found = scope.get(text(node))
        if found is None or not found.key or not is_variable(found.kind):
            self.refuse(node, "only a local is assigned to", "write to a name that the function declares")
        return found

    def ignore(self, node: Node, scope: LocalNames, depth: int) -> None:
        """A call whose answer nobody reads: one that does something, or one that only tells."""
        call = node.named_children[0]
        called = self.called(call, scope)
        said = called or self.said(call, scope)
        if said is None and call.type == "call_expression" and (helper := self.helper(call, scope)) is not None:
            said = (self.call_of(helper, call, scope),)
        if said is None:
            told = [holes for _, holes in self.vocabulary.match("ignore", call)]
            if not any(all(self.fits(name, hole, scope) for name, hole in holes.items()) for holes in told):
                self.refuse(node, "nothing is known of what this does", "leave it out")
            while call.type == "call_expression":
                self.read_each(part_of(call, "arguments"), scope)
                function = part_of(call, "function")
                call = function.child_by_field_name("operand") or function
        elif called is None and [one.kind for one in said] != ["nothing"]:
            self.refuse(node, "what this answers is not read", "assign it to something")
        self.check(depth, node)


def statements_of_case(case: Node) -> list[Node]:
    """The statements below a case."""
    found = [child for child in case.named_children if child.type not in ("comment", "expression_list")]
    if len(found) == 1 and found[0].type == "statement_list":
        return statements(case if case.type != "expression_case" else found[0])
    return found


def _copied(frames: Frames) -> Iterator[_Frame]:
    """What comes after a way, which declares its names anew on each."""
    return (replace(frame, scope=frame.scope.copied()) for frame in frames)


def _assigned(node: Node) -> Iterator[Node]:
    """What is assigned to inside."""
    for one in inside(node, "assignment_statement", "inc_statement", "dec_statement"):
        yield from expressions(one.child_by_field_name("left")) or one.named_children[:1]


def _leaves(node: Node) -> bool:
    """Does a way through it end the loop, its pass, or the case that it is in?"""
    ends = inside(node, "continue_statement", "break_statement")
    return any(one.named_children or not node.start_byte <= _left_by(one).start_byte < node.end_byte for one in ends)


def _left_by(node: Node) -> Node:
    """The loop or switch that `break`, or the loop of which `continue` ends the pass."""
    kinds = ("for_statement", "expression_switch_statement") if node.type == "break_statement" else ("for_statement",)
    parent = node.parent
    while parent is not None and parent.type not in kinds:
        parent = parent.parent
    assert parent is not None, "Go does not compile"
    return parent
