"""What an engine is, and which ones there are."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pkgutil import resolve_name
from typing import Protocol

from podproof.checker.core.system import NO_LIMITS, Exploration, Limits, LoweredProperty, Progress, System

Report = Callable[[Progress], None]


class Engine(Protocol):
    """A way to decide claims about a system."""

    @property
    def name(self) -> str: ...

    @property
    def is_unbounded(self) -> bool:
        """Does it decide systems whose numbers have no greatest value?"""

    @property
    def reductions(self) -> Collection[str]:
        """The reductions that it can work with."""

    def run(
        self,
        system: System,
        claims: Sequence[LoweredProperty],
        keep: frozenset[str] | None = None,
        limits: Limits = NO_LIMITS,
        progress: Report | None = None,
    ) -> Exploration:
        """A verdict on each claim, in their order, with a trace where one decides it.

        `keep` names the variables that tell states apart, all when None. Raises OutOfRange, with the trace, when the
        model itself goes wrong. A first Ctrl-C ends it, and what was established until then is returned.
        """


ENGINES: Mapping[str, str] = {
    "python": "podproof.checker.engines.python:Python",
    "compiled": "podproof.checker.engines.compiled:Compiled",
    "symbolic": "podproof.checker.engines.symbolic:Symbolic",
}
"""By name, where each one is; its module is loaded when it is used."""


def engine(name: str) -> Engine:
    """An engine as it is without settings of its own."""
    made: Engine = resolve_name(ENGINES[name])()
    return made
