"""Claims about the containers of a pod and what is reported of them: environment `containers`."""

from __future__ import annotations

from podproof.model.containers import Containers
from podproof.model.core_v1 import PodPhase, RestartPolicy, StateOf
from podproof.model.kubecontainer import RuntimeState
from podproof.model.kuberuntime.kill_container import MINIMUM_GRACE_PERIOD_IN_SECONDS
from podproof.model.language import NIL, Event
from podproof.model.pod_layers import StopStage
from podproof.model.pod_worker_loop import SyncPodOutcome
from podproof.model.scenarios import DETAILED
from podproof.model.state import Phase
from podproof.specs.claim import Harm, broken, claim

_PRE_STOP = ("pre-stop", "evicted-pod")
_KILLED = ("evicted-pod", "mirror-pod", "slow-api-server")
_TERMINATED = tuple(name for name, scenario in DETAILED.items() if scenario.deletion_seconds or scenario.kills)

# -- what runs ---------------------------------------------------------------------------------------------------------


@claim(
    "always",
    "documentation of init containers: each must complete before the next one starts",
    wrong="container {i} of {uid} runs, and init container {j} has not succeeded",
)
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


@claim(
    "step",
    "API documentation of restartPolicy",
    wrong="container {i} of {uid} had ended with {old.exit_code} and runs again under {policy}",
)
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


@claim(
    "step",
    "API documentation of restartPolicy",
    violations=(
        broken(
            "a restart of the kubelet forgets the status that was not written, and the runtime has no record any more",
            by="kubernetes/kubernetes#7250, #37447, #83705",
            scenarios=("lost-record",),
        ),
    ),
    wrong="container {i} of {uid} has ended before and runs again",
)
def what_has_ended_never_runs_again(before: Containers, after: Containers) -> bool:
    """Under Never no container that has ever ended is started, and under OnFailure none that has ever succeeded."""
    for uid in range(len(before.layers)):
        for i in range(len(before.layers[uid].has_ended)):
            if before.layers[uid].has_ended[i]:
                if before.layers[uid].runtime.containers[i].state != RuntimeState.RUNNING:
                    if after.layers[uid].runtime.containers[i].state == RuntimeState.RUNNING:
                        return False
    return True


@claim(
    "step",
    'comment on podSyncStatus.startedTerminating: "it is safe to assume no other containers may be started"',
    wrong="container {i} of {uid} was started while the pod is being stopped",
)
def no_container_starts_while_its_pod_is_stopped(before: Containers, after: Containers) -> bool:
    """Once SyncTerminatingPod may run, no container of the pod is started, also where SyncPod was starting them."""
    for uid in range(len(before.layers)):
        if before.pod_sync_statuses[uid].started_terminating:
            for i in range(len(before.layers[uid].stops)):
                if before.layers[uid].runtime.containers[i].state != RuntimeState.RUNNING:
                    if after.layers[uid].runtime.containers[i].state == RuntimeState.RUNNING:
                        return False
    return True


@claim(
    "always",
    "design of kubernetes/kubernetes#102344: resources are released after the last container has stopped",
    wrong="containers of {uid} run without its cgroup and volumes",
)
def running_containers_have_their_resources(state: Containers) -> bool:
    """What runs has the pod's cgroup and volumes."""
    for uid in range(len(state.layers)):
        if state.containers[uid] and not state.layers[uid].has_resources:
            return False
    return True


@claim(
    "always",
    "comment on SyncTerminatedPod: it is called when nothing can run any more",
    harm=Harm.BOOKKEEPING,
    wrong="{uid} is finished and still has its cgroup and volumes",
)
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
    wrong=(
        "container {i} of {uid} is to stop in {asked} s and gets {stop.rule.elapsed_seconds + stop.rule.stop_timeout} s"
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
            scenarios=("pre-stop", "slow-api-server"),
        ),
    ),
    wrong=(
        "container {i} of {uid} may go on for {stop.rule.elapsed_seconds + "
        "stop.rule.stop_timeout} s, where its deletion grants {granted} s"
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
    wrong="the preStop hook of container {i} of {uid} began a second time",
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


@claim(
    "always",
    "killContainer, which calls StopContainer only after the hook",
    wrong="container {i} of {uid} is killed {stop.rule.stop_timeout} s after its stop signal",
)
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


@claim(
    "step",
    "design of sidecars, KEP 753: they are stopped after the other containers",
    wrong=("sidecar {j} of {uid} got its stop signal after {new.rule.elapsed_seconds} s, while container {i} runs"),
)
def sidecars_outlive_the_apps(before: Containers, after: Containers) -> bool:
    """A sidecar gets its stop signal when no regular container runs any more, or when its grace period is over."""
    for uid in range(len(before.layers)):
        for j in range(len(before.layers[uid].init_stops)):
            old, new = before.layers[uid].init_stops[j], after.layers[uid].init_stops[j]
            if old.stage == StopStage.TURN and new.stage == StopStage.SIGNALED:
                for i in range(len(before.layers[uid].stops)):
                    if before.layers[uid].runtime.containers[i].state == RuntimeState.RUNNING:
                        if new.rule.elapsed_seconds < new.rule.asked_for():
                            return False
    return True


@claim(
    "step",
    "kubernetes/kubernetes#110191: probes go on until the containers have stopped",
    violations=(
        broken(
            "other loops remove the probes of a pod whose termination was requested",
            by="kubernetes/kubernetes#107473, #110191, #110309",
            until="1.24.0",
            scenarios=_TERMINATED,
        ),
    ),
    harm=Harm.CALLERS,
    wrong="the probes of {uid} were removed while its containers run",
)
def probes_go_on_until_containers_stop(before: Containers, event: Event, after: Containers) -> bool:
    """Unless the kubelet restarts, the probes of a pod are removed only when none of its containers runs.

    Readiness would stay as it was, and with it the pod's place in its services.
    """
    if event.action == "restart":
        return True
    for uid in range(len(before.layers)):
        if before.layers[uid].is_probed and not after.layers[uid].is_probed and before.containers[uid]:
            return False
    return True


# -- what is reported --------------------------------------------------------------------------------------------------


@claim(
    "always",
    "comment in mergePodStatus, kubernetes/kubernetes#108366",
    violations=(
        broken(
            "a terminal phase is written at once",
            by="kubernetes/kubernetes#106884, #108366",
            until="1.24.0",
            scenarios=("evicted-pod", "slow-api-server"),
        ),
        broken(
            "a PATCH that a kubelet sent before it restarted is written when the pod's containers run again",
            scenarios=("slow-api-server",),
        ),
    ),
    wrong="{uid} has ended at the API server and its containers run",
)
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
            scenarios=("evicted-pod", "mirror-pod"),
        ),
        broken(
            "the same under Always, where only a pod that is known to be terminal may succeed",
            by="kubernetes/kubernetes#118310, #120182",
            since="1.27.0",
            scenarios=("slow-api-server",),
        ),
    ),
    harm=Harm.CALLERS,
    wrong=("the status of {uid} went from {before.layers[uid].status.reported} to {after.layers[uid].status.reported}"),
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


@claim(
    "step",
    "generateAPIPodStatus, which keeps the phase of a pod that has ended",
    violations=(
        broken(
            "SyncTerminatedPod makes the phase from the containers alone, and what the eviction said is lost",
            by="kubernetes/kubernetes#105358, #105462",
            until="1.22.3",
            scenarios=_KILLED,
        ),
    ),
    harm=Harm.CALLERS,
    wrong="the phase of {uid} went from {before.layers[uid].status.reported} back to {phase}",
)
def reported_ends_are_not_taken_back(before: Containers, after: Containers) -> bool:
    """Once the status manager has a terminal phase it keeps one, until the pod is removed or the kubelet restarts."""
    for uid in range(len(before.layers)):
        if before.layers[uid].status.reported in (PodPhase.SUCCEEDED, PodPhase.FAILED):
            phase = after.layers[uid].status.reported
            if phase not in (PodPhase.SUCCEEDED, PodPhase.FAILED, PodPhase.NONE):
                return False
    return True


@claim(
    "step",
    "API documentation of status.containerStatuses",
    violations=(
        broken(
            "an evicted pod's dead containers are deleted once its phase is written, and the last status is made later",
            by="kubernetes/kubernetes#122160, #123782",
            until="1.27.0",
            scenarios=("evicted-pod", "slow-api-server"),
        ),
        broken("the record is gone before the kubelet looked", scenarios=("lost-record",)),
    ),
    harm=Harm.CALLERS,
    wrong=("the record of container {i} of {uid} is gone, and its exit code {record.exit_code} was not reported"),
)
def records_go_when_they_are_reported(before: Containers, after: Containers) -> bool:
    """The record of a container that ended goes only when the status says so, with its exit code.

    What nobody saw is reported as 137, ContainerStatusUnknown.
    """
    for uid in range(len(before.layers)):
        for i in range(len(before.layers[uid].stops)):
            record, status = before.layers[uid].runtime.containers[i], before.layers[uid].status.containers[i]
            if record.state == RuntimeState.EXITED:
                if after.layers[uid].runtime.containers[i].state == RuntimeState.NONE:
                    if status.state != StateOf.TERMINATED or status.exit_code != record.exit_code:
                        return False
    return True


@claim(
    "step",
    "API documentation of status.podIP",
    violations=(
        broken(
            "the last status of SyncTerminatingPod is made from a runtime that tells no address of a stopped sandbox",
            by="kubernetes/kubernetes#125370, #125404",
            since="1.27.0",
            until="1.32.0",
            scenarios=tuple(DETAILED),
        ),
    ),
    harm=Harm.CALLERS,
    wrong="the status of {uid} has lost its address",
)
def stopped_pods_keep_their_address(before: Containers, event: Event, after: Containers) -> bool:
    """Once the status says which address a pod has it says so until the pod is removed, or the kubelet restarts."""
    if event.action in ("restart", "handle_pod_removes"):
        return True
    for uid in range(len(before.layers)):
        if before.layers[uid].has_address and not after.layers[uid].has_address:
            return False
    return True


@claim(
    "step",
    "comment in mergePodStatus, kubernetes/kubernetes#108366",
    violations=(
        broken(
            "PodCouldHaveRunningContainers is asked for the mirror pod's own UID, which the workers do not know",
            scenarios=("mirror-pod",),
        ),
    ),
    harm=Harm.CALLERS,
    wrong="the end of {uid} was written to its mirror pod while its containers run",
)
def mirror_pods_end_after_their_containers(before: Containers, after: Containers) -> bool:
    """That a static pod has ended is written to its mirror pod when none of its containers runs."""
    for uid in range(len(before.layers)):
        if after.layers[uid].mirror_pod_has_ended and not before.layers[uid].mirror_pod_has_ended:
            if before.containers[uid]:
                return False
    return True


@claim(
    "always",
    "canBeDeleted of the status manager",
    harm=Harm.CONTAINERS,
    wrong="the object of {uid} is deleted, while its containers run or its resources are there",
)
def objects_are_deleted_after_their_containers(state: Containers) -> bool:
    """The API server removes the object of a pod only when nothing of the pod runs, and its resources are gone."""
    for uid in range(len(state.layers)):
        if state.layers[uid].object_is_deleted:
            if state.containers[uid] or state.layers[uid].has_resources:
                return False
    return True


@claim(
    "step",
    "SyncPod, which returns (true, nil) for a phase that nothing comes after",
    wrong="SyncPod ended {event.uid}, whose status has neither succeeded nor failed",
)
def pods_complete_by_their_containers(before: Containers, event: Event, after: Containers) -> bool:
    """Where SyncPod ends a pod, its status says that it has succeeded or failed."""
    if event.action != "worker_sync_pod_returns" or event.outcome != SyncPodOutcome.TERMINAL:
        return True
    return after.has_terminal_status(event.uid)


# -- what must be reachable --------------------------------------------------------------------------------------------

_LIFECYCLE = "the guard against a model in which nothing happens"


@claim("sometimes", _LIFECYCLE, ("init-then-app",), wrong="no app runs after its init container")
def an_app_follows_its_init_container(state: Containers) -> bool:
    """The init container has succeeded, and the app runs."""
    layers = state.layers[0]
    return layers.status.init_containers[0].state == StateOf.TERMINATED and state.containers[0]


@claim("sometimes", _LIFECYCLE, ("init-then-app",), wrong="no pod fails by its init container")
def a_pod_fails_by_its_init_container(state: Containers) -> bool:
    """The API server knows that the pod has failed, and the app was never started."""
    return state.config[0].phase == Phase.FAILED and state.layers[0].runtime.containers[0].state == RuntimeState.NONE


@claim(
    "sometimes",
    "the runtime, which sends SIGKILL when the timeout of StopContainer is over",
    ("init-then-app", *_PRE_STOP),
    wrong="no container is killed at the end of its grace period",
)
def a_container_is_killed(state: Containers) -> bool:
    """A container did not end within its grace period."""
    return state.layers[0].runtime.containers[0].exit_code == 137


@claim(
    "sometimes",
    "the status manager, which deletes the object",
    ("init-then-app", "pre-stop"),
    wrong="the API server removes no pod's object",
)
def an_object_is_deleted(state: Containers) -> bool:
    """The API server has removed the pod's object."""
    return state.layers[0].object_is_deleted


@claim("sometimes", _LIFECYCLE, ("pre-stop",), wrong="no deleted pod ends by SIGKILL")
def a_deleted_pod_ends_by_force(state: Containers) -> bool:
    """The preStop hook of a deleted pod has run, SIGKILL has ended its container, and the object is gone."""
    layers = state.layers[0]
    is_killed = layers.runtime.containers[0].exit_code == 137
    return layers.object_is_deleted and layers.stops[0].hook_has_begun and is_killed


@claim("sometimes", _LIFECYCLE, ("sidecar",), wrong="no sidecar runs beside its app")
def a_sidecar_runs_beside_its_app(state: Containers) -> bool:
    """Sidecar and app run."""
    runtime = state.layers[0].runtime
    sidecar, app = runtime.init_containers[0], runtime.containers[0]
    return sidecar.state == RuntimeState.RUNNING and app.state == RuntimeState.RUNNING


@claim("sometimes", _LIFECYCLE, ("sidecar",), wrong="no sidecar waits for its app")
def a_sidecar_waits_for_its_app(state: Containers) -> bool:
    """The app has been sent its stop signal, and the sidecar waits for it."""
    layers = state.layers[0]
    return layers.init_stops[0].stage == StopStage.TURN and layers.stops[0].stage == StopStage.SIGNALED


@claim("sometimes", _LIFECYCLE, ("mirror-pod",), wrong="no static pod's end is written to its mirror pod")
def a_mirror_pod_ends(state: Containers) -> bool:
    """The API server knows that a static pod has ended, and nothing of it runs."""
    return state.layers[0].mirror_pod_has_ended and not state.containers[0]
