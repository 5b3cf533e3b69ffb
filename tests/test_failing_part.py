"""The part of a violated claim that is false is named, in the words of the claim's source and with its values.

PYTEST_DONT_REWRITE: a claim below has an assertion, which must fail as the model's.
"""

from __future__ import annotations

import enum
import inspect
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import pytest
from tests.exploring import explored

from podproof.checker.core.printer import short_path
from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import (
    ClaimFailure,
    Exploration,
    FailingPart,
    Property,
    PropertyKind,
    Status,
    System,
)
from podproof.checker.core.trace import replay
from podproof.checker.explain.failing_part import failure_of, with_failures
from podproof.checker.lowering import Description, lower_system
from podproof.model.language import NIL, Array, Domain, Size, action, make, programmer_error, record_lines
from podproof.reports.story import false_part

ROOT = Path(__file__).parents[1]
Level = Annotated[int, Domain("levels")]
Owner = Annotated[int, Domain("owners", NIL)]


class Lamp(enum.Enum):
    OFF = "off"
    ON = "on"


@dataclass
class Tank:
    level: Level = 0
    lamp: Lamp = Lamp.OFF
    open: bool = False


@dataclass
class Works:
    """Two tanks that are filled and emptied without any care."""

    tanks: Annotated[Array[Tank], Size("tanks")]
    owner: Owner
    alarm: bool

    @action("user", "fills {tank} by {amount}")
    def fill(self, tank: Annotated[int, Domain("tanks")], amount: Level) -> None:
        self.tanks[tank].level = min(3, self.tanks[tank].level + amount)
        self.tanks[tank].lamp = Lamp.ON
        if self.tanks[tank].level == 3:
            programmer_error("a full tank")  # line of the full tank
        self.owner = tank

    @action("user", "raises the alarm")
    def warn(self) -> None:
        self.alarm = True

    @action("user", "opens {tank}")
    def unlock(self, tank: Annotated[int, Domain("tanks")]) -> None:
        self.tanks[tank].open = True


@cache
def works() -> System:
    values = {
        "levels": Values((0, 1, 2, 3)),
        "tanks": Values((0, 1), {0: "north", 1: "south"}),
        "owners": Values((NIL, 0, 1), {NIL: "nil", 0: "north", 1: "south"}),
    }
    scope = Scope({"tanks": 2}, values)
    return lower_system(
        Description(Works, "test", "test", "works", "", scope, [make(Works, scope.sizes)], record_lines)
    )


FILL_SOUTH = ("fill", {"tank": 1, "amount": 2})
FILL_NORTH = ("fill", {"tank": 0, "amount": 1})


def of(
    claim: Callable[..., bool] | str, *moves: tuple[str, dict[str, int]], kind: PropertyKind = "always"
) -> FailingPart | None:
    lines = (claim,) if isinstance(claim, str) else ()
    function = None if isinstance(claim, str) else claim
    return failure_of(works(), Property("test", kind, "", function, lines), replay(works(), moves)).part


def said(*args: Any, kind: PropertyKind = "always") -> str:
    """What a report says, without the line."""
    part = of(*args, kind=kind)
    assert part is not None
    return false_part(ClaimFailure("", part), with_line=False).removeprefix("false: ")


def line_of(mark: str) -> int:
    lines = Path(__file__).read_text().splitlines()
    return next(i for i, line in enumerate(lines, 1) if line.endswith(f"# line of {mark}"))


# -- which fields a claim reads ----------------------------------------------------------------------------------------


def a_claim_that_reads(state: Works) -> bool:
    for tank in range(len(state.tanks)):
        level = state.tanks[tank].level
        if state.tanks[tank].lamp == Lamp.ON and state.owner == tank:
            return level <= 1
    return True


def is_full(state: Works, tank: int) -> bool:
    return state.tanks[tank].level == 2 and not state.alarm


def a_claim_that_asks(state: Works) -> bool:
    return state.tanks[0].open or not is_full(state, 1)


@pytest.mark.parametrize(
    "claim, reads, beside",
    [
        (a_claim_that_reads, ("tanks[1].level",), ("tanks[1].lamp", "owner")),
        (a_claim_that_asks, (), ("tanks[0].open", "tanks[1].level", "alarm")),
    ],
)
def test_it_is_known_which_fields_the_part_reads(
    claim: Callable[..., bool], reads: tuple[str, ...], beside: tuple[str, ...]
) -> None:
    """Also through a local, and what a function that it calls reads; not those of another tank."""
    part = of(claim, FILL_SOUTH)
    assert part is not None and (part.reads, part.reads_beside) == (reads, beside)


# -- every shape of a claim --------------------------------------------------------------------------------------------


def conjunction(state: Works) -> bool:
    return state.tanks[1].level <= 1 and not state.alarm


def early_return(state: Works) -> bool:
    for tank in range(len(state.tanks)):
        one = state.tanks[tank]
        if one.lamp == Lamp.ON and one.level > 1:  # line of the early return
            return False
    return True


def nested(state: Works) -> bool:
    for tank in range(len(state.tanks)):
        if state.tanks[tank].level > 1:
            if state.alarm:
                return True
            else:
                return False
    return True


def implication(state: Works) -> bool:
    return not state.tanks[1].level > 1 or state.alarm


def disjunction_in_a_guard(state: Works) -> bool:
    if state.alarm or state.tanks[1].lamp == Lamp.ON:
        return False
    return True


def vacuous_first(state: Works) -> bool:
    if state.tanks[1].level == 0:
        return True
    return state.alarm


def named_before(state: Works) -> bool:
    filled = state.tanks[1].level > 0 and not state.alarm
    if filled and state.tanks[1].lamp == Lamp.ON:
        return False
    return True


def set_twice(state: Works) -> bool:
    wrong = state.alarm
    if state.tanks[1].level > 1:
        wrong = True
    return not wrong


def counted(state: Works) -> bool:
    lit = 0
    for tank in range(len(state.tanks)):
        if state.tanks[tank].lamp == Lamp.ON:
            lit += 1
    return lit <= 0


def about_an_owner(state: Works) -> bool:
    return state.owner == NIL


def about_a_named_owner(state: Works) -> bool:
    owner = state.owner
    if owner != NIL:
        return owner == state.tanks[1].level
    return True


def against_a_constant(state: Works) -> bool:
    return state.tanks[1].level + 1 < LIMIT


LIMIT = 3


def is_dangerous(tank: Tank) -> bool:
    if tank.open and tank.level > 0:
        return True
    return tank.lamp == Lamp.ON


def is_dangerous_indeed(tank: Tank) -> bool:
    return is_dangerous(tank)


def calls(state: Works) -> bool:
    for tank in range(len(state.tanks)):
        if is_dangerous_indeed(state.tanks[tank]):
            return False
    return True


def some_tank_is_full(state: Works) -> bool:
    for tank in range(len(state.tanks)):
        if state.tanks[tank].level == 3:
            return True
    return False


def needs_a_full_tank(state: Works) -> bool:
    return state.alarm or some_tank_is_full(state)


def neither(state: Works) -> bool:
    for tank in range(len(state.tanks)):
        if state.tanks[tank].level > 1:
            if not state.alarm and not state.tanks[tank].open:
                return False
    return True


def one_of_two_values(state: Works) -> bool:
    return state.tanks[1].level == 0 or state.tanks[1].level == 1


def unless_off(state: Works) -> bool:
    return state.tanks[1].lamp == Lamp.OFF or state.alarm


def unless_it_is_not_on(state: Works) -> bool:
    return state.tanks[1].lamp != Lamp.ON or state.tanks[1].level == 0


def two_tanks_differ(state: Works) -> bool:
    for first in range(len(state.tanks)):
        for second in range(first + 1, len(state.tanks)):
            if state.tanks[first].level != state.tanks[second].level:
                return False
    return True


def chained(state: Works) -> bool:
    return 0 <= state.tanks[1].level < 2


def chained_in_a_guard(state: Works) -> bool:
    return not 0 < state.tanks[1].level < 3


def among(state: Works) -> bool:
    return state.tanks[1].lamp in (Lamp.OFF,)


def over_several_lines(state: Works) -> bool:
    return (
        state.owner != NIL
        and not state.alarm
        # A comment keeps the lines apart.
        and state.tanks[1].level < 1  # line of the last part
    )


def tanks_differ(state: Works) -> bool:
    for tank in range(len(state.tanks)):
        if state.tanks[tank].level == state.tanks[1 - tank].level + 2:
            return False
    return True


def goes_wrong(state: Works) -> bool:
    assert state.owner == NIL
    return True


SHAPES: Sequence[tuple[Callable[..., bool], str]] = (
    (conjunction, "state.tanks[1].level <= 1 (2 <= 1)"),
    (early_return, "one.level <= 1 (2 <= 1) for tank = south, where one.lamp == Lamp.ON"),
    (nested, "state.alarm for tank = south, where state.tanks[tank].level > 1 (2 > 1)"),
    (implication, "state.alarm, where state.tanks[1].level > 1 (2 > 1)"),
    (disjunction_in_a_guard, "state.tanks[1].lamp != Lamp.ON"),
    (vacuous_first, "state.alarm, where state.tanks[1].level != 0 (2 != 0)"),
    (named_before, "state.tanks[1].lamp != Lamp.ON, where state.tanks[1].level > 0 (2 > 0), not state.alarm"),
    (set_twice, "not wrong"),
    (counted, "lit <= 0 (1 <= 0)"),
    (about_an_owner, "state.owner == NIL (south == nil)"),
    (about_a_named_owner, "owner == state.tanks[1].level (south == 2), where owner != NIL (south != nil)"),
    (against_a_constant, "state.tanks[1].level + 1 < LIMIT (3 < 3)"),
    (calls, "not is_dangerous_indeed(state.tanks[tank]) for tank = south, because tank.lamp == Lamp.ON"),
    (needs_a_full_tank, "state.alarm or some_tank_is_full(state)"),
    (neither, "state.alarm or state.tanks[tank].open for tank = south, where state.tanks[tank].level > 1 (2 > 1)"),
    (one_of_two_values, "state.tanks[1].level == 0 or state.tanks[1].level == 1 (2 == 0 or 2 == 1)"),
    (unless_off, "state.tanks[1].lamp == Lamp.OFF or state.alarm"),
    (unless_it_is_not_on, "state.tanks[1].level == 0 (2 == 0), where state.tanks[1].lamp == Lamp.ON"),
    (
        two_tanks_differ,
        "state.tanks[first].level == state.tanks[second].level (0 == 2) for first = north, second = south",
    ),
    (chained, "state.tanks[1].level < 2 (2 < 2)"),
    (chained_in_a_guard, "state.tanks[1].level >= 3 (2 >= 3), where 0 < state.tanks[1].level (0 < 2)"),
    (among, "state.tanks[1].lamp in (Lamp.OFF,)"),
    (over_several_lines, "state.tanks[1].level < 1 (2 < 1)"),
    (tanks_differ, "state.tanks[tank].level != state.tanks[1 - tank].level + 2 (both 2) for tank = south"),
    (goes_wrong, "the claim can be evaluated (AssertionError)"),
)


@pytest.mark.parametrize(("claim", "expected"), SHAPES, ids=lambda case: getattr(case, "__name__", ""))
def test_the_false_part_is_named(claim: Callable[..., bool], expected: str) -> None:
    assert said(claim, FILL_SOUTH) == expected


def test_a_helper_is_followed_to_what_decides_it() -> None:
    moves = (FILL_SOUTH, ("unlock", {"tank": 1}))
    assert said(calls, *moves).endswith("because tank.open, tank.level > 0 (2 > 0)")


def test_the_line_is_that_of_the_part() -> None:
    for claim, mark in ((early_return, "the early return"), (over_several_lines, "the last part")):
        part = of(claim, FILL_SOUTH)
        assert part is not None and part.line.file == "tests/test_failing_part.py"
        assert part.line.number == line_of(mark)


def test_the_values_are_those_of_the_end() -> None:
    part = of(early_return, FILL_SOUTH)
    assert part is not None
    assert (part.bound, part.values) == ({"tank": "south"}, {"one.lamp": "on", "one.level": 2})


def test_a_claim_about_a_step_sees_both_states() -> None:
    assert (
        said(rises_by_one, FILL_NORTH, FILL_SOUTH, kind="step")
        == "after.tanks[tank].level <= before.tanks[tank].level + 1 (2 <= 1) for tank = south"
    )


def rises_by_one(before: Works, after: Works) -> bool:
    for tank in range(len(before.tanks)):
        if after.tanks[tank].level > before.tanks[tank].level + 1:
            return False
    return True


def test_a_search_that_finds_nothing_has_no_false_part() -> None:
    assert of(some_tank_is_full, FILL_SOUTH) is None


def test_a_line_that_is_reached_is_found_in_the_model() -> None:
    part = of("a full tank", FILL_SOUTH, FILL_SOUTH, kind="never")
    assert part is not None and part.text == "the line is not reached"
    assert (part.line.file, part.line.number) == ("tests/test_failing_part.py", line_of("the full tank"))


def test_of_several_lines_the_one_that_is_reached_is_named() -> None:
    p = Property("test", "never", "", None, ("an empty tank", "a full tank"))
    part = failure_of(works(), p, replay(works(), [FILL_SOUTH, FILL_SOUTH])).part
    assert part is not None and part.text == '"a full tank" is not reached'


def test_an_initial_state_can_break_a_claim() -> None:
    part = of(needs_a_full_tank)
    assert part is not None and part.text == "state.alarm or some_tank_is_full(state)"


def test_the_named_part_is_false_and_the_rest_is_true_wherever_a_claim_is_broken() -> None:
    """Python evaluates what is said, in every state that breaks a claim without locals."""
    plain = [neither, one_of_two_values, unless_off, unless_it_is_not_on]
    plain += [conjunction, nested, implication, disjunction_in_a_guard, vacuous_first, two_tanks_differ, chained, among]
    seen = 0
    for claim in plain:
        for level, alarm, other in (
            (level, alarm, other) for level in range(4) for alarm in (0, 1) for other in (0, 1)
        ):
            moves: list[tuple[str, dict[str, int]]] = [("fill", {"tank": 1, "amount": level})]
            moves += [("warn", {})] * alarm + [FILL_NORTH] * other
            state = works().build(replay(works(), moves).steps[-1].state)
            if claim(state):
                continue
            part = of(claim, *moves)
            assert part is not None
            labels = {"north": 0, "south": 1}
            names = {"state": state, **{name: labels.get(str(v), v) for name, v in part.bound.items()}}
            assert not eval(part.text, globals(), names), (claim, part)
            for text in part.where:
                assert eval(re.sub(r" \([^()]*\)$", "", text), globals(), names), (claim, part)
            for text, value in part.values.items():
                now = eval(text, globals(), names)
                assert value == (now.value if isinstance(now, enum.Enum) else now)
            seen += 1
    assert seen > 40


# -- the claims about the pod worker -----------------------------------------------------------------------------------


@cache
def found(version: str, scenario: str) -> Exploration:
    return with_failures(explored(version, scenario))


@pytest.mark.parametrize(("version", "scenario"), [("v1.29", "killed-pod"), ("v1.22.0", "orphan"), ("v1.29", "orphan")])
def test_every_violated_claim_has_a_false_part_in_its_own_source(version: str, scenario: str) -> None:
    violated = [v for v in found(version, scenario).verdicts if v.status is Status.VIOLATED and v.trace is not None]
    assert len(violated) > 4
    for v in violated:
        assert v.failure is not None and v.failure.part is not None, v.property.id
        line = v.failure.part.line
        text = (ROOT / line.file).read_text().splitlines()[line.number - 1]
        if v.property.function is None:
            assert text.strip().startswith("programmer_error(") and v.property.lines[0] in text
        else:
            lines, first = inspect.getsourcelines(v.property.function)
            assert line.file == short_path(inspect.getfile(v.property.function))
            assert first <= line.number < first + len(lines), v.property.id


def test_a_claim_that_holds_has_no_false_part() -> None:
    assert all(v.failure is None for v in found("v1.29", "orphan").verdicts if v.status is Status.HOLDS)
