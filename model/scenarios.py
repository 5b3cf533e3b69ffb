"""The scenarios by name: the usual ones, the small worlds of past bugs, and those with containers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from podproof.model.containers import Containers
from podproof.model.core_v1 import RestartPolicy
from podproof.model.kubelet import Kubelet
from podproof.model.language import NIL
from podproof.model.open import Open
from podproof.model.scenario import PodDescription, Scenario
from podproof.model.sync_loop import SyncLoop

__all__ = ["CALLERS", "DETAILED", "HISTORY", "SCENARIOS", "PodDescription", "Scenario"]

_WEB = PodDescription("web", "web_default")
_STAYING = replace(_WEB, removes=0)
_NEXT = PodDescription("next", "next_default", removes=0)
_STATIC = PodDescription("static", "static-web_kube-system", static=True)
_usual = partial(Scenario, environment=Kubelet, pods=(_WEB,))
"""A scenario that is looked into where none is named."""
_named = partial(Scenario, environment=Kubelet, pods=(_STAYING,), by_default=False)
"""One that is looked into only where it is named."""
_detailed = partial(Scenario, environment=Containers, pods=(_WEB,), by_default=False)
"""The same, with each container by itself."""
_called = partial(Scenario, environment=SyncLoop, by_default=False)
"""One with mirror pods, and a node that has room for some pods only."""
HISTORY: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        _named("lone-pod"),
        _named("ended-pod", deletion_seconds=(5,), phase_changes=1, rejections=1, restarts=1),
        _named("killed-pod", pods=(_WEB,), kills=1),
        _named("deferred-eviction", kills=1, soft_eviction_seconds=-1, only_soft_evictions=True),
        _named("deleted-and-killed", deletion_seconds=(5,), kills=1),
        _named("deleted-twice-and-killed", deletion_seconds=(5, 0), kills=1),
        _named("orphan-added", pods=(replace(_STAYING, running=True),), kills=1),
        _named("static-added-again", pods=(replace(_STATIC, adds=2),)),
        _named("static-rejected", pods=(replace(_STATIC, removes=0),), rejections=1),
        _named("static-successor", pods=(replace(_STATIC, name="old"), replace(_STATIC, name="new", removes=0))),
        _named(
            "static-waiting",
            pods=(replace(_STATIC, name="old", removes=0), replace(_STATIC, name="new", removes=0)),
            kills=1,
        ),
    )
}
"""Small worlds, each for some bugs of the past: nothing happens in them that these bugs do not need."""

DETAILED: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        _detailed(
            "init-then-app",
            deletion_seconds=(5,),
            phase_changes=1,
            restart_policy=RestartPolicy.NEVER,
            init_containers=1,
        ),
        _detailed("pre-stop", deletion_seconds=(5, 3), phase_changes=1, pre_stop_seconds=(1, 45)),
        _detailed(
            "evicted-pod", phase_changes=1, kills=1, restart_policy=RestartPolicy.ON_FAILURE, pre_stop_seconds=(45,)
        ),
        _detailed("restarted-kill", deletion_seconds=(5,), phase_changes=1, restarts=1, pre_stop_seconds=(1,)),
        _detailed(
            "lost-sandbox",
            phase_changes=1,
            restart_policy=RestartPolicy.ON_FAILURE,
            init_containers=1,
            sandbox_losses=1,
        ),
        _detailed(
            "two-containers",
            deletion_seconds=(5,),
            phase_changes=1,
            restart_policy=RestartPolicy.NEVER,
            app_containers=2,
        ),
        _detailed("always-restarted", deletion_seconds=(5,), phase_changes=1),
        _detailed(
            "restarted-on-failure", deletion_seconds=(5,), phase_changes=1, restart_policy=RestartPolicy.ON_FAILURE
        ),
        _detailed("never-restarted", deletion_seconds=(5,), phase_changes=1, restart_policy=RestartPolicy.NEVER),
        _detailed("deleted-while-starting", deletion_seconds=(5,), phase_changes=1, app_containers=2),
        _detailed(
            "sidecar",
            deletion_seconds=(5,),
            phase_changes=1,
            restart_policy=RestartPolicy.NEVER,
            init_containers=1,
            sidecars=1,
        ),
        _detailed("mirror-pod", pods=(_STATIC,), kills=1, restart_policy=RestartPolicy.NEVER),
        _detailed(
            "slow-api-server",
            deletion_seconds=(5,),
            phase_changes=1,
            kills=1,
            restarts=1,
            only_soft_evictions=True,
            slow_patches=1,
        ),
        _detailed("lost-record", phase_changes=1, restarts=1, restart_policy=RestartPolicy.NEVER, record_losses=1),
    )
}
"""One pod each, with each of its containers by itself."""

CALLERS: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        _called("static-pod-restart", pods=(_STATIC,), rejections=1, restarts=1, mirror_deletions=1),
        _called("rejected-pod", pods=(_STAYING, _NEXT), deletion_seconds=(5,), rejections=1),
        _called(
            "rejected-after-restart", pods=(_WEB,), deletion_seconds=(5,), phase_changes=1, rejections=1, restarts=1
        ),
        _called("restart-all-containers", pods=(_WEB,), updates=1, deletion_seconds=(5,), resets=1),
        _called("removed-and-added", pods=(replace(_STATIC, adds=2),), rejections=1, mirror_deletions=1),
        _called("added-during-outage", pods=(replace(_STATIC, adds=2),), outages=1),
        _called("overcommit", pods=(replace(_STATIC, adds=2), _NEXT), idle_workers=1),
        _called("ended-before-relist", pods=(_WEB,), phase_changes=1, restarts=1, relists_late=True),
    )
}
"""Who calls the pod workers, with what, and who is left out."""

SCENARIOS: Mapping[str, Scenario] = (
    {
        scenario.name: scenario
        for scenario in (
            _usual("one-pod", deletion_seconds=(5, 0), phase_changes=1, kills=1),
            _usual("one-pod-restart", deletion_seconds=(5,), phase_changes=1, rejections=1, restarts=1),
            _usual("uid-reuse", pods=(replace(_STATIC, adds=2, removes=2),), kills=1),
            _usual("static-removed", pods=(_STATIC,), restarts=1),
            _usual("static-pair", pods=(replace(_STATIC, name="old"), replace(_STATIC, name="new")), kills=1),
            _usual(
                "static-pair-restart",
                pods=(replace(_STATIC, name="old"), replace(_STATIC, name="new", removes=0)),
                restarts=1,
            ),
            _usual("evict-and-delete", deletion_seconds=(45, 5, 1), kills=2),
            _usual("orphan", pods=(replace(_WEB, running=True),), kills=1),
            _usual("two-pods", pods=(PodDescription("left", "left_default"), PodDescription("right", "right_default"))),
            _named(
                "two-goroutines",
                pods=(replace(_STATIC, adds=2, removes=2),),
                kills=1,
                generations=2,
                remark="a goroutine may sleep until its UID is added again",
            ),
            _named(
                "three-pods",
                pods=tuple(PodDescription(name, f"{name}_default", removes=0) for name in ("red", "green", "blue")),
            ),
            *(
                _named(name, deletion_seconds=(5,), kills=1, spec_seconds=seconds)
                for name, seconds in (("spec-zero", 0), ("spec-nil", NIL))
            ),
            _named("runtime-down", pods=(replace(_WEB, running=True),), outages=1),
            _named("killed-and-restarted", pods=(_WEB,), kills=1, restarts=1),
            _named("static-moved-back", pods=(replace(_STATIC, adds=2),), restarts=1),
            _named("updated-pod", pods=(_WEB,), updates=1, deletion_seconds=(5,), resets=1),
            _named(
                "static-names",
                pods=(replace(_STATIC, removes=0), PodDescription("other", "static-db_kube-system", True, removes=0)),
            ),
            Scenario("open-pod", Open, pods=(_STATIC,), deletion_seconds=(5, 0), kills=1, by_default=False),
        )
    }
    | HISTORY
    | DETAILED
    | CALLERS
)
