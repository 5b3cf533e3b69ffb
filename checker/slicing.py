"""Cone of influence: which variables can matter to the claims at hand. The others need not be stored.

A variable that no guard, fault, bound, reached line or claim reads, directly or through the updates of those that
they read, has no influence on any verdict; leaving it out merges states that differ in nothing else.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from podproof.checker.claims import LoweredProperty
from podproof.checker.graph import Node, Op, topological
from podproof.checker.system import System


def variables_below(roots: Iterable[Node]) -> set[str]:
    """The paths of the variables that these expressions read."""
    return {str(node.value) for node in topological(roots) if node.op is Op.VAR}


def relevant_variables(
    system: System, properties: Sequence[LoweredProperty], also: Iterable[str] = ()
) -> frozenset[str]:
    """The least set with the variables of guards, claims and `also` that is closed under "its update reads"."""
    roots: list[Node] = []
    for t in system.transitions:
        roots += [t.enabled, *t.lines.values(), *t.bounds.values(), *t.faults.values()]
    for p in properties:
        roots += [p.state] if p.state is not None else list(p.steps or ())
    kept: set[str] = set()
    pending = variables_below(roots) | set(also)
    reads: dict[str, set[str]] = {}
    for t in system.transitions:
        for path, node in t.updates.items():
            reads.setdefault(path, set()).update(variables_below([node]))
    while pending:
        path = pending.pop()
        if path not in kept:
            kept.add(path)
            pending |= reads.get(path, set()) - kept
    return frozenset(kept)


def left_out(system: System, keep: frozenset[str] | None) -> tuple[str, ...]:
    """The reduction in a report's words; empty when every variable is kept."""
    total = len(system.variables)
    dropped = 0 if keep is None else total - sum(v.path in keep for v in system.variables)
    if not dropped:
        return ()
    return (f"{dropped} of {total} variables, which no guard and no claim depends on, left out",)
