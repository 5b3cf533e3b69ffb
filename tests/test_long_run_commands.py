"""Long runs on the command line: their options, and progress on a terminal and without one."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import runpy
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from tests.command_line import run_v1_29 as run
from tests.two_phase_commit import STATES

from podproof.checker.core.system import Progress
from podproof.commands.line import progress
from podproof.commands.line.long_run import size
from podproof.commands.main import main


@pytest.mark.parametrize(("text", "amount"), [("2GiB", 2 << 30), ("500M", 500 << 20), ("1.5 kb", 1536), ("7", 7)])
def test_sizes_are_read_as_people_write_them(text: str, amount: int) -> None:
    assert size(click.Context(main), click.Option(["--memory"]), text) == amount


CHECK = ("check", "--scenario", "orphan", "--property", "terminated_pods_never_restart")


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("--resume",), "--checkpoint DIR --resume"),
        (("--memory", "much"), "500MiB or 2GiB"),
        (("--engine", "python", "--memory", "1G"), "engine `compiled`"),
    ],
)
def test_wrong_usage_is_told(options: tuple[str, ...], text: str) -> None:
    result = run(*CHECK, *options)
    assert result.exit_code == 2
    assert text in result.stderr


def test_the_command_line_resumes_and_says_the_same(tmp_path: Path) -> None:
    plain = run(*CHECK)
    saving = (*CHECK, "--checkpoint", str(tmp_path / "saved"), "--checkpoint-every", "0", "--resume")
    stopped = run(*saving, "--max-depth", "3")
    assert stopped.exit_code == 4 and "starts at the beginning" in stopped.stderr
    resumed = run(*saving)
    assert (resumed.exit_code, resumed.stdout) == (plain.exit_code, plain.stdout)
    small = run(*CHECK, "--out-of-core", str(tmp_path / "disk"), "--memory", "1M")
    assert (small.exit_code, small.stdout) == (plain.exit_code, plain.stdout)


BENCH = Path(__file__).resolve().parents[1] / "bench" / "out_of_core.py"


def test_the_bench_for_little_memory_compares_with_the_known_number_of_states() -> None:
    def row(*options: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([sys.executable, str(BENCH), *options], capture_output=True, text=True)

    enough, little = row("2pc-5", "--memory", "1GiB"), row("2pc-5", "--memory", "20MiB")
    assert (enough.returncode, enough.stderr) == (0, "")
    name, _, allowed, peak, states, known, *_ = enough.stdout.splitlines()[-1].strip("| ").split(" | ")
    assert (name, allowed, states, known) == ("2pc-5", "1,024", "8,832", "8,832")
    assert 20 < int(peak) < 1024
    assert little.returncode == 1 and "more memory was used than allowed" in little.stderr
    wrong = row("one-pod")
    assert wrong.returncode == 2 and "'one-pod' is no model" in wrong.stderr


def test_two_phase_commit_has_as_many_states_as_a_formula_says() -> None:
    known_states = runpy.run_path(str(BENCH))["known_states"]
    assert {managers: known_states(managers) for managers in STATES} == STATES


SOME = Progress(1_234_567, 9_000_000, 12, 345_678, 2.0, 100 << 20)
PARTS = ("1,234,567 states", "617,284 states/s", "depth 12", "frontier 345,678", "100 MiB", "2 s")


def test_without_a_terminal_progress_is_a_plain_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with progress.show_progress("v1.29 one-pod") as report:
        for _ in range(31):
            report(SOME)
            now[0] += 1.0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert all(part in lines[0] for part in (*PARTS, "v1.29 one-pod"))
    assert "\x1b" not in lines[0]


def read_all(terminal: int) -> str:
    """What was written to a terminal; it ends with an error once the other side is closed."""
    seen = b""
    with contextlib.suppress(OSError):
        while some := os.read(terminal, 1 << 16):
            seen += some
    os.close(terminal)
    return seen.decode()


def shown_on_a_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a terminal of this width gets to show while something runs."""
    ours, theirs = pty.openpty()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(columns))
    with open(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with progress.show_progress("v1.29 one-pod") as report:
            report(SOME)
            time.sleep(0.3)
    return read_all(ours)


def test_on_a_terminal_progress_is_one_line_that_is_wiped_in_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = shown_on_a_terminal(150, monkeypatch)
    assert all(part in seen for part in (*PARTS, "v1.29 one-pod"))
    assert seen.rsplit("2 s", 1)[1].count("\x1b[2K") == 1


@pytest.mark.parametrize("columns", [40, 80])
def test_on_a_narrow_terminal_progress_is_cut_where_the_line_ends(
    columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen = shown_on_a_terminal(columns, monkeypatch)
    lines = re.split(r"[\r\n]+", re.sub(r"\x1b\[[?0-9;]*[A-Za-z]", "", seen))
    assert [line for line in lines if "1,234,567" in line and line.rstrip().endswith("…")]
    assert max(map(len, lines)) <= columns
    assert seen.count("\x1b[1A") == 1  # In the end, below it: no other line is ever gone back to.
