"""The source of model functions: which of Python's syntax it may have, and how an error in it is reported."""

from __future__ import annotations

import ast
import builtins
import difflib
import functools
import inspect
import io
import linecache
import textwrap
import tokenize
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any, NoReturn

from podproof.checker.core.graph import Line
from podproof.checker.core.printer import TRANSLATED, place_of, short_path
from podproof.checker.core.shapes import is_of_language
from podproof.checker.core.system import ModelError

Refuse = Callable[[ast.AST, str, str], NoReturn]
"""Raises the error for a place: what was found there, and what to write instead."""

INSTEAD = "use assignments, if/elif/else, for over a fixed range, calls and return"
_STATEMENTS: Mapping[type[ast.stmt], tuple[str, str]] = {
    ast.While: ("`while`", "write `for i in range(n)` over a fixed range"),
    ast.Break: ("`break`", "put the loop into a method and `return` from it"),
    ast.Continue: ("`continue`", "put the rest of the loop's body into an `if`"),
    ast.Try: ("`try`", "test the condition with `if` before"),
    ast.Raise: ("`raise`", "write `assert`, or `require` at the beginning of the action"),
    ast.With: ("`with`", INSTEAD),
    ast.Match: ("`match`", "write if/elif/else"),
    ast.Delete: ("`del`", "assign the zero value, or use clear(record)"),
    ast.Assign: ("an assignment to several targets", "assign to one target at a time"),
    ast.AugAssign: ("this operator", "`+=` and `-=` are all there is"),
    ast.For: ("this `for`", "write `for i in range(n):`"),
    ast.Assert: ("an assertion's message that is no plain text", "write the text out, or leave it out"),
    ast.FunctionDef: ("a nested function", "define it at the top of the module"),
    ast.ClassDef: ("a nested class", "define it at the top of the module"),
    ast.Import: ("`import` in a function", "import at the top of the module"),
    ast.ImportFrom: ("`import` in a function", "import at the top of the module"),
    ast.Global: ("`global`", "keep state in the records"),
    ast.Nonlocal: ("`nonlocal`", "keep state in the records"),
    ast.Expr: ("an expression as a statement", "a statement is a call or an assignment"),
}
"""Kind of statement outside the language -> its name, and what to write instead."""
_EXPRESSIONS: Mapping[type[ast.expr], str] = {
    ast.Lambda: "define a function with `def`",
    ast.ListComp: "write a `for` over a fixed range",
    ast.SetComp: "write a `for` over a fixed range",
    ast.DictComp: "write a `for` over a fixed range",
    ast.GeneratorExp: "write a method with a `for` over a fixed range",
    ast.List: "keep an Array in a record",
    ast.Set: "keep an Array of bools in a record",
    ast.Dict: "keep an Array in a record, indexed by number",
    ast.JoinedStr: "use an enumeration",
    ast.NamedExpr: "assign in a statement of its own",
    ast.BinOp: "numbers are added and subtracted only",
}
"""Kind of expression outside the language -> what to write instead."""
_CONSTANTS: Mapping[type, str] = {
    type(None): "write NIL, a number of the field's domain",
    float: "count in whole numbers",
}
_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn)


def check(function: ast.FunctionDef, refuse: Refuse) -> None:
    """Refuse the first place of a function, in the order of its text, that is outside the grammar."""
    parameters = function.args
    if parameters.posonlyargs or parameters.kwonlyargs:
        refuse(function, f"`{function.name}` has parameters that only one kind of call can name", "write plain ones")
    if parameters.vararg or parameters.kwarg:
        refuse(function, f"`{function.name}` takes any number of arguments", "name its parameters one by one")
    for parameter in parameters.args:
        _check_name(parameter, parameter.arg, refuse)
    for statement in function.body:
        _check(statement, refuse)


def _check(node: ast.AST, refuse: Refuse) -> None:
    match node:
        case ast.stmt() if not _is_in_language(node):
            word, instead = _STATEMENTS.get(type(node), ("this statement", INSTEAD))
            refuse(node, f"{word} is outside the model language", instead)
        case ast.expr() if not _is_in_language(node):
            instead = _EXPRESSIONS.get(type(node), INSTEAD)
            if isinstance(node, ast.Constant):
                instead = _CONSTANTS.get(type(node.value), INSTEAD)
            refuse(node, f"`{ast.unparse(node)}` is outside the model language", instead)
        case ast.Compare(ops=ops) if not all(isinstance(op, _COMPARISONS) for op in ops):
            refuse(
                node,
                f"`{ast.unparse(node)}`: `is` compares identity",
                "write == or !=; optional numbers are compared with NIL",
            )
        case ast.AnnAssign(value=None):
            refuse(node, "a declaration without a value is outside the model language", "give it a value at once")
        case ast.AnnAssign(target=target) if not isinstance(target, ast.Name):
            refuse(node, f"`{ast.unparse(target)}` has an annotation, which Python evaluates", "leave it out")
        case ast.keyword(arg=None):
            refuse(node, f"`{ast.unparse(node)}` is outside the model language", "name the arguments one by one")
        case ast.Name(id="self", ctx=ast.Store()):
            refuse(node, "`self` is assigned to", "choose another name")
        case ast.Name(id=name) | ast.Attribute(attr=name) | ast.keyword(arg=str(name)):
            _check_name(node, name, refuse)
    for part in _parts(node):
        _check(part, refuse)


def _is_in_language(node: ast.stmt | ast.expr) -> bool:
    match node:
        case (
            ast.Expr(value=ast.Call() | ast.Constant(value=str()))
            | ast.Assign(targets=[_])
            | ast.AugAssign(op=ast.Add() | ast.Sub())
            | ast.For(target=ast.Name(), orelse=[])
            | ast.Assert(msg=None | ast.Constant(value=str()))
            | (ast.AnnAssign() | ast.If() | ast.Pass() | ast.Return())
            | ast.Constant(value=int() | str())
            | ast.UnaryOp(op=ast.Not() | ast.USub())
            | ast.BinOp(op=ast.Add() | ast.Sub())
            | (ast.Name() | ast.Attribute() | ast.Call() | ast.Subscript())
            | (ast.Tuple() | ast.BoolOp() | ast.Compare() | ast.IfExp())
        ):
            return True
    return False


def _check_name(node: ast.AST, name: str, refuse: Refuse) -> None:
    if name.startswith("__") and not name.endswith("__"):
        refuse(node, f"`{name}` is another name within a class", "begin it with one underscore")


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """What a statement or an expression is made of, but for annotations of local names, which Python does not run."""
    for name, value in ast.iter_fields(node):
        if not (name == "annotation" and isinstance(node, ast.AnnAssign)):
            yield from value if isinstance(value, list) else [value] if isinstance(value, ast.AST) else []


# -- the source of a function ------------------------------------------------------------------------------------------


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
        text = linecache.getline(line.file if self.file.endswith(TRANSLATED) else self.file, line.number).strip()
        raise ModelError(f"{line}: {what}; {instead}\n    {text}")


@functools.cache
def _line(file: str, number: int) -> Line:
    return Line(*place_of(file, number))


def code_of(function: Callable[..., Any]) -> str:
    """The lines of a function that do something: without decorators, docstring, comments and empty lines."""
    text = textwrap.dedent(inspect.getsource(function))
    lines = text.splitlines()
    (tree,) = (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    left_out = set(range(1, tree.lineno))
    if ast.get_docstring(tree) is not None:
        left_out |= set(range(tree.body[0].lineno, (tree.body[0].end_lineno or 0) + 1))
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column].rstrip()
    return "".join(f"{line}\n" for number, line in enumerate(lines, 1) if number not in left_out and line.strip())


@functools.cache
def source_of(function: Callable[..., Any]) -> Source:
    """The source of the function that runs; raises ModelError when there is none, or it leaves the model language."""
    if function in _DERIVED:
        return _DERIVED[function]
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


_DERIVED: dict[Callable[..., Any], Source] = {}


def derive(source: Source, tree: ast.FunctionDef) -> Callable[..., Any]:
    """A function that stands nowhere: the one that was read, with another tree. It reads the same names.

    What the tree keeps of the other keeps its lines.
    """
    tree.decorator_list = []
    module = ast.fix_missing_locations(ast.Module([tree], []))
    code = next(c for c in compile(module, source.file, "exec", dont_inherit=True).co_consts if isinstance(c, CodeType))
    original: Any = source.function
    made = FunctionType(code, original.__globals__, tree.name, original.__defaults__)
    _DERIVED[made] = Source(made, tree, source.file)
    return made


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
