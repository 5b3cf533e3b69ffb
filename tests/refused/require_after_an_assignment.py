"""A `require` after an assignment."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.language import (
    Domain,
    action,
    require,
)


@dataclass
class Model:
    count: Annotated[int, Domain("counts")]
    ready: bool

    @action("user", "steps")
    def step(self) -> None:
        self.count = 1
        require(self.ready)
