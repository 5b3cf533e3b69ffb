"""Comparing members of two enumerations."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from podproof.model.language import (
    action,
)


class Phase(Enum):
    RUNNING = "Running"
    FAILED = "Failed"


class Kind(Enum):
    SYNC = "sync"
    KILL = "kill"


@dataclass
class Model:
    phase: Phase
    kind: Kind
    ready: bool

    @action("user", "steps")
    def step(self) -> None:
        self.ready = self.phase == Kind.KILL
