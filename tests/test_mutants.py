"""Every fault that is planted in the model is noticed, and every claim notices some fault: none is vacuous."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache

import pytest
from tests.callers_faults import FAULTS as CALLERS_FAULTS
from tests.catalogue import CLAIM, RELEASES, catalogue, violated
from tests.exploring import explored
from tests.mutants import MUTANTS, Mutant, told

from podproof.checker.core.system import Limits, Status
from podproof.model.releases import V1_29
from podproof.model.scenarios import SCENARIOS

MOST_STATES = 150_000
"""Where the search for a faulty version ends; what it sees until then is shortest all the same."""

WORLDS = {
    **SCENARIOS,
    # Without a kill the two static pods have a twentieth of the states.
    "static-pair": replace(SCENARIOS["static-pair"], kills=0),
    "no spec grace period": replace(SCENARIOS["uid-reuse"], spec_seconds=0),
}


def violations(version: type[V1_29], world: str, *claims: str) -> dict[str, int]:
    """The claims, of these or else all, that a version violates -> after how many steps; 0 for a witness not seen."""
    found = explored(version, WORLDS[world], *claims, limits=Limits(max_states=MOST_STATES))
    return {v.property.id: v.depth or 0 for v in found.verdicts if v.status is Status.VIOLATED}


@cache
def violations_without_fault(version: type[V1_29], world: str, anew: bool) -> dict[str, int]:
    beside = (m for part in MUTANTS.values() for m in part if (m.version, m.scenario) == (version, world))
    asked = () if anew else dict.fromkeys(id for mutant in beside for id in mutant.noticed)
    return violations(version, world, *asked)


def caught_by(mutant: Mutant, claims: tuple[str, ...]) -> dict[str, int]:
    """The claims, of these or else all, that notice: they hold without the fault, or are violated sooner with it."""
    without = violations_without_fault(mutant.version, mutant.scenario, not claims)
    found = violations(mutant.plant(), mutant.scenario, *claims)
    return {id: steps for id, steps in found.items() if id not in without or steps < without[id]}


def table(mutants: tuple[Mutant, ...], anew: bool) -> str:
    """Fault by fault: where it is, what changes, in which world which claims notice it.

    Unless it is made anew, only the claims that the table has are asked, in a third of the time.
    """
    lines = []
    for mutant in mutants:
        caught = caught_by(mutant, () if anew else mutant.noticed)
        lines += told(mutant, (f"{id}  {f'{steps} steps' if steps else 'never seen'}" for id, steps in caught.items()))
    return "\n".join(lines)


@pytest.mark.slow
@pytest.mark.parametrize("part", MUTANTS)
def test_every_fault_is_noticed(part: str, golden: Callable[[str, str], None], request: pytest.FixtureRequest) -> None:
    anew = bool(request.config.getoption("--rewrite-golden"))
    golden(f"catalogue-faults-{part}.txt", table(MUTANTS[part], anew))
    unnoticed = [mutant.name for mutant in MUTANTS[part] if not mutant.noticed]
    assert not unnoticed, f"no claim notices: {unnoticed}"


def test_every_claim_notices_a_fault() -> None:
    """Or some release breaks it. But for witnesses: those guard against a model in which nothing happens.

    The claims about v1.20 are another test's; test_sync_loop.py plants the faults of the callers.
    """
    noticed = {id for mutants in MUTANTS.values() for mutant in mutants for id in mutant.noticed}
    noticed |= {id for version in RELEASES for id in CLAIM if violated(version, id)}
    noticed |= {fault.claim for fault in CALLERS_FAULTS}
    judged = {result.claim.id for version in RELEASES for result in catalogue(version)}
    vacuous = [id for id in judged if CLAIM[id].kind != "sometimes" and id not in noticed]
    assert not vacuous, f"nothing that was tried violates {vacuous}"


def test_faults_have_names_of_their_own() -> None:
    names = [mutant.name for mutants in MUTANTS.values() for mutant in mutants]
    assert len(names) == len(set(names))


def test_a_fault_whose_place_is_gone_cannot_be_planted() -> None:
    lost = replace(MUTANTS["worker"][0], text="no such line")
    with pytest.raises(ValueError, match="start_pod_sync has 'no such line' 0 times, not once"):
        lost.plant()
