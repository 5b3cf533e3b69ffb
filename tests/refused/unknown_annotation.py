"""A field whose annotation names nothing."""

from __future__ import annotations

from dataclasses import dataclass

from podproof.model.language import (
    action,
)


@dataclass
class Model:
    phase: Phase

    @action("user", "steps")
    def step(self) -> None:
        pass
