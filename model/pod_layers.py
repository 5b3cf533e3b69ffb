"""What environment `containers` has of a pod besides its worker: containers, how they are stopped, what is reported."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from podproof.model.get_phase import GetPhase
from podproof.model.kubelet import Count
from podproof.model.kuberuntime.compute_pod_actions import ComputePodActions
from podproof.model.kuberuntime.kill_container import KillContainer
from podproof.model.language import CONSTANT, Array, Domain, Size
from podproof.model.notes import QUIET, RUNTIME, Go
from podproof.model.state import Phase

InitContainer = Annotated[int, Domain("init_container_indexes")]
AppContainer = Annotated[int, Domain("container_indexes")]
OwnExitCode = Annotated[int, Domain("own_exit_codes")]
"""With what a process ends by itself."""
PreStopSeconds = Annotated[int, Domain("pre_stop_seconds")]
TurnSeconds = Annotated[int, Domain("turn_seconds")]

SIGKILL_EXIT_CODE = 137
"""Also that of a container whose end nobody saw."""


class StopStage(Enum):
    """How far killContainer has come with a container."""

    NONE = "not being stopped"
    PRE_STOP = "preStop hook runs"
    TURN = "waits until the regular containers have ended"
    SIGNALED = "stop signal sent"


@dataclass
class ContainerStop:
    """A call of killContainer, and the hook that it may have run."""

    has_pre_stop_hook: Annotated[bool, CONSTANT, Go("Lifecycle.PreStop")]
    stage: Annotated[StopStage, RUNTIME]
    hook_has_begun: bool
    """Has the container's preStop hook begun since the container was started?"""
    rule: KillContainer
    """What killContainer was called with; once the signal is sent, also its times."""


@dataclass
class PodLayers:
    """What the layers around the worker have of a pod. A release has the classes of its own functions here."""

    runtime: Annotated[ComputePodActions, RUNTIME]
    """The spec and what the runtime has of the pod. The actions are what is left to do for the SyncPod under way."""
    stops: Annotated[Array[ContainerStop], Size("containers")]
    init_stops: Annotated[Array[ContainerStop], Size("init_containers")]
    status: GetPhase
    """The status manager's status; `reported` is its phase."""
    has_reason: Annotated[bool, Go("Reason")]
    """Does the status say why the pod was evicted, preempted or shut down?"""
    has_address: Annotated[bool, Go("PodIP")]
    """Does the status say which address the pod has?"""
    pod_is_finished: Annotated[bool, Go("podIsFinished")]
    patch: Annotated[Phase, Go("phase", part="of a PATCH on its way")]
    """What an API server that takes its time has still to write; Running for nothing."""
    mirror_pod_has_ended: bool
    """Does the API server know of a static pod's mirror pod that it has succeeded or failed?"""
    has_resources: bool
    """Has the pod its cgroup and its volumes?"""
    is_probed: bool
    """Has the probe manager workers for the containers?"""
    has_ended: Annotated[Array[bool], Size("containers"), QUIET]
    """Has a container ended, and is not to run again by the restart policy?"""
    object_is_deleted: bool
    """Has the API server removed the object?"""
    sandbox_losses: Count
    """How often the sandbox may still be lost."""
    record_losses: Count
    """How often the record of a container that ended may still be lost."""
    slow_patches: Count
    """How many answers the API server may still take its time for."""
