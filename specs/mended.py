"""Claims that tell a release with a bug of the past from one without it.

Those of a bug that is still there are about one small scenario each: elsewhere they would say the same again.

What is there to happen eventually is said of a step or a state here: that a step leaves somebody who goes on.
"""

from __future__ import annotations

from podproof.model.kubelet import Chore, Housekeeping, Kubelet
from podproof.model.node import Node
from podproof.model.state import Cached, Context, Phase
from podproof.model.walkthrough import WalkthroughUpdate
from podproof.specs.claim import IGNORES_UPDATES, NEVER_RESTARTED, WITHOUT_UPDATES, Harm, broken, claim
from podproof.specs.drivers import lists_pods


@claim(
    "step",
    "kubernetes/kubernetes#104648, #104847",
    (),
    (NEVER_RESTARTED, IGNORES_UPDATES),
    wrong="{uid} was added again while it terminates, and its restart is not noted",
)
def pods_added_again_are_restarted(before: Kubelet, after: Kubelet) -> bool:
    """A static pod that is added again while its former life ends is noted to be restarted.

    Nobody else remembers it: it would stay away until its file changes again.
    """
    for uid in range(len(before.pod_manager)):
        added = after.pod_manager[uid] and not before.pod_manager[uid]
        if added and before.pod_sync_statuses[uid].terminating_at:
            if not after.pod_sync_statuses[uid].restart_requested:
                return False
    return True


@claim(
    "step",
    "kubernetes/kubernetes#105523, #105527",
    (),
    (
        broken(
            "the worker of an ended pod begins like any other",
            by="kubernetes/kubernetes#105523, #105527",
            until="1.22.3",
        ),
    ),
    harm=Harm.CALLERS,
    wrong="{uid} has ended ({after.config[uid].phase}), runs nothing and counts as active",
)
def ended_pods_do_not_count_as_active(before: Kubelet, after: Kubelet) -> bool:
    """A pod that has ended and runs nothing does not count as active when its source makes it known to the workers.

    Admission counts the resources of active pods: the next pod is rejected with OutOfCpu.
    """
    for uid in range(len(before.pod_sync_statuses)):
        is_new = after.pod_sync_statuses[uid].present and not before.pod_sync_statuses[uid].present
        ended = after.config[uid].phase != Phase.RUNNING and after.pod_cache[uid] == Cached.NOTHING_RUNNING
        from_the_runtime = after.pod_sync_statuses[uid].observed_runtime
        if is_new and ended and not from_the_runtime and after.is_active(uid):
            return False
    return True


@claim(
    "always",
    "kubernetes/kubernetes#104817",
    (),
    (
        broken(
            "only the API's phase counts, not the status manager's", by="kubernetes/kubernetes#104817", until="1.22.3"
        ),
    ),
    harm=Harm.CALLERS,
    wrong="{uid} was rejected at admission and counts as active",
)
def rejected_pods_do_not_count_as_active(state: Kubelet) -> bool:
    """A pod that was rejected at admission and has no worker does not count as active.

    Its resources would be kept from pods that could run.
    """
    for uid in range(len(state.rejected)):
        if state.rejected[uid] and not state.pod_sync_statuses[uid].present and state.is_active(uid):
            return False
    return True


@claim(
    "sometimes",
    "kubernetes/kubernetes#106884, #108366",
    ("lone-pod",),
    (
        broken(
            "that a pod has ended is learnt from its phase in the API",
            by="kubernetes/kubernetes#106884, #108366",
            until="1.24.0",
        ),
    ),
    wrong="no pod is terminated unless the API server says its phase",
)
def a_pod_ends_without_the_api_server(state: Node) -> bool:
    """A pod whose containers have ended is terminated although no phase comes back from the API server."""
    return state.pod_sync_statuses[0].terminated_at


@claim(
    "step",
    "kubernetes/kubernetes#113091, #112998, #113145",
    (),
    (
        broken(
            "nobody retries a pod that is gone from its source",
            by="kubernetes/kubernetes#113091, #112998, #113145",
            since="1.22.5",
            until="1.27.0",
        ),
    ),
    ("allow_static_pod_start",),
    wrong=("{uid} is gone and terminated, holds full name {full_name}, and its worker has nothing to do"),
)
def names_of_removed_pods_become_free(before: Kubelet, after: Kubelet) -> bool:
    """Housekeeping leaves a terminated static pod that is gone and still holds its full name with work to do.

    Its successor cannot start before the name is free.
    """
    if before.housekeeping == Housekeeping.IDLE and after.housekeeping == Housekeeping.SYNCED:
        for full_name in range(len(after.started_static_pods)):
            for uid in range(len(after.pod_manager)):
                status = after.pod_sync_statuses[uid]
                if after.started_static_pods[full_name] == uid and not after.pod_manager[uid]:
                    if status.terminated_at and not status.working:
                        return False
    return True


@claim(
    "always",
    "kubernetes/kubernetes#116880, #113145",
    (),
    (
        broken(
            "deletePod gives up while a source is not ready, and nobody else tries",
            by="kubernetes/kubernetes#116880",
            until="1.27.0",
        ),
        IGNORES_UPDATES,
    ),
    wrong="{uid} is gone from its source, and the first SyncKnownPods does not ask it to terminate",
)
def removed_pods_are_terminated_by_housekeeping(state: Kubelet) -> bool:
    """Once SyncKnownPods has run, every known pod that is gone from its source is asked to terminate.

    A static pod whose file vanished while another source was not ready would run for ever.
    """
    for uid in range(len(state.pod_manager)):
        status = state.pod_sync_statuses[uid]
        gone = state.pods_synced and not state.pod_manager[uid]
        if gone and status.present and not status.terminating_at:
            return False
    return True


@claim(
    "step",
    "kubernetes/kubernetes#110507, #120449",
    ("killed-pod",),
    (
        broken(
            "documented; a REMOVE carries no grace period",
            by="kubernetes/kubernetes#110507, #120449",
            hidden_by=(WalkthroughUpdate,),
        ),
    ),
    wrong="{uid} was removed by force and gets {after.pod_sync_statuses[uid].grace_period} s",
)
def pods_removed_without_deletion_get_one_second(before: Kubelet, after: Kubelet) -> bool:
    """A pod that its source removes without a graceful deletion, as `kubectl delete --force` does, gets 1 s at most.

    Who forces a deletion expects a short one; the kubelet takes the spec's grace period.
    """
    for uid in range(len(before.pod_manager)):
        removed = before.pod_manager[uid] and not after.pod_manager[uid]
        if removed and not before.pod_sync_statuses[uid].terminating_at:
            if after.pod_sync_statuses[uid].grace_period > 1:
                return False
    return True


@claim(
    "step",
    "kubernetes/kubernetes#118172, #137624, #141570",
    ("deferred-eviction",),
    (
        broken(
            "the maximum is passed on as it is, and less than 1 becomes 1",
            by="kubernetes/kubernetes#118172, #137624, #141570",
            hidden_by=(WalkthroughUpdate,),
        ),
    ),
    wrong=(
        "the eviction of {uid} gives it {status.grace_period} s, where its spec has "
        "{after.config[uid].termination_grace_period_seconds} s"
    ),
)
def negative_maximum_leaves_the_grace_period_to_the_pod(before: Kubelet, after: Kubelet) -> bool:
    """A soft eviction whose maximum is negative gives a pod its own grace period, unless it terminates already.

    evictionMaxPodGracePeriod below 0 says: leave it to the pod.
    """
    for uid in range(len(before.pod_manager)):
        status = after.pod_sync_statuses[uid]
        old = before.pod_sync_statuses[uid]
        if status.evicted and not old.evicted and not old.terminating_at:
            if status.grace_period != after.config[uid].termination_grace_period_seconds:
                return False
    return True


@claim(
    "step",
    "kubernetes/kubernetes#116484",
    ("static-rejected",),
    (broken("its status is terminal for ever", by="kubernetes/kubernetes#116484"),),
    wrong="{uid} was rejected and is still there, and housekeeping does not try it again",
)
def rejected_static_pods_are_tried_again(before: Kubelet, after: Kubelet) -> bool:
    """Housekeeping creates a static pod anew that was rejected at admission and is still there.

    Its file does not change when the node has room again.
    """
    for uid in range(len(before.rejected)):
        refused = before.rejected[uid] and before.config[uid].static
        if lists_pods(before, after) and refused:
            if after.chores[uid] != Chore.RECREATE:
                return False
    return True


@claim(
    "step",
    "the name of wasGracePeriodShortened in UpdatePod",
    ("deleted-twice-and-killed",),
    (broken("recorded from the real 1.29 code: any change counts as shorter", hidden_by=WITHOUT_UPDATES),),
    harm=Harm.BOOKKEEPING,
    wrong=(
        "the grace period of {uid} grew from {old} s to "
        "{after.pod_sync_statuses[uid].grace_period} s and cancelled its sync call"
    ),
)
def only_a_shorter_grace_period_cancels(before: Node, after: Node) -> bool:
    """A step that makes a pod's grace period longer does not cancel the sync call under way.

    A SyncPod that waits for volumes fails for nothing. A kill is neither hastened nor disturbed: SyncTerminatingPod
    ignores its context (kubernetes/kubernetes#113606).
    """
    for uid in range(len(before.workers)):
        old = before.pod_sync_statuses[uid].grace_period
        if old > 0 and after.pod_sync_statuses[uid].grace_period > old:
            for generation in range(len(before.workers[uid])):
                if before.workers[uid][generation].context == Context.LIVE:
                    if after.workers[uid][generation].context == Context.CANCELLED:
                        return False
    return True


@claim(
    "always",
    "comment on KillPodOptions.CompletedCh: never left open once CouldHaveRunningContainers() is false",
    ("static-waiting",),
    (
        broken(
            "a pod that was killed while it waited to start is finished with its channel open; recorded from the real "
            "1.29 code",
            since="1.24.0",
            hidden_by=(WalkthroughUpdate,),
        ),
    ),
    harm=Harm.CALLERS,
    wrong="{uid} is terminated, and kill request {request} still waits for it",
)
def terminated_pods_keep_no_killer_waiting(state: Node) -> bool:
    """No completion channel waits for a pod that is terminated already.

    completeTerminating, which would close it, does not run for a pod that was killed before it could start.
    """
    for uid in range(len(state.pod_sync_statuses)):
        if state.pod_sync_statuses[uid].terminated_at:
            for request in range(len(state.completed_channels)):
                if state.pod_sync_statuses[uid].notify_post_terminating[request]:
                    return False
    return True
