"""`--watch`: the same command once more, each time that a file is saved."""

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


def watch(files: Sequence[Path]) -> int:
    """Run this process's command without --watch, now and after each save, until Ctrl-C; the last exit code."""
    command = [sys.executable, *(part for part in sys.orig_argv[1:] if part != WATCH)]
    seen, code = None, 0
    try:
        while True:
            state = [_state(file) for file in files]
            if state != seen and None not in state:  # While an editor replaces a file there is none.
                seen = state
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
