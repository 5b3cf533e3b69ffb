"""A release: the workflow that publishes it, and what it builds, tried up to the upload."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tarfile
import tomllib
from pathlib import Path

import pytest
import yaml
from tests.ci_tools import tool

ROOT = Path(__file__).parents[1]
WORKFLOW = ROOT / ".github" / "workflows" / "release.yml"
BUILD = ROOT / ".ci" / "build"
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["version"]


def test_the_workflow_fits_githubs_schema_and_pins_what_it_uses() -> None:
    command = [tool("check-jsonschema"), "--builtin-schema", "vendor.github-workflows", str(WORKFLOW)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout
    uses = re.findall(r"uses: (.*)", WORKFLOW.read_text())
    assert uses and all(re.fullmatch(r"[\w/-]+@[0-9a-f]{40}  # v[\d.]+", used) for used in uses)


def test_only_the_upload_may_ask_for_a_token_and_runs_nothing_of_ours() -> None:
    workflow = yaml.safe_load(WORKFLOW.read_text())
    assert workflow["permissions"] == {"contents": "read"} and "permissions" not in workflow["jobs"]["build"]
    publish = workflow["jobs"]["publish"]
    assert publish["permissions"] == {"id-token": "write"} and publish["needs"] == "build"
    assert not any("run" in step for step in publish["steps"])


def test_the_script_is_sound() -> None:
    found = subprocess.run([tool("shellcheck"), str(BUILD)], capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


def test_a_tag_that_is_not_the_version_publishes_nothing(tmp_path: Path) -> None:
    found = subprocess.run([str(BUILD), str(tmp_path), "v0.0.1"], capture_output=True, text=True, check=False)
    assert found.returncode == 2 and list(tmp_path.iterdir()) == []
    assert f"the tag is v0.0.1 and pyproject.toml says {VERSION}" in found.stderr


@pytest.mark.slow
def test_what_is_built_checks_by_itself(tmp_path: Path) -> None:
    subprocess.run([str(BUILD), str(tmp_path / "dist"), f"v{VERSION}"], check=True, capture_output=True)
    assert {path.name for path in (tmp_path / "dist").iterdir()} == {
        f"podproof-{VERSION}-py3-none-any.whl",
        f"podproof-{VERSION}.tar.gz",
    }
    (wheel,) = (tmp_path / "dist").glob("*.whl")
    with tarfile.open(tmp_path / "dist" / f"podproof-{VERSION}.tar.gz") as sources:
        names = {Path(name).name for name in sources.getnames()}
    assert {"pyproject.toml", "LICENSE", "pod_workers.py"} <= names
    install = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--target",
        str(tmp_path / "lib"),
        str(wheel),
    ]
    subprocess.run(install, check=True, capture_output=True)
    # What is found first is the wheel's: the checkout is not on this path.
    code = "import podproof, podproof.cli.main as m; print(podproof.__file__); m.main()"
    found = subprocess.run(
        [sys.executable, "-c", code, "check", "--scenario", "orphan", "--property", "terminated_pods_never_restart"],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "lib")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith(str(tmp_path / "lib")) and "1 HOLD" in found.stdout
