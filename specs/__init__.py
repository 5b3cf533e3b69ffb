"""The claims about the pod worker, each with its meaning, kind and upstream source."""

from podproof.specs import (
    always,
    drivers,
    functions,
    mended,
    outcomes,
    phases,
    queries,
    static_pods,
    steps,
    updates,
    v1_20,
    witnesses,
)
from podproof.specs.claim import Claim, Harm, claims_in
from podproof.specs.lines import LINES

CLAIMS: tuple[Claim, ...] = (
    *claims_in(steps),
    *claims_in(drivers),
    *claims_in(outcomes),
    *claims_in(updates),
    *claims_in(queries),
    *claims_in(static_pods),
    *claims_in(always),
    *LINES,
    *claims_in(witnesses),
    *claims_in(mended),
    *claims_in(v1_20),
    *v1_20.LINES,
)
"""Every claim, in the order of reports."""

FUNCTION_CLAIMS: tuple[Claim, ...] = (*claims_in(functions), *claims_in(phases))
"""Claims about every input of a function; no scenario is about them."""

HARMS = {claim.id: harm.value for harm in Harm for claim in CLAIMS if claim.harm is harm}
"""For each claim what it harms when it does not hold, the worst first."""

__all__ = ["CLAIMS", "FUNCTION_CLAIMS", "HARMS", "Claim"]
