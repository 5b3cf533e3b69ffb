"""An action that is a coroutine."""

from __future__ import annotations

from dataclasses import dataclass

from podproof.model.language import (
    action,
)


@dataclass
class Model:
    ready: bool

    @action("user", "steps")
    async def step(self) -> None:
        self.ready = True
