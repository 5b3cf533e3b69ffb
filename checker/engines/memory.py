"""How much memory may still be taken: before the kernel ends the process, and before it is more than was allowed."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

_SHARE = 0.9
"""How much of the available memory may be filled."""
_ALLOWANCE = 16
"""This part of the memory that is left may be taken before somebody looks again."""
_UNKNOWN = 1 << 30
"""What is taken to be left where nobody can tell."""
_SPARE = 32 << 20
"""Bytes left for what is not accounted for, where the process is told how much it may use.

Measured up to 10 million states: at most 7 MiB in memory; on disk its buffers take at most 24 MiB besides.
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
            left = self.left(used, available())
            if left is not None and more > left:
                return False
            self._allowance = max(more, (left or _UNKNOWN) // _ALLOWANCE)
        self._allowance -= more
        return True

    def left(self, used: int, available: int | None) -> int | None:
        """Bytes that may be taken in addition; None where nobody can tell."""
        known = [] if available is None else [int(_SHARE * available)]
        below = self._below_limit(used)
        return min([*known, *([] if below is None else [below])], default=None)

    def _below_limit(self, used: int) -> int | None:
        return None if self._limit is None else self._limit - _SPARE - self._before - used

    def out_of_memory(self, more: int, used: int, has_addresses: bool = True) -> str:
        """Why so many more bytes cannot be had, and what helps."""
        if not has_addresses:
            return "the process may not have more addresses: allow it more (ulimit -v)"
        below = self._below_limit(used)
        if self._limit is not None and below is not None and more > below:
            return (
                f"{_mebibytes(more - below)} more are needed than --memory {_mebibytes(self._limit)} allows: raise it"
            )
        return f"{_mebibytes(more)} more memory are needed, too little is free on this machine: end other programs"


def _mebibytes(amount: int) -> str:
    """An amount of memory, rounded up: 0 would read as if nothing were missing."""
    return f"{-(-amount >> 20):,} MiB"


def available_memory() -> int | None:
    """Bytes that can be had without swapping, also under a container's limit; None where nobody can tell."""
    known = [amount for amount in (_machine(), _container()) if amount is not None]
    return min(known) if known else None


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
