"""Claims about every input of getPhase and mergePodStatus, each decided by Z3 for each release."""

from __future__ import annotations

import functools
import itertools
from dataclasses import replace

import pytest
from tests.restart_departures import PHASES

from podproof.checker.core.shapes import Scope, Values
from podproof.checker.core.system import Property, System
from podproof.checker.lowering import Description, lower_system
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.solver.equivalence import Equivalence
from podproof.model.core_v1 import PodPhase, RestartPolicy, Started, StateOf
from podproof.model.get_phase import GetPhase, GetPhase1_36, ReportedContainer1_35
from podproof.model.language import NIL, Array, make, record_lines
from podproof.model.pod_layers import SIGKILL_EXIT_CODE
from podproof.model.releases import V1_29
from podproof.model.status.merge_pod_status import CONDITIONS, MergedCondition, MergePodStatus
from podproof.queries.versions import DEFAULT_VERSION, VERSIONS
from podproof.specs import phases
from podproof.specs.claim import Claim, claims_in

CLAIMS = tuple(claims_in(phases))
RELEASES = {version.name: version for version in VERSIONS.values() if version.covers and issubclass(version.cls, V1_29)}
SIZES = {"init_containers": 3, "containers": 3, **CONDITIONS}
CODES = {"exit_codes": Values((0, 1, 2)), "optional_exit_codes": Values((NIL, 0, 1, 2))}


def function_of(claim: Claim, release: type[V1_29]) -> type[GetPhase] | type[MergePodStatus] | None:
    """What the release has of the function that the claim is about; None for a claim about what came later."""
    for cls in (release.kubelet_pods.get_phase, release.status_manager.merge_status):
        if claim.applies_to(cls, ""):
            return cls
    return None


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


PAIRS = [
    (claim, name, cls)
    for claim in CLAIMS
    for name, release in RELEASES.items()
    if (cls := function_of(claim, release.cls)) is not None
]


def test_every_claim_is_about_the_newest_release() -> None:
    assert {claim for claim, release, _ in PAIRS if release == DEFAULT_VERSION} == set(CLAIMS)


@pytest.mark.parametrize(("claim", "release", "cls"), PAIRS, ids=[f"{claim.id}-{name}" for claim, name, _ in PAIRS])
def test_a_claim_holds_of_every_input_unless_the_release_is_known_to_break_it(
    claim: Claim, release: str, cls: type
) -> None:
    known = claim.known_violation(release, "")
    assert holds(claim, cls) == (known is None), known


# -- wrong functions ---------------------------------------------------------------------------------------------------


class _ForgetsThePast(GetPhase):
    def generate_phase(self) -> PodPhase:
        return self.get_phase()


class _AlwaysEnds(GetPhase):
    def get_phase(self) -> PodPhase:
        return PodPhase.SUCCEEDED


class _DeadlinesComeFirst(GetPhase):
    def generate_phase(self) -> PodPhase:
        return PodPhase.FAILED if self.past_active_deadline else super().generate_phase()


class _CountsTheLastExitCode(GetPhase):
    """A container that waits to be started again has succeeded if it did last time."""

    def have_all_succeeded(self) -> bool:
        for i in range(len(self.containers)):
            if self.containers[i].state == StateOf.TERMINATED and self.containers[i].exit_code != 0:
                return False
        return True


class _SeesNothingRun(GetPhase):
    def has_running_container(self) -> bool:
        return False


class _AlwaysIsLikeOnFailure(GetPhase):
    def get_phase_of_stopped_pod(self) -> PodPhase:
        if self.restart_policy == RestartPolicy.ALWAYS and self.have_all_succeeded():
            return PodPhase.SUCCEEDED
        return super().get_phase_of_stopped_pod()


class _NobodySaysItIsOver(GetPhase):
    def get_phase_of_stopped_pod(self) -> PodPhase:
        return PodPhase.RUNNING if self.restart_policy == RestartPolicy.ALWAYS else super().get_phase_of_stopped_pod()


class _PendingInitContainersAlwaysCount(GetPhase):
    def is_initializing(self) -> bool:
        return self.has_pending_init_container() or self.has_pending_sidecar()


class _WritesAtOnce(MergePodStatus):
    def waits_for_containers(self) -> bool:
        return False


class _SuccessDoesNotWait(MergePodStatus):
    def waits_for_containers(self) -> bool:
        return self.new_phase == PodPhase.FAILED and super().waits_for_containers()


class _StaysReady(MergePodStatus):
    def is_terminal(self, phase: PodPhase) -> bool:
        return False


class _FailedStaysReady(MergePodStatus):
    def update_condition(self, condition: MergedCondition, phase: PodPhase) -> None:
        if phase != PodPhase.FAILED:
            super().update_condition(condition, phase)


FAULTS: dict[type, set[str]] = {
    _ForgetsThePast: {"phases_of_the_api_server_stay", "ended_pods_are_reported_as_ended"},
    _AlwaysEnds: {
        *("success_is_of_all_containers", "running_containers_keep_a_pod_alive"),
        *("pods_of_always_end_only_at_their_end", "what_restarts_keeps_a_pod_alive"),
    },
    _DeadlinesComeFirst: {"phases_of_the_api_server_stay"},
    _CountsTheLastExitCode: {"success_is_of_all_containers"},
    _SeesNothingRun: {
        *("success_is_of_all_containers", "running_containers_keep_a_pod_alive"),
        "running_pods_are_not_pending",
    },
    _AlwaysIsLikeOnFailure: {"pods_of_always_end_only_at_their_end", "what_restarts_keeps_a_pod_alive"},
    _NobodySaysItIsOver: {"stopped_pods_have_ended"},
    _PendingInitContainersAlwaysCount: {"running_pods_are_not_pending", "stopped_pods_have_ended"},
    _WritesAtOnce: {"phases_wait_for_containers"},
    _SuccessDoesNotWait: {"phases_wait_for_containers"},
    _StaysReady: {"phases_wait_for_containers", "ended_pods_are_not_ready"},
    _FailedStaysReady: {"ended_pods_are_not_ready"},
}
"""What is wrong in 1.29, and which claims notice it."""


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_a_fault_is_noticed(fault: type) -> None:
    about = [claim for claim in CLAIMS if claim.applies_to(fault, "")]
    known = {claim.id for claim in about if claim.known_violation("v1.29", "") is not None}
    assert {claim.id for claim in about if not holds(claim, fault)} - known == FAULTS[fault]


@pytest.mark.parametrize("fault", PHASES, ids=lambda fault: fault.__name__)
def test_a_fault_in_what_came_after_1_32_is_noticed(fault: type) -> None:
    (claim,) = (claim for claim in CLAIMS if claim.id == PHASES[fault])
    assert not holds(claim, fault)


def test_every_claim_notices_a_fault_or_a_release() -> None:
    broken = {claim.id for claim in CLAIMS if claim.violations}
    assert broken | set(PHASES.values()).union(*FAULTS.values()) == {claim.id for claim in CLAIMS}


# -- what environment `containers` leaves out --------------------------------------------------------------------------


def test_whether_a_pod_has_initialized_decides_nothing_where_running_sidecars_have_started() -> None:
    """As in environment `containers`, which never says that it has. [A76]"""
    states = [
        ReportedContainer1_35(True, state=StateOf.WAITING, last_exit_code=last) for last in (NIL, SIGKILL_EXIT_CODE)
    ] + [
        ReportedContainer1_35(True, state=StateOf.RUNNING, started=Started.YES),
        *(ReportedContainer1_35(True, state=StateOf.TERMINATED, exit_code=code) for code in (0, 1)),
    ]
    for policy, terminal, sidecar, app in itertools.product(RestartPolicy, (False, True), states, states):
        sidecars = Array([replace(sidecar, restartable_init=True)])
        phases = {
            GetPhase1_36(
                policy, False, terminal, sidecars, Array([app]), pod_has_initialized=has_initialized
            ).get_phase()
            for has_initialized in (False, True)
        }
        assert len(phases) == 1, (policy, terminal, sidecar, app)
