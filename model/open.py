"""Environment `open`: any call at any time, without the guards of the real callers.

A claim that holds here holds whoever calls; one that fails here only says that the callers matter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from podproof.model.language import CONSTANT, NIL, Array, Domain, Size, action, require
from podproof.model.node import Node
from podproof.model.state import (
    Channel,
    KillPodOptions,
    OptionalSeconds,
    Phase,
    Pod,
    Uid,
    UpdatePodOptions,
    UpdateType,
)

Deletion = Annotated[int, Domain("open_deletions")]
"""deletionGracePeriodSeconds of a pod that is being deleted; NIL for a pod that is not."""
Override = Annotated[int, Domain("open_overrides")]


@dataclass
class Anybody:
    """Who calls the pod workers, and with which pods. [A25]"""

    static: Annotated[Array[bool], Size("uids"), CONSTANT]
    termination_grace_period_seconds: Annotated[OptionalSeconds, CONSTANT]
    desired: bool
    """While housekeeping says which pods are desired: does the caller want the pods?"""
    kills: Annotated[int, Domain("counts")]
    """How many more kill requests that are waited for may be made."""

    def is_desired(self, uid: int) -> bool:
        return self.desired

    def pod(self, uid: int, phase: Phase, deletion: int) -> Pod:
        return Pod(
            present=True,
            phase=phase,
            deletion_timestamp=deletion != NIL,
            deletion_grace_period_seconds=deletion,
            termination_grace_period_seconds=self.termination_grace_period_seconds,
            static=self.static[uid],
        )


@dataclass
class Open(Anybody, Node):
    """The pod workers, called by anybody. [A25]"""

    @action("anyone", "UpdatePod({update_type}, {uid}, phase={phase}, deletionGrace={deletion})")
    def call_update_pod(self, uid: Uid, update_type: UpdateType, phase: Phase, deletion: Deletion) -> None:
        options = UpdatePodOptions(present=True, update_type=update_type, pod=self.pod(uid, phase, deletion))
        self.update_pod(uid, options)

    @action("anyone", "UpdatePod(kill, {uid}, evict={evict}, override={override}, CompletedCh)")
    def call_kill(self, uid: Uid, evict: bool, override: Override) -> None:
        require(self.kills > 0)
        request = len(self.completed_channels) - self.kills
        self.kills -= 1
        self.completed_channels[request] = Channel.OPEN
        kill = KillPodOptions(
            present=True,
            completed_ch=request,
            evict=evict,
            pod_status_func=request,
            grace_period_seconds_override=override,
        )
        options = UpdatePodOptions(
            present=True,
            update_type=UpdateType.KILL,
            pod=self.pod(uid, Phase.RUNNING, NIL),
            kill_pod_options=kill,
        )
        self.update_pod(uid, options)

    @action("anyone", "UpdatePod({update_type}, {uid}, runtime pod, override={override})")
    def call_update_runtime_pod(self, uid: Uid, update_type: UpdateType, override: Override) -> None:
        kill = KillPodOptions(present=override != NIL, grace_period_seconds_override=override)
        self.update_pod(
            uid, UpdatePodOptions(present=True, update_type=update_type, running_pod=True, kill_pod_options=kill)
        )

    @action("anyone", "SyncKnownPods, all pods desired: {desired}")
    def call_sync_known_pods(self, desired: bool) -> None:
        self.desired = desired
        self.sync_known_pods()
        self.desired = False

    def is_static_pod(self, uid: int) -> bool:
        return self.static[uid]

    def grace_period_of_spec(self, uid: int) -> int:
        return self.termination_grace_period_seconds
