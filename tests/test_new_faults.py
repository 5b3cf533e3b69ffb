"""Faults planted in what came after 1.32 in functions without a memory: for each a claim that kept turns NEW."""

from __future__ import annotations

import pytest
from tests.restart_departures import ACTIONS, PHASES
from tests.test_status_claims import TRANSITIONS

from podproof.checker.difference.transitions import Equality
from podproof.golang.modelled import COMPUTE_POD_ACTIONS
from podproof.model.functions import FUNCTIONS
from podproof.model.get_phase import GetPhase1_36
from podproof.model.kuberuntime.compute_pod_actions import ComputePodActions1_36
from podproof.model.status.update_status import UpdateStatus1_36
from podproof.queries.modelled_functions import FunctionTheorem

PLANTED: dict[type, tuple[str, type, str]] = {
    **{fault: ("compute-pod-actions", ComputePodActions1_36, claim) for fault, claim in ACTIONS.items()},
    **{fault: ("get-phase", GetPhase1_36, claim) for fault, claim in PHASES.items()},
    **{fault: ("update-status", UpdateStatus1_36, claim) for fault, claim in TRANSITIONS.items()},
}
"""Fault -> its function, what 1.36.3 has, and the claim."""


def new_claims(group: str, kept: type, fault: type) -> set[str]:
    """What turns NEW, for no and for one init container."""
    found = set()
    for length in FUNCTIONS[group][:2]:
        ways = (("v1.36.3", kept), ("fault", fault))
        theorem = FunctionTheorem(COMPUTE_POD_ACTIONS, Equality.DIFFERENT, "", "", ways, length=length)
        found |= {claim.property.id for claim in theorem.claims if claim.is_worse}
    return found


@pytest.mark.slow
@pytest.mark.parametrize("fault", PLANTED, ids=lambda fault: fault.__name__)
def test_a_claim_turns_new(fault: type) -> None:
    group, kept, claim = PLANTED[fault]
    assert claim in new_claims(group, kept, fault)


def test_there_are_more_than_twenty_faults() -> None:
    assert len(PLANTED) > 20
