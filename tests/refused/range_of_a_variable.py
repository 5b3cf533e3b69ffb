"""A loop whose number of rounds is in the state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.language import (
    Array,
    Domain,
    Size,
    action,
)


@dataclass
class Model:
    flags: Annotated[Array[bool], Size("pods")]
    count: Annotated[int, Domain("counts")]

    @action("user", "steps")
    def step(self) -> None:
        for i in range(self.count):
            self.flags[i] = True
