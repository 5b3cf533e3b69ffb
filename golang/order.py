"""Whether a loop over a map does the same in every order: the passes of two neighbours may be exchanged.

They may where each writes only what is its own, an element by its UID, and reads of what some pass writes only its own.
An entry of another map that is compared with the UID, or cleared where it is that UID, is its own as well: the other
pass has another UID, and finds and leaves it as it was. A local from before the loop may be counted up or set to one
constant, and the loop may not read it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from podproof.checker.core.system import ModelError
from podproof.golang.values import Meaning, Translated, TranslatedLine

OWN = {
    "notify_pod_worker": "pod_updates",
    "can_notify_pod_worker": "pod_updates",
    "drain_pod_updates": "pod_updates",
    "cleanup_pod_updates": "pod_updates",
    "start_pod_worker": "pod_updates",
    "delete_pod_sync_status": "pod_sync_statuses",
    "cancel": "pod_sync_statuses",
    "enqueue": "work_queue",
    "record_known_pod": "known_pods",
    "is_desired": "",
}
"""The model's own functions that a pass may call with its UID, and what of that UID they write."""
_COPIES = ("copy", "clear")
_UID = "@"
"""The pass's own UID."""


@dataclass
class Passes:
    """What the passes of a loop do to what is not their own."""

    functions: Mapping[str, Translated]
    reads: dict[str, int] = field(default_factory=dict)
    """What is read that may be another pass's -> the line of the Go."""
    writes: dict[str, int] = field(default_factory=dict)
    """What is written, by its root -> line."""
    shared: dict[str, int] = field(default_factory=dict)
    """What is written, and is no pass's own -> line."""
    counted: dict[str, set[str]] = field(default_factory=dict)
    """Local from before the loop -> what is done to it."""
    entered: list[str] = field(default_factory=list)

    def line_that_depends(self) -> int:
        """A line that makes the order of the passes matter; 0 where none does."""
        for name, line in self.shared.items():
            ways = self.counted.get(name)
            if ways is None or len(ways) > 1 or name in self.reads:
                return line
        return next((line for name, line in self.reads.items() if name in self.writes), 0)


def order_matters(
    lines: list[TranslatedLine], uid: str, outer: Mapping[str, str], functions: Mapping[str, Translated]
) -> int:
    """The line of the Go by which the order of a loop's passes matters; 0 if it does not.

    `lines` are the body in the model language, `uid` is the local that each pass has of its own, `outer` has the
    locals from before the loop, with the place that a pointer points to.
    """
    passes = Passes(functions)
    _follow(passes, lines, {uid: _UID, **{name: place for name, place in outer.items() if place}}, frozenset(outer))
    return passes.line_that_depends()


def _follow(passes: Passes, lines: list[TranslatedLine], names: Mapping[str, str], outer: frozenset[str]) -> None:
    """Note what some lines do; `names` says of the names within what they are outside."""
    least = min(line.depth for line in lines)
    try:
        tree = ast.parse("\n".join(f"{'    ' * (line.depth - least)}{line.text}" for line in lines))
    except SyntaxError as error:  # Python has an end to how deep its blocks are nested.
        raise ModelError("a function's blocks are nested too deep; make a part of it a function") from error
    _Reader(passes, [line.go for line in lines], dict(names), outer).block(tree.body, frozenset())


def _root(place: str) -> str:
    return place.partition("[")[0].partition(".")[0]


class _Reader:
    """Reads the lines of one function, or of the loop."""

    def __init__(self, passes: Passes, go: list[int], names: dict[str, str], outer: frozenset[str]) -> None:
        self.passes, self.go, self.names, self.outer = passes, go, names, outer
        self.exists: dict[str, str] = {}
        """Local bool -> the entry of which it says whether there is one."""

    def line(self, node: ast.AST) -> int:
        return self.go[getattr(node, "lineno", 1) - 1]

    def block(self, body: list[ast.stmt], mine: frozenset[str]) -> None:
        for statement in body:
            self.statement(statement, mine)
            if isinstance(statement, ast.If) and isinstance(statement.body[-1], ast.Return) and not statement.orelse:
                mine |= set(self.own_entries(statement.test, False))

    def statement(self, node: ast.stmt, mine: frozenset[str]) -> None:
        """`mine`: the entries that are known here to be this pass's UID."""
        match node:
            case ast.If(test, body, orelse):
                self.read(test)
                self.block(body, mine | set(self.own_entries(test)))
                self.block(orelse, mine | set(self.own_entries(test, False)))
            case ast.For(target, over, body, _):
                self.read(over)
                self.names.pop(ast.unparse(target), None)
                self.block(body, mine)
            case ast.Assign([ast.Name(name)], value) if name in self.outer and name not in self.names:
                self.count(name, node, value)
            case ast.Assign([ast.Name(name)], value):
                place, (entry, is_there) = self.place(value), self.asked_entry(value)
                self.names.pop(name, None)
                self.exists.pop(name, None)
                if place is not None:
                    self.names[name] = place
                elif entry and is_there:
                    self.exists[name] = entry
                else:
                    self.read(value)
            case ast.Assign([target], value):
                self.read(value)
                clears = isinstance(value, ast.Name) and value.id == "NIL"
                for part in target.elts if isinstance(target, ast.Tuple) else [target]:
                    if not isinstance(part, ast.Name):
                        self.write(part, mine if clears else frozenset())
                    elif part.id in self.outer:
                        self.note(self.passes.shared, part.id, part)
            case ast.Assert(test, _):
                self.read(test)
            case ast.Expr(value) | ast.Return(value):
                if value is not None:
                    self.read(value)
            case ast.Pass():
                pass
            case _:
                self.note(self.passes.shared, ast.unparse(node), node)

    def count(self, name: str, node: ast.stmt, value: ast.expr) -> None:
        """A local from before the loop is set in a way that is the same in any order, or in two ways."""
        match value:
            case ast.BinOp(ast.Name(first), ast.Add(), added) if first == name:
                ways = {"+"}
                self.read(added)
            case ast.Call(ast.Name("max" | "min" as how), [ast.Name(first), other], []) if first == name:
                ways = {how}
                self.read(other)
            case ast.BoolOp(operator, [ast.Name(first), *others]) if first == name:
                ways = {type(operator).__name__}
                for other in others:
                    self.read(other)
            case _ if Meaning(ast.unparse(value), "").is_constant:
                ways = {ast.unparse(value)}
            case _:
                ways = {ast.unparse(value), ""}
                self.read(value)
        self.passes.counted.setdefault(name, set()).update(ways)
        self.note(self.passes.shared, name, node)

    # -- places --------------------------------------------------------------------------------------------------
    def place(self, node: ast.expr) -> str | None:
        """The path of what is no computation, with the names that it has outside."""
        match node:
            case ast.Name(name):
                return self.names.get(name)
            case ast.Attribute(ast.Name("self"), name):
                return name
            case ast.Attribute(value, name):
                base = self.place(value)
                return None if base is None else f"{base}.{name}"
            case ast.Subscript(value, index):
                base, at = self.place(value), self.place(index)
                return None if base is None else f"{base}[{at if at is not None else ast.unparse(index)}]"
        return None

    def is_own(self, place: str) -> bool:
        return place == _UID or place.startswith(f"{_root(place)}[{_UID}]")

    def own_entries(self, test: ast.expr, holds: bool = True) -> Iterator[str]:
        """The entries that are this pass's UID where a condition holds, or does not."""
        match test:
            case ast.UnaryOp(ast.Not(), inner):
                yield from self.own_entries(inner, not holds)
            case ast.BoolOp(operator, parts) if isinstance(operator, ast.And) == holds:
                for part in parts:
                    yield from self.own_entries(part, holds)
            case ast.Compare(left, [operator], [right]) if isinstance(operator, ast.Eq if holds else ast.NotEq):
                sides = [self.place(left), self.place(right)]
                if _UID in sides and None not in sides:
                    yield str(sides[sides[0] == _UID])

    def asked_entry(self, test: ast.expr) -> tuple[str, bool]:
        """The entry of which this asks whether there is one, and whether it is true of one that is there."""
        match test:
            case ast.UnaryOp(ast.Not(), inner):
                entry, is_there = self.asked_entry(inner)
                return entry, not is_there
            case ast.Name(name):
                return self.exists.get(name, ""), True
            case ast.Compare(place, [operator], [ast.Name("NIL")]):
                return self.place(place) or "", isinstance(operator, ast.NotEq)
        return "", True

    def note(self, where: dict[str, int], name: str, node: ast.AST) -> None:
        where.setdefault(name, self.line(node))

    def read(self, node: ast.expr) -> None:
        if isinstance(node, ast.Compare) and [*self.own_entries(node), *self.own_entries(node, False)]:
            return
        if isinstance(node, ast.BoolOp):
            # What is the UID is there: beside that question, whether it is there says nothing more.
            both = isinstance(node.op, ast.And)
            own = {(entry, both) for entry in self.own_entries(node, both)}
            for value in node.values:
                if self.asked_entry(value) not in own:
                    self.read(value)
            return
        if isinstance(node, ast.Call):
            self.call(node)
            return
        place = self.place(node)
        if place is not None:
            if not self.is_own(place):
                self.note(self.passes.reads, _root(place), node)
            return
        if isinstance(node, ast.Name) and node.id in self.exists:
            self.note(self.passes.reads, _root(self.exists[node.id]), node)
        if isinstance(node, ast.Name) and node.id in self.outer:
            self.note(self.passes.reads, node.id, node)
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self.read(part)

    def write(self, node: ast.expr, mine: frozenset[str]) -> None:
        place = self.place(node)
        if place is None:
            said = ".".join(ast.unparse(node).split(".")[:2])
            if not said.startswith("local.") or said in self.outer:  # Other records of locals are made in each pass.
                self.note(self.passes.shared, said, node)
            return
        root = _root(place)
        self.note(self.passes.writes, root, node)
        if not self.is_own(place) and place not in mine:
            self.note(self.passes.shared, root, node)

    def call(self, node: ast.Call) -> None:
        """A function of the file is followed; one of the model's own is known, or may do anything."""
        name = ast.unparse(node.func).removeprefix("self.")
        found = self.passes.functions.get(name)
        places = [self.place(argument) for argument in node.args]
        if name == "len":
            return  # Of an array, which keeps its length.
        if name in ("range", "min", "max", "last", "contains", "programmer_error"):
            for argument in node.args:
                self.read(argument)
        elif name in _COPIES:
            (self.read if name == "copy" else lambda part: self.write(part, frozenset()))(node.args[0])
        elif found is not None and found.lines and name not in self.passes.entered:
            for argument, place in zip(node.args, places, strict=True):
                if place is None:
                    self.read(argument)
            given = {p: place for p, place in zip(found.parameters, places, strict=True) if place is not None}
            self.passes.entered.append(name)
            _follow(self.passes, list(found.lines), given, frozenset())
            self.passes.entered.pop()
        elif name in OWN and places[:1] == [_UID]:
            for argument, place in zip(node.args, places, strict=True):
                if place != _UID:
                    self.read(argument)
            if OWN[name]:
                self.note(self.passes.writes, OWN[name], node)
        elif ast.unparse(node.func).rpartition(".")[2] in ("Pod", "KillPodOptions", "UpdatePodOptions"):
            for part in (*node.args, *(keyword.value for keyword in node.keywords)):
                self.read(part)
        elif name == "close_channel":
            self.read(node.args[0])
        else:
            self.note(self.passes.shared, name, node)
