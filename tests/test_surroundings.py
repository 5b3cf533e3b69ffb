"""One bit for the containers of a pod allows what the containers do one by one."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.refinement import Refinement, refinement
from tests.test_containers import surrounded

from podproof.checker.core.system import CheckerError, Limits
from podproof.model.containers import Containers, Containers1_32
from podproof.model.core_v1 import PodPhase
from podproof.model.kubelet import Kubelet
from podproof.model.language import action, clear, require
from podproof.model.node import Generation
from podproof.model.pod_worker_loop import SyncOutcome, SyncPodOutcome
from podproof.model.releases import V1_29, V1_32, V1_36_3
from podproof.model.scenarios import DETAILED, SCENARIOS
from podproof.model.state import Phase, Uid
from podproof.queries.build import Subject, system_of

NO_LIMITS = Limits(None, None, None)


def compared(version: type[V1_29], name: str, limits: Limits = NO_LIMITS) -> Refinement:
    subject, scenario = Subject("test", version, ""), DETAILED[name]
    plain = system_of(subject, replace(scenario, environment=Kubelet))
    return refinement(system_of(subject, scenario), plain, limits)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", ["two-containers", "lost-sandbox", "mirror-pod", "deleted-while-starting", "always-restarted"]
)
def test_one_bit_allows_what_containers_do(name: str) -> None:
    found = compared(V1_32, name)
    assert not found.outside and not found.reason and found.seen > 1000


class _Returns1_36(Containers1_32):
    """What the sync functions of 1.36.3 may return that those of environment `containers` do not."""

    @action("worker", "SyncPod({uid}) rejects the pod: its node has too many volumes")
    def reject_pod(self, uid: Uid, generation: Generation) -> None:
        """WaitForAttachAndMount is before the runtime's part, and containers of an earlier SyncPod may run."""
        require(not self.is_stopping(uid))
        self.sync_pod_returns(uid, generation, SyncPodOutcome.TERMINAL)
        self.layers[uid].status.reported = PodPhase.FAILED
        clear(self.layers[uid].runtime.actions)

    @action("worker", "SyncPod({uid}) returns (false, nil) after a kill that was interrupted")
    def give_up(self, uid: Uid, generation: Generation) -> None:
        require(not self.is_stopping(uid))
        self.sync_pod_returns(uid, generation, SyncPodOutcome.OK)
        clear(self.layers[uid].runtime.actions)

    @action("worker", "SyncTerminatingPod({uid}) returns nil after ErrPodNotFound")
    def find_no_pod(self, uid: Uid, generation: Generation) -> None:
        """Records and sandboxes are gone, so that nothing can run."""
        require(not self.containers[uid] and not self.is_stopping(uid))
        self.sync_terminating_pod_returns(uid, generation, SyncOutcome.OK)
        clear(self.layers[uid].runtime)
        self.layers[uid].is_probed = False
        self.report_stopped_pod(uid)


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in DETAILED if name != "slow-api-server"])
def test_one_bit_allows_what_the_sync_functions_of_1_36_return(name: str) -> None:
    version = type("Returns", (V1_36_3,), {"containers_environment": _Returns1_36})
    found, without = compared(version, name), compared(V1_36_3, name)
    assert not found.outside and not found.reason and found.steps > without.steps


class _StartsInTerminatedPods(Containers):
    @action("runtime", "a container of {uid} starts by itself")
    def start_anything(self, uid: Uid) -> None:
        self.containers[uid] = True


class _FailsAtAnyTime(Containers):
    @action("status manager", "PATCH {uid}: phase {phase}")
    def handle_pod_reconcile(self, uid: Uid, phase: Phase) -> None:
        self.config[uid].phase = phase


@pytest.mark.slow
@pytest.mark.parametrize(
    ("faulty", "acts"),
    [(_StartsInTerminatedPods, "start_anything"), (_FailsAtAnyTime, "handle_pod_reconcile")],
)
def test_a_step_that_is_not_allowed_is_found(faulty: type[Containers], acts: str) -> None:
    found = compared(surrounded(faulty), "never-restarted")
    assert acts in [outside.action for outside in found.outside]


@pytest.mark.slow
def test_a_limit_leaves_it_undecided() -> None:
    assert "not explored to the end" in compared(V1_29, "two-containers", Limits(100, None, None)).reason


def test_what_the_other_system_does_not_have_is_said() -> None:
    subject = Subject("test", V1_29, "")
    detailed = system_of(subject, DETAILED["two-containers"])
    with pytest.raises(CheckerError, match="it has no"):
        refinement(system_of(subject, SCENARIOS["lone-pod"]), detailed, NO_LIMITS)


@pytest.mark.slow
def test_an_answer_after_a_restart_is_not_allowed() -> None:
    """The plain surroundings let nobody say Succeeded while containers could run."""
    (outside,) = compared(V1_29, "slow-api-server").outside
    steps = outside.example.steps
    system = system_of(Subject("test", V1_29, ""), DETAILED["slow-api-server"])
    assert outside.action == "write_patch" and len(steps) == 21
    assert system.event(steps[-1].move) == "writes phase Succeeded of web, which the kubelet sent"
