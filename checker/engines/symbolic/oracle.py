"""What Z3 is asked in the course of a symbolic search. A question has a signature, and is asked once."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable

import z3

from podproof.checker.solver.terms import Term

MILLISECONDS = 10_000
"""How long Z3 may think about one question; most take it less than one millisecond."""


class GaveUp(Exception):
    """Z3 has no answer; the message says why."""


class Oracle:
    """Decides whether formulas can hold, and remembers the answers by the signatures of the questions."""

    def __init__(self, milliseconds: int = MILLISECONDS) -> None:
        self.seconds = 0.0
        """Time spent on questions, putting them into words included."""
        self.asked = 0
        self._answers: dict[Hashable, bool] = {}
        self._solver = z3.Solver()
        # Ctrl-C is Python's: Z3 would answer "unknown" to it. A fixed seed makes equal runs equal.
        self._solver.set("ctrl_c", False)
        self._solver.set("timeout", milliseconds)
        self._solver.set("random_seed", 0)

    def possible(self, signature: Hashable, formulas: Callable[[], Iterable[Term]]) -> bool:
        """Can the formulas hold together? Equal signatures have to mean equal formulas. Raises GaveUp."""
        answer = self._answers.get(signature)
        if answer is None:
            answer = self._answers[signature] = self._ask(formulas) is not None
        return answer

    def model(self, formulas: Iterable[Term]) -> z3.ModelRef | None:
        """Values with which the formulas hold, if there are any. Raises GaveUp."""
        return self._ask(lambda: formulas)

    def _ask(self, formulas: Callable[[], Iterable[Term]]) -> z3.ModelRef | None:
        started = time.monotonic()
        self._solver.push()
        try:
            self._solver.add(*formulas())
            result = self._solver.check()
            if result == z3.unknown:
                raise GaveUp(f"Z3 gave up ({self._solver.reason_unknown()})")
            return self._solver.model() if result == z3.sat else None
        finally:
            self._solver.pop()
            self.asked += 1
            self.seconds += time.monotonic() - started
