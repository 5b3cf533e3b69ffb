"""A formatted string."""

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
    ready: bool

    @action("user", "steps")
    def step(self) -> None:
        self.ready = f"{self.count}" == "1"
