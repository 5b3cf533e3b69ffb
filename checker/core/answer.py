"""What a query finds is declared once: an `AnswerPart` is the data of a document, its JSON Schema, and what reads it.

A field's name is in JSON the same in camelCase; its docstring is the description in the schema.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

__all__ = ["UNSET", "AnswerPart", "Count", "ExitCode", "Seconds", "UnsetType", "definitions", "encoded"]

Count = Annotated[int, msgspec.Meta(ge=0)]
ExitCode = Annotated[
    Literal[0, 1, 4, 130],
    msgspec.Meta(
        description="0: nothing is worse than what is known; 1: something is, a trace does not conform or versions "
        "differ; 4: undecided; 130: interrupted."
    ),
]
Seconds = Annotated[float, msgspec.Meta(ge=0)]


class AnswerPart(msgspec.Struct, frozen=True, rename="camel"):
    """An answer, or a part of one; each class says `frozen=True`. A whole answer has a tag: its document's `kind`."""


def encoded(answer: AnswerPart) -> dict[str, Any]:
    """The data of a document, as JSON has it."""
    data: dict[str, Any] = msgspec.to_builtins(answer)
    return data


def definitions(answers: Sequence[type[AnswerPart]]) -> dict[str, Any]:
    """The JSON Schema of each of these and of all that is in them, by the name of its type from a small letter on."""
    _, found = msgspec.json.schema_components(answers, ref_template="#/$defs/{name}")
    for name, described in ((r.__name__, _descriptions(r)) for r in _subtypes(AnswerPart) if r.__name__ in found):
        for key, text in described.items():
            part = found[name]["properties"][key]
            found[name]["properties"][key] = part | {"description": text}
    renamed: dict[str, Any] = {_small(name): _relabelled(part) for name, part in found.items()}
    return renamed


def _subtypes(answer: type[AnswerPart]) -> Iterator[type[AnswerPart]]:
    for one in answer.__subclasses__():
        yield one
        yield from _subtypes(one)


def _descriptions(answer: type[AnswerPart]) -> dict[str, str]:
    """The docstrings of the fields, by their names in JSON."""
    (definition,) = ast.parse(dedent(inspect.getsource(answer))).body
    assert isinstance(definition, ast.ClassDef)
    names = dict(zip(answer.__struct_fields__, answer.__struct_encode_fields__, strict=True))
    found = {}
    for field, text in zip(definition.body, definition.body[1:], strict=False):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            assert isinstance(field.target, ast.Name)
            found[names[field.target.id]] = inspect.cleandoc(str(text.value.value))
    return found


def _relabelled(part: Any) -> Any:
    """The same with references to the names from a small letter on, and without the titles, which say no more."""
    if isinstance(part, list):
        return [_relabelled(one) for one in part]
    if not isinstance(part, dict):
        return part
    found = {key: _relabelled(value) for key, value in part.items() if key != "title" or not isinstance(value, str)}
    if isinstance(reference := found.get("$ref"), str):
        found["$ref"] = "#/$defs/" + _small(reference.removeprefix("#/$defs/"))
    return found


def _small(name: str) -> str:
    return name[0].lower() + name[1:]
