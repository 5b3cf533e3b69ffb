"""The scenarios by name: the usual ones, the small worlds of past bugs, and those with containers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from podproof.model.containers import Containers
from podproof.model.core_v1 import RestartPolicy
from podproof.model.kubelet import Kubelet
from podproof.model.language import NIL
from podproof.model.open import Open
from podproof.model.scenario import PodDescription, Scenario

__all__ = ["DETAILED", "HISTORY", "SCENARIOS", "PodDescription", "Scenario"]

_WEB = PodDescription("web", "web_default", removes=0)
_STATIC = PodDescription("static", "static-web_kube-system", static=True)
HISTORY: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        Scenario(
            name="lone-pod",
            environment=Kubelet,
            pods=(_WEB,),
            by_default=False,
        ),
        Scenario(
            name="ended-pod",
            environment=Kubelet,
            pods=(_WEB,),
            deletion_seconds=(5,),
            phase_changes=1,
            rejections=1,
            restarts=1,
            by_default=False,
        ),
        Scenario(
            name="killed-pod",
            environment=Kubelet,
            pods=(replace(_WEB, removes=1),),
            kills=1,
            by_default=False,
        ),
        Scenario(
            name="deferred-eviction",
            environment=Kubelet,
            pods=(_WEB,),
            kills=1,
            soft_eviction_seconds=-1,
            only_soft_evictions=True,
            by_default=False,
        ),
        Scenario(
            name="deleted-and-killed",
            environment=Kubelet,
            pods=(_WEB,),
            deletion_seconds=(5,),
            kills=1,
            by_default=False,
        ),
        Scenario(
            name="deleted-twice-and-killed",
            environment=Kubelet,
            pods=(_WEB,),
            deletion_seconds=(5, 0),
            kills=1,
            by_default=False,
        ),
        Scenario(
            name="orphan-added",
            environment=Kubelet,
            pods=(replace(_WEB, running=True),),
            kills=1,
            by_default=False,
        ),
        Scenario(
            name="static-added-again",
            environment=Kubelet,
            pods=(replace(_STATIC, adds=2),),
            by_default=False,
        ),
        Scenario(
            name="static-rejected",
            environment=Kubelet,
            pods=(replace(_STATIC, removes=0),),
            rejections=1,
            by_default=False,
        ),
        Scenario(
            name="static-successor",
            environment=Kubelet,
            pods=(replace(_STATIC, name="old"), replace(_STATIC, name="new", removes=0)),
            by_default=False,
        ),
        Scenario(
            name="static-waiting",
            environment=Kubelet,
            pods=(replace(_STATIC, name="old", removes=0), replace(_STATIC, name="new", removes=0)),
            kills=1,
            by_default=False,
        ),
    )
}
"""Small worlds, each for some bugs of the past: nothing happens in them that these bugs do not need."""

DETAILED: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        Scenario(
            name="init-then-app",
            environment=Containers,
            pods=(PodDescription("web", "web_default"),),
            deletion_seconds=(5,),
            phase_changes=1,
            restart_policy=RestartPolicy.NEVER,
            init_containers=1,
            by_default=False,
        ),
        Scenario(
            name="pre-stop",
            environment=Containers,
            pods=(PodDescription("web", "web_default"),),
            deletion_seconds=(5, 3),
            phase_changes=1,
            pre_stop_seconds=(1, 45),
            by_default=False,
        ),
        Scenario(
            name="evicted-pod",
            environment=Containers,
            pods=(PodDescription("web", "web_default"),),
            phase_changes=1,
            kills=1,
            restart_policy=RestartPolicy.ON_FAILURE,
            pre_stop_seconds=(45,),
            by_default=False,
        ),
        Scenario(
            name="restarted-kill",
            environment=Containers,
            pods=(PodDescription("web", "web_default"),),
            deletion_seconds=(5,),
            phase_changes=1,
            restarts=1,
            pre_stop_seconds=(1,),
            by_default=False,
        ),
        Scenario(
            name="lost-sandbox",
            environment=Containers,
            pods=(PodDescription("web", "web_default"),),
            phase_changes=1,
            restart_policy=RestartPolicy.ON_FAILURE,
            init_containers=1,
            sandbox_losses=1,
            by_default=False,
        ),
        Scenario(
            name="two-containers",
            environment=Containers,
            pods=(PodDescription("web", "web_default"),),
            deletion_seconds=(5,),
            phase_changes=1,
            restart_policy=RestartPolicy.NEVER,
            app_containers=2,
            by_default=False,
        ),
        Scenario(
            name="always-restarted",
            environment=Containers,
            pods=(PodDescription("web", "web_default"),),
            deletion_seconds=(5,),
            phase_changes=1,
            by_default=False,
        ),
        Scenario(
            name="restarted-on-failure",
            environment=Containers,
            pods=(PodDescription("web", "web_default"),),
            deletion_seconds=(5,),
            phase_changes=1,
            restart_policy=RestartPolicy.ON_FAILURE,
            by_default=False,
        ),
        Scenario(
            name="never-restarted",
            environment=Containers,
            pods=(PodDescription("web", "web_default"),),
            deletion_seconds=(5,),
            phase_changes=1,
            restart_policy=RestartPolicy.NEVER,
            by_default=False,
        ),
        Scenario(
            name="deleted-while-starting",
            environment=Containers,
            pods=(PodDescription("web", "web_default"),),
            deletion_seconds=(5,),
            phase_changes=1,
            app_containers=2,
            by_default=False,
        ),
        Scenario(
            name="sidecar",
            environment=Containers,
            pods=(PodDescription("web", "web_default"),),
            deletion_seconds=(5,),
            phase_changes=1,
            restart_policy=RestartPolicy.NEVER,
            init_containers=1,
            sidecars=1,
            by_default=False,
        ),
        Scenario(
            name="mirror-pod",
            environment=Containers,
            pods=(_STATIC,),
            kills=1,
            restart_policy=RestartPolicy.NEVER,
            by_default=False,
        ),
        Scenario(
            name="slow-api-server",
            environment=Containers,
            pods=(PodDescription("web", "web_default"),),
            deletion_seconds=(5,),
            phase_changes=1,
            kills=1,
            restarts=1,
            only_soft_evictions=True,
            slow_patches=1,
            by_default=False,
        ),
        Scenario(
            name="lost-record",
            environment=Containers,
            pods=(PodDescription("web", "web_default"),),
            phase_changes=1,
            restarts=1,
            restart_policy=RestartPolicy.NEVER,
            record_losses=1,
            by_default=False,
        ),
    )
}
"""One pod each, with each of its containers by itself."""

SCENARIOS: Mapping[str, Scenario] = (
    {
        scenario.name: scenario
        for scenario in (
            Scenario(
                name="one-pod",
                environment=Kubelet,
                pods=(PodDescription("web", "web_default"),),
                deletion_seconds=(5, 0),
                phase_changes=1,
                kills=1,
            ),
            Scenario(
                name="one-pod-restart",
                environment=Kubelet,
                pods=(PodDescription("web", "web_default"),),
                deletion_seconds=(5,),
                phase_changes=1,
                rejections=1,
                restarts=1,
            ),
            Scenario(
                name="uid-reuse",
                environment=Kubelet,
                pods=(PodDescription("static", "static-web_kube-system", static=True, adds=2, removes=2),),
                kills=1,
            ),
            Scenario(
                name="static-removed",
                environment=Kubelet,
                pods=(_STATIC,),
                restarts=1,
            ),
            Scenario(
                name="static-pair",
                environment=Kubelet,
                pods=(replace(_STATIC, name="old"), replace(_STATIC, name="new")),
                kills=1,
            ),
            Scenario(
                name="static-pair-restart",
                environment=Kubelet,
                pods=(replace(_STATIC, name="old"), replace(_STATIC, name="new", removes=0)),
                restarts=1,
            ),
            Scenario(
                name="evict-and-delete",
                environment=Kubelet,
                pods=(PodDescription("web", "web_default"),),
                deletion_seconds=(45, 5, 1),
                kills=2,
            ),
            Scenario(
                name="orphan",
                environment=Kubelet,
                pods=(PodDescription("web", "web_default", running=True),),
                kills=1,
            ),
            Scenario(
                name="two-pods",
                environment=Kubelet,
                pods=(PodDescription("left", "left_default"), PodDescription("right", "right_default")),
            ),
            Scenario(
                name="two-goroutines",
                environment=Kubelet,
                pods=(PodDescription("static", "static-web_kube-system", static=True, adds=2, removes=2),),
                kills=1,
                generations=2,
                by_default=False,
                remark="a goroutine may sleep until its UID is added again",
            ),
            Scenario(
                name="three-pods",
                environment=Kubelet,
                pods=tuple(PodDescription(name, f"{name}_default", removes=0) for name in ("red", "green", "blue")),
                by_default=False,
            ),
            *(
                Scenario(
                    name=name,
                    environment=Kubelet,
                    pods=(_WEB,),
                    deletion_seconds=(5,),
                    kills=1,
                    spec_seconds=seconds,
                    by_default=False,
                )
                for name, seconds in (("spec-zero", 0), ("spec-nil", NIL))
            ),
            Scenario(
                name="runtime-down",
                environment=Kubelet,
                pods=(PodDescription("web", "web_default", running=True),),
                outages=1,
                by_default=False,
            ),
            Scenario(
                name="killed-and-restarted",
                environment=Kubelet,
                pods=(replace(_WEB, removes=1),),
                kills=1,
                restarts=1,
                by_default=False,
            ),
            Scenario(
                name="static-names",
                environment=Kubelet,
                pods=(replace(_STATIC, removes=0), PodDescription("other", "static-db_kube-system", True, removes=0)),
                by_default=False,
            ),
            Scenario(
                name="open-pod",
                environment=Open,
                pods=(PodDescription("static", "static-web_kube-system", static=True),),
                deletion_seconds=(5, 0),
                kills=1,
                by_default=False,
            ),
        )
    }
    | HISTORY
    | DETAILED
)
