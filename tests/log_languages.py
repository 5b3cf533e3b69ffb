"""Which lines one worker writes into a log and another one never would: the product of their two automata."""

from __future__ import annotations

from typing import Any

from podproof.kubelet.log_automaton import Automaton, LoneWorker
from podproof.kubelet.log_lines import LogLine

Pair = tuple[int, int]
"""A set of each automaton."""


def automata(version: type[Any]) -> tuple[Automaton, Automaton]:
    """Of a regular pod, and of a static one."""
    regular, static = (Automaton(LoneWorker(version, is_static)) for is_static in (False, True))
    return regular, static


def shortest_of_first_alone(first: Automaton, second: Automaton, most: int) -> list[LogLine] | None:
    """The shortest log from the kubelet's start that one worker writes and the other does not, among so many pairs.

    Where the other may have more than two goroutines, nothing is excluded.
    """
    before: dict[Pair, tuple[Pair, LogLine] | None] = {(first.start, second.start): None}
    queue = list(before)
    for pair in queue:
        number, other = pair
        if second.is_beyond(other):
            continue
        for line in sorted(first.enabled(number)):
            after, others = first.after(number, line), second.after(other, line)
            assert after is not None
            if others is None:
                return [*_log(before, pair), line]
            if (after, others) not in before and len(before) < most:
                before[after, others] = pair, line
                queue.append((after, others))
    return None


def _log(before: dict[Pair, tuple[Pair, LogLine] | None], pair: Pair) -> list[LogLine]:
    lines = []
    while (step := before[pair]) is not None:
        pair, line = step
        lines.append(line)
    return lines[::-1]


def steps_differ(first: LoneWorker, second: LoneWorker, goroutines: int) -> bool:
    """Has one of two workers a step that the other has not, while the UID has so many goroutines at most?

    Both number their states in the order in which they find them.
    """
    reached, todo = {first.start}, [first.start]
    while todo:
        state = todo.pop()
        steps = first.moves(state)
        if steps != second.moves(state):
            return True
        after = {step.after for step in steps if first.goroutines(step.after) <= goroutines} - reached
        reached |= after
        todo.extend(sorted(after))
    return False
