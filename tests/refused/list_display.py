"""A list."""

from __future__ import annotations

from dataclasses import dataclass

from podproof.model.language import (
    action,
)


@dataclass
class Model:
    ready: bool

    @action("user", "steps")
    def step(self) -> None:
        self.ready = len([1, 2]) == 2
