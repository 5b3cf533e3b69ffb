"""A generator expression."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.language import (
    Array,
    Size,
    action,
)


@dataclass
class Model:
    flags: Annotated[Array[bool], Size("pods")]

    @action("user", "steps")
    def step(self) -> None:
        flags = (flag for flag in self.flags)
