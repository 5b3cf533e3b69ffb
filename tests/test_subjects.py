"""`podproof check` of several versions and models: each says what it says by itself, and they stand side by side."""

from __future__ import annotations

import dataclasses
import json
import re
import shlex
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from tests.command_line import run
from tests.test_claims_of_a_team import OURS
from tests.test_command_line import README_MODEL
from tests.test_formats_json import validate, whole

from podproof.cli.options import with_own_names
from podproof.queries import pool
from podproof.queries.build import Subject, subject_of
from podproof.queries.versions import DEFAULT_VERSION, VERSIONS

GRACE = "grace_period_only_decreases"
SMALL = ("--scenario", "lone-pod", "--scenario", "orphan", "--property", GRACE)
KNOWN = ("check", "--version", "v1.29", "--version", "v1.35", *SMALL)
BOTH = (*KNOWN, "--strict")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "my_change.py"
    file.write_text(README_MODEL)
    return file


def found(*arguments: str, code: int) -> Any:
    result = run(*arguments, "-o", "json")
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def without_times(results: Any) -> list[Any]:
    times = ("exploreSeconds", "peakBytes", "solverSeconds")
    return [{key: value for key, value in result.items() if key not in times} for result in results]


def test_go_files_of_one_name_are_told_apart_by_their_folders() -> None:
    def read(folder: str, *more: str) -> Subject:
        file = Path(folder, "pod_workers.go")
        option = shlex.join(["--go", str(file), *more])
        return dataclasses.replace(subject_of("v1.36", None), name="pod_workers", file=file, option=option)

    release = subject_of("v1.36", None)
    names = [one.name for one in with_own_names([release, read("ours"), read("theirs")])]
    assert names == ["v1.36", "ours/pod_workers.go", "theirs/pod_workers.go"]
    twice = [one.name for one in with_own_names([read("ours"), read("ours", "--assume", "f($*) = ignore")])]
    assert twice == ["--go ours/pod_workers.go", "--go ours/pod_workers.go --assume 'f($*) = ignore'"]


@pytest.mark.slow
def test_the_document_has_what_each_says_by_itself(model: Path) -> None:
    document = found(*BOTH, "--model", str(model), code=1)
    validate(document, whole())
    each = [
        found("check", *about, *SMALL, "--strict", code=code)
        for about, code in ((BOTH[1:3], 1), (BOTH[3:5], 0), (("--model", str(model)), 0))
    ]
    alone = [result for one in each for result in one["results"]]
    assert without_times(document["results"]) == without_times(alone)
    assert [(r["version"], r["scenario"]) for r in alone[::2]] == [
        (name, "lone-pod") for name in ("v1.29", "v1.35", "my_change")
    ]
    assert document["statuses"] == {GRACE: "VIOLATED"} and document["exitCode"] == 1


@pytest.mark.slow
def test_the_table_has_each_and_what_differs_between_them() -> None:
    text = run(*BOTH).stdout
    cells = [line.split() for line in text.splitlines()]
    assert ["v1.29", "✓", "✗1", "exit", "code", "1,", "1", "known"] in cells
    assert ["v1.35", "✓", "✓", "exit", "code", "0"] in cells
    assert [GRACE, "✗5", "✓"] in cells
    assert "v1.35: 1 claim holds" not in text and "v1.29: 1 claim is violated (1 known)" in text
    assert "Exit code 1: v1.29: a claim is violated (--strict)." in text
    assert "v1.35   environment" in run(*BOTH, "-v").stdout or "v1.35  orphan" in run(*BOTH, "-v").stdout
    assert "Versions and models" not in run(*BOTH, "-q").stdout
    same = run("check", "--version", "v1.32", "--version", "v1.35", *SMALL)
    assert same.exit_code == 0 and "What differs" not in same.stdout


@pytest.mark.slow
def test_what_is_known_of_one_passes_and_is_told() -> None:
    known = run(*KNOWN)
    assert known.exit_code == 0 and "exit code 0, 1 known" in known.stdout
    assert "Exit code 0: v1.29: nothing is worse than what is known; v1.35: all claims hold." in known.stdout


@pytest.mark.slow
def test_every_format_says_whose_a_finding_is(tmp_path: Path) -> None:
    files = {form: tmp_path / form for form in ("junit", "sarif", "markdown", "github")}
    outputs = (text for form, file in files.items() for text in ("--output-file", f"{form}={file}"))
    run(*BOTH, *outputs)
    suites = ElementTree.parse(files["junit"]).getroot().findall("testsuite")
    names = [f"{version}.{scenario}" for version in ("v1.29", "v1.35") for scenario in ("lone-pod", "orphan")]
    assert [suite.get("name") for suite in suites] == names
    assert [len(suite.findall("testcase/failure")) for suite in suites] == [0, 1, 0, 0]
    line = "podproof check --version v1.29 --version v1.35 --scenario lone-pod"
    assert line in files["junit"].read_text() and "v1.29" in files["sarif"].read_text()
    page = files["markdown"].read_text()
    assert "# podproof check: v1.29, v1.35" in page and "`v1.29 orphan` (5 steps)" in page


@pytest.mark.slow
def test_how_many_processes_does_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    texts = []
    for count in (1, 2):
        monkeypatch.setattr(pool, "processors", lambda count=count: count)
        texts.append(run(*BOTH, "-v").stdout)
    assert _without_stats(texts[0]) == _without_stats(texts[1])


def _without_stats(text: str) -> list[str]:
    return [line for line in text.splitlines() if "states/s" not in line]


@pytest.mark.slow
def test_files_of_one_name_are_told_apart(model: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / model.name
    other.parent.mkdir()
    other.write_text(README_MODEL.replace("min(", "max("))
    asked = ("check", "--model", str(model), "--model", str(other), "--model", str(model), *SMALL)
    versions = [result["version"] for result in found(*asked, code=0)["results"]]
    assert versions == [str(model)] * 2 + [str(other)] * 2


@pytest.mark.slow
def test_patterns_and_all_name_several(model: Path, tmp_path: Path) -> None:
    (tmp_path / "another.py").write_text(README_MODEL)
    ask = ("--scenario", "lone-pod", "--property", GRACE)
    document = found("check", "--model", str(tmp_path / "*.py"), *ask, code=0)
    assert [result["version"] for result in document["results"]] == ["another", "my_change"]
    document = found("check", "--version", "all", "--model", str(model), *ask, code=0)
    assert [result["version"] for result in document["results"]] == [
        *(name for name in VERSIONS if name != "v1.20"),
        "my_change",
    ]
    document = found("check", "--version", "latest", "--version", DEFAULT_VERSION, *ask, code=0)
    assert [result["version"] for result in document["results"]] == [DEFAULT_VERSION]


def test_a_file_whose_name_is_a_pattern_is_that_file(tmp_path: Path) -> None:
    file = tmp_path / "change[1].py"
    file.write_text(README_MODEL)
    (result,) = found("check", "--model", str(file), "--scenario", "lone-pod", "--property", GRACE, code=0)["results"]
    assert result["version"] == "change[1]"


@pytest.mark.slow
def test_claims_of_a_team_are_asked_of_all_and_those_of_a_model_of_it(model: Path, tmp_path: Path) -> None:
    ours = tmp_path / "ours.py"
    ours.write_text(OURS)
    own = OURS.replace("killed_once", "killed_by_us").replace("our-node", "its-node")
    model.write_text(README_MODEL + own[own.index("from dataclasses") :])
    asked = ("check", "--version", "v1.29", "--model", str(model), "--claims", str(ours))
    results = found(*asked, "--scenario", "our-node", "--property", "killed_once", code=0)["results"]
    assert [result["version"] for result in results] == ["v1.29", "my_change"]
    result = run(*asked, "--scenario", "its-node", "--property", "killed_by_us", "-o", "json")
    assert [result["version"] for result in json.loads(result.stdout)["results"]] == ["my_change"]


@pytest.mark.slow
def test_a_version_that_no_claim_is_about_is_told() -> None:
    result = run("check", "--version", "v1.20", *BOTH[1:])
    assert result.exit_code == 1 and "none of these claims is about any of these scenarios of v1.20" in result.stderr
    assert "v1.20" not in result.stdout


@pytest.mark.slow
def test_what_one_of_them_was_is_not_explored_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODPROOF_CACHE", str(tmp_path / "kept"))
    for version in ("v1.29", "v1.35"):
        run("check", "--version", version, *SMALL)
    again = run(*BOTH)
    assert "nothing has changed: this is the cached answer" in again.stderr


@pytest.mark.slow
def test_a_configuration_may_name_several(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "podproof.toml").write_text('[check]\nversion = ["v1.29", "v1.35"]\nscenario = "lone-pod"\n')
    versions = [r["version"] for r in found("check", "--property", GRACE, code=0)["results"]]
    assert versions == ["v1.29", "v1.35"]
    (tmp_path / "my_change.py").write_text(README_MODEL)
    versions = [r["version"] for r in found("check", "--model", "my_change.py", "--property", GRACE, code=0)["results"]]
    assert versions == ["my_change"]


@pytest.mark.slow
def test_liveness_is_asked_of_each() -> None:
    asked = ("--liveness", "--scenario", "lone-pod", "--property", "terminating_pods_are_terminated")
    results = found("check", *BOTH[1:5], *asked, code=0)["results"]
    assert [(r["version"], r["scenario"]) for r in results] == [("v1.29", "lone-pod"), ("v1.35", "lone-pod")]


@pytest.mark.slow
def test_what_comes_next_is_a_review_of_what_was_checked(model: Path, tmp_path: Path) -> None:
    ours = tmp_path / "our claims.py"
    ours.write_text(OURS)
    text = run("check", "--model", str(model), "--claims", str(ours), *SMALL).stdout
    (command,) = re.findall(r"podproof (review .*?)  +is it worse than v1.29\?$", text, re.MULTILINE)
    assert run(*shlex.split(command), "--scenario", "lone-pod").exit_code in (0, 1)
    text = run("check", "--version", "v1.29", *SMALL).stdout
    assert "podproof review main...HEAD  " in text and "podproof review" not in run(*KNOWN).stdout
