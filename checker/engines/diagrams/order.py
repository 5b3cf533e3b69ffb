"""Which bits a variable has, and in which order: that decides how large a diagram is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from statistics import mean

import numpy as np

from podproof.checker.arrays import Floats
from podproof.checker.core.graph import Expr, Op, topological, variables_below
from podproof.checker.core.shapes import FixedArray, Record
from podproof.checker.core.system import System, TooWide, Variable

_MOST_VALUES = 4096
"""The most values of a variable; numbers with more are for the engine `symbolic`."""


def possible_values(system: System, kept: Sequence[Variable]) -> dict[str, set[int]]:
    """The values that a variable may ever have: the least set with its first ones and those that updates give.

    Conditions are not looked at, so that there may be more than it ever has.
    """
    paths = {v.path: v for v in kept}
    found = {v.path: {state[system.index(v.path)] for state in system.initial} for v in kept}
    updates = [(p, node) for t in system.transitions for p, node in t.updates.items() if p in paths]
    domains: dict[Expr, set[int]] = {}  # Parameters of several actions are one node where name and bounds are the same.
    for t in system.transitions:
        parameters = {p.name: p.values for p in t.action.parameters}
        for node in topological(t.updates.values()):
            if node.op is Op.PARAM:
                domains.setdefault(node, set()).update(parameters[str(node.value)])
    changed = True
    while changed:
        changed, memo = False, dict[Expr, set[int]]()
        for node in topological(node for _, node in updates):
            memo[node] = _possible(node, memo, found, domains)
        for path, node in updates:
            v = paths[path]
            new = {n for n in memo[node] if v.low <= n <= v.high} - found[path]
            if new:
                found[path] |= new
                changed = True
                if len(found[path]) > _MOST_VALUES:
                    raise TooWide(
                        f"{system.name}: {path} may have more than {_MOST_VALUES:,} values, which is too much for the "
                        "engine `diagrams`; bound it, or use the engine `compiled`"
                    )
    return found


def _possible(
    node: Expr, of: Mapping[Expr, set[int]], found: Mapping[str, set[int]], domains: Mapping[Expr, set[int]]
) -> set[int]:
    args = [of[a] for a in node.args]
    match node.op:
        case Op.CONST:
            return {int(node.value or 0)}
        case Op.VAR:
            return found.get(str(node.value), {0, 1} if node.is_bool else set())
        case Op.PARAM:
            return domains[node]
        case Op.ITE:
            return args[1] | args[2]
        case Op.ADD:
            return {a + b for a in args[0] for b in args[1]}
        case Op.SUB:
            return {a - b for a in args[0] for b in args[1]}
    return {0, 1}


def order(system: System, kept: Sequence[Variable]) -> list[Variable]:
    """The variables in the order of their bits: each pod's in one block, and what belongs to none in their middle.

    Within a block, and among the blocks, those are near each other that steps read and write together, most of all what
    one is assigned from the other: a hierarchy of clusters by average distance, in the order of its leaves that brings
    like ones together. Of what was tried this gave the smallest diagrams, see docs/performance.md. Of its two
    directions that one is taken in which steps begin to write lower down: there is less to close again.
    """
    if len(kept) < 3:
        return list(kept)
    places = {v.path: i for i, v in enumerate(kept)}
    together, writes = np.zeros((len(kept), len(kept))), list[list[int]]()
    for t in system.transitions:
        written = set[int]()
        for path, node in t.updates.items():
            if path in places and not (node.op is Op.VAR and node.value == path):
                written.add(places[path])
                for source in _sources(node):
                    if source in places and source != path:
                        together[[places[path], places[source]], [places[source], places[path]]] += 1
        if written:
            writes.append(sorted(written))
        among = sorted(written | {places[path] for path in variables_below([t.enabled]) if path in places})
        together[np.ix_(among, among)] += 1 / max(1, len(among))
    row = row_of_leaves(1 / (1 + together))
    at = np.argsort(row)
    if sum(int(at[write].min() + at[write].max()) - (len(row) - 1) for write in writes) < 0:
        row.reverse()
    leaves = [kept[i] for i in row]
    blocks: dict[tuple[str, int], list[int]] = {}
    for i, v in enumerate(leaves):
        blocks.setdefault(_block(system, v), []).append(i)
    shared = sorted(i for place, block in blocks.items() if not place[0] or len(block) == 1 for i in block)
    others = sorted((block for place, block in blocks.items() if place[0] and len(block) > 1), key=mean)
    middle = (len(others) + 1) // 2
    return [leaves[i] for block in (*others[:middle], shared, *others[middle:]) for i in block]


@dataclass(frozen=True)
class _Cluster:
    """Some leaves, and for a first and a last one what the best row between them costs, the sum of the
    distances of neighbours: of shape (leaves, leaves)."""

    leaves: Sequence[int]
    costs: Floats
    parts: tuple[_Cluster, _Cluster] | None = None


def row_of_leaves(distances: Floats) -> list[int]:
    """Cluster by average distance; of the rows that keep clusters together that with the nearest neighbours.

    Bar-Joseph, Gifford, Jaakkola: Fast optimal leaf ordering for hierarchical clustering (2001).
    """
    means, count = distances.copy(), len(distances)
    np.fill_diagonal(means, np.inf)
    clusters = [_Cluster([i], np.zeros((1, 1))) for i in range(count)]
    for _ in range(count - 1):
        i, j = sorted(divmod(int(means.argmin()), count))
        a, b = clusters[i], clusters[j]
        size = len(a.leaves)
        means[i] = means[:, i] = np.average(means[[i, j]], axis=0, weights=[size, len(b.leaves)])
        means[i, i] = means[j] = means[:, j] = np.inf
        across = _nearest(_nearest(a.costs, distances[np.ix_(a.leaves, b.leaves)]), b.costs)
        costs = np.full((size + len(b.leaves),) * 2, np.inf)
        costs[:size, size:], costs[size:, :size] = across, across.T
        clusters[i] = _Cluster([*a.leaves, *b.leaves], costs, (a, b))
    costs = clusters[0].costs
    return _row(clusters[0], distances, *divmod(int(costs.argmin()), count))


def _nearest(a: Floats, b: Floats) -> Floats:
    """The product of two matrices where sums are products and the least is the sum."""
    return np.array([(costs[:, None] + b).min(axis=0) for costs in a])


def _row(cluster: _Cluster, distances: Floats, first: int, last: int) -> list[int]:
    """A best row from one leaf of a cluster to another."""
    if cluster.parts is None:
        return list(cluster.leaves)
    a, b = cluster.parts
    size = len(a.leaves)
    if first > last:
        return _row(cluster, distances, last, first)[::-1]
    last -= size
    ways = a.costs[first][:, None] + distances[np.ix_(a.leaves, b.leaves)] + b.costs[:, last]
    end, start = divmod(int(ways.argmin()), len(b.leaves))
    return _row(a, distances, first, end) + _row(b, distances, start, last)


def in_words(system: System, variables: Sequence[Variable]) -> Iterator[str]:
    """The order in words: which elements of which arrays follow each other, with how many variables."""
    for (size, index), block in groupby(variables, lambda v: _block(system, v)):
        paths = [v.path for v in block]
        if size:
            yield f"{size}[{index}] ({len(paths)})"
        else:
            yield from paths


def _block(system: System, v: Variable) -> tuple[str, int]:
    """Which element of which arrays a variable belongs to; one block has all that are in no array."""
    shape: object = system.shape
    for name, index in re.findall(r"(\w+)|\[(\d+)\]", v.path):
        if index and isinstance(shape, FixedArray):
            return shape.size, int(index)
        shape = shape.fields[name] if isinstance(shape, Record) else None
    return "", 0


def _sources(update: Expr) -> Iterator[str]:
    """The variables whose values an update may take over, and those of booleans that it is made of."""
    pending, seen = [update], set[Expr]()
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            if node.op is Op.VAR:
                yield str(node.value)
            elif node.op in (Op.ITE, Op.AND, Op.OR, Op.NOT):
                pending += node.args[1:] if node.op is Op.ITE else node.args
