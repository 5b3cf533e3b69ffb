"""The state graphs of two versions, and are they bisimilar?

They are if each can follow every step of the other, for ever, and shows the same meanwhile. Blocks of states that may
be alike are split until all states of a block have steps with the same events into the same blocks. A round tells
states apart by a 64-bit hash of those steps, which can only err by keeping states together; so the last partition is
compared step by step, and where two states were put apart they do differ.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from podproof.checker.core.system import Action, EngineFault, Limits, Move, Progress, System, Trace
from podproof.checker.difference.result import View
from podproof.checker.engines.compiled import processors
from podproof.checker.engines.compiled.machine import GraphArrays, loops_for
from podproof.checker.engines.compiled.search import Search
from podproof.checker.engines.compiled.transition import TRANSITION_MASK, Tag, choose
from podproof.checker.reductions.slicing import relevant_variables

# -- state spaces ------------------------------------------------------------------------------------------------------


@dataclass
class Labels:
    """The events of two versions, numbered together. An event is an action with what its parameters show."""

    events: list[tuple[str, str, str]] = field(default_factory=list)
    """For each number the event in words, the action and the actor, as the first version has them."""
    _numbers: dict[tuple[object, ...], int] = field(default_factory=dict)

    def number(self, action: Action, values: Mapping[str, int]) -> int:
        key = (action.name, *((p.name, p.show(values[p.name])) for p in action.parameters))
        if (number := self._numbers.setdefault(key, len(self.events))) == len(self.events):
            self.events.append((action.event(values), action.name, action.actor))
        return number


class StateSpace(Search):
    """A search; when it is finished `origins`, `labels` and `targets` are its steps, by state and then in order.

    `origins` and `targets` are indices of states (int32), `labels` numbers of events, `tags` tell the step (see `Tag`
    in compiled/transition.py), `initial` has the indices of the initial states.
    """

    def __init__(self, system: System, paths: Sequence[str], labels: Labels, limits: Limits) -> None:
        super().__init__(system, (), relevant_variables(system, (), paths), limits, processors())
        self.numbering = labels

    def run(self, progress: Callable[[Progress], None] | None) -> None:
        """Search, and unless a limit stops it collect the steps. Raises OutOfRange where the model goes wrong."""
        super().run(progress)
        if self.interrupted:
            raise KeyboardInterrupt
        if self.reason:
            return
        self.initial: Any = np.flatnonzero(self.parents == np.arange(self.count))
        size = 1 << (2 * self.count - 1).bit_length()
        table = np.full(size, -1, np.int32)
        self.loops.number_states(self.states, self.count, table, size - 1)
        origins, targets, tags = [], [], []
        for batch in self.steps():
            found = np.empty(batch.ready, np.int32)
            self.loops.numbers_of(self.states, table, size - 1, batch, found)
            origins.append(batch.origins[: batch.ready].astype(np.int32))
            targets.append(found)
            tags.append(batch.rows[: batch.ready, self.layout.words].copy())
        self.origins, self.targets, self.tags = map(np.concatenate, (origins, targets, tags))
        numbers, offsets = list[int](), list[int]()
        for t in self.system.transitions:
            offsets.append(len(numbers))
            numbers += (self.numbering.number(t.action, move.values) for move in t.moves())
        choices = self.tags >> TRANSITION_MASK.bit_length()
        self.labels: Any = np.array(numbers, np.int32)[np.array(offsets)[self.tags & TRANSITION_MASK] + choices]

    def columns(self, side: int, view: View) -> list[Any]:
        """For each field what it shows in each state, as an index into the field's values."""
        columns = []
        for path, pair, values in zip(view.paths, view.variables, view.values, strict=True):
            variable, numbers = pair[side], {value: i for i, value in enumerate(values)}
            table = np.array([numbers[variable.show(v)] for v in range(variable.low, variable.high + 1)], np.int64)
            place = self.layout.fields.get(path)
            # Where nothing depends on a variable it is not stored.
            columns.append(table[np.zeros(self.count, np.int64) if place is None else place.distances(self.states)])
        return columns

    def move(self, step: int) -> Move:
        """The action and the parameters of a step."""
        tag = Tag.read(int(self.tags[step]))
        t = self.system.transitions[tag.transition]
        return Move(t.action.name, choose(t, tag.choice))

    def trace_through(self, step: int) -> Trace:
        """A shortest trace to the state where a step begins, and then the step."""
        return self.evidence().trace(int(self.origins[step]), int(self.tags[step]))


def number_rows(columns: Sequence[tuple[Any, int]]) -> tuple[Any, Any]:
    """Number rows that are alike in all columns alike, from 0 in the order of their values.

    A column is an array of shape (rows,) with the number of values it can have. Gives the rows' numbers and, for each
    number, the first row that has it.
    """
    code, size = np.zeros(len(columns[0][0]), np.int64), 1
    for column, values in columns:
        if size * values >= 1 << 62:
            _, code = np.unique(code, return_inverse=True)
            size = int(code.max(initial=0)) + 1
        code = code * values + column
        size *= values
    _, first, numbers = np.unique(code, return_index=True, return_inverse=True)
    return numbers.reshape(-1).astype(np.int32), first


# -- bisimulation ------------------------------------------------------------------------------------------------------


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
        step, other_side = _first_difference(steps, blocks, a, b)
        same = [s for s in steps.of(other_side) if steps.labels[s] == steps.labels[step]]
        if not same:
            return together, step
        pair = (step, same[0]) if other_side == b else (same[0], step)
        together.append(pair)
        a, b = int(steps.targets[pair[0]]), int(steps.targets[pair[1]])


def _first_difference(steps: Steps, blocks: Any, a: int, b: int) -> tuple[int, int]:
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
