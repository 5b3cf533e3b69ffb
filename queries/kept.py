"""What a long command keeps of its results: a file of lines, each written as soon as its result is known."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from podproof.checker.reading import Format


def read_kept(path: Path | None, form: Format) -> Iterator[tuple[str, Any]]:
    """The documents in a file, each with its place. Raises CheckerError for a file of something else."""
    if path is None or not path.exists():
        return
    lines = path.read_bytes().splitlines(keepends=True)
    for number, line in enumerate(lines, 1):
        if number == len(lines) and not line.endswith(b"\n"):
            break  # It was being written when the process was ended.
        where = f"--resume {path}:{number}"
        yield where, form.parse(line, where)


@contextlib.contextmanager
def keeper(path: Path | None) -> Iterator[Callable[[Mapping[str, Any]], None]]:
    """What writes a document into the file at once."""
    if path is None:
        yield lambda document: None
        return
    if path.exists():
        whole = path.read_bytes()
        os.truncate(path, whole.rfind(b"\n") + 1)
    with path.open("a", encoding="utf-8") as file:

        def keep(document: Mapping[str, Any]) -> None:
            file.write(json.dumps(document) + "\n")
            file.flush()

        yield keep
