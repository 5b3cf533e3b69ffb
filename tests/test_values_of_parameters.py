"""What values a parameter has: those of another action's parameter of that name are not its own, and each is one."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

import pytest
from tests.test_engine_faults import ENGINES
from tests.two_phase_commit import no_lines

from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import Property, Status, System
from podproof.checker.engines.compiled import Compiled
from podproof.checker.lowering import Description, lower_system
from podproof.checker.lowering.claims import lower_properties
from podproof.model.crowd import NODES, crowd
from podproof.model.language import Domain, action, make, require
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import subject_of, system_of


@dataclass
class Dials:
    first: Annotated[int, Domain("all")]
    second: Annotated[int, Domain("all")]

    @action("user", "turns the first to {n}")
    def turn_first(self, n: Annotated[int, Domain("odd")]) -> None:
        self.first = n

    @action("user", "turns the second to {n}")
    def turn_second(self, n: Annotated[int, Domain("even")]) -> None:
        require(self.first != n)
        self.second = n


def first_is_odd(state: Dials) -> bool:
    return state.first != 2 and state.first != 4


def second_is_below_five(state: Dials) -> bool:
    return state.second != 5


def dials(even: tuple[int, ...]) -> System:
    domains = {"all": Values(tuple(range(6))), "odd": Values((0, 1, 3, 5)), "even": Values(even)}
    scope = Scope({}, domains)
    return lower_system(Description(Dials, "test", "closed", "dials", "", scope, [make(Dials, {})], no_lines))


@pytest.mark.parametrize("engine", ENGINES)
def test_parameters_of_one_name_and_bounds_have_their_own_values(engine: str) -> None:
    system = dials((0, 2, 4, 5))
    claims = (
        Property("odd", "always", "The first is odd.", first_is_odd),
        Property("below", "always", "The second is below 5.", second_is_below_five),
    )
    found = ENGINES[engine](system, lower_properties(system, claims))
    assert found.verdicts[0].status in (Status.HOLDS, Status.PROVED)
    assert found.verdicts[1].status is Status.VIOLATED
    if found.states:
        assert (found.states, found.transitions) == (16, 120)


@pytest.mark.parametrize("engine", ["python", "compiled", "symbolic", "diagrams"])
def test_a_value_that_is_named_twice_is_one_choice(engine: str) -> None:
    once, twice = (ENGINES[engine](system, ()) for system in (dials((0, 2)), dials((0, 2, 2, 0))))
    assert (once.states, once.transitions, once.actions) == (twice.states, twice.transitions, twice.actions)


@pytest.mark.slow
def test_a_second_that_a_scenario_names_twice_makes_no_step_twice() -> None:
    subject = subject_of("v1.29", None)
    lone = replace(SCENARIOS["lone-pod"], deletion_seconds=(5, 5))
    once, twice = (
        Compiled().run(system_of(subject, replace(lone, deletion_seconds=seconds)), ()) for seconds in ((5, 3), (5, 5))
    )
    assert twice.states < once.states and twice.transitions < once.transitions
    for scenario in (lone, crowd(lone, lone), NODES["node"]):
        grace = system_of(subject, scenario).action["handle_pod_deletion"].parameters[1]
        assert (grace.name, grace.values) == ("grace", (5,))
