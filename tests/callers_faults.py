"""Faults planted in environment `sync loop`, two for each claim about the callers. Each changes one place."""

from __future__ import annotations

import inspect
import textwrap
from typing import NamedTuple

from tests.mutants import override

from podproof.model.releases import V1_36, V1_36_3
from podproof.model.releases.v1_35 import V1_35


class Fault(NamedTuple):
    """What the faulty callers do, and the claim that notices it there."""

    name: str
    claim: str
    release: type[V1_36_3]
    scenario: str
    method: str
    text: str
    instead: str

    def plant(self) -> type[V1_35]:
        """The release with the fault. Raises ValueError where the method has the place not exactly once."""
        original = getattr(self.release.sync_loop, self.method)
        source = textwrap.dedent(inspect.getsource(original))
        if source.count(self.text) != 1:
            raise ValueError(f"fault {self.name!r}: {self.method} has {self.text!r} {source.count(self.text)} times")
        faulty = override(self.release.sync_loop, original, source.replace(self.text, self.instead), self.name)
        return type("Faulty", (self.release,), {"sync_loop": faulty})


FAULTS = (
    Fault(
        "a mirror pod that is added is told of once all sources are ready",
        "changes_of_mirror_pods_reach_the_worker",
        V1_36,
        "static-pod-restart",
        "add_mirror_pod",
        "if self.pod_manager[uid]:",
        "if self.pod_manager[uid] and self.sources_ready:",
    ),
    Fault(
        "nobody is told of a mirror pod that goes away after its deletion",
        "changes_of_mirror_pods_reach_the_worker",
        V1_36,
        "static-pod-restart",
        "remove_mirror_pod",
        "if self.pod_manager[uid]:",
        "if self.pod_manager[uid] and gone != DELETED:",
    ),
    Fault(
        "updates of a pod without running containers are dropped",
        "changes_of_pods_reach_the_worker",
        V1_36_3,
        "restart-all-containers",
        "handle_pod_updates",
        "if self.pod_manager[uid] and",
        "if self.pod_manager[uid] and self.containers[uid] and",
    ),
    Fault(
        "a rejected pod that is removed is not killed",
        "changes_of_pods_reach_the_worker",
        V1_36,
        "rejected-after-restart",
        "call",
        "    self.call_with_mirror_pod(uid, update_type, mirror_pod)",
        "    if update_type != UpdateType.KILL or not self.rejected[uid]:\n"
        "        self.call_with_mirror_pod(uid, update_type, mirror_pod)",
    ),
    Fault(
        "updates of a rejected pod are not dropped",
        "rejected_pods_are_not_handed_to_a_worker",
        V1_36_3,
        "rejected-pod",
        "skips_updates_of",
        "return not self.allocated[uid]",
        "return False",
    ),
    Fault(
        "a rejected pod is created",
        "rejected_pods_are_not_handed_to_a_worker",
        V1_36_3,
        "rejected-pod",
        "note_allocation",
        "    if admitted and self.can_be_rejected(uid):",
        "    if not admitted:\n        self.call(uid, UpdateType.CREATE)\n"
        "    if admitted and self.can_be_rejected(uid):",
    ),
    Fault(
        "a rejected pod is as active as any other",
        "rejected_pods_take_up_no_room",
        V1_36,
        "rejected-pod",
        "is_active",
        " or self.rejected[uid]",
        "",
    ),
    Fault(
        "a rejected pod gets an allocation",
        "rejected_pods_take_up_no_room",
        V1_36_3,
        "rejected-pod",
        "note_allocation",
        "if admitted and self.can_be_rejected(uid):",
        "if self.can_be_rejected(uid):",
    ),
    Fault(
        "what the checkpoint has is not allocated again",
        "active_pods_take_up_room",
        V1_36_3,
        "rejected-after-restart",
        "note_allocation",
        "self.allocated[uid] = True",
        "self.allocated[uid] = not self.checkpoint[uid]",
    ),
    Fault(
        "housekeeping drops all allocations",
        "active_pods_take_up_room",
        V1_36_3,
        "rejected-after-restart",
        "remove_orphaned_pods",
        "if not self.pod_manager[uid]:",
        "if not self.known_pods[uid]:",
    ),
    Fault(
        "AddPod allocates nothing",
        "running_pods_have_an_allocation",
        V1_36_3,
        "rejected-pod",
        "note_allocation",
        "self.allocated[uid] = True",
        "self.allocated[uid] = False",
    ),
    Fault(
        "housekeeping drops the allocations of pods that run",
        "running_pods_have_an_allocation",
        V1_36_3,
        "rejected-after-restart",
        "remove_orphaned_pods",
        "if not self.pod_manager[uid]:",
        "if not self.known_pods[uid]:",
    ),
    Fault(
        "HandlePodUpdates is called before the pod manager has the deletion",
        "callers_pass_the_newest_pod",
        V1_36_3,
        "restart-all-containers",
        "handle_pod_deletion",
        "    self.change(uid)\n    self.handle_pod_updates(uid)",
        "    self.handle_pod_updates(uid)\n    self.change(uid)",
    ),
    Fault(
        "the callers pass the object that the worker has waiting",
        "callers_pass_the_newest_pod",
        V1_36_3,
        "restart-all-containers",
        "call_with_mirror_pod",
        "    self.update_pod(uid, options)",
        "    options.pod.revision = self.pod_sync_statuses[uid].pending_update.pod.revision\n"
        "    self.update_pod(uid, options)",
    ),
    Fault(
        "HandlePodSyncs comes without the mirror pod",
        "static_pods_come_with_their_mirror_pod",
        V1_36_3,
        "static-pod-restart",
        "call",
        "if update_type != UpdateType.KILL:",
        "if update_type == UpdateType.UPDATE:",
    ),
    Fault(
        "the worker is told of a mirror pod as it was before its deletion",
        "static_pods_come_with_their_mirror_pod",
        V1_36,
        "static-pod-restart",
        "delete_mirror_pod",
        "        mirror_pod.managed = DELETED\n"
        "        if self.pod_manager[uid] and not self.skips_updates_of_mirror_pod(uid):\n"
        "            self.call(uid, UpdateType.UPDATE)",
        "        if self.pod_manager[uid] and not self.skips_updates_of_mirror_pod(uid):\n"
        "            self.call(uid, UpdateType.UPDATE)\n"
        "        mirror_pod.managed = DELETED",
    ),
)
