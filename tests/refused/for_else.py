"""A loop with an `else`."""

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
        for i in range(len(self.flags)):
            self.flags[i] = True
        else:
            self.flags[0] = False
