"""What translates a handler of the sync loop, for one kind of pod: its statements, and what it calls."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from podproof.golang.answer_values import LocalNames
from podproof.golang.answers import AnswerTranslation, Frames
from podproof.golang.functions import vocabulary_of
from podproof.golang.modelled import ModelledFunction
from podproof.golang.syntax import (
    GoFile,
    GoFunction,
    expressions,
    expressions_of_return,
    inside,
    origins,
    text,
    tokens,
    unwrapped,
)
from podproof.golang.syntax import field as part_of
from podproof.golang.values import Meaning, TranslatedLine
from podproof.golang.vocabulary import Phrase

if TYPE_CHECKING:
    from tree_sitter import Node


@dataclass(frozen=True)
class Way:
    """What one of the handlers does with one kind of pod."""

    method: str
    """The model's, which has the UID of the pod, or of the mirror pod's static pod."""
    kind: str = "pod"
    begins: tuple[str, ...] = ()
    """What the method begins with."""
    asks: str = ""
    """The method that says whether the admission handlers are asked; this one is given their answer."""


HANDLERS: Mapping[str, tuple[Way, ...]] = {
    "HandlePodAdditions": (
        Way("add_pod", asks="can_be_rejected"),
        Way("handle_mirror_pod_additions", "mirror", ("mirror_pod = self.mirror_pods[uid].revision",)),
    ),
    "HandlePodUpdates": (
        Way("handle_pod_updates", begins=("if self.pod_manager[uid]:",)),
        Way("handle_mirror_pod_updates", "mirror", ("mirror_pod = self.mirror_pods[uid].revision",)),
    ),
    "HandlePodRemoves": (
        Way("remove_pod"),
        Way("handle_mirror_pod_removes", "mirror", ("mirror_pod = self.mirror_pods[uid].managed",)),
    ),
    "HandlePodReconcile": (Way("reconcile_pod"),),
    "HandlePodSyncs": (Way("handle_pod_syncs"),),
    "deletePod": (Way("delete_pod"),),
    "rejectPod": (Way("reject_pod"),),
    "HandlePodCleanups": (Way("chore_of", "pass", ("chore = Chore.NONE",)),),
    "filterOutInactivePods": (Way("is_active", "list"),),
}
"""By their Go names. Of mirror pods the model has no RECONCILE and no SYNC."""
_REGISTERS = {
    "HandlePodAdditions": "AddPod",
    "HandlePodUpdates": "UpdatePod",
    "HandlePodReconcile": "UpdatePod",
    "HandlePodRemoves": "RemovePod",
}
"""What each handler has to tell the pod manager first."""
CALL = "kl.podWorkers.UpdatePod"
_IN_ORDER = {b"GetPodByUID": False, **dict.fromkeys((b"GetPodAndMirrorPod", b"deletePod", b"options"), True)}
"""What is asked, or called -> has the pod manager to be told before?"""
_GATES = {"InPlacePodVerticalScaling": "1.33"}
_LITERALS = frozenset(
    ("int_literal", "float_literal", "rune_literal", "interpreted_string_literal", "raw_string_literal")
)
_IS_THERE: Mapping[str, str] = {"static_pod": "self.pod_manager[uid]", "its_mirror": "{} != 0"}
"""Kinds that may be nil -> what holds where they are not."""
_NOT_READ = "NodeDeclaredFeatures"
"""The gate under which nothing is read."""
_TELLS = re.compile(r"kl\.(recorder|nodeDeclaredFeatures\w*|version)")
"""What of the Kubelet may be used under it."""
_ENDS = re.compile(r"(?!len$)\w+|klog\.(V\([^()]*\)\.)?(Exit|Fatal|Flush)\w*|(os|runtime|syscall|unix|unsafe)\..*")
"""Calls that may do anything, or end the kubelet."""
_GIVES = ("short_var_declaration", "var_declaration", "assignment_statement", "return_statement")
_LEAVES = (
    *("return_statement", "continue_statement", "break_statement", "goto_statement", "labeled_statement"),
    *("assignment_statement", "inc_statement", "dec_statement", "send_statement"),
    *("go_statement", "defer_statement", "func_literal"),
)
"""What stands under a gate that is not read leaves something behind by these."""
OF_ONE_POD: Mapping[str, tuple[tuple[tuple[str, str, str], ...], tuple[str, str]]] = {
    "deletePod": ((("*v1.Pod", "self", "pod"),), ("error", "error")),
    "rejectPod": ((("*v1.Pod", "self", "pod"), ("string", "_", "told"), ("string", "_", "told")), ("", "")),
    "HandlePodCleanups": ((), ("error", "error")),
    "filterOutInactivePods": ((("[]*v1.Pod", "True", "some_pods"),), ("[]*v1.Pod", "some_pods")),
}
"""What has other parameters than the pods of an event: these, and its result."""
_STATUS = "v1.PodStatus"
_ONLY_TOLD = frozenset(("QOSClass", "Reason", "Message"))
"""The fields of a status of which the model has nothing."""
_ZEROS = {"string": "unknown", "[]types.UID": "no_uids"}
"""Type -> the kind of what is declared without a value, and never assigned to where it is read."""


def _given(node: Node) -> Iterator[Node]:
    """What is assigned, or returned."""
    if node.type == "return_statement":
        yield from expressions_of_return(node)
    for one in inside(node, "short_var_declaration", "assignment_statement"):
        yield from expressions(part_of(one, "right"))
    for one in inside(node, "var_spec"):
        yield from expressions(one.child_by_field_name("value"))


def _without_pass(lines: Sequence[TranslatedLine]) -> tuple[TranslatedLine, ...]:
    """The same without each `pass` beside which there is another statement."""
    kept: list[TranslatedLine] = []
    for line, after in zip(lines, (*lines[1:], None), strict=True):
        is_first = not kept or kept[-1].depth < line.depth
        is_last = after is None or after.depth < line.depth
        if line.text != "pass" or (is_first and is_last):
            kept.append(line)
    return tuple(kept)


class HandlerTranslation(AnswerTranslation):
    """Translates a handler for one kind of pod."""

    reads_by = "handlers.vocabulary"

    def __init__(
        self, file: GoFile, function: GoFunction, name: str, way: Way, base: type, release: str, bounded: set[Node]
    ) -> None:
        given, result = OF_ONE_POD.get(name, ((("[]*v1.Pod", "self", "pods"),), ("", "")))
        self.answers = "bool" if result[0] else "None"
        modelled = ModelledFunction(name, "", way.method, self.reads_by, given, result, _GATES, "", "")
        super().__init__(file, function, modelled, vocabulary_of(modelled), base, release)
        self.way = way
        self.bounded = bounded
        self.is_bound = False
        """Does what is read now hold only within the bounds?"""
        self.bound_names: set[str] = set()
        self.in_body = name in OF_ONE_POD
        self.is_registered = name not in _REGISTERS
        self.body_depth = 0
        self.outer: set[str] = set()
        """The variables that several pods of an event share."""
        self.shared: dict[str, set[str]] = {"read": set(), "set": set()}
        """Which of them the loop's body reads, and which it sets."""

    def handled(self) -> tuple[TranslatedLine, ...]:
        """The lines of the method."""
        scope = LocalNames(self.parameters())
        results = [kind for _, kind in self.function.results]
        if results != [kind for kind in self.modelled.result[:1] if kind]:
            self.refuse(self.function.node, "this function answers otherwise", "give it the results of the release")
        depth = 1
        for line in self.way.begins:
            self.write(depth, line, self.function.node)
            depth += line.endswith(":")
        ended = self.branch(self.function.body, scope, depth, (), False)
        if results and not ended:
            self.refuse(self.function.node, "this function may end without an answer", "return one on each way")
        if not self.is_registered:
            what = f"{_REGISTERS[self.modelled.name]} of the pod manager is not called"
            self.refuse(self.function.node, what, "call it first for each pod")
        if both := self.shared["read"] & self.shared["set"]:
            self.refuse(
                self.function.node, f"`{min(both)}` of one pod is read with the next one of the event",
                "the model has one pod in each event",
            )  # fmt: skip
        return _without_pass(self.lines)

    # -- statements ----------------------------------------------------------------------------------------------
    def statement(self, node: Node, scope: LocalNames, depth: int, in_loop: bool) -> bool:
        self.is_bound = False
        ended = self.done(node, scope, depth, in_loop)
        if self.is_bound and node.type in _GIVES:
            self.bounded.update(one for one in _given(node) if not self.vocabulary.match("values", one))
        return ended

    def done(self, node: Node, scope: LocalNames, depth: int, in_loop: bool) -> bool:
        if node.type == "return_statement":
            return self.returned(node, scope, depth, in_loop)
        if node.type == "expression_statement":
            self.effect(node, scope, depth)
            return False
        return super().statement(node, scope, depth, in_loop)

    def ways(
        self,
        ways: list[tuple[list[Node], tuple[Node, ...]]],
        tag: Meaning | None,
        scope: LocalNames,
        depth: int,
        after: Frames,
        in_loop: bool,
        is_case: bool,
    ) -> bool:
        (conditions, body), *others = ways
        self.is_bound = False
        with self.aside():
            asked = {self.value(condition, scope).text for condition in conditions}
        if self.is_bound and conditions:
            left_out = [*conditions] if tag is None else [part for way, _ in ways for part in way]
            left_out += body if asked == {"False"} else ()
            left_out += (part for _, rest in others for part in rest) if tag is not None or "True" in asked else ()
            self.bounded.update(left_out)
        return super().ways(ways, tag, scope, depth, after, in_loop, is_case)

    def returned(self, node: Node, scope: LocalNames, depth: int, in_loop: bool) -> bool:
        values = expressions_of_return(node)
        if in_loop:
            self.refuse(node, "the other pods of the event are left out", "write `continue`")
        if not self.modelled.result[0]:
            self.write(depth, "return", node)
            return True
        if len(values) == 1 and text(values[0]) == "nil":
            self.write(depth, "return False", node)
            return True
        found = [self.value(value, scope) for value in values]
        if [value.kind for value in found] != [self.modelled.result[1]]:
            self.refuse(node, "this is no answer of the function", f"return one {self.modelled.result[0]}")
        self.check(depth, node)
        self.write(depth, f"return {found[0].text}", node)
        return True

    def loop(self, node: Node, scope: LocalNames, depth: int) -> None:
        """Over the pods of an event, of which there is one."""
        clause = next((child for child in node.named_children if child.type == "range_clause"), None)
        left = None if clause is None else clause.child_by_field_name("left")
        names = [text(name) for name in expressions(left)]
        over = None if clause is None else self.value(part_of(clause, "right"), scope)
        if over is not None and over.kind == "no_uids":  # Within the bounds nothing was appended.
            self.bounded.add(node)
            return
        if self.body_depth:
            self.refuse(node, "all pods of the event come before the first of them here", "write one loop")
        if over is None or over.kind != "pods" or self.in_body or names[:1] != ["_"] or len(names) != 2:
            self.refuse(node, "this loop is not read here", "write `for _, pod := range pods`")
        if any(inside(node, "break_statement", "goto_statement", "labeled_statement")):
            self.refuse(node, "the other pods of the event may be left out", "write `continue`")
        given = Meaning("mirror_pod" if self.way.kind == "mirror" else "uid", self.way.kind)
        self.outer = {name for name, value in scope.items() if value.key}
        self.in_body, self.body_depth = True, depth
        self.branch(part_of(node, "body"), LocalNames({**scope, names[1]: given}), depth, (), True)
        self.in_body = False

    def declare(self, node: Node, scope: LocalNames, depth: int) -> None:
        specs = [] if node.type == "short_var_declaration" else list(inside(node, "var_spec"))
        if specs and all(spec.child_by_field_name("value") is None for spec in specs):
            types = {text(part_of(spec, "type")) for spec in specs}
            if types <= _ZEROS.keys():
                for spec in specs:
                    names = map(text, spec.children_by_field_name("name"))
                    scope.update({name: Meaning("_", _ZEROS[text(part_of(spec, "type"))]) for name in names})
                return
        super().declare(node, scope, depth)

    def kept(self, name: str, value: Meaning, depth: int, node: Node) -> Meaning:
        """What is always the same, and stays, is no variable."""
        if value.kind == "bool" and self.is_bound:
            self.bound_names.add(name)
        if value.kind == "bool" and value.text in ("True", "False") and not self.is_set(name):
            return value
        if value.kind == "error":
            kept = super().kept(name, Meaning(value.text, "bool"), depth, node)
            return Meaning(kept.text, "error", kept.key)
        return super().kept(name, value, depth, node)

    def zero(self, kind: str) -> str | None:
        return "False" if kind == "error" else super().zero(kind)

    def is_set(self, name: str) -> bool:
        """Is a local assigned to, or is its address taken?"""
        body = self.function.body
        given = [one for node in inside(body, "assignment_statement") for one in expressions(part_of(node, "left"))]
        given += [node.named_children[0] for node in inside(body, "inc_statement", "dec_statement")]
        taken = (node for node in inside(body, "unary_expression") if text(part_of(node, "operator")) == "&")
        given += [part_of(node, "operand") for node in taken]
        return any(text(one) == name for one in given)

    def target(self, node: Node, scope: LocalNames) -> Meaning:
        if self.in_body and text(node) in self.outer:
            self.shared["set"].add(text(node))
        return super().target(node, scope)

    def effect(self, node: Node, scope: LocalNames, depth: int) -> None:
        """A call that does something, or nothing that the model has."""
        call = node.named_children[0]
        for phrase, holes in self.vocabulary.match("effects", call):
            if self.means(phrase, holes, scope):
                self.registers(call, depth)
                (done,) = self.meanings(phrase, holes, scope)
                self.check(depth, node)
                if done.text != "pass":
                    self.write(depth, done.text, node)
                return
        for phrase, holes in self.vocabulary.match("ignore", call):
            if self.means(phrase, holes, scope):
                for one in inside(call, "call_expression"):
                    for argument in expressions(one.child_by_field_name("arguments")):
                        self.told(argument, scope, one == call and text(part_of(call, "function")).startswith("kl."))
                self.check(depth, node)
                return
        if any(self.means(phrase, holes, scope) for phrase, holes in self.vocabulary.match("beyond", call)):
            self.bounded.add(call)
            return
        for options in inside(call, "composite_literal") if text(part_of(call, "function")) == CALL else ():
            self.options(options, scope)  # It says more exactly what is not known.
        self.refuse(node, "nothing is known of what this does", "review it as a proposal")

    def told(self, argument: Node, scope: LocalNames, is_read: bool) -> None:
        """What is given to a call that the model has not: to read it may panic, and so may the call with a nil pod."""
        if argument.type in _LITERALS or text(argument) == "nil":
            return
        for value in self.values(argument, scope) if is_read or text(argument) not in scope else ():
            if is_read and value.kind in _IS_THERE:
                self.need(_IS_THERE[value.kind].format(value.text))

    def registers(self, call: Node, depth: int) -> None:
        """What tells the pod manager is called once for each pod, on every way; the model has one object of a pod."""
        called, own = text(part_of(call, "function")), _REGISTERS.get(self.modelled.name)
        if called.startswith("kl.podManager."):
            if called != f"kl.podManager.{own}" or self.is_registered or depth != self.body_depth:
                self.refuse(call, "the pod manager is told otherwise than in the release", "tell it once for each pod")
            self.is_registered = True

    # -- expressions ---------------------------------------------------------------------------------------------
    def hoisted(self, node: Node, call: Meaning, *others: Meaning) -> tuple[Meaning, ...]:
        """What is only told the model's method does not return."""
        told = tuple(one for one in others if one.kind == "told")
        return (*super().hoisted(node, call, *others[len(told) :]), *told)

    def values(self, node: Node, scope: LocalNames) -> tuple[Meaning, ...]:
        node = unwrapped(node)
        if self.in_body and text(node) in self.outer:
            self.shared["read"].add(text(node))
        self.is_bound |= text(node) in self.bound_names
        if node.type == "composite_literal":
            return (self.failed(node, scope) if text(part_of(node, "type")) == _STATUS else self.options(node, scope),)
        if node.type == "binary_expression" and (said := self.said(node, scope)) is not None:
            return said
        return super().values(node, scope)

    def meanings(self, phrase: Phrase, holes: Mapping[str, Node], scope: LocalNames) -> tuple[Meaning, ...]:
        if b"GetActivePods" in phrase.words and not self.in_body:
            self.refuse(
                self.function.node, "which pods are active is asked once for all of the event", "ask in the loop"
            )
        asks = next((word.decode() for word in phrase.words if word in _IN_ORDER), "")
        if asks and _IN_ORDER[asks.encode()] != self.is_registered:
            self.refuse(
                next(iter(holes.values())), f"{asks} is called where the model has the other object of the pod",
                "keep the order of the release",
            )  # fmt: skip
        found = super().meanings(phrase, holes, scope)
        both = len(HANDLERS[self.modelled.name]) > 1
        bounds = ("bound",) if both else ("bound", "from_source")
        self.is_bound |= any(one.kind in bounds for one in found)
        return tuple(replace(one, kind="bool") if one.kind in ("bound", "from_source") else one for one in found)

    def gate(self, name: str, node: Node) -> Meaning:
        if name != _NOT_READ:
            return super().gate(name, node)
        self.only_tells(node)
        self.is_bound = True
        return Meaning("False", "bool")

    def only_tells(self, gate: Node) -> None:
        """What stands under a gate that is not read leaves nothing behind."""
        place: Node | None = gate
        while place is not None and place.type not in ("if_statement", "block"):
            place = place.parent
        if place is None or place.type != "if_statement":
            self.refuse(gate, f"{_NOT_READ} is not asked in the condition of an if", "ask it there")
        calls = (call for call in inside(place, "call_expression") if _ENDS.fullmatch(text(part_of(call, "function"))))
        names = (name for name in inside(place, "identifier") if text(name) == "kl")
        others = (name for name in names if name.parent is not None and not _TELLS.fullmatch(text(name.parent)))
        done = [*inside(place, *_LEAVES), *calls, *others]
        if done:
            self.refuse(
                done[0], f"what is under {_NOT_READ} is not read, and does more than to tell", "write it outside"
            )

    def failed(self, node: Node, scope: LocalNames) -> Meaning:
        """A status that says Failed, and besides only what the model has nothing of."""
        said = set[str]()
        for element in part_of(node, "body").named_children:
            if element.type == "comment":
                continue
            if element.type != "keyed_element":
                self.refuse(element, "this field has no name", "name it")
            name, value = (part.named_children[0] for part in element.named_children[:2])
            said.add(text(name))
            is_failed = text(name) == "Phase" and text(value) == "v1.PodFailed" and "v1" not in scope
            if not is_failed and (text(name) not in _ONLY_TOLD or not self.is_told(value, scope)):
                self.refuse(
                    element, "nothing is known of a rejected pod with this", "say Failed, a reason and a message"
                )
        if "Phase" not in said:
            self.refuse(node, "this status says no phase", "say Failed")
        return Meaning("_", "failed_status")

    def is_told(self, node: Node, scope: LocalNames) -> bool:
        """Is it a text of which the model has nothing, and that is read without harm?"""
        node = unwrapped(node)
        if node.type == "binary_expression":
            return all(self.is_told(part_of(node, side), scope) for side in ("left", "right"))
        return node.type in _LITERALS or self.value(node, scope).kind == "told"

    def options(self, node: Node, scope: LocalNames) -> Meaning:
        """UpdatePodOptions, or KillPodOptions where the vocabulary has a use for them."""
        given = {"update_type": "", "pod": "", "mirror_pod": "0"}
        if text(part_of(node, "type")) != "UpdatePodOptions":
            self.refuse(node, "nothing is known of this type", "make UpdatePodOptions")
        for element in part_of(node, "body").named_children:
            if element.type == "comment":
                continue
            name, value = (part.named_children[0] for part in element.named_children[:2])
            found = None if text(value) == "nil" else self.value(value, scope)
            match text(name), "nil" if found is None else found.kind:
                case "Pod", "pod" | "static_pod":
                    if found is not None and found.kind == "static_pod":
                        self.need("self.pod_manager[uid]")
                    given["pod"] = "self.pod(uid)"
                case "RunningPod", "runtime_pod":
                    given["running_pod"] = "True"
                case "KillPodOptions", "kill":
                    given["kill_pod_options"] = "" if found is None else found.text
                case "MirrorPod", "mirror" | "its_mirror" | "nil":
                    given["mirror_pod"] = "0" if found is None else found.text
                case "UpdateType", "update_type":
                    given["update_type"] = "" if found is None else found.text
                case "StartTime", "time":
                    pass
                case _:
                    self.refuse(element, "the model has no such option of these callers", "leave it out")
        if not given["update_type"] or bool(given["pod"]) == ("running_pod" in given):
            self.refuse(node, "Pod and UpdateType are not both given", "give them")
        told = ", ".join(f"{name}={value}" for name, value in given.items() if value)
        return Meaning(f"UpdatePodOptions(present=True, {told})", "options")

    def text_of_unread(self, node: Node) -> str:
        """Its words, and where the locals that it names come from."""
        return " ".join((*tokens(node), *origins(node)))
