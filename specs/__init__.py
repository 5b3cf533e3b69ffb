"""The claims about the pod worker, each with its meaning, kind and upstream source."""

from podproof.specs import (
    admission,
    always,
    arrivals,
    callers,
    containers,
    drivers,
    functions,
    grace_periods,
    housekeeping,
    killers,
    liveness,
    mended,
    outcomes,
    phases,
    queries,
    static_pods,
    status,
    steps,
    termination_order,
    updates,
    witnesses,
)
from podproof.specs.claim import Claim, claims_in
from podproof.specs.lines import LINES

CLAIMS_SINCE_1_22: tuple[Claim, ...] = (
    *claims_in(steps),
    *claims_in(drivers),
    *claims_in(outcomes),
    *claims_in(updates),
    *claims_in(grace_periods),
    *claims_in(killers),
    *claims_in(queries),
    *claims_in(static_pods),
    *claims_in(always),
    *claims_in(containers),
    *claims_in(callers),
    *claims_in(admission),
    *claims_in(housekeeping),
    *LINES,
    *claims_in(witnesses),
    *claims_in(mended),
)
"""Every claim about states and steps of the pod worker that came with 1.22, in the order of reports."""
RUN_CLAIMS: tuple[Claim, ...] = (*claims_in(liveness), *claims_in(arrivals))
"""What must happen eventually, in every fair run; `podproof check --liveness` decides these."""

FUNCTION_CLAIMS: tuple[Claim, ...] = (
    *claims_in(functions),
    *claims_in(termination_order),
    *claims_in(phases),
    *claims_in(status),
)
"""Claims about every input of a function; no scenario is about them."""

__all__ = ["CLAIMS_SINCE_1_22", "FUNCTION_CLAIMS", "RUN_CLAIMS", "Claim"]
