"""What the runtime manager reads of a pod: its spec, the newest record of each container, its sandboxes, its probes.

Go: v1.Pod, kubecontainer.PodStatus and kubecontainer.Status, and the results of proberesults.Manager.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Annotated

from podproof.model.core_v1 import ContainerRestartPolicy, ContainerRestartRuleAction
from podproof.model.kubecontainer import RuntimeState, SandboxState
from podproof.model.language import NIL, Domain
from podproof.model.notes import Go

ExitCode = Annotated[int, Domain("exit_codes")]
Attempt = Annotated[int, Domain("attempts")]
OptionalIndex = Annotated[int, Domain("optional_indexes", default=NIL)]
"""Which container of a list, or which sandbox; NIL for Go's nil or empty text."""


class ProbeResult(Enum):
    """What the results of a probe say of a container; NONE: nothing yet."""

    NONE = "no result"
    SUCCESS = "success"
    FAILURE = "failure"
    UNKNOWN = "unknown"


class ContainerKillReason(Enum):
    """containerKillReason: why a single container is killed. The values are Go's, but for NONE and RESIZE."""

    NONE = "not to be killed"
    DEFINITION_CHANGED = ""
    UNKNOWN = "Unknown"
    """Its state is unknown, or the whole pod is killed."""
    LIVENESS_PROBE = "LivenessProbe"
    STARTUP_PROBE = "StartupProbe"
    FAILED_POST_START_HOOK = "FailedPostStartHook"
    RESIZE = "resize requires restart"
    """Go has no text for this either."""


class SandboxAddress(Enum):
    """status.Network of a sandbox."""

    NO_NETWORK = "no network information"
    EMPTY = "no address"
    ASSIGNED = "address"


@dataclass
class KnownContainer:
    """A container of the pod's spec, with the newest of its records and what the probes say of that one."""

    restartable: bool = False
    """An init container that restarts always: a sidecar."""
    has_startup_probe: Annotated[bool, Go("StartupProbe")] = False
    has_liveness_probe: Annotated[bool, Go("LivenessProbe")] = False
    state: RuntimeState = RuntimeState.NONE
    exit_code: ExitCode = 0
    oom_killed: Annotated[bool, Go("Reason")] = False
    definition_changed: Annotated[bool, Go("Hash")] = False
    """Is its hash that of another spec than the present one?"""
    liveness: ProbeResult = ProbeResult.NONE
    startup: ProbeResult = ProbeResult.NONE


@dataclass
class KnownContainer1_34(KnownContainer):
    """The same with what computePodResizeAction would do to it."""

    resize_restarts: Annotated[bool, Go("ResizePolicy")] = False
    """Are its resources others than those it runs with, and is it to be restarted for that?"""


@dataclass
class KnownContainer1_35(KnownContainer1_34):
    """The same with the container's own restart policy, and with what that says of the exit code."""

    own_policy: Annotated[ContainerRestartPolicy, Go("RestartPolicy")] = ContainerRestartPolicy.NONE
    matching_rule: Annotated[ContainerRestartRuleAction, Go("RestartPolicyRules")] = ContainerRestartRuleAction.NONE
    """What the first rule that matches the exit code says."""


class ContainerReset(Enum):
    """What is done with a container of a pod all of whose containers restart. Go: containerToRemoveInfo."""

    NONE = "nothing"
    KILL_AND_REMOVE = "killed and removed"
    REMOVE = "removed"
    REMOVE_LAST = "removed after the others: it exited with what restarts them all"


@dataclass
class KnownSandbox:
    """What is known of a sandbox of the pod."""

    state: SandboxState = SandboxState.NONE
    attempt: Annotated[Attempt, Go("Metadata.Attempt")] = 0
    other_network: Annotated[bool, Go("Linux.Namespaces.Options.Network")] = False
    """Is its network namespace another one than the pod's spec asks for?"""
    address: Annotated[SandboxAddress, Go("Network.Ip")] = SandboxAddress.ASSIGNED
