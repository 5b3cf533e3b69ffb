"""The grammar of the model language: which of Python's syntax a function may have, reached or not.

It is a list of what is allowed. Code that no execution reaches counts too: a `yield` there makes a generator of the
whole function, a `global` changes what its names mean.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Mapping
from typing import NoReturn

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
        case ast.stmt() if not _is_statement(node):
            word, instead = _STATEMENTS.get(type(node), ("this statement", INSTEAD))
            refuse(node, f"{word} is outside the model language", instead)
        case ast.expr() if not _is_expression(node):
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


def _is_statement(node: ast.stmt) -> bool:
    match node:
        case ast.Expr(value=value):
            return isinstance(value, ast.Call) or _is_text(value)
        case ast.Assign(targets=targets):
            return len(targets) == 1
        case ast.AugAssign(op=op):
            return isinstance(op, ast.Add | ast.Sub)
        case ast.For(target=target, orelse=orelse):
            return isinstance(target, ast.Name) and not orelse
        case ast.Assert(msg=message):
            return message is None or _is_text(message)
    return isinstance(node, ast.AnnAssign | ast.If | ast.Pass | ast.Return)


def _is_expression(node: ast.expr) -> bool:
    match node:
        case ast.Constant(value=value):
            return isinstance(value, int | str)
        case ast.UnaryOp(op=op):
            return isinstance(op, ast.Not | ast.USub)
        case ast.BinOp(op=op):
            return isinstance(op, ast.Add | ast.Sub)
    plain = ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Tuple | ast.BoolOp | ast.Compare | ast.IfExp
    return isinstance(node, plain)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _check_name(node: ast.AST, name: str, refuse: Refuse) -> None:
    if name.startswith("__") and not name.endswith("__"):
        refuse(node, f"`{name}` is another name within a class", "begin it with one underscore")


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """What a statement or an expression is made of, but for annotations of local names, which Python does not run."""
    for name, value in ast.iter_fields(node):
        if not (name == "annotation" and isinstance(node, ast.AnnAssign)):
            yield from value if isinstance(value, list) else [value] if isinstance(value, ast.AST) else []
