"""A parameter that is a record."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.language import (
    Domain,
    action,
    copy,
)


@dataclass
class Pod:
    static: bool = False
    seconds: Annotated[int, Domain("seconds")] = 0


@dataclass
class Model:
    pod: Pod

    @action("user", "steps")
    def step(self, pod: Pod) -> None:
        self.pod = copy(pod)
