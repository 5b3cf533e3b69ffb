"""Calls of the model language: which function is meant, its arguments, and records made on the spot."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import Any

from podproof.checker.core.graph import Expr
from podproof.checker.core.shapes import FixedArray, Record, Scalar, Shape, join, leaves, record_shape
from podproof.checker.lowering.expressions import BUILTINS, ExpressionLowering
from podproof.checker.lowering.source import REQUIRED, parameters_of, source_of, suggestion, word_of
from podproof.checker.lowering.values import (
    CUT,
    ENABLED,
    FAILED,
    BoundMethod,
    Nothing,
    Ref,
    Static,
    Super,
    TypedValue,
    Value,
)


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
            return WORDS[word](self, e)
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
        return self.graph.constant(scalar.is_bool, scalar.zero)

    @abstractmethod
    def store(self, places: list[tuple[Expr, str]], shape: Shape, value: Value, at: ast.AST) -> None:
        """See statements.py."""


# -- the words of the language, and the few builtins it has ------------------------------------------------------------


Lower = Callable[[CallLowering, ast.Call], Value]


def _text(self: CallLowering, e: ast.Call) -> str:
    match e.args:
        case [ast.Constant(value=str() as text)]:
            return text
    self.refuse(e, f"`{ast.unparse(e)}` needs one string", "write the text out")


def _require(self: CallLowering, e: ast.Call) -> Value:
    context = self.context
    if context.read_only:
        self.refuse(e, "`require` is for actions, and this is a claim", "return False or True instead")
    if len(e.args) != 1:
        self.refuse(e, "`require` takes one condition", "write require(a and b)")
    condition = self.boolean(e.args[0])
    if context.touched:
        self.refuse(e, "`require` comes after an assignment", "move it to the beginning of the action")
    # Where Python has stopped before, it never asks.
    asked = self.graph.or_(condition, context.when(FAILED), context.when(CUT))
    context.env[ENABLED] = self.graph.and_(context.env[ENABLED], asked)
    context.assume(condition)
    return Nothing()


def _out_of_bounds(self: CallLowering, e: ast.Call) -> Value:
    if self.context.read_only:
        self.refuse(e, "`out_of_bounds` is for actions, and this is a claim", "return False or True instead")
    self.context.cut(_text(self, e))
    return Nothing()


def _programmer_error(self: CallLowering, e: ast.Call) -> Value:
    self.context.flag(f"%line:{_text(self, e)}", self.graph.true)
    return Nothing()


def _record(self: CallLowering, e: ast.Call) -> Ref:
    match e.args:
        case [argument]:
            value = self.expression(argument)
            if isinstance(value, Ref) and isinstance(value.shape, Record):
                return value
    self.refuse(e, f"`{ast.unparse(e)}` needs one record", "pass a record")


def _copy(self: CallLowering, e: ast.Call) -> Value:
    original = _record(self, e)
    assert isinstance(original.shape, Record)
    path, ref = self.temporary(original.shape)
    for leaf, scalar, _ in leaves(original.shape):
        places = [(guard, join(place, leaf)) for guard, place in original.places]
        value = self.read((places, scalar), e)
        assert isinstance(value, TypedValue)
        self.context.env[join(path, leaf)] = value.node
    return ref


def _clear(self: CallLowering, e: ast.Call) -> Value:
    ref = _record(self, e)
    for leaf, scalar, _ in leaves(ref.shape):
        places = [(guard, join(place, leaf)) for guard, place in ref.places]
        self.store(places, scalar, TypedValue(self.zero(scalar), scalar.sort, scalar.nil), e)
    return Nothing()


def _len(self: CallLowering, e: ast.Call) -> Value:
    value = self.expression(e.args[0]) if len(e.args) == 1 else None
    if not isinstance(value, Ref) or not isinstance(value.shape, FixedArray):
        self.refuse(e, f"`{ast.unparse(e)}` needs one array", "take the length of an array")
    return TypedValue(self.graph.integer(value.shape.length), int)


def _extreme(smaller: bool) -> Callable[[CallLowering, ast.Call], Value]:
    def lower(self: CallLowering, e: ast.Call) -> Value:
        if len(e.args) != 2:
            self.refuse(e, f"`{ast.unparse(e)}` needs two numbers", "nest it for more")
        values = [self.expression(argument) for argument in e.args]
        a, b = (self.as_number(value, argument) for value, argument in zip(values, e.args, strict=True))
        first = self.graph.lt(a, b) if smaller else self.graph.lt(b, a)
        return TypedValue(self.graph.ite(first, a, b), int)

    return lower


def _super(self: CallLowering, e: ast.Call) -> Value:
    receiver = self.locals.get("self")
    if e.args or self.owner is None or not isinstance(receiver, Ref):
        self.refuse(e, "`super` works as `super().method(…)` in a method only", "name the function instead")
    return Super(receiver, self.owner)


def _range(self: CallLowering, e: ast.Call) -> Value:
    self.refuse(e, "`range` belongs in `for … in range(…)`", "use it there")


WORDS: Mapping[str, Lower] = {
    "require": _require,
    "out_of_bounds": _out_of_bounds,
    "programmer_error": _programmer_error,
    "copy": _copy,
    "clear": _clear,
    "len": _len,
    "min": _extreme(smaller=True),
    "max": _extreme(smaller=False),
    "super": _super,
    "range": _range,
}
