"""Looks whether files were saved."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from podproof.queries.identity import State, state_of


class Saves:
    """Tells that files were saved, each time once; the first time that they are there."""

    def __init__(self, files: Sequence[Path]) -> None:
        self.files = files
        self._seen: list[State] | None = None
        self._imported: dict[Path, State] = {}
        """What they come from besides, as it was read; one that is gone is a change, too."""

    def is_new(self) -> bool:
        state = [state_of(file) for file in self.files]
        if None in state:  # While an editor replaces a file there is none.
            return False
        if state == self._seen and all(state_of(file) == seen for file, seen in self._imported.items()):
            return False
        self._seen = state
        return True

    def follow(self, imported: Mapping[Path, State]) -> None:
        """Look at these files, too, and still at those of before: an import that failed may work again."""
        self._imported = {file: state_of(file) for file in self._imported} | dict(imported)
