"""`podproof prove` as its users meet it: verdicts on the real kubelet, exit codes, JSON, scripts for other solvers."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec.json import encode
from tests.catalogue import catalogue
from tests.command_line import run_v1_29 as run
from tests.second_solver import ask_cvc5
from tests.test_baseline import IGNORES_UPDATES

from podproof.checker.core.proofs import ProofStore
from podproof.checker.engines import prove as proving
from podproof.queries.proving import _store_in

PROVED = ("terminated_pods_never_restart", "grace_period_handed_over_is_positive", "queries_follow_the_timeline")
VIOLATED = "grace_period_only_decreases"
NO_FAULT = "the_model_does_not_go_wrong"
BY_ZERO = ("the_least_grace_period_asked_for_is_recorded", "the_grace_period_is_one_that_was_asked_for")
"""What a killer breaks that asks for 0 s, which `check` does not try where the only kill is a soft eviction's."""
NO_ZERO = ("uid-reuse", "static-pair")
"""The scenarios of which that is so."""


def claims(*names: str) -> list[str]:
    return [part for name in names for part in ("--property", name)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("scripts")


@pytest.fixture(scope="module")
def one_pod(folder: Path) -> Iterator[dict[str, Any]]:
    """The result of a handful of claims about one pod, as JSON."""
    chosen = claims(*PROVED, VIOLATED)
    found = run("prove", "--scenario", "one-pod", *chosen, "--smt2", str(folder), "--show-invariant", "-o", "json")
    assert found.exit_code == 0, found.output
    yield json.loads(found.stdout)


def by_id(document: dict[str, Any]) -> dict[str, Any]:
    (result,) = document["results"]
    return {claim["id"]: claim for claim in result["properties"]}


@pytest.mark.slow
def test_claims_about_the_real_kubelet_are_proved_for_every_grace_period(one_pod: dict[str, Any]) -> None:
    assert one_pod["statuses"] == {**dict.fromkeys((*PROVED, NO_FAULT), "PROVED"), VIOLATED: "VIOLATED"}
    assert one_pod["exitCode"] == 0  # What is violated is known.
    assert one_pod["results"][0]["engine"] == "prove"


@pytest.mark.slow
def test_a_violation_has_the_trace_that_check_finds(one_pod: dict[str, Any]) -> None:
    explored = json.loads(run("check", "--scenario", "one-pod", *claims(VIOLATED), "-o", "json").stdout)
    proved, checked = by_id(one_pod)[VIOLATED], by_id(explored)[VIOLATED]
    assert len(proved["trace"]) == len(checked["trace"]) == 3
    assert proved.keys() == checked.keys()
    assert explored["results"][0].keys() | {"recheck"} == one_pod["results"][0].keys()


@pytest.mark.slow
def test_an_invariant_is_in_the_models_field_names(one_pod: dict[str, Any]) -> None:
    invariant = by_id(one_pod)["terminated_pods_never_restart"]["invariant"]
    assert any(part.startswith("pod_sync_statuses[0].") for part in invariant)
    assert any("workers[0][0].position is " in part for part in invariant)
    assert all(" implies " in part or " imply " in part or " is " in part or "not " in part for part in invariant)


@pytest.mark.slow
def test_another_solver_confirms_the_proofs_about_the_kubelet(one_pod: dict[str, Any], folder: Path) -> None:
    scripts = sorted(folder.iterdir())
    names = {f"v1.29.one-pod.{c}.{q}.smt2" for c in (*PROVED, NO_FAULT) for q in ("init", "step", "property")}
    assert {script.name for script in scripts} == names
    for script in scripts:
        heading = script.read_text().splitlines()[:3]
        assert heading[0].startswith("; v1.29, scenario one-pod, claim ")
        assert "podproof prove --version v1.29 --scenario one-pod" in heading[1]
        assert heading[2] == "; expected answer: unsat"
        assert ask_cvc5(script) == "unsat", script.name


@pytest.mark.slow
def test_the_report_says_how_far_a_proof_goes() -> None:
    found = run("prove", "--scenario", "uid-reuse", *claims(PROVED[0]), "--show-invariant")
    assert found.exit_code == 0
    assert "2 of 2 claims proved for every grace period and any number of adds and removes" in found.stdout
    assert f"invariant {PROVED[0]}: all variables are in their ranges, and" in found.stdout
    assert "a proof is for every number" in found.stdout
    assert "goroutines of one UID" in found.stdout
    assert "2 claims: 2 PROVED. Exit code 0: all claims hold." in found.stdout


@pytest.mark.slow
def test_claims_of_a_scenario_agree_with_the_catalogue() -> None:
    """Each that is violated within nine steps, and a twelfth of those that hold; but for what other seconds break."""
    judged = [r for r in catalogue("v1.29") if r.scenario == "uid-reuse" and r.claim.kind != "sometimes"]
    known = {r.claim.id: r for r in judged if r.steps is None or r.steps < 10}
    holding = [id for id, result in known.items() if result.status == "HOLDS" and id not in BY_ZERO]
    chosen = known.keys() - set(holding) | set(holding[::12])
    document = json.loads(
        run("prove", "--bounded", "--scenario", "uid-reuse", *claims(*sorted(chosen)), "-o", "json").stdout
    )
    proved = by_id(document)
    del proved[NO_FAULT]
    assert proved.keys() == chosen
    for name in BY_ZERO:
        assert (known[name].status, proved[name]["status"], len(proved[name]["trace"])) == ("HOLDS", "VIOLATED", 2)
    for name in chosen - set(BY_ZERO):
        assert proved[name]["status"] == {"HOLDS": "PROVED", "VIOLATED": "VIOLATED"}[known[name].status], name
        assert len(proved[name].get("trace", ())) == (known[name].steps or 0), name


def test_the_documentation_says_of_every_scenario_what_the_catalogue_does() -> None:
    """All is decided, and one claim more: the model does not go wrong."""
    text = (Path(__file__).parents[1] / "docs" / "proofs.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([a-z-]+)(?: \(not by default\))? \| (\d+) \| (\d+) \| 0 \|", text, re.MULTILINE)
    assert len(rows) == 10
    for scenario, proved, violated in rows:
        known = [r.status for r in catalogue("v1.29") if r.scenario == scenario and r.claim.kind != "sometimes"]
        more = len(BY_ZERO) if scenario in NO_ZERO else 0
        assert (int(proved), int(violated)) == (known.count("HOLDS") + 1 - more, known.count("VIOLATED") + more), (
            scenario
        )


@pytest.mark.slow
def test_without_time_nothing_is_claimed() -> None:
    found = run("prove", "--scenario", "uid-reuse", *claims(PROVED[0]), "--timeout", "0s")
    assert found.exit_code == 4
    assert "UNKNOWN" in found.stdout and "took too long" in found.stdout and "PROVED  " not in found.stdout


def test_an_interrupt_leaves_what_is_undecided_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(proving, "run_tasks", interrupted)
    found = run("prove", "--scenario", "uid-reuse", *claims(PROVED[0]), "--undecided", "ok")
    assert found.exit_code == 130
    assert "interrupted" in found.stdout and "PROVED  " not in found.stdout


@pytest.mark.slow
def test_a_proof_begins_with_what_an_earlier_one_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answer is that of a proof by itself, also where what was left is damaged."""
    change, kept = tmp_path / "change.py", tmp_path / "kept"
    change.write_text(IGNORES_UPDATES)

    def answer(*subject: str) -> Any:
        document = json.loads(run("prove", *subject, "--scenario", "orphan", "-o", "json").stdout)
        return [(claim["id"], claim["status"], claim.get("trace")) for claim in document["results"][0]["properties"]]

    alone = answer("--model", str(change))
    monkeypatch.setenv("PODPROOF_CACHE", str(kept))
    answer("--version", "v1.35")
    (of_release,) = kept.iterdir()
    assert answer("--model", str(change)) == alone
    explore_sample = proving.explore_sample
    monkeypatch.setattr(proving, "explore_sample", None)
    assert answer("--model", str(change)) == alone
    monkeypatch.setattr(proving, "explore_sample", explore_sample)
    for file in kept.iterdir():
        file.write_bytes(file.read_bytes()[:-1])
    assert answer("--model", str(change)) == alone and of_release.exists()


@pytest.mark.parametrize("damage", [b"\xff", b"\xc1", b"\x00", b'"'])
def test_of_a_damaged_file_nothing_is_begun_with(damage: bytes, tmp_path: Path) -> None:
    """A byte of a word of a lemma may be no text any more."""
    damaged, whole, store = tmp_path / "damaged", tmp_path / "whole", ProofStore(((("working", True),),))
    whole.write_bytes(encode(store))
    damaged.write_bytes(encode(store).replace(b"work", damage))
    assert _store_in([damaged]) == ProofStore()
    assert _store_in([damaged, whole]) == store
