"""What the expressions of a function without a memory are in the model language."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NoReturn

from podproof.golang.modelled import BEYOND, ModelledFunction
from podproof.golang.syntax import (
    GoFile,
    GoFunction,
    GoRefusal,
    expressions,
    expressions_of_return,
    inside,
    statements,
    text,
    tokens,
    unwrapped,
)
from podproof.golang.syntax import field as part_of
from podproof.golang.values import Meaning, TranslatedLine, conjunction, disjunction, negated, operand, snake
from podproof.golang.vocabulary import Phrase, Vocabulary

if TYPE_CHECKING:
    from tree_sitter import Node

_COMPARED = frozenset(
    (
        *("bool", "int", "exit_code", "phase", "policy", "seconds", "reason"),
        *("runtime_state", "probe_result", "container_policy", "condition_status"),
    )
)
"""The kinds of which two are compared."""
HELD = frozenset(("some_pods", "some_running", "some_uids"))
"""Lists and maps, of which it is kept whether they have the pod that is asked about."""
_VARIABLES = _COMPARED | HELD | frozenset(("optional", "error", "text", "attempt", "sandbox_id", "transition_time"))
"""The kinds of locals that may be assigned to again; so may pointers, of which it is kept whether they are nil."""
_CARRIED = ("lines", "methods", "followed", "within", "names", "guards", "pending", "result", "loops", "unread")
"""What a translation changes on its way."""
_OR_NIL = "_or_nil"
"""How the kinds of these pointers end."""
_ZEROS = {
    **{"bool": "False", "int": "0", "exit_code": "0", "seconds": "0", "optional": "NIL", "text": "False"},
    **dict.fromkeys(HELD, "False"),
    **{"reason": "ContainerKillReason.DEFINITION_CHANGED", "attempt": "0", "sandbox_id": "NIL"},
    "phase": "PodPhase.NONE",
}
"""Kind -> its zero; that of a pointer is nil."""
TYPES = {
    "bool": "bool",
    "int": "int",
    "int32": "exit_code",
    "int64": "seconds",
    "*int64": "optional",
    "string": "text",
    "error": "error",
    "v1.PodPhase": "phase",
    "*v1.Pod": "pod_or_nil",
    "*v1.Container": "container_or_nil",
    "containerKillReason": "reason",
}
"""Go type -> kind."""
LISTS = {
    "init_containers": "init_container",
    "containers": "container",
    "ephemeral_containers": "ephemeral_container",
    "old_conditions": "old_condition",
    "conditions": "condition",
}
"""Kind of a list -> that of its elements."""
_MOST = 1
"""The greatest number that a number of containers is compared with: no more of them are looked at than lists have."""
_INT64 = 1 << 63
_GATE = re.compile(r"utilfeature\.DefaultFeatureGate\.Enabled\(features\.(\w+)\)")
_HOLE = re.compile(r"\$(\w+)")
_COUNTED = re.compile(r"\[(i\d+)\]")
"""What a loop counts with, in the text of an element."""
_INDEX_OF = re.compile(r"#(\w+)")
"""The index of an element, which a hole is, in its list."""


@dataclass(frozen=True)
class TranslatedMethod:
    """A function of the file as a method."""

    name: str
    parameters: tuple[str, ...]
    go: GoFunction
    lines: tuple[TranslatedLine, ...]


@dataclass(frozen=True)
class _Before:
    """What stands before a statement because of an expression in it."""

    what: str
    """needs, where Go would panic; within, of what the model has no answer; call, what is done."""
    guard: str
    """What holds where the expression is read."""
    text: str
    name: str = ""
    """The local that a call is kept in."""
    zero: str = ""


class LocalNames(dict[str, Meaning]):
    """What names stand for at a place; made of another one it is that of a block inside."""

    def __init__(self, outer: Iterable[tuple[str, Meaning]] | Mapping[str, Meaning] = ()) -> None:
        super().__init__(outer)
        self.declared: set[str] = set()
        """The names that the block itself declares."""

    def copied(self) -> LocalNames:
        found = LocalNames(self)
        found.declared |= self.declared
        return found


def is_variable(kind: str) -> bool:
    """May a local of this kind be assigned to again?"""
    return kind in _VARIABLES or kind.endswith(_OR_NIL)


class ValueTranslation:
    """What expressions of a function are in the model language, and what stands before a statement because of them."""

    passed: tuple[str, ...] = ()
    """What each method of a helper is given besides."""

    def __init__(
        self,
        file: GoFile,
        function: GoFunction,
        modelled: ModelledFunction,
        vocabulary: Vocabulary,
        base: type,
        release: str,
    ) -> None:
        self.file, self.function, self.modelled, self.base = file, function, modelled, base
        self.release = tuple(map(int, release.removeprefix("v").split(".")))
        self.vocabulary = vocabulary
        self.result = modelled.result[1]
        self.lines: list[TranslatedLine] = []
        self.methods: list[TranslatedMethod] = []
        """Those of helpers, which come before what calls them."""
        self.followed: dict[str, None] = {}
        self.within: list[str] = []
        """The functions that are being translated, the outermost first."""
        self.gates: dict[str, None] = {}
        self.names: set[str] = set()
        self.guards: list[str] = []
        """What holds where an expression is read, after what stands to its left."""
        self.pending: list[_Before] = []
        self.loops = 0
        self.left: list[str] = []
        """Of each loop that is being translated the local that says whether it has been left, the outermost first."""
        self.unread: dict[Node, None] = {}
        """What is decided by what holds only within the bounds, what never runs there, and what is not compared."""

    def body(self, function: GoFunction, scope: LocalNames) -> tuple[TranslatedLine, ...]:
        """The lines of a function."""
        raise NotImplementedError

    # -- expressions ---------------------------------------------------------------------------------------------
    def value(self, node: Node, scope: LocalNames) -> Meaning:
        found = self.values(node, scope)
        if len(found) != 1:
            self.refuse(node, f"this gives {len(found)} values", "take them one by one")
        return found[0]

    def values(self, node: Node, scope: LocalNames) -> tuple[Meaning, ...]:
        node = unwrapped(node)
        if node.type == "identifier" and text(node) in scope:
            return (scope[text(node)],)
        if (gate := _GATE.fullmatch(text(node))) is not None and "utilfeature" not in scope and "features" not in scope:
            return (self.gate(gate[1], node),)
        if node.type == "call_expression" and (called := self.called(node, scope)) is not None:
            return called
        if node.type != "binary_expression" and (said := self.said(node, scope)) is not None:
            return said
        match node.type:
            case "int_literal" if text(node).isdigit():
                return (Meaning(str(int(text(node))), "int"),)
            case "true" | "false" if text(node) not in scope:
                return (Meaning(text(node).capitalize(), "bool"),)
            case "identifier" if (constant := self.file.constants.get(text(node))) is not None:
                if constant.value.type == "interpreted_string_literal" and TYPES.get(constant.type) == "reason":
                    return (self.as_kind(constant.value, "reason", scope),)
            case "unary_expression":
                return (self.unary(node, scope),)
            case "binary_expression":
                return (self.binary(node, scope),)
            case "call_expression" if (name := text(part_of(node, "function"))) in ("max", "min") and name not in scope:
                ends = [self.as_kind(one, "seconds", scope) for one in expressions(part_of(node, "arguments"))]
                if len(ends) > 1 and all(one.kind == "seconds" for one in ends) and name not in self.file.functions:
                    return (Meaning(f"{name}({', '.join(one.text for one in ends)})", "seconds"),)
            case "call_expression" if (helper := self.helper(node, scope)) is not None:
                if len(helper.results) > 1:
                    return self.in_place(helper, node, scope)
                return (self.call_of(helper, node, scope),)
            case "index_expression":
                over, index = (self.value(part_of(node, name), scope) for name in ("operand", "index"))
                if over.kind in LISTS and index.kind == "index" and index.key == over.text:
                    return (Meaning(f"{over.text}[{index.text}]", LISTS[over.kind]),)
        self.refuse(node, f"nothing is known of `{text(node)}`", "use what the function asked before")

    def as_kind(self, node: Node, kind: str, scope: LocalNames) -> Meaning:
        """A value where one of a kind belongs: a constant and nil have the type of what they are given to."""
        bare = unwrapped(node)
        if (bare.type == "nil" and kind == "error") or (bare.type == "nil" and (kind + " ").endswith(f"{_OR_NIL} ")):
            return Meaning(self.zero(kind) or "", kind)
        if bare.type == "nil" and kind == "optional":
            return Meaning("NIL", kind)
        if bare.type == "interpreted_string_literal" and (kind == "text" or (kind == "reason" and text(bare) == '""')):
            return Meaning(str(text(bare) != '""') if kind == "text" else self.zero(kind) or "", kind)
        value = self.value(node, scope)
        is_constant = value.kind == "int" and bare.type == "int_literal"
        return Meaning(value.text, kind) if is_constant and kind == "seconds" else value

    def zero(self, kind: str) -> str | None:
        if kind.endswith(_OR_NIL):
            return "True"
        return "KillError.NONE" if kind == "error" else _ZEROS.get(kind)

    def called(self, node: Node, scope: LocalNames) -> tuple[Meaning, ...] | None:
        """A call that does something: it stands before the statement, so that it is made once and in its turn."""
        for phrase, holes in self.vocabulary.match("calls", node):
            if self.means(phrase, holes, scope):
                first, *others = self.meanings(phrase, holes, scope)
                return self.hoisted(node, first, *others)
        return None

    def hoisted(self, node: Node, call: Meaning, *others: Meaning) -> tuple[Meaning, ...]:
        """What a call returns, which is made before the statement."""
        found = []
        for one in (call, *others):
            name, number = "found", 1
            while name in self.names:
                number += 1
                name = f"found_{number}"
            self.names.add(name)
            found.append(replace(one, text=name, key=""))
        zero = self.zero("seconds" if call.kind == "waited" else call.kind)
        if self.guard != "True" and call.kind != "nothing" and (zero is None or others):
            self.refuse(node, "this is called on one of two ways within a statement", "give it a statement of its own")
        names = "" if call.kind == "nothing" else ", ".join(one.text for one in found)
        self.pending.append(_Before("call", self.guard, call.text, names, zero or ""))
        return tuple(found)

    def helper(self, node: Node, scope: LocalNames) -> GoFunction | None:
        """The function of the file that is called."""
        called = part_of(node, "function")
        if called.type == "identifier" and text(called) not in scope:
            return self.file.functions.get(text(called))
        if called.type == "selector_expression":
            whose = scope.get(text(part_of(called, "operand")))
            if whose is not None and whose.kind == "manager":
                return self.file.functions.get(f"{self.modelled.receiver}.{text(part_of(called, 'field'))}")
        return None

    def call_of(self, helper: GoFunction, node: Node, scope: LocalNames) -> Meaning:
        """A method of its own for each place that calls it, as what it is given is known there."""
        given = expressions(part_of(node, "arguments"))
        kinds = [self.kind_of_type(go) for _, go in helper.results] or ["nothing"]
        if helper.name in self.within or len(given) != len(helper.parameters) or len(kinds) != 1 or not kinds[0]:
            self.refuse(
                node,
                f"{helper.name} is not read here",
                "let it return one bool or number or nothing, and not call itself",
            )
        if helper.results and helper.results[0][0]:
            self.refuse(helper.node, "this result has a name", "return it")
        inner = LocalNames()
        if helper.receiver:
            inner[helper.receiver_name] = Meaning("_", "manager")
        passed, parameters = [*self.passed], [*self.passed]
        for (name, go), one in zip(helper.parameters.items(), given, strict=True):
            is_text = one.type in ("interpreted_string_literal", "raw_string_literal")
            value = Meaning("_", "told") if is_text else self.as_kind(one, self.kind_of_type(go), scope)
            if is_variable(value.kind):
                passed.append(value.text)
                parameters.append(self.own(name))
                value = Meaning(parameters[-1], value.kind, parameters[-1])
            inner[name] = value
        counted = {index for one in inner.values() for index in _COUNTED.findall(one.text)}
        passed += sorted(counted)
        parameters += sorted(counted)
        inner.declared |= inner.keys()
        pending, self.pending, guards, self.guards, result, self.result = (
            *(self.pending, [], self.guards, []), self.result, kinds[0],
        )  # fmt: skip
        lines = self.body(helper, inner)
        self.pending, self.guards, self.result = pending, guards, result
        name = self.own(helper.name)
        self.methods.append(TranslatedMethod(name, tuple(parameters), helper, lines))
        self.followed[helper.name] = None
        return self.hoisted(node, Meaning(f"self.{name}({', '.join(passed)})", kinds[0]))[0]

    def in_place(self, helper: GoFunction, node: Node, scope: LocalNames) -> tuple[Meaning, ...]:
        """What a function that only gives names and returns several values says of what it is given."""
        given = expressions(part_of(node, "arguments"))
        *before, last = statements(helper.body)
        is_plain = all(one.type == "short_var_declaration" for one in before) and last.type == "return_statement"
        if not is_plain or helper.receiver or len(given) != len(helper.parameters) or helper.name in self.within:
            self.refuse(node, f"{helper.name} is not read here", "let it give names and return, or return one value")
        inner = LocalNames()
        for name, one in zip(helper.parameters, given, strict=True):
            inner[name] = self.value(one, scope)
        self.within.append(helper.name)
        for line in before:
            names, values = expressions(part_of(line, "left")), expressions(part_of(line, "right"))
            for left, right in zip(names, values, strict=False):
                inner[text(left)] = self.value(right, inner)
            if len(names) != len(values) or any(is_variable(inner[text(left)].kind) for left in names):
                self.refuse(line, f"{helper.name} is not read here", "let it return one value")
        found = tuple(self.value(one, inner) for one in expressions_of_return(last))
        self.within.pop()
        self.followed[helper.name] = None
        return found

    def kind_of_type(self, go: str) -> str:
        """The kind of a parameter or result of a helper; empty where it has none."""
        return TYPES.get(go, "")

    def own(self, name: str) -> str:
        """A name of the translation that it does not have yet."""
        own, number = f"{snake(name)}_", 1
        while own in self.names:
            number += 1
            own = f"{snake(name)}_{number}"
        self.names.add(own)
        return own

    def need(self, condition: str) -> None:
        """Where the expression is read, Go would panic without it."""
        self.pending.append(_Before("needs", self.guard, condition))

    def do(self, line: str) -> None:
        """What is done before the statement, in its turn."""
        self.pending.append(_Before("call", self.guard, line))

    def sum_of(self, first: Meaning, operator: str, second: Meaning) -> Meaning:
        """Of seconds, within what an int64 holds."""
        found = f"{operand(first.text)} {operator} {operand(second.text)}"
        self.pending.append(_Before("within", self.guard, f"{-_INT64} <= {found} and {found} < {_INT64}"))
        return Meaning(found, "seconds")

    def gate(self, name: str, node: Node) -> Meaning:
        since = self.modelled.gates.get(name)
        if since is None:
            self.refuse(node, f"whether {name} is on is not known", "leave the gate out, or review the text under it")
        is_on = self.release >= tuple(map(int, since.split(".")))
        self.gates[f"{name} is {'on' if is_on else 'off'}"] = None
        return Meaning(str(is_on), "bool")

    def said(self, node: Node, scope: LocalNames) -> tuple[Meaning, ...] | None:
        """What the first line of the vocabulary that is about it says; None where none is."""
        for phrase, holes in self.vocabulary.match("values", node):
            if self.means(phrase, holes, scope):
                return self.meanings(phrase, holes, scope)
        return None

    def means(self, phrase: Phrase, holes: Mapping[str, Node], scope: LocalNames) -> bool:
        """Does a line say what it seems to: are its names not the function's own, and do its holes fit?"""
        fields = {text(one.children[0]).encode() for one in inside(phrase.pattern, "keyed_element")}
        is_own = any(word.decode() in scope for word in phrase.words if word not in fields)
        is_own |= phrase.pattern.type == "identifier" and text(phrase.pattern) in self.file.constants
        return not is_own and all(self.fits(name, hole, scope) for name, hole in holes.items())

    def meanings(self, phrase: Phrase, holes: Mapping[str, Node], scope: LocalNames) -> tuple[Meaning, ...]:
        filled = {}
        for name, hole in holes.items():
            if name in ("*", "words"):
                self.read_each(hole, scope) if name == "*" else None
            elif name.partition(" ")[0] == "any":
                self.read_any(hole, scope)
            else:
                filled[name] = operand(self.as_kind(hole, name, scope).text)

        def with_holes(said: str) -> str:
            said = _INDEX_OF.sub(lambda hole: filled[hole[1]].rpartition("[")[2].removesuffix("]"), said)
            return _HOLE.sub(lambda hole: filled[hole[1]], said)

        for what, said in (("needs", phrase.needs), ("within", phrase.within)):
            if said:
                self.pending.append(_Before(what, self.guard, with_holes(said)))
        return tuple(Meaning(with_holes(said), kind) for said, kind in phrase.meanings)

    def read_each(self, arguments: Node, scope: LocalNames) -> None:
        for one in expressions(arguments):
            self.read_any(one, scope)

    def read_any(self, node: Node, scope: LocalNames) -> None:
        """What is only told has to be known, too: to read it may panic, or do something."""
        if (node.type.endswith("_literal") and node.type != "composite_literal") or text(node) in scope:
            return
        try:
            self.values(node, scope)
        except GoRefusal:
            self.refuse(node, "nothing is known of what this does", "leave it out")

    def fits(self, kind: str, node: Node, scope: LocalNames) -> bool:
        """Is an expression of the kind that a hole is called by? What that needs is not kept."""
        if kind.partition(" ")[0] in ("any", "*"):
            return True
        if kind == "words":
            return re.fullmatch(r'"\w[^%\\]*(%[sqv][^%\\]*)?"', text(node)) is not None
        with self.aside():
            try:
                return self.as_kind(node, kind, scope).kind == kind
            except GoRefusal:
                return False

    @contextmanager
    def aside(self) -> Iterator[None]:
        """What is translated here leaves nothing behind."""
        kept = {name: getattr(self, name) for name in _CARRIED}
        for name, value in kept.items():
            setattr(self, name, value.copy() if isinstance(value, list | dict | set) else value)
        try:
            yield
        finally:
            for name, value in kept.items():
                setattr(self, name, value)

    def unary(self, node: Node, scope: LocalNames) -> Meaning:
        value, operator = self.value(part_of(node, "operand"), scope), text(part_of(node, "operator"))
        if operator == "!" and value.kind == "bool":
            return Meaning(negated(value.text), "bool")
        if operator == "&" and value.kind in ("spec", "init_container", "container"):
            return value
        self.refuse(node, f"nothing is known of `{text(node)}`", "write it otherwise")

    def binary(self, node: Node, scope: LocalNames) -> Meaning:
        left, operator, right = part_of(node, "left"), text(part_of(node, "operator")), part_of(node, "right")
        for both in ((left, right), (right, left)) if operator in ("==", "!=") else ():
            for phrase, holes in self.vocabulary.match_case(*both):
                if self.means(phrase, holes, scope):
                    (same,) = self.meanings(phrase, holes, scope)
                    return same if operator == "==" else Meaning(negated(same.text), "bool")
        if operator in ("&&", "||"):
            first = self.value(left, scope)
            self.guards.append(first.text if operator == "&&" else negated(first.text))
            second = self.value(right, scope)
            self.guards.pop()
            if first.kind == second.kind == "bool":
                join = conjunction if operator == "&&" else disjunction
                return Meaning(join(first.text, second.text), "bool")
        else:
            first, second = self.value(left, scope), self.value(right, scope)
            kinds = {first.kind, second.kind}
            if kinds == {"seconds", "int"}:
                first, second = (self.as_kind(one, "seconds", scope) for one in (left, right))
                kinds = {first.kind, second.kind}
            if operator in ("+", "-") and kinds == {"seconds"}:
                return self.sum_of(first, operator, second)
            is_small = all(int(one.text) <= _MOST for one in (first, second) if one.text.isdigit())
            if operator in ("+", "-") and first.kind == second.kind == "int" and is_small:
                return Meaning(f"{first.text} {operator} {operand(second.text)}", "int")
            return self.compared(operator, first, second, node)
        self.refuse(node, f"nothing is known of `{text(node)}`", "write it otherwise")

    def compared(self, operator: str, first: Meaning, second: Meaning, node: Node) -> Meaning:
        kinds = {first.kind, second.kind}
        number = next((one for one in (first, second) if one.text.isdigit()), None)
        if number is not None and kinds <= {"int", "attempt"} and int(number.text) > _MOST:
            self.refuse(node, f"a number of containers is compared with {number.text}", f"compare it with 0 or {_MOST}")
        is_number = kinds in ({"int"}, {"exit_code"}, {"seconds"}) or (
            kinds in ({"int", "exit_code"}, {"int", "attempt"}) and number is not None
        )
        is_equality = operator in ("==", "!=") and len(kinds) == 1 and kinds <= _COMPARED
        if not (is_equality or (is_number and operator in ("==", "!=", "<", "<=", ">", ">="))):
            self.refuse(node, f"nothing is known of `{text(node)}`", "compare values of one type")
        return Meaning(f"{operand(first.text)} {operator} {operand(second.text)}", "bool")

    def text_of_unread(self, node: Node) -> str:
        """Its words, under which conditions it stands, and after how many returns and calls that do something."""
        function, under = node, []
        while function.parent is not None and function.type not in ("function_declaration", "method_declaration"):
            is_way = function.type == "block" and function.parent.type == "if_statement"
            if is_way or function.parent.type == "expression_case":
                under += [word for one in function.parent.children if one.type != "block" for word in tokens(one)]
            function = function.parent
        ends = inside(function, "return_statement", "call_expression")
        before = (one for one in ends if one.end_byte <= node.start_byte)
        number = sum(one.type == "return_statement" or bool(self.vocabulary.match("calls", one)) for one in before)
        return " ".join((*tokens(node), "under", *under, "after", str(number)))

    # -- text ----------------------------------------------------------------------------------------------------
    @property
    def guard(self) -> str:
        """What holds where the next part of an expression is read."""
        found = "True"
        for one in self.guards:
            found = conjunction(found, one)
        return found

    def check(self, depth: int, node: Node) -> None:
        """Before a statement: where Go would panic, of what the model has no answer, and what is done."""
        for one in dict.fromkeys(self.pending):
            if one.what == "needs" and (condition := disjunction(negated(one.guard), one.text)) != "True":
                self.write(depth, f"assert {condition}", node)
            if one.what == "within" and (condition := conjunction(one.guard, negated(one.text))) != "False":
                self.write(depth, f"if {condition}:", node)
                self.write(depth + 1, f'out_of_bounds("{BEYOND}")', node)
            if one.what == "call":
                done = f"{one.name} = {one.text}" if one.name else one.text
                if one.guard != "True":
                    self.write(depth, f"{one.name} = {one.zero}", node) if one.name else None
                    self.write(depth, f"if {one.guard}:", node)
                self.write(depth + (one.guard != "True"), done, node)
        self.pending = []

    def write(self, depth: int, line: str, node: Node) -> None:
        self.lines.append(TranslatedLine(depth, line, int(node.start_point[0]) + 1))

    def refuse(self, node: Node, what: str, instead: str) -> NoReturn:
        self.file.refuse(node, what, instead)
