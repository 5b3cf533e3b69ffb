"""The reachable state graph, projected on a few variables while the stored states are expanded once more."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from podproof.checker.core.system import Limits, Progress, ProjectedMove, StateGraph, System, Trace
from podproof.checker.engines.compiled.layout import Field
from podproof.checker.engines.compiled.search import Search
from podproof.checker.engines.compiled.transition import Tag, choose

_ROWS = 1 << 16
"""Rows collected before they are projected together."""


def project(search: Search, by: Sequence[str]) -> StateGraph:
    """The graph of a finished search on the variables `by`, which it must have stored."""
    fields = [search.layout.fields[path] for path in by]
    states = search.states[: search.count]
    projected = distances(states, fields)
    keys, first, node_of, counts = np.unique(
        projected, axis=0, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(first, kind="stable")
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    sources = rank[node_of.reshape(-1)]
    number_of = {tuple(int(v) for v in key): int(rank[i]) for i, key in enumerate(keys)}
    edges: dict[tuple[int, int], Counter[str]] = {}
    moves: dict[tuple[int, int], Counter[ProjectedMove]] = {}
    for parents, rows in _batches(search):
        targets = distances(rows, fields)
        # Most steps lead from a node to itself. They are dropped before the rest is sorted, which takes longest.
        leaves = (targets != projected[parents]).any(axis=1)
        tags = rows[leaves, search.layout.words]
        found_steps = np.column_stack([sources[parents[leaves]], tags, targets[leaves]])
        steps, times = np.unique(found_steps, axis=0, return_counts=True)
        for (source, tag, *target), count in zip(steps.tolist(), times.tolist(), strict=True):
            to = number_of.get(tuple(target))
            if to is not None:
                found = Tag.read(tag)
                transition = search.system.transitions[found.transition]
                name = transition.action.name
                edges.setdefault((source, to), Counter())[name] += count
                move = (name, tuple(choose(transition, found.choice).items()))
                moves.setdefault((source, to), Counter())[move] += count
    # Initial states are their own parents. There may be fewer than the system has: some may be alike.
    roots = np.flatnonzero(search.parents == np.arange(search.count))
    return StateGraph(
        system=search.system,
        by=tuple(field.variable for field in fields),
        nodes=tuple(tuple(int(v) + f.variable.low for v, f in zip(keys[i], fields, strict=True)) for i in order),
        counts=tuple(int(counts[i]) for i in order),
        initial=tuple(sorted({int(source) for source in sources[roots]})),
        edges=dict(sorted(edges.items())),
        complete=not search.reason,
        moves=moves,
    )


def state_graph_with_ways(
    system: System,
    keep: frozenset[str],
    by: Sequence[str],
    limits: Limits,
    progress: Callable[[Progress], None] | None,
    threads: int,
) -> tuple[StateGraph, Callable[[int], Trace]]:
    """As `state_graph`, with a function from a node's number to a shortest trace that leads to one of its states.

    The trace is a run of the model, which a path in the projected graph need not be. The function keeps the search's
    states in memory as long as it lives.
    """
    search = Search(system, (), keep, limits, threads)
    search.run(progress)
    fields = [search.layout.fields[path] for path in by]
    # The order of discovery is nearest first, and it is also the order of the nodes.
    _, first = np.unique(distances(search.states[: search.count], fields), axis=0, return_index=True)
    nearest = np.sort(first).tolist()
    return project(search, by), lambda node: search.evidence().trace_to(nearest[node])


def distances(rows: Any, fields: Sequence[Field]) -> Any:
    """How far above their least values some fields are, one row each; `rows` begin with the words of packed states."""
    out = np.zeros((len(rows), len(fields)), np.int64)
    for column, field in enumerate(fields):
        out[:, column] = field.distances(rows)
    return out


def _batches(search: Search) -> Iterator[tuple[Any, Any]]:
    """Every step of the graph: the index of the state each comes from, and the rows that `expand` writes."""
    batch, first = search.batches[0], 0
    parents, rows, ready = list[Any](), list[Any](), 0
    while first < search.count:
        batch.fill_all(search.functions, search.store.states, first, search.count)
        parents.append(batch.origins[: batch.ready].astype(np.int64))
        rows.append(batch.rows[: batch.ready].copy())
        first, ready = batch.next, ready + batch.ready
        if ready >= _ROWS or first == search.count:
            yield np.concatenate(parents), np.concatenate(rows)
            parents, rows, ready = [], [], 0
