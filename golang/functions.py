"""Functions without a memory, translated: what they are given and what they answer are all there is of them.

Each is a method of the model's class, in the place of the model's own, so that both can be compared for every input.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from podproof.checker.core.system import CheckerError
from podproof.golang.syntax import (
    GoFile,
    GoFunction,
    GoRefusal,
    expressions,
    expressions_of_return,
    inside,
    parse,
    statements,
    text,
    unwrapped,
)
from podproof.golang.syntax import field as part_of
from podproof.golang.translated import class_of
from podproof.golang.values import Meaning, TranslatedLine, conjunction, disjunction, negated, operand, snake
from podproof.golang.vocabulary import Phrase, Vocabulary

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True)
class ModelledFunction:
    """A Go function that a method of the model does, whose base is the class of a function of `model/functions.py`."""

    name: str
    """As the Go has it."""
    group: str
    """As `podproof prove --scenario` has it."""
    method: str
    vocabulary: str
    parameters: tuple[tuple[str, str, str], ...]
    """Type, meaning and kind of each but loggers; releases may leave out the last ones."""
    result: tuple[str, str]
    """The type of the answer, and its kind."""
    gates: Mapping[str, str]
    """Feature gate -> the release since which it is on by default."""
    header: str


GET_PHASE = ModelledFunction(
    "getPhase",
    "get-phase",
    "get_phase",
    "get_phase.vocabulary",
    (
        ("*v1.Pod", "self", "pod"),
        ("[]v1.ContainerStatus", "self", "statuses"),
        ("bool", "self.pod_is_terminal", "bool"),
        ("bool", "self.pod_has_initialized", "bool"),
    ),
    ("v1.PodPhase", "phase"),
    {"SidecarContainers": "1.29", "ContainerRestartRules": "1.35", "RestartAllContainersOnContainerExits": "1.36"},
    "from podproof.model.core_v1 import PodPhase, RestartPolicy, Started, StateOf\n"
    "from podproof.model.language import NIL, out_of_bounds\n",
)
MODELLED: Mapping[str, ModelledFunction] = {one.name: one for one in (GET_PHASE,)}
"""By their Go names."""
BEYOND = "what the model does not have"
"""The bound at which a translation leaves an input of which the model knows too little."""
_UNTOLD = ("klog.Logger", "context.Context")
_VARIABLES = frozenset(("bool", "int", "exit_code", "phase", "policy"))
"""The kinds of locals that may be assigned to again."""
_TYPES = {"bool": "bool", "int": "int", "v1.PodPhase": "phase", "int32": "exit_code"}
_LISTS = {"init_containers": "init_container", "containers": "container"}
"""Kind of a list -> that of its elements."""
_MOST = 1
"""The greatest number that a number of containers is compared with: no more of them are looked at than lists have."""
_GATE = re.compile(r"utilfeature\.DefaultFeatureGate\.Enabled\(features\.(\w+)\)")
_HOLE = re.compile(r"\$(\w+)")


def modelled_in(file: Path) -> tuple[str, ...]:
    """The functions of a Go file that are read, if it is not that of the pod workers. Raises CheckerError."""
    try:
        text = file.read_text(encoding="utf-8", errors="replace")
    except OSError as error:
        raise CheckerError(f"{file}: it cannot be read ({error.strerror}); give the path of a Go file") from error
    if re.search(r"^type podWorkers struct", text, re.M):
        return ()
    return tuple(name for name in MODELLED if re.search(rf"^func {name}\(", text, re.M))


@dataclass(frozen=True)
class TranslatedFunction:
    """What a Go function became."""

    function: ModelledFunction
    file: GoFile
    cls: type
    text: str
    gates: tuple[str, ...]
    """The feature gates that it asks for, and what is taken for them."""


def translate_function(
    source: str, path: Path, modelled: ModelledFunction, base: type, release: str
) -> TranslatedFunction:
    """A function of a Go file as a method of the class that a release has for it. Raises CheckerError."""
    file = parse(source.encode(), path, (modelled.name,))
    function = file.functions.get(modelled.name)
    if function is None:
        file.refuse(file.root, f"there is no function {modelled.name}", "name the file that has it")
    translation = AnswerTranslation(file, function, modelled, base, release)
    lines = translation.translate()
    places = "\n".join(f"{'    ' * (line.depth + 1)}{line.text}  # {file.name}:{line.go}" for line in lines)
    made = (
        f'"""Translated from {file.name}, sha256 {file.digest[:16]}."""\n'
        f"{modelled.header}from {base.__module__} import {base.__name__}\n\n"
        f'class TranslatedGo({base.__name__}):\n    """{modelled.name} of the file."""\n\n'
        f"    def {modelled.method}(self):  # {modelled.name} {file.name}:{function.line}\n{places}\n"
    )
    cls = class_of(file, made, "TranslatedGo", base.__name__, f" {modelled.name} {base.__name__}")
    return TranslatedFunction(modelled, file, cls, made, tuple(translation.gates))


@dataclass(frozen=True)
class _Frame:
    """Statements that are still to be translated, and what names stand for there."""

    statements: tuple[Node, ...]
    scope: dict[str, Meaning]


Frames = tuple[_Frame, ...]
"""What comes after a place, the next first."""


class AnswerTranslation:
    """Translates one function."""

    def __init__(
        self, file: GoFile, function: GoFunction, modelled: ModelledFunction, base: type, release: str
    ) -> None:
        self.file, self.function, self.modelled, self.base = file, function, modelled, base
        self.release = tuple(map(int, release.removeprefix("v").split(".")))
        path = Path(__file__).with_name(modelled.vocabulary)
        self.vocabulary = Vocabulary(path.read_text(encoding="utf-8"), path.name)
        self.lines: list[TranslatedLine] = []
        self.gates: dict[str, None] = {}
        self.names: set[str] = set()
        self.guards: list[str] = []
        """What holds where an expression is read, after what stands to its left."""
        self.needs: list[tuple[str, str]] = []
        self.limits: list[tuple[str, str]] = []
        self.loops = 0

    def translate(self) -> tuple[TranslatedLine, ...]:
        scope = dict(self.parameters())
        if [kind for _, kind in self.function.results] != [self.modelled.result[0]] or self.function.results[0][0]:
            self.refuse(self.function.node, "this function answers otherwise", f"return one {self.modelled.result[0]}")
        if not self.run((_Frame(tuple(statements(self.function.body)), scope),), 1, False):
            self.refuse(self.function.node, "this function may end without an answer", "return one on each way")
        return tuple(self.lines)

    def parameters(self) -> Iterator[tuple[str, Meaning]]:
        known = list(self.modelled.parameters)
        for name, kind in self.function.parameters.items():
            if kind in _UNTOLD:
                yield name, Meaning("_", "logger")
                continue
            go, meaning, of = known.pop(0) if known else ("", "", "")
            is_there = (
                meaning == "self"
                or hasattr(self.base, meaning.removeprefix("self."))
                or (meaning.removeprefix("self.") in getattr(self.base, "__dataclass_fields__", {}))
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
            node, after = frame.statements[0], (_Frame(frame.statements[1:], frame.scope), *rest)
            if node.type in ("if_statement", "expression_switch_statement", "block") and _continues(node):
                self.branch(node, frame.scope, depth, after, in_loop)
                ended = True
                break
            ended = self.statement(node, frame.scope, depth, in_loop)
            frames = after
        if len(self.lines) == begin:
            self.write(depth, "pass", self.function.node)
        return ended

    def statement(self, node: Node, scope: dict[str, Meaning], depth: int, in_loop: bool) -> bool:
        match node.type:
            case "short_var_declaration" | "var_declaration":
                self.declare(node, scope, depth)
            case "assignment_statement" | "inc_statement" | "dec_statement":
                self.assign(node, scope, depth)
            case "expression_statement":
                self.ignore(node, scope)
            case "return_statement":
                values = [self.value(part, scope) for part in expressions_of_return(node)]
                if [value.kind for value in values] != [self.modelled.result[1]]:
                    self.refuse(node, "this is no answer of the function", f"return one {self.modelled.result[0]}")
                self.check(depth, node)
                self.write(depth, f"return {values[0].text}", node)
                return True
            case "continue_statement" if in_loop and not node.named_children:
                return True
            case "if_statement" | "expression_switch_statement" | "block":
                return self.branch(node, scope, depth, (), in_loop)
            case "for_statement":
                self.loop(node, scope, depth)
            case _:
                self.refuse(node, f"`{node.type.removesuffix('_statement')}` is not read here", "write it otherwise")
        return False

    def branch(self, node: Node, scope: dict[str, Meaning], depth: int, after: Frames, in_loop: bool) -> bool:
        """An if, a switch or a block, and on each of its ways what comes after it."""
        inner = dict(scope)
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
            return self.ways(ways, None, inner, depth, after, in_loop)
        value = node.child_by_field_name("value")
        tag = None if value is None else self.value(value, inner)
        if tag is not None:
            self.check(depth, node)
        return self.ways(list(self.cases(node)), tag, inner, depth, after, in_loop)

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
            if any(True for one in bodies[number] for _ in inside(one, "break_statement", "fallthrough_statement")):
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
        scope: dict[str, Meaning],
        depth: int,
        after: Frames,
        in_loop: bool,
    ) -> bool:
        """if, elif, …, else; the last one has no condition."""
        (conditions, body), *others = ways
        if not conditions:
            return self.run((_Frame(body, dict(scope)), *_copied(after)), depth, in_loop)
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
        if whether == "False":
            return self.ways(others, tag, scope, depth, after, in_loop)
        self.check(depth, conditions[0])
        if whether == "True":
            return self.run((_Frame(body, dict(scope)), *_copied(after)), depth, in_loop)
        self.write(depth, f"if {whether}:", conditions[0])
        first = self.run((_Frame(body, dict(scope)), *_copied(after)), depth + 1, in_loop)
        before = len(self.lines)
        self.write(depth, "else:", conditions[0])
        second = self.ways(others, tag, scope, depth + 1, after, in_loop)
        if [line.text for line in self.lines[before + 1 :]] == ["pass"]:
            del self.lines[before:]
        return first and second

    def loop(self, node: Node, scope: dict[str, Meaning], depth: int) -> None:
        clause = next((child for child in node.named_children if child.type == "range_clause"), None)
        if clause is None or clause.child_by_field_name("left") is None:
            self.refuse(node, "this loop is not read here", "write `for _, x := range list`")
        names = [text(name) for name in expressions(part_of(clause, "left"))]
        over = self.value(part_of(clause, "right"), scope)
        if over.kind not in _LISTS or ":=" not in {text(child) for child in clause.children}:
            self.refuse(clause, "this is no list that the model has", "go through the containers of the spec")
        self.check(depth, clause)
        self.loops += 1
        index, inner = f"i{self.loops}", dict(scope)
        inner[names[0]] = Meaning(index, "index", over.text)
        if names[1:]:
            inner[names[1]] = Meaning(f"{over.text}[{index}]", _LISTS[over.kind])
        self.write(depth, f"for {index} in range(len({over.text})):", node)
        self.run((_Frame(tuple(statements(part_of(node, "body"))), inner),), depth + 1, True)

    def declare(self, node: Node, scope: dict[str, Meaning], depth: int) -> None:
        for spec in [node] if node.type == "short_var_declaration" else inside(node, "var_spec"):
            if spec.type == "short_var_declaration":
                names, given = expressions(part_of(spec, "left")), expressions(part_of(spec, "right"))
            else:
                names, given = spec.children_by_field_name("name"), expressions(spec.child_by_field_name("value"))
            if not given:
                kind = _TYPES.get(text(part_of(spec, "type")))
                if kind not in ("bool", "int", "exit_code"):
                    self.refuse(spec, "nothing is known of this type", "use bool or int")
                values = [Meaning("False" if kind == "bool" else "0", kind)] * len(names)
            elif len(given) == 1:
                values = list(self.values(given[0], scope))
            else:
                values = [self.value(one, scope) for one in given]
            if len(values) != len(names):
                self.refuse(spec, "there are not as many values as names", "give each name one")
            self.check(depth, spec)
            fresh = [name for name in map(text, names) if name != "_" and name in scope and name in self.own_of(scope)]
            if fresh and spec.type == "short_var_declaration" and any(scope[n].kind in _VARIABLES for n in fresh):
                self.refuse(spec, f"`{fresh[0]}` may be the one that is there already", "give it another name")
            made: dict[str, Meaning] = {}
            for name, value in zip(map(text, names), values, strict=True):
                if name != "_":
                    made[name] = self.kept(name, value, depth, spec)
            scope.update(made)

    def own_of(self, scope: dict[str, Meaning]) -> frozenset[str]:
        return frozenset(name for name, value in scope.items() if value.kind in _VARIABLES)

    def kept(self, name: str, value: Meaning, depth: int, node: Node) -> Meaning:
        """A local: a variable of the translation, or another name for what it is given."""
        if value.kind not in _VARIABLES:
            return value
        own, number = f"{snake(name)}_", 1
        while own in self.names:
            number += 1
            own = f"{snake(name)}_{number}"
        self.names.add(own)
        self.write(depth, f"{own} = {value.text}", node)
        return Meaning(own, value.kind, own)

    def assign(self, node: Node, scope: dict[str, Meaning], depth: int) -> None:
        if node.type != "assignment_statement":
            target, sign, value = self.target(node.named_children[0], scope), "+=", Meaning("1", "int")
            sign = "+=" if node.type == "inc_statement" else "-="
        else:
            left, right = expressions(part_of(node, "left")), expressions(part_of(node, "right"))
            sign = text(part_of(node, "operator"))
            if len(left) != 1 or len(right) != 1 or sign not in ("=", "+=", "-="):
                self.refuse(node, "this assignment is not read here", "assign one value to one name")
            target, value = self.target(left[0], scope), self.value(right[0], scope)
        if value.kind != target.kind or (sign != "=" and value.kind != "int"):
            self.refuse(node, "this is a value of another kind", "assign one of the same type")
        self.check(depth, node)
        self.write(depth, f"{target.text} {sign} {value.text}", node)

    def target(self, node: Node, scope: dict[str, Meaning]) -> Meaning:
        found = scope.get(text(node))
        if found is None or not found.key or found.kind not in _VARIABLES:
            self.refuse(node, "only a local is assigned to", "write to a name that the function declares")
        return found

    def ignore(self, node: Node, scope: dict[str, Meaning]) -> None:
        call = node.named_children[0]
        called = inside(call, "call_expression")
        arguments = [one for each in called for one in expressions(each.child_by_field_name("arguments"))]
        if all(one.type.endswith("_literal") or text(one) in scope for one in arguments):
            for _, holes in self.vocabulary.match("ignore", call):
                if all(self.fits(name, hole, scope) for name, hole in holes.items()):
                    return
        self.refuse(node, "nothing is known of what this does", "leave it out")

    # -- expressions ---------------------------------------------------------------------------------------------
    def value(self, node: Node, scope: dict[str, Meaning]) -> Meaning:
        found = self.values(node, scope)
        if len(found) != 1:
            self.refuse(node, f"this gives {len(found)} values", "take them one by one")
        return found[0]

    def values(self, node: Node, scope: dict[str, Meaning]) -> tuple[Meaning, ...]:
        node = unwrapped(node)
        if node.type == "identifier" and text(node) in scope:
            return (scope[text(node)],)
        if (gate := _GATE.fullmatch(text(node))) is not None and "utilfeature" not in scope and "features" not in scope:
            return (self.gate(gate[1], node),)
        if node.type != "binary_expression" and (said := self.said(node, scope)) is not None:
            return said
        match node.type:
            case "int_literal" if text(node).isdigit():
                return (Meaning(str(int(text(node))), "int"),)
            case "true" | "false" if text(node) not in scope:
                return (Meaning(text(node).capitalize(), "bool"),)
            case "unary_expression":
                return (self.unary(node, scope),)
            case "binary_expression":
                return (self.binary(node, scope),)
            case "index_expression":
                over, index = (self.value(part_of(node, name), scope) for name in ("operand", "index"))
                if over.kind in _LISTS and index.kind == "index" and index.key == over.text:
                    return (Meaning(f"{over.text}[{index.text}]", _LISTS[over.kind]),)
        self.refuse(node, f"nothing is known of `{text(node)}`", "use what the function asked before")

    def gate(self, name: str, node: Node) -> Meaning:
        since = self.modelled.gates.get(name)
        if since is None:
            self.refuse(node, f"whether {name} is on is not known", "leave the gate out, or review the text under it")
        is_on = self.release >= tuple(map(int, since.split(".")))
        self.gates[f"{name} is {'on' if is_on else 'off'}"] = None
        return Meaning(str(is_on), "bool")

    def said(self, node: Node, scope: dict[str, Meaning]) -> tuple[Meaning, ...] | None:
        """What the first line of the vocabulary that is about it says; None where none is."""
        for phrase, holes in self.vocabulary.match("values", node):
            if self.means(phrase, holes, scope):
                return self.meanings(phrase, holes, scope)
        return None

    def means(self, phrase: Phrase, holes: Mapping[str, Node], scope: dict[str, Meaning]) -> bool:
        """Does a line say what it seems to: are its names not the function's own, and do its holes fit?"""
        is_own = any(word.decode() in scope for word in phrase.words)
        return not is_own and all(self.fits(name, hole, scope) for name, hole in holes.items())

    def meanings(self, phrase: Phrase, holes: Mapping[str, Node], scope: dict[str, Meaning]) -> tuple[Meaning, ...]:
        filled = {
            name: operand(self.value(hole, scope).text) for name, hole in holes.items() if name not in ("any", "*")
        }

        def with_holes(said: str) -> str:
            return _HOLE.sub(lambda hole: filled[hole[1]], said)

        if phrase.needs:
            self.needs.append((self.guard, with_holes(phrase.needs)))
        if phrase.within:
            self.limits.append((self.guard, with_holes(phrase.within)))
        return tuple(Meaning(with_holes(said), kind) for said, kind in phrase.meanings)

    def fits(self, kind: str, node: Node, scope: dict[str, Meaning]) -> bool:
        """Is an expression of the kind that a hole is called by? What that needs is not kept."""
        if kind in ("any", "*"):
            return True
        kept = len(self.needs), len(self.limits), len(self.guards)
        try:
            return self.value(node, scope).kind == kind
        except GoRefusal:
            return False
        finally:
            del self.needs[kept[0] :], self.limits[kept[1] :], self.guards[kept[2] :]

    def unary(self, node: Node, scope: dict[str, Meaning]) -> Meaning:
        value, operator = self.value(part_of(node, "operand"), scope), text(part_of(node, "operator"))
        if operator == "!" and value.kind == "bool":
            return Meaning(negated(value.text), "bool")
        if operator == "&" and value.kind in ("spec", "init_container", "container"):
            return value
        self.refuse(node, f"nothing is known of `{text(node)}`", "write it otherwise")

    def binary(self, node: Node, scope: dict[str, Meaning]) -> Meaning:
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
            is_small = all(int(one.text) <= _MOST for one in (first, second) if one.text.isdigit())
            if operator in ("+", "-") and first.kind == second.kind == "int" and is_small:
                return Meaning(f"{first.text} {operator} {operand(second.text)}", "int")
            return self.compared(operator, first, second, node)
        self.refuse(node, f"nothing is known of `{text(node)}`", "write it otherwise")

    def compared(self, operator: str, first: Meaning, second: Meaning, node: Node) -> Meaning:
        kinds = {first.kind, second.kind}
        number = next((one for one in (first, second) if one.text.isdigit()), None)
        if number is not None and kinds == {"int"} and int(number.text) > _MOST:
            self.refuse(node, f"a number of containers is compared with {number.text}", f"compare it with 0 or {_MOST}")
        is_number = kinds == {"int"} or kinds == {"exit_code"} or (kinds == {"int", "exit_code"} and number is not None)
        is_equality = operator in ("==", "!=") and len(kinds) == 1 and kinds <= _VARIABLES
        if not (is_equality or (is_number and operator in ("==", "!=", "<", "<=", ">", ">="))):
            self.refuse(node, f"nothing is known of `{text(node)}`", "compare values of one type")
        return Meaning(f"{operand(first.text)} {operator} {operand(second.text)}", "bool")

    # -- text ----------------------------------------------------------------------------------------------------
    @property
    def guard(self) -> str:
        """What holds where the next part of an expression is read."""
        found = "True"
        for one in self.guards:
            found = conjunction(found, one)
        return found

    def check(self, depth: int, node: Node) -> None:
        """Before a statement: where Go would panic, and of what the model has no answer."""
        for guard, needed in dict.fromkeys(self.needs):
            if (condition := disjunction(negated(guard), needed)) != "True":
                self.write(depth, f"assert {condition}", node)
        for guard, needed in dict.fromkeys(self.limits):
            if (condition := conjunction(guard, negated(needed))) != "False":
                self.write(depth, f"if {condition}:", node)
                self.write(depth + 1, f'out_of_bounds("{BEYOND}")', node)
        self.needs, self.limits = [], []

    def write(self, depth: int, line: str, node: Node) -> None:
        self.lines.append(TranslatedLine(depth, line, int(node.start_point[0]) + 1))

    def refuse(self, node: Node, what: str, instead: str) -> NoReturn:
        self.file.refuse(node, what, instead)


def statements_of_case(case: Node) -> list[Node]:
    """The statements below a case."""
    found = [child for child in case.named_children if child.type not in ("comment", "expression_list")]
    if len(found) == 1 and found[0].type == "statement_list":
        return statements(case if case.type != "expression_case" else found[0])
    return found


def _copied(frames: Frames) -> Iterator[_Frame]:
    """What comes after a way, which declares its names anew on each."""
    return (_Frame(frame.statements, dict(frame.scope)) for frame in frames)


def _continues(node: Node) -> bool:
    """Does a way through it end the pass of the loop that it is in?"""
    return any(not _is_in_loop(one, node) for one in inside(node, "continue_statement"))


def _is_in_loop(node: Node, below: Node) -> bool:
    parent = node.parent
    while parent is not None and parent != below:
        if parent.type == "for_statement":
            return True
        parent = parent.parent
    return False
