"""Hostile files and names on the command line: nothing of what they say is obeyed by whoever reads what comes out."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import Result
from tests.command_line import run_or_export
from tests.command_line import run_v1_29 as run
from tests.test_texts import is_harmless

GROWS, HOLDS = "grace_period_only_decreases", "terminated_pods_never_restart"
EVIL = "a\n::error::pwned\r\x1b[31m\x9b2J\u202e##[error]\u200bz"
"""Without what no file name may have."""
ALL_HARMLESS = ("text", "json", "junit", "sarif", "markdown")
MODEL = '''
from podproof.model.language import programmer_error
from podproof.model.state import KillPodOptions, Pod, PodSyncStatus
from podproof.model.versions import V1_29


class Mine(V1_29):
    def calculate_effective_grace_period(
        self, status: PodSyncStatus, pod: Pod, options: KillPodOptions
    ) -> tuple[int, bool]:
        """A docstring: ::error::pwned."""
        programmer_error("::error::pwned \\x1b[31m ##[error]")
        return 30, True
'''
BROKEN = {
    "warns": "X = 1 is 1  # \u202e\x9b ::error::pwned\n",
    "raises": 'raise ValueError("a\\n::error::pwned\\x1b[31m\\u202e##[error]")\n',
    "no Python": "x = 1 +* '::error::\u202e##[error]\x1b'\n",
    "no model": "print = '::error::pwned'\n",
    "refused": MODEL.replace('programmer_error("', 'while "\u202e\x1b##[error]": programmer_error("'),
    "misspelt": MODEL.replace("calculate_effective", "calculate_\u0430ffective", 1),
    "fails": MODEL.replace("programmer_error(", "assert status.grace_period < 0, ("),
}


def assert_harmless(result: Result) -> None:
    for found in (result.stdout, result.stderr):
        assert is_harmless(found), found
    assert "Traceback" not in result.stderr
    assert result.exit_code in (0, 1, 2, 4)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def model(folder: Path) -> str:
    path = folder / f"{EVIL}.py"
    path.write_text(MODEL, encoding="utf-8")
    return path.name


@pytest.mark.slow
@pytest.mark.parametrize("form", [*ALL_HARMLESS, "github"])
def test_a_model_with_a_hostile_name_is_told_in_every_format(form: str, model: str) -> None:
    result = run("check", "--model", model, "--scenario", "killed-pod", "-o", form, "--color", "always")
    assert result.exit_code == 1, result.output
    if form == "github":
        commands = [line for line in result.stdout.splitlines() if line.startswith("::")]
        assert commands == result.stdout.removesuffix("\n").split("\n")
        assert all(re.match(r"::(error|notice) (file=|title=)", line) for line in commands)
        assert is_harmless(result.stdout.replace("::", "")) and is_harmless(result.stderr)
        return
    plain = re.sub(r"\x1b\[(?:31;1|33;1|32|2|1|0)m", "", result.stdout)
    assert is_harmless(plain) and is_harmless(result.stderr)
    assert r"a\n::error::pwned\r\x1b[31m\x9b2J\u202e\x23#[error]\u200bz" in plain or form in ("json", "sarif")


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ("prove", "--scenario", "lone-pod", "--property", "terminated_pods_never_restart"),
        ("export", "promela", "--scenario", "killed-pod"),
        ("export", "tla", "--scenario", "killed-pod"),
        ("diagram", "--scenario", "killed-pod", "-o", "mermaid"),
        ("diagram", "--scenario", "killed-pod", "-o", "svg"),
        ("check", "--scenario", "lone-pod", "--output-file", f"json={EVIL}.json"),
        ("check", "--scenario", "lone-pod", "--report-dir", f"{EVIL}"),
    ],
    ids=lambda arguments: " ".join(arguments).replace(EVIL, "EVIL"),
)
def test_every_command_shows_a_hostile_name(arguments: tuple[str, ...], model: str) -> None:
    assert_harmless(run_or_export(*arguments, "--model", model))


@pytest.mark.slow
def test_a_go_test_shows_a_hostile_name(model: str) -> None:
    """Its own tabs are gofmt's."""
    asked = ("--scenario", "killed-pod", "--property", "evictions_are_recorded", "-o", "go-test")
    test = run("check", "--model", model, *asked).stdout
    assert "func TestEvictionsAreRecorded(" in test and is_harmless(test, "\n\t")


@pytest.mark.slow
def test_a_comparison_shows_a_hostile_name(model: str) -> None:
    forms = ("json", "markdown", "html")
    files = (f"--output-file={form}={form}" for form in forms)
    assert_harmless(run("review", "v1.29", model, "--scenario", "lone-pod", *files))
    for form in forms:
        assert is_harmless(Path(form).read_text(encoding="utf-8")), form


@pytest.mark.parametrize("name", BROKEN)
def test_a_model_that_is_refused_is_quoted_and_not_obeyed(name: str, folder: Path) -> None:
    path = folder / f"{EVIL}.py"
    path.write_text(BROKEN[name], encoding="utf-8")
    result = run("check", "--model", str(path), "--scenario", "killed-pod")
    assert_harmless(result)
    assert result.stderr or name == "fails"


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "--version", EVIL),
        ("check", "--scenario", EVIL),
        ("check", "--property", EVIL),
        ("check", "--engine", EVIL),
        ("check", "--reduce", EVIL),
        ("check", "--budget", EVIL),
        ("check", "--model", f"{EVIL}.py"),
        ("check", "--model", "\udcff::error.py"),
        ("check", "--config", EVIL),
        ("check", f"--{EVIL}"),
        (EVIL,),
        ("::error::pwned",),
        ("review", "v1.29", EVIL),
        ("explain", EVIL),
        ("conform", EVIL),
        ("log", EVIL),
        ("log", "--explain-line", "Pod is terminal", "--version", EVIL),
        ("conform", "\udcff\udcfe"),
        ("explore", "--walk", EVIL),
        ("diagram", "--by", EVIL),
        ("diagram", "--check", EVIL),
        ("explain", "schema", EVIL),
    ],
    ids=lambda arguments: ascii(" ".join(arguments)).replace(ascii(EVIL)[1:-1], "EVIL"),
)
def test_no_name_on_the_command_line_is_obeyed(arguments: tuple[str, ...], folder: Path) -> None:
    result = run(*arguments)
    assert_harmless(result)
    assert result.exit_code == 2 and result.stderr.startswith("error: ")


@pytest.mark.parametrize(
    "text",
    [
        f'version = {json.dumps(EVIL)}',
        f'[check]\nscenario = [{json.dumps(EVIL)}]',
        f'[{json.dumps(EVIL)}]\nx = 1',
        f'{json.dumps(EVIL)} = 1',
        'version = "v1.29\u202e',
        "::error::pwned \x1b[31m",
    ],
)  # fmt: skip
def test_a_configuration_is_quoted_and_not_obeyed(text: str, folder: Path) -> None:
    (folder / "podproof.toml").write_text(text, encoding="utf-8")
    assert_harmless(run("check", "--scenario", "lone-pod"))


@pytest.mark.parametrize("form", ["text", "json", "junit", "sarif", "github", "markdown"])
def test_a_reason_of_a_known_violation_is_quoted_and_not_obeyed(form: str, folder: Path) -> None:
    reason = json.dumps(f"because{EVIL}")
    (folder / "podproof.toml").write_text(f"[known]\n{GROWS} = {reason}\n{HOLDS} = {reason}\n", encoding="utf-8")
    asked = ("--scenario", "deleted-and-killed", "--property", GROWS, "--property", HOLDS)
    found = run("check", "--version", "v1.29", *asked, "-o", form)
    assert found.exit_code == 0 and "because" in found.stdout
    lines = found.stdout.splitlines()
    # Only where a line begins is `::` a workflow command.
    assert form != "github" or all(line.startswith("::notice title=") for line in lines)
    assert is_harmless(found.stdout.replace("::", "") if form == "github" else found.stdout)
    assert is_harmless(found.stderr)


def _with(value: object, text: str) -> object:
    """The JSON with the text behind every text of it that is no key."""
    match value:
        case str():
            return value + text
        case dict():
            return {key: _with(item, text) for key, item in value.items()}
        case list():
            return [_with(item, text) for item in value]
    return value


@pytest.mark.parametrize("place", ["trace", "steps", "everything"])
@pytest.mark.parametrize("form", ALL_HARMLESS)
def test_a_recorded_trace_is_quoted_and_not_obeyed(place: str, form: str, folder: Path) -> None:
    path = Path(__file__).parent / "traces" / "lifecycles.jsonl"
    trace = json.loads(path.read_text(encoding="utf-8").splitlines()[0])
    if place == "everything":
        trace = _with(trace, EVIL)
    else:
        trace[place] = _with(trace[place], EVIL)
    (folder / f"{EVIL}.jsonl").write_text(json.dumps(trace) + "\n", encoding="utf-8")
    assert_harmless(run("conform", f"{EVIL}.jsonl", "-o", form))
