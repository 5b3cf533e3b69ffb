"""docs/ci.md: what its commands print, and whether its examples for GitHub, GitLab and pre-commit are sound."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from tests.ci_tools import HOOKS, tool
from tests.command_line import run

from podproof.cli.main import EXIT_CODES

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str, text: str = PAGE) -> list[str]:
    """The contents of the blocks in a language, in their order."""
    return [found[2] for found in BLOCK.finditer(text) if found[1] == language]


def test_exit_codes_are_said_once_and_the_same_everywhere() -> None:
    readme = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    shown = " ".join(run("--help").stdout.split())
    for code, meaning in EXIT_CODES.items():
        assert f"| {code} | {meaning} |" in PAGE
        assert f"{code} {meaning}" in readme and f"{code} {meaning}" in shown


def test_every_old_way_has_a_new_one() -> None:
    rows = [line for line in PAGE.splitlines() if line.startswith("| ") and "expect" in line]
    assert len(rows) >= 5 and all(row.count("|") == 3 for row in rows)
    assert "expect" not in (ROOT / "action.yml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("number", "schema"),
    [(0, "vendor.github-workflows"), (1, "vendor.github-workflows"), (3, "vendor.gitlab-ci")],
    ids=["github", "fork", "gitlab"],
)
def test_the_examples_fit_the_schemas(number: int, schema: str, tmp_path: Path) -> None:
    file = tmp_path / "example.yml"
    file.write_text(blocks("yaml")[number])
    command = [tool("check-jsonschema"), "--builtin-schema", schema, str(file)]
    if schema == "vendor.gitlab-ci":
        command.append("--data-transform=gitlab-ci")
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode == 0, found.stdout


def test_the_inputs_and_hooks_of_the_examples_exist() -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
    workflow, fork, _, _, hooks = (yaml.safe_load(block) for block in blocks("yaml"))
    (step,) = (s for s in workflow["jobs"]["podproof"]["steps"] if s.get("id") == "podproof")
    assert step["with"].keys() | fork["jobs"]["podproof"]["steps"][1]["with"].keys() <= action["inputs"].keys()
    assert set(re.findall(r"steps\.podproof\.outputs\.([\w-]+)", blocks("yaml")[0])) <= action["outputs"].keys()
    assert {hook["id"] for hook in hooks["repos"][0]["hooks"]} == HOOKS.keys()
