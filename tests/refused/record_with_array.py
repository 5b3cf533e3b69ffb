"""A record with an array made on the spot."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Annotated

from podproof.model.language import (
    Array,
    Size,
    action,
)


@dataclass
class Queue:
    flags: Annotated[Array[bool], Size("pods")] = field(default_factory=Array)


@dataclass
class Model:
    ready: bool

    @action("user", "steps")
    def step(self) -> None:
        queue = Queue()
        self.ready = queue.flags[0]
