"""The command line as a person at a terminal meets it: colour, more and less, completion, help, and mistakes."""

from __future__ import annotations

import os
import pty
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click
import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner, Result

from podproof.checker import engines
from podproof.checker.core.proofs import Proofs
from podproof.checker.core.system import System
from podproof.cli import hyperlinks, progress, terminal
from podproof.cli.main import SECTIONS, main
from podproof.queries import proving
from podproof.queries.claims import NUMBERS
from podproof.queries.versions import DEFAULT_VERSION, VERSIONS

ROOT = Path(__file__).parents[1]
GRACE = "grace_period_only_decreases"
ORPHAN = ("check", "--scenario", "orphan")
ESCAPE = "\x1b["
COMMANDS = [name for section in SECTIONS.values() for name in section]


@pytest.fixture(autouse=True)
def nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever runs the tests may like colour, or not."""
    for name in ("NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"):
        monkeypatch.delenv(name, raising=False)


def run(*arguments: str, env: Mapping[str, str] | None = None) -> Result:
    return CliRunner().invoke(main, arguments, env=env)


def on_a_terminal(*arguments: str, columns: int = 100, **environment: str) -> str:
    """What a command writes where standard output is a terminal of this width."""
    reader, writer = pty.openpty()
    env = {**os.environ, "PYTHONPATH": str(ROOT / ".src"), "TERM": "xterm", "COLUMNS": str(columns), **environment}
    command = [sys.executable, "-m", "podproof.cli.main", *arguments]
    with subprocess.Popen(command, stdout=writer, stderr=subprocess.DEVNULL, env=env) as process:
        os.close(writer)
        written = b"".join(_until_closed(reader))
    assert process.returncode in (0, 1)
    return written.decode()


def _until_closed(reader: int) -> Iterator[bytes]:
    while True:
        try:
            part = os.read(reader, 65536)
        except OSError:
            return
        if not part:
            return
        yield part


# -- colour and width --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("environment", "when", "colored"),
    [
        ({}, "auto", False),
        ({}, "always", True),
        ({"NO_COLOR": "1"}, "always", True),
        ({"FORCE_COLOR": "1"}, "auto", True),
        ({"FORCE_COLOR": "1"}, "never", False),
        ({"FORCE_COLOR": ""}, "auto", False),
        ({"CLICOLOR_FORCE": "1"}, "auto", True),
        ({"CLICOLOR_FORCE": "0"}, "auto", False),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, "auto", False),
        ({"NO_COLOR": "", "FORCE_COLOR": "1"}, "auto", True),
    ],
)
def test_colour_is_as_asked_for_and_else_as_the_environment_says(
    environment: dict[str, str], when: str, colored: bool
) -> None:
    result = run(*ORPHAN, "--property", GRACE, "--color", when, env=environment)
    assert (ESCAPE in result.stdout) is colored


@pytest.mark.slow
def test_a_terminal_has_colour_unless_it_is_told_not_to() -> None:
    claim = ("explain", GRACE)
    assert ESCAPE in on_a_terminal(*claim)
    assert ESCAPE not in on_a_terminal(*claim, NO_COLOR="1")
    assert ESCAPE not in on_a_terminal(*claim, "--color", "never")
    assert ESCAPE not in on_a_terminal(*claim, TERM="dumb")


@pytest.mark.slow
def test_places_are_links_on_a_terminal_with_colour_and_read_as_without() -> None:
    asked = (*ORPHAN, "--property", GRACE, "--max-states", "50000", "--version", "v1.29")
    linked = on_a_terminal(*asked)
    links = re.findall(r"\x1b\]8;;file://[^/]*(/[^\x1b]+)#(\d+)\x1b\\([\w/]+\.py):(\d+)\x1b\]8;;\x1b\\", linked)
    assert {name for _, _, name, _ in links} >= {"model/pod_workers.py", "specs/steps.py"}
    assert all(Path(file).samefile(ROOT / name) and line == said for file, line, name, said in links)
    plain = re.sub(r"\x1b(\]8;;[^\x1b]*\x1b\\|\[[\d;]*m)", "", linked)
    assert plain == on_a_terminal(*asked, NO_COLOR="1") and "\x1b" not in plain
    assert "\x1b]8" not in run(*asked, "--color", "always").stdout


def test_only_files_that_are_here_are_linked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "my change.py").write_text("")
    (tmp_path / "pod_workers.go").write_text("")
    assert hyperlinks.linked("nowhere.py:3; a.txt:4; my change.py:5") == "nowhere.py:3; a.txt:4; my change.py:5"
    link = hyperlinks.linked("\x1b[2mpod_workers.go:793\x1b[0m, UpdatePod:793")
    assert link.startswith("\x1b[2m\x1b]8;;file://") and "pod_workers.go#793\x1b\\pod_workers.go:793\x1b]8;;" in link
    assert link.count("\x1b]8") == 2


# -- numbers of claims -------------------------------------------------------------------------------------------------


def test_a_claim_is_called_by_its_row_in_the_list_of_claims() -> None:
    assert list(NUMBERS) == run("explain", "properties", "-q").stdout.split()
    number = NUMBERS[GRACE]
    for asked in (("explain",), (*ORPHAN, "--property"), ("diagram", "--version", "v1.29", "--trace")):
        by_number, by_id = run(*asked, number), run(*asked, GRACE)
        assert by_number.stdout == by_id.stdout and f"{number} is {GRACE}\n" in by_number.stderr
        assert f"{number} is" not in by_id.stderr


EVICTIONS = "evictions_are_recorded"
SMALL = ("--scenario", "killed-pod", "--scenario", "orphan")


@pytest.mark.slow
def test_the_numbers_of_the_first_screen_are_taken_by_the_next_command() -> None:
    text = run("check", "--version", "v1.29", *SMALL, "--property", GRACE, "--property", EVICTIONS).stdout
    rows = re.findall(r"^ +(\d+)  .*\n      (\w+): \d+ steps in ", text, re.MULTILINE)
    assert {id for _, id in rows} == {GRACE, EVICTIONS}
    for number, id in rows:
        assert run("explain", number).stdout.startswith(id)


def test_a_report_is_as_wide_as_the_terminal_and_120_columns_elsewhere() -> None:
    narrow = on_a_terminal(*ORPHAN, "--property", GRACE, columns=80, NO_COLOR="1")
    # A command is not broken into lines: it is there to be pasted.
    assert max(len(line.rstrip()) for line in narrow.splitlines() if "replay:" not in line) <= 80
    plain = run(*ORPHAN, "--property", GRACE, env={"COLUMNS": "80"}).stdout
    assert plain == run(*ORPHAN, "--property", GRACE).stdout
    assert 110 < max(map(len, plain.splitlines())) <= 120


def test_lists_are_tables_on_a_terminal_and_plain_columns_for_other_programs() -> None:
    shown, plain = on_a_terminal("explain", "scenarios", columns=80, NO_COLOR="1"), run("explain", "scenarios").stdout
    assert "callers" in shown and max(map(len, shown.splitlines())) <= 80 < max(map(len, plain.splitlines()))
    assert "callers" not in plain
    assert [line.split()[0] for line in plain.splitlines()] == run("explain", "scenarios", "-q").stdout.split()
    assert len({len(line) - len(line.split(maxsplit=1)[1]) for line in plain.splitlines()}) == 1


# -- less and more -----------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_quiet_shows_what_is_violated_and_the_last_line_with_the_same_exit_code() -> None:
    full, quiet = run(*ORPHAN, "--strict"), run(*ORPHAN, "-q", "--strict")
    assert quiet.exit_code == full.exit_code == 1
    violated = [line for line in full.stdout.splitlines() if line.startswith("  KNOWN")]
    lines = quiet.stdout.splitlines()
    shown = lines[1 : 1 + len(violated)]
    # The story has the issue, which a line without one names.
    assert violated and all(line.startswith(told) for line, told in zip(shown, violated, strict=True))
    end = full.stdout.splitlines().index("")
    assert end and full.stdout.endswith("\n".join(lines[2 + len(violated) :]) + "\n")
    assert "HOLDS" not in quiet.stdout and "trust" not in quiet.stdout and quiet.stderr == ""


@pytest.mark.slow
@pytest.mark.parametrize("command", ["check", "prove"])
def test_quiet_says_one_line_where_all_is_well(command: str) -> None:
    result = run(command, "--scenario", "orphan", "--property", "terminated_pods_never_restart", "-q")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 1 and "Exit code 0" in result.stdout


def test_quiet_keeps_what_is_undecided() -> None:
    result = run(*ORPHAN, "--property", "terminated_pods_never_restart", "--max-states", "10", "-q")
    assert result.exit_code == 4
    assert "UNKNOWN   terminated_pods_never_restart" in result.stdout


def test_verbose_says_of_every_claim_what_it_says_and_where_it_comes_from() -> None:
    text = run(*ORPHAN, "--property", "terminated_pods_never_restart", "-v").stdout
    assert "stats" in text and "upstream:" in text
    assert re.search(r"HOLDS +terminated_pods_never_restart\n +\w", text)


TWO = ("--scenario", "lone-pod", "--scenario", "killed-pod")


@pytest.fixture
def proved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that asks one question in two forms proves each scenario once."""
    proved: dict[str, Proofs] = {}
    prove_claims = proving.prove_claims

    def once(system: System, *asked: Any) -> Proofs:
        if system.name not in proved:
            proved[system.name] = prove_claims(system, *asked)
        return proved[system.name]

    monkeypatch.setattr(proving, "prove_claims", once)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "rows"),
    [
        (
            ("check", "--version", "v1.26", "--liveness", *TWO),
            ["terminating_pods_are_terminated: 13 steps in killed-pod; known: #113145", "callers are misled"],
        ),
        (
            ("prove", "--version", "v1.29", *TWO, "--property", GRACE, "--property", "evictions_are_recorded"),
            [
                "lone-pod 3 of 3 claims proved for every grace period",
                "evictions_are_recorded: 3 steps in killed-pod; known",
            ],
        ),
        (
            ("prove", "--pods", *TWO, "--property", "housekeeping_drives_orphans_on", "--property", GRACE),
            ["lone-pod x 2 each of 56 transitions 1 claim 1", "killed-pod x 2 each of 56 transitions 1 claim 1"],
        ),
    ],
    ids=lambda value: value[0] if isinstance(value, tuple) else "",
)
def test_several_scenarios_are_told_in_short_and_a_line_says_how_to_have_all(
    command: tuple[str, ...], rows: list[str], proved_once: None
) -> None:
    brief, verbose = run(*command).stdout, run(*command, "-v").stdout
    lines = [" ".join(line.split()) for line in brief.splitlines()]
    assert set(rows) <= set(lines) and re.search("the same with -v|-v shows", brief)
    assert not re.search("the same with -v|-v shows", verbose)
    assert len(re.findall("^v.*  lone-pod   |^lone-pod x 2", verbose, re.MULTILINE)) == 1


@pytest.mark.slow
def test_what_is_undecided_has_its_reason_in_a_report_of_proofs() -> None:
    text = run("prove", *TWO, "--property", GRACE, "--timeout", "0s").stdout
    assert re.search(rf"^not decided\n +{NUMBERS[GRACE]}  .*\n      {GRACE}: .*,\s+in\s+lone-pod", text, re.MULTILINE)
    assert text.count(f"UNKNOWN   {GRACE}") == 2


@pytest.mark.slow
def test_other_commands_know_less_and_more_too() -> None:
    conform = ("conform", str(ROOT / "tests" / "traces" / "lifecycles.jsonl"), "--version", "v1.29")
    assert len(run(*conform, "-v").stdout.splitlines()) > len(run(*conform).stdout.splitlines())
    versions = ("review", "v1.29", "v1.32", "--scenario", "lone-pod")
    quiet, normal, verbose = (run(*versions, *flag).stdout for flag in (("-q",), (), ("-v",)))
    assert normal.startswith(quiet) and len(quiet) < len(normal) < len(verbose)
    alone = ("prove", "--pods", "--scenario", "orphan", "--property", "housekeeping_drives_orphans_on")
    assert run(*alone, "-q").stdout.splitlines()[1].startswith("  ALONE ")
    assert "GracePeriod" in run("explain", GRACE).stdout
    assert "def " not in run("explain", GRACE, "-q").stdout
    assert run("explain", "properties", "-v").stdout.count("upstream:") >= 50


def test_progress_goes_to_standard_error_and_not_at_all_when_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(progress, "PLAIN_SECONDS", 0.0)
    monkeypatch.setattr(engines, "_REPORT_SECONDS", 0.0)
    search = (*ORPHAN, "--property", GRACE, "--engine", "python", "--max-states", "300")
    told = run(*search)
    assert re.search(
        rf"{DEFAULT_VERSION} orphan: [\d,]+ states, .* states/s, depth \d+, frontier [\d,]+, \d+ MiB, \d+ s",
        told.stderr,
    )
    assert run(*search, "-q").stderr == ""


# -- completion --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ("che", {"check"}),
        ("check --eng", {"--engine"}),
        ("check --version v1.22", {"v1.22.0", "v1.22.5"}),
        ("check --scenario al", {"all", "always-restarted"}),
        ("check --property grace_period_only", {GRACE}),
        ("check --engine c", {"compiled"}),
        ("review v1.29 v1.3", {"v1.32", "v1.34", "v1.35", "v1.36", "v1.36.3"}),
        ("new mine --from la", {"latest"}),
        ("explain uid-", {"uid-reuse"}),
        ("explain evictions", {"evictions_are_marked_evicted", "evictions_are_recorded"}),
        ("prove --beside two-g", {"two-goroutines"}),
        ("explain actio", {"actions"}),
        ("diagram --by budget.kills,pod_sync_statuses[0].finis", {"budget.kills,pod_sync_statuses[0].finished"}),
    ],
)
def test_names_are_completed(line: str, wanted: set[str]) -> None:
    *words, begun = shlex.split(line)
    found = ShellComplete(main, {}, "podproof", "_PODPROOF_COMPLETE").get_completions(words, begun)
    assert {item.value for item in found} == wanted


def test_a_file_may_stand_where_a_version_may() -> None:
    (found,) = ShellComplete(main, {}, "podproof", "_PODPROOF_COMPLETE").get_completions(["review", "v1.29"], "my_ch")
    assert found.type == "file"


@pytest.mark.skipif(shutil.which("bash") is None, reason="there is no bash")
def test_bash_completes_with_its_script(tmp_path: Path) -> None:
    tool = tmp_path / "podproof"
    tool.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m podproof.cli.main "$@"\n')
    tool.chmod(0o755)
    (completion,) = re.findall(r"eval .* podproof\)\"", (ROOT / "docs" / "terminal.md").read_text(encoding="utf-8"))
    script = (
        f"{completion}; "
        "COMP_WORDS=(podproof explain v1.3); COMP_CWORD=2; "
        '_podproof_completion podproof; echo "${COMPREPLY[@]}"'
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT / ".src"), "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, env=env, check=True)
    assert set(done.stdout.split()) == {name for name in VERSIONS if name.startswith("v1.3")}


def test_help_and_the_completion_of_commands_load_no_engine() -> None:
    code = "import sys, podproof.cli.main as m; m.main(['--help'], standalone_mode=False); print(*sys.modules)"
    env = {**os.environ, "PYTHONPATH": str(ROOT / ".src")}
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, env=env, check=True).stdout
    assert "podproof.cli.main" in loaded.split()
    assert not {"numpy", "llvmlite", "z3", "networkx", "podproof.checker"} & set(loaded.split())


# -- help --------------------------------------------------------------------------------------------------------------


def command(name: str) -> tuple[click.Context, terminal.Command]:
    context = click.Context(main, info_name="podproof", **main.context_settings)
    found = main.get_command(context, name)
    assert isinstance(found, terminal.Command), f"podproof {name} is not made with terminal.command"
    return context, found


@pytest.mark.parametrize("name", COMMANDS)
def test_help_begins_with_examples_that_can_be_run(name: str) -> None:
    context, found = command(name)
    text = run(name, "--help").stdout
    assert text.index("Examples:") < text.index("Options")
    assert found.examples
    for line, what in found.examples:
        assert line in text and what in text
        (arguments,) = re.findall(rf"podproof {name}\b([^)>|]*)", line)
        words = shlex.split(arguments)
        # What is parsed here is not run.
        assert found.make_context(name, words, parent=context).params is not None


def test_help_lists_every_command_in_a_group() -> None:
    text = run("--help").stdout
    for title, section in SECTIONS.items():
        assert f"\n{title}:\n" in text
        for name, (_, summary) in section.items():
            assert re.search(rf"^  {name} +{re.escape(summary[:30])}", text, re.MULTILINE)


# -- mistakes ----------------------------------------------------------------------------------------------------------

FILES: Mapping[str, bytes] = {
    "empty.py": b"",
    "binary.py": b"\x80\x81\x82\x00\xff",
    "empty.jsonl": b"",
    "binary.jsonl": b"\x80\x81\x82\x00\xff",
    "words.jsonl": b"hello\n",
    "broken.jsonl.gz": b"\x1f\x8b\x08\x00garbage",
}
MISTAKES = [
    ("chek", "no command 'chek'", "did you mean 'check'?"),
    ("frobnicate", "no command 'frobnicate'", "there are check,"),
    ("--frobnicate", "--frobnicate", "`podproof --help`"),
    ("check --scenaro orphan", "--scenaro", "Did you mean '--scenario'?"),
    ("check extra", "extra", "`podproof check --help`"),
    ("check --version", "--version", "--help`"),
    ("check --version v1.2g", "'v1.2g'", "did you mean"),
    ("check --scenario one-pd", "'one-pd'", "did you mean 'one-pod'?"),
    ("check --property grace_only_decreases", "grace_only_decreases", f"did you mean '{GRACE}'?"),
    ("check --model nowhere.py", "nowhere.py: there is no such file", "give the path"),
    ("check --model .", "a folder", "give the path"),
    ("check --model empty.py", "found none", "class MyChange(V1_29)"),
    ("check --model binary.py", "cannot be read", "UTF-8"),
    ("prove --model empty.py --version v1.29", "--version and --model", "give one"),
    ("check --property 0", "0 is no claim's number", "`podproof explain properties`"),
    ("explain 99999999999999999999", "is no claim's number", "`podproof explain properties`"),
    ("check --engine fast", "'fast'", "'compiled'"),
    ("check --max-states many", "'many'", "`podproof check --help`"),
    ("check --max-states 0", "--max-states", "x>=1"),
    ("check --budget soon", "'soon' is no duration", "write 90s, 5m or 1h"),
    ("check --memory 5XB", "'5XB' is no size", "write 500MiB or 2GiB"),
    ("check --memory 0", "no room", "write 500MiB or 2GiB"),
    ("check --reduce less", "'less'", "known are"),
    ("check --engine python --memory 1GiB", "--memory", "`compiled`"),
    ("check --color blue", "'blue'", "'never'"),
    ("check -q -v", "-q and -v", "give one"),
    ("check -o xml", "'xml'", "'json'"),
    ("prove --timeout soon", "'soon' is no duration", "write 90s, 5m or 1h"),
    ("prove --property a_pod_runs", "of kind 'sometimes'", "use `podproof check"),
    ("prove --pods --beside nothing", "'nothing'", "there are"),
    ("review v1.29", "'B'", "usage: podproof review [OPTIONS] A B"),
    ("review v1.29 v1.2g", "'v1.2g'", "did you mean"),
    ("review v1.29 nowhere.py", "nowhere.py: there is no such file", "give the path"),
    ("review v1.29 v1.32 --scenario orphan --by finishd", "'finishd'", "did you mean"),
    ("conform nowhere.jsonl", "nowhere.jsonl", "give a .jsonl file"),
    ("conform .", "binary.jsonl:1", "give a .jsonl file"),
    ("conform empty.jsonl", "nothing in it", "docs/traces.md"),
    ("conform binary.jsonl", "binary.jsonl:1", "give a .jsonl file"),
    ("conform words.jsonl", "words.jsonl:1", "docs/traces.md"),
    ("conform broken.jsonl.gz", "broken.jsonl.gz:1", "give a .jsonl file"),
    ("explain zzzzzzzz", "'zzzzzzzz'", "`podproof explain names`"),
    ("explain fields --scenario one-pd", "'one-pd'", "did you mean 'one-pod'?"),
    ("explain one-pdo", "'one-pdo'", "did you mean 'one-pod'?"),
    ("diagram -o gif", "'gif'", "'svg'"),
    ("diagram --by finishd", "'finishd'", "did you mean 'finished'"),
    ("diagram --preset grace --by finished", "--preset", "give one"),
    ("diagram --check", "no file", "name the files"),
    ("check --config nowhere.toml", "nowhere.toml: there is no such file", "give the path"),
    ("check --output-file xml=verdicts", "no format 'xml'", "there are github"),
    ("explore --port 99999", "--port", "0<=x<=65535"),
]


@pytest.mark.parametrize(("line", "found", "advice"), MISTAKES, ids=[line for line, _, _ in MISTAKES])
def test_a_mistake_is_told_as_a_sentence_with_what_to_do(
    line: str, found: str, advice: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in FILES.items():
        (tmp_path / name).write_bytes(content)
    result = run(*shlex.split(line))
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("error: ")
    assert found in result.stderr and advice in result.stderr
    assert "Traceback" not in result.output and result.stdout == ""


@pytest.mark.slow
@pytest.mark.parametrize("arguments", ["explain versions", "diagram --scenario lone-pod -o svg", "explain one-pod"])
def test_without_an_output_there_is_no_traceback(arguments: str) -> None:
    command = f"{shlex.quote(sys.executable)} -m podproof.cli.main {arguments} >&-"
    env = {**os.environ, "PYTHONPATH": str(ROOT / ".src")}
    done = subprocess.run(["sh", "-c", command], env=env, capture_output=True, text=True)
    assert done.returncode == 0 and "Traceback" not in done.stderr
