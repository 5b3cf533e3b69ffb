"""Two counters, a small model with everything that a language of models has, and its claims."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from tests.two_phase_commit import no_lines

from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import (
    Exploration,
    Property,
    System,
)
from podproof.checker.lowering import Description, lower_system
from podproof.model.language import Array, Domain, Size, action, make, out_of_bounds, require

Small = Annotated[int, Domain("small")]


@dataclass
class Counters:
    """What the packing and the parameters must get right: negative ranges, several words, gaps in a domain."""

    amounts: Annotated[Array[Annotated[int, Domain("amounts", 0)]], Size("counters")]
    total: Annotated[int, Domain("wide")] = 0
    flag: bool = False
    far_1: Annotated[int, Domain("wide")] = 0
    far_2: Annotated[int, Domain("wide")] = 0
    noise: Annotated[int, Domain("amounts")] = 0

    @action("user", "adds {amount} to {i}, {twice}")
    def add(self, i: Annotated[int, Domain("counters")], amount: Small, twice: bool) -> None:
        require(not self.flag or not twice)
        if self.amounts[i] + amount > 4:
            out_of_bounds("too much")
        elif self.amounts[i] + amount < -3:
            out_of_bounds("too little")
        else:
            self.amounts[i] += amount
            self.far_1 = min(self.total, 3)
            if twice:
                self.flag = True
                self.far_2 = self.far_1 if amount < 0 else 7

    @action("user", "copies {amount}")
    def note(self, amount: Small) -> None:
        require(self.flag)
        self.noise = amount
        self.total = self.amounts[0] + 3

    @action("clock", "resets")
    def reset(self) -> None:
        require(self.flag and self.total > 0)
        self.flag = False
        self.total = 0


@dataclass
class Overflowing(Counters):
    """Goes wrong on the third step."""

    @action("user", "grows")
    def grow(self) -> None:
        self.far_2 += 20


def reset_pays(before: Counters, after: Counters) -> bool:
    return not (before.flag and not after.flag) or after.total == before.total


def small_total(state: Counters) -> bool:
    return state.total < 5


COUNTER_CLAIMS = (
    Property("reset_pays", "step", "A reset keeps the total.", reset_pays),
    Property("small_total", "always", "The total is below 5.", small_total),
)


def counters(cls: type[Counters] = Counters, starts: tuple[int, ...] = (0,)) -> System:
    domains = {
        "counters": Values((0, 1)),
        "amounts": Values(tuple(range(-3, 5))),
        "small": Values((-2, 1, 4)),
        "wide": Values(tuple(range(51))),
    }
    scope = Scope({"counters": 2}, domains)
    initial = []
    for start in starts:
        state = make(cls, scope.sizes)
        state.total = start
        initial.append(state)
    description = Description(cls, "test", "closed", "counters", "", scope, initial, no_lines)
    system = lower_system(description)
    # The variables are given more values than they take, so that they no longer fit one word.
    wide = tuple(replace(v, high=v.high + (1 << 31)) if v.path.startswith("far") else v for v in system.variables)
    return replace(system, variables=wide)


def assert_same(fast: Exploration, slow: Exploration) -> None:
    for name in ("complete", "reason", "states", "transitions", "depth", "actions", "bounds_hit", "verdicts"):
        assert getattr(fast, name) == getattr(slow, name), name
