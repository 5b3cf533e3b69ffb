"""The source of model functions, and how an error in it is reported."""

from __future__ import annotations

import ast
import difflib
import functools
import inspect
import linecache
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, NoReturn

from podproof.checker.graph import Line
from podproof.checker.places import short_path
from podproof.checker.system import ModelError


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
        return Line(short_path(self.file), getattr(at, "lineno", self.tree.lineno))

    def refuse(self, at: ast.AST, what: str, instead: str) -> NoReturn:
        """Raise the error for a place outside the model language: where, what was found, what to do, the line."""
        line = self.line(at)
        text = linecache.getline(self.file, line.number).strip()
        raise ModelError(f"{line}: {what}; {instead}\n    {text}")


@functools.cache
def source_of(function: Callable[..., Any]) -> Source:
    """The source of a function; raises ModelError when there is none."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError) as error:
        name = getattr(function, "__qualname__", repr(function))
        raise ModelError(f"{name}: its source cannot be read ({error}); models are written in files") from error
    file = inspect.getsourcefile(function) or "?"
    if function.__name__ == "<lambda>":
        where = Line(short_path(file), first)
        raise ModelError(f"{where}: `lambda` is outside the model language; use `def`\n    {lines[0].strip()}")
    tree = _parse("".join(lines), first)
    source = Source(function, tree, file)  # type: ignore[arg-type]
    if not isinstance(tree, ast.FunctionDef):
        source.refuse(tree, f"`{function.__name__}` is no plain function", "define it with `def`")
    return source


def _parse(text: str, first: int) -> ast.stmt:
    """The statement that begins on line `first`. A method is parsed below an `if`, since it is indented."""
    if not text[0].isspace():
        return ast.increment_lineno(ast.parse(text), first - 1).body[0]
    (block,) = ast.increment_lineno(ast.parse(f"if True:\n{text}"), first - 2).body
    assert isinstance(block, ast.If)
    return block.body[0]


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
