"""What a user says of names in a Go file, and --go together with every command and with --model."""

from __future__ import annotations

import json
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


GATE = "utilfeature.DefaultFeatureGate.Enabled(features.PodPause)"


def gated(tmp_path: Path, statement: str) -> tuple[str, ...]:
    """A worker that asks a feature gate before it looks whether the pod is finished."""
    file = tmp_path / "pod_workers.go"
    file.write_text(changed((FINISHED, f"{statement}{FINISHED}")), "utf-8")
    return ("--go", str(file), "--version", "v1.29", "--scenario", "lone-pod")


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
def test_an_export_takes_go() -> None:
    told = run_or_export("export", "tla", "--scenario", "lone-pod", *GO)
    assert told.exit_code == 0 and "pod_workers" in told.stdout, told.output


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
