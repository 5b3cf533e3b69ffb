"""Packages by name, and fingerprints of functions that the model has something of its own for.

Each is of a text that was read and found to do what the model does: of releases of Kubernetes, and of the worker that
the tests have. Comments and white space do not count.
"""

from __future__ import annotations

from collections.abc import Mapping

IMPORTS: Mapping[str, str] = {
    "cmp": "cmp",
    "context": "context",
    "errors": "errors",
    "maps": "maps",
    "slices": "slices",
    "strings": "strings",
    "time": "time",
    "klog": "k8s.io/klog/v2",
    "runtime": "k8s.io/apimachinery/pkg/util/runtime",
    "types": "k8s.io/apimachinery/pkg/types",
    "v1": "k8s.io/api/core/v1",
    "wait": "k8s.io/apimachinery/pkg/util/wait",
    "kubecontainer": "k8s.io/kubernetes/pkg/kubelet/container",
    "kubetypes": "k8s.io/kubernetes/pkg/kubelet/types",
    "metrics": "k8s.io/kubernetes/pkg/kubelet/metrics",
    "fmt": "fmt",
    "queue": "k8s.io/kubernetes/pkg/kubelet/util/queue",
    "sets": "k8s.io/apimachinery/pkg/util/sets",
    "ptr": "k8s.io/utils/ptr",
    "pointer": "k8s.io/utils/pointer",
    "podutil": "k8s.io/kubernetes/pkg/api/v1/pod",
    "utilfeature": "k8s.io/apiserver/pkg/util/feature",
    "utilruntime": "k8s.io/apimachinery/pkg/util/runtime",
    "features": "k8s.io/kubernetes/pkg/features",
    "format": "k8s.io/kubernetes/pkg/kubelet/util/format",
    "record": "k8s.io/client-go/tools/record",
}
"""Package -> the path under which a file imports what the vocabulary means by it."""
FINGERPRINTS: Mapping[str, frozenset[str]] = {
    "isPodStatusCacheTerminal": frozenset({"821393f1229f92cd", "5018f9404e34cad0"}),
    "podUIDAndRefForUpdate": frozenset({"fe9a25fe2c5961c7"}),
    "cleanupPodUpdates": frozenset({"f55030b539b19354", "f5c81469beb7f774", "3f35cfa134996025"}),
}
