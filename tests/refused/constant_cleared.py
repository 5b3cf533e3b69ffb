"""A record with a constant that is cleared."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.language import (
    CONSTANT,
    action,
    clear,
)


@dataclass
class Settings:
    static: Annotated[bool, CONSTANT] = False
    ready: bool = False


@dataclass
class Model:
    settings: Settings

    @action("user", "steps")
    def step(self) -> None:
        clear(self.settings)
