"""Functions without a memory, each as a system of one action: what it reads and what it answers are the state.

A claim about such a function is about every input. There are no states to reach, so no scenario says which there are;
only the lengths of lists and the values of numbers that a function merely copies are bounded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from podproof.model.get_phase import GetPhase
from podproof.model.kuberuntime.compute_pod_actions import ComputePodActions
from podproof.model.kuberuntime.kill_container import KillContainer
from podproof.model.kuberuntime.kill_pod import ContainerKill
from podproof.model.kuberuntime.termination_turns import TerminationTurns
from podproof.model.language import NIL
from podproof.model.release import LayeredRelease
from podproof.model.status.merge_pod_status import CONDITIONS, MergePodStatus
from podproof.model.status.update_status import UpdateStatus, WriteStatus

MOST_SECONDS = 1 << 62
"""An int64 of Go's holds twice as many; as a domain, these are all numbers from the least to the greatest."""


@dataclass(frozen=True)
class Function:
    """A function as a subject of claims. `domains` and `sizes` are by the names of their annotations."""

    name: str
    base: type
    """The class of which each release has one."""
    of: Callable[[type[LayeredRelease]], type]
    """That of a release."""
    sizes: Mapping[str, int]
    domains: Mapping[str, tuple[int, ...]]
    summary: str


_EXIT_CODES = (0, 1, 2)


def _compute_pod_actions(init_containers: int) -> Function:
    return Function(
        f"compute-pod-actions-{init_containers}",
        ComputePodActions,
        lambda release: release.runtime_manager.decision,
        {"init_containers": init_containers, "containers": 2, "ephemeral_containers": 1, "sandboxes": 2},
        {
            "exit_codes": _EXIT_CODES,
            "attempts": (0, 1, 2),
            "next_attempts": (0, 1, 2, 3),
            "optional_indexes": (NIL, *range(max(1, init_containers))),
        },
        f"any pod with {init_containers} init, 2 regular and 1 ephemeral containers, up to 2 sandboxes",
    )


def _get_phase(init_containers: int) -> Function:
    return Function(
        f"get-phase-{init_containers}",
        GetPhase,
        lambda release: release.kubelet_pods.get_phase,
        {"init_containers": init_containers, "containers": 3},
        {"exit_codes": _EXIT_CODES, "optional_exit_codes": (NIL, *_EXIT_CODES)},
        f"any pod with {init_containers} init and 3 regular containers",
    )


def kill_rule(release: type[LayeredRelease]) -> type:
    """killContainer without the calls that it makes."""
    return next(cls for cls in release.runtime_manager.container_kill.__mro__ if not issubclass(cls, ContainerKill))


_KILL_CONTAINER = Function(
    "kill-container",
    KillContainer,
    kill_rule,
    {},
    {
        "seconds": (0, MOST_SECONDS),
        "elapsed_seconds": (0, 2 * MOST_SECONDS),
        "optional_seconds": (NIL, 0, MOST_SECONDS),
        "optional_spec_seconds": (NIL, 0, MOST_SECONDS),
        "specs_missing": (0,),
    },
    "any pod and container, any number of seconds up to 2^62",
)
_MERGE_POD_STATUS = Function(
    "merge-pod-status",
    MergePodStatus,
    lambda release: release.status_manager.merge_status,
    CONDITIONS,
    {},
    "any two statuses of a pod with up to 5 conditions each",
)


def _termination_turns(sidecars: int) -> Function:
    return Function(
        f"termination-order-{sidecars}",
        TerminationTurns,
        lambda release: release.runtime_manager.termination_ordering.turns,
        {"init_containers": sidecars, "containers": 2},
        {"running_records": (0, 1, 2)},
        f"any kill of a pod with {_some(sidecars, 'sidecar')} and 2 regular containers, of each 0 to 2 records running",
    )


def _update_status(init_containers: int) -> Function:
    return Function(
        f"update-status-{init_containers}",
        UpdateStatus,
        lambda release: release.status_manager.update_status,
        {"init_containers": init_containers, "containers": 2},
        {"exit_codes": _EXIT_CODES},
        f"any change of the status of a pod with {_some(init_containers, 'init container')} and 2 regular ones",
    )


def _some(number: int, noun: str) -> str:
    return f"{number} {noun}" + ("" if number == 1 else "s")


_WRITE_STATUS = Function(
    "write-status",
    WriteStatus,
    lambda release: release.status_manager.write_status,
    {},
    {"status_versions": (0, MOST_SECONDS)},
    "any cached status, with any version",
)
FUNCTIONS: Mapping[str, tuple[Function, ...]] = {
    "compute-pod-actions": tuple(_compute_pod_actions(number) for number in range(4)),
    "kill-container": (_KILL_CONTAINER,),
    "get-phase": tuple(_get_phase(number) for number in range(4)),
    "merge-pod-status": (_MERGE_POD_STATUS,),
    "termination-order": tuple(_termination_turns(number) for number in (1, 2, 3)),
    "update-status": tuple(_update_status(number) for number in range(3)),
    "write-status": (_WRITE_STATUS,),
}
"""By the names that `podproof prove --scenario` takes besides those of scenarios; one for each length of a list."""
