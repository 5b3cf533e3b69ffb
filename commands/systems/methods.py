"""The model's methods under their Go names, with the one that really runs in a version."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from podproof.checker.core.system import CheckerError
from podproof.checker.lowering.source import Source, source_of, suggestion
from podproof.commands.systems.go_releases import EARLIER, earlier, lacks
from podproof.model.state import KillPodOptions, Pod, PodSyncStatus, UpdatePodOptions
from podproof.reports.pictures.gonames import FIELDS, export_name, unexport_name

_GO = re.compile(r"Go: (?:the )?(?:\w+\.)?(\w+)")


@dataclass(frozen=True)
class Method:
    """A method as a model class has it: the first class of its line of ancestors that defines the name."""

    cls: type
    owner: type
    name: str

    @property
    def source(self) -> Source:
        return source_of(vars(self.owner)[self.name])

    @property
    def go_name(self) -> str:
        """Upstream's name in this release where a table or a docstring says it, else the name in Go's manner."""
        before = earlier(self.cls, self.name)
        if before is not None and before.name:
            return before.name
        found = _go_name(self.cls, self.name)
        return found if found is not None and _plain(found) == _plain(self.name) else unexport_name(self.name)

    @property
    def is_go_function(self) -> bool:
        """Is it a function in Go too, in this release, and not a part of one?"""
        before = earlier(self.cls, self.name)
        if before is not None and not before.name:
            return self.is_action
        return _go_name(self.cls, self.name) is not None or self.is_action

    @property
    def is_action(self) -> bool:
        return any(hasattr(vars(part).get(self.name), "__action__") for part in self.cls.__mro__)

    @property
    def home(self) -> type:
        """The class that introduced the name; what overrides it belongs there too."""
        return [part for part in self.cls.__mro__ if self.name in vars(part)][-1]

    def next(self) -> Method:
        """What `super()` calls in it."""
        line = self.cls.__mro__[self.cls.__mro__.index(self.owner) + 1 :]
        return Method(self.cls, next(part for part in line if self.name in vars(part)), self.name)


def lookup(cls: type, name: str) -> Method | None:
    """The method of this name that runs; None where there is none with a source."""
    for owner in cls.__mro__:
        if name in vars(owner):
            return Method(cls, owner, name) if _is_model_function(vars(owner)[name]) else None
    return None


def method_of(cls: type, asked: str) -> Method:
    """The method that a user means by its name in the model or in Go. Raises CheckerError."""
    _refuse_later(cls, asked)
    methods = [method for name in dir(cls) if (method := lookup(cls, name)) is not None]
    exact = [m for m in methods if asked in (m.name, m.go_name)]
    near = exact or [m for m in methods if _plain(asked) == _plain(m.name)]
    near = near or [m for m in methods if _plain(asked) == _plain(_go_name(cls, m.name) or "")]
    if not near:
        known = sorted({name for m in methods for name in (m.name, m.go_name)})
        raise CheckerError(
            f"--action: {cls.__mro__[0].__name__} has no method or action {asked!r}; "
            f"{suggestion(asked, known, 'see `podproof list actions`, or take a name from pod_workers.go')}"
        )
    return near[0]


def _refuse_later(cls: type, asked: str) -> None:
    """Raise CheckerError where a user means a function that came with a later release."""
    for name in dir(cls):
        names = {name, EARLIER[name].name} if name in EARLIER else {name}
        release = lacks(cls, name)
        if release is not None and _plain(asked) in map(_plain, names):
            raise CheckerError(
                f"--action: this release has no {asked!r}, which came in kubelet {release}; "
                "choose a newer --version (see `podproof list versions`)"
            )


def field_names() -> Mapping[str, str]:
    """The Go names of the fields of the exported types, and those that differ; any other is in Go's manner."""
    inside = {field.name for field in fields(PodSyncStatus)}
    outside = {field.name for cls in (UpdatePodOptions, KillPodOptions, Pod) for field in fields(cls)}
    return {**{name: export_name(name) for name in outside - inside}, **FIELDS}


def status_method(name: str) -> str | None:
    """The Go name of a method of podSyncStatus: the one in its docstring; those that ask begin with a capital."""
    found = _GO.search(getattr(vars(PodSyncStatus).get(name), "__doc__", None) or "")
    return found[1] if found is not None else export_name(name) if name.startswith("is_") else None


def _is_model_function(thing: Any) -> bool:
    """Is it written in a file, and not made by `dataclass`?"""
    return inspect.isfunction(thing) and not thing.__name__.startswith("__") and thing.__code__.co_filename[0] != "<"


def _go_name(cls: type, name: str) -> str | None:
    """What the docstring of a method, or of one that it overrides, says of its name in Go."""
    for part in cls.__mro__:
        found = _GO.search(getattr(vars(part).get(name), "__doc__", None) or "")
        if found is not None:
            return found[1]
    return None


def _plain(name: str) -> str:
    return name.replace("_", "").lower()
