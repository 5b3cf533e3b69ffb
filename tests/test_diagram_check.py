"""`podproof diagram --check` says of committed diagrams whether they are current, and renews them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import Result
from tests import command_line
from tests.command_line import run_v1_29

from podproof.reports.render.forms import FORMS

ROOT = Path(__file__).parents[1]
DOCUMENTS = ("docs/lifecycle.md", "docs/images/lifecycle.svg")


def run(*arguments: str) -> Result:
    return run_v1_29("diagram", *arguments)


@pytest.mark.slow
def test_the_diagrams_in_the_documentation_are_current(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODPROOF_PLACES", "functions")
    result = run("--check", *(str(ROOT / name) for name in DOCUMENTS))
    assert result.exit_code == 0, result.output


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS)
def test_a_diagram_in_a_file_of_its_own_is_checked_and_renewed(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"chart.{form}"
    assert run("--scenario", "lone-pod", "--by", "finished", "-o", form, "--output-file", str(path)).exit_code == 0
    before = path.read_bytes()
    assert run("--check", str(path)).exit_code == 0
    changed = (
        before[:-20] + b"\1\2" + before[-18:] if form == "png" else before.replace(b"SyncTerminatedPod", b"SyncPod")
    )
    path.write_bytes(changed)
    result = run("--check", str(path))
    assert result.exit_code == 1 and f"-o {form} --output-file {path}" in result.stdout
    assert run("--check", "--write", str(path)).exit_code == 0
    assert path.read_bytes() == before


@pytest.mark.slow
def test_what_is_said_of_the_version_beside_a_go_file_is_said_again(tmp_path: Path) -> None:
    worker, drawn_of_go = ROOT / "tests" / "golang" / "pod_workers.go", tmp_path / "finished.mmd"
    what = ("--go", str(worker), "--version", "v1.32", "--scenario", "lone-pod", "--by", "finished", "-o", "mermaid")
    assert run_v1_29("diagram", *what, "--output-file", str(drawn_of_go)).exit_code == 0
    result = command_line.run("diagram", "--check", str(drawn_of_go))
    assert (result.exit_code, result.stdout) == (0, "1 of 1 diagrams in 1 file are current\n")
    drawn_of_go.write_text(drawn_of_go.read_text().replace("--go ", "--model "))
    result = command_line.run("diagram", "--check", str(drawn_of_go))
    assert result.exit_code == 2
    assert (
        "cannot be run: --version and --model: the class in the file says which release it overrides" in result.stderr
    )
