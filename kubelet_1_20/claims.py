"""Claims about kubelet 1.20, whose pod worker has no history of a pod: what can be said of it all the same.

Most upstream bugs of that time are one bug: nothing knew whether a pod was terminated, so everybody went by what ran.
"""

from __future__ import annotations

import sys

from podproof.kubelet_1_20.kubelet import Kubelet
from podproof.kubelet_1_20.node import Answer, Node
from podproof.kubelet_1_20.pod_workers import Outcome
from podproof.kubelet_1_20.release import OF_1_20
from podproof.kubelet_1_20.state import Position
from podproof.model.language import NIL, Event
from podproof.model.state import Phase, UpdateType
from podproof.specs.claim import Claim, Harm, Violation, broken, claim, claims_in

_NO_PHASES = "what tears a pod down goes by what runs, and cannot know that a syncPod under way will start more"
_PENDING_SYNC = "an update that comes while the kill is in hand is synced after it, with the pod as it was before"
_STALE_CACHE = (
    "ForgetWorker makes a new goroutine, whose first sync does not wait for a status that is "
    "newer than the last sync of the old one"
)


# -- what the worker promises ------------------------------------------------------------------------------------------


def _of_1_20(how: str, by: str = "", scenarios: tuple[str, ...] = ()) -> Violation:
    return broken(how, by, "1.19", "1.22.0", scenarios, versions=OF_1_20)


@claim(
    "always",
    'comment on podWorkers.podUpdates: "each per-pod goroutine"; isWorking',
    wrong="{busy} goroutines of {uid} have an update in hand or on its way",
)
def one_goroutine_syncs_a_pod(state: Node) -> bool:
    """At most one goroutine of a UID has an update in hand or on its way, however many live.

    Two would start and stop containers of one pod at the same time.
    """
    for uid in range(len(state.workers)):
        busy = 0
        for generation in range(len(state.workers[uid])):
            if has_work(state, uid, generation):
                busy += 1
        if busy > 1:
            return False
    return True


def has_work(state: Node, uid: int, generation: int) -> bool:
    """Has the goroutine an update in hand or in its channel, or is it wrapping one up?"""
    worker = state.workers[uid][generation]
    return worker.queued.present or worker.position not in (Position.NONE, Position.SPAWNED, Position.RECEIVING)


@claim(
    "always",
    "comment on podWorkers.isWorking: is a goroutine processing an update of the pod?",
    harm=Harm.BOOKKEEPING,
    wrong="{uid} counts as working: {state.is_working[uid]}, and a goroutine is at work: {busy}",
)
def working_pods_have_a_goroutine_at_work(state: Node) -> bool:
    """A UID counts as working exactly while a goroutine of it is at work.

    If it counts as working and none is, every later update waits for ever.
    """
    for uid in range(len(state.workers)):
        busy = False
        for generation in range(len(state.workers[uid])):
            if has_work(state, uid, generation):
                busy = True
        if busy != state.is_working[uid]:
            return False
    return True


@claim("always", "UpdatePod and checkForUpdates", wrong="an update of {uid} waits, and nobody will deliver it")
def undelivered_updates_have_a_channel(state: Node) -> bool:
    """An update that waits has a goroutine at work in front of it, and a channel to go to."""
    for uid in range(len(state.workers)):
        if state.last_undelivered_work_update[uid].present:
            if not state.is_working[uid] or state.pod_updates[uid] == NIL:
                return False
    return True


@claim(
    "always",
    "UpdatePod, where it makes the pod's channel, and removeWorker",
    harm=Harm.BOOKKEEPING,
    wrong=(
        "the channel of goroutine {generation} of {uid} is in podUpdates: {listed}, and it lives or is closed otherwise"
    ),
)
def channels_have_a_goroutine(state: Node) -> bool:
    """An open channel is in podUpdates and has a living goroutine; one that was closed is nobody's way to a pod."""
    for uid in range(len(state.workers)):
        for generation in range(len(state.workers[uid])):
            worker = state.workers[uid][generation]
            listed = state.pod_updates[uid] == generation
            if worker.position == Position.NONE and listed:
                return False
            if worker.position != Position.NONE and worker.closed == listed:
                return False
    return True


@claim(
    "step",
    "comment in UpdatePod: while a kill is pending, nothing overwrites it",
    harm=Harm.CALLERS,
    wrong="a kill of {uid} that waited is gone and was not delivered",
)
def pending_kills_are_not_overwritten(before: Node, after: Node) -> bool:
    """A kill that waits to be delivered stays until it is, unless the worker is forgotten."""
    for uid in range(len(before.workers)):
        old = before.last_undelivered_work_update[uid]
        new = after.last_undelivered_work_update[uid]
        if old.present and old.update_type == UpdateType.KILL and after.pod_updates[uid] == before.pod_updates[uid]:
            kept = new.present and new.update_type == UpdateType.KILL and new.on_complete_func == old.on_complete_func
            delivered = not new.present and after.pod_updates[uid] != NIL and is_delivered(before, after, uid)
            if not kept and not delivered:
                return False
    return True


def is_delivered(before: Node, after: Node, uid: int) -> bool:
    """Is what waited before the step in the channel or the hand of a goroutine after it?"""
    old = before.last_undelivered_work_update[uid]
    for generation in range(len(after.workers[uid])):
        worker = after.workers[uid][generation]
        if worker.queued.present and worker.queued.on_complete_func == old.on_complete_func:
            if worker.queued.update_type == old.update_type:
                return True
        if worker.update.present and worker.update.on_complete_func == old.on_complete_func:
            if worker.update.update_type == old.update_type:
                return True
    return False


@claim(
    "step",
    'comment on SyncPodKill: "the request is never dropped, and will always be processed"',
    violations=(_of_1_20("while a kill waits, what comes is dropped, also another kill; recorded from the real code"),),
    harm=Harm.CALLERS,
    wrong="kill request {request} was made, and no worker has it",
)
def kill_requests_are_accepted(before: Node, after: Node) -> bool:
    """UpdatePod keeps every kill request for the worker.

    While another kill waits, it drops the request, and killPodNow reports ExceededGracePeriod after at least 10 s.
    """
    for request in range(len(before.kill_requests)):
        if before.kill_requests[request].answer == Answer.NONE:
            if after.kill_requests[request].answer == Answer.WAITING and not is_kept(after, request):
                return False
    return True


@claim(
    "step",
    'comment on SyncPodKill: "the request is never dropped, and will always be processed"',
    violations=(_of_1_20("ForgetWorker drops the update that waits, also a kill; recorded from the real code"),),
    harm=Harm.CALLERS,
    wrong="kill request {request} was forgotten without an answer",
)
def kill_requests_are_not_lost(before: Node, after: Node) -> bool:
    """A kill request that the worker has is kept until it is answered.

    ForgetWorker throws it away, also when housekeeping only finds that the pod counts as terminated already.
    """
    for request in range(len(before.kill_requests)):
        if after.kill_requests[request].answer == Answer.WAITING and is_kept(before, request):
            if not is_kept(after, request):
                return False
    return True


def is_kept(state: Node, request: int) -> bool:
    """Does an update that waits, is in a channel or in hand have the callback of this request?"""
    for uid in range(len(state.workers)):
        if state.last_undelivered_work_update[uid].on_complete_func == request:
            return True
        for generation in range(len(state.workers[uid])):
            worker = state.workers[uid][generation]
            if worker.queued.on_complete_func == request or worker.update.on_complete_func == request:
                return True
    return False


@claim(
    "step",
    "killPodNow, which returns what syncPod returned; evictions count on it",
    violations=(_of_1_20(_STALE_CACHE),),
    harm=Harm.CALLERS,
    wrong="kill request {request} is answered without an error, and containers of its pod run",
)
def killers_are_told_the_truth(before: Node, after: Node) -> bool:
    """When a kill request is answered without an error, no container of the pod runs."""
    for request in range(len(before.kill_requests)):
        if before.kill_requests[request].answer == Answer.WAITING:
            if after.kill_requests[request].answer == Answer.DONE and runs(after, request):
                return False
    return True


def runs(state: Node, request: int) -> bool:
    """Does a container run of the pod that a request is about?"""
    for uid in range(len(state.containers)):
        if state.kill_requests[request].uid == uid and state.containers[uid]:
            return True
    return False


@claim(
    "step",
    "managePodLoop calls OnCompleteFunc with what came of the update",
    harm=Harm.CALLERS,
    wrong="kill request {request} was answered with {answer}, which is not what came of it",
)
def killers_are_told_what_came_of_their_kill(before: Node, event: Event, after: Node) -> bool:
    """A kill is answered when its update is done with, with an error if there was one, and at no other time.

    killPodNow would block until it gives up, or an eviction count on resources that are still in use.
    """
    for request in range(len(before.kill_requests)):
        asked = False
        expected = Answer.FAILED
        if event.action == "worker_sync_pod_returns":
            asked = before.workers[event.uid][event.generation].update.on_complete_func == request
            if event.outcome == Outcome.OK:
                expected = Answer.DONE
        elif event.action == "worker_get_newer_than_fails":
            asked = before.workers[event.uid][event.generation].update.on_complete_func == request
        answer = after.kill_requests[request].answer
        if asked and answer != expected:
            return False
        if not asked and before.kill_requests[request].answer == Answer.WAITING:
            if answer in (Answer.DONE, Answer.FAILED):
                return False
    return True


@claim("step", "checkForUpdates", wrong="the update of {event.uid} that waited was not delivered, or waits on")
def waiting_updates_are_delivered_once(before: Node, event: Event, after: Node) -> bool:
    """An update that waits is handed to the goroutine whose channel is in podUpdates, and waits no more.

    After ForgetWorker that is another goroutine than the one that has just finished, whose channel is closed.
    """
    if event.action != "worker_check_for_updates":
        return True
    if not before.last_undelivered_work_update[event.uid].present:
        return True
    if after.last_undelivered_work_update[event.uid].present:
        return False
    for generation in range(len(after.workers[event.uid])):
        worker = after.workers[event.uid][generation]
        if after.pod_updates[event.uid] == generation and not worker.queued.present and not worker.update.present:
            return False
    return True


@claim(
    "always",
    "removeWorker, which closes the channel that managePodLoop ranges over",
    harm=Harm.BOOKKEEPING,
    wrong="goroutine {generation} of {uid} was forgotten, has nothing to do and lives on",
)
def forgotten_goroutines_end(state: Node) -> bool:
    """A goroutine whose channel is closed lives only as long as it has something to do.

    Every pod that was ever removed would leave a goroutine behind.
    """
    for uid in range(len(state.workers)):
        for generation in range(len(state.workers[uid])):
            if state.workers[uid][generation].closed and not has_work(state, uid, generation):
                return False
    return True


@claim(
    "always",
    "managePodLoop calls OnCompleteFunc once for an update",
    harm=Harm.CALLERS,
    wrong="goroutine {generation} of {uid} has called back and still has an update in hand",
)
def answered_updates_are_let_go(state: Node) -> bool:
    """A goroutine that has called back has no update in hand any more, nor has one that waits for the next.

    Whoever asked would be told again, of what came of another update.
    """
    for uid in range(len(state.workers)):
        for generation in range(len(state.workers[uid])):
            worker = state.workers[uid][generation]
            if worker.update.present and worker.position not in (Position.CACHE, Position.SYNC_POD, Position.KILL_POD):
                return False
    return True


# -- what the kubelet around it promises -------------------------------------------------------------------------------


@claim(
    "step",
    "comment on the PodWorkers interface since kubernetes/kubernetes#102344: a pod that is terminated will never be "
    "restarted",
    violations=(_of_1_20(_PENDING_SYNC),),
    wrong="kill request {request} was answered, and a container of its pod starts",
)
def killed_pods_never_run_again(before: Kubelet, after: Kubelet) -> bool:
    """Once a kill request of a pod is answered without an error, no container of the pod starts, until it is removed.

    The node was short of what the pod used, and the kubelet took it for gone.
    """
    for request in range(len(before.kill_requests)):
        if before.kill_requests[request].answer == Answer.DONE:
            if runs(after, request) and not runs(before, request):
                return False
    return True


@claim(
    "step",
    "pod lifecycle documentation: Succeeded and Failed are final",
    violations=(_of_1_20(_PENDING_SYNC),),
    harm=Harm.CALLERS,
    wrong=("the phase of {uid} went from {before.statuses[uid].phase} back to {after.statuses[uid].phase}"),
)
def terminal_phases_are_final(before: Kubelet, after: Kubelet) -> bool:
    """The status manager never takes a terminal phase back while the pod is in the pod manager."""
    for uid in range(len(before.statuses)):
        if before.pod_manager[uid] and after.pod_manager[uid] and before.statuses[uid].phase != Phase.RUNNING:
            if after.statuses[uid].phase == Phase.RUNNING:
                return False
    return True


@claim(
    "always",
    "comment in mergePodStatus since kubernetes/kubernetes#108366",
    violations=(
        _of_1_20(
            "the phase is written before the containers are stopped", "kubernetes/kubernetes#106884, #108733, #108366"
        ),
    ),
    wrong="{uid} has ended ({state.config[uid].status.phase}) and its containers run",
)
def ended_pods_run_no_containers(state: Kubelet) -> bool:
    """No container runs of a pod whose phase at the API server is terminal.

    The scheduler gives its place away, and the next pod is rejected with OutOfCpu.
    """
    for uid in range(len(state.config)):
        if state.config[uid].status.phase != Phase.RUNNING and state.containers[uid]:
            return False
    return True


@claim(
    "always",
    "design of kubernetes/kubernetes#102344",
    violations=(_of_1_20(_NO_PHASES, "kubernetes/kubernetes#88766, #102344"),),
    wrong="containers of {uid} run without its cgroup, directories and volumes",
)
def containers_run_with_their_resources(state: Kubelet) -> bool:
    """A pod whose containers a syncPod starts has its cgroup, directories and volumes.

    A container that starts after they were removed writes into nothing, and keeps what it mounts from being unmounted.
    """
    for uid in range(len(state.containers)):
        if state.containers[uid] and not state.resources[uid]:
            return False
    return True


@claim(
    "step",
    "design of kubernetes/kubernetes#102344",
    violations=(
        _of_1_20("a syncPod under way is not told that its pod is gone", "kubernetes/kubernetes#20008, #92817, #98933"),
    ),
    wrong="{uid} is gone from the pod manager, and its containers start",
)
def removed_pods_start_no_containers(before: Kubelet, after: Kubelet) -> bool:
    """No container starts of a pod that is gone from the pod manager."""
    for uid in range(len(before.containers)):
        if not before.pod_manager[uid] and after.containers[uid] and not before.containers[uid]:
            return False
    return True


@claim(
    "step",
    "HandlePodRemoves and deletePod",
    violations=(
        _of_1_20(
            "deletePod gives up while a source is not ready; here housekeeping stops the pod later",
            "kubernetes/kubernetes#116880",
            ("one-pod-restart", "static-removed", "static-pair-restart"),
        ),
    ),
    wrong="{uid} was removed, and its worker is kept or its containers run on",
)
def removed_pods_are_stopped(before: Kubelet, after: Kubelet) -> bool:
    """The worker of a pod that its source removes is forgotten, and what runs of it is given to the podKiller."""
    for uid in range(len(before.pod_manager)):
        if before.pod_manager[uid] and not after.pod_manager[uid] and before.budget.restarts == after.budget.restarts:
            if after.pod_updates[uid] != NIL or (after.containers[uid] and not after.being_killed[uid]):
                return False
    return True


@claim(
    "always",
    "kubernetes/kubernetes#97722, #104743",
    ("static-pair", "static-successor"),
    (_of_1_20("the worker knows UIDs only", "kubernetes/kubernetes#97722, #104743"),),
    wrong="{first} and {second} have one full name, and the containers of both run",
)
def one_static_pod_runs_per_full_name(state: Kubelet) -> bool:
    """Containers of at most one static pod of a full name run.

    Two use the same host ports and paths.
    """
    for first in range(len(state.containers)):
        for second in range(first + 1, len(state.containers)):
            if state.full_names[first] == state.full_names[second] and state.config[first].static:
                if state.containers[first] and state.containers[second]:
                    return False
    return True


@claim(
    "step",
    "comment on ForgetNonExistingPodWorkers",
    harm=Harm.BOOKKEEPING,
    wrong="the worker of {uid} was forgotten, which is still desired",
)
def desired_pods_keep_their_worker(before: Kubelet, after: Kubelet) -> bool:
    """A worker is forgotten only when its pod is removed or not active any more.

    The next sync of the pod would be a new goroutine's, which does not wait for a status newer than the last sync.
    """
    for uid in range(len(before.pod_updates)):
        if before.pod_updates[uid] != NIL and after.pod_updates[uid] == NIL and after.pod_manager[uid]:
            if before.budget.restarts == after.budget.restarts and before.is_desired(uid):
                return False
    return True


@claim(
    "always",
    "wrapUp, which puts a pod into the work queue, and getPodsToSync",
    wrong="the worker of {uid} is idle, and the work queue has no entry for it",
)
def idle_active_pods_are_retried(state: Kubelet) -> bool:
    """An active pod whose worker is idle has an entry in the work queue.

    Without one nothing is tried again until the containers change or somebody changes the pod.
    """
    for uid in range(len(state.pod_manager)):
        if state.is_desired(uid) and state.pod_updates[uid] != NIL and not state.is_working[uid]:
            if not state.work_queue[uid]:
                return False
    return True


# -- what must be reachable --------------------------------------------------------------------------------------------

_LIFECYCLE = "the guard against a model in which nothing happens"
_ONE_POD = ("one-pod", "one-pod-restart", "evict-and-delete", "uid-reuse")


@claim("sometimes", _LIFECYCLE, _ONE_POD, wrong="no active pod's containers run while its worker is idle")
def a_pod_is_run(state: Kubelet) -> bool:
    """An active pod's containers run, and its worker is idle."""
    return state.is_desired(0) and state.containers[0] and not state.is_working[0]


@claim(
    "sometimes",
    "UpdatePod",
    ("one-pod", "evict-and-delete", "uid-reuse"),
    wrong="no kill waits while its pod is being synced",
)
def a_kill_waits(state: Kubelet) -> bool:
    """A kill waits while the pod is being synced."""
    return state.last_undelivered_work_update[0].update_type == UpdateType.KILL


@claim("sometimes", "ForgetWorker", _ONE_POD, wrong="no UID has two goroutines")
def a_pod_has_two_goroutines(state: Kubelet) -> bool:
    """A goroutine that was forgotten still syncs while another one of the UID waits."""
    return has_work(state, 0, 0) and state.workers[0][1].position != Position.NONE


@claim("sometimes", "killPodNow", ("one-pod", "evict-and-delete", "uid-reuse"), wrong="no kill is ever done")
def a_killer_is_answered(state: Kubelet) -> bool:
    """A kill is done, and the pod is gone from the node."""
    return state.kill_requests[0].answer == Answer.DONE and not state.containers[0]


@claim("sometimes", "deletePod and HandlePodCleanups", (*_ONE_POD, "orphan"), wrong="no pod is killed without a worker")
def the_pod_killer_is_at_work(state: Kubelet) -> bool:
    """A pod that is gone from its source is killed without a worker."""
    return state.being_killed[0] and not state.pod_manager[0] and state.pod_updates[0] == NIL


@claim("sometimes", "cleanupOrphanedPodCgroups", _ONE_POD, wrong="no pod that was removed leaves its volumes")
def a_removed_pod_leaves_its_resources(state: Kubelet) -> bool:
    """The volumes of a pod that was removed and does not run any more wait to be removed as well."""
    return not state.pod_manager[0] and not state.containers[0] and state.resources[0]


@claim("sometimes", "getPhase", ("one-pod", "one-pod-restart"), wrong="no pod succeeds")
def a_pod_ends_by_itself(state: Kubelet) -> bool:
    """A pod has succeeded, and the API server knows it."""
    return state.config[0].status.phase == Phase.SUCCEEDED


@claim("sometimes", "rejectPod", ("one-pod-restart",), wrong="no pod is rejected at admission")
def a_pod_is_refused(state: Kubelet) -> bool:
    """A pod is rejected at admission: it counts as terminated and has no worker."""
    return state.pod_manager[0] and state.statuses[0].phase == Phase.FAILED and not state.listed_as_active[0]


LINES = (
    Claim(
        "updates_are_sent_to_a_channel",
        "never",
        'The line "blocking send on no channel" is never reached (UpdatePod, checkForUpdates).',
        "UpdatePod and removeWorker",
        "The sender would wait for ever and hold podLock meanwhile: the whole kubelet would stand still.",
        lines=("blocking send on no channel",),
        needs=("forget_worker",),
        harm=Harm.CALLERS,
        wrong='UpdatePod or checkForUpdates reaches the line "blocking send on no channel"',
    ),
)
"""Lines that must be unreachable; that of a full channel is among those of the later releases."""

CLAIMS_OF_1_20: tuple[Claim, ...] = (*claims_in(sys.modules[__name__]), *LINES)
"""Every claim about this worker, in the order of reports."""
