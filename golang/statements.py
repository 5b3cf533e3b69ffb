"""Statements of Go as statements of the model language, in the same order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from podproof.golang.fields import RETURNED
from podproof.golang.idle import IdleTranslation
from podproof.golang.loops import switch_of
from podproof.golang.syntax import (
    GoFunction,
    expressions,
    expressions_of_return,
    field,
    inside,
    statements,
    text,
)
from podproof.golang.translation import WORKERS, Way
from podproof.golang.values import (
    NIL_VALUE,
    OF_STATUS,
    STATIC,
    UNTOLD,
    Facts,
    Meaning,
    Translated,
    TranslatedLine,
    disjunction,
    negated,
    snake,
)
from podproof.golang.vocabulary import RECORD_TYPES, RECORDS

if TYPE_CHECKING:
    from tree_sitter import Node

IMPLICIT_UID = "uid_of_pod"
"""The parameter that says of which pod a function is told, where the Go has it in the pod."""


HANDED_ON = ("completeSync", "completeTerminating")
"""Functions to which managePodLoop gives the pod of its update; they hand it on."""
_HANDED_ON = "Pod(present=True, revision=self.workers[{0}][self.pod_updates[{0}]].revision)"
"""That pod: only its revision is kept. [A28]"""


class StatementTranslation(IdleTranslation):
    """Translates one function whose statements each are one statement of the model, or several."""

    # -- a function ----------------------------------------------------------------------------------------------
    def run(self) -> Translated:
        function = self.function
        parameters, kinds = self.declare_parameters()
        results = [self.result_kind(kind) for _, kind in function.results]
        used = {text(node) for node in inside(function.body, "identifier")}
        bare = any(not expressions_of_return(node) for node in inside(function.body, "return_statement"))
        for (name, _), kind in zip(function.results, results, strict=True):
            if name and kind == "status":
                self.refuse(function.node, f"the result {name!r} is a pointer to a status", "give it no name")
            if name and name != "_" and (name in used or bare):
                self.declare(name, Meaning(self.fields.zeros.get(kind, ""), kind), function.body)
        ends = self.block(statements(function.body), scoped=False)
        if not ends:
            self.end(function.body)
        if not self.out:
            self.emit("return", function.body)
        if self.only_reads and self.writes:
            self.refuse(function.node, f"{function.name} writes while it holds podLock for reading", "use Lock()")
        if self.enters and self.touches and not self.locks:
            self.refuse(
                function.node, f"{function.name} uses what podLock protects, and calls what locks it", "lock it once"
            )
        if "status" in results and (self.locks or self.enters):
            self.refuse(
                function.node, f"{function.name} gives a status away that podLock protects", "let the caller lock"
            )
        takes_uid = bool(self.implicit_uid) and (self.uses_uid or self.is_entry)
        uid = self.implicit_uid if takes_uid else next(
            (p for p, k in zip(parameters, kinds, strict=True) if k == "uid"), ""
        )  # fmt: skip
        needs_workers = function.receiver == "podSyncStatus" and any("self." in line.text for line in self.out)
        return Translated(
            function, f"{OF_STATUS * needs_workers}{self.own_name}",
            tuple([self.implicit_uid] * takes_uid + parameters), tuple(kinds), tuple(results), tuple(self.out),
            takes_uid, uid if self.uses_uid or takes_uid or not self.implicit_uid else "",
            self.writes, self.deletes, self.locks or self.enters, self.touches, self.closes, tuple(self.frame.items()),
            self.tells(results), self.makes,
        )  # fmt: skip

    def tells(self, results: list[str]) -> bool:
        """Is each status that is returned nil exactly where the bool beside it is false, or the error is not nil?"""
        is_pair = results in (["status", "bool"], ["status", "failure"])
        nil = str(results[-1:] == ["failure"])
        return is_pair and all(pair in (["True", negated(nil)], ["False", nil]) for pair in self.pairs)

    def declare_parameters(self) -> tuple[list[str], list[str]]:
        function = self.function
        if function.receiver == "podWorkers":
            self.flow.scope[function.receiver_name] = WORKERS
        parameters, kinds = [], []
        given = dict(function.parameters)
        if function.receiver in RECORD_TYPES:
            given = {function.receiver_name: f"{'*' * function.is_pointer}{function.receiver}", **given}
        uids = [name for name, go in given.items() if go == "types.UID"]
        self.of_pod = of_pod = snake(uids[0]) if len(uids) == 1 else "" if uids else IMPLICIT_UID
        self.implicit_uid = IMPLICIT_UID if of_pod == IMPLICIT_UID else ""
        for name, go in given.items():
            kind = (
                "unknown"
                if self.is_only_told(function, name)
                else {"string": "full_name", "[]*v1.Pod": "desired pods", "context.Context": "parent"}.get(go)
                or self.fields.kinds.get(go)
            )
            if not kind or (kind in STATIC and kind not in (*UNTOLD, "channel")):
                self.refuse(function.node, f"the parameter {name!r} is a `{go}`", "the model knows none of these")
            python = self.python_name(name or "_", kind)
            by_value = kind in RECORDS and not go.startswith("*")
            value = Meaning(
                python, kind, name, of_pod if kind in (*RECORDS, "pod", "running") else "", by_value=by_value
            )
            if kind == "uid":
                value = replace(value, uid=python)
            if kind == "pod" and function.name in HANDED_ON and "lastUndeliveredWorkUpdate" in self.fields.state:
                value = replace(value, text=_HANDED_ON.format(of_pod), fresh=True)
            self.flow.scope[name] = value
            if name == function.receiver_name and kind == "status":
                self.flow.known[name] = True  # Whoever calls the method has looked.
            if kind in UNTOLD:
                continue
            parameters.append(python)
            kinds.append(kind)
            if by_value and not self.is_entry and self.is_written(name):
                copied = self.python_name(f"{name}_copied", kind)
                self.emit(f"{copied} = copy({python})", function.body)
                self.flow.scope[name] = replace(value, text=copied)
            if self.is_entry and kind == "update":
                self.flow.owned.add(f"{name}.KillPodOptions")
        return parameters, kinds

    def is_written(self, name: str, function: GoFunction | None = None) -> bool:
        """Is a field of this parameter set?"""
        body = (function or self.function).body
        return any(text(target).startswith(f"{name}.") for target in self.targets(body))

    @property
    def own_name(self) -> str:
        """The function's name in the model: Go's, and the type's before it for a method of some options."""
        name = snake(self.function.name)
        is_of_options = self.function.receiver in RECORD_TYPES and self.function.receiver != "podSyncStatus"
        return f"{snake(self.function.receiver)}_{name}" if is_of_options else name

    def result_kind(self, go: str) -> str:
        if go == "map[types.UID]PodWorkerSync":
            return "known pods"
        if go in RETURNED:
            return RETURNED[go]
        if go in self.fields.structs and self.function.name[:1].isupper():
            return "struct"
        kind = self.fields.kinds.get(go, "")
        if not kind:
            self.refuse(self.function.node, f"a result is a `{go}`", "the model knows none of these")
        return "failure" if kind == "error" else kind  # Of an error it is known whether it is nil.

    # -- blocks --------------------------------------------------------------------------------------------------
    def block(self, nodes: list[Node], scoped: bool = True) -> bool:
        """Translate statements; does none of the ways through them come to their end?"""
        outer = self.flow.scope if not scoped else dict(self.flow.scope)
        for number, node in enumerate(nodes):
            if node.type in ("if_statement", "expression_switch_statement"):
                if self.is_idle(node):
                    continue
                rest = nodes[number + 1 :]
                if self.leaves(node):
                    # The rest goes into the branches: the model language has no `continue`.
                    ended = self.branch(node, rest)
                    self.leave_scope(outer, scoped)
                    return ended
                if self.branch(node, []):
                    self.leave_scope(outer, scoped)
                    return True
            elif node.type == "select_statement" and self.does_something(node):
                ended = self.choose(node, nodes[number + 1 :])
                self.leave_scope(outer, scoped)
                return ended
            elif node.type == "}" or self.is_idle_loop(node):
                continue
            elif (switch := switch_of(node)) is not None:
                ended = self.block(self.after_switch(switch, node, nodes))
                self.leave_scope(outer, scoped)
                return ended
            elif self.statement(node, nodes[number + 1 :]):
                self.leave_scope(outer, scoped)
                return True
        self.leave_scope(outer, scoped)
        return False

    def leave_scope(self, outer: dict[str, Meaning], scoped: bool) -> None:
        if not scoped:
            return
        for name in list(self.flow.scope):
            if name not in outer or self.flow.scope[name].text != outer[name].text:
                if name in self.flow.building or name in self.flow.channels:
                    self.refuse(
                        self.function.node, f"`{name}` is made and stored in no map", "store it where it is made"
                    )
                if name not in self.outer_static or name not in outer:
                    self.flow.forget(name)  # What was known is about the inner one.
        self.flow.scope = {
            name: self.flow.scope[name] if name in self.outer_static else value for name, value in outer.items()
        }

    def leaves(self, node: Node) -> bool:
        """Does this statement leave the body of a loop, or end a function that is translated in place?"""
        returns = bool(self.bodies) and any(True for _ in inside(node, "return_statement", into_functions=False))
        return (
            returns
            or self.leaves_switch(node)
            or any(
                bool(self.loops) and self.is_own(part, node)
                for part in inside(node, "continue_statement", "break_statement", into_functions=False)
            )
        )

    def leaves_switch(self, node: Node) -> bool:
        """Is there a `break` in this statement that leaves a switch around it?"""
        switches = map(switch_of, inside(node, "break_statement", into_functions=False))
        return any(s is not None and s.start_byte < node.start_byte for s in switches)

    def after_switch(self, switch: Node, jump: Node, nodes: list[Node]) -> list[Node]:
        """Of what comes after a `break`, that which comes after the switch that it leaves."""
        if switch.children[-1] not in nodes:
            self.refuse(jump, "this `break` is outside what is translated", "let the case come to its end")
        return nodes[nodes.index(switch.children[-1]) + 1 :]

    # -- branches ------------------------------------------------------------------------------------------------
    def branch(self, node: Node, rest: list[Node]) -> bool:
        """An `if` or `switch`, and with it what comes after where that depends on the branch."""
        initializer = node.child_by_field_name("initializer")
        outer = dict(self.flow.scope)
        if rest:
            self.check_shadows(node)
        if initializer is not None and not self.is_initialized:
            self.statement(initializer, [])
        self.is_initialized = False
        ways = self.ways(node)
        ended = self.take(ways, rest, node)
        self.leave_scope(outer, True)
        return ended

    def check_shadows(self, node: Node) -> None:
        """Refuse a name of an inner block that hides another one from what is translated after the block, within it."""
        for declaration in inside(node, "short_var_declaration", "var_spec", into_functions=False):
            left = declaration.child_by_field_name("left")
            names = declaration.children_by_field_name("name") if left is None else expressions(left)
            for name in names:
                if text(name) in self.flow.scope and self.is_named_after(text(name), node):
                    self.refuse(name, f"`{text(name)}` is declared again in an inner block", "use another name")

    def is_named_after(self, name: str, node: Node) -> bool:
        """Does the function around a statement, to its outermost one, mean a name of its own after it?"""
        around = node
        while around.parent is not None and around.parent.type != "source_file":
            around = around.parent
        uses = (part for part in inside(around, "identifier") if text(part) == name)
        return any(part.start_byte >= node.end_byte and not self.is_hidden(name, part) for part in uses)

    def is_hidden(self, name: str, use: Node) -> bool:
        """Does the beginning of an `if` or a `switch` around declare the name anew?"""
        within, at = use, use.parent
        while at is not None:
            first = at.child_by_field_name("initializer")
            is_declared = first is not None and first.type == "short_var_declaration"
            if first is not None and is_declared and name in map(text, expressions(field(first, "left"))):
                right = field(first, "right")
                return within != first or use.start_byte < right.start_byte
            within, at = at, at.parent
        return False

    def ways(self, node: Node) -> list[Way]:
        """Conditions with their bodies; each condition is a list of expressions, of which one must hold."""
        if node.type == "if_statement":
            then = statements(field(node, "consequence"))
            found: list[Way] = [([field(node, "condition")], None, then, node)]
            other = node.child_by_field_name("alternative")
            if other is not None:
                found.append(([], None, [other] if other.type == "if_statement" else statements(other), other))
            return found
        subject = node.child_by_field_name("value")
        cases: list[Way] = []
        default: Way | None = None
        for case in node.named_children:
            if case.type == "expression_case":
                cases.append((expressions(field(case, "value")), subject, self.case_body(case), case))
            elif case.type == "default_case":
                default = ([], None, self.case_body(case), case)
        return [*cases, default] if default is not None else cases

    def case_body(self, case: Node) -> list[Node]:
        value = case.child_by_field_name("value")
        found = [n for n in case.named_children if n.type != "comment" and n != value]
        body = statements(found[0]) if len(found) == 1 and found[0].type == "statement_list" else found
        for node in body:
            if node.type == "fallthrough_statement":
                self.refuse(node, "`fallthrough` is outside what is translated", "repeat the lines, or join the cases")
        if body and switch_of(body[-1]) is not None:
            body = body[:-1]
        # The brace that closes the switch stands for its end.
        breaks = [node for part in body for node in inside(part, "break_statement") if switch_of(node) == case.parent]
        return [*body, *[case.parent.children[-1]] * bool(breaks)] if case.parent is not None else body

    def take(self, ways: list[Way], rest: list[Node], node: Node) -> bool:
        """Translate the ways one below the other as if/elif/else."""
        if not ways:
            return self.block(rest) if rest else False
        conditions, tag, body, at = ways[0]
        if not conditions:
            return self.block([*body, *rest])
        if tag is None:
            self.prepare(conditions[0])
        condition = self.any_of(conditions, tag)
        if condition in ("True", "False"):
            self.flush(at)
            self.learn_all(conditions, tag, condition == "True")
            return self.block([*body, *rest]) if condition == "True" else self.take(ways[1:], rest, node)
        self.emit(f"if {condition}:", at)
        before = self.flow.copy()
        self.learn_all(conditions, tag, True)
        with self.indented():
            then_ended = self.block([*body, *rest])
        then, self.flow = self.flow, before
        self.learn_all(conditions, tag, False)
        mark = len(self.out)
        if self.out[-1] == TranslatedLine(self.depth + 1, "pass", self.out[-1].go) and (ways[1:] or rest):
            del self.out[-2:]
            self.emit(f"if {negated(condition)}:", at)
            with self.indented():
                other_ended = self.take(ways[1:], rest, node)
        elif then_ended and self.out[-1].text.startswith("return") and not self.jumps(body):
            other_ended = self.take(ways[1:], rest, node)
        elif not ways[1:] and not rest:
            other_ended = False
        else:
            self.out.append(TranslatedLine(self.depth, "else:", self.go_line(ways[1][3] if ways[1:] else node)))
            with self.indented():
                other_ended = self.take(ways[1:], rest, node)
            self.flatten(mark)
        if then_ended or other_ended:
            self.flow = self.flow if then_ended else then
        else:
            self.check_join(then, self.flow, node)
            self.flow = self.flow.join(then)
        return then_ended and other_ended

    def jumps(self, body: list[Node]) -> bool:
        """Does a way through these statements end with the loop around going on?"""
        kinds = ("continue_statement", "break_statement", *["return_statement"] * bool(self.bodies))
        return bool(self.loops or self.bodies) and any(
            True for node in body for _ in inside(node, *kinds, into_functions=False)
        )

    def flatten(self, mark: int) -> None:
        """`else:` with nothing below it goes, and with a single `if` below it becomes `elif`."""
        head, body = self.out[mark], self.out[mark + 1 :]
        if len(body) == 1 and body[0].text == "pass":
            del self.out[mark:]
        elif body[0].text.startswith("if ") and all(
            line.depth > head.depth + 1 or line.text.startswith(("elif ", "else:")) for line in body[1:]
        ):
            self.out[mark:] = [replace(body[0], depth=head.depth, text=f"el{body[0].text}")] + [
                replace(line, depth=line.depth - 1) for line in body[1:]
            ]

    def any_of(self, conditions: list[Node], tag: Node | None) -> str:
        found = self.condition(conditions[0], tag)
        for condition in conditions[1:]:
            self.guards.append(negated(found))
            found = disjunction(found, self.condition(condition, tag))
            self.guards.pop()
        return found

    def condition(self, node: Node, tag: Node | None) -> str:
        """A condition, or that a switch's value is this one."""
        if tag is None:
            return self.boolean(node)
        said = self.phrase(node, tag)
        if said is not None:
            return said[0].text
        changes = self.changes
        found = self.equality(self.expression(tag), "==", self.expression(node), node)
        if self.changes != changes:
            self.refuse(tag, f"`{text(tag)}` changes something in the midst of a switch", "call it before")
        return found.text

    def learn_all(self, conditions: list[Node], tag: Node | None, holds: bool) -> None:
        if len(conditions) > 1 and holds:
            return
        for condition in conditions:
            if tag is None:
                self.learn(condition, holds)
            elif tag.type in ("identifier", "selector_expression"):
                self.learn_equal(tag, condition, holds)

    def check_join(self, a: Facts, b: Facts, node: Node) -> None:
        if a.lock != b.lock:
            self.refuse(node, "podLock is held on one way and not on the other", "lock and unlock on both")
        self.check_made(a, b, node)
        for name in a.scope.keys() & b.scope.keys():
            one, other = a.scope[name], b.scope[name]
            if one.kind in STATIC and one != other:
                is_same = one.kind == other.kind == "channel" and one.uid == other.uid
                was = one if is_same else Meaning("give it the same value on both branches", "lost")
                a.scope[name] = b.scope[name] = was

    def name(self, node: Node) -> Meaning:
        found = super().name(node)
        if found.kind == "unset" and found.text in self.settled:
            return replace(found, kind=self.settled[found.text], uid=self.canonical[found.text])
        return found

    # -- single statements ---------------------------------------------------------------------------------------
    def statement(self, node: Node, rest: list[Node]) -> bool:
        """Translate one statement; does it end the way?"""
        self.prepare_statement(node)
        match node.type:
            case "short_var_declaration":
                if self.define_closure(node):
                    return False
                self.assign(expressions(field(node, "left")), expressions(field(node, "right")), node, declares=True)
            case "assignment_statement":
                self.assignment(node)
            case "var_declaration":
                self.variables(node)
            case "const_declaration":
                for spec in (part for part in node.named_children if part.type == "const_spec"):
                    given = spec.child_by_field_name("value")
                    if given is None or "iota" in map(text, inside(given, "identifier", "iota")):
                        self.refuse(spec, "a constant without a value of its own", "declare it outside of functions")
                    self.assign(list(spec.children_by_field_name("name")), expressions(given), spec, declares=True)
            case "expression_statement":
                if node.named_children[0] not in self.ready:
                    self.effect(node.named_children[0], node)
            case "return_statement":
                values = expressions_of_return(node)
                self.leave_body(values, node) if self.bodies else self.returns(values, node)
                return True
            case "for_statement":
                self.loop(node)
            case "labeled_statement":
                self.labeled(node)
            case "defer_statement":
                self.defer(node)
            case "select_statement":
                self.select(node)
            case "go_statement":
                self.go(node)
            case "block":
                return self.block(statements(node))
            case "inc_statement" | "dec_statement":
                value = self.expression(node.named_children[0])
                if value.kind != "int":
                    self.refuse(node, f"`{text(node)}`: this is no number", "count in numbers")
                sign = "+" if node.type == "inc_statement" else "-"
                self.store(node.named_children[0], self.computed(value, sign, Meaning("1", "int"), node), node)
            case "send_statement":
                self.refuse(node, "this send may block while podLock is held", "send in a select with a `default`")
            case "continue_statement" | "break_statement":
                self.jump(node)
                return True
            case _:
                self.refuse(node, f"`{node.type.replace('_', ' ')}` is outside what is translated", "see docs/go.md")
        return False

    def labeled(self, node: Node) -> None:
        """A label of a loop whose jumps, each in its own body, would mean the same without it."""
        label, loop = node.named_children[0], node.named_children[-1]
        jumps = [
            jump
            for jump in inside(node, "continue_statement", "break_statement", "goto_statement")
            if jump.named_children and text(jump.named_children[0]) == text(label)
        ]
        if loop.type != "for_statement" or not all(self.is_own(jump, loop) for jump in jumps):
            self.refuse(node, "this label is outside what is translated", "label a loop, and leave no loop within it")
        self.label = text(label)
        self.loop(loop)
        self.label = ""

    def jump(self, node: Node) -> None:
        if not self.loops or (node.named_children and text(node.named_children[0]) != self.label):
            self.refuse(node, f"`{text(node)}` is outside what is translated here", "leave the loop around it only")
        if node.type == "break_statement":
            self.emit(f"{self.loops[-1]} = False", node)
        else:
            self.flush(node)

    def returns(self, values: list[Node], node: Node) -> None:
        kinds = [self.result_kind(go) for _, go in self.function.results]
        if not values and kinds:
            texts = [value.text for value in self.named_results(node)]
        elif len(values) != len(kinds):
            found = self.results(values[0]) if len(values) == 1 else []
            if not found or [value.kind for value in found] != kinds:
                self.refuse(node, "this returns another number of values", "return each result")
            texts = [found[0].text]
        else:
            texts = []
            for value, kind in zip(values, kinds, strict=True):
                if kind == "status":
                    texts.append(self.given_status(self.expression(value), value))
                elif kind == "struct":  # Nobody who reads it is in the model.
                    if self.expression(value).kind != kind:
                        self.refuse(value, f"`{text(value)}` is no struct of this file", "return one")
                elif kind in RETURNED.values():
                    self.tell_pods(self.expression(value), kind, value)
                elif kind != "known pods":
                    self.wanted[value] = kind
                    texts.append(self.coerce(self.expression(value), kind, value))
                elif text(value) == "nil" and not any("record_known_pod" in line.text for line in self.out):
                    continue  # The map without any, which nobody outside writes.
                elif self.expression(value).kind != kind:
                    self.refuse(value, "what is returned is no map of the known pods", "return the one that was made")
        self.pairs.append(texts)
        if self.deferred:
            if not all(Meaning(value, "").is_constant or value.isidentifier() for value in texts):
                self.refuse(node, "what is returned is computed before the `defer`", "name it first")
            self.flush(node)
            self.run_deferred(node)
        self.check_leaving(node)
        self.emit(f"return {', '.join(texts)}".rstrip(), node)

    def tell_pods(self, value: Meaning, kind: str, node: Node) -> None:
        """UIDs are returned to who calls from outside: the model has nobody who reads them, or writes to them."""
        if value != NIL_VALUE and (value.kind != kind or (value.text.startswith("self.") and not value.fresh)):
            self.refuse(node, f"`{text(node)}` is no list or set of UIDs of the function's own", "make one, or copy it")

    def given_status(self, value: Meaning, node: Node) -> str:
        """Whether a status that is returned is not nil: which one it is, the UID says that the function is given."""
        if value == NIL_VALUE:
            return "False"
        if value.kind != "status" or not value.uid or value.uid != self.of_pod:
            self.refuse(node, f"`{text(node)}` is not seen to be the status of the function's UID",
                        "return the entry of podSyncStatuses, or nil")  # fmt: skip
        self.touch_record(value, node)
        return self.is_set(value, node)

    def named_results(self, node: Node) -> list[Meaning]:
        """What a bare `return` returns."""
        names = [name for name, _ in self.function.results]
        if not all(name in self.flow.scope for name in names):
            self.refuse(node, "this returns nothing where results belong", "return each result, or name them")
        return [self.flow.scope[name] for name in names]

    def end(self, node: Node) -> None:
        """The function's body comes to its end."""
        self.run_deferred(node)
        self.check_leaving(node)
        self.flush(node)

    def check_leaving(self, node: Node) -> None:
        if self.flow.lock == "held":
            self.refuse(node, "this returns while podLock is held", "write `defer p.podLock.Unlock()` after Lock()")
        for name in {**self.flow.building, **self.flow.channels}:
            self.refuse(node, f"`{name}` is made, and this returns before it is stored", "store it where it is made")
