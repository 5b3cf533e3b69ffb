"""The sentence that tells how a claim fails, and what may stand in its braces.

A reader of a violation wants "the grace period of pod grew from 5 s to 30 s". The braces hold expressions, which have
their values where the claim returns False: the claim's parameters, its locals and loop variables, and what can be read
of them.
"""

from __future__ import annotations

import ast
import builtins
import difflib
import enum
import inspect
import textwrap
import types
import typing
from collections.abc import Callable, Collection, Iterator, Mapping
from string import Formatter
from typing import Any

from podproof.model.language import Array, Event

WITHOUT_VALUES = ("sometimes", "never")
"""The kinds of claims that fail in no state of their own: their sentences say the same each time."""
RUNS = ("leads_to", "recurs")
_BUILTINS = frozenset(("abs", "all", "any", "bool", "int", "len", "max", "min", "range", "str", "sum"))
"""What of Python's own may stand in the braces: no stored answer says what else it would depend on."""


def check_names(function: Callable[..., Any], kind: str, wrong: str) -> None:
    """Raises ValueError where a sentence cannot be read or names what the claim does not."""
    code = function.__code__
    here = f"wrong= of the claim {function.__name__}"
    if not isinstance(wrong, str) or wrong != " ".join(wrong.split()):
        raise ValueError(f"{here} is {wrong!r}; write one sentence in one line")
    own = {*code.co_varnames, *function.__globals__}
    known = own | {*code.co_names} - vars(builtins).keys() | _BUILTINS
    if kind in RUNS:
        known = {*code.co_varnames[1 : code.co_argcount]}
    for text, e in _expressions(wrong, here):
        if kind in WITHOUT_VALUES:
            raise ValueError(f"{here} has {{{text}}} in it, but a {kind!r} claim fails in no state; say it without")
        for name in _names(e):
            if name not in known or name.startswith("__"):
                near = difflib.get_close_matches(name, code.co_varnames, 1) or [*code.co_varnames]
                has = f"the claim has no such name, but {', '.join(near)}"
                raise ValueError(f"{here} names {name!r} in {{{text}}}: {has}")


def _expressions(wrong: str, here: str) -> Iterator[tuple[str, ast.expr]]:
    """What stands in the braces, as text and as an expression."""
    try:
        parts = list(Formatter().parse(wrong))
    except ValueError as error:
        raise ValueError(f"{here}: {error}; write {{{{ and }}}} for braces that are meant") from error
    for _, text, spec, conversion in parts:
        if text is None:
            continue
        if spec or conversion or not text.strip():
            what = f"{{{text}{'!' + conversion if conversion else ''}{':' + spec if spec else ''}}}"
            raise ValueError(f"{here} has {what} in it; write a name or an expression between the braces, alone")
        try:
            e = ast.parse(text.strip(), mode="eval").body
        except SyntaxError as error:
            raise ValueError(f"{here} has {{{text}}} in it, which is no expression: {error.msg}") from error
        if any(isinstance(node, ast.Attribute) and node.attr.startswith("_") for node in ast.walk(e)):
            raise ValueError(f"{here} has {{{text}}} in it; name fields and methods that do not begin with _")
        yield text, e


def _names(e: ast.expr) -> list[str]:
    return [node.id for node in ast.walk(e) if isinstance(node, ast.Name)]


def objections(function: Callable[..., Any], kind: str, wrong: str) -> Iterator[str]:
    """What is wrong with a sentence beyond its names: one has no value at some failure, or a field is not there.

    It reads the claim's text, which takes too long for every claim at each start.
    """
    if kind in WITHOUT_VALUES or kind in RUNS:
        return
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    parameters = {argument.arg for argument in tree.args.args}
    local = {*function.__code__.co_varnames}
    kinds = _Kinds(function, tree)
    for text, e in _expressions(wrong, function.__name__):
        for line, known in _failures(tree.body, parameters):
            for name in _names(e):
                if name in local and name not in known:
                    at = function.__code__.co_firstlineno + line - 1
                    yield f"{name!r} in {{{text}}} has no value at line {at}, where the claim may fail"
        yield from (f"{{{text}}}: {why}" for why in kinds.objections(e))


def _failures(body: list[ast.stmt], known: Collection[str]) -> Iterator[tuple[int, Collection[str]]]:
    """The lines in which a function may return False, with the names that are sure to have a value there."""
    known = {*known}
    for statement in body:
        match statement:
            case ast.Return(value=value) if not (isinstance(value, ast.Constant) and value.value is True):
                yield statement.lineno, known
            case ast.For(target=ast.Name(id=name)):
                yield from _failures(statement.body, {*known, name})
            case ast.If():
                yield from _failures(statement.body, known)
                yield from _failures(statement.orelse, known)
            case ast.Assign(targets=[target]) | ast.AnnAssign(target=target):
                known |= {node.id for node in ast.walk(target) if isinstance(node, ast.Name)}


class _Kinds:
    """Of what class the values in a claim are, as far as annotations say it."""

    def __init__(self, function: Callable[..., Any], tree: ast.FunctionDef) -> None:
        self.hints = typing.get_type_hints(function)
        self.globals = function.__globals__
        stores = [node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
        stores += [argument.arg for argument in tree.args.args]
        self.definitions = {name: value for name, value in _definitions(tree) if stores.count(name) == 1}
        self.asked = {
            node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute) and self.of(node.value) is Event
        }

    def objections(self, e: ast.expr) -> Iterator[str]:
        kind = self.of(e)
        if inspect.isclass(kind) and not issubclass(kind, bool | int | str | enum.Enum):
            yield f"it is a whole {kind.__name__}; name something of it that is a number, a bool or a member"
        for node in ast.walk(e):
            if isinstance(node, ast.Attribute):
                owner = self.of(node.value)
                names = _names_in(owner) | self.asked if owner is Event else _names_in(owner)
                if names and node.attr not in names:
                    near = difflib.get_close_matches(node.attr, names, 1)
                    hint = f"; did you mean {near[0]!r}?" if near else ""
                    what = "the claim asks for no such parameter" if owner is Event else "there is no such field"
                    yield f"{ast.unparse(node)}: {what}{hint}"

    def of(self, e: ast.expr) -> Any:
        """The class of an expression's value; None where nothing says it."""
        match e:
            case ast.Name(id=name) if name in self.definitions:
                return self.of(self.definitions[name])
            case ast.Name(id=name):
                return self.hints.get(name)
            case ast.Attribute(value=value, attr=name):
                owner = self.of(value)
                return _fields_of(owner).get(name) if inspect.isclass(owner) else None
            case ast.Subscript(value=value):
                array = self.of(value)
                return typing.get_args(array)[0] if typing.get_origin(array) is Array else None
        return None


def _definitions(tree: ast.FunctionDef) -> Iterator[tuple[str, ast.expr]]:
    """What each name is set to, also several at a time: `old, new = a, b`."""
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                yield name, value
            case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
                yield from ((t.id, value) for t, value in zip(targets, values, strict=False) if isinstance(t, ast.Name))


def _fields_of(cls: type) -> Mapping[str, Any]:
    return typing.get_type_hints(cls)


def _names_in(cls: Any) -> set[str]:
    """What may be asked of a value of a class; empty where nothing is known of it."""
    if not inspect.isclass(cls) or isinstance(cls, types.GenericAlias):
        return set()
    return {*_fields_of(cls), *(name for name in dir(cls) if not name.startswith("_"))}
