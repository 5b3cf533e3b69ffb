"""Functions whose statements stand where they are called: local ones, and those that take or start a worker."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from podproof.golang.calls import is_expression
from podproof.golang.expressions import NAMES
from podproof.golang.fields import RETURNED
from podproof.golang.loops import LoopTranslation
from podproof.golang.syntax import (
    GoFunction,
    expressions,
    expressions_of_return,
    inside,
    literal,
    root_of,
    statements,
    text,
    unwrapped,
)
from podproof.golang.syntax import field as part_of
from podproof.golang.translation import WORKERS
from podproof.golang.values import NIL_VALUE, STATIC, Facts, InlinedCall, LocalFunction, Meaning, as_delay, snake

if TYPE_CHECKING:
    from tree_sitter import Node

_GIVEN = (("parent", "context.Context"), ("tick", "time.Time"), ("desired pods", "[]*v1.Pod"))
"""Kinds of values, and Go types of what else they may be given for."""
_AROUND = ("parenthesized_expression", "unary_expression", "binary_expression", "call_expression", "expression_list")
"""Around a call that changes something: what asks it once, whatever it decides."""


class InPlaceTranslation(LoopTranslation):
    """Adds calls in whose place the statements of the function stand."""

    # -- local functions -----------------------------------------------------------------------------------------
    def define_closure(self, node: Node) -> bool:
        """`name := func(…) { … }`: its statements stand where it is called."""
        left, right = expressions(part_of(node, "left")), expressions(part_of(node, "right"))
        if len(right) != 1 or right[0].type != "func_literal" or len(left) != 1:
            return False
        name = text(left[0])
        if (self.loops and not is_expression(right[0])) or name in self.flow.scope or self.assignments(name) != 1:
            self.refuse(node, f"the function `{name}` is outside what is translated", "set it once, outside of loops")
        self.closures[name] = self.local_function(literal(self.file, right[0]))
        self.flow.scope[name] = Meaning("", "closure", name)
        return True

    def local_function(self, function: GoFunction, is_given: bool = False) -> LocalFunction:
        return LocalFunction(function, dict(self.flow.scope), self.function, dict(self.closures), is_given)

    def check_closure(self, name: str) -> None:
        """The names in a local function mean what they meant where it stands."""
        local = self.closures[name]
        for part in inside(local.function.node, "identifier"):
            then, now = local.scope.get(text(part)), self.flow.scope.get(text(part))
            is_same = then is now or (
                then is not None and now is not None and (then.text, then.kind) == (now.text, now.kind)
            )
            if not is_same and (then is None or then.kind not in STATIC) and text(part) != name:
                self.refuse(part, f"`{text(part)}` is another one where `{name}` is called", "use another name")

    # -- where a call is made ------------------------------------------------------------------------------------
    def stands_here(self, call: Node) -> GoFunction | None:
        """The function whose statements stand where it is called, if this is a call of one."""
        if call.type != "call_expression":
            return None
        function = part_of(call, "function")
        local = self.called_local(call)
        if local is not None:
            return None if is_expression(local.function.node) else local.function
        if function.type == "func_literal":
            return None if is_expression(function) else literal(self.file, function)
        own = self.own(call)
        if own is None or self.stands_for(own) is not None:
            return None
        return own if self.fields.is_in_place(own) or self.takes_tick(own, call) else None

    def started(self, call: Node) -> GoFunction | None:
        local = self.called_local(call)
        if local is None:
            return super().started(call)
        self.check_closure(text(part_of(call, "function")))
        return local.function

    def takes_tick(self, function: GoFunction, call: Node) -> bool:
        """Is a time of an update given where a function takes a time? It is compared, and those of a status are not."""
        pairs = zip(function.parameters.values(), expressions(part_of(call, "arguments")), strict=False)
        given = (self.peek(node) for go, node in pairs if go == "time.Time")
        return any(value is not None and value.kind == "tick" for value in given)

    def called_local(self, call: Node) -> LocalFunction | None:
        """The local function that is called."""
        name = text(part_of(call, "function"))
        is_local = self.flow.scope.get(name, WORKERS).kind == "closure"
        return self.closures.get(name) if is_local else None

    def prepare(self, node: Node | None) -> None:
        """Make the call that is evaluated before anything else of an expression, if statements stand for it."""
        while node is not None:
            node = unwrapped(node)
            function = self.stands_here(node)
            if function is not None:
                self.ready[node] = self.stand_in(function, node)
                return
            is_of = node.type in ("unary_expression", "selector_expression")
            node = node.child_by_field_name("operand" if is_of else "left")

    def prepare_statement(self, node: Node) -> None:
        """Make the call that a statement begins with, if statements stand for it."""
        match node.type:
            case "expression_statement":
                self.prepare(node.named_children[0])
            case "short_var_declaration" | "assignment_statement":
                self.prepare(expressions(part_of(node, "right"))[0])
            case "return_statement" if expressions_of_return(node):
                self.prepare(expressions_of_return(node)[0])

    def call(self, node: Node) -> list[Meaning]:
        if node in self.ready:
            return self.ready[node]
        if self.stands_here(node) is not None:
            self.refuse(node, f"`{text(node)}` is a part of an expression", "call it in a statement of its own")
        local, own = self.called_local(node), self.own(node)
        if local is None and own is not None and self.stands_for(own) is None:
            given = {go for _, go in own.results}
            what = "UIDs" if given & RETURNED.keys() else "a struct" if given & self.fields.structs else ""
            if what:
                self.refuse(node, f"`{text(node)}` gives {what}, and is no one expression", "collect them here")
        if (first := self.first_where(node)) is not None:
            return [first]
        changes = self.changes
        found = super().call(node) if local is None else [self.call_closure(local, node)]
        if self.changes != changes:
            self.check_beside(node)
        return found

    def call_closure(self, local: LocalFunction, node: Node) -> Meaning:
        """A local function whose one statement returns an expression."""
        function, arguments = local.function, expressions(part_of(node, "arguments"))
        names = list(function.parameters)
        if len(names) != len(arguments):
            self.refuse(node, f"`{text(node)}` has another number of arguments", "pass each")
        values = [replace(self.expression(part), key="") for part in arguments]
        (returned,) = inside(function.body, "return_statement")
        for part in inside(returned, "identifier") if not local.is_given else ():
            scopes = (self.flow.scope, local.scope)
            now, then = (scope[text(part)].text if text(part) in scope else None for scope in scopes)
            if text(part) not in names and now != then:
                self.refuse(node, f"`{text(part)}` is another one here than in the function literal", "rename it")
        outer, known, closures = dict(self.flow.scope), self.flow.copy(), self.closures
        if local.is_given:
            self.enter_given(local, node)
        for (parameter, go), value in zip(function.parameters.items(), values, strict=True):
            if self.fields.kinds.get(go) != value.kind:
                self.refuse(node, f"the argument for {parameter!r} is of another kind", "see docs/go.md")
            self.flow.forget(parameter)
            self.flow.scope[parameter] = self.renamed(value, parameter) if local.is_given else value
        if local.is_given:
            asked = {name: known.known.get(text(part)) for name, part in zip(names, arguments, strict=True)}
            self.flow.known |= {name: holds for name, holds in asked.items() if holds is not None}
        found = self.expression(expressions_of_return(returned)[0])
        for parameter in names:
            self.flow.forget(parameter)
        self.flow.scope, self.closures = outer, closures
        if local.is_given:
            self.flow.known, self.flow.bound, self.flow.excluded = known.known, known.bound, known.excluded
        return replace(found, key="")

    def enter_given(self, local: LocalFunction, call: Node) -> None:
        """What a function that was given names is what it was to who gave it, but for what was changed since."""
        self.flow.scope, self.closures = dict(local.scope), local.closures
        self.flow.known, self.flow.bound, self.flow.excluded = {}, {}, {}
        if self.writes:
            self.forget_changes(self.deletes, self.closes, self.makes, call)

    def check_beside(self, call: Node) -> None:
        """Of what stands beside a call that changes something, Go may read before it what the model reads after it.

        The compiler makes all calls of a statement first, in order, and reads the fields between them after the last.
        """
        part, parent, is_last = call, call.parent, False
        while parent is not None and not parent.type.endswith(("_statement", "_declaration", "_spec", "_case")):
            if parent.type == "binary_expression" and text(part_of(parent, "operator")) in ("&&", "||"):
                is_last = True  # It stands in statements of its own, before all else of this one.
            elif is_last and parent.type not in ("parenthesized_expression", "unary_expression", "expression_list"):
                self.refuse(
                    call, f"`{text(call)}` changes something in the midst of `{text(parent)}`", "call it before"
                )
            elif parent.type == "argument_list":
                own = self.own(parent.parent) if parent.parent is not None else None
                if own is None or self.stands_for(own) is not None:
                    self.refuse(call, f"`{text(call)}` changes something, and is given to what may ask it otherwise",
                                "call it before")  # fmt: skip
            elif parent.type not in _AROUND:
                self.refuse(
                    call, f"`{text(call)}` changes something in the midst of `{text(parent)}`", "call it before"
                )
            for other in parent.named_children:
                if other == part or (is_last and parent.type != "expression_list"):
                    continue
                if parent.type == "call_expression" and other.type == "selector_expression":
                    other = part_of(other, "operand")  # Which function it is, no call changes.
                is_read = self.reads_without_call(other, is_last or other.end_byte <= part.start_byte)
                if is_read or (is_last and any(inside(other, "call_expression"))):
                    self.refuse(call, f"`{text(call)}` may change what `{text(other)}` reads beside it",
                                "call it in a statement of its own")  # fmt: skip
            part, parent = parent, parent.parent
        if parent is not None and parent.type == "assignment_statement":
            is_read = text(part_of(parent, "operator")) != "=" and text(part_of(parent, "left")) not in self.flow.scope
            if is_read or any(inside(part_of(parent, "left"), "call_expression")):
                self.refuse(call, f"`{text(call)}` may change what `{text(part_of(parent, 'left'))}` is",
                            "call it in a statement of its own")  # fmt: skip

    def reads_without_call(self, node: Node, is_before: bool) -> bool:
        """Does an expression read what a call may change, in no call of its own, or count it, which is done before?"""
        if node.type == "call_expression":
            is_builtin = text(part_of(node, "function")) in ("len", "min", "max") or self.own(node) is None
            return is_builtin and any(
                self.reads_without_call(part, True) for part in expressions(part_of(node, "arguments"))
            )
        if node.type == "selector_expression" and text(root_of(node)) in self.flow.scope:
            return is_before
        if (
            node.type in ("index_expression", "unary_expression")
            and is_before
            and not text(node).startswith(("!", "-"))
        ):
            return True
        return any(self.reads_without_call(part, is_before) for part in node.named_children)

    def first_where(self, node: Node) -> Meaning | None:
        """slices.IndexFunc and slices.ContainsFunc of waiting pods: a loop to where a function literal says so."""
        name, arguments = text(part_of(node, "function")), expressions(part_of(node, "arguments"))
        is_it = name in ("slices.IndexFunc", "slices.ContainsFunc") and len(arguments) == 2
        base = self.peek(arguments[0]) if is_it and arguments[1].type == "func_literal" else None
        if base is None or base.kind != "uids":
            return None
        function, base = literal(self.file, arguments[1]), self.expression(arguments[0])
        (uid,) = function.parameters
        own = {text(target) for target in self.targets(function.body, with_declared=True)} - {
            text(target) for target in self.targets(function.body)
        }
        if self.guards or any(text(root_of(target)) not in own for target in self.targets(function.body)):
            self.refuse(node, f"`{name}` is asked on one way only, or sets something", "write a loop")
        found, looking = self.python_name("found", "int"), self.python_name("looking", "bool")
        self.emit(f"{found} = -1", node)
        self.emit(f"{looking} = True", node)
        before, writes, depth, self.writes = self.flow.copy(), self.writes, self.depth, False
        self.over_uids(base, ["_", uid], node, looking)
        place = self.flow.scope["_"].text
        self.loops.append(looking)
        with self.indented():
            (holds,) = self.stand_in(function, node, [self.flow.scope[uid]])
            self.emit(f"if {holds.text}:", node)
            with self.indented():
                self.emit(f"{found} = {place}", node)
                self.emit(f"{looking} = False", node)
        self.loops.pop()
        if self.writes:
            self.refuse(node, f"what `{name}` asks writes something", "write a loop")
        self.flow.scope = before.scope
        self.flow, self.writes, self.depth = before.join(self.flow), writes, depth
        return Meaning(found, "int") if name == "slices.IndexFunc" else Meaning(f"not {looking}", "bool")

    def stand_in(self, function: GoFunction, call: Node, values: list[Meaning] | None = None) -> list[Meaning]:
        """Translate the statements of a function where it is called, or given these values; what it returns."""
        local, nodes = self.called_local(call), expressions(part_of(call, "arguments"))
        nodes = nodes if values is None else [function.node] * len(values)
        is_given = local is not None and local.is_given
        is_local = not function.name and not is_given
        if function.name in self.entered and function.name:
            self.refuse(call, f"`{function.name}` calls itself", "use a loop")
        if len(nodes) != len(function.parameters):
            self.refuse(call, f"`{text(call)}` has another number of arguments", "pass each")
        functions: dict[str, LocalFunction] = {}
        given = values or [
            self.given(function, name, go, node, functions)
            for (name, go), node in zip(function.parameters.items(), nodes, strict=True)
        ]
        receiver = self.receiver_of(function, call)
        if local is not None:
            self.check_sets(function, local, call)
        if is_local:
            if local is not None:
                self.check_closure(text(part_of(call, "function")))
            self.check_shadows(function.body)
        elif function.name:
            self.in_place.add(".".join(filter(None, (function.receiver, function.name))))
        times = "tick" if any(value.kind == "tick" for value in given) else "time"
        sets = dict.fromkeys(RETURNED, "uid set") if any(value.kind == "desired pods" for value in given) else {}
        kinds = [
            {"time.Time": times, "string": "unknown", **dict.fromkeys(self.fields.structs, "struct"), **sets}.get(go)
            or self.result_kind(go)
            for _, go in function.results
        ]
        outer, caller, known = dict(self.flow.scope), self.function, self.flow.copy()
        kept = self.reserved, self.deferred, dict(self.homes), dict(self.sources), self.closures
        self.reserved = self.reserved | {
            name for value in outer.values() for v in (value, *value.fields.values()) for name in (v.text, v.present)
        }
        body = InlinedCall(function, [], kinds, len(self.loops))
        self.name_results(body)
        written = self.writes, self.deletes, self.closes, self.makes
        if is_given:
            assert local is not None
            self.function = local.around
            self.enter_given(local, call)
        self.writes = self.deletes = self.closes = self.makes = False
        if not is_local and not is_given:
            self.function, self.closures, self.flow.scope = function, functions, {}
            self.flow.known, self.flow.bound, self.flow.excluded = {}, {}, {}
            if receiver is not None:
                self.flow.scope[function.receiver_name] = self.renamed(receiver, function.receiver_name)
                if receiver.key in known.known:
                    self.flow.known[function.receiver_name] = known.known[receiver.key]
        self.bodies.append(body)
        self.entered.append(function.name)
        self.deferred = []
        try:
            self.begin_body(function, given, nodes, known, call)
            if not self.block(statements(function.body), scoped=False):
                self.leave_body([], call)
        finally:  # What is only tried may be refused.
            self.bodies.pop()
            self.entered.pop()
            self.function = caller
            self.reserved, self.deferred, self.homes, self.sources, self.closures = kept
        self.join_ways(body, known.lock, call)
        self.come_back(body, known, outer, call, is_local)
        self.writes, self.deletes, self.closes, self.makes = (
            a or b for a, b in zip(written, (self.writes, self.deletes, self.closes, self.makes), strict=True)
        )
        for other in functions.values():
            for target in self.targets(other.function.body):
                self.flow.forget(text(target))
        return self.given_back(body, call)

    def receiver_of(self, function: GoFunction, call: Node) -> Meaning | None:
        """What a method is called of."""
        if not function.receiver:
            return None
        if function.receiver == "podWorkers":
            return WORKERS
        node = part_of(part_of(call, "function"), "operand")
        value = self.expression(node)
        self.check_placed(value, node)
        is_written = any(text(root_of(target)) == function.receiver_name for target in self.targets(function.body))
        if is_written and value.kind != "status":
            self.refuse(
                call, f"`{function.name}` sets fields of its {function.receiver}", "set them where it is called"
            )
        if value.kind in ("update", "kill") and not function.is_pointer:
            self.need_not_nil(value, node)
        return value

    def check_sets(self, function: GoFunction, local: LocalFunction, call: Node) -> None:
        """What a local function sets of its surroundings are variables, each of which is set once in a call."""
        set_here = {
            text(root_of(target))
            for target in self.targets(function.body)
            if target.type in ("identifier", "selector_expression")
            and (local.is_given or self.flow.is_local(text(target)))
        }
        calls = inside(function.body, "call_expression")
        lent = {lent for within in calls for lent in self.lent(within) if self.flow.is_local(lent)}
        set_here |= {path.partition(".")[0] for path in lent}
        set_here &= local.scope.keys()
        name = text(part_of(call, "function"))
        if self.loops and any(local.scope[one].kind != "status" for one in set_here):
            self.refuse(call, f"`{name}` sets a local, and is called in a loop", "write it out")
        if local.is_given and any(local.scope[one].kind in (*STATIC, "pod", "update", "kill") for one in set_here):
            self.refuse(call, f"`{name}` sets what is no variable of the model", "write it out")

    def name_results(self, body: InlinedCall) -> None:
        """Where the results go: those that are variables get one, and so does each such field of a struct."""
        for (_, go), kind in zip(body.function.results, body.kinds, strict=True):
            struct = self.file.structs.get(go, {}) if kind == "struct" else {}
            kinds = {name: self.fields.kinds.get(part, "") for name, part in struct.items()}
            name = "" if kind in (*STATIC, *NAMES) else self.python_name("result", kind)
            if kind == "pod":
                self.frame[name] = "Pod"
                name = f"local.{name}"
            body.names.append(name)
            body.parts.append(
                {
                    name: self.python_name(f"result_{snake(name)}", part)
                    for name, part in kinds.items()
                    if part in self.fields.annotations
                }
            )
            self.reserved |= {body.names[-1], *body.parts[-1].values()}

    def given(
        self, function: GoFunction, name: str, go: str, node: Node, functions: dict[str, LocalFunction]
    ) -> Meaning:
        """What a parameter is given; a function is put among those."""
        if self.is_only_told(function, name):
            return self.told(node)
        kind = "struct" if go in self.fields.structs else self.fields.kinds.get(go, "")
        if self.fields.is_function(go) and self.flow.scope.get(text(node), WORKERS).kind != "post_sync":
            functions[name] = self.given_function(node)
            return Meaning("", "closure", name)
        value = self.expression(node)
        if value == NIL_VALUE:
            value = Meaning(self.coerce(value, kind, node), kind)
        is_it = (as_delay(value).kind if kind == "delay" else value.kind) == kind
        is_it = is_it or (value.kind == "channel" and "chan" in go) or (go == "string" and value.kind in NAMES)
        is_it = is_it or (value.kind, go) in _GIVEN
        if not is_it or (kind == "struct" and value.text != go):
            self.refuse(node, f"the argument for {name!r} is of another kind", "see docs/go.md")
        self.check_placed(value, node)
        return value

    def given_function(self, node: Node) -> LocalFunction:
        """A function as an argument: a literal, one of the file, or a method as `(*T).name` or of the workers."""
        name = text(node)
        if node.type == "func_literal":
            return self.local_function(literal(self.file, node), is_given=True)
        if name in self.closures and self.flow.scope[name].kind == "closure":
            return replace(self.closures[name], is_given=True)
        method = re.fullmatch(r"\(\*(\w+)\)\.(\w+)", name)
        of_workers = node.type == "selector_expression" and self.is_workers(part_of(node, "operand"))
        key = ".".join(method.groups()) if method else name
        key = f"podWorkers.{text(part_of(node, 'field'))}" if of_workers else key
        own = self.file.functions.get(key)
        if own is None or name in self.flow.scope or self.fields.is_in_place(own) or own.name == "podWorkerLoop":
            self.refuse(node, f"which function `{name}` is cannot be seen", "give a literal, or a function of the file")
        self.in_place.add(key)
        scope, parameters = dict[str, Meaning](), dict(own.parameters)
        if of_workers:
            scope = {own.receiver_name: WORKERS}
        elif own.receiver:
            parameters = {own.receiver_name: f"{'*' * own.is_pointer}{own.receiver}", **parameters}
        function = replace(own, name="", receiver="", receiver_name="", parameters=parameters)
        return LocalFunction(function, scope, own, {}, is_given=True)

    def begin_body(
        self, function: GoFunction, given: list[Meaning], nodes: list[Node], known: Facts, call: Node
    ) -> None:
        """Give the parameters and the named results their names."""
        targets = {text(root_of(part)) for part in self.targets(function.body)}
        for (name, _), value, node in zip(function.parameters.items(), given, nodes, strict=True):
            if name == "_":
                continue
            # Of the caller's variables a function of the file sets none.
            is_variable = value.text.removeprefix("local.").isidentifier() and value.kind not in ("update", "kill")
            is_variable = is_variable and (not self.closures or value.kind == "uid" or not function.name)
            is_fixed = value.kind in (*STATIC, "status") or value.is_constant
            is_fixed = is_fixed or (is_variable and (bool(function.name) or value.kind == "uid"))
            if is_fixed and name not in targets and self.flow.scope.get(name, value).kind == value.kind:
                self.flow.forget(name)
                self.flow.scope[name] = self.renamed(value, name)
                if value.key in self.flow.channels:
                    self.flow.channels[name] = self.flow.channels[value.key]
            else:
                self.declare(name, value, node)
            if value.key in known.known:
                self.flow.known[name] = known.known[value.key]
        for (name, go), kind in zip(function.results, self.bodies[-1].kinds, strict=True):
            if name and name != "_" and (kind in NAMES or go == "string"):
                self.flow.scope[name] = Meaning(self.python_name(name, "unset"), "unset", name)
            elif name and name != "_":
                zero = self.zero(go) if kind == "struct" else Meaning(self.fields.zeros.get(kind, ""), kind)
                self.declare(name, zero, call)

    def leave_body(self, nodes: list[Node], node: Node) -> None:
        """A `return` of a function whose statements stand here, or its end."""
        body = self.bodies[-1]
        if len(self.loops) != body.loops:
            self.refuse(node, "this returns from within a loop to where the function is called",
                        "leave the loop, and return after it")  # fmt: skip
        values = [self.expression(part) for part in nodes]
        if not nodes and body.kinds:
            values = [self.flow.scope[name] for name, _ in body.function.results if name in self.flow.scope]
        if len(values) != len(body.kinds):
            self.refuse(node, "this returns another number of values", "return each result")
        for number, (value, part) in enumerate(zip(list(values), nodes or [node] * len(values), strict=True)):
            name, kind, go = body.names[number], body.kinds[number], body.function.results[number][1]
            if not name and value == NIL_VALUE:
                values[number] = Meaning(self.coerce(value, kind, part), kind)
            elif not name and go == "string" and value.kind in NAMES:
                pass
            elif not name and (value.kind != kind or (kind == "struct" and value.text != go)):
                self.refuse(part, f"`{text(part)}` is of another kind than the result", "see docs/go.md")
            elif name:
                self.emit(f"{name} = {self.coerce(value, kind, part)}", node)
            for of, variable in body.parts[number].items():
                found = value.fields[of]
                self.emit(
                    f"{variable} = {self.coerce(found, self.fields.kinds[self.file.structs[go][of]], part)}", node
                )
        self.flush(node)
        self.run_deferred(node)
        if self.flow.lock == "held":
            self.refuse(node, "this returns while podLock is held", "write `defer p.podLock.Unlock()` after Lock()")
        body.ways.append((self.flow.copy(), values))

    def join_ways(self, body: InlinedCall, lock: str, call: Node) -> None:
        """What holds after the call: what holds on every way through the function."""
        for flow, _ in body.ways:
            if flow.lock == "deferred" and lock != "deferred":
                flow.lock = "over"
        first, *others = (flow for flow, _ in body.ways)
        for flow in others:
            self.check_join(first, flow, call)
            first = first.join(flow)
        self.flow = first

    def come_back(self, body: InlinedCall, known: Facts, outer: dict[str, Meaning], call: Node, is_local: bool) -> None:
        """The names are the caller's again, and what is known of them, but for what was changed."""
        made = {**self.flow.building, **self.flow.channels}.keys() - {*known.building, *known.channels}
        if made:
            self.refuse(call, f"`{made.pop()}` is made here, and stored or started elsewhere", "do it in one function")
        self.changes += self.writes
        if is_local:
            own = {*body.function.parameters, *(name for name, _ in body.function.results)}
            lasting = self.outer_static - own
            for name in own | (self.flow.scope.keys() - outer.keys()):
                self.flow.forget(name)
            self.flow.scope = {n: self.flow.scope[n] if n in lasting else value for n, value in outer.items()}
            return
        self.flow.scope = outer
        self.flow.known, self.flow.bound, self.flow.excluded = known.known, known.bound, known.excluded
        self.flow.dead, self.flow.doubtful, self.flow.outlives = known.dead, known.doubtful, known.outlives
        self.flow.escaped, self.flow.owned = known.escaped, known.owned
        if self.writes:
            self.forget_changes(self.deletes, self.closes, self.makes, call)

    def given_back(self, body: InlinedCall, call: Node) -> list[Meaning]:
        """What the call is, where it stands: the variables of its results."""
        found = []
        for number, (name, kind) in enumerate(zip(body.names, body.kinds, strict=True)):
            values = [replace(values[number], key="") for _, values in body.ways]
            parts = body.parts[number]
            fields = {of: [replace(value.fields[of], key="") for value in values] for of in values[0].fields}
            unlike = [of for of, several in fields.items() if of not in parts and any(v != several[0] for v in several)]
            if unlike or (not name and kind != "struct" and any(value != values[0] for value in values)):
                self.refuse(call, "this returns different things on different ways", "let the caller choose")
            kept = {
                of: Meaning(parts[of], several[0].kind) if of in parts else several[0] for of, several in fields.items()
            }
            uids = {value.uid for value in values if value != NIL_VALUE and not value.fresh}
            uid = uids.pop() if kind == "pod" and len(uids) == 1 else ""
            found.append(Meaning(name, kind, uid=uid) if name else replace(values[0], fields=kept))
        return found
