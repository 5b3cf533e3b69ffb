"""Where a fair run can stay for ever: strong components that owe nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from podproof.checker.liveness.run_graph import RunGraph


@dataclass(frozen=True, eq=False)
class Components:
    """Some states of a graph in their strong components, and the steps that stay in one of these.

    `component[i]` is that of `states[i]`. The masks have a row for each component: what its steps pay, what is possible
    in any of its states, and what in all of them.
    """

    states: Any
    steps: Any
    component: Any
    paid: Any
    possible: Any
    always: Any


def components_of(graph: RunGraph, within: Any, steps: Any = None) -> Components:
    """Those of the states that `within` is true of. If `steps` are given, no others belong to any component."""
    from scipy.sparse import csr_matrix
    from scipy.sparse.csgraph import connected_components

    states, among = np.flatnonzero(within), slice(None) if steps is None else steps
    stays = within[graph.sources[among]] & within[graph.targets[among]]
    steps = np.flatnonzero(stays) if steps is None else steps[stays]
    place = np.empty(graph.size, np.int32)
    place[states] = np.arange(len(states), dtype=np.int32)
    sources, targets = place[graph.sources[steps]], place[graph.targets[steps]]
    # This form adds up equal entries; where there are any, SciPy finds no end.
    matrix = csr_matrix((np.ones(len(steps), np.int8), (sources, targets)), (len(states), len(states)))
    count, component = connected_components(matrix, directed=True, connection="strong")
    inside = component[sources] == component[targets]
    steps, enabled = steps[inside], graph.enabled[states]
    paid, possible, always = np.zeros((3, count, enabled.shape[1]), np.uint64)
    always -= np.uint64(1)
    sources, labels = component[sources[inside]], graph.labels[steps]
    for word in range(enabled.shape[1]):
        np.bitwise_or.at(paid[:, word], sources, graph.pays[labels, word])
        np.bitwise_or.at(possible[:, word], component, enabled[:, word])
        np.bitwise_and.at(always[:, word], component, enabled[:, word])
    return Components(states, steps, component, paid, possible, always)


def fair_components(graph: RunGraph, components: Components, answers: tuple[Any, Any] | None = None) -> Any:
    """For each state the number of the component in which a fair run can go round for ever, or -1.

    A run may also rest in a state; then only what is possible there is owed. Each round looks at all components at
    once. One that owes a weak group is dropped. One that takes no step of a strong group can only be left in part: its
    states where the group is possible are dropped, and what remains is looked at again. So it is with `answers`, two
    sets of states: a run that visits the first again and again has to visit the second again and again.
    """
    while True:
        owes = (components.always & ~components.paid & graph.weak).any(axis=1)
        unpaid = components.possible & ~components.paid & graph.strong
        bad = owes[components.component] | (graph.enabled[components.states] & unpaid[components.component]).any(axis=1)
        if answers is not None:
            asked, answered = (where[components.states] for where in answers)
            bad |= asked & ~np.isin(components.component, components.component[answered])
        if not bad.any():
            break
        within = np.zeros(graph.size, bool)
        within[components.states[~bad]] = True
        components = components_of(graph, within, components.steps)
    component = np.full(graph.size, -1, np.int32)
    component[components.states] = components.component
    return component
