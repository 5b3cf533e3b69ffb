"""What has to be shown of each move: that it keeps a lemma, that it does not violate a claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import z3

from podproof.checker.core.graph import Node
from podproof.checker.core.system import LoweredProperty, Property, System
from podproof.checker.solver.relation import Move, Relation
from podproof.checker.solver.terms import Term

NO_FAULT = Property(
    "the_model_does_not_go_wrong",
    "never",
    "No step takes a variable out of its declared range or an index out of its array; every other proof relies on it.",
)


def no_fault(system: System) -> LoweredProperty:
    """That no step is an error of the model, as one more claim."""
    return LoweredProperty(NO_FAULT, steps=tuple(_any(system, t.faults) for t in system.transitions))


def _any(system: System, nodes: Mapping[str, Node]) -> Node:
    return system.graph.or_(*nodes.values()) if nodes else system.graph.false


def violation(relation: Relation, p: LoweredProperty, move: Move) -> Term:
    """When taking the move violates the claim: over the state before it and its parameters.

    A claim about states is violated by a step into a state where it does not hold.
    """
    if p.property.id == NO_FAULT.id:
        return z3.And(move.choices, move.fault)
    if p.state is not None:
        return z3.And(move.condition, z3.Not(after(relation, relation.holds(p), move)))
    return z3.And(move.condition, relation.violated(p, move))


def after(relation: Relation, term: Term, move: Move, variables: Iterable[str] | None = None) -> Term:
    """What the term is after the move, over the state before it. `variables` are those in the term, if known."""
    written = move.updates.keys() & (relation.now.keys() if variables is None else set(variables))
    return z3.substitute(term, *((relation.now[path], move.updates[path]) for path in sorted(written)))
