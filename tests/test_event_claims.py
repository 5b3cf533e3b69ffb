"""Claims that take the event: `(before, event, after)`. Every engine knows which step it judges."""

from __future__ import annotations

import pytest
from tests.waterworks import Works, works

from podproof.checker.core.system import Limits, ModelError, Property
from podproof.checker.decide import Checker
from podproof.checker.lowering.claims import lower_properties
from podproof.commands.systems.search import engine_of
from podproof.model.language import Event


def drops_raise_by_one(before: Works, event: Event, after: Works) -> bool:
    if event.action != "drip":
        return True
    return after.level[event.tank] == before.level[event.tank] + 1


def only_drops_and_pumps_fill(before: Works, event: Event, after: Works) -> bool:
    if event.actor in ("tap", "pump"):
        return True
    for tank in range(len(before.level)):
        if after.level[tank] == 4 and before.level[tank] < 4:
            return False
    return True


def the_right_tank_is_never_drained(before: Works, event: Event, after: Works) -> bool:
    return event.action != "drain" or event.tank == 0 or before.level[1] == 0


CLAIMS = tuple(
    Property(function.__name__, "step", "", function)
    for function in (drops_raise_by_one, only_drops_and_pumps_fill, the_right_tank_is_never_drained)
)
BY_HAND = {"drops_raise_by_one": None, "only_drops_and_pumps_fill": 4, "the_right_tank_is_never_drained": 2}
"""Claim -> steps of a shortest run that breaks it."""


@pytest.mark.parametrize("reductions", [(), ("slicing", "constants", "symmetry")])
@pytest.mark.parametrize("engine", ["python", "compiled", "symbolic"])
def test_every_engine_judges_the_event(engine: str, reductions: tuple[str, ...]) -> None:
    how = Checker(works(), engine_of(engine), reductions, [{"tanks": (1, 0)}], None)
    found = how.run(lower_properties(works(), CLAIMS), Limits())
    assert {v.property.id: v.depth for v in found.verdicts} == BY_HAND
    last = {v.property.id: v.trace.steps[-1].event for v in found.verdicts if v.trace}
    assert last["the_right_tank_is_never_drained"] == "right is emptied"


def a_wrong_action(before: Works, event: Event, after: Works) -> bool:
    return event.action != "drian"


def a_parameter_that_not_every_action_has(before: Works, event: Event, after: Works) -> bool:
    return after.level[event.tank] < 5


def a_text_for_a_number(before: Works, event: Event, after: Works) -> bool:
    return after.level[0] != "full"


def an_order_of_texts(before: Works, event: Event, after: Works) -> bool:
    return event.action < "drip"


def a_step_that_is_a_state(state: Works, event: Event, before: Works, after: Works) -> bool:
    return True


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (a_wrong_action, "no step is of 'drian'; did you mean 'drain'?"),
        (a_parameter_that_not_every_action_has, "the action 'turn' has no parameter 'tank'"),
        (a_text_for_a_number, "`'full'` is outside the model language; use an enumeration"),
        (an_order_of_texts, "`'drip'` is outside the model language"),
        (a_step_that_is_a_state, "takes 4 states; it needs two: `def claim(before, after)`, or three"),
    ],
)
def test_what_no_event_says_is_refused_with_its_line(function: object, said: str) -> None:
    with pytest.raises(ModelError, match=r"test_event_claims.py:[0-9]+: ") as refused:
        lower_properties(works(), [Property("claim", "step", "", function)])  # type: ignore[arg-type]
    assert said in str(refused.value)
