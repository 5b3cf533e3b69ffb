"""A loop over something else than a range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.language import (
    Array,
    Domain,
    Size,
    action,
)


@dataclass
class Pod:
    static: bool = False
    seconds: Annotated[int, Domain("seconds")] = 0


@dataclass
class Model:
    pods: Annotated[Array[Pod], Size("pods")]

    @action("user", "steps")
    def step(self) -> None:
        for pod in self.pods:
            pod.static = True
