"""What counts in the functions of the kubelet's other files."""

from __future__ import annotations

import pytest

from podproof.golang.neighbours import modelled
from podproof.model.versions import V1_36_3

SOURCE = """package kubelet

import "k8s.io/klog/v2"

func (k *Kubelet) HandlePodUpdates(ctx context.Context, pods []*v1.Pod) {
	for _, pod := range pods {
		%s
		k.start(ctx, pod)
	}
}
"""


def functions_with(statement: str, source: str = SOURCE) -> object:
    return modelled({"kubelet.go": source % statement}, V1_36_3)


@pytest.mark.parametrize(
    "statement",
    [
        'klog.InfoS("Updating")',
        'klog.V(4).InfoS("Updating", "pod", klog.KObj(pod), "podUID", pod.UID, "tries", 3, "late", true)',
        'klog.Warningf("Updating %s", pod.Name)',
        'logger := klog.FromContext(ctx); logger.V(2).Info("Updating", "pod", klog.KRef(namespace, name))',
        "logger := klog.TODO(); logger.Error(nil, `Updating`)",
    ],
)
def test_lines_for_the_log_do_not_count(statement: str) -> None:
    assert functions_with(statement) == functions_with("")


@pytest.mark.parametrize(
    "statement",
    [
        'klog.Fatal("Updating")',
        'klog.InfoS("Updating", "left", k.takeOne())',
        'klog.InfoS("Updating", "names", []string{k.takeOne()})',
        'klog.InfoS("Updating", "next", <-k.updates)',
        'klog.InfoS("Updating", "first", pods[0])',
        'klog.InfoS("Updating", "pod", *pod)',
        'klog.InfoS("Updating", "since", pod.Status.StartTime.Time)',
        'found := k.find(pod); klog.InfoS("Updating", "podUID", found.UID)',
        'pod = k.find(pod); klog.InfoS("Updating", "podUID", pod.UID)',
        'k.Info("Updating")',
        'logger := k.podWorkers; logger.Error("Updating")',
        'logger := klog.TODO(); logger = k.other(); logger.Info("Updating")',
        'func(klog worker) { klog.InfoS("Updating") }(k.worker)',
    ],
)
def test_what_a_line_does_besides_counts(statement: str) -> None:
    assert functions_with(statement) != functions_with("")


def test_without_the_package_nothing_is_a_line_for_the_log() -> None:
    source = SOURCE.replace("k8s.io/klog/v2", "example.org/klog")
    assert functions_with('klog.InfoS("Updating")', source) != functions_with("", source)
