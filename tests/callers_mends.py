"""Mends of what docs/findings tells, each in one place of environment `sync loop`."""

from __future__ import annotations

from tests.callers_faults import Fault

from podproof.model.releases import V1_36_3

MENDS = (
    Fault(
        "rejectPod frees what the checkpoint has",
        "rejected_pods_take_up_no_room",
        V1_36_3,
        "rejected-after-restart",
        "reject_pod",
        "self.rejected[uid] = True",
        "self.rejected[uid], self.allocated[uid] = True, False",
    ),
    Fault(
        "a pod that is added while its UID terminates gets an allocation",
        "active_pods_take_up_room",
        V1_36_3,
        "overcommit",
        "add_pod",
        "    self.call(uid, UpdateType.CREATE)",
        "    self.allocate(uid)\n    self.call(uid, UpdateType.CREATE)",
    ),
    Fault(
        "housekeeping kills a rejected pod that runs as the pod that it is",
        "configured_pods_get_their_grace_period",
        V1_36_3,
        "rejected-after-restart",
        "chore",
        "    if self.containers[uid]:",
        "    if self.containers[uid] and self.pod_manager[uid]:\n        return Chore.KILL_TERMINAL\n"
        "    if self.containers[uid]:",
    ),
    Fault(
        "housekeeping keeps a mirror pod while the runtime has its static pod",
        "mirror_pods_stay_while_their_pod_runs",
        V1_36_3,
        "static-pod-restart",
        "delete_orphaned_mirror_pod",
        "    mirror_pod.revision = 0",
        "    require(not self.containers[uid])\n    mirror_pod.revision = 0",
    ),
)
"""A mend is planted as a fault is; its claim is the one that it makes hold in that scenario."""
