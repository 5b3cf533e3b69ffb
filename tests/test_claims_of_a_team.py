"""Claims and scenarios that stand beside podproof: in files that the configuration names, or in installed packages."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.command_line import run, run_or_export
from tests.test_baseline import IGNORES_UPDATES

from podproof.queries.model_file import installed_claims

OURS = '''
"""What a team holds the kubelet to."""

from dataclasses import replace

from podproof.model.kubelet import Kubelet
from podproof.model.scenarios import SCENARIOS
from podproof.specs.claim import claim


@claim("step", source="an incident")
def killed_once(before: Kubelet, after: Kubelet) -> bool:
    """A pod that terminates goes on to."""
    return not before.pod_sync_statuses[0].terminating_at or after.pod_sync_statuses[0].terminating_at


OUR_NODE = replace(SCENARIOS["lone-pod"], name="our-node", kills=1, by_default=False)
'''
ASKED = ("--scenario", "our-node", "--property", "killed_once")


@pytest.fixture
def ours(tmp_path: Path) -> str:
    file = tmp_path / "ours.py"
    file.write_text(OURS)
    return str(file)


@pytest.mark.slow
def test_they_are_asked_of_a_release_and_of_a_proposal(ours: str, tmp_path: Path) -> None:
    proposal = tmp_path / "change.py"
    proposal.write_text(IGNORES_UPDATES)
    for subject in (("--version", "v1.26"), ("--model", str(proposal))):
        found = run("check", *subject, "--claims", ours, *ASKED)
        assert found.exit_code == 0 and "1 claim: 1 HOLD" in found.stdout, found.output


def test_what_is_violated_is_told_with_the_command_that_shows_it_again(ours: str, tmp_path: Path) -> None:
    file = tmp_path / "forgetful.py"
    file.write_text(OURS.replace("return not", "return") + "# and a comment\n")
    found = run("check", "--claims", str(file), *ASKED, "-o", "json")
    assert found.exit_code == 1
    assert json.loads(found.stdout)["statuses"] == {"killed_once": "VIOLATED"}
    assert f"--claims {file} --scenario our-node" in found.stdout
    test = run("check", "--claims", str(file), *ASKED, "-o", "go-test").stdout
    assert "// A pod that terminates goes on to.\n" in test and f"--claims {file}" in test


@pytest.mark.slow
def test_a_diagram_of_one_can_be_checked(ours: str, tmp_path: Path) -> None:
    drawn, file = tmp_path / "ours.mmd", Path(ours)
    file.write_text(OURS.replace("return not", "return"))
    options = ("--claims", ours, "--scenario", "our-node", "--trace", "killed_once", "-o", "mermaid")
    assert run("diagram", *options, "--output-file", str(drawn)).exit_code == 0
    assert run("diagram", "--check", str(drawn)).exit_code == 0
    file.write_text(OURS)
    assert "killed_once" in run("diagram", "--check", str(drawn)).stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "code", "words"),
    [
        (("prove", *ASKED), 0, "PROVED"),
        (("prove", "--pods", *ASKED), 0, "killed_once"),
        (
            ("review", "v1.29", "v1.32", "--scenario", "our-node", "--exit-on", "difference"),
            1,
            "--scenario our-node --claims",
        ),
        (("export", "tla", "--scenario", "our-node"), 0, "killed_once"),
        (("explain", "killed_once"), 0, "A pod that terminates goes on to."),
        (("explain", "our-node"), 0, "1 killPodNow call"),
        (("explain", "kiled_once"), 2, "did you mean 'killed_once'?"),
    ],
    ids=lambda part: part[0] if isinstance(part, tuple) else None,
)
def test_commands_know_them(ours: str, command: tuple[str, ...], code: int, words: str) -> None:
    found = run_or_export(*command, "--claims", ours, *(("-v",) if command[0] != "export" else ()))
    assert found.exit_code == code and words in " ".join(found.output.split()), found.output


def test_the_configuration_names_them(ours: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "podproof.toml").write_text('claims = ["ours.py"]\n')
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert run("check", *ASKED).exit_code == 0
    assert "A pod that terminates goes on to." in run("explain", "killed_once").stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "it has no claim and no scenario"),
        (f"{OURS}\nfrom podproof.model.releases import V1_29\nclass C(V1_29):\n    pass\n", "C overrides a release"),
        (OURS.replace('"our-node"', '"orphan"'), "a scenario of the file is called 'orphan'"),
        (OURS.replace("before: Kubelet", "before: int"), "must be a PodWorkers"),
        (OURS.replace("def killed_once", "def pods_terminate_once"), None),
        ("1/0", "ZeroDivisionError: division by zero; the file cannot be imported"),
    ],
    ids=["empty", "a release", "a known scenario", "about nothing", "another name", "an error"],
)
def test_what_would_have_no_effect_is_refused(tmp_path: Path, text: str, words: str | None) -> None:
    file = tmp_path / "ours.py"
    file.write_text(text)
    found = run("check", "--claims", str(file), "--scenario", "lone-pod", "-q")
    if words is None:
        assert found.exit_code == 0
    else:
        assert found.exit_code == 2 and words in found.stderr


def test_two_of_one_name_are_refused(ours: str, tmp_path: Path) -> None:
    other = tmp_path / "theirs.py"
    other.write_text(OURS.replace("our-node", "their-node"))
    found = run("check", "--claims", ours, "--claims", str(other), *ASKED)
    assert found.exit_code == 2 and "there is another 'killed_once' beside it" in found.stderr
    assert run("check", "--claims", ours, "--claims", ours, *ASKED).exit_code == 0


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An installed package with an entry point; its module."""
    about = tmp_path / "ours-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: ours\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[podproof.claims]\nours = our_claims\n")
    monkeypatch.syspath_prepend(tmp_path)
    installed_claims.cache_clear()
    yield tmp_path / "our_claims.py"
    installed_claims.cache_clear()
    sys.modules.pop("our_claims", None)


def test_an_installed_package_brings_its_own(package: Path) -> None:
    package.write_text(OURS)
    assert run("check", *ASKED).exit_code == 0
    assert "A pod that terminates goes on to." in run("explain", "killed_once").stdout


@pytest.mark.parametrize(("text", "words"), [("import nothing_at_all", "no module named"), ("", "no claim")])
def test_one_that_is_broken_is_named(package: Path, text: str, words: str) -> None:
    package.write_text(text)
    found = run("check", "--scenario", "lone-pod")
    assert found.exit_code == 2 and words in found.stderr.lower() and "our_claims" in found.stderr
