"""A counterexample as a Go test for upstream's pkg/kubelet, in the manner of its pod_workers_test.go."""

from podproof.kubelet.go_test.render import go_test_file, held_kubelet_file, held_workers_file
from podproof.kubelet.go_test.script import (
    Call,
    CallResult,
    Goroutine,
    GoStep,
    GoTest,
    Handled,
    Kill,
    PodObject,
    Release,
    Update,
)

__all__ = [
    "Call",
    "CallResult",
    "GoStep",
    "GoTest",
    "Goroutine",
    "Handled",
    "Kill",
    "PodObject",
    "Release",
    "Update",
    "go_test_file",
    "held_kubelet_file",
    "held_workers_file",
]
