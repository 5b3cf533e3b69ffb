"""What reaches the pod worker in the end, whoever dropped it before: the callers' part of what must happen."""

from __future__ import annotations

from podproof.model.state import Phase, Uid
from podproof.model.sync_loop import AS_MADE, SyncLoop
from podproof.specs.claim import ENDED_BEFORE_RELIST, Harm, claim


@claim(
    "leads_to",
    harm=Harm.CALLERS,
    source="HandlePodAdditions, and HandlePodCleanups for a UID that was in use",
    wrong="{uid} is admitted and never gets a worker",
)
def admitted_pods_get_a_worker(state: SyncLoop, uid: Uid) -> tuple[bool, bool]:
    """A pod that was admitted has a worker of its own eventually, or has ended, or is gone from its source.

    Also one that is removed and added again while its UID terminates, or while the runtime is down.
    """
    status = state.pod_sync_statuses[uid]
    over = not state.pod_manager[uid] or state.rejected[uid] or state.config[uid].phase != Phase.RUNNING
    return not over and not status.present, over or status.present


@claim(
    "leads_to",
    harm=Harm.CALLERS,
    source="HandlePodUpdates; else HandlePodSyncs, when the work queue has the pod",
    scenarios=("restart-all-containers",),
    wrong="{uid} has a newer spec, and its worker never sees it",
)
def newer_specs_reach_the_worker(state: SyncLoop, uid: Uid) -> tuple[bool, bool]:
    """A worker is given the newest object of its pod eventually, or the pod terminates or is gone.

    An UPDATE that is dropped or replaced comes with the next resync, a minute later or more.
    """
    status = state.pod_sync_statuses[uid]
    over = not state.pod_manager[uid] or not status.present or status.is_termination_requested()
    newest = status.active_update.present and status.active_update.pod.revision == state.config[uid].revision
    return not over and not newest, over or newest


@claim(
    "leads_to",
    harm=Harm.CALLERS,
    source="tryReconcileMirrorPods",
    wrong="{uid} runs, and the API server never has a mirror pod of it as the kubelet makes it",
)
def running_static_pods_have_a_mirror_pod(state: SyncLoop, uid: Uid) -> tuple[bool, bool]:
    """A static pod with a worker has a mirror pod eventually, also after somebody deletes it, or terminates."""
    status = state.pod_sync_statuses[uid]
    runs = state.config[uid].static and state.pod_manager[uid] and not state.rejected[uid] and status.present
    lacks = runs and not status.is_termination_requested() and state.mirror_pods[uid].revision != AS_MADE
    return lacks, not lacks


@claim(
    "leads_to",
    harm=Harm.BOOKKEEPING,
    source='HandlePodCleanups: "Remove any orphaned mirror pods"',
    wrong="{uid} is gone from its source, and its mirror pod is never deleted",
)
def orphaned_mirror_pods_are_deleted(state: SyncLoop, uid: Uid) -> tuple[bool, bool]:
    """The mirror pod of a static pod that is gone from its source is deleted eventually, or the pod is there again."""
    over = state.pod_manager[uid] or state.mirror_pods[uid].revision == 0
    return not over, over


@claim(
    "leads_to",
    harm=Harm.BOOKKEEPING,
    source="HandlePodRemoves and RemoveOrphanedPods of the allocation manager",
    wrong="{uid} is gone from its source, and its allocation is never freed",
)
def allocations_of_removed_pods_are_freed(state: SyncLoop, uid: Uid) -> tuple[bool, bool]:
    """What is allocated to a pod that is gone from its source is freed eventually, or the pod is there again.

    Otherwise a pod that is rejected when its UID comes again passes for one that was admitted.
    """
    over = state.pod_manager[uid] or not state.allocated[uid]
    return not over, over


@claim(
    "leads_to",
    source="UpdatePod and HandlePodCleanups: what has ended is not to run",
    violations=(ENDED_BEFORE_RELIST,),
    wrong="{uid} has ended, and its containers are never stopped",
)
def containers_of_ended_pods_are_stopped(state: SyncLoop, uid: Uid) -> tuple[bool, bool]:
    """Containers of a pod that has ended in the API are eventually stopped, or its object is gone."""
    runs = state.pod_manager[uid] and state.config[uid].phase != Phase.RUNNING and state.containers[uid]
    return runs, not runs
