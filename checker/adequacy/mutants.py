"""Mutants: a function of a model with one place changed, put into its class for a while."""

from __future__ import annotations

import ast
import enum
import inspect
import itertools
import linecache
import os
import types
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, is_dataclass
from functools import cached_property
from typing import Any, get_args, get_type_hints

from podproof.checker.core.graph import Line
from podproof.checker.core.printer import ORIGIN, place_of
from podproof.checker.core.shapes import hints_of
from podproof.checker.core.system import ModelError
from podproof.checker.lowering.source import Source, source_of


@dataclass(frozen=True)
class Mutant:
    """One place of one function changed."""

    owner: type | types.ModuleType
    """The class, or module, whose text has the function."""
    name: str
    edit: Edit
    is_vocabulary: bool
    """Is it a method of a record, which claims use as a word? They are read with the word as it was."""

    @property
    def key(self) -> str:
        """The same text of a function gives the same keys, and no two of one place are alike."""
        edit = self.edit
        return f"{self.function}:{edit.line}:{edit.column} {edit.operator}: {edit.before} → {edit.after}"

    @property
    def function(self) -> str:
        return self.name if inspect.ismodule(self.owner) else f"{self.owner.__name__}.{self.name}"

    @cached_property
    def source(self) -> Source:
        return source_of(vars(self.owner)[self.name])

    @cached_property
    def lines(self) -> frozenset[Line]:
        """The lines of the function."""
        tree = self.source.tree
        first = min([tree.lineno, *(d.lineno for d in tree.decorator_list)])
        numbers = range(first, (tree.end_lineno or first) + 1)
        return frozenset(Line(*place_of(self.source.file, number)) for number in numbers)

    @property
    def line(self) -> Line:
        return Line(*place_of(self.source.file, self.edit.line))

    @cached_property
    def mutated(self) -> Callable[..., Any]:
        """The changed function, which reads the names of the original one. Raises ModelError where it is no Python."""
        original: Any = self.source.function
        first = original.__code__.co_firstlineno
        text = edited(self.source, self.edit)
        # The same path in other letters: `inspect` and the lowering find these lines under it, and reports the file's.
        file = os.path.join(os.path.dirname(self.source.file) or ".", ".", os.path.basename(self.source.file))
        indent = " " * (len(text) - len(text.lstrip(" ")))
        head = [f"class {self.owner.__name__}:\n"] if indent else []
        before = ["from __future__ import annotations\n", *head]
        whole = "".join(before) + "\n" * (first - 1 - len(before)) + text
        linecache.cache[file] = (len(whole), None, whole.splitlines(keepends=True), file)
        try:
            code = _code(compile(whole, file, "exec", dont_inherit=True), self.name)
        except SyntaxError as error:
            raise ModelError(f"{self.line}: {error.msg}; a mutation makes no Python of it") from error
        closure = original.__closure__ if code.co_freevars else None
        made = types.FunctionType(code, original.__globals__, self.name, original.__defaults__, closure)
        made.__dict__.update(original.__dict__)
        made.__annotations__ = original.__annotations__
        made.__qualname__, made.__module__, made.__doc__ = original.__qualname__, original.__module__, original.__doc__
        return made

    @contextmanager
    def planted(self) -> Iterator[None]:
        """While this is open the class has the changed function."""
        original, changed = vars(self.owner)[self.name], self.mutated
        setattr(self.owner, self.name, changed)
        try:
            yield
        finally:
            setattr(self.owner, self.name, original)

    @contextmanager
    def as_claims_read(self) -> Iterator[None]:
        """While this is open claims can be read or asked."""
        if self.is_vocabulary:
            yield
        else:
            with self.planted():
                yield


def _code(module: types.CodeType, name: str) -> types.CodeType:
    pending = [module]
    while pending:
        code = pending.pop()
        if code.co_name == name:
            return code
        pending += (constant for constant in code.co_consts if isinstance(constant, types.CodeType))
    raise ModelError(f"no function {name!r} is left")


def mutants_of(
    classes: Sequence[type], records: Sequence[type], modules: Sequence[types.ModuleType] = ()
) -> Iterator[Mutant]:
    """Every mutant of the functions of these classes, the overriding ones first, of these records and modules.

    What is overridden by a method that does not ask for it with `super()` is no part of the model.
    """
    hidden = set[str]()
    owners: tuple[type | types.ModuleType, ...] = (*classes, *records, *modules)
    for owner in owners:
        for name, function in vars(owner).items():
            if name.startswith("__") or (name in hidden and owner in classes):
                continue
            if owner in modules and getattr(function, "__module__", "") != owner.__name__:
                continue
            if inspect.isfunction(function):
                source = source_of(function)
                if not hasattr(function, "__action__"):
                    yield from (Mutant(owner, name, edit, owner in records) for edit in edits(source))
                asks = any(isinstance(node, ast.Name) and node.id == "super" for node in ast.walk(source.tree))
                if not asks:
                    hidden.add(name)
            else:
                hidden.add(name)


# -- the mutation operators: what is changed at which place of a function's text ---------------------------------------

Piece = tuple[int, int, str]
"""From where to where, in the letters of the file, and what stands there instead."""

_COMPARISONS: Mapping[type[ast.cmpop], tuple[str, str]] = {
    ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="),
    ast.Lt: ("<", "<="),
    ast.LtE: ("<=", "<"),
    ast.Gt: (">", ">="),
    ast.GtE: (">=", ">"),
    ast.In: ("in", "not in"),
    ast.NotIn: ("not in", "in"),
}
"""How each is written, and what takes its place."""
OPERATORS: Mapping[str, str] = {
    "negate a condition": "of an `if`, of a choice between two values, or of a returned truth value",
    "drop a conjunct": "one operand of `and` or `or`",
    "drop a branch": "what an `if` with an `else`, or the `else` or `elif`, does",
    "drop a statement": "an assignment, a call, an `if`, a loop, an early `return`",
    "exchange a comparison": "< and <=, > and >=, == and !=, in and not in",
    "change a constant": "True and False, numbers by one, NIL to 0, a member of an enumeration to another",
    "exchange statements": "two neighbours",
    "exchange outcomes": "two members of a parameter's enumeration, everywhere; two returned values",
    "replace an argument": "of a call, by another name or field of its type",
    "return early": "at once",
}
"""The operators, with what each changes."""
_FEW = 3
"""An enumeration with so many members has each exchanged for every other; of a larger one it is the next."""


@dataclass(frozen=True)
class Edit:
    """A change of a function's text."""

    operator: str
    line: int
    column: int
    before: str
    after: str
    pieces: tuple[Piece, ...]


def edits(source: Source) -> Iterator[Edit]:
    """Every change that an operator makes to a function, in the order of its text."""
    found = sorted(_Function(source).edits(), key=lambda edit: edit.pieces[0][:2])
    yield from {edit.pieces: edit for edit in found}.values()


def edited(source: Source, edit: Edit) -> str:
    """The lines of the function with the change; no line of it gets another number."""
    function = _Function(source)
    text = function.text
    for start, end, instead in sorted(edit.pieces, reverse=True):
        missing = text.count("\n", start, end) - instead.count("\n")
        text = text[:start] + instead + "\n" * max(0, missing) + text[end:]
    lines = text.splitlines(keepends=True)
    return "".join(lines[function.first - 1 : function.last])


class _Function:
    """A function's places in the text of its file."""

    def __init__(self, source: Source) -> None:
        self.tree, self.function = source.tree, source.function
        self.lines = linecache.getlines(source.file)
        self.text = "".join(self.lines)
        self.starts = [0, *itertools.accumulate(map(len, self.lines))]
        self.first = min([self.tree.lineno, *(d.lineno for d in self.tree.decorator_list)])
        self.last = self.tree.end_lineno or self.tree.lineno
        self.body = [s for s in self.tree.body if not _is_docstring(s)]

    @cached_property
    def scope(self) -> Mapping[str, Any]:
        names: Mapping[str, Any] = getattr(self.function, "__globals__")  # noqa: B009
        return names

    @cached_property
    def hints(self) -> Mapping[str, Any]:
        return hints_of(self.function)

    @cached_property
    def gives(self) -> object:
        """What it returns."""
        return get_type_hints(self.function).get("return")

    def at(self, line: int, column: int) -> int:
        """The position of a place in the text; Python counts columns in bytes."""
        text = self.lines[line - 1]
        return self.starts[line - 1] + len(text.encode()[:column].decode())

    def span(self, first: ast.AST, last: ast.AST | None = None) -> tuple[int, int]:
        end: Any = last or first
        begin: Any = first
        return self.at(begin.lineno, begin.col_offset), self.at(end.end_lineno, end.end_col_offset)

    def of(self, node: ast.AST) -> str:
        start, end = self.span(node)
        return self.text[start:end]

    def change(self, operator: str, node: ast.AST, instead: str, last: ast.AST | None = None) -> Edit:
        """One place is replaced."""
        start, end = self.span(node, last)
        before, after = _one_line(self.text[start:end]), _one_line(instead)
        line = getattr(node, "lineno", 0)
        return Edit(operator, line, start - self.starts[line - 1], before, after, ((start, end, instead),))

    def edits(self) -> Iterator[Edit]:
        yield from self.block(self.body, whole=True)
        yield from self.outcomes()
        body = [s for s in self.body if not _is_require(s)]
        if len(body) > 1:
            for value in _EARLY.get(self.gives, ()):
                yield self.change("return early", body[0], f"return {value}".rstrip(), body[-1])

    # -- statements ----------------------------------------------------------------------------------------------------

    def block(self, statements: Sequence[ast.stmt], whole: bool = False) -> Iterator[Edit]:
        """`whole`: is it the function's own body?"""
        statements = [s for s in statements if not _is_require(s)]
        for statement in statements:
            if self.may_be_dropped(statement, whole and statement is statements[-1]):
                yield self.change("drop a statement", statement, "pass")
            yield from self.statement(statement)
        for one, other in itertools.pairwise(statements):
            if not isinstance(one, ast.Return | ast.Pass) and not isinstance(other, ast.Return | ast.Pass):
                first, second = self.span(one), self.span(other)
                texts = self.of(one), self.of(other)
                if texts[0] != texts[1] and not self.needs(one, other):
                    yield Edit(
                        "exchange statements",
                        one.lineno,
                        first[0] - self.starts[one.lineno - 1],
                        f"{_one_line(texts[0])}; {_one_line(texts[1])}",
                        f"{_one_line(texts[1])}; {_one_line(texts[0])}",
                        ((first[0], second[1], texts[1] + self.text[first[1] : second[0]] + texts[0]),),
                    )

    def needs(self, one: ast.stmt, other: ast.stmt) -> bool:
        """Does a statement use a local name that the one before it sets first?"""
        new = {name for name in _stored(one) if not self.is_set_before(name, one)}
        return any(isinstance(n, ast.Name) and n.id in new for n in ast.walk(other))

    def is_set_before(self, name: str, statement: ast.stmt) -> bool:
        if any(argument.arg == name for argument in self.tree.args.args):
            return True
        before = (n for n in ast.walk(self.tree) if isinstance(n, ast.stmt) and n.lineno < statement.lineno)
        return any(name in _stored(n) for n in before)

    def may_be_dropped(self, statement: ast.stmt, is_last: bool) -> bool:
        match statement:
            case ast.Return(value=None):
                return not is_last
            case ast.Return() | ast.Pass():
                return False
            case ast.Assign() | ast.AnnAssign():
                return all(self.is_set_before(name, statement) for name in _stored(statement))
        return True

    def statement(self, statement: ast.stmt) -> Iterator[Edit]:
        match statement:
            case ast.If(test=test, body=body, orelse=orelse):
                yield self.change("negate a condition", test, f"not ({self.of(test)})")
                yield from self.expression(test)
                if orelse:
                    yield self.change("drop a branch", body[0], "pass", body[-1])
                    if self.text.startswith("elif", self.span(orelse[0])[0]):
                        (other,) = orelse
                        assert isinstance(other, ast.If)
                        yield self.change("drop a branch", other.test, "False")
                        yield from self.statement(other)
                    else:
                        yield self.change("drop a branch", orelse[0], "pass", orelse[-1])
                        yield from self.block(orelse)
                yield from self.block(body)
            case ast.For(iter=over, body=body):
                yield from self.expression(over)
                yield from self.block(body)
            case ast.Return(value=ast.expr() as value):
                if self.gives is bool and not isinstance(value, ast.Constant):
                    yield self.change("negate a condition", value, f"not ({self.of(value)})")
                yield from self.expression(value)
            case ast.Assign(value=value) | ast.AugAssign(value=value) | ast.Expr(value=value):
                yield from self.expression(value)
            case ast.AnnAssign(value=ast.expr() as value):
                yield from self.expression(value)

    # -- expressions ---------------------------------------------------------------------------------------------------

    def expression(self, e: ast.expr) -> Iterator[Edit]:
        match e:
            case ast.IfExp(test=test):
                yield self.change("negate a condition", test, f"not ({self.of(test)})")
            case ast.BoolOp(op=junction, values=values):
                word = " and " if isinstance(junction, ast.And) else " or "
                for dropped in values:
                    rest = word.join(self.of(v) for v in values if v is not dropped)
                    yield self.change("drop a conjunct", e, f"({rest})")
            case ast.Compare(left=left, ops=ops, comparators=others):
                operands = [left, *others]
                for i, op in enumerate(ops):
                    if type(op) in _COMPARISONS:
                        words = [_COMPARISONS[type(o)][j == i] for j, o in enumerate(ops)]
                        rest = "".join(f" {w} {self.of(x)}" for w, x in zip(words, others, strict=True))
                        yield self.change("exchange a comparison", e, self.of(operands[0]) + rest)
            case ast.Constant(value=bool() as value):
                yield self.change("change a constant", e, str(not value))
            case ast.Constant(value=int() as value):
                for number in (value + 1, value - 1):
                    yield self.change("change a constant", e, str(number))
            case ast.Name(id="NIL"):
                yield self.change("change a constant", e, "0")
            case ast.Attribute(value=ast.Name(id=name), attr=member) if _is_enumeration(self.scope.get(name)):
                for other in _others(self.scope[name], member):
                    yield self.change("change a constant", e, f"{name}.{other}")
                return
            case ast.Call(args=args, keywords=keywords):
                for argument in (*args, *(k.value for k in keywords)):
                    for instead in self.like(argument):
                        yield self.change("replace an argument", argument, instead)
        for part in ast.iter_child_nodes(e):
            if isinstance(part, ast.keyword):
                yield from self.expression(part.value)
            elif isinstance(part, ast.expr):
                yield from self.expression(part)

    def like(self, argument: ast.expr) -> Iterator[str]:
        """What else of its type an argument could be: another parameter, a sibling of the field."""
        match argument:
            case ast.Name(id=name) if self.hints.get(name, int) is not int:  # The numbers are UIDs and the like.
                kind = self.hints[name]
                yield from (p for p, hint in self.hints.items() if p not in (name, "return") and hint == kind)
            case ast.Attribute(value=record, attr=name):
                for cls in self.records:
                    types = get_type_hints(cls)
                    if name in types and types[name] is not bool:
                        same = [f.name for f in fields(cls) if types[f.name] == types[name]]
                        if len(same) > 1:
                            yield f"{self.of(record)}.{same[(same.index(name) + 1) % len(same)]}"
                        return

    @cached_property
    def records(self) -> list[Any]:
        """The records that the module knows."""
        known: list[Any] = [thing for thing in self.scope.values() if isinstance(thing, type) and is_dataclass(thing)]
        parts: set[Any] = {part for cls in known for hint in get_type_hints(cls).values() for part in _classes(hint)}
        parts = {part for part in parts if part not in known and isinstance(part, type) and is_dataclass(part)}
        return [*known, *sorted(parts, key=str)]

    # -- the whole function --------------------------------------------------------------------------------------------

    def outcomes(self) -> Iterator[Edit]:
        """Two outcomes change places: of a parameter that says what happened, or in what is returned."""
        for name, kind in self.hints.items():
            if name != "return" and _is_enumeration(kind):
                nodes = [
                    n
                    for statement in self.body
                    for n in ast.walk(statement)
                    if isinstance(n, ast.Attribute)
                    and isinstance(n.value, ast.Name)
                    and self.scope.get(n.value.id) is kind
                ]
                for a, b in itertools.combinations(kind.__members__, 2):
                    swapped = [(n, b if n.attr == a else a) for n in nodes if n.attr in (a, b)]
                    if len({n.attr for n, _ in swapped}) == 2:
                        pieces = tuple((*self.span(n), f"{kind.__name__}.{other}") for n, other in swapped)
                        line = min(n.lineno for n, _ in swapped)
                        yield Edit("exchange outcomes", line, 0, f"{a} and {b}", f"{b} and {a}", pieces)
        for node in (n for s in self.body for n in ast.walk(s)):
            if isinstance(node, ast.Return) and isinstance(node.value, ast.Tuple) and len(node.value.elts) == 2:
                one, other = map(self.of, node.value.elts)
                if one != other:
                    yield self.change("exchange outcomes", node.value, f"{other}, {one}")


_EARLY: Mapping[object, tuple[str, ...]] = {type(None): ("",), bool: ("True", "False")}
"""What is returned early, by the type of what the function gives."""


def _is_docstring(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant)


def _is_require(statement: ast.stmt) -> bool:
    """A guard says where a goroutine stands, or when an event is possible: it is no line of what is modelled."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Name(id="require"))):
            return True
    return False


def _stored(statement: ast.AST) -> set[str]:
    """The local names that a statement sets."""
    match statement:
        case ast.Assign(targets=targets):
            places: Iterable[ast.AST] = targets
        case ast.AnnAssign(target=target) | ast.For(target=target):
            places = [target]
        case _:
            return set()
    return {
        n.id for place in places for n in ast.walk(place) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
    }


def _is_enumeration(thing: object) -> bool:
    return isinstance(thing, type) and issubclass(thing, enum.Enum)


def _others(kind: type[enum.Enum], member: str) -> list[str]:
    names = list(kind.__members__)
    if member not in names:
        return []
    if len(names) <= _FEW:
        return [name for name in names if name != member]
    return [names[(names.index(member) + 1) % len(names)]]


def _classes(hint: Any) -> Iterator[Any]:
    if isinstance(hint, type):
        yield hint
    for part in get_args(hint):
        yield from _classes(part)


def _one_line(text: str) -> str:
    return " ".join(ORIGIN.sub("", text).split())
