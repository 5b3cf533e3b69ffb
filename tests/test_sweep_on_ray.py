"""`podproof sweep --ray` on a real cluster of several nodes on this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import run
from tests.test_command_line import README_MODEL
from tests.test_sweep import checks_of

pytestmark = pytest.mark.ray
PODPROOF = (sys.executable, "-m", "podproof.cli.main", "sweep", "-o", "json")


@pytest.fixture
def cluster() -> Iterator[Any]:
    """A head that does no work, and two nodes of one processor."""
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'podproof[ray]'")
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 0})
    made.nodes = [made.add_node(num_cpus=1), made.add_node(num_cpus=1)]
    yield made
    made.shutdown()


def test_the_table_is_the_same_though_a_node_is_killed_in_the_middle(cluster: Any, tmp_path: Path) -> None:
    model, kept = tmp_path / "my_change.py", tmp_path / "kept.jsonl"
    model.write_text(README_MODEL)
    asked = ("--version", "v1.29", "--version", "v1.35", "--model", str(model), "--scenario", "lone-pod")
    asked += ("--scenario", "killed-pod", "--property", "grace_period_only_decreases")
    command = [*PODPROOF, *asked, "--ray", cluster.address, "--resume", str(kept)]
    sweep = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    deadline = time.monotonic() + 120
    while not (kept.exists() and kept.read_text()) and time.monotonic() < deadline and sweep.poll() is None:
        time.sleep(0.2)
    for processes in cluster.nodes[0].all_processes.values():
        for found in processes:
            os.kill(found.process.pid, signal.SIGKILL)
    stdout, stderr = sweep.communicate(timeout=240)
    assert sweep.returncode == 0, stderr
    here = subprocess.run([*PODPROOF, *asked], capture_output=True, text=True, cwd=tmp_path, check=True)
    assert checks_of(json.loads(stdout)) == checks_of(json.loads(here.stdout))
    assert len(kept.read_text().splitlines()) == 6


@pytest.mark.parametrize(("address", "told"), [("127.0.0.1:9", "nobody answers"), ("somewhere", "this is no address")])
def test_an_address_where_nobody_answers_is_refused(address: str, told: str) -> None:
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'podproof[ray]'")
    result = run("sweep", "--ray", address)
    assert result.exit_code == 2 and told in result.stderr and "Traceback" not in result.stderr
