"""`podproof diagram --timeline`: a trace of a scenario with containers as bars over its steps."""

from __future__ import annotations

import pytest
from tests.command_line import run_v1_29 as run

from podproof.queries.drawing import Request
from podproof.reports.pictures.bars import BarChart, bars
from podproof.reports.pictures.forms import FORMS, drawn
from podproof.reports.pictures.timeline import Timeline


def timeline(claim: str, scenario: str, version: str = "v1.29") -> Timeline:
    found = Request(version, None, scenario, trace=claim, timeline=True).diagram("mermaid")
    assert isinstance(found, Timeline)
    return found


def rows(chart: BarChart) -> dict[str, list[str]]:
    return {row.name: [text for _, _, text in bars(row.cells)] for row in chart.rows}


def test_a_deletion_is_told_from_the_hook_to_the_end_of_the_object() -> None:
    told = rows(timeline("a_deleted_pod_ends_by_force", "pre-stop").chart)
    assert told["pod worker"] == ["SyncPod", "SyncTerminatingPod", "SyncTerminatedPod"]
    assert told["container 0: preStop"] == ["runs"]
    assert told["container 0: stop signal"] == ["after 1 s; SIGKILL 4 s later"]
    assert told["container 0"] == ["running", "exited with 137"]
    assert told["API object"] == ["Running", "to be deleted, Running", "to be deleted, Failed"]
    assert told["volumes and cgroup"] == ["there"] and told["podIsFinished"] == ["set"]


def test_the_bars_say_that_the_grace_period_was_spent_twice() -> None:
    told = rows(timeline("pre_stop_time_counts_once", "pre-stop", "v1.26").chart)
    assert told["container 0: stop signal"] == ["after 5 s; SIGKILL 5 s later"]


def test_a_sidecar_waits_for_its_turn() -> None:
    told = rows(timeline("a_sidecar_waits_for_its_app", "sidecar").chart)
    assert told["init container 0: turn"] == ["waits"] and "init container 0: preStop" not in told


def test_a_column_is_a_step_that_changes_a_bar() -> None:
    chart = timeline("a_deleted_pod_ends_by_force", "pre-stop").chart
    assert len(chart.columns) < 24
    for i in range(1, len(chart.columns)):
        assert any(row.cells[i] != row.cells[i - 1] for row in chart.rows)


@pytest.mark.parametrize("form", FORMS)
def test_it_is_drawn_in_every_format(form: str) -> None:
    content = drawn(timeline("an_object_is_deleted", "pre-stop"), form)
    assert content and (form == "png" or b"--trace an_object_is_deleted --timeline" in content)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--timeline", "name its claim with --trace"),
        ("--timeline --scenario uid-reuse --trace a_pod_finishes", "has no containers, each by itself"),
    ],
)
def test_what_has_no_timeline_is_said(arguments: str, said: str) -> None:
    result = run("diagram", *arguments.split())
    assert result.exit_code == 2 and said in " ".join(result.stderr.split()), result.output
