"""A new record used under its old name after it was stored."""

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

    @action("user", "steps")
    def step(self) -> None:
        pod = Pod()
        self.pod = pod
        pod.seconds = 5
