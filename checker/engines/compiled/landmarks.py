"""The projected state graph together with a shortest way to each of its nodes."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from podproof.checker.core.system import Limits, Progress, StateGraph, System, Trace
from podproof.checker.engines.compiled.projection import distances, project
from podproof.checker.engines.compiled.search import Search


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
