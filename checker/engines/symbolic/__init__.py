"""Engine `symbolic`: a search in which seconds are unknown numbers, so that all values of them are covered at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from podproof.checker.core.system import NO_LIMITS, Exploration, Limits, LoweredProperty, Progress, System
from podproof.checker.engines.engine import Report


def explore(
    system: System,
    properties: Sequence[LoweredProperty],
    keep: frozenset[str] | None = None,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Exploration:
    """Visit everything that is reachable, nearest first, for all values of what is unbounded.

    `keep` names the variables that are stored (all when None). A state of the result stands for all those that
    differ in the values of unbounded numbers within a zone. Where Z3 gives up the search ends, undecided. Raises
    OutOfRange, with the trace, when the model itself goes wrong, and CheckerError where unbounded numbers are added to
    each other. A first Ctrl-C ends the search, and what was established until then is returned.
    """
    # Z3 takes a while to be loaded, and no other engine needs it.
    from podproof.checker.engines.symbolic.oracle import Oracle
    from podproof.checker.engines.symbolic.search import Search

    search = Search(system, properties, keep, limits or Limits(), Oracle())
    search.run(progress)
    return search.result()


class Symbolic:
    """The engine; it needs no settings, and knows no renaming."""

    name = "symbolic"
    is_unbounded = True
    reductions = frozenset({"slicing", "constants"})

    def run(
        self,
        system: System,
        claims: Sequence[LoweredProperty],
        keep: frozenset[str] | None = None,
        limits: Limits = NO_LIMITS,
        progress: Report | None = None,
    ) -> Exploration:
        """As `explore`."""
        return explore(system, claims, keep, limits, progress)
