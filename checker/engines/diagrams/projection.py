"""The state graph, projected on a few variables; sets are counted for the states and steps of each node and edge."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from oxidd.bcdd import BCDDFunction as Diagram
from oxidd.util import BooleanOperator

from podproof.checker.core.system import NO_LIMITS, Limits, OnProgress, ProjectedMove, State, StateGraph, System
from podproof.checker.engines import Kept
from podproof.checker.engines.diagrams.search import MoveRelation, SetSearch


def state_graph(
    system: System, keep: Kept, by: Sequence[str], limits: Limits = NO_LIMITS, progress: OnProgress | None = None
) -> StateGraph:
    """As `compiled.state_graph`, with the nodes in the order of their values. Raises OutOfRoom."""
    search = SetSearch(system, (), keep, limits, None)
    search.run(progress)
    fields = [search.bits[path] for path in by]
    nodes = dict(_divided(search.reached, [bits.values for bits in fields]))
    number_of = {node: number for number, node in enumerate(sorted(nodes))}
    starts = {number_of[node] for node, _ in _divided(search.start, [bits.values for bits in fields])}
    edges: dict[tuple[int, int], Counter[str]] = {}
    moves: dict[tuple[int, int], Counter[ProjectedMove]] = {}
    for relation in search.relations:
        move = (relation.move.action, tuple(relation.move.values.items()))
        for source, target, states in _steps(search, relation, by):
            if target in number_of:  # Not always, where the search was interrupted.
                edge, count = (number_of[source], number_of[target]), search.size(states)
                edges.setdefault(edge, Counter())[move[0]] += count
                moves.setdefault(edge, Counter())[move] += count
    return StateGraph(
        system=system,
        by=tuple(bits.variable for bits in fields),
        nodes=tuple(number_of),
        counts=tuple(search.size(nodes[node]) for node in number_of),
        initial=tuple(sorted(starts)),
        edges=dict(sorted(edges.items())),
        complete=not search.reason,
        moves=moves,
    )


def _steps(search: SetSearch, relation: MoveRelation, by: Sequence[str]) -> Iterator[tuple[State, State, Diagram]]:
    """From node, to node, and in which states a relation leads from the one to the other; no loops."""
    written = {bits.variable.path: bits for bits in relation.written}
    changes = [path for path in by if path in written]
    if not changes:
        return
    then = search.cube((bit, True) for bits in relation.written for bit in bits.then)
    for after, steps in _divided(relation.steps, [written[path].values_then for path in changes]):
        states = search.expanded.apply_exists(BooleanOperator.AND, steps, then)
        become = dict(zip(changes, after, strict=True))
        for source, here in _divided(states, [search.bits[path].values for path in by]):
            target = tuple(become.get(path, value) for path, value in zip(by, source, strict=True))
            if target != source:
                yield source, target, here


def _divided(states: Diagram, by: Sequence[Mapping[int, Diagram]]) -> Iterator[tuple[State, Diagram]]:
    """A set, divided by the values of some variables; without what is empty."""
    if not states.satisfiable():
        return
    if not by:
        yield (), states
        return
    for value, having in by[0].items():
        for rest, part in _divided(states & having, by[1:]):
            yield (value, *rest), part
