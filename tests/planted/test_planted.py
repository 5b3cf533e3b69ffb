"""Every planted fault still has its place; whether a test notices it is for `python -m tests.planted` to say."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.planted.fault import FAULTS, ROOT, Fault, noticed


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.name)
def test_a_fault_has_one_place_and_python_with_it_is_still_python(fault: Fault) -> None:
    text = (ROOT / fault.file).read_text(encoding="utf-8")
    faulty = fault.text_in(ROOT)
    assert faulty != text
    if fault.file.endswith(".py"):
        assert compile(faulty, fault.file, "exec") != compile(text, fault.file, "exec")


def test_there_are_faults_in_every_part() -> None:
    assert len(FAULTS) >= 250 and len({fault.name for fault in FAULTS}) == len(FAULTS)


@pytest.mark.slow
@pytest.mark.parametrize("fault_matters", [True, False])
def test_only_what_passes_without_the_fault_notices_it(fault_matters: bool, tmp_path: Path) -> None:
    (tmp_path / "number.txt").write_text("one\n", encoding="utf-8")
    checked = "open('number.txt').read() == 'one\\n'" if fault_matters else "False"
    (tmp_path / "test_it.py").write_text(f"def test_it():\n    assert {checked}\n", encoding="utf-8")
    fault = Fault("two is one", "number.txt", "one", "two", "test_it.py")
    if fault_matters:
        assert noticed(fault, tmp_path, 60) == "test_it.py::test_it"
    else:
        with pytest.raises(RuntimeError, match="fails without the fault"):
            noticed(fault, tmp_path, 60)


@pytest.mark.slow
def test_what_cannot_be_imported_notices_nothing(tmp_path: Path) -> None:
    (tmp_path / "number.txt").write_text("one\n", encoding="utf-8")
    (tmp_path / "test_it.py").write_text("import there_is_no_such_module\n", encoding="utf-8")
    with pytest.raises(RuntimeError, match="fails without the fault"):
        noticed(Fault("two is one", "number.txt", "one", "two", "test_it.py"), tmp_path, 60)
