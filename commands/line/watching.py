"""Looks whether files were saved; `--watch` runs the same command once more each time."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from podproof.commands.line.streams import say

WATCH = "--watch"
_SECONDS = 0.2
"""So often it is looked whether a file was saved."""


class Saves:
    """Tells that files were saved, each time once; the first time that they are there."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.files = files
        self._seen: list[tuple[int, int] | None] | None = None

    def is_new(self) -> bool:
        state = [_state(file) for file in self.files]
        if state == self._seen or None in state:  # While an editor replaces a file there is none.
            return False
        self._seen = state
        return True


def watch(files: Sequence[Path]) -> int:
    """Run this process's command without --watch, now and after each save, until Ctrl-C; the last exit code."""
    command = [sys.executable, *(part for part in sys.orig_argv[1:] if part != WATCH)]
    saves, code = Saves(files), 0
    try:
        while True:
            if saves.is_new():
                code = subprocess.run(command, check=False).returncode
                say(f"watching {', '.join(map(str, files))}; Ctrl-C ends it")
            time.sleep(_SECONDS)
    except KeyboardInterrupt:
        return code


def _state(file: Path) -> tuple[int, int] | None:
    """What tells one save from another; None where there is no file."""
    try:
        about = file.stat()
    except OSError:
        return None
    return about.st_mtime_ns, about.st_size
