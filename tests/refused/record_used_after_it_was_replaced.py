"""A record used under a name from before it was replaced."""

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
    other: Pod

    @action("user", "steps")
    def step(self) -> None:
        pod = self.pod
        self.pod = copy(self.other)
        pod.seconds = 5
