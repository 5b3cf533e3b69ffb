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
        return _definitions(inspect.getmodule(self.function))[self.name]

    @cached_property
    def parameters(self) -> Mapping[str, Mapping[str, Kind]]:
        """For each parameter its parts by their paths: itself, or the fields of a record."""
        names = {name: text for name, text in self.function.__annotations__.items() if name != "return"}
        return {name: self._parts(name, text) for name, text in names.items()}

    def _parts(self, name: str, annotation: str) -> dict[str, Kind]:
        if annotation in KINDS:
            return {name: KINDS[annotation]}
        fields = self.function.__globals__[annotation].__annotations__
        return {f"{name}.{own}": KINDS[getattr(text, "__forward_arg__", text)] for own, text in fields.items()}

    @cached_property
    def parts(self) -> Mapping[str, Kind]:
        """All parts of all parameters, in order."""
        return {path: kind for parts in self.parameters.values() for path, kind in parts.items()}

    @property
    def answer(self) -> str:
        """The type of the result, or "None"."""
        return str(self.function.__annotations__["return"])


@cache
def _definitions(module: ModuleType) -> dict[str, ast.FunctionDef]:
    """The functions of a file."""
    return {node.name: node for node in ast.parse(inspect.getsource(module)).body if isinstance(node, ast.FunctionDef)}


def sources(routines: Iterable[Routine]) -> list[str]:
    """All that the translation of functions depends on: this file, those of what they may call, and their constants."""
    modules: dict[str, Mapping[str, Any]] = {__file__: {}}
    pending = [*routines]
    while pending:
        names = pending.pop().function.__globals__
        if names["__file__"] not in modules:
            modules[names["__file__"]] = names
            pending += [found for found in names.values() if isinstance(found, Routine)]
    constants = [
        f"{name} = {value}"
        for names in modules.values()
        for name, value in names.items()
        if isinstance(value, (int, np.uint64)) and not name.startswith("__")
    ]
    return [*(Path(file).read_text() for file in modules), *constants]


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
            writer = _Writer(routine, [*wanted.get(routine, ())])
            done[routine.name] = routine, writer.write()
            pending += writer.called
    texts = [line for name in sorted(done) for line in done[name][1]]
    return "\n".join(["declare void @llvm.prefetch.p0(ptr, i32, i32, i32)", *texts]) + "\n"


@dataclass
class _Writer:
    """Translates one function; local variables are places on the stack, which LLVM turns into registers."""

    routine: Routine
    widths: list[int]
    """How wide the rows of its arrays are, where that is known."""
    called: list[Routine] = field(default_factory=list)
    _lines: list[str] = field(default_factory=list)
    _locals: dict[str, str] = field(default_factory=dict)
    """The type of each local variable."""
    _arrays: dict[str, _Array] = field(default_factory=dict)
    _loops: list[tuple[str, str]] = field(default_factory=list)
    """Of the loops around this place, where `continue` and `break` go."""
    _count: int = 0
    _is_reached: bool = True

    def write(self) -> list[str]:
        name, answer = self.routine.name, _llvm(self.routine.answer)
        parameters: list[str] = []
        start: list[str] = []
        for own, kind in self.routine.parts.items():
            if kind.dimensions:
                shape = [f"%{own}.{i}" for i in range(kind.dimensions)]
                parameters += [f"ptr %{own}.at", *(f"i64 {size}" for size in shape)]
                if kind.dimensions > 1 and self.widths:
                    shape[1] = str(self.widths.pop(0))
                self._arrays[own] = _Array(kind, f"%{own}.at", tuple(shape))
            else:
                self._locals[own] = kind.number
                parameters.append(f"{_llvm(kind.number)} %{own}")
                start.append(f"  store {_llvm(kind.number)} %{own}, ptr %{own}.var")
        self._block(self.routine.definition.body)
        if self._is_reached:
            self._say("ret void" if self.routine.answer == "None" else "unreachable")
        head = f"define {answer} @{name}({', '.join(parameters)}) noinline nounwind {{"
        if not self.routine.exported:
            head = f"define internal {answer} @{name}({', '.join(parameters)}) alwaysinline nounwind {{"
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
                old = ast.copy_location(ast.BinOp(node.target, node.op, node.value), node)
                self._assign(node.target, old)
            case ast.If():
                self._if(node)
            case ast.While(orelse=[]):
                self._while(node)
            case ast.For(orelse=[], target=ast.Name(id=name)):
                self._for(node, name)
            case ast.Return(value=None):
                self._end("ret void")
            case ast.Return(value=ast.expr() as value):
                self._end(f"ret {_llvm(self.routine.answer)} {self._as(value, self.routine.answer)}")
            case ast.Continue():
                self._end(f"br label %{self._loops[-1][0]}")
            case ast.Break():
                self._end(f"br label %{self._loops[-1][1]}")
            case ast.Expr(value=ast.Constant(value=str())):
                return
            case ast.Expr(value=ast.Call() as call):
                self._call(call)
            case _:
                self._refuse(node)

    def _assign(self, target: ast.expr, value: ast.expr) -> None:
        if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
            values = [self._value(part) for part in value.elts]
            for part, made in zip(target.elts, values, strict=True):
                self._store(part, made)
        else:
            self._store(target, self._value(value))

    def _store(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(id=name):
                usual = "I64" if value.type == "literal" else value.type
                type_ = self._locals.setdefault(name, usual)
                self._say(f"store {_llvm(type_)} {self._taken_as(value, type_, target)}, ptr %{name}.var")
            case ast.Subscript():
                array, at = self._element(target)
                text = self._taken_as(value, array.kind.number, target)
                if array.kind.element != "i64":
                    text = self._let(f"trunc i64 {text} to {array.kind.element}")
                self._say(f"store {array.kind.element} {text}, ptr {at}")
            case _:
                self._refuse(target)

    def _if(self, node: ast.If) -> None:
        then, other, after = self._labels("then", "else", "after")
        self._branch(node.test, then, other if node.orelse else after)
        for label, body in ((then, node.body), (other, node.orelse)):
            if body:
                self._label(label)
                self._block(body)
                self._end(f"br label %{after}")
        self._label(after)

    def _while(self, node: ast.While) -> None:
        test, body, after = self._labels("test", "body", "after")
        self._end(f"br label %{test}")
        self._label(test)
        self._branch(node.test, body, after)
        self._label(body)
        with self._inside(test, after):
            self._block(node.body)
        self._end(f"br label %{test}")
        self._label(after)

    def _for(self, node: ast.For, name: str) -> None:
        """As Python has it, the end is computed once; the loop's variable must not be assigned to in the loop."""
        match node.iter:
            case ast.Call(func=ast.Name(id="range"), args=[end]):
                first: ast.expr = ast.copy_location(ast.Constant(0), node)
            case ast.Call(func=ast.Name(id="range"), args=[first, end]):
                pass
            case _:
                self._refuse(node)
        last = self._as(end, "I64")
        self._store(ast.copy_location(ast.Name(name), node), Value(self._as(first, "I64"), "I64"))
        test, body, step, after = self._labels("test", "body", "step", "after")
        self._end(f"br label %{test}")
        self._label(test)
        at = self._let(f"load i64, ptr %{name}.var")
        self._end(f"br i1 {self._let(f'icmp slt i64 {at}, {last}')}, label %{body}, label %{after}")
        self._label(body)
        with self._inside(step, after):
            self._block(node.body)
        self._end(f"br label %{step}")
        self._label(step)
        at = self._let(f"load i64, ptr %{name}.var")
        self._say(f"store i64 {self._let(f'add i64 {at}, 1')}, ptr %{name}.var")
        self._end(f"br label %{test}")
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
                self._end(f"br i1 {self._as(test, 'bool')}, label %{then}, label %{other}")

    # -- expressions ---------------------------------------------------------------------------------------------------

    def _as(self, node: ast.expr, type_: str) -> str:
        """An expression that has this type, as an operand."""
        return self._taken_as(self._value(node), type_, node)

    def _taken_as(self, value: Value, type_: str, node: ast.AST) -> str:
        if value.type != type_ and not (value.type == "literal" and type_ in ("I64", "U64")):
            self._refuse(node, f"{value.type} where {type_} is wanted")
        return value.text

    def _value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=bool() as truth):
                return Value("true" if truth else "false", "bool")
            case ast.Constant(value=int() as number):
                return Value(str(number), "literal")
            case ast.Name() | ast.Attribute() if (name := _path(node)) in self._locals:
                type_ = self._locals[name]
                return Value(self._let(f"load {_llvm(type_)}, ptr %{name}.var"), type_)
            case ast.Name() | ast.Attribute():
                return self._constant(node)
            case ast.Subscript(value=ast.Attribute(value=array, attr="shape"), slice=ast.Constant(value=int() as i)):
                return Value(self._array(array).shape[i], "I64")
            case ast.Subscript():
                return self._load(node)
            case ast.BinOp():
                left, right, type_ = self._pair(node.left, node.right, node)
                operation = _ARITHMETIC[type(node.op)][type_ == "U64"]
                return Value(self._let(f"{operation} i64 {left}, {right}"), type_)
            case ast.UnaryOp(op=ast.Invert()):
                value = self._value(node.operand)
                return Value(self._let(f"xor i64 {value.text}, -1"), value.type)
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as number)):
                return Value(str(-number), "literal")
            case ast.Compare(ops=[op], comparators=[other]):
                left, right, type_ = self._pair(node.left, other, node)
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

    def _pair(self, left: ast.expr, right: ast.expr, node: ast.AST) -> tuple[str, str, str]:
        """Two operands and the type that they share."""
        a, b = self._value(left), self._value(right)
        type_ = b.type if a.type == "literal" else a.type
        if type_ == "literal":
            type_ = "I64"
        if type_ == "bool":
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
            self._end(f"br label %{after}")
        self._label(after)
        type_ = next((v.type for v in values if v.type != "literal"), "I64")
        ways = ", ".join(f"[ {self._taken_as(v, type_, test)}, %{b} ]" for v, b in zip(values, blocks, strict=True))
        return Value(self._let(f"phi {_llvm(type_)} {ways}"), type_)

    def _constant(self, node: ast.expr) -> Value:
        found = self._global(node)
        if isinstance(found, np.uint64):
            return Value(str(int(found)), "U64")
        if isinstance(found, int):
            return Value(str(int(found)), "literal")
        self._refuse(node)

    def _global(self, node: ast.expr) -> Any:
        """What a name outside the function stands for."""
        match node:
            case ast.Name(id=name) if name in self.routine.function.__globals__:
                return self.routine.function.__globals__[name]
            case ast.Attribute(value=ast.Name() as module):
                return getattr(self._global(module), node.attr)
        self._refuse(node)

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
        if value.type == "bool":
            self._refuse(node)
        return value.text

    def _load(self, node: ast.Subscript) -> Value:
        array, at = self._element(node)
        text = self._let(f"load {array.kind.element}, ptr {at}")
        if array.kind.element != "i64":
            way = "sext" if np.issubdtype(array.kind.dtype, np.signedinteger) else "zext"
            text = self._let(f"{way} {array.kind.element} {text} to i64")
        return Value(text, array.kind.number)

    # -- calls ---------------------------------------------------------------------------------------------------------

    def _call(self, node: ast.Call) -> Value:
        function = self._global(node.func)
        if isinstance(function, Routine):
            return self._routine(function, node)
        if function in (np.int64, np.uint64):
            value = self._value(node.args[0])
            if value.type == "bool":
                value = Value(self._let(f"zext i1 {value.text} to i64"), "I64")
            return Value(value.text, "I64" if function is np.int64 else "U64")
        if function is address:
            array = self._array(node.args[0])
            at = array.at
            if len(node.args) > 1:
                index = self._let(f"mul i64 {self._index(node.args[1])}, {array.shape[1]}")
                at = self._let(f"getelementptr i64, ptr {at}, i64 {index}")
            return Value(self._let(f"ptrtoint ptr {at} to i64"), "I64")
        if function is prefetch:
            _, at = self._element(ast.copy_location(ast.Subscript(node.args[0], node.args[1]), node))
            self._say(f"call void @llvm.prefetch.p0(ptr {at}, i32 0, i32 3, i32 1)")
            return Value("", "None")
        if function is call:
            target, *arguments = (self._as(argument, "I64") for argument in node.args)
            pointer = self._let(f"inttoptr i64 {target} to ptr")
            return Value(self._let(f"call i64 {pointer}({', '.join(f'i64 {a}' for a in arguments)})"), "I64")
        self._refuse(node)

    def _routine(self, routine: Routine, node: ast.Call) -> Value:
        self.called.append(routine)
        operands: list[str] = []
        for argument, (name, parts) in zip(node.args, routine.parameters.items(), strict=True):
            for path, kind in parts.items():
                operands += self._operand(_attribute(argument, path.removeprefix(name)), kind)
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

    def _end(self, text: str) -> None:
        """The last instruction of a block, unless there was one."""
        if self._is_reached:
            self._say(text)
        self._is_reached = False

    def _labels(self, *names: str) -> list[str]:
        self._count += 1
        return [f"{name}{self._count}" for name in names]

    def _label(self, label: str) -> None:
        self._lines.append(f"{label}:")
        self._here, self._is_reached = label, True

    def _refuse(self, node: ast.AST, why: str = "this is not understood") -> NoReturn:
        where = f"{self.routine.function.__module__}.{self.routine.name}, line {getattr(node, 'lineno', '?')}"
        raise NotImplementedError(f"{where}: {why}: {ast.unparse(node)}")


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
