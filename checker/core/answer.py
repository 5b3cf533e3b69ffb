"""What a query finds is declared once: an `AnswerPart` is the data of a document, its JSON Schema, and what reads it.

A field's name is in JSON the same in camelCase; its docstring is the description in the schema.
"""

from __future__ import annotations

import ast
import functools
import inspect
import itertools
import json
from collections.abc import Iterator, Sequence
from textwrap import dedent
from typing import Annotated, Any, Literal, TypeVar

import msgspec

DRAFT = "https://json-schema.org/draft/2020-12/schema"
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


Kind = TypeVar("Kind", bound=AnswerPart)


def encoded(answer: AnswerPart) -> dict[str, Any]:
    """The data of a document, as JSON has it."""
    data: dict[str, Any] = msgspec.to_builtins(answer)
    return data


def decoded(data: Any, answer: type[Kind]) -> Kind:
    """What data says that follows `schema_of(answer)`. Raises msgspec.ValidationError for other data."""
    return msgspec.convert(data, answer)


@functools.cache
def schema_of(answer: type[AnswerPart]) -> str:
    """The JSON Schema of one answer, or of a part that has documents of its own."""
    reference = {"$ref": f"#/$defs/{_small(answer.__name__)}"}
    return json.dumps({"$schema": DRAFT, **reference, "$defs": definitions([answer])})


def definitions(answers: Sequence[type[AnswerPart]]) -> dict[str, Any]:
    """The JSON Schema of each of these and of all that is in them, by the name of its type from a small letter on."""
    _, found = msgspec.json.schema_components(answers, ref_template="#/$defs/{name}")
    for part in _subtypes(AnswerPart):
        if (schema := found.get(part.__name__)) is None:
            continue
        for key, text in _descriptions(part).items():
            schema["properties"][key] = schema["properties"][key] | {"description": text}
        if not part.__struct_config__.omit_defaults:  # What is not unset is always written.
            left_out = {field.encode_name for field in msgspec.structs.fields(part) if field.default is msgspec.UNSET}
            schema["required"] = [key for key in schema["properties"] if key not in left_out]
    renamed: dict[str, Any] = {_small(name): _relabelled(part) for name, part in found.items()}
    return renamed


def _subtypes(answer: type[AnswerPart]) -> Iterator[type[AnswerPart]]:
    for one in answer.__subclasses__():
        yield one
        yield from _subtypes(one)


def _descriptions(answer: type[AnswerPart]) -> dict[str, str]:
    """The docstrings of the fields, by their names in JSON."""
    if answer is AnswerPart:
        return {}
    found = dict[str, str]()
    for base in answer.__bases__:
        found |= _descriptions(base)
    names = dict(zip(answer.__struct_fields__, answer.__struct_encode_fields__, strict=True))
    (definition,) = ast.parse(dedent(inspect.getsource(answer))).body
    assert isinstance(definition, ast.ClassDef)
    for field, text in itertools.pairwise(definition.body):
        if isinstance(field, ast.AnnAssign) and isinstance(text, ast.Expr) and isinstance(text.value, ast.Constant):
            assert isinstance(field.target, ast.Name)
            found[names[field.target.id]] = " ".join(str(text.value.value).split())
    return found


def _relabelled(part: Any) -> Any:
    """The same with references to the names from a small letter on, and without the titles, which say no more."""
    if isinstance(part, list):
        return [_relabelled(one) for one in part]
    if not isinstance(part, dict):
        return part
    found = {key: _relabelled(value) for key, value in part.items() if key != "title" or not isinstance(value, str)}
    kinds = [one.get("type") for one in found.get("anyOf", ()) if one.keys() == {"type"}]
    if kinds and len(kinds) == len(found["anyOf"]):
        found["type"] = kinds
        del found["anyOf"]
    if isinstance(text := found.get("description"), str):
        found["description"] = " ".join(text.split())
    if isinstance(reference := found.get("$ref"), str):
        found["$ref"] = "#/$defs/" + _small(reference.removeprefix("#/$defs/"))
    return found


def _small(name: str) -> str:
    return name[0].lower() + name[1:]
