"""A function that was made inside another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.language import (
    Domain,
    action,
)


def maker():
    step = 1

    def add(n: int) -> int:
        return n + step

    return add


add = maker()


@dataclass
class Model:
    count: Annotated[int, Domain("counts")]

    @action("user", "steps")
    def step(self) -> None:
        self.count = add(1)
