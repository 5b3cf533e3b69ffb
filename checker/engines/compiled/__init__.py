"""Engine `compiled`: the fast explorer. Its machinery is loaded only when it is used."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from podproof.checker.core.system import Exploration, Limits, LoweredProperty, Progress, StateGraph, System


def explore(
    system: System,
    properties: Sequence[LoweredProperty],
    keep: frozenset[str] | None = None,
    limits: Limits | None = None,
    progress: Callable[[Progress], None] | None = None,
    threads: int | None = None,
) -> Exploration:
    """Visit every reachable state once, nearest first.

    `keep` names the variables that are stored (all when None). What is found does not depend on `threads` (one a
    processor when None). Raises OutOfRange, with the trace, when the model itself goes wrong. A first Ctrl-C ends the
    search, and what was established until then is returned.
    """
    from podproof.checker.engines.compiled.search import Search

    system.refuse_unbounded("compiled")
    search = Search(system, properties, keep, limits or Limits(), threads or processors())
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
    from podproof.checker.engines.compiled.projection import project
    from podproof.checker.engines.compiled.search import Search

    search = Search(system, (), keep, limits or Limits(), processors())
    search.run(progress)
    return project(search, by)


def processors() -> int:
    """How many processors this process may use; more than a few do not make a search faster."""
    usable = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(usable, 4)
