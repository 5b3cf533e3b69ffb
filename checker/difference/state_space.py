"""The reachable states of one version with all their steps, as arrays, seen through fields that two versions share."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from podproof.checker.core.system import Action, Limits, Move, Progress, System, Trace
from podproof.checker.difference.result import View
from podproof.checker.engines.compiled import processors
from podproof.checker.engines.compiled.search import Search
from podproof.checker.engines.compiled.transition import TRANSITION_MASK, choose
from podproof.checker.reductions.slicing import relevant_variables


@dataclass
class Labels:
    """The events of two versions, numbered together. An event is an action with what its parameters show."""

    events: list[tuple[str, str, str]] = field(default_factory=list)
    """For each number the event in words, the action and the actor, as the first version has them."""
    _numbers: dict[tuple[object, ...], int] = field(default_factory=dict)

    def number(self, action: Action, values: Mapping[str, int]) -> int:
        key = (action.name, *((p.name, p.show(values[p.name])) for p in action.parameters))
        if key not in self._numbers:
            self._numbers[key] = len(self.events)
            self.events.append((action.event(values), action.name, action.actor))
        return self._numbers[key]


class StateSpace:
    """A finished search; `origins`, `labels` and `targets` are its steps, one row each, by state and then in order.

    `origins` and `targets` are indices of states (int32), `tags` tell the step (see compiled.transition.Tag).
    """

    def __init__(self, system: System, paths: Sequence[str], labels: Labels, limits: Limits) -> None:
        self.system, self.numbering = system, labels
        keep = relevant_variables(system, (), paths)
        self.search = Search(system, (), keep, limits, processors())

    def run(self, progress: Callable[[Progress], None] | None) -> None:
        """Search, and unless a limit stops it collect the steps. Raises OutOfRange where the model goes wrong."""
        self.search.run(progress)
        if self.search.interrupted:
            raise KeyboardInterrupt
        if not self.search.reason:
            self._collect()

    @property
    def reason(self) -> str:
        """Why the search stopped early; empty when it did not."""
        return self.search.reason

    @property
    def count(self) -> int:
        return self.search.count

    @property
    def initial(self) -> Any:
        """The indices of the initial states, which are their own parents."""
        return np.flatnonzero(self.search.parents[: self.count] == np.arange(self.count))

    def _collect(self) -> None:
        states = np.ascontiguousarray(self.search.states[: self.count])
        size = 1
        while size < 2 * self.count:
            size *= 2
        table = np.full(size, -1, np.int32)
        loops = self.search.loops
        loops.number_states(states, self.count, table, size - 1)
        origins, targets, tags = [], [], []
        batch, first = self.search.batches[0], 0
        while first < self.count:
            batch.fill_all(self.search.functions, self.search.states, first, self.count)
            found = np.empty(batch.ready, np.int32)
            loops.numbers_of(states, table, size - 1, batch, found)
            origins.append(batch.origins[: batch.ready].astype(np.int32))
            targets.append(found)
            tags.append(batch.rows[: batch.ready, self.search.layout.words].copy())
            first = batch.next
        self.origins: Any = np.concatenate(origins)
        self.targets: Any = np.concatenate(targets)
        self.tags: Any = np.concatenate(tags)
        self.labels = self._labels()

    def _labels(self) -> Any:
        """The number of each step's event (int32)."""
        tables, offsets = list[int](), list[int]()
        for t in self.system.transitions:
            offsets.append(len(tables))
            tables += (self.numbering.number(t.action, move.values) for move in t.moves())
        choices = self.tags >> TRANSITION_MASK.bit_length()
        where = np.array(offsets, np.int64)[self.tags & TRANSITION_MASK] + choices
        return np.array(tables, np.int32)[where]

    def distances(self, path: str) -> Any:
        """How far above its least value a variable is in each state; 0 where nothing depends on it."""
        place = self.search.layout.fields.get(path)
        return np.zeros(self.count, np.int64) if place is None else place.distances(self.search.states[: self.count])

    def move(self, step: int) -> Move:
        """The action and the parameters of a step."""
        tag = int(self.tags[step])
        t = self.system.transitions[tag & TRANSITION_MASK]
        return Move(t.action.name, choose(t, tag >> TRANSITION_MASK.bit_length()))

    def trace_to(self, state: int) -> Trace:
        return self.search.evidence().trace_to(state)

    def trace_through(self, step: int) -> Trace:
        """A shortest trace to the state where a step begins, and then the step."""
        return self.search.evidence().trace_through(int(self.origins[step]), int(self.tags[step]))


def columns_of(space: StateSpace, side: int, view: View) -> list[Any]:
    """For each field what it shows in each state, as an index into the field's values."""
    columns = []
    for path, pair, values in zip(view.paths, view.variables, view.values, strict=True):
        variable, numbers = pair[side], {value: i for i, value in enumerate(values)}
        table = np.array([numbers[variable.show(v)] for v in range(variable.low, variable.high + 1)], np.int64)
        columns.append(table[space.distances(path)])
    return columns


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
