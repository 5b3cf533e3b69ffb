"""Every claim, of whichever model, and the number by which the command line takes it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from podproof.kubelet_1_20.claims import CLAIMS_OF_1_20
from podproof.specs import CLAIMS_SINCE_1_22, FUNCTION_CLAIMS, RUN_CLAIMS, Claim

CLAIMS: tuple[Claim, ...] = (*CLAIMS_SINCE_1_22, *CLAIMS_OF_1_20)
"""Those about states and steps, in the order of reports."""


def claims_by_kind() -> Iterator[tuple[str, list[Claim]]]:
    """Every claim; those about a function stand by themselves, as no scenario is about them."""
    for kind in ("always", "step", "never", "sometimes", "leads_to", "recurs"):
        if claims := [claim for claim in (*CLAIMS, *RUN_CLAIMS) if claim.kind == kind]:
            yield kind, claims
    yield "function", list(FUNCTION_CLAIMS)


NUMBERS: Mapping[str, str] = {
    claim.id: str(number)
    for number, claim in enumerate((claim for _, claims in claims_by_kind() for claim in claims), 1)
}
"""For each claim's id its row in `podproof explain properties`.

It depends on no answer that came before; only another version of podproof may number otherwise.
"""


def called(id: str) -> str:
    """What a command line may call a claim: its number, or its id where it is a user's own."""
    return NUMBERS.get(id, id)
