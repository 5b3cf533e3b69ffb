"""A System from a model class: its variables, and every action lowered to transitions."""

from __future__ import annotations

import enum
import functools
import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from typing import Any

from podproof.checker.core.graph import UNBOUNDED, Expr, Graph, Line, Op
from podproof.checker.core.shapes import (
    FixedArray,
    Record,
    Scalar,
    Scope,
    Shape,
    check_method,
    encode_optional,
    is_nil,
    join,
    leaves,
    leaves_of_step,
    nil,
    notes_of,
    record_shape,
)
from podproof.checker.core.system import (
    Action,
    FairnessCondition,
    ModelError,
    OutOfRange,
    Parameter,
    State,
    System,
    Transition,
    Variable,
)
from podproof.checker.lowering.source import parameters_of, source_of
from podproof.checker.lowering.statements import lower_function
from podproof.checker.lowering.symbols import argument, parameter_of, state_environment
from podproof.checker.lowering.values import CUT, ENABLED, Execution, NeedsFixed, Ref

# -- a model's objects as states, and back -----------------------------------------------------------------------------


class Codec:
    """Turns a tree of model objects into a State and back. Its functions are generated once for a shape."""

    def __init__(self, shape: Record, constants: Mapping[str, int]) -> None:
        """`constants` has the leaves that are no variables of the state, with their values."""
        self.constants = constants
        self.scalars = {path: scalar for path, scalar, _ in leaves(shape) if path not in constants}
        self.variables = tuple(
            Variable(path, s.is_bool, s.low, s.high, s.labels, notes_of(shape.cls, path))
            for path, s in self.scalars.items()
        )
        self._position = {path: i for i, path in enumerate(self.scalars)}
        self._names: dict[str, Any] = {}
        of_step = [(path, scalar) for path, scalar in leaves_of_step(shape) if path not in constants]
        self.build = eval(f"lambda s: {self._builder(shape, '')}", self._names)
        """(State) -> a fresh tree of model objects."""
        elements: list[str] = []
        numbers = "".join(f"{number}, " for number in self._encoder(shape, "", "o", elements))
        exec("\n ".join(["def encode(o):", *elements, f"return ({numbers})"]), self._names)
        self.encode = self._names["encode"]
        zeros = (f"o.{path} = {self._name(s.decode(s.zero), f'_zero{i}')}" for i, (path, s) in enumerate(of_step))
        exec("\n ".join(["def begin(o):", *zeros, "return"]), self._names)
        self.begin = self._names["begin"]
        """Sets what a tree tells of the last step to zero."""

    def flatten(self, tree: Any) -> State:
        """The state of a tree; raises OutOfRange when a field has left its declared range."""
        state: State = self.encode(tree)
        for value, variable in zip(state, self.variables, strict=True):
            if (value.__class__ is not int and is_nil(value)) or not variable.low <= value <= variable.high:
                raise OutOfRange(range_message(variable.path, value, variable.low, variable.high))
        return state

    def _name(self, thing: Any, name: str = "") -> str:
        """A name for `thing` in the generated code."""
        name = name or f"_{thing.__name__}"
        while self._names.setdefault(name, thing) is not thing:
            name += "_"
        return name

    def _builder(self, shape: Shape, path: str) -> str:
        """The expression that makes the object at `path` from the state `s`."""
        match shape:
            case Record():
                parts = (f"{name}={self._builder(field, join(path, name))}" for name, field in shape.fields.items())
                return f"{self._name(shape.cls)}({', '.join(parts)})"
            case FixedArray():
                elements = [self._builder(shape.element, f"{path}[{i}]") for i in range(shape.length)]
                return f"{self._name(shape.cls)}([{', '.join(elements)}])"
            case Scalar():
                value = f"s[{self._position[path]}]" if path in self._position else str(self.constants[path])
                if shape.is_bool:
                    return f"({value} != 0)"
                if issubclass(shape.sort, enum.Enum):
                    return f"{self._name(shape.members, f'_members_of_{shape.sort.__name__}')}[{value}]"
                if shape.nil is not None:
                    return f"({self._name(nil(), '_nil')} if {value} == {shape.nil} else {value})"
                return value

    def _encoder(self, shape: Shape, path: str, thing: str, elements: list[str]) -> Iterator[str]:
        """The expressions that read the integers of `thing`. Each array's element is read once, into a local."""
        match shape:
            case Record():
                for name, field in shape.fields.items():
                    yield from self._encoder(field, join(path, name), f"{thing}.{name}", elements)
            case FixedArray():
                for i in range(shape.length):
                    local = f"e{len(elements)}"
                    elements.append(f"{local} = {thing}[{i}]")
                    yield from self._encoder(shape.element, f"{path}[{i}]", local, elements)
            case Scalar() if path in self._position:
                if issubclass(shape.sort, enum.Enum):
                    yield f"{self._name(_indices(shape.members), f'_index_of_{shape.sort.__name__}')}[{thing}]"
                elif shape.nil is not None:
                    is_nil, optional = self._name(nil(), "_nil"), self._name(encode_optional)
                    yield f"{shape.nil} if (n := {thing}) is {is_nil} else {optional}({shape.nil}, n)"
                else:
                    yield f"int({thing})" if shape.is_bool else thing


@functools.cache
def _indices(members: tuple[enum.Enum, ...]) -> Mapping[enum.Enum, int]:
    return {member: i for i, member in enumerate(members)}


def range_message(path: str, value: object, low: int, high: int) -> str:
    return (
        f"{path} became {value}, outside its declared range {low}..{high}; "
        "widen the domain in the scenario or bound the action that writes it"
    )


# -- a system and its transitions --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Description:
    """What to check, before lowering: a model class and what a scenario says about it."""

    cls: type
    version: str
    environment: str
    scenario: str
    bounds: str
    scope: Scope
    initial: Sequence[Any]
    """Initial states as model objects, all with the same constants."""
    record_lines: Callable[[], AbstractContextManager[list[str]]]
    """While it is open, the `programmer_error` texts that running the model reaches are added to the list it gives."""
    probes: frozenset[Line] = frozenset()
    """Statements of which a transition says when it comes to them, as if each were a `programmer_error`."""


def lower_system(description: Description) -> System:
    """Read the model once; raises ModelError where it leaves the language."""
    shape = record_shape(description.cls, description.scope)
    constants = _constants(shape, description)
    free = {
        p: s.first_number
        for p, s, _ in leaves(shape)
        if s.high >= UNBOUNDED and constants.get(p) not in (None, *s.labels)
    }
    codec = Codec(shape, {p: value for p, value in constants.items() if p not in free})
    actions = tuple(_actions(description, codec))
    graph = Graph()
    lower = _ActionLowering(graph, shape, description.scope, codec, frozenset(constants), description.probes)
    transitions = tuple(t for action in actions for t in lower.transitions(action))
    return System(
        name=f"{description.version}/{description.scenario}",
        version=description.version,
        environment=description.environment,
        scenario=description.scenario,
        bounds=description.bounds,
        variables=codec.variables,
        initial=tuple(dict.fromkeys(codec.flatten(tree) for tree in description.initial)),
        actions=actions,
        graph=graph,
        transitions=transitions,
        build=codec.build,
        flatten=codec.flatten,
        record_lines=description.record_lines,
        shape=shape,
        constants=codec.constants,
        scope=description.scope,
        free=free,
    )


def lower_again(system: System, lines: Collection[Line]) -> System:
    """The same system after what these lines say has changed: actions that read one of them are lowered once more.

    It shares the graph, so that what is the same is the same node. Raises ModelError where the model leaves the
    language now.
    """
    unwritten = frozenset((*system.constants, *system.free))
    lower = _ActionLowering(system.graph, system.shape, system.scope, Codec(system.shape, system.constants), unwritten)
    changed = {t.action.name for t in system.transitions if not frozenset(lines).isdisjoint(t.source)}
    by_action = {action.name: [t for t in system.transitions if t.action is action] for action in system.actions}
    transitions = [
        t
        for action in system.actions
        for t in (lower.transitions(action) if action.name in changed else by_action[action.name])
    ]
    return replace(system, transitions=tuple(transitions))


def _constants(shape: Record, description: Description) -> dict[str, int]:
    """The values of the constant leaves, read from the initial states, which must agree about them."""
    constants = {path: scalar for path, scalar, constant in leaves(shape) if constant}
    read = eval(f"lambda o: [{', '.join(f'o.{path}' for path in constants)}]")
    found: dict[str, int] = {}
    for tree in description.initial:
        for (path, scalar), thing in zip(constants.items(), read(tree), strict=True):
            value = scalar.encode(thing)
            if found.setdefault(path, value) != value:
                raise ModelError(f"{description.scenario}: the constant {path} differs between initial states")
    return found


def _actions(description: Description, codec: Codec) -> Iterator[Action]:
    """The methods marked @action, base classes first, in the order of their definition; overrides are actions, too."""
    marks: dict[str, Any] = {}
    for cls in reversed(description.cls.__mro__):
        marks.update((n, f.__action__) for n, f in vars(cls).items() if hasattr(f, "__action__"))
    for name, mark in marks.items():
        owner = _owner(description.cls, name)
        if type(vars(owner)[name]).__name__ != "Absent":
            yield _action(name, check_method(owner, name), mark, description.scope, codec)


def _action(name: str, method: Callable[..., None], info: Any, scope: Scope, codec: Codec) -> Action:
    source = source_of(method)
    parameters = list[Parameter]()
    if not parameters_of(method):
        source.refuse(source.tree, f"the action {name!r} has no parameter for its record", "write `self` as its first")
    for parameter in list(parameters_of(method))[1:]:
        if parameter in ("action", "actor"):
            what = f"a parameter of the action {name!r} is called {parameter!r}"
            source.refuse(source.tree, what, "choose another name: an event has one of that name already")
        parameters.append(parameter_of(method, parameter, scope, f"action {name!r}"))

    def arguments(values: Mapping[str, int]) -> dict[str, Any]:
        return {p.name: p.scalar.decode(values[p.name]) for p in parameters}

    line = source.line(source.tree)
    fairness = tuple(_fairness(f, name, line, parameters) for f in getattr(info, "fairness", ()))
    return Action(name, info.actor, info.label, tuple(parameters), line, method, arguments, codec.begin, fairness)


def _fairness(declared: Any, action: str, line: Line, parameters: Sequence[Parameter]) -> FairnessCondition:
    """What a model says of an action's fairness. Raises ModelError where it names what the action does not have."""
    scalars = {p.name: p.scalar for p in parameters}
    asked = tuple(parameters_of(declared.when))[1:] if declared.when is not None else ()
    for name in (*declared.values, *declared.whichever, *asked):
        if name not in scalars:
            raise ModelError(
                f"{line}: the fairness {declared.assumption!r} of action {action!r} is about a parameter {name!r}, "
                f"which the action does not have; it has {', '.join(scalars) or 'none'}"
            )
    values = {name: scalars[name].encode(value) for name, value in declared.values.items()}
    for name, value in values.items():
        if value not in next(p.values for p in parameters if p.name == name):
            raise ModelError(
                f"{line}: the fairness {declared.assumption!r} of action {action!r} is about {name} = "
                f"{declared.values[name]!r}, which is no value of that parameter"
            )
    return FairnessCondition(
        declared.assumption, declared.reason, declared.is_strong, values, declared.whichever, declared.when
    )


MOST_STATEMENTS_IN_ALL = 200_000
"""The largest built-in system takes some 7,000."""


class _ActionLowering:
    """Lowers actions over one set of variables."""

    def __init__(
        self,
        graph: Graph,
        shape: Record,
        scope: Scope,
        codec: Codec,
        unwritten: frozenset[str],
        probes: frozenset[Line] = frozenset(),
    ) -> None:
        self.graph, self.shape, self.scope, self.codec, self.unwritten = graph, shape, scope, codec, unwritten
        self.probes = probes
        self.environment = state_environment(graph, shape, codec.constants)
        self.zeros = {
            path: graph.constant(scalar.is_bool, scalar.zero)
            for path, scalar in leaves_of_step(shape)
            if path in codec.scalars
        }
        """With what an action begins that tells of it alone."""
        self.statements = 0

    def transitions(self, action: Action) -> Iterator[Transition]:
        """One transition for each value of the parameters that index arrays, found by trying."""
        fixed: list[str] = []
        while True:
            try:
                chosen = [p for p in action.parameters if p.name in fixed]
                choices = itertools.product(*(p.values for p in chosen))
                names = [p.name for p in chosen]
                yield from [self.transition(action, dict(zip(names, values, strict=True))) for values in choices]
                return
            except NeedsFixed as needed:
                if any(p.unbounded for p in action.parameters if p.name == needed.parameter):
                    raise ModelError(
                        f"{action.line}: {action.name} indexes an array with {needed.parameter!r}, which may be any "
                        "number here; index with a number that has a greatest, or check it with the scenario's own"
                    ) from None
                fixed.append(needed.parameter)

    def transition(self, action: Action, fixed: Mapping[str, int]) -> Transition:
        context = Execution(
            *(self.graph, self.scope, self.environment, {ENABLED: self.graph.true, **self.zeros}),
            constants=self.unwritten,
            probes=self.probes,
        )
        this = Ref(((self.graph.true, ""),), self.shape)
        arguments = (argument(self.graph, p, fixed) for p in action.parameters)
        lower_function(context, action.call, _owner(self.shape.cls, action.name), this, *arguments)
        self.statements += len(context.lines)
        if self.statements > MOST_STATEMENTS_IN_ALL:
            raise ModelError(
                f"{action.line}: up to here the model takes more than {MOST_STATEMENTS_IN_ALL:,} statements, each "
                "action counted for each value of its parameters that index arrays; make loops and domains smaller"
            )
        self.check_ranges(context)
        env = context.env
        free = tuple(p for p in action.parameters if p.name not in fixed)
        updates = {p: env[p] for p, node in self.environment.items() if env.get(p, node) is not node}
        lines, bounds, faults = (
            {key[len(prefix) :]: node for key, node in env.items() if key.startswith(prefix)}
            for prefix in ("%line:", "%bound:", "%fault:")
        )
        found: dict[str, dict[tuple[Expr, Line], None]] = {path: {} for path in updates}
        for path, node, line in context.stores:
            if path in found and line is not None:
                found[path][node, line] = None
        source, stores = tuple(context.lines), {path: tuple(stored) for path, stored in found.items()}
        return Transition(action, dict(fixed), free, env[ENABLED], updates, lines, bounds, faults, source, stores)

    def check_ranges(self, context: Execution) -> None:
        """A leaf that ends the step outside its range is a fault, as it is for Python, which looks at the end only."""
        for path, line in context.written.items():
            if path in self.codec.scalars:
                scalar, self.graph.line = self.codec.scalars[path], line
                outside = self.outside(context.leaf(path), scalar.low, scalar.high, {})
                text = f"{line}: " + range_message(path, "a value", scalar.low, scalar.high)
                context.flag(f"%fault:{text}", self.graph.and_(self.graph.not_(context.when(CUT)), outside))
        self.graph.line = None

    def outside(self, node: Expr, low: int, high: int, known: dict[Expr, Expr]) -> Expr:
        """Is the value out of the range? Asked of each branch by itself, since most cannot be; this reads less."""
        graph = self.graph
        if node in known or (low <= node.low and node.high <= high):
            return known.get(node, graph.false)
        if node.op is Op.ITE:
            condition, *branches = node.args
            known[node] = graph.ite(condition, *(self.outside(branch, low, high, known) for branch in branches))
        else:
            known[node] = graph.or_(graph.lt(node, graph.integer(low)), graph.lt(graph.integer(high), node))
        return known[node]


def _owner(cls: type, name: str) -> type:
    return next(c for c in cls.__mro__ if name in c.__dict__)
