"""The decision structure of a method of the model, read from its source: the chart of what really runs in a version.

A part of a Go function that the model has as a method of its own is put in where it is called; what is a function in
Go as well, or belongs to another part of the model, is called.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from podproof.checker.core.graph import Line
from podproof.checker.lowering.source import Source
from podproof.commands.drawings.go_text import GoText
from podproof.commands.drawings.predicates import (
    constant_results,
    folded,
    put_in_place,
    steps_to_value,
    times_set,
    with_aliases,
    with_names,
)
from podproof.commands.systems.go_releases import earlier, half, lacks
from podproof.commands.systems.methods import Method, field_names, lookup
from podproof.reports.pictures.flowchart import Arrow, Box, BoxKind, Chart
from podproof.reports.pictures.gonames import unexport_name

End = tuple[int, str]
"""A box that the next one follows, and what the arrow says."""


def decisions_of(method: Method) -> Chart:
    """The chart of a method."""
    return _Reader(method).chart()


@dataclass
class _Frame:
    """A method that is being read. `target` is what its result is assigned to; the outermost one returns it."""

    method: Method
    text: GoText
    source: Source
    aliases: Mapping[str, ast.expr]
    target: str | None = None
    is_outermost: bool = False
    returned: list[End] = field(default_factory=list)
    known: dict[str, bool] = field(default_factory=dict)
    """Locals that are the same in every run of this version."""


class _Reader:
    def __init__(self, method: Method) -> None:
        self.method, self.fields = method, field_names()
        self.boxes: list[Box] = []
        self.arrows: list[Arrow] = []

    def chart(self) -> Chart:
        source = self.method.source
        frame = self.frame(self.method, None)
        frame.is_outermost = True
        names = [a.arg for a in source.tree.args.args[1:] if a.arg != "generation"]
        head = f"{self.method.go_name}({', '.join(map(self.parameter, names))})"
        begin = self.add(BoxKind.BEGIN, [head], source.line(source.tree), [])
        ends = self.read(frame, begin)
        if ends:
            self.add(BoxKind.END, ["return"], self.last_line(source), ends)
        defined = f"{self.method.owner.__name__}.{self.method.name} in {source.line(source.tree).file}"
        return Chart(self.method.go_name, defined, tuple(self.boxes), tuple(self.arrows), *self.names())

    def names(self) -> tuple[str, str]:
        """What to say of the function's name: behind it, and below."""
        cls, name = self.method.cls, self.method.name
        before = earlier(cls, name)
        if before is None:
            return half(cls, name), ""
        if before.name:
            return f"{unexport_name(name)} since {before.release}", ""
        return f"its name since {before.release}", f"in this release these lines are {before.lines_of}"

    def parameter(self, name: str) -> str:
        return GoText(self.method, self.fields).text(ast.Name(id=name))

    def frame(self, method: Method, target: str | None) -> _Frame:
        source = method.source
        aliases = _aliases(source.tree)
        return _Frame(method, GoText(method, self.fields, aliases), source, aliases, target)

    def read(self, frame: _Frame, ends: list[End]) -> list[End]:
        """A method's body, and then wherever it returned."""
        body = frame.source.tree.body
        has_docstring = isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant)
        ends = self.block(frame, body[1:] if has_docstring else body, ends)
        return [*ends, *frame.returned]

    # -- boxes and arrows --------------------------------------------------------------------------------------------

    def add(self, kind: BoxKind, lines: Sequence[str], at: Line, ends: list[End]) -> list[End]:
        """One more box after `ends`."""
        number = len(self.boxes)
        self.boxes.append(Box(kind, tuple(lines), at))
        self.arrows += [Arrow(source, number, label) for source, label in dict.fromkeys(ends)]
        return [(number, "")]

    def say(self, kind: BoxKind, line: str, at: Line, ends: list[End]) -> list[End]:
        """One more line: in the box that alone comes before, where that is of the same kind; else in a new one."""
        if len(ends) == 1 and not ends[0][1]:
            number = ends[0][0]
            last = self.boxes[number]
            if last.kind is kind and last.at.file == at.file and number == len(self.boxes) - 1:
                self.boxes[number] = Box(kind, (*last.lines, line), last.at)
                return ends
        return self.add(kind, [line], at, ends)

    def last_line(self, source: Source) -> Line:
        return Line(source.line(source.tree).file, source.tree.end_lineno or source.tree.lineno)

    # -- statements ----------------------------------------------------------------------------------------------------

    def block(self, frame: _Frame, body: Sequence[ast.stmt], ends: list[End]) -> list[End]:
        for statement in body:
            if not ends:
                break
            ends = self.statement(frame, statement, ends)
        return ends

    def statement(self, frame: _Frame, s: ast.stmt, ends: list[End]) -> list[End]:
        text, at = frame.text, frame.source.line(s)
        match s:
            case ast.If(test=test, body=body, orelse=orelse):
                return self.decided(frame, test, body, orelse, at, ends)
            case ast.For(target=target, iter=iterated, body=body):
                words = f"for each {text.text(target)} of {self.iterated(frame, iterated)}"
                ((loop, _),) = self.add(BoxKind.LOOP, [words], at, ends)
                inside = self.block(frame, body, [(loop, "each")])
                self.arrows += [Arrow(source, loop, label) for source, label in dict.fromkeys(inside)]
                return [(loop, "then")]
            case ast.Return(value=value):
                return self.returns(frame, value, at, ends)
            case ast.Assert(test=test):
                return self.say(BoxKind.GUARD, f"assert {text.text(test)}", at, ends)
            case ast.Expr(value=ast.Call() as call):
                return self.called(frame, call, at, ends)
            case ast.Assign(targets=[target], value=value):
                return self.assigned(frame, target, value, at, ends)
            case ast.AnnAssign(target=target, value=ast.expr() as value):
                return self.assigned(frame, target, value, at, ends)
            case ast.AugAssign(target=target, op=op, value=value):
                sign = "+=" if isinstance(op, ast.Add) else "-="
                return self.say(BoxKind.UPDATE, f"{text.text(target)} {sign} {text.text(value)}", at, ends)
        return ends

    def decided(
        self, frame: _Frame, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt], at: Line, ends: list[End]
    ) -> list[End]:
        """A decision; not where this version can go one way only, nor where neither way does anything."""
        said: list[str] = []
        test = self.certain(frame, self.predicate(frame, test, said))
        if isinstance(test, ast.Constant):
            return self.block(frame, body if test.value else orelse, ends)
        known_arrows = len(self.arrows)
        for line in said:
            ends = self.say(BoxKind.UPDATE, line, at, ends)
        ((asked, _),) = self.add(BoxKind.DECISION, [frame.text.text(test) + "?"], at, ends)
        yes = self.block(frame, body, [(asked, "yes")])
        no = self.block(frame, orelse, [(asked, "no")])
        is_idle = yes == [(asked, "yes")] and no == [(asked, "no")] and asked == len(self.boxes) - 1
        if is_idle and not said and not any(self.is_call(frame, n) for n in ast.walk(test) if isinstance(n, ast.expr)):
            del self.boxes[asked], self.arrows[known_arrows:]
            return ends
        return [*yes, *no]

    def predicate(self, frame: _Frame, e: ast.expr, said: list[str]) -> ast.expr:
        """A test with the parts that Go keeps inline in their places; `said` gets what is to be said before it."""

        def value(call: ast.Call) -> ast.expr | None:
            part = self.part(frame, call)
            steps = None if part is None else steps_to_value(part.source.tree)
            if part is None or steps is None:
                return None
            inner = self.frame(part, None)
            values = dict(self.given(inner, call))
            for name, step in steps[0]:
                stands_for = with_aliases(with_names(step, values), frame.aliases)
                if name in inner.aliases and not isinstance(stands_for, ast.Name) and name not in _names(frame):
                    said.append(frame.text.assignment(ast.Name(id=name, ctx=ast.Store()), stands_for))
                    stands_for = ast.Name(id=name, ctx=ast.Load())
                values[name] = stands_for
            found = self.predicate(inner, steps[1], said)
            return with_aliases(with_names(found, values), frame.aliases)

        return put_in_place(e, value)

    def certain(self, frame: _Frame, e: ast.expr) -> ast.expr:
        """An expression without what this version knows beforehand."""
        return folded(e, frame.known, lambda name: lacks(frame.method.cls, name) is not None)

    def learnt(self, frame: _Frame, target: ast.expr, value: ast.expr) -> bool:
        """Keep what is certain of locals that are set once. Is it all that there is to say?"""
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        results: Sequence[bool | None] = ()
        is_gone = False
        match value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
                found = lookup(frame.method.cls, name)
                results = () if found is None else constant_results(found.source.tree)
                is_gone = lacks(frame.method.cls, name) is not None
            case _:
                certain = self.certain(frame, value)
                is_gone = certain is not value
                if isinstance(certain, ast.Constant) and isinstance(certain.value, bool) and is_gone:
                    results = [certain.value]
        if len(results) != len(names):
            return False
        for local, result in zip(names, results, strict=True):
            if result is not None and isinstance(local, ast.Name) and times_set(frame.source.tree, local.id) == 1:
                frame.known[local.id] = result
        return is_gone and all(isinstance(local, ast.Name) and local.id in frame.known for local in names)

    def iterated(self, frame: _Frame, iterated: ast.expr) -> str:
        """What a loop goes through: the array whose length it counts to."""
        match iterated:
            case ast.Call(func=ast.Name(id="range"), args=[ast.Call(func=ast.Name(id="len"), args=[array])]):
                return frame.text.text(array)
        return frame.text.text(iterated)

    def assigned(self, frame: _Frame, target: ast.expr, value: ast.expr, at: Line, ends: list[End]) -> list[End]:
        if isinstance(target, ast.Name) and target.id in frame.aliases:
            return ends
        if self.learnt(frame, target, value):
            return ends
        part = self.part(frame, value)
        if part is not None:
            return self.inside(frame, part, value, frame.text.text(target), at, ends)
        kind = BoxKind.CALL if self.is_call(frame, value) else BoxKind.UPDATE
        return self.say(kind, frame.text.assignment(target, value), at, ends)

    def called(self, frame: _Frame, call: ast.Call, at: Line, ends: list[End]) -> list[End]:
        match call.func:
            case ast.Name(id="require"):
                return self.say(BoxKind.GUARD, f"only if {frame.text.text(call.args[0])}", at, ends)
            case ast.Name(id="programmer_error"):
                return self.add(BoxKind.ERROR, [f"log {frame.text.text(call.args[0])}"], at, ends)
            case ast.Name(id="out_of_bounds"):
                self.add(
                    BoxKind.END, [f"cut off: more {frame.text.text(call.args[0])} than the scenario has"], at, ends
                )
                return []
        part = self.part(frame, call)
        if part is not None:
            return self.inside(frame, part, call, None, at, ends)
        kind = BoxKind.CALL if self.is_call(frame, call) else BoxKind.UPDATE
        return self.say(kind, frame.text.text(call), at, ends)

    def returns(self, frame: _Frame, value: ast.expr | None, at: Line, ends: list[End]) -> list[End]:
        part = None if value is None else self.part(frame, value)
        if part is not None and value is not None:
            target = "result" if frame.is_outermost else frame.target
            ends = self.inside(frame, part, value, target, at, ends)
            if frame.is_outermost:
                self.add(BoxKind.END, ["return result"], at, ends)
                return []
        elif frame.is_outermost:
            self.add(BoxKind.END, ["return" if value is None else f"return {frame.text.text(value)}"], at, ends)
            return []
        elif value is not None and frame.target is not None:
            kind = BoxKind.CALL if self.is_call(frame, value) else BoxKind.UPDATE
            ends = self.say(kind, f"{frame.target} = {frame.text.text(value)}", at, ends)
        elif value is not None and self.is_call(frame, value):
            ends = self.say(BoxKind.CALL, frame.text.text(value), at, ends)
        frame.returned += ends
        return []

    # -- calls ---------------------------------------------------------------------------------------------------------

    def is_call(self, frame: _Frame, e: ast.expr) -> bool:
        """Is it a call of a method of the model class, or of one that it overrides?"""
        match e:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
                return lookup(frame.method.cls, name) is not None
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")))):
                return True
        return False

    def part(self, frame: _Frame, e: ast.expr) -> Method | None:
        """The method that a call is of, where it is a part of the Go function that is being read."""
        match e:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="self"), attr=name)):
                found = lookup(frame.method.cls, name)
            case ast.Call(func=ast.Attribute(value=ast.Call(func=ast.Name(id="super")))):
                found = frame.method.next()
                return found if not found.is_go_function else None
            case _:
                return None
        if found is None or found.is_go_function or found.home is not self.method.home:
            return None
        # What is called in several places would be there several times.
        return found if _times(frame.source.tree, found.name) == 1 else None

    def inside(
        self, frame: _Frame, part: Method, call: ast.expr, target: str | None, at: Line, ends: list[End]
    ) -> list[End]:
        """A part in its place. What its parameters are called otherwise is said first."""
        assert isinstance(call, ast.Call)
        inner = self.frame(part, target)
        for name, value in self.given(inner, call).items():
            said = frame.text.text(value)
            if said != self.parameter(name):
                ends = self.say(BoxKind.UPDATE, f"{self.parameter(name)} = {said}", at, ends)
        return self.read(inner, ends)

    def given(self, inner: _Frame, call: ast.Call) -> Mapping[str, ast.expr]:
        """The arguments of a call by the names of the parameters."""
        names = [argument.arg for argument in inner.source.tree.args.args[1:]]
        by_name = {str(keyword.arg): keyword.value for keyword in call.keywords}
        return {**dict(zip(names, call.args, strict=False)), **by_name}


def _names(frame: _Frame) -> set[str]:
    """The names that a method uses."""
    return {node.id for node in ast.walk(frame.source.tree) if isinstance(node, ast.Name)}


def _times(tree: ast.FunctionDef, name: str) -> int:
    """How often a method calls another one of its own."""
    return sum(isinstance(node, ast.Attribute) and node.attr == name for node in ast.walk(tree))


def _aliases(tree: ast.FunctionDef) -> Mapping[str, ast.expr]:
    """Locals that only stand for a record, with it: set once, to a field or an element, and used for what it has."""
    bases = {n.value.id for n in ast.walk(tree) if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)}
    set_to = [
        (target.id, node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Assign)
        for target in node.targets
        if isinstance(target, ast.Name)
    ]
    once = {name for name, _ in set_to if [other for other, _ in set_to].count(name) == 1}
    return {
        name: value
        for name, value in set_to
        if name in bases & once and isinstance(value, ast.Attribute | ast.Subscript)
    }
