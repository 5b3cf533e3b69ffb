"""The readiness of an ordinary init container, as UpdatePodStatus of pkg/kubelet/prober has it."""

from __future__ import annotations

import pytest

from podproof.model.core_v1 import ApiPod, Container, ContainerState, ContainerStatus, PodStatus, StateOf
from podproof.model.releases import V1_29, V1_36_3

RECORDED = [
    ("waiting", ContainerState(StateOf.WAITING), (False, True)),
    ("running", ContainerState(StateOf.RUNNING), (False, True)),
    ("exited with 0", ContainerState(StateOf.TERMINATED), (True, True)),
    ("exited with 1", ContainerState(StateOf.TERMINATED, 1), (False, True)),
    ("no state", ContainerState(), (False, True)),
]
"""The state, and what the real function of 1.36.3 made of a flag that was not set, and of one that was."""


@pytest.mark.parametrize("release", [V1_29, V1_36_3])
@pytest.mark.parametrize(("state", "ready"), [case[1:] for case in RECORDED], ids=[case[0] for case in RECORDED])
def test_it_is_set_by_an_exit_with_0_and_never_cleared(
    release: type[V1_29], state: ContainerState, ready: tuple[bool, bool]
) -> None:
    """Also of an init container that failed, where its status is kept as it ended."""
    pod = ApiPod(init_containers=[Container("setup")])
    for had, has in zip((False, True), ready, strict=True):
        status = PodStatus(init_container_statuses=[ContainerStatus("setup", state, ready=had)])
        release.kubelet_pods().update_pod_status(pod, status)
        assert status.init_container_statuses[0].ready is has
