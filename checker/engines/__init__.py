"""What an engine is, and which ones there are."""

from __future__ import annotations

import os
import time
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from pkgutil import resolve_name
from typing import ClassVar

from podproof.checker.conclude import Evidence, conclude
from podproof.checker.core.system import (
    NO_LIMITS,
    ActionCount,
    Exploration,
    Limits,
    LoweredProperty,
    OnProgress,
    Progress,
    System,
)

_REPORT_SECONDS = 0.1
Claims = Sequence[LoweredProperty]
Kept = frozenset[str] | None
"""The variables that tell states apart; all when None."""


class LimitReached(Exception):
    """There is no time left; the text says so."""


class LimitedSearch(ABC):
    """One search by an engine: what it is asked, how far it has come, and why it ended."""

    engine: ClassVar[str]

    def __init__(self, system: System, properties: Claims, keep: Kept, limits: Limits) -> None:
        self.started = self._reported = time.monotonic()
        self.system, self.properties, self.keep, self.limits = system, properties, keep, limits
        self.depth = self.peak = 0
        """The depth reached, and the most bytes of memory taken so far."""
        self.reason, self.interrupted = "", False
        self.bounds_hit = Counter[str]()
        """How many steps each bound cut off."""
        self.progress: OnProgress | None = None

    @abstractmethod
    def explore(self) -> None:
        """Search until nothing is new, or there is a reason to end. Raises OutOfRange for a faulty step."""

    @property
    @abstractmethod
    def count(self) -> int:
        """How many states are stored."""

    @property
    def nodes(self) -> int:
        """The nodes of the diagrams that stand for the states; 0 where each state is stored."""
        return 0

    @property
    @abstractmethod
    def bytes(self) -> int:
        """The memory that it takes now."""

    @abstractmethod
    def actions(self) -> Mapping[str, ActionCount]:
        """What was counted of each action."""

    @abstractmethod
    def evidence(self) -> Iterable[Evidence]:
        """What was found out about each claim, in their order."""

    @property
    def transitions(self) -> int:
        """How many steps were taken."""
        return sum(count.taken for count in self.actions().values())

    @property
    def seconds(self) -> float:
        return time.monotonic() - self.started

    def run(self, progress: OnProgress | None) -> None:
        """Search until nothing is new, a limit is reached or Ctrl-C is pressed. Raises OutOfRange for a faulty step."""
        self.progress = progress
        try:
            self.explore()
        except KeyboardInterrupt:
            self.reason, self.interrupted = "interrupted", True

    def end_if_deep_enough(self) -> bool:
        """End the search where it may go no deeper. Has it ended?"""
        is_deep = self.limits.max_depth is not None and self.depth >= self.limits.max_depth
        if is_deep:
            self.reason = f"stopped at depth {self.depth} (--max-depth)"
        return is_deep

    def end_if_full(self) -> bool:
        """End the search where it may store no more states. Has it ended?"""
        is_full = self.limits.max_states is not None and self.count >= self.limits.max_states
        if is_full:
            self.reason = f"stopped at {self.count:,} states (--max-states)"
        return is_full

    def end_if_out_of_time(self) -> bool:
        """End the search where its time is up. Has it ended?"""
        seconds = time.monotonic() - self.started
        is_out = self.limits.seconds is not None and seconds >= self.limits.seconds
        if is_out and not self.reason:
            self.reason = f"stopped after {seconds:.0f} s (--budget)"
        return is_out

    def check_limits_and_report(self, waiting: int) -> bool:
        """End the search where its time is up, and report progress. Was a report due?"""
        self.end_if_out_of_time()
        if time.monotonic() - self._reported < _REPORT_SECONDS:
            return False
        self._reported = time.monotonic()
        if self.progress is not None:
            self.progress(
                Progress(self.count, self.transitions, self.depth, waiting, self.seconds, self.bytes, self.nodes)
            )
        return True

    def result(self) -> Exploration:
        """What was found out, whether or not it came to its end."""
        return Exploration(
            system=self.system,
            engine=self.engine,
            complete=not self.reason,
            reason=self.reason,
            seconds=self.seconds,
            verdicts=tuple(
                conclude(p.property, found) for p, found in zip(self.properties, self.evidence(), strict=True)
            ),
            states=self.count,
            transitions=self.transitions,
            depth=self.depth,
            peak_bytes=max(self.bytes, self.peak),
            actions=self.actions(),
            bounds_hit=dict(+self.bounds_hit),
            interrupted=self.interrupted,
        )


class Engine(ABC):
    """A way to decide claims about a system."""

    name: ClassVar[str]
    is_unbounded: ClassVar[bool] = False
    """Does it decide systems whose numbers have no greatest value?"""
    reductions: ClassVar[Collection[str]] = frozenset({"slicing", "constants"})
    """The reductions that it can work with."""

    @abstractmethod
    def search(self, system: System, claims: Claims, keep: Kept, limits: Limits) -> LimitedSearch:
        """A search that can begin."""

    def run(
        self,
        system: System,
        claims: Claims,
        keep: Kept = None,
        limits: Limits = NO_LIMITS,
        progress: OnProgress | None = None,
    ) -> Exploration:
        """A verdict on each claim, in their order, with a trace where one decides it.

        Raises OutOfRange, with the trace, when the model itself goes wrong. A first Ctrl-C ends it, and what was
        established until then is returned.
        """
        if not self.is_unbounded:
            system.refuse_unbounded(self.name)
        search = self.search(system, claims, keep, limits)
        search.run(progress)
        return search.result()


ENGINES: Mapping[str, str] = {
    "python": "podproof.checker.engines.python:Python",
    "compiled": "podproof.checker.engines.compiled:Compiled",
    "symbolic": "podproof.checker.engines.symbolic:Symbolic",
    "diagrams": "podproof.checker.engines.diagrams:Diagrams",
}
"""Where the engine of each name is; its module is loaded when it is used."""


REFERENCE, DEFAULT_ENGINE, IN_SETS, AUTO = "python", "compiled", "diagrams", "auto"
"""The model itself, which the others are compared with; the engine unless another is named; the one for sets of states;
and the word for whichever is best."""
WITH_MEMORY = (DEFAULT_ENGINE, IN_SETS)
"""The engines whose memory can be limited."""


def engine(name: str, memory: int | None = None) -> Engine:
    """The engine of this name; `memory` is how many bytes it may use, where that can be limited."""
    cls = resolve_name(ENGINES[name])
    made: Engine = cls(memory=memory) if name in WITH_MEMORY else cls()
    return made


def candidates(name: str, in_sets: bool = False) -> Sequence[str]:
    """The engines that a name stands for, of which the first that can is taken."""
    if name != AUTO:
        return [name]
    return [IN_SETS, DEFAULT_ENGINE, REFERENCE] if in_sets else [DEFAULT_ENGINE, REFERENCE]


# -- memory: before the kernel ends the process, and before it is more than was allowed --------------------------------


_SHARE = 0.9
"""How much of the available memory may be filled."""
_ALLOWANCE = 16
"""This part of the memory that is left may be taken before somebody looks again."""
_UNKNOWN = 1 << 30
"""The memory assumed to be left where the system does not say."""
_SPARE = 32 << 20
"""Bytes left for what is not accounted for, where the process is told how much it may use.

Measured up to 10 million states: at most 7 MiB.
"""


class MemoryLimit:
    """What a search may take besides what the process had before, under a limit (--memory) in bytes or without one."""

    def __init__(self, limit: int | None) -> None:
        self._limit, self._before = limit, resident_memory()
        self._allowance = 0

    def allows(self, more: int, used: int, available: Callable[[], int | None]) -> bool:
        """May so much be taken, where so much is `used`?

        Asking the system costs time, so small amounts are taken out of what was seen before.
        """
        if more > self._allowance:
            left = self.headroom(used, available())
            if left is not None and more > left:
                return False
            self._allowance = max(more, (left or _UNKNOWN) // _ALLOWANCE)
        self._allowance -= more
        return True

    def headroom(self, used: int, available: int | None) -> int | None:
        """Bytes that may be taken in addition; None where nobody can tell."""
        free = None if available is None else int(_SHARE * available)
        return min((n for n in (free, self._below_limit(used)) if n is not None), default=None)

    def _below_limit(self, used: int) -> int | None:
        return None if self._limit is None else self._limit - _SPARE - self._before - used

    def out_of_memory(self, more: int, used: int, has_addresses: bool = True) -> str:
        """Why so many more bytes cannot be had, and what helps."""
        if not has_addresses:
            return "the process may not have more addresses: allow it more (ulimit -v)"
        below = self._below_limit(used)
        if self._limit is not None and below is not None and more > below:
            missing, limit = _mebibytes(more - below), _mebibytes(self._limit)
            return f"{missing} more are needed than --memory {limit} allows: raise it"
        return f"{_mebibytes(more)} more memory are needed, too little is free on this machine: end other programs"


def _mebibytes(amount: int) -> str:
    """An amount of memory, rounded up: 0 would read as if nothing were missing."""
    return f"{-(-amount >> 20):,} MiB"


def available_memory() -> int | None:
    """Bytes that can be had without swapping, also under a container's limit; None where nobody can tell."""
    return min((amount for amount in (_machine(), _container()) if amount is not None), default=None)


def resident_memory() -> int:
    """Bytes of memory that this process uses now; a guess where the system does not tell."""
    try:
        return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, AttributeError):
        return 200 << 20


def _machine() -> int | None:
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    try:
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (ValueError, OSError, AttributeError):
        return None


def _container() -> int | None:
    """What is left below the memory limit of the control group (version 2) that this process is in."""
    group = Path("/sys/fs/cgroup")
    try:
        limit = (group / "memory.max").read_text().strip()
        used = int((group / "memory.current").read_text())
        kept = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):
        return None
    # Pages of files that nobody reads any more are given back when memory runs short.
    return None if limit == "max" else max(0, int(limit) - used + int(kept.get("inactive_file", 0)))
