"""From a stored state or step back to the moves that lead there, without stored actions.

A state knows only its parent. The step between them is found again by expanding the parent: it is the first that
gives the child, in the order in which the search saw them.

Where a stored state stands for all its renamings, the step leads to one of those of the child; the rest of the trace is
renamed so that it goes on from there.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from podproof.checker.arrays import Int64s, Uint32s
from podproof.checker.core.graph import evaluate
from podproof.checker.core.system import EngineFault, Move, OutOfRange, State, System, Trace, Transition
from podproof.checker.core.trace import NotTaken, evidence, replay
from podproof.checker.engines.compiled.codegen import Program
from podproof.checker.engines.compiled.layout import Layout
from podproof.checker.engines.compiled.machine import Batch, Functions
from podproof.checker.engines.compiled.transition import Tag
from podproof.checker.reductions.symmetry import Renaming


@dataclass
class _Path:
    """The moves that lead from an initial state to a stored one, or to the renaming of it that they lead to."""

    initial: State
    moves: list[Move]
    variables: dict[str, int]
    """The stored variables where the moves lead."""
    renaming: Renaming | None


class TraceBuilder:
    """Rebuilds traces from the arrays of a search."""

    def __init__(
        self, system: System, layout: Layout, program: Program, model: Functions, states: Int64s, parents: Uint32s
    ) -> None:
        self.system, self.layout, self._model = system, layout, model
        self._states, self._parents = states, parents
        self._batch = Batch(program, np.zeros(program.state_bit_words, np.int64))

    def trace(self, index: int, tag: int | None = None) -> Trace:
        """A shortest trace to a stored state, and then the step with this tag, if there is one."""
        path = self._path(index)
        last = [] if tag is None else [self._move(tag, path.renaming)[0]]
        return evidence(self.system, [*path.moves, *last], path.initial)

    def fault(self, index: int, tag: int) -> OutOfRange:
        """The error for a step on which the model goes wrong, as running the model raises it."""
        path = self._path(index)
        move, transition = self._move(tag, path.renaming)
        try:
            replay(self.system, [*path.moves, move], path.initial)
        except OutOfRange as error:
            return error
        except NotTaken as error:
            raise EngineFault(f"{self.system.name}: of the way to where the model goes wrong, {error}") from error
        wrong = evaluate(transition.faults.values(), path.variables, move.values)
        names = "; ".join(name for name, bad in zip(transition.faults, wrong, strict=True) if bad)
        raise EngineFault(f"{self.system.event(move)}: the model does not go wrong there, as was found: {names}")

    def _path(self, index: int) -> _Path:
        line = [index]
        while (parent := int(self._parents[line[-1]])) != line[-1]:
            line.append(parent)
        line.reverse()
        start = tuple(self._states[line[0]].tolist())
        initial = next(state for state in self.system.initial if self.layout.pack(state) == start)
        path = _Path(initial, [], self.layout.unpack(start), None)
        for parent, child in itertools.pairwise(line):
            move, transition = self._move(self._tag_between(parent, child), path.renaming)
            path.moves.append(move)
            if self.layout.renamings:
                updates = {name: node for name, node in transition.updates.items() if name in path.variables}
                after = evaluate(updates.values(), path.variables, move.values)
                path.variables |= dict(zip(updates, after, strict=True))
                path.renaming = self._renaming(child, path.variables)
        if not self.layout.renamings:
            path.variables = self.layout.unpack(self._states[index])
        return path

    def _renaming(self, index: int, variables: Mapping[str, int]) -> Renaming | None:
        """The renaming that makes a stored state the one that a trace has come to; None for no renaming."""
        stored = self.layout.unpack(self._states[index])
        if stored == variables:
            return None
        for renaming in self.layout.renamings:
            if renaming.of_variables(stored) == variables:
                return renaming
        raise EngineFault(f"state {index} is no renaming of where its trace leads")

    def _tag_between(self, parent: int, child: int) -> int:
        batch, words = self._batch, self.layout.words
        batch.fill_all(self._model, self._states, parent, parent + 1)
        same = (batch.rows[: batch.ready, :words] == self._states[child]).all(axis=1)
        if not same.any():
            raise EngineFault(f"no step leads from state {parent} to state {child}")
        return int(batch.rows[int(same.argmax()), words])

    def _move(self, tag: int, renaming: Renaming | None) -> tuple[Move, Transition]:
        """The step with this tag out of a stored state, as it is in the renamed state."""
        found = Tag.read(tag)
        if renaming is not None:
            found = found._replace(transition=renaming.transitions[found.transition])
        return found.move(self.system), self.system.transitions[found.transition]
