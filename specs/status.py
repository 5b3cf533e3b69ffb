"""Claims about which status becomes the cached one and which is written: of every input of a function."""

from __future__ import annotations

from podproof.model.core_v1 import ContainerRestartPolicy, ContainerRestartRuleAction, RestartPolicy, StateOf
from podproof.model.status.update_status import (
    ContainerChange,
    ContainerChange1_35,
    UpdateStatus,
    UpdateStatus1_35,
    WriteStatus,
)
from podproof.specs.claim import Harm, broken, claim

# -- updateStatusInternal ----------------------------------------------------------------------------------------------


@claim(
    "step",
    "TerminatePod: the pod is finished, whatever its containers have come to",
    violations=(
        broken(
            "an update in which a container has left its end is dropped with all it says, and the object of a deleted "
            "pod stays",
            since="1.27.0",
        ),
    ),
    needs=("is_finished_now",),
    harm=Harm.BOOKKEEPING,
    wrong="the pod is finished, and that is not remembered",
)
def finished_pods_become_known(before: UpdateStatus, after: UpdateStatus) -> bool:
    """Where it is said, with force, that a pod is finished, that is remembered."""
    return not before.pod_is_finished or not before.force_update or after.stored_is_finished


@claim(
    "step",
    "updateStatusInternal: podIsFinished is kept",
    needs=("is_finished_now",),
    harm=Harm.BOOKKEEPING,
    wrong="the pod was known to be finished, and is not any more",
)
def finished_pods_stay_finished(before: UpdateStatus, after: UpdateStatus) -> bool:
    """What is known of a pod from the API server to be finished stays so."""
    was_finished = before.is_cached and before.cached_is_finished
    return before.is_static or not was_finished or after.stored_is_finished


@claim(
    "step",
    "comment on checkContainerStateTransition",
    harm=Harm.CALLERS,
    wrong="container {i} had terminated under Never, and is stored as {change.new_state}",
)
def terminated_containers_stay_terminated(before: UpdateStatus, after: UpdateStatus) -> bool:
    """Under Never no status is stored in which a regular container that had terminated waits or runs.

    Since 1.35 but for one with a policy of its own, and since 1.36 for pods that may restart all.
    """
    if before.restart_policy != RestartPolicy.NEVER or not after.is_stored or before.may_restart_all():
        return True
    for i in range(len(before.containers)):
        change = before.containers[i]
        if has_left_its_end(change) and not before.has_own_policy(change):
            return False
    return True


def has_left_its_end(change: ContainerChange) -> bool:
    return change.old_state == StateOf.TERMINATED and change.is_reported and change.new_state != StateOf.TERMINATED


@claim(
    "step",
    "KEP 5307, restart rules of containers: a container's own policy takes precedence over the pod's",
    violations=(
        broken(
            "checkContainerStateTransition asks the pod's policy first: under Always, and of a failed container under "
            "OnFailure, it does not look at the container's own",
            since="1.35",
        ),
    ),
    needs=("is_restarting",),
    harm=Harm.CALLERS,
    wrong="container {i} had terminated under Never of its own, and is stored as {change.new_state}",
)
def own_never_stays_terminated(before: UpdateStatus1_35, after: UpdateStatus1_35) -> bool:
    """No status is stored in which a container left its end that is not to restart by its own policy and its rules."""
    if not after.is_stored or before.may_restart_all():
        return True
    for i in range(len(before.containers)):
        change = before.containers[i]
        if change.own_policy == ContainerRestartPolicy.NEVER and has_left_its_end(change):
            if not before.is_restarting(change.matching_rule):
                return False
    return True


@claim(
    "step",
    "KEP 5307, restart rules of containers: they restart in place under every policy of the pod",
    needs=("is_restarting",),
    harm=Harm.CALLERS,
    wrong="an update with force was dropped for a container that restarts by its own policy or a rule",
)
def own_restarts_may_leave_their_end(before: UpdateStatus1_35, after: UpdateStatus1_35) -> bool:
    """No update with force is dropped for a container that its own policy or a rule restarts."""
    for i in range(len(before.containers)):
        if before.containers[i].old_state == StateOf.TERMINATED and not restarts_by_its_own(before.containers[i]):
            return True
    for i in range(len(before.init_containers)):
        init = before.init_containers[i]
        if init.old_state == StateOf.TERMINATED and not init.restartable_init and not restarts_by_its_own(init):
            return True
    return after.is_stored or not before.force_update


def restarts_by_its_own(change: ContainerChange1_35) -> bool:
    if change.own_policy == ContainerRestartPolicy.NONE:
        return False
    if change.own_policy == ContainerRestartPolicy.ALWAYS or change.matching_rule == ContainerRestartRuleAction.RESTART:
        return True
    return change.own_policy == ContainerRestartPolicy.ON_FAILURE and change.old_exit_code != 0


@claim(
    "step",
    "design of sidecars, KEP 753: they restart under every policy",
    harm=Harm.CALLERS,
    wrong="an update with force was dropped for a sidecar",
)
def sidecars_may_restart(before: UpdateStatus, after: UpdateStatus) -> bool:
    """No update with force is dropped for a sidecar that has left its end."""
    for i in range(len(before.containers)):
        if before.containers[i].old_state == StateOf.TERMINATED:
            return True
    for i in range(len(before.init_containers)):
        if not before.init_containers[i].restartable_init:
            return True
    return after.is_stored or not before.force_update


@claim(
    "step",
    "comment on checkContainerStateTransition: a pod that can restart in place lets all containers leave their end",
    needs=("is_restarting",),
    harm=Harm.CALLERS,
    wrong="an update with force was dropped of a pod of which a container may restart all",
)
def restarts_of_all_lose_no_status(before: UpdateStatus1_35, after: UpdateStatus1_35) -> bool:
    """No update with force is dropped of a pod of which a container has a rule that restarts all."""
    return after.is_stored or not before.force_update or not before.may_restart_all()


# -- syncBatch ---------------------------------------------------------------------------------------------------------


@claim(
    "step",
    "podStatusChannel: a status that was stored wakes the writer",
    violations=(
        broken("versions begin at 1 again and the one that was written last is still remembered, until a full batch"),
    ),
    harm=Harm.CALLERS,
    wrong="version {before.version} of the status is new, and is not written",
)
def new_statuses_are_written_at_once(before: WriteStatus, after: WriteStatus) -> bool:
    """A status that was stored since the last write, or after the status was forgotten, is written by the next batch.

    Where it was not forgotten its version is above the one that was written.
    """
    is_new = before.was_forgotten or not before.is_recorded or before.version > before.recorded_version
    return not is_new or after.is_written


@claim(
    "step",
    "comment on apiStatusVersions: to avoid unnecessary writes",
    harm=Harm.BOOKKEEPING,
    wrong="version {before.version} of the status was written before, and is written again",
)
def old_statuses_are_not_written_again(before: WriteStatus, after: WriteStatus) -> bool:
    """What was written, as the API server still has it, of a pod that is not to be deleted, is not written again."""
    is_old = before.is_recorded and before.version <= before.recorded_version
    return not is_old or before.differs or before.can_be_deleted or not after.is_written


@claim(
    "step",
    "syncBatch: needsReconcile",
    harm=Harm.CALLERS,
    wrong="the API server has another status, and the batch writes nothing",
)
def differences_are_written_in_the_end(before: WriteStatus, after: WriteStatus) -> bool:
    """The batch of every ten seconds writes what the API server has otherwise, and deletes what may be deleted."""
    return not before.every or after.is_written or not (before.differs or before.can_be_deleted)
