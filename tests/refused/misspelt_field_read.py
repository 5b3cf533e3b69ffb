"""A field that there is not, read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.language import (
    Domain,
    action,
)


@dataclass
class Pod:
    static: bool = False
    seconds: Annotated[int, Domain("seconds")] = 0


@dataclass
class Model:
    pod: Pod
    count: Annotated[int, Domain("counts")]

    @action("user", "steps")
    def step(self) -> None:
        self.count = self.pod.secods
