"""What a user says of names in a Go file, and --go together with every command and with --model."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from tests.command_line import run, run_or_export
from tests.golang.test_translation import FINISHED, SOURCE, WORKER, changed

from podproof.checker.engines.python import successors
from podproof.golang import releases
from podproof.golang.module import translate
from podproof.golang.syntax import read
from podproof.golang.vocabulary import name_of_question
from podproof.model.releases import V1_26, V1_29
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import go_subject, system_of

GO = ("--go", str(WORKER), "--version", "v1.29")
ANY = "kl.newThing.Ready = any bool"


@pytest.fixture
def asking(tmp_path: Path) -> Path:
    """A worker that forgets updates while a new thing is ready."""
    file = tmp_path / "pod_workers.go"
    file.write_text(changed((FINISHED, FINISHED.replace("finished {", "finished || kl.newThing.Ready {"))), "utf-8")
    return file


def test_an_unknown_name_is_refused_with_the_option_that_allows_it(asking: Path) -> None:
    told = run("review", "v1.29", str(asking))
    assert told.exit_code == 2
    assert f"nothing is known of `kl.newThing.Ready`; say what it stands for: --assume '{ANY}'" in told.output


@pytest.mark.slow
def test_any_answer_is_an_event_of_its_own_and_told(asking: Path) -> None:
    where = ("--go", str(asking), "--version", "v1.29", "--scenario", "lone-pod")
    told = run("check", *where, "--property", "idle_pods_are_retried", "--assume", ANY)
    assert told.exit_code == 1, told.output
    assert "kl.newThing.Ready becomes True" in told.stdout
    assert f"assumed by the user: {ANY}" in " ".join(told.stdout.split())
    never = run("check", *where, "--property", "idle_pods_are_retried", "--assume", "kl.newThing.Ready = False : bool")
    assert never.exit_code == 0, never.output


GATE = "utilfeature.DefaultFeatureGate.Enabled(features.PodPause)"


def gated(tmp_path: Path, statement: str) -> tuple[str, ...]:
    """A worker that asks a feature gate before it looks whether the pod is finished."""
    file = tmp_path / "pod_workers.go"
    file.write_text(changed((FINISHED, f"{statement}{FINISHED}")), "utf-8")
    return ("--go", str(file), "--version", "v1.29", "--scenario", "lone-pod")


@pytest.mark.slow
def test_a_feature_gate_is_either_and_stays(tmp_path: Path) -> None:
    where = gated(tmp_path, f"\tif {GATE} {{\n\t\treturn\n\t}}\n")
    told = run("check", *where, "--property", "idle_pods_are_retried", "-v")
    assert told.exit_code == 1, told.output
    assert re.search(r"^ +1  utilfeature\.Def.*\n.*is True from here on", told.stdout, re.MULTILINE)
    assert f"{GATE} is on or off, and stays so while the kubelet runs" in " ".join(told.stdout.split())
    off = run("check", *where, "--property", "idle_pods_are_retried", "--assume", f"{GATE} = False : bool")
    assert off.exit_code == 0, off.output


@pytest.mark.slow
def test_a_feature_gate_does_not_change_once_the_workers_know_a_pod(tmp_path: Path) -> None:
    go = f"\tif {GATE} {{\n\t\tstatus.observedRuntime = true\n\t}}\n"
    where = gated(tmp_path, go)
    subject = go_subject(Path(where[1]), "v1.29")
    system = system_of(subject, SCENARIOS["lone-pod"])
    pods = [p for p in system.positions if p.endswith(".present") and p.startswith("pod_sync_statuses")]
    (gate,) = [p for p in system.positions if p.startswith("assumed_")]
    found, pending, changes = set(system.initial), list(system.initial), 0
    while pending:
        state = pending.pop()
        for _, after, _ in successors(system, state):
            assert not isinstance(after, Exception)
            if state[system.index(gate)] != after[system.index(gate)]:
                changes += 1
                assert not any(state[system.index(p)] for p in pods)
            if after not in found:
                found.add(after)
                pending.append(after)
    assert changes


def test_what_has_one_answer_is_told(tmp_path: Path) -> None:
    file = tmp_path / "pod_workers.go"
    asks = "\tif kl.full(uid) && !kl.full(pod.UID) {\n\t\treturn\n\t}\n"
    file.write_text(changed((FINISHED, f"{asks}{FINISHED}")), "utf-8")
    told = translate(file, V1_29, ("kl.full($*) = any bool",))
    assert "`kl.full(uid)`, `kl.full(pod.UID)` have one answer, that of `kl.full($*)`" in told.rests_on


OWN_LINES = (f"{GATE} = any bool", "utilfeature.DefaultFeatureGate.Enabled($any) = any bool", f"{GATE} = False : bool")


@pytest.mark.quick(1)
@pytest.mark.parametrize("line", OWN_LINES)
def test_of_a_gate_a_line_of_ones_own_wins(tmp_path: Path, line: str) -> None:
    where = gated(tmp_path, f"\tif {GATE} {{\n\t\treturn\n\t}}\n")
    told = translate(Path(where[1]), V1_29, (line,))
    assert "require(not self.pods_synced)" not in told.text and "False" in told.text
    assert (f"def {name_of_question(line.partition(' = ')[0])}_changes(" in told.text) == ("any bool" in line)
    assert not any("stays so" in assumption for assumption in told.rests_on)


def test_a_gate_is_fixed_before_1_27_too(tmp_path: Path) -> None:
    file = tmp_path / "pod_workers.go"
    go = Path(__file__).with_name("pod_workers_1_26.go").read_text("utf-8")
    known = "func (p *podWorkers) IsPodKnownTerminated(uid types.UID) bool {\n"
    assert known in go
    file.write_text(go.replace(known, f"{known}\tif {GATE} {{\n\t\treturn false\n\t}}\n"), "utf-8")
    told = translate(file, V1_26, partly=True)
    assert "podWorkers.IsPodKnownTerminated" in told.functions
    assert f"if self.{name_of_question(GATE)}:" in told.text and "require(not self.pods_synced)" in told.text
    assert f"`{GATE}` is on or off, and stays so while the kubelet runs" in told.rests_on


@pytest.mark.slow
def test_a_gate_that_only_decides_about_a_log_changes_nothing(tmp_path: Path) -> None:
    where = gated(tmp_path, f'\tif {GATE} {{\n\t\tklog.InfoS("on")\n\t}}\n')
    told = run("review", str(WORKER), where[1], *where[2:])
    assert told.exit_code == 0, told.output


@pytest.mark.slow
def test_what_is_assumed_can_stand_in_the_configuration(asking: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (asking.parent / "pyproject.toml").write_text(f'[tool.podproof]\nassume = ["{ANY}"]\n', encoding="utf-8")
    monkeypatch.chdir(asking.parent)
    assert f"by you      {ANY}" in run("review", "v1.29", "pod_workers.go", "--scenario", "lone-pod", "-v").stdout
    told = run("check", "--go", "pod_workers.go", "--version", "v1.29", "--scenario", "lone-pod")
    assert told.exit_code == 1, told.output
    assert run("check", "--scenario", "lone-pod", "--property", "finished_pods_are_terminated").exit_code == 0


@pytest.mark.slow
def test_what_is_ignored_does_nothing(tmp_path: Path) -> None:
    file = tmp_path / "pod_workers.go"
    file.write_text(changed((FINISHED, FINISHED.replace("{\n", "{\n\t\tp.audit.Note(uid)\n", 1))), encoding="utf-8")
    assert run("review", "v1.29", str(file)).exit_code == 2
    told = run("review", "v1.29", str(file), "--scenario", "lone-pod", "--assume", "p.audit.Note($*) = ignore", "-v")
    assert told.exit_code == 0, told.output
    assert "1 p.audit.Note($*)" in told.stdout


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        ["export", "tla", "--scenario", "lone-pod"],
        ["diagram", "--scenario", "lone-pod", "-o", "mermaid"],
        ["prove", "--pods", "--scenario", "orphan", "--property", "housekeeping_drives_orphans_on"],
        ["prove", "--scenario", "lone-pod", "--property", "finished_pods_are_terminated"],
    ],
)
def test_commands_take_go(arguments: list[str]) -> None:
    told = run_or_export(*arguments, *GO)
    assert told.exit_code == 0, told.output
    assert "pod_workers" in told.stdout


MODEL = """\
from podproof.model.releases import V1_29


class Rest(V1_29):
    def {name}(self, uid: int){result}:
        {body}
"""


@pytest.mark.slow
def test_the_rest_of_the_kubelet_may_be_a_model_of_ones_own(tmp_path: Path) -> None:
    model = tmp_path / "rest.py"
    body = "super().begin_complete_work(uid, generation, delay)"
    text = MODEL.replace("uid: int)", "uid: int, generation: int, delay: Delay)").format(
        name="begin_complete_work", result=" -> None", body=body
    )
    model.write_text(f"from podproof.model.state import Delay\n{text}", encoding="utf-8")
    where = ("--model", str(model), "--go", str(WORKER), "--scenario", "lone-pod")
    told = run("check", *where, "--property", "finished_pods_are_terminated")
    assert told.exit_code == 0, told.output
    assert "pod workers translated from tests/golang/pod_workers.go" in " ".join(told.stdout.split())


@pytest.mark.slow
def test_the_claims_are_asked_about_wrong_go() -> None:
    rule = "effectiveGracePeriod"
    told = run("adequacy", *GO, "--scenario", "lone-pod", "--function", rule, "--mutants", "12", "-o", "json")
    assert told.exit_code == 0, told.output
    mutants = json.loads(told.stdout)["mutants"]
    assert {m["function"] for m in mutants} == {"TranslatedGo.effective_grace_period"}
    (first, last) = (
        SOURCE[: SOURCE.index(part)].count("\n") + 1 for part in (f"func {rule}", "func (p *podWorkers) wake")
    )
    assert all(first <= int(m["place"].removeprefix("tests/golang/pod_workers.go:")) < last for m in mutants)
    assert {"killed", "equivalent"} <= {m["fate"] for m in mutants} <= {"killed", "equivalent", "refused"}


def test_what_the_go_has_may_not_be_in_the_model_too(tmp_path: Path) -> None:
    model = tmp_path / "rest.py"
    text = MODEL.format(name="is_pod_known_terminated", result=" -> bool", body="return False")
    model.write_text(text, encoding="utf-8")
    told = run("check", "--model", str(model), "--go", str(WORKER))
    assert told.exit_code == 2
    assert "Rest.is_pod_known_terminated has no effect, the Go has it, too; take it out" in told.output


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["check", "--assume", ANY], "--assume: it says what a name in a Go file stands for; give the file with --go"),
    ],
)  # fmt: skip
def test_what_makes_no_sense_is_told(arguments: list[str], error: str) -> None:
    told = run(*arguments)
    assert told.exit_code == 2
    assert error in " ".join(told.output.split())


@pytest.mark.slow
def test_a_file_that_is_near_a_known_release_needs_no_version(asking: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = releases.ProvedRelease("1.29.99", "v1.29", releases.fingerprints_of(read(WORKER)))
    monkeypatch.setattr(releases, "proved_releases", lambda: (own,))
    where = ("--scenario", "lone-pod", "--property", "terminated_pods_never_restart")
    told = run("check", "--go", str(asking), "--assume", ANY, *where)
    assert told.exit_code == 0, told.output
    assert "as 1.29.99 but for podWorkers.UpdatePod (changed)" in " ".join(told.stdout.split())
    both = run(
        "review", str(WORKER), str(asking), "--assume", ANY, "--scenario", "lone-pod", "-q", "--exit-on", "difference"
    )
    assert both.exit_code == 1 and "DIFFERENT" in both.stdout
