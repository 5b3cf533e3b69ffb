"""A call in the target of `+=`, which Python makes once."""

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
    flags: Annotated[Array[bool], Size("pods")]
    count: Annotated[int, Domain("counts")]
    pods: Annotated[Array[Pod], Size("pods")]

    @action("user", "steps")
    def step(self) -> None:
        self.pods[self.next()].seconds += 1

    def next(self) -> int:
        self.count = 1 - self.count
        return self.count
