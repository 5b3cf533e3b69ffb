"""Claims and scenarios that stand beside podproof: in files that the configuration names, or in installed packages."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.command_line import run, run_or_export

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
def test_an_export_has_them(ours: str) -> None:
    found = run_or_export("export", "tla", "--scenario", "our-node", "--claims", ours)
    assert found.exit_code == 0 and "killed_once" in found.output, found.output


def test_the_configuration_names_them(ours: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "podproof.toml").write_text('claims = ["ours.py"]\n')
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    assert run("check", *ASKED).exit_code == 0
    assert "A pod that terminates goes on to." in run("explain", "killed_once").stdout


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
