"""Engine `compiled`: the fast explorer. Its machinery is loaded only when it is used."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from podproof.checker import processes
from podproof.checker.core.system import NO_LIMITS, Limits, OnProgress, StateGraph, System, Trace
from podproof.checker.engines import Claims, Engine, Kept, LimitedSearch


@dataclass(frozen=True)
class Compiled(Engine):
    """The engine. What is found does not depend on its settings."""

    threads: int | None = None
    """One a processor when None."""
    memory: int | None = None
    """Bytes that the process may use; what is available when None."""

    name = "compiled"
    reductions = frozenset({"slicing", "constants", "symmetry"})

    def search(self, system: System, claims: Claims, keep: Kept, limits: Limits) -> LimitedSearch:
        from podproof.checker.engines.compiled.search import Search

        return Search(system, claims, keep, limits, self.threads or processors(), self.memory)


def state_graph(
    system: System,
    keep: Kept,
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
