"""A function that is called through another object."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Annotated

from podproof.model.language import (
    Domain,
    action,
)


@functools.lru_cache
def double(n: int) -> int:
    return n + n


@dataclass
class Model:
    count: Annotated[int, Domain("counts")]

    @action("user", "steps")
    def step(self) -> None:
        self.count = double(1)
