"""Engine `diagrams`: sets of states as binary decision diagrams, so that the number of states hardly matters.

A variable is as many bits as its possible values need. A transition, for one choice of its parameters, is a relation
between the bits that it reads and those that it writes, without the steps that a bound cuts off or on which the model
goes wrong. What is reachable is found by saturation, so nothing is found nearest first. Only for claims that a trace
decides the states are gone through level by level with their distances, up to its depth.
"""

from __future__ import annotations

from dataclasses import dataclass

from podproof.checker.core.system import CheckerError, Limits, System
from podproof.checker.engines import Claims, Engine, Kept, LimitedSearch


@dataclass(frozen=True)
class Diagrams(Engine):
    """The engine; it knows no renaming: pods that can be exchanged cost it little.

    All that is reachable is found as one set. Unless the depth is limited, how deep it goes is not known. Raises
    OutOfRoom where there is no memory, and CheckerError for a limit of states.
    """

    memory: int | None = None
    """Bytes that the process may use; what is available when None."""

    name = "diagrams"

    def search(self, system: System, claims: Claims, keep: Kept, limits: Limits) -> LimitedSearch:
        from podproof.checker.engines.diagrams.search import SetSearch

        if limits.max_states is not None:
            raise CheckerError(
                "--max-states: the engine `diagrams` does not find states one by one; use --budget or --max-depth"
            )
        return SetSearch(system, claims, keep, limits, self.memory)
