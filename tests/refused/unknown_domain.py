"""A field whose domain no scenario gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.language import (
    Domain,
    action,
)


@dataclass
class Model:
    count: Annotated[int, Domain("cuonts")]

    @action("user", "steps")
    def step(self) -> None:
        self.count = 1
