"""The source of model functions, and how an error in it is reported."""

from __future__ import annotations

import ast
import builtins
import difflib
import functools
import inspect
import linecache
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any, NoReturn

from podproof.checker.core.classes import is_of_language
from podproof.checker.core.graph import Line
from podproof.checker.core.places import short_path
from podproof.checker.core.system import ModelError
from podproof.checker.lowering.grammar import check


@dataclass(frozen=True, eq=False)
class Source:
    """A function with its syntax tree; `file` is the path as Python knows it."""

    function: Callable[..., Any]
    tree: ast.FunctionDef
    file: str

    @property
    def name(self) -> str:
        return self.function.__qualname__

    def line(self, at: ast.AST) -> Line:
        return _line(self.file, getattr(at, "lineno", self.tree.lineno))

    def refuse(self, at: ast.AST, what: str, instead: str) -> NoReturn:
        """Raise the error for a place outside the model language: where, what was found, what to do, the line."""
        line = self.line(at)
        text = linecache.getline(self.file, line.number).strip()
        raise ModelError(f"{line}: {what}; {instead}\n    {text}")


@functools.cache
def _line(file: str, number: int) -> Line:
    return Line(short_path(file), number)


@functools.cache
def source_of(function: Callable[..., Any]) -> Source:
    """The source of the function that runs; raises ModelError when there is none, or it leaves the model language."""
    if not inspect.isfunction(function):
        raise _unreadable(function, "it is no function written in Python")
    code = function.__code__
    file, first = code.co_filename, code.co_firstlineno
    linecache.checkcache(file)
    text = "".join(linecache.getlines(file, function.__globals__))
    if not text:
        raise _unreadable(function, "could not get source code")
    if code.co_name == "<lambda>":
        where = Line(short_path(file), first)
        raise ModelError(
            f"{where}: `lambda` is outside the model language; use `def`\n    {text.splitlines()[first - 1].strip()}"
        )
    try:
        tree, codes = _definitions(text).get(first), _codes(text)
    except SyntaxError as error:
        raise _unreadable(function, f"{Line(short_path(file), error.lineno or 1)} has changed: {error.msg}") from error
    if tree is None:
        raise _unreadable(function, f"{Line(short_path(file), first)} has changed: no function begins there")
    source = Source(function, tree, file)  # type: ignore[arg-type]
    if not isinstance(tree, ast.FunctionDef):
        source.refuse(tree, f"`{function.__name__}` is no plain function", "define it with `def`")
    if codes.get((first, code.co_name)) != code:
        source.refuse(tree, f"`{source.name}` does not run what stands here", "leave its code as its file has it")
    if getattr(function, "__builtins__", None) is not vars(builtins):
        source.refuse(tree, f"`{source.name}` has builtins of its own", "leave `__builtins__` alone")
    if len(function.__defaults__ or ()) > code.co_argcount:
        source.refuse(tree, f"`{source.name}` has more defaults than parameters", "leave `__defaults__` alone")
    if set(code.co_freevars) - {"__class__"}:
        source.refuse(tree, f"`{source.name}` is a nested function", "define it at the top of the module")
    if hasattr(function, "__wrapped__"):
        source.refuse(tree, f"`{source.name}` says that it wraps another function", "leave `__wrapped__` out")
    check(tree, source.refuse)
    return source


def _unreadable(function: Callable[..., Any], why: str) -> ModelError:
    name = getattr(function, "__qualname__", repr(function))
    return ModelError(f"{name}: its source cannot be read ({why}); models are written in files")


@functools.cache
def _definitions(text: str) -> Mapping[int, ast.stmt]:
    """Every function of a file, by the line of its first decorator or else its own. A file is parsed once for all."""
    found: dict[int, ast.stmt] = {}
    pending: list[ast.AST] = [ast.parse(text)]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            found[min([node.lineno, *(d.lineno for d in node.decorator_list)])] = node
        for block in ("body", "orelse", "handlers", "finalbody", "cases"):
            pending += getattr(node, block, ())
    return found


@functools.cache
def _codes(text: str) -> Mapping[tuple[int, str], CodeType]:
    """What Python makes of the functions of a file, by their first lines and names."""
    found: dict[tuple[int, str], CodeType] = {}
    pending = [compile(text, "", "exec", dont_inherit=True)]
    while pending:
        code = pending.pop()
        found[code.co_firstlineno, code.co_name] = code
        pending += (constant for constant in code.co_consts if isinstance(constant, CodeType))
    return found


REQUIRED = inspect.Parameter.empty
"""Stands for the default of a parameter that has none."""


@functools.cache
def parameters_of(function: Callable[..., Any]) -> Mapping[str, Any]:
    """The parameters of a function with their defaults, as a call of it reads them."""
    code, defaults = function.__code__, function.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    return dict(zip(names, (*[REQUIRED] * (len(names) - len(defaults)), *defaults), strict=True))


def word_of(function: Callable[..., Any]) -> str | None:
    """The word of the model language that a function is; None for any other, whatever it says of itself."""
    return vars(function).get("__podproof__") if is_of_language(function) else None


text_of = functools.cache(ast.unparse)
"""The text of an expression, which is asked for each time that it is lowered."""


def suggestion(name: str, known: Iterable[str], otherwise: str = "") -> str:
    """The end of an error about an unknown name: the nearest known ones, else `otherwise` or what is known."""
    known = sorted(known)
    near = difflib.get_close_matches(name, known, n=1) or [k for k in known if name and name in k][:3]
    if near:
        return f"did you mean {' or '.join(map(repr, near))}?"
    if otherwise:
        return otherwise
    if len(known) > MOST_NAMES:
        return f"there are {', '.join(known[:MOST_NAMES])} and {len(known) - MOST_NAMES} more"
    return f"there are {', '.join(known)}"


MOST_NAMES = 20
