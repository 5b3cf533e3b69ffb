"""Kubelet 1.20: verdicts, faults that must be noticed, and the commands that know it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from tests.catalogue import table
from tests.command_line import run, run_or_export
from tests.departures_1_20 import FAULTS, NeverForgets
from tests.recorded_traces import FILES, OF_1_20, conformance

from podproof.checker.core.system import Exploration, Limits, Status
from podproof.checker.reductions import REDUCTIONS
from podproof.kubelet_1_20.release import V1_20
from podproof.model.scenarios import SCENARIOS, Scenario
from podproof.queries.build import Subject
from podproof.queries.claims import CLAIMS
from podproof.queries.search import explore as check_scenario

TRACES = FILES[OF_1_20]
UNDELIVERED = "last_undelivered_work_update"
FAULTY = replace(SCENARIOS["uid-reuse"], kills=2)
"""Where faults are looked for."""
WORLDS = {
    **{name: SCENARIOS[name] for name in ("one-pod", "one-pod-restart", "uid-reuse", "orphan", "open-pod")},
    # Smaller than the scenarios of these names.
    "static-pair": replace(SCENARIOS["static-pair"], kills=0),
    "evict-and-delete": replace(SCENARIOS["evict-and-delete"], deletion_seconds=()),
}


def explore(
    version: type[V1_20],
    world: Scenario,
    wanted: tuple[str, ...] = (),
    most: int | None = None,
    engine: str = "compiled",
) -> Exploration:
    """The wanted claims, or all that apply, as `podproof check` explores them."""
    subject = Subject("v1.20", version, "")
    found = check_scenario(subject, world, wanted, engine, Limits(max_states=most), tuple(REDUCTIONS))
    assert found is not None
    return found


@cache
def found_in(world: str) -> Exploration:
    """What the checker finds out about 1.20."""
    return explore(V1_20, WORLDS[world])


def violated(found: Exploration) -> dict[str, int]:
    """The claims that are violated -> after how many steps; 0 for a witness that is never seen."""
    return {verdict.property.id: verdict.depth or 0 for verdict in found.verdicts if verdict.status is Status.VIOLATED}


@pytest.mark.slow
def test_the_verdicts_are_what_the_checker_finds(golden: Callable[[str, str], None]) -> None:
    golden("v1.20-verdicts.txt", "v1.20\n\n" + "\n".join(table(found_in(world)) for world in WORLDS))
    assert all(found_in(world).complete for world in WORLDS)


@pytest.mark.slow
def test_the_model_run_as_python_says_the_same() -> None:
    pod = replace(SCENARIOS["uid-reuse"].pods[0], adds=1, removes=1)
    world = replace(SCENARIOS["uid-reuse"], pods=(pod,), kills=0)
    compiled, reference = (table(explore(V1_20, world, engine=engine)) for engine in ("compiled", "python"))
    assert compiled == reference


@pytest.mark.slow
def test_violations_are_the_known_ones() -> None:
    for claim in CLAIMS:
        for world in WORLDS:
            if claim.id in violated(found_in(world)):
                assert claim.known_violation("v1.20", world), f"{claim.id} in {world}"
        if any(key.startswith("v1.20") for key in claim.known_violations):
            assert any(claim.id in violated(found_in(world)) for world in WORLDS), claim.id


@pytest.mark.slow
def test_two_goroutines_of_a_uid_are_always_enough() -> None:
    assert not any(found_in(world).bounds_hit for world in WORLDS)


def events_of(world: str, id: str) -> list[str]:
    """The events of a claim's counterexample."""
    (verdict,) = (verdict for verdict in found_in(world).verdicts if verdict.property.id == id)
    assert verdict.trace is not None
    return [step.action for step in verdict.trace.steps]


@pytest.mark.slow
def test_a_pod_that_is_deleted_while_it_starts_loses_its_volumes_and_starts() -> None:
    events = events_of("one-pod", "containers_run_with_their_resources")
    assert events[-3:] == ["handle_pod_deletion", "tear_down", "start_containers"]


@pytest.mark.slow
def test_two_static_pods_of_one_name_run_together() -> None:
    assert violated(found_in("static-pair"))["one_static_pod_runs_per_full_name"] == 8


def test_a_second_kill_is_dropped_while_one_waits() -> None:
    events = events_of("evict-and-delete", "kill_requests_are_accepted")
    assert events == ["handle_pod_additions", "kill_pod_now", "kill_pod_now"]


def test_a_killed_pod_is_started_by_the_update_that_came_behind_the_kill() -> None:
    events = events_of("one-pod", "killed_pods_never_run_again")
    assert events.index("kill_pod_now") < events.index("sync_tick") < events.index("start_containers")


# -- faults that must be noticed -----------------------------------------------------------------------------------


@cache
def noticed_by(fault: type[V1_20]) -> tuple[str, ...]:
    """The claims that hold without the fault and are violated with it."""
    return tuple(violated(explore(fault, FAULTY, held_without_fault(), most=20_000)))


@cache
def held_without_fault() -> tuple[str, ...]:
    """The claims that 1.20 keeps where faults are looked for; witnesses do not count."""
    verdicts = explore(V1_20, FAULTY).verdicts
    return tuple(v.property.id for v in verdicts if v.status is Status.HOLDS and v.property.kind != "sometimes")


@pytest.mark.slow
def test_every_fault_is_noticed(golden: Callable[[str, str], None]) -> None:
    """By a claim, by a trace, or by both; what is left over would be a fault that nothing here can see."""
    lines = []
    for fault in FAULTS:
        traces = [trace["trace"] for trace in TRACES if not conformance(trace, fault).conforms]
        claims = noticed_by(fault)
        assert traces or claims, fault.__name__
        lines += [
            fault.__name__,
            f"  traces  {', '.join(traces) or 'none'}",
            f"  claims  {', '.join(claims) or 'none'}",
        ]
    golden("v1.20-faults.txt", "\n".join(lines) + "\n")


@pytest.mark.slow
def test_every_claim_notices_a_fault_or_is_broken_by_the_release() -> None:
    """But for witnesses: those guard against a model in which nothing happens."""
    noticed = {id for fault in FAULTS for id in noticed_by(fault)}
    broken = {id for world in WORLDS for id in violated(found_in(world))}
    about = [
        claim
        for claim in CLAIMS
        if any(claim.applies_to(world.model_class(V1_20), name) for name, world in WORLDS.items())
    ]
    vacuous = [claim.id for claim in about if claim.kind != "sometimes" and claim.id not in noticed | broken]
    assert not vacuous, f"nothing that was tried violates {vacuous}"


# -- the command line ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "text"),
    [
        (("check", "--scenario", "uid-reuse", "--property", "kill_requests_are_not_lost"), 0, f"{UNDELIVERED} ← kill"),
        (("diagram", "--scenario", "uid-reuse"), 0, "pod_manager"),
        (("export", "promela", "--scenario", "uid-reuse"), 0, UNDELIVERED),
        (("explain", "actions"), 0, "HandlePodCleanups"),
        (("conform", str(OF_1_20)), 0, f"{len(TRACES)} of {len(TRACES)} traces conform to v1.20"),
    ],
)
def test_every_command_knows_the_version(arguments: tuple[str, ...], code: int, text: str) -> None:
    result = run_or_export(*arguments, "--version", "v1.20")
    assert result.exit_code == code and text in result.output


def test_the_version_is_explained() -> None:
    result = run("explain", "v1.20")
    assert result.exit_code == 0 and "kubelet_1_20/release.py" in result.output


def test_a_model_file_may_override_it(tmp_path: Path) -> None:
    file = tmp_path / "keeps_name.py"
    source = inspect.getsource(NeverForgets)
    file.write_text(f"from podproof.kubelet_1_20.release import V1_20\n\n\n{source}")
    checked = run("check", "--model", str(file), "--scenario", "uid-reuse", "--property", "removed_pods_are_stopped")
    assert checked.exit_code == 1 and "keeps_name  uid-reuse" in checked.output
    file.write_text(file.read_text().replace("forget_worker", "dispatch_work"))
    refused = run("check", "--model", str(file))
    assert refused.exit_code == 2
    assert "has no effect, the environment defines 'dispatch_work' itself" in refused.output
