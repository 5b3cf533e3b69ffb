"""A field of a number, assigned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.language import (
    Domain,
    action,
)


@dataclass
class Model:
    count: Annotated[int, Domain("counts")]

    @action("user", "steps")
    def step(self) -> None:
        self.count.real = 1
