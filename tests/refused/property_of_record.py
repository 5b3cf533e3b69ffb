"""A property instead of a method."""

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
        self.ready = self.is_busy

    @property
    def is_busy(self) -> bool:
        return self.count > 0
