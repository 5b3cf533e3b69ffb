"""Loops over the maps and lists of the pod workers, their channels, and the goroutines."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from podproof.golang.delays import DelayTranslation
from podproof.golang.fields import MAP
from podproof.golang.order import order_matters
from podproof.golang.syntax import GoFunction, expressions, field, inside, literal, statements, text, tokens
from podproof.golang.values import STATIC, Facts, Meaning

if TYPE_CHECKING:
    from tree_sitter import Node


_LENGTH = re.compile(r"len\(([^()]+)\)")
_COUNTED = re.compile(r"(\w+):=0;(?:\1(?:<|!=)len\([^()]+\)|\1<=len\([^()]+\)-1|len\([^()]+\)>\1);\1(?:\+\+|\+=1)")
"""`i := 0; i < len(list); i++`, and other ways to say it."""
_ITERATORS = ("maps.All", "maps.Values", "slices.All", "slices.Values")
"""What gives the entries or elements of what it is given, one by one, while it is looped over."""
_BROKEN = ("for_statement", "expression_switch_statement", "select_statement", "type_switch_statement", "func_literal")
"""What a `break` leaves, or cannot leave."""


class LoopTranslation(DelayTranslation):
    """Adds loops, channels and goroutines."""

    def builtin(self, node: Node, at: Node) -> bool:
        return super().builtin(node, at) or self.delete_equal(node, at)

    # -- loops ---------------------------------------------------------------------------------------------------
    def loop(self, node: Node) -> None:
        names, over, body = self.header(node)
        if text(over) in self.flow.scope and self.flow.scope[text(over)].kind == "desired pods":
            self.collect_desired(node, names)
            return
        of, is_list = self.keys_of(over)
        value = self.listed(over) if over.type == "composite_literal" else self.expression(of)
        is_of_map = value.kind in ("statuses", "uid flags", "uid list") or value.kind.startswith(MAP)
        if value.fresh or (of != over and not is_of_map):
            self.refuse(over, f"`{text(over)}` is outside what is looped over", "give it a name before")
        if is_list or (value.kind == "uid list" and of == over):
            if names[0] != "_":
                self.refuse(over, "a place in this list depends on the order of a map, which is random", "write `_`")
            names = [names[1], "_"]
        if value.kind == "uid list":
            value = replace(value, kind="uid flags")
        if value.kind == "int" and value.is_constant and names[1] == "_":
            value = Meaning(value.text, "times")
        if value.kind.startswith(MAP) and names[1] == "_":
            value = Meaning(value.text, "uid flags")
        headers = {"statuses": self.over_statuses, "requests": self.over_requests, "uids": self.over_uids,
            "uid flags": self.over_flags, "times": self.over_numbers, "values": self.over_values}  # fmt: skip
        if value.kind not in headers:
            self.refuse(
                over, f"`{text(over)}` is outside what is looped over", "loop over the pod workers' maps and lists"
            )
        outer, before = dict(self.flow.scope), self.flow.copy()
        leaves = [jump for jump in inside(node, "break_statement") if self.is_own(jump, node)]
        flag = self.python_name("looking", "bool") if leaves else ""
        if flag:
            self.emit(f"{flag} = True", node)
        self.forget_assigned(node)
        depth, head = self.depth, len(self.out)
        headers[value.kind](value, names, node, flag)
        is_map = value.kind in ("statuses", "uid flags")
        self.passes.append(self.out[head].text.split()[1] if is_map else "")
        self.loops.append(flag)
        mark, changes, times = len(self.out), self.changes, len(self.times)
        with self.indented():
            self.block(body)
        self.loops.pop()
        self.passes.pop()
        if is_map and self.depends_on_order(mark, changes, flag):
            self.refuse(
                node,
                "what this loop does before it ends depends on the order of a map, which is random",
                "let it go on",
            )
        if is_map:
            self.check_order(head, outer, node)
        else:
            given = {time for _, set_here in self.times[times:] for time in set_here}
            self.check_times({time for asked, _ in self.times[times:] for time in asked & given}, node)
            self.check_list(value, mark, flag, node)
        self.depth = depth
        after = self.flow
        self.check_made(before, after, node)
        self.flow = before.join(after)
        self.forget_assigned(node)
        self.flow.scope = {
            name: after.scope[name] if name in self.outer_static and name in after.scope else v
            for name, v in outer.items()
        }
        for name in after.scope.keys() - outer.keys():
            self.flow.forget(name)
        self.widen(before, after, node)

    def header(self, node: Node) -> tuple[list[str], Node, list[Node]]:
        """The names of the place and the element, what is looped over, and the statements.

        `for i := 0; i < len(list); i++` is read as `for i := range list`, and an element that the first statement gives
        a name, `element := list[i]`, as if it stood there.
        """
        body = statements(field(node, "body"))
        clause = next((part for part in node.named_children if part.type in ("range_clause", "for_clause")), None)
        if clause is not None and clause.type == "range_clause":
            left, over = expressions(clause.child_by_field_name("left")), field(clause, "right")
            names = [text(part) for part in left]
            if over.type == "call_expression" and text(field(over, "function")) in _ITERATORS:
                names = ["_"] * text(field(over, "function")).endswith("Values") + names
                (over,) = expressions(field(over, "arguments"))
            names += ["_"] * (2 - len(names))
            if left and not any(child.type == ":=" for child in clause.children):
                self.refuse(node, "a loop over names that exist already", "write := in its range")
        else:
            said = ["".join(tokens(part)) for part in clause.named_children] if clause is not None else []
            counted = re.fullmatch(_COUNTED, ";".join(said))
            listed = next((found[1] for found in map(_LENGTH.search, said) if found is not None), "")
            if counted is None or clause is None or self.counts_otherwise(counted[1], listed, node):
                self.refuse(node, "a loop without range is outside what is translated", "write `for … range`")
            names = [counted[1], "_"]
            length = next(call for call in inside(clause, "call_expression") if text(field(call, "function")) == "len")
            (over,) = expressions(field(length, "arguments"))
        if body and names[1] == "_" and body[0].type == "short_var_declaration":
            named, given = expressions(field(body[0], "left")), expressions(field(body[0], "right"))
            if len(named) == len(given) == 1 and text(given[0]) == f"{text(over)}[{names[0]}]":
                names[1] = text(named[0])
                body = body[1:]
                if all(text(part) != names[0] for later in body for part in inside(later, "identifier")):
                    names[0] = "_"
        return names, over, body

    def counts_otherwise(self, index: str, over: str, node: Node) -> bool:
        """May the index or the list change while it is counted, other than right before the loop is left?"""
        calls = inside(field(node, "body"), "call_expression")
        is_called = not over.isidentifier() and any(self.own(call) is not None for call in calls)
        return self.may_change(index, over, node) or bool(self.closures) or is_called

    def check_order(self, head: int, outer: dict[str, Meaning], node: Node) -> None:
        """Refuse a loop over a map of which two passes may not be exchanged."""
        uid = self.out[head].text.split()[1]
        before = {v.text: "" for value in outer.values() for v in (value, *value.fields.values())}
        before |= {v.text: v.text for v in outer.values() if v.kind in ("uid list", "uid flags")}
        before |= {v.text: self.homes[n].removeprefix("self.") for n, v in outer.items() if n in self.homes}
        line = order_matters(self.out[head + 1 :], uid, before, self.fields.translated)
        if line:
            self.refuse(
                node,
                f"the order of this map, which is random, matters because of line {line}",
                "let each pass read and write only what is its own pod's",
            )

    def depends_on_order(self, mark: int, changes: int, flag: str) -> bool:
        """Does a loop over a map end early, other than at the one place where it has found what it looks for?"""
        said = [line for line in self.out[mark:] if not line.text.endswith(":") and line.text != "pass"]
        ends = [line for line in said if line.text == f"{flag} = False" or line.text.startswith("return")]
        constant = re.compile(r"(\w+ = |return ?)(True|False|-?\d+)?(, (True|False|-?\d+))*")
        return bool(ends) and (
            len(ends) > 1
            or self.changes != changes
            or any(line.depth != ends[0].depth or not constant.fullmatch(line.text) for line in said)
        )

    def check_list(self, value: Meaning, mark: int, flag: str, node: Node) -> None:
        """Go loops over the list as it was when it began, the model over what it is in each pass."""
        if value.kind not in ("requests", "uids") or any(
            line.text.startswith(f"{value.text.partition('.')[0]} = copy(") for line in self.out[:mark]
        ):
            return
        name = re.sub(r"\[.*\]", "", value.text).rpartition(".")[2]
        changing = {name, *["delete_pod_sync_status"] * (value.kind == "requests")}
        for number, line in enumerate(self.out[mark:], mark + 1):
            is_written = self.calls_with(changing, line.text) or "delete_pod_sync_status" in changing & {
                *re.findall(r"\w+", line.text)
            }
            is_set = not line.text.endswith(":") and not line.text.startswith(("return", "assert "))
            is_written |= is_set and name in re.findall(r"\w+", line.text.partition(" = ")[0])
            rest = self.out[number:]
            end = next((at for at, other in enumerate(rest) if other.depth < line.depth), len(rest))
            leaves = any(
                other.depth == line.depth and (other.text.startswith("return") or other.text == f"{flag} = False")
                for other in rest[:end]
            )
            if is_written and not leaves:
                self.refuse(node, f"line {line.go} may change the list that is looped over",
                            "leave the loop then, or change it after the loop")  # fmt: skip

    def calls_with(self, words: set[str], said: str) -> bool:
        """Does a line call a function that writes, and that has one of these words, or calls one that has?"""
        called = (self.fields.translated.get(word) for word in re.findall(r"(\w+)\(", said))
        return any(
            not words.isdisjoint(re.findall(r"\w+", line.text)) or self.calls_with(words, line.text)
            for found in called
            if found is not None and found.writes
            for line in found.lines
        )

    def check_made(self, a: Facts, b: Facts, node: Node) -> None:
        """A new channel is stored on the way on which it is made: it would be stored on both ways otherwise."""
        for made, other in ((a, b), (b, a)):
            for name, state in made.channels.items():
                if state == "made" and name not in other.channels:
                    self.refuse(node, f"`{name}` is made on one way only", "store it where it is made")

    def widen(self, before: Facts, after: Facts, node: Node) -> None:
        """Locals of the loop that are no variables must be what they were."""
        for name, value in before.scope.items():
            if value.kind not in STATIC and after.scope.get(name, value).kind == "lost":
                self.refuse(node, f"what `{name}` points to is replaced in this loop", "copy it before")
            if value.kind in STATIC and after.scope.get(name, value) != value:
                if value.kind == "uids":
                    continue
                self.flow.scope[name] = Meaning("set it before the loop or after it", "lost")

    def forget_assigned(self, node: Node) -> None:
        """Nothing is known in a loop of what it sets."""
        for target in self.targets(node, with_declared=True):
            self.flow.forget(text(target))
        calls = list(inside(node, "call_expression"))
        if calls:
            self.flow.forget_state(False)
        for lent in [lent for call in calls for lent in self.lent(call)]:
            self.flow.forget(lent)

    def over_statuses(self, value: Meaning, names: list[str], node: Node, flag: str) -> None:
        uid = self.python_name(names[0], "uid")
        self.canonical[uid] = uid
        self.emit(f"for {uid} in range(len({value.text})):", node)
        self.depth += 1
        self.emit(f"if {f'{flag} and ' if flag else ''}{value.text}[{uid}].present:", node)
        self.flow.scope[names[0]] = Meaning(uid, "uid", names[0], uid)
        if names[1] != "_":
            self.depth += 1
            self.flow.scope[names[1]] = Meaning(f"{value.text}[{uid}]", "status", names[1], uid)
            self.flow.doubtful.pop(names[1], None)
            self.depth -= 1
            self.flow.known[names[1]] = True

    def over_flags(self, value: Meaning, names: list[str], node: Node, flag: str) -> None:
        uid = self.python_name(names[0], "uid")
        self.canonical[uid] = uid
        self.emit(f"for {uid} in range(len({value.text})):", node)
        self.depth += 1
        self.emit(f"if {f'{flag} and ' if flag else ''}{value.text}[{uid}]:", node)
        self.flow.scope[names[0]] = Meaning(uid, "uid", names[0], uid)

    def over_numbers(self, value: Meaning, names: list[str], node: Node, flag: str) -> None:
        index = self.python_name(names[0], "int")
        self.emit(f"for {index} in range({value.text}):", node)
        if flag:
            self.depth += 1
            self.emit(f"if {flag}:", node)
        self.flow.scope[names[0]] = Meaning(index, "int", names[0])

    def listed(self, node: Node) -> Meaning:
        """The elements of a list that is written there, in locals of their own: Go has them before the first pass."""
        go = text(field(node, "type")).removeprefix("[]")
        kind, parts = self.fields.kinds.get(go, ""), field(node, "body").named_children
        elements = [part.named_children[0] for part in parts if part.type == "literal_element"]
        is_known = field(node, "type").type == "slice_type" and kind in ("int", "bool", "optional")
        if not is_known or not elements or len(elements) != len(parts):
            self.refuse(node, f"`{text(node)}` is outside what is looped over", "list numbers, bools or *int64")
        names = []
        for part in elements:
            value = self.coerce(self.expression(part), kind, part)
            names.append(self.python_name("listed", kind))
            self.emit(f"{names[-1]} = {value}", part)
            self.flow.scope[f"[]{names[-1]}"] = Meaning(names[-1], kind)
        return Meaning(", ".join(names), "values", kind)

    def over_values(self, value: Meaning, names: list[str], node: Node, flag: str) -> None:
        if names[1] == "_":
            self.refuse(node, "this loop leaves out the elements", "count with `for range n`")
        *first, found = value.text.split(", ")
        index = self.python_name(names[0] if names[0] != "_" else "i", "int")
        element = self.python_name(names[1], value.key)
        self.emit(f"for {index} in range({len(first) + 1}):", node)
        if flag:
            self.depth += 1
            self.emit(f"if {flag}:", node)
        for number in range(len(first) - 1, -1, -1):
            found = f"{first[number]} if {index} == {number} else {found}"
        self.depth += 1
        self.emit(f"{element} = {found}", node)
        self.depth -= 1
        self.flow.forget(names[1])
        self.flow.scope |= {names[0]: Meaning(index, "int", names[0])} if names[0] != "_" else {}
        self.flow.scope[names[1]] = Meaning(element, value.key, names[1])

    def over_requests(self, value: Meaning, names: list[str], node: Node, flag: str) -> None:
        by_place = names[0] != "_" and names[1] == "_" and self.is_place_only(names[0], value.key, field(node, "body"))
        request = self.python_name("request" if by_place else names[1], "request")
        if (names[0] != "_" and not by_place) or flag:
            self.refuse(node, "this loop needs the order of the list, which the model does not have", "loop over all")
        self.emit(f"for {request} in range(len({value.text})):", node)
        self.depth += 1
        self.emit(f"if {value.text}[{request}]:", node)
        if by_place:
            self.flow.scope[names[0]] = Meaning(request, "place", value.key)
            return
        self.flow.scope[names[1]] = Meaning(request, "request", names[1])
        self.flow.known[names[1]] = True

    def is_place_only(self, name: str, over: str, body: Node) -> bool:
        """Is the place in the list, of `for i := range list`, used as list[i] only? Then no order matters."""
        for found in inside(body, "identifier"):
            place = found.parent
            if text(found) == name and (place is None or text(place) != f"{over}[{name}]"):
                return False
        return True

    def over_uids(self, value: Meaning, names: list[str], node: Node, flag: str) -> None:
        index = self.python_name(names[0] if names[0] != "_" else "i", "int")
        uid = self.python_name(names[1], "uid")
        place = index
        if value.uid:
            first = self.python_name(f"{names[1]}_first", "int")
            self.emit(f"{first} = {value.uid}", node)
            place = f"{index} + {first}"
        self.emit(f"for {index} in range(len({value.text}.uids)):", node)
        self.depth += 1
        self.emit(f"if {f'{flag} and ' if flag else ''}{place} < {value.text}.length:", node)
        self.depth += 1
        self.canonical[uid] = uid
        self.emit(f"{uid} = {value.text}.uids[{place}]", node)
        self.depth -= 1
        self.flow.scope[names[0]] = Meaning(index, "int", names[0])
        self.flow.scope[names[1]] = Meaning(uid, "uid", names[1], uid)

    def collect_desired(self, node: Node, names: list[str]) -> None:
        """for _, pod := range desiredPods { known[pod.UID] = struct{}{} }"""
        body = [part for part in statements(field(node, "body")) if not self.tells_name(part)]
        pods = text(field(next(part for part in node.named_children if part.type == "range_clause"), "right"))
        said = ["".join(tokens(part)) for part in body]
        for name, value in self.flow.scope.items():
            element = "true" if name in self.of_bools else "struct{}{}"
            wanted = [
                [f"{name}[{pod}.UID]={element}"] if how == "store" else [f"{name}.Insert({pod}.UID)"]
                for pod in (names[1], f"{pods}[{names[0]}]")
                for how in ("store", *["insert"] * (name not in self.of_bools))
            ]
            if value == Meaning("empty", "uid set", name) and said in wanted:
                self.flow.scope[name] = Meaning("desired", "uid set", name)
                return
        self.refuse(node, "this loop over the desired pods is outside what is translated",
                    "collect the UID of each in a map[types.UID]struct{}")  # fmt: skip

    def tells_name(self, node: Node) -> bool:
        """Is this a name that is appended to a list of texts, which are only told?"""
        said = re.fullmatch(r"(\w+)=append\((\w+),\w+\.(?:Name|Namespace)\)", "".join(tokens(node)))
        names = {self.flow.scope.get(said[n], Meaning("", "")).kind for n in (1, 2)} if said is not None else set()
        return said is not None and said[1] == said[2] and names == {"unknown"}

    # -- channels and goroutines ---------------------------------------------------------------------------------
    def select(self, node: Node) -> None:
        """A send or a receive that does not wait, after which the same is done in either case."""
        communication, cases = self.cases(node)
        for case in cases:
            for part in self.case_statements(case, communication):
                if part.type != "expression_statement" or not self.is_ignored(part.named_children[0]):
                    self.refuse(part, "a case of a select does something", "do it after the select")
        if communication.type == "send_statement":
            channel, sent = field(communication, "channel"), field(communication, "value")
            if "".join(tokens(sent)) == "struct{}{}":
                self.signal(channel, "notify_pod_worker", node)
                return
        elif communication.type == "receive_statement" and communication.child_by_field_name("left") is None:
            receive = field(communication, "right")
            if receive.type == "unary_expression":
                self.signal(field(receive, "operand"), "drain_pod_updates", node)
                return
        self.refuse(
            communication, f"`{text(communication)}` is outside what is translated", "send or receive struct{}{}"
        )

    def cases(self, node: Node) -> tuple[Node, list[Node]]:
        """What a select does without waiting, and its two cases: where that is done, and where it is not."""
        cases = sorted((part for part in node.named_children if part.type != "comment"), key=lambda part: part.type)
        if [part.type for part in cases] != ["communication_case", "default_case"]:
            self.refuse(node, "a select that may block, or has several cases, is outside what is translated",
                        "give it one case and a default")  # fmt: skip
        return field(cases[0], "communication"), cases

    def does_something(self, node: Node) -> bool:
        """Is this a send with a case that does something?"""
        communication, cases = self.cases(node)
        parts = [part for case in cases for part in self.case_statements(case, communication)]
        ignored = len(self.ignored)
        is_idle = all(map(self.is_idle_statement, parts))
        del self.ignored[ignored:]
        return communication.type == "send_statement" and not is_idle

    def choose(self, node: Node, rest: list[Node]) -> bool:
        """A send that does not wait, and what is done where it goes through or does not; do all ways through end?"""
        send, cases = self.cases(node)
        channel, (done, other) = field(send, "channel"), (self.case_statements(case, send) for case in cases)
        value = self.expression(channel)
        if "".join(tokens(field(send, "value"))) != "struct{}{}" or not value.uid:
            self.refuse(send, f"`{text(send)}` is outside what is translated", "send struct{}{} to a worker")
        sent = self.python_name("sent", "bool")
        self.emit(f"{sent} = self.can_notify_pod_worker({value.uid})", node)
        self.signal(channel, "notify_pod_worker", node)
        self.flow.bound[text(send)] = Meaning(sent, "bool")
        return self.take([([send], None, done, cases[0]), ([], None, other, cases[1])], rest, node)

    def case_statements(self, case: Node, communication: Node) -> list[Node]:
        found: list[Node] = []
        for part in case.named_children:
            if part.type == "statement_list":
                found += statements(part)
            elif part.type != "comment" and part != communication:
                found.append(part)
        return found

    def signal(self, channel: Node, method: str, node: Node) -> None:
        value = self.expression(channel)
        if value.kind != "channel" or not value.uid or value.key in self.flow.channels:
            self.refuse(channel, f"`{text(channel)}` is no worker's channel", "take it from podUpdates")
        self.touch(channel)
        self.uses_uid = self.uses_uid or value.uid == self.implicit_uid
        self.emit(f"self.{method}({value.uid})", node)
        self.writes = True
        self.flow.forget_state(False)

    def started(self, call: Node) -> GoFunction | None:
        """The function that a goroutine runs, if it is one of the file or a literal."""
        function = field(call, "function")
        return literal(self.file, function) if function.type == "func_literal" else self.own(call)

    def go(self, node: Node) -> None:
        """go func() { p.podWorkerLoop(uid, channel) }()"""
        call = node.named_children[0]
        started = self.started(call)
        if started is not None and started.name == "podWorkerLoop":
            started = None
        body = statements(started.body) if started is not None else [call]
        inner = (p.named_children[0] if p.type in ("defer_statement", "expression_statement") else p for p in body)
        given: dict[str, Node] = {}
        if started is not None:  # What it is given is given when it is started.
            given = dict(zip(started.parameters, expressions(field(call, "arguments")), strict=False))
            if started.name:
                self.in_place.add(".".join(filter(None, (started.receiver, started.name))))
        outer, self.flow.scope = self.flow.scope, dict(self.flow.scope)
        for name, part in given.items():
            if part.type != "identifier":
                self.refuse(part, f"`{text(part)}` is computed where a goroutine starts", "name it before")
            if name in outer and name != text(part):
                self.refuse(part, f"`{name}` is another one in this goroutine", "use another name")
            if text(part) in outer:
                self.flow.scope[name] = outer[text(part)]
        before, self.flow.lock = self.flow.lock, "over"  # It does not hold podLock, whoever starts it.
        calls = [part for part in inner if not self.is_ignored(part)]
        self.flow.lock, self.flow.scope = before, outer
        if len(calls) == 1 and calls[0].type == "call_expression":
            arguments = [given.get(text(part), part) for part in expressions(field(calls[0], "arguments"))]
            first = self.peek(arguments[0]) if arguments else None
            if first is not None and first.kind == "parent":
                name = text(arguments[0])
                is_given = name in self.function.parameters and not self.assignments(name)
                if not is_given and any(value.kind == "stop" for value in self.flow.scope.values()):
                    self.refuse(arguments[0], f"`{name}` may be cancelled while the goroutine runs", "detach it before")
                del arguments[0]
            if self.without_receiver(field(calls[0], "function")) == "p.podWorkerLoop" and len(arguments) == 2:
                uid, channel = self.element_uid(arguments[0]), self.expression(arguments[1])
                if channel.kind == "channel" and self.uid_of(uid, node) == channel.uid:
                    stored = [name for name, state in self.flow.channels.items() if state == "stored"]
                    if channel.key in stored:
                        self.emit(f"self.start_pod_worker({uid.text})", node)
                        self.flow.channels.clear()
                        self.writes = True
                        self.flow.forget_state(False)
                        return
        self.refuse(node, "this goroutine is none that the model knows",
                    "make a channel, store it in podUpdates, and start podWorkerLoop with it")  # fmt: skip

    @property
    def outer_static(self) -> set[str]:
        """Locals whose value, and not a variable, is in the scope: an assignment in a block lasts."""
        return {name for name, value in self.flow.scope.items() if value.kind in STATIC}

    def is_own(self, jump: Node, within: Node) -> bool:
        """Is this jump of the loop around, and not of one within?"""
        parent = jump.parent
        while parent is not None and parent != within:
            if parent.type == "for_statement":
                return False
            if parent.type == "select_statement" and jump.type == "break_statement":
                self.refuse(jump, "`break` leaves the select here", "write it without")
            parent = parent.parent
        return switch_of(jump) is None


def switch_of(jump: Node) -> Node | None:
    """The switch that a `break` without a label leaves."""
    around = jump.parent if jump.type == "break_statement" and not jump.named_children else None
    while around is not None and around.type not in _BROKEN:
        around = around.parent
    return around if around is not None and around.type == "expression_switch_statement" else None
