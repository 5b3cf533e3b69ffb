"""Variables that never change in a scenario, found by induction, are replaced by their values.

They make no state fewer, but states smaller, and the graph easier to reason about: without static pods, say, nothing is
left of the lines in which they wait.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence

from podproof.checker.claims import LoweredProperty
from podproof.checker.graph import Node
from podproof.checker.system import System, Transition


def unchanging_variables(system: System) -> dict[str, Node]:
    """The greatest set of variables of which this is inductive: each has its initial value, and each step keeps it.

    Steps that a bound cuts off, or on which the model goes wrong, count as well; that can only make the set smaller.
    """
    graph = system.graph
    values: dict[str, Node] = {}
    for position, variable in enumerate(system.variables):
        starts = {state[position] for state in system.initial}
        if len(starts) == 1 and variable.path not in system.free:
            (start,) = starts
            values[variable.path] = graph.boolean(bool(start)) if variable.is_bool else graph.integer(start)
    while changing := {path for t in system.transitions for path in _changed_by(system, t, values)}:
        values = {path: value for path, value in values.items() if path not in changing}
    return values


def _changed_by(system: System, t: Transition, values: Mapping[str, Node]) -> list[str]:
    """Those variables that a step may change, as far as the graph can tell when all of them have their values."""
    written = [path for path in t.updates if path in values]
    enabled, *after = system.graph.substitute([t.enabled, *(t.updates[path] for path in written)], values)
    if enabled is system.graph.false:
        return []
    return [path for path, node in zip(written, after, strict=True) if node is not values[path]]


def with_values(
    system: System, properties: Sequence[LoweredProperty], values: Mapping[str, Node]
) -> tuple[System, tuple[LoweredProperty, ...]]:
    """The same system and claims, with some variables replaced by their values everywhere."""

    def put(nodes: Mapping[str, Node]) -> dict[str, Node]:
        return dict(zip(nodes, system.graph.substitute(nodes.values(), values), strict=True))

    def transition(t: Transition) -> Transition:
        (enabled,) = system.graph.substitute([t.enabled], values)
        updates = put({path: node for path, node in t.updates.items() if path not in values})
        return dataclasses.replace(
            t, enabled=enabled, updates=updates, lines=put(t.lines), bounds=put(t.bounds), faults=put(t.faults)
        )

    def claim(p: LoweredProperty) -> LoweredProperty:
        state = None if p.state is None else system.graph.substitute([p.state], values)[0]
        steps = None if p.steps is None else tuple(system.graph.substitute(p.steps, values))
        return LoweredProperty(p.property, state, steps)

    transitions = tuple(transition(t) for t in system.transitions)
    return dataclasses.replace(system, transitions=transitions), tuple(claim(p) for p in properties)
