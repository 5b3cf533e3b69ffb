"""docs/ci.md: what its commands print, and whether its examples for GitHub, GitLab and pre-commit are sound."""

from __future__ import annotations

import re
import shlex
import subprocess
import tomllib
from pathlib import Path

import pytest
import yaml
from tests.ci_tools import HOOKS, tool
from tests.command_line import run

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "ci.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language: str, text: str = PAGE) -> list[str]:
    """The contents of the blocks in a language, in their order."""
    return [found[2] for found in BLOCK.finditer(text) if found[1] == language]


def test_the_commands_print_what_the_page_shows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    model, config = tmp_path / "my_change.py", tmp_path / "podproof.toml"
    write, compare = blocks("console")
    model.write_text(blocks("python")[0])
    assert printed(write) == write
    assert (tmp_path / "expected.txt").read_text() == blocks("text")[0]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    model.write_text(next(block for block in blocks("python", readme) if "class MyChange" in block))
    assert printed(compare) == compare
    config.write_text(blocks("toml")[0])
    asked = tomllib.loads(config.read_text())
    options = ((name, [value] if isinstance(value, str) else value) for name, value in asked["check"].items())
    flags = [f"--{name}={text}" for name, values in options for text in values]
    configured, by_flags = run("check"), run("check", "--no-config", f"--model={asked['model']}", *flags)
    assert "expected.txt" in configured.stdout and configured.stdout == by_flags.stdout


def printed(block: str) -> str:
    """A block's command, with what it prints now."""
    lines = block.splitlines(keepends=True)
    last = next(i for i, line in enumerate(lines) if not line.endswith("\\\n"))
    text = "".join(lines[: last + 1])
    assert text.startswith("$ podproof ")
    return text + run(*shlex.split(text.replace("\\\n", ""))[2:]).stdout


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
