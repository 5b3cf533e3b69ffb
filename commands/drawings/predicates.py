"""Tests of a method as Go has them: with what Go keeps inline in place, and without what a release cannot take."""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Mapping, Sequence

Value = Callable[[ast.Call], ast.expr | None]
"""What to write in place of a call; None where the call stays."""


def put_in_place(e: ast.expr, value: Value) -> ast.expr:
    """An expression with values in place of some of its calls."""
    return _replace(e, lambda node: value(node) if isinstance(node, ast.Call) else None)


def with_names(e: ast.expr, values: Mapping[str, ast.expr]) -> ast.expr:
    """An expression with values in place of names."""
    return _replace(e, lambda node: values.get(node.id) if isinstance(node, ast.Name) else None)


def with_aliases(e: ast.expr, aliases: Mapping[str, ast.expr]) -> ast.expr:
    """An expression with a name wherever it says what the name stands for."""
    names = {ast.dump(value): name for name, value in aliases.items()}

    def name(node: ast.expr) -> ast.expr | None:
        found = names.get(ast.dump(node))
        return None if found is None else ast.Name(id=found, ctx=ast.Load())

    return _replace(e, name)


def steps_to_value(tree: ast.FunctionDef) -> tuple[Sequence[tuple[str, ast.expr]], ast.expr] | None:
    """The locals of a method and what it returns, in order; None for one that does more than that."""
    *before, last = tree.body
    if before and isinstance(before[0], ast.Expr) and isinstance(before[0].value, ast.Constant):
        before = before[1:]
    if not isinstance(last, ast.Return) or last.value is None:
        return None
    found = []
    for statement in before:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if times_set(tree, name) == 1:
                found.append((name, value))
            case _:
                return None
    return found, last.value


def times_set(tree: ast.FunctionDef, name: str) -> int:
    """How often a method assigns to a local."""
    nodes = (node for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    return sum(node.id == name for node in nodes)


def constant_results(tree: ast.FunctionDef) -> Sequence[bool | None]:
    """Of a method that returns several values those that are the same constant wherever it returns."""
    values = [node.value for node in ast.walk(tree) if isinstance(node, ast.Return)]
    rows = [[_constant(e) for e in value.elts] if isinstance(value, ast.Tuple) else [] for value in values]
    if not rows or not all(len(row) == len(rows[0]) for row in rows):
        return ()
    return [column[0] if len(set(column)) == 1 else None for column in zip(*rows, strict=True)]


def folded(e: ast.expr, known: Mapping[str, bool], lacks: Callable[[str], bool]) -> ast.expr:
    """An expression without what is certain: names that are known, and fields that the release lacks."""
    return _Fold(known, lacks).fold(e)


class _Fold:
    def __init__(self, known: Mapping[str, bool], lacks: Callable[[str], bool]) -> None:
        self.known, self.lacks = known, lacks

    def fold(self, e: ast.expr) -> ast.expr:
        match e:
            case ast.Name(id=name) if name in self.known:
                return ast.Constant(self.known[name])
            case ast.Attribute(attr=name) if self.lacks(name):
                return ast.Constant(False)
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq() as op], comparators=[right]) if self.is_lacking(
                left
            ):
                # What a release lacks is never set.
                is_nil = isinstance(right, ast.Name) and right.id == "NIL"
                return ast.Constant(is_nil == isinstance(op, ast.Eq))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                inner = self.fold(operand)
                value = _constant(inner)
                return ast.UnaryOp(op=ast.Not(), operand=inner) if value is None else ast.Constant(not value)
            case ast.BoolOp(op=op, values=values):
                return self.joined(op, [self.fold(value) for value in values])
        return e

    def is_lacking(self, e: ast.expr) -> bool:
        return any(isinstance(node, ast.Attribute) and self.lacks(node.attr) for node in ast.walk(e))

    def joined(self, op: ast.boolop, values: Sequence[ast.expr]) -> ast.expr:
        decides = isinstance(op, ast.Or)
        rest = [value for value in values if _constant(value) is not (not decides)]
        if any(_constant(value) is decides for value in rest):
            # Asking has no effect, so what stands before it need not be asked.
            return ast.Constant(decides)
        if len(rest) < 2:
            return rest[0] if rest else ast.Constant(not decides)
        return ast.BoolOp(op=op, values=rest)


def _constant(e: ast.expr) -> bool | None:
    return e.value if isinstance(e, ast.Constant) and isinstance(e.value, bool) else None


def _replace(e: ast.expr, value: Callable[[ast.expr], ast.expr | None]) -> ast.expr:
    """A copy of an expression with some of its parts replaced, the outermost first."""

    class Replace(ast.NodeTransformer):
        def visit(self, node: ast.AST) -> ast.AST:
            found = value(node) if isinstance(node, ast.expr) else None
            replaced: ast.AST = self.generic_visit(node) if found is None else found
            return replaced

    result = Replace().visit(copy.deepcopy(e))
    assert isinstance(result, ast.expr)
    return result
