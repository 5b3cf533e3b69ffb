"""A model of everything that is easy to get wrong when a model is written for another checker."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from tests.two_phase_commit import no_lines

from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import Property, System
from podproof.checker.lowering import Description, lower_system
from podproof.model.language import NIL, Array, Domain, Size, action, make, out_of_bounds, require

Optional = Annotated[int, Domain("optional", default=NIL)]


@dataclass
class Corners:
    """What an export must get right: values read after they are overwritten, nil, a bound, choices, clashing names."""

    first: Optional
    second: Optional
    value: Annotated[Array[bool], Size("two")]
    value_1: bool = False
    is_1: bool = False
    total: Annotated[int, Domain("total")] = 0

    @action("user", "swaps both numbers")
    def swap(self) -> None:
        require(self.first != self.second)
        kept = self.first
        self.first = self.second
        self.second = kept

    @action("user", "sets the first to {number}, {only_if_smaller}")
    def set(self, number: Optional, only_if_smaller: bool) -> None:
        if not only_if_smaller or (number != NIL and self.first != NIL and number < self.first):
            self.first = number
            self.value[0] = not self.value[0]
        if self.total + 1 > 5:
            out_of_bounds("total")
        self.total += 1

    @action("user", "turns {i} over")
    def turn(self, i: Annotated[int, Domain("index")]) -> None:
        self.value[i] = not self.value[1 - i]
        self.value_1 = self.value[i] and not self.value_1
        self.is_1 = self.value_1 and self.first != NIL and self.total - self.first > 2


def numbers_differ(before: Corners, after: Corners) -> bool:
    """Fails: a swap of different numbers keeps them different, setting does not."""
    return before.first == before.second or after.first != after.second


def sums_stay(before: Corners, after: Corners) -> bool:
    """Holds: the total never falls."""
    return after.total >= before.total


def never_five(state: Corners) -> bool:
    """Fails: five steps of setting."""
    return state.total < 5


CORNERS = (
    Property("numbers_differ", "step", "Different numbers stay different.", numbers_differ),
    Property("sums_stay", "step", "The total never falls.", sums_stay),
    Property("never_five", "always", "The total is below 5.", never_five),
)


def corners(*totals: int) -> System:
    """The system that starts with each of these totals."""
    domains = {
        "optional": Values((NIL, 0, 1, 2), {NIL: "nil"}),
        "total": Values(tuple(range(6))),
        "index": Values((0, 1)),
    }
    scope = Scope({"two": 2}, domains)
    initial = [make(Corners, scope.sizes) for _ in totals or [0]]
    for state, total in zip(initial, totals, strict=False):
        state.total = total
    return lower_system(Description(Corners, "test", "closed", "corners", "totals to 5", scope, initial, no_lines))
