"""Claims in the graph: what an engine evaluates for each state or step."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from podproof.checker.graph import Node
from podproof.checker.lowering.actions import state_environment
from podproof.checker.lowering.context import FAILED, Context
from podproof.checker.lowering.source import source_of, suggestion
from podproof.checker.lowering.statements import FunctionLowering
from podproof.checker.lowering.values import Ref, Typed, Value
from podproof.checker.system import ModelError, Property, System, Transition

AFTER = "after."
"""Prefix of the variables that stand for the state after a step, while a `step` claim is lowered."""


@dataclass(frozen=True)
class LoweredProperty:
    """A property as graph nodes; exactly one of `state` and `steps` is set."""

    property: Property
    state: Node | None = None
    """always, sometimes: the formula itself, over the variables."""
    steps: tuple[Node, ...] | None = None
    """step, never: for each of the system's transitions, when taking it VIOLATES the claim."""


def lower_properties(system: System, properties: Sequence[Property]) -> tuple[LoweredProperty, ...]:
    """Every property over one system; raises ModelError where a claim leaves the model language."""
    return tuple(_KINDS[p.kind](system, p) for p in properties)


def _state(system: System, p: Property) -> LoweredProperty:
    return LoweredProperty(p, state=formula(system, p, {"": ""}))


def _step(system: System, p: Property) -> LoweredProperty:
    """The claim is lowered once over both states; a transition's updates are then put in for the state after."""
    holds = formula(system, p, {"": "", "after": AFTER})
    unchanged = state_environment(system.graph, system.shape, system.constants)

    def violated(transition: Transition) -> Node:
        after = {AFTER + path: transition.updates.get(path, node) for path, node in unchanged.items()}
        (node,) = system.graph.substitute([holds], after)
        return system.graph.not_(node)

    return LoweredProperty(p, steps=tuple(violated(t) for t in system.transitions))


def _never(system: System, p: Property) -> LoweredProperty:
    reached = (
        system.graph.or_(*(node for line, node in t.lines.items() if line in p.lines)) for t in system.transitions
    )
    return LoweredProperty(p, steps=tuple(reached))


_KINDS: Mapping[str, Callable[[System, Property], LoweredProperty]] = {
    "always": _state,
    "sometimes": _state,
    "step": _step,
    "never": _never,
}


_TAKES = {1: "one: `def claim(state)`", 2: "two: `def claim(before, after)`"}


def formula(system: System, p: Property, roots: Mapping[str, str]) -> Node:
    """The claim's function applied to one root record per state; `roots`: path of the root -> prefix of its leaves."""
    if p.function is None:
        raise ModelError(f"claim {p.id!r}: a {p.kind} claim needs a function")
    source = source_of(p.function)
    env = {}
    for prefix in roots.values():
        env.update(state_environment(system.graph, system.shape, system.constants, prefix))
    context = Context(system.graph, system.scope, env, read_only=True)
    lowering = FunctionLowering(context, source, None)
    names = [argument.arg for argument in source.tree.args.args]
    if len(names) != len(roots):
        source.refuse(
            source.tree,
            f"claim {p.id!r} of kind {p.kind!r} takes {len(names)} states",
            f"it needs {_TAKES[len(roots)]}",
        )
    states: Iterable[Value] = (Ref(((system.graph.true, root),), system.shape) for root in roots)
    lowering.locals = dict(zip(names, states, strict=True))
    value = lowering.run()
    if not isinstance(value, Typed) or value.sort is not bool:
        source.refuse(source.tree, f"claim {p.id!r} gives no bool", "return a bool on every path")
    # In a state where Python cannot evaluate a claim, nothing may be said to hold.
    return system.graph.and_(value.node, system.graph.not_(context.when(FAILED)))


def select(properties: Sequence[Property], wanted: Sequence[str]) -> tuple[Property, ...]:
    """The properties with these ids, all when none is given; raises ModelError for an unknown id."""
    known = {p.id: p for p in properties}
    for name in wanted:
        if name not in known:
            raise ModelError(f"there is no claim {name!r}; {suggestion(name, known)}")
    return tuple(p for p in properties if not wanted or p.id in wanted)
