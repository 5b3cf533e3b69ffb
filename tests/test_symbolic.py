"""Engine `symbolic` on small systems with unbounded numbers, against the other engines where these can follow."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

import pytest
from tests.two_phase_commit import PROPERTIES, no_lines, two_phase_commit

from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import (
    CheckerError,
    Exploration,
    Limits,
    LoweredProperty,
    OutOfRange,
    Progress,
    Property,
    Status,
    System,
    Trace,
    Verdict,
)
from podproof.checker.engines.compiled import Compiled
from podproof.checker.engines.python import Python
from podproof.checker.engines.symbolic import Symbolic, SymbolicSearch
from podproof.checker.lowering import Description, lower_system
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.solver import GaveUp
from podproof.checker.solver.differences import Constraints
from podproof.model.language import CONSTANT, Domain, action, make, require

Number = Annotated[int, Domain("numbers")]
Count = Annotated[int, Domain("counts")]
NUMBERS = (5, 0, 30)


def system_of(cls: type, unbounded: bool = True, numbers: tuple[int, ...] = NUMBERS, counts: int = 4) -> System:
    """A toy; bounded it has just these numbers, unbounded every number from the least of them on."""
    scope = Scope({}, {"numbers": Values(numbers, {}, unbounded), "counts": Values(tuple(range(counts + 1)))})
    initial = [make(cls, scope.sizes)]
    return lower_system(Description(cls, "test", "closed", cls.__name__, "", scope, initial, no_lines))


def always(function: Callable[..., bool]) -> Property:
    return Property(function.__name__, "always", "", function)


def step(function: Callable[..., bool]) -> Property:
    return Property(function.__name__, "step", "", function)


def explored(system: System, *claims: Property, limits: Limits | None = None) -> Exploration:
    return Symbolic().run(system, lower_properties(system, claims), limits=limits or Limits())


def summary(found: Exploration) -> list[tuple[str, Status, int | None]]:
    return [(v.property.id, v.status, v.depth) for v in found.verdicts]


def verdict(system: System, claim: Property) -> Verdict:
    (only,) = explored(system, claim).verdicts
    return only


# -- large values --------------------------------------------------------------------------------------------------


@dataclass
class Setting:
    """A number that anybody may set, and another one that nobody ever does."""

    fixed: Annotated[int, Domain("numbers"), CONSTANT]
    value: Number = 0

    @action("somebody", "sets {value}")
    def set(self, value: Number) -> None:
        self.value = value


def values_are_small(state: Setting) -> bool:
    return state.value <= 100


def values_are_tiny(state: Setting) -> bool:
    return state.value < 3


def values_differ_from_the_fixed_one(state: Setting) -> bool:
    return state.value != state.fixed or state.value < 7


def values_are_not_seven(state: Setting) -> bool:
    return state.value != 7


def test_a_violation_that_only_large_values_show_is_found_with_the_least_of_them() -> None:
    bounded = system_of(Setting, unbounded=False)
    explicit = Compiled().run(bounded, lower_properties(bounded, [always(values_are_small)]))
    assert explicit.verdicts[0].status is Status.HOLDS
    found = verdict(system_of(Setting), always(values_are_small))
    assert found.status is Status.VIOLATED and found.depth == 1 and found.trace is not None
    assert found.trace.steps[0].parameters == {"value": 101}


def test_the_numbers_of_the_scenario_are_preferred_where_they_will_do() -> None:
    found = verdict(system_of(Setting), always(values_are_tiny))
    assert found.trace is not None and found.trace.steps[0].parameters == {"value": 5}


def test_a_constant_can_be_any_number_and_the_trace_says_which() -> None:
    system = system_of(Setting)
    found = verdict(system, always(values_differ_from_the_fixed_one))
    assert found.status is Status.VIOLATED and found.trace is not None
    fixed = found.trace.initial[system.index("fixed")]
    assert fixed >= 7 and found.trace.steps[0].parameters == {"value": fixed}


def test_numbers_between_those_of_the_scenario_count() -> None:
    assert verdict(system_of(Setting), always(values_are_not_seven)).depth == 1


# -- order -----------------------------------------------------------------------------------------------------------


@dataclass
class Squeeze:
    """Numbers between two others, one after the other: however small the gap seems, there is room enough in time."""

    low: Number = 0
    high: Number = 0
    squeezed: Count = 0

    @action("somebody", "from {low} to {high}")
    def begin(self, low: Number, high: Number) -> None:
        require(self.squeezed == 0 and low < high)
        self.low = low
        self.high = high

    @action("somebody", "squeezes to {between}")
    def squeeze(self, between: Number) -> None:
        require(self.squeezed < 4 and self.low < between and between < self.high)
        self.low = between
        self.squeezed += 1


def never_squeezed_four_times(state: Squeeze) -> bool:
    return state.squeezed < 4


@dataclass
class Countdown:
    """Numbers below each other that start at 3 at most: here there is not always room."""

    value: Number = 0
    steps: Count = 0
    started: bool = False

    @action("somebody", "starts at {value}")
    def start(self, value: Number) -> None:
        require(not self.started and value <= 3)
        self.value = value
        self.started = True

    @action("somebody", "down to {value}")
    def down(self, value: Number) -> None:
        require(self.started and value < self.value and self.steps < 4)
        self.value = value
        self.steps += 1


def at_most_three_steps(state: Countdown) -> bool:
    return state.steps <= 3


def at_most_two_steps(state: Countdown) -> bool:
    return state.steps <= 2


@dataclass
class Level:
    """A number decides about a variable that is bounded."""

    level: Count = 0
    last: Number = 0
    changes: Count = 0

    @action("somebody", "reads {value}")
    def read(self, value: Number) -> None:
        require(self.changes < 2)
        if value != self.last:
            self.changes += 1
        self.level = value if value < 3 else 3
        self.last = value


def levels_follow(state: Level) -> bool:
    return state.level != 3 or state.last >= 3


def level_two_comes_first(before: Level, after: Level) -> bool:
    return after.level != 3 or before.level == 2 or before.changes == 0


def no_change_is_from_two_to_three(before: Level, after: Level) -> bool:
    return before.level != 2 or after.level != 3


TOYS = (
    (Squeeze, [always(never_squeezed_four_times)]),
    (Countdown, [always(at_most_three_steps), always(at_most_two_steps)]),
    (Level, [always(levels_follow), step(level_two_comes_first), step(no_change_is_from_two_to_three)]),
)


@pytest.mark.parametrize(("cls", "claims"), TOYS)
def test_the_verdicts_are_those_with_numbers_enough(cls: type, claims: list[Property]) -> None:
    """Twelve numbers have room for everything that these toys can do."""
    bounded = system_of(cls, unbounded=False, numbers=tuple(range(12)))
    expected = Compiled().run(bounded, lower_properties(bounded, claims))
    found = explored(system_of(cls), *claims)
    assert found.complete and expected.complete
    assert summary(found) == summary(expected)
    assert found.states < expected.states


def test_a_trace_through_narrow_gaps_has_numbers_that_leave_room() -> None:
    found = verdict(system_of(Squeeze), always(never_squeezed_four_times))
    assert found.depth == 5 and found.trace is not None
    lows = [s.state[0] for s in found.trace.steps]
    assert lows == sorted(set(lows)) and lows[-1] < found.trace.steps[-1].state[1]


# -- sums ------------------------------------------------------------------------------------------------------------


@dataclass
class Clock:
    """A number that is added to: no end of different states."""

    now: Number = 0
    deadline: Number = 0

    @action("time", "passes")
    def tick(self) -> None:
        self.now += 2

    @action("somebody", "sets {deadline}")
    def set(self, deadline: Number) -> None:
        require(self.deadline == 0)
        self.deadline = deadline


def the_deadline_is_never_met(state: Clock) -> bool:
    return state.deadline < 3 or state.now != state.deadline


def time_is_even(state: Clock) -> bool:
    return state.now >= 0


def test_constants_can_be_added() -> None:
    (found,) = explored(system_of(Clock), always(the_deadline_is_never_met), limits=Limits(max_depth=4)).verdicts
    assert found.status is Status.VIOLATED and found.depth == 3 and found.trace is not None
    assert found.trace.steps[-1].state == (4, 4)


def test_nothing_is_claimed_where_the_search_does_not_end() -> None:
    found = explored(system_of(Clock), always(time_is_even), limits=Limits(max_depth=6))
    assert found.verdicts[0].status is Status.UNKNOWN and "--max-depth" in found.verdicts[0].reason
    found = explored(system_of(Clock), always(time_is_even), limits=Limits(max_states=9))
    assert found.verdicts[0].status is Status.UNKNOWN and found.states >= 9


@dataclass
class Sum:
    value: Number = 0

    @action("somebody", "adds {value}")
    def add(self, value: Number) -> None:
        self.value += value


def test_a_sum_of_two_unbounded_numbers_is_refused_with_its_line() -> None:
    with pytest.raises(CheckerError, match=r"test_symbolic.py:\d+: '\+' is applied to two unbounded numbers"):
        explored(system_of(Sum))


@dataclass
class Overflow:
    small: Count = 0
    last: Number = 0

    @action("somebody", "reads {value}")
    def read(self, value: Number) -> None:
        require(value > self.last)
        self.small = value
        self.last = value


def test_a_number_that_leaves_a_bounded_range_is_an_error_with_its_trace() -> None:
    with pytest.raises(OutOfRange, match=r"small became .*, outside its declared range 0..4") as raised:
        explored(system_of(Overflow))
    assert raised.value.trace is not None and not raised.value.trace.steps


# -- everything else that a search may meet ----------------------------------------------------------------------


def test_a_system_without_numbers_is_searched_like_any_other() -> None:
    system = two_phase_commit(3)
    lowered = lower_properties(system, PROPERTIES)
    found, expected = Symbolic().run(system, lowered), Compiled().run(system, lowered)
    for name in ("states", "transitions", "depth", "actions", "bounds_hit"):
        assert getattr(found, name) == getattr(expected, name), name
    assert summary(found) == summary(expected)


@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_other_engines_refuse_what_has_no_bound(engine: str) -> None:
    system = system_of(Setting)
    with pytest.raises(CheckerError, match=f"the engine '{engine}' goes through every value"):
        {"python": Python(), "compiled": Compiled()}[engine].run(
            system, lower_properties(system, [always(values_are_small)])
        )


def test_where_z3_gives_up_nothing_is_claimed(monkeypatch: pytest.MonkeyPatch) -> None:
    def gives_up(self: Constraints, terms: object) -> None:
        raise GaveUp("Z3 gave up (timeout)")

    monkeypatch.setattr(Constraints, "model", gives_up)
    found = explored(system_of(Squeeze), always(never_squeezed_four_times))
    assert not found.complete
    assert found.verdicts[0].status is Status.UNKNOWN and "Z3 gave up (timeout)" in found.verdicts[0].reason


def test_where_z3_gives_up_over_a_trace_that_claim_alone_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    trace = SymbolicSearch._trace

    def gives_up(self: Constraints, terms: object) -> None:
        raise GaveUp("Z3 gave up (timeout)")

    def without_z3(self: SymbolicSearch, p: LoweredProperty, begins: int, path: list[int]) -> Trace:
        with monkeypatch.context() as patch:
            patch.setattr(Constraints, "model", gives_up)
            return trace(self, p, begins, path)

    monkeypatch.setattr(SymbolicSearch, "_trace", without_z3)
    found = explored(system_of(Countdown), always(at_most_three_steps), always(at_most_two_steps))
    assert [v.status for v in found.verdicts] == [Status.HOLDS, Status.UNKNOWN]
    assert "concrete values of a trace of 4 steps" in found.verdicts[1].reason


def test_an_interrupt_ends_the_search_and_what_was_found_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    expand = SymbolicSearch._expand

    def interrupted(self: SymbolicSearch, word: int, states: list[int], following: dict[int, list[int]]) -> None:
        if self.depth == 4:
            raise KeyboardInterrupt
        expand(self, word, states, following)

    monkeypatch.setattr(SymbolicSearch, "_expand", interrupted)
    claims = (always(at_most_three_steps), step(nothing_starts))
    found = explored(system_of(Countdown), *claims)
    assert found.interrupted and not found.complete
    assert [(v.status, v.depth) for v in found.verdicts] == [(Status.UNKNOWN, None), (Status.VIOLATED, 1)]


def nothing_starts(before: Countdown, after: Countdown) -> bool:
    return not after.started


def test_equal_runs_are_equal_and_progress_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("podproof.checker.engines.symbolic._LOOK_EVERY", 1)
    monkeypatch.setattr("podproof.checker.engines._REPORT_SECONDS", 0.0)
    system, claims, reports = system_of(Level), TOYS[2][1], list[Progress]()
    runs = [Symbolic().run(system, lower_properties(system, claims), progress=reports.append) for _ in range(2)]
    assert [v.trace for v in runs[0].verdicts] == [v.trace for v in runs[1].verdicts]
    assert runs[0].states == runs[1].states
    assert reports and reports[0].states <= runs[0].states
    assert all(r.solver_seconds is not None and 0 < r.solver_seconds <= r.seconds + 1 for r in runs)
