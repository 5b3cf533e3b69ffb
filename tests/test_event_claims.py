"""Claims that take the event: `(before, event, after)`. Every engine knows which step it judges."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from tests.command_line import run_v1_29 as run
from tests.waterworks import Works, works

from podproof.checker.core.system import Limits, ModelError, Property
from podproof.checker.decide import Checker
from podproof.checker.engines import engine as engine_named
from podproof.checker.lowering.claims import lower_properties
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
@pytest.mark.parametrize("engine", ["python", "compiled", "symbolic", "diagrams"])
def test_every_engine_judges_the_event(engine: str, reductions: tuple[str, ...]) -> None:
    how = Checker(works(), engine_named(engine), reductions, [{"tanks": (1, 0)}], None)
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


# -- three worlds that every claim about states lets pass --------------------------------------------------------------

HEAD = """
from podproof.model.language import NIL
from podproof.model.pod_worker_loop import SyncOutcome, SyncPodOutcome
from podproof.queries.versions import VERSIONS
"""
EXCHANGED = (
    HEAD
    + """
class Exchanged(VERSIONS["v1.29"].cls):
    def sync_pod_returns(self, uid, generation, outcome):
        said = outcome
        if outcome == SyncPodOutcome.TERMINAL:
            said = SyncPodOutcome.OK
        elif outcome == SyncPodOutcome.OK:
            said = SyncPodOutcome.TERMINAL
        super().sync_pod_returns(uid, generation, said)

    def sync_terminated_pod_returns(self, uid, generation, outcome):
        said = outcome
        if outcome == SyncOutcome.OK:
            said = SyncOutcome.ERROR
        elif outcome == SyncOutcome.ERROR:
            said = SyncOutcome.OK
        super().sync_terminated_pod_returns(uid, generation, said)
"""
)
UNMENDED = (
    HEAD
    + """
class Unmended(VERSIONS["v1.35"].cls):
    def calculate_effective_grace_period(self, status, pod, options):
        grace_period = status.grace_period
        deletion = pod.deletion_grace_period_seconds
        if deletion != NIL and (grace_period == 0 or deletion < grace_period):
            grace_period = deletion
        override = options.grace_period_seconds_override
        if options.present and override != NIL and (grace_period == 0 or override < grace_period):
            grace_period = override
        if grace_period == 0 and pod.termination_grace_period_seconds != NIL:
            grace_period = pod.termination_grace_period_seconds
        if grace_period < 1:
            grace_period = 1
        return grace_period, status.grace_period != 0 and status.grace_period != grace_period
"""
)
DEAF = (
    HEAD
    + """
class Deaf(VERSIONS["v1.29"].cls):
    def calculate_effective_grace_period(self, status, pod, options):
        grace_period = 1
        if pod.termination_grace_period_seconds != NIL:
            grace_period = max(pod.termination_grace_period_seconds, 1)
        return grace_period, status.grace_period != 0 and status.grace_period != grace_period
"""
)
WORLDS = {
    "the outcomes of the sync functions are exchanged": (
        EXCHANGED,
        "v1.29",
        "lone-pod",
        {"sync_pod_ends_a_pod_only_when_it_says_so", "pods_are_finished_when_sync_terminated_pod_succeeds"},
    ),
    "0 is taken for none again": (
        UNMENDED,
        "v1.35",
        "deleted-twice-and-killed",
        {"the_grace_period_is_one_that_was_asked_for"},
    ),
    "grace periods that are asked for are ignored": (
        DEAF,
        "v1.29",
        "deleted-and-killed",
        {"the_least_grace_period_above_zero_is_recorded"},
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
def test_a_wrong_worker_breaks_a_claim_that_its_release_keeps(world: str, tmp_path: Path) -> None:
    text, release, scenario, claims = WORLDS[world]
    model = tmp_path / "world.py"
    model.write_text(text)
    status = {}
    for subject in (("--version", release), ("--model", str(model))):
        done = run("check", "--config", os.devnull, "--scenario", scenario, "-o", "json", *subject)
        (result,) = json.loads(done.output)["results"]
        status[subject[0]] = {p["id"]: p["status"] for p in result["properties"]}
    new = {name for name, found in status["--model"].items() if found == "VIOLATED" != status["--version"].get(name)}
    assert new >= claims
