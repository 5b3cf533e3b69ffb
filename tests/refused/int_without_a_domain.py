"""A field that could be any number."""

from __future__ import annotations

from dataclasses import dataclass

from podproof.model.language import (
    action,
)


@dataclass
class Model:
    count: int

    @action("user", "steps")
    def step(self) -> None:
        self.count = 1
