"""Recordings of pkg/kubelet/status: what the status manager decides by."""

from __future__ import annotations

from collections.abc import Iterator

from podproof.kubelet.layers.case import (
    Case,
    Layer,
    LayerStep,
    containers_of,
    plain,
    show_status,
    status_of,
)
from podproof.model.core_v1 import ApiPod, RestartPolicy
from podproof.model.status.status_manager import StatusManager

NOW = 1 << 40
"""The current time where it is not recorded; no recording has this second."""


def replay_transition(case: Case, part: type[StatusManager]) -> Iterator[LayerStep]:
    pod = ApiPod(restart_policy=RestartPolicy(case["rp"]), init_containers=containers_of(case.get("init")))
    wrong = part().check_container_state_transition(status_of(case["old"]), status_of(case["new"]), pod)
    yield LayerStep(f"checkContainerStateTransition(restartPolicy={case['rp']})", {"err": case["err"]}, {"err": wrong})


def replay_equal(case: Case, part: type[StatusManager]) -> Iterator[LayerStep]:
    equal = part().is_pod_status_by_kubelet_equal(status_of(case["a"]), status_of(case["b"]))
    yield LayerStep("isPodStatusByKubeletEqual(a, b)", {"eq": case["eq"]}, {"eq": equal})


def replay_merge(case: Case, part: type[StatusManager]) -> Iterator[LayerStep]:
    old, new, run = status_of(case["old"]), status_of(case["new"]), bool(case["run"])
    shown = show_status(part().merge_pod_status(old, new, run, NOW))
    shown["cond"] = [[*told, "now" if time == str(NOW) else time] for *told, time in shown.get("cond", ())]
    event = f"mergePodStatus({old.phase.value}, {new.phase.value}, couldHaveRunningContainers={str(run).lower()})"
    yield LayerStep(event, {"out": plain(case["out"])}, {"out": plain(shown)})


LAYERS = (
    Layer("checkContainerStateTransition", frozenset({"rp", "old", "new", "err"}), "status_manager", replay_transition),
    Layer("isPodStatusByKubeletEqual", frozenset({"a", "b", "eq"}), "status_manager", replay_equal),
    Layer("mergePodStatus", frozenset({"old", "new", "run", "out"}), "status_manager", replay_merge),
)
