"""Environment `containers`: what is found in its scenarios, and a planted fault for each claim about them."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import pytest
from tests.command_line import run_v1_29 as run
from tests.exploring import explored

from podproof.checker.core.system import Status
from podproof.model.containers import Containers
from podproof.model.core_v1 import PodPhase
from podproof.model.get_phase import GetPhase
from podproof.model.kubecontainer import RuntimeState
from podproof.model.kubelet_pods import KubeletPods
from podproof.model.kuberuntime.compute_pod_actions import ComputePodActions
from podproof.model.kuberuntime.kill_container import KillContainer
from podproof.model.kuberuntime.kill_pod import ContainerKill
from podproof.model.kuberuntime.records import KnownContainer
from podproof.model.kuberuntime.sync_pod import KubeGenericRuntimeManager
from podproof.model.language import action, require
from podproof.model.node import Generation
from podproof.model.pod_worker_loop import SyncOutcome, SyncPodOutcome
from podproof.model.scenarios import DETAILED
from podproof.model.state import Phase, Position, Uid
from podproof.model.versions import V1_29
from podproof.queries.versions import VERSIONS
from podproof.specs import containers
from podproof.specs.claim import claims_in

CLAIMS = {claim.id: claim for claim in claims_in(containers)}


def violated(version: type[V1_29], name: str, *wanted: str) -> set[str]:
    found = explored(version, DETAILED[name], *wanted)
    assert found.complete
    return {v.property.id for v in found.verdicts if v.status is Status.VIOLATED}


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("version", "scenario"),
    [
        *(("v1.29", name) for name in DETAILED),
        ("v1.32", "evicted-pod"),
        ("v1.27.2", "evicted-pod"),
        *(("v1.32", name) for name in ("sidecar", "mirror-pod", "lost-record", "slow-api-server")),
        *(("v1.26", name) for name in ("pre-stop", "evicted-pod", "mirror-pod")),
        *(("v1.22.5", name) for name in ("evicted-pod", "two-containers")),
        *(("v1.22.0", name) for name in ("evicted-pod", "slow-api-server")),
    ],
)
def test_what_is_violated_is_known(version: str, scenario: str) -> None:
    release = VERSIONS[version].cls
    assert issubclass(release, V1_29)
    known = {claim.id for claim in CLAIMS.values() if claim.known_violation(version, scenario) is not None}
    assert violated(release, scenario, *CLAIMS) == known


def test_kubelet_1_20_has_no_model_of_its_containers() -> None:
    result = run("check", "--version", "v1.20", "--scenario", "init-then-app")
    assert result.exit_code == 2 and "there is no model of what its environment, containers, has" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize(
    ("scenario", "claims"),
    [
        ("pre-stop", ("pre_stop_time_counts_once", "stop_signals_come_with_a_minimum")),
        ("sidecar", ("sidecars_outlive_the_apps",)),
    ],
)
def test_claims_are_proved_for_every_number_of_seconds(scenario: str, claims: tuple[str, ...]) -> None:
    """Of the grace periods, the hook and the wait for others."""
    result = run("prove", "--scenario", scenario, *(f"--property={claim}" for claim in claims))
    assert result.exit_code == 0, result.output
    assert f"{len(claims) + 1} of {len(claims) + 1} claims proved for every grace period" in result.stdout


# -- a planted fault for each claim that holds -------------------------------------------------------------------------


class _InitContainersDoNotMatter(ComputePodActions):
    def initialize(self) -> bool:
        super().initialize()
        return True


class _WhateverEndsIsStarted(ComputePodActions):
    def should_container_be_restarted(self, container: KnownContainer) -> bool:
        return container.state != RuntimeState.RUNNING


class _NoMinimum(KillContainer):
    def stop_container(self, timeout: int) -> None:
        self.stop_timeout = 0


class _KillWithoutMinimum(ContainerKill, _NoMinimum):
    pass


class _ForgetsThatItEnded(GetPhase):
    def keep_terminal_phase(self) -> PodPhase:
        return self.get_phase()


def deciding(decision: type[ComputePodActions]) -> type[V1_29]:
    manager = type("Manager", (KubeGenericRuntimeManager,), {"decision": decision})
    return type("Faulty", (V1_29,), {"runtime_manager": manager})


def surrounded(environment: type[Containers]) -> type[V1_29]:
    return type("Faulty", (V1_29,), {"containers_environment": environment})


class _StartsWithoutResources(Containers):
    def is_in_runtime(self, uid: int, generation: int) -> bool:
        return self.workers[uid][generation].position == Position.SYNC_POD and not self.is_stopping(uid)


class _KeepsItsResources(Containers):
    def worker_sync_terminated_pod_returns(self, uid: Uid, generation: Generation, outcome: SyncOutcome) -> None:
        self.sync_terminated_pod_returns(uid, generation, outcome)


class _WritesTheEndAtOnce(Containers):
    def merged_phase(self, uid: int) -> Phase:
        return Phase.FAILED if self.has_terminal_status(uid) else Phase.RUNNING


class _DeletesWhatHasEnded(Containers):
    def can_be_deleted(self, uid: int) -> bool:
        return self.config[uid].phase != Phase.RUNNING


class _EndsPodsThatRun(Containers):
    def worker_sync_pod_returns(self, uid: Uid, generation: Generation, outcome: SyncPodOutcome) -> None:
        self.sync_pod_returns(uid, generation, outcome)


class _StartsBehindTheBack(Containers):
    """SyncPod returns an error while the runtime goes on with what it was asked for."""

    def worker_sync_pod_returns(self, uid: Uid, generation: Generation, outcome: SyncPodOutcome) -> None:
        require(outcome == SyncPodOutcome.ERROR and not self.is_stopping(uid))
        self.sync_pod_returns(uid, generation, outcome)

    def is_in_runtime(self, uid: int, generation: int) -> bool:
        position = self.workers[uid][generation].position
        in_sync = position in (Position.SYNC_POD, Position.SYNC_TERMINATING_POD)
        return in_sync and self.layers[uid].has_resources and not self.is_stopping(uid)


class _SidecarsDoNotWait(Containers):
    def has_running_app(self, uid: int) -> bool:
        return False


class _ProbesEndAtOnce(Containers):
    @action("kubelet", "the probes of {uid} are removed")
    def remove_probes(self, uid: Uid) -> None:
        require(self.layers[uid].is_probed and self.is_pod_termination_requested(uid))
        self.layers[uid].is_probed = False


class _ReportsTooLate(Containers):
    def report_stopped_pod(self, uid: int) -> None:
        return


class _WithoutMinimum(KubeGenericRuntimeManager):
    container_kill: ClassVar[type[ContainerKill]] = _KillWithoutMinimum


class _PodsThatForget(KubeletPods):
    get_phase = _ForgetsThatItEnded


class _PhaseUnderAlways(GetPhase):
    def get_phase_of_stopped_pod(self) -> PodPhase:
        return PodPhase.RUNNING


class _PodsUnderAlways(KubeletPods):
    get_phase = _PhaseUnderAlways


_PolicyIsIgnored = type("Faulty", (deciding(_WhateverEndsIsStarted),), {"kubelet_pods": _PodsUnderAlways})
"""Of a pod with one container, getPhase and computePodActions have to be wrong together."""


FAULTS = {
    "containers_wait_for_init_containers": ("init-then-app", deciding(_InitContainersDoNotMatter)),
    "containers_that_ended_stay_ended": ("two-containers", deciding(_WhateverEndsIsStarted)),
    "running_containers_have_their_resources": ("two-containers", surrounded(_StartsWithoutResources)),
    "finished_pods_have_released_their_resources": ("two-containers", surrounded(_KeepsItsResources)),
    "stop_signals_come_with_a_minimum": ("pre-stop", type("Faulty", (V1_29,), {"runtime_manager": _WithoutMinimum})),
    "pods_that_ended_at_the_api_server_run_no_container": ("evicted-pod", surrounded(_WritesTheEndAtOnce)),
    "reported_ends_are_not_taken_back": ("evicted-pod", type("Faulty", (V1_29,), {"kubelet_pods": _PodsThatForget})),
    "objects_are_deleted_after_their_containers": ("init-then-app", surrounded(_DeletesWhatHasEnded)),
    "no_container_starts_while_its_pod_is_stopped": ("deleted-while-starting", surrounded(_StartsBehindTheBack)),
    "sidecars_outlive_the_apps": ("sidecar", surrounded(_SidecarsDoNotWait)),
    "probes_go_on_until_containers_stop": ("two-containers", surrounded(_ProbesEndAtOnce)),
    "records_go_when_they_are_reported": ("evicted-pod", surrounded(_ReportsTooLate)),
    "pods_complete_by_their_containers": ("init-then-app", surrounded(_EndsPodsThatRun)),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("claim", "scenario", "faulty"),
    [
        *((claim, *fault) for claim, fault in FAULTS.items()),
        ("pods_complete_by_their_containers", "always-restarted", surrounded(_EndsPodsThatRun)),
        ("containers_that_ended_stay_ended", "restarted-on-failure", _PolicyIsIgnored),
        ("containers_that_ended_stay_ended", "never-restarted", _PolicyIsIgnored),
    ],
)
def test_a_claim_notices_a_fault(claim: str, scenario: str, faulty: type[V1_29]) -> None:
    world = replace(DETAILED[scenario], deletion_seconds=DETAILED[scenario].deletion_seconds[:1])
    found = explored(faulty, world, claim)
    assert [v.property.id for v in found.verdicts if v.status is Status.VIOLATED] == [claim]


ALONE = (
    *("no_container_starts_while_its_pod_is_stopped", "sidecars_outlive_the_apps"),
    *("probes_go_on_until_containers_stop", "records_go_when_they_are_reported"),
)


@pytest.mark.quick(1)
@pytest.mark.parametrize("claim", ALONE)
def test_a_fault_is_noticed_by_one_claim_alone(claim: str) -> None:
    scenario, faulty = FAULTS[claim]
    claims = [id for id in CLAIMS if CLAIMS[id].kind != "sometimes"]
    assert violated(faulty, scenario, *claims) - violated(V1_29, scenario, *claims) == {claim}


def test_every_claim_can_be_broken() -> None:
    broken = {id for id, claim in CLAIMS.items() if claim.violations or claim.kind == "sometimes"}
    assert broken | set(FAULTS) == set(CLAIMS)
