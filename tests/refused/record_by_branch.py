"""A local name for a new record on one branch."""

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
    ready: bool
    pod: Pod
    other: Pod

    @action("user", "steps")
    def step(self) -> None:
        if self.ready:
            pod = Pod(static=True)
        else:
            pod = self.other
        self.pod = copy(pod)
