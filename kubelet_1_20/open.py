"""Environment `open` for kubelet 1.20: any call at any time, without the guards of the real callers.

A claim that holds here holds whoever calls; one that fails here only says that the callers matter.
"""

from __future__ import annotations

from dataclasses import dataclass

from podproof.kubelet_1_20.node import Node
from podproof.kubelet_1_20.state import KillPodOptions, UpdatePodOptions
from podproof.model.language import NIL, action, require
from podproof.model.open import Anybody, Deletion, Override
from podproof.model.state import Phase, Uid, UpdateType


@dataclass
class Open(Anybody, Node):
    """The pod workers, called by anybody. [A25]"""

    @action("anyone", "UpdatePod({update_type}, {uid}, phase={phase}, deletionGrace={deletion})")
    def call_update_pod(self, uid: Uid, update_type: UpdateType, phase: Phase, deletion: Deletion) -> None:
        options = UpdatePodOptions(present=True, update_type=update_type, pod=self.pod(uid, phase, deletion))
        self.update_pod(uid, options)

    @action("anyone", "UpdatePod(kill, {uid}, override={override}, OnCompleteFunc)")
    def call_kill(self, uid: Uid, override: Override) -> None:
        require(self.kills > 0)
        request = len(self.kill_requests) - self.kills
        self.kills -= 1
        self.ask(request, uid)
        kill = KillPodOptions(present=True, pod_status_func=request, grace_period_seconds_override=override)
        options = UpdatePodOptions(
            present=True,
            update_type=UpdateType.KILL,
            pod=self.pod(uid, Phase.RUNNING, NIL),
            kill_pod_options=kill,
            on_complete_func=request,
        )
        self.update_pod(uid, options)

    @action("anyone", "ForgetWorker({uid})")
    def call_forget_worker(self, uid: Uid) -> None:
        self.forget_worker(uid)

    @action("anyone", "ForgetNonExistingPodWorkers, all pods desired: {desired}")
    def call_forget_non_existing_pod_workers(self, desired: bool) -> None:
        self.desired = desired
        self.forget_non_existing_pod_workers()
        self.desired = False
