"""How a run goes on for ever."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from podproof.checker.core.printer import number_of


@dataclass(frozen=True)
class Lasso:
    """How a trace goes on for ever. States are counted from 0, the initial one."""

    start: int
    """The state from which on the rest of the trace is taken again and again; the last one where it rests for ever."""
    waiting: int
    """The state from which on a claim waits in vain."""
    case: Mapping[str, str | int | bool]
    """The parameters of the claim."""
    no_return: int | None
    """The first state from which no fair run fulfils the claim any more; None: a way out stays, or nobody asked."""
    blocked: tuple[str, ...] = ()
    """Who waits all the way round, and on what; empty where nobody does so, or nobody asked."""

    def in_words(self, end: int, is_shortest: bool = False) -> str:
        """How long the run is, whose trace has `end` steps."""
        loop = f"a loop of {end - self.start} for ever" if end > self.start else "nothing more that has to happen"
        return f"after {number_of(self.start, 'step')}{', shortest,' if is_shortest else ''} and then {loop}"
