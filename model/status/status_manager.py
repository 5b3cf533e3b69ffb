"""What the status manager decides by, and the status manager itself.

Go: pkg/kubelet/status/status_manager.go in 1.29 to 1.32, which do the same.
"""

from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field, replace
from typing import ClassVar

from podproof.model.core_v1 import (
    LOST,
    OWNED,
    ApiPod,
    ConditionStatus,
    ConditionType,
    Container,
    ContainerState,
    ContainerStatus,
    PodCondition,
    PodPhase,
    PodSource,
    PodStatus,
    RestartPolicy,
    Started,
    StateOf,
    all_containers_could_restart,
    find_matching_container_restart_rule,
    get_pod_condition,
    replace_or_append_pod_condition,
)
from podproof.model.language import NIL, make
from podproof.model.notes import go
from podproof.model.pod_manager import PodManager
from podproof.model.status.api_server import ApiFailure, ApiServer
from podproof.model.status.generate import (
    POD_COMPLETED,
    POD_FAILED,
    generate_containers_ready_condition,
    generate_pod_ready_condition,
)
from podproof.model.status.merge_pod_status import CONDITIONS, MergePodStatus, MergePodStatus1_23
from podproof.model.status.update_status import (
    ContainerChange,
    ContainerChange1_35,
    UpdateStatus,
    UpdateStatus1_26,
    UpdateStatus1_35,
    UpdateStatus1_36,
    WriteStatus,
)

TIMED = (
    ConditionType.CONTAINERS_READY,
    ConditionType.READY,
    ConditionType.INITIALIZED,
    ConditionType.POD_READY_TO_START_CONTAINERS,
    ConditionType.POD_SCHEDULED,
    ConditionType.DISRUPTION_TARGET,
)
"""The conditions whose times updateStatusInternal sets."""


@dataclass
class VersionedPodStatus:
    """versionedPodStatus."""

    status: PodStatus
    version: int
    pod_name: str
    pod_is_finished: bool


@dataclass
class PodSync:
    """podSync: a status that is to be written."""

    uid: str
    status: VersionedPodStatus


@dataclass
class StatusManager:
    """The status manager of kubelet 1.29 to 1.32, and what it is given to work with."""

    merge_status: ClassVar[type[MergePodStatus]] = MergePodStatus
    update_status: ClassVar[type[UpdateStatus]] = UpdateStatus
    write_status: ClassVar[type[WriteStatus]] = WriteStatus
    pod_manager: PodManager = field(default_factory=PodManager)
    api: ApiServer = field(default_factory=ApiServer)
    could_have_running: dict[str, bool] = field(default_factory=dict)
    """What the pod workers answer PodCouldHaveRunningContainers, by UID."""
    now: int = 0
    pod_statuses: dict[str, VersionedPodStatus] = field(default_factory=dict)
    """By the UID in the source, which is the static pod's and not its mirror pod's."""
    api_status_versions: dict[str, int] = field(default_factory=dict)
    """By the UID at the API server: the version that was written last. It outlives the cached status."""
    token: bool = False
    """Is the writer to be woken? podStatusChannel has room for one token."""

    # -- what the rest of the kubelet calls ------------------------------------------------------------------------

    @go("SetPodStatus")
    def set_pod_status(self, pod: ApiPod, status: PodStatus) -> None:
        self.update_status_internal(pod, deepcopy(status), force_update=pod.deletion_timestamp, pod_is_finished=False)

    @go("SetContainerReadiness")
    def set_container_readiness(self, uid: str, container_id: str, ready: bool) -> None:
        pod, cached = self.pod_manager.pod_by_uid.get(uid), self.pod_statuses.get(uid)
        if pod is None or cached is None:
            return
        status = deepcopy(cached.status)
        container = find_container_status(status, container_id)
        if container is None or container.ready == ready:
            return
        container.ready = ready
        every = [*status.init_container_statuses, *status.container_statuses]
        pod_ready = generate_pod_ready_condition(pod, status.conditions, every, status.phase)
        replace_or_append_pod_condition(status.conditions, pod_ready)
        containers_ready = generate_containers_ready_condition(pod, every, status.phase)
        replace_or_append_pod_condition(status.conditions, containers_ready)
        self.update_status_internal(pod, status, force_update=False, pod_is_finished=False)

    @go("SetContainerStartup")
    def set_container_startup(self, uid: str, container_id: str, started: bool) -> None:
        pod, cached = self.pod_manager.pod_by_uid.get(uid), self.pod_statuses.get(uid)
        if pod is None or cached is None:
            return
        status = deepcopy(cached.status)
        container = find_container_status(status, container_id)
        wanted = Started.YES if started else Started.NO
        if container is None or container.started == wanted:
            return
        container.started = wanted
        self.update_status_internal(pod, status, force_update=False, pod_is_finished=False)

    @go("TerminatePod")
    def terminate_pod(self, pod: ApiPod) -> None:
        """The pod's resources are released. What is not known to have ended has failed."""
        cached = self.pod_statuses.get(pod.uid)
        status = self.ended_status(pod, cached.status if cached is not None else pod.status)
        if not pod.is_static() and not status.phase.is_terminal():
            status.phase = PodPhase.FAILED
        self.update_status_internal(pod, status, force_update=True, pod_is_finished=True)

    @go("TerminatePod", part="the containers")
    def ended_status(self, pod: ApiPod, known: PodStatus) -> PodStatus:
        status = deepcopy(known)
        if self.has_pod_initialized(pod):
            for container in status.container_statuses:
                self.end_container(container)
        for container in self.initialized_containers(status.init_container_statuses):
            self.end_container(container)
        return status

    def end_container(self, status: ContainerStatus) -> None:
        if status.state.of != StateOf.TERMINATED:
            status.state = LOST

    @go("hasPodInitialized")
    def has_pod_initialized(self, pod: ApiPod) -> bool:
        """As far as the passed object shows; the cached status is not asked."""
        if not pod.init_containers:
            return True
        for status in pod.status.container_statuses:
            if has_begun(status):
                return True
        last = len(pod.status.init_container_statuses) - 1
        if last < 0 or last >= len(pod.init_containers):
            return False
        container, status = pod.init_containers[last], pod.status.init_container_statuses[last]
        if container.name != status.name:
            return False
        if container.restartable_init:
            return status.state.of == StateOf.RUNNING and status.started == Started.YES
        return has_succeeded(status.last_termination_state) or has_succeeded(status.state)

    @go("initializedContainers")
    def initialized_containers(self, statuses: list[ContainerStatus]) -> list[ContainerStatus]:
        """Up to the last one that has begun; the first one in any case."""
        for i in range(len(statuses) - 1, -1, -1):
            if has_begun(statuses[i]):
                return statuses[: i + 1]
        return statuses[:1]

    @go("RemoveOrphanedStatuses")
    def remove_orphaned_statuses(self, uids: set[str]) -> None:
        for uid in list(self.pod_statuses):
            if uid not in uids:
                del self.pod_statuses[uid]

    # -- the cache -------------------------------------------------------------------------------------------------

    @go("updateStatusInternal")
    def update_status_internal(self, pod: ApiPod, status: PodStatus, force_update: bool, pod_is_finished: bool) -> None:
        cached = self.pod_statuses.get(pod.uid)
        mirror_pod = self.pod_manager.get_mirror_pod_by_pod(pod)
        rule = make(self.update_status, NO_CONTAINERS)
        rule.is_static, rule.is_cached, rule.force_update = pod.is_static(), cached is not None, force_update
        rule.pod_is_finished = pod_is_finished
        if cached is not None:
            old = cached.status
            rule.cached_is_finished = cached.pod_is_finished
        elif mirror_pod is not None:
            old = mirror_pod.status
        else:
            old = pod.status
        if self.check_container_state_transition(old, status, pod):
            # All of it is dropped, also that the pod is finished.
            return
        for condition in status.conditions:
            if condition.type in TIMED:
                update_last_transition_time(condition, old, self.now)
        if old.start_time != NIL:
            status.start_time = old.start_time
        elif status.start_time == NIL:
            status.start_time = self.now
        self.normalize_status(pod, status)
        rule.is_equal = cached is not None and self.is_pod_status_by_kubelet_equal(cached.status, status)
        if not rule.is_worth_storing():
            return
        rule.remember_whether_finished()
        version = cached.version + 1 if cached is not None else 1
        self.pod_statuses[pod.uid] = VersionedPodStatus(status, version, pod.name, rule.stored_is_finished)
        self.token = True

    @go("normalizeStatus")
    def normalize_status(self, pod: ApiPod, status: PodStatus) -> None:
        """Regular containers by name, init containers as the spec has them."""
        status.container_statuses.sort(key=lambda container: container.name)
        order = [container.name for container in pod.init_containers]
        known = [s for name in order for s in status.init_container_statuses if s.name == name]
        status.init_container_statuses = known + [s for s in status.init_container_statuses if s.name not in order]

    @go("deletePodStatus")
    def delete_pod_status(self, uid: str) -> None:
        self.pod_statuses.pop(uid, None)

    # -- the writer ------------------------------------------------------------------------------------------------

    @go("syncBatch", part="which statuses to write")
    def updated_statuses(self, every: bool) -> list[PodSync]:
        """Those with a new version; every ten seconds (`every`) also those that differ from what the API server has."""
        pod_to_mirror = self.pod_manager.get_uid_translations()
        if every:
            for api_uid in list(self.api_status_versions):
                if api_uid not in self.pod_statuses and api_uid not in self.pod_manager.translation_by_uid:
                    del self.api_status_versions[api_uid]
        updated = []
        for uid, status in self.pod_statuses.items():
            api_uid = pod_to_mirror.get(uid, uid)
            if not api_uid:
                # A static pod without a mirror pod.
                continue
            rule = self.rule_of_writing(every, api_uid, status)
            if not rule.is_to_be_written() and every:
                rule.differs = self.needs_reconcile(uid, status.status)
                if rule.differs:
                    # So that it counts as not written.
                    self.api_status_versions.pop(api_uid, None)
            if rule.is_to_be_written():
                updated.append(PodSync(uid, status))
        return updated

    def rule_of_writing(self, every: bool, api_uid: str, status: VersionedPodStatus) -> WriteStatus:
        rule = make(self.write_status, {})
        rule.every, rule.version = every, status.version
        rule.is_recorded = api_uid in self.api_status_versions
        rule.recorded_version = self.api_status_versions.get(api_uid, 0)
        pod = self.pod_manager.pod_by_uid.get(api_uid)
        rule.can_be_deleted = pod is not None and self.can_be_deleted(pod, status.pod_is_finished)
        return rule

    @go("needsReconcile")
    def needs_reconcile(self, uid: str, status: PodStatus) -> bool:
        """Does the pod manager's object, which came from the API server, say something else?"""
        pod = self.pod_manager.pod_by_uid.get(uid)
        if pod is not None and pod.is_static():
            pod = self.pod_manager.get_mirror_pod_by_pod(pod)
        if pod is None:
            return False
        known = deepcopy(pod.status)
        self.normalize_status(pod, known)
        return not self.is_pod_status_by_kubelet_equal(known, status)

    @go("syncPod")
    def sync_pod(self, uid: str, status: VersionedPodStatus) -> None:
        """Write a status. After a failure nothing is remembered, and the next batch tries again."""
        try:
            pod = self.api.get(status.pod_name)
            if self.pod_manager.translate_pod_uid(pod.uid) != uid:
                # Another pod under the same name.
                self.delete_pod_status(uid)
                return
            # The workers know a mirror pod's own UID of no container.
            could_have_running = self.could_have_running.get(pod.uid, False)
            merged = self.merge_pod_status(pod.status, status.status, could_have_running, self.now)
            if merged != pod.status:
                pod = self.api.patch_status(pod, merged)
            self.api_status_versions[pod.uid] = status.version
            if self.can_be_deleted(pod, status.pod_is_finished):
                self.api.delete(pod)
                self.delete_pod_status(uid)
        except ApiFailure:
            return

    @go("canBeDeleted")
    def can_be_deleted(self, pod: ApiPod, pod_is_finished: bool) -> bool:
        if not pod.deletion_timestamp or pod.source == PodSource.MIRROR:
            return False
        return pod.status.phase.is_terminal() and pod_is_finished

    # -- may the containers have become what a status says? --------------------------------------------------------

    @go("checkContainerStateTransition")
    def check_container_state_transition(self, old: PodStatus, new: PodStatus, pod: ApiPod) -> str:
        """What is wrong with the change; empty for nothing. A container that ended stays so, unless it may restart."""
        if pod.restart_policy == RestartPolicy.ALWAYS:
            return ""
        for status in old.container_statuses:
            spec = next((one for one in pod.containers if one.name == status.name), None)
            if self.has_left_its_end(status, new.container_statuses, pod.restart_policy, spec):
                return f"terminated container {status.name} attempted illegal transition to non-terminated state"
        for i, status in enumerate(old.init_container_statuses):
            if i >= len(pod.init_containers) or pod.init_containers[i].name != status.name:
                return f"found mismatch between pod spec and status, container: {status.name}"
            if pod.init_containers[i].restartable_init:
                continue
            if self.has_left_its_end(status, new.init_container_statuses, pod.restart_policy, pod.init_containers[i]):
                return f"terminated init container {status.name} attempted illegal transition to non-terminated state"
        return ""

    def has_left_its_end(
        self, old: ContainerStatus, new: list[ContainerStatus], policy: RestartPolicy, spec: Container | None
    ) -> bool:
        rule = make(self.update_status, NO_CONTAINERS)
        rule.restart_policy = policy
        same = (status for status in new if status.name == old.name)
        return any(rule.has_left_its_end(self.change_of(old, status, spec)) for status in same)

    def change_of(self, old: ContainerStatus, new: ContainerStatus, spec: Container | None) -> ContainerChange:
        return ContainerChange(False, old.state.of, old.state.exit_code, True, new.state.of)

    # -- are two statuses the same as far as the kubelet writes them? ----------------------------------------------

    @go("isPodStatusByKubeletEqual")
    def is_pod_status_by_kubelet_equal(self, old: PodStatus, status: PodStatus) -> bool:
        """Conditions that only the old one has, those of others and the times of all do not count."""
        for condition in status.conditions:
            if condition.type in OWNED or condition.type == ConditionType.DISRUPTION_TARGET:
                before = get_pod_condition(old, condition.type)
                if before is None or not same_condition(before, condition):
                    return False
        return replace(old, conditions=[]) == replace(status, conditions=[])

    # -- what is written to the API server -------------------------------------------------------------------------

    @go("mergePodStatus")
    def merge_pod_status(self, old: PodStatus, new: PodStatus, could_have_running: bool, now: int) -> PodStatus:
        """The API server's status with the kubelet's put over it; a terminal phase waits until nothing can run.

        A condition DisruptionTarget of `new` gets its time there as well, as the Go's two slices share it.
        """
        rule = make(self.merge_status, CONDITIONS)
        rule.old_phase, rule.new_phase = old.phase, new.phase
        rule.could_have_running_containers = could_have_running
        conditions = [condition for condition in old.conditions if condition.type not in OWNED]
        for condition in new.conditions:
            if condition.type in OWNED:
                conditions.append(condition)
            elif condition.type == ConditionType.DISRUPTION_TARGET:
                if rule.becomes_terminal() and not could_have_running:
                    update_last_transition_time(condition, old, now)
                    replace_or_append_pod_condition(conditions, condition)
        merged = replace(new, conditions=[replace(condition) for condition in conditions])
        merged.phase = rule.merged_phase()
        if rule.waits_for_containers():
            merged.reason, merged.message = old.reason, old.message
        if merged.phase.is_terminal():
            self.unready(merged, now)
        return merged

    def unready(self, status: PodStatus, now: int) -> None:
        """A pod that has ended is not ready: if one of the two conditions says so, both are made false."""
        for condition_type in (ConditionType.READY, ConditionType.CONTAINERS_READY):
            condition = get_pod_condition(status, condition_type)
            if condition is not None and condition.status == ConditionStatus.TRUE:
                reason = POD_FAILED if status.phase == PodPhase.FAILED else POD_COMPLETED
                for made in (ConditionType.CONTAINERS_READY, ConditionType.READY):
                    update = PodCondition(made, ConditionStatus.FALSE, reason)
                    update_last_transition_time(update, status, now)
                    replace_or_append_pod_condition(status.conditions, update)
                return


NO_CONTAINERS = {"init_containers": 0, "containers": 0}
"""The rule is asked about one container at a time."""


@dataclass
class StatusManager1_26(StatusManager):
    """In release 1.26 a pod may be deleted once its resources are gone, whatever its phase and whoever released them.

    What it deletes by was read in the source and not recorded.
    """

    update_status: ClassVar[type[UpdateStatus]] = UpdateStatus1_26
    reclaimed: set[str] = field(default_factory=set)
    """The UIDs of which neither volumes nor a cgroup are left."""

    def terminate_pod(self, pod: ApiPod) -> None:
        """The phase stays, and nothing says that the pod is finished."""
        cached = self.pod_statuses.get(pod.uid)
        status = self.ended_status(pod, cached.status if cached is not None else pod.status)
        self.update_status_internal(pod, status, force_update=True, pod_is_finished=False)

    @go("canBeDeleted")
    @go("PodResourcesAreReclaimed")
    def can_be_deleted(self, pod: ApiPod, pod_is_finished: bool) -> bool:
        if not pod.deletion_timestamp or pod.source == PodSource.MIRROR:
            return False
        if self.could_have_running.get(pod.uid, False):
            return False
        for status in [*pod.status.init_container_statuses, *pod.status.container_statuses]:
            if status.state.of == StateOf.RUNNING:
                return False
        return pod.uid in self.reclaimed


class StatusManager1_23(StatusManager1_26):
    """In release 1.23 a terminal phase is written at once. Not recorded."""

    merge_status = MergePodStatus1_23


class StatusManager1_34(StatusManager):
    """In releases 1.33 and later a condition of the kubelet that is gone makes a difference, too; else 1.32's."""

    @go("isPodStatusByKubeletEqual")
    def is_pod_status_by_kubelet_equal(self, old: PodStatus, status: PodStatus) -> bool:
        """Conditions of others, the order of all and their times do not count."""
        counted = (*OWNED, ConditionType.DISRUPTION_TARGET)
        before, after = ({one.type: one for one in of.conditions if one.type in counted} for of in (old, status))
        if before.keys() != after.keys() or not all(same_condition(before[type], after[type]) for type in after):
            return False
        return replace(old, conditions=[]) == replace(status, conditions=[])


class StatusManager1_35(StatusManager1_34):
    """In release 1.35 a container's own policy and rules say whether it may leave its end."""

    update_status: ClassVar[type[UpdateStatus]] = UpdateStatus1_35

    def change_of(self, old: ContainerStatus, new: ContainerStatus, spec: Container | None) -> ContainerChange:
        change = ContainerChange1_35(False, old.state.of, old.state.exit_code, True, new.state.of)
        if spec is not None:
            change.own_policy = spec.restart_policy
            change.matching_rule = find_matching_container_restart_rule(spec, old.state.exit_code)
        return change


class StatusManager1_36(StatusManager1_35):
    """In release 1.36 every container may leave its end where one of the pod may restart all."""

    update_status: ClassVar[type[UpdateStatus]] = UpdateStatus1_36

    @go("checkContainerStateTransition")
    def check_container_state_transition(self, old: PodStatus, new: PodStatus, pod: ApiPod) -> str:
        return "" if all_containers_could_restart(pod) else super().check_container_state_transition(old, new, pod)


@go("findContainerStatus")
def find_container_status(status: PodStatus, container_id: str) -> ContainerStatus | None:
    for container in [*status.container_statuses, *status.init_container_statuses]:
        if container.container_id == container_id:
            return container
    return None


def has_begun(status: ContainerStatus) -> bool:
    """Does it do anything but wait to be started for the first time?"""
    return status.state.of != StateOf.WAITING or status.last_termination_state.of == StateOf.TERMINATED


def has_succeeded(state: ContainerState) -> bool:
    return state.of == StateOf.TERMINATED and state.exit_code == 0


def same_condition(one: PodCondition, other: PodCondition) -> bool:
    """Are two conditions of one type the same but for their times?"""
    return one.status == other.status and one.reason == other.reason and one.message == other.message


@go("updateLastTransitionTime")
def update_last_transition_time(condition: PodCondition, old: PodStatus, now: int) -> None:
    """The time of the old condition while it says the same, else now."""
    before = get_pod_condition(old, condition.type)
    unchanged = before is not None and before.status == condition.status
    condition.last_transition_time = before.last_transition_time if before is not None and unchanged else now
