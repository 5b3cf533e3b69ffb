"""Engine `compiled`: the fast explorer. Its machinery is loaded only when it is used."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from podproof.checker.claims import LoweredProperty
from podproof.checker.system import Exploration, Limits, Progress, StateGraph, System


def explore(
    system: System,
    properties: Sequence[LoweredProperty],
    keep: frozenset[str] | None = None,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> Exploration:
    """Visit every reachable state once, nearest first.

    `keep` names the variables that are stored (all when None). Raises OutOfRange, with the trace, when the model
    itself goes wrong. A first Ctrl-C ends the search, and what was established until then is returned.
    """
    from podproof.checker.compiled.machine import default_cache
    from podproof.checker.compiled.search import Search

    search = Search(system, properties, keep, limits or Limits(), default_cache())
    search.run(progress)
    return search.result()


def state_graph(
    system: System,
    keep: frozenset[str] | None,
    by: Sequence[str],
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
) -> StateGraph:
    """The reachable states projected on the variables with the paths `by`, which `keep` has to contain."""
    from podproof.checker.compiled.machine import default_cache
    from podproof.checker.compiled.projection import project
    from podproof.checker.compiled.search import Search

    search = Search(system, (), keep, limits or Limits(), default_cache())
    search.run(progress)
    return project(search, by)
