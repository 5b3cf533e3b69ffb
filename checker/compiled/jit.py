"""How the loops of this engine are compiled: once for all models, with Numba, and kept on disk.

Numba would keep a function as long as its own file stays the same, though it contains what it calls from others. So the
folder is named by the text of all files that such functions are made of.
"""

from __future__ import annotations

import functools
import hashlib
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numba
from numba import njit, types

from podproof.checker.compiled.machine import default_cache

WORDS, ROWS = types.Array(types.int64, 1, "C"), types.Array(types.int64, 2, "C")
INDICES, HASHES = types.Array(types.uint32, 1, "C"), types.Array(types.uint64, 1, "C")

_FILES = ("jit", "layout", "transition", "table", "driver", "runs")
_MOST_FOLDERS = 4
"""How many versions of the loops are kept."""


def part(function: Callable[..., Any]) -> Any:
    """A piece of a loop, put in place where it is called: a call for each row costs more than what it does."""
    return njit(nogil=True, forceinline=True)(function)


def jit(signature: Any) -> Callable[[Callable[..., Any]], Any]:
    """Compile with an explicit signature, kept on disk where there is a place for it."""

    def decorate(function: Callable[..., Any]) -> Any:
        with _folder() as found:
            return njit(signature, nogil=True, cache=found)(function)

    return decorate


@contextmanager
def _folder() -> Iterator[bool]:
    """Have Numba keep what it compiles in the right folder; is there one? Compiling anew only costs time."""
    config: Any = numba.config
    before, folder = config.CACHE_DIR, _own_folder()
    if folder is None:
        yield False
        return
    config.CACHE_DIR = str(folder)
    try:
        yield True
    finally:
        config.CACHE_DIR = before


@functools.cache
def _own_folder() -> Path | None:
    here = Path(__file__).parent
    text = hashlib.sha256(b"".join((here / f"{name}.py").read_bytes() for name in _FILES)).hexdigest()[:16]
    folder = default_cache() / f"loops-{text}"
    try:
        folder.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        folder.mkdir(mode=0o700, exist_ok=True)
        folders = sorted(folder.parent.glob("loops-*"), key=lambda f: f.stat().st_mtime, reverse=True)
        for old in folders[_MOST_FOLDERS:]:
            if old != folder:
                shutil.rmtree(old, ignore_errors=True)
        return folder if os.access(folder, os.W_OK) else None
    except OSError:
        return None
