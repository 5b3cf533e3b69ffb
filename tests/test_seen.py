"""Whether a version violates a claim otherwise than another one does, as the claim sees it, on the smallest systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import pytest
from tests.constructs import SCOPE, Count

from podproof.checker.core.system import NO_LIMITS, Limits, Property, System
from podproof.checker.difference.seen import SecondWay, second_ways
from podproof.checker.lowering import Description, lower_system
from podproof.checker.lowering.claims import lower_properties
from podproof.model.language import CONSTANT, action, make, programmer_error, record_lines, require


@dataclass
class Counter:
    """Counts to 2 and stays there. What differs between versions is constant."""

    count: Count
    other: Count
    wrong_amount: Annotated[Count, CONSTANT]
    wrong_count: Annotated[Count, CONSTANT]
    moves_other: Annotated[bool, CONSTANT]
    says_other: Annotated[bool, CONSTANT]

    @action("user", "counts")
    def add(self, amount: Count) -> None:
        require(amount > 0 and self.count + amount <= 2)
        if amount == self.wrong_amount and self.count == self.wrong_count:
            if self.says_other:
                programmer_error("the other line")
            else:
                programmer_error("one line")
        self.count += amount

    @action("user", "counts something else")
    def move(self) -> None:
        require(self.moves_other and self.other < 2)
        self.other += 1


def is_low(state: Counter) -> bool:
    return state.count < 2


NO_LINE = Property("no_line", "never", "No line is reached.", lines=("one line", "the other line"))
LOW = Property("low", "always", "The count stays low.", is_low)


def version(name: str, **given: int) -> System:
    start = make(Counter, SCOPE.sizes)
    for path, value in {"wrong_amount": 1, **given}.items():
        setattr(start, path, value)
    return lower_system(Description(Counter, name, "test", "counter", "a counter", SCOPE, [start], record_lines))


def way(first: System, second: System, claim: Property = NO_LINE, limits: Limits = NO_LIMITS) -> SecondWay:
    (a,), (b,) = (lower_properties(system, [claim]) for system in (first, second))
    (found,) = second_ways((first, second), [(a, b)], limits)
    return found


def test_the_same_violation_is_no_other_one() -> None:
    assert way(version("a"), version("b")) == SecondWay(None)


@pytest.mark.parametrize("other", [{"wrong_amount": 2}, {"says_other": 1}], ids=["parameter", "line"])
def test_a_violation_with_another_parameter_or_line_is_another_one(other: dict[str, int]) -> None:
    found = way(version("a"), version("b", **other))
    assert found.verdict is not None and found.verdict.trace is not None
    (move,) = found.verdict.trace.moves
    assert move.values["amount"] == other.get("wrong_amount", 1)


def test_from_other_states_the_same_violation_is_elsewhere() -> None:
    assert way(version("a"), version("b", wrong_count=1)) == SecondWay(None)
    assert way(version("a"), version("b", moves_other=1)) == SecondWay(None, is_elsewhere=True)


def test_where_a_claim_is_violated_from_the_start_it_is_so_in_no_step() -> None:
    found = way(version("a"), version("b", count=2), LOW)
    assert found.verdict is not None and found.verdict.trace is not None and not found.verdict.trace.moves
    assert way(version("a", count=2), version("b", count=2), LOW) == SecondWay(None)


def test_nothing_is_new_beside_a_version_that_is_not_explored_to_the_end() -> None:
    """The first may violate the claim in that way in what was not explored of it."""
    found = way(version("a"), version("b", count=1), LOW, Limits(max_states=1))
    assert found.verdict is None and "a is not explored to the end" in found.reason
    found = way(version("a"), version("b", wrong_count=1), NO_LINE, Limits(max_depth=1))
    assert found.verdict is None and "b is not explored to the end" in found.reason
