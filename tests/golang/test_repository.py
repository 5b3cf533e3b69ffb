"""`podproof review --repo`: the Go of two commits, or of a commit and the working tree."""

from __future__ import annotations

import json
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.command_line import run
from tests.golang.kubelet_files import git
from tests.golang.test_translation import SOURCE, WORKER, changed

from podproof.golang import neighbours, releases
from podproof.golang.syntax import read
from podproof.queries.repository import POD_WORKERS, Repository

CHANGE = ("cancels = cancels || shortened", "cancels = cancels && shortened")
WHERE = ("--version", "v1.29", "--scenario", "deleted-and-killed")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Three commits: the worker, another file, and the worker with a change."""
    file = tmp_path / "pkg" / "kubelet" / "pod_workers.go"
    file.parent.mkdir(parents=True)
    git(tmp_path, "init", "-b", "main")
    for text, message in ((SOURCE, "first"), (f"{SOURCE}\n// one more line\n", "second"), (changed(CHANGE), "third")):
        file.write_text(text, encoding="utf-8")
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-m", message)
    git(tmp_path, "branch", "topic/one", "HEAD~1")
    return tmp_path


@pytest.mark.slow
def test_what_the_page_offers_to_copy_names_the_commits_and_no_temporary_file(repository: Path) -> None:
    page = ("review", "--repo", str(repository), "topic/one..main", *WHERE, "-o", "html")
    file = repository / "page.html"
    assert run(*page, "--output-file", str(file)).exit_code == 1
    commands = set(re.findall(r"podproof [a-z-]+ (?:--|v)[^<\n\"]*", file.read_text(encoding="utf-8")))
    again = f"podproof review --repo {repository} topic/one..main --version v1.29 --scenario deleted-and-killed"
    assert any(command.startswith(again) for command in commands), commands
    assert not [command for command in commands if "--go" in command or "explore" in command]


@pytest.mark.slow
@pytest.mark.parametrize("here", [".", ".."], ids=["in the clone", "beside the clone"])
def test_findings_of_commits_stand_at_the_file_of_the_repository(
    here: str, repository: Path, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(repository if here == "." else tmp_path_factory.mktemp("elsewhere"))
    told = run("review", "--repo", str(repository), "topic/one..main", *WHERE, "-o", "sarif")
    (results,) = (one["results"] for one in json.loads(told.stdout)["runs"])
    places = [place["physicalLocation"] for one in results for place in one["locations"]]
    assert {place["artifactLocation"]["uri"] for place in places} == {POD_WORKERS}, told.stdout
    assert all(place["region"]["startLine"] > 1 for place in places)
    told = run("review", "--repo", str(repository), "topic/one..main", *WHERE, "-o", "github")
    assert f"::error file={POD_WORKERS},line=" in told.stdout, told.stdout


NEIGHBOUR = "package kubelet\n\nfunc (k *Kubelet) {name}(pods []string) {{\n\t{body}\n}}\n"
IN_LONE_POD = ("--version", "v1.29", "--scenario", "lone-pod", "--worktree")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "body", "is_told"),
    [
        ("HandlePodUpdates", "k.dispatch(pods)", True),
        ("aHelperOfNobody", "k.podWorkers.UpdatePod(pods)", True),
        ("aHelperOfNobody", "k.dispatch(pods)", False),
        ("HandlePodUpdates", "// only said in other words\n\tk.start(pods)", False),
    ],
)
def test_a_change_of_who_calls_the_workers_is_never_not_worse(
    repository: Path, name: str, body: str, is_told: bool
) -> None:
    callers = repository / "pkg" / "kubelet" / "kubelet.go"
    callers.write_text(NEIGHBOUR.format(name=name, body="k.start(pods)"), encoding="utf-8")
    subprocess.run(["git", "-C", str(repository), "add", "-A"], check=True)
    named = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    subprocess.run(["git", "-C", str(repository), *named, "commit", "-m", "callers"], check=True, capture_output=True)
    callers.write_text(NEIGHBOUR.format(name=name, body=body), encoding="utf-8")
    told = run("review", "--repo", str(repository), *IN_LONE_POD)
    said = " ".join(told.stdout.split())
    assert told.exit_code == (4 if is_told else 0), told.output
    assert ("CANNOT TELL: UNDECIDED" in said) is is_told
    rest = "Changed, too, and not read, since the model has nothing of it: pkg/kubelet/kubelet.go."
    assert (rest in said) is not is_told
    assert (f"pkg/kubelet/kubelet.go is changed as well and is not read, where the model has {name}" in said) is is_told


@pytest.mark.slow
def test_a_caller_that_does_the_same_in_other_words_is_not_worse(repository: Path) -> None:
    callers = repository / "pkg" / "kubelet" / "kubelet.go"
    body = "for _, pod := range pods {\n\t\tif !k.has(pod) {\n\t\t\tcontinue\n\t\t}\n\t\tk.start(pod)\n\t}"
    callers.write_text(NEIGHBOUR.format(name="HandlePodUpdates", body=body), encoding="utf-8")
    subprocess.run(["git", "-C", str(repository), "add", "-A"], check=True)
    named = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    subprocess.run(["git", "-C", str(repository), *named, "commit", "-m", "callers"], check=True, capture_output=True)
    body = "for _, one := range pods {\n\t\tif k.has(one) {\n\t\t\tk.start(one)\n\t\t}\n\t}"
    callers.write_text(NEIGHBOUR.format(name="HandlePodUpdates", body=body), encoding="utf-8")
    told = run("review", "--repo", str(repository), *IN_LONE_POD)
    said = " ".join(told.stdout.split())
    assert told.exit_code == 0 and "NOT WORSE" in said, told.output
    assert "Changed, too, and EQUAL: HandlePodUpdates of pkg/kubelet/kubelet.go does the same as before" in said
    assert "not read" not in said
    callers.write_text(
        NEIGHBOUR.format(name="HandlePodUpdates", body=body.replace("k.has", "!k.has")), encoding="utf-8"
    )
    told = run("review", "--repo", str(repository), *IN_LONE_POD)
    said = " ".join(told.stdout.split())
    assert told.exit_code == 4 and "HandlePodUpdates: from line 5 on it may do something else than before" in said


@pytest.mark.slow
def test_a_helper_of_a_caller_is_never_not_worse(repository: Path) -> None:
    callers, helpers = (repository / "pkg" / "kubelet" / name for name in ("kubelet.go", "helpers.go"))
    body = "if k.has(pods) {\n\t\tk.start(pods)\n\t}"
    callers.write_text(NEIGHBOUR.format(name="HandlePodUpdates", body=body), encoding="utf-8")
    helper = "package kubelet\n\nfunc (k *Kubelet) has(pods []string) bool {\n\treturn len(pods) > 0\n}\n"
    helpers.write_text(helper, encoding="utf-8")
    subprocess.run(["git", "-C", str(repository), "add", "-A"], check=True)
    named = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    subprocess.run(["git", "-C", str(repository), *named, "commit", "-m", "callers"], check=True, capture_output=True)
    helpers.write_text(helper.replace("> 0", "> 1"), encoding="utf-8")
    told = run("review", "--repo", str(repository), *IN_LONE_POD)
    assert told.exit_code == 4, told.output
    said = "pkg/kubelet/helpers.go is changed as well and is not read: has, which HandlePodUpdates calls, of which the"
    assert said in " ".join(told.stdout.split())


CALLERS = "package kubelet\n\n{more}func (k *Kubelet) HandlePodUpdates(pods []string) {{\n\tk.{body}(pods)\n}}\n"
OLD, NEW = (CALLERS.format(more="", body=body) for body in ("start", "dispatch"))
OTHER = "package kubelet\n\nfunc drain(w podWorkers) {\n\tw.UpdatePod()\n}\n"


@pytest.fixture
def known_callers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Two releases with other callers, and with the worker of the tests."""
    monkeypatch.setattr(releases, "FILE", tmp_path / "releases.json")
    releases.record(read(WORKER), "1.29.90", "v1.29")
    releases.proved_releases.cache_clear()
    monkeypatch.setattr(neighbours, "FILE", tmp_path / "callers.json")
    neighbours.record_callers({"kubelet.go": OLD}, "1.29.90", "v1.29")
    neighbours.record_callers({"kubelet.go": NEW}, "1.30.90", "v1.29")
    neighbours.known_callers.cache_clear()
    yield
    neighbours.known_callers.cache_clear()
    releases.proved_releases.cache_clear()


@pytest.mark.slow
@pytest.mark.usefixtures("known_callers")
@pytest.mark.parametrize(
    ("files", "now", "code", "told"),
    [
        (
            {"kubelet.go": OLD},
            NEW,
            0,
            "Changed, too, and known: HandlePodUpdates of pkg/kubelet/kubelet.go. All that the model has of the other "
            "files is as in 1.29.90 (as v1.29) before, and as in 1.30.90 (as v1.29) after",
        ),
        (
            {"kubelet.go": OLD},
            CALLERS.format(more="type pod int\n\n", body="dispatch"),
            0,
            "Changed, too, and not read, since the model has nothing of it: the rest of pkg/kubelet/kubelet.go.",
        ),
        (
            {"kubelet.go": OLD},
            CALLERS.format(more="", body="forget"),
            4,
            "All that the model has of the other files of pod_workers is as in 1.30.90, but HandlePodUpdates.",
        ),
        (
            {"kubelet.go": OLD, "drain/drain.go": OTHER},
            NEW,
            4,
            "All that the model has of the other files of pod_workers is as in 1.30.90, but drain.",
        ),
        (
            {"kubelet.go": OLD, "config/testing/mocks.go": OTHER, "drain_test.go": OTHER},
            NEW,
            0,
            "Changed, too, and known: HandlePodUpdates of pkg/kubelet/kubelet.go.",
        ),
    ],
)
def test_callers_that_are_those_of_releases_are_looked_at(
    repository: Path, files: dict[str, str], now: str, code: int, told: str
) -> None:
    for path, text in files.items():
        file = repository / "pkg" / "kubelet" / path
        file.parent.mkdir(exist_ok=True, parents=True)
        file.write_text(text, encoding="utf-8")
    subprocess.run(["git", "-C", str(repository), "add", "-A"], check=True)
    named = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    subprocess.run(["git", "-C", str(repository), *named, "commit", "-m", "callers"], check=True, capture_output=True)
    (repository / "pkg" / "kubelet" / "kubelet.go").write_text(now, encoding="utf-8")
    answer = run("review", "--repo", str(repository), "--scenario", "lone-pod", "--worktree")
    said = " ".join(answer.stdout.split())
    assert told in said, answer.output
    assert ("CANNOT TELL" in said) is (code == 4)
    assert answer.exit_code == code, answer.output


@pytest.mark.slow
def test_known_callers_that_no_scenario_runs_are_open(
    repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The sync loop of 1.36.3 is not that of 1.36, and lone-pod runs none."""
    monkeypatch.setattr(neighbours, "FILE", tmp_path / "callers.json")
    neighbours.record_callers({"kubelet.go": OLD}, "1.36.80", "v1.36")
    neighbours.record_callers({"kubelet.go": NEW}, "1.36.90", "v1.36.3")
    neighbours.known_callers.cache_clear()
    callers = repository / "pkg" / "kubelet" / "kubelet.go"
    callers.write_text(OLD, encoding="utf-8")
    subprocess.run(["git", "-C", str(repository), "add", "-A"], check=True)
    named = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
    subprocess.run(["git", "-C", str(repository), *named, "commit", "-m", "callers"], check=True, capture_output=True)
    callers.write_text(NEW, encoding="utf-8")
    told = run("review", "--repo", str(repository), "--scenario", "lone-pod", "--worktree")
    neighbours.known_callers.cache_clear()
    said = " ".join(told.stdout.split())
    assert told.exit_code == 4 and "CANNOT TELL" in said, told.output
    assert "Around the pod workers sync_loop differ as well, which none of these scenarios runs" in said


def test_a_file_that_git_does_not_know_yet_is_looked_at(repository: Path) -> None:
    (repository / "pkg" / "kubelet" / "drain.go").write_text(OTHER, encoding="utf-8")
    (repository / "pkg" / "kubelet" / "drain_test.go").write_text(OTHER, encoding="utf-8")
    found = Repository(repository).neighbours(POD_WORKERS, "HEAD")
    assert found == {"pkg/kubelet/drain.go": ("", OTHER)}


def test_other_files_are_found_from_any_folder_and_whatever_git_is_told(repository: Path) -> None:
    (repository / "pkg" / "kubelet" / "drain.go").write_text(OTHER, encoding="utf-8")
    (repository / "pkg" / "kubelet" / "pod").mkdir()
    for name, value in (("diff.relative", "true"), ("color.ui", "always")):
        subprocess.run(["git", "-C", str(repository), "config", name, value], check=True)
    subprocess.run(["git", "-C", str(repository), "add", "-A"], check=True)
    inside = Repository(repository / "pkg" / "kubelet" / "pod")
    assert inside.neighbours(POD_WORKERS, "HEAD") == {"pkg/kubelet/drain.go": ("", OTHER)}
    assert inside.texts_around(POD_WORKERS, ("none",), ("UpdatePod",)) == {"drain.go": OTHER}


def test_no_commit_has_a_zero_byte_in_its_name(repository: Path) -> None:
    told = run("review", "--version", "v1.29", "--repo", str(repository), "a\x00b..main")
    assert told.exit_code == 2 and "there is no commit" in told.stderr


def test_git_has_to_be_there(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    told = run("review", "--repo", str(repository), "main~1..main", "--version", "v1.29")
    assert told.exit_code == 2
    assert "git is not installed, or not on the PATH" in " ".join(told.output.split())
