"""The JSON Schema of podproof.toml: a foreign validator takes what podproof takes, and refuses what it refuses."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import click
import pytest
from tests.ci_tools import tool
from tests.command_line import run

from podproof.cli.config import NOT_CONFIGURABLE
from podproof.cli.main import main

GOOD = {
    "empty": "",
    "common": 'version = "v1.32"\nbudget = "60s"\n',
    "one text for a list": '[check]\nscenario = "orphan"\n',
    "lists": '[check]\nscenario = ["one-pod", "orphan"]\nproperty = []\n',
    "flags and numbers": "[check]\nliveness = true\nmax-states = 5\n",
    "other commands": '[prove]\nscenario = ["orphan"]\n\n[review]\nundecided = "ok"\n',
    "known": '[known]\ngrace_period_only_decreases = "our fork"\nevictions_are_recorded.orphan = "only here"\n',
    "a model here, a version there": 'model = "m.py"\n\n[review]\nversion = "v1.32"\n',
}
BAD = {
    "no option": 'verison = "v1.32"\n',
    "no command": '[chekc]\nscenario = ["orphan"]\n',
    "no option of this command": "[prove]\nmax-states = 5\n",
    "a number for a text": "version = 1.32\n",
    "a text for a number": '[check]\nmax-states = "5"\n',
    "true for a number": "[check]\nmax-states = true\n",
    "too large": "[check]\nmax-states = 9223372036854775808\n",
    "too small": "[check]\nmax-states = 0\n",
    "a number for a flag": "[check]\nliveness = 1\n",
    "a list of numbers": "[check]\nscenario = [1]\n",
    "no choice": '[check]\nengine = "none"\n',
    "on the command line only": "[check]\nwatch = true\n",
    "both": 'version = "v1.32"\nmodel = "m.py"\n',
    "a zero byte": '[check]\nscenario = "a\\u0000"\n',
    "no reason": '[known]\ngrace_period_only_decreases = "  "\n',
    "no scenario": "[known]\nevictions_are_recorded = {}\n",
    "known is no table": 'known = "all"\n',
}


@pytest.fixture(scope="module")
def schema(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("schema") / "podproof.schema.json"
    file.write_text(run("explain", "schema", "podproof.toml").stdout, encoding="utf-8")
    return file


def is_read(file: Path) -> bool:
    """Does podproof take the file for `check`?"""
    with main.make_context("podproof", ["check"]) as above:
        command = main.get_command(above, "check")
        assert command is not None
        try:
            command.make_context("check", ["--config", str(file)], above)
        except click.UsageError:
            return False
    return True


@pytest.mark.quick(2)
@pytest.mark.parametrize("name", [*GOOD, *BAD])
def test_the_schema_takes_what_podproof_takes(schema: Path, tmp_path: Path, name: str) -> None:
    file = tmp_path / "podproof.toml"
    file.write_text((GOOD | BAD)[name], encoding="utf-8")
    (tmp_path / "m.py").touch()
    command = [tool("check-jsonschema"), "--schemafile", str(schema), str(file)]
    found = subprocess.run(command, capture_output=True, text=True, check=False)
    assert found.returncode in (0, 1), found.stderr
    assert (found.returncode == 0, is_read(file)) == (name in GOOD, name in GOOD), found.stdout


def test_every_option_of_every_command_is_in_it_and_says_what_it_is(schema: Path) -> None:
    document = json.loads(schema.read_text(encoding="utf-8"))
    assert subprocess.run([tool("check-jsonschema"), "--check-metaschema", str(schema)], check=False).returncode == 0
    with main.make_context("podproof", ["check"]) as above:
        for name in main.list_commands(above):
            command = main.get_command(above, name)
            assert command is not None
            options = {max(p.opts, key=len)[2:] for p in command.params if isinstance(p, click.Option)}
            table = document["properties"].get(name, {"properties": {}})["properties"]
            assert ("config" in options) is bool(table)
            assert table.keys() == (options - {*NOT_CONFIGURABLE} if table else set())
            assert document["properties"].keys() >= table.keys()
            assert all("description" in told for told in table.values())
