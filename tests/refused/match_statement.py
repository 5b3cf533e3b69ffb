"""Branching by `match`."""

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

    @action("user", "steps")
    def step(self) -> None:
        match self.phase:
            case Phase.RUNNING:
                self.phase = Phase.FAILED
