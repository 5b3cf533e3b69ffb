"""Long runs: a killed run goes on as if nothing had happened, and states on disk are the same as in memory."""

from __future__ import annotations

import gc
import os
import random
import shutil
import signal
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.long_runs import Subject, run, subject, told
from tests.stored_rows import batch_of, colliding_rows, hashes_of, no_statistics
from tests.test_compiled_engine import COUNTER_CLAIMS, Overflowing, assert_same, counters
from tests.two_phase_commit import STATES, Index, TwoPhaseCommit

from podproof.checker.core.system import CheckerError, Exploration, Limits, OutOfRange, Progress, Status
from podproof.checker.engines import LongRun
from podproof.checker.engines.compiled import Compiled, checkpoint, machine, search, store
from podproof.checker.engines.compiled.search import Search
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import relevant_variables

KILLS = 8


def press_ctrl_c_at(states: int) -> Callable[[Progress], None]:
    def press(found: Progress) -> None:
        if found.states >= states:
            raise KeyboardInterrupt

    return press


@pytest.fixture
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress is reported after every batch, and batches are small."""
    monkeypatch.setattr("podproof.checker.engines._REPORT_SECONDS", 0.0)
    monkeypatch.setattr(machine, "_ENOUGH", 256)


@pytest.fixture(autouse=True)
def little_room_at_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that small models find none when they go on."""
    monkeypatch.setattr(store, "_FIRST_ROOM", 1 << 12)


@pytest.fixture
def crowded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Tables, batches and blocks are so small that every level fills them many times."""
    for module, name, value in (
        *((store, "_FIRST_ROOM", 256), (search, "_WIDE", 64), (machine, "_STATES", 16), (machine, "_ENOUGH", 256)),
        *((store, "_LEAST_SLOTS", 4_096), (store, "_BLOCK", 32), (store, "_CHUNK", 4_000)),
    ):
        monkeypatch.setattr(module, name, value)


def in_a_process(work: Callable[[], str], answer: Path) -> int:
    """Start a process of its own that leaves its answer in a file."""
    child = os.fork()
    if child:
        return child
    try:
        text = work()
        answer.with_suffix(".part").write_text(text)
        answer.with_suffix(".part").replace(answer)
    finally:
        os._exit(0)


@pytest.mark.usefixtures("often", "crowded")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
@pytest.mark.parametrize("on_disk", [False, True], ids=["memory", "disk"])
def test_a_run_that_is_killed_again_and_again_ends_like_an_undisturbed_one(on_disk: bool, tmp_path: Path) -> None:
    # The command line freezes the searches of earlier tests, and with their addresses there may be too many to fork.
    gc.unfreeze()
    gc.collect()
    rng, what = random.Random(int(on_disk)), subject(5)
    undisturbed = told(Compiled(threads=1).run(*what))
    folder, answer = tmp_path / "saved", tmp_path / "answer"
    plan = LongRun(folder, 0.0, True, tmp_path / "disk" if on_disk else None, 1 if on_disk else None)

    def work() -> str:
        return told(run(what, plan, report=lambda _: time.sleep(0.001)))

    begun = time.monotonic()
    os.waitpid(in_a_process(work, answer), 0)
    whole = time.monotonic() - begun
    assert answer.read_text() == undisturbed
    answer.unlink()
    shutil.rmtree(folder)
    kills = resumed = 0
    while kills < KILLS:
        child = in_a_process(work, answer)
        time.sleep(rng.uniform(0.0, whole / 2))
        os.kill(child, signal.SIGKILL)
        _, status = os.waitpid(child, 0)
        kills += os.WIFSIGNALED(status)
        resumed += any(path.stat().st_size > 20_000 for path in folder.glob(f"*/{checkpoint.FILE}"))
        if answer.exists():  # It was done before it could be killed.
            assert answer.read_text() == undisturbed
            answer.unlink()
            shutil.rmtree(folder)
    os.waitpid(in_a_process(work, answer), 0)
    assert answer.read_text() == undisturbed
    assert resumed > 1


@pytest.mark.usefixtures("often")
@pytest.mark.parametrize(
    "first", [Limits(max_states=5_000), Limits(max_depth=6), Limits(seconds=0.0), "Ctrl-C"], ids=str
)
def test_a_run_that_stopped_early_goes_on_to_the_same_end(first: Limits | str, tmp_path: Path) -> None:
    what, plan = subject(5), LongRun(tmp_path, resume=True)
    if isinstance(first, Limits):
        assert not run(what, plan, first).complete
    else:
        assert run(what, plan, report=press_ctrl_c_at(3_000)).interrupted
    assert told(run(what, plan, threads=2)) == told(Compiled().run(*what))


def test_a_finished_run_answers_at_once_when_it_is_resumed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what = subject(5)
    first = run(what, LongRun(tmp_path))
    monkeypatch.setattr(Search, "_store_level", None)
    again = run(what, LongRun(tmp_path, resume=True))
    assert told(again) == told(first)


def test_limits_hold_for_a_resumed_run_too(tmp_path: Path) -> None:
    what = subject(4)
    run(what, LongRun(tmp_path), Limits(max_depth=6))
    found = run(what, LongRun(tmp_path, resume=True), Limits(max_states=10))
    assert not found.complete and "--max-states" in found.reason
    found = run(what, LongRun(tmp_path, resume=True), Limits(max_states=STATES[4]))
    assert found.complete and found.states == STATES[4]


def test_without_resume_an_unfinished_run_is_not_written_over(tmp_path: Path) -> None:
    what = subject(3)
    run(what, LongRun(tmp_path), Limits(max_depth=3))
    with pytest.raises(CheckerError, match="--resume"):
        run(what, LongRun(tmp_path))
    run(what, LongRun(tmp_path, resume=True))
    assert run(what, LongRun(tmp_path)).complete


def test_checkpoints_are_not_written_more_often_than_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    saved: list[int] = []
    save = checkpoint.Checkpoint.save

    def counted(self: Any, point: Any, read: Any) -> None:
        saved.append(point.depth)
        save(self, point, read)

    monkeypatch.setattr(checkpoint.Checkpoint, "save", counted)
    run(subject(3), LongRun(tmp_path / "seldom"))
    assert saved == [10]
    saved.clear()
    run(subject(3), LongRun(tmp_path / "often", every=0.0))
    assert saved == [*range(11), 10]


def damages(content: bytes, rng: random.Random) -> bytes:
    place, kind = rng.randrange(len(content)), rng.randrange(4)
    if kind == 0:
        return content[:place]
    if kind == 1:
        return content + b"\0"
    return content[:place] + bytes([content[place] ^ (1 << rng.randrange(8))]) + content[place + 1 :]


def test_a_damaged_checkpoint_is_refused_unless_nothing_is_missing(tmp_path: Path) -> None:
    rng, what, plan = random.Random(1), subject(3), LongRun(tmp_path, every=0.0, resume=True)
    run(what, plan, Limits(max_depth=7))
    (file,) = tmp_path.glob("*/*")
    whole, undisturbed, refused = file.read_bytes(), told(Compiled().run(*what)), 0
    for _ in range(100):
        file.write_bytes(damages(whole, rng))
        try:
            assert told(run(what, plan)) == undisturbed
        except CheckerError as error:
            assert "nothing of it is used" in str(error)
            refused += 1
    assert refused > 25


class Impatient(TwoPhaseCommit):
    """The same but for one detail, under the same name."""

    def choose_to_abort(self, i: Index) -> None:
        super().choose_to_abort(i)
        self.known_prepared[i] = False


def test_a_checkpoint_of_something_else_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    what, plan = subject(3), LongRun(tmp_path, resume=True)
    run(what, plan, Limits(max_depth=5))
    system, lowered = what
    with pytest.raises(CheckerError, match=r"other claims .*consistent"):
        run((system, lowered[1:]), plan)
    (folder,) = tmp_path.iterdir()
    shutil.copytree(folder, tmp_path / "test-two-phase-commit-4")
    with pytest.raises(CheckerError, match="another scenario: 'test/two-phase-commit-3'"):
        run(subject(4), plan)
    monkeypatch.setattr(checkpoint, "own_version", lambda: "99.0")
    with pytest.raises(CheckerError, match=r"another version of podproof: .*not '99\.0'"):
        run(what, plan)
    with closing(sqlite3.connect(folder / checkpoint.FILE)) as rows, rows:
        rows.execute("update head set format = 'podproof checkpoint 7'")
    with pytest.raises(CheckerError, match="another format"):
        run(what, plan)
    (folder / "search").write_text("podproof checkpoint 2 of an earlier version")
    with pytest.raises(CheckerError, match="another format"):
        run(what, plan)


def test_a_checkpoint_of_a_changed_model_is_refused(tmp_path: Path) -> None:
    plan = LongRun(tmp_path, resume=True)
    run(subject(3), plan, Limits(max_depth=5))
    with pytest.raises(CheckerError, match="model, claims or reductions that were different"):
        run(subject(3, Impatient), plan)


def test_a_checkpoint_of_other_reductions_is_refused(tmp_path: Path) -> None:
    system, plan = counters(), LongRun(tmp_path, resume=True)
    lowered = lower_properties(system, COUNTER_CLAIMS)
    run((system, lowered), plan, Limits(max_depth=5))
    with pytest.raises(CheckerError, match="model, claims or reductions that were different"):
        Compiled(long_run=plan).run(system, lowered, relevant_variables(system, lowered))


def test_two_runs_do_not_share_a_checkpoint(tmp_path: Path) -> None:
    what, plan = subject(3), LongRun(tmp_path, resume=True)
    other = Search(*what, None, Limits(), 1, plan)

    def begin_another(_: Progress) -> None:
        other.run(None)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("podproof.checker.engines._REPORT_SECONDS", 0.0)
        with pytest.raises(CheckerError, match="another run is using it"):
            run(what, plan, report=begin_another)
    assert run(what, plan).states == STATES[3]


def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(CheckerError, match="--checkpoint"):
        run(subject(3), LongRun(tmp_path / "file"))
    with pytest.raises(CheckerError, match="--out-of-core"):
        run(subject(6), LongRun(out_of_core=tmp_path / "file", memory=1))


def searched(what: Subject, plan: LongRun, limits: Limits, threads: int) -> tuple[Search, Exploration]:
    made = Search(*what, None, limits, threads, plan)
    made.run(None)
    return made, made.result()


def assert_same_on_disk(what: Subject, folder: Path, limits: Limits, threads: int) -> None:
    within, expected = searched(what, LongRun(), limits, 1)
    outside, found = searched(what, LongRun(out_of_core=folder, memory=1), limits, threads)
    assert outside.disk is not None
    assert_same(found, expected)
    for ours, theirs in zip(outside.read_states(0, outside.count), within.read_states(0, within.count), strict=True):
        assert (ours == theirs).all()


@pytest.mark.parametrize("threads", [1, 2])
def test_states_on_disk_are_those_in_memory_in_the_same_order(threads: int, tmp_path: Path) -> None:
    assert_same_on_disk(subject(7), tmp_path, Limits(), threads)


@pytest.mark.usefixtures("crowded")
@pytest.mark.parametrize("threads", [1, 3])
@pytest.mark.parametrize("limits", [Limits(), Limits(max_depth=9)], ids=str)
def test_levels_that_do_not_fit_memory_change_nothing(threads: int, limits: Limits, tmp_path: Path) -> None:
    assert_same_on_disk(subject(6), tmp_path, limits, threads)


@pytest.mark.usefixtures("crowded")
def test_states_of_several_words_and_cut_steps_are_the_same_on_disk(tmp_path: Path) -> None:
    system = counters(starts=(0, 2, 9))
    assert_same_on_disk((system, lower_properties(system, COUNTER_CLAIMS)), tmp_path, Limits(), 2)


@pytest.mark.usefixtures("crowded")
def test_a_limit_on_states_is_exact_on_disk(tmp_path: Path) -> None:
    plan = LongRun(out_of_core=tmp_path, memory=1)
    found = run(subject(5), plan, Limits(max_states=5_000))
    assert (found.states, found.complete) == (5_000, False)
    assert "--max-states" in found.reason
    assert found.verdicts[0].status is Status.UNKNOWN
    assert run(subject(5), plan, Limits(max_states=STATES[5])).complete


@pytest.mark.usefixtures("crowded")
def test_a_model_that_goes_wrong_is_told_with_its_trace_on_disk_too(tmp_path: Path, monkeypatch: Any) -> None:
    monkeypatch.setattr(store, "_FIRST_ROOM", 1)
    with pytest.raises(OutOfRange, match="far_2") as error:
        run((counters(Overflowing), ()), LongRun(out_of_core=tmp_path, memory=1))
    assert error.value.trace is not None
    assert len(error.value.trace.steps) == 2


def test_nothing_is_left_on_disk(tmp_path: Path) -> None:
    run(subject(6), LongRun(out_of_core=tmp_path, memory=1))
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("crowded", "often")
@pytest.mark.parametrize("first", ["disk", "memory"])
def test_a_checkpoint_goes_on_in_memory_or_on_disk_wherever_it_was_made(first: str, tmp_path: Path) -> None:
    what = subject(5)
    memory = LongRun(tmp_path / "saved", resume=True)
    on_disk = LongRun(tmp_path / "saved", resume=True, out_of_core=tmp_path, memory=1)
    plans = (on_disk, memory) if first == "disk" else (memory, on_disk)
    assert run(what, plans[0], report=press_ctrl_c_at(4_000)).interrupted
    assert told(run(what, plans[1])) == told(Compiled().run(*what))


def test_too_little_memory_says_that_the_disk_would_do(tmp_path: Path) -> None:
    found = run(subject(7), LongRun(memory=1))
    assert not found.complete
    assert "--out-of-core" in found.reason
    run(subject(6), LongRun(tmp_path))
    with pytest.raises(CheckerError, match=r"--resume: .*--out-of-core"):
        run(subject(6), LongRun(tmp_path, resume=True, memory=1))


def test_a_full_disk_ends_in_unknown(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store.DiskStore, "settle", full)
    found = run(subject(6), LongRun(out_of_core=tmp_path, memory=1))
    assert not found.complete
    assert "No space left" in found.reason


@pytest.mark.usefixtures("crowded")
def test_states_that_share_a_hash_are_told_apart_on_disk(tmp_path: Path) -> None:
    rng = random.Random(3)
    rows = colliding_rows(rng, 300)
    assert len({*hashes_of(rows).tolist()}) == 300
    order = rng.sample(range(len(rows)), len(rows))
    old, offered = rows[order[:450]], rows[order[200:]]
    kept = store.DiskStore(tmp_path, 2)
    kept.adopt(old, np.zeros(len(old), np.uint32))
    total = no_statistics(len(old), 10_000)
    assert kept.collect(batch_of(offered)) == len(offered)
    assert kept.settle(total) is None
    assert total.count == len(rows)
    assert (kept.states(0, len(rows)) == rows[order]).all()
