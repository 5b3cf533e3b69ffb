"""Cone of influence: which variables can matter to the claims at hand. The others need not be stored.

A variable that no guard, fault, bound, reached line or claim reads, directly or through the updates of those that
they read, has no influence on any verdict; leaving it out merges states that differ in nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence

from podproof.checker.core.graph import Expr, Op
from podproof.checker.core.system import LoweredProperty, System


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


def left_out(system: System, keep: frozenset[str] | None) -> tuple[str, ...]:
    """The reduction in a report's words; empty when every variable is kept."""
    total = len(system.variables)
    dropped = 0 if keep is None else total - sum(v.path in keep for v in system.variables)
    if not dropped:
        return ()
    return (f"{dropped} of {total} variables, which no guard and no claim depends on, left out",)
