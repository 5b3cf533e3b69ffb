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
        "handle_mirror_pod_additions",
        "if self.pod_manager[uid]:",
        "if self.pod_manager[uid] and self.sources_ready:",
    ),
    Fault(
        "nobody is told of a mirror pod that goes away after its deletion",
        "changes_of_mirror_pods_reach_the_worker",
        V1_36,
        "static-pod-restart",
        "handle_mirror_pod_removes",
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
        "reject_pod",
        "    self.rejected[uid] = True",
        "    self.rejected[uid] = True\n    self.call(uid, UpdateType.CREATE)",
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
        "admits",
        "    if admitted:",
        "    self.allocate(uid)\n    if admitted:",
    ),
    Fault(
        "what the checkpoint has is not allocated again",
        "active_pods_take_up_room",
        V1_36_3,
        "rejected-after-restart",
        "allocate",
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
        "allocate",
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
        "handle_mirror_pod_updates",
        "    self.mirror_pods[uid].managed = self.mirror_pods[uid].revision\n"
        "    if self.pod_manager[uid] and not self.skips_updates_of_mirror_pod(uid):\n"
        "        self.call(uid, UpdateType.UPDATE)",
        "    if self.pod_manager[uid] and not self.skips_updates_of_mirror_pod(uid):\n"
        "        self.call(uid, UpdateType.UPDATE)\n"
        "    self.mirror_pods[uid].managed = self.mirror_pods[uid].revision",
    ),
    Fault(
        "a pod whose UID terminates is not handed on",
        "accepted_pods_are_created",
        V1_36_3,
        "removed-and-added",
        "call",
        "    self.call_with_mirror_pod(uid, update_type, mirror_pod)",
        "    if update_type != UpdateType.CREATE or not self.is_pod_termination_requested(uid):\n"
        "        self.call_with_mirror_pod(uid, update_type, mirror_pod)",
    ),
    Fault(
        "a pod is handed on if it has an allocation",
        "accepted_pods_are_created",
        V1_36_3,
        "rejected-after-restart",
        "call",
        "    self.call_with_mirror_pod(uid, update_type, mirror_pod)",
        "    if update_type != UpdateType.CREATE or self.allocated[uid]:\n"
        "        self.call_with_mirror_pod(uid, update_type, mirror_pod)",
    ),
    Fault(
        "a pod is admitted beside as many as there is room for",
        "active_pods_fit_the_node",
        V1_36_3,
        "rejected-pod",
        "has_room",
        "others < self.room",
        "others <= self.room",
    ),
    Fault(
        "a pod counts once its containers run",
        "active_pods_fit_the_node",
        V1_36_3,
        "rejected-pod",
        "counts",
        "return self.allocated[uid]",
        "return self.allocated[uid] and self.containers[uid]",
    ),
    Fault(
        "AddPod allocates before it asks",
        "rejected_pods_have_no_allocation",
        V1_36_3,
        "rejected-pod",
        "admits",
        "    if admitted:",
        "    self.allocate(uid)\n    if admitted:",
    ),
    Fault(
        "HandlePodUpdates allocates what the newer object asks for",
        "rejected_pods_have_no_allocation",
        V1_36_3,
        "rejected-pod",
        "handle_pod_updates",
        "    if self.pod_manager[uid] and",
        "    self.allocated[uid] = self.pod_manager[uid]\n    if self.pod_manager[uid] and",
    ),
    Fault(
        "housekeeping creates what the pod manager has",
        "housekeeping_creates_admitted_pods_alone",
        V1_36_3,
        "rejected-after-restart",
        "chore",
        "if self.pod_manager[uid] and self.is_active(uid):",
        "if self.pod_manager[uid]:",
    ),
    Fault(
        "housekeeping creates what the pod manager lacks",
        "housekeeping_creates_admitted_pods_alone",
        V1_36_3,
        "removed-and-added",
        "chore",
        "if self.pod_manager[uid] and self.is_active(uid):",
        "if self.is_active(uid):",
    ),
    Fault(
        "a static pod is killed if its mirror pod is added before it",
        "the_sync_loop_kills_once_sources_are_ready",
        V1_36_3,
        "static-pod-restart",
        "handle_mirror_pod_additions",
        "        self.call(uid, UpdateType.UPDATE)",
        "        self.call(uid, UpdateType.UPDATE)\n    else:\n        self.call(uid, UpdateType.KILL)",
    ),
    Fault(
        "a deletion is handed on as a kill",
        "the_sync_loop_kills_once_sources_are_ready",
        V1_36_3,
        "rejected-after-restart",
        "handle_pod_updates",
        "UpdateType.UPDATE",
        "UpdateType.KILL",
    ),
    Fault(
        "an update is handed on as a kill",
        "the_sync_loop_kills_what_is_unwanted",
        V1_36_3,
        "restart-all-containers",
        "handle_pod_updates",
        "UpdateType.UPDATE",
        "UpdateType.KILL",
    ),
    Fault(
        "a pod that is added while its UID terminates is killed again",
        "the_sync_loop_kills_what_is_unwanted",
        V1_36_3,
        "removed-and-added",
        "call",
        "    self.call_with_mirror_pod(uid, update_type, mirror_pod)",
        "    if update_type == UpdateType.CREATE and self.is_pod_termination_requested(uid):\n"
        "        update_type = UpdateType.KILL\n"
        "    self.call_with_mirror_pod(uid, update_type, mirror_pod)",
    ),
    Fault(
        "SyncKnownPods does not return pods that have ended",
        "configured_pods_get_their_grace_period",
        V1_36_3,
        "rejected-after-restart",
        "record_known_pod",
        "self.known_pods[uid] = True",
        "self.known_pods[uid] = self.config[uid].phase == Phase.RUNNING",
    ),
    Fault(
        "SyncKnownPods returns what was found in the runtime alone",
        "configured_pods_get_their_grace_period",
        V1_36_3,
        "rejected-after-restart",
        "record_known_pod",
        "self.known_pods[uid] = True",
        "self.known_pods[uid] = self.pod_sync_statuses[uid].observed_runtime",
    ),
    Fault(
        "a mirror pod is deleted while its static pod terminates",
        "mirror_pods_stay_while_their_pod_runs",
        V1_36_3,
        "removed-and-added",
        "delete_orphaned_mirror_pod",
        "    require(not self.is_pod_for_mirror_pod_terminating_by_full_name(self.full_names[uid]))\n",
        "",
    ),
    Fault(
        "a mirror pod is deleted until SyncTerminatingPod begins",
        "mirror_pods_stay_while_their_pod_runs",
        V1_36_3,
        "removed-and-added",
        "delete_orphaned_mirror_pod",
        "require(not self.is_pod_for_mirror_pod_terminating_by_full_name(self.full_names[uid]))",
        "require(not status.started_terminating)",
    ),
    Fault(
        "housekeeping creates what has an allocation",
        "admitted_pods_get_a_worker",
        V1_36_3,
        "removed-and-added",
        "chore",
        "self.is_active(uid):",
        "self.is_active(uid) and self.allocated[uid]:",
    ),
    Fault(
        "housekeeping creates API pods alone",
        "admitted_pods_get_a_worker",
        V1_36_3,
        "added-during-outage",
        "chore",
        "self.is_active(uid):",
        "self.is_active(uid) and not self.is_static_pod(uid):",
    ),
    Fault(
        "the callers pass the object that the worker has",
        "newer_specs_reach_the_worker",
        V1_36_3,
        "restart-all-containers",
        "call_with_mirror_pod",
        "    self.update_pod(uid, options)",
        "    options.pod.revision = self.pod_sync_statuses[uid].active_update.pod.revision\n"
        "    self.update_pod(uid, options)",
    ),
    Fault(
        "HandlePodSyncs leaves out pods without running containers",
        "newer_specs_reach_the_worker",
        V1_36_3,
        "restart-all-containers",
        "handle_pod_syncs",
        "    self.call(uid, UpdateType.SYNC)",
        "    if self.containers[uid]:\n        self.call(uid, UpdateType.SYNC)",
    ),
    Fault(
        "the resync comes without the mirror pod",
        "running_static_pods_have_a_mirror_pod",
        V1_36_3,
        "static-pod-restart",
        "call",
        "if update_type != UpdateType.KILL:",
        "if update_type == UpdateType.UPDATE:",
    ),
    Fault(
        "a mirror pod that is being deleted is not made anew",
        "running_static_pods_have_a_mirror_pod",
        V1_36_3,
        "removed-and-added",
        "reconcile_mirror_pod",
        "mirror_pod.revision != AS_MADE",
        "mirror_pod.revision == 0",
    ),
    Fault(
        "an orphaned mirror pod is deleted once somebody else has deleted it",
        "orphaned_mirror_pods_are_deleted",
        V1_36_3,
        "removed-and-added",
        "delete_orphaned_mirror_pod",
        "mirror_pod.managed != 0",
        "mirror_pod.managed == DELETED",
    ),
    Fault(
        "an orphaned mirror pod is deleted as long as its pod has a worker",
        "orphaned_mirror_pods_are_deleted",
        V1_36_3,
        "removed-and-added",
        "delete_orphaned_mirror_pod",
        "not status.present or status",
        "status.present and status",
    ),
    Fault(
        "housekeeping frees no allocation that the checkpoint has",
        "allocations_of_removed_pods_are_freed",
        V1_36_3,
        "rejected-after-restart",
        "remove_orphaned_pods",
        "if not self.pod_manager[uid]:",
        "if not self.pod_manager[uid] and not self.checkpoint[uid]:",
    ),
    Fault(
        "housekeeping frees the allocations of rejected pods",
        "allocations_of_removed_pods_are_freed",
        V1_36_3,
        "static-pod-restart",
        "remove_orphaned_pods",
        "if not self.pod_manager[uid]:",
        "if self.rejected[uid]:",
    ),
    Fault(
        "HandlePodSyncs leaves out pods that have ended",
        "containers_of_ended_pods_are_stopped",
        V1_36_3,
        "rejected-after-restart",
        "handle_pod_syncs",
        "    self.call(uid, UpdateType.SYNC)",
        "    if self.config[uid].phase == Phase.RUNNING:\n        self.call(uid, UpdateType.SYNC)",
    ),
    Fault(
        "the callers pass a pod with the phase that it had at first",
        "containers_of_ended_pods_are_stopped",
        V1_36_3,
        "rejected-after-restart",
        "pod",
        "phase=pod.phase",
        "phase=Phase.RUNNING",
    ),
)
