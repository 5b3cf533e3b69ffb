"""A bounded sample of an unbounded system, explored by the explicit engine.

What is seen there proves nothing. It shows violations, and it says which lemmas are worth trying.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from podproof.checker.core.graph import UNBOUNDED, topological
from podproof.checker.core.system import (
    Action,
    Limits,
    LoweredProperty,
    Parameter,
    Progress,
    State,
    System,
    Transition,
    Variable,
    Verdict,
)

MOST_STATES = 2_000_000
_SMALL = 3
"""Free variables begin with numbers up to this one too: enough for the order that a few of them can have."""
_MOST_BEGINNINGS = 64
LEFT_THE_SAMPLE = "numbers larger than the sample's"
"""The bound that cuts off a step to a number that the sample does not have."""


def bounded_sample(system: System, keep: frozenset[str], beginnings: int = 1) -> System:
    """The system with the numbers of its own examples only; one that is bounded already is its own sample.

    A free variable begins with its example, and then in so many other ways. Of the numbers that are not kept, none is
    too large.
    """
    if not system.is_unbounded:
        return system
    initial = tuple(dict.fromkeys(itertools.islice(_beginnings(system), beginnings * len(system.initial))))
    unbounded = {v.path for v in system.variables if v.high >= UNBOUNDED}
    written = topological(node for t in system.transitions for path, node in t.updates.items() if path in unbounded)
    numbers = [_SMALL, *(node.low for node in written if node.is_const and not node.is_bool)]
    numbers += (value for a in system.actions for p in a.parameters if p.unbounded for value in p.values)
    most = max([*numbers, *(state[system.index(path)] for state in system.initial for path in unbounded)])
    actions = {id(a): dataclasses.replace(a, parameters=tuple(map(_bounded, a.parameters))) for a in system.actions}
    return dataclasses.replace(
        system,
        variables=tuple(dataclasses.replace(v, high=min(v.high, most)) for v in system.variables),
        actions=tuple(actions.values()),
        transitions=tuple(_bound_transition(system, t, actions, keep, most) for t in system.transitions),
        initial=initial,
        free={},
    )


def _beginnings(system: System) -> Iterator[State]:
    """Initial states: the system's own, then with every small number in the free variables, in a mixed order."""
    yield from system.initial
    free = [(system.index(path), least) for path, least in system.free.items()]
    choices = list(itertools.product(*(range(least, _SMALL + 1) for _, least in free)))
    np.random.default_rng(0).shuffle(choices)
    for values in choices:
        for state in system.initial:
            changed = list(state)
            for (position, _), value in zip(free, values, strict=True):
                changed[position] = int(value)
            yield tuple(changed)


def _bounded(parameter: Parameter) -> Parameter:
    return dataclasses.replace(parameter, unbounded=False)


def _bound_transition(
    system: System, t: Transition, actions: dict[int, Action], keep: frozenset[str], most: int
) -> Transition:
    graph, highs = system.graph, {v.path: v.high for v in system.variables}
    too_large = [
        graph.lt(graph.integer(most), node)
        for path, node in t.updates.items()
        if path in keep and highs[path] >= UNBOUNDED and node.high > most
    ]
    return dataclasses.replace(
        t,
        action=actions[id(t.action)],
        free=tuple(map(_bounded, t.free)),
        bounds={**t.bounds, LEFT_THE_SAMPLE: graph.or_(*too_large)},
    )


@dataclass(frozen=True)
class Sample:
    """What the explicit engine saw in a sample."""

    system: System
    states: int
    complete: bool
    verdicts: tuple[Verdict, ...]
    interrupted: bool
    column: Callable[[Variable], np.ndarray]
    """The values of a variable in all states, in the order in which they were reached."""


def explore_sample(
    system: System,
    properties: Sequence[LoweredProperty],
    keep: frozenset[str],
    progress: Callable[[Progress], None] | None = None,
    most_states: int = MOST_STATES,
) -> Sample:
    """Explore the sample of a system, all of it or the states nearest to the beginning.

    Raises OutOfRange, with the trace, when the model goes wrong there.
    """
    from podproof.checker.engines.compiled.search import Search

    sample = bounded_sample(system, keep)
    search = Search(sample, properties, keep, Limits(max_states=most_states), 1)
    search.run(progress)
    more = min(_MOST_BEGINNINGS, most_states // search.count)
    if system.free and more > 1 and not search.reason:
        sample = bounded_sample(system, keep, more)
        search = Search(sample, properties, keep, Limits(max_states=most_states), 1)
        search.run(progress)
    rows, fields = search.states[: search.count], search.layout.fields

    return Sample(
        sample,
        search.count,
        not search.reason,
        search.verdicts(),
        search.interrupted,
        lambda variable: fields[variable.path].values(rows),
    )
