"""Functions that are to be translated: what their parameters are."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from functools import cache, cached_property
from types import ModuleType
from typing import Any, NamedTuple

import numpy as np


class Kind(NamedTuple):
    """What a parameter is: a number, or an array with so many dimensions whose elements are stored as `dtype`."""

    number: str
    """The type of a value: I64, U64 or bool."""
    dimensions: int = 0
    dtype: Any = None

    @property
    def element(self) -> str:
        """LLVM's type for what is stored."""
        return f"i{8 * np.dtype(self.dtype).itemsize}"


KINDS: Mapping[str, Kind] = {
    "I64": Kind("I64"),
    "U64": Kind("U64"),
    "bool": Kind("bool"),
    "Words": Kind("I64", 1, np.int64),
    "Rows": Kind("I64", 2, np.int64),
    "Hashes": Kind("U64", 1, np.uint64),
    "Indices": Kind("I64", 1, np.uint32),
    "Numbers": Kind("I64", 1, np.int32),
    "Flags": Kind("I64", 1, np.uint8),
}


class Routine:
    """A function to be translated. One that is not exported is put in place where it is called."""

    def __init__(self, function: Callable[..., Any], exported: bool) -> None:
        self.function, self.exported = function, exported
        self.name = function.__name__

    def __call__(self, *arguments: Any) -> Any:
        """The function as Python runs it, slowly and on numbers that do not wrap around."""
        return self.function(*arguments)

    @cached_property
    def definition(self) -> ast.FunctionDef:
        """The function as Python reads it."""
        found = _definitions(inspect.getmodule(self.function)).get(self.function.__code__.co_firstlineno)
        if found is None or found.name != self.name:
            raise NotImplementedError(f"{self}: only functions of a file that are in no other are understood")
        return found

    @cached_property
    def parameters(self) -> Mapping[str, Mapping[str, Kind]]:
        """For each parameter its parts by their paths: itself, or the fields of a record."""
        names = self.definition.args
        if names.posonlyargs or names.kwonlyargs or names.vararg or names.kwarg or names.defaults:
            raise NotImplementedError(f"{self}: only plain parameters without default values are understood")
        return {name.arg: self._parts(name.arg) for name in names.args}

    def _parts(self, name: str) -> dict[str, Kind]:
        annotation = str(self.function.__annotations__.get(name))
        if annotation in KINDS:
            return {name: KINDS[annotation]}
        fields = _fields(self.function.__globals__.get(annotation))
        kinds = {own: KINDS.get(getattr(text, "__forward_arg__", text)) for own, text in fields.items()}
        found = {f"{name}.{own}": kind for own, kind in kinds.items() if kind is not None}
        if not found or len(found) < len(kinds):
            raise NotImplementedError(f"{self}: parameter {name!r} has the annotation {annotation!r}")
        return found

    def __str__(self) -> str:
        return f"{self.function.__module__}.{self.name}, line {self.function.__code__.co_firstlineno}"

    @cached_property
    def parts(self) -> Mapping[str, Kind]:
        """All parts of all parameters, in order."""
        return {path: kind for parts in self.parameters.values() for path, kind in parts.items()}

    @property
    def answer(self) -> str:
        """The type of the result, or "None"."""
        found = self.function.__annotations__.get("return")
        if found not in ("I64", "U64", "bool", "None"):
            raise NotImplementedError(f"{self}: the result has the annotation {found!r}")
        return str(found)


def _fields(record: Any) -> Mapping[str, Any]:
    """The annotations of a NamedTuple; none of anything else."""
    return getattr(record, "__annotations__", {}) if isinstance(record, type) and issubclass(record, tuple) else {}


@cache
def _definitions(module: ModuleType) -> dict[int, ast.FunctionDef]:
    """The functions of a file by their first lines, which are those of their decorators."""
    found = [node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.FunctionDef)]
    return {min([node.lineno, *(part.lineno for part in node.decorator_list)]): node for node in found}


# -- what loops may call besides each other, and Python may not --------------------------------------------------------


def address(array: Any, row: int = 0) -> int:
    """The address of an array of words, or of a row of one."""
    raise NotImplementedError("only for loops")


def prefetch(array: Any, index: int) -> None:
    """Have an element brought into the cache before it is needed; changes nothing, so Python does not do it."""


def call(function: int, *arguments: int) -> int:
    """Call a function of a generated module by its address."""
    raise NotImplementedError("only for loops")
