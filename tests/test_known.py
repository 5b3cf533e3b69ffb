"""What is known to be violated passes: what is recorded of a release, and what a team lists in its configuration."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import run
from tests.format_runs import GRACE
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
