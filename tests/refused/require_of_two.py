"""A `require` of two conditions."""

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
        require(self.ready, self.count > 0)
