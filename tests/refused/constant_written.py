"""A constant that is written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.language import (
    CONSTANT,
    action,
)


@dataclass
class Model:
    name: Annotated[bool, CONSTANT]
    ready: bool

    @action("user", "steps")
    def step(self) -> None:
        self.name = self.ready
