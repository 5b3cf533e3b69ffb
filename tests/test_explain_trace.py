"""`podproof explain-trace`: traces read back from JSON, and what its page shows."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import run_v1_29
from tests.explained import ROOT, run, told

from podproof.queries.build import scenarios_of, subject_of
from podproof.queries.exploring import Session

PAGE = ROOT / "docs" / "go-tests.md"
GRACE = "grace_period_only_decreases"
ASKED_FOR = ["the_least_grace_period_asked_for_is_recorded", "the_grace_period_is_one_that_was_asked_for"]
"""What the same step breaks as well."""


# -- stories, and traces in files --------------------------------------------------------------------------------------


def test_the_page_shows_what_is_written_now(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --rewrite-golden the page's examples are written anew."""
    monkeypatch.setenv("PODPROOF_PLACES", "functions")
    test = told("terminating_cancels_sync_pod", "go-test")
    function = re.search(r"// TestTerminatingCancelsSyncPod.*?\n}\n", test, re.DOTALL)
    steps = re.search(r'"trace": \[\n(.*?)^ {10}\]', told(GRACE, "json"), re.DOTALL | re.MULTILINE)
    assert function is not None and steps is not None
    last = "            {\n" + steps[1].rpartition("            {\n")[2]
    blocks = {
        f"```console\n$ podproof explain-trace --version v1.29 --scenario one-pod --property {GRACE}\n": told(
            GRACE, "story"
        ),
        "```go\n": function[0],
        "```json\n": last,
    }
    page = PAGE.read_text(encoding="utf-8")
    for head, text in blocks.items():
        before, found, after = page.partition(head)
        assert found, f"the page has no block that begins with {head!r}"
        page = before + head + text + after[after.index("```") :]
    if request.config.getoption("--rewrite-golden"):
        PAGE.write_text(page, encoding="utf-8")
    assert page == PAGE.read_text(encoding="utf-8"), "rewrite the page with pytest --rewrite-golden"


@pytest.fixture
def stored(tmp_path: Path) -> Path:
    """Two counterexamples as JSON."""
    names = (GRACE, "evictions_are_recorded")
    options = [word for name in names for word in ("--property", name)]
    file = tmp_path / "result.json"
    result = run("--scenario", "one-pod", *options, "--format", "json", "--output-file", str(file))
    assert (result.exit_code, result.stdout, result.stderr) == (0, "", f"wrote {file}\n")
    return file


def test_json_has_the_traces_as_check_writes_them(stored: Path) -> None:
    document = json.loads(stored.read_text(encoding="utf-8"))
    assert document["schemaVersion"] == "podproof/1"
    found = [claim for result in document["results"] for claim in result["properties"]]
    assert [claim["id"] for claim in found] == [GRACE, "evictions_are_recorded"]
    assert [len(claim["trace"]) for claim in found] == [3, 3]


def test_a_trace_in_a_file_is_told_like_one_that_was_searched(stored: Path) -> None:
    searched, form = told("evictions_are_recorded", "go-test"), ("--format", "go-test")
    assert run("--trace", f"{stored}#2", *form).stdout == searched
    assert run("--trace", str(stored), "--property", "evictions_are_recorded", *form).stdout == searched


def test_a_trace_in_a_file_is_selected_as_json(stored: Path) -> None:
    document = json.loads(run("--trace", f"{stored}#2", "--format", "json").stdout)
    (result,) = document["results"]
    assert [claim["id"] for claim in result["properties"]] == ["evictions_are_recorded"]


def test_a_trace_that_the_model_does_not_take_is_refused(stored: Path) -> None:
    document = json.loads(stored.read_text(encoding="utf-8"))
    steps = document["results"][0]["properties"][0]["trace"]

    def refused(**change: Any) -> str:
        changed = [{**steps[0], **change}, *steps[1:]]
        document["results"][0]["properties"][0]["trace"] = changed
        stored.write_text(json.dumps(document), encoding="utf-8")
        result = run("--trace", f"{stored}#1")
        assert result.exit_code == 2, result.output
        return result.stderr

    assert "step 1: v1.29/one-pod has no action 'evaporate'" in refused(action="evaporate")
    assert "handle_pod_additions has no admission 'maybe'" in refused(parameters={"uid": "web", "admission": "maybe"})
    assert "changes something else in v1.29/one-pod than in the file" in refused(changed={})


@pytest.fixture
def walk(tmp_path: Path) -> Path:
    """A walk that breaks a claim with its third step and goes on, saved as the page saves it."""
    moves = [
        "handle_pod_additions(web,admitted)",
        "handle_pod_deletion(web,5)",
        "handle_pod_deletion(web,0)",
        "pod_event(web)",
    ]
    session = Session(subject_of("v1.29", None), scenarios_of(["one-pod"])[0])
    (tmp_path / "walk.json").write_text(session.saved(moves), encoding="utf-8")
    return tmp_path / "walk.json"


def test_a_saved_walk_is_told_whole_and_then_what_it_breaks(walk: Path) -> None:
    text = run("--trace", str(walk)).stdout
    own, broken, *others = text.split("\n\n")
    assert [other.split()[0] for other in others] == ASKED_FOR
    assert own.startswith("walk   4 steps   v1.29, scenario one-pod\n")
    assert "  4  SYNC web: PLEG or probe event" in own and "upstream" not in own
    assert "  replay: podproof explore --version v1.29 --scenario one-pod --walk 'handle_pod" in own
    assert broken.startswith(f"{GRACE}   3 steps") and "  4  " not in broken
    assert run("--trace", str(walk), "--property", "walk").stdout == own + "\n"
    assert run("--trace", f"{walk}#1").stdout == own + "\n"


def test_a_saved_walk_is_written_as_a_go_test_and_as_json(walk: Path) -> None:
    options = ("--trace", str(walk), "--property", "walk", "--format")
    test = run(*options, "go-test").stdout
    assert "// TestWalk takes the pod worker of v1.29 along a walk:\n" in test
    assert "SYNC web: PLEG or probe event" in test
    document = json.loads(run(*options, "json").stdout)
    assert [claim["id"] for claim in document["results"][0]["properties"]] == ["walk"]


def test_a_witness_in_a_file_is_told_by_name(tmp_path: Path) -> None:
    path = tmp_path / "result.json"
    arguments = ["check", "--no-config", "--scenario", "lone-pod", "--property", "a_pod_runs", "-o", "json"]
    path.write_text(run_v1_29(*arguments).stdout, encoding="utf-8")
    assert run("--trace", str(path), "--property", "a_pod_runs").stdout.startswith("a_pod_runs   ")
    assert "there is no counterexample in it" in run("--trace", str(path)).stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--trace", "nothing.json"), "it cannot be read"),
        (("--trace", "pyproject.toml"), "is no JSON"),
        (("--trace", "x.json", "--scenario", "one-pod"), "give one of the two"),
        (("--scenario", "orphan", "--property", "terminated_pods_never_restart"), "no trace to tell"),
        (("--scenario", "orphan", "--property", "terminated_pods_restart"), "there is no claim"),
        (("--scenario", "orphan", "--format", "python"), "'python' is not one of 'story', 'go-test', 'json'"),
    ],
)
def test_what_cannot_be_told_is_said_in_a_sentence(arguments: tuple[str, ...], message: str) -> None:
    result = run(*arguments)
    assert result.exit_code == 2, result.output
    assert message in result.stderr
    assert "Traceback" not in result.stderr


def test_a_trace_of_a_proposal_asks_for_its_file(stored: Path, tmp_path: Path) -> None:
    path = tmp_path / "of_a_proposal.json"
    path.write_text(stored.read_text(encoding="utf-8").replace('"version": "v1.29"', '"version": "my_change"'))
    found = run("--trace", f"{path}#1")
    assert found.exit_code == 2 and "'my_change', which is no release" in found.stderr and "--model" in found.stderr


@pytest.mark.parametrize(
    "text", ["[]", "{}", '{"schemaVersion": "podproof/1"}', '{"schemaVersion": "podproof/1", "results": [1]}']
)
def test_a_file_without_results_is_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    result = run("--trace", str(tmp_path / "x.json"))
    assert result.exit_code == 2, result.output
    assert "podproof check -o json" in result.stderr
