"""What a search has counted and decided so far, besides the states that it stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from podproof.checker.core.system import ActionCount, LoweredProperty, System, Trace, Verdict
from podproof.checker.core.verdicts import conclude
from podproof.checker.engines.compiled.codegen import Program
from podproof.checker.engines.compiled.evidence import TraceBuilder
from podproof.checker.engines.compiled.layout import WORD_BITS
from podproof.checker.engines.compiled.machine import BatchArrays, Functions, StatisticsArrays, loops_for
from podproof.checker.engines.compiled.transition import TRANSITION_MASK

_ARRAYS = ("taken", "fresh", "bounds", "pending_states", "found_states", "pending_steps", "found_steps")


class Statistics(StatisticsArrays):
    """Counters, int64, and for each claim whether it is pending and what decided it.

    `count` states are stored, at most `most` may be, and `steps` were seen; `taken` and `fresh` have one count a
    transition, `bounds` one a bound. `pending_*` have a bit for each claim, `found_states` the index of a state,
    `found_steps` that and the step's tag.
    """

    def __init__(self, program: Program) -> None:
        super().__init__()
        self._program = program
        self.taken, self.fresh = (np.zeros(program.transitions + 1, np.int64) for _ in range(2))
        self.bounds = np.zeros(len(program.bounds) + 1, np.int64)
        self.pending_states, self.pending_steps = map(_all_bits, (program.state_claims, program.step_claims))
        self.found_states = np.full(program.state_bit_words * WORD_BITS, -1, np.int64)
        self.found_steps = np.full((program.step_bit_words * WORD_BITS, 2), -1, np.int64)

    def copy(self) -> dict[str, Any]:
        """All arrays by name, as they are now, and the three numbers as one of them."""
        arrays = {name: getattr(self, name).copy() for name in _ARRAYS}
        return {"control": np.array([self.count, self.most, self.steps]), **arrays}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Take over what `copy` gave, except for how many states may be stored."""
        for name in _ARRAYS:
            ours = getattr(self, name)
            ours[...] = arrays[name].reshape(ours.shape)
        self.count, _, self.steps = arrays["control"].tolist()

    def add(self, batch: BatchArrays, steps: int) -> None:
        """Take over what was noted about the states and the first so many steps of a batch."""
        words = self._program.words
        if steps == batch.ready:
            self.taken += batch.taken
        else:
            transitions = batch.rows[:steps, words] & TRANSITION_MASK
            self.taken += np.bincount(transitions, minlength=len(self.taken))
        self.steps += steps
        self.bounds += batch.bounds
        if (batch.violated & self.pending_steps).any():
            loops_for(words).judge(batch, steps, self.pending_steps, self.found_steps)
        self.decide(batch.seen)

    def examine(self, model: Functions, first: int, states: Any, batch: BatchArrays) -> None:
        """Judge states, the first of which has index `first`; their steps are not wanted."""
        batch.seen[:] = -1
        loops_for(self._program.words).examine_states(model, states, len(states), first, batch)
        self.decide(batch.seen)

    def decide(self, seen: Any) -> None:
        """Take over the states that decide claims, unless earlier ones did."""
        for bit in np.flatnonzero(seen >= 0).tolist():
            word, mask = bit // WORD_BITS, 1 << bit % WORD_BITS
            if self.pending_states[word] & mask:
                # In this order, so that Ctrl-C between the two loses nothing.
                self.found_states[bit] = seen[bit]
                self.pending_states[word] &= ~mask

    def verdicts(
        self, properties: Sequence[LoweredProperty], evidence: TraceBuilder, reason: str
    ) -> tuple[Verdict, ...]:
        """What may be claimed; `reason` says why the search stopped early."""
        found: dict[int, Trace] = {}
        for bit, number in enumerate(self._program.state_claims):
            if (index := int(self.found_states[bit])) >= 0:
                found[number] = evidence.trace_to(index)
        for bit, number in enumerate(self._program.step_claims):
            if (index := int(self.found_steps[bit, 0])) >= 0:
                found[number] = evidence.trace_through(index, int(self.found_steps[bit, 1]))
        return tuple(conclude(p.property, found.get(i), not reason, reason) for i, p in enumerate(properties))

    def bounds_hit(self) -> dict[str, int]:
        """How many steps each bound cut off."""
        return {name: int(n) for name, n in zip(self._program.bounds, self.bounds, strict=False) if n}

    def actions(self, system: System) -> dict[str, ActionCount]:
        totals = {action.name: [0, 0] for action in system.actions}
        for transition, taken, fresh in zip(system.transitions, self.taken, self.fresh, strict=False):
            totals[transition.action.name][0] += int(taken)
            totals[transition.action.name][1] += int(fresh)
        return {name: ActionCount(*counts) for name, counts in totals.items()}


def _all_bits(claims: Sequence[int]) -> Any:
    """A set bit for every claim."""
    left = range(len(claims), 0, -WORD_BITS)
    return np.array([(1 << min(n, WORD_BITS)) - 1 for n in left], np.int64)
