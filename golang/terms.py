"""What a function does, as a tree: what Go's expressions are in it, and which of them do something.

The tree is the function without its names and its layout: each value is told by what made it, and each read of memory
by the step after which it is made. So two texts with one tree do the same steps, in the same order and on the same
conditions, whatever the functions do that they call.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from podproof.golang.syntax import GoFunction, expressions, inside, text, unwrapped
from podproof.golang.syntax import field as part_of

if TYPE_CHECKING:
    from tree_sitter import Node

Term = int
"""A value, by its number in `TermNumbers`."""
Scope = Mapping[str, int]
"""Name -> the number of the variable that it is of here."""


class NotFollowed(Exception):
    """A form that is not followed, so that nobody can tell whether two texts do the same."""

    def __init__(self, what: str, at: Node) -> None:
        super().__init__(what)
        self.line = at.start_point[0] + 1


class TermNumbers:
    """Each value once: what is made of the same parts is the same number."""

    def __init__(self) -> None:
        self._numbers: dict[tuple[object, ...], Term] = {}
        self.parts: list[tuple[object, ...]] = []

    def make(self, *parts: object) -> Term:
        if parts not in self._numbers:
            self._numbers[parts] = len(self.parts)
            self.parts.append(parts)
        return self._numbers[parts]


@dataclass(frozen=True)
class Act:
    """A step of a function, what it is made of, and what follows in its branches or its body."""

    made_of: tuple[object, ...]
    line: int = field(compare=False)
    within: tuple[tuple[Act, ...], ...] = ()


@dataclass
class KnownHere:
    """What is known at a place of a function."""

    values: dict[int, Term]
    """What each variable is, or where it is if it may change without being assigned."""
    memory: Term
    """After which step a read is made."""
    facts: dict[Term, bool] = field(default_factory=dict)
    """What was decided on the way."""
    checked: set[Term] = field(default_factory=set)
    """What would have panicked on the way."""

    def copy(self) -> KnownHere:
        return KnownHere(dict(self.values), self.memory, dict(self.facts), set(self.checked))

    def become(self, other: KnownHere) -> None:
        self.values, self.memory, self.facts, self.checked = other.values, other.memory, other.facts, other.checked


@dataclass(frozen=True)
class GoVariable:
    """A variable of a function that is followed."""

    type: str
    """As written; empty where that is not said."""
    is_place: bool
    """May it change in place, by one of its methods or through a pointer to it?"""


KLOG = "k8s.io/klog/v2"
_LOGS = re.compile(r"(?:Info|Warning|Error)(?:S|f|ln)?")
_VALUES = re.compile(r"\*.*|\[\].*|map\[.*|chan .*|func\(.*|bool|string|types\.UID|context\.Context|error|klog\.Logger")
"""Types of variables whose methods do not change them."""
_SAME = re.compile(
    r"\*.*|\[\].*|map\[.*|bool|string|types\.UID|klog\.Logger|kubetypes\.SyncPodType|v1\.Pod\w+"
    r"|time\.(?:Time|Duration)|u?int(?:8|16|32|64)?|float(?:32|64)"
)
"""Types as which a value that is handed on is what it was."""
LITERALS = frozenset(
    ("int_literal", "float_literal", "imaginary_literal", "rune_literal", "interpreted_string_literal",
     "raw_string_literal", "nil", "true", "false")
)  # fmt: skip
_TYPES = (
    "type_identifier", "qualified_type", "pointer_type", "map_type", "slice_type", "array_type", "channel_type",
    "function_type", "struct_type", "interface_type", "generic_type",
)  # fmt: skip


class TermTranslation:
    """The expressions of one text of a function, and of the helpers that are followed with it."""

    def __init__(self, terms: TermNumbers, imports: Mapping[str, str], helpers: Mapping[str, GoFunction]) -> None:
        self.terms, self.imports, self.helpers = terms, imports, helpers
        self.followed: set[Node] = set()
        """The calls of helpers that are followed."""
        self.known: Mapping[Node, tuple[int, ...]] = {}
        """Where the results are of the calls that were followed before the statement that they are of."""
        self.variables: list[GoVariable] = []
        self.in_place = self.addressed = frozenset[str]()
        """The names that may be of a variable that changes in place, and those of which so may a pointer."""
        self.active: list[str] = []
        self.count = self.work = 0

    def next(self) -> int:
        self.count += 1
        return self.count

    def pass_step(self, state: KnownHere, kind: str, at: Node, *parts: object) -> tuple[Act, int]:
        """A step after which memory may be another one."""
        number = self.next()
        state.memory = self.terms.make("after", number)
        return Act((kind, number, *parts), at.start_point[0] + 1), number

    # -- variables ---------------------------------------------------------------------------------------------------

    def declare(
        self, name: str, type_: str, value: Term, scope: Scope, state: KnownHere, out: list[Act], at: Node
    ) -> Scope:
        """A new variable, and the scope in which it has its name."""
        if name == "_":
            return scope
        if name in ("true", "false", "nil"):
            raise NotFollowed(f"`{name}` is declared anew", at)
        is_place = name in self.addressed or (name in self.in_place and not _VALUES.fullmatch(type_))
        self.variables.append(GoVariable(type_, is_place))
        number = len(self.variables) - 1
        if is_place:
            made = self.next()
            out.append(Act(("variable", made, value), at.start_point[0] + 1))
            value = self.terms.make("place", made)
        state.values[number] = value
        return {**scope, name: number}

    def assign(self, name: Node, value: Term, scope: Scope, state: KnownHere, out: list[Act]) -> None:
        number = scope.get(text(name))
        if number is None:
            if text(name) == "_":
                return
            step, _ = self.pass_step(state, "set", name, "global", text(name), value)
            out.append(step)
        elif self.variables[number].is_place:
            step, _ = self.pass_step(state, "set", name, state.values[number], value)
            out.append(step)
        else:
            state.values[number] = value

    def as_type(self, type_: str, given: Node | None, value: Term, scope: Scope) -> Term:
        """A value where it is handed on as another type, which may make an interface of it."""
        number = scope.get(text(given)) if given is not None and given.type == "identifier" else None
        if number is not None and self.variables[number].type == type_:
            return value
        if given is not None and given.type == "nil":
            # As a pointer it is not nil any longer where an interface is due.
            same = type_ in ("error", "context.Context", "any", "interface{}")
        elif re.match("u?int|float|time.D", type_):
            same = number is not None and _SAME.fullmatch(type_) is not None
        else:
            same = _SAME.fullmatch(type_) is not None and (
                number is not None or type_ in ("bool", "string") or not _may_be_constant(given)
            )
        return value if same else self.terms.make("as", type_, value)

    # -- expressions -------------------------------------------------------------------------------------------------

    def check(self, term: Term, state: KnownHere, out: list[Act], at: Node) -> None:
        """What panics if it is not so, unless that was asked on the way."""
        if term not in state.checked:
            state.checked.add(term)
            out.append(Act(("check", term), at.start_point[0] + 1))

    def operands(self, nodes: Sequence[Node], scope: Scope, state: KnownHere, out: list[Act]) -> list[Term]:
        """Go does not say whether what is no call is read before or after the calls beside it."""
        found, after = [], []
        for node in nodes:
            found.append(self.value(node, scope, state, out))
            after.append(state.memory)
        for i, node in enumerate(nodes):
            if after[i] != state.memory and not self.is_fixed(node, scope, state):
                found[i] = self.terms.make("unordered", found[i])
        return found

    def is_fixed(self, node: Node, scope: Scope, state: KnownHere) -> bool:
        """Is it the same, whichever calls come before?"""
        match node.type:
            case "identifier":
                return text(node) in scope and not self.variables[scope[text(node)]].is_place
            case "call_expression":
                return not self.is_pure(node, scope, state)
        return node.type == "func_literal" or node.type in LITERALS

    def place(self, node: Node, scope: Scope, state: KnownHere, out: list[Act]) -> Term:
        """What a field or a method is selected of: a variable that changes in place is not read for that."""
        node = unwrapped(node)
        if node.type == "identifier" and text(node) in scope:
            number = scope[text(node)]
            if self.variables[number].is_place:
                return state.values[number]
        return self.value(node, scope, state, out)

    def value(self, node: Node, scope: Scope, state: KnownHere, out: list[Act]) -> Term:
        node = unwrapped(node)
        self.work += 1
        if self.work > _MOST_WORK:
            raise NotFollowed("it has too many ways through it", node)
        make = self.terms.make
        if node in self.known:
            return state.values[self.known[node][0]]
        if node.type in LITERALS:
            return make("literal", text(node) if "string" not in node.type else (node.text or b"").decode())
        match node.type:
            case "identifier":
                return self._name(node, scope, state)
            case "selector_expression":
                return self._selected(node, scope, state, out)
            case "call_expression":
                if self.is_pure(node, scope, state):
                    return self._pure(node, scope, state, out)
                return make("result", self.call(node, scope, state, out), 0)
            case "unary_expression":
                return self._unary(node, scope, state, out)
            case "binary_expression":
                return self._binary(node, scope, state, out)
            case "index_expression":
                found = make("element", *self.operands(list(_operands(node)), scope, state, out), state.memory)
                self.check(found, state, out, node)
                return found
            case "slice_expression":
                names = [node.child_by_field_name(name) for name in ("operand", "start", "end", "capacity")]
                parts = self.operands([part for part in names if part is not None], scope, state, out)
                found = make("slice", *(part is not None for part in names), *parts, state.memory)
                self.check(found, state, out, node)
                return found
            case "type_assertion_expression":
                operand = self.value(part_of(node, "operand"), scope, state, out)
                found = make("assertion", operand, text(part_of(node, "type")))
                self.check(found, state, out, node)
                return found
            case "composite_literal":
                return self._composite(node, scope, state, out)
            case "func_literal":
                return self.function_literal(node, scope, state, out)
        if node.type in _TYPES:
            return make("type", text(node))
        raise NotFollowed(f"`{text(node)[:40]}` is not followed", node)

    def _name(self, node: Node, scope: Scope, state: KnownHere) -> Term:
        number = scope.get(text(node))
        if number is None:
            return self.terms.make("global", text(node), state.memory)
        value = state.values[number]
        return self.terms.make("read", value, state.memory) if self.variables[number].is_place else value

    def _package(self, node: Node, scope: Scope) -> str | None:
        """The package of a name, where it is of one."""
        operand = unwrapped(part_of(node, "operand"))
        is_package = operand.type == "identifier" and text(operand) not in scope
        return self.imports.get(text(operand)) if is_package else None

    def _selected(self, node: Node, scope: Scope, state: KnownHere, out: list[Act]) -> Term:
        name, package = text(part_of(node, "field")), self._package(node, scope)
        if package is not None:
            return self.terms.make("package", package, name, state.memory)
        base = self.place(part_of(node, "operand"), scope, state, out)
        self.check(self.terms.make("not nil", base), state, out, node)
        return self.terms.make("field", base, name, state.memory)

    def _unary(self, node: Node, scope: Scope, state: KnownHere, out: list[Act]) -> Term:
        sign, operand, make = text(part_of(node, "operator")), unwrapped(part_of(node, "operand")), self.terms.make
        if sign == "<-":
            step, number = self.pass_step(state, "receive", node, self.value(operand, scope, state, out))
            out.append(step)
            return make("result", number, 0)
        if sign == "&":
            if operand.type == "selector_expression":
                base = self.place(part_of(operand, "operand"), scope, state, out)
                self.check(make("not nil", base), state, out, node)
                return make("address", base, text(part_of(operand, "field")), state.memory)
            if operand.type == "index_expression":
                found = make("address", *self.operands(list(_operands(operand)), scope, state, out), state.memory)
                self.check(found, state, out, node)
                return found
            return make("address", self.place(operand, scope, state, out))
        value = self.value(operand, scope, state, out)
        if sign == "*":
            self.check(make("not nil", value), state, out, node)
            return make("content", value, state.memory)
        return self.negated(value) if sign == "!" else make(sign, value)

    def negated(self, term: Term) -> Term:
        sign, *parts = self.terms.parts[term]
        return parts[0] if sign == "!" else self.terms.make("!", term)  # type: ignore[return-value]

    def _binary(self, node: Node, scope: Scope, state: KnownHere, out: list[Act]) -> Term:
        sign, make = text(part_of(node, "operator")), self.terms.make
        left, right = part_of(node, "left"), part_of(node, "right")
        if sign in ("&&", "||"):
            first, then = self.value(left, scope, state, out), state.copy()
            steps: list[Act] = []
            second = self.value(right, scope, then, steps)
            if steps:
                if then.memory != state.memory:
                    state.memory = make("after", self.next())
                branches = (tuple(steps), ()) if sign == "&&" else ((), tuple(steps))
                out.append(Act(("if", first), node.start_point[0] + 1, branches))
            ends = (second, make("literal", "false")) if sign == "&&" else (make("literal", "true"), second)
            return self.either(first, *ends)
        a, b = self.operands([left, right], scope, state, out)
        if sign in ("==", "!="):
            found = self.equal(a, b, not LITERALS.isdisjoint((left.type, right.type)), state, out, node)
            return found if sign == "==" else self.negated(found)
        if sign in (">", ">="):
            sign, a, b = {">": "<", ">=": "<="}[sign], b, a
        found = make(sign, a, b)
        if sign in ("/", "%", "<<", ">>"):
            self.check(found, state, out, node)
        return found

    def equal(self, a: Term, b: Term, is_literal: bool, state: KnownHere, out: list[Act], node: Node) -> Term:
        """Of two interfaces it may panic, and of structs it depends on when it is asked."""
        for one, other in ((a, b), (b, a)):
            if self.terms.parts[one] == ("literal", "true"):
                return other
            if self.terms.parts[one] == ("literal", "false"):
                return self.negated(other)
        if is_literal:
            return self.terms.make("==", *sorted((a, b)))
        found = self.terms.make("==", *sorted((a, b)), state.memory)
        self.check(found, state, out, node)
        return found

    def either(self, asked: Term, first: Term, second: Term) -> Term:
        """The first where what is asked is true, else the second."""
        sign, *parts = self.terms.parts[asked]
        if first == second:
            return first
        if sign == "!":
            return self.either(parts[0], second, first)  # type: ignore[arg-type]
        said = [self.terms.make("literal", name) for name in ("true", "false")]
        if [first, second] == said:
            return asked
        return self.terms.make("either", asked, first, second)

    def _composite(self, node: Node, scope: Scope, state: KnownHere, out: list[Act]) -> Term:
        """What it makes is a thing of its own, since it may be a map."""
        made: list[object] = [text(part_of(node, "type"))]
        values: list[Node] = []

        def follow(body: Node) -> None:
            for element in (child for child in body.named_children if child.type != "comment"):
                parts = [element]
                if element.type == "keyed_element":
                    parts = [child for child in element.named_children if child.type != "comment"]
                for i, part in enumerate(parts):
                    inner = part.named_children[0] if part.type == "literal_element" else part
                    is_key = len(parts) == 2 and i == 0
                    if inner.type == "literal_value":
                        made.append("{")
                        follow(inner)
                        made.append("}")
                    elif is_key and inner.type == "identifier" and text(inner) not in scope:
                        made.append(text(inner))
                    elif is_key and inner.type == "identifier":
                        raise NotFollowed(f"`{text(inner)}:` may be a field or a local", inner)
                    else:
                        made.append("key" if is_key else "value")
                        values.append(inner)

        follow(part_of(node, "body"))
        parts = self.operands(values, scope, state, out)
        number = self.next()
        out.append(Act(("make", number, *made, *parts), node.start_point[0] + 1))
        return self.terms.make("made", number)

    # -- calls ---------------------------------------------------------------------------------------------------------

    def is_pure(self, node: Node, scope: Scope, state: KnownHere) -> bool:
        """Does a call only read, or make what a log takes?"""
        called = unwrapped(part_of(node, "function"))
        if called.type == "identifier":
            name = text(called)
            return name in ("len", "cap", "min", "max") and name not in scope and name not in self.helpers
        if called.type != "selector_expression":
            return False
        name = text(part_of(called, "field"))
        if self._package(called, scope) == KLOG:
            return name in ("FromContext", "TODO", "Background", "V", "KObj", "KRef")
        return name == "V" and self.is_logger(part_of(called, "operand"), scope, state)

    def is_logger(self, node: Node, scope: Scope, state: KnownHere) -> bool:
        """Is it a logger that was made here?"""
        node = unwrapped(node)
        if node.type == "identifier" and text(node) in scope:
            return self.terms.parts[state.values[scope[text(node)]]][0] == "logger"
        if node.type != "call_expression" or not self.is_pure(node, scope, state):
            return False
        name = text(part_of(node, "function")).rpartition(".")[2]
        return name in ("FromContext", "TODO", "Background", "V")

    def log_line(self, node: Node, scope: Scope, state: KnownHere) -> list[Node] | None:
        """What a call that only writes to the log is given; nothing where it is another call."""
        called = unwrapped(part_of(node, "function"))
        if node.type != "call_expression" or called.type != "selector_expression":
            return None
        is_ours = self._package(called, scope) == KLOG or self.is_logger(part_of(called, "operand"), scope, state)
        if not is_ours or not _LOGS.fullmatch(text(part_of(called, "field"))):
            return None
        inner = unwrapped(part_of(called, "operand"))
        levels = expressions(part_of(inner, "arguments")) if inner.type == "call_expression" else []
        return [*levels, *expressions(part_of(node, "arguments"))]

    def _pure(self, node: Node, scope: Scope, state: KnownHere, out: list[Act]) -> Term:
        called, values = unwrapped(part_of(node, "function")), expressions(part_of(node, "arguments"))
        parts = self.operands(values, scope, state, out)
        name = text(called).rpartition(".")[2]
        if name in ("FromContext", "TODO", "Background", "V"):
            base = [] if self._package(called, scope) else [self.value(part_of(called, "operand"), scope, state, out)]
            return self.terms.make("logger", name, *base, *parts)
        return self.terms.make(name, *parts, state.memory)

    def call(self, node: Node, scope: Scope, state: KnownHere, out: list[Act], kind: str = "call") -> int:
        """The number of the step that calls it."""
        called = unwrapped(part_of(node, "function"))
        arguments = expressions(part_of(node, "arguments"))
        types = node.child_by_field_name("type_arguments")
        made: list[object] = [text(types) if types is not None else ""]
        first: list[Node] = []
        if called.type == "index_expression":  # Of a generic function; of a map or a list of functions it is a read.
            operand = unwrapped(part_of(called, "operand"))
            package = self._package(operand, scope) if operand.type == "selector_expression" else None
            if package is None:
                raise NotFollowed(f"`{text(called)[:40]}` is not followed", called)
            made += ["generic", package, text(part_of(operand, "field")), text(part_of(called, "index"))]
        elif called.type == "identifier" and text(called) not in scope:
            made += ["function", text(called)]
            if text(called) in ("new", "make") and text(called) not in self.helpers:
                if arguments[0].type not in _TYPES or text(arguments[0]).partition(".")[0] in scope:
                    raise NotFollowed(f"`{text(node)[:40]}` makes a copy of a value", node)
                parts, kind = self.operands(arguments[1:], scope, state, out), text(called)
                number = self.next()
                out.append(Act((kind, number, text(arguments[0]), *parts), node.start_point[0] + 1))
                return number
        elif called.type == "selector_expression":
            package = self._package(called, scope)
            if package is not None:
                made += ["of", package, text(part_of(called, "field"))]
            else:
                base = self.place(part_of(called, "operand"), scope, state, out)
                made += ["method", text(part_of(called, "field")), base]
                first = [part_of(called, "operand")]
        elif called.type in ("identifier", "func_literal", "call_expression", *_TYPES):
            made += ["value", self.value(called, scope, state, out)]
        else:
            raise NotFollowed(f"`{text(called)[:40]}` is not followed", called)
        before = state.memory
        spread = [argument.type == "variadic_argument" for argument in arguments]
        plain = [a.named_children[0] if a.type == "variadic_argument" else a for a in arguments]
        parts = self.operands(plain, scope, state, out)
        if first and state.memory != before and not self.is_fixed(unwrapped(first[0]), scope, state):
            made.append("unordered")
        step, number = self.pass_step(state, kind, node, *made, *parts, any(spread))
        out.append(step)
        return number

    def function_literal(self, node: Node, scope: Scope, state: KnownHere, out: list[Act]) -> Term:
        raise NotImplementedError


def _may_be_constant(given: Node | None) -> bool:
    """May it be a text without a type, which takes that of where it is handed on?"""
    return given is None or given.type == "identifier" or any(True for _ in inside(given, *_STRINGS))


_STRINGS = ("interpreted_string_literal", "raw_string_literal")
_MOST_WORK = 200_000
"""So many expressions are followed, some more than once, before it is given up."""


def _operands(node: Node) -> tuple[Node, Node]:
    return part_of(node, "operand"), part_of(node, "index")


def is_value(type_: str) -> bool:
    """Is a copy of a variable of this type what the variable was, whatever becomes of it?"""
    return bool(_VALUES.fullmatch(type_)) or type_ == "*"


def changed_in_place(body: Node) -> tuple[frozenset[str], frozenset[str]]:
    """The names of variables that may change other than by being assigned: by a method, a field, or a pointer.

    And those of which so may a pointer, since its own address is taken.
    """
    found, addressed = set[str](), set[str]()
    for node in inside(body, "unary_expression", "call_expression", "assignment_statement", "inc_statement",
                       "dec_statement", "slice_expression", "range_clause"):  # fmt: skip
        changed: list[Node] = []
        match node.type:
            case "unary_expression" if text(part_of(node, "operator")) == "&":
                changed = [part_of(node, "operand")]
                addressed.update(text(part) for part in map(unwrapped, changed) if part.type == "identifier")
            case "call_expression":
                called = unwrapped(part_of(node, "function"))
                changed = [part_of(called, "operand")] if called.type == "selector_expression" else []
            case "slice_expression":
                changed = [part_of(node, "operand")]
            case "assignment_statement" | "range_clause":
                changed = [p for p in expressions(node.child_by_field_name("left")) if p.type != "identifier"]
            case "inc_statement" | "dec_statement":
                changed = [part for part in node.named_children if part.type != "identifier"]
        found.update(filter(None, map(_root_name, changed)))
    return frozenset(found), frozenset(addressed)


def _root_name(node: Node) -> str:
    """The variable that a place is part of; empty where it is none's."""
    node = unwrapped(node)
    while node.type in ("selector_expression", "index_expression", "slice_expression"):
        node = unwrapped(part_of(node, "operand"))
    if node.type == "unary_expression" and text(part_of(node, "operator")) == "*":
        return _root_name(part_of(node, "operand"))
    return text(node) if node.type == "identifier" else ""
