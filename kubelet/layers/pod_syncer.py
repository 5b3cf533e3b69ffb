"""Recordings of SyncPod, SyncTerminatingPod, SyncTerminatingRuntimePod and SyncTerminatedPod: the order of effects."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from podproof.kubelet.layers.case import Case, Layer, LayerStep, plain, pod_of, show_status, status_of
from podproof.kubelet.layers.kubelet_pods import runtime_pod_of
from podproof.kubelet.replay import Shown
from podproof.model.core_v1 import PodPhase, PodStatus
from podproof.model.kubecontainer import RuntimePod
from podproof.model.kubelet_pods import KubeletPods
from podproof.model.kuberuntime.sync_result import PodSyncResult, SyncAction, SyncFailure, SyncResult
from podproof.model.language import NIL
from podproof.model.pod_syncer import KubeletParts, MirrorPod, PodSyncer, SyncError

NODE_IP = "1.2.3.4"
INTERRUPTIONS = {"interrupted": "x", "canceled": "context canceled", "wrapped": "wrap: context canceled"}
"""What a recording calls the errors that count as interruptions -> their texts."""


class RecordedParts(KubeletParts):
    """They answer as a recording says, and write down what they were asked."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.status = None if case.get("old") is None else status_of(case["old"])
        self.log: list[str] = []
        self.sets: list[Shown] = []
        self.milliseconds = 0
        self.asked: dict[str, int] = {}

    def fail(self, error: str | None) -> None:
        if error:
            raise SyncError(INTERRUPTIONS.get(error, error), error in INTERRUPTIONS)

    def next_of(self, name: str, default: Any) -> Any:
        """The next answer of a list, whose last one repeats."""
        answers: Sequence[Any] = self.case.get(name) or [default]
        number = self.asked.get(name, 0)
        self.asked[name] = number + 1
        return answers[min(number, len(answers) - 1)]

    # -- the status manager, events, the pod workers ---------------------------------------------------------------

    def get_pod_status(self) -> PodStatus | None:
        self.log.append("generate")
        return self.status

    def set_pod_status(self, status: PodStatus) -> None:
        self.log.append(f"SetPodStatus#{len(self.sets)}")
        self.sets.append(show_status(status, timed=False))
        self.status = status

    def terminate_pod(self) -> None:
        self.log.append("TerminatePod")

    def event(self, reason: str, text: str) -> None:
        self.log.append(f"event Warning {reason} {text}")

    def network_errors(self) -> str:
        return self.case.get("net") or ""

    def is_pod_termination_requested(self) -> bool:
        return bool(self.next_of("termreq", False))

    # -- secrets, cgroups, the mirror pod --------------------------------------------------------------------------

    def register_pod(self) -> None:
        self.log += ["secret.RegisterPod", "configmap.RegisterPod"]

    def unregister_pod(self) -> None:
        self.log += ["secret.UnregisterPod", "configmap.UnregisterPod"]

    def get_pull_secret(self, name: str) -> None:
        self.log.append(f"secret.Get {name}")
        self.fail("not found" if name.startswith("missing") else "")

    def exists(self) -> bool:
        found = bool(self.next_of("exists", True))
        self.log.append(f"cgroup.Exists={str(found).lower()}")
        return found

    def update_qos_cgroups(self) -> None:
        self.log.append("cgroup.UpdateQOS")
        self.fail(self.case.get("qos"))

    def ensure_exists(self) -> None:
        self.log.append("cgroup.EnsureExists")
        self.fail(self.case.get("ensure"))

    def destroy(self) -> None:
        if not self.case.get("nocgroups"):
            self.log.append("cgroup.Destroy")
            self.fail(self.case.get("destroy"))

    def mirror_pod(self) -> MirrorPod:
        return MirrorPod(self.case.get("mirror") or "none")

    def delete_mirror_pod(self) -> bool:
        self.log.append("mirror.Delete")
        answer = self.case.get("mdel") or ""
        self.fail("" if answer == "no" else answer)
        return answer != "no"

    def is_node_deleted(self) -> bool:
        return self.case.get("node") != "ok"

    def create_mirror_pod(self) -> None:
        self.log.append("mirror.Create")
        self.fail(self.case.get("mcre"))

    # -- volumes ---------------------------------------------------------------------------------------------------

    def make_pod_data_dirs(self) -> None:
        self.fail("mkdir DIR/file: not a directory" if self.case.get("dirfail") else "")

    def wait_for_attach_and_mount(self) -> None:
        self.log.append("volume.WaitForAttachAndMount")
        self.fail(self.case.get("mount"))

    def wait_for_unmount(self) -> None:
        self.log.append("volume.WaitForUnmount")
        self.fail(self.case.get("umount"))

    def pod_volumes_exist(self) -> bool:
        number = self.asked.get("polls", 0)
        self.asked["polls"] = number + 1
        exist = number < (self.case.get("polls") or 0)
        self.log.append(f"volume.exist={str(exist).lower()}")
        return exist

    def wait(self, milliseconds: int) -> None:
        end, cancelled = self.milliseconds + milliseconds, self.case.get("cancel")
        if cancelled and cancelled <= end:
            self.milliseconds = max(self.milliseconds, cancelled)
            self.fail("canceled")
        self.milliseconds = end

    # -- probes and the runtime ------------------------------------------------------------------------------------

    def add_pod(self) -> None:
        self.log.append("probe.AddPod")

    def stop_liveness_and_startup(self) -> None:
        self.log.append("probe.StopLivenessAndStartup")

    def remove_pod(self) -> None:
        self.log.append("probe.RemovePod")

    def sync_pod(self, runtime_pod: RuntimePod, pull_secrets: int) -> PodSyncResult:
        self.log.append(f"runtime.SyncPod secrets={pull_secrets} ips={','.join(runtime_pod.ips)} ctx=live")
        results = []
        for result in self.case.get("res") or ():
            error = SyncFailure(result.get("e") or "")
            message = "" if error == SyncFailure.NONE else "m"
            results.append(SyncResult(SyncAction(result["a"]), result["t"], error, message))
        return PodSyncResult(results, self.case.get("serr") or "")

    def kill_pod(self, runtime_pod: RuntimePod, grace_period_override: int) -> None:
        grace = "none" if grace_period_override == NIL else grace_period_override
        names = ",".join(container.name for container in runtime_pod.running())
        self.log.append(f"runtime.KillPod grace={grace} containers={names} sandboxes={len(runtime_pod.sandboxes)}")
        self.fail(self.next_of("kill", ""))

    def get_runtime_pod(self) -> RuntimePod:
        self.log.append("runtime.GetPodStatus")
        self.fail(self.case.get("get"))
        return runtime_pod_of(self.case.get("after") or {})


def evict(status: PodStatus) -> None:
    status.phase, status.reason, status.message = PodPhase.FAILED, "Evicted", "low"


def replay_sync_function(case: Case, part: type[PodSyncer], kubelet_pods: type[KubeletPods]) -> Iterator[LayerStep]:
    parts = RecordedParts(case)
    # The probe manager changes nothing here.
    pods = kubelet_pods(probes=False, node_ip=NODE_IP if case.get("node") else "")
    syncer = part(pods, parts)
    pod, runtime_pod = pod_of(case["pod"]), runtime_pod_of(case["rt"])
    grace = NIL if case.get("grace") is None else case["grace"]
    terminal, error = False, ""
    try:
        match case["fn"]:
            case "SyncPod":
                terminal = syncer.sync_pod(pod, runtime_pod)
            case "SyncTerminatingPod":
                func = evict if case.get("fn2") else None
                syncer.sync_terminating_pod(pod, runtime_pod, grace, func)
            case "SyncTerminatingRuntimePod":
                syncer.sync_terminating_runtime_pod(runtime_pod)
            case "SyncTerminatedPod":
                syncer.sync_terminated_pod(pod, runtime_pod)
    except SyncError as failure:
        error = str(failure)
    reasons = {name: reason for name, (reason, _) in pods.reasons.items()}
    shown = {"term": terminal, "err": error, "log": parts.log, "sets": parts.sets, "reasons": reasons}
    yield LayerStep(
        f"{case['fn']}({case['pod']['rp']})", plain(case["out"]), plain({**shown, "ms": parts.milliseconds})
    )


_KEYS = frozenset({"fn", "pod", "rt", "out"})
LAYERS = (Layer("podSyncer", _KEYS, ("pod_syncer", "kubelet_pods"), replay_sync_function),)
