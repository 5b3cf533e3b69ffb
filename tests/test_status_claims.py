"""Claims about every input of the status manager's rules and of kill orders: a fault that each alone catches."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.runtime_departures import departure
from tests.test_function_claims import violated

from podproof.model.core_v1 import ContainerRestartPolicy, RestartPolicy, StateOf
from podproof.model.functions import FUNCTIONS
from podproof.model.kuberuntime.termination_order import TerminationOrdering1_32
from podproof.model.kuberuntime.termination_turns import TerminationTurns1_32
from podproof.model.releases import V1_32, V1_36_3
from podproof.model.status.update_status import (
    ContainerChange,
    ContainerChange1_35,
    UpdateStatus,
    UpdateStatus1_36,
    WriteStatus,
)
from podproof.queries.build import subject_of
from podproof.specs import status
from podproof.specs.claim import claims_in


class _TakesItBack(UpdateStatus):
    def is_finished_now(self) -> bool:
        return self.pod_is_finished


class _NeverIsLikeAlways(UpdateStatus):
    def has_left_its_end(self, change: ContainerChange) -> bool:
        return self.restart_policy != RestartPolicy.NEVER and super().has_left_its_end(change)


class _KnowsNoSidecars(UpdateStatus):
    def has_illegal_transition(self) -> bool:
        for i in range(len(self.init_containers)):
            if self.has_left_its_end(self.init_containers[i]):
                return True
        return super().has_illegal_transition()


class _KnowsNoRules(UpdateStatus1_36):
    def has_left_its_end(self, change: ContainerChange1_35) -> bool:  # type: ignore[override]
        if self.restart_policy == RestartPolicy.ALWAYS or change.old_state != StateOf.TERMINATED:
            return False
        if change.old_exit_code != 0 and self.restart_policy == RestartPolicy.ON_FAILURE:
            return False
        return change.is_reported and change.new_state != StateOf.TERMINATED


class _OwnPoliciesDoNotCount(UpdateStatus1_36):
    def restarts(self, change: ContainerChange1_35) -> bool:
        return change.own_policy != ContainerRestartPolicy.NONE and self.is_restarting(change.matching_rule)


class _RulesCountWithoutAPolicy(UpdateStatus1_36):
    def restarts(self, change: ContainerChange1_35) -> bool:
        return self.is_restarting(change.matching_rule) or super().restarts(change)


class _RestartsOfAllDoNotCount(UpdateStatus1_36):
    def has_illegal_transition(self) -> bool:
        for i in range(len(self.containers)):
            if self.has_left_its_end(self.containers[i]):
                return True
        return super().has_illegal_transition()


class _LooksAtNothing(UpdateStatus1_36):
    def has_illegal_transition(self) -> bool:
        return False


class _WritesAgain(WriteStatus):
    def has_new_version(self) -> bool:
        return not self.is_recorded or self.recorded_version <= self.version


class _LeavesDifferences(WriteStatus):
    def is_to_be_written(self) -> bool:
        return self.needs_update() if self.every else self.has_new_version()


class _WaitsForWhatDoesNotRun(TerminationTurns1_32):
    def has_ended_before(self, is_sidecar: bool) -> bool:
        return not is_sidecar


class _ClosesTwice(TerminationTurns1_32):
    def may_close_again(self) -> bool:
        return False


class _EndsWithTheApps(TerminationTurns1_32):
    def has_its_turn(self, i: int) -> bool:
        return True


TRANSITIONS: dict[type[UpdateStatus1_36], str] = {
    _KnowsNoRules: "own_restarts_may_leave_their_end",
    _OwnPoliciesDoNotCount: "own_restarts_may_leave_their_end",
    _RulesCountWithoutAPolicy: "terminated_containers_stay_terminated",
    _RestartsOfAllDoNotCount: "restarts_of_all_lose_no_status",
    _LooksAtNothing: "terminated_containers_stay_terminated",
}
"""Fault of what 1.35 and 1.36 changed of checkContainerStateTransition -> the claim that notices it."""
FAULTS: dict[str, tuple[str, type]] = {
    "finished_pods_stay_finished": ("update-status", _TakesItBack),
    "terminated_containers_stay_terminated": ("update-status", _NeverIsLikeAlways),
    "sidecars_may_restart": ("update-status", _KnowsNoSidecars),
    "own_restarts_may_leave_their_end": ("update-status", _KnowsNoRules),
    "restarts_of_all_lose_no_status": ("update-status", _RestartsOfAllDoNotCount),
    "old_statuses_are_not_written_again": ("write-status", _WritesAgain),
    "differences_are_written_in_the_end": ("write-status", _LeavesDifferences),
    "sidecars_wait_for_what_runs": ("termination-order", _WaitsForWhatDoesNotRun),
    "kills_do_not_panic": ("termination-order", _ClosesTwice),
    "sidecars_end_last": ("termination-order", _EndsWithTheApps),
}
"""By the claim that catches it: the function, and what is wrong with it in the release that `release_of` says."""


def release_of(fault: type) -> type[V1_32]:
    return V1_36_3 if issubclass(fault, UpdateStatus1_36) else V1_32


def faulty(fault: type) -> type:
    if issubclass(fault, TerminationTurns1_32):
        ordering = type("Ordering", (TerminationOrdering1_32,), {"turns": fault})
        return departure(V1_32, fault.__name__, termination_ordering=ordering)
    part = "update_status" if issubclass(fault, UpdateStatus) else "write_status"
    release = release_of(fault)
    return type(
        fault.__name__, (release,), {"status_manager": type("Manager", (release.status_manager,), {part: fault})}
    )


@pytest.mark.quick(3)
@pytest.mark.parametrize("claim", FAULTS)
def test_a_fault_is_caught_by_one_claim_alone(claim: str) -> None:
    function, fault = FAULTS[claim]
    version = "v1.32" if release_of(fault) is V1_32 else "v1.36.3"
    subject, about = subject_of(version, None), list(FUNCTIONS[function])
    assert violated(replace(subject, cls=faulty(fault)), about) - violated(subject, about) <= {claim}
    assert claim in violated(replace(subject, cls=faulty(fault)), about)


def test_every_claim_about_the_status_has_its_fault_or_is_broken() -> None:
    assert {claim.id for claim in claims_in(status) if not claim.violations} <= set(FAULTS)
