"""`podproof prove --liveness`: what must happen eventually, whatever the seconds are."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.command_line import run_v1_29 as run

from podproof.checker.core.system import CheckerError, Exploration, Status
from podproof.checker.liveness.decide import RunChecker, prove_runs, without_seconds
from podproof.checker.liveness.groups import groups_of
from podproof.model.language import action, require, strongly
from podproof.model.releases import V1_29
from podproof.model.scenarios import SCENARIOS
from podproof.model.state import Uid
from podproof.queries.build import Subject, run_properties_of, subject_of, system_of


def proved(subject: Subject, scenario: str) -> Exploration:
    world = SCENARIOS[scenario]
    systems = (system_of(subject, world, unbounded) for unbounded in (True, False))
    return prove_runs(*systems, run_properties_of(subject, world))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("version", "scenario"),
    [("v1.29", "one-pod"), ("v1.29", "uid-reuse"), ("v1.35", "orphan"), ("v1.26", "killed-pod"),
     ("v1.22.5", "static-waiting"), ("v1.26", "static-successor")],
)  # fmt: skip
def test_what_is_proved_holds_with_a_scenarios_seconds(version: str, scenario: str) -> None:
    subject, world = subject_of(version, None), SCENARIOS[scenario]
    properties = run_properties_of(subject, world)
    bounded = RunChecker(system_of(subject, world), needs=False).decide(properties)
    found = proved(subject, scenario)
    assert any(v.status is Status.PROVED and v.is_vacuous is None for v in found.verdicts)
    for every, some in zip(found.verdicts, bounded.verdicts, strict=True):
        assert every.status is (Status.PROVED if some.status is Status.HOLDS else some.status), every.property.id
        assert (every.is_vacuous is True) == (some.is_vacuous is True)


LONG_PERIODS_HANG = """
from podproof.model.versions import V1_29


class Hangs(V1_29):
    def complete_terminating(self, uid: int) -> None:
        if self.pod_sync_statuses[uid].grace_period < {least}:
            super().complete_terminating(uid)
"""


@pytest.mark.slow
def test_a_period_that_no_scenario_has_may_break_a_claim(tmp_path: Path) -> None:
    file = tmp_path / "hangs.py"
    file.write_text(LONG_PERIODS_HANG.format(least=1000))
    ask = ("--model", str(file), "--scenario", "killed-pod", "--property", "terminating_pods_are_terminated")
    assert run("check", *ask).exit_code == 0
    found = run("prove", *ask)
    assert found.exit_code == 4 and "not where each comparison may come out either way" in " ".join(
        found.stdout.split()
    )
    file.write_text(LONG_PERIODS_HANG.format(least=2))
    found = run("prove", *ask)
    assert found.exit_code == 1 and "for ever" in found.stdout


class Patient(V1_29):
    """Its retry is owed, and possible, only where the period is long."""

    @action("kubelet", "it is tried again", strongly("patience", "it is tried again"))
    def try_again(self, uid: Uid) -> None:
        require(self.pod_sync_statuses[uid].grace_period > 5)
        self.work_queue[uid] = True


def test_fairness_that_depends_on_seconds_is_refused() -> None:
    system = system_of(Subject("patient", Patient, ""), SCENARIOS["killed-pod"], unbounded=True)
    with pytest.raises(CheckerError, match="whether try_again is possible depends on a number of seconds"):
        without_seconds(system, groups_of(system))
    found = proved(Subject("patient", Patient, ""), "killed-pod")
    assert not any(v.status is Status.PROVED for v in found.verdicts)


def test_the_command_tells_what_it_rests_on() -> None:
    found = run("prove", "--liveness", "--scenario", "killed-pod", "-o", "json")
    verdicts = json.loads(found.stdout)["statuses"]
    assert verdicts["kill_requests_are_answered"] == "VIOLATED" and found.exit_code == 0
    assert [*verdicts.values()].count("PROVED") == len(verdicts) - 1
    text = " ".join(run("prove", "--liveness", "--scenario", "lone-pod").stdout.split())
    assert "each comparison of seconds may come out either way" in text and "fairness assumed: goroutines" in text


@pytest.mark.parametrize("option", ["--smt2", "--report-dir"])
def test_what_is_refused_leaves_no_folder(option: str, tmp_path: Path) -> None:
    folder = tmp_path / "made"
    assert run("prove", "--liveness", "--smt2", str(folder), option, str(folder)).exit_code == 2
    assert run("check", "--without", "pleg", "--report-dir", str(folder)).exit_code == 2
    assert not folder.exists()


STORES = """
from typing import ClassVar

from podproof.model.kubelet import DeletionSeconds, Kubelet
from podproof.model.language import action, out_of_bounds, require
from podproof.model.releases import V1_29
from podproof.model.state import Uid


class Storing(Kubelet):
    @action("sync loop", "STORE {{uid}}: {{grace}}")
    def store(self, uid: Uid, grace: DeletionSeconds) -> None:
        require(self.config[uid].exists and self.budget.removes[uid] > 0)
        {body}


class Mine(V1_29):
    kubelet: ClassVar[type[Kubelet]] = Storing
"""


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "body",
    [
        "self.budget.removes[uid] = grace",
        "self.budget.removes[uid] -= min(grace, 1)",
        "if grace < 2:\n            self.budget.removes[uid] = grace",
        "assert grace < 100",
        "assert grace != 20",
    ],
)
def test_a_step_that_may_go_wrong_for_some_number_of_seconds_leaves_claims_open(body: str, tmp_path: Path) -> None:
    file = tmp_path / "stores.py"
    file.write_text(STORES.format(body=body))
    found = run("prove", "--model", str(file), "--liveness", "--scenario", "orphan")
    text = " ".join(found.stdout.split())
    assert found.exit_code in (1, 4) and "PROVED" not in text
    assert ("the model may go wrong for some number of seconds: stores.py:" in text) != (
        " stores a number of seconds in " in text
    )


def test_a_bound_that_depends_on_seconds_is_no_fault(tmp_path: Path) -> None:
    file = tmp_path / "stores.py"
    file.write_text(STORES.format(body='if grace > 7:\n            out_of_bounds("long")'))
    found = run("prove", "--model", str(file), "--liveness", "--scenario", "orphan", "-o", "json")
    assert "PROVED" in found.stdout and "goes wrong" not in found.stdout


@pytest.mark.parametrize("liveness", [(), ("--liveness",)])
def test_a_step_that_indexes_with_any_number_is_refused(liveness: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "stores.py"
    file.write_text(STORES.format(body="self.known_pods[grace] = True"))
    found = run("prove", "--model", str(file), *liveness, "--scenario", "orphan")
    text = " ".join(found.output.split())
    assert found.exit_code == 2 and "store indexes an array with 'grace', which may be any number here" in text
