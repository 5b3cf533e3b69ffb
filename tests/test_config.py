"""Configuration in podproof.toml and pyproject.toml: which file counts, what may stand in it, what overrides it."""

from __future__ import annotations

import os
import tomllib
from pathlib import Path

import pytest
from click.core import ParameterSource
from tests.command_line import run

from podproof.cli.main import main
from podproof.queries.versions import DEFAULT_VERSION

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
    """For each option of a command what it is set to, and by what."""
    names = {ParameterSource.COMMANDLINE: "command line", ParameterSource.DEFAULT_MAP: "file"}
    with main.make_context("podproof", [*arguments]) as above:
        command = main.get_command(above, arguments[0])
        assert command is not None
        context = command.make_context(arguments[0], [*arguments[1:]], above)
    found = {}
    for option in command.params:
        if option.name in context.params:
            source = context.get_parameter_source(option.name)
            set_by = "default" if source is None else names.get(source, "default")
            name, value = max(option.opts, key=len).lstrip("-"), context.params[option.name]
            if name in ("version", "model", "go") and isinstance(value, tuple):  # A command that takes several.
                value = next(iter(value), None) if len(value) < 2 else value
            found[name] = value, set_by
    return found


def test_this_project_configures_nothing_for_its_own_tests() -> None:
    assert "podproof" not in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]
    assert not (ROOT / "podproof.toml").exists()


def test_a_file_sets_the_options_and_the_run_is_the_same_as_with_flags(project: Path) -> None:
    flags = run("check", "--scenario", "orphan", "--property", RESTART)
    (project / "podproof.toml").write_text(f"[check]\n{SMALL}")
    configured = run("check")
    assert configured.exit_code == 0
    assert configured.stdout == flags.stdout
    assert run("check", "--config", os.devnull, "--scenario", "orphan", "--property", RESTART).stdout == flags.stdout


def test_a_flag_overrides_the_file_and_the_file_the_default(project: Path) -> None:
    (project / "podproof.toml").write_text('version = "v1.32"\n[check]\nscenario = ["orphan"]\nbudget = "1m"\n')
    found = in_effect("check", "--scenario", "one-pod", "--scenario", "uid-reuse", "--stats")
    assert found["scenario"] == (("one-pod", "uid-reuse"), "command line")
    assert found["stats"] == (True, "command line")
    assert found["version"] == ("v1.32", "file")
    assert found["budget"] == (60.0, "file")
    assert found["engine"] == ("auto", "default")
    assert found["model"] == (None, "default")


def test_a_version_in_the_file_is_of_no_review_without_go(project: Path) -> None:
    same = run("review", "v1.29", "v1.32", "--scenario", "lone-pod")
    (project / "podproof.toml").write_text('version = "v1.36"\n')
    assert run("review", "v1.29", "v1.32", "--scenario", "lone-pod").stdout == same.stdout != ""
    assert run("review", "v1.29", "v1.32", "--version", "v1.36").exit_code == 2


def test_a_commands_own_table_overrides_what_is_common(project: Path) -> None:
    (project / "podproof.toml").write_text('version = "v1.32"\ntimeout = "5s"\n[prove]\nversion = "v1.26"\n')
    assert in_effect("check")["version"][0] == "v1.32"
    assert in_effect("prove")["version"][0] == "v1.26"
    assert in_effect("prove")["timeout"][0] == 5.0


def test_the_nearest_file_counts_and_podproof_toml_before_pyproject(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = project / "a" / "b"
    below.mkdir(parents=True)
    monkeypatch.chdir(below)
    (project.parent / "podproof.toml").write_text('version = "v1.20"\n')
    assert in_effect("check")["version"] == (DEFAULT_VERSION, "default"), "no further up than the top of the repository"
    (project / "pyproject.toml").write_text('[tool.podproof]\nversion = "v1.26"\n')
    assert in_effect("check")["version"] == ("v1.26", "file")
    (project / "podproof.toml").write_text('version = "v1.27.0"\n')
    assert in_effect("check")["version"] == ("v1.27.0", "file")
    (project / "a" / "pyproject.toml").write_text("[tool.other]\nversion = 7\n")
    assert in_effect("check")["version"][0] == "v1.27.0"
    (project / "a" / "pyproject.toml").write_text('[tool.podproof.check]\nversion = "v1.32"\n')
    assert in_effect("check")["version"] == ("v1.32", "file")
    assert in_effect("check", "--config", "../../podproof.toml")["version"][0] == "v1.27.0"
    assert in_effect("check", "--config", os.devnull)["version"] == (DEFAULT_VERSION, "default")


def test_paths_count_from_the_folder_of_the_file(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (project / "changes").mkdir()
    (project / "changes" / "mine.py").write_text(MODEL)
    (project / "podproof.toml").write_text(f'model = "changes/mine.py"\n[check]\n{SMALL}')
    monkeypatch.chdir(project / "changes")
    assert in_effect("check")["model"][0] == Path("mine.py")
    result = run("check")
    assert result.exit_code == 0 and "mine  orphan" in result.stdout
    keys = 'report-dir = "/somewhere"\noutput-file = ["junit=a/j.xml", "sarif=/s.json", "plain.txt"]\n'
    (project / "podproof.toml").write_text(f"[check]\n{keys}")
    assert in_effect("check")["report-dir"][0] == Path("/somewhere")
    assert in_effect("check")["output-file"][0] == ("junit=../a/j.xml", "sarif=/s.json", "../plain.txt")


def test_a_version_on_the_command_line_overrides_a_model_in_the_file(project: Path) -> None:
    (project / "podproof.toml").write_text(f'model = "mine.py"\n[check]\n{SMALL}')
    result = run("check", "--version", "v1.32")
    assert result.exit_code == 0 and "v1.32  orphan" in result.stdout
    (project / "mine.py").write_text(MODEL)
    (project / "podproof.toml").write_text(f'version = "v1.26"\n[check]\n{SMALL}')
    assert "mine  orphan" in run("check", "--model", "mine.py").stdout
    assert in_effect("check", "--model", "mine.py")["version"] == (DEFAULT_VERSION, "default")


def test_the_version_of_a_command_overrides_a_common_model_and_the_other_way_round(project: Path) -> None:
    (project / "podproof.toml").write_text('model = "mine.py"\n[check]\nversion = "v1.32"\n[prove]\ntimeout = "1s"\n')
    found = in_effect("check")
    assert (found["version"][0], found["model"]) == ("v1.32", (None, "default"))
    found = in_effect("prove")
    assert (found["version"], found["model"][0]) == ((DEFAULT_VERSION, "default"), Path("mine.py"))


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
        ('config = "f"', "config: this belongs on the command line"),
        ('[check]\nversion = "v1.29"\nmodel = "m.py"', "podproof.toml: [check] version: `model` says which release"),
        ('[check]\nclaims = ["a\\u0000b"]', "[check] claims: ['a\\x00b'] does not fit --claims"),
        ('known = "x"', "podproof.toml: [known]: 'x' is no table; write `[known]`"),
        ("[known]\nevictions_are_recorded = 3", "podproof.toml: [known] evictions_are_recorded: 3 is no reason; write"),
        ('[known]\nevictions_are_recorded = " "', "[known] evictions_are_recorded: ' ' is no reason"),
        ("[known.evictions_are_recorded]", "[known] evictions_are_recorded: {} is no reason"),
        ("[known]\nevictions_are_recorded.orphan = []", "[known] evictions_are_recorded.orphan: [] is no reason"),
        ('[known.evictions_are_recorded]\norphan.x = "a"', "[known] evictions_are_recorded.orphan: {'x': 'a'} is no"),
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
    assert in_effect("check")["scenario"] == (("orphan",), "file"), "a folder that few may write to"
    project.chmod(0o777)
    refused = run("check")
    assert refused.exit_code == 2 and "belongs to another user" in refused.stderr
    assert in_effect("check", "--config", os.devnull)["scenario"] == ((), "default")
    assert in_effect("check", "--config", "podproof.toml")["scenario"][0] == ("orphan",)


def test_help_needs_no_sound_configuration(project: Path) -> None:
    (project / "podproof.toml").write_text("=")
    assert run("check", "--help").exit_code == 0
    assert run("check").exit_code == 2
    assert in_effect("check", "--config", os.devnull)["version"] == (DEFAULT_VERSION, "default")
