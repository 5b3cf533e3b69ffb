"""The pod manager: which pods the kubelet has, and which mirror pod stands for which static pod.

Go: pkg/kubelet/pod/pod_manager.go in 1.29 to 1.32 and 1.36, which do the same.
"""

from __future__ import annotations

from podproof.model.core_v1 import ApiPod, PodSource
from podproof.model.notes import go


class PodManager:
    """basicManager. Namespaces are left out: a pod's full name is its name."""

    def __init__(self) -> None:
        self.pod_by_uid: dict[str, ApiPod] = {}
        self.mirror_pod_by_uid: dict[str, ApiPod] = {}
        self.pod_by_full_name: dict[str, ApiPod] = {}
        self.mirror_pod_by_full_name: dict[str, ApiPod] = {}
        self.translation_by_uid: dict[str, str] = {}
        """The UID of a mirror pod -> that of its static pod."""

    @go("UpdatePod")
    def update_pod(self, pod: ApiPod) -> None:
        if pod.source == PodSource.MIRROR:
            self.mirror_pod_by_uid[pod.uid] = pod
            self.mirror_pod_by_full_name[pod.name] = pod
            if pod.name in self.pod_by_full_name:
                self.translation_by_uid[pod.uid] = self.pod_by_full_name[pod.name].uid
        else:
            self.pod_by_uid[pod.uid] = pod
            self.pod_by_full_name[pod.name] = pod
            if pod.name in self.mirror_pod_by_full_name:
                self.translation_by_uid[self.mirror_pod_by_full_name[pod.name].uid] = pod.uid

    @go("RemovePod")
    def remove_pod(self, pod: ApiPod) -> None:
        """The translation of a static pod's UID outlives it."""
        if pod.source == PodSource.MIRROR:
            self.mirror_pod_by_uid.pop(pod.uid, None)
            self.mirror_pod_by_full_name.pop(pod.name, None)
            self.translation_by_uid.pop(pod.uid, None)
        else:
            self.pod_by_uid.pop(pod.uid, None)
            self.pod_by_full_name.pop(pod.name, None)

    @go("GetPods")
    def get_pods(self) -> list[ApiPod]:
        """All but mirror pods, in no particular order."""
        return list(self.pod_by_uid.values())

    @go("GetPodByUID")
    def get_pod_by_uid(self, uid: str) -> ApiPod | None:
        """None for a mirror pod, too."""
        return self.pod_by_uid.get(uid)

    @go("GetPodAndMirrorPod")
    def get_pod_and_mirror_pod(self, pod: ApiPod) -> tuple[ApiPod | None, ApiPod | None, bool]:
        """The pod and its mirror pod, whichever of the two is given, and whether it was the mirror pod."""
        if pod.source == PodSource.MIRROR:
            return self.pod_by_full_name.get(pod.name), pod, True
        return pod, self.mirror_pod_by_full_name.get(pod.name), False

    def orphaned_mirror_pod_full_names(self) -> list[str]:
        """Mirror pods without a static pod. Go: GetPodsAndMirrorPods."""
        return [name for name in self.mirror_pod_by_full_name if name not in self.pod_by_full_name]

    @go("GetMirrorPodByPod")
    def get_mirror_pod_by_pod(self, pod: ApiPod) -> ApiPod | None:
        return self.mirror_pod_by_full_name.get(pod.name)

    @go("TranslatePodUID")
    def translate_pod_uid(self, uid: str) -> str:
        return self.translation_by_uid.get(uid, uid)

    @go("GetUIDTranslations")
    def get_uid_translations(self) -> dict[str, str]:
        """podToMirror: of each static pod the UID of its mirror pod, empty where there is none."""
        pod_to_mirror = {uid: "" for uid, pod in self.pod_by_uid.items() if pod.is_static()}
        for mirror_uid, uid in self.translation_by_uid.items():
            pod_to_mirror[uid] = mirror_uid
        return pod_to_mirror
