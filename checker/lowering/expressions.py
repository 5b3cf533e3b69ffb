"""Expressions of the model language, as values of the graph."""

from __future__ import annotations

import ast
import builtins
import enum
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from podproof.checker.graph import Graph, Node, Op
from podproof.checker.lowering.source import Source, suggestion
from podproof.checker.lowering.values import (
    Bound,
    CannotMerge,
    Environment,
    Nothing,
    Ref,
    Static,
    Super,
    Typed,
    Unset,
    Value,
    merge_environments,
    merge_values,
    sort_name,
)
from podproof.checker.shapes import FixedArray, Record, Scalar, Scope, Shape, join, leaves, members, record_shape


class NeedsFixed(Exception):
    """A parameter indexes an array: the action is lowered once for each of its values."""

    def __init__(self, parameter: str) -> None:
        super().__init__(parameter)
        self.parameter = parameter


@dataclass
class Context:
    """What the lowering of one action or claim carries through all the functions it calls."""

    graph: Graph
    scope: Scope
    env: Environment
    temporaries: int = 0
    clock: int = 0
    replaced: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Path of a record that was replaced -> (when, source line)."""
    stored: dict[str, int] = field(default_factory=dict)
    """Path of a temporary record that was stored -> source line."""
    stack: list[Source] = field(default_factory=list)
    touched: bool = False
    """Has the state been assigned to?"""
    read_only: bool = False
    """Is this a claim, which may not assign to the state?"""

    def flag(self, key: str, condition: Node) -> None:
        """Remember that `condition` was met on the present path."""
        if condition is not self.graph.false:
            self.env[key] = self.graph.or_(self.env.get(key, self.graph.false), condition)


_COMPARE: Mapping[type[ast.cmpop], Callable[[Graph, Node, Node], Node]] = {
    ast.Eq: Graph.eq,
    ast.NotEq: lambda g, a, b: g.not_(g.eq(a, b)),
    ast.Lt: Graph.lt,
    ast.LtE: Graph.le,
    ast.Gt: lambda g, a, b: g.lt(b, a),
    ast.GtE: lambda g, a, b: g.le(b, a),
}
_BUILTINS = {id(thing): thing.__name__ for thing in (len, range, min, max, super)}
_ORDER = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_INSTEAD = "use assignments, if/elif/else, for over a fixed range, calls and return"


class ExpressionLowering:
    """Lowers the expressions of one activation of a function. Statements are added by a subclass."""

    def __init__(self, context: Context, source: Source, owner: type | None) -> None:
        self.context, self.graph, self.source, self.owner = context, context.graph, source, owner
        self.locals: dict[str, Value] = {}

    def call_function(self, function: Callable[..., Any], owner: type | None, args: list[Value], at: ast.AST) -> Value:
        raise NotImplementedError("see statements.py")

    def refuse(self, at: ast.AST, what: str, instead: str = _INSTEAD) -> Any:
        self.source.refuse(at, what, instead)

    # -- reading -------------------------------------------------------------------------------------------------
    def expression(self, e: ast.expr) -> Value:
        match e:
            case ast.Constant(value=bool() | int() as value):
                return self.constant(value)
            case ast.Name():
                return self.name(e)
            case ast.Attribute():
                return self.attribute(e)
            case ast.Subscript():
                return self.read(self.element(e), e)
            case ast.Tuple():
                return tuple(self.expression(x) for x in e.elts)
            case ast.UnaryOp(op=ast.Not()):
                return Typed(self.graph.not_(self.boolean(e.operand)), bool)
            case ast.UnaryOp(op=ast.USub()):
                return Typed(self.graph.sub(self.graph.integer(0), self.number(e.operand)), int)
            case ast.BoolOp():
                return self.junction(e)
            case ast.Compare():
                return self.comparison(e)
            case ast.BinOp(op=ast.Add()):
                return Typed(self.graph.add(self.number(e.left), self.number(e.right)), int)
            case ast.BinOp(op=ast.Sub()):
                return Typed(self.graph.sub(self.number(e.left), self.number(e.right)), int)
            case ast.IfExp():
                return self.conditional(e)
            case ast.Call():
                return self.call(e)
        return self.refuse(e, f"`{ast.unparse(e)}` ({type(e).__name__}) is outside the model language")

    def constant(self, value: object) -> Value:
        if isinstance(value, bool):
            return Typed(self.graph.boolean(value), bool)
        if isinstance(value, enum.Enum):
            return Typed(self.graph.integer(members(type(value)).index(value)), type(value))
        if isinstance(value, int):
            return Typed(self.graph.integer(value), int)
        return Static(value)

    def name(self, e: ast.Name) -> Value:
        if e.id in self.locals:
            value = self.locals[e.id]
            if isinstance(value, Unset):
                self.refuse(
                    e,
                    f"`{e.id}` is set on one branch only (line {value.line})",
                    "give it a value on every branch, or before the `if`",
                )
            if isinstance(value, Ref):
                self.check_alias(value, e)
            return value
        function = self.source.function
        if e.id in function.__globals__:
            return self.constant(function.__globals__[e.id])
        if e.id in _BUILTINS.values():
            return Static(getattr(builtins, e.id))
        known = {*self.locals, *(n for n in function.__globals__ if not n.startswith("_"))}
        return self.refuse(e, f"nothing is called `{e.id}` here", suggestion(e.id, known))

    def check_alias(self, ref: Ref, at: ast.AST) -> None:
        """Refuse a name whose record was stored or replaced since: Python and a copy would disagree about it."""
        for _, path in ref.places:
            for stored, line in self.context.stored.items():
                if _is_below(path, stored):
                    self.refuse(
                        at, f"`{ast.unparse(at)}` was stored on line {line}", "read it from where it was stored"
                    )
            for replaced, (when, line) in self.context.replaced.items():
                if when > ref.born and _is_below(path, replaced):
                    self.refuse(
                        at,
                        f"`{ast.unparse(at)}` names a record that line {line} replaced",
                        "read it again after the assignment",
                    )

    def attribute(self, e: ast.Attribute) -> Value:
        base = self.expression(e.value)
        match base:
            case Ref(shape=Record() as shape):
                if e.attr in shape.fields:
                    return self.read(self.field(base, e), e)
                return self.method(base, shape.cls, shape.cls.__mro__, e)
            case Super():
                mro = base.receiver.shape.cls.__mro__
                return self.method(base.receiver, base.owner, mro[mro.index(base.owner) + 1 :], e)
            case Static(thing=type() as cls) if issubclass(cls, enum.Enum):
                if e.attr not in cls.__members__:
                    self.refuse(e, f"{cls.__name__} has no member {e.attr!r}", suggestion(e.attr, cls.__members__))
                return self.constant(cls[e.attr])
        return self.refuse(
            e, f"`{ast.unparse(e)}`: only records and enumerations have attributes in the model language"
        )

    def field(self, base: Ref, e: ast.Attribute) -> tuple[list[tuple[Node, str]], Shape]:
        """The places and the shape of a record's field."""
        assert isinstance(base.shape, Record)
        if e.attr not in base.shape.fields:
            name = base.shape.cls.__name__
            self.refuse(e, f"{name} has no field {e.attr!r}", suggestion(e.attr, base.shape.fields))
        return [(guard, join(path, e.attr)) for guard, path in base.places], base.shape.fields[e.attr]

    def method(self, receiver: Ref, cls: type, mro: tuple[type, ...], e: ast.Attribute) -> Value:
        for owner in mro:
            found = owner.__dict__.get(e.attr)
            if found is None:
                continue
            if not inspect.isfunction(found):
                kind = type(found).__name__
                self.refuse(e, f"{owner.__name__}.{e.attr} is a {kind}", "the model language has plain methods only")
            return Bound(found, owner, receiver)
        known = {n for c in mro for n, f in c.__dict__.items() if inspect.isfunction(f) and not n.startswith("__")}
        fields = receiver.shape.fields if isinstance(receiver.shape, Record) else ()
        return self.refuse(
            e, f"{cls.__name__} has no field or method {e.attr!r}", suggestion(e.attr, known | {*fields})
        )

    def element(self, e: ast.Subscript) -> tuple[list[tuple[Node, str]], Shape]:
        """The places and the shape of an array's element; an index out of range is a fault on this path."""
        base = self.expression(e.value)
        if not isinstance(base, Ref) or not isinstance(base.shape, FixedArray):
            self.refuse(e, f"`{ast.unparse(e.value)}` is no array", "index arrays only")
        assert isinstance(base, Ref) and isinstance(base.shape, FixedArray)
        index, length = self.number(e.slice), base.shape.length
        if index.op is Op.PARAM:
            raise NeedsFixed(str(index.value))
        inside = self.graph.and_(
            self.graph.le(self.graph.integer(0), index), self.graph.lt(index, self.graph.integer(length))
        )
        text = ast.unparse(e)
        if inside is self.graph.false:
            found = str(index.value) if index.is_const else f"{index.low}..{index.high}"
            self.refuse(
                e,
                f"index {found} of `{text}` is out of range: the array has {length} elements",
                "index it with 0 up to its length",
            )
        self.context.flag(
            f"%fault:{self.source.line(e)}: the index of `{text}` is out of range 0..{length - 1}",
            self.graph.not_(inside),
        )
        places = []
        for guard, path in base.places:
            for i in range(max(0, index.low), min(length - 1, index.high) + 1):
                here = self.graph.and_(guard, self.graph.eq(index, self.graph.integer(i)))
                if here is not self.graph.false:
                    places.append((here, f"{path}[{i}]"))
        return places, base.shape.element

    def read(self, target: tuple[list[tuple[Node, str]], Shape], at: ast.AST) -> Value:
        """The value at some places: a node for a scalar, else a reference."""
        places, shape = target
        if not isinstance(shape, Scalar):
            return Ref(tuple(places), shape, born=self.context.clock)
        value = self.context.env[places[-1][1]]
        for guard, path in reversed(places[:-1]):
            value = self.graph.ite(guard, self.context.env[path], value)
        return Typed(value, shape.sort)

    # -- sorts ---------------------------------------------------------------------------------------------------
    def boolean(self, e: ast.expr) -> Node:
        value = self.expression(e)
        if isinstance(value, Typed) and value.sort is bool:
            return value.node
        found = f"a {sort_name(value.sort)}" if isinstance(value, Typed) else "no truth value"
        return self.refuse(e, f"`{ast.unparse(e)}` is {found}", "write a comparison such as `!= 0`")

    def number(self, e: ast.expr) -> Node:
        value = self.expression(e)
        if isinstance(value, Typed) and value.sort is int:
            return value.node
        found = f"a {sort_name(value.sort)}" if isinstance(value, Typed) else "no number"
        return self.refuse(e, f"`{ast.unparse(e)}` is {found}", "a number is needed here")

    # -- operators -----------------------------------------------------------------------------------------------
    def guarded(self, condition: Node, e: ast.expr, lower: Callable[[ast.expr], Any]) -> Any:
        """Lower an operand that Python evaluates only where `condition` holds."""
        before = self.context.env
        self.context.env = dict(before)
        value = lower(e)
        self.context.env = merge_environments(self.graph, condition, self.context.env, before)
        return value

    def junction(self, e: ast.BoolOp) -> Value:
        conjunction = isinstance(e.op, ast.And)
        out = self.boolean(e.values[0])
        for operand in e.values[1:]:
            if out is self.graph.boolean(not conjunction):
                break
            if conjunction:
                out = self.graph.and_(out, self.guarded(out, operand, self.boolean))
            else:
                out = self.graph.or_(out, self.guarded(self.graph.not_(out), operand, self.boolean))
        return Typed(out, bool)

    def conditional(self, e: ast.IfExp) -> Value:
        condition = self.boolean(e.test)
        if condition.is_const:
            return self.expression(e.body if condition.value else e.orelse)
        then = self.guarded(condition, e.body, self.expression)
        other = self.guarded(self.graph.not_(condition), e.orelse, self.expression)
        try:
            return merge_values(self.graph, condition, then, other)
        except CannotMerge as error:
            return self.refuse(e, f"`{ast.unparse(e)}` {error}", "give both branches the same kind of value")

    def comparison(self, e: ast.Compare) -> Value:
        out, left = self.graph.true, e.left
        for op, right in zip(e.ops, e.comparators, strict=True):
            out = self.graph.and_(out, self.compare(left, op, right, e))
            left = right
        return Typed(out, bool)

    def compare(self, left: ast.expr, op: ast.cmpop, right: ast.expr, at: ast.Compare) -> Node:
        if isinstance(op, ast.In | ast.NotIn):
            if not isinstance(right, ast.Tuple):
                self.refuse(at, f"`{ast.unparse(at)}`: `in` needs a tuple written out", "write `x in (a, b)`")
            assert isinstance(right, ast.Tuple)
            found = self.graph.or_(*(self.compare(left, ast.Eq(), item, at) for item in right.elts))
            return found if isinstance(op, ast.In) else self.graph.not_(found)
        if type(op) not in _COMPARE:
            self.refuse(
                at,
                f"`{ast.unparse(at)}`: `is` compares identity",
                "write == or !=; optional numbers are compared with NIL",
            )
        a, b = self.expression(left), self.expression(right)
        if not isinstance(a, Typed) or not isinstance(b, Typed):
            return self.refuse(
                at, f"`{ast.unparse(at)}` compares what is no bool, number or enumeration", "compare single fields"
            )
        if a.sort is not b.sort:
            found = f"a {sort_name(a.sort)} with a {sort_name(b.sort)}"
            self.refuse(
                at, f"`{ast.unparse(at)}` compares {found}", "the two are never equal; compare values of one type"
            )
        if isinstance(op, _ORDER) and a.sort is not int:
            self.refuse(at, f"`{ast.unparse(at)}` orders values of {sort_name(a.sort)}", "only numbers have an order")
        return _COMPARE[type(op)](self.graph, a.node, b.node)

    # -- calls ---------------------------------------------------------------------------------------------------
    def call(self, e: ast.Call) -> Value:
        callee = self.expression(e.func)
        match callee:
            case Bound():
                args = [callee.receiver, *self.arguments(callee.function, e, skip_self=True)]
                return self.call_function(callee.function, callee.owner, args, e)
            case Static(thing=thing):
                return self.call_static(thing, e)
        return self.refuse(e, f"`{ast.unparse(e.func)}` cannot be called", "call methods and model functions")

    def call_static(self, thing: Any, e: ast.Call) -> Value:
        word = getattr(thing, "__podproof__", None) or _BUILTINS.get(id(thing))
        if word is not None:
            return self.word(word, e)
        if isinstance(thing, type) and hasattr(thing, "__dataclass_fields__"):
            return self.construct(thing, e)
        if inspect.isfunction(thing):
            return self.call_function(thing, None, self.arguments(thing, e), e)
        return self.refuse(
            e, f"`{ast.unparse(e.func)}` is no model function", "define it in the model with `def`, or inline it"
        )

    def arguments(self, function: Callable[..., Any], e: ast.Call, skip_self: bool = False) -> list[Value]:
        """The call's arguments in the order of the function's parameters."""
        parameters = [p for p in inspect.signature(function).parameters.values()][int(skip_self) :]
        given: dict[str, Value] = {}
        if len(e.args) > len(parameters):
            self.refuse(e, f"`{ast.unparse(e)}` has too many arguments", f"it takes {len(parameters)}")
        for parameter, argument in zip(parameters, e.args, strict=False):
            given[parameter.name] = self.expression(argument)
        for keyword in e.keywords:
            names = [p.name for p in parameters]
            if keyword.arg not in names:
                self.refuse(
                    e, f"`{ast.unparse(e)}` has no parameter {keyword.arg!r}", suggestion(str(keyword.arg), names)
                )
            given[str(keyword.arg)] = self.expression(keyword.value)
        for parameter in parameters:
            if parameter.name not in given:
                if parameter.default is inspect.Parameter.empty:
                    self.refuse(e, f"`{ast.unparse(e)}` lacks the argument {parameter.name!r}", "pass it")
                given[parameter.name] = self.constant(parameter.default)
        return [given[p.name] for p in parameters]

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
        return ref

    def zero(self, scalar: Scalar) -> Node:
        return self.graph.boolean(bool(scalar.zero)) if scalar.is_bool else self.graph.integer(scalar.zero)

    def store(self, places: list[tuple[Node, str]], shape: Shape, value: Value, at: ast.AST) -> None:
        raise NotImplementedError("see statements.py")

    def word(self, name: str, e: ast.Call) -> Value:
        raise NotImplementedError("see words.py")


def _is_below(path: str, record: str) -> bool:
    return path == record or path.startswith((record + ".", record + "["))
