"""What functions that the model has use in other files: where a change of that is told, and where it is not."""

from __future__ import annotations

import pytest

from podproof.golang.neighbours import changed_around

CALLER = """package kubelet

import (
	"time"

	"k8s.io/kubernetes/pkg/kubelet/types"
)

type Kubelet struct {
	inner
	size int
}

type inner struct{}

func (i *inner) isLate() bool { return false }

func (kl *Kubelet) HandlePodUpdates(pods []string) {
	if kl.size > most && kl.has(pods) && !kl.isLate() && types.IsOurs(pods) {
		pods = append(pods, name())
	}
}

func (kl *Kubelet) has(pods []string) bool { return len(pods) > 0 }

func name() string { return names[second] }

func unused() int { return spare }
"""
REST = """package kubelet

const most = 3

const (
	first = iota
	second
)

const spare = 1

var names = []string{"a", "b"}
"""
TYPES = """package types

import "strings"

const own = "file"

func IsOurs(pods []string) bool { return source(pods) == own }

func source(pods []string) string { return strings.ToLower(pods[0]) }

func IsTheirs(pods []string) bool { return false }
"""
FILES = {
    "pkg/kubelet/kubelet.go": CALLER,
    "pkg/kubelet/rest.go": REST,
    "pkg/kubelet/types/types.go": TYPES,
    "pkg/kubelet/other.go": "package kubelet\n",
}
KUBELET, REST_GO, TYPES_GO, OTHER = FILES


def told(*edits: tuple[str, str, str]) -> dict[str, dict[str, str]]:
    """What of the files is told after these edits of their texts."""
    after = dict(FILES)
    for path, old, new in edits:
        assert after[path].count(old) == 1, old
        after[path] = after[path].replace(old, new)
    changed = {path: (text, after[path]) for path, text in FILES.items() if after[path] != text}
    return changed_around(
        changed,
        lambda folder: [text for path, text in after.items() if path.rpartition("/")[0] == folder],
        lambda folder: ["pkg/kubelet"] if folder == "pkg/kubelet/types" else [],
    ).helpers


@pytest.mark.parametrize(
    ("path", "old", "new", "what"),
    [
        (REST_GO, "most = 3", "most = 4", "const most"),
        (REST_GO, "const most = 3", "var most = 3", "var most"),
        (REST_GO, "\tfirst = iota\n", "\tnone = iota\n\tfirst\n", "const second"),
        (REST_GO, '{"a", "b"}', '{"b", "a"}', "var names"),
        (REST_GO, "const most", "func init() { names[1] = x }\n\nconst most", "init()"),
        (REST_GO, "const most", "func append(a []string, b string) []string { return a }\n\nconst most", "append"),
        (REST_GO, "package kubelet", "//go:build linux\n\npackage kubelet", "const most"),
        (KUBELET, "size int\n", "size uint8\n", "field Kubelet.size"),
        (KUBELET, "\tinner\n", "\tother\n", "type Kubelet"),
        (OTHER, "package kubelet", "package kubelet\n\nfunc (kl *Kubelet) isLate() bool { return true }", "isLate"),
        (TYPES_GO, "== own", "!= own", "IsOurs"),
        (TYPES_GO, '"file"', '"api"', "const own"),
        (TYPES_GO, "pods[0]", "pods[1]", "source"),
        (TYPES_GO, 'import "strings"', 'import strings "other/strings"', "source"),
    ],
)
def test_what_a_function_of_the_model_uses_is_told(path: str, old: str, new: str, what: str) -> None:
    assert told((path, old, new))[path][what] == "HandlePodUpdates"


def test_a_helper_that_is_changed_where_it_moves_to_is_told() -> None:
    helper = "func (kl *Kubelet) has(pods []string) bool { return len(pods) > 0 }\n"
    gone = (KUBELET, helper, "")
    assert not told(gone, (OTHER, "package kubelet\n", f"package kubelet\n\n{helper}"))
    moved = f"package kubelet\n\n{helper.replace('> 0', '> 1')}"
    assert "has" in {name for names in told(gone, (OTHER, "package kubelet\n", moved)).values() for name in names}


@pytest.mark.parametrize(
    ("path", "old", "new"),
    [
        (REST_GO, "spare = 1", "spare = 2"),
        (REST_GO, "const spare = 1", "const spare, more = 1, 2"),
        (REST_GO, "package kubelet\n", "package kubelet\n\ntype news struct{ most int }\n\nfunc (n news) has() {}\n"),
        (KUBELET, "size int\n", "size int\n\tmore int\n"),
        (KUBELET, "return spare", "return 1"),
        (OTHER, "package kubelet", "package kubelet\n\nfunc (kl *Kubelet) isNew() bool { return true }"),
        (TYPES_GO, "return false", "return true"),
        (TYPES_GO, "package types", "package types\n\nfunc most() int { return 1 }"),
    ],
)
def test_what_none_of_them_uses_is_not_told(path: str, old: str, new: str) -> None:
    assert not told((path, old, new))
