"""TLC finds of whole runs what podproof finds, under the same fairness."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest
from bench.peers.tla import TlaModule, plan_runs, tla
from tests.command_line import exported
from tests.peer_tools import missing_for_tlc, tlc
from tests.test_liveness import random_question
from tests.walks import ARRIVES, decide, graph

from podproof.checker.core.system import Property, Status, System
from podproof.model.language import strongly, weakly
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import run_properties_of, subject_of, system_of


def module_of(system: System, claims: Sequence[Property], without: Sequence[str] = ()) -> TlaModule:
    reduced, runs = plan_runs(system, claims, ("slicing", "constants"), without)
    return tla(reduced.system, (), reduced.keep, name="Exported", runs=runs)


def tlc_agrees(system: System, claims: Sequence[Property], folder: Path, without: Sequence[str] = ()) -> set[Status]:
    """The verdicts. What holds is asked together, what is violated claim by claim; of what is UNKNOWN nothing is."""
    verdicts = decide(system, *claims, without=without, needs=False).verdicts
    asked = [[v.property for v in verdicts if v.status is Status.HOLDS]]
    asked += [[v.property] for v in verdicts if v.status is Status.VIOLATED]
    for group in filter(None, asked):
        module = module_of(system, group, without)
        if "PROPERTIES" in module.configuration:
            found = tlc(module.name, module.text, module.configuration, folder)
            assert bool(found.violated) is (group is not asked[0]), [p.id for p in group]
        else:
            assert group is asked[0]
    return {v.status for v in verdicts}


@pytest.mark.peers
@pytest.mark.skipif(missing_for_tlc() is not None, reason=missing_for_tlc() or "")
@pytest.mark.parametrize(
    ("version", "scenario", "without", "wanted"),
    [
        ("v1.29", "runtime-down", (), ["terminating_pods_are_terminated", "finished_pods_are_forgotten"]),
        ("v1.26", "orphan", (), ["removed_pods_are_finished", "finished_pods_are_forgotten"]),
        ("v1.29", "lone-pod", ("work-queue",), []),
    ],
)
def test_tlc_agrees_about_the_pod_worker(
    version: str, scenario: str, without: tuple[str, ...], wanted: list[str], tmp_path: Path
) -> None:
    subject = subject_of(version, None)
    system, claims = system_of(subject, SCENARIOS[scenario]), run_properties_of(subject, SCENARIOS[scenario], wanted)
    assert {Status.HOLDS, Status.VIOLATED} == tlc_agrees(system, claims, tmp_path, without)


@pytest.mark.peers
@pytest.mark.skipif(missing_for_tlc() is not None, reason=missing_for_tlc() or "")
def test_tlc_agrees_about_random_walks(tmp_path: Path) -> None:
    found = set[Status]()
    for seed in range(10):
        system, claim = random_question(seed)
        found |= tlc_agrees(system, [claim], tmp_path)
    assert {Status.HOLDS, Status.VIOLATED} <= found


def test_fairness_is_written_as_tla_has_it() -> None:
    goes, comes = weakly("goes", "it goes on", kind=0, edge=0), strongly("comes", "it comes again", kind=1, edge=1)
    system = graph([(0, 1), (1, 0)], goes, comes, goal=[1])
    text = module_of(system, [ARRIVES]).text
    assert "/\\ WF_vars((\\E kind \\in {0} : StepEdge0(kind)) /\\ Turn)  \\* goes" in text
    assert "/\\ SF_vars((\\E kind \\in {1} : StepEdge1(kind)) /\\ Turn)  \\* comes" in text
    assert "arrives == (at = 0) ~> (at # 0)" in text
    assert "SF_vars(" not in module_of(system, [ARRIVES], ["comes"]).text


def test_runs_are_exported_for_tlc_alone() -> None:
    told = exported("tla", "--scenario", "lone-pod", "--property", "orphans_are_stopped").stdout
    assert "orphans_are_stopped_web == " in told and "[][Next /\\ Turn]_vars /\\ Fairness" in told
    assert "podproof check --version v1.29 --scenario lone-pod --property orphans_are_stopped --liveness" in told
    trivial = exported("tla", "--scenario", "lone-pod", "--property", "waiting_static_pods_start").stdout
    assert "Left out: it is never waited for in this scenario." in trivial and "\nPROPERTIES" not in trivial
    for wrong, why in (
        (("promela", "--liveness"), "--liveness: in Promela strong fairness cannot be said of single actions"),
        (("tla", "--without", "pleg"), "--without: only claims about what must happen eventually"),
        (("tla", "--liveness", "--without", "x"), "there is no fairness assumption 'x'"),
    ):
        result = exported(*wrong)
        assert result.exit_code == 2 and why in " ".join(result.output.split())
