"""Which pods the kubelet accepts, and what is allocated to whom: what the allocation manager is told."""

from __future__ import annotations

from podproof.model.kubelet import Admission
from podproof.model.language import Event
from podproof.model.state import UpdateType
from podproof.model.sync_loop import SyncLoop
from podproof.specs.claim import Harm, broken, claim


@claim(
    "step",
    "HandlePodAdditions; in 1.36 it leaves out AddPod, and not UpdatePod, for a pod that has ended or terminates",
    harm=Harm.CALLERS,
    wrong="{event.uid} is added and accepted, and UpdatePod(create) is not called for it",
)
def accepted_pods_are_created(before: SyncLoop, event: Event, after: SyncLoop) -> bool:
    """A pod that is added and not rejected is handed to UpdatePod, as a create.

    Also one that has ended already, whose volumes and cgroup only its worker takes down, and one whose UID still
    terminates: UpdatePod notes that it is to be started again.
    """
    if event.action != "handle_pod_additions" or event.admission == Admission.REJECTED:
        return True
    return after.calls[event.uid].present and after.calls[event.uid].update_type == UpdateType.CREATE


@claim(
    "always",
    'HandlePodAdditions: "activePods include all admitted pods that are alive"',
    violations=(
        broken(
            "a pod that is added while its UID terminates is not asked for admission: while it is gone from the pod "
            "manager another one is admitted, and since 1.36.3 also after it has started again, since it has no "
            "allocation then",
            by="kubernetes/kubernetes#139522",
            since="1.36.0",
            scenarios=("overcommit",),
            on_real_code="1.36.3 does the latter, with a manifest that is moved away and back: recorded",
        ),
    ),
    wrong="{pods} pods are active, and the node has room for {state.room}",
)
def active_pods_fit_the_node(state: SyncLoop) -> bool:
    """No more pods are active, and not rejected, than the node has room for.

    Pods that were promised CPU and memory do not get it, and the kernel kills some of them.
    """
    pods = 0
    for uid in range(len(state.pod_manager)):
        if state.pod_manager[uid] and not state.rejected[uid] and state.is_active(uid):
            pods += 1
    return pods <= state.room


@claim(
    "always",
    "HandlePodUpdates: \"Skip pods that haven't been allocated yet to avoid counting them against node capacity before "
    "they've been admitted\"",
    violations=(
        broken(
            "rejectPod leaves what the checkpoint has: a pod was admitted, the kubelet restarts, and the pod is "
            "rejected",
            by="kubernetes/kubernetes#139522",
            since="1.36.0",
            scenarios=("rejected-after-restart", "static-pod-restart"),
            on_real_code="1.36.3 does it: recorded",
        ),
    ),
    harm=Harm.BOOKKEEPING,
    wrong="{uid}, which was rejected at admission, has an allocation",
)
def rejected_pods_have_no_allocation(state: SyncLoop) -> bool:
    """Nothing is allocated to a pod that was rejected at admission.

    Whoever asks for the allocation takes the pod for an admitted one: since 1.36.3 it gets its updates, and counts.
    """
    for uid in range(len(state.rejected)):
        if state.pod_manager[uid] and state.rejected[uid] and state.allocated[uid]:
            return False
    return True
