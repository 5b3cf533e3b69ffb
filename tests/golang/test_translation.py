"""The Go front end: what it translates, what it refuses, and that the translation is the model."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.command_line import run

from podproof.checker.core import CheckerError, ModelError
from podproof.checker.core.system import Exploration, Limits
from podproof.golang.module import FileTranslation, Translation, translate
from podproof.golang.syntax import parse
from podproof.golang.vocabulary import worker_vocabulary
from podproof.model.releases import V1_29
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import Subject, go_subject, subject_of
from podproof.queries.search import explore

HERE = Path(__file__).parent
WORKER = HERE / "pod_workers.go"
SOURCE = WORKER.read_text(encoding="utf-8")
REFUSALS = HERE / "refusals.txt"
EMITTED = HERE / "translation.txt"


def changed(*changes: tuple[str, str]) -> str:
    """The worker with some texts replaced, each of which occurs once."""
    text = SOURCE
    for old, new in changes:
        assert text.count(old) == 1, f"{text.count(old)} times: {old}"
        text = text.replace(old, new)
    return text


def translated(text: str) -> Translation:
    return FileTranslation(parse(text.encode(), WORKER), worker_vocabulary()).make(V1_29)


def lines_of(translation: Translation) -> list[str]:
    """The translation without the lines that it comes from."""
    return [line.partition("  # ")[0] for line in translation.text.splitlines()[1:]]


def refusals() -> list[tuple[str, str, str, str]]:
    """Rule, what is replaced, by what, and the error."""
    blocks = re.split(r"^== (.*)\n", REFUSALS.read_text(encoding="utf-8"), flags=re.MULTILINE)[1:]
    found = []
    for rule, block in zip(blocks[::2], blocks[1::2], strict=True):
        old = "\n".join(line[2:] for line in block.splitlines() if line.startswith("- "))
        new = "\n".join(line[2:] for line in block.splitlines() if line.startswith("+ "))
        error = "\n".join(line for line in block.splitlines() if line and line[:2] not in ("- ", "+ "))
        found.append((rule, old, new, error))
    return found


@pytest.mark.quick(6)
@pytest.mark.parametrize(("old", "new", "error"), [pytest.param(*rest, id=rule) for rule, *rest in refusals()])
def test_what_is_not_translated_is_refused_with_its_place(old: str, new: str, error: str) -> None:
    with pytest.raises(ModelError) as refused:
        translated(changed((old, new)))
    assert str(refused.value).replace("tests/golang/pod_workers.go:", "") == error


def test_at_least_thirty_rules_refuse() -> None:
    assert len(refusals()) >= 30


def test_the_translation_reads_like_the_go(request: pytest.FixtureRequest) -> None:
    if request.config.getoption("--rewrite-golden"):
        EMITTED.write_text(translated(SOURCE).text, encoding="utf-8")
    assert translated(SOURCE).text == EMITTED.read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("scenario", ["uid-reuse", "orphan-added", "killed-pod"])
def test_the_translated_worker_is_the_model(scenario: str) -> None:
    subjects = subject_of("v1.29", None), go_subject(WORKER, "v1.29")
    found = [_explored(subject, scenario) for subject in subjects]
    assert _counts(found[0]) == _counts(found[1])


def _explored(subject: Subject, scenario: str) -> Exploration:
    found = explore(subject, SCENARIOS[scenario], (), "compiled", Limits(None, None, None), ())
    assert found is not None
    return found


def _counts(found: Exploration) -> tuple[object, ...]:
    verdicts = [(v.property.id, v.status, v.trace and [step.event for step in v.trace.steps]) for v in found.verdicts]
    return found.states, found.transitions, found.depth, verdicts


FINISHED = "\tif status.finished {\n\t\treturn\n\t}\n\tcancels"
ALIKE = {
    "a comment": ("\tctx = status.ctx\n", "\tctx = status.ctx // this one\n"),
    "a log line": (FINISHED, FINISHED.replace("{\n", '{\n\t\tklog.V(4).InfoS("over", "uid", uid)\n')),
    "a log line in an if of its own": (FINISHED, f'\tif !known {{\n\t\tklog.InfoS("new")\n\t}}\n{FINISHED}'),
    "parentheses": ("if seconds < 1 {", "if (seconds < 1) {"),
    "spaces": ("seconds = 1\n\t}\n\treturn seconds", "seconds=1\n\t\n\t}\n\n\treturn seconds"),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", ALIKE)
def test_what_says_nothing_changes_nothing(change: str) -> None:
    assert lines_of(translated(changed(ALIKE[change]))) == lines_of(translated(SOURCE))


@pytest.mark.slow
def test_a_change_of_the_worker_is_told_with_its_lines(tmp_path: Path) -> None:
    file = tmp_path / "pod_workers.go"
    file.write_text(changed(("cancels = cancels || shortened", "cancels = cancels && shortened")), encoding="utf-8")
    compared = run("review", "v1.29", str(file), "--scenario", "deleted-and-killed", "--exit-on", "difference", "-v")
    assert compared.exit_code == 1, compared.output
    assert re.search(r"^ *NEW +terminating_cancels_sync_pod", compared.stdout, flags=re.MULTILINE)
    line = file.read_text(encoding="utf-8").split("status.terminatingAt = time.Now()\n\treturn true")[0].count("\n") + 1
    assert re.search(rf"terminating_at ← set\s+pod_workers.go:{line}$", compared.stdout, flags=re.MULTILINE)


@pytest.mark.slow
def test_a_worker_that_does_the_same_is_alike() -> None:
    compared = run("review", "v1.29", str(WORKER), "--scenario", "orphan-added")
    assert compared.exit_code == 0, compared.output
    assert "NOT WORSE: ALIKE in orphan-added" in compared.stdout


@pytest.mark.slow
def test_check_tells_what_the_verdicts_rest_on() -> None:
    checked = run("check", "--go", str(WORKER), "--version", "v1.29", "--scenario", "lone-pod")
    told = " ".join(checked.stdout.split())
    assert "pod workers translated from tests/golang/pod_workers.go (sha256 " in told
    assert f"replay: podproof check --go {WORKER} --version v1.29 --scenario lone-pod" in told or "VIOLATED" not in told


@pytest.mark.slow
def test_recorded_traces_conform() -> None:
    traces = str(HERE.parent / "traces" / "lifecycles.jsonl")
    replayed = run("conform", traces, "--go", str(WORKER), "--version", "v1.29")
    assert replayed.exit_code == 0, replayed.output


@pytest.mark.slow
def test_go_says_what_is_understood() -> None:
    told = run("review", "v1.29", str(WORKER), "--scenario", "lone-pod", "-v")
    assert told.exit_code == 0, told.output
    assert "27 functions translated" in told.stdout
    emitted = run("review", str(WORKER), "--emit", "wake").stdout
    assert "def wake(self, uid: int):" in emitted
    assert run("review", str(WORKER), "--emit", "sleep").exit_code == 2


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["check", "--go", str(WORKER)], "say in which release's kubelet they are with --version"),
        (["check", "--go", str(WORKER), "--version", "v1.26"], "its kubelet is not made for these workers"),
        (["review", str(WORKER), str(WORKER)], "say in which release's kubelet they are with --version"),
        (["review", "no_such_file.go"], "no_such_file.go: it cannot be read"),
    ],
)
def test_wrong_usage_is_told(arguments: list[str], error: str) -> None:
    told = run(*arguments)
    assert told.exit_code == 2
    assert error in " ".join(told.output.split())


@pytest.mark.parametrize("text", ["", "package kubelet\n", "package kubelet\nfunc (", "\xff", "{" * 500])
def test_what_is_no_worker_is_refused(text: str) -> None:
    with pytest.raises(CheckerError):
        FileTranslation(parse(text.encode("latin-1"), WORKER), worker_vocabulary()).make(V1_29)


def test_nothing_is_made_when_one_function_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "pod_workers.go"
    file.write_text(changed(("exists && known.terminated()", "exists && known.ended()")), encoding="utf-8")
    with pytest.raises(ModelError, match=r"pod_workers\.go:\d+:\d+: nothing is known of `known\.ended`"):
        translate(file, V1_29)
