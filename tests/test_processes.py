"""`podproof check` of several scenarios looks into as many at a time as there are processors."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command_line import run_v1_29 as run
from tests.command_line import wait_for_answers
from tests.test_baseline import IGNORES_UPDATES

from podproof.checker.engines.compiled import Compiled
from podproof.queries import pool

SMALL = ("--scenario", "lone-pod", "--scenario", "killed-pod", "--scenario", "deleted-and-killed")
HERE = os.getpid()


@pytest.fixture
def processes(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Two, whatever the machine has."""
    monkeypatch.setattr(pool, "processors", lambda: 2)
    return monkeypatch


def without_times(text: str) -> list[str]:
    """What does not depend on how fast the machine is."""
    return [line for line in text.splitlines() if not re.search(r"stats  |Seconds|peakBytes|time=|solverSec", line)]


@pytest.mark.slow
@pytest.mark.parametrize("form", [("-v",), ("-o", "json"), ("--liveness",)], ids=" ".join)
def test_how_many_does_not_show(processes: pytest.MonkeyPatch, form: tuple[str, ...]) -> None:
    ask = ("check", "--version", "v1.26", *SMALL, *form)
    several = run(*ask)
    processes.setattr(pool, "processors", lambda: 1)
    processes.setattr(pool, "run_tasks", None)
    one = run(*ask)
    assert several.exit_code == one.exit_code and without_times(several.stdout) == without_times(one.stdout)


@pytest.mark.slow
def test_a_process_that_dies_leaves_its_scenario_to_this_one(processes: pytest.MonkeyPatch) -> None:
    whole, search = run("check", *SMALL), Compiled.run

    def dying(self: Compiled, system, *rest):  # type: ignore[no-untyped-def]
        if os.getpid() != HERE and system.scenario == "killed-pod":
            os.kill(os.getpid(), signal.SIGKILL)
        return search(self, system, *rest)

    processes.setattr(Compiled, "run", dying)
    assert run("check", *SMALL).stdout == whole.stdout


def test_what_is_wrong_with_a_model_is_told_once(processes: pytest.MonkeyPatch, tmp_path: Path) -> None:
    file = tmp_path / "change.py"
    file.write_text(IGNORES_UPDATES.replace("return\n", "print(uid)\n"))
    found = run("check", "--model", str(file), *SMALL)
    assert found.exit_code == 2 and found.stderr.count("print(uid)") == 1


@pytest.mark.slow
def test_after_ctrl_c_there_is_what_was_found(tmp_path: Path) -> None:
    """The large one has begun, or is about to, once the answers of the small ones are kept."""
    command = [sys.executable, "-m", "podproof.cli.main", "check", "-v", "--engine", "compiled"]
    command += [*SMALL, "--scenario", "three-pods"]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PODPROOF_CACHE": str(tmp_path)},
        start_new_session=True,
    )
    wait_for_answers(process, tmp_path, 3)
    os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=300)
    assert process.returncode == 130 and "Traceback" not in err
    with pytest.raises(ProcessLookupError):
        os.killpg(process.pid, 0)
    assert "this is what was established so far" in " ".join(out.split())
    assert re.search(r"lone-pod +[1-9]", out) and "three-pods" in out
