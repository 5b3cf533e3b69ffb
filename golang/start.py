"""What newPodWorkers makes: the model's workers begin with empty maps, zero, and the delays that they are given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from podproof.golang.fields import Fields
from podproof.golang.syntax import GoFile, GoFunction, expressions, field, inside, text, unwrapped
from podproof.golang.vocabulary import STATE

if TYPE_CHECKING:
    from tree_sitter import Node

_DELAYS = ("resyncInterval", "backOffPeriod")
"""Fields of which the vocabulary knows what they are, as long as they are what newPodWorkers is given."""
_GIVEN = ("podSyncer", "workQueue", "podCache", "clock", "recorder", "allocationManager")
"""Fields that are called: Go would panic if they were nil."""
_ZEROS = ("false", "0", '""', "time.Time{}")
_EMPTY = ("{}", "[types.UID]()")
"""How the value of a map ends that has nothing in it, unless it is made."""


def check_start(file: GoFile, fields: Fields) -> None:
    """Refuse a newPodWorkers that makes other workers than those with which the model begins."""
    maker = file.functions.get("newPodWorkers")
    if maker is None:
        return
    for node in inside(maker.body, "go_statement"):
        file.refuse(node, "this goroutine is none that the model knows", "start it outside of the pod workers")
    _check_shape(file, maker)
    given = list(_given(maker))
    for name, value in given:
        said = text(unwrapped(value))
        if name in STATE or name in fields.of["podWorkers"]:
            is_empty = said.startswith("make(") or (said.startswith(("map[", "sets.")) and said.endswith(_EMPTY))
            is_zero = said in _ZEROS or (said == "nil" and STATE.get(name, ("", "bool"))[1] == "bool")
            if not is_empty and not is_zero:
                file.refuse(value, f"`{name}` begins with `{said}`", "the model's workers begin with nothing and zero")
        elif name in _DELAYS and (said != name or name not in maker.parameters):
            file.refuse(value, f"`p.{name}` would be `{said}`", f"the vocabulary has it as the parameter {name}")
        elif name == "workerChannelFn" and said != "nil":
            file.refuse(value, f"`p.{name}` would be `{said}`", "only tests set it")
        elif name in _GIVEN and said == "nil":
            file.refuse(value, f"`p.{name}` would be nil, and Go would panic", "hand on what newPodWorkers is given")
    made = {name for name, _ in given}
    maps = [name for name, (_, kind) in STATE.items() if kind != "bool"]
    for name in (*maps, *(name for name in (*_GIVEN, *_DELAYS) if _is_used(file, name))):
        if name not in made and name in file.structs["podWorkers"]:
            effect = "it would be zero" if name in _DELAYS else "Go would panic"
            file.refuse(maker.node, f"newPodWorkers makes no {name}, and {effect}", f"write `{name}: …` there")


def _is_used(file: GoFile, name: str) -> bool:
    return any(text(field(part, "field")) == name for part in inside(file.root, "selector_expression"))


def _check_shape(file: GoFile, maker: GoFunction) -> None:
    """The workers are made in this function, of what it is given, and nobody else has them before they are returned."""
    delays = [name for name in maker.parameters if name in _DELAYS]
    if delays != [name for name in _DELAYS if name in delays]:
        file.refuse(maker.node, "the kubelet gives resyncInterval first, then backOffPeriod", "keep their order")
    for node in inside(maker.body, "assignment_statement", "inc_statement", "dec_statement", "unary_expression"):
        targets = expressions(node.child_by_field_name("left") or node.named_children[0])
        is_address = node.type != "unary_expression" or text(field(node, "operator")) == "&"
        for target in targets if is_address else ():
            if text(target) in _DELAYS:
                file.refuse(node, f"`{text(target)}` is not what newPodWorkers is given", "hand on what it is given")
    made = [part for part in inside(maker.body, "composite_literal") if text(field(part, "type")) == "podWorkers"]
    if not made:
        file.refuse(maker.node, "where the workers are made is not seen", "write `&podWorkers{…}` in newPodWorkers")
    names = {"podWorkers"}
    for literal in made:
        around = literal.parent
        while around is not None and around.type in ("unary_expression", "expression_list", "parenthesized_expression"):
            around = around.parent
        assert around is not None
        if around.type == "short_var_declaration":
            names.add(text(field(around, "left")))
        elif around.type not in ("return_statement", "assignment_statement"):
            file.refuse(literal, "what is done with the workers is not followed", "return `&podWorkers{…}`")
    for call in inside(maker.body, "call_expression"):
        parts = (field(call, "function"), *expressions(field(call, "arguments")))
        if any(text(part).lstrip("&*(").partition(".")[0] in names for part in parts):
            file.refuse(call, f"`{text(call)}` may change the workers", "let newPodWorkers make them only")


def _given(maker: GoFunction) -> Iterator[tuple[str, Node]]:
    """The fields of the workers that newPodWorkers sets, in the literal or afterwards, and to what."""
    for literal in inside(maker.body, "composite_literal"):
        for element in inside(literal, "keyed_element") if text(field(literal, "type")) == "podWorkers" else ():
            key, value = (part for part in element.named_children if part.type != "comment")
            yield text(key), value
    for assignment in inside(maker.body, "assignment_statement"):
        left, right = (expressions(field(assignment, side)) for side in ("left", "right"))
        for target, value in zip(left, right, strict=False):
            if target.type == "selector_expression":
                yield text(field(target, "field")), value
            elif target.type == "index_expression":
                yield text(field(target, "operand")).rpartition(".")[2], value
