"""What was found stays found: each program is refused with its line, or everybody says of it what CPython says."""

from __future__ import annotations

import pytest
from tests.hunt.found import FOUND
from tests.hunt.found_nil import FOUND_NIL
from tests.hunt.hunting import hunt
from tests.hunt.small_program import Found


@pytest.mark.parametrize("found", [*FOUND, *FOUND_NIL], ids=lambda found: found.name)
def test_what_was_found_is_refused_or_agreed_upon(found: Found) -> None:
    outcome = hunt(found.text, inside=False)
    assert outcome.kind in found.expected, outcome.text
