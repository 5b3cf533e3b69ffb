"""Go's lists of indexes in the model language, which has a flag for each index: what reads the Go writes these.

An index that is appended behind a greater one, or twice, has no flag that says so: there the model has no answer.
"""

from __future__ import annotations

from podproof.model.kubecontainer import RuntimeState
from podproof.model.kuberuntime.compute_pod_actions import ComputePodActions, PodActions
from podproof.model.kuberuntime.records import ContainerKillReason, KnownContainer
from podproof.model.language import Array, clear, copy, out_of_bounds


def no_indexes(actions: PodActions) -> PodActions:
    """An empty list of indexes of any containers."""
    made = copy(actions)
    clear(made)
    return made


def append_index(indexes: Array[bool], index: int) -> None:
    for i in range(len(indexes)):
        if i >= index and indexes[i]:
            out_of_bounds("what the model does not have")
    indexes[index] = True


def append_lower_index(indexes: Array[bool], index: int, are_reversed: bool) -> None:
    """To a list that goes from the last container to the first, and is turned round in the end."""
    if are_reversed or index >= len(indexes):
        out_of_bounds("what the model does not have")
    for i in range(len(indexes)):
        if i <= index and indexes[i]:
            out_of_bounds("what the model does not have")
        if i == index:
            indexes[i] = True


def turn_round(indexes: Array[bool], number: int, are_reversed: bool) -> bool:
    """A list of so many: does it go from the first to the last now?"""
    if number != number_of_indexes(indexes):
        out_of_bounds("what the model does not have")
    return not are_reversed


def expect_reversed(indexes: Array[bool], are_reversed: bool) -> None:
    if not are_reversed and number_of_indexes(indexes) > 1:
        out_of_bounds("what the model does not have")


def append_first_index(indexes: Array[bool]) -> None:
    """Append 0, which may be no index of a container."""
    if len(indexes) == 0:
        out_of_bounds("what the model does not have")
    else:
        append_index(indexes, 0)


def clear_indexes(indexes: Array[bool]) -> None:
    for i in range(len(indexes)):
        indexes[i] = False


def copy_indexes(indexes: Array[bool], of: Array[bool]) -> None:
    for i in range(len(indexes)):
        indexes[i] = of[i]


def expect_no_indexes(indexes: Array[bool]) -> None:
    """Of other containers than those of the list that they are assigned to."""
    for i in range(len(indexes)):
        if indexes[i]:
            out_of_bounds("what the model does not have")


def number_of_indexes(indexes: Array[bool]) -> int:
    number = 0
    for i in range(len(indexes)):
        if indexes[i]:
            number += 1
    return number


# -- what computePodActions calls: other files have it, or the model has its own part of it ----------------------------


def look_at_sandbox(decision: ComputePodActions) -> tuple[bool, int, int]:
    """PodSandboxChanged, which decides nothing yet: is another one needed, which attempt, and which one is there?"""
    kept = copy(decision.actions)
    clear(decision.actions)
    is_changed = decision.pod_sandbox_changed()
    attempt, sandbox = decision.actions.attempt, decision.actions.sandbox_id
    decision.actions = kept
    return is_changed, attempt, sandbox


def has_begun(actions: PodActions) -> bool:
    """Is anything decided already that init containers have a part in?"""
    for i in range(len(actions.init_containers_to_start)):
        if actions.init_containers_to_start[i] or actions.init_containers_to_kill[i] != ContainerKillReason.NONE:
            return True
    return actions.kill_pod or actions.create_sandbox


def call_post_stop(calls: Array[bool], index: int) -> bool:
    """PostStopContainer, once for a container."""
    if calls[index]:
        out_of_bounds("what the model does not have")
    calls[index] = True
    return True


def keeps_init_size(decision: ComputePodActions, container: KnownContainer, index: int, are_reversed: bool) -> bool:
    """The same of an init container."""
    if container.state != RuntimeState.RUNNING or not decision.is_resized(container):
        return True
    decision.actions.init_containers_to_kill[index] = ContainerKillReason.RESIZE
    append_lower_index(decision.actions.init_containers_to_start, index, are_reversed)
    return False


def keeps_size(decision: ComputePodActions, container: KnownContainer, index: int) -> bool:
    """computePodResizeAction of a regular container: is it kept, and not to be restarted with other resources?"""
    if container.state != RuntimeState.RUNNING or not decision.is_resized(container):
        return True
    decision.actions.containers_to_kill[index] = ContainerKillReason.RESIZE
    append_index(decision.actions.containers_to_start, index)
    return False
