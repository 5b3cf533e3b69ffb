"""An enumeration's member that there is not."""

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
        self.phase = Phase.FAILD
