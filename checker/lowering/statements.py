"""Functions of the model language: assignments, branches that merge at their join, and calls, which are inlined."""

from __future__ import annotations

import ast
import dataclasses
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from podproof.checker.core.graph import Expr
from podproof.checker.core.shapes import FixedArray, Record, Scalar, Shape, join, leaves, record_shape
from podproof.checker.core.system import ModelError
from podproof.checker.lowering.expressions import BUILTINS, ExpressionLowering
from podproof.checker.lowering.source import REQUIRED, parameters_of, source_of, suggestion, text_of, word_of
from podproof.checker.lowering.values import (
    CUT,
    ENABLED,
    FAILED,
    BoundMethod,
    CannotMerge,
    Environment,
    Execution,
    Nothing,
    Places,
    Ref,
    Static,
    Super,
    TypedValue,
    Value,
    is_nil_here,
    merge_locals,
    merge_values,
    number_of,
    reaching,
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


class FunctionLowering(ExpressionLowering):
    """Lowers one activation of a function; `falls` says whether the block so far can be left at its end."""

    falls: bool = True

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
            self.context.env = self.context.merge(returned.condition, returned.env, self.context.env)
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
            if self.graph.line in self.context.probes:
                self.context.flag(f"%line:{reaching(self.graph.line)}", self.graph.true)
            if len(self.context.lines) > MOST_STATEMENTS:
                self.refuse(statement, f"this takes more than {MOST_STATEMENTS:,} statements", "make its loops shorter")
            returned = self.statement(statement)
            if returned is not None:
                self.context.assume(self.graph.not_(returned.condition))
            out = self.join_returns(out, returned, statement)
        del self.context.assumed[before:]
        return out

    def join_returns(self, first: ReturnPath | None, second: ReturnPath | None, at: ast.AST) -> ReturnPath | None:
        """What has returned after two statements in a row; the second ran where the first did not return."""
        if first is None or second is None:
            return first or second
        either = self.graph.or_(first.condition, second.condition)
        return self.merge_returns(first.condition, first, second, either, at)

    def merge_returns(
        self, side: Expr, then: ReturnPath, other: ReturnPath, condition: Expr, at: ast.AST
    ) -> ReturnPath:
        env = self.context.merge(side, then.env, other.env)
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
            self.context.env = self.context.merge(condition, env1, env2)
            try:
                self.locals = merge_locals(self.graph, condition, names1, names2, s.lineno)
            except CannotMerge as error:
                self.refuse(s, str(error), error.instead)
        else:
            self.context.env, self.locals = (env1, names1) if falls1 else (env2, names2)
        false = self.graph.false
        when = self.graph.ite(condition, r1.condition if r1 else false, r2.condition if r2 else false)
        if r1 and r2:
            return self.merge_returns(condition, r1, r2, when, s)
        one = r1 or r2
        return ReturnPath(when, one.env, one.value) if one else None

    def loop(self, s: ast.For) -> ReturnPath | None:
        assert isinstance(s.target, ast.Name)
        out: ReturnPath | None = None
        for i in self.fixed_range(s.iter):
            if not self.falls:
                break
            self.locals[s.target.id] = TypedValue(self.graph.integer(i), int)
            out = self.join_returns(out, self.block(s.body), s)
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
        node = self.code_of(value, scalar)
        for guard, path in places:
            if path in self.context.constants:
                self.refuse(at, f"{path} is a constant", "remove CONSTANT from its declaration, or do not write it")
            if value.may_be_nil and scalar.nil is None:
                self.context.nil_stored[path] = self.source.line(at)
            if node.low < scalar.low or node.high > scalar.high:
                self.context.written[path] = self.source.line(at)
            self.context.stores.append((path, node, self.graph.line))
            self.context.env[path] = self.graph.ite(guard, node, self.context.leaf(path))

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
            node = self.context.leaf(join(source, leaf))
            targets = [(guard, join(path, leaf)) for guard, path in places]
            if (stored := self.context.nil_stored.get(join(source, leaf))) is not None:
                self.context.nil_stored |= {path: stored for _, path in targets}
            self.store_scalar(targets, scalar, TypedValue(node, scalar.sort, scalar.nil), at)
        self.context.clock += 1
        line = self.source.line(at).number
        self.context.stored[source] = line
        for _, path in places:
            self.context.replaced[path] = (self.context.clock, line)

    # -- calls -----------------------------------------------------------------------------------------------------
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

    def call_function(self, function: Callable[..., Any], owner: type | None, args: list[Value], at: ast.AST) -> Value:
        source = source_of(function)
        if any(active.function is function for active in self.context.stack):
            chain = " -> ".join(s.tree.name for s in [*self.context.stack, source])
            self.refuse(at, f"recursion: {chain}", "use a `for` over a fixed range")
        inner = FunctionLowering(self.context, source, owner)
        inner.locals = dict(zip(parameters_of(function), args, strict=True))
        return inner.run()


# -- the words of the language, and the few builtins it has ------------------------------------------------------------


Lower = Callable[[FunctionLowering, ast.Call], Value]


def _text(self: FunctionLowering, e: ast.Call) -> str:
    match e.args:
        case [ast.Constant(value=str() as text)]:
            return text
    self.refuse(e, f"`{ast.unparse(e)}` needs one string", "write the text out")


def _require(self: FunctionLowering, e: ast.Call) -> Value:
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


def _out_of_bounds(self: FunctionLowering, e: ast.Call) -> Value:
    if self.context.read_only:
        self.refuse(e, "`out_of_bounds` is for actions, and this is a claim", "return False or True instead")
    self.context.cut(_text(self, e))
    return Nothing()


def _programmer_error(self: FunctionLowering, e: ast.Call) -> Value:
    self.context.flag(f"%line:{_text(self, e)}", self.graph.true)
    return Nothing()


def _record(self: FunctionLowering, e: ast.Call) -> Ref:
    match e.args:
        case [argument]:
            value = self.expression(argument)
            if isinstance(value, Ref) and isinstance(value.shape, Record):
                return value
    self.refuse(e, f"`{ast.unparse(e)}` needs one record", "pass a record")


def _copy(self: FunctionLowering, e: ast.Call) -> Value:
    original = _record(self, e)
    assert isinstance(original.shape, Record)
    path, ref = self.temporary(original.shape)
    for leaf, scalar, _ in leaves(original.shape):
        places = [(guard, join(place, leaf)) for guard, place in original.places]
        value = self.read((places, scalar), e)
        assert isinstance(value, TypedValue)
        self.context.env[join(path, leaf)] = value.node
    return ref


def _clear(self: FunctionLowering, e: ast.Call) -> Value:
    ref = _record(self, e)
    for leaf, scalar, _ in leaves(ref.shape):
        places = [(guard, join(place, leaf)) for guard, place in ref.places]
        self.store(places, scalar, TypedValue(self.zero(scalar), scalar.sort, scalar.nil), e)
    return Nothing()


def _len(self: FunctionLowering, e: ast.Call) -> Value:
    value = self.expression(e.args[0]) if len(e.args) == 1 else None
    if not isinstance(value, Ref) or not isinstance(value.shape, FixedArray):
        self.refuse(e, f"`{ast.unparse(e)}` needs one array", "take the length of an array")
    return TypedValue(self.graph.integer(value.shape.length), int)


def _extreme(smaller: bool) -> Callable[[FunctionLowering, ast.Call], Value]:
    def lower(self: FunctionLowering, e: ast.Call) -> Value:
        if len(e.args) != 2:
            self.refuse(e, f"`{ast.unparse(e)}` needs two numbers", "nest it for more")
        values = [self.expression(argument) for argument in e.args]
        a, b = (self.as_number(value, argument) for value, argument in zip(values, e.args, strict=True))
        first = self.graph.lt(a, b) if smaller else self.graph.lt(b, a)
        return TypedValue(self.graph.ite(first, a, b), int)

    return lower


def _super(self: FunctionLowering, e: ast.Call) -> Value:
    receiver = self.locals.get("self")
    if e.args or self.owner is None or not isinstance(receiver, Ref):
        self.refuse(e, "`super` works as `super().method(…)` in a method only", "name the function instead")
    return Super(receiver, self.owner)


def _range(self: FunctionLowering, e: ast.Call) -> Value:
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
