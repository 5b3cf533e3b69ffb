"""`podproof review` says when nothing comes to changed lines, and names a scenario where something does."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import run
from tests.golang.test_translation import SOURCE, changed

from podproof.checker.core.graph import Line
from podproof.checker.core.system import Limits, Status
from podproof.model.scenarios import Scenario
from podproof.queries import changed_lines
from podproof.queries.build import Subject

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
MADE = "status.cancelFn = context.WithCancel(context.Background())"
REUSED = f"\tif status.ctx == nil || status.ctx.Err() != nil {{\n\t\tstatus.ctx, {MADE}\n\t}}\n\tctx = status.ctx\n"
FRESH = f"\tctx, {MADE}\n"
STARTED = "\t\treturn started == uid\n"
WRITTEN_OUT = "\t\tif started != uid {\n\t\t\treturn false\n\t\t}\n\t\treturn true\n"
ENDS = "\tcase !canEverStart:\n"
ONE_MORE = (
    f"\tcase !canEverStart && canStart:\n\t\tp.cleanupUnstarted(uid, status)\n\t\treturn ctx, work, false, true\n{ENDS}"
)


def lines_of(text: str, *wanted: str) -> list[int]:
    """Where these lines are, each of which the text has once."""
    lines = text.splitlines()
    assert all(lines.count(line) == 1 for line in wanted)
    return [lines.index(line) + 1 for line in wanted]


def diff_of_go(folder: Path, before: str, after: str, *options: str) -> dict[str, Any]:
    """What `diff -o json` says of two Go files in the surroundings of 1.29."""
    files = []
    for name, text in (("before", before), ("after", after)):
        (folder / name).mkdir()
        files.append(folder / name / "pod_workers.go")
        files[-1].write_text(text, encoding="utf-8")
    found = run("review", *map(str, files), "--version", "v1.29", *options, "-o", "json")
    assert found.exit_code in (0, 1), found.output
    told: dict[str, Any] = json.loads(found.stdout)
    return told


@pytest.mark.slow
@pytest.mark.parametrize("order", [1, -1])
def test_of_go_only_the_lines_that_were_changed_are_told(tmp_path: Path, order: int) -> None:
    """What a local is shows in the translation of every call that is given it; many of those are not reached here."""
    pair = [changed((REUSED, FRESH)), SOURCE][::order]
    found = diff_of_go(tmp_path, *pair, "--scenario", "lone-pod")
    assert found["verdict"] == "EQUIVALENT" and found["methods"]
    assert found["unreachedLines"] == [] and "reachingScenario" not in found


@pytest.mark.slow
def test_go_that_nothing_reaches_is_told_by_its_own_lines(tmp_path: Path) -> None:
    after = changed((STARTED, WRITTEN_OUT), ("package kubelet\n", "package kubelet\n\n// One line more.\n"))
    found = diff_of_go(tmp_path, SOURCE, after, "--scenario", "lone-pod")
    assert found["verdict"] == "ALIKE"
    first = lines_of(SOURCE, STARTED.strip("\n"))[0]
    (written,) = lines_of(after, WRITTEN_OUT.splitlines()[0])
    numbers = [first, written, written + 1, written + 3]
    assert found["unreachedLines"] == [f"allowStaticPodStart:{n}" for n in numbers]
    there = found["reachingScenario"]
    (tmp_path / "there").mkdir()
    again = diff_of_go(tmp_path / "there", SOURCE, after, "--scenario", there)
    assert set(again["unreachedLines"]) < set(found["unreachedLines"])


@pytest.mark.slow
def test_a_case_more_changes_no_other_case(tmp_path: Path) -> None:
    after = changed((ENDS, ONE_MORE))
    found = diff_of_go(tmp_path, SOURCE, after, "--scenario", "lone-pod")
    (case,) = lines_of(after, ONE_MORE.splitlines()[0])
    assert found["verdict"] == "ALIKE"
    assert found["unreachedLines"] == [f"nextWork:{case + 1}"]


@pytest.mark.slow
def test_a_release_and_go_have_no_changed_lines(tmp_path: Path) -> None:
    file = tmp_path / "pod_workers.go"
    file.write_text(SOURCE, encoding="utf-8")
    found = json.loads(run("review", "v1.29", str(file), "--scenario", "lone-pod", "-o", "json").stdout)
    assert found["verdict"] == "ALIKE" and found["methods"]
    assert found["unreachedLines"] == []


@pytest.mark.slow
def test_a_scenario_that_was_not_explored_to_the_end_reaches_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(changed_lines, "_FEW_STATES", 1)
    file = tmp_path / "change.py"
    file.write_text(CHANGED)
    found = json.loads(run("review", "v1.35", str(file), "--scenario", "lone-pod", "-o", "json").stdout)
    assert found["unreachedLines"] and "reachingScenario" not in found


@pytest.mark.slow
def test_only_small_scenarios_are_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    looked: list[Scenario] = []

    def answers(subject: Subject, scenario: Scenario, lines: Iterable[Line], limits: Limits) -> dict[Line, Status]:
        looked.append(scenario)
        assert scenario.name == "lone-pod" or (limits.max_states == 100_000 and (limits.seconds or 0) > 0)
        return dict.fromkeys(lines, Status.HOLDS)

    monkeypatch.setattr(changed_lines, "_answers", answers)
    file = tmp_path / "change.py"
    file.write_text(CHANGED)
    found = json.loads(run("review", "v1.35", str(file), "--scenario", "lone-pod", "-o", "json").stdout)
    assert found["unreachedLines"] and "reachingScenario" not in found
    names = {scenario.name for scenario in looked}
    assert {"static-pair", "orphan"} < names and names.isdisjoint({"node", "three-pods", "open-pod", "two-containers"})
