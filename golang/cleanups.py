"""What translates a pass of housekeeping: what HandlePodCleanups calls for one UID, and which pods are active.

A list or a map is kept as whether it has that UID, so that a loop over it is an `if`. What decides nothing of this is
left unread.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from podproof.golang.answer_values import HELD, LocalNames
from podproof.golang.answers import AnswerTranslation
from podproof.golang.handling import CALL, HandlerTranslation, Way
from podproof.golang.syntax import GoFile, GoFunction, expressions, inside, text, tokens, unwrapped
from podproof.golang.syntax import field as part_of
from podproof.golang.values import Meaning, TranslatedLine

if TYPE_CHECKING:
    from tree_sitter import Node

CHORES: Mapping[str, str] = {
    "Chore.RECREATE": "recreate",
    "Chore.KILL_TERMINAL": "kill_terminal",
    "Chore.KILL_RUNTIME": "kill_runtime_pod",
}
"""In the order of a pass: what is kept for a UID, and the model's method that calls UpdatePod then."""
FAILURES = ("", "UPDATE_FAILS", "LIST_FAILS")
"""Which of the runtime's two answers is an error; a pass is read with each."""
_TYPES = {
    "[]*v1.Pod": "some_pods",
    "map[types.UID]*v1.Pod": "some_pods",
    "[]*kubecontainer.Pod": "some_running",
    "map[types.UID]PodWorkerSync": "some_uids",
}
_ELEMENTS = {"all_pods": "pod", "some_pods": "pod", "some_running": "runtime_pod"}
_SYNC, _UPDATE, _LIST = (
    "kl.podWorkers.SyncKnownPods",
    "kl.runtimeCache.ForceUpdateIfOlder",
    "kl.runtimeCache.GetPods",
)
_ASKS = re.compile(r"kl\.(podWorkers\.(Is|Should|Could)|statusManager\.Get|filterOutInactivePods|isPod|isAdmitted)\w*")
"""What is answered by the workers, which do not stand still."""
_PLAIN = ("len", "float64", "make")
"""Functions that change nothing but what they are given."""
_LEAVES = (
    *("return_statement", "break_statement", "goto_statement", "labeled_statement", "send_statement"),
    *("go_statement", "defer_statement", "select_statement", "fallthrough_statement", "receive_statement"),
)
_APART = (
    *("if_statement", "for_statement", "expression_switch_statement", "expression_statement"),
    *("inc_statement", "dec_statement", "assignment_statement"),
)
"""What may be of no account."""
_BRANCHES = ("block", "for_statement", "func_literal", "expression_case", "default_case")
_UNREAD = frozenset(("unread", "unknown", "told", "logger", "time"))
_NAMES = frozenset(("self", "uid", "UpdatePodOptions", "UpdateType", "KillPodOptions"))
"""What a call is made of, as it is made in a later step than it is decided."""


class CleanupTranslation(HandlerTranslation):
    """Translates HandlePodCleanups, or what it asks, for one UID."""

    reads_by = "cleanups.vocabulary"
    passed = ("uid",)

    def __init__(
        self,
        file: GoFile,
        function: GoFunction,
        name: str,
        way: Way,
        base: type,
        release: str,
        bounded: set[Node],
        failure: str = "",
    ) -> None:
        super().__init__(file, function, name, way, base, release, bounded)
        self.in_body = False
        self.is_pass = way.kind == "pass"
        self.answers = "Chore" if self.is_pass else "bool"
        self.failure = failure
        self.made: dict[str, str] = {}
        """The variables of lists and maps that a function makes itself, and in which."""
        self.appended: set[str] = set()
        self.called_for: dict[str, TranslatedLine] = {}
        """For each chore the call of UpdatePod."""

    def handled(self) -> tuple[TranslatedLine, ...]:
        if self.is_pass:
            self.check_order()
        lines = super().handled()
        if self.failure and _calls(lines):
            what = "UpdatePod is called although the runtime did not list its pods"
            self.refuse(self.function.node, what, "return the error, as in the release")
        return lines

    def body(self, function: GoFunction, scope: LocalNames) -> tuple[TranslatedLine, ...]:
        if function.receiver and function.receiver_name != "kl":
            self.refuse(function.node, f"the Kubelet is called {function.receiver_name!r} here", "call it kl")
        scope.pop("kl", None)
        kept = self.in_body, self.is_bound
        self.in_body = False
        lines = super().body(function, scope)
        self.in_body, self.is_bound = kept
        return lines

    # -- in which order the workers and the runtime are asked --------------------------------------------------------
    def check_order(self) -> None:
        """SyncKnownPods, a fresh list of the runtime's pods, what the workers say, and calls of UpdatePod."""
        once = [self.only_call(name) for name in (_SYNC, _UPDATE, _LIST)]
        if [one.start_byte for one in once] != sorted(one.start_byte for one in once):
            self.refuse(once[0], "the runtime is asked before SyncKnownPods", "keep the order of the release")
        calls = [*inside(self.function.body, "call_expression")]
        updates = [one.start_byte for one in calls if text(part_of(one, "function")) == CALL]
        for one in calls:
            asked = once[-1].end_byte < one.start_byte < min(updates, default=one.start_byte + 1)
            if not asked and self.asks_workers(one, ()):
                what = "the workers are asked at another time than in the release, and may have gone on"
                self.refuse(one, what, "ask after the runtime's pods are listed, and before UpdatePod is called")

    def only_call(self, name: str) -> Node:
        """The call of what every pass does once."""
        found = [one for one in inside(self.function.body, "call_expression") if text(part_of(one, "function")) == name]
        place = found[0].parent if len(found) == 1 else None
        while place is not None and place != self.function.body:
            is_second = place.type == "binary_expression" and text(part_of(place, "operator")) in ("&&", "||")
            if is_second or place.type in _BRANCHES:
                place = None
            else:
                place = place.parent
        if place is None:
            where = found[0] if found else self.function.node
            self.refuse(where, f"{name} is not called once in each pass", "call it once, outside of any branch")
        return found[0]

    def asks_workers(self, call: Node, within: tuple[str, ...]) -> bool:
        name = text(part_of(call, "function"))
        if _ASKS.fullmatch(name):
            return not name.endswith("ByFullName")
        helper = self.file.functions.get(name.replace("kl.", "Kubelet.", 1))
        if helper is None or name in within:
            return False
        return any(self.asks_workers(one, (*within, name)) for one in inside(helper.body, "call_expression"))

    # -- statements ----------------------------------------------------------------------------------------------
    def done(self, node: Node, scope: LocalNames, depth: int, in_loop: bool) -> bool:
        if self.is_apart(node, scope):
            if node.type != "expression_statement" or not self.only_tells_of(node, scope):
                self.bounded.add(node)
            else:
                self.read_told(node, scope)
                self.check(depth, node)
            names = [text(one) for one in self.declared_by(node)] if node.type.endswith("_declaration") else ()
            scope.update({name: Meaning("_", "unread") for name in names})
            return False
        if node.type == "return_statement" and self.within:
            if in_loop:
                self.refuse(node, "the other pods are left out", "write `continue`")
            return AnswerTranslation.statement(self, node, scope, depth, in_loop)
        return super().done(node, scope, depth, in_loop)

    def returned(self, node: Node, scope: LocalNames, depth: int, in_loop: bool) -> bool:
        if not self.is_pass:
            return super().returned(node, scope, depth, in_loop)
        if in_loop:
            self.refuse(node, "the other pods are left out", "write `continue`")
        with self.aside():
            super().returned(node, scope, depth, in_loop)
        self.check(depth, node)
        self.write(depth, "return chore", node)
        return True

    def loop(self, node: Node, scope: LocalNames, depth: int) -> None:
        """Over pods, of which one has the UID or none."""
        clause = next((child for child in node.named_children if child.type == "range_clause"), None)
        left = None if clause is None else clause.child_by_field_name("left")
        names = [text(name) for name in expressions(left)]
        over = None if clause is None else self.value(part_of(clause, "right"), scope)
        if over is None or over.kind not in _ELEMENTS or len(names) != 2 or self.in_body:
            self.refuse(node, "this loop is not read here", "write `for _, pod := range pods`, one after the other")
        if ":=" not in {text(child) for child in clause.children} if clause is not None else True:
            self.refuse(node, "this loop sets variables that are there already", "declare them in it")
        if any(inside(node, "break_statement", "goto_statement", "labeled_statement", "return_statement")):
            self.refuse(node, "the other pods may be left out", "write `continue`")
        self.check(depth, node)
        if over.text != "True":
            self.write(depth, f"if {over.text}:", node)
        inner = LocalNames({**scope, names[0]: Meaning("_", "unread"), names[1]: Meaning("uid", _ELEMENTS[over.kind])})
        inner.pop("_", None)
        self.outer = {name for name, value in scope.items() if value.key}
        self.in_body = True
        self.branch(part_of(node, "body"), inner, depth + (over.text != "True"), (), True)
        self.in_body, self.outer = False, set()

    def declare(self, node: Node, scope: LocalNames, depth: int) -> None:
        specs = [] if node.type == "short_var_declaration" else list(inside(node, "var_spec"))
        if specs and all(spec.child_by_field_name("value") is None for spec in specs):
            for spec in specs:
                go = text(part_of(spec, "type"))
                for name in map(text, spec.children_by_field_name("name")):
                    if go == "error":
                        scope[name] = self.kept(name, Meaning("False", "error"), depth, spec)
                    elif go in _TYPES:
                        if go.startswith("map["):
                            self.refuse(spec, f"`{name}` is nil, and to set an entry would panic", "make it")
                        scope[name] = self.make(name, _TYPES[go], depth, spec)
                    else:
                        scope[name] = Meaning("_", "unread")
                    scope.declared.add(name)
            return
        left, right = (expressions(node.child_by_field_name(side)) for side in ("left", "right"))
        if len(left) == len(right) == 1 and (kind := self.made_by(right[0], scope)):
            scope[text(left[0])] = self.make(text(left[0]), kind, depth, node)
            scope.declared.add(text(left[0]))
            return
        # An error that is given anew in its own block is another local from there on.
        scope.declared -= {text(one) for one in left if text(one) in scope and scope[text(one)].kind == "error"}
        super().declare(node, scope, depth)
        if len(right) == 1 and text(right[0].child_by_field_name("function") or right[0]) == _SYNC:
            self.made[scope[text(left[0])].text] = self.function.name

    def make(self, name: str, kind: str, depth: int, node: Node) -> Meaning:
        found = self.kept(name, Meaning("False", kind), depth, node)
        self.made[found.text] = self.place
        return found

    @property
    def place(self) -> str:
        """The function that is being translated."""
        return self.within[-1] if self.within else self.function.name

    def made_by(self, node: Node, scope: LocalNames) -> str:
        """The kind of what is made empty here; nothing where it is something else."""
        arguments = node.child_by_field_name("arguments")
        if node.type != "call_expression" or text(part_of(node, "function")) != "make" or "make" in scope:
            return ""
        first, *others = [] if arguments is None else arguments.named_children
        if not all(_is_size(one, scope) for one in others):
            return ""
        is_empty = not others or text(others[0]) == "0" or first.type == "map_type"
        return _TYPES.get("".join(tokens(first)), "") if is_empty else ""

    def kept(self, name: str, value: Meaning, depth: int, node: Node) -> Meaning:
        if value.kind in HELD and value.key:
            self.refuse(node, f"`{name}` is a second name for a list", "use the one that it has")
        if value.kind == "seconds" and value.text.isdigit() and not self.is_set_to(name):
            return value
        return super().kept(name, value, depth, node)

    def is_set(self, name: str) -> bool:
        """In any function that is read."""
        return any(self.is_set_in(function.body, name, True) for function in self.file.functions.values())

    def is_set_to(self, name: str) -> bool:
        """Is something assigned to a local, or to a part of it? Its address only kill options take."""
        return any(self.is_set_in(function.body, name, False) for function in self.file.functions.values())

    def is_set_in(self, body: Node, name: str, or_taken: bool) -> bool:
        taken = (one for one in inside(body, "unary_expression") if text(part_of(one, "operator")) == "&")
        given = [*_targets(body), *(part_of(one, "operand") for one in taken if or_taken)]
        return any(_root(one) == name for one in given)

    def assign(self, node: Node, scope: LocalNames, depth: int) -> None:
        left, right = (expressions(node.child_by_field_name(side)) for side in ("left", "right"))
        if len(left) == len(right) == 1 and text(part_of(node, "operator")) == "=":
            (target,), (value,) = left, right
            if target.type == "index_expression":
                whose, key = (part_of(target, side) for side in ("operand", "index"))
                self.change(whose, key, True, node, scope, depth)
                if not self.is_entry(value, scope):
                    self.refuse(value, "nothing is known of this entry", "give it what the release gives it")
                return
            if (
                value.type == "call_expression"
                and text(part_of(value, "function")) == "append"
                and "append" not in scope
            ):
                arguments = expressions(part_of(value, "arguments"))
                if len(arguments) != 2 or text(arguments[0]) != text(target) or text(target) in self.appended:
                    self.refuse(value, "a pod may be in this list twice", "append it to its own list, at one place")
                with self.aside():
                    kind = self.value(arguments[1], scope).kind
                if not self.in_body or kind not in ("pod", "runtime_pod"):
                    self.refuse(value, "nothing is known of what is appended", "append the pod of a loop")
                self.appended.add(text(target))
                self.change(target, None, True, node, scope, depth)
                return
        if any(text(one) in scope and scope[text(one)].kind in HELD for one in left):
            self.refuse(node, "a list or a map gets a second name", "use the one that it has")
        if self.in_body and any(text(one) in self.outer for one in left or node.named_children[:1]):
            self.refuse(node, "what one pod sets another one may read", "declare it in the loop")
        super().assign(node, scope, depth)

    def change(self, whose: Node, key: Node | None, has: bool, node: Node, scope: LocalNames, depth: int) -> None:
        """A list or map of the function's own gets the pod, or loses it."""
        found = scope.get(text(whose))
        if found is None or found.kind not in HELD or self.made.get(found.text) != self.place or not self.in_body:
            self.refuse(node, "only the function's own list or map is changed, in a loop over pods", "make one")
        if key is not None and self.value(key, scope).kind != "uid":
            self.refuse(key, "this may be another pod's UID", "use that of the loop's pod")
        self.check(depth, node)
        self.write(depth, f"{found.text} = {has}", node)

    def is_entry(self, node: Node, scope: LocalNames) -> bool:
        """Can it be read without harm, as what stands for a UID in a map?"""
        node = unwrapped(node)
        if node.type == "identifier":
            return text(node) not in scope or scope[text(node)].kind in ("pod", "bool", "uid")
        if node.type in ("true", "false"):
            return True
        if node.type != "composite_literal" or text(part_of(node, "type")) != "PodWorkerSync":
            return False
        entries = [one for one in part_of(node, "body").named_children if one.type != "comment"]
        if any(one.type != "keyed_element" for one in entries):
            return False
        values = [one.named_children[-1].named_children[0] for one in entries]
        return all(one.type in ("identifier", "true", "false") for one in values)

    def effect(self, node: Node, scope: LocalNames, depth: int) -> None:
        call = node.named_children[0]
        called = text(part_of(call, "function")) if call.type == "call_expression" else ""
        if called == "delete" and "delete" not in scope:
            whose, key = expressions(part_of(call, "arguments"))
            self.change(whose, key, False, node, scope, depth)
        elif called == CALL:
            self.call(call, scope, depth)
        else:
            super().effect(node, scope, depth)

    def call(self, call: Node, scope: LocalNames, depth: int) -> None:
        """UpdatePod: what is kept of it is which of the three calls of a pass it is."""
        arguments = expressions(part_of(call, "arguments"))
        options = self.value(arguments[-1], scope) if arguments else None
        is_known = [self.value(one, scope).kind for one in arguments[:-1]] in ([], ["logger"])
        if not is_known or options is None or options.kind != "options" or not self.in_body or not self.is_pass:
            self.refuse(
                call, "nothing is known of this call", "call UpdatePod for each pod of a list, with its options"
            )
        used = {one.id for one in ast.walk(ast.parse(options.text)) if isinstance(one, ast.Name)}
        if used - _NAMES:
            self.refuse(call, "these options depend on what was decided before", "give them values that do not")
        is_kill = "update_type=UpdateType.KILL" in options.text
        chore = list(CHORES)[2 if "running_pod=True" in options.text else 1 if is_kill else 0]
        later = list(CHORES)[list(CHORES).index(chore) :]
        if not self.called_for.keys().isdisjoint(later):
            what = "what a pass does is to create pods, then to kill what has ended, then what only the runtime has"
            self.refuse(call, what, "call UpdatePod once for each of them, in this order")
        self.check(depth, call)
        self.write(depth, "if self.known_pods[uid] or chore != Chore.NONE:", call)
        self.write(
            depth + 1, 'out_of_bounds("one call of UpdatePod in a pass of housekeeping, of who has no worker")', call
        )
        self.write(depth, f"chore = {chore}", call)
        self.called_for[chore] = TranslatedLine(1, f"self.update_pod(uid, {options.text})", call.start_point[0] + 1)

    # -- what is not read ----------------------------------------------------------------------------------------
    def is_apart(self, node: Node, scope: LocalNames) -> bool:
        """Does a statement leave nothing behind but in names of which nothing is read?"""
        if any(inside(node, *_LEAVES, into_functions=False)) or self.made_kind(node, scope):
            return False
        if node.type.endswith("_declaration"):
            given = expressions(node.child_by_field_name("right"))
            if not given or not all(_is_made(one) for one in given):
                return False
        elif node.type not in _APART:
            return False
        own, declared = self.own_copies(node, scope), {text(name) for name in self.declared_by(node)}
        calls = inside(node, "call_expression")
        return all(self.is_harmless(one, scope, own) for one in calls) and all(
            text(one) in declared or self.is_unread(one, scope, own) for one in _targets(node)
        )

    def own_copies(self, node: Node, scope: LocalNames) -> set[str]:
        """Names of loops over what is written there, or is not read: to change them changes nothing else."""
        found = set[str]()
        for one in inside(node, "range_clause"):
            over = part_of(one, "right")
            if over.type == "composite_literal" or self.is_unread(over, scope, found):
                found.update(text(name) for name in expressions(one.child_by_field_name("left")))
        return found

    def made_kind(self, node: Node, scope: LocalNames) -> str:
        if node.type != "short_var_declaration":
            return ""
        return next(filter(None, (self.made_by(one, scope) for one in expressions(part_of(node, "right")))), "")

    def declared_by(self, node: Node) -> Iterator[Node]:
        """The names that it declares, in it or after it."""
        for one in inside(node, "short_var_declaration", "range_clause"):
            if one.type == "short_var_declaration" or any(text(child) == ":=" for child in one.children):
                yield from expressions(one.child_by_field_name("left"))
        for one in inside(node, "parameter_declaration"):
            yield from one.children_by_field_name("name")

    def is_unread(self, target: Node, scope: LocalNames, own: set[str]) -> bool:
        name = _root(target)
        return name == "_" or name in own or (name in scope and scope[name].kind == "unread")

    def is_harmless(self, call: Node, scope: LocalNames, own: set[str]) -> bool:
        """Does a call change nothing that is read?"""
        called, root = text(part_of(call, "function")), _root(part_of(call, "function"))
        if called == "delete" and "delete" not in scope:
            return self.is_unread(expressions(part_of(call, "arguments"))[0], scope, own)
        is_own = root in own or (root in scope and scope[root].kind == "unread")
        return is_own or self.is_beyond(call, scope) or self.is_telling(call, scope)

    def only_tells_of(self, node: Node, scope: LocalNames) -> bool:
        """Does each call in it only write to a log or a metric, or ask what changes nothing?"""
        return all(self.is_telling(one, scope) for one in inside(node, "call_expression"))

    def read_told(self, node: Node, scope: LocalNames) -> None:
        """What calls are given that only tell has to be known: to read it may panic, or wait."""
        for call in inside(node, "call_expression"):
            for one in expressions(part_of(call, "arguments")):
                if one.type != "call_expression":
                    self.told(one, scope, False)

    def is_telling(self, call: Node, scope: LocalNames) -> bool:
        called = text(part_of(call, "function"))
        if called in _PLAIN and called not in scope:
            return True
        if called.startswith("metrics.") and "metrics" not in scope:
            return True
        if self.has("ignore", call, scope):
            return True
        parent = call.parent
        if parent is not None and parent.type == "selector_expression" and parent.parent is not None:
            if parent.parent.type == "call_expression" and self.has("ignore", parent.parent, scope):
                return True
        found = [phrase for phrase, holes in self.vocabulary.match("values", call) if self.means(phrase, holes, scope)]
        return bool(found) and all(kind in _UNREAD for phrase in found for _, kind in phrase.meanings)

    def is_beyond(self, call: Node, scope: LocalNames) -> bool:
        return self.has("beyond", call, scope)

    def has(self, section: str, call: Node, scope: LocalNames) -> bool:
        """Is there a line about a call in a section of the vocabulary?"""
        return any(self.means(phrase, holes, scope) for phrase, holes in self.vocabulary.match(section, call))

    def text_of_unread(self, node: Node) -> str:
        """Also under which conditions it stands, and after how many returns and calls."""
        place, under = node, []
        while place.parent is not None and place.type not in ("function_declaration", "method_declaration"):
            if place.type == "block" and place.parent.type in ("if_statement", "for_statement"):
                under += [word for one in place.parent.children if one.type != "block" for word in tokens(one)]
            place = place.parent
        before = (
            one for one in inside(place, "return_statement", "call_expression") if one.end_byte <= node.start_byte
        )
        number = sum(one.type == "return_statement" or _root(part_of(one, "function")) == "kl" for one in before)
        return " ".join((super().text_of_unread(node), "under", *under, "after", str(number)))

    # -- expressions ---------------------------------------------------------------------------------------------
    def values(self, node: Node, scope: LocalNames) -> tuple[Meaning, ...]:
        node = unwrapped(node)
        match node.type:
            case "call_expression" if self.is_beyond(node, scope):
                self.bounded.add(node)
                return (Meaning("False", "error"),)
            case "call_expression" if text(part_of(node, "function")) == "int64" and "int64" not in scope:
                (given,) = expressions(part_of(node, "arguments"))
                return (self.as_kind(given, "seconds", scope),)
            case "unary_expression" if text(part_of(node, "operator")) == "&":
                whose = self.value(part_of(node, "operand"), scope)
                if whose.kind == "kill" or (whose.kind == "seconds" and whose.text.isdigit()):
                    return (whose,)
            case "composite_literal" if text(part_of(node, "type")) == "KillPodOptions":
                return (self.kill_options(node, scope),)
            case "index_expression":
                over, key = (self.value(part_of(node, side), scope) for side in ("operand", "index"))
                if over.kind in HELD and key.kind == "uid":
                    return Meaning("_", "unread"), Meaning(over.text, "bool")
        found = super().values(node, scope)
        return tuple(
            Meaning(str(one.text == self.failure), one.kind) if one.text in FAILURES[1:] else one for one in found
        )

    def kill_options(self, node: Node, scope: LocalNames) -> Meaning:
        given = {"present": "True"}
        for element in part_of(node, "body").named_children:
            if element.type == "comment":
                continue
            name, value = (part.named_children[0] for part in element.named_children[:2])
            match text(name):
                case "PodTerminationGracePeriodSecondsOverride" if (
                    found := self.value(value, scope)
                ).kind == "seconds":
                    given["grace_period_seconds_override"] = found.text
                case "Evict" if text(value) in ("true", "false"):
                    given["evict"] = text(value).capitalize()
                case _:
                    self.refuse(element, "the model has no such kill option of housekeeping", "leave it out")
        return Meaning(f"KillPodOptions({', '.join(f'{name}={value}' for name, value in given.items())})", "kill")

    def helper(self, node: Node, scope: LocalNames) -> GoFunction | None:
        called = text(part_of(node, "function"))
        if called.startswith("kl.") and "kl" not in scope:
            return self.file.functions.get(f"Kubelet.{called.removeprefix('kl.')}")
        return super().helper(node, scope)

    def kind_of_type(self, go: str) -> str:
        return _TYPES.get(go) or super().kind_of_type(go)


def _root(node: Node) -> str:
    """The name that an expression begins with."""
    while node.type not in ("identifier", "field_identifier"):
        below = node.child_by_field_name("operand") or node.child_by_field_name("function")
        if below is None:
            return text(node)
        node = below
    return text(node)


def _targets(node: Node) -> Iterator[Node]:
    """What is assigned to."""
    for one in inside(node, "assignment_statement"):
        yield from expressions(part_of(one, "left"))
    for one in inside(node, "inc_statement", "dec_statement"):
        yield one.named_children[0]
    for one in inside(node, "range_clause"):
        if all(text(child) != ":=" for child in one.children):
            yield from expressions(one.child_by_field_name("left"))


def _is_size(node: Node, scope: LocalNames) -> bool:
    """Is it a number that is not negative, and reads nothing but a length?"""
    if node.type != "call_expression":
        return node.type == "int_literal"
    arguments = expressions(part_of(node, "arguments"))
    return text(part_of(node, "function")) == "len" and "len" not in scope and arguments[0].type == "identifier"


def _is_made(node: Node) -> bool:
    """Is it an empty map or list, or a function?"""
    return node.type == "func_literal" or (
        node.type == "call_expression" and text(part_of(node, "function")) in ("make", "sets.New[types.UID]")
    )


def _calls(lines: Sequence[TranslatedLine]) -> bool:
    """May UpdatePod be called on the ways that are left where an error is known?"""
    body = ast.parse("if True:\n" + "\n".join(f"{'    ' * line.depth}{line.text}" for line in lines)).body
    try:
        _known_after(body, {})
    except _Called:
        return True
    return False


class _Called(Exception):
    """UpdatePod is called on a way."""


def _known_after(body: Sequence[ast.stmt], known: dict[str, bool]) -> dict[str, bool] | None:
    """Which locals have one value after these statements; None where they all return. Raises _Called."""
    for statement in body:
        match statement:
            case ast.Return():
                return None
            case ast.If():
                is_so = _value(statement.test, known)
                ways = [
                    way for way, asked in ((statement.body, True), (statement.orelse, False)) if is_so in (None, asked)
                ]
                ends = [end for way in ways if (end := _known_after(way, {**known})) is not None]
                if not ends:
                    return None
                known = {name: value for name, value in ends[0].items() if all(end.get(name) == value for end in ends)}
            case ast.Assign(targets=[ast.Name(name)]):
                if name == "chore" and ast.unparse(statement.value) != "Chore.NONE":
                    raise _Called
                known.pop(name, None)
                if (value := _value(statement.value, known)) is not None:
                    known[name] = value
    return known


def _value(expression: ast.expr, known: Mapping[str, bool]) -> bool | None:
    match expression:
        case ast.Constant(bool(value)):
            return value
        case ast.Name(name):
            return known.get(name)
        case ast.UnaryOp(ast.Not(), below) if (whether := _value(below, known)) is not None:
            return not whether
    return None
