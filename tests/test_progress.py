"""Progress on a terminal and without one, and the sizes that users write."""

from __future__ import annotations

import contextlib
import os
import pty
import re
import select
import sys
import time

import click
import pytest

from podproof.checker.core.system import Limits, Progress
from podproof.cli.main import main
from podproof.cli.options import size
from podproof.cli.progress import to_terminal
from podproof.model.scenarios import SCENARIOS
from podproof.queries import progress
from podproof.queries.build import subject_of
from podproof.queries.search import explore


@pytest.mark.parametrize(("text", "amount"), [("2GiB", 2 << 30), ("500M", 500 << 20), ("1.5 kb", 1536), ("7", 7)])
def test_sizes_are_read_as_people_write_them(text: str, amount: int) -> None:
    assert size(click.Context(main), click.Option(["--memory"]), text) == amount


SOME = Progress(1_234_567, 9_000_000, 12, 345_678, 2.0, 100 << 20)
PARTS = ("1,234,567 states", "617,284 states/s", "depth 12", "frontier 345,678", "100 MiB", "2 s")


def test_without_a_terminal_progress_is_a_plain_line_now_and_then(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    with to_terminal(), progress.show_progress("v1.29 one-pod") as report:
        for _ in range(31):
            report(SOME)
            now[0] += 1.0
    lines = capsys.readouterr().err.splitlines()
    assert len(lines) == 3
    assert all(part in lines[0] for part in (*PARTS, "v1.29 one-pod"))
    assert "\x1b" not in lines[0]


def read_all(terminal: int) -> bytes:
    """What was written to a terminal; it ends with an error once the other side is closed."""
    seen = b""
    with contextlib.suppress(OSError):
        while some := os.read(terminal, 1 << 16):
            seen += some
    os.close(terminal)
    return seen


def shown_on_a_terminal(columns: int, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a terminal of this width gets to show while something runs."""
    ours, theirs = pty.openpty()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", str(columns))
    with open(theirs, "w") as terminal:
        monkeypatch.setattr(sys, "stderr", terminal)
        with to_terminal(), progress.show_progress("v1.29 one-pod") as report:
            report(SOME)
            seen, deadline = b"", time.monotonic() + 60
            while seen.count(b"1,234,567") < 2:  # It is shown again and again.
                assert select.select([ours], [], [], 60)[0] and time.monotonic() < deadline
                seen += os.read(ours, 1 << 16)
    return (seen + read_all(ours)).decode()


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


@pytest.mark.slow
def test_whoever_calls_a_query_hears_nothing_until_they_listen(capfd: pytest.CaptureFixture[str]) -> None:
    asked = (subject_of("v1.32", None), SCENARIOS["lone-pod"], (), "auto", Limits(), ())
    assert explore(*asked) is not None
    assert capfd.readouterr() == ("", "")
    lines, notes = list[str](), list[str]()
    with progress.listen(progress.Listener(lambda title: contextlib.nullcontext(lines.append), notes.append)):
        assert explore(*asked) is not None
        with progress.silent(), progress.stage("a part") as tell:
            tell("nobody hears this")
            progress.note("but this")
    assert notes == ["but this"] and lines and all("v1.32 lone-pod: " in line for line in lines)
    progress.note("nobody hears this either")
    assert notes == ["but this"] and capfd.readouterr() == ("", "")
