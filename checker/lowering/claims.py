"""Claims in the graph: what an engine evaluates for each state or step."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from podproof.checker.core.graph import Expr, Line, evaluate, topological, variables_below
from podproof.checker.core.system import AFTER, LoweredProperty, ModelError, Property, System, Transition
from podproof.checker.lowering import argument, state_environment
from podproof.checker.lowering.source import source_of, suggestion
from podproof.checker.lowering.statements import lower_function
from podproof.checker.lowering.values import FAILED, Execution, Occurrence, Ref, TypedValue, Value


def lower_properties(system: System, properties: Sequence[Property]) -> tuple[LoweredProperty, ...]:
    """Every property over one system; raises ModelError where a claim leaves the model language."""
    leaves = _Leaves(system)
    return tuple(_KINDS[p.kind](leaves, p) for p in properties)


class _Leaves:
    """The leaves of a system's states in the graph, as claims about one state or two read them: made once for all."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.under = functools.cache(partial(state_environment, system.graph, system.shape, system.constants))
        """Every leaf by its path, with this prefix before it."""


def _state(leaves: _Leaves, p: Property) -> LoweredProperty:
    holds, source = _formula(leaves, p)
    return LoweredProperty(p, state=holds, source=source)


def _step(leaves: _Leaves, p: Property) -> LoweredProperty:
    """The claim is lowered over both states, once or for each event; a transition's updates are then put in.

    Most transitions leave alone what a claim is about, or do the same to it.
    """
    system, graph, unchanged = leaves.system, leaves.system.graph, leaves.under("")
    about = [t if p.is_about(t.action) else None for t in system.transitions]
    if p.takes_event:
        formulas = [(graph.true, ()) if t is None else _formula(leaves, p, t) for t in about]
    else:
        formulas = [_formula(leaves, p)] * len(about)

    @functools.cache
    def read_by(holds: Expr) -> Sequence[str]:
        below = set(topological([holds]))
        return [path for path in unchanged if leaves.under(AFTER)[AFTER + path] in below]

    @functools.cache
    def violation(holds: Expr, after: tuple[Expr, ...]) -> Expr:
        (node,) = graph.substitute([holds], dict(zip((AFTER + path for path in read_by(holds)), after, strict=True)))
        return graph.not_(node)

    steps = (
        graph.false
        if t is None
        else violation(holds, tuple(t.updates.get(path, unchanged[path]) for path in read_by(holds)))
        for t, (holds, _) in zip(about, formulas, strict=True)
    )
    both = None if p.takes_event or not formulas else formulas[0][0]
    source = tuple(dict.fromkeys(line for _, lines in formulas for line in lines))
    return LoweredProperty(p, steps=tuple(steps), both=both, source=source)


def _never(leaves: _Leaves, p: Property) -> LoweredProperty:
    system = leaves.system
    reached = (
        system.graph.or_(*(node for line, node in t.lines.items() if line in p.lines and p.is_about(t.action)))
        for t in system.transitions
    )
    return LoweredProperty(p, steps=tuple(reached))


_KINDS: Mapping[str, Callable[[_Leaves, Property], LoweredProperty]] = {
    "always": _state,
    "sometimes": _state,
    "step": _step,
    "never": _never,
}


_TAKES = {
    "always": "one: `def claim(state)`",
    "sometimes": "one: `def claim(state)`",
    "step": "two: `def claim(before, after)`, or three: `def claim(before, event, after)`",
}


def formulas(system: System, p: Property) -> tuple[Expr, ...]:
    """What a claim with a function says: one formula over a state or two, or where it takes the event one for each."""
    leaves = _Leaves(system)
    events = system.transitions if p.takes_event else (None,)
    return tuple(_formula(leaves, p, event)[0] for event in events)


def _formula(leaves: _Leaves, p: Property, event: Transition | None = None) -> tuple[Expr, tuple[Line, ...]]:
    """The formula, and the lines that were read for it. A claim that takes the event is asked about that transition."""
    if p.function is None:
        raise ModelError(f"claim {p.id!r}: a {p.kind} claim needs a function")
    source = source_of(p.function)
    system, env = leaves.system, {}
    prefixes = ("", AFTER) if p.kind == "step" else ("",)
    for prefix in prefixes:
        env.update(leaves.under(prefix))
    context = Execution(system.graph, system.scope, env, read_only=True)
    taken = len(source.tree.args.args)
    if taken != len(prefixes) + p.takes_event:
        source.refuse(
            source.tree, f"claim {p.id!r} of kind {p.kind!r} takes {taken} states", f"it needs {_TAKES[p.kind]}"
        )
    given: list[Value] = [Ref(((system.graph.true, prefix.removesuffix(".")),), system.shape) for prefix in prefixes]
    if event is not None:
        parameters = {one.name: argument(system.graph, one, event.fixed) for one in event.action.parameters}
        given.insert(1, Occurrence(event.action, parameters, system.actions))
    value = lower_function(context, p.function, None, *given)
    if not isinstance(value, TypedValue) or value.sort is not bool:
        source.refuse(source.tree, f"claim {p.id!r} gives no bool", "return a bool on every path")
    # In a state where Python cannot evaluate a claim, nothing may be said to hold.
    return system.graph.and_(value.node, system.graph.not_(context.when(FAILED))), tuple(context.lines)


def select(properties: Sequence[Property], wanted: Sequence[str]) -> tuple[Property, ...]:
    """The properties with these ids, all when none is given; raises ModelError for an unknown id."""
    known = {p.id: p for p in properties}
    for name in wanted:
        if name not in known:
            raise ModelError(f"there is no claim {name!r}; {suggestion(name, known)}")
    return tuple(p for p in properties if not wanted or p.id in wanted)


# -- queries: methods that change nothing ------------------------------------------------------------------------------


@dataclass(frozen=True)
class LoweredQuery:
    """A question about one element, lowered."""

    name: str
    line: Line
    node: Expr
    reads: tuple[str, ...]
    """The variables that it depends on, by path."""
    source: tuple[Line, ...]
    """The lines that were read to lower it."""

    def of(self, variables: Mapping[str, int]) -> bool:
        """The answer in a state, of which the variables that it reads have to be given."""
        (value,) = evaluate([self.node], variables)
        return bool(value)


def answers(system: System, names: Sequence[str], argument: int = 0) -> tuple[LoweredQuery, ...]:
    """Each of these methods of the model class, asked about one index. Raises ModelError where one is not lowerable."""
    graph, found = system.graph, []
    for name in names:
        owner = next(part for part in system.shape.cls.__mro__ if name in vars(part))
        source, env = source_of(vars(owner)[name]), state_environment(graph, system.shape, system.constants)
        this, asked = Ref(((graph.true, ""),), system.shape), TypedValue(graph.integer(argument), int)
        context = Execution(graph, system.scope, env, read_only=True)
        value = lower_function(context, source.function, owner, this, asked)
        if not isinstance(value, TypedValue) or value.sort is not bool:
            source.refuse(source.tree, f"{name!r} answers no bool", "return a bool on every path")
        reads = tuple(path for path in system.positions if path in variables_below([value.node]))
        found.append(LoweredQuery(name, source.line(source.tree), value.node, reads, tuple(context.lines)))
    return tuple(found)
