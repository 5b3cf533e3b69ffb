"""`podproof check --ray` and `adequacy --ray` on a real cluster of several nodes on this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import run
from tests.test_claims_of_a_team import OURS
from tests.test_command_line import README_MODEL

from podproof.checker.core.system import NO_LIMITS
from podproof.checker.processes import Task
from podproof.cli.options import with_own_names
from podproof.queries.build import subject_of, with_claims
from podproof.queries.cache import CachedQuery, load
from podproof.queries.cache import _found as answer
from podproof.queries.pool import _answer_there, _copy, _sent
from podproof.queries.search import explore

PODPROOF = (sys.executable, "-m", "podproof.cli.main")
SMALL = ("--scenario", "lone-pod", "--scenario", "killed-pod", "--scenario", "our-node")


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A head that does no work, and two nodes of one processor."""
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'podproof[ray]'")
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    made.nodes = [made.add_node(num_cpus=1), made.add_node(num_cpus=1)]
    yield made
    made.shutdown()


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """A folder with a model and a claim of a team, which has a scenario beside it."""
    (tmp_path / "my_change.py").write_text(README_MODEL)
    (tmp_path / "ours.py").write_text(OURS)
    return tmp_path


def kill(node: Any) -> None:
    for processes in node.all_processes.values():
        for found in processes:
            os.kill(found.process.pid, signal.SIGKILL)


@pytest.mark.ray
def test_the_answer_is_the_same_though_a_node_is_killed_in_the_middle(cluster: Any, files: Path) -> None:
    asked = ("check", "--version", "v1.29", "--version", "v1.35", "--model", "my_change.py", "--claims", "ours.py")
    command = [*PODPROOF, *asked, *SMALL, "-o", "json"]
    kept = files / "kept"
    environment = {**os.environ, "PODPROOF_CACHE": str(kept)}
    pipes: Any = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "cwd": files}
    there = subprocess.Popen([*command, "--ray", cluster.address], env=environment, **pipes)
    deadline = time.monotonic() + 120
    while not (kept.exists() and any(kept.iterdir())) and time.monotonic() < deadline and there.poll() is None:
        time.sleep(0.2)
    assert there.poll() is None, there.communicate()
    kill(cluster.nodes[0])
    stdout, stderr = there.communicate(timeout=240)
    here = subprocess.run(command, **pipes, check=False)
    assert "gave no answer" not in stderr
    assert there.returncode == here.returncode in (0, 1) and without_times(stdout) == without_times(here.stdout)


@pytest.mark.ray
def test_mutants_are_judged_alike_there(cluster: Any, files: Path) -> None:
    command = [*PODPROOF, "adequacy", "--model", "my_change.py", "--scenario", "lone-pod", "--mutants", "3"]
    command += ["-o", "json"]
    pipes: Any = {"capture_output": True, "text": True, "cwd": files, "check": True}
    there = subprocess.run([*command, "--ray", cluster.address], **pipes).stdout
    here = subprocess.run(command, **pipes).stdout
    assert without_times(there) == without_times(here)


def without_times(text: str) -> Any:
    def plain(value: Any) -> Any:
        if isinstance(value, list):
            return list(map(plain, value))
        if isinstance(value, dict):
            return {
                k: plain(v)
                for k, v in value.items()
                if k not in ("seconds", "exploreSeconds", "solverSeconds", "peakBytes")
            }
        return value

    return plain(json.loads(text))


@pytest.mark.ray
@pytest.mark.parametrize("command", ["check", "adequacy"])
@pytest.mark.parametrize(("address", "told"), [("127.0.0.1:9", "nobody answers"), ("somewhere", "this is no address")])
def test_an_address_where_nobody_answers_is_refused(command: str, address: str, told: str) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'podproof[ray]'")
    result = run(command, "--ray", address)
    assert result.exit_code == 2 and told in result.stderr and "Traceback" not in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("is_absolute", [False, True], ids=["relative", "absolute"])
def test_another_machine_gets_the_files_and_tells_their_lines_alike(
    is_absolute: bool, files: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a node does, which has none of them: they are taken away before the work begins."""
    monkeypatch.chdir(files)
    given = files if is_absolute else Path()
    release, model = subject_of("v1.29", None), subject_of("", given / "my_change.py")
    subjects = with_own_names(with_claims(one, [given / "ours.py"]) for one in (release, model))
    questions = []
    for subject in subjects:
        asked = (subject.scenarios["our-node"], (), "auto", NO_LIMITS, ())
        questions.append(CachedQuery(partial(explore, subject, *asked), subject, ("explore", *asked, 1)))
    here = [question.find() for question in questions]
    sent = [_sent(Task(partial(answer, question)), subjects) for question in questions]
    node = files / "node"
    _copy([file for subject in subjects for file in subject.files], node)
    for file in ("my_change.py", "ours.py"):
        (files / file).unlink()
    monkeypatch.chdir(node)
    there = [load(_answer_there(call), question) for call, question in zip(sent, questions, strict=True)]
    for mine, theirs in zip(here, there, strict=True):
        assert mine is not None and theirs is not None and theirs.verdicts == mine.verdicts
        assert "killed_once" in [v.property.id for v in theirs.verdicts]


def test_what_is_not_below_the_working_directory_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'podproof[ray]'")
    (tmp_path / "work").mkdir()
    (tmp_path / "my_change.py").write_text(README_MODEL)
    monkeypatch.chdir(tmp_path / "work")
    monkeypatch.setattr("podproof.queries.pool.look_for", lambda address: None)
    result = run("check", "--model", "../my_change.py", "--ray", "auto")
    assert result.exit_code == 2 and "is not below the working directory" in result.stderr
