"""A list of targets."""

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
    seconds: Annotated[int, Domain("seconds")]

    @action("user", "steps")
    def step(self) -> None:
        [self.count, self.seconds] = 1, 2
