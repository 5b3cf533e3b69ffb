"""What an expression stands for while it is lowered, and what the lowering carries through all functions it calls."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from enum import Enum
from typing import Any

from podproof.checker.core.graph import UNBOUNDED, Expr, Graph, Line, Op
from podproof.checker.core.shapes import FixedArray, Record, Scope, Shape
from podproof.checker.core.system import Action
from podproof.checker.lowering.source import Source

Environment = dict[str, Expr]
"""The node that each leaf holds now that was assigned, by path; keys that begin with % are the lowering's own."""


@dataclass(slots=True)  # Not frozen, like Expr.
class TypedValue:
    """A value of the graph. `sort` is bool, int or an Enum class: values of two sorts are never mixed."""

    node: Expr
    sort: type
    nil: int | None = None
    """The integer by which `node` says nil; None for what is never nil."""
    is_set: bool = False
    """Is it known that it is not nil here?"""

    @property
    def may_be_nil(self) -> bool:
        return self.nil is not None and not self.is_set


@dataclass(frozen=True, eq=False)
class Ref:
    """A record or array in the state, as a Python name refers to one.

    `places` are the paths it may be, each with the condition under which it is that one; they exclude each other.
    """

    places: tuple[tuple[Expr, str], ...]
    shape: Record | FixedArray
    fresh: bool = False
    """Made by a constructor or `copy` and stored nowhere yet."""
    born: int = 0
    """When it was made, to see whether the record was replaced since."""


Places = tuple[list[tuple[Expr, str]], Shape]
"""Where an assignment stores: paths, each with the condition under which it is that one, and the shape there."""


@dataclass(frozen=True)
class Static:
    """A Python object known when the model is loaded: a function, a class, a module's constant."""

    thing: Any


@dataclass(frozen=True)
class BoundMethod:
    """A method together with the record it is called on; `super_of` is the class that `super()` continues after."""

    function: Callable[..., Any]
    owner: type
    receiver: Ref


@dataclass(frozen=True)
class Occurrence:
    """The step that a claim is asked about: an action, with the values of its parameters."""

    action: Action
    parameters: Mapping[str, TypedValue]
    known: Mapping[str, frozenset[str]]
    """Of "action" and "actor", the texts that a step may say."""
    answers: dict[tuple[str, str], bool | TypedValue | None] = field(default_factory=dict, compare=False)
    """What it was asked, with what it said. Another one that says the same to these is as good."""

    def ask(self, about: str, text: str) -> bool | TypedValue | None:
        """Is its `action` or `actor` this one? Or, of a "parameter", what is its value, if it has one?"""
        if about == "parameter":
            answer: bool | TypedValue | None = self.parameters.get(text)
        else:
            answer = text == (self.action.name if about == "action" else self.action.actor)
        self.answers[about, text] = answer
        return answer

    def says(self, answers: Mapping[tuple[str, str], bool | TypedValue | None]) -> bool:
        """Would it answer like this?"""
        return all(self.ask(*question) == answer for question, answer in answers.items())


@dataclass(frozen=True)
class Text:
    """A text written out."""

    value: str


@dataclass(frozen=True)
class Said:
    """What an occurrence says of its `action` or `actor`: a text that is known only by comparing it."""

    occurrence: Occurrence
    about: str


@dataclass(frozen=True)
class Super:
    """`super()` in a method of `owner`."""

    receiver: Ref
    owner: type


@dataclass(frozen=True)
class Unset:
    """A local name that only one branch set."""

    line: int


@dataclass(frozen=True)
class Nothing:
    """The result of a function that returned no value."""


Value = (
    TypedValue | Ref | Static | BoundMethod | Super | Occurrence | Text | Said | Unset | Nothing | tuple["Value", ...]
)


class CannotMerge(Exception):
    """Two branches leave values behind that cannot be one; the message says why, `instead` what to write."""

    def __init__(self, what: str, instead: str = "give it the same kind of value on both branches") -> None:
        super().__init__(what)
        self.instead = instead


def is_flag(path: str) -> bool:
    """Is this key of an environment a flag (a fault, a bound, a line), rather than a leaf of the state?"""
    return path.startswith(("%fault:", "%bound:", "%line:", "%flag:"))


def merge_values(graph: Graph, condition: Expr, then: Value, other: Value) -> Value:
    """The value of a name after a branch; raises CannotMerge."""
    if then is other or then == other:
        return then
    match then, other:
        case TypedValue(), TypedValue():
            if then.sort is not other.sort:
                raise CannotMerge(
                    f"is a {sort_name(then.sort)} on one branch and a {sort_name(other.sort)} on the other"
                )
            is_set = not then.may_be_nil and not other.may_be_nil
            then, other = alike(graph, then, other)
            return TypedValue(graph.ite(condition, then.node, other.node), then.sort, then.nil, is_set)
        case tuple(), tuple() if len(then) == len(other):
            return tuple(merge_values(graph, condition, a, b) for a, b in zip(then, other, strict=True))
        case Ref(), Ref() if then.shape == other.shape and not then.fresh and not other.fresh:
            return Ref(_merge_places(graph, condition, then, other), then.shape, born=min(then.born, other.born))
        case Ref(), Ref() if then.shape == other.shape:
            raise CannotMerge(
                "is a record that was made or copied on one of the branches",
                "make or copy it before the `if` and change its fields on the branches",
            )
        case Unset(), _:
            return then
        case _, Unset():
            return other
    raise CannotMerge("has different kinds of values on the two branches")


def is_nil_here(graph: Graph, value: TypedValue) -> Expr:
    """When the value is nil."""
    if value.nil is None or value.is_set:
        return graph.false
    return graph.eq(value.node, graph.integer(value.nil))


def same(graph: Graph, a: TypedValue, b: TypedValue) -> Expr:
    """When two values of one sort are equal; nil is equal to nil alone."""
    if a.nil == b.nil:
        return graph.eq(a.node, b.node)
    equal = graph.eq(number_of(graph, a), number_of(graph, b))
    if any(v.nil is None and _cannot_be(v, other.nil) for v, other in ((a, b), (b, a))):
        return equal
    nils = is_nil_here(graph, a), is_nil_here(graph, b)
    numbers = graph.and_(equal, *(graph.not_(nil) for nil in nils))
    return graph.or_(graph.and_(*nils), numbers)


def _cannot_be(value: TypedValue, code: int | None) -> bool:
    """Is the integer, which says nil elsewhere, none that the value can have?"""
    return code is None or not value.node.low <= code <= value.node.high


def alike(graph: Graph, a: TypedValue, b: TypedValue) -> tuple[TypedValue, TypedValue]:
    """Two numbers that say nil by the same integer, one that stands for no number of theirs; raises CannotMerge."""
    if a.nil == b.nil:
        return a, b
    if not a.may_be_nil and not b.may_be_nil:
        return TypedValue(number_of(graph, a), a.sort), TypedValue(number_of(graph, b), b.sort)
    codes = (code for code in (a.nil, b.nil) if code is not None)
    free = (code for code in codes if all(v.nil == code or _cannot_be(v, code) for v in (a, b)))
    code = next(free, min(a.node.low, b.node.low) - 1)
    if code < -UNBOUNDED:
        raise CannotMerge("may be nil and may be any number", "bound the number")
    return recode(graph, a, code), recode(graph, b, code)


def number_of(graph: Graph, value: TypedValue) -> Expr:
    """The number that a value is where it is not nil; those that `recode` has moved come back."""
    node = value.node
    if value.nil is None or value.nil <= node.low:
        return node
    moved = graph.lt(node, graph.integer(value.nil))
    return graph.ite(moved, graph.add(node, graph.integer(1)), node)


def recode(graph: Graph, value: TypedValue, code: int) -> TypedValue:
    """The value, with another integer for nil."""
    if value.nil == code:
        return value
    node = number_of(graph, value)
    if node.low <= code:
        # That integer is taken: it and the numbers below it, which a field of such values has within a step only,
        # are moved down by one.
        taken = graph.le(node, graph.integer(code))
        node = graph.ite(taken, graph.sub(node, graph.integer(1)), node)
    if value.may_be_nil:
        node = graph.ite(is_nil_here(graph, value), graph.integer(code), node)
    return TypedValue(node, value.sort, code, value.is_set)


def _merge_places(graph: Graph, condition: Expr, then: Ref, other: Ref) -> tuple[tuple[Expr, str], ...]:
    places: dict[str, Expr] = {}
    for side, ref in ((condition, then), (graph.not_(condition), other)):
        for guard, path in ref.places:
            places[path] = graph.or_(places.get(path, graph.false), graph.and_(side, guard))
    return tuple((guard, path) for path, guard in places.items())


def merge_locals(
    graph: Graph, condition: Expr, then: Mapping[str, Value], other: Mapping[str, Value], line: int
) -> dict[str, Value]:
    """The local names after a branch; one that a single side set is Unset. Raises CannotMerge, naming the local."""
    merged: dict[str, Value] = {}
    for name in {**other, **then}:
        if name not in then or name not in other:
            merged[name] = Unset(line)
            continue
        try:
            merged[name] = merge_values(graph, condition, then[name], other[name])
        except CannotMerge as error:
            raise CannotMerge(f"`{name}` {error}", error.instead) from error
    return merged


def sort_name(sort: type) -> str:
    """How errors call a sort."""
    return {bool: "bool", int: "number"}.get(sort, sort.__name__)


ENABLED = "%enabled"
"""Key of an environment: does every `require` so far hold?"""
CUT = "%flag:cut"
"""Has an `out_of_bounds` been met?"""
FAILED = "%flag:failed"
"""Has an index left its array, or an assertion failed?"""


class NeedsFixed(Exception):
    """A parameter indexes an array: the action is lowered once for each of its values."""

    def __init__(self, parameter: str) -> None:
        super().__init__(parameter)
        self.parameter = parameter


def reaching(line: Line) -> str:
    """What coming to a probed statement is called, among the `programmer_error` texts that a step reaches."""
    return f"comes to {line.file}:{line.number}"


@dataclass
class Execution:
    """What the lowering of one action or claim carries through all the functions it calls."""

    graph: Graph
    scope: Scope
    start: Mapping[str, Expr]
    """The node that each leaf of the state holds at the beginning, by path."""
    env: Environment = field(default_factory=dict)
    temporaries: int = 0
    clock: int = 0
    replaced: dict[str, tuple[int, int]] = field(default_factory=dict)
    """Path of a record that was replaced -> (when, source line)."""
    stored: dict[str, int] = field(default_factory=dict)
    """Path of a temporary record that was stored -> source line."""
    stack: list[Source] = field(default_factory=list)
    constants: Collection[str] = ()
    """Paths of the leaves that no action may write."""
    written: dict[str, Line] = field(default_factory=dict)
    """Path of a leaf that may have left its range -> the line that wrote it last."""
    nil_stored: dict[str, Line] = field(default_factory=dict)
    """Path of a leaf that cannot be nil -> the line that may have stored nil there."""
    lines: list[Line] = field(default_factory=list)
    """The line of each statement that was lowered."""
    stores: list[tuple[str, Expr, Line | None]] = field(default_factory=list)
    """Path of a leaf, the value that a statement stores there, and its line."""
    touched: bool = False
    """Has the state been assigned to?"""
    read_only: bool = False
    """Is this a claim, which may not assign to the state?"""
    strangers: dict[Enum, int] = field(default_factory=dict)
    """Members of enumerations that no field ever has -> numbers beyond those of the others."""

    probes: frozenset[Line] = frozenset()
    """Statements that are noted when they are come to; see `reaching`."""
    assumed: list[Expr] = field(default_factory=list)
    """Conditions under which the place that is lowered now is come to."""

    def leaf(self, path: str) -> Expr:
        """The node that a leaf holds now."""
        return self.env.get(path) or self.start[path]

    def merge(self, condition: Expr, then: Environment, other: Environment) -> Environment:
        """The environment after a branch. A flag that one side lacks is false there; a temporary is dead there."""
        if then == other:  # Most often; nodes are compared by identity.
            return other
        graph, merged = self.graph, dict(other)
        for path in {**then, **other}:
            before = graph.false if is_flag(path) else self.start.get(path)
            a, b = then.get(path, before), other.get(path, before)
            if a is None or b is None:
                merged[path] = then.get(path) or other[path]
            elif a is not b:
                merged[path] = graph.ite(condition, a, b)
        return merged

    @contextmanager
    def assuming(self, condition: Expr) -> Iterator[None]:
        """Within, what is lowered is reached only where the condition holds."""
        before = len(self.assumed)
        self.assume(condition)
        yield
        del self.assumed[before:]

    def assume(self, condition: Expr) -> None:
        """From here to the end of the block the condition holds."""
        self.assumed += self._parts(condition)

    def holds(self, condition: Expr) -> bool:
        """Is the condition known to hold here?"""
        return all(part in self.assumed for part in self._parts(condition))

    def _parts(self, condition: Expr) -> Iterator[Expr]:
        """What has to hold one by one for the condition to hold."""
        if condition.op is Op.AND:
            yield from (part for half in condition.args for part in self._parts(half))
        elif condition.op is Op.NOT and condition.args[0].op is Op.OR:
            yield from (part for half in condition.args[0].args for part in self._parts(self.graph.not_(half)))
        elif condition is not self.graph.true:
            yield condition

    def flag(self, key: str, condition: Expr) -> None:
        """Remember that `condition` was met on the present path."""
        if condition is not self.graph.false:
            self.env[key] = self.graph.or_(self.env.get(key, self.graph.false), condition)

    def when(self, key: str) -> Expr:
        """On which executions that came here a flag was met."""
        return self.env.get(key, self.graph.false)

    def cut(self, bound: str) -> None:
        """Python stops here, unless it has stopped before: what comes after no longer counts."""
        stops = self.graph.not_(self.graph.or_(self.when(FAILED), self.when(CUT)))
        self.flag(f"%bound:{bound}", stops)
        self.flag(CUT, stops)

    def fail(self, fault: str, condition: Expr) -> None:
        """Python raises an error here under this condition, unless it has stopped before."""
        condition = self.graph.and_(condition, self.graph.not_(self.when(CUT)))
        self.flag(f"%fault:{fault}", condition)
        self.flag(FAILED, condition)

    @property
    def is_dead(self) -> bool:
        """Does no execution come here, in this scenario?"""
        graph = self.graph
        return self.env.get(ENABLED) is graph.false or graph.true in (self.when(FAILED), self.when(CUT))
