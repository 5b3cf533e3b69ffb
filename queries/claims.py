"""Every claim about states and steps, of whichever model."""

from __future__ import annotations

from podproof.kubelet_1_20.claims import CLAIMS_OF_1_20
from podproof.specs import CLAIMS_SINCE_1_22, Claim

CLAIMS: tuple[Claim, ...] = (*CLAIMS_SINCE_1_22, *CLAIMS_OF_1_20)
"""In the order of reports."""
