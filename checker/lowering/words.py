"""The words of the model language and the few builtins it has: name -> how a call of it is lowered."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from podproof.checker.core.shapes import FixedArray, Record, join, leaves
from podproof.checker.lowering.calls import CallLowering
from podproof.checker.lowering.context import CUT, ENABLED, FAILED
from podproof.checker.lowering.values import Nothing, Ref, Super, TypedValue, Value

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
