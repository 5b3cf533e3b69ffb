"""Mutants: a function of a model with one place changed, put into its class for a while."""

from __future__ import annotations

import ast
import inspect
import linecache
import os
import types
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from podproof.checker.adequacy.operators import Edit, edited, edits
from podproof.checker.core.graph import Line
from podproof.checker.core.printer import place_of
from podproof.checker.core.system import ModelError
from podproof.checker.lowering.source import Source, source_of


@dataclass(frozen=True)
class Mutant:
    """One place of one function changed."""

    owner: type | types.ModuleType
    """The class, or module, whose text has the function."""
    name: str
    edit: Edit
    is_vocabulary: bool
    """Is it a method of a record, which claims use as a word? They are read with the word as it was."""

    @property
    def key(self) -> str:
        """The same text of a function gives the same keys, and no two of one place are alike."""
        edit = self.edit
        return f"{self.function}:{edit.line}:{edit.column} {edit.operator}: {edit.before} → {edit.after}"

    @property
    def function(self) -> str:
        return self.name if inspect.ismodule(self.owner) else f"{self.owner.__name__}.{self.name}"

    @cached_property
    def source(self) -> Source:
        return source_of(vars(self.owner)[self.name])

    @cached_property
    def lines(self) -> frozenset[Line]:
        """The lines of the function."""
        tree = self.source.tree
        first = min([tree.lineno, *(d.lineno for d in tree.decorator_list)])
        numbers = range(first, (tree.end_lineno or first) + 1)
        return frozenset(Line(*place_of(self.source.file, number)) for number in numbers)

    @property
    def line(self) -> Line:
        return Line(*place_of(self.source.file, self.edit.line))

    @cached_property
    def mutated(self) -> Callable[..., Any]:
        """The changed function, which reads the names of the original one. Raises ModelError where it is no Python."""
        original: Any = self.source.function
        first = original.__code__.co_firstlineno
        text = edited(self.source, self.edit)
        # The same path in other letters: `inspect` and the lowering find these lines under it, and reports the file's.
        file = os.path.join(os.path.dirname(self.source.file) or ".", ".", os.path.basename(self.source.file))
        indent = " " * (len(text) - len(text.lstrip(" ")))
        head = [f"class {self.owner.__name__}:\n"] if indent else []
        before = ["from __future__ import annotations\n", *head]
        whole = "".join(before) + "\n" * (first - 1 - len(before)) + text
        linecache.cache[file] = (len(whole), None, whole.splitlines(keepends=True), file)
        try:
            code = _code(compile(whole, file, "exec", dont_inherit=True), self.name)
        except SyntaxError as error:
            raise ModelError(f"{self.line}: {error.msg}; a mutation makes no Python of it") from error
        closure = original.__closure__ if code.co_freevars else None
        made = types.FunctionType(code, original.__globals__, self.name, original.__defaults__, closure)
        made.__dict__.update(original.__dict__)
        made.__annotations__ = original.__annotations__
        made.__qualname__, made.__module__, made.__doc__ = original.__qualname__, original.__module__, original.__doc__
        return made

    @contextmanager
    def planted(self) -> Iterator[None]:
        """While this is open the class has the changed function."""
        original, changed = vars(self.owner)[self.name], self.mutated
        setattr(self.owner, self.name, changed)
        try:
            yield
        finally:
            setattr(self.owner, self.name, original)

    @contextmanager
    def as_claims_read(self) -> Iterator[None]:
        """While this is open claims can be read or asked."""
        if self.is_vocabulary:
            yield
        else:
            with self.planted():
                yield


def _code(module: types.CodeType, name: str) -> types.CodeType:
    pending = [module]
    while pending:
        code = pending.pop()
        if code.co_name == name:
            return code
        pending += (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    raise ModelError(f"no function {name!r} is left")


def mutants_of(
    classes: Sequence[type], records: Sequence[type], modules: Sequence[types.ModuleType] = ()
) -> Iterator[Mutant]:
    """Every mutant of the functions of these classes, the overriding ones first, of these records and modules.

    What is overridden by a method that does not ask for it with `super()` is no part of the model.
    """
    hidden = set[str]()
    owners: tuple[type | types.ModuleType, ...] = (*classes, *records, *modules)
    for owner in owners:
        for name, function in vars(owner).items():
            if name.startswith("__") or (name in hidden and owner in classes):
                continue
            if owner in modules and getattr(function, "__module__", "") != owner.__name__:
                continue
            if inspect.isfunction(function):
                source = source_of(function)
                if not hasattr(function, "__action__"):
                    yield from (Mutant(owner, name, edit, owner in records) for edit in edits(source))
                asks = any(isinstance(node, ast.Name) and node.id == "super" for node in ast.walk(source.tree))
                if not asks:
                    hidden.add(name)
            else:
                hidden.add(name)
