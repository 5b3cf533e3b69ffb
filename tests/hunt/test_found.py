"""What was found stays found: each program is refused with its line, or everybody says of it what CPython says."""

from __future__ import annotations

import pytest
from tests.hunt.found import FOUND
from tests.hunt.hunting import hunt
from tests.hunt.small_program import Found

CASES = [
    pytest.param(
        f, id=f.name, marks=[pytest.mark.xfail(strict=True, reason="still answered wrongly")] if f.known else []
    )
    for f in FOUND
]


@pytest.mark.parametrize("found", CASES)
def test_what_was_found_is_refused_or_agreed_upon(found: Found) -> None:
    outcome = hunt(found.text, inside=False)
    assert outcome.kind in found.expected, outcome.text
