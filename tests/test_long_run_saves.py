"""Checkpoints that cannot be written, or that podproof did not write: no verdict is lost, nothing goes unnoticed."""

from __future__ import annotations

import hashlib
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from tests import two_phase_commit
from tests.long_runs import run, subject, told
from tests.two_phase_commit import STATES

from podproof.checker.core import graph
from podproof.checker.core.system import CheckerError, Limits, Status
from podproof.checker.engines.compiled import checkpoint, explore, long_run
from podproof.checker.engines.compiled.checkpoint import FORMAT
from podproof.checker.engines.compiled.long_run import LongRun
from podproof.checker.lowering.claims import lower_properties
from podproof.commands.systems.build import properties_of, subject_of, system_of
from podproof.model.scenarios import SCENARIOS


def fill_the_disk(patch: pytest.MonkeyPatch, saves: int) -> None:
    """The disk is full once so many saves succeeded: the next one can write a part of its states."""
    save, done = checkpoint.Checkpoint._write_part, [0]

    def write(self: Any, first: int, end: int) -> Any:
        if done[0] == saves:
            (self.folder / "states-0000000000-0000000001.part").write_bytes(b"a part")
            raise OSError(28, "No space left on device")
        done[0] += 1
        return save(self, first, end)

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


@pytest.mark.parametrize("name", ["search", "states-*"])
@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_is_not_believed(name: str, mode: int, tmp_path: Path) -> None:
    what, plan = subject(3), LongRun(tmp_path, resume=True)
    run(what, plan, Limits(max_depth=5))
    (path,) = tmp_path.glob(f"*/{name}")
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(mode)
    with pytest.raises(
        CheckerError, match=rf"{path.name} belongs to user \d+, with mode {mode:o}, so another user can"
    ):
        run(what, plan)
    path.chmod(0o644)
    assert run(what, plan).states == STATES[3]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
@pytest.mark.parametrize("name", ["search", "states-*"])
def test_a_file_of_another_user_is_not_believed(name: str, tmp_path: Path) -> None:
    what, plan = subject(3), LongRun(tmp_path, resume=True)
    run(what, plan, Limits(max_depth=5))
    (path,) = tmp_path.glob(f"*/{name}")
    os.chown(path, 12_345, -1)
    with pytest.raises(CheckerError, match=r"belongs to user 12345, .*nothing of it is used"):
        run(what, plan)


@pytest.mark.parametrize("name", ["search", "states-*"])
def test_a_link_to_another_file_is_not_followed(name: str, tmp_path: Path) -> None:
    what, plan = subject(3), LongRun(tmp_path / "run", resume=True)
    run(what, plan, Limits(max_depth=5))
    (path,) = tmp_path.glob(f"run/*/{name}")
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CheckerError, match="nothing of it is used"):
        run(what, plan)


def test_a_link_where_a_part_is_to_be_written_is_not_followed(tmp_path: Path) -> None:
    what, kept = subject(3), tmp_path / "kept"
    kept.write_text("mine")
    run(what, LongRun(tmp_path / "run", every=0.0), Limits(max_depth=2))
    (head,) = tmp_path.glob("run/*/search")
    head.with_name("search.part").symlink_to(kept)
    run(what, LongRun(tmp_path / "run", every=0.0, resume=True))
    assert kept.read_text() == "mine" and not head.is_symlink()


def test_a_checkpoint_is_bound_to_the_files_of_the_model_the_claims_and_podproof(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    what, plan = subject(3), LongRun(tmp_path, resume=True)
    written = set(long_run._files(*what))
    for module in (two_phase_commit, checkpoint, graph):
        assert Path(str(module.__file__)).read_bytes() in written
    assert Path(checkpoint.__file__).with_name("loops.ll").read_bytes() in written
    run(what, plan, Limits(max_depth=5))
    with monkeypatch.context() as patch:
        patch.setattr(long_run, "_files", lambda *_: [*written, b"# another comment"])
        with pytest.raises(
            CheckerError, match=r"it is of files .* that have been changed since; nothing of it is used"
        ):
            run(what, plan)
    assert run(what, plan).states == STATES[3]


def test_a_model_file_and_all_that_it_overrides_are_bound_to_its_checkpoint(tmp_path: Path) -> None:
    file = tmp_path / "change.py"
    for comment in ("", "# another comment\n"):
        file.write_text(f"from podproof.model.versions import V1_29\n\n\nclass MyChange(V1_29):\n    pass\n{comment}")
        found = subject_of("v1.29", file)
        system = system_of(found, SCENARIOS["lone-pod"])
        texts = long_run._files(system, lower_properties(system, properties_of(found, SCENARIOS["lone-pod"])))
        assert file.read_bytes() in texts
        for other in (
            "model/pod_workers.py",
            "model/queries.py",
            "specs/steps.py",
            "checker/core/graph.py",
        ):
            assert (Path(__file__).parents[1] / other).read_bytes() in texts
