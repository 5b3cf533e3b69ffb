"""The layers around the pod worker whose recordings can be replayed: one entry for each function, by its Go name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from podproof.kubelet.layers import callers, kubelet_pods, pod_syncer, runtime, status
from podproof.kubelet.layers.case import Layer

_ALL = (*status.LAYERS, *kubelet_pods.LAYERS, *pod_syncer.LAYERS, *runtime.LAYERS, *callers.LAYERS)
LAYERS: Mapping[str, Layer] = {layer.function: layer for layer in _ALL}


def layer_of(line: Any) -> Layer | None:
    """The layer that a line was recorded of; None for none, as for a trace of the pod worker."""
    if not isinstance(line, Mapping):
        return None
    return next((layer for layer in LAYERS.values() if layer.is_of(line)), None)
