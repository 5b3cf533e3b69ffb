"""killPodNow, which the model has in the kubelet's surroundings: it asks UpdatePod once to kill the pod it is given.

How long it waits before and after that, and what it returns, is not in the model.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import TYPE_CHECKING

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
    tokens,
    unwrapped,
)

if TYPE_CHECKING:
    from tree_sitter import Node

_TYPES = ("*v1.Pod", "bool", "*int64", "func(*v1.PodStatus)")
_OPTIONS = (
    "Pod:{0}", "UpdateType:kubetypes.SyncPodKill",
    "CompletedCh:{channel}", "Evict:{1}", "PodStatusFunc:{3}", "PodTerminationGracePeriodSecondsOverride:{2}",
)  # fmt: skip
"""What UpdatePod is given, where {0} to {3} are the parameters."""
_BUILTINS = ("min", "max", "int", "int64", "float64", "string")
_HARMLESS = re.compile(
    r"time\.(After|Duration|NewTimer|Now|Since|Sleep|Until)|fmt\.(Errorf|Sprint(f|ln)?)|errors\.(Is|Join|New)"
    r"|klog\.(V\.)?((Info|Warning|Error)(f|ln|S)?|V|KObj|KRef)|context\.WithTimeout"
    r"|(logger|klog\.(Background|FromContext|LoggerWith\w+|TODO))(\.WithValues)?(\.V)?(\.(Info|Error))?"
    r"|metrics\.\w+(\.WithLabelValues)?(\.(Inc|Dec|Add|Set|Observe))?|ptr\.(Deref|Equal|To)"
)
"""Functions that neither call the workers, nor write where a pointer shows, nor panic, nor end the kubelet.

What is given to a function whose result has the next one is left out.
"""
_OWN_PARTS = {
    r"time\.NewTimer\(.*\)": ("C", "Stop"),
    r"context\.WithTimeout\(.*\)": ("Done", "Err"),
    r"time\.(Duration\(\w+\)( \* time\.\w+)?|Since\(\w+\))": ("Seconds", "Minutes", "String"),
}
"""How a local is made -> what may be selected of it."""
_MAKES = re.compile(r"make\((chan [^,()]+(, \d+)?|(map\[|\[\])[^,()]+(, \d+)?)\)")
_GIVEN = ("context.Context", "record.EventRecorder")
"""Types of parameters whose methods do neither."""
_DECLARES = ("short_var_declaration", "var_spec", "receive_statement")
_PARTS = r"\w+|(Spec|Status)\.\w+"
"""What of a pod is no part of what may be nil."""
_PLAIN = ("var_declaration", "short_var_declaration", "assignment_statement", "if_statement", "expression_statement")
_FORBIDDEN = (
    *("for_statement", "go_statement", "labeled_statement", "goto_statement", "index_expression"),
    *("slice_expression", "type_assertion_expression", "send_statement", "inc_statement", "dec_statement"),
)


def _called(function: Node) -> str:
    """The name of a function, without what is given to the functions before it: klog.V(4).Info is klog.V.Info."""
    match function.type:
        case "selector_expression":
            return f"{_called(field(function, 'operand'))}.{text(field(function, 'field'))}"
        case "call_expression":
            return _called(field(function, "function"))
    return text(function)


def _targets(part: Node) -> list[Node]:
    """What a statement declares or sets."""
    return part.children_by_field_name("name") or expressions(part.child_by_field_name("left"))


def check_killer(file: GoFile, function: GoFunction) -> None:
    """Refuse a killPodNow that does anything else to the pod workers, or may fail before it does that."""
    _Killer(file, function).check()


class _Killer:
    def __init__(self, file: GoFile, function: GoFunction) -> None:
        self.file, self.function = file, function
        self.entered: set[str] = set()
        """The functions of the file that it calls, and that were read."""
        self.releases: set[str] = set()
        """Locals that release a context which it made to wait."""

    def refuse(self, at: Node, what: str) -> None:
        self.file.refuse(at, f"killPodNow: {what}", "ask UpdatePod once to kill the pod, with what is given")

    def check(self) -> None:
        body = statements(self.function.body)
        returned = expressions_of_return(body[-1]) if body and body[-1].type == "return_statement" else []
        if len(body) != 1 or len(returned) != 1 or returned[0].type != "func_literal":
            self.refuse(self.function.node, "it is known as one function that it returns")
        inner = literal(self.file, returned[0])
        workers = [name for name, go in self.function.parameters.items() if go == "PodWorkers"]
        if tuple(inner.parameters.values()) != _TYPES or len(workers) != 1:
            self.refuse(inner.node, f"it is known with the parameters {', '.join(_TYPES)}")
        names = list(inner.parameters)
        body = statements(inner.body)
        calls = [number for number, part in enumerate(body) if self.is_update(part, workers[0])]
        uses = [part for part in inside(self.function.body, "identifier") if text(part) == workers[0]]
        if len(calls) != 1 or len(uses) != 1:
            self.refuse(inner.node, f"`{workers[0]}` is asked otherwise than once, by UpdatePod, on every way")
        before, call = body[: calls[0]], body[calls[0]].named_children[0]
        channel = self.channel(before, inner)
        self.check_options(call, names, channel)
        self.check_kept({*names, *self.function.parameters, channel}, inner)
        self.check_releases(inner)
        for part in before:
            waits = any(text(field(unary, "operator")) == "<-" for unary in inside(part, "unary_expression"))
            if part.type not in _PLAIN or waits or any(inside(part, "return_statement", "select_statement")):
                self.refuse(part, "it may wait or return before it calls UpdatePod")
        self.check_body(inner.body, call, [*names, *self.function.parameters], names[0], names[2])

    def check_body(self, body: Node, update: Node, given: Collection[str], pod: str = "", pointer: str = "") -> None:
        """What it does beside that call, or a function of the file that it calls, writes to its own and cannot fail.

        `given` are the parameters; the pod, and the pointer that may be nil, stay what they are.
        """
        for part in inside(body, *_FORBIDDEN):
            self.refuse(part, f"`{text(part)}` is outside what is read of it")
        for part in inside(body, "call_expression"):
            self.check_call(part, update)
        for part in inside(body, "unary_expression", "binary_expression", "assignment_statement"):
            self.check_panic(part, (pod, pointer))
        made = {text(name) for node in inside(body, *_DECLARES) for name in _targets(node)}
        for part in inside(body, "selector_expression"):
            self.check_selector(part, pod, made)
        for part in inside(body, "assignment_statement"):
            for target in _targets(part):
                if text(target) not in {*made, *given, "_"}:
                    self.refuse(target, f"`{text(target)}` is set")

    def check_selector(self, part: Node, pod: str, made: Collection[str]) -> None:
        """Of the pod, fields are selected that are no part of what may be nil, and of a local none."""
        root, whole = text(root_of(part)), text(part)
        if part.parent is None or part.parent.type == "selector_expression":
            return
        if root == pod:
            is_safe = re.fullmatch(f"{pod}\\.({_PARTS})", whole) is not None
        else:
            is_safe = root.isidentifier() and root not in made
        is_safe |= part.parent.type == "call_expression" and _HARMLESS.fullmatch(_called(part)) is not None
        is_safe |= text(field(part, "field")) in self.parts_of(root)
        if not is_safe:
            self.refuse(part, f"`{whole}` may follow a nil")

    def is_update(self, part: Node, workers: str) -> bool:
        call = part.named_children[0] if part.type == "expression_statement" else part
        return call.type == "call_expression" and text(field(call, "function")) == f"{workers}.UpdatePod"

    def channel(self, before: list[Node], inner: GoFunction) -> str:
        """The channel that it waits for; who closes it does not wait for anybody."""
        made = [
            re.fullmatch(r"(\w+):=make\(chanstruct\{\}(?:,1)?\)", "".join(tokens(part)))
            for part in before
            if part.type == "short_var_declaration"
        ]
        names = [found[1] for found in made if found is not None]
        if len(names) != 1:
            self.refuse(inner.node, "which channel it waits for cannot be seen")
        for use in inside(inner.body, "identifier"):
            around = use.parent
            is_received = around is not None and text(around) == f"<-{names[0]}"
            is_given = around is not None and around.type == "literal_element"
            is_made = around is not None and around.type == "expression_list"
            if text(use) == names[0] and not (is_received or is_given or is_made):
                self.refuse(use, f"`{names[0]}` is used otherwise than to wait")
        return names[0]

    def made(self, name: str) -> list[str]:
        """What a local is set to, wherever that is."""
        body, kinds = self.function.body, ("short_var_declaration", "assignment_statement", "var_spec")
        return [
            "".join(map(text, expressions(part.child_by_field_name("right") or part.child_by_field_name("value"))))
            for part in inside(body, *kinds)
            if name in map(text, _targets(part))
        ]

    def parts_of(self, name: str) -> tuple[str, ...]:
        """What may be selected of a local, since it is no pointer, or one that is not nil."""
        made = self.made(name)
        fitting = (parts for how, parts in _OWN_PARTS.items() if all(re.fullmatch(how, value) for value in made))
        return next(fitting, ()) if made else ()

    def check_releases(self, inner: GoFunction) -> None:
        """What is deferred stops a timer, or releases a context that nobody else is given."""
        for part in inside(inner.body, "short_var_declaration"):
            if text(field(part, "right")).startswith("context.WithTimeout("):
                self.releases.add(text(_targets(part)[-1]))
        for part in inside(inner.body, "defer_statement"):
            called = field(part.named_children[0], "function")
            if text(called) not in self.releases and not _called(called).endswith(".Stop"):
                self.refuse(part, f"`{text(part)}` is outside what is read of it")

    def written_out(self, given: Node, call: Node) -> Node:
        """The options, where they were given a name before that is used for nothing else."""
        declared = [
            expressions(field(part, "right"))[0]
            for part in inside(self.function.body, "short_var_declaration")
            if [text(given)] == list(map(text, _targets(part)))
        ]
        uses = sum(text(use) == text(given) for use in inside(self.function.body, "identifier"))
        is_before = declared and declared[0].end_byte < call.start_byte
        return declared[0] if given.type == "identifier" and is_before and uses == 2 else given

    def check_options(self, call: Node, names: list[str], channel: str) -> None:
        given = [self.written_out(unwrapped(part), call) for part in expressions(field(call, "arguments"))]
        keyed = [part for part in inside(given[-1], "keyed_element") if part.named_children] if given else []
        said = {
            "".join(tokens(part)) for part in keyed if "KillPodOptions:&KillPodOptions{" not in "".join(tokens(part))
        }
        wanted = {option.format(*names, channel=channel) for option in _OPTIONS}
        heads = [text(field(part, "type")) for part in inside(given[-1], "composite_literal")] if given else []
        context = [name for name, go in self.function.parameters.items() if go == "context.Context"]
        if (
            heads != ["UpdatePodOptions", "KillPodOptions"]
            or said != wanted
            or len(keyed) != len(wanted) + 1
            or list(map(text, given[:-1])) != context
        ):
            self.refuse(call, "UpdatePod is given something else than the pod, a kill, and the options")

    def check_kept(self, names: set[str], inner: GoFunction) -> None:
        """What it is given, and the channel, stay what they are."""
        kinds = ("assignment_statement", "short_var_declaration", "var_spec", "range_clause", "receive_statement")
        for part in inside(inner.body, *kinds):
            targets = _targets(part)
            is_channel = part.type == "short_var_declaration" and len(targets) == 1 and "make(chan" in text(part)
            for target in targets:
                if target.type != "identifier" or (text(target) in names and not is_channel):
                    self.refuse(part, f"`{text(target)}` is set")
        for part in inside(inner.body, "unary_expression"):
            if text(field(part, "operator")) == "&" and text(field(part, "operand")) in names:
                self.refuse(part, "who is given this address may write there")

    def check_call(self, part: Node, update: Node) -> None:
        called = field(part, "function")
        root = text(called).partition(".")[0]
        is_plain = self.function.parameters.get(root) in _GIVEN or text(called) in _BUILTINS
        is_plain |= _HARMLESS.fullmatch(_called(called)) is not None or _MAKES.fullmatch(text(part)) is not None
        is_plain |= called.type == "selector_expression" and text(field(called, "field")) in self.parts_of(root)
        is_plain |= text(called) in self.releases
        own = self.file.functions.get(text(called))
        is_of_numbers = own is not None and {*own.parameters.values()} <= {"int64", "int", "bool", "time.Duration"}
        if own is not None and is_of_numbers and own.name not in self.entered and part != update:
            self.entered.add(own.name)
            waits = any(text(unary).startswith("<-") for unary in inside(own.body, "unary_expression"))
            if waits or any(inside(own.body, "select_statement")):
                self.refuse(part, f"`{text(part)}` may wait")
            self.check_body(own.body, update, own.parameters)
        elif part != update and not is_plain:
            self.refuse(part, f"what `{text(part)}` does is not known")

    def check_panic(self, part: Node, kept: tuple[str, str]) -> None:
        """A pointer that stays what it is, is followed where it was tested, and nothing is divided by zero."""
        operator, right = text(field(part, "operator")), part.child_by_field_name("right")
        is_checked = operator.removesuffix("=") in ("/", "%", "<<", ">>")
        if is_checked and right is not None and not re.fullmatch(r"[1-9]\d*", text(right)):
            self.refuse(part, f"`{text(part)}` may panic")
        if operator != "*" or part.type != "unary_expression":
            return
        at, tested = part, f"{text(field(part, 'operand'))} != nil"
        stays = text(root_of(field(part, "operand"))) in kept
        while stays and at.parent is not None and at.parent.type != "func_literal":
            within, at = at, at.parent
            if (
                at.type == "if_statement"
                and field(at, "consequence") == within
                and text(field(at, "condition")) == tested
            ):
                return
        self.refuse(part, f"`{text(part)}` may be nil, and Go would panic")
