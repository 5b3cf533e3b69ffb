"""SyncPod, SyncTerminatingPod, SyncTerminatingRuntimePod and SyncTerminatedPod: what the pod worker has done for a pod.

Go: pkg/kubelet/kubelet.go, and killPod of kubelet_pods.go.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from enum import Enum

from podproof.model.core_v1 import ApiPod, PodStatus, RestartPolicy, StateOf
from podproof.model.kubecontainer import RuntimePod
from podproof.model.kubelet_pods import KubeletPods, container_id
from podproof.model.kuberuntime.sync_result import PodSyncResult, SyncAction, SyncFailure
from podproof.model.language import NIL
from podproof.model.notes import go

POLL_MILLISECONDS = 100
"""Between two looks whether the pod's volumes are gone."""
PodStatusFunc = Callable[[PodStatus], None]


class SyncError(Exception):
    """The error that a call returns, and with it the sync function, unless that goes on all the same."""

    def __init__(self, text: str, interrupted: bool = False) -> None:
        super().__init__(text)
        self.interrupted = interrupted
        """wait.Interrupted: is it, or does it wrap, a cancelled context or an expired wait?"""


class MirrorPod(Enum):
    """The mirror pod of a static pod, as SyncPod is given it."""

    NONE = "none"
    CURRENT = "ok"
    DELETING = "deleting"
    OUTDATED = "outdated"


class KubeletParts(ABC):
    """The parts of the kubelet that sync functions call, for one pod. What can fail raises SyncError."""

    @abstractmethod
    def get_pod_status(self) -> PodStatus | None:
        """The status manager's."""

    @abstractmethod
    def set_pod_status(self, status: PodStatus) -> None: ...

    @abstractmethod
    def terminate_pod(self) -> None:
        """The status manager's."""

    @abstractmethod
    def event(self, reason: str, text: str) -> None:
        """A warning."""

    @abstractmethod
    def network_errors(self) -> str: ...

    @abstractmethod
    def is_pod_termination_requested(self) -> bool: ...

    @abstractmethod
    def register_pod(self) -> None:
        """Its secrets and config maps."""

    @abstractmethod
    def unregister_pod(self) -> None: ...

    @abstractmethod
    def get_pull_secret(self, name: str) -> None: ...

    @abstractmethod
    def exists(self) -> bool:
        """Has the pod a cgroup?"""

    @abstractmethod
    def update_qos_cgroups(self) -> None: ...

    @abstractmethod
    def ensure_exists(self) -> None:
        """The pod's cgroup."""

    @abstractmethod
    def destroy(self) -> None:
        """The pod's cgroup, if the kubelet keeps one for each pod."""

    @abstractmethod
    def mirror_pod(self) -> MirrorPod: ...

    @abstractmethod
    def delete_mirror_pod(self) -> bool:
        """Was there one to delete?"""

    @abstractmethod
    def is_node_deleted(self) -> bool:
        """Is the node's object gone, or about to be?"""

    @abstractmethod
    def create_mirror_pod(self) -> None: ...

    @abstractmethod
    def make_pod_data_dirs(self) -> None: ...

    @abstractmethod
    def wait_for_attach_and_mount(self) -> None: ...

    @abstractmethod
    def wait_for_unmount(self) -> None: ...

    @abstractmethod
    def pod_volumes_exist(self) -> bool: ...

    @abstractmethod
    def wait(self, milliseconds: int) -> None:
        """Raises SyncError when the context is cancelled meanwhile."""

    @abstractmethod
    def add_pod(self) -> None:
        """The probe manager's."""

    @abstractmethod
    def stop_liveness_and_startup(self) -> None: ...

    @abstractmethod
    def remove_pod(self) -> None:
        """The probe manager's."""

    @abstractmethod
    def sync_pod(self, runtime_pod: RuntimePod, pull_secrets: int) -> PodSyncResult:
        """The runtime's."""

    @abstractmethod
    def kill_pod(self, runtime_pod: RuntimePod, grace_period_override: int) -> None:
        """The runtime's: what runs of this snapshot is killed."""

    @abstractmethod
    def get_runtime_pod(self) -> RuntimePod:
        """The runtime's GetPodStatus."""


@dataclass
class PodSyncer:
    """podSyncer, which the Kubelet is, in release 1.29."""

    pods: KubeletPods
    parts: KubeletParts

    # -- SyncPod ---------------------------------------------------------------------------------------------------

    @go("SyncPod")
    def sync_pod(self, pod: ApiPod, runtime_pod: RuntimePod) -> bool:
        """Has the pod run to its end?"""
        status = self.report(pod, runtime_pod, pod_is_terminal=False)
        if status.phase.is_terminal():
            return True
        self.require_network(pod)
        if not self.parts.is_pod_termination_requested():
            self.parts.register_pod()
        if not self.parts.is_pod_termination_requested():
            if not self.create_pod_cgroup(pod, runtime_pod, status):
                return False
        if pod.is_static():
            # Termination may have been requested meanwhile; nobody looks.
            self.reconcile_mirror_pod()
        self.make_pod_data_dirs()
        self.mount_volumes()
        pull_secrets = self.get_pull_secrets(pod)
        self.parts.add_pod()
        ips = [status.pod_ip] if status.pod_ip else []
        result = self.parts.sync_pod(replace(runtime_pod, ips=ips), pull_secrets)
        self.update_reason_cache(result)
        if result.is_error() and not self.has_only_back_offs(result):
            raise SyncError(error_of(result))
        return False

    def report(self, pod: ApiPod, runtime_pod: RuntimePod, pod_is_terminal: bool) -> PodStatus:
        """Make up the pod's status and hand it to the status manager."""
        cached = self.parts.get_pod_status()
        status = self.pods.generate_api_pod_status(pod, runtime_pod, cached, pod_is_terminal)
        self.parts.set_pod_status(status)
        return status

    @go("SyncPod", part="the network")
    def require_network(self, pod: ApiPod) -> None:
        wrong = self.parts.network_errors()
        if wrong and not pod.host_network:
            text = f"network is not ready: {wrong}"
            self.parts.event("NetworkNotReady", text)
            raise SyncError(text)

    @go("SyncPod", part="the pod's cgroup")
    def create_pod_cgroup(self, pod: ApiPod, runtime_pod: RuntimePod, status: PodStatus) -> bool:
        """Is SyncPod to go on? What runs without the pod's cgroup is killed, and under Never not made again."""
        runs = any(container.state.of == StateOf.RUNNING for container in status.container_statuses)
        killed = False
        if not self.parts.exists() and runs:
            try:
                self.kill_pod(runtime_pod, NIL)
                killed = True
            except SyncError as error:
                if self.gives_up_after(error):
                    return False
        if killed and pod.restart_policy == RestartPolicy.NEVER:
            return True
        if not self.parts.exists():
            with suppress(SyncError):
                self.parts.update_qos_cgroups()
            self.ensure_exists(pod)
        return True

    def gives_up_after(self, error: SyncError) -> bool:
        """Is this failure to kill the pod the end of SyncPod? The Go asks only where there was none."""
        return False

    def ensure_exists(self, pod: ApiPod) -> None:
        try:
            self.parts.ensure_exists()
        except SyncError as error:
            self.parts.event("FailedCreatePodContainer", f"unable to ensure pod container exists: {error}")
            text = f"failed to ensure that the pod: {pod.uid} cgroups exist and are correctly applied: {error}"
            raise SyncError(text) from error

    @go("SyncPod", part="the mirror pod")
    def reconcile_mirror_pod(self) -> None:
        """Delete one that is outdated or being deleted; create one where there is none. Errors are only logged."""
        mirror_pod, deleted = self.parts.mirror_pod(), False
        if mirror_pod in (MirrorPod.DELETING, MirrorPod.OUTDATED):
            with suppress(SyncError):
                deleted = self.parts.delete_mirror_pod()
        if (mirror_pod == MirrorPod.NONE or deleted) and not self.parts.is_node_deleted():
            with suppress(SyncError):
                self.parts.create_mirror_pod()

    def make_pod_data_dirs(self) -> None:
        try:
            self.parts.make_pod_data_dirs()
        except SyncError as error:
            self.parts.event("Failed", f"error making pod data directories: {error}")
            raise

    @go("SyncPod", part="volumes")
    def mount_volumes(self) -> None:
        try:
            self.parts.wait_for_attach_and_mount()
        except SyncError as error:
            if not error.interrupted:
                self.parts.event("FailedMount", f"Unable to attach or mount volumes: {error}")
            raise

    @go("getPullSecretsForPod")
    def get_pull_secrets(self, pod: ApiPod) -> int:
        """How many of them there are; the pull may get along without the others."""
        missing, found = [], 0
        for name in pod.image_pull_secrets:
            if not name:
                # Validation lets it pass.
                continue
            try:
                self.parts.get_pull_secret(name)
                found += 1
            except SyncError:
                missing.append(name)
        if missing:
            self.parts.event(
                "FailedToRetrieveImagePullSecret",
                f"Unable to retrieve some image pull secrets ({', '.join(missing)}); "
                "attempting to pull the image may not succeed.",
            )
        return found

    @go("Update", part="of the reason cache")
    def update_reason_cache(self, result: PodSyncResult) -> None:
        for of_action in result.sync_results:
            if of_action.action == SyncAction.START_CONTAINER:
                if of_action.error == SyncFailure.NONE:
                    self.pods.reasons.pop(of_action.target, None)
                else:
                    self.pods.reasons[of_action.target] = (of_action.error.value, of_action.message)

    def has_only_back_offs(self, result: PodSyncResult) -> bool:
        """A result without an error counts as a failure that is none, so the runtime never gets here."""
        back_offs = (SyncFailure.CRASH_LOOP_BACK_OFF, SyncFailure.IMAGE_PULL_BACK_OFF)
        return all(of_action.error in back_offs for of_action in result.sync_results)

    # -- SyncTerminatingPod ----------------------------------------------------------------------------------------

    @go("SyncTerminatingPod")
    def sync_terminating_pod(
        self,
        pod: ApiPod,
        runtime_pod: RuntimePod,
        grace_period: int,
        pod_status_func: PodStatusFunc | None,
    ) -> None:
        """Stop what the snapshot says runs, and look whether it has stopped."""
        cached = self.parts.get_pod_status()
        status = self.pods.generate_api_pod_status(pod, runtime_pod, cached, pod_is_terminal=False)
        if pod_status_func is not None:
            pod_status_func(status)
        self.parts.set_pod_status(status)
        self.parts.stop_liveness_and_startup()
        self.kill_terminating_pod(runtime_pod, grace_period)
        self.parts.remove_pod()
        stopped = self.parts.get_runtime_pod()
        running = [container_id(container) for container in stopped.running()]
        if running:
            text = "detected running containers after a successful KillPod, CRI violation"
            raise SyncError(f"{text}: [{' '.join(running)}]")
        self.report_stopped_pod(pod, self.keep_addresses(stopped, runtime_pod))

    @go("SyncTerminatingPod", since="1.27.0", part="the status of the stopped pod")
    def report_stopped_pod(self, pod: ApiPod, stopped: RuntimePod) -> None:
        """The status function is not applied again: what it set stays only as far as the cached status keeps it."""
        self.report(pod, stopped, pod_is_terminal=True)

    def keep_addresses(self, stopped: RuntimePod, before: RuntimePod) -> RuntimePod:
        """What is reported of a stopped pod. In 1.29 it has lost its addresses with its sandbox."""
        return stopped

    @go("SyncTerminatingRuntimePod")
    def sync_terminating_runtime_pod(self, runtime_pod: RuntimePod) -> None:
        """Of a pod without configuration: as fast as can be."""
        self.kill_terminating_pod(runtime_pod, 1)

    def kill_terminating_pod(self, runtime_pod: RuntimePod, grace_period: int) -> None:
        try:
            self.kill_pod(runtime_pod, grace_period)
        except SyncError as error:
            self.parts.event("FailedKillPod", f"error killing pod: {error}")
            raise

    @go("killPod")
    def kill_pod(self, runtime_pod: RuntimePod, grace_period_override: int) -> None:
        self.parts.kill_pod(runtime_pod, grace_period_override)
        with suppress(SyncError):
            self.parts.update_qos_cgroups()

    # -- SyncTerminatedPod -----------------------------------------------------------------------------------------

    @go("SyncTerminatedPod")
    def sync_terminated_pod(self, pod: ApiPod, runtime_pod: RuntimePod) -> None:
        """Release what the pod holds. Whatever fails, all of it is done again."""
        self.report(pod, runtime_pod, pod_is_terminal=True)
        self.parts.wait_for_unmount()
        self.wait_for_volume_paths()
        self.parts.unregister_pod()
        self.parts.destroy()
        self.parts.terminate_pod()

    @go("SyncTerminatedPod", since="1.27.0", part="podVolumesExist")
    def wait_for_volume_paths(self) -> None:
        while self.parts.pod_volumes_exist():
            self.parts.wait(POLL_MILLISECONDS)


class PodSyncer1_32(PodSyncer):
    """In release 1.32 an interrupted kill ends SyncPod, and the addresses of a stopped pod are still reported."""

    def gives_up_after(self, error: SyncError) -> bool:
        """The runtime makes a text of every error, so it is never seen to be interrupted."""
        return error.interrupted

    def keep_addresses(self, stopped: RuntimePod, before: RuntimePod) -> RuntimePod:
        return replace(stopped, ips=before.ips)


class PodSyncer1_27(PodSyncer):
    """In release 1.27 nobody waits for a pod's volumes to be mounted once its termination is requested."""

    def mount_volumes(self) -> None:
        if not self.parts.is_pod_termination_requested():
            super().mount_volumes()


class PodSyncer1_26(PodSyncer1_27):
    """In release 1.26 a pod is reported once while it is stopped, and released without a look at its volumes' paths."""

    def report_stopped_pod(self, pod: ApiPod, stopped: RuntimePod) -> None:
        """Not before SyncTerminatedPod."""

    def wait_for_volume_paths(self) -> None:
        """Nobody looks."""


@go("Error")
def error_of(result: PodSyncResult) -> str:
    """PodSyncResult.Error: all that failed."""
    texts = [f"failed to SyncPod: {result.sync_error}"] if result.sync_error else []
    for of_action in result.sync_results:
        if of_action.error != SyncFailure.NONE:
            texts.append(
                f'failed to "{of_action.action.value}" for "{of_action.target}" '
                f'with {of_action.error.value}: "{of_action.message}"'
            )
    every: Sequence[str] = list(dict.fromkeys(texts))
    return every[0] if len(every) == 1 else f"[{', '.join(every)}]"
