"""What everyone but its own model knows of a release of the kubelet."""

from __future__ import annotations

from typing import ClassVar

from podproof.model.callers import Callers
from podproof.model.containers import Containers
from podproof.model.kubelet import KillCallers
from podproof.model.kubelet_pods import KubeletPods
from podproof.model.kuberuntime.sync_pod import KubeGenericRuntimeManager
from podproof.model.open import Anybody
from podproof.model.pod_syncer import PodSyncer
from podproof.model.status.status_manager import StatusManager
from podproof.model.sync_loop import SyncLoop


class KubeletRelease:
    """A class of pod workers that says which environments are around them, whatever its worker is like."""

    kubelet: ClassVar[type[KillCallers]]
    """The environment `kubelet` of the release: who calls the workers, and under which guards."""
    open: ClassVar[type[Anybody]]
    """The environment `open` of the release: anybody calls them."""
    lacks: ClassVar[frozenset[str]] = frozenset()
    """The fields of a scenario of which the release has no model."""


class LayeredRelease(KubeletRelease):
    """A release with a model of what is around its pod workers as well."""

    containers_environment: ClassVar[type[Containers]]
    """The environment `containers` of the release: `kubelet` and each container by itself."""
    kubelet_pods: ClassVar[type[KubeletPods]]
    """How the release makes up what it reports of a pod."""
    pod_syncer: ClassVar[type[PodSyncer]]
    """The sync functions of the release."""
    status_manager: ClassVar[type[StatusManager]]
    """The status manager of the release."""
    runtime_manager: ClassVar[type[KubeGenericRuntimeManager]]
    """What starts and kills the containers of a pod."""
    callers: ClassVar[type[Callers]]
    """Who calls the pod workers in the release, as far as recordings are compared with it; of 1.36 and later."""
    sync_loop: ClassVar[type[SyncLoop]]
    """The environment `sync loop` of the release: the same callers, bounded; of 1.36 and later."""
    whose_layers: ClassVar[str] = ""
    """Which of the layers around the pod workers are not its own, in words; empty where none is known. [A76]"""
