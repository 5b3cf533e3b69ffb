"""The pool of processes: what it gives is what one process gives, though some of them are killed."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import struct
import subprocess
import sys
import time
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from podproof.checker.processes import CAN_FORK, Failure, Task, run_tasks
from podproof.queries import pool

HERE = os.getpid()
CHILDREN = Path("/proc/self/task")
pytestmark = pytest.mark.skipif(not CAN_FORK, reason="one process does everything here")


def dies(at: str) -> int:
    """Where it is not this process, it is killed, or raises."""
    if os.getpid() != HERE:
        if at == "raises":
            raise ValueError(at)
        os.kill(os.getpid(), signal.SIGKILL)
    return 7


@pytest.mark.parametrize("at", ["raises", "is killed"])
def test_a_process_that_gives_nothing_leaves_its_task_to_this_one(at: str) -> None:
    tasks = [Task(lambda: 5), Task(lambda: dies(at)), Task(lambda: 6)]
    assert sorted(pool.answers(tasks, 2)) == [(0, 5), (1, 7), (2, 6)]


def test_what_a_task_raises_is_raised_here() -> None:
    with pytest.raises(ZeroDivisionError):
        list(pool.answers([Task(lambda: 1), Task(lambda: 1 // 0)], 2))


def test_a_process_may_be_killed_in_the_middle_of_its_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    def send_a_part(self: Connection, content: bytes) -> None:
        os.write(self.fileno(), struct.pack("!i", len(content)) + content[:1])
        os.kill(os.getpid(), signal.SIGKILL)

    monkeypatch.setattr(Connection, "send_bytes", send_a_part)
    ((_, found),) = run_tasks([Task(lambda: 5)], 1)
    assert isinstance(found, Failure) and "exit code -9" in found.reason


def test_a_process_whose_answer_nobody_awaits_ends_quietly(capfd: pytest.CaptureFixture[str]) -> None:
    """As SIGPIPE ends whoever writes where nobody reads, and a command has left that as it is."""
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        results = run_tasks([Task(lambda: 1), *(Task(lambda: bytes(1 << 20)) for _ in range(3))], 4)
        assert next(results)[0] in range(4)
        results.close()  # type: ignore[attr-defined]
    finally:
        signal.signal(signal.SIGPIPE, before)
    assert capfd.readouterr() == ("", "")


def test_what_both_sides_have_comes_back_as_it_is() -> None:
    both = [object(), object()]
    ((_, found),) = run_tasks([Task(lambda: (both[1], "text", both[0]), shared=both)], 1)
    assert found == (both[1], "text", both[0])


def test_tasks_are_made_when_they_can_be_started() -> None:
    made = []

    def tasks() -> object:
        for number in range(4):
            made.append(number)
            yield Task(lambda number=number: number)

    results = pool.answers(tasks(), 2)  # type: ignore[arg-type]
    first = next(results)
    assert len(made) < 4 and sorted([first, *results]) == [(n, n) for n in range(4)]


@pytest.mark.slow
@pytest.mark.skipif(not CHILDREN.exists(), reason="who the processes are is read in /proc")
@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "--scenario", "lone-pod", "--scenario", "killed-pod", "--scenario", "deleted-and-killed"),
        ("review", "v1.29", "v1.32", "--scenario", "lone-pod", "--scenario", "killed-pod"),
        ("adequacy", "--scenario", "lone-pod", "--mutants", "4", "-o", "markdown"),
    ],
    ids=lambda arguments: arguments[0],
)
def test_a_command_of_which_a_process_is_killed_says_the_same(arguments: tuple[str, ...]) -> None:
    if pool.processors() < 2:
        pytest.skip("one process does everything here")
    command = [sys.executable, "-m", "podproof.cli.main", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    children = CHILDREN.parents[1] / f"{process.pid}" / "task" / f"{process.pid}" / "children"
    killed = 0
    while process.poll() is None and not killed:
        with contextlib.suppress(FileNotFoundError, ProcessLookupError):
            for child in children.read_text().split():
                os.kill(int(child), signal.SIGKILL)
                killed += 1
        time.sleep(0.001)
    out, err = process.communicate(timeout=300)
    assert killed and "Traceback" not in err
    whole = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (process.returncode, _without_times(out)) == (whole.returncode, _without_times(whole.stdout))


def _without_times(text: str) -> str:
    return re.sub(r"[\d.,]+ s\b", "", text)
