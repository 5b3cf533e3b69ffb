"""SPIN understands the export of every scenario: it has limits that a longer model may reach."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import exported
from tests.peer_tools import last_lines, missing_for_spin
from tests.peer_tools import run as run_program

from podproof.model.scenarios import CALLERS, SCENARIOS


@pytest.mark.peers
@pytest.mark.skipif(missing_for_spin() is not None, reason=str(missing_for_spin()))
@pytest.mark.parametrize("scenario", SCENARIOS)
def test_spin_understands_the_export_of(scenario: str, tmp_path: Path) -> None:
    version = "v1.36.3" if scenario in CALLERS else "v1.29"  # the callers are those of today
    made = exported("promela", "--scenario", scenario, "--version", version)
    assert made.exit_code == 0
    (tmp_path / "model.pml").write_text(made.output)
    told = run_program(["spin", "-a", "-o2", "model.pml"], tmp_path)
    assert (tmp_path / "pan.c").exists(), last_lines(told.output)
