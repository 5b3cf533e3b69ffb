"""What commands answer, a program asks: the same answers, and nothing printed."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from tests.command_line import mypy_strict, run

from podproof import queries
from podproof.checker.core import CheckerError, UsageError
from podproof.checker.core.system import Limits, Status
from podproof.queries import check, conform, prove
from podproof.queries.versions import DEFAULT_VERSION

ROOT = Path(__file__).parents[1]


def block(page: str, title: str) -> str:
    """What a page shows under a title, or after a fence of this kind."""
    found = re.search(rf"```{title}\n(.*?)```", (ROOT / "docs" / page).read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None
    return found[1]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the tutorial's proposal."""
    (tmp_path / "never_longer.py").write_text(block("tutorial.md", 'python title="never_longer.py"'))
    monkeypatch.chdir(tmp_path)
    return tmp_path


PROGRAMS = re.findall(
    r'```python title="(\w+\.py)"\n(.*?)```.*?```text\n(.*?)```',
    (ROOT / "docs" / "library.md").read_text("utf-8"),
    re.DOTALL,
)
"""The programs of the page: file, text, and what it prints."""


@pytest.mark.slow
@pytest.mark.parametrize(("name", "program", "printed"), PROGRAMS, ids=[name for name, *_ in PROGRAMS])
def test_a_program_in_the_documentation_prints_what_it_says(name: str, program: str, printed: str, here: Path) -> None:
    assert len(program.partition("\n\n")[2].splitlines()) <= 10
    (here / name).write_text(program)
    done = subprocess.run([sys.executable, name], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr, done.returncode) == (printed, "", 0)
    typed = mypy_strict(here, name)
    assert typed.returncode == 0, typed.stdout


def test_each_question_has_its_program() -> None:
    asked = {
        name for _, program, _ in PROGRAMS for name in re.findall(r"^from podproof.queries import (\w+)", program, re.M)
    }
    assert asked == {"check", "review", "prove", "explore", "adequacy"}


@pytest.mark.slow
def test_an_answer_is_that_of_the_command(here: Path, capfd: pytest.CaptureFixture[str]) -> None:
    answer = check(here / "never_longer.py", ["orphan"])
    assert capfd.readouterr() == ("", "")
    told = run("check", "--model", "never_longer.py", "--scenario", "orphan", "-o", "json")
    document = json.loads(told.stdout)
    assert {claim: status.value for claim, status in answer.statuses.items()} == document["statuses"]
    assert (answer.judgement.code, answer.subject.name) == (told.exit_code, "never_longer")
    traces = {v.property.id: v.trace for e in answer.explorations for v in e.verdicts if v.trace is not None}
    for shown in (shown for shown in document["results"][0]["properties"] if "trace" in shown):
        assert [step["event"] for step in shown["trace"]] == [s.event for s in traces[shown["id"]].steps]


@pytest.mark.parametrize(("name", "version"), [("latest", DEFAULT_VERSION), ("1.36.1", "v1.36"), ("v1.29", "v1.29")])
def test_a_release_is_named_as_on_the_command_line(name: str, version: str) -> None:
    answer = check(name, ["lone-pod"], ["terminated_pods_never_restart"])
    assert (answer.subject.name, answer.statuses) == (version, {"terminated_pods_never_restart": Status.HOLDS})


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        (("v0.1",), "'v0.1' is neither a version nor a Python or Go file"),
        (("missing.py",), "missing.py: there is no such file"),
        (("v1.29", ["nowhere"]), "--scenario: there is no scenario 'nowhere'"),
        (("v1.29", ["lone-pod"], ["nothing"]), "'nothing'"),
    ],
)
def test_what_cannot_be_asked_raises_what_the_command_says(asked: tuple[object, ...], said: str, here: Path) -> None:
    for query in (check, prove):
        with pytest.raises(CheckerError) as refused:
            query(*asked)  # type: ignore[operator]
        assert said in str(refused.value)


@pytest.mark.slow
def test_a_claim_about_nothing_that_was_asked_is_wrong_usage() -> None:
    for query in (check, prove):
        with pytest.raises(UsageError, match="a_static_pod_waits is about static-pair: add --scenario"):
            query("v1.29", ["lone-pod"], ["a_static_pod_waits"])


def test_what_was_not_decided_says_so() -> None:
    answer = check("v1.29", ["one-pod"], ["terminated_pods_never_restart"], Limits(max_states=10))
    assert answer.statuses == {"terminated_pods_never_restart": Status.UNKNOWN} and answer.judgement.code == 4


@pytest.mark.slow
def test_a_proof_and_a_replay_are_asked_for_alike(capfd: pytest.CaptureFixture[str]) -> None:
    (proofs,) = prove("v1.29", ["lone-pod"], ["terminated_pods_never_restart"]).proofs
    assert proofs.exploration.verdicts[0].property.id == "terminated_pods_never_restart"
    assert {v.status for v in proofs.exploration.verdicts} == {Status.PROVED}
    replayed = conform("v1.29", [ROOT / "tests" / "traces" / "lifecycles.jsonl"])
    assert len(replayed.results) > 10 and all(result.conforms for result in replayed.results)
    assert capfd.readouterr() == ("", "")


def test_queries_load_an_engine_only_when_they_are_asked() -> None:
    code = "import sys, podproof.queries; print(sorted({'numpy', 'z3', 'click', 'llvmlite'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_every_name_is_there_and_no_other() -> None:
    assert all(callable(getattr(queries, name)) for name in queries.__all__)
    with pytest.raises(AttributeError, match="no attribute 'sweep'"):
        _ = queries.sweep
