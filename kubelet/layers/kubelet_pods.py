"""Recordings of pkg/kubelet/kubelet_pods.go: getPhase and generateAPIPodStatus."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from podproof.kubelet.layers.case import (
    Case,
    Layer,
    LayerStep,
    container_statuses_of,
    containers_of,
    init_containers_of,
    plain,
    pod_of,
    show_status,
    status_of,
)
from podproof.model.core_v1 import ApiPod, Container, PodSource, PodStatus, RestartPolicy
from podproof.model.kubecontainer import RuntimeContainer, RuntimePod, RuntimeSandbox, RuntimeState, SandboxState
from podproof.model.kubelet_pods import KubeletPods, ProbeAnswer


def replay_phase(case: Case, part: type[KubeletPods]) -> Iterator[LayerStep]:
    pod = ApiPod(
        source=PodSource(case.get("kind") or ""),
        restart_policy=RestartPolicy(case["rp"]),
        init_containers=init_containers_of(case.get("init")),
        containers=regular_containers_of(case["ctr"]),
    )
    statuses = container_statuses_of(case["cs"])
    status = PodStatus(container_statuses=statuses, init_container_statuses=statuses)
    terminal, has_initialized = bool(case.get("term")), bool(case.get("inited"))
    phase = part().phase_rule(pod, status, terminal, has_initialized).get_phase()
    event = f"getPhase(restartPolicy={case['rp']}, podIsTerminal={str(terminal).lower()})"
    yield LayerStep(event, {"out": case["out"]}, {"out": phase.value})


def regular_containers_of(containers: int | Sequence[Mapping[str, Any]]) -> list[Container]:
    """Their number, where nothing of their specs matters."""
    if isinstance(containers, int):
        return [Container(f"c{i}") for i in range(containers)]
    return containers_of(containers)


def replay_generate(case: Case, part: type[KubeletPods]) -> Iterator[LayerStep]:
    pods = part(
        reasons={name: (reason, message) for name, (reason, message) in (case.get("why") or {}).items()},
        readiness=answers_of(case.get("ready")),
        startup=answers_of(case.get("startup")),
        now=case["now"],
    )
    old = None if case["old"] is None else status_of(case["old"])
    terminal = bool(case.get("term"))
    status = pods.generate_api_pod_status(pod_of(case["pod"]), runtime_pod_of(case["rt"]), old, terminal)
    event = f"generateAPIPodStatus(podIsTerminal={str(terminal).lower()})"
    yield LayerStep(event, {"out": plain(case["out"])}, {"out": show_status(status, timed=False)})


def answers_of(results: Mapping[str, str] | None) -> Mapping[str, ProbeAnswer]:
    return {container: ProbeAnswer(answer) for container, answer in (results or {}).items()}


def runtime_pod_of(runtime: Mapping[str, Any]) -> RuntimePod:
    containers = [
        RuntimeContainer(
            c["n"], c["id"], RuntimeState(c["st"]), c.get("x") or 0, c.get("r") or "", c.get("rc") or 0
        )
        for c in runtime.get("cs") or ()
    ]  # fmt: skip
    state = runtime.get("sb") or "none"
    sandboxes = [] if state == "none" else [RuntimeSandbox("newest", state=SandboxState(state))]
    return RuntimePod(containers, sandboxes, list(runtime.get("ip") or ()))


LAYERS = (
    Layer("getPhase", frozenset({"rp", "ctr", "cs", "out"}), ("kubelet_pods",), replay_phase),
    Layer("generateAPIPodStatus", frozenset({"pod", "old", "rt", "now", "out"}), ("kubelet_pods",), replay_generate),
)
