"""Two tanks and what is claimed of them: small enough to say by hand how each claim can be broken. And what else the
tests of counterexamples share.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Annotated

from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import (
    Property,
    System,
    Trace,
)
from podproof.checker.core.trace import is_true
from podproof.checker.lowering import Description, lower_system
from podproof.model.language import Array, Domain, Size, action, make, programmer_error, record_lines, require
from podproof.queries.build import properties_of, scenarios_of, subject_of, system_of

Level = Annotated[int, Domain("levels")]
Which = Annotated[int, Domain("tanks")]


@dataclass
class Works:
    """Two tanks that do not differ. A tap fills slowly, a pump at once, and a pipe leads from one to the other."""

    level: Annotated[Array[Level], Size("tanks")]
    pump_on: Annotated[Array[bool], Size("tanks")]
    valve_open: bool

    @action("tap", "a drop into {tank}")
    def drip(self, tank: Which) -> None:
        require(self.level[tank] < 4)
        self.level[tank] += 1
        if self.level[tank] == 4:
            programmer_error("a tank runs over")

    @action("operator", "the pump of {tank} is switched on")
    def switch(self, tank: Which) -> None:
        require(not self.pump_on[tank])
        self.pump_on[tank] = True

    @action("pump", "{tank} is filled up")
    def pump(self, tank: Which) -> None:
        require(self.pump_on[tank])
        self.pump_on[tank] = False
        self.level[tank] = 4
        programmer_error("a tank runs over")

    @action("operator", "the valve is turned")
    def turn(self) -> None:
        self.valve_open = not self.valve_open

    @action("pipe", "{tank} takes what the other one has")
    def flow(self, tank: Which) -> None:
        require(self.valve_open and self.level[tank] + self.level[1 - tank] <= 4)
        self.level[tank] = self.level[tank] + self.level[1 - tank]
        self.level[1 - tank] = 0

    @action("operator", "{tank} is emptied")
    def drain(self, tank: Which) -> None:
        self.level[tank] = 0


def no_tank_is_full(state: Works) -> bool:
    for tank in range(len(state.level)):
        if state.level[tank] > 3:
            return False
    return True


def levels_rise_by_one(before: Works, after: Works) -> bool:
    for tank in range(len(before.level)):
        if after.level[tank] > before.level[tank] + 1:
            return False
    return True


def the_left_tank_is_low(state: Works) -> bool:
    return state.level[0] < 2


def valves_stay_shut(state: Works) -> bool:
    return not state.valve_open


def valve_is_open(state: Works) -> bool:
    return state.valve_open


CLAIMS = (
    Property("no_tank_is_full", "always", "", no_tank_is_full),
    Property("levels_rise_by_one", "step", "", levels_rise_by_one),
    Property("the_left_tank_is_low", "always", "", the_left_tank_is_low),
    Property("valves_stay_shut", "always", "", valves_stay_shut),
    Property("no_tank_runs_over", "never", "", None, ("a tank runs over",)),
)
BY_HAND = {
    "no_tank_is_full": {"pump": 2, "drip": 4, "flow": 6},
    "levels_rise_by_one": {"pump": 2, "flow": 4},
    "the_left_tank_is_low": {"drip": 2, "pump": 2, "flow": 4},
    "valves_stay_shut": {"turn": 1},
    "no_tank_runs_over": {"pump": 2, "drip": 4},
}
"""Claim -> action that breaks it -> steps of a shortest run. Two drops and the valve come before anything flows."""


@cache
def works() -> System:
    scope = Scope({"tanks": 2}, {"levels": Values((0, 1, 2, 3, 4)), "tanks": Values((0, 1), {0: "left", 1: "right"})})
    start = make(Works, scope.sizes)
    return lower_system(Description(Works, "test", "test", "works", "", scope, [start], record_lines))


def breaks(system: System, p: Property, trace: Trace) -> list[int]:
    """The steps that break the claim, as numbers, judged by plain Python."""
    states = trace.states
    found = []
    for i, (name, values) in enumerate(trace.moves):
        call = next(a for a in system.actions if a.name == name)
        before, after = system.build(states[i]), system.build(states[i])
        with system.record_lines() as lines:
            call.call(after, **call.arguments(values))
        assert system.flatten(after) == states[i + 1]
        assert p.function is not None or p.kind == "never"
        if p.kind == "never":
            broken = bool(set(lines) & set(p.lines))
        elif p.kind == "step":
            broken = not is_true(p.function, before, after)  # type: ignore[arg-type]
        else:
            broken = is_true(p.function, before) and not is_true(p.function, after)  # type: ignore[arg-type]
        if broken:
            found.append(i + 1)
    return found


def in_scenario(version: str, name: str) -> tuple[System, tuple[Property, ...]]:
    subject, (scenario,) = subject_of(version, None), scenarios_of([name])
    return system_of(subject, scenario), properties_of(subject, scenario)
