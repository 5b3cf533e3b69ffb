"""Whether a claim that holds says anything: is what it is about ever reached?"""

from __future__ import annotations

import json
from dataclasses import dataclass

import pytest
from tests.command_line import run_v1_29 as run
from tests.test_formats_json import validate, whole
from tests.waterworks import Works, works

from podproof.checker.core.shapes import Scope
from podproof.checker.core.system import Property, Status
from podproof.checker.decide import Checker
from podproof.checker.engines import engine as engine_named
from podproof.checker.explain.vacuity import premises_of
from podproof.checker.lowering import Description, lower_system
from podproof.checker.lowering.claims import lower_properties
from podproof.model.language import Event, action, record_lines


def above_two_it_is_not_five(state: Works) -> bool:
    for tank in range(len(state.level)):
        if state.level[tank] > 2 and state.level[tank] == 5:
            return False
    return True


def above_seven_it_is_not_eight(state: Works) -> bool:
    return state.level[0] <= 7 or state.level[0] != 8


def it_is_small_unless_it_is_at_most_four(state: Works) -> bool:
    """What is excepted at the end is no premise."""
    if state.level[0] >= 0 and not state.level[0] < 1 and not state.level[0] < 5:
        return False
    return True


def below_zero_it_is_small_unless_it_is_at_most_four(state: Works) -> bool:
    if state.level[0] < 0:
        if not state.level[0] < 1:
            if not state.level[0] < 5:
                return False
    return True


def only_drains_of_the_left_tank_empty(before: Works, event: Event, after: Works) -> bool:
    if event.action != "drain":
        return True
    empties = before.level[event.tank] > 0 and after.level[event.tank] == 0
    return not (empties and event.tank == 0) or after.level[1] == before.level[1]


def nothing_is_drained_above_seven(before: Works, event: Event, after: Works) -> bool:
    return event.action != "drain" or before.level[0] <= 7 or after.level[0] > 0


VACUOUS = {
    above_two_it_is_not_five: False,
    above_seven_it_is_not_eight: True,
    it_is_small_unless_it_is_at_most_four: False,
    below_zero_it_is_small_unless_it_is_at_most_four: True,
    only_drains_of_the_left_tank_empty: False,
    nothing_is_drained_above_seven: True,
}


@pytest.mark.parametrize("reductions", [(), ("slicing", "constants")])
@pytest.mark.parametrize("engine", ["python", "compiled"])
def test_a_claim_is_vacuous_where_its_premise_never_occurs(engine: str, reductions: tuple[str, ...]) -> None:
    claims = [Property(f.__name__, "step" if "before" in f.__code__.co_varnames else "always", "", f) for f in VACUOUS]
    found = Checker(works(), engine_named(engine), reductions).decide(lower_properties(works(), claims))
    assert {v.property.id: (v.status, v.is_vacuous) for v in found.verdicts} == {
        f.__name__: (Status.HOLDS, is_vacuous) for f, is_vacuous in VACUOUS.items()
    }


@dataclass
class Lamp:
    """Its colour matters to nobody."""

    lit: bool
    green: bool

    @action("hand", "the switch is turned")
    def turn(self) -> None:
        self.lit = not self.lit
        self.green = not self.green


def it_is_lit_or_not_where_it_is_green(state: Lamp) -> bool:
    return not state.green or state.lit or not state.lit


def test_what_would_cost_states_is_not_asked() -> None:
    lamp = Description(Lamp, "test", "test", "lamp", "", Scope({}, {}), [Lamp(False, False)], record_lines)
    system = lower_system(lamp)
    claims = lower_properties(system, [Property("claim", "always", "", it_is_lit_or_not_where_it_is_green)])
    assert claims[0].state is system.graph.true and premises_of(system, claims) == {}
    (verdict,) = Checker(system, engine_named("compiled")).decide(claims).verdicts
    assert verdict.status is Status.HOLDS and verdict.is_vacuous is None


ORPHAN = ("check", "--scenario", "orphan", "--property", "one_static_pod_per_full_name")


def test_a_vacuous_claim_is_told_and_fails_when_that_is_asked_for() -> None:
    found = run(*ORPHAN)
    assert found.exit_code == 0
    assert "vacuous   one_static_pod_per_full_name" in found.stdout
    assert "1 HOLD of which 1 vacuously" in found.stdout
    assert "1 HOLD of which 1 vacuously (one_static_pod_per_full_name)" in run(*ORPHAN, "-v").stdout
    several = run(*ORPHAN, "--scenario", "lone-pod").stdout
    assert "1 claim holds (vacuously: one_static_pod_per_full_name)" in several
    strict = run(*ORPHAN, "--strict")
    assert strict.exit_code == 1 and "nothing exercises a claim that holds" in strict.stdout


@pytest.mark.slow
def test_one_scenario_that_exercises_a_claim_is_enough() -> None:
    found = run(*ORPHAN, "--scenario", "static-pair", "--strict", "-o", "json")
    assert found.exit_code == 0, found.output
    document = json.loads(found.stdout)
    validate(document, whole())
    assert {r["scenario"]: r["properties"][0]["exercised"] for r in document["results"]} == {
        "orphan": False,
        "static-pair": True,
    }


@pytest.mark.slow
def test_an_engine_for_every_number_says_nothing_of_it() -> None:
    found = run(*ORPHAN, "--engine", "symbolic", "-o", "json")
    assert "exercised" not in json.loads(found.stdout)["results"][0]["properties"][0]
