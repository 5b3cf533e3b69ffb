"""Where a fair run can stay for ever: strong components that discharge every obligation."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from podproof.checker.arrays import Bools, Int32s, Int64s, Uint64s
from podproof.checker.engines.compiled.machine import loops_for
from podproof.checker.liveness.run_graph import RunGraph


@dataclass(frozen=True, eq=False)
class Components:
    """Some states of a graph in their strong components, and the steps that stay in one of these.

    `component` has for each state the number of its own, or -1; `steps` has the numbers of these steps. The masks, of
    shape (components, words), say what the steps of each component discharge, what is possible in any of its states,
    and what in all of them.
    """

    component: Int32s
    steps: Int64s
    discharged: Uint64s
    possible: Uint64s
    always: Uint64s


def components_of(graph: RunGraph, within: Bools, steps: Int64s | None = None) -> Components:
    """The components among the states for which `within` is true. Only `steps`, if given, count."""
    component, size = within.astype(np.int32) - np.int32(1), graph.size
    room = np.empty(size, np.int64), np.empty(2 * size, np.int32)
    count = loops_for(0).strong_components(graph.first, graph.targets, size, component, *room)
    among = slice(None) if steps is None else steps
    sources = component[graph.sources[among]]
    inside = (sources >= 0) & (sources == component[graph.targets[among]])
    steps = np.flatnonzero(inside) if steps is None else steps[inside]
    discharged, possible, always = np.zeros((3, count, graph.enabled.shape[1]), np.uint64)
    always -= np.uint64(1)
    sources, labels = sources[inside], graph.labels[steps]
    members, enabled = component[within], graph.enabled[within]
    for word in range(enabled.shape[1]):
        np.bitwise_or.at(discharged[:, word], sources, graph.discharges[labels, word])
        np.bitwise_or.at(possible[:, word], members, enabled[:, word])
        np.bitwise_and.at(always[:, word], members, enabled[:, word])
    return Components(component, steps, discharged, possible, always)


def fair_components(graph: RunGraph, components: Components, answers: tuple[Bools, Bools] | None = None) -> Int32s:
    """For each state the number of the component in which a fair run can go round for ever, or -1.

    A run may also rest in a state; then only what is possible there is an obligation. Each round looks at all
    components at once. It drops those that do not discharge a weak group. Of those that take no step of a strong
    group it drops the states where the group is possible, and looks at the rest again. `answers`, two sets of states,
    is treated alike: a run that visits the first again and again has to visit the second again and again.
    """
    while True:
        states = np.flatnonzero(components.component >= 0)
        component = components.component[states]
        unfair = (components.always & ~components.discharged & graph.weak).any(axis=1)
        undischarged = components.possible & ~components.discharged & graph.strong
        bad = np.asarray(unfair)[component] | (graph.enabled[states] & undischarged[component]).any(axis=1)
        if answers is not None:
            asked, answered = (where[states] for where in answers)
            bad |= asked & ~np.isin(component, component[answered])
        if not bad.any():
            return components.component
        within = np.zeros(graph.size, bool)
        within[states[~bad]] = True
        components = components_of(graph, within, components.steps)
