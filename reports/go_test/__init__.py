"""A counterexample as a Go test for upstream's pkg/kubelet, in the manner of its pod_workers_test.go."""

from podproof.reports.go_test.render import go_test_file, held_workers_file
from podproof.reports.go_test.script import Answer, Call, Goroutine, GoTest, Kill, PodObject, Release, Step, Update

__all__ = [
    "Answer",
    "Call",
    "GoTest",
    "Goroutine",
    "Kill",
    "PodObject",
    "Release",
    "Step",
    "Update",
    "go_test_file",
    "held_workers_file",
]
