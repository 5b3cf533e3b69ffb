"""Checkpoints that cannot be written, or that podproof did not write: no verdict is lost, nothing goes unnoticed."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from tests.long_runs import run, subject, told
from tests.two_phase_commit import STATES

from podproof.checker.compiled import checkpoint, explore
from podproof.checker.compiled.checkpoint import FORMAT
from podproof.checker.compiled.long_run import LongRun
from podproof.checker.system import CheckerError, Limits, Status


def fill_the_disk(patch: pytest.MonkeyPatch, saves: int) -> None:
    """The disk is full once so many saves succeeded: the next one can write a part of its states."""
    save, done = checkpoint.Checkpoint._write_part, [0]

    def write(self: Any, first: int, end: int, read: Any) -> Any:
        if done[0] == saves:
            (self.folder / "states-0000000000-0000000001.part").write_bytes(b"a part")
            raise OSError(28, "No space left on device")
        done[0] += 1
        return save(self, first, end, read)

    patch.setattr(checkpoint.Checkpoint, "_write_part", write)


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.glob("*/*") if path.name != "lock")


@pytest.mark.parametrize(
    ("saves", "text"),
    [(0, r"nothing is saved: make room"), (3, r"the checkpoint before it, with \d+ states, is whole: make room")],
)
def test_a_full_disk_ends_a_search_with_what_it_found_and_the_truth_about_the_checkpoint(
    saves: int, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    what, plan = subject(4), LongRun(tmp_path, every=0.0, resume=True)
    with monkeypatch.context() as patch:
        fill_the_disk(patch, saves)
        found = run(what, plan)
    assert not found.complete and 0 < found.states < STATES[4]
    assert found.verdicts[0].status is Status.UNKNOWN
    assert re.search(text, found.reason)
    assert found.reason.count("No space left on device") == 1
    assert len(files(tmp_path)) == saves + 1  # What could not be written whole is gone.
    assert told(run(what, plan)) == told(explore(*what))


def test_a_search_that_came_to_its_end_is_told_although_it_cannot_be_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    what, plan = subject(4), LongRun(tmp_path)
    with monkeypatch.context() as patch:
        fill_the_disk(patch, 0)
        assert told(run(what, plan)) == told(explore(*what))
    assert run(what, plan).complete  # What is there stands in nobody's way.


def test_a_search_that_stops_says_that_its_last_save_failed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fill_the_disk(monkeypatch, 0)
    found = run(subject(4), LongRun(tmp_path), Limits(max_depth=5))
    assert found.reason.startswith("stopped at depth 5 (--max-depth): --checkpoint")
    assert "nothing is saved" in found.reason


def test_a_finished_checkpoint_stays_until_another_one_can_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    what, plan = subject(3), LongRun(tmp_path)
    run(what, plan)
    before = {path: path.read_bytes() for path in tmp_path.glob("*/*")}

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(checkpoint.Checkpoint, "_replace", full)
        run(what, plan)
    assert {path: path.read_bytes() for path in tmp_path.glob("*/*")} == before


@pytest.mark.parametrize("resume", [True, False])
def test_states_without_their_search_are_refused_and_left_alone(resume: bool, tmp_path: Path) -> None:
    what = subject(3)
    run(what, LongRun(tmp_path))
    (head,) = tmp_path.glob("*/search")
    head.unlink()
    before = files(tmp_path)
    with pytest.raises(CheckerError, match="there are states, and search is missing"):
        run(what, LongRun(tmp_path, resume=resume))
    assert files(tmp_path) == before != []


def test_a_run_that_was_killed_before_its_first_save_was_whole_starts_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    what = subject(3)
    with monkeypatch.context() as patch:
        fill_the_disk(patch, 0)
        run(what, LongRun(tmp_path), Limits(max_depth=5))
    for resume in (True, False):
        (folder,) = tmp_path.iterdir()
        (folder / "states-0000000000-0000000009").write_bytes(b"a whole file that no `search` names")
        assert told(run(what, LongRun(tmp_path, resume=resume))) == told(explore(*what))


def forge(head: Path, content: Any) -> None:
    """Write a head with a checksum that is right."""
    rest = json.dumps(content).encode()
    head.write_bytes(f"{FORMAT} {hashlib.sha256(rest).hexdigest()}\n".encode() + rest)


PLACES: tuple[tuple[Any, ...], ...] = (
    *((), ("identity",), ("identity", "program"), ("words",), ("count",), ("cursor",), ("depth",), ("arrays",)),
    *(
        ("arrays", "control"),
        ("parts",),
        ("parts", 0),
        ("parts", 1, "first"),
        ("parts", 1, "end"),
        ("parts", 0, "sha256"),
    ),
)


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_a_head_that_podproof_did_not_write_is_refused(place: tuple[Any, ...], tmp_path: Path) -> None:
    what, plan = subject(3), LongRun(tmp_path, every=0.0, resume=True)
    run(what, plan, Limits(max_depth=4))
    (head,) = tmp_path.glob("*/search")
    whole = head.read_bytes()
    wrongs: tuple[Any, ...] = (None, "x", [], {}, -1)
    for wrong in wrongs:
        content = [json.loads(whole.partition(b"\n")[2])]  # In a list, so that all of it has a place, too.
        inside: Any = content
        path = (0, *place)
        for key in path[:-1]:
            inside = inside[key]
        inside[path[-1]] = wrong
        forge(head, content[0])
        with pytest.raises(CheckerError, match="nothing of it is used"):
            run(what, plan)
    forge(head, json.loads(whole.partition(b"\n")[2]))
    assert run(what, plan).complete
