"""Claims in the graph: what an engine evaluates for each state or step."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from podproof.checker.core.graph import Expr, Line, evaluate, topological, variables_below
from podproof.checker.core.system import AFTER, LoweredProperty, ModelError, Property, System, Transition
from podproof.checker.lowering import state_environment
from podproof.checker.lowering.source import source_of, suggestion
from podproof.checker.lowering.statements import lower_function
from podproof.checker.lowering.values import FAILED, Execution, Ref, TypedValue, Value


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
    holds, source = _formula(leaves, p, {"": ""})
    return LoweredProperty(p, state=holds, source=source)


def _step(leaves: _Leaves, p: Property) -> LoweredProperty:
    """The claim is lowered once over both states; a transition's updates are then put in for the state after.

    Most transitions leave alone what a claim is about, or do the same to it.
    """
    graph, unchanged = leaves.system.graph, leaves.under("")
    holds, source = _formula(leaves, p, {"": "", "after": AFTER})
    below = set(topological([holds]))
    read = [path for path in unchanged if leaves.under(AFTER)[AFTER + path] in below]
    violated: dict[tuple[Expr, ...], Expr] = {}

    def violation(transition: Transition) -> Expr:
        after = tuple(transition.updates.get(path, unchanged[path]) for path in read)
        if after not in violated:
            (node,) = graph.substitute([holds], dict(zip((AFTER + path for path in read), after, strict=True)))
            violated[after] = graph.not_(node)
        return violated[after]

    steps = tuple(violation(t) if p.is_about(t.action) else graph.false for t in leaves.system.transitions)
    return LoweredProperty(p, steps=steps, both=holds, source=source)


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


_TAKES = {1: "one: `def claim(state)`", 2: "two: `def claim(before, after)`"}


def formula(system: System, p: Property, roots: Mapping[str, str]) -> Expr:
    """The claim's function applied to one root record per state; `roots`: path of the root -> prefix of its leaves."""
    return _formula(_Leaves(system), p, roots)[0]


def _formula(leaves: _Leaves, p: Property, roots: Mapping[str, str]) -> tuple[Expr, tuple[Line, ...]]:
    """The formula, and the lines that were read for it."""
    if p.function is None:
        raise ModelError(f"claim {p.id!r}: a {p.kind} claim needs a function")
    source = source_of(p.function)
    system, env = leaves.system, {}
    for prefix in roots.values():
        env.update(leaves.under(prefix))
    context = Execution(system.graph, system.scope, env, read_only=True)
    taken = len(source.tree.args.args)
    if taken != len(roots):
        source.refuse(
            source.tree, f"claim {p.id!r} of kind {p.kind!r} takes {taken} states", f"it needs {_TAKES[len(roots)]}"
        )
    states: Iterable[Value] = (Ref(((system.graph.true, root),), system.shape) for root in roots)
    value = lower_function(context, p.function, None, *states)
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
        found.append(LoweredQuery(name, source.line(source.tree), value.node, reads))
    return tuple(found)
