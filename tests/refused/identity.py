"""Comparing with `is`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from podproof.model.language import (
    action,
)


class Phase(Enum):
    RUNNING = "Running"
    FAILED = "Failed"


@dataclass
class Model:
    phase: Phase
    ready: bool

    @action("user", "steps")
    def step(self) -> None:
        self.ready = self.phase is Phase.FAILED
