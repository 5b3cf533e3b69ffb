"""Are two state graphs bisimilar: can each follow every step of the other, for ever, and show the same meanwhile?

Blocks of states that may be alike are split until all states of a block have steps with the same events into the same
blocks. A round tells states apart by a 64-bit hash of those steps, which can only err by keeping states together; so
the last partition is compared step by step, and where two states were put apart they do differ.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from podproof.checker.core.system import EngineFault
from podproof.checker.engines.compiled.machine import GraphArrays, loops_for


class Steps(GraphArrays):
    """A labelled graph: state i has the steps first[i] up to first[i + 1] of `labels` and `targets`.

    `first` is int64 of shape (states + 1,), `labels` and `targets` are int32 of shape (steps,).
    """

    def __init__(self, first: Any, labels: Any, targets: Any) -> None:
        super().__init__()
        self.first, self.labels, self.targets, self.states = first, labels, targets, len(first) - 1

    def of(self, state: int) -> range:
        return range(int(self.first[state]), int(self.first[state + 1]))


def refine(steps: Steps, colours: Any, a: int, b: int) -> list[Any]:
    """The partitions, round by round, until states `a` and `b` are apart or nothing is split any more.

    `colours` (int32, one a state) is the first. Each is an array of block numbers (int32). The states are bisimilar
    if and only if the last one has them in one block. Raises EngineFault when hashes collided, which is not to be
    expected.
    """
    rounds = [np.ascontiguousarray(colours, np.int32)]
    count = int(rounds[0].max(initial=0)) + 1
    signs, loops = np.empty(steps.states, np.uint64), loops_for(0)
    while rounds[-1][a] == rounds[-1][b]:
        loops.sign(steps, rounds[-1], signs)
        found, blocks = np.unique(signs, return_inverse=True)
        if len(found) == count:
            _verify(steps, rounds[-1], count)
            break
        rounds.append(blocks.reshape(-1).astype(np.int32))
        count = len(found)
    return rounds


def _verify(steps: Steps, blocks: Any, count: int) -> None:
    example = np.zeros(count, np.int64)
    example[blocks[::-1]] = np.arange(len(blocks))[::-1]
    if loops_for(0).first_unlike(steps, blocks, example) >= 0:
        raise EngineFault("two unlike states have one hash")


def tell_apart(steps: Steps, rounds: list[Any], a: int, b: int) -> tuple[list[tuple[int, int]], int | None]:
    """An experiment that shows two states to be unlike: no longer than it took rounds to put them apart.

    Pairs of steps with one event, one from each side, that lead to states where the difference is seen; and the step
    that only one of those has, or None where they already show different things.
    """
    together: list[tuple[int, int]] = []
    while True:
        when = next(i for i, blocks in enumerate(rounds) if blocks[a] != blocks[b])
        if when == 0:
            return together, None
        blocks = rounds[when - 1]
        step, other_side = _unfollowed(steps, blocks, a, b)
        same = [s for s in steps.of(other_side) if steps.labels[s] == steps.labels[step]]
        if not same:
            return together, step
        pair = (step, same[0]) if other_side == b else (same[0], step)
        together.append(pair)
        a, b = int(steps.targets[pair[0]]), int(steps.targets[pair[1]])


def _unfollowed(steps: Steps, blocks: Any, a: int, b: int) -> tuple[int, int]:
    """A step of one of two states that the other cannot follow, and that other one; rather one nobody can begin."""
    found = []
    for mine, other in ((a, b), (b, a)):
        theirs = {(int(steps.labels[s]), int(blocks[steps.targets[s]])) for s in steps.of(other)}
        events = {label for label, _ in theirs}
        for s in steps.of(mine):
            if (int(steps.labels[s]), int(blocks[steps.targets[s]])) not in theirs:
                found.append((int(steps.labels[s]) in events, s, other))
    _, step, other = min(found)
    return step, other
