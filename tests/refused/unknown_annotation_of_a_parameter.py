"""A parameter whose annotation names nothing."""

from __future__ import annotations

from dataclasses import dataclass

from podproof.model.language import (
    action,
)


@dataclass
class Model:
    ready: bool

    @action("user", "steps")
    def step(self, kind: Kind) -> None:
        self.ready = True
