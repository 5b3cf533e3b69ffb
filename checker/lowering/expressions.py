"""Expressions of the model language, as values of the graph."""

from __future__ import annotations

import ast
import builtins
import enum
import inspect
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from podproof.checker.core.graph import Expr, Graph, Op
from podproof.checker.core.shapes import FixedArray, Record, Scalar, check_method, is_nil, join, leaves, members
from podproof.checker.lowering.source import Source, suggestion, text_of
from podproof.checker.lowering.values import (
    BoundMethod,
    CannotMerge,
    Execution,
    NeedsFixed,
    Occurrence,
    Places,
    Ref,
    Said,
    Static,
    Super,
    Text,
    TypedValue,
    Unset,
    Value,
    is_nil_here,
    merge_values,
    number_of,
    same,
    sort_name,
)

_ORDER: Mapping[type[ast.cmpop], Callable[[Graph, Expr, Expr], Expr]] = {
    ast.Lt: Graph.lt,
    ast.LtE: Graph.le,
    ast.Gt: lambda g, a, b: g.lt(b, a),
    ast.GtE: lambda g, a, b: g.le(b, a),
}
BUILTINS = {id(thing): thing.__name__ for thing in (len, range, min, max, super)}


class ExpressionLowering(ABC):
    """Lowers the expressions of one activation of a function, but for calls, which run statements."""

    def __init__(self, context: Execution, source: Source, owner: type | None) -> None:
        self.context, self.graph, self.source, self.owner = context, context.graph, source, owner
        self.locals: dict[str, Value] = {}
        self.refuse = source.refuse

    @abstractmethod
    def call(self, e: ast.Call) -> Value:
        """See statements.py."""

    # -- reading -------------------------------------------------------------------------------------------------
    def expression(self, e: ast.expr) -> Value:
        match e:
            case ast.Name():
                return self.name(e)
            case ast.Attribute():
                return self.attribute(e)
            case ast.Call():
                return self.call(e)
            case ast.Subscript():
                return self.read(self.element(e), e)
            case ast.Constant(value=bool() | int() as value):
                return self.constant(value, e)
            case ast.Tuple():
                return tuple(self.expression(x) for x in e.elts)
            case ast.UnaryOp(op=ast.Not()):
                return TypedValue(self.graph.not_(self.boolean(e.operand)), bool)
            case ast.UnaryOp(op=ast.USub()):
                number = self.as_number(self.expression(e.operand), e.operand)
                return TypedValue(self.graph.sub(self.graph.integer(0), number), int)
            case ast.BoolOp():
                return self.junction(e)
            case ast.Compare():
                return self.comparison(e)
            case ast.BinOp(op=op):
                return self.sum(self.expression(e.left), op, self.expression(e.right), e.left, e.right)
            case ast.IfExp():
                return self.conditional(e)
            case ast.Constant():
                self.refuse(e, f"`{ast.unparse(e)}` is outside the model language", "use an enumeration")
        raise NotImplementedError(type(e).__name__)  # The grammar has let it through.

    def constant(self, value: object, at: ast.AST) -> Value:
        """What a constant, a global name or a default stands for."""
        if isinstance(value, enum.Enum):
            return self.member(value, at)
        if type(value) is bool:
            return TypedValue(self.graph.boolean(value), bool)
        if is_nil(value):
            return TypedValue(self.graph.integer(0), int, nil=0)
        if type(value) is int:
            return TypedValue(self.graph.integer(value), int)
        if inspect.isfunction(value) or isinstance(value, type):
            return Static(value)
        self.refuse(
            at,
            f"`{ast.unparse(at)}` is of type {type(value).__name__}, which is outside the model language",
            "there are bools, numbers, enumerations, functions and records",
        )

    def member(self, value: enum.Enum, at: ast.AST) -> Value:
        """The value of an enumeration's member. A claim may ask for one that the model does not have."""
        cls = type(value)
        known = members(cls, self.context.scope)
        if value in known:
            return TypedValue(self.graph.integer(known.index(value)), cls)
        if not self.context.read_only:
            what = f"`{ast.unparse(at)}` is a new member of {cls.__name__} that the model's own file does not have"
            self.refuse(at, what, f"write `{value.name} = new_member(…)` at the top level of that file")
        strangers = self.context.strangers
        index = strangers.setdefault(value, len(known) + len(strangers))
        return TypedValue(self.graph.integer(index), cls)

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
            return self.narrow(value)
        function = self.source.function
        if e.id in function.__code__.co_varnames:
            self.refuse(e, f"`{e.id}` is used before it is set", "a name that a function sets is its own all through")
        if e.id in function.__globals__:
            return self.constant(function.__globals__[e.id], e)
        if e.id in BUILTINS.values():
            return Static(getattr(builtins, e.id))
        if hasattr(builtins, e.id):
            allowed = ", ".join(sorted(BUILTINS.values()))
            self.refuse(
                e,
                f"`{e.id}` is outside the model language",
                f"of Python's own functions there are {allowed}; write a loop",
            )
        known = {*self.locals, *(n for n in function.__globals__ if not n.startswith("_"))}
        self.refuse(e, f"nothing is called `{e.id}` here", suggestion(e.id, known, "define it or import it"))

    def check_alias(self, ref: Ref, at: ast.AST) -> None:
        """Refuse a record that was stored or replaced since it was looked up: Python and a copy would disagree."""
        self.check_places(ref.places, ref.born, at)

    def check_places(self, places: Iterable[tuple[Expr, str]], looked_up: int, at: ast.AST) -> None:
        for _, path in places:
            for stored, line in self.context.stored.items():
                if _is_below(path, stored):
                    self.refuse(
                        at, f"`{ast.unparse(at)}` was stored on line {line}", "read it from where it was stored"
                    )
            for replaced, (when, line) in self.context.replaced.items():
                if when > looked_up and _is_below(path, replaced):
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
                    is_new = any(member.name == e.attr for member in members(cls, self.context.scope))
                    instead = f"write `{e.attr}` alone, as it is new" if is_new else suggestion(e.attr, cls.__members__)
                    self.refuse(e, f"{cls.__name__} has no member {e.attr!r}", instead)
                return self.constant(getattr(cls, e.attr), e)
            case Occurrence():
                return self.of_occurrence(base, e)
        self.refuse(
            e,
            f"`{ast.unparse(e)}`: only records and enumerations have attributes in the model language",
            "import functions by name" if isinstance(base, Static) else "numbers, bools and arrays have none",
        )

    def of_occurrence(self, base: Occurrence, e: ast.Attribute) -> Value:
        """What a claim reads of the step: its action, its actor, or a parameter, which not every action has."""
        if e.attr in ("action", "actor"):
            return Said(base, e.attr)
        if isinstance(value := base.ask("parameter", e.attr), TypedValue):
            return self.narrow(value)
        what = f"the action {base.action.name!r} has no parameter {e.attr!r}"
        ask = f'ask for it where `{ast.unparse(e.value)}.action == "…"` holds of an action that has it'
        self.refuse(e, what, suggestion(e.attr, base.parameters, ask))

    def field(self, base: Ref, e: ast.Attribute) -> Places:
        """The places and the shape of a record's field."""
        assert isinstance(base.shape, Record)
        self.check_alias(base, e.value)
        if e.attr not in base.shape.fields:
            name = base.shape.cls.__name__
            self.refuse(e, f"{name} has no field {e.attr!r}", suggestion(e.attr, base.shape.fields))
        return [(guard, join(path, e.attr)) for guard, path in base.places], base.shape.fields[e.attr]

    def method(self, receiver: Ref, cls: type, mro: tuple[type, ...], e: ast.Attribute) -> Value:
        for owner in mro:
            if e.attr not in vars(owner):
                continue
            if not inspect.isfunction(vars(owner)[e.attr]):
                kind = type(vars(owner)[e.attr]).__name__
                self.refuse(
                    e, f"{owner.__name__}.{e.attr} is no method but of type {kind}", "write a plain method or a field"
                )
            return BoundMethod(check_method(owner, e.attr), owner, receiver)
        known = {n for c in mro for n, f in c.__dict__.items() if inspect.isfunction(f) and not n.startswith("__")}
        fields = receiver.shape.fields if isinstance(receiver.shape, Record) else ()
        self.refuse(e, f"{cls.__name__} has no field or method {e.attr!r}", suggestion(e.attr, known | {*fields}))

    def element(self, e: ast.Subscript) -> Places:
        """The places and the shape of an array's element; an index out of range is a fault on this path."""
        base = self.expression(e.value)
        if not isinstance(base, Ref) or not isinstance(base.shape, FixedArray):
            self.refuse(e, f"`{ast.unparse(e.value)}` is no array", "index arrays only")
        value, length = self.expression(e.slice), base.shape.length
        if isinstance(value, TypedValue) and value.nil is not None and not 0 <= value.nil < length:
            value = replace(value, is_set=True)  # As an index nil is out of range anyway.
        index = self.as_number(value, e.slice)
        self.check_alias(base, e.value)
        if index.op is Op.PARAM and not self.context.read_only:
            raise NeedsFixed(str(index.value))
        inside = self.graph.and_(
            self.graph.le(self.graph.integer(0), index), self.graph.lt(index, self.graph.integer(length))
        )
        text = text_of(e)
        if inside is self.graph.false and not self.context.is_dead:
            found = str(index.value) if index.is_const else f"{index.low}..{index.high}"
            known = f"the array's indices are 0..{length - 1}" if length else f"the size {base.shape.size!r} is 0 here"
            self.refuse(e, f"index {found} of `{text}` is out of range", known)
        if inside is not self.graph.true:
            fault = f"{self.source.line(e)}: the index of `{text}` is out of range 0..{length - 1}"
            self.context.fail(fault, self.graph.not_(inside))
        places = []
        for guard, path in base.places:
            for i in range(max(0, index.low), min(length - 1, index.high) + 1):
                here = self.graph.and_(guard, self.graph.eq(index, self.graph.integer(i)))
                if here is not self.graph.false:
                    places.append((here, f"{path}[{i}]"))
        if not places:  # Where no execution comes, any element will do; an empty array is given one for that.
            places = [(self.graph.true, f"{base.places[0][1]}[0]")]
            for leaf, scalar, _ in leaves(base.shape.element, places[0][1]):
                if leaf not in self.context.start:
                    self.context.env.setdefault(leaf, self.graph.constant(scalar.is_bool, scalar.zero))
        return places, base.shape.element

    def read(self, target: Places, at: ast.AST) -> Value:
        """The value at some places: a node for a scalar, else a reference."""
        places, shape = target
        if not isinstance(shape, Scalar):
            return Ref(tuple(places), shape, born=self.context.clock)
        for _, path in places:
            if path in self.context.nil_stored:
                line = self.context.nil_stored[path].number
                what = f"`{text_of(at)}` may be nil since line {line}, and its domain has no NIL"
                self.refuse(at, what, "write `assert … != NIL` before that line, or give the domain NIL")
        value = self.context.leaf(places[-1][1])
        for guard, path in reversed(places[:-1]):
            value = self.graph.ite(guard, self.context.leaf(path), value)
        return self.narrow(TypedValue(value, shape.sort, shape.nil))

    def narrow(self, value: Value) -> Value:
        """The value, known to be set where a condition that leads here says so."""
        if isinstance(value, TypedValue) and value.may_be_nil:
            return replace(value, is_set=self.context.holds(self.graph.not_(is_nil_here(self.graph, value))))
        return value

    # -- sorts ---------------------------------------------------------------------------------------------------
    def boolean(self, e: ast.expr) -> Expr:
        value = self.expression(e)
        if isinstance(value, TypedValue) and value.sort is bool:
            return value.node
        found = f"a {sort_name(value.sort)}" if isinstance(value, TypedValue) else "no truth value"
        self.refuse(e, f"`{ast.unparse(e)}` is {found}", "write a comparison, which gives a bool")

    def as_number(self, value: Value, e: ast.expr) -> Expr:
        """The node of a value that is a number; where it is nil, Go would panic here."""
        if not isinstance(value, TypedValue) or value.sort is not int:
            found = f"a {sort_name(value.sort)}" if isinstance(value, TypedValue) else "no number"
            self.refuse(e, f"`{ast.unparse(e)}` is {found}", "a number is needed here")
        if value.may_be_nil:
            self.context.fail(f"{self.source.line(e)}: `{text_of(e)}` is nil", is_nil_here(self.graph, value))
        return number_of(self.graph, value)

    def sum(self, a: Value, op: ast.operator, b: Value, left: ast.expr, right: ast.expr) -> TypedValue:
        """The sum or difference of two values, of which Python has looked up both before it adds them."""
        combine = self.graph.add if isinstance(op, ast.Add) else self.graph.sub
        return TypedValue(combine(self.as_number(a, left), self.as_number(b, right)), int)

    # -- operators -----------------------------------------------------------------------------------------------
    def lower_under(self, condition: Expr, e: ast.expr, lower: Callable[[ast.expr], Any]) -> Any:
        """Lower an operand that Python evaluates only where `condition` holds."""
        if condition is self.graph.true:
            return lower(e)
        before = self.context.env
        self.context.env = dict(before)
        with self.context.assuming(condition):
            value = lower(e)
        self.context.env = self.context.merge(condition, self.context.env, before)
        return value

    def junction(self, e: ast.BoolOp) -> Value:
        is_and, out = isinstance(e.op, ast.And), self.boolean(e.values[0])
        for operand in e.values[1:]:
            if out is self.graph.boolean(not is_and):
                break
            value = self.lower_under(out if is_and else self.graph.not_(out), operand, self.boolean)
            out = self.graph.and_(out, value) if is_and else self.graph.or_(out, value)
        return TypedValue(out, bool)

    def conditional(self, e: ast.IfExp) -> Value:
        condition = self.boolean(e.test)
        if condition.is_const:
            return self.expression(e.body if condition.value else e.orelse)
        then = self.lower_under(condition, e.body, self.expression)
        other = self.lower_under(self.graph.not_(condition), e.orelse, self.expression)
        try:
            return merge_values(self.graph, condition, then, other)
        except CannotMerge as error:
            self.refuse(e, f"`{ast.unparse(e)}` {error}", error.instead)

    def comparison(self, e: ast.Compare) -> Value:
        """A chain: an operand after the second is evaluated only where the comparisons before it hold."""
        out, left = self.graph.true, self.operand(e.left)
        for op, comparator in zip(e.ops, e.comparators, strict=True):

            def link(comparator: ast.expr, left: Value = left, op: ast.cmpop = op) -> tuple[Value, Expr]:
                right = self.operand(comparator)
                return right, self.compare(left, op, right, e)

            left, holds = self.lower_under(out, comparator, link)
            out = self.graph.and_(out, holds)
        return TypedValue(out, bool)

    def operand(self, e: ast.expr) -> Value:
        """What is compared; here alone a text may stand."""
        match e:
            case ast.Constant(value=str() as text):
                return Text(text)
            case ast.Tuple():
                return tuple(self.operand(x) for x in e.elts)
        return self.expression(e)

    def compare_text(self, a: Value, op: ast.cmpop, b: Value, at: ast.Compare) -> Expr:
        """A text that is written out, with one of those that an occurrence may say."""
        said, written = (a, b) if isinstance(a, Said) else (b, a)
        if not isinstance(said, Said) or not isinstance(op, ast.Eq | ast.NotEq):
            text = next((repr(side.value) for side in (written, said) if isinstance(side, Text)), ast.unparse(at))
            self.refuse(at, f"`{text}` is outside the model language", "use an enumeration")
        if not isinstance(written, Text):
            self.refuse(at, f"`{ast.unparse(at)}` compares a text with what is none", "compare it with a text")
        known = said.occurrence.known[said.about]
        if written.value not in known:
            self.refuse(at, f"no step is of {written.value!r}", suggestion(written.value, known))
        return self.graph.boolean(said.occurrence.ask(said.about, written.value) == isinstance(op, ast.Eq))

    def compare(self, a: Value, op: ast.cmpop, b: Value, at: ast.Compare) -> Expr:
        if isinstance(op, ast.In | ast.NotIn):
            if not isinstance(b, tuple):
                self.refuse(at, f"`{ast.unparse(at)}`: `in` needs a tuple written out", "write `x in (a, b)`")
            found = self.graph.or_(*(self.compare(a, ast.Eq(), item, at) for item in b))
            return found if isinstance(op, ast.In) else self.graph.not_(found)
        if isinstance(a, Text | Said) or isinstance(b, Text | Said):
            return self.compare_text(a, op, b, at)
        if not isinstance(a, TypedValue) or not isinstance(b, TypedValue):
            self.refuse(
                at, f"`{ast.unparse(at)}` compares what is no bool, number or enumeration", "compare single fields"
            )
        if a.sort is not b.sort:
            sorts = f"a {sort_name(a.sort)} with a {sort_name(b.sort)}"
            self.refuse(
                at, f"`{ast.unparse(at)}` compares {sorts}", "the two are never equal; compare values of one type"
            )
        if type(op) in _ORDER:
            if a.sort is not int:
                self.refuse(
                    at, f"`{ast.unparse(at)}` orders values of {sort_name(a.sort)}", "only numbers have an order"
                )
            return _ORDER[type(op)](self.graph, self.as_number(a, at), self.as_number(b, at))
        equal = same(self.graph, a, b)
        return equal if isinstance(op, ast.Eq) else self.graph.not_(equal)


def _is_below(path: str, record: str) -> bool:
    return path == record or path.startswith((record + ".", record + "["))
