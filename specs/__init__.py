"""The claims about the pod worker, each with its meaning, kind and upstream source."""

from podproof.specs import always, steps, witnesses
from podproof.specs.claim import Claim, claims_in
from podproof.specs.lines import LINES

CLAIMS: tuple[Claim, ...] = (*claims_in(steps), *claims_in(always), *LINES, *claims_in(witnesses))
"""Every claim, in the order of reports."""

__all__ = ["CLAIMS", "Claim"]
