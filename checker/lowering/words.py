"""The words of the model language and the few builtins it has: name -> how a call of it is lowered."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping

from podproof.checker.lowering.expressions import ExpressionLowering
from podproof.checker.lowering.values import Nothing, Ref, Super, Typed, Value
from podproof.checker.shapes import FixedArray, Record, join, leaves

Lower = Callable[[ExpressionLowering, ast.Call], Value]


def _text(self: ExpressionLowering, e: ast.Call) -> str:
    match e.args:
        case [ast.Constant(value=str() as text)]:
            return text
    return str(self.refuse(e, f"`{ast.unparse(e)}` needs one string", "write the text out"))


def _require(self: ExpressionLowering, e: ast.Call) -> Value:
    if self.context.touched:
        self.refuse(e, "`require` comes after an assignment", "move it to the beginning of the action")
    if len(e.args) != 1:
        self.refuse(e, "`require` takes one condition", "write require(a and b)")
    env = self.context.env
    condition = self.boolean(e.args[0])
    self.context.env["%enabled"] = self.graph.and_(env["%enabled"], condition)
    return Nothing()


def _flag(prefix: str) -> Callable[[ExpressionLowering, ast.Call], Value]:
    def lower(self: ExpressionLowering, e: ast.Call) -> Value:
        self.context.flag(prefix + _text(self, e), self.graph.true)
        return Nothing()

    return lower


def _record(self: ExpressionLowering, e: ast.Call) -> Ref:
    match e.args:
        case [argument]:
            value = self.expression(argument)
            if isinstance(value, Ref) and isinstance(value.shape, Record):
                return value
    self.refuse(e, f"`{ast.unparse(e)}` needs one record", "pass a record")
    raise AssertionError


def _copy(self: ExpressionLowering, e: ast.Call) -> Value:
    original = _record(self, e)
    assert isinstance(original.shape, Record)
    path, ref = self.temporary(original.shape)
    for leaf, scalar, _ in leaves(original.shape):
        places = [(guard, join(place, leaf)) for guard, place in original.places]
        value = self.read((places, scalar), e)
        assert isinstance(value, Typed)
        self.context.env[join(path, leaf)] = value.node
    return ref


def _clear(self: ExpressionLowering, e: ast.Call) -> Value:
    ref = _record(self, e)
    for leaf, scalar, _ in leaves(ref.shape):
        places = [(guard, join(place, leaf)) for guard, place in ref.places]
        self.store(places, scalar, Typed(self.zero(scalar), scalar.sort), e)
    return Nothing()


def _len(self: ExpressionLowering, e: ast.Call) -> Value:
    value = self.expression(e.args[0]) if len(e.args) == 1 else None
    if not isinstance(value, Ref) or not isinstance(value.shape, FixedArray):
        return self.refuse(e, f"`{ast.unparse(e)}` needs one array", "take the length of an array")
    return Typed(self.graph.integer(value.shape.length), int)


def _extreme(smaller: bool) -> Callable[[ExpressionLowering, ast.Call], Value]:
    def lower(self: ExpressionLowering, e: ast.Call) -> Value:
        if len(e.args) != 2:
            self.refuse(e, f"`{ast.unparse(e)}` needs two numbers", "nest it for more")
        a, b = self.number(e.args[0]), self.number(e.args[1])
        first = self.graph.lt(a, b) if smaller else self.graph.lt(b, a)
        return Typed(self.graph.ite(first, a, b), int)

    return lower


def _super(self: ExpressionLowering, e: ast.Call) -> Value:
    receiver = self.locals.get("self")
    if e.args or self.owner is None or not isinstance(receiver, Ref):
        return self.refuse(e, "`super` works as `super().method(…)` in a method only", "name the function instead")
    return Super(receiver, self.owner)


def _range(self: ExpressionLowering, e: ast.Call) -> Value:
    return self.refuse(e, "`range` belongs in `for … in range(…)`", "use it there")


WORDS: Mapping[str, Lower] = {
    "require": _require,
    "out_of_bounds": _flag("%bound:"),
    "programmer_error": _flag("%line:"),
    "copy": _copy,
    "clear": _clear,
    "len": _len,
    "min": _extreme(smaller=True),
    "max": _extreme(smaller=False),
    "super": _super,
    "range": _range,
}
