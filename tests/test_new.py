"""`podproof new`: the file that it writes does what the release does."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import mypy_strict, run

from podproof.queries.model_file import load, overridable
from podproof.queries.names import definitions
from podproof.queries.versions import VERSIONS


def all_functions(version: str) -> list[str]:
    """What a file may override of a version."""
    able = overridable(VERSIONS[version].cls)
    found = definitions(VERSIONS[version])
    return [d.name for (part, _), d in found.items() if not part and d.kind == "function" and d.name in able]


@pytest.mark.slow
@pytest.mark.parametrize("version", VERSIONS)
def test_every_function_of_a_release_can_be_begun_with(version: str, tmp_path: Path) -> None:
    functions = all_functions(version)
    assert len(functions) > 15
    result = run("new", str(tmp_path / "my_change"), "--from", version, *functions)
    assert result.exit_code == 0, result.output
    cls = load(tmp_path / "my_change.py").cls
    assert cls.__bases__ == (VERSIONS[version].cls,) and set(functions) <= vars(cls).keys()
    if version not in ("v1.36", "v1.22.5", "v1.20"):
        return
    same = run("review", version, str(tmp_path / "my_change.py"), "--scenario", "lone-pod", "-v")
    assert same.exit_code == 0 and "EQUIVALENT" in same.stdout, same.output


@pytest.mark.slow
def test_types_are_checked_in_it(tmp_path: Path) -> None:
    file = tmp_path / "my_change.py"
    assert run("new", str(file), "--from", "v1.35", "UpdatePod", "completeWork").exit_code == 0
    checked = mypy_strict(tmp_path, file.name)
    assert checked.returncode == 0, checked.stdout
