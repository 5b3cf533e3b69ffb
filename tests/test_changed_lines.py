"""`podproof diff` says when nothing comes to the lines that are changed, and names a scenario where something does."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command_line import run

HEAD = "from podproof.model.releases import V1_35\n\n\n"
CHANGED = (
    HEAD
    + '''class Change(V1_35):
    """A static pod that is finished starts whatever else has its full name."""

    def allow_static_pod_start(self, full_name: int, uid: int) -> bool:
        if self.pod_sync_statuses[uid].finished:
            return True
        return super().allow_static_pod_start(full_name, uid)
'''
)
REACHED = (
    HEAD
    + '''class Change(V1_35):
    """It says the same twice."""

    def complete_terminating(self, uid: int) -> None:
        if self.pod_sync_statuses[uid].terminated_at and not self.pod_sync_statuses[uid].terminating_at:
            self.pod_sync_statuses[uid].evicted = True
        super().complete_terminating(uid)
'''
)


def test_the_headline_says_that_nothing_reaches_them_and_where_something_does(tmp_path: Path) -> None:
    file, page = tmp_path / "change.py", tmp_path / "change.md"
    file.write_text(CHANGED)
    asked = ("diff", "v1.35", str(file), "--scenario", "lone-pod", "--output-file", f"markdown={page}")
    found = run(*asked)
    assert found.exit_code == 0
    headline = found.stdout.splitlines()[1]
    assert headline.startswith("EQUIVALENT, but nothing in this scenario reaches the changed lines: ")
    assert "allow_static_pod_start:8" in headline
    assert "**EQUIVALENT, but nothing in this scenario reaches the changed lines: " in page.read_text()
    scenario = headline.partition("; --scenario ")[2].removesuffix(" does")
    there = json.loads(run("diff", "v1.35", str(file), "--scenario", scenario, "-o", "json").stdout)
    lines = [name for name in there["unreachedLines"] if name == "allow_static_pod_start:8"]
    assert there["verdict"] == "DIFFERENT" or not lines


def test_lines_that_are_reached_are_not_told(tmp_path: Path) -> None:
    file = tmp_path / "change.py"
    file.write_text(REACHED)
    found = json.loads(run("diff", "v1.35", str(file), "--scenario", "killed-pod", "-o", "json").stdout)
    assert found["verdict"] == "EQUIVALENT"
    # The condition is asked; what it guards is never come to.
    assert found["unreachedLines"] == ["complete_terminating:9"] and "reachingScenario" not in found


@pytest.mark.parametrize("order", [1, -1])
def test_lines_that_are_taken_out_count_as_well(tmp_path: Path, order: int) -> None:
    file = tmp_path / "change.py"
    file.write_text(CHANGED)
    found = run("diff", *["v1.35", str(file)][::order], "--scenario", "lone-pod")
    assert "allow_static_pod_start:8" in found.stdout.splitlines()[1]
