"""How much memory may still be taken before the kernel ends the process."""

from __future__ import annotations

import os
from pathlib import Path


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
