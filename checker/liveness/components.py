"""Where a fair run can stay for ever: strong components that owe nothing."""

from __future__ import annotations

from typing import Any

import numpy as np

from podproof.checker.liveness.run_graph import RunGraph


def fair_components(graph: RunGraph, within: Any, must_visit: Any = None) -> Any:
    """For each state the number of the component in which a fair run can go round for ever, or -1.

    `within` are the states that it may visit, and a state of `must_visit` it has to visit again and again. A run may
    also rest in a state; then only what is possible there is owed. Each round finds all components at once. One that
    owes a weak group is dropped. One that takes no step of a strong group can only be left in part: its states where
    the group is possible are dropped, and what remains is looked at again.
    """
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    component = np.full(graph.size, -1, np.int64)
    states = np.flatnonzero(within)
    steps = np.flatnonzero(within[graph.sources] & within[graph.targets])
    while len(states):
        number = np.full(graph.size, -1, np.int64)
        number[states] = np.arange(len(states))
        sources, targets = number[graph.sources[steps]], number[graph.targets[steps]]
        shape = (len(states), len(states))
        count, of = connected_components(
            csr_matrix((np.ones(len(steps), np.int8), (sources, targets)), shape), directed=True, connection="strong"
        )
        inside = of[sources] == of[targets]
        bad = np.zeros(len(states), bool)
        for word in range(graph.pays.shape[1]):
            taken, possible, always = np.zeros((3, count), np.uint64)
            always -= np.uint64(1)
            enabled = graph.enabled[states, word]
            np.bitwise_or.at(taken, of[sources[inside]], graph.pays[graph.labels[steps[inside]], word])
            np.bitwise_or.at(possible, of, enabled)
            np.bitwise_and.at(always, of, enabled)
            bad |= (always & ~taken & graph.weak[word])[of] != 0
            bad |= enabled & (possible & ~taken & graph.strong[word])[of] != 0
        if must_visit is not None:
            visited = np.zeros(count, bool)
            visited[of[must_visit[states]]] = True
            bad |= ~visited[of]
        if not bad.any():
            component[states] = of
            break
        keep = ~bad
        steps = steps[keep[sources] & keep[targets] & inside]
        states = states[keep]
    return component
