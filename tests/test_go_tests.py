"""`podproof check -o go-test`: tests that run, and fail once a fault is mended.

They run on tests/go_stub, podproof's own pod worker in Go, because upstream's code is not at hand. That shows that they
compile, hold the goroutines where they should, and see what the model says.
"""

from __future__ import annotations

import itertools
import os
import random
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from tests.command_line import run as run_command
from tests.explained import ROOT, SHORTEST, run, written, written_of
from tests.small_worker import Worker, small_worker

from podproof.checker.core.system import Action, Move, Property, State, Status, System, Verdict
from podproof.checker.core.trace import replay
from podproof.checker.engines.python import successors
from podproof.kubelet.go_test import GoStep, GoTest, Release, go_test_file, held_kubelet_file, held_workers_file
from podproof.kubelet.go_test.calls import go_test
from podproof.model.language import Disabled, OutOfBounds
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import subject_of, system_of
from podproof.queries.go_tests import HELD_KUBELET, HELD_WORKERS, go_test_alone
from podproof.queries.walks import WALK

KUBELET = Path("kubernetes/pkg/kubelet")
PAGE = ROOT / "docs" / "go-tests.md"
Golden = Callable[[str, str], None]

NOT_THE_WORKERS = "ended_pods_are_not_rejected"
"""The claim among them that the pod worker has no part in: admission decides."""
TESTED = [claim for claim in SHORTEST if claim != NOT_THE_WORKERS]

needs_go = pytest.mark.skipif(shutil.which("go") is None, reason="Go is not installed (Debian: golang-go)")
needs_cgo = pytest.mark.skipif(shutil.which("gcc") is None, reason="the race detector needs gcc")
needs_gofmt = pytest.mark.skipif(shutil.which("gofmt") is None, reason="gofmt is not installed (Debian: golang-go)")


@pytest.fixture(scope="module")
def every_test() -> str:
    """The file with a test for every claim that 1.29 breaks."""
    scenarios = [word for name in dict.fromkeys(SHORTEST.values()) for word in ("--scenario", name)]
    return written(*scenarios)


def name_of(claim: str) -> str:
    return "Test" + "".join(word.capitalize() for word in claim.split("_"))


def with_stub(
    folder: Path,
    text: str,
    changes: Mapping[str, tuple[str, str]] | None = None,
    release: Release = Release.SINCE_1_27,
) -> Path:
    """A copy of the stub with a test file, and with changes: file -> what is there and what to put there."""
    shutil.copytree(ROOT / "tests" / "go_stub", folder / "stub")
    for name, (old, new) in (changes or {}).items():
        path = folder / "stub" / KUBELET / name
        source = path.read_text(encoding="utf-8")
        assert old in source, f"{name} has no {old!r}"
        path.write_text(source.replace(old, new), encoding="utf-8")
    (folder / "stub" / KUBELET / "podproof_test.go").write_text(text, encoding="utf-8")
    (folder / "stub" / KUBELET / HELD_WORKERS).write_text(held_workers_file(release), encoding="utf-8")
    return folder / "stub"


def go(stub: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run Go in a copy of the stub, without the network."""
    settings = {"GOPROXY": "off", "GOTOOLCHAIN": "local", "GOFLAGS": "", **environment}
    return subprocess.run(
        ["go", *arguments], cwd=stub, env=os.environ | settings, capture_output=True, text=True, timeout=300
    )


def outcomes(output: str) -> dict[str, str]:
    return {name: word for word, name in re.findall(r"^--- (PASS|FAIL|SKIP): (\w+)", output, re.MULTILINE)}


# -- the Go tests ------------------------------------------------------------------------------------------------------


def test_every_violated_claim_of_1_29_is_known_here() -> None:
    catalogue = (ROOT / "tests" / "golden" / "catalogue-v1.29.txt").read_text(encoding="utf-8")
    violated: dict[str, tuple[int, str]] = {}
    for part in catalogue.split("\n\n")[1:]:
        scenario = part.partition(":")[0].strip()
        if scenario in SCENARIOS and (SCENARIOS[scenario].by_default or scenario in SHORTEST.values()):
            for claim, steps in re.findall(r"VIOLATED +\w+ +(\w+) +(\d+)", part):
                violated[claim] = min(violated.get(claim, (99, "")), (int(steps), scenario))
    assert set(violated) == set(SHORTEST)


def test_a_go_test_reads_like_this(golden: Golden) -> None:
    text = written_of("terminating_cancels_sync_pod")
    golden("go-tests/terminating_cancels_sync_pod_test.go", text)
    golden(f"go-tests/{HELD_WORKERS}", held_workers_file(Release.SINCE_1_27))


def of_callers(claim: str, *options: str, version: str = "v1.36.3") -> list[str]:
    return ["check", "--version", version, "--property", claim, *options, "-o", "go-test"]


def test_a_go_test_of_the_callers_reads_like_this(golden: Golden, tmp_path: Path) -> None:
    claim, path = "changes_of_mirror_pods_reach_the_worker", tmp_path / "callers_test.go"
    result = run_command(*of_callers(claim, "--scenario", "static-pod-restart", "--output-file", str(path)))
    assert result.exit_code == 0, result.stderr
    golden(f"go-tests/{claim}_test.go", path.read_text("utf-8"))
    golden(f"go-tests/{HELD_KUBELET}", (tmp_path / HELD_KUBELET).read_text("utf-8"))
    assert (tmp_path / HELD_WORKERS).read_text("utf-8") == held_workers_file(Release.SINCE_1_36)


@pytest.mark.slow
def test_a_go_test_of_the_callers_leaves_admission_to_the_real_code_where_it_can() -> None:
    """The node is full for a pod that is rejected, or else the handler refuses it all the same."""
    text = run_command(*of_callers("active_pods_fit_the_node", "--scenario", "overcommit")).stdout
    assert "w := newHeldKubelet(t, 1)" in text and "w.refuses" not in text and text.count("w.add(") == 3
    claim = "rejected_pods_are_not_handed_to_a_worker"
    text = run_command(*of_callers(claim, "--scenario", "rejected-after-restart")).stdout
    assert "\tw.refuses = true\n\tw.addRejected(3, " in text
    assert 'w.expectCalls(4, "web: update deletionGrace=5")' in text


@pytest.mark.parametrize(
    ("claim", "scenario", "step"),
    [
        ("configured_pods_get_their_grace_period", "rejected-after-restart", "SyncKnownPods"),
        ("callers_pass_the_newest_pod", "restart-all-containers", "SyncPod(web) has removed all containers"),
    ],
)
def test_what_a_test_of_the_callers_cannot_do_is_refused(claim: str, scenario: str, step: str) -> None:
    result = run_command(*of_callers(claim, "--scenario", scenario))
    assert result.exit_code == 2 and result.stdout == ""
    assert f"{claim}: no Go test, since it comes by step" in result.stderr and step in result.stderr
    assert "neither HandlePodCleanups, killPodNow nor the real SyncPod" in " ".join(result.stderr.split())


@pytest.mark.slow
def test_each_claim_has_a_test_with_its_source_and_how_to_see_it_again(every_test: str) -> None:
    for claim, scenario in SHORTEST.items():
        comment, _, rest = every_test.partition(f"func {name_of(claim)}(t *testing.T) {{")
        comment = comment.rpartition("}")[2]
        assert f"//\t{claim}\n" in comment
        assert "Upstream: " in comment
        assert f"podproof check --version v1.29 --scenario {scenario} --property {claim}" in comment
        assert rest, f"{claim} has no test"
    assert every_test.count("t.Skip(") == 1


def test_no_name_ends_a_comment() -> None:
    name = "a\n} func init() { panic(1) }\n\u202e\udcff.py"
    step = GoStep(1, "worker", f"ADD {name}")
    test = GoTest("TestIt", (name, f"\tpodproof check --model '{name}'"), (step,), {}, skip="it cannot be")
    text = go_test_file([test], Release.SINCE_1_36, (name,))
    assert text.isascii() and text.endswith("}\n")
    assert all(line.lstrip().startswith("//") for line in text.splitlines() if "panic" in line)
    assert text.count(r"a\n} func init() { panic(1) }\n\u202e\udcff.py") == 4


@pytest.mark.slow
@needs_gofmt
def test_go_tests_are_formatted_as_gofmt_wants_it(every_test: str, tmp_path: Path) -> None:
    walks = go_test_file(random_walks("v1.29", ("uid-reuse",), 2), Release.SINCE_1_36, ("Walks.",))
    held = {f"held_{release.name}.go": held_workers_file(release) for release in Release}
    held["held_kubelet.go"] = held_kubelet_file()
    for name, text in {"claims.go": every_test, "walks.go": walks, **held}.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    listed = subprocess.run(["gofmt", "-d", str(tmp_path)], capture_output=True, text=True)
    assert (listed.stdout, listed.returncode) == ("", 0), listed.stderr


@needs_gofmt
def test_the_stub_is_formatted_as_gofmt_wants_it() -> None:
    listed = subprocess.run(["gofmt", "-l", str(ROOT / "tests" / "go_stub")], capture_output=True, text=True)
    assert (listed.stdout, listed.returncode) == ("", 0), listed.stderr


@pytest.mark.slow
@needs_go
def test_the_go_tests_of_1_29_compile_and_pass(every_test: str, tmp_path: Path) -> None:
    stub = with_stub(tmp_path, every_test)
    vetted = go(stub, "vet", "./...")
    assert vetted.returncode == 0, vetted.stderr
    ran = go(stub, "test", "-v", "-timeout", "120s", f"./{KUBELET}")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    expected = {name_of(claim): "SKIP" if claim == NOT_THE_WORKERS else "PASS" for claim in SHORTEST}
    assert outcomes(ran.stdout) == expected


@pytest.mark.slow
@needs_go
@needs_cgo
def test_tests_that_follow_each_other_have_no_data_race(every_test: str, tmp_path: Path) -> None:
    """What the goroutines of one test log does not meet klog's flags being set for the next."""
    stub, race = with_stub(tmp_path, every_test), ("test", "-race", "-count=20", "-timeout", "200s", f"./{KUBELET}")
    ran = go(stub, *race, CGO_ENABLED="1")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    held = stub / KUBELET / HELD_WORKERS
    often = re.sub(r"l\.setUp\.Do\((func\(\) {\n.*?\n\t})\)", r"\1()", held.read_text("utf-8"), flags=re.DOTALL)
    held.write_text(often, encoding="utf-8")
    assert "DATA RACE" in go(stub, *race, CGO_ENABLED="1").stdout


@needs_go
def test_two_files_of_one_package_share_what_holds_the_goroutines(tmp_path: Path) -> None:
    stub, files = with_stub(tmp_path, "package kubelet\n"), ("evictions_are_recorded", "idle_pods_are_retried")
    for claim in files:
        path = stub / KUBELET / f"{claim}_test.go"
        result = run("--scenario", SHORTEST[claim], "--property", claim, "--output-file", path)
        wrote = f"wrote {path.with_name(HELD_WORKERS)}\nwrote {path}\n"
        assert (result.stdout, result.stderr) == ("", wrote)
        assert (stub / KUBELET / HELD_WORKERS).read_text("utf-8") == held_workers_file(Release.SINCE_1_27)
    ran = go(stub, "test", "-v", "-timeout", "120s", f"./{KUBELET}")
    assert outcomes(ran.stdout) == dict.fromkeys(map(name_of, files), "PASS"), ran.stdout + ran.stderr


def test_a_file_of_the_users_is_not_overwritten(tmp_path: Path) -> None:
    (tmp_path / HELD_WORKERS).write_text("package kubelet\n", encoding="utf-8")
    for name in ("claims_test.go", HELD_WORKERS):
        options = ("--scenario", "one-pod", "--property", "evictions_are_recorded")
        result = run(*options, "--output-file", tmp_path / name)
        assert result.exit_code == 2 and "choose another name or folder" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == [HELD_WORKERS]
    assert (tmp_path / HELD_WORKERS).read_text(encoding="utf-8") == "package kubelet\n"


def test_tests_on_standard_output_say_what_they_need() -> None:
    result = run("--scenario", "one-pod", "--property", "evictions_are_recorded")
    assert f"it needs {HELD_WORKERS} beside it, which --output-file go-test=PATH writes" in result.stderr


def test_they_are_written_beside_another_format(tmp_path: Path) -> None:
    path = tmp_path / "claims_test.go"
    asked = ("--scenario", "one-pod", "--property", "evictions_are_recorded", "--output-file", f"go-test={path}")
    assert "KNOWN     evictions_are_recorded" in run("-o", "text", *asked).stdout
    assert path.read_text("utf-8") == written_of("evictions_are_recorded")
    assert (tmp_path / HELD_WORKERS).exists()


def test_where_nothing_is_violated_there_is_no_go_test(tmp_path: Path) -> None:
    path, asked = tmp_path / "claims_test.go", ("--scenario", "lone-pod", "--property", "idle_workers_get_no_work")
    nothing = "there is no Go test to write: no claim is violated by a trace in v1.29"
    alone, beside = run(*asked), run("-o", "text", *asked, "--output-file", f"go-test={path}")
    assert (alone.exit_code, beside.exit_code) == (2, 0)
    assert alone.stderr == f"error: {nothing}\n" and f"not written: {path} ({nothing})" in beside.stderr
    assert list(tmp_path.iterdir()) == []


@pytest.mark.slow
def test_a_comparison_writes_what_the_second_version_violates() -> None:
    asked = ("--scenario", "orphan", "-o", "go-test")
    first, second = (run_command("review", *pair, *asked) for pair in (("v1.29", "v1.32"), ("v1.26", "v1.29")))
    assert "takes the pod worker of v1.32 to where it breaks a claim" in first.stdout
    assert "takes the pod worker of v1.29" in second.stdout and "v1.26 to" not in second.stdout
    none = run_command("review", "v1.29", "v1.26", *asked)
    assert none.exit_code == 2 and "Go tests are for 1.27 and later" in none.stderr


def test_a_walk_is_a_test_that_claims_nothing() -> None:
    subject, scenario = subject_of("v1.29", None), SCENARIOS["one-pod"]
    system = system_of(subject, scenario)
    trace = replay(system, [Move("handle_pod_additions", {"uid": 0, "admission": 0}), Move("pod_event", {"uid": 0})])
    text = go_test_alone(subject, system, Verdict(WALK, Status.HOLDS, "", trace))
    assert text is not None and "// TestWalk takes the pod worker of v1.29 along a walk:\n" in text
    assert "podproof explore --version v1.29 --scenario one-pod --walk" in text and "that is mended" not in text


def test_a_run_that_goes_on_for_ever_is_no_go_test() -> None:
    result = run("--scenario", "killed-pod", "--property", "kill_requests_are_answered")
    assert result.exit_code == 2 and "goes on for ever, and a test ends" in result.stderr


def test_the_page_shows_what_is_written_now(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """With --rewrite-golden the page's example is written anew."""
    monkeypatch.setenv("PODPROOF_PLACES", "functions")
    test = written_of("terminating_cancels_sync_pod")
    function = re.search(r"// TestTerminatingCancelsSyncPod.*?\n}\n", test, re.DOTALL)
    assert function is not None
    before, found, after = PAGE.read_text(encoding="utf-8").partition("```go\n")
    assert found, "the page has no example"
    page = before + found + function[0] + after[after.index("```") :]
    if request.config.getoption("--rewrite-golden"):
        PAGE.write_text(page, encoding="utf-8")
    assert page == PAGE.read_text(encoding="utf-8"), "rewrite the page with pytest --rewrite-golden"


@pytest.mark.slow
@needs_go
def test_the_go_tests_of_1_36_compile_and_pass(tmp_path: Path) -> None:
    text = written("--version", "v1.36", "--scenario", "one-pod")
    rule = {"state.go": ("zeroIsARequest = false", "zeroIsARequest = true")}
    stub = with_stub(tmp_path, text, rule, Release.SINCE_1_36)
    ran = go(stub, "test", "-v", "-tags", "since_1_36", "-timeout", "120s", f"./{KUBELET}")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert set(outcomes(ran.stdout).values()) == {"PASS"}


@needs_go
def test_two_goroutines_of_one_uid_are_told_apart(tmp_path: Path) -> None:
    wanted = ("terminated_pods_never_restart", "idle_workers_get_no_work", "one_sync_call_per_pod")
    options = [word for claim in wanted for word in ("--property", claim)]
    ran = go(
        with_stub(tmp_path, written("--scenario", "two-goroutines", *options)),
        "test",
        "-v",
        "-timeout",
        "120s",
        f"./{KUBELET}",
    )
    assert outcomes(ran.stdout) == {name_of(claim): "PASS" for claim in wanted}, ran.stdout + ran.stderr


_KNOWN = (
    "pod_workers.go",
    "status = &podSyncStatus{fullname: fullname}\n",
    "status = &podSyncStatus{fullname: fullname}\n if IF { status.terminatedAt = time.Now() }\n",
)
"""A pod that the worker does not know is terminated at first sight."""
MENDED: Mapping[str, tuple[str, str, str]] = {
    "rejected_pods_are_active_only_while_they_run": _KNOWN,
    "only_admitted_pods_get_a_worker": _KNOWN,
    "pending_updates_keep_what_is_final": (
        "pod_workers.go",
        "status.pendingUpdate = &options\n",
        "if u := status.pendingUpdate; IF && u != nil { options.Pod = u.Pod }\n status.pendingUpdate = &options\n",
    ),
    "grace_period_only_decreases": ("state.go", "const zeroIsARequest = false", "var zeroIsARequest = IF"),
    "the_least_grace_period_asked_for_is_recorded": ("state.go", "var zeroIsARequest =", "var zeroIsARequest = IF ||"),
    "the_grace_period_is_one_that_was_asked_for": ("state.go", "var zeroIsARequest =", "var zeroIsARequest = IF ||"),
    "started_static_pods_have_left_the_line": (
        "pod_worker_loop.go",
        "waiting = waiting[i+1:]\n",
        "waiting = waiting[i+1:]\n for IF && len(waiting) > 0 && waiting[0] == uid { waiting = waiting[1:] }\n",
    ),
    "kill_requests_are_answered_or_remembered": (
        "pod_workers.go",
        "if status.finished {\n",
        "if status.finished {\n if kill := options.KillPodOptions; IF && kill != nil { close(kill.CompletedCh) }\n",
    ),
    "remembered_kill_requests_are_not_lost": (
        "pod_workers.go",
        "delete(p.podSyncStatuses, uid)\n",
        "delete(p.podSyncStatuses, uid)\n if IF { for _, ch := range status.notifyPostTerminating { close(ch) } }\n",
    ),
    "grace_period_reaches_the_kill": (
        "pod_worker_loop.go",
        "statusFn := p.acknowledgeTerminating(uid)\n",
        "statusFn := p.acknowledgeTerminating(uid)\n if IF { gracePeriod = &p.podSyncStatuses[uid].gracePeriod }\n",
    ),
    "idle_pods_are_retried": (
        "pod_workers.go",
        "status.restartRequested = true\n",
        "status.restartRequested = true\n if IF { p.workQueue.Enqueue(uid, 0) }\n",
    ),
    "deleted_pods_are_marked_deleted": (
        "pod_workers.go",
        "if status.requested() {\n",
        "if status.requested() {\n if IF && pod.DeletionTimestamp != nil { status.deleted = true }\n",
    ),
    "evictions_are_recorded": (
        "pod_workers.go",
        "if status.requested() {\n",
        "if status.requested() {\n if k := options.KillPodOptions; IF && k != nil { status.evicted = k.Evict }\n",
    ),
    "terminating_cancels_sync_pod": (
        "pod_workers.go",
        "p.requeue(uid, status)\n",
        "p.requeue(uid, status)\n if IF && status.cancelFn != nil { status.cancelFn() }\n",
    ),
    "terminated_pods_run_no_containers": (
        "pod_worker_loop.go",
        "if status.requested() {\n\t\treturn false, false\n",
        "if status.requested() && !IF {\n\t\treturn false, false\n",
    ),
    "waiting_static_pods_are_stopped_before_they_are_terminated": (
        "pod_worker_loop.go",
        '!mended("terminated_pods_run_no_containers") {',
        '!mended("terminated_pods_run_no_containers") && !IF {',
    ),
}
"""Claim -> the stub's file, a line in it, and how it reads once the fault is mended. IF is true only for this claim."""
MENDED_FUNCTION = '\nfunc mended(claim string) bool { return os.Getenv("MENDED") == claim }\n'


@pytest.mark.slow
@needs_go
def test_each_go_test_fails_once_its_fault_is_mended(every_test: str, tmp_path: Path) -> None:
    assert set(MENDED) == set(TESTED)
    stub = with_stub(tmp_path, every_test)
    held = stub / KUBELET / HELD_WORKERS
    held.write_text(held.read_text("utf-8").replace("5 * time.Second", "200 * time.Millisecond"), encoding="utf-8")
    for claim, (name, old, new) in MENDED.items():
        path = stub / KUBELET / name
        source = path.read_text(encoding="utf-8")
        assert old in source
        path.write_text(source.replace(old, new.replace("IF", f'mended("{claim}")'), 1), encoding="utf-8")
    (stub / KUBELET / "mended.go").write_text(f'package kubelet\n\nimport "os"\n{MENDED_FUNCTION}', encoding="utf-8")
    built = go(stub, "test", "-c", "-o", "tests", f"./{KUBELET}")
    assert built.returncode == 0, built.stdout + built.stderr
    for claim in TESTED:
        for fault, word in (("", "PASS"), (claim, "FAIL")):
            command = ["./tests", "-test.v", "-test.timeout", "30s", "-test.run", f"^{name_of(claim)}$"]
            ran = subprocess.run(
                command, cwd=stub, env=os.environ | {"MENDED": fault}, capture_output=True, text=True, timeout=60
            )
            assert outcomes(ran.stdout) == {name_of(claim): word}, ran.stdout + ran.stderr
            assert not fault or re.search(r"step \d+: ", ran.stdout), ran.stdout


def random_walks(version: str, scenarios: tuple[str, ...], count: int) -> list[GoTest]:
    """Random executions as Go tests: they go where no counterexample does."""
    subject, dice, tests = subject_of(version, None), random.Random(1), []
    claim = Property("any", "always", "A random walk.")
    for name in scenarios:
        system = system_of(subject, SCENARIOS[name])
        for number in range(count):
            trace = replay(system, random_walk(system, dice))
            test = go_test(system, SCENARIOS[name], claim, trace, f"TestWalk{name.title().replace('-', '')}{number}")
            tests.append(GoTest(test.name, ("A random walk.",), test.steps, test.cached))
            assert "cannot be scheduled" not in test.skip
    return tests


def random_walk(system: System, dice: random.Random) -> list[Move]:
    """At most 40 moves; fewer where nothing more can happen."""
    state = system.initial[0]
    taken: list[Move] = []
    choices: list[tuple[Action, Mapping[str, int]]] = []
    for action in system.actions:
        names = [parameter.name for parameter in action.parameters]
        for row in itertools.product(*(parameter.values for parameter in action.parameters)):
            choices.append((action, dict(zip(names, row, strict=True))))
    for _ in range(40):
        enabled: list[tuple[Move, State]] = []
        for action, values in choices:
            tree = system.build(state)
            try:
                action.call(tree, **action.arguments(values))
            except (Disabled, OutOfBounds):
                continue
            enabled.append(((action.name, values), system.flatten(tree)))
        if not enabled:
            break
        move, state = dice.choice(enabled)
        taken.append(move)
    return taken


def test_a_random_walk_ends_where_nothing_more_can_happen() -> None:
    system = small_worker(Worker)
    walk = random_walk(system, random.Random(1))
    assert not list(successors(system, replay(system, walk).steps[-1].state))


@pytest.mark.slow
@needs_go
def test_the_stub_does_what_the_model_does_on_random_walks(tmp_path: Path) -> None:
    scenarios = ("one-pod-restart", "uid-reuse", "static-pair", "orphan", "two-goroutines")
    text = go_test_file(random_walks("v1.29", scenarios, 3), Release.SINCE_1_27, ("Walks.",))
    ran = go(with_stub(tmp_path, text), "test", "-v", "-timeout", "200s", f"./{KUBELET}")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert list(outcomes(ran.stdout).values()) == ["PASS"] * 15


def test_what_the_pod_worker_has_no_part_in_is_skipped_with_a_reason() -> None:
    result = run("--scenario", "one-pod-restart", "--property", NOT_THE_WORKERS)
    assert 't.Skip("the last step, \\"ADD web: rejected at admission\\", is no step of the pod workers' in result.stdout
    assert f"{NOT_THE_WORKERS}: t.Skip" in result.stderr
    assert "newHeldWorkers" not in result.stdout


@pytest.mark.slow
def test_while_sync_pod_is_held_a_test_makes_its_call_of_update_pod() -> None:
    """It is written where a test can see that an older object of the pod replaces the one that waits."""
    where = ("--version", "v1.36.3", "--scenario", "restart-all-containers", "--property")
    text = run(*where, "pending_updates_keep_what_is_final").stdout
    _, _, last = text.partition("// 5  worker: SyncPod(web) has removed all containers and calls UpdatePod\n")
    assert last.startswith("\tw.UpdatePod(context.Background(), UpdatePodOptions{\n"), text
    assert "heldDeleted" not in last and 'pending: "update override=5"' in last
    assert 'pending: "update deletionGrace=5 override=5"' in text and "t.Skip(" not in text
    unseen = run(*where, "older_pods_never_replace_newer_ones").stdout
    assert "no test can see which object of the pod waits" in unseen


@pytest.mark.parametrize("claim", ["active_pods_take_up_room", "running_pods_have_an_allocation"])
def test_a_test_of_the_callers_calls_no_pod_worker_itself(claim: str) -> None:
    """What is wrong is which calls are made: a test that makes them itself would pass once that is mended, too."""
    result = run("--version", "v1.36.3", "--scenario", "overcommit", "--property", claim)
    assert result.exit_code == 0 and "newHeldKubelet(" in result.stdout
    assert "UpdatePod(" not in result.stdout and "SyncKnownPods(" not in result.stdout
    # Whom the allocation manager counts no test sees, so a mend there alone lets it pass.
    assert "and fails once a mend changes what it compares." in result.stdout and "that is mended" not in result.stdout


@pytest.mark.slow
@pytest.mark.parametrize("version", ["v1.20", "v1.26"])
def test_a_release_with_another_worker_has_no_go_test(version: str) -> None:
    scenario = "killed-pod" if version == "v1.20" else "one-pod"
    result = run("--version", version, "--scenario", scenario)
    assert result.exit_code == 2
    assert "Go tests are for 1.27 and later" in result.stderr
