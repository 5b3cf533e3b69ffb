"""computePodActions asked about a pod: its arguments put together, and its answer in Go's words.

Go: pkg/kubelet/kuberuntime/kuberuntime_manager.go.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from podproof.model.core_v1 import ApiPod, Container, find_matching_container_restart_rule
from podproof.model.kubecontainer import RuntimeContainer, RuntimePod, RuntimeSandbox
from podproof.model.kuberuntime.compute_pod_actions import ComputePodActions, ComputePodActions1_36, PodActions
from podproof.model.kuberuntime.records import (
    ContainerKillReason,
    ContainerReset,
    KnownContainer,
    KnownContainer1_34,
    KnownContainer1_35,
    ProbeResult,
    SandboxAddress,
)
from podproof.model.language import make

ProbeResults = Mapping[str, ProbeResult]
"""The results of the liveness or of the startup probes, by container ID."""


def decide(
    rule: type[ComputePodActions],
    pod: ApiPod,
    status: RuntimePod,
    liveness: ProbeResults,
    startup: ProbeResults,
    sidecar_containers: bool,
    restart_all_containers: bool = False,
) -> ComputePodActions:
    """What computePodActions decides for a pod, its status and the results of its probes."""
    every = (pod.init_containers, pod.containers, pod.ephemeral_containers)
    decision = make(
        rule,
        {
            "init_containers": len(pod.init_containers),
            "containers": len(pod.containers),
            "ephemeral_containers": len(pod.ephemeral_containers),
            "sandboxes": max(1, len(status.sandboxes)),
        },
    )
    decision.sidecar_containers = sidecar_containers
    if isinstance(decision, ComputePodActions1_36):
        decision.restart_all_containers = restart_all_containers
    decision.restart_policy = pod.restart_policy
    decision.deletion_timestamp = pod.deletion_timestamp
    decision.host_network = pod.host_network
    names = {spec.name for specs in every for spec in specs}
    decision.has_stranger = any(record.name not in names for record in status.containers)
    for specs, into in zip(
        every, (decision.init_containers, decision.containers, decision.ephemeral_containers), strict=True
    ):
        for i, spec in enumerate(specs):
            record = status.find_container_status_by_name(spec.name)
            fill(into[i], spec, record, liveness, startup)
    for i, sandbox in enumerate(status.sandboxes):
        decision.sandboxes[i].state = sandbox.state
        decision.sandboxes[i].attempt = sandbox.attempt
        decision.sandboxes[i].other_network = sandbox.host_network != pod.host_network
        decision.sandboxes[i].address = address(sandbox)
    decision.compute_pod_actions()
    return decision


def fill(
    status: KnownContainer,
    spec: Container,
    record: RuntimeContainer | None,
    liveness: ProbeResults,
    startup: ProbeResults,
) -> None:
    """What is known of a container by one of its records, None for none."""
    status.restartable = spec.restartable_init
    status.has_startup_probe = spec.startup_probe
    status.has_liveness_probe = spec.liveness_probe
    if record is not None:
        status.state = record.state
        status.exit_code = record.exit_code
        status.oom_killed = record.reason == "OOMKilled"
        status.definition_changed = record.image != spec.image
        status.liveness = liveness.get(record.id, ProbeResult.NONE)
        status.startup = startup.get(record.id, ProbeResult.NONE)
        if isinstance(status, KnownContainer1_34):
            status.resize_restarts = record.resize_restarts
    if isinstance(status, KnownContainer1_35):
        status.own_policy = spec.restart_policy
        status.matching_rule = find_matching_container_restart_rule(spec, status.exit_code)


def containers_to_reset(
    decision: ComputePodActions, pod: ApiPod, status: RuntimePod
) -> list[tuple[RuntimeContainer, ContainerReset]]:
    """podActions.ContainersToReset: every record, those that made all restart last, and init containers after others.

    Empty unless all containers of the pod restart.
    """
    if not isinstance(decision, ComputePodActions1_36) or not decision.restart_all_containers:
        return []
    resets = []
    for specs in (pod.containers, pod.init_containers):
        for spec in specs:
            for record in status.containers:
                if record.name == spec.name:
                    known = KnownContainer1_35()
                    fill(known, spec, record, {}, {})
                    resets.append((record, decision.reset_of(known)))
    return sorted(resets, key=lambda reset: reset[1] == ContainerReset.REMOVE_LAST)


def address(sandbox: RuntimeSandbox) -> SandboxAddress:
    if sandbox.address is None:
        return SandboxAddress.NO_NETWORK
    return SandboxAddress.ASSIGNED if sandbox.address else SandboxAddress.EMPTY


def containers_to_kill(pod: ApiPod, actions: PodActions) -> Iterable[tuple[Container, ContainerKillReason, str]]:
    """podActions.ContainersToKill, with each one's message."""
    for spec, reason in zip(pod.init_containers, actions.init_containers_to_kill, strict=True):
        if reason != ContainerKillReason.NONE:
            yield spec, reason, kill_message("Init container", spec.name, reason)
    starts = actions.containers_to_start
    for spec, reason, starts_again in zip(pod.containers, actions.containers_to_kill, starts, strict=True):
        if reason != ContainerKillReason.NONE:
            is_told = starts_again and reason not in (ContainerKillReason.UNKNOWN, ContainerKillReason.RESIZE)
            message = kill_message("Container", spec.name, reason)
            yield spec, reason, f"{message}, will be restarted" if is_told else message


def kill_message(kind: str, name: str, reason: ContainerKillReason) -> str:
    match reason:
        case ContainerKillReason.UNKNOWN:
            return f'{kind} is in "unknown" state, try killing it before restart'
        case ContainerKillReason.DEFINITION_CHANGED:
            return f"{kind} {name} definition changed"
        case ContainerKillReason.LIVENESS_PROBE:
            return f"{kind} {name} failed liveness probe"
        case ContainerKillReason.STARTUP_PROBE:
            return f"{kind} {name} failed startup probe"
        case ContainerKillReason.RESIZE:
            return f"Container {name} resize requires restart"
    raise ValueError(f"computePodActions kills no container for the reason {reason!r}")
