"""A record made without a field that has no default."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.language import (
    Domain,
    action,
)


@dataclass
class Update:
    kill: bool
    seconds: Annotated[int, Domain("seconds")] = 0


@dataclass
class Model:
    ready: bool

    @action("user", "steps")
    def step(self) -> None:
        update = Update(seconds=5)
        self.ready = update.kill
