"""Claims about the containers of a pod and what is reported of them: environment `containers`."""

from __future__ import annotations

from podproof.model.containers import Containers
from podproof.model.core_v1 import PodPhase, RestartPolicy, StateOf
from podproof.model.kubecontainer import RuntimeState
from podproof.model.kuberuntime.kill_container import MINIMUM_GRACE_PERIOD_IN_SECONDS
from podproof.model.language import NIL
from podproof.model.pod_layers import StopStage
from podproof.model.state import Phase
from podproof.specs.claim import Harm, broken, claim

_PRE_STOP = ("pre-stop", "evicted-pod")

# -- what runs ---------------------------------------------------------------------------------------------------------


@claim("always", "documentation of init containers: each must complete before the next one starts")
def containers_wait_for_init_containers(state: Containers) -> bool:
    """A regular container runs only where every init container of the pod but its sidecars has succeeded."""
    for uid in range(len(state.layers)):
        runtime = state.layers[uid].runtime
        for i in range(len(runtime.containers)):
            if runtime.containers[i].state == RuntimeState.RUNNING:
                for j in range(len(runtime.init_containers)):
                    init = runtime.init_containers[j]
                    if not init.restartable and (init.state != RuntimeState.EXITED or init.exit_code != 0):
                        return False
    return True


@claim("step", "API documentation of restartPolicy")
def containers_that_ended_stay_ended(before: Containers, after: Containers) -> bool:
    """Under Never no container that has ended is started again, and under OnFailure none that has succeeded."""
    for uid in range(len(before.layers)):
        policy = before.layers[uid].runtime.restart_policy
        for i in range(len(before.layers[uid].stops)):
            old = before.layers[uid].runtime.containers[i]
            ended = policy == RestartPolicy.NEVER or (policy == RestartPolicy.ON_FAILURE and old.exit_code == 0)
            if old.state == RuntimeState.EXITED and ended:
                if after.layers[uid].runtime.containers[i].state == RuntimeState.RUNNING:
                    return False
    return True


@claim("always", "design of kubernetes/kubernetes#102344: resources are released after the last container has stopped")
def running_containers_have_their_resources(state: Containers) -> bool:
    """What runs has the pod's cgroup and volumes."""
    for uid in range(len(state.layers)):
        if state.containers[uid] and not state.layers[uid].has_resources:
            return False
    return True


@claim("always", "comment on SyncTerminatedPod: it is called when nothing can run any more", harm=Harm.BOOKKEEPING)
def finished_pods_have_released_their_resources(state: Containers) -> bool:
    """Of a pod whose worker has finished, cgroup and volumes are gone."""
    for uid in range(len(state.layers)):
        if state.pod_sync_statuses[uid].finished and state.pod_sync_statuses[uid].started_at:
            if state.layers[uid].has_resources:
                return False
    return True


# -- how it is stopped -------------------------------------------------------------------------------------------------


def most_seconds(asked: int) -> int:
    """How long a kill may take for which so much was asked: the stop signal has at least its minimum."""
    return asked + MINIMUM_GRACE_PERIOD_IN_SECONDS


@claim(
    "always",
    "documentation of preStop hooks: the grace period counts down from before the hook is executed",
    violations=(
        broken(
            "an override replaces what the preStop hook has left of the grace period",
            by="kubernetes/kubernetes#92432, #115817",
            until="1.28.0",
            scenarios=_PRE_STOP,
        ),
    ),
)
def pre_stop_time_counts_once(state: Containers) -> bool:
    """From the beginning of the preStop hook to SIGKILL it takes no longer than the grace period, and 2 s more."""
    for uid in range(len(state.layers)):
        for i in range(len(state.layers[uid].stops)):
            stop = state.layers[uid].stops[i]
            if stop.stage == StopStage.SIGNALED and stop.rule.grace_period_override != NIL:
                asked = stop.rule.grace_period_override
                if stop.rule.elapsed_seconds + stop.rule.stop_timeout > most_seconds(asked):
                    return False
    return True


@claim(
    "always",
    "API documentation of deletionGracePeriodSeconds: it may be shortened",
    violations=(
        broken(
            "SyncTerminatingPod ignores its context, and killContainer goes on with what it was called with",
            by="kubernetes/kubernetes#113717, #113883, #127580",
            scenarios=("pre-stop",),
        ),
    ),
)
def a_shorter_grace_period_reaches_the_kill(state: Containers) -> bool:
    """A container that is being stopped has no more time than the pod's deletion grants now, and 2 s."""
    for uid in range(len(state.layers)):
        granted = state.config[uid].deletion_grace_period_seconds
        for i in range(len(state.layers[uid].stops)):
            stop = state.layers[uid].stops[i]
            if stop.stage == StopStage.SIGNALED and granted != NIL:
                if stop.rule.elapsed_seconds + stop.rule.stop_timeout > most_seconds(granted):
                    return False
    return True


@claim(
    "step",
    "documentation of container hooks: delivery is at least once, and normally only once",
    violations=(
        broken(
            "every attempt to kill a container runs its hook again",
            by="kubernetes/kubernetes#127339",
            scenarios=(*_PRE_STOP, "restarted-kill"),
        ),
    ),
)
def pre_stop_hooks_run_once(before: Containers, after: Containers) -> bool:
    """The preStop hook of a container that was started once begins once."""
    for uid in range(len(before.layers)):
        for i in range(len(before.layers[uid].stops)):
            old, new = before.layers[uid].stops[i], after.layers[uid].stops[i]
            if old.hook_has_begun and old.stage != StopStage.PRE_STOP:
                if new.stage == StopStage.PRE_STOP:
                    return False
    return True


@claim("always", "killContainer, which calls StopContainer only after the hook")
def stop_signals_come_with_a_minimum(state: Containers) -> bool:
    """Between the stop signal and SIGKILL are at least 2 s, or what an override says."""
    for uid in range(len(state.layers)):
        for i in range(len(state.layers[uid].stops)):
            stop = state.layers[uid].stops[i]
            if stop.stage == StopStage.SIGNALED:
                enough = stop.rule.stop_timeout >= MINIMUM_GRACE_PERIOD_IN_SECONDS
                if not enough and stop.rule.stop_timeout != stop.rule.grace_period_override:
                    return False
    return True


# -- what is reported --------------------------------------------------------------------------------------------------


@claim("always", "comment in mergePodStatus, kubernetes/kubernetes#108366")
def pods_that_ended_at_the_api_server_run_no_container(state: Containers) -> bool:
    """No container runs of a pod that the API server knows to have succeeded or failed.

    The scheduler gives its place away, and the next pod is rejected with OutOfCpu.
    """
    for uid in range(len(state.layers)):
        if state.config[uid].phase != Phase.RUNNING and state.containers[uid]:
            return False
    return True


@claim(
    "step",
    "API conventions: Succeeded and Failed are final",
    violations=(
        broken(
            "the last status is made from the containers' exit codes, and the status function is not asked again",
            by="kubernetes/kubernetes#118310, #120182",
            scenarios=("evicted-pod",),
        ),
    ),
    harm=Harm.CALLERS,
)
def failed_pods_do_not_succeed(before: Containers, after: Containers) -> bool:
    """What the status manager has of a pod does not change from Failed to Succeeded, with the reason lost.

    An evicted pod whose containers exit with 0 counts as succeeded.
    """
    for uid in range(len(before.layers)):
        if before.layers[uid].status.reported == PodPhase.FAILED:
            if after.layers[uid].status.reported == PodPhase.SUCCEEDED:
                return False
    return True


@claim("step", "generateAPIPodStatus, which keeps the phase of a pod that has ended", harm=Harm.CALLERS)
def reported_ends_are_not_taken_back(before: Containers, after: Containers) -> bool:
    """Once the status manager has a terminal phase it keeps one, until the pod is removed or the kubelet restarts."""
    for uid in range(len(before.layers)):
        if before.layers[uid].status.reported in (PodPhase.SUCCEEDED, PodPhase.FAILED):
            phase = after.layers[uid].status.reported
            if phase not in (PodPhase.SUCCEEDED, PodPhase.FAILED, PodPhase.NONE):
                return False
    return True


@claim("always", "canBeDeleted of the status manager", harm=Harm.CONTAINERS)
def objects_are_deleted_after_their_containers(state: Containers) -> bool:
    """The API server removes the object of a pod only when nothing of the pod runs, and its resources are gone."""
    for uid in range(len(state.layers)):
        if state.layers[uid].object_is_deleted:
            if state.containers[uid] or state.layers[uid].has_resources:
                return False
    return True


@claim("step", "SyncPod, which returns (true, nil) for a phase that nothing comes after")
def pods_complete_by_their_containers(before: Containers, after: Containers) -> bool:
    """Where SyncPod ends a pod, its status says that it has succeeded or failed."""
    for uid in range(len(before.layers)):
        old, new = before.pod_sync_statuses[uid], after.pod_sync_statuses[uid]
        if not old.started_terminating and new.started_terminating and not before.config[uid].deletion_timestamp:
            if not old.terminating_at and after.layers[uid].status.reported not in (
                PodPhase.SUCCEEDED,
                PodPhase.FAILED,
            ):
                return False
    return True


# -- what must be reachable --------------------------------------------------------------------------------------------

_LIFECYCLE = "the guard against a model in which nothing happens"


@claim("sometimes", _LIFECYCLE, ("init-then-app",))
def an_app_follows_its_init_container(state: Containers) -> bool:
    """The init container has succeeded, and the app runs."""
    layers = state.layers[0]
    return layers.status.init_containers[0].state == StateOf.TERMINATED and state.containers[0]


@claim("sometimes", _LIFECYCLE, ("init-then-app",))
def a_pod_fails_by_its_init_container(state: Containers) -> bool:
    """The API server knows that the pod has failed, and the app was never started."""
    return state.config[0].phase == Phase.FAILED and state.layers[0].runtime.containers[0].state == RuntimeState.NONE


@claim(
    "sometimes",
    "the runtime, which sends SIGKILL when the timeout of StopContainer is over",
    ("init-then-app", *_PRE_STOP),
)
def a_container_is_killed(state: Containers) -> bool:
    """A container did not end within its grace period."""
    return state.layers[0].runtime.containers[0].exit_code == 137


@claim("sometimes", "the status manager, which deletes the object", ("init-then-app", "pre-stop"))
def an_object_is_deleted(state: Containers) -> bool:
    """The API server has removed the pod's object."""
    return state.layers[0].object_is_deleted
