"""What holds for the class of every release: both readings of it agree, and what a release lacks is not there."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.agreement import compare_everywhere

from podproof.checker.core.system import ModelError
from podproof.checker.engines.compiled import Compiled
from podproof.checker.reductions import relevant_variables
from podproof.model.kubelet import Killer, Kubelet
from podproof.model.language import NIL, Disabled, make
from podproof.model.open import Open
from podproof.model.pod_workers import PodWorkers
from podproof.model.releases import V1_22_0, V1_26, V1_27_0, V1_29
from podproof.model.scenarios import PodDescription, Scenario
from podproof.model.state import Position, UpdatePodOptions, UpdateType
from podproof.queries.build import Subject, subject_of, system_of
from podproof.queries.versions import VERSIONS

WEB = PodDescription("web", "web_default")
STATIC = PodDescription("static", "static_kube-system", static=True)
RESTART = Scenario("restart", Kubelet, (WEB,), restarts=1)
REUSE = Scenario("reuse", Kubelet, (replace(STATIC, adds=2),))
OPEN = Scenario("open", Open, (STATIC,), spec_seconds=1, soft_eviction_seconds=0, node_shutdown_seconds=0)
SMALL = {
    "v1.36.3": RESTART,
    "v1.36": RESTART,
    "v1.27.2": REUSE,
    "v1.27.0": RESTART,
    "v1.26": OPEN,
    "v1.22.5": REUSE,
    "v1.22.0": REUSE,
}
"""One world for each release; the catalogue explores larger ones, by one reading."""


@pytest.mark.slow
@pytest.mark.parametrize("version", SMALL)
def test_cpython_and_the_graph_agree_on_every_reachable_state(version: str) -> None:
    """Of states that differ only in what nothing reads, one is looked at."""
    system = system_of(subject_of(version, None), SMALL[version])
    keep = relevant_variables(system, ())
    states, steps = compare_everywhere(system, keep)
    explored = Compiled().run(system, (), keep)
    assert explored.complete
    assert (explored.states, explored.transitions) == (states, steps)


def test_a_query_that_a_release_lacks_is_not_there() -> None:
    assert hasattr(V1_27_0, "should_pod_be_finished") and not hasattr(V1_26, "should_pod_be_finished")
    assert hasattr(V1_26, "is_pod_known_terminated") and not hasattr(V1_22_0, "is_pod_known_terminated")
    with pytest.raises(AttributeError, match=r"V1_26 has no should_pod_be_finished: it came with 1\.27\.0"):
        _ = V1_26.should_pod_be_finished


class AsksForWhatIsNotThere(V1_26):
    def queue_update(self, uid: int, options: UpdatePodOptions, cancels: bool) -> None:
        if not self.should_pod_be_finished(uid):
            super().queue_update(uid, options, cancels)


def test_a_change_that_needs_what_its_release_lacks_is_refused() -> None:
    with pytest.raises(ModelError, match=r"V1_26\.should_pod_be_finished is no method"):
        system_of(Subject("asks", AsksForWhatIsNotThere, ""), OPEN)


def test_a_hard_eviction_asks_for_one_second_since_1_32() -> None:
    for version, seconds in (("v1.29", 0), ("v1.32", 1), ("v1.36.3", 1)):
        kubelet = make(RESTART.model_class(VERSIONS[version].cls), RESTART.sizes)
        assert kubelet.override_of(Killer.HARD_EVICTION) == seconds
        assert kubelet.override_of(Killer.PREEMPTION) == NIL


def test_sync_pod_has_a_pod_to_call_update_pod_with() -> None:
    """Also in states that cannot be reached: a theorem about a Go file asks of those too."""
    kubelet = make(RESTART.model_class(VERSIONS["v1.36.3"].cls), RESTART.sizes)
    kubelet.budget.resets = 1
    kubelet.pod_sync_statuses[0].present = True
    kubelet.pod_updates[0] = 0
    kubelet.workers[0][0].position = Position.SYNC_POD
    with pytest.raises(Disabled):
        kubelet.sync_pod_calls_update_pod(0, 0)
    kubelet.pod_sync_statuses[0].active_update.present = True
    kubelet.pod_sync_statuses[0].active_update.pod.present = True
    kubelet.sync_pod_calls_update_pod(0, 0)
    assert kubelet.pod_sync_statuses[0].pending_update.update_type == UpdateType.UPDATE


def test_a_release_overrides_the_one_that_it_is_based_on() -> None:
    for name, version in VERSIONS.items():
        if version.based_on:
            assert VERSIONS[version.based_on].cls in version.cls.__mro__[1:], name
    assert issubclass(V1_29, PodWorkers)
