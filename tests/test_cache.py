"""`podproof check` again: the answer that was found before, where nothing has changed that it depends on."""

from __future__ import annotations

import hashlib
import json
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.command_line import run
from tests.exploring import explored as explored_here
from tests.test_baseline import IGNORES_UPDATES

from podproof.checker.core.baseline import Baseline, BaselineState
from podproof.checker.engines.compiled import Compiled
from podproof.queries import cache
from podproof.queries.build import subject_of
from podproof.queries.checking import CheckQuery
from podproof.queries.search import SearchOptions

SAME = "nothing has changed"
CHANGE = IGNORES_UPDATES.replace("V1_35", "V1_29")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where findings are kept in this test."""
    monkeypatch.setenv("PODPROOF_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


@pytest.fixture
def explored(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The scenarios that were explored since the list was last cleared."""
    found: list[str] = []
    search = Compiled.run

    def counted(self: Compiled, system, *rest):  # type: ignore[no-untyped-def]
        found.append(system.scenario)
        return search(self, system, *rest)

    monkeypatch.setattr(Compiled, "run", counted)
    return found


def kept(folder: Path) -> list[Path]:
    """The findings; what there is of the last run is none."""
    return sorted(file for file in folder.iterdir() if file.suffix != ".last")


FORMS = (("-v",), ("-o", "json"), ("-o", "sarif"), ("--counterexamples", "2", "-q"))


@pytest.mark.slow
@pytest.mark.parametrize("form", FORMS, ids=" ".join)
def test_the_answer_is_the_same_to_the_byte(
    folder: Path, tmp_path: Path, explored: list[str], form: tuple[str, ...]
) -> None:
    file = tmp_path / "change.py"
    file.write_text(CHANGE)
    ask = ("check", "--model", str(file), "--scenario", "killed-pod", *form)
    first = run(*ask)
    assert explored
    explored.clear()
    again = run(*ask)
    assert (again.stdout, again.exit_code) == (first.stdout, first.exit_code) and not explored
    assert first.exit_code == 1 and SAME not in first.stderr
    assert (SAME in again.stderr) is ("-q" not in form)


def test_runs_are_answered_again_too(folder: Path) -> None:
    ask = ("check", "--version", "v1.26", "--scenario", "orphan", "--liveness")
    first, again = run(*ask), run(*ask)
    assert again.stdout == first.stdout and SAME in again.stderr and SAME not in first.stderr


@pytest.mark.slow
def test_a_change_of_the_file_is_explored(folder: Path, tmp_path: Path, explored: list[str]) -> None:
    file = tmp_path / "change.py"
    ask = ("check", "--model", str(file), "--scenario", "lone-pod")
    file.write_text(CHANGE)
    broken = run(*ask)
    file.write_text(CHANGE.replace("            return\n", "            pass\n"))
    explored.clear()
    mended = run(*ask)
    assert explored and mended.stdout != broken.stdout and SAME not in mended.stderr
    file.write_text(CHANGE)
    assert run(*ask).stdout == broken.stdout


def test_a_change_of_podproof_is_explored(folder: Path, explored: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    ask = ("check", "--scenario", "lone-pod")
    run(*ask)
    monkeypatch.setattr(cache, "sources", lambda: "another one")
    explored.clear()
    assert SAME not in run(*ask).stderr and explored


@pytest.mark.slow
@pytest.mark.parametrize("option", [("--no-cache",), ("--stats",), ("--memory", "2GiB")], ids=lambda o: o[0])
def test_some_options_explore_always(
    folder: Path, tmp_path: Path, explored: list[str], monkeypatch: pytest.MonkeyPatch, option: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    run("check", "--scenario", "lone-pod")
    explored.clear()
    assert SAME not in run("check", "--scenario", "lone-pod", *option).stderr and explored


def test_what_a_limit_leaves_open_is_not_kept(folder: Path) -> None:
    assert run("check", "--scenario", "lone-pod", "--max-states", "5").exit_code == 4
    assert not kept(folder)


@pytest.mark.slow
def test_what_a_file_may_have_from_elsewhere_is_not_kept(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "change.py"
    for line in ("import json", "from os.path import join", "LIMIT = len(open(__file__).read())"):
        file.write_text(f"{line}\n{CHANGE}")
        assert run("check", "--model", str(file), "--scenario", "lone-pod").exit_code == 1
    assert not folder.exists() or not kept(folder)


@pytest.mark.slow
def test_a_file_of_the_name_of_its_release_is_not_taken_for_it(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "v1.29.py"
    file.write_text(CHANGE)
    release = run("check", "--version", "v1.29", "--scenario", "lone-pod", "--no-cache").stdout
    found = [run("check", "--model", str(file), "--scenario", "lone-pod") for _ in range(2)]
    assert found[0].stdout == found[1].stdout != release and SAME not in found[1].stderr
    assert run("check", "--version", "v1.29", "--scenario", "lone-pod").stdout == release


def test_answers_of_two_releases_are_kept_beside_each_other(folder: Path) -> None:
    ask = ("check", "--scenario", "lone-pod", "--version")
    found = [run(*ask, version) for version in ("v1.29", "v1.36.3", "v1.29", "v1.36.3")]
    assert [SAME in one.stderr for one in found] == [False, False, True, True] and len(kept(folder)) == 2
    assert [one.stdout for one in found[2:]] == [one.stdout for one in found[:2]]


def test_what_a_limit_leaves_open_beside_the_release_is_not_kept() -> None:
    whole = explored_here("v1.29", "lone-pod")
    open_there = Baseline("v1.29", BaselineState.INHERITED, "as far as was explored", is_open=True)
    verdicts = (replace(whole.verdicts[0], baseline=open_there), *whole.verdicts[1:])
    assert cache.is_final(whole) and not cache.is_final(replace(whole, verdicts=verdicts))


def test_claims_of_the_file_are_kept_with_it(folder: Path, tmp_path: Path) -> None:
    file = tmp_path / "change.py"
    ask = ("check", "--model", str(file), "--scenario", "lone-pod", "--property", "nothing_terminates")
    claim = """
from podproof.specs.claim import claim


@claim("always", source="the proposal")
def nothing_terminates(s: Change) -> bool:
    \"\"\"Nothing terminates.\"\"\"
    return not s.pod_sync_statuses[0].terminating_at
"""
    file.write_text(CHANGE + claim)
    first, again = run(*ask), run(*ask)
    assert first.exit_code == 1 and again.stdout == first.stdout and SAME in again.stderr
    file.write_text(CHANGE + claim.replace("return not", "return"))
    assert run(*ask).stdout != first.stdout


def _cut(content: bytes) -> bytes:
    return content[: len(content) // 2]


def _exchanged(content: bytes) -> bytes:
    return content[:-40] + bytes([content[-40] ^ 1]) + content[-39:]


@pytest.mark.slow
@pytest.mark.parametrize("damage", [_cut, _exchanged, lambda content: b""], ids=["cut", "exchanged", "empty"])
def test_a_damaged_finding_is_found_anew(folder: Path, explored: list[str], damage: Callable[[bytes], bytes]) -> None:
    ask = ("check", "--scenario", "lone-pod")
    first = run(*ask)
    (file,) = kept(folder)
    whole = file.read_bytes()
    file.write_bytes(damage(whole))
    explored.clear()
    assert run(*ask).stdout == first.stdout and explored
    assert SAME in run(*ask).stderr


class Harmful:
    """Would be called where a file is believed to say what to call."""

    def __reduce__(self) -> tuple[object, ...]:
        return os.mkdir, ("harmed",)


def test_nothing_that_a_finding_says_is_executed(
    folder: Path, tmp_path: Path, explored: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    first = run("check", "--scenario", "lone-pod")
    (file,) = kept(folder)
    content = pickle.dumps(Harmful())
    file.write_bytes(hashlib.sha256(content).digest() + content)
    explored.clear()
    assert run("check", "--scenario", "lone-pod").stdout == first.stdout and explored
    assert not (tmp_path / "harmed").exists()


@pytest.mark.slow
def test_what_is_read_is_what_was_found(tmp_path: Path) -> None:
    file = tmp_path / "change.py"
    file.write_text(CHANGE)
    asked = SearchOptions(counterexamples=2)
    for query in (
        CheckQuery([subject_of("", file)], ("killed-pod",), search=asked),
        CheckQuery([subject_of("v1.26", None)], ("killed-pod",), liveness=True),
    ):
        for question in query._questions()[0]:
            found = question.find()
            read = cache.load(cache.dump(found, question), question)
            assert found is not None and read is not None and read.system.name == found.system.name
            assert replace(read, system=found.system) == found


def test_a_claim_without_a_name_is_not_kept() -> None:
    (question, *_) = CheckQuery([subject_of("v1.29", None)], ("lone-pod",))._questions()[0]
    found = question.find()
    assert found is not None
    verdict = replace(found.verdicts[0], property=replace(found.verdicts[0].property, meaning="Another one."))
    with pytest.raises(ValueError, match="no claim that has a name"):
        cache.dump(replace(found, verdicts=(verdict,)), question)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ("states", "many"),
        ("verdicts", [{}]),
        ("system", {"version": "v9"}),
        ("more", 1),
        ("depth", [1]),
        ("order", [1]),
    ],
)
def test_a_finding_that_says_something_else_is_none(part: str, value: object) -> None:
    (question, *_) = CheckQuery([subject_of("v1.29", None)], ("lone-pod",))._questions()[0]
    told = json.loads(cache.dump(question.find(), question)) | {part: value}
    with pytest.raises((KeyError, TypeError, ValueError)):
        cache.load(json.dumps(told).encode(), question)


def test_a_folder_that_others_may_write_into_is_not_used(folder: Path) -> None:
    folder.mkdir()
    folder.chmod(0o777)
    assert run("check", "--scenario", "lone-pod").exit_code == 0
    assert not kept(folder)


def test_a_folder_that_cannot_be_made_costs_nothing_but_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("PODPROOF_CACHE", str(tmp_path / "file" / "kept"))
    found = run("check", "--scenario", "lone-pod")
    assert found.exit_code == 0 and SAME not in found.stderr


@pytest.mark.slow
def test_the_folder_stays_small(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for scenario in ("lone-pod", "killed-pod", "ended-pod"):
        run("check", "--scenario", scenario)
        for age, file in enumerate(sorted(kept(folder), key=lambda file: file.stat().st_mtime, reverse=True)):
            os.utime(file, (1e9 - age, 1e9 - age))
    sizes = {file: file.stat().st_size for file in kept(folder)}
    run("check", "--scenario", "lone-pod")
    latest = max(sizes, key=lambda file: file.stat().st_mtime)
    monkeypatch.setattr(cache, "_MOST_BYTES", sizes[latest] * 3 // 2)
    monkeypatch.setattr(cache, "sources", lambda: "another one")
    run("check", "--scenario", "lone-pod")
    assert len(kept(folder)) == 1 and latest not in kept(folder)


@pytest.mark.slow
def test_processes_do_not_disturb_each_other(folder: Path) -> None:
    command = [sys.executable, "-m", "podproof.cli.main", "check", "--scenario", "lone-pod"]
    many = [subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(4)]
    said = {process.communicate()[0] for process in many}
    assert len(said) == 1 and {process.returncode for process in many} == {0}
    assert len(kept(folder)) == 1
