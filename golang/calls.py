"""Calls: of the file's own functions, of what the vocabulary knows, and of what it ignores."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from podproof.golang.errors import ErrorTranslation
from podproof.golang.expressions import NAMES
from podproof.golang.fields import MAP, values_of
from podproof.golang.syntax import (
    GoFunction,
    expressions,
    expressions_of_return,
    field,
    inside,
    shorthand,
    statements,
    text,
    unwrapped,
)
from podproof.golang.translation import WORKERS
from podproof.golang.values import NIL_VALUE, Meaning, Translated, conjunction, disjunction, negated, offset
from podproof.golang.vocabulary import HIDDEN, KINDS, RECORD_TYPES, RECORDS

if TYPE_CHECKING:
    from tree_sitter import Node

ERROR_LINES = ("programmer error", "Pod sync status does not exist")
"""What a log line says that must never be reached."""


class CallTranslation(ErrorTranslation):
    """Adds calls."""

    def junction(self, left: Node, operator: str, right: Node) -> Meaning:
        changes = self.changes
        first = self.boolean(left)
        if self.changes != changes:
            self.refuse(left, f"`{text(left)}` changes something in the midst of a condition", "call it before")
        if self.is_changing(right) and not self.guards and first not in ("True", "False"):
            return self.asked_last(left, operator, right, first)
        with self.where(left, operator == "&&", first):
            second = self.boolean(right)
        join = conjunction if operator == "&&" else disjunction
        if first in ("True", "False"):
            decided = first == ("False" if operator == "&&" else "True")
            return Meaning(first if decided else second, "bool")
        return Meaning(join(first, second), "bool")

    def is_changing(self, node: Node) -> bool:
        """Is this a call of a function of the file that changes something?"""
        call = unwrapped(node)
        own = self.own(call) if call.type == "call_expression" else None
        return own is not None and self.stands_here(call) is None and self.translate(own, call).writes

    def asked_last(self, left: Node, operator: str, right: Node, first: str) -> Meaning:
        """A call that changes something, made only if what stands before it asks for it: a statement of its own."""
        flag = self.python_name("holds", "bool")
        self.emit(f"{flag} = {first}", left)
        self.emit(f"if {flag if operator == '&&' else negated(flag)}:", left)
        before = self.flow.copy()
        self.learn(left, operator == "&&")
        with self.indented():
            self.emit(f"{flag} = {self.boolean(right)}", right)
        self.flow = before.join(self.flow)
        parent = right.parent
        assert parent is not None
        self.changing.add(parent)
        return Meaning(flag, "bool")

    # -- effects -------------------------------------------------------------------------------------------------
    def effect(self, node: Node, at: Node) -> None:
        """A call as a statement."""
        if node.type != "call_expression":
            self.refuse(at, f"`{text(at)}` is outside what is translated", "call a function")
        if self.lock(at, self.without_receiver(node)):
            return
        if self.is_stop(field(node, "function")):
            self.stop_contexts(text(field(node, "function")))
            return
        if self.is_ignored(node):
            said = [
                part for part in inside(node, "interpreted_string_literal") if any(w in text(part) for w in ERROR_LINES)
            ]
            if said:
                self.emit(f"programmer_error({text(said[0])})", at)
            self.flush(at)
            return
        if self.phrase_effect(node, at) or self.builtin(node, at):
            return
        own = self.own(node)
        if own is not None and (self.is_idle_function(own, node) or self.tells_only(own, node)):
            self.ignored.append(f"{self.file.name}:{self.go_line(at)} {own.name}, which does nothing")
            return
        if own is None:
            self.refuse_wait(node)
            self.refuse_misfit(node)
            self.unknown(field(node, "function"), node)
        values = self.call_own(own, node, expressions(field(node, "arguments")))
        if self.pending_call:
            self.emit(self.pending_call, at)
            self.pending_call = ""
        elif values:
            self.emit(values[0].text, at)

    def refuse_wait(self, call: Node) -> None:
        """Refuse a call that waits outside podWorkerLoop, which has handled its own."""
        if self.vocabulary.match("waits", call):
            self.refuse(call, f"`{text(field(call, 'function'))}` waits, which only podWorkerLoop may", "call it there")

    def emit(self, line: str, node: Node) -> None:
        super().emit(line, node)
        taken = [name for name, v in self.flow.scope.items() if v.kind == "context" and v.text.isidentifier()]
        if taken and self.ends_context(line):
            self.flow.scope |= dict.fromkeys(taken, Meaning("take it from the status after that", "lost"))

    def ends_context(self, line: str) -> bool:
        """May a status have another context after this line, or a cancelled one?"""
        ends = r"\b(cancel|replace_context)\(|(?<!worker)\.context = "
        return any(re.search(ends, said) for said in self.reached(line))

    def reached(self, line: str) -> list[str]:
        """A line of the translation, and once those of each function that it calls, which may call one of its name."""
        lines, functions = [line], set()
        for said in lines:
            for found in map(self.fields.translated.get, re.findall(r"(\w+)\(", said)):
                if found is not None and found.name not in functions:
                    functions.add(found.name)
                    lines += [part.text for part in found.lines]
        return lines

    def stop_contexts(self, name: str) -> None:
        """A local context is released, and with it whatever came of it: nothing is to be called with it any more."""
        for local, value in self.flow.scope.items():
            own = value.kind == "parent" and local not in self.function.parameters
            if value.kind == "context" or own:
                self.flow.scope[local] = Meaning(f"call `{name}` after it", "lost")

    @abstractmethod
    def tells_only(self, function: GoFunction, call: Node) -> bool:
        """See idle.py."""

    def is_idle_function(self, function: GoFunction, call: Node) -> bool:
        """Is all that a function does ignored? Then so is its call."""
        sets = any(True for _ in inside(function.body, "assignment_statement", "short_var_declaration"))
        if sets or any(map(expressions_of_return, inside(function.body, "return_statement"))):
            return False
        found = self.translate(function, call)
        decides = (line.text.startswith(("return", "pass", "if ", "elif ", "else:")) for line in found.lines)
        is_idle = bool(found.lines) and all(decides) and not (found.locks or found.touches or found.writes)
        for argument in expressions(field(call, "arguments")) if is_idle else ():
            self.check_pure(argument)
        return is_idle

    def phrase_effect(self, node: Node, at: Node) -> bool:
        for phrase, holes in self.vocabulary.match("effects", node):
            values = self.holes(phrase, holes)
            if values is None:
                continue
            self.assume(holes, values)
            uid = next((value.uid for value in values.values() if value.uid), "")
            if phrase.needs:
                self.need(self.filled(phrase.needs, values, uid, node))
            meaning, _, given = phrase.meanings[0][0].partition(" -> ")
            self.emit(self.filled(meaning, values, uid, node), at)
            if given:
                value, _, kind = given.partition(" : ")
                self.store(holes["local"], Meaning(value, kind), at)
            self.writes = True
            self.flow.forget_state(False)
            return True
        return False

    def builtin(self, node: Node, at: Node) -> bool:
        """delete(map, key)."""
        function, arguments = text(field(node, "function")), expressions(field(node, "arguments"))
        called = field(node, "function")
        if called.type == "selector_expression" and text(field(called, "field")) in ("Insert", "Delete"):
            return self.change_set(field(called, "operand"), text(field(called, "field")), arguments, at)
        if function == "slices.Sort" and len(arguments) == 1 and self.expression(arguments[0]).kind == "uid list":
            return True  # What is done with each does the same in any order.
        if function != "delete" or len(arguments) != 2:
            return False
        base, key = self.expression(arguments[0]), self.expression(arguments[1])
        self.writes = True
        match base.kind, key.kind:
            case "statuses", "uid":
                self.deletes = True
                self.emit(f"self.delete_pod_sync_status({key.text})", at)
                uid = self.uid_of(key, at)
                for name, value in self.flow.scope.items():
                    if value.kind == "status" and value.uid == uid and not value.by_value:
                        self.flow.dead[name] = self.go_line(at)
            case "started", "full_name":
                self.emit(f"{base.text}[{key.text}] = NIL", at)
            case "waiting", "full_name":
                self.emit(f"clear({base.text}[{key.text}])", at)
                self.lose_lists()
            case "uid flags", "uid":
                self.emit(f"{base.text}[{key.text}] = False", at)
            case kind, "uid" if kind.startswith(MAP):
                self.emit(f"{base.text}[{key.text}] = False", at)
                zero = self.fields.zeros[kind.removeprefix(MAP)]
                self.emit(f"{values_of(base.text)}[{key.text}] = {zero}", at)
            case _:
                self.refuse(at, f"`{text(node)}` is outside what is translated", "delete from the pod workers' maps")
        self.flow.forget_state(True)
        return True

    def call(self, node: Node) -> list[Meaning]:
        function, arguments = field(node, "function"), expressions(field(node, "arguments"))
        if function.type == "identifier" and text(function) == "len" and len(arguments) == 1:
            value = self.expression(arguments[0])
            if value.kind == "requests":
                return [Meaning(value.text, "count")]
            if value.kind == "desired pods":
                return [self.number_of(value, node)]
            if value.kind in NAMES:
                return [Meaning(f"(1 if {self.is_named(value)} else 0)", "remaining")]
            if value.kind == "uids":
                return [Meaning(offset(f"{value.text}.length", f"-{value.uid}" if value.uid else ""), "remaining")]
            if value.kind in ("statuses", "uid flags", "uid list") or value.kind.startswith(MAP):
                return [self.number_of(value, node)]
        if function.type == "func_literal" and is_expression(function) and not arguments:
            return [self.expression(expressions_of_return(statements(field(function, "body"))[0])[0])]
        found = (
            self.builtin_value(function, arguments)
            or self.set_value(node, function, arguments)
            or self.new_error(function, arguments)
        )
        if found is not None:
            return [found]
        own = self.own(node)
        if own is None:
            self.refuse_wait(node)
            self.refuse_misfit(node)
            self.unknown(function, node)
        stands_for = self.stands_for(own)
        if stands_for is not None:
            with self.within(node):
                value = self.expression(stands_for)
            return [replace(value, key="")]
        if own.receiver in self.fields.structs:
            self.refuse(node, f"`{text(node)}` is more than one expression", "call it in a statement of podWorkerLoop")
        return self.call_own(own, node, arguments)

    def builtin_value(self, function: Node, arguments: list[Node]) -> Meaning | None:
        """Conversions, min, max and new, where they are not the file's own."""
        name = text(function)
        if name in self.flow.scope or name in self.file.functions:
            return None
        if name in ("int", "int32", "int64", "types.UID") and len(arguments) == 1:
            value = self.expression(arguments[0])
            if name == "int32" and not value.is_constant:
                self.refuse(function, "int32 may cut a number off, which the model's numbers do not", "use int64")
            return value if value.kind == ("uid" if name == "types.UID" else "int") else None
        if name == "time.Duration" and len(arguments) == 1:
            value = self.expression(arguments[0])
            is_number = value.kind == "int" and value.is_constant
            return self.fields.lasting(int(value.text)) if is_number else value if value.kind == "duration" else None
        if name in ("min", "max") and arguments:
            values = [self.expression(part) for part in arguments]
            if len(values) > 1 and all(value.kind == "int" for value in values):
                return Meaning(f"{name}({', '.join(value.text for value in values)})", "int")
            return self.furthest(name, values)
        if name in ("ptr.To", "pointer.To") and len(arguments) == 1 and arguments[0].type == "unary_expression":
            value = self.expression(arguments[0])  # Of what a pointer points to a copy is made.
            is_copy = value.kind in ("update", "kill") and value.by_value
            return replace(value, text=f"copy({value.text})", fresh=True, by_value=False) if is_copy else None
        if name == "new" and len(arguments) == 1 and text(arguments[0]) in ("KillPodOptions", "UpdatePodOptions"):
            kind = KINDS[text(arguments[0])]
            return Meaning(f"{RECORDS[kind][1]}(present=True)", kind, fresh=True)
        return None

    # -- calls of the file's own functions -----------------------------------------------------------------------
    def stands_for(self, function: GoFunction) -> Node | None:
        """The expression that stands where this function is called."""
        return shorthand(function, self.fields.structs)

    def own_shorthand(self, node: Node) -> Node | None:
        """The expression that a call of one of the file's functions stands for."""
        own = self.own(node) if node.type == "call_expression" else None
        return None if own is None else self.stands_for(own)

    def learn_call(self, condition: Node, holds: bool) -> None:
        """What follows for a struct from the expression that a call with it stands for."""
        stands_for, own = self.own_shorthand(condition), self.own(condition)
        if stands_for is None or own is None or not self.fields.structs & {own.receiver, *own.parameters.values()}:
            return
        nodes = expressions(field(condition, "arguments"))
        given = dict(zip(own.parameters, map(text, nodes), strict=False))
        if own.receiver in self.fields.structs:
            given[own.receiver_name] = text(field(field(condition, "function"), "operand"))
        with self.within(condition):
            self.learn(stands_for, holds)
            learned = {name: self.facts_below(name) for name, value in self.flow.scope.items() if value.fields}
        for name, below in learned.items():
            self.learn_below(given[name], below)

    @contextmanager
    def within(self, call: Node) -> Iterator[None]:
        """What is translated meanwhile stands in the function that is called: only its parameters have a meaning."""
        function = self.own(call)
        assert function is not None
        if function.name in self.entered:
            self.refuse(call, f"`{function.name}` calls itself", "use a loop")
        nodes = expressions(field(call, "arguments"))
        if len(nodes) != len(function.parameters):
            self.refuse(call, f"`{text(call)}` has another number of arguments", "pass each")
        scope = {}
        if function.receiver == "podWorkers":
            scope[function.receiver_name] = WORKERS
        elif function.receiver:
            receiver = field(field(call, "function"), "operand")
            scope[function.receiver_name] = self.expression(receiver)
            if function.receiver in RECORD_TYPES:
                self.need_not_nil(scope[function.receiver_name], receiver)
        for (name, go), node in zip(function.parameters.items(), nodes, strict=True):
            value = self.expression(node)
            kind = "struct" if value.text == go else "full_name" if go == "string" else self.fields.kinds.get(go)
            if value.kind != kind:
                self.refuse(node, f"the argument for {name!r} is of another kind", "see docs/go.md")
            scope[name] = value
        known = {name: self.facts_below(value.key) for name, value in scope.items() if value.fields and value.key}
        outer, self.flow = self.flow, self.flow.copy()
        self.flow.scope = {
            name: self.renamed(value, name) if value.fields else value if value == WORKERS else replace(value, key="")
            for name, value in scope.items()
        }
        self.flow.known, self.flow.bound, self.flow.excluded = {}, {}, {}
        for name, below in known.items():
            self.learn_below(name, below)
        self.entered.append(function.name)
        self.in_place.add(".".join(filter(None, (function.receiver, function.name))))
        try:
            yield
        finally:  # What is only tried may be refused.
            self.entered.pop()
            outer.sections = self.flow.sections
            self.flow = outer

    def call_own(self, function: GoFunction, node: Node, arguments: list[Node]) -> list[Meaning]:
        found = self.translate(function, node)
        self.fields.translated[found.name] = found
        is_method = function.receiver in RECORD_TYPES
        if len(arguments) != len(function.parameters):
            self.refuse(node, f"`{text(node)}` has another number of arguments", "pass each")
        nodes = [field(field(node, "function"), "operand")] if is_method else []
        for argument, (name, go) in zip(arguments, function.parameters.items(), strict=True):
            untold = {"context.Context": "parent", "klog.Logger": "logger", "[]*v1.Pod": "desired pods"}.get(go)
            if self.is_only_told(function, name):
                self.check_pure(argument)
            elif untold is None:
                nodes.append(argument)
            elif self.expression(argument).kind != untold:
                self.refuse(argument, f"`{text(argument)}` is no {untold} that comes from outside", "see docs/go.md")
        for part, kind in zip(nodes, found.kinds, strict=False):
            self.wanted[part] = kind
        values = [self.expression(part) for part in nodes]
        for number, (value, part) in enumerate(zip(values, nodes, strict=True)):
            is_asked = is_method and not number and not (found.writes or found.is_method)
            if value.kind == "status" and value.by_value and not is_asked:
                self.refuse(part, f"`{text(part)}` is a copy of a status, and is handed on", "hand the status on")
        texts = [
            self.argument(value, kind, part, found)
            for value, kind, part in zip(values, found.kinds, nodes, strict=True)
        ]
        if is_method:
            self.touch_record(values[0], node)
            if function.receiver == "podSyncStatus" or not function.is_pointer:
                self.need_not_nil(values[0], nodes[0])
        uids = (
            {
                self.uid_of(v, n)
                for v, n in zip(values, nodes, strict=True)
                if v.kind in (*RECORDS, "pod", "running") and v.uid
            }
            if found.uid
            else set()
        )
        if found.needs_uid:
            if len(uids) != 1:
                self.refuse(node, f"`{text(node)}`: of which pod this is told cannot be seen", "pass the UID as well")
            (uid,) = uids
            self.uses_uid = self.uses_uid or uid == self.implicit_uid
            texts.insert(0, uid)
        elif found.uid and uids:
            given = self.uid_of(values[found.parameters.index(found.uid)], node)
            if uids != {given}:
                self.refuse(node, f"`{text(node)}` mixes what belongs to two pods", "pass one pod's own")
        if found.locks:
            self.enter_section(node)
        if found.touches and not found.locks:
            self.touch(node)
        if found.writes:
            if self.guards:
                self.refuse(node, f"`{text(node)}` changes something in the midst of a condition", "call it before")
            self.writes = True
            self.changes += 1
            self.deletes = self.deletes or found.deletes
            self.closes = self.closes or found.closes
            self.makes = self.makes or found.makes
            self.forget_changes(found.deletes, found.closes, found.makes, node)
        call = f"{'self.' * found.is_method}{found.name}({', '.join(texts)})"
        if not found.results:
            self.pending_call = call
            return []
        if "status" in found.results:
            return self.given_statuses(found, call, values, node)
        if len(found.results) > 1:
            self.several = call
            return [Meaning("", kind) for kind in found.results]
        return [Meaning(call, found.results[0])]

    def forget_changes(self, deletes: bool, closes: bool, makes: bool, call: Node) -> None:
        """What a call may have changed is not known any more."""
        statuses = dict.fromkeys(
            (name for name, value in self.flow.scope.items() if value.kind == "status"), self.go_line(call)
        )
        if deletes:
            self.flow.outlives |= {name for name in statuses if self.flow.known.get(name)}
            self.flow.doubtful |= statuses
        if makes:
            self.flow.dead |= statuses
        if closes:
            self.flow.lose("channel", "its channel may have been closed")
        self.flow.forget_state(deletes)
        for lent in self.lent(call):
            self.flow.forget(lent)
        self.lose_aliases("update", "kill")
        self.lose_lists()

    def lent(self, call: Node) -> Iterator[str]:
        """The options of which a function of the file is given a pointer: it may write to those of a local."""
        own = self.own(call)
        if own is None:
            return
        given = list(zip(expressions(field(call, "arguments")), own.parameters.values(), strict=False))
        if own.receiver in RECORD_TYPES:
            given.append((field(field(call, "function"), "operand"), "*" * own.is_pointer))
        for node, go in given:
            value = self.peek(node) if go.startswith("*") else None
            if value is not None and value.kind in ("update", "kill"):
                yield value.key.removeprefix("&")

    def given_statuses(self, found: Translated, call: str, values: list[Meaning], node: Node) -> list[Meaning]:
        """The results of a function that gives the status of its UID, or nil: of that it says whether it is nil."""
        if found.needs_uid or not found.uid or self.guards:
            self.refuse(node, f"`{text(node)}`: which status this gives cannot be seen here",
                        "give it one UID, and call it in a statement of its own")  # fmt: skip
        names = [
            self.python_name("is_there" if kind == "status" else "given", "bool" if kind == "status" else kind)
            for kind in found.results
        ]
        self.emit(f"{', '.join(names)} = {call}", node)
        uid = self.uid_of(values[found.parameters.index(found.uid)], node)
        return [
            Meaning(f"self.pod_sync_statuses[{uid}]", kind, uid=uid, present=name)
            if kind == "status"
            else Meaning(name, kind, implies="tells" if found.tells else "")
            for name, kind in zip(names, found.results, strict=True)
        ]

    def is_only_told(self, function: GoFunction, name: str) -> bool:
        """Is this parameter a text that only logs and the like tell, or a context that only has their logger?"""
        uses, go = [f for f in inside(function.body, "identifier") if text(f) == name], function.parameters.get(name)
        calls = [found.parent.parent for found in uses if found.parent is not None] if go == "context.Context" else []
        if go == "context.Context":
            return all(call is not None and text(call) == f"klog.FromContext({name})" for call in calls)
        return go == "string" and all(map(self.is_told, uses))

    def is_told(self, node: Node) -> bool:
        """Is this a part of a log, or of something else that is ignored?"""
        at: Node | None = node
        while at is not None and not (at.type == "call_expression" and self.vocabulary.match("ignore", at)):
            at = at.parent
        return at is not None

    def is_unread(self, target: Node) -> bool:
        """Is this a field of a status or of some options that the model cannot keep, and that is only set and told?"""
        base = self.peek(field(target, "operand")) if target.type == "selector_expression" else None
        if base is None or base.kind not in RECORDS:
            return False
        struct, name = RECORDS[base.kind][0], text(field(target, "field"))
        if name in (*self.fields.of[struct], *HIDDEN) or name not in self.file.structs.get(struct, {}):
            return False
        return all(self.is_told(found) or self.is_set_by(found) for found in self.file.selected[name])

    def is_set_by(self, selector: Node) -> bool:
        """Does an assignment set this, or read it to set the same thing anew, or that of another record?"""
        at: Node | None = selector
        while at is not None and at.type != "assignment_statement":
            at = at.parent if not at.type.endswith(("_statement", "func_literal", "_declaration")) else None
        if at is None:
            return False
        (left, *more), right = expressions(field(at, "left")), expressions(field(at, "right"))
        is_copied = not more and right == [selector] and left.type == "selector_expression"
        is_copied = is_copied and text(field(left, "field")) == text(field(selector, "field"))
        return is_copied or text(field(at, "left")) == text(selector)

    def told(self, node: Node) -> Meaning:
        """A text that is only told."""
        self.check_pure(node)
        return Meaning("_", "unknown")

    def lose_aliases(self, *kinds: str, place: str = "", but: str = "") -> None:
        """A pointer is replaced: a local that has the old one points to what the model does not have any more."""
        own = {v.text for value in self.flow.scope.values() for v in (value, *value.fields.values()) if v.by_value}
        for name, value in self.flow.scope.items():
            root = self.homes.get(name, "").partition(".")[0]
            is_apart = root in own and root != place.partition(".")[0] and not self.flow.escaped
            if value.kind in kinds and root and not is_apart and name != but and not value.by_value:
                self.flow.scope[name] = Meaning("what it points to may have been replaced; copy it before", "lost")

    def lose_snapshots(self) -> None:
        """A record is written: what was kept of one like it may be what it was before."""
        for name, value in self.flow.scope.items():
            if value.kind in ("update", "kill") and value.text.startswith("local."):
                self.flow.scope[name] = Meaning("set it again, or read it before", "lost")

    def is_made(self, name: str) -> bool:
        """Is this local set to a new record somewhere?"""
        return any(
            text(left) == name and text(right).startswith(("&", "new("))
            for node in inside(self.function.body, "assignment_statement")
            for left, right in zip(expressions(field(node, "left")), expressions(field(node, "right")), strict=False)
        )

    def lose_lists(self, but_kept: bool = False) -> None:
        """A list changes: a local that has the old one, its length or a place in it means nothing any more."""
        kept = {value.text for value in self.flow.scope.values() if value.kind == "requests" and value.by_value}
        for name, value in self.flow.scope.items():
            if value.kind in ("uids", "requests", "count") and not (but_kept and value.text in kept):
                self.flow.scope[name] = Meaning("read the list again from its map", "lost")

    def argument(self, value: Meaning, kind: str, node: Node, found: Translated) -> str:
        """The text of an argument; records are passed as they are, since no function writes its own."""
        if kind in ("pod", "kill", "update", "optional", "optional_bool", "request") and value == NIL_VALUE:
            return self.fields.zeros[kind]
        if value.present and self.flow.known.get(value.key) is not True:
            self.refuse(node, f"`{text(node)}` may be nil", "test it before")
        if value.kind != kind:
            self.refuse(
                node, f"`{text(node)}` is of another kind than the parameter ({value.kind}, {kind})", "see docs/go.md"
            )
        self.check_placed(value, node)
        return value.text


def is_expression(function: Node) -> bool:
    """Is all that a function literal does to return one expression?"""
    body = statements(field(function, "body"))
    return len(body) == 1 and body[0].type == "return_statement" and len(expressions_of_return(body[0])) == 1
