"""Numbers at the borders of machine words: no engine and no export ever computes with less than the number itself."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
from tests.counters import assert_same
from tests.two_phase_commit import no_lines

from podproof.checker import reference
from podproof.checker.claims import lower_properties
from podproof.checker.compiled import explore
from podproof.checker.lowering import Description, lower_system
from podproof.checker.shapes import Scope, Values
from podproof.checker.system import Property, Status, System
from podproof.model.language import Array, Domain, Size, action, make, require

POWERS = (31, 32, 63, 64, 120)
BORDERS = tuple(sign * (1 << power) + near for power in POWERS for sign in (1, -1) for near in (-1, 0, 1))
Large = Annotated[int, Domain("large")]


@dataclass
class Borders:
    """Sums, differences, comparisons, choices, parameters and indices with large numbers."""

    large: Large
    other: Large
    kept: Annotated[Array[Large], Size("two")]
    small: Annotated[int, Domain("small")] = 0
    flag: bool = False

    @action("user", "up by {step}")
    def up(self, step: Annotated[int, Domain("small")]) -> None:
        require(self.large + step <= self.other + 2 and self.other + self.other - step >= self.other + self.large - 2)
        require(self.large - step >= self.other - 2)
        self.large = self.large + step if self.flag else self.large - step
        self.kept[1] = self.large

    @action("user", "sets {number} at {i}")
    def set(self, number: Annotated[int, Domain("near")], i: Annotated[int, Domain("index")]) -> None:
        require(number != self.kept[i])
        self.kept[i] = number
        self.small = 1 if number - self.large > self.other - number else 2

    @action("user", "turns")
    def turn(self) -> None:
        require(self.small > 0)
        self.flag = not self.flag
        self.small = self.kept[self.small - 1] - self.kept[self.small - 1] + self.small - 1


def doubled(state: Borders) -> bool:
    return state.large + state.large >= state.large + state.other - state.small


def apart(state: Borders) -> bool:
    return state.kept[0] - state.large + 1 > state.large - state.kept[0] - state.small


def chosen(before: Borders, after: Borders) -> bool:
    return (before.large if before.flag else after.kept[0]) + after.large >= before.kept[1] + before.other - 2


def far(state: Borders) -> bool:
    return state.large + state.large + state.kept[0] != state.other + state.other + state.kept[1] + 2


CLAIMS = (
    Property("doubled", "always", "", doubled),
    Property("apart", "always", "", apart),
    Property("chosen", "step", "", chosen),
    Property("far", "sometimes", "", far),
)


def borders(border: int, *near: int) -> System:
    """The model with numbers around this one, which it begins with; `near` are those that it chooses from."""
    around = tuple(range(border - 4, border + 5))
    domains = {"large": Values(around), "near": Values(near), "small": Values((0, 1, 2)), "index": Values((0, 1))}
    scope = Scope({"two": 2}, domains)
    start = make(Borders, scope.sizes)
    start.large = start.other = start.kept[0] = start.kept[1] = border
    return lower_system(Description(Borders, "test", "closed", "borders", "", scope, [start], no_lines))


@pytest.mark.parametrize("border", BORDERS)
def test_numbers_near_a_border_are_the_same_in_every_engine(border: int) -> None:
    system = borders(border, border - 1, border + 2)
    found = explore(system, lower_properties(system, CLAIMS))
    assert_same(found, reference.explore(system, CLAIMS))
    assert found.complete and {v.status for v in found.verdicts} == {Status.HOLDS, Status.VIOLATED}
