"""Expressions of functions that are to be translated: numbers, elements of arrays, calls."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from podproof.checker.engines.compiled.blocks import Blocks, llvm_type
from podproof.checker.engines.compiled.routine import Kind, Routine, address, call, prefetch

_ARITHMETIC: Mapping[type[ast.operator], tuple[str, str]] = {
    ast.Add: ("add", "add"),
    ast.Sub: ("sub", "sub"),
    ast.Mult: ("mul", "mul"),
    ast.BitAnd: ("and", "and"),
    ast.BitOr: ("or", "or"),
    ast.BitXor: ("xor", "xor"),
    ast.LShift: ("shl", "shl"),
    ast.RShift: ("ashr", "lshr"),
}
"""For signed and for unsigned numbers."""
_COMPARISONS: Mapping[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("eq", "eq"),
    ast.NotEq: ("ne", "ne"),
    ast.Lt: ("slt", "ult"),
    ast.LtE: ("sle", "ule"),
    ast.Gt: ("sgt", "ugt"),
    ast.GtE: ("sge", "uge"),
}


_BOUNDS: Mapping[str, tuple[int, int]] = {"I64": (-(1 << 63), (1 << 63) - 1), "U64": (0, (1 << 64) - 1)}
"""The types of numbers, and the least and the greatest of each."""


class Value(NamedTuple):
    """A computed number: an operand of LLVM's and its type, which is "literal" for a number written out."""

    text: str
    type: str


@dataclass(frozen=True)
class Array:
    """An array parameter: the operands that hold its address and its shape."""

    kind: Kind
    at: str
    shape: tuple[str, ...]


@dataclass
class Expressions(Blocks):
    """Computes the value of an expression where the text has come to."""

    wanted: Mapping[Any, Sequence[int]] = field(default_factory=dict)
    """How wide the rows of arrays are, for each function for which that is known."""
    called: list[Routine] = field(default_factory=list)
    _locals: dict[str, str] = field(default_factory=dict)
    """The type of each local variable."""
    _arrays: dict[str, Array] = field(default_factory=dict)

    def _as(self, node: ast.expr, type_: str) -> str:
        """An expression that has this type, as an operand."""
        return self._taken_as(self._value(node), type_, node)

    def _taken_as(self, value: Value, type_: str, node: ast.AST) -> str:
        if value.type != type_ and not (value.type == "literal" and type_ in _BOUNDS):
            self._refuse(node, f"{value.type} where {type_} is wanted")
        if value.type == "literal" and not _BOUNDS[type_][0] <= int(value.text) <= _BOUNDS[type_][1]:
            self._refuse(node, f"{value.text} is no {type_}")
        return value.text

    def _value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=bool() as truth):
                return Value("true" if truth else "false", "bool")
            case ast.Constant(value=int() as number):
                return Value(str(number), "literal")
            case ast.Name() | ast.Attribute() if (name := _path(node)) in self._locals:
                type_ = self._locals[name]
                if name not in self._assigned:
                    self._refuse(node, "this may have no value here")
                return Value(self._let(f"load {llvm_type(type_)}, ptr %{name}.var"), type_)
            case ast.Name() | ast.Attribute():
                return self._constant(node)
            case ast.Subscript(value=ast.Attribute(value=array, attr="shape"), slice=ast.Constant(value=int() as i)):
                shape = self._array(array).shape
                if i >= len(shape):
                    self._refuse(node)
                return Value(shape[i], "I64")
            case ast.Subscript():
                return self._read(*self._element(node))
            case ast.BinOp():
                return self._combine(self._value(node.left), node.op, node.right, node)
            case ast.UnaryOp(op=ast.Invert()):
                value = self._value(node.operand)
                if value.type == "literal":
                    return Value(str(~int(value.text)), "literal")
                if value.type not in _BOUNDS:
                    self._refuse(node)
                return Value(self._let(f"xor i64 {value.text}, -1"), value.type)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)):
                return Value(str(-number), "literal")
            case ast.Compare(ops=[op], comparators=[other]) if type(op) in _COMPARISONS:
                left, right, type_ = self._pair(self._value(node.left), other, node)
                comparison = _COMPARISONS[type(op)][type_ == "U64"]
                return Value(self._let(f"icmp {comparison} i64 {left}, {right}"), "bool")
            case ast.BoolOp() | ast.UnaryOp(op=ast.Not()):
                return self._choice(node, Value("true", "bool"), Value("false", "bool"))
            case ast.IfExp():
                return self._choice(node.test, node.body, node.orelse)
            case ast.Call():
                return self._call(node)
            case _:
                self._refuse(node)

    def _combine(self, a: Value, operator: ast.operator, right: ast.expr, node: ast.AST) -> Value:
        """Arithmetic; a number must not be shifted by less than 0 or more than 63."""
        if type(operator) not in _ARITHMETIC:
            self._refuse(node)
        left, right_, type_ = self._pair(a, right, node)
        if isinstance(operator, ast.LShift | ast.RShift) and not right_.startswith("%") and not 0 <= int(right_) < 64:
            self._refuse(node)
        operation = _ARITHMETIC[type(operator)][type_ == "U64"]
        return Value(self._let(f"{operation} i64 {left}, {right_}"), type_)

    def _pair(self, a: Value, right: ast.expr, node: ast.AST) -> tuple[str, str, str]:
        """Two operands and the type that they share."""
        b = self._value(right)
        type_ = b.type if a.type == "literal" else a.type
        if type_ == "literal":
            type_ = "I64"
        if type_ not in _BOUNDS:
            self._refuse(node)
        return self._taken_as(a, type_, node), self._taken_as(b, type_, node), type_

    def _choice(self, test: ast.expr, then: ast.expr | Value, other: ast.expr | Value) -> Value:
        yes, no, after = self._labels("yes", "no", "after")
        self._branch(test, yes, no)
        values, blocks = [], []
        for label, part in ((yes, then), (no, other)):
            self._label(label)
            values.append(part if isinstance(part, Value) else self._value(part))
            blocks.append(self._here)
            self._go(after)
        self._label(after)
        type_ = next((v.type for v in values if v.type != "literal"), "I64")
        if type_ == "None":
            self._refuse(test, "there is no value")
        ways = ", ".join(f"[ {self._taken_as(v, type_, test)}, %{b} ]" for v, b in zip(values, blocks, strict=True))
        return Value(self._let(f"phi {llvm_type(type_)} {ways}"), type_)

    def _constant(self, node: ast.expr) -> Value:
        found = self._global(node)
        if isinstance(found, np.uint64):
            return Value(str(int(found)), "U64")
        if isinstance(found, bool):
            return Value("true" if found else "false", "bool")
        if isinstance(found, int):
            return Value(str(int(found)), "literal")
        self._refuse(node)

    def _global(self, node: ast.expr) -> Any:
        """What a name outside the function, or one of numpy, stands for. `sources` knows of no other modules."""
        outside = self.routine.function.__globals__
        match node:
            case ast.Name(id=name) if name in outside and name not in self._own:
                return outside[name]
            case ast.Attribute(value=ast.Name() as module) if self._global(module) is np:
                return getattr(np, node.attr, None)
        self._refuse(node)

    @cached_property
    def _own(self) -> set[str]:
        """The names that mean something else in the function than outside."""
        names = (n for n in ast.walk(self.routine.definition) if isinstance(n, ast.Name))
        return {n.id for n in names if isinstance(n.ctx, ast.Store)} | {*self.routine.parameters}

    def _array(self, node: ast.expr) -> Array:
        if _path(node) not in self._arrays:
            self._refuse(node)
        return self._arrays[_path(node)]

    def _element(self, node: ast.Subscript) -> tuple[Array, str]:
        """The array and the address of one of its elements."""
        array = self._array(node.value)
        places = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        if len(places) != array.kind.dimensions:
            self._refuse(node)
        at = self._index(places[0])
        for place, size in zip(places[1:], array.shape[1:], strict=True):
            at = self._let(f"add i64 {self._let(f'mul i64 {at}, {size}')}, {self._index(place)}")
        return array, self._let(f"getelementptr {array.kind.element}, ptr {array.at}, i64 {at}")

    def _index(self, node: ast.expr) -> str:
        value = self._value(node)
        if value.type == "literal" and int(value.text) < 0:
            self._refuse(node)
        return value.text if value.type == "U64" else self._taken_as(value, "I64", node)

    def _read(self, array: Array, at: str) -> Value:
        text = self._let(f"load {array.kind.element}, ptr {at}")
        if array.kind.element != "i64":
            way = "sext" if np.issubdtype(array.kind.dtype, np.signedinteger) else "zext"
            text = self._let(f"{way} {array.kind.element} {text} to i64")
        return Value(text, array.kind.number)

    def _branch(self, test: ast.expr, then: str, other: str) -> None:
        """Go on at `then` where the test holds, else at `other`; of `and` and `or` no more is computed than needed."""
        match test:
            case ast.BoolOp():
                for part in test.values[:-1]:
                    more = self._labels("more")[0]
                    self._branch(part, *((more, other) if isinstance(test.op, ast.And) else (then, more)))
                    self._label(more)
                self._branch(test.values[-1], then, other)
            case ast.UnaryOp(op=ast.Not()):
                self._branch(test.operand, other, then)
            case _:
                self._fork(self._as(test, "bool"), then, other)

    # -- calls ---------------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Value:
        function, count = self._global(node.func), len(node.args)
        if node.keywords:
            self._refuse(node)
        if isinstance(function, Routine):
            return self._routine(function, node)
        if function in (np.int64, np.uint64) and count == 1:
            value, type_ = self._value(node.args[0]), "I64" if function is np.int64 else "U64"
            if value.type == "bool":
                return Value(self._let(f"zext i1 {value.text} to i64"), type_)
            return Value(self._taken_as(value, value.type if value.type in _BOUNDS else type_, node), type_)
        if function is address and count in (1, 2):
            array = self._array(node.args[0])
            at = array.at
            if count > 1:
                if array.kind.dimensions == 1:
                    self._refuse(node)
                index = self._let(f"mul i64 {self._index(node.args[1])}, {array.shape[1]}")
                at = self._let(f"getelementptr i64, ptr {at}, i64 {index}")
            return Value(self._let(f"ptrtoint ptr {at} to i64"), "I64")
        if function is prefetch and count == 2:
            _, at = self._element(ast.copy_location(ast.Subscript(node.args[0], node.args[1]), node))
            self._say(f"call void @llvm.prefetch.p0(ptr {at}, i32 0, i32 3, i32 1)")
            return Value("", "None")
        if function is call and count:
            target, *arguments = (self._as(argument, "I64") for argument in node.args)
            pointer = self._let(f"inttoptr i64 {target} to ptr")
            return Value(self._let(f"call i64 {pointer}({', '.join(f'i64 {a}' for a in arguments)})"), "I64")
        self._refuse(node)

    def _routine(self, routine: Routine, node: ast.Call) -> Value:
        self.called.append(routine)
        operands: list[str] = []
        widths = [*self.wanted.get(routine, ())]
        if len(node.args) != len(routine.parameters):
            self._refuse(node)
        for argument, (name, parts) in zip(node.args, routine.parameters.items(), strict=True):
            for path, kind in parts.items():
                part = self._operand(_attribute(argument, path.removeprefix(name)), kind)
                if kind.dimensions > 1 and widths and part[-1] != f"i64 {widths.pop(0)}":
                    self._refuse(node, "this is prepared for rows of another width")
                operands += part
        text = f"call {llvm_type(routine.answer)} @{routine.name}({', '.join(operands)})"
        if routine.answer == "None":
            self._say(text)
            return Value("", "None")
        return Value(self._let(text), routine.answer)

    def _operand(self, argument: ast.expr, kind: Kind) -> list[str]:
        """What is handed over for a part of a parameter."""
        if not kind.dimensions:
            return [f"{llvm_type(kind.number)} {self._as(argument, kind.number)}"]
        array = self._array(argument)
        if array.kind != kind:
            self._refuse(argument)
        return [f"ptr {array.at}", *(f"i64 {size}" for size in array.shape)]


def _path(node: ast.expr) -> str:
    """A parameter, or a field of one, by name."""
    match node:
        case ast.Name(id=name):
            return name
        case ast.Attribute(value=ast.Name(id=name), attr=own):
            return f"{name}.{own}"
    return ""


def _attribute(node: ast.expr, own: str) -> ast.expr:
    """A field of a record, or the argument itself."""
    return ast.copy_location(ast.Attribute(node, own.removeprefix(".")), node) if own else node
