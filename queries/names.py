"""The functions, fields and types of the model, found by their names there or in Go."""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from enum import Enum
from functools import lru_cache
from pathlib import Path
from types import FunctionType
from typing import get_args

from podproof.model.language import Absent, hints_of
from podproof.model.notes import Go, field_name, names_of, note_of
from podproof.model.versions import Version
from podproof.queries.versions import DEFAULT_VERSION, VERSIONS

ABOUT: Mapping[str, str] = {
    "versions": "the releases of the kubelet that are modelled",
    "scenarios": "what may happen in a search, and how often",
    "properties": "the claims",
    "actions": "what can happen in a scenario; --scenario and --version say in which",
    "fields": "what the states of a scenario consist of, likewise",
    "functions": "the functions of a release (--version) by their Go names",
    "names": "every name that can be explained",
}
"""The lists that `podproof explain` has, and what is in each."""
SCHEMA = "schema"


@dataclass(frozen=True)
class Definition:
    """A function, a field or a type, as one class of the model defines it."""

    kind: str
    owner: type
    name: str
    go: tuple[Go, ...] = ()
    """Its names in Go, the newest first; none for a part of the model that Go has no name for."""

    @property
    def file(self) -> Path:
        return Path(inspect.getsourcefile(self.owner) or "")

    @property
    def names(self) -> set[str]:
        """What it may be asked for as."""
        return {self.name, *(name.name for name in self.go)}

    def is_all_of(self, asked: str) -> bool:
        """Is it called so here and in Go, and not a part of what Go calls so?"""
        return plain(self.name) == plain(asked) and any(go.name == asked and not go.part for go in self.go)

    def lines(self) -> tuple[int, list[str]]:
        """Its source in the model, and the number of the first line."""
        lines, start = inspect.getsourcelines(self.owner)
        if self.kind == "type":
            return start, lines
        (body,) = ast.parse(textwrap.dedent("".join(lines))).body
        assert isinstance(body, ast.ClassDef)
        at = next(i for i, node in enumerate(body.body) if _name(node) == self.name)
        node, following = body.body[at], body.body[at + 1 : at + 2]
        first = min([node.lineno, *(d.lineno for d in getattr(node, "decorator_list", ()))])
        is_told = self.kind == "field" and any(isinstance(text, ast.Expr) for text in following)
        last = (following[0] if is_told else node).end_lineno or first
        return start + first - 1, lines[first - 1 : last]


@lru_cache
def definitions(version: Version) -> Mapping[tuple[str, str], Definition]:
    """What a version has, by the part that it is of, a record or a layer around the pod worker, and its name."""
    found: dict[tuple[str, str], Definition | None] = {}
    models = (version.cls, version.cls.kubelet, version.cls.open)
    of_the_worker = {cls for model in models for cls in model.__mro__}
    for part, model in (*(("", model) for model in models), *_layers(version.cls)):
        for cls in model.__mro__[:-1]:
            if part and cls in of_the_worker:
                continue
            for name, thing in vars(cls).items():
                if isinstance(thing, Absent):
                    found.setdefault((part, name), None)
            for definition in _parts(cls):
                found.setdefault((part, definition.name), definition)
    for record in (record for model in models[1:] for record in _types(model)):
        found.setdefault(("", record.__name__), Definition("type", record, record.__name__))
        for definition in _parts(record) if is_dataclass(record) else ():
            found.setdefault((record.__name__, definition.name), definition)
    return {key: definition for key, definition in found.items() if definition is not None}


def names_in(version: Version, definition: Definition) -> list[Go]:
    """What a version calls it in Go. One that is no release calls it as its release does."""
    if not version.covers:
        return names_in(VERSIONS[version.based_on], definition)
    return [
        name
        for name in definition.go
        if not (name.since and version.is_before(name.since)) and not (name.until and version.is_after(name.until))
    ]


def find(asked: str, *own: Version) -> Mapping[Definition, list[str]]:
    """What has this name, however it is written, and in which versions; all of a Go function before parts of it.

    Among these, what a version of one's `own` has comes first, and then what the default version has.
    """
    found: dict[Definition, list[str]] = {}
    for version in (*own, *sorted(VERSIONS.values(), key=lambda version: version.name != DEFAULT_VERSION)):
        for definition in definitions(version).values():
            if plain(asked) in map(plain, definition.names):
                found.setdefault(definition, []).append(version.name)
    return dict(sorted(found.items(), key=lambda item: not item[0].is_all_of(asked)))


def known_names(*own: Version) -> dict[str, str]:
    """Every name that can be asked for, with the kind of what it names."""
    every = [definition for version in (*own, *VERSIONS.values()) for definition in definitions(version).values()]
    return {name: definition.kind for definition in every for name in sorted(definition.names)}


def _parts(cls: type) -> Iterator[Definition]:
    """The functions and fields that a class itself defines."""
    for name, thing in vars(cls).items():
        if isinstance(thing, FunctionType) and not name.startswith("__"):
            said = (names_of(vars(part).get(name)) for part in cls.__mro__)
            yield Definition("function", cls, name, next((names for names in said if names), ()))
    own = {field.name for field in fields(cls)} & inspect.get_annotations(cls).keys() if is_dataclass(cls) else ()
    for name in own:
        notes = getattr(hints_of(cls)[name], "__metadata__", ())
        said_of_field = note_of(notes, Go) or Go()
        yield Definition("field", cls, name, (said_of_field._replace(name=field_name(name, notes)),))


def _layers(cls: type) -> Iterator[tuple[str, type]]:
    """The classes that a class names as its parts, and theirs, with the names of the attributes."""
    for name in dir(cls):
        part = getattr(cls, name, None)
        if isinstance(part, type) and not name.startswith("__"):
            yield name, part
            yield from _layers(part)


def _types(cls: type) -> Iterator[type]:
    """The records and enumerations among the fields of a record, however deep."""
    for hint in hints_of(cls).values():
        while arguments := get_args(hint):
            hint = arguments[0]
        if isinstance(hint, type) and (is_dataclass(hint) or issubclass(hint, Enum)):
            yield hint
            if is_dataclass(hint):
                yield from _types(hint)


def _name(node: ast.stmt) -> str:
    if isinstance(node, ast.FunctionDef):
        return node.name
    return node.target.id if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) else ""


def plain(name: str) -> str:
    """What Go's way of writing a name and the model's have in common."""
    return name.replace("_", "").lower()
