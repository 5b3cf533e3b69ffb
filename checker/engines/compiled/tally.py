"""What a search has counted and decided so far, besides the states that it stored."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from podproof.checker.core.system import ActionCount, LoweredProperty, System, Trace, Verdict
from podproof.checker.core.verdicts import conclude
from podproof.checker.engines.compiled import driver
from podproof.checker.engines.compiled.batch import Batch
from podproof.checker.engines.compiled.codegen import Program
from podproof.checker.engines.compiled.evidence import Evidence
from podproof.checker.engines.compiled.jit import bind
from podproof.checker.engines.compiled.layout import WORD_BITS

_ARRAYS = ("control", "taken", "fresh", "bounds", "pending_states", "found_states", "pending_steps", "found_steps")


class Tally:
    """Counters, int64, and for each claim whether it is pending and what decided it.

    `control` has the places that `driver` names; `taken` and `fresh` have one count a transition, `bounds` one a bound.
    `pending_*` have a bit for each claim, `found_states` the index of a state, `found_steps` that and the step's tag.
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self.control = np.zeros(driver.CONTROL_SIZE, np.int64)
        self.taken, self.fresh = (np.zeros(program.transitions + 1, np.int64) for _ in range(2))
        self.bounds = np.zeros(len(program.bounds) + 1, np.int64)
        self.pending_states = driver.all_pending(len(program.state_claims))
        self.found_states = driver.none_found(program.state_bit_words)
        self.pending_steps = driver.all_pending(len(program.step_claims))
        self.found_steps = np.stack([driver.none_found(program.step_bit_words)] * 2, axis=1)
        self.bound = bind(driver.Totals(self.control, self.bounds, self.taken, self.fresh, self.pending_steps))
        """What the loops need of these."""

    @property
    def count(self) -> int:
        """How many states are stored."""
        return int(self.control[driver.COUNT])

    @property
    def transitions(self) -> int:
        """How many steps were seen."""
        return int(self.control[driver.TRANSITIONS])

    def copy(self) -> dict[str, Any]:
        """All arrays by name, as they are now."""
        return {name: getattr(self, name).copy() for name in _ARRAYS}

    def restore(self, arrays: Mapping[str, Any]) -> None:
        """Take over what `copy` gave, except for how many states may be stored."""
        most = int(self.control[driver.MOST_STATES])
        for name, array in arrays.items():
            ours = getattr(self, name)
            ours[...] = array.reshape(ours.shape)
        self.control[driver.MOST_STATES] = most

    def forget_steps(self) -> None:
        """No step has been taken yet: what was stored are the initial states."""
        self.taken[:], self.fresh[:], self.control[driver.TRANSITIONS] = 0, 0, 0

    def add(self, batch: Batch, steps: int, words: int) -> None:
        """Take over what was noted about the states and the first so many steps of a batch."""
        if steps == batch.ready:
            self.taken += batch.taken
        else:
            driver.count_steps(batch.rows, steps, words, self.taken)
        self.control[driver.TRANSITIONS] += steps
        self.bounds += batch.bounds
        if (batch.violated & self.pending_steps).any():
            driver.judge(batch.rows, batch.origins, steps, words, self.pending_steps, self.found_steps)
        self.decide(batch.seen)

    def examine(self, examine: int, first: int, states: Any, batch: Batch) -> None:
        """Judge states, the first of which has index `first`; their steps are not wanted."""
        batch.seen[:] = -1
        driver.examine_states(examine, first, states, batch.bits, self.pending_states, batch.seen)
        self.decide(batch.seen)

    def decide(self, seen: Any) -> None:
        """Take over the states that decide claims, unless earlier ones did."""
        for bit in np.flatnonzero(seen >= 0).tolist():
            word, mask = bit // WORD_BITS, 1 << bit % WORD_BITS
            if self.pending_states[word] & mask:
                # In this order, so that Ctrl-C between the two loses nothing.
                self.found_states[bit] = seen[bit]
                self.pending_states[word] &= ~mask

    def traces(self, evidence: Evidence) -> dict[int, Trace]:
        """For each claim that was decided, by its number, the trace that shows it."""
        found = {}
        for bit, number in enumerate(self._program.state_claims):
            if (index := int(self.found_states[bit])) >= 0:
                found[number] = evidence.trace_to(index)
        for bit, number in enumerate(self._program.step_claims):
            if (index := int(self.found_steps[bit, 0])) >= 0:
                found[number] = evidence.trace_through(index, int(self.found_steps[bit, 1]))
        return found

    def verdicts(self, properties: Sequence[LoweredProperty], evidence: Evidence, reason: str) -> tuple[Verdict, ...]:
        """What may be claimed; `reason` says why the search stopped early."""
        found = self.traces(evidence)
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
