"""An assignment to a field of what is no record."""

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
        self.same().count, self.count = 1, 2

    def same(self) -> None:
        pass
