"""Which cases a run of the quick tests has."""

from __future__ import annotations

import pytest


@pytest.mark.quick(3)
@pytest.mark.parametrize("number", range(7))
def test_of_many_cases_so_many_are_quick_and_the_others_slow(number: int, request: pytest.FixtureRequest) -> None:
    assert (request.node.get_closest_marker("slow") is None) == (number in (0, 3, 6))
