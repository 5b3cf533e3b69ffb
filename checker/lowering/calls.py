"""Calls of the model language: which function is meant, its arguments, and records made on the spot."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from abc import abstractmethod
from collections.abc import Callable
from typing import Any

from podproof.checker.core.graph import Expr
from podproof.checker.core.shapes import FixedArray, Record, Scalar, Shape, join, leaves, record_shape
from podproof.checker.lowering.expressions import BUILTINS, ExpressionLowering
from podproof.checker.lowering.source import REQUIRED, parameters_of, source_of, suggestion, word_of
from podproof.checker.lowering.values import BoundMethod, Ref, Static, Value


class CallLowering(ExpressionLowering):
    """Adds calls to the expressions. What a called function does is added by a subclass, which knows statements."""

    @abstractmethod
    def call_function(self, function: Callable[..., Any], owner: type | None, args: list[Value], at: ast.AST) -> Value:
        """See statements.py."""

    def call(self, e: ast.Call) -> Value:
        callee = self.expression(e.func)
        match callee:
            case BoundMethod():
                args = [callee.receiver, *self.arguments(callee.function, e, skip_self=True)]
                return self.call_function(callee.function, callee.owner, args, e)
            case Static(thing=thing):
                return self.call_static(thing, e)
        self.refuse(e, f"`{ast.unparse(e.func)}` cannot be called", "call methods and model functions")

    def call_static(self, thing: Any, e: ast.Call) -> Value:
        word = word_of(thing) or BUILTINS.get(id(thing))
        if word is not None:
            if e.keywords:
                self.refuse(e, f"`{ast.unparse(e)}` names its arguments", f"`{word}` takes them by position")
            return self.word(word, e)
        if isinstance(thing, type) and hasattr(thing, "__dataclass_fields__"):
            return self.construct(thing, e)
        if inspect.isfunction(thing):
            return self.call_function(thing, None, self.arguments(thing, e), e)
        self.refuse(
            e, f"`{ast.unparse(e.func)}` is no model function", "define it in the model with `def`, or inline it"
        )

    def arguments(self, function: Callable[..., Any], e: ast.Call, skip_self: bool = False) -> list[Value]:
        """The call's arguments in the order of the function's parameters."""
        source_of(function)  # Whatever is wrong with the function comes before what is wrong with the call.
        parameters = parameters_of(function)
        names = list(parameters)[int(skip_self) :]
        if skip_self and not parameters:
            self.refuse(e, f"`{ast.unparse(e.func)}` has no parameter for its record", "write `self` as its first one")
        given: dict[str, Value] = {}
        if len(e.args) > len(names):
            self.refuse(e, f"`{ast.unparse(e)}` has too many arguments", f"it takes {len(names)}")
        for name, argument in zip(names, e.args, strict=False):
            given[name] = self.expression(argument)
        for keyword in e.keywords:
            name = str(keyword.arg)
            if name not in names:
                self.refuse(e, f"`{ast.unparse(e)}` has no parameter {name!r}", suggestion(name, names))
            if name in given:
                self.refuse(e, f"`{ast.unparse(e)}` gives the argument {name!r} twice", "pass it once")
            given[name] = self.expression(keyword.value)
        for name in names:
            if name not in given:
                if parameters[name] is REQUIRED:
                    self.refuse(e, f"`{ast.unparse(e)}` lacks the argument {name!r}", "pass it")
                given[name] = self.constant(parameters[name], e)
        return [given[name] for name in names]

    def temporary(self, shape: Record) -> tuple[str, Ref]:
        """A new record that lives in no field yet."""
        self.context.temporaries += 1
        self.context.clock += 1
        path = f"%{self.context.temporaries}"
        return path, Ref(((self.graph.true, path),), shape, fresh=True, born=self.context.clock)

    def construct(self, cls: type, e: ast.Call) -> Value:
        """A record made on the spot: its defaults, then the given fields."""
        shape = record_shape(cls, self.context.scope)
        if any(isinstance(field, FixedArray) for field in shape.fields.values()):
            self.refuse(
                e,
                f"{cls.__name__} has arrays, whose size the scenario gives",
                "use clear(record) on the one in the state",
            )
        if e.args:
            self.refuse(e, f"`{ast.unparse(e)}` sets fields by position", "name them: field=value")
        path, ref = self.temporary(shape)
        for leaf, scalar, _ in leaves(shape, path):
            self.context.env[leaf] = self.zero(scalar)
        for keyword in e.keywords:
            name = str(keyword.arg)
            if name not in shape.fields:
                self.refuse(e, f"{cls.__name__} has no field {name!r}", suggestion(name, shape.fields))
            self.store(
                [(self.graph.true, join(path, name))], shape.fields[name], self.expression(keyword.value), keyword.value
            )
        given = {keyword.arg for keyword in e.keywords}
        for missing in dataclasses.fields(cls):
            if missing.name not in given and missing.default is missing.default_factory is dataclasses.MISSING:
                self.refuse(e, f"`{ast.unparse(e)}` lacks the field {missing.name!r}", "pass it or give it a default")
        return ref

    def zero(self, scalar: Scalar) -> Expr:
        return self.graph.boolean(bool(scalar.zero)) if scalar.is_bool else self.graph.integer(scalar.zero)

    @abstractmethod
    def store(self, places: list[tuple[Expr, str]], shape: Shape, value: Value, at: ast.AST) -> None:
        """See statements.py."""

    @abstractmethod
    def word(self, name: str, e: ast.Call) -> Value:
        """See words.py."""
