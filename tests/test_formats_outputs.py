"""Files of results: looked at before the work begins, written whole or not at all, and nothing lost."""

from __future__ import annotations

import json
import os
from pathlib import Path
from xml.etree import ElementTree

import pytest
from click.testing import CliRunner
from tests.command_line import run_v1_29 as run

from podproof.checker.core.system import CheckerError
from podproof.cli.main import main
from podproof.cli.outputs import FORMS, write_whole
from podproof.queries import checking

CHECK = ("check", "--scenario", "orphan", "--property", "terminated_pods_never_restart")


def test_every_format_can_be_written_beside_the_main_one(tmp_path: Path) -> None:
    files = [f"--output-file={form}={tmp_path / 'new' / 'folder' / form}" for form in FORMS]
    result = run(*CHECK, *files)
    assert result.exit_code == 0, result.output
    folder = tmp_path / "new" / "folder"
    assert sorted(path.name for path in folder.iterdir()) == sorted(FORMS)
    assert (folder / "text").read_text(encoding="utf-8") == result.stdout
    assert json.loads((folder / "json").read_text())["kind"] == "check"
    assert ElementTree.parse(folder / "junit").getroot().tag == "testsuites"
    assert all(f"wrote {folder / form}" in result.stderr for form in FORMS)
    assert "wrote" not in run(*CHECK, *files, "-q").stderr


def test_colour_is_for_the_terminal_and_never_in_a_file(tmp_path: Path) -> None:
    result = CliRunner().invoke(
        main, [*CHECK, "--color", "always", f"--output-file=text={tmp_path / 'text'}"], color=True
    )
    assert "\x1b[" in result.stdout
    assert "\x1b[" not in (tmp_path / "text").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("command", [CHECK, ("review", "v1.29", "v1.29", "--scenario", "orphan")])
def test_a_path_without_a_format_takes_the_main_one(command: tuple[str, ...], tmp_path: Path) -> None:
    result = run(*command, "-o", "markdown", "--output-file", str(tmp_path / "page.md"))
    assert result.exit_code == 0 and result.stdout == ""
    assert (tmp_path / "page.md").read_text(encoding="utf-8").startswith("## ")


def test_a_dash_is_standard_output_and_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    result = run(*CHECK, "--output-file", "page.txt", "--output-file", "junit=-")
    assert result.exit_code == 0, result.output
    assert ElementTree.fromstring(result.stdout).tag == "testsuites"
    shown = run(*CHECK, "--output-file", "-").stdout
    assert shown.startswith("v1.29  orphan") and Path("page.txt").read_text(encoding="utf-8").startswith("v1.29")
    assert json.loads(run(*CHECK, "-o", "json", "--output-file", "json=-").stdout)["kind"] == "check"
    assert [path.name for path in tmp_path.iterdir()] == ["page.txt"]
    assert run(*CHECK, "--output-file", "text=./-").exit_code == 0 and Path("./-").is_file()


def test_a_dash_is_standard_output_for_what_has_no_formats(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    command = ("diagram", "--scenario", "orphan")
    assert run(*command, "--output-file", "-").stdout == run(*command).stdout != ""
    assert list(tmp_path.iterdir()) == []


def test_a_dash_in_a_configuration_is_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "below").mkdir()
    (tmp_path / "podproof.toml").write_text('[check]\noutput-file = ["text.txt", "json=-"]\n')
    monkeypatch.chdir(tmp_path / "below")
    assert json.loads(run(*CHECK).stdout)["kind"] == "check"
    assert (tmp_path / "text.txt").is_file()


def never(*_: object) -> None:
    raise AssertionError("the work has begun")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--output-file", "junit=file/below.xml"), "a part of this path is a file and no folder"),
        (("--output-file", "json=."), "this is a folder; name a file"),
        (("--output-file", "jsn=out.json"), "there is no format 'jsn' here; did you mean 'json'?"),
        (("--output-file", "json="), "the path is missing; write FORMAT=PATH"),
        (("--output-file", "json=a", "--output-file", "sarif=./a"), "it is named twice"),
        (("--output-file", "junit=-"), "standard output has text already, and it takes one format; write -o junit"),
        (("--output-file", "a", "--output-file", "b"), "-o text goes to a already; say which format"),
    ],
)
def test_what_cannot_be_written_is_told_before_the_work_begins(
    arguments: tuple[str, ...], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    monkeypatch.setattr(checking, "explore", never)
    result = run(*CHECK, *arguments)
    assert result.exit_code == 2, result.output
    assert message in result.stderr and result.stderr.startswith("error: --output-file ")
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_the_environments_folder_is_looked_at_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ARTIFACTS", str(tmp_path / "file"))
    monkeypatch.setattr(checking, "explore", never)
    result = run(*CHECK)
    assert result.exit_code == 2 and "the environment's ARTIFACTS=" in result.stderr


@pytest.mark.slow
def test_prows_folder_gets_junit_files_and_none_replaces_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ARTIFACTS", str(tmp_path / "artifacts"))
    for arguments in (CHECK, CHECK, ("review", "v1.29", "v1.29", "--scenario", "orphan")):
        assert run(*arguments).exit_code == 0
    names = ["junit_podproof_check.xml", "junit_podproof_check_2.xml", "junit_podproof_review.xml"]
    assert sorted(path.name for path in (tmp_path / "artifacts").iterdir()) == names


def test_a_file_that_cannot_be_finished_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "result.json"
    path.write_text("before")

    def full(self: Path, content: bytes) -> int:
        with self.open("wb") as file:
            file.write(content[:3])
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_bytes", full)
    with pytest.raises(CheckerError, match="No space left on device"):
        write_whole(path, "after")
    assert path.read_text() == "before" and [p.name for p in tmp_path.iterdir()] == ["result.json"]


def test_a_link_its_mode_and_a_device_stay_what_they_are(tmp_path: Path) -> None:
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_text("before")
    target.chmod(0o640)
    link.symlink_to(target)
    write_whole(link, "after")
    assert link.is_symlink() and target.read_text() == "after" and target.stat().st_mode & 0o777 == 0o640
    write_whole(Path(os.devnull), "gone")
    assert Path(os.devnull).is_char_device()


def test_letters_that_utf_8_does_not_have_are_written_as_codes(tmp_path: Path) -> None:
    write_whole(tmp_path / "text", "a\udcffb")
    assert (tmp_path / "text").read_text() == r"a\udcffb"


def test_the_same_run_gives_the_same_bytes(tmp_path: Path) -> None:
    forms = ("text", "sarif", "github", "markdown")
    for turn in ("once", "again"):
        run(*CHECK, *(f"--output-file={form}={tmp_path / turn / form}" for form in forms))
    assert all((tmp_path / "once" / f).read_bytes() == (tmp_path / "again" / f).read_bytes() for f in forms)
