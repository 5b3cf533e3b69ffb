"""--expect, --write-expect and --undecided: verdicts compared with a file, or written into it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.command_line import run_v1_29 as run
from tests.format_runs import GRACE, NEVER

SMALL = ("--scenario", "orphan", "--property", NEVER, "--property", GRACE, "--property", "an_orphan_is_killed")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "expected.txt"
    result = run("check", *SMALL, "--write-expect", str(path))
    assert result.exit_code == 0, result.output
    assert "has these verdicts now" in result.stdout
    return path


def test_a_violation_that_is_expected_ends_with_exit_code_0(file: Path) -> None:
    result = run("check", *SMALL, "--expect", str(file))
    assert result.exit_code == 0
    assert "VIOLATED" in result.stdout
    assert f"3 verdicts as in {file}" in " ".join(result.stdout.split())
    document = json.loads(run("check", *SMALL, "--expect", str(file), "-o", "json").stdout)
    assert document["exitCode"] == 0
    assert document["expected"] == {"file": str(file), "asExpected": True, "deviations": []}


def test_a_deviation_ends_with_exit_code_1_and_is_told_at_the_end(file: Path) -> None:
    file.write_text(file.read_text().replace("VIOLATED    5", "HOLDS       -"))
    result = run("check", *SMALL, "--expect", str(file))
    assert result.exit_code == 1
    end = " ".join(result.stdout[result.stdout.rindex("  expected") :].split())
    assert f"worse v1.29 orphan: {GRACE}: expected HOLDS, found VIOLATED after 5 steps" in end
    assert f"Exit code 1: 1 deviation from {file}" in end
    document = json.loads(run("check", *SMALL, "--expect", str(file), "-o", "json").stdout)
    (only,) = document["expected"]["deviations"]
    assert (only["property"], only["direction"], document["exitCode"]) == (GRACE, "worse", 1)


def test_the_file_is_the_same_bytes_each_time(file: Path) -> None:
    before = file.read_bytes()
    run("check", *reversed_scenarios(SMALL), "--write-expect", str(file))
    assert file.read_bytes() == before


def reversed_scenarios(arguments: tuple[str, ...]) -> Iterator[str]:
    """The same options in the opposite order."""
    pairs = list(zip(arguments[::2], arguments[1::2], strict=True))
    return (part for pair in reversed(pairs) for part in pair)


def test_a_time_out_is_not_as_expected_and_is_not_written(file: Path) -> None:
    before = file.read_bytes()
    for option in ("--expect", "--write-expect"):
        result = run("check", *SMALL, "--max-depth", "4", "--undecided", "ok", option, str(file))
        assert result.exit_code == 4
        assert file.read_bytes() == before
    new = file.with_name("new.txt")
    result = run("check", *SMALL, "--max-depth", "4", "--write-expect", str(new))
    assert result.exit_code == 4 and f"{new} is not written" in " ".join(result.stdout.split())
    assert not new.exists()


def test_an_incomplete_search_is_not_written_though_its_claim_is_decided(tmp_path: Path) -> None:
    result = run("check", *SMALL[:2], "--property", GRACE, "--max-depth", "6", "--write-expect", str(tmp_path / "f"))
    assert result.exit_code == 4 and not (tmp_path / "f").exists()


def test_undecided_ok_gives_exit_code_0_and_says_so() -> None:
    arguments = ("check", "--scenario", "orphan", "--property", NEVER, "--max-depth", "4")
    assert run(*arguments).exit_code == 4
    assert run(*arguments, "--undecided", "fail").stdout == run(*arguments).stdout
    result = run(*arguments, "--undecided", "ok")
    assert result.exit_code == 0
    assert "UNKNOWN" in result.stdout and "--undecided ok" in result.stdout


def test_proofs_are_expected_without_a_number_of_states(tmp_path: Path) -> None:
    file = tmp_path / "proofs.txt"
    chosen = ("prove", "--scenario", "lone-pod", "--property", NEVER)
    assert run(*chosen, "--write-expect", str(file)).exit_code == 0
    assert "v1.29 lone-pod:\n" in file.read_text()
    assert f"  PROVED      -  {NEVER}\n" in file.read_text()
    assert run(*chosen, "--expect", str(file)).exit_code == 0
    file.write_text(file.read_text().replace("PROVED      -", "VIOLATED    3"))
    result = run(*chosen, "--expect", str(file))
    assert result.exit_code == 1 and "better" in result.stdout
    assert run(*chosen, "--timeout", "0s", "--expect", str(file)).exit_code == 4
    refused = run("check", "--scenario", "lone-pod", "--expect", str(file))
    assert refused.exit_code == 2 and "another command" in refused.stderr


@pytest.mark.parametrize(
    ("option", "make", "words"),
    [
        ("--expect", None, "no such file; write it with `podproof check --write-expect"),
        ("--expect", Path.mkdir, "this is a folder"),
        ("--expect", lambda path: path.write_bytes(b"\xff\x00"), "no text in UTF-8"),
        ("--write-expect", Path.mkdir, "no plain file"),
        ("--write-expect", lambda path: path.write_text("# my notes\n"), "does not begin with"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_and_kept(
    option: str, make: Callable[[Path], object] | None, words: str, tmp_path: Path
) -> None:
    path = tmp_path / "f.txt"
    if make is not None:
        make(path)
    before = path.read_bytes() if path.is_file() else None
    result = run("check", *SMALL, option, str(path))
    assert result.exit_code == 2
    assert words in result.stderr and str(path) in result.stderr and result.stdout == ""
    assert "Traceback" not in result.output
    assert before is None or path.read_bytes() == before


@pytest.mark.parametrize("name", ["#x", "a\nb", "a #b", " a"])
def test_a_name_that_the_file_cannot_hold_is_refused(name: str, tmp_path: Path) -> None:
    model = tmp_path / f"{name}.py"
    model.write_text("from podproof.model.versions import V1_29\n\n\nclass MyChange(V1_29):\n    pass\n")
    result = run("check", "--model", str(model), "--write-expect", str(tmp_path / "f"))
    assert result.exit_code == 2 and result.stdout == ""
    assert "give the model file a name of letters" in result.stderr


def test_expecting_and_writing_at_once_is_refused(file: Path) -> None:
    result = run("check", *SMALL, "--expect", str(file), "--write-expect", str(file))
    assert result.exit_code == 2 and "give one" in result.stderr


def test_a_file_that_cannot_be_written_is_told_before_anything_is_explored(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    result = run("check", "--scenario", "three-pods", "--write-expect", str(tmp_path / "file" / "f"))
    assert result.exit_code == 2 and result.stdout == ""
    assert "--write-expect" in result.stderr and "name another" in result.stderr


def test_an_undecided_comparison_may_pass() -> None:
    arguments = ("diff", "v1.29", "v1.32", "--scenario", "orphan", "--max-states", "50")
    assert run(*arguments).exit_code == 4
    passed = run(*arguments, "--undecided", "ok")
    assert passed.exit_code == 0 and "UNDECIDED" in passed.stdout
