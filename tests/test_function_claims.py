"""Claims about every input of a function: what is proved of which release, and that each claim can be broken."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from tests.command_line import run_v1_29 as run
from tests.restart_departures import ACTIONS
from tests.runtime_departures import departure

from podproof.checker.core.proofs import Proofs
from podproof.checker.core.system import Status
from podproof.checker.core.trace import is_true
from podproof.checker.decide import confirm
from podproof.checker.engines import prove as proving
from podproof.checker.engines.prove import prove_function
from podproof.checker.engines.prove.certificate import SecondSolver
from podproof.checker.lowering.claims import lower_properties
from podproof.model.core_v1 import RestartPolicy
from podproof.model.functions import FUNCTIONS, Function
from podproof.model.kubecontainer import RuntimeState
from podproof.model.kuberuntime.compute_pod_actions import ComputePodActions1_32
from podproof.model.kuberuntime.kill_container import KillContainer
from podproof.model.kuberuntime.kill_pod import ContainerKill
from podproof.model.kuberuntime.records import ContainerKillReason, KnownContainer
from podproof.model.language import NIL, copy
from podproof.model.releases import V1_32, V1_36_3
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import Subject, function_system, properties_of_function, subject_of, system_of
from podproof.specs import FUNCTION_CLAIMS, functions
from podproof.specs.claim import claims_in

EVERY = [function for functions in FUNCTIONS.values() for function in functions]


def prove(subject: Subject, function: Function, seconds: float = 60, recheck: bool = False) -> Proofs:
    system = function_system(subject, function)
    properties = lower_properties(system, properties_of_function(system))
    proofs = prove_function(system, properties, seconds, recheck, lambda _: None)
    return replace(proofs, exploration=confirm(proofs.exploration))


def violated(subject: Subject, functions: list[Function]) -> set[str]:
    verdicts = [v for function in functions for v in prove(subject, function).exploration.verdicts]
    assert {v.status for v in verdicts} <= {Status.PROVED, Status.VIOLATED}
    return {v.property.id for v in verdicts if v.status is Status.VIOLATED}


@pytest.mark.slow
@pytest.mark.parametrize(
    "version", ["v1.36.3", "v1.35", "v1.34", "v1.32", "v1.29", "v1.27.2", "v1.26", "v1.22.5", "v1.22.0"]
)
def test_what_is_violated_is_known(version: str) -> None:
    known = {claim.id for claim in FUNCTION_CLAIMS if claim.known_violation(version, "") is not None}
    assert violated(subject_of(version, None), EVERY) == known


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("version", "told"),
    [
        ("v1.36.3", "and the others are 1.32's, which have changed [A76]"),
        ("v1.34", "and the others are 1.32's, which have changed [A76]"),
        ("v1.32", "the layers around the pod workers are those of 1.32: 1.31 has others [A76]"),
        ("v1.29", ""),
    ],
)
def test_a_verdict_says_whose_layers_it_is_about(version: str, told: str) -> None:
    """From 1.33 on most are others than those of 1.32, which stand for them; the workers alone need no such word."""
    subject = subject_of(version, None)
    of_function = function_system(subject, EVERY[0]).bounds
    with_containers, of_workers = (system_of(subject, SCENARIOS[name]).bounds for name in ("mirror-pod", "lone-pod"))
    for bounds in (of_function, with_containers):
        assert bounds.endswith(told) and ("[A76]" in bounds) == bool(told), bounds
    assert "[A76]" not in of_workers


# -- a planted fault for each claim ------------------------------------------------------------------------------------


class _RestartsUnderNever(ComputePodActions1_32):
    def should_container_be_restarted(self, container: KnownContainer) -> bool:
        return container.state == RuntimeState.EXITED or super().should_container_be_restarted(container)


class _RestartsDeleted(ComputePodActions1_32):
    def should_container_be_restarted(self, container: KnownContainer) -> bool:
        return container.state != RuntimeState.RUNNING


class _StartsAppsAtOnce(ComputePodActions1_32):
    def initialize(self) -> bool:
        super().initialize()
        return not self.actions.kill_pod


class _RestartsFailedInit(ComputePodActions1_32):
    def start_next_init_container(self, i: int) -> None:
        self.actions.next_init_container_to_start = i


class _NeverEnds(ComputePodActions1_32):
    def compute_container_actions(self) -> None:
        super().compute_container_actions()
        self.actions.kill_pod = False


class _KillsEverything(ComputePodActions1_32):
    def act_on_other_container(self, i: int) -> None:
        super().act_on_other_container(i)
        self.actions.containers_to_kill[i] = ContainerKillReason.UNKNOWN


class _MakesSandboxesBesides(ComputePodActions1_32):
    def start_ephemeral_containers(self) -> None:
        super().start_ephemeral_containers()
        self.actions.create_sandbox = True


class _StartsInitOfKilledPods(ComputePodActions1_32):
    def start_no_init_container(self) -> None:
        return


class _CreatedIsDone(ComputePodActions1_32):
    def is_container_succeeded(self, container: KnownContainer) -> bool:
        return container.state != RuntimeState.RUNNING and container.exit_code == 0


class _ChangesAreDeadly(ComputePodActions1_32):
    def act_on_running_container(self, i: int) -> None:
        super().act_on_running_container(i)
        if self.restart_policy == RestartPolicy.ALWAYS:
            self.kill_container(i, ContainerKillReason.DEFINITION_CHANGED, True)


class _HasNoMinimum(KillContainer):
    def kill_container(self) -> None:
        super().kill_container()
        if self.grace_period_override != NIL:
            self.stop_timeout = self.grace_period_override


class _HooksAreFree(KillContainer):
    def execute_pre_stop_hook(self, grace_period: int) -> int:
        super().execute_pre_stop_hook(grace_period)
        return 0


class _SpecBeatsDeletion(KillContainer):
    def set_termination_grace_period(self) -> int:
        if self.termination_grace_period_seconds != NIL:
            return self.termination_grace_period_seconds
        return super().set_termination_grace_period()


FAULTS: dict[str, type] = {
    "never_means_never": _RestartsUnderNever,
    "apps_wait_for_init_containers": _StartsAppsAtOnce,
    "apps_wait_for_sidecars": _StartsAppsAtOnce,
    "no_pod_waits_for_nothing": _NeverEnds,
    "kill_or_keep": _KillsEverything,
    "sandboxes_are_made_of_killed_pods": _MakesSandboxesBesides,
    "what_starts_has_a_sandbox": _StartsInitOfKilledPods,
    "deleted_pods_start_no_stopped_container": _RestartsDeleted,
    "created_containers_do_not_count_as_done": _CreatedIsDone,
    "healthy_containers_stay": _ChangesAreDeadly,
    "failed_init_containers_are_final_under_never": _RestartsFailedInit,
    "every_container_has_its_minimum": _HasNoMinimum,
    "grace_is_spent_once": _HooksAreFree,
    "used_grace_is_at_most_asked": _HooksAreFree,
    "deletions_decide": _SpecBeatsDeletion,
}


def test_every_claim_has_its_fault() -> None:
    """Those about the order of a kill are in test_status_claims.py."""
    broken = {claim.id for claim in claims_in(functions) if claim.known_violation("v1.36.3", "")}
    assert {*FAULTS, *ACTIONS.values()} == {claim.id for claim in claims_in(functions)} - broken


@pytest.mark.slow
@pytest.mark.parametrize("name", FAULTS)
def test_a_planted_fault_violates_the_claim(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    fault = FAULTS[name]
    if issubclass(fault, ComputePodActions1_32):
        changed, about = departure(V1_32, fault.__name__, decision=fault), FUNCTIONS["compute-pod-actions"]
    else:
        kill = type("Kill", (ContainerKill, fault), {})
        changed, about = departure(V1_32, fault.__name__, container_kill=kill), FUNCTIONS["kill-container"]
    subject = replace(subject_of("v1.32", None), cls=changed)
    assert name in violated(subject, list(about)[:3])


@pytest.mark.parametrize("fault", ACTIONS, ids=lambda fault: fault.__name__)
def test_a_fault_in_what_came_after_1_32_violates_a_claim(fault: type) -> None:
    subject = replace(subject_of("v1.36.3", None), cls=departure(V1_36_3, fault.__name__, decision=fault))
    for function in FUNCTIONS["compute-pod-actions"][:2]:
        system = function_system(subject, function)
        properties = lower_properties(system, properties_of_function(system, [ACTIONS[fault]]))
        found = prove_function(system, properties, 60, False, lambda _: None)
        if any(verdict.status is Status.VIOLATED for verdict in found.exploration.verdicts):
            return
    pytest.fail(f"{ACTIONS[fault]} does not notice it")


# -- another judge than Z3 ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("function", EVERY, ids=[function.name for function in EVERY])
def test_no_random_input_breaks_what_is_proved(function: Function) -> None:
    system = function_system(subject_of("v1.32", None), function)
    chance = random.Random(17)
    claims = properties_of_function(system)
    known = {claim.id for claim in FUNCTION_CLAIMS if claim.known_violation("v1.32", "") is not None}
    for _ in range(400):
        numbers = (chance.choice((v.low, v.high, chance.randint(v.low, v.high))) for v in system.variables)
        before: Any = system.build(tuple(numbers))
        after = copy(before)
        system.actions[0].call(after)
        system.flatten(after)
        for claim in claims:
            assert claim.id in known or is_true(claim.function, before, after), (claim.id, before)


# -- a second solver, and the command ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("answer", "status"), [("unsat", Status.PROVED), ("unknown", Status.UNKNOWN)])
def test_a_second_solver_has_to_agree(answer: str, status: Status, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def ask(script: str, seconds: float) -> str:
        asked.append(script)
        return answer

    monkeypatch.setattr(proving, "second_solver", lambda: SecondSolver("Other 1.0", True, ask))
    (function,) = FUNCTIONS["kill-container"]
    proofs = prove(subject_of("v1.32", None), function, recheck=True)
    assert {v.status for v in proofs.exploration.verdicts} == {status}
    assert proofs.recheck.obligations == len(asked) == len(proofs.exploration.verdicts)
    assert all("(check-sat)" in script for script in asked)


def test_the_command_proves_functions() -> None:
    result = run("prove", "--scenario", "kill-container", "--version", "v1.32")
    assert result.exit_code == 0, result.output
    assert "5 of 5 claims proved for every input" in result.stdout


def test_an_input_that_breaks_a_claim_is_told() -> None:
    result = run("prove", "--scenario", "kill-container", "--version", "v1.26", "--claim", "grace_is_spent_once")
    assert result.exit_code == 0, result.output
    assert "has_pre_stop_hook = True" in result.stdout and "kubernetes/kubernetes#92432" in result.stdout
    assert "replay: podproof prove --version v1.26 --scenario kill-container --property grace_is_spent_once" in (
        result.stdout
    )


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ("--scenario kill-container --version v1.20", "there is no model of it in v1.20"),
        ("--scenario kill-container --smt2 checks", "leave it out"),
        ("--scenario kill-container --claim nobody", "there is no claim 'nobody'"),
        ("--scenario kill-container --claim never_means_never", "none of these claims is about any of these scenarios"),
    ],
)
def test_what_cannot_be_asked_is_refused(arguments: str, said: str, tmp_path: Any, monkeypatch: Any) -> None:
    monkeypatch.chdir(tmp_path)
    result = run("prove", *arguments.split())
    assert result.exit_code == 2 and said in " ".join(result.stderr.split()), result.output
