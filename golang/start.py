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
_ZEROS = ("false", "0", "nil", '""', "time.Time{}")
_EMPTY = ("{}", "[types.UID]()")
"""How the value of a map ends that has nothing in it, unless it is made."""


def check_start(file: GoFile, fields: Fields) -> None:
    """Refuse a newPodWorkers that makes other workers than those with which the model begins."""
    maker = file.functions.get("newPodWorkers")
    if maker is None:
        return
    for node in inside(maker.body, "go_statement"):
        file.refuse(node, "this goroutine is none that the model knows", "start it outside of the pod workers")
    given = list(_given(maker))
    for name, value in given:
        said = text(unwrapped(value))
        if name in STATE or name in fields.of["podWorkers"]:
            is_empty = said.startswith("make(") or (said.startswith(("map[", "sets.")) and said.endswith(_EMPTY))
            if not is_empty and said not in _ZEROS:
                file.refuse(value, f"`{name}` begins with `{said}`", "the model's workers begin with nothing and zero")
        elif name in _DELAYS and (said != name or name not in maker.parameters):
            file.refuse(value, f"`p.{name}` would be `{said}`", f"the vocabulary has it as the parameter {name}")
        elif name == "workerChannelFn" and said != "nil":
            file.refuse(value, f"`p.{name}` would be `{said}`", "only tests set it")
    made = {name for name, _ in given}
    for name, (_, kind) in STATE.items():
        if made and kind != "bool" and name not in made and name in file.structs["podWorkers"]:
            file.refuse(maker.node, f"newPodWorkers makes no {name}, and Go would panic", f"write `{name}: …` there")


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
