"""Claims about every input of getPhase and mergePodStatus, each decided by Z3 for each release."""

from __future__ import annotations

import functools

import pytest

from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import Property, System
from podproof.checker.lowering import Description, lower_system
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.solver import Equivalence
from podproof.model.core_v1 import PodPhase
from podproof.model.get_phase import GetPhase
from podproof.model.language import NIL, make, record_lines
from podproof.model.releases import V1_29
from podproof.model.status.merge_phase import MergePhase
from podproof.model.versions import VERSIONS
from podproof.specs import phases
from podproof.specs.claim import Claim, claims_in

CLAIMS = tuple(claims_in(phases))
RELEASES = {version.name: version for version in VERSIONS.values() if version.covers and issubclass(version.cls, V1_29)}
SIZES = {"init_containers": 3, "containers": 3}
CODES = {"exit_codes": Values((0, 1, 2)), "optional_exit_codes": Values((NIL, 0, 1, 2))}


def function_of(claim: Claim, release: type[V1_29]) -> type[GetPhase] | type[MergePhase]:
    """What the release has of the function that the claim is about."""
    for cls in (release.kubelet_pods.get_phase, release.status_manager.merge_phase):
        if claim.applies_to(cls, ""):
            return cls
    raise AssertionError(f"{claim.id} is about no function")


@functools.cache
def system_of(cls: type) -> System:
    initial = [make(cls, SIZES)]
    return lower_system(
        Description(cls, "", "", "", "", scope=Scope(SIZES, CODES), initial=initial, record_lines=record_lines)
    )


def holds(claim: Claim, cls: type) -> bool:
    """Of every input? Raises GaveUp where Z3 does not know."""
    system = system_of(cls)
    (lowered,) = lower_properties(system, [Property(claim.id, claim.kind, claim.meaning, claim.function)])
    false, true = system.graph.false, system.graph.true
    return Equivalence(30_000).counterexample([(step, false) for step in lowered.steps], true) is None


@pytest.mark.parametrize("release", RELEASES)
@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.id)
def test_a_claim_holds_of_every_input_unless_the_release_is_known_to_break_it(claim: Claim, release: str) -> None:
    known = claim.known_violation(release, "")
    assert holds(claim, function_of(claim, RELEASES[release].cls)) == (known is None), known


# -- wrong functions ---------------------------------------------------------------------------------------------------


class ForgetsThePast(GetPhase):
    def generate_phase(self) -> PodPhase:
        return self.get_phase()


class AlwaysEnds(GetPhase):
    def get_phase(self) -> PodPhase:
        return PodPhase.SUCCEEDED


class WritesAtOnce(MergePhase):
    def waits_for_containers(self) -> bool:
        return False


class StaysReady(MergePhase):
    def is_terminal(self, phase: PodPhase) -> bool:
        return False


def test_each_of_them_catches_something() -> None:
    """Each claim is broken by a release, or by one of these departures."""
    departures = (ForgetsThePast, AlwaysEnds, WritesAtOnce, StaysReady)
    for claim in CLAIMS:
        if not claim.violations:
            about = [cls for cls in departures if claim.applies_to(cls, "")]
            assert not all(holds(claim, cls) for cls in about), claim.id
