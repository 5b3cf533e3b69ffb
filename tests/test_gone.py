"""Names of earlier versions: one line says where each went."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import run

from podproof.cli.gone import GONE

CHANGELOG = (Path(__file__).parents[1] / "CHANGELOG.md").read_text(encoding="utf-8")


def typed(name: str) -> list[str]:
    """As a user writes it; an option of every command after one of them."""
    return ["check", name] if name.startswith("-") else name.split()


@pytest.mark.parametrize("name", GONE)
def test_a_name_that_is_gone_says_where_it_went(name: str) -> None:
    result = run(*typed(name))
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"error: `podproof {name}` is gone: {GONE[name]}\n"


@pytest.mark.parametrize("name", [name for name in GONE if " -x" not in name and "--" in name])
def test_so_does_one_with_a_value_or_in_a_configuration(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    command, option = typed(name)
    assert run(command, f"{option}=x").stderr == f"error: `podproof {name}` is gone: {GONE[name]}\n"
    monkeypatch.chdir(tmp_path)
    (tmp_path / "podproof.toml").write_text(f'[{command}]\n{option.lstrip("-")} = "x"\n')
    result = run(command)
    assert result.exit_code == 2 and GONE[name] in result.stderr


@pytest.mark.parametrize("name", [name for name in GONE if " " not in name and not name.startswith("-")])
def test_so_does_a_table_of_a_command_in_a_configuration(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "podproof.toml").write_text(f'[{name}]\nversion = "v1.29"\n')
    result = run("check")
    assert (
        result.exit_code == 2 and f"podproof.toml: [{name}]: `podproof {name}` is gone: {GONE[name]}" in result.stderr
    )


@pytest.mark.parametrize("name", GONE)
def test_the_changelog_says_it_too(name: str) -> None:
    (row,) = [line for line in CHANGELOG.splitlines() if line.startswith("|") and f"`{name}`" in line]
    assert row.count("|") == 3


def test_an_option_that_never_was_is_told_as_before() -> None:
    result = run("check", "--checkpoints", "x")
    assert result.exit_code == 2 and "No such option" in result.stderr and "is gone" not in result.stderr
