"""Where something stands in a model's source, as people write it."""

from __future__ import annotations

import functools
from pathlib import Path

from podproof.checker.core.visible import visible

PROJECT = Path(__file__).resolve().parents[2]
"""The folder with podproof's own rooms."""


@functools.cache
def short_path(file: str) -> str:
    """A path as people write it: below the project or the working directory, else the file's own name."""
    path = Path(file).resolve()
    for base in (PROJECT, Path.cwd()):
        if path.is_relative_to(base):
            return visible(str(path.relative_to(base)))
    return visible(path.name)
