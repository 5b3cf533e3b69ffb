"""A claim with an `out_of_bounds`."""

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
        self.count = 1


def claim(state: Model) -> bool:
    if state.count > 0:
        out_of_bounds("many")
    return True
