"""Engine `compiled`: the fast explorer. Its machinery is loaded only when it is used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from podproof.checker import processes
from podproof.checker.core.system import (
    NO_LIMITS,
    Exploration,
    Limits,
    LoweredProperty,
    OnProgress,
    StateGraph,
    System,
    Trace,
)
from podproof.checker.engines import LongRun


@dataclass(frozen=True)
class Compiled:
    """The engine. What is found does not depend on its settings."""

    threads: int | None = None
    """One a processor when None."""
    long_run: LongRun | None = None
    """How it is saved, and kept on disk."""

    name = "compiled"
    is_unbounded = False
    reductions = frozenset({"slicing", "constants", "symmetry"})

    def run(
        self,
        system: System,
        claims: Sequence[LoweredProperty],
        keep: frozenset[str] | None = None,
        limits: Limits = NO_LIMITS,
        progress: OnProgress | None = None,
    ) -> Exploration:
        """Visit every reachable state once, nearest first. Raises CheckerError for a checkpoint that is not usable."""
        from podproof.checker.engines.compiled.search import Search

        system.refuse_unbounded("compiled")
        search = Search(system, claims, keep, limits, self.threads or processors(), self.long_run)
        search.run(progress)
        return search.result()


def state_graph(
    system: System,
    keep: frozenset[str] | None,
    by: Sequence[str],
    limits: Limits = NO_LIMITS,
    progress: OnProgress | None = None,
) -> tuple[StateGraph, Callable[[int], Trace]]:
    """The reachable states projected on the variables with the paths `by`, which `keep` has to contain.

    The function gives for a node's number a shortest trace to one of its states. That is a run of the model, which a
    path in the projected graph need not be. It keeps the search's states in memory as long as it lives.
    """
    from podproof.checker.engines.compiled.search import Search, project

    search = Search(system, (), keep, limits, processors())
    search.run(progress)
    return project(search, by)


def processors() -> int:
    """How many processors this process may use; more than a few do not make a search faster."""
    return min(processes.processors(), 4)
