"""Claims about the phases that are reported and written: of every input of a function and its answer."""

from __future__ import annotations

from podproof.model.core_v1 import PodPhase, RestartPolicy, Started, StateOf
from podproof.model.get_phase import GetPhase, GetPhase1_34, ReportedContainer
from podproof.model.status.merge_pod_status import CONTAINERS_READY, READY, MergePodStatus, is_true
from podproof.specs.claim import Harm, broken, claim

# -- getPhase and generateAPIPodStatus ---------------------------------------------------------------------------------


@claim(
    "step",
    "generateAPIPodStatus: pod phase must never go back from a terminal one of the API server",
    harm=Harm.CALLERS,
    wrong="the API server has {before.api_phase}, and {after.reported} is reported",
)
def phases_of_the_api_server_stay(before: GetPhase, after: GetPhase) -> bool:
    """A phase that is terminal at the API server is what is reported."""
    return not is_terminal(before.api_phase) or after.reported == before.api_phase


@claim(
    "step",
    "generateAPIPodStatus: a pod that has ended must not be reported as anything else",
    violations=(
        broken(
            "an evicted pod's phase is made from its containers again",
            by="kubernetes/kubernetes#105358, #105462",
            until="1.22.3",
        ),
    ),
    harm=Harm.CALLERS,
    wrong="the status manager has {before.old_phase}, and {after.reported} is reported",
)
def ended_pods_are_reported_as_ended(before: GetPhase, after: GetPhase) -> bool:
    """Where the status manager has a terminal phase, a terminal phase is reported."""
    return not is_terminal(before.old_phase) or is_terminal(after.reported)


@claim(
    "step",
    "documentation of pod life cycle: Succeeded and Failed are final",
    violations=(
        broken(
            "an evicted pod whose containers exit with 0 turns Succeeded, with an empty reason",
            by="kubernetes/kubernetes#118310",
        ),
    ),
    harm=Harm.CALLERS,
    wrong="the status manager has {before.old_phase}, and {after.reported} is reported",
)
def terminal_phases_stay(before: GetPhase, after: GetPhase) -> bool:
    """Where the API server has no terminal phase yet, the status manager's terminal phase is what is reported.

    A deadline may make Failed of it.
    """
    if is_terminal(before.api_phase) or before.past_active_deadline:
        return True
    return not is_terminal(before.old_phase) or after.reported == before.old_phase


@claim(
    "step",
    "documentation of pod life cycle: Succeeded, all containers have terminated in success",
    harm=Harm.CALLERS,
    wrong="Succeeded is reported, and container {i} has not exited with 0",
)
def success_is_of_all_containers(before: GetPhase, after: GetPhase) -> bool:
    """A pod that was not known to have ended has succeeded only if all its regular containers exited with 0."""
    if was_open(before) and after.reported == PodPhase.SUCCEEDED:
        for i in range(len(before.containers)):
            container = before.containers[i]
            if not container.has_status or container.state != StateOf.TERMINATED or container.exit_code != 0:
                return False
    return True


@claim(
    "step",
    "documentation of pod life cycle: Failed, all containers have terminated",
    harm=Harm.CALLERS,
    wrong="{after.reported} is reported, and container {i} runs",
)
def running_containers_keep_a_pod_alive(before: GetPhase, after: GetPhase) -> bool:
    """A pod that was not known to have ended has not, while a regular container runs and no init container failed."""
    if was_open(before) and not before.has_failed_init_container() and is_terminal(after.reported):
        for i in range(len(before.containers)):
            if runs(before.containers[i]):
                return False
    return True


@claim(
    "step",
    "getPhase: all containers are in the process of restarting",
    harm=Harm.CALLERS,
    wrong="{after.reported} is reported under Always, and containers will run again",
)
def pods_of_always_end_only_at_their_end(before: GetPhase, after: GetPhase) -> bool:
    """Under Always a pod that was not known to have ended does so only when no container will run again.

    That is about pods none of whose containers has another policy of its own.
    """
    if not all_restart_by(before, RestartPolicy.ALWAYS) or not was_open(before):
        return True
    return before.pod_is_terminal or not is_terminal(after.reported)


@claim(
    "step",
    "documentation of restart policies: OnFailure, a container is restarted if it exits with an error",
    violations=(
        broken(
            "a container that waits to be started again, and exited with 0 before, counts as one that is not started "
            "again and that has failed",
            since="1.35",
        ),
    ),
    harm=Harm.CALLERS,
    wrong="Failed is reported under OnFailure, and a container waits to be started again",
)
def pods_of_on_failure_do_not_fail(before: GetPhase, after: GetPhase) -> bool:
    """Under OnFailure a pod that was not known to have ended does not fail while its containers may run again.

    A container exited with 0 and was started again where a probe had killed it, and waits where that did not succeed.
    """
    if not all_restart_by(before, RestartPolicy.ON_FAILURE) or not was_open(before):
        return True
    return before.pod_is_terminal or after.reported != PodPhase.FAILED


@claim(
    "step",
    "documentation of pod life cycle: Running, at least one container is still running",
    violations=(
        broken(
            "an init container whose record is gone makes a running pod Pending",
            by="kubernetes/kubernetes#29972, #41580",
            until="1.28.0",
        ),
        broken("an init container whose record is gone makes a running pod Pending", since="1.32"),
    ),
    harm=Harm.CALLERS,
    wrong="all containers run, and {after.reported} is reported",
)
def running_pods_are_not_pending(before: GetPhase, after: GetPhase) -> bool:
    """A pod without sidecars all of whose regular containers run is not reported as Pending."""
    for j in range(len(before.init_containers)):
        if before.init_containers[j].restartable_init:
            return True
    for i in range(len(before.containers)):
        if not runs(before.containers[i]):
            return True
    return after.reported != PodPhase.PENDING


@claim(
    "step",
    "getPhase: if podIsTerminal, no container will be restarted, and the phase is terminal",
    violations=(
        broken("nobody says that no container will run again", until="1.27.0"),
        broken("an init container whose record is gone keeps the phase Pending", until="1.28.0"),
        broken("an init container whose record is gone keeps the phase Pending", since="1.32"),
    ),
    harm=Harm.CALLERS,
    wrong="all containers terminated for good, and {after.reported} is reported",
)
def stopped_pods_have_ended(before: GetPhase, after: GetPhase) -> bool:
    """A pod without sidecars, not static, all of whose regular containers terminated for good, is reported as ended."""
    if not before.pod_is_terminal or before.is_static:
        return True
    for j in range(len(before.init_containers)):
        if before.init_containers[j].restartable_init:
            return True
    for i in range(len(before.containers)):
        if not before.containers[i].has_status or before.containers[i].state != StateOf.TERMINATED:
            return True
    return is_terminal(after.reported)


@claim(
    "step",
    "getPhase: at least one container is in the process of restarting",
    harm=Harm.CALLERS,
    wrong="{after.reported} is reported, and container {i} is started again",
)
def what_restarts_keeps_a_pod_alive(before: GetPhase, after: GetPhase) -> bool:
    """A pod that was not known to have ended has not, while a regular container that exited is started again.

    Unless no container will run again, or an init container has failed for good.
    """
    if not was_open(before) or before.pod_is_terminal or before.has_failed_for_good():
        return True
    for i in range(len(before.containers)):
        container = before.containers[i]
        if container.has_status and container.state == StateOf.TERMINATED and before.is_restarted(container):
            return not is_terminal(after.reported)
    return True


@claim(
    "step",
    "documentation of init containers: a pod fails for one only if that is not started again",
    harm=Harm.CALLERS,
    wrong="Failed is reported, no regular container has ended, and every init container that failed is started again",
)
def pods_fail_for_what_is_not_restarted(before: GetPhase, after: GetPhase) -> bool:
    """A pod none of whose regular containers ended fails only where an init container failed and is not restarted."""
    if not was_open(before) or after.reported != PodPhase.FAILED:
        return True
    for i in range(len(before.containers)):
        if before.is_stopped(before.containers[i]):
            return True
    for j in range(len(before.init_containers)):
        container = before.init_containers[j]
        if not container.restartable_init and before.is_stopped(container):
            if before.exit_code_of(container) != 0 and not before.is_restarted(container):
                return True
    return False


@claim(
    "step",
    "getPhase: the pod should not be placed back into Pending since the regular containers have run",
    harm=Harm.CALLERS,
    wrong="every container runs, the pod has been initialized, and {after.reported} is reported",
)
def sidecars_that_restart_leave_a_pod_running(before: GetPhase1_34, after: GetPhase1_34) -> bool:
    """A pod that has been initialized, and all of whose containers run, is not Pending for a sidecar that starts up."""
    for j in range(len(before.init_containers)):
        if not before.init_containers[j].restartable_init or not runs(before.init_containers[j]):
            return True
    for i in range(len(before.containers)):
        if not runs(before.containers[i]):
            return True
    return not before.pod_has_initialized or after.reported != PodPhase.PENDING


@claim(
    "step",
    "KEP 753: a pod is initialized when its sidecars have started",
    harm=Harm.CALLERS,
    wrong="sidecar {j} has not started, no regular container has, and {after.reported} is reported",
)
def pods_wait_for_their_sidecars(before: GetPhase1_34, after: GetPhase1_34) -> bool:
    """A pod that was not known to have ended is Pending while a sidecar starts up and no regular container has begun.

    Unless an init container has failed for good.
    """
    if not was_open(before) or before.pod_has_initialized or before.has_failed_for_good():
        return True
    for j in range(len(before.init_containers)):
        sidecar = before.init_containers[j]
        if sidecar.restartable_init and runs(sidecar) and sidecar.started != Started.YES:
            return after.reported == PodPhase.PENDING
    return True


def all_restart_by(before: GetPhase, policy: RestartPolicy) -> bool:
    """Is this the policy of all containers but sidecars?"""
    for j in range(len(before.init_containers)):
        container = before.init_containers[j]
        if not container.restartable_init and before.policy_of(container) != policy:
            return False
    for i in range(len(before.containers)):
        if before.policy_of(before.containers[i]) != policy:
            return False
    return True


def is_terminal(phase: PodPhase) -> bool:
    return phase in (PodPhase.SUCCEEDED, PodPhase.FAILED)


def was_open(before: GetPhase) -> bool:
    """Did nobody know yet that the pod has ended?"""
    return not is_terminal(before.old_phase) and not is_terminal(before.api_phase) and not before.past_active_deadline


def runs(container: ReportedContainer) -> bool:
    return container.has_status and container.state == StateOf.RUNNING


# -- mergePodStatus ----------------------------------------------------------------------------------------------------


@claim(
    "step",
    "mergePodStatus: do not transition to a terminal phase until the pod's containers are stopped",
    violations=(
        broken(
            "a terminal phase is written at once, and the scheduler gives the place of what still runs away",
            by="kubernetes/kubernetes#106884, #108366",
            until="1.24.0",
        ),
    ),
    harm=Harm.CALLERS,
    wrong="{after.merged.phase} is written while containers could run",
)
def phases_wait_for_containers(before: MergePodStatus, after: MergePodStatus) -> bool:
    """While containers of a pod could run, a terminal phase is written only where there was one."""
    if is_terminal(before.old_phase) or not before.could_have_running_containers:
        return True
    return not is_terminal(after.merged.phase)


@claim(
    "step",
    "mergePodStatus: if the new phase is terminal, explicitly set the ready conditions to false",
    harm=Harm.CALLERS,
    wrong="{after.merged.phase} is written of a pod that is ready",
)
def ended_pods_are_not_ready(before: MergePodStatus, after: MergePodStatus) -> bool:
    """What is written of a pod that has ended says that it is not ready."""
    return not is_terminal(after.merged.phase) or not after.is_ready()


@claim(
    "step",
    "EndpointSlices, which serve pods that are ready and have not ended",
    violations=(
        broken(
            "the phase waits for the containers, and with it the readiness that the pod had",
            by="kubernetes/kubernetes#128103",
            since="1.24.0",
        ),
    ),
    harm=Harm.CALLERS,
    wrong="the pod is to become {before.new_phase}; {after.merged.phase} and ready is written",
)
def pods_that_are_to_end_serve_nobody(before: MergePodStatus, after: MergePodStatus) -> bool:
    """Of a pod that the kubelet has given up, it is not written that it is ready and goes on."""
    return not is_terminal(before.new_phase) or is_terminal(after.merged.phase) or not after.is_ready()


@claim(
    "step",
    "needsReconcile, which compares the cached status with the one that was written",
    violations=(broken("a ready pod that has ended is cached as ready and written as not ready, in every batch anew"),),
    harm=Harm.BOOKKEEPING,
    wrong="it is written otherwise than it is cached whether the pod is ready",
)
def what_is_written_is_what_is_cached(before: MergePodStatus, after: MergePodStatus) -> bool:
    """Where the phase does not wait, readiness is written as it is cached: the next batch finds no difference."""
    return after.merged.phase != before.new_phase or after.is_ready() == is_cached_as_ready(before)


@claim(
    "step",
    "documentation of pod life cycle: Succeeded and Failed are final",
    violations=(broken("the status manager writes whatever phase it is given, also after a terminal one"),),
    harm=Harm.CALLERS,
    wrong="the API server has {before.old_phase}, and {after.merged.phase} is written",
)
def written_phases_stay_terminal(before: MergePodStatus, after: MergePodStatus) -> bool:
    """A terminal phase at the API server is never overwritten by another one."""
    return not is_terminal(before.old_phase) or after.merged.phase == before.old_phase


def is_cached_as_ready(before: MergePodStatus) -> bool:
    return is_true(before.new_conditions[READY]) or is_true(before.new_conditions[CONTAINERS_READY])
