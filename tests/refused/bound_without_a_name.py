"""An `out_of_bounds` whose name is no text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.language import (
    Domain,
    action,
    out_of_bounds,
)


@dataclass
class Model:
    count: Annotated[int, Domain("counts")]

    @action("user", "steps")
    def step(self) -> None:
        out_of_bounds(self.count)
