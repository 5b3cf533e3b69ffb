"""From a small part of Python to LLVM's language.

Understood are functions whose parameters and results are annotated, also with classes whose fields are; assignments,
`if`, `while`, `for` over `range`, `break`, `continue`, `return`; arithmetic, comparisons, `and`, `or`, `not`,
conditionals; `array[i]`, `array[i, j]`, `array.shape[i]`; calls of other such functions and of those at the end of
`routine`. Numbers have 64 bits and wrap around. Signed and unsigned ones do not mix, except
for numbers written out; `np.int64(x)` and `np.uint64(x)` take one for the other. Anything else raises
NotImplementedError, which names the line, also the use of a variable that may have no value yet.

Not checked is what a running loop gives as an index, which must not be negative, nor by how much it shifts a number:
less than 0 or more than 63 means nothing. What is stored in an array of smaller numbers is cut to their size.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from podproof.checker.engines.compiled.blocks import llvm_type
from podproof.checker.engines.compiled.expressions import Array, Expressions, Value
from podproof.checker.engines.compiled.routine import Routine


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
            writer = _Writer(routine, wanted=wanted)
            done[routine.name] = routine, writer.write()
            pending += writer.called
    texts = [line for name in sorted(done) for line in done[name][1]]
    return "\n".join(["declare void @llvm.prefetch.p0(ptr, i32, i32, i32)", *texts]) + "\n"


@dataclass
class _Writer(Expressions):
    """Translates one function."""

    _loops: list[tuple[str, str]] = field(default_factory=list)
    """Of the loops around this place, where `continue` and `break` go."""

    def write(self) -> list[str]:
        name, answer = self.routine.name, llvm_type(self.routine.answer)
        parameters: list[str] = []
        start: list[str] = []
        widths = [*self.wanted.get(self.routine, ())]
        for own, kind in self.routine.parts.items():
            if kind.dimensions:
                shape = [f"%{own}.{i}" for i in range(kind.dimensions)]
                parameters += [f"ptr %{own}.at", *(f"i64 {size}" for size in shape)]
                if kind.dimensions > 1 and widths:
                    shape[1] = str(widths.pop(0))
                self._arrays[own] = Array(kind, f"%{own}.at", tuple(shape))
            else:
                self._locals[own] = kind.number
                parameters.append(f"{llvm_type(kind.number)} %{own}.in")
                start.append(f"  store {llvm_type(kind.number)} %{own}.in, ptr %{own}.var")
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
        places = [f"  %{own}.var = alloca {llvm_type(type_)}" for own, type_ in self._locals.items()]
        return [head, "entry:", *places, *start, *self._lines, "}"]

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
                self._end(f"ret {llvm_type(self.routine.answer)} {self._as(value, self.routine.answer)}")
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
                self._say(f"store {llvm_type(type_)} {self._taken_as(value, type_, target)}, ptr %{name}.var")
                self._assigned |= {name}
            case ast.Subscript():
                self._put(*self._element(target), value, target)
            case _:
                self._refuse(target)

    def _put(self, array: Array, at: str, value: Value, node: ast.AST) -> None:
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
