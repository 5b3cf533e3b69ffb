"""`check --go` of several files of one kubelet: each function that is read is named, a handler that differs is run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command_line import run
from tests.golang.kubelet_files import with_edits
from tests.golang.test_handlers import SOURCE as HANDLERS
from tests.golang.test_handlers import UPDATE, in_syncs, take_for_the_release
from tests.golang.test_translation import SOURCE as WORKERS
from tests.golang.test_translation import WORKER

from podproof.checker.difference.result import Worse
from podproof.golang.kubelet_files import files_in, sorted_out
from podproof.golang.modelled import MODELLED
from podproof.golang.releases import ProvedRelease, fingerprints_of
from podproof.golang.syntax import read
from podproof.queries import go_files
from podproof.queries.build import subject_of
from podproof.queries.go_files import answer_beside
from podproof.reports.judgement import BesideClaims, Strictness, judge

VERSION = ("--version", "v1.36.3")
PARTS = "HandlePodRemoves, HandlePodReconcile, HandlePodSyncs, deletePod, rejectPod of kubelet.go"
OTHERS = f"{PARTS} do what those of v1.36.3 do"


@pytest.fixture
def kubelet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder whose callers are those of 1.36.3, for all that podproof knows."""
    take_for_the_release(monkeypatch)
    proved = ProvedRelease("own", "v1.36.3", fingerprints_of(read(WORKER)))
    monkeypatch.setattr(go_files, "proved_releases", lambda: (proved,))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "kubelet").mkdir()
    for name, text in (("pod_workers.go", WORKERS), ("kubelet.go", HANDLERS), ("other.go", "package kubelet\n")):
        (tmp_path / "kubelet" / name).write_text(text, encoding="utf-8")
    return tmp_path / "kubelet"


def checked(*options: str, go: tuple[str, ...] = ("kubelet",)) -> tuple[int, str]:
    told = run("check", *(word for place in go for word in ("--go", place)), *VERSION, *options)
    return told.exit_code, " ".join(told.output.split())


@pytest.mark.slow
def test_each_function_of_a_folder_is_named(kubelet: Path) -> None:
    code, said = checked("--scenario", "lone-pod", "--property", "idle_pods_are_retried")
    assert f"EQUAL HandlePodAdditions, HandlePodUpdates, {OTHERS}, in every state" in said, said
    assert "podWorkers.UpdatePod" in said and "of pod_workers.go have the text of own, for which each was" in said
    assert "other.go" not in said
    table, _, trust = said.partition(" trust ")
    assert "bounds of kubelet.go: the scenarios static-pod-restart, " in table
    assert all("events of one pod each; no resizes" in part for part in (table, trust))
    assert "of kubelet.go (sha256 " in trust
    assert code == 0, said
    both = ("kubelet/kubelet.go", "kubelet/pod_workers.go")
    told = run(
        "check", "--go", both[0], "--go", both[1], *VERSION, "--scenario", "lone-pod", "-o", "json",
        "--property", "idle_pods_are_retried",
    )  # fmt: skip
    functions = {one["name"]: one for one in json.loads(told.stdout)["functions"]}
    assert functions["HandlePodSyncs"]["answer"] == "EQUAL" and functions["HandlePodSyncs"]["file"] == "kubelet.go"
    assert "podWorkers.UpdatePod" in functions


@pytest.mark.slow
def test_a_handler_that_differs_is_run_in_the_place_of_the_release_s(kubelet: Path) -> None:
    (kubelet / "kubelet.go").write_text(
        with_edits(HANDLERS, (UPDATE, "		_, _ = now, mirror\n")), encoding="utf-8"
    )
    code, said = checked("--scenario", "restart-all-containers", "--property", "changes_of_pods_reach_the_worker")
    assert "DIFFERENT HandlePodUpdates of kubelet.go: in rejected-pod, UPDATE " in said, said
    assert f"EQUAL HandlePodAdditions, {OTHERS}" in said
    assert "NEW changes_of_pods_reach_the_worker" in said and code == 1
    code, said = checked("--scenario", "lone-pod", "--property", "idle_pods_are_retried", "-q")
    assert code == 4 and "but nobody can tell of HandlePodUpdates of kubelet.go" in said, said
    assert "EQUAL" not in said


@pytest.mark.slow
def test_what_is_not_read_is_named_with_its_reason_and_leaves_the_check_undecided(kubelet: Path) -> None:
    edits = (
        in_syncs("if kl.isBusy(pod) {", "	continue", "}"),
        (
            "func (kl *Kubelet) deletePod(",
            "func (kl *Kubelet) HandlePodCleanups() {\n}\n\nfunc (kl *Kubelet) deletePod(",
        ),
    )
    (kubelet / "kubelet.go").write_text(with_edits(HANDLERS, *edits), encoding="utf-8")
    where = ("--scenario", "lone-pod", "--property", "idle_pods_are_retried")
    code, said = checked(*where)
    assert "NOT READ HandlePodSyncs of kubelet.go: " in said and "nothing is known of kl.isBusy(pod)" in said
    assert "HandlePodUpdates, HandlePodRemoves, HandlePodReconcile, deletePod, rejectPod of kubelet.go" in said, said
    assert "NOT READ HandlePodCleanups of kubelet.go: " in said and "no method filterOutInactivePods" in said
    assert code == 4 and "nobody can tell of HandlePodSyncs of kubelet.go, HandlePodCleanups of kubelet.go" in said
    assert checked(*where, "--undecided", "ok")[0] == 0
    told = run("review", "v1.36.3", "kubelet/kubelet.go")
    assert told.exit_code == 4 and "NOT READ: HandlePodSyncs of kubelet.go" in told.output, told.output


@pytest.mark.parametrize(
    ("go", "told"),
    [
        (("kubelet/kubelet.go", "kubelet/kubelet.go"), "of these files none has the pod workers"),
        (("kubelet", "copy.go"), "of these files 2 have pod workers"),
        (("kubelet", "kubelet/other.go"), "nothing of it is read; leave it out"),
        (("empty",), "no Go in it is read; give the folder pkg/kubelet"),
        (("kubelet", "gone.go"), "it cannot be read"),
    ],
)
def test_files_of_no_one_kubelet_are_refused(kubelet: Path, go: tuple[str, ...], told: str) -> None:
    (kubelet.parent / "copy.go").write_text(WORKERS, encoding="utf-8")
    (kubelet.parent / "empty").mkdir()
    code, said = checked(go=go)
    assert code == 2 and told in said, said


def test_what_several_files_cannot_be_asked_is_refused(kubelet: Path) -> None:
    model = run("check", "--go", "kubelet", "--model", "rest.py")
    assert model.exit_code == 2 and "several Go files are those of a release's kubelet" in model.output


def test_what_nobody_can_tell_of_is_no_success() -> None:
    unread = BesideClaims(unread=tuple(f"f{n} of a.go" for n in range(6)))
    assert judge([], beside=unread).code == 4
    assert judge([], beside=unread).reason.endswith("nobody can tell of f0 of a.go, f1 of a.go, f2 of a.go, f3 of a.go "
                                                    "and 2 more")  # fmt: skip
    assert judge([], Strictness(undecided_ok=True), unread).code == 0
    assert judge([], Strictness(undecided_ok=True), BesideClaims(broken=("a_claim",))).code == 1


def test_a_file_that_has_lost_what_is_read_of_it_is_not_passed_over(tmp_path: Path) -> None:
    """A file elsewhere of the same name is, and so are a folder whose name ends so, and a second name of a file."""
    kubelet = tmp_path / "kubelet"
    kubelet.mkdir()
    (kubelet / "pod_workers.go").write_text(WORKERS, encoding="utf-8")
    (kubelet / "kubelet.go").write_text(HANDLERS, encoding="utf-8")
    (kubelet / "kubelet_pods.go").write_text("package kubelet\n", encoding="utf-8")
    (kubelet / "cm.go").mkdir()
    (kubelet / "cm.go" / "kubelet_pods.go").write_text("package cm\n", encoding="utf-8")
    (kubelet.parent / "link").symlink_to(kubelet)
    found = files_in(kubelet)
    assert [file.name for file in found] == ["kubelet.go", "kubelet_pods.go", "pod_workers.go"]
    workers, beside = sorted_out((*found, *files_in(kubelet.parent / "link" / ".")))
    assert (len(workers), len(beside)) == (1, 2)
    answer = answer_beside(kubelet / "kubelet_pods.go", subject_of("v1.36.3", None))
    assert "getPhase" in [one.name for one in answer.functions]
    assert {one.word for one in answer.functions} == {go_files.NOT_READ} and answer.worse is Worse.UNKNOWN


@pytest.mark.slow
def test_what_no_file_has_is_said_to_be_the_release_s(kubelet: Path) -> None:
    code, said = checked("--scenario", "lone-pod", "--property", "idle_pods_are_retried")
    assert code == 0 and "which are taken as in v1.36.3" in said, said
    _, _, nowhere = said.partition("in none of these files: ")
    names = set(nowhere.partition(", which are taken")[0].split(", "))
    assert names >= MODELLED.keys() and not names & {"HandlePodSyncs", "deletePod"}, said
