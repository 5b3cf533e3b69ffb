"""The Go functions beside the pod workers that are read, and what of the model each is compared with."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from podproof.model.kuberuntime.compute_pod_actions import ComputePodActions1_36, ComputePodActionsOneByOne
from podproof.model.kuberuntime.kill_container import KillContainer, KillContainerCall


def _as_it_is(cls: type) -> type:
    return cls


def _kill_container_call(cls: type) -> type | None:
    """Releases before 1.28 have another order of override and preStop."""
    return KillContainerCall if cls is KillContainer else None


def _one_by_one(cls: type) -> type:
    """Where all containers of a pod restart nothing is compared."""
    return ComputePodActionsOneByOne if cls is ComputePodActions1_36 else cls


@dataclass(frozen=True)
class ModelledFunction:
    """A Go function that a method of the model does, whose base is the class of a function of `model/functions.py`."""

    name: str
    """As the Go has it."""
    group: str
    """As `podproof prove --scenario` has it."""
    method: str
    vocabulary: str
    parameters: tuple[tuple[str, str, str], ...]
    """Type, meaning and kind of each but loggers; releases may leave out the last ones."""
    result: tuple[str, str]
    """The type of the answer, and its kind."""
    gates: Mapping[str, str]
    """Feature gate -> the release since which it is on by default."""
    header: str
    inputs: str
    """What the input is, but for the lengths of lists."""
    receiver: str = ""
    """The type whose method it is; empty for a function."""
    cls_of: Callable[[type], type | None] = _as_it_is
    """The class that is compared, of that of a release; none where the release is not to be compared with."""
    domains: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """What is asked besides that of the claims."""
    imports: Mapping[str, str] = field(default_factory=dict)
    """Package of the vocabulary that `fingerprints.py` does not have -> its path."""
    record: str = ""
    """Where the answer is, if it is a struct that is built field by field."""
    fields: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    """Field of that struct -> the record's, and its kind; `apart` where nothing of it is compared."""
    begins: tuple[str, ...] = ()
    """What the method begins with."""
    counts_down: bool = False
    """Does it append indexes from the last container to the first, and turn the list round in the end?"""
    unread: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Release -> fingerprints of what is not compared, in texts that were read and found to do what its model does."""


GET_PHASE = ModelledFunction(
    "getPhase",
    "get-phase",
    "get_phase",
    "get_phase.vocabulary",
    (
        ("*v1.Pod", "self", "pod"),
        ("[]v1.ContainerStatus", "self", "statuses"),
        ("bool", "self.pod_is_terminal", "bool"),
        ("bool", "self.pod_has_initialized", "bool"),
    ),
    ("v1.PodPhase", "phase"),
    {"SidecarContainers": "1.29", "ContainerRestartRules": "1.35", "RestartAllContainersOnContainerExits": "1.36"},
    "from podproof.model.core_v1 import PodPhase, RestartPolicy, Started, StateOf\n"
    "from podproof.model.language import NIL, out_of_bounds\n",
    "at most one status by each name, with at most one state set, exit codes from 0 to 2^31 - 1",
)
KILL_CONTAINER = ModelledFunction(
    "killContainer",
    "kill-container",
    "kill",
    "kill_container.vocabulary",
    (
        ("*v1.Pod", "self.pod_is_nil", "pod_or_nil"),
        ("kubecontainer.ContainerID", "_", "id"),
        ("string", "_", "name"),
        ("string", "self.has_message", "text"),
        ("containerKillReason", "self.reason", "reason"),
        ("*int64", "self.grace_period_override", "optional"),
        ("*terminationOrdering", "not self.has_ordering", "ordering_or_nil"),
    ),
    ("error", "error"),
    {},
    "from podproof.model.kuberuntime.kill_container import MINIMUM_GRACE_PERIOD_IN_SECONDS, KillError\n"
    "from podproof.model.kuberuntime.records import ContainerKillReason\n"
    "from podproof.model.language import NIL, out_of_bounds\n",
    "any pod and container, also without a spec of them, periods of 0 to 2^62 seconds, whole seconds; compared are the "
    "timeout of StopContainer, how long it took until then, whether it is an error, and whether the others are told",
    "kubeGenericRuntimeManager",
    _kill_container_call,
    {"specs_missing": (0, 1)},
)
COMPUTE_POD_ACTIONS = ModelledFunction(
    "computePodActions",
    "compute-pod-actions",
    "compute_pod_actions",
    "compute_pod_actions.vocabulary",
    (
        ("*v1.Pod", "self", "pod"),
        ("*kubecontainer.PodStatus", "self", "pod_status"),
        ("bool", "False", "bound"),
    ),
    ("podActions", "built"),
    {"ContainerRestartRules": "1.35", "RestartAllContainersOnContainerExits": "1.36"},
    "from podproof.model.core_v1 import ContainerRestartPolicy, RestartPolicy\n"
    "from podproof.model.kubecontainer import RuntimeState\n"
    "from podproof.model.kuberuntime.index_lists import (\n"
    "    append_first_index, append_index, call_post_stop, clear_indexes, copy_indexes, expect_no_indexes, has_begun,\n"
    "    keeps_size, look_at_sandbox, no_indexes, number_of_indexes,\n)\n"
    "from podproof.model.kuberuntime.records import ContainerKillReason, ProbeResult\n"
    "from podproof.model.language import NIL, action, clear, out_of_bounds\n",
    "of each container the newest record with an exit code from 0 to 2^31 - 1, not all of whose containers restart, "
    "and PostStopContainer without an error; compared are the sandbox, which containers start, which are killed and "
    "why, and for which PostStopContainer is called, but no resize without a restart, not the order of calls, and not "
    "which of its messages a kill has",
    "kubeGenericRuntimeManager",
    _one_by_one,
    imports={
        "allocation": "k8s.io/kubernetes/pkg/kubelet/allocation",
        "proberesults": "k8s.io/kubernetes/pkg/kubelet/prober/results",
        "runtimeutil": "k8s.io/kubernetes/pkg/kubelet/kuberuntime/util",
    },
    record="self.actions",
    fields={
        "KillPod": ("kill_pod", "bool"),
        "CreateSandbox": ("create_sandbox", "bool"),
        "SandboxID": ("sandbox_id", "sandbox_id"),
        "Attempt": ("attempt", "attempt"),
        "InitContainersToStart": ("init_containers_to_start", "indexes"),
        "ContainersToStart": ("containers_to_start", "indexes"),
        "EphemeralContainersToStart": ("ephemeral_containers_to_start", "indexes"),
        "ContainersToKill": ("containers_to_kill", "kills"),
        "ContainersToUpdate": ("", "apart"),
        "UpdatePodResources": ("", "apart"),
        "UpdatePodLevelResources": ("", "apart"),
        "ContainersToReset": ("", "apart"),
    },
    begins=("clear(self.actions)",),
    unread={
        "v1.34": frozenset({"686969218f693976"}),
        "v1.35": frozenset({"96a54ac5bdc1a3d0"}),
        **dict.fromkeys(("v1.36", "v1.36.3"), frozenset({"96a54ac5bdc1a3d0"})),
    },
)
COMPUTE_INIT_CONTAINER_ACTIONS = replace(
    COMPUTE_POD_ACTIONS,
    name="computeInitContainerActions",
    method="compute_init_container_actions",
    vocabulary="compute_init_container_actions.vocabulary",
    parameters=(
        ("*v1.Pod", "self", "pod"),
        ("*kubecontainer.PodStatus", "self", "pod_status"),
        ("*podActions", "self.actions", "built_pointer"),
    ),
    result=("bool", "bool"),
    gates={"ContainerRestartRules": "1.35", "InPlacePodVerticalScalingInitContainers": "1.36"},
    header=COMPUTE_POD_ACTIONS.header.replace(
        "append_index, ", "append_index, append_lower_index, expect_reversed, keeps_init_size, turn_round,\n    "
    ),
    inputs="of each container the newest record with an exit code from 0 to 2^31 - 1, not all of whose containers "
    "restart; compared is what computePodActions makes of it: the sandbox, which containers start, which are killed "
    "and why, but no resize without a restart, and not which of its messages a kill has",
    begins=("are_reversed = False",),
    counts_down=True,
    unread={
        "v1.34": frozenset({"c9b70b45a16f37e8"}),
        **dict.fromkeys(("v1.32", "v1.35", "v1.36", "v1.36.3"), frozenset({"39a77d1aeaffb476"})),
    },
)
MERGE_POD_STATUS = ModelledFunction(
    "mergePodStatus",
    "merge-pod-status",
    "merge",
    "merge_pod_status.vocabulary",
    (
        ("*v1.Pod", "_", "pod"),
        ("v1.PodStatus", "_", "old_status"),
        ("v1.PodStatus", "self.merged", "built"),
        ("bool", "self.could_have_running_containers", "bool"),
    ),
    ("v1.PodStatus", "built"),
    {},
    "from podproof.model.core_v1 import ConditionStatus, PodPhase\n"
    "from podproof.model.language import action, copy, out_of_bounds\n"
    "from podproof.model.status.condition_lists import (\n"
    "    append_condition, append_old_condition, copy_conditions, expect_unchanged, in_order, no_conditions,\n"
    "    replace_or_append_condition,\n)\n"
    "from podproof.model.status.merge_pod_status import TransitionTime, is_true\n",
    "of each status the phase, its reason and message, and any of the conditions Ready (0), ContainersReady (1), one "
    "more that the kubelet owns (2), DisruptionTarget (3) and one that it does not own (4), each at most once, both "
    "lists in this order or in the other; compared are these of the answer, with whose reason and time a condition "
    "has, but not their order, nor what becomes of the lists that are given",
    imports={"statusutil": "k8s.io/kubernetes/pkg/util/pod", "metav1": "k8s.io/apimachinery/pkg/apis/meta/v1"},
    record="self.merged",
    fields={
        "Phase": ("phase", "phase"),
        "Reason": ("has_old_reason", "status_reason"),
        "Message": ("has_old_message", "status_message"),
        "Conditions": ("conditions", "conditions"),
        "ResourceClaimStatuses": ("", "apart"),
        "ExtendedResourceClaimStatus": ("", "apart"),
        "NodeAllocatableResourceClaimStatuses": ("", "apart"),
    },
    begins=("self.take_new_status()",),
    unread={
        **dict.fromkeys(("v1.26", "v1.27.2"), frozenset({"e3b0c44298fc1c14"})),
        **dict.fromkeys(("v1.29", "v1.32"), frozenset({"5db581e351cb4411"})),
        **dict.fromkeys(("v1.34", "v1.35"), frozenset({"fe1afec53e7e171a"})),
        **dict.fromkeys(("v1.36", "v1.36.3"), frozenset({"d0f0e6077aa3d6d5"})),
    },
)
MODELLED: Mapping[str, ModelledFunction] = {
    one.name: one
    for one in (GET_PHASE, KILL_CONTAINER, COMPUTE_POD_ACTIONS, COMPUTE_INIT_CONTAINER_ACTIONS, MERGE_POD_STATUS)
}
"""By their Go names."""
BEYOND = "what the model does not have"
"""The bound at which a translation leaves an input of which the model knows too little."""
