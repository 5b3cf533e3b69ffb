"""Configuration in podproof.toml and pyproject.toml: which file counts, what may stand in it, what overrides it."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest
from tests.command_line import run

from podproof.model.versions import DEFAULT_VERSION

ROOT = Path(__file__).parents[1]
RESTART = "terminated_pods_never_restart"
SMALL = f'scenario = ["orphan"]\nproperty = ["{RESTART}"]\n'
MODEL = "from podproof.model.versions import V1_29\n\n\nclass MyChange(V1_29):\n    pass\n"


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The top of a repository, and the working directory."""
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def in_effect(*arguments: str) -> dict[str, tuple[object, str]]:
    """What --print-config says: for each option that is set, value and source."""
    result = run(*arguments, "--print-config")
    assert result.exit_code == 0, result.output
    document = tomllib.loads(result.stdout)
    table = document.get("tool", {}).get("podproof", document)[arguments[0]]
    sources = {line.split(" = ")[0]: line.rsplit("  # ", 1)[1] for line in result.stdout.splitlines() if " = " in line}
    return {name: (value, sources[name]) for name, value in table.items()}


def test_this_project_configures_nothing_for_its_own_tests() -> None:
    assert "podproof" not in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    assert not (ROOT / "podproof.toml").exists()


def test_a_file_sets_the_options_and_the_run_is_the_same_as_with_flags(project: Path) -> None:
    flags = run("check", "--scenario", "orphan", "--property", RESTART)
    (project / "podproof.toml").write_text(f"[check]\n{SMALL}")
    configured = run("check")
    assert configured.exit_code == 0
    assert configured.stdout == flags.stdout
    assert run("check", "--no-config", "--scenario", "orphan", "--property", RESTART).stdout == flags.stdout


def test_a_flag_overrides_the_file_and_the_file_the_default(project: Path) -> None:
    (project / "podproof.toml").write_text('version = "v1.32"\n[check]\nscenario = ["orphan"]\nbudget = "1m"\n')
    found = in_effect("check", "--scenario", "one-pod", "--scenario", "uid-reuse", "-q")
    assert found["scenario"] == (["one-pod", "uid-reuse"], "command line")
    assert found["quiet"] == (True, "command line")
    assert found["version"] == ("v1.32", "podproof.toml")
    assert found["budget"] == ("1m", "podproof.toml")
    assert found["engine"] == ("auto", "default")
    assert "model" not in found


def test_a_commands_own_table_overrides_what_is_common(project: Path) -> None:
    (project / "podproof.toml").write_text('version = "v1.32"\ntimeout = "5s"\n[prove]\nversion = "v1.26"\n')
    assert in_effect("check")["version"][0] == "v1.32"
    assert in_effect("prove")["version"][0] == "v1.26"
    assert in_effect("prove")["timeout"][0] == "5s"


def test_what_is_printed_can_be_put_into_a_file(project: Path) -> None:
    flags = ("--stats", "--max-states", "7", "--reduce", "slicing", "--property", RESTART, "--report-dir", 'a "b"\x7f')
    printed = run("check", *flags, "--print-config").stdout
    (project / "podproof.toml").write_text(printed)
    again = run("check", "--print-config").stdout
    assert tomllib.loads(again) == tomllib.loads(printed)
    assert {value: source for value, source in in_effect("check").values() if source != "podproof.toml"} == {}


def test_the_nearest_file_counts_and_podproof_toml_before_pyproject(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = project / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    (project.parent / "podproof.toml").write_text('version = "v1.20"\n')
    assert in_effect("check")["version"] == (DEFAULT_VERSION, "default"), "no further up than the top of the repository"
    (project / "pyproject.toml").write_text('[tool.podproof]\nversion = "v1.26"\n')
    assert in_effect("check")["version"] == ("v1.26", "../../pyproject.toml")
    (project / "podproof.toml").write_text('version = "v1.27.0"\n')
    assert in_effect("check")["version"] == ("v1.27.0", "../../podproof.toml")
    (project / "a" / "pyproject.toml").write_text("[tool.other]\nversion = 7\n")
    assert in_effect("check")["version"][0] == "v1.27.0"
    (project / "a" / "pyproject.toml").write_text('[tool.podproof.check]\nversion = "v1.32"\n')
    assert in_effect("check")["version"] == ("v1.32", "../pyproject.toml")
    assert in_effect("check", "--config", "../../podproof.toml")["version"][0] == "v1.27.0"
    assert in_effect("check", "--no-config")["version"] == (DEFAULT_VERSION, "default")


def test_paths_count_from_the_folder_of_the_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "changes").mkdir()
    (project / "changes" / "mine.py").write_text(MODEL)
    (project / "podproof.toml").write_text(f'model = "changes/mine.py"\n[check]\n{SMALL}')
    monkeypatch.chdir(project / "changes")
    assert in_effect("check")["model"][0] == "mine.py"
    result = run("check")
    assert result.exit_code == 0 and "mine  orphan" in result.stdout
    keys = 'report-dir = "/somewhere"\noutput-file = ["junit=a/j.xml", "sarif=/s.json", "plain.txt"]\n'
    (project / "podproof.toml").write_text(f"[check]\n{keys}")
    assert in_effect("check")["report-dir"][0] == "/somewhere"
    assert in_effect("check")["output-file"][0] == ["junit=../a/j.xml", "sarif=/s.json", "../plain.txt"]


def test_a_version_on_the_command_line_overrides_a_model_in_the_file(project: Path) -> None:
    (project / "podproof.toml").write_text(f'model = "mine.py"\n[check]\n{SMALL}')
    result = run("check", "--version", "v1.32")
    assert result.exit_code == 0 and "v1.32  orphan" in result.stdout
    (project / "mine.py").write_text(MODEL)
    (project / "podproof.toml").write_text(f'version = "v1.26"\n[check]\n{SMALL}')
    assert "mine  orphan" in run("check", "--model", "mine.py").stdout
    assert "version" not in in_effect("check", "--model", "mine.py")


def test_the_version_of_a_command_overrides_a_common_model_and_the_other_way_round(project: Path) -> None:
    (project / "podproof.toml").write_text('model = "mine.py"\n[check]\nversion = "v1.32"\n[prove]\ntimeout = "1s"\n')
    assert in_effect("check")["version"][0] == "v1.32" and "model" not in in_effect("check")
    assert in_effect("prove")["model"][0] == "mine.py" and "version" not in in_effect("prove")


def test_writing_expected_verdicts_overrides_expecting_them(project: Path) -> None:
    (project / "podproof.toml").write_text(f'[check]\nexpect = "expected.txt"\n{SMALL}')
    missing = run("check")
    assert missing.exit_code == 2 and "--write-expect expected.txt" in missing.stderr
    assert run("check", "--write-expect", "expected.txt").exit_code == 0
    result = run("check")
    assert result.exit_code == 0 and "all is as expected.txt expects" in " ".join(result.stdout.split())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[check]\nscenarios = ["orphan"]', "podproof.toml: [check] scenarios: no option of `podproof check`; did you"),
        ('versoin = "v1.29"', "podproof.toml: versoin: no option of any command; did you mean 'version'?"),
        ('zzz = "v1.29"', "known are "),
        ("[prove]\nengine = 1", "podproof.toml: [prove] engine: no option of `podproof prove`"),
        ("[chekc]\nversion = 1", "podproof.toml: [chekc] is no command"),
        ("version = 1.29", "podproof.toml: version: 1.29 does not fit --version; write a text in quotation marks"),
        ('[check]\nstats = "yes"', "[check] stats: 'yes' does not fit --stats; write true or false"),
        ("[check]\nmax-states = true", "[check] max-states: True does not fit --max-states; write a whole number"),
        ("[check]\nmax-states = 0", "podproof.toml: [check] max-states: 0 is not in the range"),
        ("[check]\nbudget = 60", "[check] budget: 60 does not fit --budget; write a text"),
        ('[check]\nbudget = "5x"', "podproof.toml: [check] budget: '5x' is no duration; write 90s, 5m or 1h"),
        ('[check]\nengine = "fast"', "podproof.toml: [check] engine: 'fast' is not one of"),
        ("[check]\nscenario = [1]", 'write a list of texts, as in scenario = ["…"]'),
        ('[check]\nwrite-expect = "f"', "[check] write-expect: this belongs on the command line"),
        ('config = "f"', "config: this belongs on the command line"),
        ('[check]\nversion = "v1.29"\nmodel = "m.py"', "podproof.toml: [check] version: `model` says which release"),
        ('[check]\nexpect = "a\\u0000b"', "[check] expect: 'a\\x00b' does not fit --expect"),
        ("version = " + 9999 * "[", "podproof.toml: this is no TOML"),
        ("[check]\nmax-states = " + 9999 * "9", "podproof.toml: this is no TOML"),
        ("version =", "podproof.toml: this is no TOML"),
        ("version = 'v1.29'\nversion = 'v1.29'", "podproof.toml: this is no TOML"),
    ],
)
def test_a_mistake_is_told_with_file_and_key_and_what_to_write(text: str, words: str, project: Path) -> None:
    (project / "podproof.toml").write_text(text)
    result = run("check")
    assert result.exit_code == 2
    assert words in result.stderr
    assert "Traceback" not in result.output and result.stdout == ""


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--config", "nowhere.toml"), "--config nowhere.toml: there is no such file"),
        (("--config", "."), "Is a directory"),
        (("--config", "binary.toml"), "no text in UTF-8"),
        (("--config", "pyproject.toml"), "it has no table [tool.podproof]"),
        (("--config", "podproof.toml", "--no-config"), "give one"),
    ],
)
def test_a_file_that_cannot_be_used_is_told(arguments: tuple[str, ...], words: str, project: Path) -> None:
    (project / "binary.toml").write_bytes(b"\xff\xfe")
    (project / "pyproject.toml").write_text('[tool]\nother = 1\n[project]\nname = "x"\n')
    (project / "podproof.toml").write_text("")
    result = run("check", *arguments)
    assert result.exit_code == 2
    assert words in result.stderr and "Traceback" not in result.output


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="needs users as POSIX has them")
def test_a_file_that_another_user_may_have_left_for_everybody_is_not_read(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = project / "podproof.toml"
    file.write_text('[check]\nscenario = ["orphan"]\n')
    if os.getuid() == 0:
        os.chown(file, 12345, -1)
    else:
        other = os.getuid() + 1
        monkeypatch.setattr(os, "getuid", lambda: other)
    assert in_effect("check")["scenario"] == (["orphan"], "podproof.toml"), "a folder that few may write to"
    project.chmod(0o777)
    refused = run("check", "--print-config")
    assert refused.exit_code == 2 and "belongs to another user" in refused.stderr
    assert run("check", "--no-config", "--print-config").exit_code == 0
    assert in_effect("check", "--config", "podproof.toml")["scenario"][0] == ["orphan"]


def test_an_error_about_what_the_file_sets_names_the_file(project: Path) -> None:
    (project / "podproof.toml").write_text('[check]\nscenario = ["one-pd"]\n')
    result = run("check")
    assert result.exit_code == 2
    assert "did you mean 'one-pod'?" in result.stderr
    assert "note: podproof.toml sets --scenario; --no-config leaves that out" in result.stderr
    assert "note:" not in run("check", "--no-config", "--scenario", "one-pd").stderr


def test_help_needs_no_sound_configuration(project: Path) -> None:
    (project / "podproof.toml").write_text("=")
    assert run("check", "--help").exit_code == 0
    assert run("check").exit_code == 2
    assert run("check", "--no-config", "--print-config").exit_code == 0
