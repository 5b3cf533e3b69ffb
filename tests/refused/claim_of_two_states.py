"""A claim about a state that takes two."""

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
        self.count = 1


def claim(before: Model, after: Model) -> bool:
    return before.count <= after.count
