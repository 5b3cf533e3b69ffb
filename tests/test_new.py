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


def test_functions_have_the_names_of_go_beside_them(tmp_path: Path) -> None:
    file = tmp_path / "my_change.py"
    asked = ("UpdatePod", "completeWork", "startPodSync")
    assert run("new", str(file), "--from", "v1.35", *asked).exit_code == 0
    text = file.read_text(encoding="utf-8")
    assert text.startswith('"""What would change if UpdatePod, completeWork, ')
    assert "class MyChange(V1_35):" in text and "from podproof.model.releases import V1_35" in text
    assert "# in Go: UpdatePod\n    def update_pod(" in text
    # What the release does before and after that of its base stays as it is: its text would do it twice.
    assert run("new", str(tmp_path / "mine"), "--from", "v1.26", "lose_pod_worker").exit_code == 0
    own = (tmp_path / "mine.py").read_text(encoding="utf-8")
    assert own.endswith("-> None:\n        super().lose_pod_worker(uid)\n")


@pytest.mark.slow
def test_types_are_checked_in_it(tmp_path: Path) -> None:
    file = tmp_path / "my_change.py"
    assert run("new", str(file), "--from", "v1.35", "UpdatePod", "completeWork").exit_code == 0
    checked = mypy_strict(tmp_path, file.name)
    assert checked.returncode == 0, checked.stdout


def test_a_class_is_not_called_as_what_it_needs(tmp_path: Path) -> None:
    for name in ("pod", "V1_35"):
        assert run("new", str(tmp_path / name), "--from", "v1.35", "allowPodStart").exit_code == 0
    text = (tmp_path / "pod.py").read_text(encoding="utf-8")
    assert "Pod\n" in text and "class PodChange(V1_35):" in text
    assert "class V1_35Change(V1_35):" in (tmp_path / "V1_35.py").read_text(encoding="utf-8")


def test_a_file_that_is_there_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "my_change.py"
    file.write_text("mine")
    result = run("new", str(file), "--from", "v1.35", "UpdatePod")
    assert result.exit_code == 2 and "is left as it is" in result.stderr and file.read_text() == "mine"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("x", "--from", "v1.35", "UpdatePads"), "did you mean 'UpdatePod'"),
        (("x", "--from", "v1.29", "managePodLoop"), "v1.29 has no such function"),
        (("x", "--from", "v1.29", "HandlePodAdditions"), "around the pod workers"),
        (("x", "--from", "v1.31.1", "UpdatePod"), "the nearest: v1.29"),
        (("3x", "--from", "v1.35", "UpdatePod"), "'3x': a model file is named like a Python module"),
        (("", "--from", "v1.35", "UpdatePod"), "named like a Python module"),
        (("my.change", "--from", "v1.35", "UpdatePod"), "named like a Python module"),
        (("nowhere/x", "--from", "v1.35", "UpdatePod"), "cannot be written"),
        (("x", "--from", "v1.35"), "Missing argument"),
    ],
)
def test_bad_input_is_told(
    arguments: tuple[str, ...], told: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("new", *arguments)
    assert result.exit_code == 2 and told in result.stderr and not list(tmp_path.iterdir())
