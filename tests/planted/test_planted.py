"""Every planted fault still has its place; whether a test notices it is for `python -m tests.planted` to say."""

from __future__ import annotations

import pytest
from tests.planted.fault import FAULTS, ROOT, Fault


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_has_one_place_and_python_with_it_is_still_python(fault: Fault) -> None:
    text = (ROOT / fault.file).read_text(encoding="utf-8")
    faulty = fault.text_in(ROOT)
    assert faulty != text
    if fault.file.endswith(".py"):
        assert compile(faulty, fault.file, "exec") != compile(text, fault.file, "exec")


def test_there_are_faults_in_every_part() -> None:
    assert len(FAULTS) >= 120 and len({fault.name for fault in FAULTS}) == len(FAULTS)
