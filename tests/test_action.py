"""The GitHub Action and the pre-commit hooks: sound by their schemas, and their commands run as they would be there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.ci_tools import HOOKS, tool
from tests.test_claims_of_a_team import OURS
from tests.test_formats_sarif import GROWING

ROOT = Path(__file__).parents[1]
ACTION = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
STEPS = [step for step in ACTION["runs"]["steps"] if "run" in step]
(RUN,) = (step for step in STEPS if step.get("id") == "run")
COMMENT = STEPS[-1]
RESTART = "terminated_pods_never_restart"
GRACE = "grace_period_only_decreases"
MODEL = "from podproof.model.versions import V1_29\n\n\nclass MyChange(V1_29):\n    pass\n"
PODPROOF = Path(sys.executable).parent / "podproof"


# -- the action --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("schema", "file"),
    [("vendor.github-actions", "action.yml"), ("vendor.github-workflows", ".github/workflows/ci.yml")],
)
def test_the_files_for_github_fit_its_schemas(schema: str, file: str) -> None:
    command = [tool("check-jsonschema"), "--builtin-schema", schema, str(ROOT / file)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step["name"])
def test_the_scripts_are_sound_and_no_input_is_part_of_them(step: dict[str, Any], tmp_path: Path) -> None:
    assert "${{" not in step["run"]
    script = tmp_path / "script.sh"
    script.write_text(step["run"])
    found = subprocess.run([tool("shellcheck"), "--shell=bash", str(script)], capture_output=True, text=True)
    assert found.returncode == 0, found.stdout


def test_every_input_is_used_and_described() -> None:
    text = str(ACTION["runs"])
    for name, given in ACTION["inputs"].items():
        assert re.search(rf"\binputs\.{name}\b", text), name
        assert given["description"]
    for output in ACTION["outputs"].values():
        (name,) = (part.removeprefix("steps.run.outputs.") for part in output["value"].split() if "outputs" in part)
        assert f"{name}=" in RUN["run"]


Ran = tuple[subprocess.CompletedProcess[str], dict[str, str]]


@pytest.fixture
def act(tmp_path: Path) -> Callable[..., Ran]:
    """Runs podproof's step of the action as a runner would, with these inputs; its end, and its outputs."""
    runner, workspace = tmp_path / "runner", tmp_path / "workspace"
    bin_ = runner / "podproof-venv" / "bin"
    bin_.mkdir(parents=True)
    workspace.mkdir()
    (bin_ / "podproof").symlink_to(PODPROOF)
    (workspace / "my change.py").write_text(MODEL)

    def run(base: str = "", **inputs: str) -> Ran:
        """On a pull request to this branch, if one is named."""
        given = {name: str(spec["default"]) for name, spec in ACTION["inputs"].items()} | inputs
        environment = {name: given[_input(value)] for name, value in RUN["env"].items()}
        outputs, summary, script = (runner / name for name in ("outputs", "summary.md", "script.sh"))
        for file in (outputs, summary):
            file.write_text("")
        script.write_text(RUN["run"])
        environment |= {
            "PATH": os.environ["PATH"],
            "HOME": os.environ.get("HOME", ""),
            "RUNNER_TEMP": str(runner),
            "GITHUB_OUTPUT": str(outputs),
            "GITHUB_STEP_SUMMARY": str(summary),
            "GITHUB_WORKSPACE": str(workspace),
            "GITHUB_ACTIONS": "true",
            "CI": "true",
            **({"GITHUB_EVENT_NAME": "pull_request", "GITHUB_BASE_REF": base} if base else {}),
        }
        command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(script)]
        folder = workspace / given["working-directory"]
        found = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
        lines = outputs.read_text().splitlines()
        return found, dict(line.split("=", 1) for line in lines) | {"summary": summary.read_text()}

    return run


def _input(expression: str) -> str:
    """The name of the input that an expression is about."""
    name = expression.removeprefix("${{ inputs.").removesuffix(" }}")
    assert name in ACTION["inputs"]
    return name


@pytest.mark.slow
def test_a_violation_fails_the_step_with_annotations_a_summary_and_files(act: Callable[..., Ran]) -> None:
    found, outputs = act(version="v1.29", scenarios="orphan", properties=f"{GRACE}\n{RESTART}", args="--strict")
    assert found.returncode == 1, found.stderr
    assert outputs["exit-code"] == "1"
    assert "KNOWN     grace_period_only_decreases" in found.stdout
    assert any(line.startswith("::error ") and GRACE in line for line in found.stdout.splitlines())
    assert GRACE in outputs["summary"]
    cases = ET.parse(outputs["junit"]).getroot().iter("testcase")
    assert {case.get("name") for case in cases} == {GRACE, RESTART}
    assert '"2.1.0"' in Path(outputs["sarif"]).read_text()


def test_what_is_known_passes(act: Callable[..., Ran]) -> None:
    found, outputs = act(version="v1.29", scenarios="orphan", properties=GRACE)
    assert found.returncode == 0, found.stderr
    assert outputs["exit-code"] == "0" and GRACE in found.stdout
    assert not any(line.startswith("::error ") for line in found.stdout.splitlines())


@pytest.mark.slow
def test_a_change_is_compared_with_its_release(act: Callable[..., Ran]) -> None:
    found, outputs = act(command="review", version="v1.29", model="my change.py", scenarios="orphan")
    assert found.returncode == 0, found.stderr
    assert outputs["exit-code"] == "0"


@pytest.mark.parametrize("touched", ["pkg/kubelet/pod_workers.go", "pkg/kubelet/kubelet.go"])
def test_commits_that_leave_the_kubelet_alone_run_nothing(
    act: Callable[..., Ran], tmp_path: Path, touched: str
) -> None:
    _commit(tmp_path / "workspace", "README", "pkg/kubelet/pod_workers.go")
    _commit(tmp_path / "workspace", "README")
    found, outputs = act(command="review", version="v1.29", commits="HEAD~1..HEAD")
    assert found.returncode == 0, found.stderr
    assert outputs["exit-code"] == "0"
    assert "does not touch" in found.stdout
    _commit(tmp_path / "workspace", touched)
    found, outputs = act(command="review", version="v1.29", commits="HEAD~1..HEAD", scenarios="orphan")
    assert outputs["exit-code"] == "2"
    assert "podWorkers has no method UpdatePod" in found.stderr


@pytest.mark.slow
def test_on_a_pull_request_a_change_is_reviewed_and_elsewhere_checked(act: Callable[..., Ran], tmp_path: Path) -> None:
    found, outputs = act(base="main", model="my change.py", scenarios="orphan")
    assert (found.returncode, outputs["exit-code"]) == (0, "0") and "page" in outputs, found.stderr
    assert Path(outputs["page"]).read_text().splitlines()[0].endswith(": what changes in the pod lifecycle")
    assert Path(outputs["html"]).read_text().startswith("<!DOCTYPE html>")
    assert re.fullmatch(r"podproof-review-\d+", outputs["artifact"])
    found, outputs = act(base="main", scenarios="orphan", properties=RESTART)
    assert outputs["exit-code"] == "0" and not outputs.keys() & {"page", "html"} and RESTART in found.stdout
    found, outputs = act(model="my change.py", scenarios="orphan", properties=RESTART)
    assert outputs["exit-code"] == "0" and not outputs.keys() & {"page", "html"} and RESTART in found.stdout


def test_on_a_pull_request_to_kubernetes_its_commits_are_reviewed(act: Callable[..., Ran], tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    _commit(workspace, "README", "pkg/kubelet/pod_workers.go")
    subprocess.run(["git", "update-ref", "refs/remotes/origin/main", "HEAD"], cwd=workspace, check=True)
    _commit(workspace, "README")
    found, outputs = act(base="main")
    assert outputs["exit-code"] == "0" and "origin/main...HEAD does not touch" in found.stdout
    _commit(workspace, "pkg/kubelet/pod_workers.go")
    found, outputs = act(base="main", scenarios="orphan", version="v1.29")
    assert outputs["exit-code"] == "2" and "podWorkers has no method UpdatePod" in found.stderr


@pytest.mark.slow
def test_claims_and_what_the_go_means_are_given_a_line_each(act: Callable[..., Ran], tmp_path: Path) -> None:
    (tmp_path / "workspace" / "our claims.py").write_text(OURS)
    found, outputs = act(version="v1.29", claims="our claims.py\n", scenarios="our-node", properties="killed_once")
    assert outputs["exit-code"] == "0" and "killed_once" in found.stdout, found.stderr
    found, outputs = act(version="v1.29", assume="p.root = any bool\nq = ignore")
    assert outputs["exit-code"] == "2" and "--assume: it says what a name in a Go file stands for" in found.stderr
    found, outputs = act(version="v1.29", go="pod_workers.go", assume="p.root = any bool")
    assert outputs["exit-code"] == "2" and "pod_workers.go: it cannot be read" in found.stderr


GH = """#!/bin/bash
printf '%s\\n' "$*" >> "$CALLS"
case "$*" in *--jq*) printf '%s' "$OWN" ;; esac
"""


@pytest.mark.parametrize(
    ("own", "call"),
    [
        ("", "--method POST repos/o/r/issues/7/comments"),
        ("41\n42\n", "--method PATCH repos/o/r/issues/comments/41"),
    ],
)
@pytest.mark.parametrize("artifact", ["", "https://github.com/o/r/actions/runs/1/artifacts/2"])
def test_a_comment_is_written_once_and_then_updated(own: str, call: str, artifact: str, tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("# a.py: what changes in the pod lifecycle\n")
    (tmp_path / "gh").write_text(GH)
    (tmp_path / "gh").chmod(0o755)
    (tmp_path / "script.sh").write_text(COMMENT["run"])
    environment = {
        "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}",
        "CALLS": str(tmp_path / "calls"),
        "OWN": own,
        "NUMBER": "7",
        "PAGE": str(page),
        "ARTIFACT": artifact,
        "GITHUB_REPOSITORY": "o/r",
    }
    command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", str(tmp_path / "script.sh")]
    subprocess.run(command, env=environment, check=True)
    asked, written = (tmp_path / "calls").read_text().splitlines()
    assert asked.endswith("repos/o/r/issues/7/comments")
    assert written == f"api --silent {call} --field body=@{page}"
    link = f"\n[Both versions side by side, as a page to download]({artifact})\n" if artifact else ""
    assert page.read_text() == "# a.py: what changes in the pod lifecycle\n" + link


def _commit(folder: Path, *files: str) -> None:
    for name in files:
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"package kubelet // {len(list(folder.glob('.git/objects/*/*')))}\n")
    who = ("-c", "user.name=a", "-c", "user.email=a@b", "-c", "commit.gpgsign=false")
    for command in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "a"]):
        subprocess.run(["git", *command], cwd=folder, check=True)


@pytest.mark.quick(5)
@pytest.mark.parametrize(
    "inputs",
    [
        {"command": "check; touch hacked"},
        {"version": "$(touch hacked)"},
        {"model": "`touch hacked`.py"},
        {"scenarios": "orphan; touch hacked"},
        {"scenarios": "*"},
        {"properties": "$(touch hacked) && touch hacked"},
        {"args": "--budget 1s ; touch hacked | $(touch hacked)"},
        {"command": "review", "version": "--help", "model": "$(touch hacked)"},
        {"command": "review"},
        {"command": "review", "go": "$(touch hacked).go"},
        {"command": "review", "go": "a.go", "model": "b.py"},
        {"go": "`touch hacked`.go", "assume": "$(touch hacked)\n`touch hacked`"},
        {"claims": "$(touch hacked).py\n; touch hacked"},
        {"commits": "$(touch hacked)"},
    ],
)
def test_an_input_is_never_run(inputs: dict[str, str], act: Callable[..., Ran], tmp_path: Path) -> None:
    found, outputs = act(**inputs)
    assert found.returncode == 2
    assert outputs["exit-code"] == "2"
    assert "hacked" not in {path.name for path in tmp_path.rglob("*")}


# -- the hooks ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A user's repository with two proposals, and the hooks as local ones of this environment."""
    monkeypatch.setenv("PRE_COMMIT_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    folder = tmp_path / "repository"
    (folder / "proposals").mkdir(parents=True)
    for name in ("one", "two"):
        (folder / "proposals" / f"{name}.py").write_text(MODEL)
    (folder / "other.py").write_text("print('no proposal')\n")
    hooks = [{**hook, "language": "system"} for hook in HOOKS.values()]
    hooks[0] |= {
        "files": "^proposals/",
        "args": ["--scenario=deleted-twice-and-killed", f"--property={RESTART}", f"--property={GRACE}"],
    }
    config = {"repos": [{"repo": "local", "hooks": hooks}]}
    (folder / ".pre-commit-config.yaml").write_text(yaml.safe_dump(config))
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


def commit_hooks(repository: Path, hook: str) -> subprocess.CompletedProcess[str]:
    subprocess.run(["git", "add", "-A"], cwd=repository, check=True)
    command = [tool("pre-commit"), "run", "--all-files", "--verbose", "--color=never", hook]
    return subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)


def test_the_hooks_fit_pre_commits_schema() -> None:
    command = [tool("pre-commit"), "validate-manifest", str(ROOT / ".pre-commit-hooks.yaml")]
    assert subprocess.run(command, capture_output=True, text=True, check=False).returncode == 0


@pytest.mark.slow
def test_the_hook_checks_each_proposal_against_what_is_known(repository: Path) -> None:
    passed = commit_hooks(repository, "podproof-check")
    assert passed.returncode == 0, passed.stdout
    assert " ".join(passed.stdout.split()).count("nothing is worse than in v1.29") == 2
    (repository / "proposals" / "two.py").write_text(GROWING)
    failed = commit_hooks(repository, "podproof-check")
    assert failed.returncode == 1 and "two  deleted-twice-and-killed" in failed.stdout and "other" not in failed.stdout
    (repository / "podproof.toml").write_text(f'[known]\n{GRACE} = "on purpose"\n')
    assert commit_hooks(repository, "podproof-check").returncode == 0


@pytest.mark.slow
def test_the_hook_finds_a_diagram_that_is_out_of_date(repository: Path) -> None:
    diagram = repository / "docs" / "diagrams" / "orphan.mmd"
    diagram.parent.mkdir(parents=True)
    draw = [str(PODPROOF), "diagram", "--scenario", "orphan", "-o", "mermaid", "--output-file", str(diagram)]
    subprocess.run(draw, cwd=repository, check=True, capture_output=True)
    assert commit_hooks(repository, "podproof-diagrams").returncode == 0
    diagram.write_text(diagram.read_text().replace("SyncTerminatedPod", "SyncPod"))
    failed = commit_hooks(repository, "podproof-diagrams")
    assert failed.returncode == 1
    assert "out of date" in failed.stdout and "podproof diagram --check --write" in failed.stdout
