"""Which variables a search can do without: those that cannot matter to the claims, and those that never change.

A variable that no guard, fault, bound, reached line or claim reads, directly or through the updates of those that
they read, has no influence on any verdict; leaving it out merges states that differ in nothing else.
"""

from __future__ import annotations

import dataclasses
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from podproof.checker.core.graph import Expr, Op, substitution
from podproof.checker.core.system import AFTER, LoweredProperty, System, Transition


def relevant_variables(
    system: System, properties: Sequence[LoweredProperty], also: Iterable[str] = ()
) -> frozenset[str]:
    """The least set with the variables of guards, claims and `also` that is closed under "its update reads"."""
    pending: list[Expr] = []
    updates: defaultdict[str, list[Expr]] = defaultdict(list)
    for t in system.transitions:
        pending += [t.enabled, *t.lines.values(), *t.bounds.values(), *t.faults.values()]
        for path, node in t.updates.items():
            updates[path].append(node)
    for p in properties:
        pending += [p.state] if p.state is not None else list(p.steps or ())
    kept, seen = set(also), set[Expr]()
    pending += [node for path in kept for node in updates[path]]
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            pending += node.args
            if node.op is Op.VAR:
                kept.add(str(node.value))
                pending += updates[str(node.value)]
    return frozenset(kept)


# -- variables that never change ---------------------------------------------------------------------------------------
#
# They make no state fewer, but states smaller, and the graph easier to reason about: without static pods, say, nothing
# is left of the lines in which they wait.


def unchanging_variables(system: System) -> dict[str, Expr]:
    """The greatest set of variables of which this is inductive: each has its initial value, and each step keeps it.

    Steps that a bound cuts off, or on which the model goes wrong, count as well; that can only make the set smaller.
    """
    graph = system.graph
    values: dict[str, Expr] = {}
    for position, variable in enumerate(system.variables):
        starts = {state[position] for state in system.initial}
        if len(starts) == 1 and variable.path not in system.free:
            (start,) = starts
            values[variable.path] = graph.constant(variable.is_bool, start)
    while changing := set(_changes(system, values)):
        values = {path: value for path, value in values.items() if path not in changing}
    return values


def _changes(system: System, values: Mapping[str, Expr]) -> Iterator[str]:
    """Those variables that a step may change, as far as the graph can tell when all of them have their values."""
    put = substitution(system.graph, values)
    for t in system.transitions:
        written = [path for path in t.updates if path in values]
        enabled, *after = put([t.enabled, *(t.updates[path] for path in written)])
        if enabled is not system.graph.false:
            yield from (path for path, node in zip(written, after, strict=True) if node is not values[path])


def with_values(
    system: System, properties: Sequence[LoweredProperty], values: Mapping[str, Expr]
) -> tuple[System, tuple[LoweredProperty, ...]]:
    """The same system and claims, with some variables replaced by their values everywhere."""
    put = substitution(system.graph, {**values, **{AFTER + path: value for path, value in values.items()}})

    def transition(t: Transition) -> Transition:
        updates = {path: node for path, node in t.updates.items() if path not in values}
        stores = {path: t.stores.get(path, ()) for path in updates}
        return dataclasses.replace(t, updates=updates, stores=stores).rewrite(put)

    def claim(p: LoweredProperty) -> LoweredProperty:
        state, both = (None if node is None else put([node])[0] for node in (p.state, p.both))
        return dataclasses.replace(p, state=state, steps=None if p.steps is None else tuple(put(p.steps)), both=both)

    transitions = tuple(map(transition, system.transitions))
    return dataclasses.replace(system, transitions=transitions), tuple(map(claim, properties))
