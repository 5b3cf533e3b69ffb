"""The sync loop's handlers, translated: what each does with one pod, or one mirror pod, of an event.

Each is a method of environment `sync loop`, in the place of the model's own.
"""

from __future__ import annotations

import ast
import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from podproof.golang.answer_values import LocalNames
from podproof.golang.answers import AnswerTranslation, Frames
from podproof.golang.asking import ASK, CALLS, asks_at_first, most_calls, whether_asked
from podproof.golang.functions import POD_WORKERS, modelled_in, vocabulary_of
from podproof.golang.modelled import ModelledFunction
from podproof.golang.syntax import (
    GoFile,
    GoFunction,
    check_imports,
    expressions,
    expressions_of_return,
    inside,
    outermost,
    parse,
    text,
    tokens,
    unwrapped,
)
from podproof.golang.syntax import field as part_of
from podproof.golang.translated import class_of
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
}
"""By their Go names. Of mirror pods the model has no RECONCILE and no SYNC."""
BOUNDS = (
    "events of one pod each; no resizes, readiness gates, evictions or pod certificates, and no RECONCILE or SYNC of a "
    "mirror pod; what is under NodeDeclaredFeatures only writes to the log and events; reason and message of a "
    "rejection are not compared, nor what rejectPod does where SyncPod calls it"
)
"""Within which a handler is what its translation is."""
UNREAD: Mapping[str, str] = {
    "HandlePodAdditions": "ec6a54908ca7314f",
    "HandlePodUpdates": "27052509105a9122",
    "HandlePodRemoves": "e3b0c44298fc1c14",
    "HandlePodReconcile": "4251722e8937b31a",
    "HandlePodSyncs": "db18400318fca0b8",
    "deletePod": "e3b0c44298fc1c14",
    "rejectPod": "e3b0c44298fc1c14",
}
"""Fingerprints of what each does beyond these bounds in 1.36.2 and 1.36.3."""
_REGISTERS = {
    "HandlePodAdditions": "AddPod",
    "HandlePodUpdates": "UpdatePod",
    "HandlePodReconcile": "UpdatePod",
    "HandlePodRemoves": "RemovePod",
}
"""What each handler has to tell the pod manager first."""
_CALL = "kl.podWorkers.UpdatePod"
_IN_ORDER = {b"GetPodByUID": False, **dict.fromkeys((b"GetPodAndMirrorPod", b"deletePod", b"options"), True)}
"""What is asked, or called -> has the pod manager to be told before?"""
_IMPORTS = {
    "allocation": "k8s.io/kubernetes/pkg/kubelet/allocation",
    "eviction": "k8s.io/kubernetes/pkg/kubelet/eviction",
    "sliceutils": "k8s.io/kubernetes/pkg/kubelet/util/sliceutils",
    "sort": "sort",
    "status": "k8s.io/kubernetes/pkg/kubelet/status",
    "v1qos": "k8s.io/kubernetes/pkg/apis/core/v1/helper/qos",
}
"""Packages of the vocabulary of which pod_workers.go knows nothing."""
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
_LEAVES = (
    *("return_statement", "continue_statement", "break_statement", "goto_statement", "labeled_statement"),
    *("assignment_statement", "inc_statement", "dec_statement", "send_statement"),
    *("go_statement", "defer_statement", "func_literal"),
)
"""What stands under a gate that is not read leaves something behind by these."""
_OF_ONE_POD: Mapping[str, tuple[tuple[tuple[str, str, str], ...], tuple[str, str]]] = {
    "deletePod": ((("*v1.Pod", "self", "pod"),), ("error", "error")),
    "rejectPod": ((("*v1.Pod", "self", "pod"), ("string", "_", "told"), ("string", "_", "told")), ("", "")),
}
"""What is called about one pod: its parameters, and its result."""
_PARTS = (frozenset(("deletePod", "HandlePodRemoves")), frozenset(("rejectPod", "HandlePodAdditions")))
"""What is translated together: one calls the other."""
_STATUS = "v1.PodStatus"
_ONLY_TOLD = frozenset(("QOSClass", "Reason", "Message"))
"""The fields of a status of which the model has nothing."""
_ZEROS = {"string": "unknown", "[]types.UID": "no_uids"}
"""Type -> the kind of what is declared without a value, and never assigned to where it is read."""
_HEADER = """from podproof.model.state import Phase, UpdatePodOptions, UpdateType
from podproof.model.sync_loop import DELETED
"""


def read_in(file: Path) -> tuple[str, ...]:
    """The functions of a Go file that are read, if it is not that of the pod workers. Raises CheckerError."""
    if functions := modelled_in(file):
        return functions
    source = file.read_text(encoding="utf-8", errors="replace")
    return handlers_in(source) if POD_WORKERS.search(source) is None else ()


def handlers_in(source: str) -> tuple[str, ...]:
    """The handlers that a Go file has."""
    return tuple(name for name in HANDLERS if re.search(rf"(?m)^func \(\w+ \*Kubelet\) {name}\(", source))


@dataclass(frozen=True)
class TranslatedHandlers:
    """What some handlers of a Go file became."""

    file: GoFile
    names: tuple[str, ...]
    cls: type
    """The environment `sync loop`, with these in the place of its own."""
    text: str
    unread: Mapping[str, tuple[tuple[str, int], ...]]
    """For each what is decided beyond the bounds, and what never runs within them, with its line."""
    gates: tuple[str, ...]
    """The feature gates that they ask for, and what is taken for them."""
    several: tuple[str, ...]
    """Those that may call UpdatePod more than once for one event."""

    def unread_fingerprint(self, name: str) -> str:
        return hashlib.sha256("\x00".join(said for said, _ in self.unread[name]).encode()).hexdigest()[:16]


def handlers_with(names: Collection[str]) -> tuple[str, ...]:
    """These handlers and those that are translated with them: deletePod is a part of HandlePodRemoves."""
    wanted = {*names, *(name for both in _PARTS if not both.isdisjoint(names) for name in both)}
    return tuple(name for name in HANDLERS if name in wanted)


def translate_handlers(source: str, path: Path, names: Collection[str], base: type, release: str) -> TranslatedHandlers:
    """Some handlers of a Go file as methods of a release's sync loop. Raises CheckerError for what is not read."""
    wanted, file = _with_parts(source, path, names)
    for name in sorted(wanted, key=lambda one: one not in _OF_ONE_POD):
        if f"Kubelet.{name}" not in file.functions:
            _refuse_missing(file, name, wanted)
    check_imports(file, _IMPORTS)
    methods, unread, several, gates = (
        list[str](),
        dict[str, tuple[tuple[str, int], ...]](),
        list[str](),
        dict[str, None](),
    )
    for name in wanted:
        function = file.functions[f"Kubelet.{name}"]
        if function.receiver_name != "kl":
            file.refuse(function.node, f"the Kubelet is called {function.receiver_name!r} here", "call it kl")
        bounded: set[Node] = set()
        for way in HANDLERS[name]:
            translation = HandlerTranslation(file, function, name, way, base, release, bounded)
            lines = translation.handled()
            gates.update(translation.gates)
            parameters = "uid: int, admitted: bool" if way.asks else "uid: int"
            made = _method(f"{way.method}(self, {parameters}) -> {translation.answers}", lines, function, file)
            methods.append(made)
            body = ast.parse(f"class _:\n{made}").body
            if most_calls(body, CALLS) > 1:
                several.append(name)
            if way.asks:
                if most_calls(body, (ASK,)) > 1 or not asks_at_first(body):
                    what = "AddPod of the allocation manager is called twice, or after something else was done"
                    file.refuse(function.node, what, "ask once for each pod, and first")
                methods.append(
                    _method(f"{way.asks}(self, uid: int) -> bool", tuple(whether_asked(lines)), function, file)
                )
        unread[name] = tuple((" ".join(tokens(node)), node.start_point[0] + 1) for node in outermost(bounded))
    made = (
        f'"""Translated from {file.name}, sha256 {file.digest[:16]}."""\n'
        f"{_HEADER}from {base.__module__} import {base.__name__}\n\n"
        f'class TranslatedHandlers({base.__name__}):\n    """{", ".join(wanted)} of the file."""\n\n'
        + "\n".join(methods)
    )
    cls = class_of(file, made, "TranslatedHandlers", base.__name__, f" {' '.join(wanted)} {base.__name__}")
    return TranslatedHandlers(file, wanted, cls, made, unread, tuple(gates), tuple(dict.fromkeys(several)))


def _with_parts(source: str, path: Path, names: Collection[str]) -> tuple[tuple[str, ...], GoFile]:
    """These handlers, and what they call that is about one pod; the file, of which only these are looked at."""
    wanted = handlers_with(names)
    while True:
        file = parse(source.encode(), path, wanted)
        more = handlers_with({*wanted, *(name for name in _OF_ONE_POD if next(_calls_of(file, name), None))})
        if more == wanted:
            return wanted, file
        wanted = more


def _calls_of(file: GoFile, name: str) -> Iterator[Node]:
    for function in file.functions.values():
        for call in inside(function.body, "call_expression"):
            if text(part_of(call, "function")) == f"kl.{name}":
                yield call


def _refuse_missing(file: GoFile, name: str, wanted: Collection[str]) -> NoReturn:
    """Say of a handler that a file lacks why it has to have it."""
    others = [one for both in _PARTS if name in both for one in both if one != name and one in wanted]
    if (call := next(_calls_of(file, name), None)) is not None:
        what = (
            f"kl.{name} is called, and this file has no method {name} of Kubelet, so nothing is known of what it does"
        )
        file.refuse(call, what, f"put {name} and {others[0]} into this file, or write the change as a proposal")
    what = f"there is no method {name} of Kubelet, which is read together with {' and '.join(others)}"
    file.refuse(file.root, what if others else f"there is no method {name} of Kubelet", "put it into this file")


def _method(head: str, lines: Sequence[TranslatedLine], function: GoFunction, file: GoFile) -> str:
    places = "\n".join(f"{'    ' * (line.depth + 1)}{line.text}  # {file.name}:{line.go}" for line in lines)
    return f"    def {head}:  # {function.name} {file.name}:{function.line}\n{places}\n"


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

    def __init__(
        self, file: GoFile, function: GoFunction, name: str, way: Way, base: type, release: str, bounded: set[Node]
    ) -> None:
        given, result = _OF_ONE_POD.get(name, ((("[]*v1.Pod", "self", "pods"),), ("", "")))
        self.answers = "bool" if result[0] else "None"
        modelled = ModelledFunction(name, "", way.method, "handlers.vocabulary", given, result, _GATES, "", BOUNDS)
        super().__init__(file, function, modelled, vocabulary_of(modelled), base, release)
        self.way = way
        self.bounded = bounded
        self.is_bound = False
        """Does what is read now hold only within the bounds?"""
        self.bound_names: set[str] = set()
        self.in_body = name in _OF_ONE_POD
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
        return super().ways(ways, tag, scope, depth, after, in_loop)

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
        self.is_bound = False
        super().declare(node, scope, depth)

    def kept(self, name: str, value: Meaning, depth: int, node: Node) -> Meaning:
        """What is always the same, and stays, is no variable."""
        if value.kind == "bool" and value.text in ("True", "False") and not self.is_set(name):
            if self.is_bound:
                self.bound_names.add(name)
                given = node.child_by_field_name("right") or node.child_by_field_name("value")
                self.bounded.update(one for one in expressions(given) if one.type != "call_expression")
            return value
        if value.kind == "error":
            kept = super().kept(name, Meaning(value.text, "bool"), depth, node)
            return Meaning(kept.text, "error")
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
        for options in inside(call, "composite_literal") if text(part_of(call, "function")) == _CALL else ():
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
        """UpdatePodOptions without kill options."""
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
                case "MirrorPod", "mirror" | "its_mirror" | "nil":
                    given["mirror_pod"] = "0" if found is None else found.text
                case "UpdateType", "update_type":
                    given["update_type"] = "" if found is None else found.text
                case "StartTime", "time":
                    pass
                case _:
                    self.refuse(element, "the model has no such option of these callers", "leave it out")
        if not all(given.values()):
            self.refuse(node, "Pod and UpdateType are not both given", "give them")
        told = ", ".join(f"{name}={value}" for name, value in given.items())
        return Meaning(f"UpdatePodOptions(present=True, {told})", "options")
