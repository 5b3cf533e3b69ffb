"""`podproof diagram --check` says of committed diagrams whether they are current, and renews them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from click.testing import Result
from tests import command_line
from tests.command_line import run_v1_29

from podproof.queries.drawing import Request
from podproof.reports.render.forms import FORMS, diagram_bytes

ROOT = Path(__file__).parents[1]
DOCUMENTS = ("docs/lifecycle.md", "docs/images/lifecycle.svg")


def run(*arguments: str) -> Result:
    return run_v1_29("diagram", *arguments)


def diagram(fields: str, form: str) -> str:
    return diagram_bytes(Request("v1.29", None, "lone-pod", fields=fields).diagram(form), form).decode()


@pytest.mark.slow
def test_the_diagrams_in_the_documentation_are_current(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PODPROOF_PLACES", "functions")
    result = run("--check", *(str(ROOT / name) for name in DOCUMENTS))
    assert result.exit_code == 0, result.output


@pytest.fixture
def page(tmp_path: Path) -> Path:
    """A page with two diagrams, one of them in a list, and a block that is none of ours."""
    states = diagram("finished", "mermaid")
    other = diagram("working", "dot")
    indented = "".join(f"  {line}" for line in states.splitlines(keepends=True))
    path = tmp_path / "page.md"
    path.write_text(
        f"# Page ✓\n\n- item\n\n  ```mermaid\n{indented}  ```\n\n```mermaid\nflowchart TD\n a --> b\n```\n\n"
        f"~~~~dot\n{other}~~~~\n"
    )
    return path


def test_a_current_page_is_left_as_it_is(page: Path) -> None:
    before = page.read_text()
    result = run("--check", "--write", str(page))
    assert (result.exit_code, result.stdout) == (0, "2 of 2 diagrams in 1 file are current\n")
    assert page.read_text() == before


def test_a_page_that_is_out_of_date_says_where_and_how_to_renew_it(page: Path) -> None:
    before = page.read_text()
    page.write_text(before.replace("SyncTerminatedPod", "SyncPod").replace("completeWork", "old"))
    result = run("--check", str(page))
    assert result.exit_code == 1
    assert f"out of date  {page}:5: renew it with" in result.stdout
    assert "    podproof diagram --version v1.29 --scenario lone-pod --by finished -o mermaid" in result.stdout
    assert f"podproof diagram --check --write {page}" in result.stdout
    renewed = run("--check", "--write", str(page))
    assert renewed.exit_code == 0 and "2 renewed" in renewed.stdout
    assert page.read_text() == before


def test_files_without_diagrams_are_named_as_skipped_beside_one_that_has_some(page: Path, tmp_path: Path) -> None:
    picture, text = tmp_path / "photo.svg", tmp_path / "text.md"
    picture.write_text("<svg/>")
    text.write_text("# nothing\n")
    result = run("--check", str(picture), str(page), str(text))
    assert (result.exit_code, result.stdout) == (
        0,
        f"skipped      {picture}: nothing in it says `$ podproof diagram …`\n"
        f"skipped      {text}: no fenced block in it says `$ podproof diagram …`\n"
        "2 of 2 diagrams in 1 file are current\n",
    )
    result = run("--check", str(picture), str(text))
    assert result.exit_code == 2 and f"--check {picture} and others: nothing in it says" in result.stderr


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


PAGES: Mapping[str, tuple[str, str]] = {
    "without a diagram": ("# nothing\n", "no fenced block in it says `$ podproof diagram"),
    "of another format": ("```dot\n%% $ podproof diagram -o mermaid\n```\n", "write -o dot"),
    "with a wrong option": ("```dot\n// $ podproof diagram --livecycle -o dot\n```\n", "cannot be run: No such option"),
    "that writes": (
        "```dot\n// $ podproof diagram --output-file x -o dot\n```\n",
        "draws no diagram to standard output",
    ),
    "with an open quote": (
        "```dot\n// $ podproof diagram --by 'x -o dot\n```\n",
        "cannot be run: No closing quotation",
    ),
    "with an unknown version": ("```dot\n// $ podproof diagram --version v9 -o dot\n```\n", "no version 'v9'"),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_that_cannot_be_checked_is_an_error(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text, message = PAGES[name]
    path = tmp_path / "page.md"
    path.write_text(text)
    monkeypatch.chdir(tmp_path)  # One of them writes.
    result = run("--check", str(path))
    assert result.exit_code == 2 and message in result.stderr, result.output
    assert path.read_text() == text


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
