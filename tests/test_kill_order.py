"""Containers that SyncPod kills one by one: Go's map gives them in any order, and a replay takes each."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from podproof.kubelet.layers import LAYERS
from podproof.kubelet.layers.recorded_runtime import RecordedRuntime
from podproof.kubelet.layers.runtime import Machine, pod_with_images
from podproof.model.releases import V1_32
from podproof.queries.build import subject_of
from podproof.queries.conforming import replay_layer

POD = {"rp": "Always", "sg": 30, "ctr": [{"n": "web"}, {"n": "cron"}, {"n": "job"}]}
CHANGED = [{"op": "spec", "c": name} for name in ("web", "cron", "job")]
EVENTS: list[dict[str, Any]] = [{"op": "sync"}, *CHANGED, {"op": "sync"}, {"op": "sync"}]


def recorded(order: tuple[int, ...]) -> dict[str, Any]:
    """A case in which three containers are killed in this order."""
    pod = pod_with_images(POD)
    machine = Machine(V1_32.runtime_manager(pod, RecordedRuntime(pod, latency=1)))
    steps = []
    for number, event in enumerate(EVENTS):
        machine.manager.kill_order = order if number == 4 else ()
        steps.append({"op": event, **machine.do(event)})
    return {"pod": POD, "steps": steps}


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_any_order_of_kills_conforms(order: tuple[int, ...]) -> None:
    case = recorded(order)
    calls = [call["a"] for call in case["steps"][4]["calls"] if call["m"] == "StopContainer"]
    assert calls == [("web", "cron", "job")[i] for i in order]
    result = replay_layer(LAYERS["kuberuntime.SyncPod"], case, subject_of("v1.32", None), "cases.jsonl:1")
    assert result.conforms, result.story()
