"""From a stored state or step back to the moves that lead there, without stored actions.

A state knows only its parent. The step between them is found again by expanding the parent: it is the first that
gives the child, in the order in which the search saw them.
"""

from __future__ import annotations

import ctypes
import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from podproof.checker.compiled.codegen import Program
from podproof.checker.compiled.layout import Layout
from podproof.checker.compiled.transition import Tag, choose
from podproof.checker.graph import evaluate
from podproof.checker.system import CheckerError, OutOfRange, State, System, Trace
from podproof.checker.trace import Move, replay

_EXPAND = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


class Evidence:
    """Rebuilds traces from the arrays of a search."""

    def __init__(
        self, system: System, layout: Layout, program: Program, expand: int, states: Any, parents: Any
    ) -> None:
        self.system, self.layout, self.program = system, layout, program
        self._expand, self._states, self._parents = _EXPAND(expand), states, parents
        self._rows = np.empty((program.most_rows + 1, program.stride), np.int64)
        self._bounds = np.zeros(len(program.bounds) + 1, np.int64)

    def trace_to(self, index: int) -> Trace:
        """A shortest trace to a stored state."""
        initial, moves = self._path(index)
        return replay(self.system, moves, initial)

    def trace_through(self, index: int, tag: int) -> Trace:
        """A shortest trace to a stored state, and then the step with this tag."""
        initial, moves = self._path(index)
        return replay(self.system, [*moves, self._move(tag)], initial)

    def fault(self, index: int, tag: int) -> OutOfRange:
        """The error for a step on which the model goes wrong: the model's own where running it raises one."""
        initial, moves = self._path(index)
        try:
            trace = replay(self.system, [*moves, self._move(tag)], initial)
        except OutOfRange as error:
            return error
        transition = self.system.transitions[Tag.read(tag).transition]
        _, values = self._move(tag)
        variables = self.layout.unpack(self._states[index])
        wrong = evaluate(transition.faults.values(), variables, values)
        names = "; ".join(name for name, bad in zip(transition.faults, wrong, strict=True) if bad)
        return OutOfRange(f"{transition.action.event(values)}: {names}", trace)

    def _path(self, index: int) -> tuple[State, list[Move]]:
        line = [index]
        while (parent := int(self._parents[line[-1]])) != line[-1]:
            line.append(parent)
        line.reverse()
        moves = [self._move_between(a, b) for a, b in itertools.pairwise(line)]
        return self._initial(self._states[line[0]]), moves

    def _initial(self, words: Sequence[int]) -> State:
        start = tuple(int(word) for word in words)
        return next(state for state in self.system.initial if self.layout.pack(state) == start)

    def _move_between(self, parent: int, child: int) -> Move:
        words = self.layout.words
        state = np.ascontiguousarray(self._states[parent])
        count = self._expand(state.ctypes.data, self._rows.ctypes.data, self._bounds.ctypes.data)
        same = (self._rows[:count, :words] == self._states[child]).all(axis=1)
        if not same.any():
            raise CheckerError(f"no step leads from state {parent} to state {child}; this is a fault of the engine")
        return self._move(int(self._rows[int(same.argmax()), words]))

    def _move(self, tag: int) -> Move:
        found = Tag.read(tag)
        transition = self.system.transitions[found.transition]
        return transition.action.name, choose(transition, found.choice)
