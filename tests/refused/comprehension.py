"""A list made on the fly."""

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
    ready: bool

    @action("user", "steps")
    def step(self) -> None:
        self.ready = [flag for flag in self.flags] == self.flags
