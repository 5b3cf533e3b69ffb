"""`podproof check` while a change is written: how long it takes, and again at each save."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from click.testing import Result
from tests.command_line import run_v1_29, wait_for_answers
from tests.test_baseline import IGNORES_UPDATES
from tests.test_new_members import OWN, RESIZING

from podproof.cli import progress
from podproof.queries import pool
from podproof.queries.build import subject_of
from podproof.queries.last_run import seconds_per_scenario

EVICTIONS, NEVER = "evictions_are_recorded", "terminated_pods_never_restart"
TWO = ("--property", EVICTIONS, "--property", NEVER)
SMALL = ("--scenario", "lone-pod", "--scenario", "killed-pod", "--scenario", "ended-pod")
"""In the second one v1.29 violates the first of the claims."""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PODPROOF_CACHE", str(tmp_path / "kept"))
    return tmp_path / "kept"


def asked(result: Result) -> dict[str, list[str]]:
    """The claims that were asked in each scenario."""
    found = json.loads(result.stdout)["results"]
    return {one["scenario"]: [claim["id"] for claim in one["properties"]] for one in found}


@pytest.mark.slow
@pytest.mark.parametrize("damaged", ["[7]", '{"pace": 7}', "\0", ""])
def test_a_pace_that_is_none_is_not_known(damaged: str, folder: Path) -> None:
    run_v1_29("check", *SMALL, *TWO)
    assert seconds_per_scenario([subject_of("v1.29", None)]) > 0
    (kept,) = folder.glob("*.last")
    kept.write_text(damaged)
    assert seconds_per_scenario([subject_of("v1.29", None)]) == 0


@pytest.mark.slow
def test_progress_says_how_long_it_took_the_last_time(monkeypatch: pytest.MonkeyPatch) -> None:
    said: list[str] = []
    monkeypatch.setattr(progress, "PLAIN_SECONDS", 0.0)
    monkeypatch.setattr(progress, "say", said.append)
    monkeypatch.setattr(pool, "processors", lambda: 2)
    run_v1_29("check", *SMALL, *TWO)
    assert [line.split(",")[0] for line in said] == ["1 of 3 scenarios", "2 of 3 scenarios", "3 of 3 scenarios"]
    assert not any(" of some " in line for line in said)
    said.clear()
    run_v1_29("check", *SMALL, "--property", NEVER)
    assert said and all(" of some " in line for line in said)


@pytest.fixture
def watching(tmp_path: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """Starts `podproof check --watch` of change.py in a session of its own."""
    started: list[subprocess.Popen[str]] = []

    def start(*options: str) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "podproof.cli.main", "check", "--model", str(tmp_path / "change.py")]
        started.append(
            subprocess.Popen(
                [*command, *options, "--watch"],
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                text=True,
                env={**os.environ, "PYTHONPATH": str(tmp_path)},
                start_new_session=True,
            )
        )
        return started[-1]

    yield start
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def answer(process: subprocess.Popen[str]) -> str:
    """What it says until it waits for the next save."""
    assert process.stdout is not None
    return "".join(itertools.takewhile(lambda line: not line.startswith("watching "), process.stdout))


@pytest.mark.slow
def test_it_is_checked_again_at_each_save_until_ctrl_c(
    watching: Callable[..., subprocess.Popen[str]], tmp_path: Path
) -> None:
    change = tmp_path / "change.py"
    process = watching("--scenario", "lone-pod", "--property", EVICTIONS)
    assert "error: " in answer(process)  # There is no file yet.
    change.write_text(IGNORES_UPDATES)
    assert "Exit code 0" in answer(process)
    change.write_text("class Change(V9_99):\n    pass\n")
    assert "error: " in answer(process)
    change.write_text(IGNORES_UPDATES.replace("V1_35", "V1_29"))
    assert "Exit code 0" in answer(process)
    process.send_signal(signal.SIGINT)
    assert process.wait(timeout=300) == 0


@pytest.mark.slow
def test_what_the_file_imports_is_loaded_anew(watching: Callable[..., subprocess.Popen[str]], tmp_path: Path) -> None:
    text = f"from helper import BASE\n{IGNORES_UPDATES}"
    (tmp_path / "helper.py").write_text("BASE = 1\n")
    (tmp_path / "change.py").write_text(text)
    process = watching("--scenario", "lone-pod", "--property", EVICTIONS)
    assert "Exit code 0" in answer(process)
    (tmp_path / "helper.py").write_text("")
    (tmp_path / "change.py").write_text(f"{text}\n")
    assert "ImportError: cannot import name 'BASE'" in answer(process)


@pytest.mark.slow
def test_a_new_member_is_one_at_each_save(watching: Callable[..., subprocess.Popen[str]], tmp_path: Path) -> None:
    process = None
    for text in (RESIZING, RESIZING + "\n"):
        (tmp_path / "change.py").write_text(text)
        process = process or watching(*OWN, "--no-cache")
        assert "pending_update ← resize" in answer(process)


@pytest.mark.slow
def test_ctrl_c_leaves_no_process(watching: Callable[..., subprocess.Popen[str]], tmp_path: Path, folder: Path) -> None:
    (tmp_path / "change.py").write_text(IGNORES_UPDATES)
    process = watching()
    wait_for_answers(process, folder, 1)  # Meanwhile it looks into the other scenarios, each in a process.
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=300)
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
