"""From a small part of Python to LLVM's language.

Understood are functions whose parameters and results are annotated, also with classes whose fields are; assignments,
`if`, `while`, `for` over `range`, `break`, `continue`, `return`; arithmetic, comparisons, `and`, `or`, `not`,
conditionals; `array[i]`, `array[i, j]`, `array.shape[i]`; calls of other such functions and of the functions at the end
of this file. Numbers have 64 bits and wrap around. Signed and unsigned ones do not mix, except for numbers written out;
`np.int64(x)` and `np.uint64(x)` take one for the other. Anything else raises NotImplementedError, which names the line.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, cached_property
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple, NoReturn

import numpy as np


class Kind(NamedTuple):
    """What a parameter is: a number, or an array with so many dimensions whose elements are stored as `dtype`."""

    number: str
    """The type of a value: I64, U64 or bool."""
    dimensions: int = 0
    dtype: Any = None

    @property
    def element(self) -> str:
        """LLVM's type for what is stored."""
        return f"i{8 * np.dtype(self.dtype).itemsize}"


KINDS: Mapping[str, Kind] = {
    "I64": Kind("I64"),
    "U64": Kind("U64"),
    "bool": Kind("bool"),
    "Words": Kind("I64", 1, np.int64),
    "Rows": Kind("I64", 2, np.int64),
    "Hashes": Kind("U64", 1, np.uint64),
    "Indices": Kind("I64", 1, np.uint32),
    "Numbers": Kind("I64", 1, np.int32),
    "Flags": Kind("I64", 1, np.uint8),
}

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
class _Array:
    """An array parameter: the operands that hold its address and its shape."""

    kind: Kind
    at: str
    shape: tuple[str, ...]


class Routine:
    """A function to be translated. One that is not exported is put in place where it is called."""

    def __init__(self, function: Callable[..., Any], exported: bool) -> None:
        self.function, self.exported = function, exported
        self.name = function.__name__

    def __call__(self, *arguments: Any) -> Any:
        """The function as Python runs it, slowly and on numbers that do not wrap around."""
        return self.function(*arguments)

    @cached_property
    def definition(self) -> ast.FunctionDef:
        """The function as Python reads it."""
        found = _definitions(inspect.getmodule(self.function)).get(self.function.__code__.co_firstlineno)
        if found is None or found.name != self.name:
            raise NotImplementedError(f"{self}: only functions of a file that are in no other are understood")
        return found

    @cached_property
    def parameters(self) -> Mapping[str, Mapping[str, Kind]]:
        """For each parameter its parts by their paths: itself, or the fields of a record."""
        names = self.definition.args
        if names.posonlyargs or names.kwonlyargs or names.vararg or names.kwarg or names.defaults:
            raise NotImplementedError(f"{self}: only plain parameters without default values are understood")
        return {name.arg: self._parts(name.arg) for name in names.args}

    def _parts(self, name: str) -> dict[str, Kind]:
        annotation = str(self.function.__annotations__.get(name))
        if annotation in KINDS:
            return {name: KINDS[annotation]}
        fields = _fields(self.function.__globals__.get(annotation))
        kinds = {own: KINDS.get(getattr(text, "__forward_arg__", text)) for own, text in fields.items()}
        found = {f"{name}.{own}": kind for own, kind in kinds.items() if kind is not None}
        if not found or len(found) < len(kinds):
            raise NotImplementedError(f"{self}: parameter {name!r} has the annotation {annotation!r}")
        return found

    def __str__(self) -> str:
        return f"{self.function.__module__}.{self.name}, line {self.function.__code__.co_firstlineno}"

    @cached_property
    def parts(self) -> Mapping[str, Kind]:
        """All parts of all parameters, in order."""
        return {path: kind for parts in self.parameters.values() for path, kind in parts.items()}

    @property
    def answer(self) -> str:
        """The type of the result, or "None"."""
        found = self.function.__annotations__.get("return")
        if found not in ("I64", "U64", "bool", "None"):
            raise NotImplementedError(f"{self}: the result has the annotation {found!r}")
        return str(found)


def _fields(record: Any) -> Mapping[str, Any]:
    """The annotations of a NamedTuple; none of anything else."""
    return getattr(record, "__annotations__", {}) if isinstance(record, type) and issubclass(record, tuple) else {}


@cache
def _definitions(module: ModuleType) -> dict[int, ast.FunctionDef]:
    """The functions of a file by their first lines, which are those of their decorators."""
    found = [node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.FunctionDef)]
    return {min([node.lineno, *(part.lineno for part in node.decorator_list)]): node for node in found}


def sources(routines: Iterable[Routine]) -> list[str]:
    """All that the translation of functions depends on: this file, those of what they may call, and their constants."""
    modules: dict[str, Mapping[str, Any]] = {__file__: {}}
    pending = [*routines]
    while pending:
        names = pending.pop().function.__globals__
        if names["__file__"] not in modules:
            modules[names["__file__"]] = names
            pending += [found for found in names.values() if isinstance(found, Routine)]
    outside = [item for names in modules.values() for item in names.items() if not item[0].startswith("__")]
    constants = [f"{name} = {value}" for name, value in outside if isinstance(value, (int, np.uint64))]
    records = [f"{name}: {fields}" for name, value in outside if (fields := _fields(value))]
    return [*(Path(file).read_text(encoding="utf-8") for file in modules), *constants, *records]


def translate(wanted: Mapping[Any, Sequence[int]]) -> str:
    """The text of a module with these functions and all that they call.

    For each function that is exported the widths of its arrays' rows, in order; none if they are to be found out later.
    """
    done: dict[str, tuple[Routine, list[str]]] = {}
    pending: list[Routine] = [*wanted]
    while pending:
        routine = pending.pop()
        known, _ = done.setdefault(routine.name, (routine, []))
        if known is not routine:
            raise NotImplementedError(f"two functions that are called together have the name {routine.name!r}")
        if not done[routine.name][1]:
            writer = _Writer(routine, wanted)
            done[routine.name] = routine, writer.write()
            pending += writer.called
    texts = [line for name in sorted(done) for line in done[name][1]]
    return "\n".join(["declare void @llvm.prefetch.p0(ptr, i32, i32, i32)", *texts]) + "\n"


@dataclass
class _Writer:
    """Translates one function; local variables are places on the stack, which LLVM turns into registers."""

    routine: Routine
    wanted: Mapping[Any, Sequence[int]]
    """How wide the rows of arrays are, for each function for which that is known."""
    called: list[Routine] = field(default_factory=list)
    _lines: list[str] = field(default_factory=list)
    _locals: dict[str, str] = field(default_factory=dict)
    """The type of each local variable."""
    _arrays: dict[str, _Array] = field(default_factory=dict)
    _loops: list[tuple[str, str]] = field(default_factory=list)
    """Of the loops around this place, where `continue` and `break` go."""
    _count: int = 0
    _is_reached: bool = True
    _assigned: frozenset[str] = frozenset()
    """The variables that have a value at this place, whatever way leads to it."""
    _assigned_at: dict[str, frozenset[str]] = field(default_factory=dict)
    """The same for the labels that something leads to."""

    def write(self) -> list[str]:
        name, answer = self.routine.name, _llvm(self.routine.answer)
        parameters: list[str] = []
        start: list[str] = []
        widths = [*self.wanted.get(self.routine, ())]
        for own, kind in self.routine.parts.items():
            if kind.dimensions:
                shape = [f"%{own}.{i}" for i in range(kind.dimensions)]
                parameters += [f"ptr %{own}.at", *(f"i64 {size}" for size in shape)]
                if kind.dimensions > 1 and widths:
                    shape[1] = str(widths.pop(0))
                self._arrays[own] = _Array(kind, f"%{own}.at", tuple(shape))
            else:
                self._locals[own] = kind.number
                parameters.append(f"{_llvm(kind.number)} %{own}.in")
                start.append(f"  store {_llvm(kind.number)} %{own}.in, ptr %{own}.var")
        self._assigned = frozenset(self._locals)
        self._block(self.routine.definition.body)
        if self._is_reached:
            if self.routine.answer != "None":
                self._refuse(self.routine.definition, "its end can be reached without a result")
            self._say("ret void")
        # Python reads a whole byte of a bool.
        linkage, inlining = ("zeroext" if answer == "i1" else "", "noinline")
        if not self.routine.exported:
            linkage, inlining = "internal", "alwaysinline"
        head = f"define {linkage} {answer} @{name}({', '.join(parameters)}) {inlining} nounwind {{"
        places = [f"  %{own}.var = alloca {_llvm(type_)}" for own, type_ in self._locals.items()]
        return [head, "entry:", *places, *start, *self._lines, "}"]

    # -- statements ----------------------------------------------------------------------------------------------------

    def _block(self, body: Sequence[ast.stmt]) -> None:
        for node in body:
            if self._is_reached:
                self._statement(node)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Assign(targets=[target]):
                self._assign(target, node.value)
            case ast.AugAssign():
                self._change(node)
            case ast.If():
                self._if(node)
            case ast.While(orelse=[]):
                self._while(node)
            case ast.For(orelse=[], target=ast.Name()):
                self._for(node)
            case ast.Return(value=None) if self.routine.answer == "None":
                self._end("ret void")
            case ast.Return(value=ast.expr() as value):
                self._end(f"ret {_llvm(self.routine.answer)} {self._as(value, self.routine.answer)}")
            case ast.Continue():
                self._go(self._loops[-1][0])
            case ast.Break():
                self._go(self._loops[-1][1])
            case ast.Expr(value=ast.Constant(value=str())):
                return
            case ast.Expr(value=ast.Call() as call):
                self._call(call)
            case _:
                self._refuse(node)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            if len(target.elts) != len(value.elts):
                self._refuse(target)
            values = [self._value(part) for part in value.elts]
            for part, made in zip(target.elts, values, strict=True):
                self._store(part, made)
        else:
            self._store(target, self._value(value))

    def _change(self, node: ast.AugAssign) -> None:
        """As Python has it, the place that is changed is found once."""
        if not isinstance(node.target, ast.Subscript):
            self._store(node.target, self._combine(self._value(node.target), node.op, node.value, node))
            return
        array, at = self._element(node.target)
        self._put(array, at, self._combine(self._read(array, at), node.op, node.value, node), node)

    def _store(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(id=name) if name in self._locals or name not in self.routine.parameters:
                usual = "I64" if value.type == "literal" else value.type
                if usual == "None":
                    self._refuse(target, "there is no value")
                type_ = self._locals.setdefault(name, usual)
                self._say(f"store {_llvm(type_)} {self._taken_as(value, type_, target)}, ptr %{name}.var")
                self._assigned |= {name}
            case ast.Subscript():
                self._put(*self._element(target), value, target)
            case _:
                self._refuse(target)

    def _put(self, array: _Array, at: str, value: Value, node: ast.AST) -> None:
        text = self._taken_as(value, array.kind.number, node)
        if array.kind.element != "i64":
            text = self._let(f"trunc i64 {text} to {array.kind.element}")
        self._say(f"store {array.kind.element} {text}, ptr {at}")

    def _if(self, node: ast.If) -> None:
        then, other, after = self._labels("then", "else", "after")
        self._branch(node.test, then, other if node.orelse else after)
        for label, body in ((then, node.body), (other, node.orelse)):
            if body:
                self._label(label)
                self._block(body)
                self._go(after)
        self._label(after)

    def _while(self, node: ast.While) -> None:
        test, body, after = self._labels("test", "body", "after")
        self._go(test)
        self._label(test)
        match node.test:
            case ast.Constant(value=True):
                self._go(body)
            case _:
                self._branch(node.test, body, after)
        self._label(body)
        with self._inside(test, after):
            self._block(node.body)
        self._go(test)
        self._label(after)

    def _for(self, node: ast.For) -> None:
        """As Python has it, the end is computed once, and what is assigned to the variable does not steer the loop."""
        match node.iter:
            case ast.Call(func=ast.Name(id="range"), args=[end], keywords=[]):
                first: ast.expr = ast.copy_location(ast.Constant(0), node)
            case ast.Call(func=ast.Name(id="range"), args=[first, end], keywords=[]):
                pass
            case _:
                self._refuse(node)
        next_, last = self._as(first, "I64"), self._as(end, "I64")
        test, body, step, after, place = self._labels("test", "body", "step", "after", "next.")
        self._locals[place] = "I64"
        self._say(f"store i64 {next_}, ptr %{place}.var")
        self._go(test)
        self._label(test)
        at = self._let(f"load i64, ptr %{place}.var")
        self._fork(self._let(f"icmp slt i64 {at}, {last}"), body, after)
        self._label(body)
        self._store(node.target, Value(at, "I64"))
        with self._inside(step, after):
            self._block(node.body)
        self._go(step)
        self._label(step)
        if self._is_reached:
            self._say(f"store i64 {self._let(f'add i64 {at}, 1')}, ptr %{place}.var")
        self._go(test)
        self._label(after)

    @contextmanager
    def _inside(self, again: str, after: str) -> Iterator[None]:
        self._loops.append((again, after))
        yield
        self._loops.pop()

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

    # -- expressions ---------------------------------------------------------------------------------------------------

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
                return Value(self._let(f"load {_llvm(type_)}, ptr %{name}.var"), type_)
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
        return Value(self._let(f"phi {_llvm(type_)} {ways}"), type_)

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

    def _array(self, node: ast.expr) -> _Array:
        if _path(node) not in self._arrays:
            self._refuse(node)
        return self._arrays[_path(node)]

    def _element(self, node: ast.Subscript) -> tuple[_Array, str]:
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

    def _read(self, array: _Array, at: str) -> Value:
        text = self._let(f"load {array.kind.element}, ptr {at}")
        if array.kind.element != "i64":
            way = "sext" if np.issubdtype(array.kind.dtype, np.signedinteger) else "zext"
            text = self._let(f"{way} {array.kind.element} {text} to i64")
        return Value(text, array.kind.number)

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
        text = f"call {_llvm(routine.answer)} @{routine.name}({', '.join(operands)})"
        if routine.answer == "None":
            self._say(text)
            return Value("", "None")
        return Value(self._let(text), routine.answer)

    def _operand(self, argument: ast.expr, kind: Kind) -> list[str]:
        """What is handed over for a part of a parameter."""
        if not kind.dimensions:
            return [f"{_llvm(kind.number)} {self._as(argument, kind.number)}"]
        array = self._array(argument)
        if array.kind != kind:
            self._refuse(argument)
        return [f"ptr {array.at}", *(f"i64 {size}" for size in array.shape)]

    # -- text ----------------------------------------------------------------------------------------------------------

    _here: str = "entry"

    def _say(self, text: str) -> None:
        self._lines.append("  " + text)

    def _let(self, text: str) -> str:
        self._count += 1
        self._say(f"%t{self._count} = {text}")
        return f"%t{self._count}"

    def _end(self, text: str, *labels: str) -> None:
        """The last instruction of a block, unless there was one, and where it leads."""
        if self._is_reached:
            self._say(text)
            for label in labels:
                self._assigned_at[label] = self._assigned & self._assigned_at.get(label, self._assigned)
        self._is_reached = False

    def _go(self, label: str) -> None:
        self._end(f"br label %{label}", label)

    def _fork(self, test: str, then: str, other: str) -> None:
        self._end(f"br i1 {test}, label %{then}, label %{other}", then, other)

    def _labels(self, *names: str) -> list[str]:
        self._count += 1
        return [f"{name}{self._count}" for name in names]

    def _label(self, label: str) -> None:
        """Begin a block. Whatever leads to it was written before, except for the ways back to where a loop begins."""
        self._lines.append(f"{label}:")
        self._here, self._is_reached = label, label in self._assigned_at
        if self._is_reached:
            self._assigned = self._assigned_at[label]
        else:
            self._say("unreachable")

    def _refuse(self, node: ast.AST, why: str = "this is not understood") -> NoReturn:
        where = f"{self.routine.function.__module__}.{self.routine.name}, line {getattr(node, 'lineno', '?')}"
        raise NotImplementedError(f"{where}: {why}: {ast.unparse(node).splitlines()[0]}")


def _llvm(type_: str) -> str:
    return {"bool": "i1", "None": "void"}.get(type_, "i64")


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


# -- what loops may call besides each other, and Python may not --------------------------------------------------------


def address(array: Any, row: int = 0) -> int:
    """The address of an array of words, or of a row of one."""
    raise NotImplementedError("only for loops")


def prefetch(array: Any, index: int) -> None:
    """Have an element brought into the cache before it is needed; changes nothing, so Python does not do it."""


def call(function: int, *arguments: int) -> int:
    """Call a function of a generated module by its address."""
    raise NotImplementedError("only for loops")
