"""`podproof sweep`: the same verdicts as `check`, however many processes, parts and attempts it takes."""

from __future__ import annotations

import json
import shlex
import signal
from collections import Counter
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.command_line import run
from tests.test_claims_of_a_team import ASKED, OURS
from tests.test_command_line import README_MODEL
from tests.test_formats_json import validate, whole

from podproof.checker.core.system import CheckerError
from podproof.cli import sweep as command
from podproof.model.scenarios import SCENARIOS
from podproof.queries import tasks
from podproof.queries.ray_cluster import _run_there, sources_of
from podproof.queries.tasks import CheckTask, run_task
from podproof.reports.content.sweep import Row

ROOT = Path(__file__).parents[1]
SMALL = ("--scenario", "lone-pod", "--scenario", "killed-pod", "--property", "grace_period_only_decreases")
BOTH = ("sweep", "--version", "v1.29", "--version", "v1.35", *SMALL)


def swept(*arguments: str, code: int = 0) -> Any:
    result = run(*arguments, "-j", "1", "-o", "json")
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)


def checks_of(document: Any) -> list[Any]:
    """Without what differs from run to run."""
    return [{key: value for key, value in check.items() if key != "seconds"} for check in document["checks"]]


def test_a_sweep_finds_what_check_finds() -> None:
    document = swept(*BOTH)
    validate(document, whole())
    assert [(c["subject"], c["scenario"]) for c in document["checks"]] == [
        (version, scenario) for version in ("v1.29", "v1.35") for scenario in ("lone-pod", "killed-pod")
    ]
    for check in document["checks"]:
        alone = run("check", "--version", check["subject"], "--scenario", check["scenario"], *SMALL[-2:], "-o", "json")
        (scenario,) = json.loads(alone.stdout)["results"]
        assert scenario["states"] == check["states"]
        told = [(c["claim"], c["status"]) for c in check["verdicts"]]
        assert told == [(claim["id"], claim["status"]) for claim in scenario["properties"]]


def test_what_check_has_found_is_not_explored_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    arguments = ("--version", "v1.29", "--scenario", "lone-pod")
    explored = checks_of(swept("sweep", *arguments))
    monkeypatch.setenv("PODPROOF_CACHE", str(tmp_path / "kept"))
    run("check", *arguments)

    def no_search(*_: object) -> None:
        raise CheckerError("this is explored again")

    monkeypatch.setattr(tasks, "explore", no_search)
    assert checks_of(swept("sweep", *arguments)) == explored
    monkeypatch.setenv("PODPROOF_CACHE", "")
    assert "refused: this is explored again" in str(swept("sweep", *arguments, code=4))


def test_the_table_has_what_differs() -> None:
    table = run(
        "sweep", "--version", "v1.29", "--version", "v1.35", "--scenario", "orphan", *SMALL[-2:], "-j", "1"
    ).stdout
    assert "What differs" in table and "✗ 5" in table and "2 checks" in table
    page = run("sweep", *SMALL, "-j", "1", "-o", "markdown").stdout
    assert "podproof sweep --scenario lone-pod" in page and "What differs" not in page


def test_several_processes_find_the_same() -> None:
    result = run(*BOTH, "-j", "2", "-o", "json")
    assert checks_of(json.loads(result.stdout)) == checks_of(swept(*BOTH))


def test_what_is_finished_is_not_checked_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def counted(task: CheckTask) -> Any:
        asked.append(f"{task.version} {task.scenario}")
        return run_task(task)

    monkeypatch.setattr(tasks, "run_task", counted)
    kept = tmp_path / "kept.jsonl"
    first = swept(*BOTH, "--resume", str(kept))
    assert len(asked) == 4
    lines = kept.read_bytes().splitlines(keepends=True)
    # Ended while the last line was being written.
    kept.write_bytes(b"".join(lines[:3]) + lines[3][:20])
    assert checks_of(swept(*BOTH, "--resume", str(kept))) == checks_of(first)
    assert len(asked) == 5 and Counter(asked)[asked[-1]] == 2
    assert checks_of(swept(*BOTH, "--resume", str(kept))) == checks_of(first) and len(asked) == 5
    swept(*BOTH, "--resume", str(kept), "--budget", "60s")
    assert len(asked) == 9
    kept.write_text("{}\n")
    refused = run(*BOTH, "--resume", str(kept))
    assert refused.exit_code == 2 and "podproof sweep --resume" in refused.stderr


def test_a_changed_model_is_checked_again_and_nothing_else(tmp_path: Path) -> None:
    model, kept = tmp_path / "my_change.py", tmp_path / "kept.jsonl"
    model.write_text(README_MODEL)
    asked = ("sweep", "--version", "v1.29", "--model", str(tmp_path / "*.py"), *SMALL, "--resume", str(kept))
    swept(*asked)
    model.write_text(README_MODEL + "\n# A word more.\n")
    assert len(kept.read_text().splitlines()) == 4
    swept(*asked)
    assert len(kept.read_text().splitlines()) == 6


def test_claims_of_a_team_are_asked_in_every_process_and_again_when_they_change(tmp_path: Path) -> None:
    ours, kept = tmp_path / "ours.py", tmp_path / "kept.jsonl"
    ours.write_text(OURS)
    asked = ("--version", "v1.29", "--claims", str(ours), *ASKED, "--resume", str(kept), "-o", "json")
    (check,) = json.loads(run("sweep", *asked, "-j", "2").stdout)["checks"]
    assert [(c["claim"], c["status"]) for c in check["verdicts"]] == [("killed_once", "HOLDS")]
    ours.write_text(OURS.replace("return not", "return"))
    table = run("sweep", *asked, "-j", "2")
    (check,) = json.loads(table.stdout)["checks"]
    assert [(c["claim"], c["status"]) for c in check["verdicts"]] == [("killed_once", "VIOLATED")]
    assert f"--claims {ours}" in json.loads(table.stdout)["command"]
    assert len(kept.read_text().splitlines()) == 2
    run("sweep", *asked, "-j", "2")
    assert len(kept.read_text().splitlines()) == 2


def test_another_machine_gets_the_files_of_a_check(tmp_path: Path) -> None:
    """As a node of a cluster does, which has none of them: they are taken away before the check begins."""
    files = [tmp_path / "my_change.py", tmp_path / "ours.py"]
    for file, text in zip(files, (README_MODEL, OURS), strict=True):
        file.write_text(text)
    options = (file for pair in zip(("--model", "--claims"), map(str, files), strict=True) for file in pair)
    asked = command.sweep.make_context("sweep", [*options, *ASKED]).params
    subjects = command._subjects((), asked["models"], asked["claim_files"])
    (task,) = command._tasks(subjects, asked["claim_files"], asked["scenarios"], asked["properties"], None, 0, None)
    sources = sources_of(task)
    for file in files:
        file.unlink()
    assert _run_there(task, sources).verdicts == {"killed_once": ("HOLDS", None)}


@pytest.mark.parametrize("of", [2, 3])
def test_shards_are_the_whole(of: int) -> None:
    whole = checks_of(swept(*BOTH))
    parts = [checks_of(swept(*BOTH, "--shard", f"{number}/{of}")) for number in range(1, of + 1)]
    assert sorted(map(str, whole)) == sorted(str(check) for part in parts for check in part)
    assert max(map(len, parts)) - min(map(len, parts)) <= 1


def test_mutants_are_judged_as_adequacy_judges_them(tmp_path: Path) -> None:
    asked, table = ("--scenario", "lone-pod", "--mutants", "3", "--seed", "2"), tmp_path / "table.md"
    document = swept("sweep", *asked, "--output-file", f"markdown={table}")
    validate(document, whole())
    fates = {check["mutant"]: check["fate"] for check in document["checks"] if "mutant" in check}
    judged = json.loads(run("adequacy", *asked, "-o", "json").stdout)
    assert fates == {mutant["key"]: mutant["fate"] for mutant in judged["mutants"]} and "killed" in fates.values()
    assert "## Mutants" in table.read_text()


KILLS_ITSELF = """
import multiprocessing, os, signal

if multiprocessing.parent_process() is not None:
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_process_that_is_killed_costs_its_own_check_only(tmp_path: Path) -> None:
    model, kept = tmp_path / "my_change.py", tmp_path / "kept.jsonl"
    model.write_text(README_MODEL + KILLS_ITSELF)
    asked = ("sweep", "--version", "v1.29", "--model", str(model), "--scenario", "lone-pod", *SMALL[-2:])
    result = run(*asked, "-j", "2", "--resume", str(kept), "-o", "json")
    assert result.exit_code == 4, result.output
    release, proposal = json.loads(result.stdout)["checks"]
    assert release["reason"] == "" and proposal["reason"] == "its process was killed"
    assert len(kept.read_text().splitlines()) == 1


def test_a_refused_model_is_told_and_the_others_are_checked(tmp_path: Path) -> None:
    model = tmp_path / "overflow.py"
    model.write_text(README_MODEL.replace("min(grace_period, status.grace_period)", "grace_period + 40"))
    result = run("sweep", "--version", "v1.29", "--model", str(model), *SMALL, "-j", "1")
    assert result.exit_code == 4 and "2 not decided" in result.stdout
    assert "UNKNOWN   overflow, killed-pod: refused: " in result.stdout


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--shard", "9/8"), "write 1/8"),
        (("--version", "v9"), "there is no version 'v9'"),
        (("--scenario", "one-pot"), "did you mean 'one-pod'"),
        (("--property", "grace_period"), "there is no claim 'grace_period'"),
        (("--property", "pods_removed_without_deletion_get_one_second"), "is about killed-pod"),
        (("--model", "/nowhere/*.py"), "/nowhere/*.py"),
        (("--property", "terminating_pods_are_terminated"), "`podproof check` and `prove` decide"),
        (("--ray", "auto", "--jobs", "2"), "leave --jobs out"),
    ],
)
def test_wrong_words_are_told_before_any_work(arguments: tuple[str, ...], told: str) -> None:
    result = run("sweep", *arguments)
    assert result.exit_code == 2 and told in result.stderr and "Traceback" not in result.stderr


def test_long_checks_and_proposals_come_first() -> None:
    weigh = command._weight
    assert weigh(SCENARIOS["two-pods"], False) > weigh(SCENARIOS["lone-pod"], False)
    assert weigh(SCENARIOS["lone-pod"], True) > weigh(SCENARIOS["two-pods"], False)
    with pytest.raises(CheckerError, match="no part of a whole"):
        command._share([], "x")


_FIELDS = {
    "": {"apiVersion", "kind", "metadata", "spec"},
    "spec": {"entrypoint", "shutdownAfterJobFinishes", "ttlSecondsAfterFinished", "rayClusterSpec"},
    "rayClusterSpec": {"headGroupSpec", "workerGroupSpecs"},
    "headGroupSpec": {"rayStartParams", "template"},
    "workerGroupSpecs": {"groupName", "replicas", "minReplicas", "maxReplicas", "rayStartParams", "template"},
    "containers": {"name", "image", "resources", "volumeMounts"},
}
"""What KubeRay documents of a RayJob, as far as the manifest has it: by the field that holds them."""


def test_the_manifest_for_kuberay_has_documented_fields_and_a_command_that_is_understood() -> None:
    text = (ROOT / "docs/sweep.md").read_text(encoding="utf-8").partition("```yaml\n")[2].partition("```")[0]
    job = yaml.safe_load(text)
    assert (job["apiVersion"], job["kind"]) == ("ray.io/v1", "RayJob")
    cluster = job["spec"]["rayClusterSpec"]
    groups = [cluster["headGroupSpec"], *cluster["workerGroupSpecs"]]
    containers = [c for group in groups for c in group["template"]["spec"]["containers"]]
    found = {"": [job], "spec": [job["spec"]], "rayClusterSpec": [cluster], "headGroupSpec": groups[:1]}
    found |= {"workerGroupSpecs": groups[1:], "containers": containers}
    for name, objects in found.items():
        assert objects and all(set(one) <= _FIELDS[name] for one in objects), name
    for group in groups:
        assert all(isinstance(value, str) for value in group["rayStartParams"].values())
    (mount,), (volume,) = containers[0]["volumeMounts"], groups[0]["template"]["spec"]["volumes"]
    podproof, sweep, *arguments = shlex.split(job["spec"]["entrypoint"])
    asked = command.sweep.make_context("sweep", arguments).params
    assert (podproof, sweep, asked["ray"], mount["name"]) == ("podproof", "sweep", "auto", volume["name"])
    assert str(asked["resume"]).startswith(mount["mountPath"])


def test_pools_are_shut_down_while_a_broken_pipe_ends_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """A pool still writes to its process while it is shut down, and a process that was killed reads no more."""
    seen: list[Any] = []

    class Pool:
        def __init__(self, *_: object) -> None:
            seen.append(None)
            self.number = len(seen) - 1

        def submit(self, *_: object) -> Future[Any]:
            future: Future[Any] = Future()
            future.set_exception(BrokenProcessPool())
            return future

        def shutdown(self) -> None:
            seen[self.number] = signal.getsignal(signal.SIGPIPE)

    monkeypatch.setattr(tasks, "ProcessPoolExecutor", Pool)
    before = signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        task = tasks.CheckTask(Row("v1.29"), "v1.29", None, (), "", "lone-pod", (), None, 0, "")
        ((_, result),) = tasks.run_tasks([task], 2)
        assert result.is_lost and signal.getsignal(signal.SIGPIPE) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGPIPE, before)
    assert seen == [signal.SIG_IGN] * 3
