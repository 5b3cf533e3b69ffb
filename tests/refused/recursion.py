"""A function that calls itself."""

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
        self.count = self.down(3)

    def down(self, n: int) -> int:
        if n == 0:
            return 0
        return self.down(n - 1)
