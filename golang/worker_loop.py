"""podWorkerLoop: one goroutine, cut into the steps between which others may come in.

Its body is followed way by way. Functions that end a step, or whose results are structs, are followed in place, with
what comes after them. At each place where the goroutine waits the step ends, and a new one begins with what is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from podproof.golang.fields import Fields
from podproof.golang.loops import switch_of
from podproof.golang.syntax import (
    GoFile,
    GoFunction,
    expressions,
    expressions_of_return,
    field,
    inside,
    literal,
    root_of,
    statements,
    text,
)
from podproof.golang.values import DELAYS, NIL_VALUE, Meaning, Translated, TranslatedLine, as_delay
from podproof.golang.vocabulary import Vocabulary
from podproof.golang.waiting import WAITS, WaitTranslation

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True)
class LoopStep:
    """A step of the goroutine in the model language."""

    name: str
    parameters: tuple[str, ...]
    lines: tuple[TranslatedLine, ...]
    waits_at: int = 0
    """The line before which it waits for podLock; 0 for a step that the model has."""

    @property
    def position(self) -> str:
        """Where the goroutine stands before a step that the model does not have."""
        return self.name.removeprefix("worker_").upper()


class WorkerLoopTranslation(WaitTranslation):
    """Translates podWorkerLoop."""

    def __init__(
        self, file: GoFile, vocabulary: Vocabulary, fields: Fields, function: GoFunction,
        translate: Callable[[GoFunction, Node], Translated], ignored: list[str], in_place: set[str],
    ) -> None:  # fmt: skip
        super().__init__(file, vocabulary, fields, function, translate, ignored, in_place)
        self.steps: dict[str, LoopStep] = {}
        self.active: list[str] = []
        self.outer_scopes: list[dict[str, Meaning]] = []
        self.before_loops: list[dict[str, Meaning]] = []
        """What the names meant before each loop that this stands in."""
        self.carried: dict[str, tuple[dict[str, Any], ...]] = {}
        """What was known of a struct that the function followed last returned."""

    # -- the loop ------------------------------------------------------------------------------------------------
    def follow(self) -> dict[str, LoopStep]:
        """Every step of the goroutine."""
        function = self.function
        self.flow.scope[function.receiver_name] = Meaning("self", "workers")
        names = [name for name, go in function.parameters.items() if go != "context.Context"]
        if [self.fields.kinds.get(function.parameters[name]) for name in names] != ["uid", "channel"]:
            self.refuse(function.node, "podWorkerLoop has other parameters", "the model knows a UID and a channel")
        for parent in function.parameters.keys() - set(names):
            self.flow.scope[parent] = Meaning("_", "parent", parent)
        self.flow.scope[names[0]] = Meaning("uid", "uid", names[0], "uid")
        self.flow.scope[names[1]] = Meaning("", "channel", names[1], "uid")
        taken = {"uid": "uid", "generation": "int", "worker": "worker", "error": "bool", "outcome": "outcome"}
        self.python_names |= taken
        body = statements(function.body)
        if not body or body[-1].type != "for_statement":
            self.refuse(
                function.node, "podWorkerLoop does not end with its loop", "let it end with `for range podUpdates`"
            )
        for node in body[:-1]:
            kinds = {
                self.fields.kinds.get(text(t))
                for spec in inside(node, "var_spec")
                for t in spec.children_by_field_name("type")
            }
            if node.type == "defer_statement" or self.names_logger(node):
                self.statement(node, [])
                continue
            if node.type != "var_declaration" or kinds != {"time"}:
                self.refuse(
                    node,
                    "this lives across the iterations of podWorkerLoop",
                    "the model keeps nothing of them but lastSyncTime",
                )
            for spec in inside(node, "var_spec"):
                for name in spec.children_by_field_name("name"):
                    self.flow.scope[text(name)] = Meaning("", "since", text(name))
        loop = body[-1]
        clause = next((part for part in loop.named_children if part.type == "range_clause"), None)
        if clause is None or text(field(clause, "right")) != names[1] or clause.child_by_field_name("left") is not None:
            self.refuse(loop, "this is not the loop over the worker's channel", f"write `for range {names[1]}`")
        self.begin_step("start_pod_sync", "")
        for line in (
            "require(worker.position == Position.TOKEN or (worker.position == Position.SPAWNED and worker.token))",
            "if worker.position == Position.SPAWNED:",
        ):
            self.emit(line, loop)
        with self.indented():
            self.emit("worker.token = False", loop)
        self.iteration_end = loop
        self.run_all(statements(field(loop, "body")))
        self.end_step("start_pod_sync")
        return self.steps

    def names_logger(self, node: Node) -> bool:
        """Is this a name for a logger, or for a context that only has values for it?"""
        given = expressions(field(node, "right")) if node.type == "short_var_declaration" else []
        values = list(map(self.peek, given))
        return bool(values) and all(value is not None and value.kind in ("logger", "parent") for value in values)

    def begin_step(self, name: str, position: str) -> None:
        self.out = []
        self.depth = 2
        self.emit("worker = self.workers[uid][generation]", self.function.node)
        if position:
            self.emit(f"require(worker.position == Position.{position})", self.function.node)

    def end_step(self, name: str) -> None:
        extra = next((parameter for step, parameter in WAITS.values() if step == name), "")
        found = LoopStep(name, ("uid", "generation", *filter(None, [extra])), tuple(self.out))
        before = self.steps.setdefault(name, found)
        if [(line.depth, line.text) for line in before.lines] != [(line.depth, line.text) for line in found.lines]:
            self.refuse(self.function.node, f"the goroutine goes on from {name} in different ways", "let it be one")

    def position_of(self, line: int, lines: tuple[TranslatedLine, ...]) -> str:
        """The position in which a goroutine waits for podLock, to go on with these lines; one for each such way."""
        alike = [step for step in self.steps.values() if step.waits_at == line]
        said = [(x.depth, x.text) for x in lines]
        for step in alike:
            if [(x.depth, x.text) for x in (step.lines[0], *step.lines[2:])] == said:
                return step.position
        number = f"_{len(alike) + 1}" if alike else ""
        step = LoopStep(f"worker_locks_{line}{number}", ("uid", "generation"), lines, line)
        ready = TranslatedLine(2, f"require(worker.position == {step.position})", line)
        self.steps[step.name] = replace(step, lines=(lines[0], ready, *lines[1:]))
        return step.position

    # -- ways ----------------------------------------------------------------------------------------------------
    def run_all(self, nodes: list[Node]) -> None:
        """Translate statements up to the end of the step; at their end comes what follows them."""
        for number, node in enumerate(nodes):
            rest = nodes[number + 1 :]
            if self.begins_section(node):
                self.wait_for_lock(node, nodes[number:])
                return
            if node.type in ("if_statement", "expression_switch_statement"):
                if self.is_idle(node) or self.kept_override(node):
                    self.is_initialized = False
                    continue
                first = node.child_by_field_name("initializer")
                if first is not None and first.type == "assignment_statement" and not self.is_initialized:
                    if self.stops(first, nodes[number:], initializes=True):
                        return
                if self.resume is not None and self.returns_override(node, rest):
                    self.resume([Meaning("worker.grace_period", "optional")], node)
                    return
                if (asked := self.asked_first(node)) is not None:
                    self.inline(asked, self.then_with(asked, node, rest))
                    return
                if self.forks(node):
                    self.branch(node, [*rest, None])  # type: ignore[list-item]
                    return
                self.branch(node, [])
            elif node.type == "block" and self.forks(node):
                self.check_shadows(node)
                self.run_all([*statements(node), *rest])
                return
            elif node.type == "select_statement" and self.does_something(node):
                self.choose(node, [*rest, None])  # type: ignore[list-item]
                return
            elif node.type == "}" or self.is_idle_loop(node):
                continue
            elif (switch := switch_of(node)) is not None:
                self.run_all(self.after_switch(switch, node, nodes))
                return
            elif node.type == "return_statement":
                if self.resume is None or not self.stops(node, rest):
                    self.leave(node)
                return
            elif node.type == "continue_statement":
                self.receive(node)
                return
            elif self.stops(node, rest):
                return
            else:
                self.statement(node, rest)
        self.finish()

    def finish(self) -> None:
        """The body of the loop, or of a function that is followed in place, comes to its end."""
        if self.resume is None:
            self.receive(self.iteration_end)
        else:
            self.resume([], self.iteration_end)

    def block(self, nodes: list[Node], scoped: bool = True) -> bool:
        if nodes and nodes[-1] is None:
            before = dict(self.flow.scope)
            self.run_all(nodes[:-1])
            self.flow.scope = before
            return True
        return super().block(nodes, scoped)

    def forks(self, node: Node) -> bool:
        """Does what comes after depend on the branch that is taken?"""
        if self.leaves_switch(node) or any(
            True for _ in inside(node, "return_statement", "continue_statement", into_functions=False)
        ):
            return True
        for target in self.targets(node, with_declared=True):
            found = self.flow.scope.get(text(root_of(target)))
            if found is not None and found.kind not in ("workers", "status"):
                return True
        calls = inside(node, "call_expression")
        is_after_sync = self.position not in ("", "CACHE")
        return any(self.waits_at(call) is not None or (is_after_sync and self.takes_lock(call)) for call in calls)

    def waits_at(self, call: Node) -> str | None:
        """Where the goroutine waits in a call, if it does; `inline` for a function that is followed in place."""
        if call in self.ready:
            return None
        for phrase, _ in self.vocabulary.match("waits", call):
            return phrase.meanings[0][0]
        if self.is_enqueue(call) and self.flow.lock == "free":
            return "ENQUEUE"
        if self.without_receiver(call) == "p.podLock.Lock()":
            return "inline"
        if field(call, "function").type == "func_literal":
            return "inline"
        own = self.own(call)
        if own is None or self.stands_here(call) is not None or self.tells_only(own, call):
            return None
        return "inline" if self.is_followed(own) or (self.flow.lock == "free" and self.enqueues(own)) else None

    def stands_here(self, call: Node) -> GoFunction | None:
        """In the loop a function that gives a struct is followed, but for one that is called while podLock is held."""
        own = super().stands_here(call)
        if own is not None and any(go == "*v1.Pod" for _, go in own.results):
            self.refuse(call, f"`{own.name}` gives one of several pods to the loop", "choose the pod before, or there")
        is_followed = own is not None and not own.handles_worker and bool(own.name) and self.flow.lock == "free"
        return None if is_followed and own is not None and self.is_followed(own) else own

    def enqueues(self, function: GoFunction) -> bool:
        """Does this function put something into the work queue, and leave podLock alone?"""
        calls = list(inside(function.body, "call_expression"))
        locks = any(text(field(call, "function")).endswith((".Lock", ".Unlock")) for call in calls)
        return not locks and any(map(self.is_enqueue, calls))

    def is_enqueue(self, call: Node) -> bool:
        return self.without_receiver(field(call, "function")) == "p.workQueue.Enqueue"

    def is_followed(self, function: GoFunction) -> bool:
        """Is this function part of the loop: does the goroutine wait in it, or take structs or errors along?"""
        if any(go in self.file.structs and self.fields.kinds.get(go) is None for _, go in function.results):
            return True
        types = {function.receiver, *(go.lstrip("*") for go in function.parameters.values())}
        if types & {*self.fields.structs, "error"} and self.stands_for(function) is None:
            return True
        calls = list(inside(function.body, "call_expression"))
        if any(True for call in calls for _ in self.vocabulary.match("waits", call)):
            return True
        first_lock = next((c.start_byte for c in calls if text(field(c, "function")).endswith(".podLock.Lock")), None)
        return first_lock is not None and any(self.is_enqueue(c) and c.start_byte < first_lock for c in calls)

    # -- ends ----------------------------------------------------------------------------------------------------
    def receive(self, node: Node) -> None:
        if self.resume is not None:
            self.refuse(node, "this leaves the loop from within a function", "return from the function")
        self.check_leaving(node)
        self.emit("self.receive(uid, generation)", node)
        self.emit("return", node)

    def leave(self, node: Node) -> None:
        if self.resume is None:
            self.check_leaving(node)
            self.emit("self.stop(uid, generation)", node)
            self.emit("return", node)
            return
        nodes = expressions_of_return(node)
        self.give(self.named_results(node) if not nodes else [self.expression(part) for part in nodes], nodes, node)

    def give(self, values: list[Meaning], nodes: list[Node], node: Node) -> None:
        """Return these from a function that is followed in place."""
        assert self.resume is not None
        kinds = [self.fields.kinds.get(go, "struct") for _, go in self.function.results]
        if len(values) != len(kinds):
            self.refuse(node, "this returns another number of values", "return each result")
        given = []
        for value, kind, at in zip(values, kinds, nodes or [node] * len(kinds), strict=True):
            if value == NIL_VALUE:
                value = Meaning(self.coerce(value, kind, at), kind)
            value = as_delay(value) if kind == "delay" else value
            if value.kind != kind:
                self.refuse(
                    at, f"`{text(at)}` is of another kind than the result ({value.kind}, {kind})", "see docs/go.md"
                )
            given.append(value)
        self.flush(node)
        self.resume(given, node)

    # -- calls that end a step, or are followed ------------------------------------------------------------------
    def stops(self, node: Node, rest: list[Node], initializes: bool = False) -> bool:
        """Translate a statement with such a call, and all that follows; False for any other statement.

        `initializes`: it belongs to the `if` that follows.
        """
        calls = [
            call for call in inside(node, "call_expression", into_functions=False) if self.waits_at(call) is not None
        ]
        if not calls or node.type == "defer_statement":
            return False
        call = calls[0]
        if (argument := self.followed_argument(node, calls)) is not None:
            self.inline(argument, self.then_with(argument, node, rest))
            return True
        names: list[Node] = []
        if node.type in ("short_var_declaration", "assignment_statement"):
            right = expressions(field(node, "right"))
            names = expressions(field(node, "left"))
            if right != [call]:
                self.refuse(call, "this call is a part of an expression", "give its results names first")
        elif node.type == "return_statement":
            if expressions_of_return(node) != [call]:
                self.refuse(call, "this call is a part of an expression", "give its results names first")
        elif node.type not in ("expression_statement",) or node.named_children[0] != call:
            self.refuse(call, "this call is a part of an expression", "call it in a statement of its own")
        where = self.waits_at(call)
        declares = node.type == "short_var_declaration"
        outer = self.resume

        def go_on(values: list[Meaning], at: Node) -> None:
            inner, self.resume = self.resume, outer
            if node.type == "return_statement":
                self.give(values, [call] * len(values), node)
            else:
                self.bind(names, values, declares, node)
                self.is_initialized = initializes
                self.run_all(rest)
            self.resume = inner

        if where == "inline" and self.without_receiver(call) == "p.podLock.Lock()":
            self.lock_here(call, node, rest)
        elif where == "inline":
            self.inline(call, go_on)
        elif where == "ENQUEUE":
            self.enqueue(call, go_on)
        else:
            self.wait(str(where), call, go_on)
        return True

    def bind(self, names: list[Node], values: list[Meaning], declares: bool, node: Node) -> None:
        """Give the results of a call their names."""
        if len(names) != len(values) and names:
            self.refuse(node, f"{len(names)} names for {len(values)} values", "name each")
        for name, value in zip(names, values, strict=False):
            key = text(name)
            if key == "_":
                continue
            if name.type != "identifier":
                self.refuse(name, f"`{key}` cannot take this result", "name the result first")
            if not declares and key not in self.flow.scope:
                self.unknown(name)
            self.flow.forget(key)
            self.flow.scope[key] = self.renamed(value, key)
            self.learn_below(key, self.carried.get(value.key, ()))

    def inline(self, call: Node, go_on: Callable[[list[Meaning], Node], None]) -> None:
        """Follow a function of this file, or a literal that is called on the spot."""
        target = field(call, "function")
        nodes = expressions(field(call, "arguments"))
        if target.type == "func_literal":
            function = literal(self.file, target)
        else:
            own = self.own(call)
            assert own is not None
            function = own
            self.in_place.add(".".join(filter(None, (function.receiver, function.name))))
            if function.name in self.active:
                self.refuse(call, f"`{function.name}` calls itself", "use a loop")
        if len(nodes) != len(function.parameters):
            self.refuse(call, f"`{text(call)}` has another number of arguments", "pass each")
        arguments = [
            self.told(node) if self.is_only_told(function, name) else self.expression(node)
            for name, node in zip(function.parameters, nodes, strict=True)
        ]
        is_literal = target.type == "func_literal"
        if is_literal:
            self.check_shadows(function.body)
        structs = [(name, value) for name, value in zip(function.parameters, arguments, strict=True) if value.fields]
        if function.receiver in self.fields.structs:
            structs.append((function.receiver_name, self.expression(field(target, "operand"))))
            if function.is_pointer and self.is_written(function.receiver_name, function):
                self.refuse(call, f"`{function.name}` sets fields of the caller's {function.receiver}", "return it")
        known = [(name, self.facts_below(value.key)) for name, value in structs]
        written = {text(root_of(target)) for target in self.targets(function.body)}
        caller, lock, epoch = self.function, self.flow.lock, self.epoch
        scope = dict(self.flow.scope)
        told = set(self.flow.told)
        facts = (dict(self.flow.known), dict(self.flow.bound), dict(self.flow.excluded))
        if not is_literal:
            if lock != "free":
                self.refuse(call, f"`{function.name}` is called while podLock is held", "call it without the lock")
            self.flow.scope = {function.receiver_name: Meaning("self", "workers")} if function.receiver else {}
            self.flow.known, self.flow.bound, self.flow.excluded, self.flow.told = {}, {}, {}, set()
            for name, below in known:
                self.learn_below(name, below)
        for (name, go), value in zip(function.parameters.items(), arguments, strict=True):
            if value == NIL_VALUE:
                value = Meaning(self.coerce(value, self.fields.kinds.get(go, ""), call), self.fields.kinds.get(go, ""))
            kind = "struct" if value.text == go else self.fields.kinds.get(go)
            value = as_delay(value) if kind == "delay" else value
            is_status = go == "*kubecontainer.PodStatus" and value.kind == "unknown"
            kind = "unknown" if is_status or self.is_only_told(function, name) else kind
            if kind != value.kind and (go, value.kind) != ("context.Context", "parent"):
                self.refuse(call, f"the argument for {name!r} is of another kind", "see docs/go.md")
            self.flow.scope[name] = self.renamed(value, name)
        if function.receiver in self.fields.structs:
            name, value = structs[-1]
            self.flow.scope[name] = self.renamed(value, name)
        for name, go in function.results:
            if name and name != "_":
                self.flow.scope[name] = self.renamed(self.zero(go), name)
        inner_names = set(function.parameters) | {name for name, _ in function.results}
        before = self.resume
        self.active.append(function.name)
        self.outer_scopes.append(scope)

        def resume(values: list[Meaning], at: Node) -> None:
            state = self.function, self.resume, self.flow.scope, self.active.pop(), self.outer_scopes.pop()
            found = [(value.key, self.facts_below(name)) for name, value in structs if name not in written]
            if self.flow.lock == "held":
                self.refuse(at, "this returns while podLock is held", "write `defer p.podLock.Unlock()` after Lock()")
            if is_literal:
                inner = self.flow.scope
                self.flow.scope = {name: scope[name] if name in inner_names else inner[name] for name in scope}
            else:
                self.carried = {value.key: self.facts_below(value.key) for value in values if value.fields}
                self.flow.scope = dict(scope)
                self.flow.known, self.flow.bound, self.flow.excluded = (dict(fact) for fact in facts)  # type: ignore[assignment]
                for key, below in found:
                    self.learn_below(key, below)
                self.flow.forget_state(True)
                self.flow.lock, self.flow.escaped, self.flow.told = lock, {}, set(told)
                if self.epoch != epoch:
                    self.keep({})
            self.function = caller
            go_on(values, at)
            self.function, self.resume, self.flow.scope = state[:3]
            self.active.append(state[3])
            self.outer_scopes.append(state[4])

        self.function, self.resume = function, resume
        self.run_all(statements(function.body))
        self.function, self.resume = caller, before
        self.active.pop()
        self.outer_scopes.pop()

    # -- locals: every way has its own, so what is constant is no variable ---------------------------------------
    def declare(self, name: str, value: Meaning, node: Node) -> None:
        if self.is_known(value):
            self.flow.forget(name)
            self.flush(node)
            self.flow.scope[name] = replace(value, key=name)
        else:
            super().declare(name, value, node)

    def is_known(self, value: Meaning) -> bool:
        """Is this no variable but a constant, or what the worker keeps?"""
        is_kept = value.text == "uid" or value.text.startswith(("worker.", "kept:"))
        return value.is_constant or is_kept or (value.kind == "context" and value.text.isidentifier())

    def store_local(self, target: Node, value: Meaning, node: Node) -> None:
        name = text(target)
        place = self.flow.scope.get(name)
        if place is not None and place.kind == "since" and value.kind == "time":
            self.flush(node)
            return
        if place is not None and place.kind in DELAYS and place.is_constant and as_delay(value).kind == "delay":
            self.check_outer(name, node)
            self.flow.forget(name)
            self.flush(node)
            self.flow.told.discard(name)
            if value.kind == "told":
                self.flow.told.add(name)
            kind = "duration" if value.kind == "int" else value.kind
            self.flow.scope[name] = replace(value, text=as_delay(value).text, kind=kind, key=name)
            return
        if place is None or place.kind not in ("bool", "int", "optional", "request", "context", "work_type", "time"):
            super().store_local(target, value, node)
            return
        if value == NIL_VALUE:
            value = Meaning(self.coerce(value, place.kind, node), place.kind)
        if value.kind != place.kind:
            self.refuse(node, f"`{name}` is set to something of another kind", "use another name")
        self.check_outer(name, node)
        self.declare(name, value, node)

    def loop(self, node: Node) -> None:
        self.before_loops.append(dict(self.flow.scope))
        super().loop(node)
        self.before_loops.pop()

    def check_outer(self, name: str, node: Node) -> None:
        """Refuse to set in a loop what is from before it: every way has its own locals, and a loop is no way."""
        if any(scope.get(name) is self.flow.scope[name] for scope in self.before_loops):
            self.refuse(node, f"`{name}` is set in a loop within podWorkerLoop", "make that loop a function")

    def target_name(self, target: Node, value: Meaning, declares: bool, node: Node) -> str:
        name = text(target)
        if name == "_" or target.type != "identifier":
            return super().target_name(target, value, declares, node)
        if not declares and name not in self.flow.scope:
            self.unknown(target)
        if name in self.flow.scope and (not declares or name in self.declared_here(node)):
            self.check_outer(name, node)
        self.flow.forget(name)
        python = self.python_name(name, value.kind)
        self.flow.scope[name] = replace(value, text=python, key=name)
        return python

    def python_name(self, name: str, kind: str) -> str:
        taken = {value.text for scope in self.outer_scopes for value in scope.values()}
        python = super().python_name(name, kind)
        number = 1
        while python in taken:
            number += 1
            python = super().python_name(f"{name}_{number}", kind)
        return python

    def emit(self, line: str, node: Node) -> None:
        if "kept:" in line or any("kept:" in need for need in self.needs):
            self.refuse(node, f"`{text(node).partition('{')[0].strip()}` needs what the worker does not keep here",
                        "read it before the wait")  # fmt: skip
        super().emit(line, node)

    def lock_here(self, call: Node, node: Node, rest: list[Node]) -> None:
        """podLock.Lock(): the goroutine waits for it, unless nobody could see the difference."""
        if self.flow.enqueued:
            self.emit("worker.position = Position.COMPLETE", call)
            self.emit("return", call)
            self.go_on_from("COMPLETE", call, lambda: self.locked(node, rest))
        else:
            self.check_sections(call)
            self.locked(node, rest)

    def locked(self, node: Node, rest: list[Node]) -> None:
        self.flow.lock = "held"
        self.flow.sections += 1
        self.locks = True
        self.run_all(rest)

    def lock(self, node: Node, word: str) -> bool:
        if word == "p.podLock.RLock()":
            self.refuse(node, "podLock is locked for reading in the loop", "use Lock(), or call a function that locks")
        return super().lock(node, word)

    def defer_until_return(self, body: list[Node], is_literal: bool, node: Node) -> None:
        self.refuse(node, "this `defer` is a part of the loop", "call it before the returns")

    def check_sections(self, node: Node) -> None:
        """Two critical sections in one step: only for a runtime pod, between startPodSync and its sync call. [A6]"""
        if self.flow.sections and not (self.position == "" and self.is_runtime_pod()):
            self.refuse(node, "a second critical section in one step; others may come in before it",
                        "ask once, or after the sync call and in a statement of its own")  # fmt: skip

    def is_runtime_pod(self) -> bool:
        return any(value.kind == "running" and value.text == "True" for value in self.flow.bound.values())

    def call_own(self, function: GoFunction, node: Node, arguments: list[Node]) -> list[Meaning]:
        if self.is_followed(function):
            self.refuse(node, f"`{text(node)}` is a part of the loop", "call it in a statement of its own")
        return super().call_own(function, node, arguments)
