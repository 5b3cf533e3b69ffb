"""Engine `symbolic` on the real model: the verdicts and depths of the compiled engine, and what only it can see.

Left out, because they take longer than a test may: one-pod and evict-and-delete with all claims, one-pod-restart,
two-goroutines, the scenarios of several pods, and open-pod, which it does not finish in minutes.
"""

from __future__ import annotations

import json

import pytest
from click.testing import Result
from tests.command_line import run_v1_29

from podproof.checker.core.system import Exploration, Status
from podproof.checker.engines.compiled import Compiled
from podproof.checker.engines.symbolic import Symbolic
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.reductions import plan
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import properties_of, subject_of, system_of

GRACE = "grace_period_only_decreases"


def explored(version: str, name: str, unbounded: bool, *claims: str) -> Exploration:
    subject, scenario = subject_of(version, None), SCENARIOS[name]
    system = system_of(subject, scenario, unbounded)
    reduced = plan(system, lower_properties(system, properties_of(subject, scenario, claims)), {"constants", "slicing"})
    engine = Symbolic() if unbounded else Compiled()
    return reduced.report(engine.run(reduced.system, reduced.properties, reduced.keep))


def check(*arguments: str) -> Result:
    return run_v1_29("check", "--engine", "symbolic", *arguments)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("version", "name"),
    [
        ("v1.29", "orphan"),
        ("v1.32", "static-added-again"),
        ("v1.32", "deferred-eviction"),
        ("v1.32", "always-restarted"),
    ],
)
def test_every_verdict_and_depth_is_that_of_the_compiled_engine(version: str, name: str) -> None:
    found, expected = (explored(version, name, unbounded) for unbounded in (True, False))
    assert found.complete and expected.complete
    assert [(v.property.id, v.status, v.depth) for v in found.verdicts] == [
        (v.property.id, v.status, v.depth) for v in expected.verdicts
    ]
    assert found.actions_never_taken == expected.actions_never_taken


@pytest.mark.slow
@pytest.mark.parametrize("name", ["one-pod"])
def test_the_growing_grace_period_is_found_with_its_shortest_witness(name: str) -> None:
    (found,) = explored("v1.29", name, True, GRACE).verdicts
    assert found.status is Status.VIOLATED and found.depth == 3 and found.trace is not None
    assert [step.event for step in found.trace.steps[1:]] == [
        "DELETE web: grace period 5",
        "DELETE web: grace period 0",
    ]
    grown = [(c.before, c.after) for c in found.trace.steps[2].changes if c.path.endswith("[0].grace_period")]
    assert grown == [(5, 30)]


@pytest.mark.slow
def test_the_report_says_that_all_seconds_are_covered_and_which_ones_a_trace_has() -> None:
    result = check("--scenario", "orphan", "--property", "evictions_are_recorded", "--stats")
    assert result.exit_code == 0, result.output
    text = " ".join(result.output.split())
    assert "for every number of seconds from 0 on" in text and "engine symbolic" in text
    assert "s of it Z3's" in text
    assert "start with" in text and "soft_eviction_seconds = 20" in text
    assert "--property evictions_are_recorded --engine symbolic" in text


@pytest.mark.slow
def test_the_json_has_the_solvers_share() -> None:
    result = check("--scenario", "orphan", "--property", "evictions_are_recorded", "-o", "json")
    (found,) = json.loads(result.output)["results"]
    assert found["engine"] == "symbolic" and found["complete"]
    assert 0 < found["solverSeconds"] < found["exploreSeconds"] + 5
    assert found["properties"][0]["initial"]["soft_eviction_seconds"] == 20


@pytest.mark.parametrize(
    ("limit", "why"),
    [
        (("--budget", "0.2s"), "--budget"),
        (("--max-states", "300"), "--max-states"),
        (("--max-depth", "2"), "--max-depth"),
    ],
)
def test_what_a_limit_leaves_open_is_unknown(limit: tuple[str, str], why: str) -> None:
    result = check("--scenario", "two-pods", "--property", "terminated_pods_never_restart", *limit)
    assert result.exit_code == 4, result.output
    assert "UNKNOWN" in result.output and why in result.output


def test_a_limit_of_memory_is_for_engines_that_store_states() -> None:
    result = check("--memory", "1GiB")
    assert result.exit_code == 2 and "is for the engines `compiled` and `diagrams`" in result.output
