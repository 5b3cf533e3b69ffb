"""Statements of the model language: assignments, branches that merge at their join, and calls, which are inlined."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from podproof.checker.core.graph import Expr
from podproof.checker.core.shapes import FixedArray, Record, Scalar, Shape, join, leaves
from podproof.checker.core.system import ModelError
from podproof.checker.lowering.calls import CallLowering
from podproof.checker.lowering.source import parameters_of, source_of, text_of
from podproof.checker.lowering.values import (
    CannotMerge,
    Environment,
    Execution,
    Nothing,
    Places,
    Ref,
    Static,
    TypedValue,
    Value,
    is_nil_here,
    merge_environments,
    merge_locals,
    merge_values,
    number_of,
    recode,
    sort_name,
)


@dataclass
class ReturnPath:
    """The part of a block's executions that returned: under which condition, with which state and value."""

    condition: Expr
    env: Environment
    value: Value


MOST_STATEMENTS = 50_000
"""Of one action or claim, all that it calls included; the longest built-in action has some 500."""


def lower_function(context: Execution, function: Callable[..., Any], owner: type | None, *args: Value) -> Value:
    """The value of a function applied to `args`, with what it does put into the context's environment.

    `owner` is the class whose method it is. Raises ModelError where the function leaves the model language.
    """
    lowering = FunctionLowering(context, source_of(function), owner)
    lowering.locals = dict(zip(parameters_of(function), args, strict=True))
    try:
        return lowering.run()
    except RecursionError as error:
        place = context.lines[-1] if context.lines else function.__qualname__
        raise ModelError(f"{place}: this is nested too deep; give parts of it names, and call fewer levels") from error


class FunctionLowering(CallLowering):
    """Lowers one activation of a function; `falls` says whether the block so far can be left at its end."""

    falls: bool = True

    def call_function(self, function: Callable[..., Any], owner: type | None, args: list[Value], at: ast.AST) -> Value:
        source = source_of(function)
        if any(active.function is function for active in self.context.stack):
            chain = " -> ".join(s.tree.name for s in [*self.context.stack, source])
            self.refuse(at, f"recursion: {chain}", "use a `for` over a fixed range")
        inner = FunctionLowering(self.context, source, owner)
        inner.locals = dict(zip(parameters_of(function), args, strict=True))
        return inner.run()

    def run(self) -> Value:
        """Lower the whole body on the context's environment; the result is the returned value."""
        line = self.graph.line
        self.context.stack.append(self.source)
        returned = self.block(self.source.tree.body)
        self.context.stack.pop()
        if returned is not None and self.falls:
            if not isinstance(returned.value, Nothing):
                what = f"`{self.source.tree.name}` returns a value on some paths only"
                self.refuse(self.source.tree, what, "end it with a `return`")
            env = merge_environments(self.graph, returned.condition, returned.env, self.context.env)
            self.context.env = env
        elif returned is not None:
            self.context.env = returned.env
        self.graph.line = line
        return Nothing() if returned is None else returned.value

    def block(self, body: list[ast.stmt]) -> ReturnPath | None:
        out: ReturnPath | None = None
        before = len(self.context.assumed)
        for statement in body:
            if not self.falls:
                break
            self.graph.line = self.source.line(statement)
            self.context.lines.append(self.graph.line)
            if len(self.context.lines) > MOST_STATEMENTS:
                self.refuse(statement, f"this takes more than {MOST_STATEMENTS:,} statements", "make its loops shorter")
            returned = self.statement(statement)
            if returned is not None:
                self.context.assume(self.graph.not_(returned.condition))
            out = self.then_returned(out, returned, statement)
        del self.context.assumed[before:]
        return out

    def then_returned(self, first: ReturnPath | None, second: ReturnPath | None, at: ast.AST) -> ReturnPath | None:
        """What has returned after two statements in a row; the second ran where the first did not return."""
        if first is None or second is None:
            return first or second
        either = self.graph.or_(first.condition, second.condition)
        return self.merge_returned(first.condition, first, second, either, at)

    def merge_returned(
        self, side: Expr, then: ReturnPath, other: ReturnPath, condition: Expr, at: ast.AST
    ) -> ReturnPath:
        env = merge_environments(self.graph, side, then.env, other.env)
        try:
            return ReturnPath(condition, env, merge_values(self.graph, side, then.value, other.value))
        except CannotMerge as error:
            self.refuse(at, f"the returned value {error}", error.instead)

    # -- statements ----------------------------------------------------------------------------------------------
    def statement(self, s: ast.stmt) -> ReturnPath | None:
        match s:
            case ast.Expr(value=ast.Constant(value=str())) | ast.Pass():
                return None
            case ast.Expr(value=ast.Call() as call):
                self.call(call)
            case ast.Assign(targets=[target]):
                self.assign(target, self.expression(s.value), s)
            case ast.AnnAssign(value=ast.expr() as value):
                self.assign(s.target, self.expression(value), s)
            case ast.AugAssign():
                self.augment(s)
            case ast.If():
                return self.branch(s)
            case ast.For():
                return self.loop(s)
            case ast.Return():
                result = self.expression(s.value) if s.value is not None else Nothing()
                self.falls = False
                return ReturnPath(self.graph.true, self.context.env, result)
            case ast.Assert():
                failed = self.graph.not_(self.boolean(s.test))
                self.context.fail(f"{self.source.line(s)}: the assertion `{text_of(s.test)}` fails", failed)
                self.context.assume(self.graph.not_(failed))
            case _:
                raise NotImplementedError(type(s).__name__)  # The grammar has let it through.
        return None

    def branch(self, s: ast.If) -> ReturnPath | None:
        condition = self.boolean(s.test)
        if condition.is_const:
            return self.block(s.body if condition.value else s.orelse)
        sides = []
        env, names = self.context.env, self.locals
        for body, assumed in ((s.body, condition), (s.orelse, self.graph.not_(condition))):
            self.context.env, self.locals, self.falls = dict(env), dict(names), True
            with self.context.assuming(assumed):
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
        false = self.graph.false
        when = self.graph.ite(condition, r1.condition if r1 else false, r2.condition if r2 else false)
        if r1 and r2:
            return self.merge_returned(condition, r1, r2, when, s)
        one = r1 or r2
        return ReturnPath(when, one.env, one.value) if one else None

    def loop(self, s: ast.For) -> ReturnPath | None:
        assert isinstance(s.target, ast.Name)
        out: ReturnPath | None = None
        for i in self.fixed_range(s.iter):
            if not self.falls:
                break
            self.locals[s.target.id] = TypedValue(self.graph.integer(i), int)
            out = self.then_returned(out, self.block(s.body), s)
        return out

    def fixed_range(self, e: ast.expr) -> range:
        match e:
            case ast.Call(func=ast.Name() as function, args=[*args], keywords=[]) if 1 <= len(args) <= 3:
                if self.name(function) == Static(range):
                    values = [self.expression(a) for a in args]
                    if any(isinstance(value, TypedValue) and value.may_be_nil for value in values):
                        self.refuse(e, f"`{ast.unparse(e)}` counts with NIL", "write a number")
                    numbers = [self.as_number(value, a) for value, a in zip(values, args, strict=True)]
                    if len(args) == 3 and numbers[2].is_const and numbers[2].low == 0:
                        self.refuse(e, f"`{ast.unparse(e)}` has a step of 0", "step by another number")
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
            case ast.Attribute() | ast.Subscript():
                self.store(*self.target(target), value, at)
            case _:
                self.refuse(
                    at, f"`{ast.unparse(target)}` cannot be assigned to", "assign to names, fields and elements"
                )

    def target(self, target: ast.Attribute | ast.Subscript) -> Places:
        """The places and the shape of what is assigned to."""
        if isinstance(target, ast.Subscript):
            return self.element(target)
        base = self.expression(target.value)
        if not isinstance(base, Ref) or not isinstance(base.shape, Record):
            self.refuse(target, f"`{ast.unparse(target)}` is no field of a record", "assign to fields of records")
        return self.field(base, target)

    def augment(self, s: ast.AugAssign) -> None:
        """`target += value`: Python looks the target up once, reads it, and stores there after it has the value."""
        if isinstance(s.target, ast.Name):
            before = self.expression(s.target)
        else:
            places, shape = self.target(s.target)
            looked_up = self.context.clock
            before = self.read((places, shape), s.target)
        value = self.sum(before, s.op, self.expression(s.value), s.target, s.value)
        if isinstance(s.target, ast.Name):
            self.locals[s.target.id] = value
        else:
            self.check_places(places, looked_up, s.target)
            self.store(places, shape, value, s)

    def store(self, places: list[tuple[Expr, str]], shape: Shape, value: Value, at: ast.AST) -> None:
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

    def store_scalar(self, places: list[tuple[Expr, str]], scalar: Scalar, value: Value, at: ast.AST) -> None:
        if not isinstance(value, TypedValue) or value.sort is not scalar.sort:
            found = sort_name(value.sort) if isinstance(value, TypedValue) else type(value).__name__.lower()
            self.refuse(
                at, f"a {found} is stored where a {sort_name(scalar.sort)} belongs", "store a value of that type"
            )
        node, env = self.code_of(value, scalar), self.context.env
        for guard, path in places:
            if path in self.context.constants:
                self.refuse(at, f"{path} is a constant", "remove CONSTANT from its declaration, or do not write it")
            if value.may_be_nil and scalar.nil is None:
                self.context.nil_stored[path] = self.source.line(at)
            if node.low < scalar.low or node.high > scalar.high:
                self.context.written[path] = self.source.line(at)
            self.context.stores.append((path, node, self.graph.line))
            env[path] = self.graph.ite(guard, node, env[path]) if path in env else node

    def code_of(self, value: TypedValue, scalar: Scalar) -> Expr:
        """The node by which a scalar says the value; outside its range for nil where it cannot be nil."""
        if scalar.nil is not None:
            return recode(self.graph, value, scalar.nil).node
        number = number_of(self.graph, value)
        if not value.may_be_nil or value.node.low == scalar.low - 1 == value.nil:
            return number
        return self.graph.ite(is_nil_here(self.graph, value), self.graph.integer(scalar.low - 1), number)

    def store_record(self, places: list[tuple[Expr, str]], shape: Record, value: Value, at: ast.AST) -> None:
        if not isinstance(value, Ref) or value.shape is not shape:
            self.refuse(at, f"this is no {shape.cls.__name__}", f"store a {shape.cls.__name__}")
        if not value.fresh:
            self.refuse(at, "one record would get two names", "write copy(…) around it")
        self.check_alias(value, at)
        ((_, source),) = value.places
        for leaf, scalar, _ in leaves(shape):
            node = self.context.env[join(source, leaf)]
            targets = [(guard, join(path, leaf)) for guard, path in places]
            if (stored := self.context.nil_stored.get(join(source, leaf))) is not None:
                self.context.nil_stored |= {path: stored for _, path in targets}
            self.store_scalar(targets, scalar, TypedValue(node, scalar.sort, scalar.nil), at)
        self.context.clock += 1
        line = self.source.line(at).number
        self.context.stored[source] = line
        for _, path in places:
            self.context.replaced[path] = (self.context.clock, line)


__all__ = ["Execution", "FunctionLowering", "ReturnPath", "lower_function"]
