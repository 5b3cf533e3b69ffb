"""What is known to be violated passes: what is recorded of a release, and what a team lists in its configuration."""

from __future__ import annotations

import json
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest
from tests.command_line import run
from tests.format_runs import GRACE, NEVER
from tests.test_baseline import CLOSED, KEEPS_ORPHANS
from tests.test_claims_of_a_team import OURS

FORGETS, TERMINATES = "housekeeping_forgets_what_is_done", "removed_pods_are_terminated_by_housekeeping"
SMALL = ("--scenario", "deleted-and-killed", "--property", GRACE)
ORPHANS = ("--scenario", "static-removed", "--property", FORGETS, "--property", TERMINATES)


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with a proposal that is worse than its release."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "change.py").write_text(KEEPS_ORPHANS)
    return tmp_path


def known(project: Path, text: str, model: str = 'model = "change.py"\n') -> None:
    (project / "podproof.toml").write_text(f"{model}[known]\n{text}")


# -- what is recorded of a release -------------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "prove"])
def test_a_recorded_violation_passes_and_is_a_fault_to_strict(command: str) -> None:
    asked = (command, "--version", "v1.29", *SMALL)
    found = run(*asked)
    assert found.exit_code == 0 and f"KNOWN     {GRACE}" in found.stdout and "#115819" in found.stdout
    assert "1 VIOLATED (1 known). Exit code 0: nothing is worse than what is known." in found.stdout
    strict = run(*asked, "--strict")
    assert strict.exit_code == 1
    assert "Exit code 1: a claim is violated (--strict)." in " ".join(strict.stdout.split())
    document = json.loads(run(*asked, "-o", "json").stdout)
    claim = next(c for c in document["results"][0]["properties"] if c["id"] == GRACE)
    assert (document["exitCode"], claim["status"], claim["baseline"]["state"]) == (0, "VIOLATED", "KNOWN")
    assert claim["baseline"]["reason"] == claim["known"] and "listed" not in claim["baseline"]


@pytest.mark.slow
def test_so_does_one_of_a_claim_about_runs() -> None:
    asked = ("check", "--version", "v1.29", "--liveness", "--scenario", "one-pod")
    found = run(*asked)
    assert found.exit_code == 0 and "KNOWN" in found.stdout
    assert run(*asked, "--strict").exit_code == 1


def test_quiet_tells_only_what_is_worse() -> None:
    assert GRACE not in run("check", "-q", "--version", "v1.29", *SMALL).stdout
    assert f"KNOWN     {GRACE}" in run("check", "-q", "--strict", "--version", "v1.29", *SMALL).stdout


@pytest.mark.parametrize(("since", "code"), [("1.22.0", 0), ("1.36.0", 1)])
def test_a_teams_own_claim_is_known_where_the_team_records_it(since: str, code: int, tmp_path: Path) -> None:
    file = tmp_path / "ours.py"
    record = f'"an incident", violations=(broken("an incident of ours", since="{since}"),)'
    text = OURS.replace('"an incident"', record).replace("import claim", "import broken, claim")
    file.write_text(text.replace("return not", "return"))
    asked = ("--claims", str(file), "--scenario", "our-node", "--property", "killed_once")
    found = run("check", "--version", "v1.29", *asked)
    assert found.exit_code == code, found.output
    assert ("an incident of ours" in found.stdout and "KNOWN" in found.stdout) is (code == 0)
    assert run("check", "--version", "v1.36.3", *asked).exit_code == 0


def test_the_page_says_what_is_known(tmp_path: Path) -> None:
    assert run("check", "--version", "v1.29", *SMALL, "--report-dir", str(tmp_path)).exit_code == 0
    page = (tmp_path / "index.html").read_text(encoding="utf-8")
    assert "1 of them no worse than what is known" in page and "in 1 of 1 scenario; known: #115819" in page


# -- what a team lists -------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_what_is_worse_passes_where_it_is_listed_with_its_reason(project: Path) -> None:
    known(project, f'{FORGETS} = "we keep orphans"\n{TERMINATES}.static-removed = "see ISSUE-12"\n')
    found = run("check", *ORPHANS)
    text = " ".join(found.stdout.split())
    assert found.exit_code == 0 and f"KNOWN {FORGETS}" in text and "shortest; we keep orphans" in text
    assert "2 VIOLATED (2 known)" in text and "see ISSUE-12" in text
    assert run("check", *ORPHANS, "--strict").exit_code == 1
    (result,) = json.loads(run("check", *ORPHANS, "-o", "json").stdout)["results"]
    assert {c["baseline"]["reason"] for c in result["properties"]} == {"we keep orphans", "see ISSUE-12"}
    assert all(c["baseline"]["listed"] and c["baseline"]["state"] == "KNOWN" for c in result["properties"])
    assert "::error" not in (github := run("check", *ORPHANS, "-o", "github").stdout)
    assert "title=known of change%3A 2 claims::" in github and "we keep orphans" in github
    suite = ElementTree.fromstring(run("check", *ORPHANS, "-o", "junit").stdout)
    assert suite.get("failures") == "0" and suite.get("skipped") == "2"
    page = run("check", *ORPHANS, "-o", "markdown").stdout
    assert "**PASSED**" in page and f"| - | `{FORGETS}` | KNOWN: " in page


@pytest.mark.slow
def test_what_is_not_listed_is_worse_all_the_same(project: Path) -> None:
    known(project, f'{FORGETS} = "we keep orphans"\n{TERMINATES}.orphan = "elsewhere"\n')
    found = run("check", *ORPHANS)
    assert found.exit_code == 1 and f"NEW       {TERMINATES}" in found.stdout
    assert "(callers" not in found.stdout and "1 known" in found.stdout
    errors = [line for line in run("check", *ORPHANS, "-o", "github").stdout.splitlines() if "::error" in line]
    assert len(errors) == 1 and TERMINATES in errors[0]
    (log,) = json.loads(run("check", *ORPHANS, "-o", "sarif").stdout)["runs"]
    assert {r["ruleId"]: (r["level"], r["baselineState"], bool(r["suppressions"])) for r in log["results"]} == {
        FORGETS: ("note", "unchanged", True),
        TERMINATES: ("error", "new", False),
    }


def test_what_is_inherited_has_the_reason_that_is_listed(project: Path) -> None:
    known(project, 'terminated_pods_run_no_containers = "ours to mend"\n')
    found = run("check", "--scenario", "static-removed", "--property", "terminated_pods_run_no_containers")
    assert found.exit_code == 0 and "KNOWN" in found.stdout and "ours to mend" in found.stdout


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "prove"])
@pytest.mark.parametrize("entry", [NEVER, f"{NEVER}.orphan"])
def test_what_is_listed_and_holds_is_mended(entry: str, command: str, project: Path) -> None:
    known(project, f'{entry} = "an old fault"\n')
    asked = (command, "--scenario", "orphan", "--property", NEVER)
    found = run(*asked)
    text = " ".join(found.stdout.split())
    assert found.exit_code == 0, found.output
    assert f"MENDED {NEVER} podproof.toml: [known] lists it (an old fault), and it holds in " in text
    assert "take it out" in text
    strict = run(*asked, "--strict")
    assert strict.exit_code == 1 and f"what is listed as known holds (--strict): {NEVER}" in " ".join(
        strict.stdout.split()
    )
    failed = ElementTree.fromstring(run(*asked, "--strict", "-o", "junit").stdout)
    assert failed.get("failures") == "1"
    github = run(*asked, "-o", "github").stdout
    assert f"::notice title={NEVER} is mended::" in github and "::error" not in github


@pytest.mark.slow
def test_it_is_not_mended_where_it_is_violated_in_another_scenario_or_undecided(project: Path) -> None:
    (project / "closed.py").write_text(CLOSED)
    claim = "grace_period_reaches_the_kill"
    known(project, f'{claim} = "as before"\n', 'model = "closed.py"\n')
    asked = ("check", "--property", claim, "--scenario")
    both = run(*asked, "uid-reuse", "--scenario", "lone-pod")
    assert both.exit_code == 0 and "MENDED" not in both.stdout and "known" in both.stdout
    assert "MENDED" in run(*asked, "lone-pod").stdout
    open_ = run(*asked, "lone-pod", "--max-depth", "3")
    assert open_.exit_code == 4 and "MENDED" not in open_.stdout


def test_what_is_known_of_the_model_says_nothing_of_a_release_that_is_asked_about_instead(project: Path) -> None:
    known(project, f'{NEVER} = "of our fork"\nof_the_fork_alone = "too"\n')
    found = run("check", "--version", "v1.29", "--scenario", "orphan", "--property", NEVER, "--strict")
    assert found.exit_code == 0 and "MENDED" not in found.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("configured", "typed", "code"),
    [
        ("model = 'change.py'", "--model other.py", 1),
        ("model = 'change.py'", "--model change.py --model other.py", 1),
        ("model = 'change.py'", "--model ./change.py", 0),
        ("model = ['change.py', 'other.py']", "--model other.py", 0),
        ("version = 'v1.35'", "--model other.py", 1),
        ("", "--model other.py", 0),
    ],
)
def test_what_is_known_is_so_of_what_the_file_is_about(configured: str, typed: str, code: int, project: Path) -> None:
    (project / "other.py").write_text(KEEPS_ORPHANS)
    known(project, f'{FORGETS} = "we keep orphans"\n', f"{configured}\n")
    found = run("check", "--scenario", "static-removed", "--property", FORGETS, *typed.split())
    assert found.exit_code == code, found.output
    assert ("KNOWN" in found.stdout) is (code == 0)


@pytest.mark.slow
def test_without_the_configuration_nothing_is_listed(project: Path) -> None:
    known(project, f'{FORGETS} = "we keep orphans"\n{TERMINATES} = "too"\n')
    assert run("check", "--config", os.devnull, "--model", "change.py", *ORPHANS).exit_code == 1
    (project / "podproof.toml").rename(project / "other.toml")
    assert run("check", "--config", "other.toml", *ORPHANS).exit_code == 0


def test_in_pyproject_toml_it_is_a_table_of_the_tool(project: Path) -> None:
    text = f'[tool.podproof]\nmodel = "change.py"\n[tool.podproof.known]\n{FORGETS} = "a"\n{TERMINATES} = "b"\n'
    (project / "pyproject.toml").write_text(text)
    assert run("check", *ORPHANS).exit_code == 0
    (project / "pyproject.toml").write_text(text.replace(FORGETS, "forgets"))
    assert "pyproject.toml: [tool.podproof.known] forgets: there is no claim" in run("check", *ORPHANS).stderr


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (
            "evictions_are_recordet",
            "[known] evictions_are_recordet: there is no claim 'evictions_are_recordet'; did you",
        ),
        ("zzz", "[known] zzz: there is no claim 'zzz'; see `podproof explain properties`"),
        (f"{NEVER}.one-pd", f"[known] {NEVER}.one-pd: there is no scenario 'one-pd'; did you mean 'one-pod'"),
    ],
)
@pytest.mark.parametrize("command", ["check", "prove"])
def test_an_entry_that_names_nothing_is_refused_before_any_work(
    entry: str, words: str, command: str, project: Path
) -> None:
    known(project, f'{entry} = "why"\n')
    found = run(command, "--scenario", "three-pods")
    assert (found.exit_code, found.stdout) == (2, "") and f"podproof.toml: {words}" in found.stderr


@pytest.mark.slow
def test_other_commands_accept_the_table(project: Path) -> None:
    known(project, f'{NEVER} = "why"\n', "")
    assert run("review", "v1.35", "v1.35", "--scenario", "lone-pod").exit_code == 0


# -- what is undecided -------------------------------------------------------------------------------------------------


def test_undecided_ok_gives_exit_code_0_and_says_so() -> None:
    arguments = ("check", "--version", "v1.29", "--scenario", "orphan", "--property", NEVER, "--max-depth", "4")
    assert run(*arguments).exit_code == 4
    assert run(*arguments, "--undecided", "fail").stdout == run(*arguments).stdout
    result = run(*arguments, "--undecided", "ok")
    assert result.exit_code == 0
    assert "UNKNOWN" in result.stdout and "--undecided ok" in result.stdout


@pytest.mark.slow
def test_an_undecided_comparison_may_pass() -> None:
    arguments = ("review", "v1.29", "v1.32", "--scenario", "orphan", "--max-states", "50")
    assert run(*arguments).exit_code == 4
    passed = run(*arguments, "--undecided", "ok")
    assert passed.exit_code == 0 and "UNDECIDED" in passed.stdout
