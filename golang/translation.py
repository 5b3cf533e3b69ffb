"""What the translation of one function carries along, and what it writes."""

from __future__ import annotations

import keyword
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, NoReturn

from podproof.golang.fields import Fields
from podproof.golang.syntax import (
    GoFile,
    GoFunction,
    GoRefusal,
    expressions,
    field,
    inside,
    literal,
    root_of,
    statements,
    text,
    tokens,
    unwrapped,
)
from podproof.golang.values import (
    NOTHING,
    Facts,
    InlinedCall,
    LocalFunction,
    Meaning,
    Translated,
    TranslatedLine,
    disjunction,
    negated,
    snake,
)
from podproof.golang.vocabulary import RECORDS, Phrase, Vocabulary

if TYPE_CHECKING:
    from tree_sitter import Node


WORKERS = Meaning("self", "workers")
Way = tuple[list["Node"], "Node | None", list["Node"], "Node"]
"""Conditions of which one must hold, the value of a switch that they are compared with, the statements, the place."""
_FUNCTIONS = ("func_literal", "function_declaration", "method_declaration")
_RESERVED = frozenset(
    (
        *keyword.kwlist,
        *("self", "local", "last", "copy", "clear", "programmer_error", "require", "range", "len", "min", "max"),
        "super",
    )
)


class FunctionTranslation(ABC):
    """The translation of one function: where it stands, what it knows there, and the lines so far."""

    def __init__(
        self,
        file: GoFile,
        vocabulary: Vocabulary,
        fields: Fields,
        function: GoFunction,
        translate: Callable[[GoFunction, Node], Translated],
        ignored: list[str],
        in_place: set[str],
        is_entry: bool = False,
    ) -> None:
        self.file, self.vocabulary, self.fields = file, vocabulary, fields
        self.function, self.translate = function, translate
        self.ignored, self.in_place, self.is_entry = ignored, in_place, is_entry
        self.flow = Facts()
        self.needs: list[str] = []
        """What must hold before the present statement, or Go would panic."""
        self.guards: list[str] = []
        """Under which conditions the present operand is evaluated at all."""
        self.canonical: dict[str, str] = {}
        """Local UID, or name of a pod -> the UID that it is."""
        self.out: list[TranslatedLine] = []
        self.depth = 2
        self.python_names: dict[str, str] = {}
        self.frame: dict[str, str] = {}
        self.uses_uid = self.writes = self.deletes = self.closes = self.makes = self.locks = self.touches = False
        self.enters = False
        """Does it call what locks podLock?"""
        self.only_reads = False
        """Is podLock locked for reading?"""
        self.implicit_uid = ""
        """The parameter that says of which pod the function is told, where the Go has it in the pod."""
        self.several = ""
        """A call with several results that the statement is to be made of."""
        self.pending_call = ""
        """A call without a result that the statement is to be made of."""
        self.settled: dict[str, str] = {}
        """Kind of each local that was declared without a value and whose type does not say what it is."""
        self.homes: dict[str, str] = {}
        """Local pointer -> the place that it was read from."""
        self.sources: dict[str, str] = {}
        """Local pointer -> the Go expression that it was set to."""
        self.appended: set[tuple[str, str]] = set()
        """Lists of requests, and what was appended to each."""
        self.constants_open: list[str] = []
        """Constants whose value is being read."""
        self.kept: dict[str, tuple[int, Node | None]] = {}
        """Local list or set of UIDs -> how many loops are around it, and where it is appended to."""
        self.passes: list[str] = []
        """The UID of the present pass of each loop over a map."""
        self.of_bools: set[str] = set()
        """Local sets that are maps to true."""
        self.is_initialized = False
        """Was the initializer of the `if` that comes now translated before it?"""
        self.loops: list[str] = []
        """The flag of each loop that is left with `break`; empty for one that is not."""
        self.label = ""
        """The label of the loop that comes now, or is around."""
        self.closures: dict[str, LocalFunction] = {}
        """The local functions, by their names."""
        self.changes = 0
        """How many calls so far may change something."""
        self.changing: set[Node] = set()
        """Conditions whose last part changes something: what held before it need not hold after."""
        self.deferred: list[tuple[list[Node], dict[str, Meaning], str]] = []
        """What is done at the return, what its names mean, and how podLock was held."""
        self.wanted: dict[Node, str] = {}
        """Kind of what belongs where an expression stands, which is told where nothing is known of it."""
        self.misfit: tuple[Node, str, GoRefusal | None] | None = None
        """What did not fit into the last line of the vocabulary that was tried, of which kind it would have to be, and
        why it has no value."""
        self.refused: GoRefusal | None = None
        """Why the expression that was tried last has no value."""
        self.reserved: set[str] = set()
        """The variables of the functions around the one whose statements are translated where it is called."""
        self.bodies: list[InlinedCall] = []
        """The functions whose statements are being translated where they are called."""
        self.ready: dict[Node, list[Meaning]] = {}
        """Calls whose statements have been translated already, and what they returned."""
        self.pairs: list[list[str]] = []
        """What each `return` of a status and another result returns."""
        self.times: list[tuple[set[str], set[str]]] = []
        """Line after line, since which times of a status it asks how long it is, and which it sets."""
        self.entered: list[str] = []
        """Functions whose one expression is being translated where they are called."""

    @abstractmethod
    def attempt(self, node: Node) -> Meaning | None:
        """See expressions.py."""

    @abstractmethod
    def peek(self, node: Node) -> Meaning | None:
        """See expressions.py."""

    @abstractmethod
    def holes(self, phrase: Phrase, holes: dict[str, Node]) -> dict[str, Meaning] | None:
        """See expressions.py."""

    @abstractmethod
    def assume(self, holes: dict[str, Node], values: dict[str, Meaning]) -> None:
        """See expressions.py."""

    @abstractmethod
    def has_elapsed(self, a: Meaning, operator: str, b: Meaning, node: Node) -> Meaning:
        """See operators.py."""

    @abstractmethod
    def take(self, ways: list[Way], rest: list[Node], node: Node) -> bool:
        """See statements.py."""

    @abstractmethod
    def is_idle_statement(self, node: Node) -> bool:
        """See statements.py."""

    @abstractmethod
    def is_idle(self, node: Node) -> bool:
        """See statements.py."""

    @abstractmethod
    def store(self, target: Node, value: Meaning, node: Node) -> None:
        """See assignments.py."""

    @abstractmethod
    def stands_here(self, call: Node) -> GoFunction | None:
        """See in_place.py."""

    @abstractmethod
    def own(self, node: Node) -> GoFunction | None:
        """See expressions.py."""

    @abstractmethod
    def is_set(self, value: Meaning, node: Node) -> str:
        """See expressions.py."""

    @abstractmethod
    def zero(self, go: str) -> Meaning:
        """See assignments.py."""

    @abstractmethod
    def block(self, nodes: list[Node], scoped: bool = True) -> bool:
        """See statements.py."""

    @abstractmethod
    def result_kind(self, go: str) -> str:
        """See statements.py."""

    @abstractmethod
    def check_shadows(self, node: Node) -> None:
        """See statements.py."""

    @abstractmethod
    def check_join(self, a: Facts, b: Facts, node: Node) -> None:
        """See statements.py."""

    @abstractmethod
    def call(self, node: Node) -> list[Meaning]:
        """See calls.py."""

    @abstractmethod
    def is_known_call(self, node: Node) -> bool:
        """See statements.py."""

    @abstractmethod
    def learn(self, condition: Node, holds: bool) -> None:
        """See facts.py."""

    @abstractmethod
    def learn_call(self, condition: Node, holds: bool) -> None:
        """See calls.py."""

    @abstractmethod
    def junction(self, left: Node, operator: str, right: Node) -> Meaning:
        """See calls.py."""

    @abstractmethod
    def unary(self, node: Node) -> Meaning:
        """See operators.py."""

    @abstractmethod
    def binary(self, node: Node) -> Meaning:
        """See operators.py."""

    @abstractmethod
    def effect(self, node: Node, at: Node) -> None:
        """See calls.py."""

    @abstractmethod
    def make_sure(self, base: Meaning, node: Node) -> None:
        """See assignments.py."""

    @abstractmethod
    def check_pure(self, node: Node) -> None:
        """See unseen.py."""

    def refuse(self, at: Node, what: str, instead: str) -> NoReturn:
        self.file.refuse(at, what, instead)

    # -- writing -------------------------------------------------------------------------------------------------
    def emit(self, line: str, node: Node) -> None:
        for need in self.needs:
            self.out.append(TranslatedLine(self.depth, f"assert {need}", self.go_line(node)))
        self.needs.clear()
        self.out.append(TranslatedLine(self.depth, line, self.go_line(node)))

    def go_line(self, node: Node) -> int:
        return int(node.start_point[0]) + 1

    def flush(self, node: Node) -> None:
        """Write what must hold, for a statement that does nothing else."""
        for need in self.needs:
            self.out.append(TranslatedLine(self.depth, f"assert {need}", self.go_line(node)))
        self.needs.clear()

    @contextmanager
    def indented(self) -> Iterator[None]:
        self.depth += 1
        start = len(self.out)
        yield
        if len(self.out) == start:
            go = self.out[-1].go if self.out else 1
            self.out.append(TranslatedLine(self.depth, "pass", go))
        self.depth -= 1

    def python_name(self, name: str, kind: str) -> str:
        """A local's name, another one where that is taken by one of another kind, or by one that is still in scope."""
        python = base = snake(name)
        number = 1
        values = self.flow.scope.values()
        texts = (text for value in values for text in (value.text, value.text.partition(".")[0], value.present))
        in_scope = self.reserved | set(texts)
        while self.python_names.get(python, kind) != kind or python in in_scope or python in _RESERVED:
            number += 1
            python = f"{base}_{number}"
        self.python_names[python] = kind
        return python

    def declared_here(self, node: Node) -> set[str]:
        """The names that the block around a declaration has already: := sets those and makes no new ones."""
        parent = node.parent
        found: set[str] = set()
        if parent is None or parent.type in ("if_statement", "expression_switch_statement"):
            return found
        for other in parent.named_children:
            if other == node:
                break
            if other.type == "short_var_declaration":
                found |= {text(part) for part in expressions(field(other, "left"))}
            elif other.type == "var_declaration":
                found |= {
                    text(n)
                    for spec in inside(other, "var_spec", into_functions=False)
                    for n in spec.children_by_field_name("name")
                }
        if parent.parent == self.function.body or parent == self.function.body:
            found |= {*self.function.parameters, *(name for name, _ in self.function.results)}
        return found

    def assignments(self, name: str) -> int:
        """How often a name is set in this function."""
        count = sum(text(part) == name for part in self.targets(self.function.body, with_declared=True))
        # What a local function sets may be set whenever it is called.
        bodies = (local.function.node for local in self.closures.values() if not local.is_given)
        return count + any(text(part) == name for body in bodies for part in inside(body, "identifier"))

    def is_workers(self, node: Node) -> bool:
        """Is this the receiver, of type *podWorkers?"""
        node = unwrapped(node)
        return node.type == "identifier" and self.flow.scope.get(text(node), NOTHING).kind == "workers"

    def is_stop(self, function: Node) -> bool:
        """Is this the function that releases a local context?"""
        return function.type == "identifier" and self.flow.scope.get(text(function), WORKERS).kind == "stop"

    # -- locks ---------------------------------------------------------------------------------------------------
    def touch(self, node: Node) -> None:
        self.touches = True
        if self.flow.lock == "over":
            self.refuse(node, f"`{text(node)}` is protected by podLock, which was released", "do it before Unlock()")
        if self.flow.lock == "free" and self.locks:
            self.refuse(node, f"`{text(node)}` is protected by podLock", "do it after Lock()")

    def check_placed(self, value: Meaning, node: Node) -> None:
        """A new status is built in its place in the map: by itself it is nowhere."""
        if value.kind == "status" and value.fresh:
            self.refuse(node, f"`{text(node)}`: a new status is used before it has its place",
                        "give it to what podSyncStatuses was asked for, and store it there")  # fmt: skip

    def touch_record(self, base: Meaning, node: Node) -> None:
        self.check_placed(base, node)
        if (
            (base.kind == "status" and not base.by_value)
            or (base.uid and ".pending_update" in base.text)
            or ".active_update" in base.text
        ):
            self.touch(node)
        if base.kind == "status" and base.key in self.flow.dead:
            line = self.flow.dead[base.key]
            self.refuse(node, f"`{text(node)}` is used after line {line} deleted it or replaced it", "use it before")
        if base.kind == "status" and base.present:
            self.check_doubt(base, node)

    def check_doubt(self, status: Meaning, node: Node) -> None:
        """A status that was deleted is what it was to who has it, and nothing to the model."""
        if status.key in self.flow.doubtful:
            line = self.flow.doubtful[status.key]
            self.refuse(node, f"`{text(node)}` is asked after line {line}, which may have deleted it", "ask before")

    def lock(self, node: Node, word: str) -> bool:
        """podLock.Lock() and Unlock(), RLock() and RUnlock()."""
        if word in ("p.podLock.Lock()", "p.podLock.RLock()"):
            is_whole = any(part.type == "import_declaration" for part in self.file.root.named_children)
            declared = self.file.structs["podWorkers"].get("podLock", "")
            if ".RLock" in word and is_whole and "RWMutex" not in declared:
                self.refuse(node, "podLock cannot be locked for reading", "declare it as a sync.RWMutex")
            if self.flow.lock != "free" or self.loops:
                self.refuse(node, "podLock is locked twice in one function", "do it all under one lock")
            self.check_sections(node)
            self.flow.sections += 1
            if self.touches:
                self.refuse(node, "what podLock protects was used before", "lock it first")
            self.flow.lock, self.locks, self.only_reads = "held", True, ".RLock" in word
        elif self.releases(word):
            self.flow.lock = "over"
        elif word in ("p.podLock.Unlock()", "p.podLock.RUnlock()"):
            self.refuse(node, "podLock is released, and is not held, or is released later", "lock it first")
        else:
            return False
        return True

    def enter_section(self, node: Node) -> None:
        """podLock is taken by what is called here."""
        if self.flow.lock in ("held", "deferred"):
            self.refuse(
                node, f"`{text(node)}` locks podLock, which is held here: it would wait for ever",
                "call it without the lock",
            )  # fmt: skip
        if self.loops:
            self.refuse(
                node,
                f"`{text(node)}` locks podLock in a loop, and others may come in between",
                "lock it around the loop",
            )
        self.check_sections(node)
        self.flow.sections += 1
        self.enters = True

    def check_sections(self, node: Node) -> None:
        """One critical section is one step: between two of them others may come in."""
        if self.flow.sections:
            self.refuse(
                node, "a second critical section in one step; others may come in before it", "do it all under one lock"
            )

    def releases(self, word: str) -> bool:
        """Is this what releases podLock, as it is held here?"""
        return self.flow.lock == "held" and word == f"p.podLock.{'R' * self.only_reads}Unlock()"

    def defer(self, node: Node) -> None:
        """What releases podLock holds it until the return, logging is ignored, and anything else is done there."""
        call = node.named_children[0]
        function, arguments = field(call, "function"), expressions(field(call, "arguments"))
        if self.is_stop(function):
            self.check_release(text(function), node)
            return
        # The statements of a literal without a name come at the same time.
        body = statements(field(function, "body")) if function.type == "func_literal" else [call]
        is_literal = function.type == "func_literal" and not arguments
        calls = [part.named_children[0] if part.type == "expression_statement" else part for part in body]
        words = [self.without_receiver(one) for one in calls]
        sections = self.flow.sections
        releases = [self.releases(word) for word in words]
        is_late = function.type == "func_literal" and self.is_read_late(body, function)
        if self.flow.lock == "held" and not any(releases) and any(word.endswith("Unlock()") for word in words):
            self.refuse(
                node, "podLock is released otherwise than it was locked", "pair Lock with Unlock, RLock with RUnlock"
            )
        if not is_late and all(
            is_release or (one.type == "call_expression" and self.is_ignored(one))
            for one, is_release in zip(calls, releases, strict=True)
        ):
            for argument in arguments:
                self.check_pure(argument)
            if self.flow.sections != sections:
                self.refuse(node, "podLock is taken in what is deferred", "take it before, and give the result a name")
            self.flow.lock = "deferred" if any(releases) else self.flow.lock
        else:
            self.flow.sections = sections
            self.defer_until_return(body if is_literal else [call], is_literal, node)

    def is_read_late(self, body: list[Node], function: Node) -> bool:
        """Does a deferred literal read a field of what may be another one, or nil, when the function returns?"""
        names = set(literal(self.file, function).parameters)
        for part in (found for one in body for found in inside(one, "selector_expression", "unary_expression")):
            operand = unwrapped(field(part, "operand"))
            base = self.flow.scope.get(text(operand)) or self.peek(operand)
            if text(root_of(operand)) in names or (
                base is not None and base.kind in (*RECORDS, "pod", "running", "mirror", "optional", "optional_bool")
            ):
                return True
        return False

    def check_release(self, stop: str, node: Node) -> None:
        """Who defers the release of a context cancels it when the function around returns: nobody has it then."""
        around = node.parent
        while around is not None and around.type not in _FUNCTIONS:
            around = around.parent
        assert around is not None
        body, result = field(around, "body"), around.child_by_field_name("result")
        if result is not None and "context.Context" in text(result):
            self.refuse(node, "a context may be cancelled here that is returned", "let the caller cancel it")
        made = (
            field(part, "left")
            for part in inside(body, "short_var_declaration", into_functions=False)
            if any(True for _ in inside(field(part, "right"), "call_expression"))
        )
        if not any(text(name) == stop for left in made for name in expressions(left)):
            self.refuse(
                node, f"`{stop}` is called when this function returns, and was made outside it", "defer it there"
            )
        for target in self.targets(body):
            known = self.flow.scope.get(text(target), WORKERS)
            value = known if target.type == "identifier" else self.peek(target)
            if value is None or value.kind in ("context", "parent", "nil"):
                self.refuse(target, f"`{text(target)}` may be a context that is cancelled when this function returns",
                            f"call `{stop}` where it is not needed any more")  # fmt: skip

    def defer_until_return(self, body: list[Node], is_literal: bool, node: Node) -> None:
        unfit = ("return_statement", "defer_statement", "go_statement", "func_literal", "labeled_statement")
        is_outermost = node.parent is not None and self.function.body in (node.parent, node.parent.parent)
        if not is_outermost or any(True for part in body for _ in inside(part, *unfit)):
            self.refuse(node, "this `defer` is outside what is translated",
                        "write it in the function's own block, with statements that come to their end")  # fmt: skip
        for argument in () if is_literal else expressions(field(body[0], "arguments")):
            is_fixed = argument.type == "identifier" and not self.is_set_after(text(argument), node)
            if argument.type not in ("true", "false", "nil", "int_literal") and not is_fixed:
                self.refuse(argument, f"`{text(argument)}` may be another one when the function returns",
                            "give it a name that is set once")  # fmt: skip
        for target in (found for part in body for found in self.targets(part)):
            root = self.flow.scope.get(text(root_of(target)), NOTHING)
            if target.type == "identifier" or root.fields or root.by_value:
                self.refuse(target, f"a `defer` sets `{text(target)}`, which may be returned", "set it before")
        self.deferred.append((body, dict(self.flow.scope), self.flow.lock))

    def targets(self, node: Node, with_declared: bool = False) -> Iterator[Node]:
        """What is assigned to below this node; what `:=` declares only if that is asked for."""
        declarations = ["short_var_declaration"] * with_declared
        for part in inside(node, "assignment_statement", "inc_statement", "dec_statement", *declarations):
            yield from expressions(part.child_by_field_name("left") or part.named_children[0])

    def may_change(self, index: str, over: str, loop: Node) -> bool:
        """Is the index of a loop set in it, or the list, other than right before the loop is left?"""
        for target in self.targets(field(loop, "body")):
            after = target.parent
            while after is not None and not after.type.endswith("_statement"):
                after = after.parent
            after = after.next_named_sibling if after is not None else None
            is_last = after is not None and after.type in ("break_statement", "return_statement")
            if text(target) == index or ("".join(tokens(target)) == over and not is_last):
                return True
        return False

    def reads_part(self, name: str, part: str) -> bool:
        """Is this field of a local looked at in the function, or the whole of it?"""
        for found in inside(self.function.body, "identifier"):
            use = found.parent if text(found) == name else None
            if use is not None and use.type == "selector_expression" and text(field(use, "field")) != part:
                continue
            if use is not None and (use.parent is None or use.parent.child_by_field_name("left") != use):
                return True
        return False

    def is_set_after(self, name: str, node: Node) -> bool:
        targets = self.targets(self.function.body, with_declared=True)
        return any(text(target) == name and target.start_byte > node.start_byte for target in targets)

    def run_deferred(self, node: Node) -> None:
        """What was deferred is done, the last first."""
        for body, then, lock in reversed(self.deferred):
            for name in {text(found) for part in body for found in inside(part, "identifier")} & then.keys():
                now, before = self.flow.scope.get(name), then[name]
                if now is None or (now.text, now.kind) != (before.text, before.kind):
                    self.refuse(node, f"`{name}` is another one here than in the `defer`", "rename it")
            is_released = lock == "free" and self.flow.lock == "deferred"
            if is_released:  # What is deferred after it comes before it.
                self.flow.lock = "over"
            for part in body:
                if part.type == "call_expression":
                    self.effect(part, part)
                else:
                    self.block([part], scoped=False)
            if is_released:
                self.flow.lock = "deferred"

    def without_receiver(self, node: Node) -> str:
        """The text, with `p` for the workers, whatever they are called."""
        words = text(node)
        name, dot, rest = words.partition(".")
        return f"p.{rest}" if dot and self.flow.scope.get(name, NOTHING).kind == "workers" else words

    def is_ignored(self, node: Node) -> bool:
        for phrase, holes in self.vocabulary.match("ignore", node):
            values = self.holes(phrase, holes)
            if values is None:
                continue
            self.assume(holes, values)
            self.ignored.append(f"{self.file.name}:{self.go_line(node)} {phrase.line}")
            return True
        return False

    # -- what Go would panic at ----------------------------------------------------------------------------------
    def need(self, condition: str) -> None:
        if condition in self.guards:
            return
        for guard in reversed(self.guards):
            condition = disjunction(negated(guard), condition)
        if condition != "True" and condition not in self.needs:
            self.needs.append(condition)

    def need_not_nil(self, value: Meaning, node: Node) -> None:
        """A pointer is followed here."""
        if value.by_value or value.fresh or self.flow.known.get(value.key) is True:
            return
        self.need_made(value.key, node)
        set_ = self.is_set(value, node)
        if set_ == "False":
            self.refuse(node, f"`{text(node)}` is nil here, and Go would panic", "test it first")
        self.need(set_)
        if value.key:
            self.flow.known[value.key] = True

    def need_made(self, name: str, node: Node) -> None:
        """A new object that a local may stand for has been made on every way that leads here."""
        if name in self.flow.building and self.flow.known.get(name) is not True:
            self.refuse(node, f"`{name}` is made on some ways that lead here only", "make it on each")
