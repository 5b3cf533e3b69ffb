"""Checkpoints that cannot be written, or that podproof did not write: no verdict is lost, nothing goes unnoticed."""

from __future__ import annotations

import copy
import json
import os
import re
import resource
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests import two_phase_commit
from tests.long_runs import run, subject, told
from tests.two_phase_commit import STATES

from podproof.checker.core import graph
from podproof.checker.core.system import CheckerError, Limits, Status
from podproof.checker.engines import LongRun
from podproof.checker.engines.compiled import Compiled, checkpoint
from podproof.checker.engines.compiled.checkpoint import FILE
from podproof.checker.lowering.claims import lower_properties
from podproof.commands.systems.build import properties_of, subject_of, system_of
from podproof.model.scenarios import SCENARIOS


def fill_the_disk(patch: pytest.MonkeyPatch, saves: int) -> None:
    """The disk is full once so many saves succeeded: the next one can write a part of its states."""
    add, done = checkpoint.Checkpoint._add_states, [0]

    def write(self: Any, first: int, end: int, read: Any) -> None:
        add(self, first, end, read)
        if done[0] == saves:
            raise OSError(28, "No space left on device")
        done[0] += 1

    patch.setattr(checkpoint.Checkpoint, "_add_states", write)


def change(folder: Path, statement: str, *values: Any) -> None:
    """Change something in the checkpoint below a folder."""
    (file,) = folder.glob(f"*/{FILE}")
    with closing(sqlite3.connect(file)) as rows, rows:
        rows.execute(statement, values)


def stored(folder: Path, table: str) -> list[Any]:
    """The rows of a table of the checkpoint below a folder."""
    (file,) = folder.glob(f"*/{FILE}")
    with closing(sqlite3.connect(file)) as rows:
        return rows.execute(f"select * from {table}").fetchall()


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
    assert len(stored(tmp_path, "head")) == (saves > 0)
    assert bool(stored(tmp_path, "states")) == (saves > 0)  # What could not be written whole is gone.
    assert told(run(what, plan)) == told(Compiled().run(*what))


def test_a_search_that_came_to_its_end_is_told_although_it_cannot_be_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    what, plan = subject(4), LongRun(tmp_path)
    with monkeypatch.context() as patch:
        fill_the_disk(patch, 0)
        assert told(run(what, plan)) == told(Compiled().run(*what))
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
    before = stored(tmp_path, "head"), stored(tmp_path, "states")
    with monkeypatch.context() as patch:
        fill_the_disk(patch, 0)
        run(what, plan)
    assert (stored(tmp_path, "head"), stored(tmp_path, "states")) == before


@pytest.mark.parametrize("resume", [True, False])
def test_states_without_their_head_are_refused_and_left_alone(resume: bool, tmp_path: Path) -> None:
    what = subject(3)
    run(what, LongRun(tmp_path))
    change(tmp_path, "delete from head")
    before = stored(tmp_path, "states")
    with pytest.raises(CheckerError, match=r"nothing of it is used"):
        run(what, LongRun(tmp_path, resume=resume))
    assert stored(tmp_path, "states") == before != []


def test_a_run_that_was_killed_before_its_first_save_starts_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    what = subject(3)
    with monkeypatch.context() as patch:
        fill_the_disk(patch, 0)
        run(what, LongRun(tmp_path), Limits(max_depth=5))
    for resume in (True, False):
        assert told(run(what, LongRun(tmp_path, resume=resume))) == told(Compiled().run(*what))


@pytest.mark.parametrize(
    "statement",
    [
        "update states set states = randomblob(length(states)) where first = 0",
        "update states set parents = cast('x' as blob) where first = 0",
        "update states set states = 7 where first = 0",
        "update states set first = first + 1000000",
        "delete from states where first = (select max(first) from states)",
        "update head set sha256 = 'x'",
        "insert into head select * from head",
        "drop table states",
    ],
)
def test_a_damaged_checkpoint_is_refused(statement: str, tmp_path: Path) -> None:
    what, plan = subject(3), LongRun(tmp_path, every=0.0, resume=True)
    run(what, plan, Limits(max_depth=4))
    change(tmp_path, statement)
    with pytest.raises(CheckerError, match=r"damaged or cut off.* nothing of it is used"):
        run(what, plan)


def test_a_file_that_is_no_checkpoint_is_refused_wherever_it_was_cut(tmp_path: Path) -> None:
    what, plan = subject(3), LongRun(tmp_path, resume=True)
    run(what, plan, Limits(max_depth=5))
    (file,) = tmp_path.glob(f"*/{FILE}")
    whole = file.read_bytes()
    for size in (10, 100, 5_000, len(whole) - 1_000):
        file.write_bytes(whole[:size])
        with pytest.raises(CheckerError, match="damaged or cut off"):
            run(what, plan)
    file.write_bytes(whole)
    assert run(what, plan).complete


def test_damage_that_sqlite_quotes_is_refused_too(tmp_path: Path) -> None:
    what, plan = subject(3), LongRun(tmp_path, resume=True)
    run(what, plan, Limits(max_depth=5))
    (file,) = tmp_path.glob(f"*/{FILE}")
    file.write_bytes(file.read_bytes().replace(b"CREATE TABLE states", b"CREATE T\xccBLE states"))
    with pytest.raises(CheckerError, match="nothing of it is used"):
        run(what, plan)


def test_a_folder_with_no_room_for_a_checkpoint_is_no_damage(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, before[1]))
    try:
        with pytest.raises(CheckerError, match=r"--checkpoint .*; give a folder to write to"):
            run(subject(3), LongRun(tmp_path))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def forge(folder: Path, content: Any) -> None:
    """Write a head with a checksum that is right."""
    text = json.dumps(content).encode()
    change(folder, "update head set sha256 = ?, content = ?", checkpoint._sum(text), text)


PLACES: tuple[tuple[Any, ...], ...] = (
    *((), ("identity",), ("identity", "program"), ("words",), ("count",), ("cursor",), ("depth",), ("arrays",)),
    *(("arrays", "control"), ("states",)),
)


@pytest.mark.parametrize("place", PLACES, ids=str)
def test_a_head_that_podproof_did_not_write_is_refused(place: tuple[Any, ...], tmp_path: Path) -> None:
    what, plan = subject(3), LongRun(tmp_path, every=0.0, resume=True)
    run(what, plan, Limits(max_depth=4))
    whole = json.loads(stored(tmp_path, "head")[0][2])
    wrongs: tuple[Any, ...] = (None, "x", [], {}, -1)
    for wrong in wrongs:
        content = [copy.deepcopy(whole)]  # In a list, so that all of it has a place, too.
        inside: Any = content
        path = (0, *place)
        for key in path[:-1]:
            inside = inside[key]
        inside[path[-1]] = wrong
        forge(tmp_path, content[0])
        with pytest.raises(CheckerError, match="nothing of it is used"):
            run(what, plan)
    forge(tmp_path, whole)
    assert run(what, plan).complete


@pytest.mark.parametrize("mode", [0o620, 0o602, 0o666])
def test_a_file_that_others_can_write_is_not_believed(mode: int, tmp_path: Path) -> None:
    what, plan = subject(3), LongRun(tmp_path, resume=True)
    run(what, plan, Limits(max_depth=5))
    (path,) = tmp_path.glob(f"*/{FILE}")
    assert path.stat().st_mode & 0o777 == 0o600
    path.chmod(mode)
    with pytest.raises(
        CheckerError, match=rf"{path.name} belongs to user \d+, with mode {mode:o}, so another user can"
    ):
        run(what, plan)
    path.chmod(0o644)
    assert run(what, plan).states == STATES[3]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give a file away")
def test_a_file_of_another_user_is_not_believed(tmp_path: Path) -> None:
    what, plan = subject(3), LongRun(tmp_path, resume=True)
    run(what, plan, Limits(max_depth=5))
    (path,) = tmp_path.glob(f"*/{FILE}")
    os.chown(path, 12_345, -1)
    with pytest.raises(CheckerError, match=r"belongs to user 12345, .*nothing of it is used"):
        run(what, plan)


def test_a_link_to_another_file_is_not_followed(tmp_path: Path) -> None:
    what, plan = subject(3), LongRun(tmp_path / "run", resume=True)
    run(what, plan, Limits(max_depth=5))
    (path,) = tmp_path.glob(f"run/*/{FILE}")
    path.rename(tmp_path / "elsewhere")
    path.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(CheckerError, match="nothing of it is used"):
        run(what, plan)


@pytest.mark.parametrize("journal", [False, True])
def test_a_link_where_a_file_is_to_be_written_is_not_followed(journal: bool, tmp_path: Path) -> None:
    what, kept = subject(3), tmp_path / "kept"
    kept.write_text("mine")
    run(what, LongRun(tmp_path / "run"), Limits(max_depth=2))
    (file,) = tmp_path.glob(f"run/*/{FILE}")
    file.unlink()
    (file.with_name(f"{FILE}-journal") if journal else file).symlink_to(kept)
    with pytest.raises(CheckerError, match="is no plain file; nothing of it is used"):
        run(what, LongRun(tmp_path / "run", resume=True))
    assert kept.read_text() == "mine"


def test_a_checkpoint_is_bound_to_the_files_of_the_model_the_claims_and_podproof(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    what, plan = subject(3), LongRun(tmp_path, resume=True)
    written = set(checkpoint._files(*what))
    for module in (two_phase_commit, checkpoint, graph):
        assert Path(str(module.__file__)).read_bytes() in written
    assert Path(str(checkpoint.__file__)).with_name("loops.ll").read_bytes() in written
    run(what, plan, Limits(max_depth=5))
    with monkeypatch.context() as patch:
        patch.setattr(checkpoint, "_files", lambda *_: [*written, b"# another comment"])
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
        texts = checkpoint._files(system, lower_properties(system, properties_of(found, SCENARIOS["lone-pod"])))
        assert file.read_bytes() in texts
        for other in (
            "model/pod_workers.py",
            "model/queries.py",
            "specs/steps.py",
            "checker/core/graph.py",
        ):
            assert (Path(__file__).parents[1] / other).read_bytes() in texts
