"""Which claims about steps an action may violate, and on what condition: only these are asked of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from podproof.checker.core.graph import Node, Op, topological
from podproof.checker.core.system import LoweredProperty, System
from podproof.checker.export.obvious import is_never_true
from podproof.checker.export.step import possible

_SMALL = 4
"""A condition with no more nodes than this is written out wherever it is asked."""


def breaches(system: System, properties: Sequence[LoweredProperty]) -> tuple[Mapping[str, Node], ...]:
    """For each transition: a claim's id, and when taking the transition violates the claim."""
    decided: dict[tuple[Node, Node], bool] = {}

    def may_be(violated: Node, guard: Node) -> bool:
        if (violated, guard) not in decided:
            decided[violated, guard] = not is_never_true(system.graph.and_(guard, violated))
        return decided[violated, guard]

    guards = [possible(system.graph, transition) for transition in system.transitions]
    return tuple(
        {p.property.id: p.steps[n] for p in properties if p.steps is not None and may_be(p.steps[n], guard)}
        for n, guard in enumerate(guards)
    )


def repeated(found: Sequence[Mapping[str, Node]]) -> Mapping[Node, str]:
    """The conditions that are asked of more than one transition, each with the claim: they read the state only."""
    times: dict[Node, int] = {}
    claim: dict[Node, str] = {}
    for violated in found:
        for name, node in violated.items():
            times[node] = times.get(node, 0) + 1
            claim.setdefault(node, name)

    def is_worth_a_name(node: Node) -> bool:
        below = topological([node])
        return len(below) > _SMALL and not any(part.op is Op.PARAM for part in below)

    return {node: claim[node] for node, count in times.items() if count > 1 and is_worth_a_name(node)}
