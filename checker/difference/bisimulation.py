"""Are two state graphs bisimilar: can each follow every step of the other, for ever, and show the same meanwhile?

Blocks of states that may be alike are split until all states of a block have steps with the same events into the same
blocks. A round tells states apart by a 64-bit hash of those steps, which can only err by keeping states together; so
the last partition is compared step by step, and where two states were put apart they do differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from podproof.checker.core.system import EngineFault
from podproof.checker.engines.compiled.jit import I64, U64, Hashes, Numbers, Words, loop, part

_MIX_1, _MIX_2 = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xD6E8FEB86659FD93)


@dataclass(frozen=True)
class Steps:
    """A labelled graph: state i has the steps first[i] up to first[i + 1] of `labels` and `targets`."""

    first: Any
    """int64 of shape (states + 1,)."""
    labels: Any
    """int32 of shape (steps,)."""
    targets: Any
    """int32 of shape (steps,)."""

    @property
    def states(self) -> int:
        return len(self.first) - 1

    def of(self, state: int) -> range:
        return range(int(self.first[state]), int(self.first[state + 1]))


@part
def _mix(label: I64, block: I64) -> U64:
    out = (np.uint64(label) ^ (np.uint64(block) << 32)) * _MIX_1
    out = (out ^ (out >> 32)) * _MIX_2
    return out ^ (out >> 32)


@loop
def _sign(first: Words, labels: Numbers, targets: Numbers, blocks: Numbers, out: Hashes) -> None:
    """For each state a hash of its own block and of the set of (event, block of the target) of its steps."""
    for state in range(out.shape[0]):
        total = _mix(blocks[state], 0x7FFFFFFF)
        for step in range(first[state], first[state + 1]):
            label, block = labels[step], blocks[targets[step]]
            known = False
            for other in range(first[state], step):
                if labels[other] == label and blocks[targets[other]] == block:
                    known = True
                    break
            if not known:
                total += _mix(label, block)
        out[state] = total


@part
def _follows(first: Words, labels: Numbers, targets: Numbers, blocks: Numbers, a: I64, b: I64) -> bool:
    """Has state `a` for each step of `b` one with the same event into the same block?"""
    for step in range(first[b], first[b + 1]):
        followed = False
        for other in range(first[a], first[a + 1]):
            if labels[other] == labels[step] and blocks[targets[other]] == blocks[targets[step]]:
                followed = True
                break
        if not followed:
            return False
    return True


@loop
def _first_unlike(first: Words, labels: Numbers, targets: Numbers, blocks: Numbers, example: Words) -> I64:
    """The first state with a step that the example of its block cannot follow, or the other way round; else -1."""
    for state in range(first.shape[0] - 1):
        other = example[blocks[state]]
        if not _follows(first, labels, targets, blocks, other, state):
            return state
        if not _follows(first, labels, targets, blocks, state, other):
            return state
    return -1


def refine(steps: Steps, colours: Any, a: int, b: int) -> list[Any]:
    """The partitions, round by round, until states `a` and `b` are apart or nothing is split any more.

    `colours` (int32, one a state) is the first. Each is an array of block numbers (int32). The states are bisimilar
    if and only if the last one has them in one block. Raises EngineFault when hashes collided, which is not to be
    expected.
    """
    rounds = [np.ascontiguousarray(colours, np.int32)]
    count = int(rounds[0].max(initial=0)) + 1
    signs = np.empty(steps.states, np.uint64)
    while rounds[-1][a] == rounds[-1][b]:
        _sign(steps.first, steps.labels, steps.targets, rounds[-1], signs)
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
    if _first_unlike(steps.first, steps.labels, steps.targets, blocks, example) >= 0:
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
