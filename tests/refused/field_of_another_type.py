"""A field of a type that there is not."""

from __future__ import annotations

from dataclasses import dataclass

from podproof.model.language import (
    action,
)


@dataclass
class Model:
    name: str

    @action("user", "steps")
    def step(self) -> None:
        self.name = "web"
