"""Events that may happen any number of times: what may be asked of how many are left, and what more of them show."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import pytest
from tests.catalogue import CLAIM
from tests.command_line import run
from tests.rendered import proofs_text
from tests.two_phase_commit import no_lines

from podproof.checker.core.proofs import Proofs
from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import CheckerError, Exploration, Property, Status, System, Trace
from podproof.checker.core.trace import NotTaken, is_shown, replay
from podproof.checker.engines.compiled import Compiled
from podproof.checker.engines.prove import ProofOptions, prove
from podproof.checker.lowering import Description, lower_system
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import plan
from podproof.model.language import Domain, action, out_of_bounds, require
from podproof.model.scenario import ENDLESS, Scenario
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import properties_of, subject_named, system_of
from podproof.queries.claims import CLAIMS
from podproof.queries.proving import ProofQuery
from podproof.specs.claim import MORE_EVENTS

NEWEST = subject_named("v1.36.3")


# -- a shop ------------------------------------------------------------------------------------------------------------


@dataclass
class Shop:
    """Sells one thing after the other, and counts up to three of them."""

    left: Annotated[int, Domain("counts")]
    sold: Annotated[int, Domain("sales")] = 0
    noted: Annotated[int, Domain("counts")] = 0

    @action("shop", "sells")
    def sell(self) -> None:
        require(self.left > 0)
        self.left -= 1
        if self.sold < 3:
            self.sold += 1


class ClosesEarly(Shop):
    @action("shop", "sells")
    def sell(self) -> None:
        require(self.left > 5)
        self.left -= 1


class SellsPairs(Shop):
    @action("shop", "sells")
    def sell(self) -> None:
        require(self.left > 0)
        self.left -= 2


class BuysMore(Shop):
    @action("shop", "sells")
    def sell(self) -> None:
        require(self.left > 0)
        self.left = 7


class Notes(Shop):
    @action("shop", "sells")
    def sell(self) -> None:
        require(self.left > 0)
        self.left -= 1
        self.noted = self.left


class Compares(Shop):
    @action("shop", "sells")
    def sell(self) -> None:
        require(self.left > 0 and self.left != self.noted)
        self.left -= 1


@dataclass
class ClosesAtLast(Shop):
    """Closes when nothing is left."""

    closed: bool = False

    @action("shop", "closes")
    def close(self) -> None:
        require(not self.left > 0)
        self.closed = True


@dataclass
class SaysSo(Shop):
    """Says whether there is something left."""

    open: bool = True

    @action("shop", "sells")
    def sell(self) -> None:
        require(self.left > 0)
        self.left -= 1
        self.open = self.left > 0


class Overdraws(Shop):
    @action("shop", "sells")
    def sell(self) -> None:
        self.left -= 1


class SellsTwice(Shop):
    @action("shop", "sells")
    def sell(self) -> None:
        require(self.left > 0)
        self.left -= 1
        self.left -= 1


class EndsAtLast(Shop):
    """The scenario goes no further than to the last sale."""

    @action("shop", "sells")
    def sell(self) -> None:
        require(self.left > 0)
        self.left -= 1
        if not self.left > 0:
            out_of_bounds("sales")


def fewer_than_three_are_sold(state: Shop) -> bool:
    return state.sold < 3


def each_sale_takes_one(before: Shop, after: Shop) -> bool:
    return before.sold == after.sold or before.left != after.left


def none_is_brought(before: Shop, after: Shop) -> bool:
    return after.left <= before.left


def nothing_is_taken(before: Shop, after: Shop) -> bool:
    return before.left == after.left


def there_is_something_left(state: Shop) -> bool:
    return state.left > 0


def something_is_left_to_sell(before: Shop, after: Shop) -> bool:
    return after.left > 0


def only_the_sold_out_have_sold_three(state: Shop) -> bool:
    return state.sold < 3 or not state.left > 0


def there_are_two_left(state: Shop) -> bool:
    return state.left > 1


def few_are_left(state: Shop) -> bool:
    return state.left < 3


ABOUT_STATES = (fewer_than_three_are_sold, only_the_sold_out_have_sold_three)
ABOUT_STEPS = (each_sale_takes_one, none_is_brought, nothing_is_taken)
COUNTING = (there_is_something_left, there_are_two_left, few_are_left)
VERDICTS = {
    "fewer_than_three_are_sold": (Status.VIOLATED, 3),
    "only_the_sold_out_have_sold_three": (Status.VIOLATED, 3),
    "each_sale_takes_one": (Status.HOLDS, None),
    "none_is_brought": (Status.HOLDS, None),
    "nothing_is_taken": (Status.VIOLATED, 1),
}


def shop(cls: type[Shop] = Shop) -> System:
    scope = Scope({}, {"counts": Values(tuple(range(ENDLESS + 1))), "sales": Values((0, 1, 2, 3))})
    system = lower_system(
        Description(cls, "test", "closed", "shop", "any number of sales", scope, [cls(ENDLESS)], no_lines)
    )
    return replace(system, endless=frozenset({"left"}))


def claims(*names: str) -> list[Property]:
    every = [Property(f.__name__, "always", "", f) for f in (*ABOUT_STATES, *COUNTING)]
    every += [Property(f.__name__, "step", "", f) for f in (*ABOUT_STEPS, something_is_left_to_sell)]
    return [claim for claim in every if claim.id in names]


def test_engine_and_proof_agree_on_what_has_no_end() -> None:
    system = shop()
    lowered = lower_properties(system, claims(*VERDICTS))
    made = plan(system, lowered, {"constants", "slicing"})
    found = made.report(Compiled().run(made.system, made.properties, made.keep))
    assert found.complete
    assert found.states == 4
    assert "1 of 3 variables count events that have no end and are left out" in found.reductions
    assert {v.property.id: (v.status, v.depth) for v in found.verdicts} == VERDICTS
    proved = prove(system, lowered, 20.0, 1, ProofOptions(), lambda line: None).exploration
    as_proved = {Status.HOLDS: Status.PROVED}
    assert statuses(proved) == {name: as_proved.get(status, status) for name, (status, _) in VERDICTS.items()} | {
        "the_model_does_not_go_wrong": Status.PROVED
    }


def statuses(found: Exploration) -> dict[str, Status]:
    return {v.property.id: v.status for v in found.verdicts}


@pytest.mark.parametrize(
    "cls",
    [ClosesEarly, SellsPairs, BuysMore, Notes, Compares, ClosesAtLast, SaysSo, Overdraws, SellsTwice, EndsAtLast],
)
def test_a_step_does_not_depend_on_how_much_is_left(cls: type[Shop]) -> None:
    """Where it waits until nothing is left, or goes wrong then, any number of sales would never show it."""
    with pytest.raises(CheckerError, match=r"test/shop: the action (sell|close) depends on how much is left of left"):
        plan(shop(cls), (), {"constants"})


@pytest.mark.parametrize("claim", [f.__name__ for f in (*COUNTING, something_is_left_to_sell)])
def test_a_claim_does_not_depend_on_how_much_is_left(claim: str) -> None:
    """What fails when all has been sold fails for each number of sales, and not for any number."""
    system = shop()
    with pytest.raises(CheckerError, match=f"test/shop: the claim {claim} depends on how much is left of left"):
        plan(system, lower_properties(system, claims(claim)), {"constants"})


# -- the kubelet -------------------------------------------------------------------------------------------------------


def test_a_scenario_says_what_has_no_end() -> None:
    told = {name: replace(SCENARIOS[name], endless=True).summary for name in ("one-pod", "updated-pod", "static-pair")}
    assert told["one-pod"] == (
        "1 pod: 1 ADD and 1 REMOVE, any number of deletions with grace 5 or 0, any number of terminal API phases, "
        "1 killPodNow call, no kubelet restart"
    )
    assert told["static-pair"].startswith(
        "2 static pods with 1 full name: any number of ADDs and REMOVEs under one UID each, "
    )
    assert "1 UPDATE, 1 deletion with grace 5," in told["updated-pod"]  # each with a revision
    assert "no kubelet restart" in told["static-pair"]


def test_patches_under_way_take_no_more_phases_than_there_are() -> None:
    """Two may be under way, and one phase be left: that the second were written was an error of the model."""
    one = SCENARIOS["slow-api-server"]
    second = replace(one.pods[0], name="second", full_name="second")
    system = system_of(NEWEST, replace(one, pods=(*one.pods, second), endless=True))
    assert "budget.phase_changes" in system.endless
    plan(system, (), {"constants"})  # Refuses where nothing excludes the fault.


def test_a_proof_says_of_what_there_is_any_number() -> None:
    """Of killPodNow there is one call: a proof does not speak of two."""
    system = system_of(NEWEST, replace(SCENARIOS["one-pod"], endless=True))
    proofs = Proofs(Exploration(system, "prove", True, "", 0.0, ()), {}, {})
    (told,) = [line for line in proofs_text([proofs]).splitlines() if "claims proved" in line]
    assert told.endswith("proved with its bounded numbers and any number of deletions and phase changes")


@pytest.mark.slow
def test_more_events_break_what_holds_for_as_many_as_there_are() -> None:
    usual, claim = SCENARIOS["static-removed"], "idle_pods_are_retried"
    bounded, endless = (
        ProofQuery(NEWEST, (usual.name,), (claim,), bounded=bounded).answer().explorations[0]
        for bounded in (True, False)
    )
    assert statuses(bounded) == {claim: Status.PROVED, "the_model_does_not_go_wrong": Status.PROVED}
    assert statuses(endless) == {claim: Status.VIOLATED, "the_model_does_not_go_wrong": Status.PROVED}
    (trace,) = (v.trace for v in endless.verdicts if v.trace is not None)
    assert not breaks(usual, trace, claim)
    more = replace(usual, pods=tuple(replace(pod, adds=3, removes=3) for pod in usual.pods), restarts=3)
    assert breaks(more, trace, claim)


def breaks(scenario: Scenario, trace: Trace, claim: str) -> bool:
    """Does a trace break the claim where there are so many events? It may not be one there."""
    system = system_of(NEWEST, scenario)
    (asked,) = lower_properties(system, properties_of(NEWEST, scenario, [claim]))
    try:
        taken = replay(system, trace.moves, system.initial[0])
    except NotTaken:
        return False
    return is_shown(system, asked, taken)


OF_RELEASES = ("v1.36.3", "v1.26", "v1.22.5")
PLACES = [
    (claim.id, *place.removesuffix(MORE_EVENTS).split("/"))
    for claim in CLAIMS
    for place in claim.known_violations
    if place.endswith(MORE_EVENTS) and place.startswith(OF_RELEASES) and "static-pair " not in place
]
"""A claim, a release and a scenario where the release breaks it with more events; static-pair has too many states."""
EXPLORED = [
    (version, name)
    for version in OF_RELEASES
    for name, scenario in SCENARIOS.items()
    if scenario.by_default and name not in ("static-pair", "two-pods")  # These have millions of states.
]


def with_more_events(version: str, scenario: str, *claims: str) -> Exploration:
    subject, endless = subject_named(version), replace(SCENARIOS[scenario], endless=True)
    system = system_of(subject, endless)
    asked = [p for p in properties_of(subject, endless, claims) if p.kind != "sometimes"]
    made = plan(system, lower_properties(system, asked), {"constants", "slicing"})
    return made.report(Compiled().run(made.system, made.properties, made.keep))


@pytest.mark.slow
@pytest.mark.parametrize(("claim", "version", "scenario"), PLACES)
def test_what_is_known_to_take_more_events_takes_them(claim: str, version: str, scenario: str) -> None:
    (found,) = with_more_events(version, scenario, claim).verdicts
    assert found.status is Status.VIOLATED
    assert CLAIM[claim].known_violation(version, scenario) is None
    assert CLAIM[claim].known_violation(version, scenario, endless=True) is not None


@pytest.mark.slow
@pytest.mark.parametrize(("version", "scenario"), EXPLORED)
def test_with_any_number_of_events_releases_break_only_what_they_are_known_to(version: str, scenario: str) -> None:
    """Explored with the seconds of the scenario, in which an endless budget is a constant."""
    found = with_more_events(version, scenario)
    assert found.complete
    violated = [v.property for v in found.verdicts if v.status is Status.VIOLATED]
    assert violated
    assert not [p.id for p in violated if CLAIM[p.id].known_violation(version, scenario, endless=True) is None]


def test_a_pod_of_the_api_server_is_added_again_only_where_the_scenario_says_so() -> None:
    """HandlePodCleanups takes it for a violation of the API if the UID of an API pod comes back."""
    left, right = SCENARIOS["two-pods"].pods
    mixed = replace(SCENARIOS["two-pods"], pods=(left, replace(right, static=True)), endless=True)
    assert "1 ADD and 1 REMOVE of left, any number of ADDs and REMOVEs under one UID of right" in mixed.summary
    assert system_of(NEWEST, mixed).endless == {"budget.adds[1]", "budget.removes[1]"}
    again = replace(mixed, pods=(replace(left, adds=2), mixed.pods[1]))
    assert "any number of ADDs and REMOVEs under one UID each" in again.summary
    assert "budget.adds[0]" in system_of(NEWEST, again).endless


@pytest.mark.slow
def test_prove_passes_what_is_known_to_take_more_events() -> None:
    asked = ("--scenario", "static-removed", "--property", "started_static_pods_have_left_the_line")
    endless = run("prove", *asked)
    assert endless.exit_code == 0 and "KNOWN     started_static_pods_have_left_the_line" in endless.stdout


COUNTS = '''
from podproof.model.kubelet import Kubelet
from podproof.specs.claim import claim


@claim("always", "nobody", wrong="all have been added")
def one_add_is_left(state: Kubelet) -> bool:
    """An ADD is always left."""
    return state.budget.adds[0] != 0
'''


@pytest.mark.slow
def test_bounded_is_about_as_many_events_as_there_are() -> None:
    claim = "started_static_pods_have_left_the_line"
    asked = ("--scenario", "static-removed", "--property", claim, "--timeout", "300s")
    endless, bounded = (run("prove", *option, *asked, "-o", "json") for option in ((), ("--bounded",)))
    (more,), (few,) = (json.loads(found.stdout)["results"] for found in (endless, bounded))
    assert "any number of ADDs and REMOVEs" in more["bounds"] and "1 ADD and 1 REMOVE" in few["bounds"]
    assert {claim["status"] for claim in few["properties"]} == {"PROVED"}
    text = run("prove", "--bounded", *asked).stdout
    assert "2 of 2 claims proved for every grace period\n" in text and "no more events than these" not in text


@pytest.mark.slow
def test_the_command_that_shows_a_violation_again_keeps_the_bounds() -> None:
    asked = ("--scenario", "deleted-and-killed", "--property", "grace_period_only_decreases")
    for bounded in ((), ("--bounded",)):
        text = " ".join(run("prove", "--version", "v1.29", *bounded, *asked).stdout.split())
        said = " ".join(("replay: podproof prove --version v1.29", *asked[:2], *bounded, *asked[2:]))
        assert said in text


@pytest.mark.slow
def test_a_claim_that_counts_is_proved_for_as_many_events_as_there_are(tmp_path: Path) -> None:
    """Its scenario is, with all claims, and the report says why; other scenarios are as they were."""
    (tmp_path / "claims.py").write_text(COUNTS, encoding="utf-8")
    of_mine = ("--claims", str(tmp_path / "claims.py"), "--scenario", "lone-pod", "--scenario", "uid-reuse")
    asked = (*of_mine, "--property", "one_add_is_left", "--property", "terminated_pods_never_restart")
    found = run("prove", *asked, "-v")
    assert found.exit_code == 1
    text = " ".join(found.stdout.split())
    why = "no more events than these, since the claim one_add_is_left depends on how much is left of budget.adds[0]"
    assert text.count(why) == 1 and text.index("scenario uid-reuse") < text.index(why)
    assert "any number of" not in text
