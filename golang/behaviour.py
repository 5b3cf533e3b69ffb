"""Do two texts of a function do the same? If their trees are one, they do, whatever the functions do that they call."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from podproof.golang.decisions import DecisionTranslation, Ways, line_of
from podproof.golang.syntax import (
    GoFunction,
    expressions,
    expressions_of_return,
    function_of,
    inside,
    signature,
    statements,
    text,
    unwrapped,
)
from podproof.golang.syntax import field as part_of
from podproof.golang.terms import (
    LITERALS,
    Act,
    GoVariable,
    KnownHere,
    NotFollowed,
    Scope,
    Term,
    TermNumbers,
    changed_in_place,
)

if TYPE_CHECKING:
    from tree_sitter import Node

Frames = tuple[Any, ...] | None
"""What is to be done, the next first: a kind and its parts, and the frames below."""
_END = ("end",)
"""The frame where ways meet again."""
_MOST_DEEP = 80
"""So many decisions that end a function early may be one in the other."""

_MOST_AGAIN = 3
"""So often a helper is followed within itself."""


@dataclass(frozen=True)
class _Ended:
    """Nothing is left to be done here."""

    state: KnownHere | None


@dataclass(frozen=True)
class _Bare:
    """A statement whose initializer is done."""

    node: Node


class BehaviourTranslation(DecisionTranslation):
    """The statements of one text of a function."""

    def __init__(
        self,
        terms: TermNumbers,
        imports: Mapping[str, str],
        helpers: Mapping[str, GoFunction],
        logs: Callable[[Node], Iterable[Node]],
    ) -> None:
        super().__init__(terms, imports, helpers)
        self.logs, self.deep = logs, 0
        self.ignored: set[Node] = set()

    def function(self, function: GoFunction) -> list[Act]:
        """What a function does."""
        self.look_at(function.node)
        state, out = KnownHere({}, self.terms.make("start")), list[Act]()
        given = [self.terms.make("given", i) for i in range(1 + len(function.parameters))]
        scope = self.enter(function, given, state, out)
        return out + self.run(_block(function.body, scope, (("function", function, scope), None)), state)[0]

    def enter(
        self, function: GoFunction, given: Sequence[Term], state: KnownHere, out: list[Act], scope: Scope | None = None
    ) -> Scope:
        """The scope of a function's body: its receiver, its parameters and its named results."""
        scope = scope or {}
        pairs = [(function.receiver_name, f"{'*' * function.is_pointer}{function.receiver}")] * bool(function.receiver)
        for (name, type_), value in zip([*pairs, *function.parameters.items()], given, strict=False):
            scope = self.declare(name or "_", type_, value, scope, state, out, function.node)
        for name, type_ in function.results:
            scope = self.declare(name or "_", type_, self.terms.make("zero", type_), scope, state, out, function.node)
        return scope

    def look_at(self, node: Node) -> None:
        """Note what of a function changes in place; refuse what a literal shares with it and may be another then."""
        changed, addressed = changed_in_place(node)
        self.in_place, self.addressed = self.in_place | changed, self.addressed | addressed
        self.ignored |= {line for line in self.logs(node) if line.type == "expression_statement"}
        declared: list[str] = []
        for one in inside(node, "short_var_declaration"):
            declared += map(text, expressions(part_of(one, "left")))
        function = function_of(node)
        results = () if function is None else (name for name, _ in function.results)  # `return` sets them.
        several = {name for name in declared if declared.count(name) > 1}.union(_assigned(node), results)
        for literal in inside(node, "func_literal"):
            if shared := several.intersection(map(text, inside(literal, "identifier"))) - {"_"}:
                raise NotFollowed(f"`{min(shared)}`, of which a function literal reads, is set more than once", literal)

    def function_literal(self, node: Node, scope: Scope, state: KnownHere, out: list[Act]) -> Term:
        """What it reads is read when it runs."""
        function, number, steps, known = function_of(node), self.next(), list[Act](), self.known
        if function is None:
            raise NotFollowed("a function with any number of arguments is not followed", node)
        inner = KnownHere(dict(state.values), self.terms.make("within", number))
        given = [self.terms.make("given", number, i) for i in range(len(function.parameters))]
        scope = self.enter(function, given, inner, steps, scope)
        steps += self.run(_block(function.body, scope, (("function", function, scope), None)), inner)[0]
        out.append(Act(("literal", number, *signature(function)), line_of(node), (tuple(steps),)))
        self.known = known
        return self.terms.make("made", number)

    # -- what is to be done ------------------------------------------------------------------------------------------

    def run(self, frames: Frames, state: KnownHere) -> Ways:
        """The acts of what is to be done, and what is known where it meets with other ways."""
        out: list[Act] = []
        while frames is not None:
            (kind, *parts), below = frames
            match kind:
                case "end":
                    return out, state
                case "function":
                    return out, None
                case "body":
                    _, _, numbers, _ = parts
                    values = [state.values[number] for number in numbers]
                    return [*out, *([Act(("next", *values), 0)] if values else [])], None
                case "block":
                    nodes, i, scope, self.known = parts
                    if i == len(nodes):
                        frames = below
                        continue
                    done = self.statement(nodes[i], scope, (("block", nodes, i + 1, scope, {}), below), state, out)
                    if isinstance(done, _Ended):
                        return out, done.state
                    frames = done
                case "post":
                    node, scope, _ = parts
                    frames = (("block", [node], 0, scope, {}), below)
                case "if" | "cases":
                    self.deep += 1
                    if self.deep > _MOST_DEEP:
                        raise NotFollowed("it has too many ways through it, one in the other", parts[0])
                    steps, end = (self.either_way if kind == "if" else self.cases)(parts, below, state)
                    self.deep -= 1
                    return out + steps, end
                case _:  # The end of a switch, or of a function that is followed.
                    frames = below
        raise AssertionError("nothing ends this")

    def statement(
        self, node: Node | _Bare, scope: Scope, after: Frames, state: KnownHere, out: list[Act]
    ) -> Frames | _Ended:
        """Do a statement; what is to be done then."""
        assert after is not None
        statement, is_bare = (node.node, True) if isinstance(node, _Bare) else (node, False)
        if statement in self.ignored or statement.type in ("comment", "empty_statement"):
            return after
        initializer = statement.child_by_field_name("initializer") if statement.type in _WAYS else None
        if initializer is not None and not is_bare:
            return ("block", [initializer, _Bare(statement)], 0, scope, {}), after
        call = self.first_followed(statement, scope)
        if call is not None:
            return self.follow(call, node, scope, after, state, out)
        match statement.type:
            case "expression_statement":
                called = statement.named_children[0]
                logged = self.log_line(called, scope, state) if called.type == "call_expression" else None
                if logged is not None:
                    self.operands(logged, scope, state, out)
                    return after
                self.value(called, scope, state, out)
                if text(called).startswith("panic(") and "panic" not in scope:
                    out.append(Act(("ends",), line_of(statement)))
                    return _Ended(None)
                return after
            case "short_var_declaration" | "assignment_statement" | "inc_statement" | "dec_statement":
                return _in_scope(after, self.assignment(statement, scope, state, out))
            case "var_declaration":
                return _in_scope(after, self.declaration(statement, scope, state, out))
            case "block":
                return _block(statement, scope, after)
            case "if_statement":
                return self.fork((("if", statement, scope, self.known), None), after, state, out, _may_leave(statement))
            case "expression_switch_statement":
                return self.switch(statement, scope, after, state, out)
            case "for_statement":
                return self.loop(statement, "", scope, after, state, out)
            case "labeled_statement":
                inner = [child for child in statement.named_children if child.type not in ("label_name", "comment")]
                if len(inner) == 1 and inner[0].type == "for_statement":
                    return self.loop(inner[0], text(part_of(statement, "label")), scope, after, state, out)
            case "return_statement":
                return self.returned(statement, scope, after, state, out)
            case "break_statement" | "continue_statement":
                return self.left(statement, after, state, out)
            case "defer_statement" | "go_statement":
                self.call(statement.named_children[0], scope, state, out, statement.type)
                return after
            case "send_statement":
                parts = self.operands([part_of(statement, "channel"), part_of(statement, "value")], scope, state, out)
                out.append(self.pass_step(state, "send", statement, *parts)[0])
                return after
        raise NotFollowed(f"`{text(statement)[:40]}` is not followed", statement)

    # -- ways --------------------------------------------------------------------------------------------------------

    def fork(self, ways: Frames, after: Frames, state: KnownHere, out: list[Act], leaves: bool) -> Frames | _Ended:
        """Go one of several ways, and do what comes then: once, or on each of them if some leave."""
        is_apart = leaves or _is_last(after)
        steps, end = self.run(_upon(ways, after if is_apart else (_END, None)), state.copy())
        out += steps
        if is_apart or end is None:
            return _Ended(end)
        state.become(end)
        return after

    def either_way(self, parts: Sequence[Any], below: Frames, state: KnownHere) -> Ways:
        node, scope, self.known = parts
        alternative = node.child_by_field_name("alternative")
        if alternative is None:
            otherwise = below
        elif alternative.type == "block":
            otherwise = _block(alternative, scope, below)
        else:
            otherwise = (("block", [alternative], 0, scope, {}), below)
        then = _block(part_of(node, "consequence"), scope, below)
        return self.decide(
            part_of(node, "condition"), scope, state, lambda s: self.run(then, s), lambda s: self.run(otherwise, s)
        )

    def switch(self, node: Node, scope: Scope, after: Frames, state: KnownHere, out: list[Act]) -> Frames | _Ended:
        value = node.child_by_field_name("value")
        tag = None if value is None else self.value(value, scope, state, out)
        cases = [child for child in node.named_children if child.type == "expression_case"]
        default = next((child for child in node.named_children if child.type == "default_case"), None)
        found = (("cases", node, cases, 0, default, tag, scope), (("switch",), None))
        return self.fork(found, after, state, out, any(map(_may_leave, [*cases, *([default] if default else [])])))

    def cases(self, parts: Sequence[Any], below: Frames, state: KnownHere) -> Ways:
        node, cases, i, default, tag, scope = parts
        if i == len(cases):
            return self.run(below if default is None else _block_of(_case(default), scope, below), state)
        then = _block_of(_case(cases[i]), scope, below)
        others = expressions(part_of(cases[i], "value"))

        def ask(place: int, known: KnownHere) -> Ways:
            if place == len(others):
                return self.cases((node, cases, i + 1, default, tag, scope), below, known)
            self.known = {}
            if tag is None:
                return self.decide(
                    others[place], scope, known, lambda s: self.run(then, s), lambda s: ask(place + 1, s)
                )
            out: list[Act] = []
            value = self.value(others[place], scope, known, out)
            is_it = self.equal(tag, value, others[place].type in LITERALS, known, out, others[place])
            steps, end = self.decide_on(
                is_it, line_of(others[place]), known, lambda s: self.run(then, s), lambda s: ask(place + 1, s)
            )
            return out + steps, end

        return ask(0, state)

    def left(self, node: Node, after: Frames, state: KnownHere, out: list[Act]) -> Frames | _Ended:
        """`break` and `continue`."""
        label = next((text(child) for child in node.named_children if child.type == "label_name"), "")
        is_break, frames = node.type == "break_statement", after
        while frames is not None:
            (kind, *parts), below = frames
            if kind == "switch" and is_break and not label:
                found: Frames = below
                return found
            if kind == "post" and not is_break and label in ("", parts[2]):
                return frames
            if kind == "body":
                _, own, numbers, _ = parts
                if label not in ("", own):
                    break
                if not is_break:
                    return frames
                out.append(Act(("break", *(state.values[number] for number in numbers)), line_of(node)))
                return _Ended(None)
            frames = below
        raise NotFollowed(f"`{text(node)}` leaves more than its own loop", node)

    def returned(self, node: Node, scope: Scope, after: Frames, state: KnownHere, out: list[Act]) -> Frames | _Ended:
        frames, in_loop, line = after, False, line_of(node)
        while frames is not None and frames[0][0] not in ("function", "call"):
            if frames[0][0] == "body":
                in_loop = True
                frames = frames[0][-1]
            else:
                frames = frames[1]
        assert frames is not None, "a return within a way that does not leave"
        (kind, function, own, *numbers), below = frames
        given = expressions_of_return(node)
        is_bool = [type_ for _, type_ in function.results] == ["bool"] and len(given) == 1
        if kind == "function" and is_bool and unwrapped(given[0]).type in ("binary_expression", "unary_expression"):
            answers = [self.terms.make("literal", answer) for answer in ("true", "false")]
            ends = [lambda s, answer=answer: ([Act(("return", answer), line)], None) for answer in answers]
            steps, _ = self.decide(given[0], scope, state, *ends)
            out += steps
            return _Ended(None)
        if given:
            values = self.values_of([given[0]] * len(function.results), given, scope, state, out)
        elif all(name in own for name, _ in function.results):
            values = [self.variable(name, own, state) for name, _ in function.results]
        else:
            raise NotFollowed("its results have no names", node)
        if kind == "function":
            if values or in_loop:
                out.append(Act(("return", *values), line))
            return _Ended(None)
        if in_loop:
            raise NotFollowed("a helper returns from within a loop", node)
        parts = given if len(given) == len(values) else [None] * len(values)
        for number, (_, type_), part, value in zip(numbers, function.results, parts, values, strict=True):
            state.values[number] = self.as_type(type_, part, value, scope)
        then: Frames = below
        return then

    def variable(self, name: str, scope: Scope, state: KnownHere) -> Term:
        number = scope[name]
        value = state.values[number]
        return self.terms.make("read", value, state.memory) if self.variables[number].is_place else value

    def loop(
        self, node: Node, label: str, scope: Scope, after: Frames, state: KnownHere, out: list[Act]
    ) -> Frames | _Ended:
        """Its body once, from any of its passes: what a pass sets is what it is at its start."""
        body, make = part_of(node, "body"), self.terms.make
        clause = next((c for c in node.named_children if c != body and c.type != "comment"), None)
        parts = {} if clause is None or clause.type != "for_clause" else {
            name: clause.child_by_field_name(name) for name in ("initializer", "condition", "update")
        }  # fmt: skip
        initializer, post = parts.get("initializer"), parts.get("update")
        if initializer is not None:
            scope = self.assignment(initializer, scope, state, out)
        ranged = clause if clause is not None and clause.type == "range_clause" else None
        condition = parts.get("condition") if parts or ranged is not None else clause
        subject = [] if ranged is None else [self.value(part_of(ranged, "right"), scope, state, out)]
        names = [] if ranged is None else expressions(ranged.child_by_field_name("left"))
        is_declared = ranged is not None and any(child.type == ":=" for child in ranged.children)
        assigned = {*_assigned(node), *(() if is_declared else map(text, names))}
        numbers = sorted(scope[name] for name in assigned if name in scope and not self.variables[scope[name]].is_place)
        number, inner, steps = self.next(), state.copy(), list[Act]()
        starts = [state.values[one] for one in numbers]
        for i, one in enumerate(numbers):
            inner.values[one] = make("in loop", number, i)
        inner.memory = make("after", self.next())
        for i, name in enumerate(names):
            value = make("passed", number, i)
            if is_declared:
                type_ = self.type_of_elements(part_of(ranged, "right"), scope) if i and ranged is not None else ""
                scope = self.declare(text(name), type_, value, scope, inner, steps, node)
            else:
                self.store(name, value, scope, inner, steps)
        bottom: Frames = (("body", number, label, numbers, after), None)
        if post is not None:
            bottom = (("post", post, scope, label), bottom)
        passes = _block(body, scope, bottom)
        if condition is None:
            steps += self.run(passes, inner)[0]
        else:
            self.known = {}

            def ended(known: KnownHere) -> Ways:
                return [Act(("done", *(known.values[one] for one in numbers)), 0)], None

            steps += self.decide(condition, scope, inner, lambda s: self.run(passes, s), ended)[0]
        kind = "range" if ranged is not None else "for"
        out.append(Act(("loop", number, kind, len(names), *subject, *starts), line_of(node), (tuple(steps),)))
        for i, one in enumerate(numbers):
            state.values[one] = make("after loop", number, i)
        state.memory = make("after", self.next())
        return after

    def type_of_elements(self, node: Node, scope: Scope) -> str:
        """The type of what a list has, where that is known."""
        known = scope.get(text(node))
        type_ = "" if known is None else self.variables[known].type
        return type_.removeprefix("[]") if type_.startswith("[]") else ""

    # -- helpers -----------------------------------------------------------------------------------------------------

    def first_followed(self, node: Node, scope: Scope) -> Node | None:
        """The call of a helper that a statement begins with, if it is to be followed before the rest."""
        found: Node | None = None
        match node.type:
            case "expression_statement":
                found = node.named_children[0]
            case "short_var_declaration" | "assignment_statement":
                right = expressions(part_of(node, "right"))
                is_plain = all(part.type == "identifier" for part in expressions(part_of(node, "left")))
                found = right[0] if is_plain and len(right) == 1 else None
            case "return_statement":
                given = expressions_of_return(node)
                found = given[0] if len(given) == 1 else None
            case "if_statement":
                found = part_of(node, "condition")
        while found is not None:
            found = unwrapped(found)
            if found.type == "unary_expression" and text(part_of(found, "operator")) == "!":
                found = part_of(found, "operand")
            elif found.type == "binary_expression" and text(part_of(found, "operator")) in ("&&", "||"):
                found = part_of(found, "left")
            else:
                break
        is_followed = found is not None and found not in self.known and self.helper(found, scope) is not None
        return found if is_followed else None

    def helper(self, call: Node, scope: Scope) -> GoFunction | None:
        """The helper that is called, if it is one that can be followed."""
        if call.type != "call_expression":
            return None
        called = unwrapped(part_of(call, "function"))
        name = ""
        if called.type == "identifier" and text(called) not in scope:
            name = text(called)
        elif called.type == "selector_expression" and text(part_of(called, "operand")) in scope:
            type_ = self.variables[scope[text(part_of(called, "operand"))]].type
            name = f"{type_.removeprefix('*')}.{text(part_of(called, 'field'))}" if type_.startswith("*") else ""
        found = self.helpers.get(name)
        if found is None or (found.receiver and not found.is_pointer) or self.active.count(found.name) > _MOST_AGAIN:
            return None
        arguments = expressions(part_of(call, "arguments"))
        is_plain = len(arguments) == len(found.parameters) and not any(a.type == "variadic_argument" for a in arguments)
        defers = any(True for _ in inside(found.body, "defer_statement"))
        return found if is_plain and not defers and "recover()" not in text(found.body) else None

    def follow(
        self, call: Node, node: Node | _Bare, scope: Scope, after: Frames, state: KnownHere, out: list[Act]
    ) -> Frames | _Ended:
        """What a helper does in the place of its call, and then the statement."""
        function, known = self.helper(call, scope), self.known
        assert function is not None
        self.look_at(function.node)
        self.followed.add(call)
        arguments = expressions(part_of(call, "arguments"))
        values = self.operands(arguments, scope, state, out)
        types = list(function.parameters.values())
        given = [self.as_type(*one, scope) for one in zip(types, arguments, values, strict=True)]
        if function.receiver:
            given.insert(0, self.place(part_of(unwrapped(part_of(call, "function")), "operand"), scope, state, out))
        own = self.enter(function, given, state, out)
        statement = node.node if isinstance(node, _Bare) else node
        is_alone = statement.type == "expression_statement"
        numbers = [self.result(type_) for _, type_ in function.results]
        self.active.append(function.name)
        if is_alone and _is_last(after) and not function.results:
            steps, end = self.run(_block(function.body, own, (("call", function, own), after)), state.copy())
            self.active.pop()
            out += steps
            return _Ended(end)
        found = {**known, call: tuple(numbers)}
        if statement.type == "if_statement":  # What it answers decides on each of its ways.
            decided = (("if", statement, scope, found), None)
            ways = _block(function.body, own, (("call", function, own, *numbers), decided))
            done = self.fork(ways, after, state, out, _may_leave(statement))
            self.active.pop()
            return done
        bottom = (("call", function, own, *numbers), (_END, None))
        steps, end = self.run(_block(function.body, own, bottom), state.copy())
        self.active.pop()
        out += steps
        if end is None:
            return _Ended(None)
        state.become(end)
        if is_alone:
            return after
        assert after is not None
        (_, nodes, i, *_), below = after
        return ("block", nodes, i - 1, scope, found), below

    def result(self, type_: str) -> int:
        """Where a result of a helper is kept."""
        self.variables.append(GoVariable(type_, False))
        return len(self.variables) - 1


_WAYS = ("if_statement", "expression_switch_statement")


def _block(block: Node, scope: Scope, below: Frames) -> Frames:
    return _block_of(statements(block), scope, below)


def _block_of(nodes: list[Node], scope: Scope, below: Frames) -> Frames:
    return ("block", nodes, 0, scope, {}), below


def _case(case: Node) -> list[Node]:
    lists = [child for child in case.named_children if child.type == "statement_list"]
    return statements(lists[0]) if lists else []


def _in_scope(frames: Frames, scope: Scope) -> Frames:
    assert frames is not None
    (kind, nodes, i, _, known), below = frames
    return (kind, nodes, i, scope, known), below


def _upon(frames: Frames, below: Frames) -> Frames:
    """Frames with others below them."""
    if frames is None:
        return below
    return frames[0], _upon(frames[1], below)


def _is_last(frames: Frames) -> bool:
    """Is nothing to be done besides ending a function or a pass of a loop, or meeting other ways?"""
    while frames is not None:
        (kind, *parts), frames = frames
        if kind in ("function", "body", "post", "end"):
            return True
        if (kind == "block" and parts[1] < len(parts[0])) or (kind == "call" and len(parts) > 2):
            return False
    return True


def _may_leave(node: Node) -> bool:
    """May a statement end more than itself?"""
    pending = [(child, False, False) for child in node.named_children]
    while pending:
        part, in_loop, in_switch = pending.pop()
        match part.type:
            case "func_literal":
                continue
            case "return_statement" | "goto_statement":
                return True
            case "break_statement" | "continue_statement":
                inner = in_loop or (in_switch and part.type == "break_statement")
                if part.named_children or not inner:
                    return True
            case "call_expression" if text(part).startswith("panic("):
                return True
        in_loop = in_loop or part.type == "for_statement"
        in_switch = in_switch or part.type.endswith(("switch_statement", "select_statement"))
        pending += [(child, in_loop, in_switch) for child in part.named_children]
    return False


def _assigned(node: Node) -> Iterator[str]:
    """The names that are set in it, other than where they are declared."""
    for one in inside(node, "assignment_statement", "inc_statement", "dec_statement", "range_clause"):
        match one.type:
            case "assignment_statement":
                places = expressions(part_of(one, "left"))
            case "range_clause":
                is_declared = any(child.type == ":=" for child in one.children)
                places = [] if is_declared else expressions(one.child_by_field_name("left"))
            case _:
                places = one.named_children
        yield from (text(place) for place in map(unwrapped, places) if place.type == "identifier")
