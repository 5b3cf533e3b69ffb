"""Claims about functions of the runtime manager: of every input and what is answered to it."""

from __future__ import annotations

from podproof.model.core_v1 import ContainerRestartPolicy, ContainerRestartRuleAction, RestartPolicy
from podproof.model.kubecontainer import RuntimeState, SandboxState
from podproof.model.kuberuntime.compute_pod_actions import (
    ComputePodActions,
    ComputePodActions1_34,
    ComputePodActions1_35,
    ComputePodActions1_36,
)
from podproof.model.kuberuntime.kill_container import MINIMUM_GRACE_PERIOD_IN_SECONDS, KillContainer
from podproof.model.kuberuntime.records import ContainerKillReason, ContainerReset, KnownContainer, ProbeResult
from podproof.model.language import NIL
from podproof.specs.claim import broken, claim

# -- computePodActions -------------------------------------------------------------------------------------------------


@claim(
    "step",
    "comment on ShouldContainerBeRestarted: check RestartPolicy for dead container",
    wrong="container {i} has exited and is started again under Never",
)
def never_means_never(before: ComputePodActions, after: ComputePodActions) -> bool:
    """Under Never, in a sandbox that stays, no regular container that exited is started.

    The policy is the container's own where it has one, and a rule for its exit code comes before that.
    """
    for i in range(len(before.containers)):
        container = before.containers[i]
        is_over = before.policy_of(container) == RestartPolicy.NEVER and not before.restarts_by_rule(container)
        if container.state == RuntimeState.EXITED and is_over and not after.actions.create_sandbox:
            if after.actions.containers_to_start[i]:
                return False
    return True


@claim(
    "step",
    "documentation of init containers: each must exit successfully before the next one starts",
    wrong="container {i} is started, and init container {last} has not succeeded",
)
def apps_wait_for_init_containers(before: ComputePodActions, after: ComputePodActions) -> bool:
    """While no regular container has a record, none is started before the last init container has succeeded.

    That is about ordinary init containers; the records of those before the last one may be gone already.
    """
    last = len(before.init_containers) - 1
    if last < 0 or before.init_containers[last].restartable or has_record(before) or has_succeeded(before, last):
        return True
    for i in range(len(before.containers)):
        if after.actions.containers_to_start[i]:
            return False
    return True


def has_record(pod: ComputePodActions) -> bool:
    """Has a regular container been created?"""
    for i in range(len(pod.containers)):
        if pod.containers[i].state != RuntimeState.NONE:
            return True
    return False


def has_succeeded(pod: ComputePodActions, j: int) -> bool:
    """Has an init container exited with 0?"""
    container = pod.init_containers[j]
    return container.state == RuntimeState.EXITED and container.exit_code == 0 and not container.oom_killed


@claim(
    "step",
    "documentation of sidecars: the next container starts when the sidecar has started",
    wrong="container {i} is started, and sidecar {last} has not started up",
)
def apps_wait_for_sidecars(before: ComputePodActions, after: ComputePodActions) -> bool:
    """While no regular container has a record, none is started before a sidecar that is last has started up."""
    last = len(before.init_containers) - 1
    if last < 0 or not before.init_containers[last].restartable or has_record(before) or not before.knows_sidecars():
        return True
    sidecar = before.init_containers[last]
    waits = sidecar.has_startup_probe and sidecar.startup != ProbeResult.SUCCESS
    for i in range(len(before.containers)):
        if after.actions.containers_to_start[i] and (sidecar.state != RuntimeState.RUNNING or waits):
            return False
    return True


@claim(
    "step",
    "the pod's containers are restarted by its policy, or the pod has ended",
    violations=(
        broken(
            "an init container that was created and never started is started by nobody", since="1.28.0", until="1.32.0"
        ),
    ),
    wrong="nothing of the pod runs, nothing is started, and it is not killed",
)
def no_pod_waits_for_nothing(before: ComputePodActions, after: ComputePodActions) -> bool:
    """Of a pod of which nothing runs, something is started or the pod is killed.

    Unless all its containers are to restart: `all_are_removed_before_they_restart` says what is done then.
    """
    if before.restarts_all():
        return True
    for i in range(len(before.containers)):
        if before.containers[i].state == RuntimeState.RUNNING or after.actions.containers_to_start[i]:
            return True
    for j in range(len(before.init_containers)):
        if before.init_containers[j].state == RuntimeState.RUNNING or after.actions.init_containers_to_start[j]:
            return True
    return after.actions.kill_pod or after.actions.next_init_container_to_start != NIL


@claim(
    "step",
    "struct podActions: ContainersToStart and ContainersToKill",
    wrong=(
        "container {i} is {before.containers[i].state} and killed for "
        "{after.actions.containers_to_kill[i]}, where it should not be"
    ),
)
def kill_or_keep(before: ComputePodActions, after: ComputePodActions) -> bool:
    """A single container is killed only where the pod is not killed for another sandbox, and only if it may run."""
    for i in range(len(before.containers)):
        if after.actions.containers_to_kill[i] != ContainerKillReason.NONE:
            if after.actions.create_sandbox:
                return False
            if before.containers[i].state not in (RuntimeState.RUNNING, RuntimeState.UNKNOWN):
                return False
    return True


@claim("step", "struct podActions: CreateSandbox", wrong="a sandbox is created and the pod is not killed")
def sandboxes_are_made_of_killed_pods(before: ComputePodActions, after: ComputePodActions) -> bool:
    """A sandbox is created only where the pod is killed, and with the next attempt where there was one."""
    return not after.actions.create_sandbox or after.actions.kill_pod


@claim(
    "step",
    "comment in computePodActions: always create the sandbox if there are containers to start",
    wrong="the pod is killed and gets no sandbox, and something is started",
)
def what_starts_has_a_sandbox(before: ComputePodActions, after: ComputePodActions) -> bool:
    """Where the pod is killed and gets no sandbox, no container is started."""
    if not after.actions.kill_pod or after.actions.create_sandbox:
        return True
    for i in range(len(before.containers)):
        if after.actions.containers_to_start[i]:
            return False
    for j in range(len(before.init_containers)):
        if after.actions.init_containers_to_start[j]:
            return False
    return after.actions.next_init_container_to_start == NIL


@claim(
    "step",
    "ShouldContainerBeRestarted: once a pod has been marked deleted, it should not be restarted",
    wrong="the pod is deleted, and container {i} ({before.containers[i].state}) is started",
)
def deleted_pods_start_no_stopped_container(before: ComputePodActions, after: ComputePodActions) -> bool:
    """Of a deleted pod whose sandbox stays, no regular container is started that does not run."""
    for i in range(len(before.containers)):
        if before.deletion_timestamp and before.containers[i].state != RuntimeState.RUNNING:
            if after.actions.containers_to_start[i] and not after.actions.create_sandbox:
                return False
    return True


@claim(
    "step",
    "ShouldContainerBeRestarted: a created container that was never started is to be started",
    violations=(
        broken(
            "a container that was created and not started counts as succeeded, since its exit code reads 0",
            by="kubernetes/kubernetes#123839",
            until="1.32.0",
        ),
    ),
    wrong="container {i} was only created and is not started in the new sandbox",
)
def created_containers_do_not_count_as_done(before: ComputePodActions, after: ComputePodActions) -> bool:
    """Where a sandbox is made and there is no init container to run first, what was only created is started.

    Unless all containers of the pod are to restart, and are removed first.
    """
    if before.restarts_all():
        return True
    for i in range(len(before.containers)):
        if before.containers[i].state == RuntimeState.CREATED and after.actions.create_sandbox:
            if starts_no_init_container(after) and not after.actions.containers_to_start[i]:
                return False
    return True


def starts_no_init_container(pod: ComputePodActions) -> bool:
    for j in range(len(pod.init_containers)):
        if pod.actions.init_containers_to_start[j]:
            return False
    return pod.actions.next_init_container_to_start == NIL


@claim(
    "step",
    "computePodActions: if the container failed the liveness probe, it is killed",
    wrong="container {i} runs as it should and is killed or started anew",
)
def healthy_containers_stay(before: ComputePodActions, after: ComputePodActions) -> bool:
    """A regular container that runs its spec, and that no probe objects to, is kept unless a sandbox is made.

    A resize that takes a restart is another spec.
    """
    for i in range(len(before.containers)):
        container = before.containers[i]
        objection = container.liveness == ProbeResult.FAILURE or container.startup == ProbeResult.FAILURE
        is_changed = container.definition_changed or before.is_resized(container)
        is_healthy = container.state == RuntimeState.RUNNING and not is_changed and not objection
        if is_healthy and not after.actions.create_sandbox:
            if after.actions.containers_to_kill[i] != ContainerKillReason.NONE or after.actions.containers_to_start[i]:
                return False
    return True


@claim(
    "step",
    "documentation of init containers: under Never a pod whose init container fails has failed",
    wrong="init container {j} failed with {container.exit_code} and is started again under Never",
)
def failed_init_containers_are_final_under_never(before: ComputePodActions, after: ComputePodActions) -> bool:
    """Under Never no ordinary init container that failed is started again in its sandbox, unless a rule says so."""
    if after.actions.create_sandbox:
        return True
    for j in range(len(before.init_containers)):
        container = before.init_containers[j]
        failed = container.state == RuntimeState.EXITED and container.exit_code != 0
        is_over = before.policy_of(container) == RestartPolicy.NEVER and not before.restarts_by_rule(container)
        if failed and is_over and not container.restartable:
            if after.actions.init_containers_to_start[j] or after.actions.next_init_container_to_start == j:
                return False
    return True


@claim(
    "step",
    "documentation of restart policies: Always, the container is restarted after any termination",
    violations=(
        broken(
            "whether a pod gets another sandbox is decided by its own policy, so that a container with Always in a pod "
            "with Never ends with its sandbox, as where the node restarts",
            since="1.35",
        ),
    ),
    wrong="container {i} restarts always, and its pod is killed for good",
)
def always_means_always(before: ComputePodActions, after: ComputePodActions) -> bool:
    """A pod that is not deleted is not killed for good while a regular container restarts always.

    That is about pods whose ordinary init containers restart always, too.
    """
    for j in range(len(before.init_containers)):
        container = before.init_containers[j]
        if not container.restartable and before.policy_of(container) != RestartPolicy.ALWAYS:
            return True
    for i in range(len(before.containers)):
        if before.policy_of(before.containers[i]) == RestartPolicy.ALWAYS and not before.deletion_timestamp:
            if after.actions.kill_pod and not after.actions.create_sandbox:
                return False
    return True


@claim(
    "step",
    "documentation of init containers: one that fails is started again until it succeeds, unless the policy is Never",
    wrong="init container {j} failed with {before.init_containers[j].exit_code}, and the pod is killed for it",
)
def failed_init_containers_run_again(before: ComputePodActions, after: ComputePodActions) -> bool:
    """A pod is not killed for an init container that did not exit with 0 and restarts on failure, or always.

    That is about pods that are not deleted, keep their sandbox, and have no other init container that failed.
    """
    for j in range(len(before.init_containers)):
        if has_failed(before.init_containers[j]) and is_the_only_failure(before, after, j):
            if before.init_containers[j].exit_code != 0 and after.actions.kill_pod:
                return False
    return True


@claim(
    "step",
    "isInitContainerFailed: an init container that ran out of memory has failed",
    violations=(
        broken(
            "one that ran out of memory and exited with 0 has failed, and OnFailure goes by its exit code: the pod is "
            "killed, and all its init containers run again",
            since="1.35",
        ),
    ),
    wrong="init container {j} ran out of memory, and the pod is killed for it",
)
def init_containers_out_of_memory_run_again(before: ComputePodActions, after: ComputePodActions) -> bool:
    """A pod is not killed for an init container that ran out of memory and restarts on failure, or always.

    That is about pods that are not deleted, keep their sandbox, and have no other init container that failed.
    """
    for j in range(len(before.init_containers)):
        if has_failed(before.init_containers[j]) and is_the_only_failure(before, after, j):
            if before.init_containers[j].oom_killed and after.actions.kill_pod:
                return False
    return True


def is_the_only_failure(before: ComputePodActions, after: ComputePodActions, failed: int) -> bool:
    """Is there no other reason to kill the pod than this init container, which may be started again?"""
    if before.deletion_timestamp or after.actions.create_sandbox or has_record(before):
        return False
    if after.actions.attempt != before.sandboxes[0].attempt or before.restarts_all():
        return False
    for j in range(len(before.init_containers)):
        if j != failed and has_failed(before.init_containers[j]):
            return False
    container = before.init_containers[failed]
    return container.state == RuntimeState.EXITED and before.policy_of(container) != RestartPolicy.NEVER


def has_failed(container: KnownContainer) -> bool:
    """Of an ordinary init container."""
    if container.restartable or container.state not in (RuntimeState.EXITED, RuntimeState.UNKNOWN):
        return False
    return container.exit_code != 0 or container.oom_killed or container.state == RuntimeState.UNKNOWN


@claim(
    "step",
    "ShouldContainerBeRestarted: once a pod has been marked deleted, it should not be restarted",
    violations=(broken("an init container that failed is started again while the pod ends", until="1.35"),),
    wrong="the pod is deleted, and init container {j}, which failed with {container.exit_code}, is started",
)
def deleted_pods_start_no_failed_init_container(before: ComputePodActions, after: ComputePodActions) -> bool:
    """Of a deleted pod whose sandbox stays, no ordinary init container is started that did not exit with 0."""
    if not before.deletion_timestamp or after.actions.create_sandbox:
        return True
    for j in range(len(before.init_containers)):
        container = before.init_containers[j]
        if container.state == RuntimeState.EXITED and container.exit_code != 0 and not container.restartable:
            if after.actions.init_containers_to_start[j] or after.actions.next_init_container_to_start == j:
                return False
    return True


@claim(
    "step",
    "KEP 5307, container restart rules: a rule that matches decides, then the container's own policy",
    wrong="container {i} exited with {container.exit_code}; its policy is {container.own_policy}, its rule says "
    "{container.matching_rule}",
)
def exited_containers_restart_by_their_own_rules(before: ComputePodActions1_35, after: ComputePodActions1_35) -> bool:
    """A regular container with a policy of its own that exited is started again as that and its rules say.

    Where the pod has no init containers, keeps its sandbox, and neither is deleted nor restarts all its containers.
    """
    if after.actions.create_sandbox or before.deletion_timestamp or len(before.init_containers) > 0:
        return True
    if before.restarts_all() or before.sandboxes[0].state != SandboxState.READY:
        return True
    for i in range(len(before.containers)):
        container = before.containers[i]
        policy, rule = container.own_policy, container.matching_rule
        if container.state == RuntimeState.EXITED and policy != ContainerRestartPolicy.NONE:
            by_policy = policy == ContainerRestartPolicy.ALWAYS
            if policy == ContainerRestartPolicy.ON_FAILURE and container.exit_code != 0:
                by_policy = True
            starts = after.actions.containers_to_start[i]
            if (by_policy or rule == ContainerRestartRuleAction.RESTART) and not starts and not after.actions.kill_pod:
                return False
            if not by_policy and rule == ContainerRestartRuleAction.NONE and starts:
                return False
    return True


@claim(
    "step",
    "ContainerShouldRestart: a rule that restarts all containers also restarts this one",
    wrong="container {i} exited with what restarts all containers, and is not started again",
)
def who_restarts_all_restarts_too(before: ComputePodActions1_36, after: ComputePodActions1_36) -> bool:
    """A regular container that exited with what restarts all is started again also where that is not under way.

    Where the pod has no init containers, keeps its sandbox and is not deleted, and the container has a policy.
    """
    if after.actions.create_sandbox or before.deletion_timestamp or len(before.init_containers) > 0:
        return True
    if before.restart_all_containers or before.sandboxes[0].state != SandboxState.READY:
        return True
    for i in range(len(before.containers)):
        container = before.containers[i]
        restarts_all = container.matching_rule == ContainerRestartRuleAction.RESTART_ALL_CONTAINERS
        if restarts_all and container.own_policy != ContainerRestartPolicy.NONE:
            is_left = container.state == RuntimeState.EXITED and not after.actions.containers_to_start[i]
            if is_left and not after.actions.kill_pod:
                return False
    return True


@claim(
    "step",
    "computePodResizeAction: a resize policy of RestartContainer restarts the container",
    wrong="container {i} is to be restarted for its resources: killed for {after.actions.containers_to_kill[i]}",
)
def resized_containers_restart(before: ComputePodActions1_34, after: ComputePodActions1_34) -> bool:
    """A regular container that runs and is resized by a restart is killed and started, where nothing else is wrong.

    That is: the pod keeps its sandbox and is initialized, and no probe objects. It is so under every restart policy.
    """
    if after.actions.create_sandbox or before.restarts_all() or len(before.init_containers) > 0:
        return True
    for i in range(len(before.containers)):
        container = before.containers[i]
        objection = container.liveness == ProbeResult.FAILURE or container.startup == ProbeResult.FAILURE
        is_due = container.state == RuntimeState.RUNNING and container.resize_restarts
        if is_due and not objection and not after.actions.kill_pod:
            if after.actions.containers_to_kill[i] == ContainerKillReason.NONE:
                return False
            if not after.actions.containers_to_start[i]:
                return False
    return True


@claim(
    "step",
    "computePodResizeAction: a resize policy of RestartContainer restarts the container",
    wrong="sidecar {j} is to be restarted for its resources: killed for {after.actions.init_containers_to_kill[j]}",
)
def resized_sidecars_restart(before: ComputePodActions1_34, after: ComputePodActions1_34) -> bool:
    """A sidecar that runs, has started and is resized by a restart is killed and started, once it has been probed.

    Unless its pod is killed, or all its containers are to restart.
    """
    if after.actions.kill_pod or before.restarts_all():
        return True
    for j in range(len(before.init_containers)):
        container = before.init_containers[j]
        is_due = container.restartable and container.state == RuntimeState.RUNNING and container.resize_restarts
        has_started = not container.has_startup_probe or container.startup == ProbeResult.SUCCESS
        has_been_probed = not container.has_liveness_probe or container.liveness != ProbeResult.NONE
        if is_due and has_started and has_been_probed:
            if after.actions.init_containers_to_kill[j] == ContainerKillReason.NONE:
                return False
            if not after.actions.init_containers_to_start[j]:
                return False
    return True


@claim(
    "step",
    "KEP 5532, restart of all containers: they are terminated and removed, then started from the first",
    wrong="all containers are to restart; one with a record is not removed, or one is started",
)
def all_are_removed_before_they_restart(before: ComputePodActions1_36, after: ComputePodActions1_36) -> bool:
    """Where all containers of a pod are to restart, each that has a record is removed, and nothing is started yet."""
    if not before.restart_all_containers:
        return True
    for i in range(len(before.containers)):
        has_been = before.containers[i].state != RuntimeState.NONE
        if after.actions.containers_to_start[i]:
            return False
        if has_been != (after.actions.containers_to_reset[i] != ContainerReset.NONE):
            return False
    for j in range(len(before.init_containers)):
        has_been = before.init_containers[j].state != RuntimeState.NONE
        if after.actions.init_containers_to_start[j]:
            return False
        if has_been != (after.actions.init_containers_to_reset[j] != ContainerReset.NONE):
            return False
    return True


@claim(
    "step",
    "RemoveContainer of the CRI: what runs is killed first, with the grace period it is given",
    wrong="a container is {container.state} and removed as it is",
)
def what_may_run_is_killed_before_it_is_removed(before: ComputePodActions1_36, after: ComputePodActions1_36) -> bool:
    """Where all containers of a pod are to restart, none that may run is removed without being killed."""
    for i in range(len(before.containers)):
        container = before.containers[i]
        if container.state in (RuntimeState.RUNNING, RuntimeState.UNKNOWN):
            if after.actions.containers_to_reset[i] in (ContainerReset.REMOVE, ContainerReset.REMOVE_LAST):
                return False
    for j in range(len(before.init_containers)):
        container = before.init_containers[j]
        if container.state in (RuntimeState.RUNNING, RuntimeState.UNKNOWN):
            if after.actions.init_containers_to_reset[j] in (ContainerReset.REMOVE, ContainerReset.REMOVE_LAST):
                return False
    return True


@claim(
    "step",
    "getContainersToReset: the containers that triggered the restart are removed last, else it would be forgotten",
    wrong="container {i} made all restart, and is removed before the others",
)
def the_cause_of_a_restart_goes_last(before: ComputePodActions1_36, after: ComputePodActions1_36) -> bool:
    """What is removed last is what exited with a code for which its rule restarts all containers, and only that."""
    if not before.restart_all_containers:
        return True
    for i in range(len(before.containers)):
        container = before.containers[i]
        restarts_all = container.matching_rule == ContainerRestartRuleAction.RESTART_ALL_CONTAINERS
        is_cause = container.state == RuntimeState.EXITED and restarts_all
        if is_cause != (after.actions.containers_to_reset[i] == ContainerReset.REMOVE_LAST):
            return False
    return True


# -- killContainer -----------------------------------------------------------------------------------------------------

_OVERRIDE_IS_LAST = broken(
    "the override replaces what preStop has left, so that preStop and the signal may take twice the grace period",
    by="kubernetes/kubernetes#92432, #115817",
    until="1.28.0",
)


@claim(
    "step",
    "comment on minimumGracePeriodInSeconds",
    violations=(
        broken(
            "an override below the minimum is used as it is", by="kubernetes/kubernetes#92432, #115817", until="1.28.0"
        ),
    ),
    wrong="the container is stopped with {after.stop_timeout} s",
)
def every_container_has_its_minimum(before: KillContainer, after: KillContainer) -> bool:
    """No container is stopped with less than the minimum of 2 seconds."""
    return after.stop_timeout >= MINIMUM_GRACE_PERIOD_IN_SECONDS


@claim(
    "step",
    "documentation of pod termination: the grace period includes preStop",
    violations=(_OVERRIDE_IS_LAST,),
    wrong=("{asked} s were asked for; {after.elapsed_seconds} s went by, and {after.stop_timeout} s more are given"),
)
def grace_is_spent_once(before: KillContainer, after: KillContainer) -> bool:
    """preStop, the wait for other containers and the signal together take no longer than was asked for.

    But for the minimum that every container has after them.
    """
    asked = before.asked_for()
    return after.elapsed_seconds + after.stop_timeout <= asked + MINIMUM_GRACE_PERIOD_IN_SECONDS


@claim(
    "step",
    "documentation of pod termination: the grace period includes preStop",
    violations=(_OVERRIDE_IS_LAST,),
    wrong="{after.stop_timeout} s are given, where {left} s are left",
)
def used_grace_is_at_most_asked(before: KillContainer, after: KillContainer) -> bool:
    """What is left for the signal is at most what was asked for without what preStop took, but for the minimum."""
    left = before.asked_for() - after.elapsed_seconds
    return after.stop_timeout <= max(left, MINIMUM_GRACE_PERIOD_IN_SECONDS)


@claim(
    "step",
    "setTerminationGracePeriod: the deletion's grace period comes first",
    wrong="the deletion says {deletion} s, and the container gets {after.stop_timeout} s",
)
def deletions_decide(before: KillContainer, after: KillContainer) -> bool:
    """Without override, preStop and order, a deletion's grace period is used, whatever spec and probes say."""
    deletion = before.deletion_grace_period_seconds
    plain = not before.has_pre_stop_hook and not before.has_ordering and before.grace_period_override == NIL
    if deletion == NIL or not plain:
        return True
    return after.stop_timeout == max(deletion, MINIMUM_GRACE_PERIOD_IN_SECONDS)
