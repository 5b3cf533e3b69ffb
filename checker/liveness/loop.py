"""The loop of a lasso: back to where it began, with every fairness obligation discharged."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import and_, or_

from podproof.checker.core.system import EngineFault

Edge = tuple[int, int, int]
"""The groups that a step discharges, the state to which it leads, and the step's own number."""
Node = tuple[int, int, int, int]
"""A state, and masks of what has been seen to on the way there."""
_MOST = 200_000
"""Nodes that are visited for the shortest loop before a longer one will do."""


@dataclass(frozen=True)
class Component:
    """States among which a fair run can go round for ever. Masks are numbers with a bit for each group."""

    steps: Mapping[int, Sequence[Edge]]
    enabled: Mapping[int, int]
    weak: int
    strong: int


def shortest_loop(component: Component, start: int) -> list[int]:
    """The steps of a shortest fair loop from a state back to it, none where a run may rest there.

    A weak group was discharged, or impossible somewhere; a strong one was discharged, or possible nowhere. Where
    there are too many groups and states to find the shortest, it is a loop that goes wherever something is discharged.
    """
    weak, strong, enabled = component.weak, component.strong, component.enabled
    if not enabled[start] & (weak | strong):
        return []  # A run that rests there has no obligation.
    begin = (start, weak & ~enabled[start], 0, strong & enabled[start])
    before: dict[Node, tuple[Node, int] | None] = {begin: None}
    queue = deque([begin])
    while queue and len(before) < _MOST:
        node = queue.popleft()
        state, settled, taken, possible = node
        for discharges, target, number in component.steps[state]:
            after = (
                target,
                settled | weak & (discharges | ~enabled[target]),
                taken | strong & discharges,
                possible | strong & enabled[target],
            )
            if target == start and after[1] == weak and not after[3] & ~after[2]:
                numbers = [number]
                while (step := before[node]) is not None:
                    node, number = step
                    numbers.append(number)
                return numbers[::-1]
            if after not in before:
                before[after] = (node, number)
                queue.append(after)
    return _tour(component, start)


def _tour(component: Component, start: int) -> list[int]:
    """A loop through something for every group that is possible anywhere in the component."""
    everywhere = functools.reduce(and_, component.enabled.values())
    possible = functools.reduce(or_, component.enabled.values())
    state, loop = start, list[int]()
    obligations = possible & component.strong | everywhere & component.weak
    while obligations:
        way, state, discharged = _walk(component, state, discharges=obligations)
        loop += way
        obligations &= ~discharged
    for bit in range((possible & component.weak).bit_length()):
        if possible & component.weak & ~everywhere & component.enabled[state] & 1 << bit:
            way, state, _ = _walk(component, state, disables=1 << bit)
            loop += way
    if state != start or not loop:
        way, _, _ = _walk(component, state, to=start)
        loop += way
    return loop


def _walk(
    component: Component, start: int, discharges: int = 0, disables: int = 0, to: int | None = None
) -> tuple[list[int], int, int]:
    """A shortest way to a step that discharges something, to a state that makes something impossible, or to one state.

    Its steps, the state after it, and what all of it discharges.
    """
    ways: dict[int, tuple[list[int], int]] = {start: ([], 0)}
    queue = deque([start])
    while queue:
        state = queue.popleft()
        way, discharged = ways[state]
        for mask, target, number in component.steps[state]:
            if mask & discharges or disables & ~component.enabled[target] or target == to:
                return [*way, number], target, discharged | mask
            if target not in ways:
                ways[target] = ([*way, number], discharged | mask)
                queue.append(target)
    raise EngineFault("a component has no way from one of its states to another")
