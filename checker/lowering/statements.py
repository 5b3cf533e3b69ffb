"""Statements of the model language: assignments, branches that merge at their join, and calls, which are inlined."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from podproof.checker.graph import Node
from podproof.checker.lowering.calls import CallLowering
from podproof.checker.lowering.context import Context
from podproof.checker.lowering.source import parameters_of, source_of, text_of
from podproof.checker.lowering.values import (
    CannotMerge,
    Environment,
    Nothing,
    Ref,
    Typed,
    Value,
    merge_environments,
    merge_locals,
    merge_values,
    sort_name,
)
from podproof.checker.lowering.words import WORDS
from podproof.checker.shapes import FixedArray, Record, Scalar, Shape, join, leaves

_INSTEAD = "use assignments, if/elif/else, for over a fixed range, calls and return"
_REFUSED: Mapping[type[ast.stmt], tuple[str, str]] = {
    ast.While: ("`while`", "write `for i in range(n)` over a fixed range"),
    ast.Break: ("`break`", "put the loop into a method and `return` from it"),
    ast.Continue: ("`continue`", "put the rest of the loop's body into an `if`"),
    ast.Try: ("`try`", "test the condition with `if` before"),
    ast.Raise: ("`raise`", "write `assert`, or `require` at the beginning of the action"),
    ast.With: ("`with`", _INSTEAD),
    ast.Match: ("`match`", "write if/elif/else"),
    ast.Delete: ("`del`", "assign the zero value, or use clear(record)"),
    ast.Assign: ("an assignment to several targets", "assign to one target at a time"),
    ast.AnnAssign: ("a declaration without a value", "give it a value at once"),
    ast.AugAssign: ("this operator", "`+=` and `-=` are all there is"),
    ast.FunctionDef: ("a nested function", "define it at the top of the module"),
    ast.ClassDef: ("a nested class", "define it at the top of the module"),
    ast.Import: ("`import` in a function", "import at the top of the module"),
    ast.ImportFrom: ("`import` in a function", "import at the top of the module"),
    ast.Global: ("`global`", "keep state in the records"),
    ast.Nonlocal: ("`nonlocal`", "keep state in the records"),
    ast.Expr: ("an expression as a statement", "a statement is a call or an assignment"),
}
"""Kind of statement outside the language -> its name, and what to write instead."""


@dataclass
class Returned:
    """The part of a block's executions that returned: under which condition, with which state and value."""

    condition: Node
    env: Environment
    value: Value


class FunctionLowering(CallLowering):
    """Lowers one activation of a function; `falls` says whether the block so far can be left at its end."""

    falls: bool = True

    def word(self, name: str, e: ast.Call) -> Value:
        return WORDS[name](self, e)

    def call_function(self, function: Callable[..., Any], owner: type | None, args: list[Value], at: ast.AST) -> Value:
        source = source_of(function)
        if any(active.function is function for active in self.context.stack):
            chain = " -> ".join(s.tree.name for s in [*self.context.stack, source])
            self.refuse(at, f"recursion: {chain}", "use a `for` over a fixed range")
        if function.__closure__ is not None and owner is None:
            self.refuse(at, f"`{source.name}` is a nested function", "define it at the top of the module")
        inner = FunctionLowering(self.context, source, owner)
        inner.locals = dict(zip(parameters_of(function), args, strict=True))
        return inner.run()

    def run(self) -> Value:
        """Lower the whole body on the context's environment; the result is the returned value."""
        line = self.graph.line
        self.context.stack.append(self.source)
        returned = self.block(self.source.tree.body)
        self.context.stack.pop()
        value = self.leave(returned)
        self.graph.line = line
        return value

    def leave(self, returned: Returned | None) -> Value:
        """Join what returned with what came to the end of the body."""
        if returned is None:
            return Nothing()
        if self.falls:
            if not isinstance(returned.value, Nothing):
                self.refuse(
                    self.source.tree,
                    f"`{self.source.tree.name}` returns a value on some paths only",
                    "end it with a `return`",
                )
            env = merge_environments(self.graph, returned.condition, returned.env, self.context.env)
            self.context.env = env
        else:
            self.context.env = returned.env
        return returned.value

    def block(self, body: list[ast.stmt]) -> Returned | None:
        out: Returned | None = None
        for statement in body:
            if not self.falls:
                break
            self.graph.line = self.source.line(statement)
            self.context.lines.append(self.graph.line)
            out = self.then_returned(out, self.statement(statement), statement)
        return out

    def then_returned(self, first: Returned | None, second: Returned | None, at: ast.AST) -> Returned | None:
        """What has returned after two statements in a row; the second ran where the first did not return."""
        if first is None or second is None:
            return first or second
        return self.merge_returned(
            first.condition, first, second, self.graph.or_(first.condition, second.condition), at
        )

    def merge_returned(self, side: Node, then: Returned, other: Returned, condition: Node, at: ast.AST) -> Returned:
        env = merge_environments(self.graph, side, then.env, other.env)
        try:
            return Returned(condition, env, merge_values(self.graph, side, then.value, other.value))
        except CannotMerge as error:
            self.refuse(at, f"the returned value {error}", error.instead)

    # -- statements ----------------------------------------------------------------------------------------------
    def statement(self, s: ast.stmt) -> Returned | None:
        match s:
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                return None
            case ast.Expr(value=ast.Call() as call):
                self.call(call)
            case ast.Assign(targets=[target]):
                self.assign(target, self.expression(s.value), s)
            case ast.AnnAssign(value=ast.expr() as value):
                self.assign(s.target, self.expression(value), s)
            case ast.AugAssign(op=ast.Add() | ast.Sub()):
                if any(isinstance(inner, ast.Call) for inner in ast.walk(s.target)):
                    self.refuse(s, f"`{ast.unparse(s.target)}` has a call in it", "give the result a name before")
                combined = ast.copy_location(ast.BinOp(s.target, s.op, s.value), s)
                self.assign(s.target, self.expression(combined), s)
            case ast.If():
                return self.branch(s)
            case ast.For():
                return self.loop(s)
            case ast.Return():
                result = self.expression(s.value) if s.value is not None else Nothing()
                self.falls = False
                return Returned(self.graph.true, self.context.env, result)
            case ast.Assert():
                failed = self.graph.not_(self.boolean(s.test))
                self.context.fail(f"{self.source.line(s)}: the assertion `{text_of(s.test)}` fails", failed)
            case _:
                return self.refuse_statement(s)
        return None

    def refuse_statement(self, s: ast.stmt) -> NoReturn:
        word, instead = _REFUSED.get(type(s), ("this statement", _INSTEAD))
        self.refuse(s, f"{word} is outside the model language", instead)

    def branch(self, s: ast.If) -> Returned | None:
        condition = self.boolean(s.test)
        if condition.is_const:
            return self.block(s.body if condition.value else s.orelse)
        sides = []
        env, names = self.context.env, self.locals
        for body in (s.body, s.orelse):
            self.context.env, self.locals, self.falls = dict(env), dict(names), True
            returned = self.block(body)
            sides.append((returned, self.falls, self.context.env, self.locals))
        self.graph.line = self.source.line(s)
        (r1, falls1, env1, names1), (r2, falls2, env2, names2) = sides
        self.falls = falls1 or falls2
        if falls1 and falls2:
            self.context.env = merge_environments(self.graph, condition, env1, env2)
            try:
                self.locals = merge_locals(self.graph, condition, names1, names2, s.lineno)
            except CannotMerge as error:
                self.refuse(s, str(error), error.instead)
        else:
            self.context.env, self.locals = (env1, names1) if falls1 else (env2, names2)
        return self.returned_from(condition, r1, r2, s)

    def returned_from(self, condition: Node, r1: Returned | None, r2: Returned | None, at: ast.If) -> Returned | None:
        """What the two sides of a branch returned, as one."""
        false = self.graph.false
        when = self.graph.ite(condition, r1.condition if r1 else false, r2.condition if r2 else false)
        if r1 and r2:
            return self.merge_returned(condition, r1, r2, when, at)
        one = r1 or r2
        return Returned(when, one.env, one.value) if one else None

    def loop(self, s: ast.For) -> Returned | None:
        if s.orelse or not isinstance(s.target, ast.Name):
            self.refuse(s, "this `for` is outside the model language", "write `for i in range(n):`")
        out: Returned | None = None
        for i in self.fixed_range(s.iter):
            if not self.falls:
                break
            self.locals[s.target.id] = Typed(self.graph.integer(i), int)
            out = self.then_returned(out, self.block(s.body), s)
        return out

    def fixed_range(self, e: ast.expr) -> range:
        match e:
            case ast.Call(func=ast.Name(id="range"), args=[*args], keywords=[]) if 1 <= len(args) <= 3:
                numbers = [self.number(a) for a in args]
                if all(n.is_const for n in numbers):
                    return range(*(n.low for n in numbers))
        self.refuse(e, f"`{ast.unparse(e)}` is no fixed range", "write range(…) of constants and array lengths")

    # -- assignment ----------------------------------------------------------------------------------------------
    def assign(self, target: ast.expr, value: Value, at: ast.stmt) -> None:
        match target:
            case ast.Name(id=name):
                if isinstance(value, Nothing):
                    self.refuse(at, f"`{name}` is set to a call that returns nothing", "call it as a statement")
                self.locals[name] = value
            case ast.Tuple(elts=targets):
                if not isinstance(value, tuple) or len(value) != len(targets):
                    self.refuse(at, f"`{ast.unparse(at)}` unpacks another number of values", "match the returned tuple")
                for one, part in zip(targets, value, strict=True):
                    self.assign(one, part, at)
            case ast.Attribute():
                base = self.expression(target.value)
                if not isinstance(base, Ref) or not isinstance(base.shape, Record):
                    self.refuse(at, f"`{ast.unparse(target)}` is no field of a record", "assign to fields of records")
                places, shape = self.field(base, target)
                self.store(places, shape, value, at)
            case ast.Subscript():
                places, shape = self.element(target)
                self.store(places, shape, value, at)
            case _:
                self.refuse(
                    at, f"`{ast.unparse(target)}` cannot be assigned to", "assign to names, fields and elements"
                )

    def store(self, places: list[tuple[Node, str]], shape: Shape, value: Value, at: ast.AST) -> None:
        """Write a value to some places, each under its condition."""
        if any(not path.startswith("%") for _, path in places):
            if self.context.read_only:
                self.refuse(at, "a claim assigns to the state", "claims only read it")
            self.context.touched = True
        if isinstance(shape, Scalar):
            self.store_scalar(places, shape, value, at)
        elif isinstance(shape, FixedArray):
            self.refuse(at, "a whole array is assigned", "assign its elements one by one")
        else:
            self.store_record(places, shape, value, at)

    def store_scalar(self, places: list[tuple[Node, str]], scalar: Scalar, value: Value, at: ast.AST) -> None:
        if not isinstance(value, Typed) or value.sort is not scalar.sort:
            found = sort_name(value.sort) if isinstance(value, Typed) else type(value).__name__.lower()
            self.refuse(
                at, f"a {found} is stored where a {sort_name(scalar.sort)} belongs", "store a value of that type"
            )
        node, env = value.node, self.context.env
        for guard, path in places:
            if path in self.context.constants:
                self.refuse(at, f"{path} is a constant", "remove CONSTANT from its declaration, or do not write it")
            if node.low < scalar.low or node.high > scalar.high:
                self.context.written[path] = self.source.line(at)
            self.context.stores.append((path, node, self.graph.line))
            env[path] = self.graph.ite(guard, node, env[path]) if path in env else node

    def store_record(self, places: list[tuple[Node, str]], shape: Record, value: Value, at: ast.AST) -> None:
        if not isinstance(value, Ref) or value.shape is not shape:
            self.refuse(at, f"this is no {shape.cls.__name__}", f"store a {shape.cls.__name__}")
        if not value.fresh:
            self.refuse(at, "one record would get two names", "write copy(…) around it")
        ((_, source),) = value.places
        for leaf, scalar, _ in leaves(shape):
            node = self.context.env[join(source, leaf)]
            targets = [(guard, join(path, leaf)) for guard, path in places]
            self.store_scalar(targets, scalar, Typed(node, scalar.sort), at)
        self.context.clock += 1
        line = self.source.line(at).number
        self.context.stored[source] = line
        for _, path in places:
            self.context.replaced[path] = (self.context.clock, line)


__all__ = ["Context", "FunctionLowering", "Returned"]
