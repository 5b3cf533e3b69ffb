"""Functions around the pod workers that are written in another way: which of them do the same, and which may not."""

from __future__ import annotations

import pytest

from podproof.golang.neighbours import changed_around

HEAD = """package kubelet

import (
	"context"

	"k8s.io/klog/v2"
	kubetypes "k8s.io/kubernetes/pkg/kubelet/types"
)

"""
HANDLER = """func (h *handler) HandlePodUpdates(ctx context.Context, pods []*v1.Pod) {
	start := h.clock.Now()
	logger := klog.FromContext(ctx)
	late := 0
	for _, pod := range pods {
		before, _ := h.known.Get(pod.UID)
		h.known.Set(pod)
		if h.gate.Enabled("skip") {
			if !h.room.Has(pod.UID) {
				logger.V(4).Info("Left out", "podUID", pod.UID)
				continue
			}
		}
		other, mirror, isMirror := h.known.Pair(pod)
		if isMirror {
			if other == nil {
				continue
			}
		}
		if before != nil && before.Spec.Size < other.Spec.Size {
			late++
			h.room.Push(other.UID)
		} else {
			h.room.Clear(other.UID)
		}
		switch other.Status.Phase {
		case v1.PodFailed, v1.PodSucceeded:
			h.room.Forget(other.UID)
		}
		h.workers.UpdatePod(ctx, UpdatePodOptions{
			Pod:        other,
			MirrorPod:  mirror,
			UpdateType: kubetypes.SyncPodUpdate,
			StartTime:  start,
		})
	}
	if late > 0 {
		h.room.Retry(late)
	}
}
"""


def found(*edits: tuple[str, str], more: str = "") -> tuple[bool, str]:
    """Is the handler the same after these edits? Why not, if it is not."""
    text = HANDLER
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    around = changed_around({"kubelet.go": (HEAD + HANDLER, HEAD + text + more)})
    told = around.reasons.get("kubelet.go", {})
    return not around.unlike, "; ".join(f"{name}: {why}" for name, why in told.items())


LINE = 'logger.V(4).Info("Left out", "podUID", pod.UID)'
RETRY = "\tif late > 0 {\n\t\th.room.Retry(late)\n\t}\n"
SKIP = """		if h.gate.Enabled("skip") {
			if !h.room.Has(pod.UID) {
				logger.V(4).Info("Left out", "podUID", pod.UID)
				continue
			}
		}
"""
CALL = """		h.workers.UpdatePod(ctx, UpdatePodOptions{
			Pod:        other,
			MirrorPod:  mirror,
			UpdateType: kubetypes.SyncPodUpdate,
			StartTime:  start,
		})
"""
SWITCH = """		switch other.Status.Phase {
		case v1.PodFailed, v1.PodSucceeded:
			h.room.Forget(other.UID)
		}
"""
SIZES = """		if before != nil && before.Spec.Size < other.Spec.Size {
			late++
			h.room.Push(other.UID)
		} else {
			h.room.Clear(other.UID)
		}
"""
MIRROR = """		if isMirror {
			if other == nil {
				continue
			}
		}
"""
SEND = """
func (h *handler) send(ctx context.Context, pod, mirror *v1.Pod, kind kubetypes.SyncPodType, start time.Time) {
	h.workers.UpdatePod(ctx, UpdatePodOptions{
		Pod:        pod,
		MirrorPod:  mirror,
		UpdateType: kind,
		StartTime:  start,
	})
}
"""
IS_LEFT_OUT = """
func (h *handler) isLeftOut(pod *v1.Pod) bool {
	if !h.gate.Enabled("skip") {
		return false
	}
	return !h.room.Has(pod.UID)
}
"""
LEFT_OUT = "\t\tif h.isLeftOut(pod) {\n\t\t\tcontinue\n\t\t}\n"


@pytest.mark.parametrize(
    ("edits", "more"),
    [
        ([("before, _ := h.known", "old, _ := h.known"), (SIZES, SIZES.replace("before", "old"))], ""),
        ([(SKIP, '\t\tif h.gate.Enabled("skip") && !h.room.Has(pod.UID) {\n\t\t\tcontinue\n\t\t}\n')], ""),
        ([("if !h.room.Has(pod.UID) {", "if has := h.room.Has(pod.UID); !has {")], ""),
        ([("if !h.room.Has(pod.UID) {", "if h.room.Has(pod.UID) == false {")], ""),
        ([(SKIP, LEFT_OUT)], IS_LEFT_OUT),
        ([(MIRROR, "\t\tif isMirror && nil == other {\n\t\t\tcontinue\n\t\t}\n")], ""),
        ([(CALL, "\t\th.send(ctx, other, mirror, kubetypes.SyncPodUpdate, start)\n")], SEND),
        ([(CALL, CALL.replace("h.workers.UpdatePod(ctx, Up", "options := Up").replace("})", "}")
           + "\t\th.workers.UpdatePod(ctx, options)\n")], ""),
        ([(SWITCH, SWITCH.replace("switch other.Status.Phase {\n\t\tcase v1.PodFailed, v1.PodSucceeded:",
                                  "if other.Status.Phase == v1.PodFailed || other.Status.Phase == v1.PodSucceeded {"))],
         ""),
        ([], "\nvar more int\n"),
        ([("logger.V(4).Info(\"Left out\"", "logger.V(2).Info(\"It is left out\"")], ""),
        ([("\tstart := h.clock.Now()\n\tlogger := klog.FromContext(ctx)\n",
           "\tlogger := klog.FromContext(ctx)\n\tstart := h.clock.Now()\n")], ""),
        ([("\tlogger := klog.FromContext(ctx)\n", ""), (f"\t\t\t\t{LINE}\n", "")], ""),
    ],
)  # fmt: skip
def test_what_is_only_said_in_another_way_does_the_same(edits: list[tuple[str, str]], more: str) -> None:
    assert found(*edits, more=more) == (True, "")


@pytest.mark.parametrize(
    ("edits", "more"),
    [
        ([(SKIP, "")], ""),
        ([(SKIP, SKIP.replace("!h.room", "h.room"))], ""),
        ([(SKIP, SKIP.replace("continue", "break"))], ""),
        ([(SKIP, SKIP.replace("continue", "return"))], ""),
        ([(SKIP, ""), (SWITCH, SWITCH + SKIP)], ""),
        ([(SKIP, '\t\tif !h.room.Has(pod.UID) && h.gate.Enabled("skip") {\n\t\t\tcontinue\n\t\t}\n')], ""),
        ([(SKIP, LEFT_OUT)], IS_LEFT_OUT.replace("return false", "return true")),
        ([(SKIP, LEFT_OUT)], IS_LEFT_OUT.replace("!h.room", "h.room")),
        ([("\t\th.known.Set(pod)\n", "")], ""),
        ([("\t\th.known.Set(pod)\n", ""), (CALL, CALL + "\t\th.known.Set(pod)\n")], ""),
        ([("\t\tbefore, _ := h.known.Get(pod.UID)\n\t\th.known.Set(pod)\n",
           "\t\th.known.Set(pod)\n\t\tbefore, _ := h.known.Get(pod.UID)\n")], ""),
        ([(MIRROR, "")], ""),
        ([(MIRROR, MIRROR.replace("isMirror", "!isMirror"))], ""),
        ([(MIRROR, MIRROR.replace("if other == nil {\n\t\t\t\tcontinue\n\t\t\t}", "continue"))], ""),
        ([(CALL, "")], ""),
        ([(CALL, CALL + CALL)], ""),
        ([(CALL, f"\t\tif !other.IsStatic {{\n{CALL}\t\t}}\n")], ""),
        ([(CALL, CALL.replace("SyncPodUpdate", "SyncPodKill"))], ""),
        ([(CALL, CALL.replace("other,", "pod,"))], ""),
        ([(CALL, CALL.replace("MirrorPod:  mirror,\n", ""))], ""),
        ([(CALL, "\t\tgo h.send(ctx, other, mirror, kubetypes.SyncPodUpdate, start)\n")], SEND),
        ([(CALL, "\t\tdefer h.send(ctx, other, mirror, kubetypes.SyncPodUpdate, start)\n")], SEND),
        ([(CALL, "\t\th.send(ctx, mirror, other, kubetypes.SyncPodUpdate, start)\n")], SEND),
        ([(CALL, "\t\th.send(ctx, other, mirror, kubetypes.SyncPodUpdate, start)\n")],
         SEND.replace("\th.workers", "\tif pod == mirror {\n\t\treturn\n\t}\n\th.workers")),
        ([(SWITCH, SWITCH.replace(", v1.PodSucceeded", ""))], ""),
        ([(SWITCH, SWITCH.replace("case v1.PodFailed, v1.PodSucceeded", "default"))], ""),
        ([(SWITCH, ""), (CALL, CALL + SWITCH)], ""),
        ([("before != nil && ", "")], ""),
        ([(SIZES, "\t\tsize := before.Spec.Size\n" + SIZES.replace("before.Spec.Size", "size"))], ""),
        ([(SIZES, SIZES.replace("<", "<="))], ""),
        ([(SIZES, SIZES.replace("before.Spec.Size < other.Spec.Size", "before.Spec.Size > other.Spec.Size"))], ""),
        ([("\t\t\tlate++\n", "")], ""),
        ([("late > 0", "late > 1")], ""),
        ([(RETRY, "")], ""),
        ([("\tlate := 0\n", ""), ("for _, pod := range pods {\n", "for _, pod := range pods {\n\t\tlate := 0\n"),
          (f"\t}}\n{RETRY}", f"{RETRY}\t}}\n")], ""),
        ([("\tstart := h.clock.Now()\n", ""), ("for _, pod := range pods {\n",
                                             "for _, pod := range pods {\n\t\tstart := h.clock.Now()\n")], ""),
        ([(LINE, 'logger.V(4).Info("Left out", "is", h.known.Take())')], ""),
        ([(LINE, 'klog.Fatal("Left out")')], ""),
        ([("other, mirror, isMirror := h.known.Pair(pod)", "mirror, other, isMirror := h.known.Pair(pod)")], ""),
        ([("range pods", "range pods[1:]")], ""),
    ],
)  # fmt: skip
def test_what_may_do_something_else_is_never_called_the_same(edits: list[tuple[str, str]], more: str) -> None:
    is_same, why = found(*edits, more=more)
    assert not is_same and "HandlePodUpdates: " in why


def are_same(before: str, after: str) -> bool:
    texts = [
        f"{HEAD}func (h *handler) HandlePodSyncs(pods []*v1.Pod) (err error) {{\n{one}\n}}\n" for one in (before, after)
    ]
    return not changed_around({"kubelet.go": (texts[0], texts[1])}).unlike


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("h.a = true; h.f(); return nil", "h.f(); h.a = true; return nil"),
        ("x := h.size; h.f(); return h.g(x)", "h.f(); x := h.size; return h.g(x)"),
        ("x := h.size; y := x; x.Grow(); return h.g(y)", "x := h.size; y := x; x.Grow(); return h.g(x)"),
        ("var x, y T; x.Grow(); return h.g(x)", "var x, y T; x.Grow(); return h.g(y)"),
        ("x, y := h.one(), h.one(); return h.g(x, y)", "x, y := h.one(), h.one(); return h.g(y, x)"),
        ("x := h.one(); return h.g(x, x)", "x := h.one(); return h.g(x, h.one())"),
        ("m := map[int]int{}; return h.g(m, m)", "m, n := map[int]int{}, map[int]int{}; return h.g(m, n)"),
        ("p := &T{}; return h.g(p, p)", "p, q := &T{}, &T{}; return h.g(p, q)"),
        ("x := h.one(); p := &x; p.n = 1; return h.g(x)", "x := h.one(); p := &x; y := x; p.n = 1; return h.g(y)"),
        ("x := h.is(); h.f(); if x { h.g() }; return nil", "h.f(); x := h.is(); if x { h.g() }; return nil"),
        ("b := h.x == h.y; h.f(); if b { h.g() }; return nil", "h.f(); if h.x == h.y { h.g() }; return nil"),
        ("defer h.g(h.n); h.f(); return nil", "h.f(); defer h.g(h.n); return nil"),
        ("defer h.g(h.n); h.f(); return nil", "defer func() { h.g(h.n) }(); h.f(); return nil"),
        ("return h.f(h.n, h.g())", "x := h.g(); return h.f(h.n, x)"),
        ("for i := 0; i < 3; i++ { h.f(i) }; return nil", "for i := 0; i < 3; i++ { h.f(0) }; return nil"),
        ("for i := 0; i < 3; i++ { h.f(i) }; return nil", "for i := 0; i <= 3; i++ { h.f(i) }; return nil"),
        ("n := 0; for _, p := range pods { n = p.N; h.f(n) }; return nil",
         "n := 0; for _, p := range pods { h.f(n); n = p.N }; return nil"),
        ("for _, p := range pods { if p.Is { return h.f() }; h.g() }; return nil",
         "for _, p := range pods { if p.Is { break }; h.g() }; return nil"),
        ("for i, p := range pods { h.f(i, p) }; return nil", "for p, i := range pods { h.f(i, p) }; return nil"),
        ("x, ok := h.m[1]; h.f(x, ok); return nil", "x := h.m[1]; h.f(x, true); return nil"),
        ("if h.a() || h.b() { h.f() }; return nil", "if h.b() || h.a() { h.f() }; return nil"),
        ("if h.a() { h.f() } else { h.g() }; return nil", "if h.a() { h.f() }; h.g(); return nil"),
        ("switch h.n { case 1: h.f(); default: h.g() }; return nil", "switch h.n { default: h.g() }; return nil"),
        ("switch h.n { case 1: h.f(); case 2: h.g() }; return nil",
         "switch h.n { case 1: h.g(); case 2: h.f() }; return nil"),
        ("x := 1; { x := 2; h.f(x) }; return h.g(x)", "x := 1; { x = 2; h.f(x) }; return h.g(x)"),
        ("_ = pods[0]; h.f(); return nil", "h.f(); return nil"),
        ("h.f(pods[0].N); return nil", "if len(pods) > 0 { h.f(pods[0].N) }; return nil"),
        ("err = h.f(); return", "err := h.f(); h.g(err); return"),
        ("h.f(\"a b\"); return nil", "h.f(\"a  b\"); return nil"),
        ("h.a.Lock(); h.n = 1; h.a.Unlock(); return nil", "h.n = 1; h.a.Lock(); h.a.Unlock(); return nil"),
        ("<-h.c; h.f(); return nil", "h.f(); <-h.c; return nil"),
        ("h.f(T{A: h.x}); return nil", "h.f(T{B: h.x}); return nil"),
        ("h.f(h.x.(A)); return nil", "h.f(h.x.(B)); return nil"),
        ("h.f(pods[1:]); return nil", "h.f(pods[:1]); return nil"),
        ("h.f(pods...); return nil", "h.f(pods); return nil"),
        ("h.f(-h.n); return nil", "h.f(h.n); return nil"),
        ("return nil", "var e *T = nil; return e"),
        ("m := make(map[int]int); h.f(m); return nil", "m := new(map[int]int); h.f(m); return nil"),
        ("h.f(\"a\"); return nil", "var u types.UID = \"a\"; h.f(u); return nil"),
    ],
)  # fmt: skip
def test_two_programs_that_are_nearly_one_are_two(before: str, after: str) -> None:
    assert are_same(before, f"{before}; h.never()")  # It is followed: what comes after its end is not reached.
    assert not are_same(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("select { case <-h.c: h.f() }; return nil", "select { case <-h.c: h.f(1) }; return nil"),
        ("defer func() { h.g(err) }(); return h.f()", "var e error; defer func() { h.g(e) }(); return h.f()"),
        ("x := 1; h.f(func() { x++ }); return h.g(x)", "x := 1; h.f(func() { x++ }); return h.g(1)"),
        ("h.a, h.b = h.b, h.a; return nil", "h.a = h.b; h.b = h.a; return nil"),
        ("a, b := h.a(), h.b(); h.f(new(a), b)", "b, a := h.a(), h.b(); h.f(new(a), a)"),
        ("true := h.a(); if true { h.f() }; return nil", "true := h.a(); h.f(); return nil"),
        ("L: for { for { continue L } }", "L: for { for { break L } }"),
        ("return nil)", "return h.f())"),
    ],
)
def test_what_is_not_followed_is_never_the_same(before: str, after: str) -> None:
    assert not are_same(before, after)
    assert not are_same(before, f"{before}; h.never()")


@pytest.mark.parametrize(
    ("before", "after", "helper"),
    [
        ("h.f(nil); return nil", "h.send(nil); return nil", "(p *v1.Pod) { h.f(p) }"),
        ("return nil", "return h.send()", "() *T { return nil }"),
        ("h.f(\"a\"); return nil", "h.send(\"a\"); return nil", "(u types.UID) { h.f(u) }"),
        ("h.f(a); return nil", "h.send(a); return nil", "(u types.UID) { h.f(u) }"),
        ("x := &T{}; if x != nil { h.f() }; return nil", "x := &T{}; h.send(x); return nil",
         "(x context.Context) { if x != nil { h.f() } }"),
    ],
)  # fmt: skip
def test_what_a_helper_is_handed_may_become_another_value_by_its_type(before: str, after: str, helper: str) -> None:
    """A nil pointer is an interface that is not nil, and a constant takes the type of the parameter."""
    texts = [
        f"{HEAD}func (h *handler) HandlePodSyncs(pods []*v1.Pod) (err error) {{\n{one}\n}}\n{more}"
        for one, more in ((before, ""), (after, f"\nfunc (h *handler) send{helper}\n"))
    ]
    assert changed_around({"kubelet.go": (texts[0], texts[1])}).unlike


def test_a_package_of_the_same_name_is_another_one() -> None:
    body = "func (h *handler) HandlePodSyncs() {\n\th.f(kubetypes.T{%s})\n}\n"
    other = HEAD.replace("k8s.io/kubernetes/pkg/kubelet/types", "example.org/types")
    assert changed_around({"kubelet.go": (HEAD + body % "", other + body % "")}).unlike
    assert changed_around({"kubelet.go": (HEAD + body % "/* */", HEAD + body % "")}) == changed_around({})


def test_a_helper_that_somebody_else_calls_is_one_more_caller() -> None:
    edit = (CALL, "\t\th.send(ctx, other, mirror, kubetypes.SyncPodUpdate, start)\n")
    assert found(edit, more=SEND)[0]
    again = f"{SEND}\nfunc (h *handler) tick(p *v1.Pod) {{\n\th.send(nil, p, nil, 0, h.start)\n}}\n"
    assert not found(edit, more=again)[0]
