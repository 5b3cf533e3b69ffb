"""Which functions of the kubelet's other files count, and what counts in them."""

from __future__ import annotations

import pytest

from podproof.golang.neighbours import changed_around, changed_of_the_model, modelled, names_around

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
    return modelled({"kubelet.go": source % statement})


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


FILE = """
package kubelet

import types "k8s.io/kubernetes/pkg/kubelet/types"

{declaration}
"""


def changed(before: str, after: str) -> list[str]:
    files = {"kubelet.go": (FILE.format(declaration=before), FILE.format(declaration=after))}
    return changed_of_the_model(files).get("kubelet.go", [])


@pytest.mark.parametrize("name", ["getPhase", "computePodActions", "TranslatePodUID", "isSyncPodWorthy", "needsUpdate"])
def test_what_the_model_has_in_no_layer_of_its_own_is_watched(name: str) -> None:
    before = f"func {name}(p *Pod) bool {{ return p.ready }}"
    assert changed(before, before.replace("p.ready", "!p.ready")) == [name]
    assert not changed(before, f"// {name} is told of.\n{before}")


@pytest.mark.parametrize("name", ["GetNewerThan", "GetPodSource", "CreateMirrorPod", "getPodHash", "HashContainer"])
def test_what_decides_for_a_function_of_the_model_is_watched(name: str) -> None:
    """Whether a pod is static, say, GetPodSource decides for IsStaticPod."""
    before = f"func {name}(p *Pod) bool {{ return p.ready }}"
    assert changed(before, before.replace("p.ready", "!p.ready")) == [name]


@pytest.mark.parametrize("file", ["container/cache.go", "config/config.go"])
def test_of_the_cache_and_of_the_sources_every_function_is_watched(file: str) -> None:
    before, after = "package a\n\nfunc Set() { a.Do() }\n", "package a\n\nfunc Set() {}\n"
    assert changed_of_the_model({f"pkg/kubelet/{file}": (before, after)}) == {f"pkg/kubelet/{file}": ["Set"]}
    assert modelled({file: before}) != modelled({file: after})
    assert not changed_of_the_model({"pkg/kubelet/other/cache.go": (before, after)})


CALLER = """package kubelet

func (kl *Kubelet) HandlePodUpdates(pods []string) {
	if kl.%s(pods) {
		kl.start()
	}
}
"""
HELPERS = """package kubelet

func (kl *Kubelet) hasNews(pods []string) bool {
	return any(pods)
}

func any(pods []string) bool {
	return len(pods) > %s
}

func (kl *Kubelet) SyncPod(pods []string) bool {
	return prepare(pods)
}

func prepare(pods []string) bool {
	return %s
}
"""


def test_a_helper_of_a_function_that_the_model_has_decides_with_it() -> None:
    """Also where that one is in another file of the folder, which is as it was, or calls it by another."""
    change = {"kubelet/b.go": (HELPERS % ("0", "a"), HELPERS % ("1", "a"))}
    assert changed_around(change, lambda folder: [CALLER % "hasNews"]).helpers == {
        "kubelet/b.go": {"any": "HandlePodUpdates"}
    }
    assert changed_around(change, lambda folder: [CALLER % "any"]).helpers
    assert not changed_around(change, lambda folder: [CALLER % "isReady"]).helpers


def test_a_helper_that_does_the_same_or_decides_nothing_there_is_none() -> None:
    before = HELPERS % ("0", "a")
    renamed = before.replace(
        "any(pods []string) bool {\n\treturn len(pods)", "any(all []string) bool {\n\treturn len(all)"
    )
    assert renamed != before
    for after in (renamed, HELPERS % ("0", "b")):
        assert not changed_around({"kubelet/b.go": (before, after)}, lambda folder: [CALLER % "hasNews"]).helpers


def test_who_calls_a_handler_is_watched() -> None:
    assert changed("", "func sweep(kl *Kubelet) { kl.HandlePodRemoves(all) }") == ["sweep"]


def test_what_many_functions_are_called_is_not_watched() -> None:
    before = "func (c *cache) Get(key string) int { return c.items[key] }"
    assert not changed(before, before.replace("[key]", "[key] + 1"))


@pytest.mark.parametrize("call", ["w.UpdatePod(o)", "w.podSyncStatuses = nil", "m.killPodFunc(pod, true, nil, nil)"])
def test_a_variable_that_is_a_function_is_watched(call: str) -> None:
    assert changed("", f"var evict = func() {{ {call} }}") == ["var evict"]
    assert changed("", f"func evict() {{ {call} }}") == ["evict"]
    assert not changed("", "var evict = func() { log() }")


def test_in_which_kubelets_a_file_is_counts() -> None:
    text = "package kubelet\n\nfunc getPhase() int { return 1 }\n"
    for constraint in ("//go:build windows", "// +build windows"):
        found = changed_of_the_model({"a.go": (text, f"{constraint}\n\n{text}")})
        assert found == {"a.go": ["the build constraint"]}
    other = "package kubelet\n\nfunc log() int { return 1 }\n"
    assert not changed_of_the_model({"a.go": (other, f"//go:build windows\n\n{other}")})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("return\n\tkill()", "return kill()"),
        ("for kill() {\n\t}", "for kill(); ; {\n\t}"),
        ("for kill(); ; {\n\t}", "for ; ; kill() {\n\t}"),
        ("switch kill() {\n\tcase true:\n\t}", "switch kill(); {\n\tcase true:\n\t}"),
        ("kill()\n\t(kl.kill)()", "kill()(kl.kill)()"),
        ("kill()\n\t<-done", "kill() <- done"),
        ("var is struct {\n\t\tkill\n\t\tdone int\n\t}", "var is struct {\n\t\tkill done\n\t\tint\n\t}"),
        ("var is interface {\n\t\tkill()\n\t\tdone\n\t}", "var is interface {\n\t\tkill() done\n\t}"),
    ],
)
def test_where_a_line_ends_counts_where_it_tells_two_texts_apart(one: str, other: str) -> None:
    before, after = (
        f"package kubelet\n\nfunc (kl *Kubelet) HandlePodCleanups() {{\n\t{said}\n}}\n" for said in (one, other)
    )
    assert changed_of_the_model({"kubelet.go": (before, after)}) == {"kubelet.go": ["HandlePodCleanups"]}
    for said in (before, after):
        assert not changed_of_the_model({"kubelet.go": (said, said.replace("\n\t", "\n\n\t\t"))})


def test_of_which_package_a_word_is_counts() -> None:
    text = FILE.format(declaration="func getPhase() int { return types.One }\n\nfunc log() int { return 1 }")
    other = text.replace("kubelet/types", "kubelet/othertypes")
    assert changed_of_the_model({"a.go": (text, other)}) == {"a.go": ["getPhase"]}
    added = text.replace("import types", 'import "log"\n\nimport types')
    assert not changed_of_the_model({"a.go": (text, added)})


def test_what_cannot_be_parsed_is_told() -> None:
    assert changed("func log() {}", "func log() {}\n)))") == ["what cannot be parsed"]


def test_the_names_are_those_of_every_layer() -> None:
    assert {"SyncPod", "HandlePodUpdates", "getPhase", "GetPods", "RemoveOrphanedStatuses"} <= names_around()
