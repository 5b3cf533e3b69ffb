"""podLock, and what sync functions may return: what waits for ever, or is more than the model tries, is refused."""

from __future__ import annotations

import pytest
from tests.golang.test_compiles import IMPORTS
from tests.golang.test_translation import SOURCE, changed, lines_of, translated

from podproof.checker.core import ModelError

HELD = "\tstatus, known := p.podSyncStatuses[uid]\n"
BEFORE = "\tp.podLock.Lock()\n\tdefer p.podLock.Unlock()\n\tstatus, known := p.podSyncStatuses[uid]\n"
HELPER = "\nfunc (p *podWorkers) isOver(uid types.UID) bool {\n\treturn p.IsPodKnownTerminated(uid)\n}\n"
TELLS = '\nfunc (p *podWorkers) tell(uid types.UID) {\n\tklog.InfoS("over", "is", p.IsPodKnownTerminated(uid))\n}\n'
FOR_EVER = r"locks podLock, which is held here: it would wait for ever"
TWO = r"a second critical section in one step"


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("edit", "more"),
    [
        ("\tif p.IsPodKnownTerminated(uid) {\n\t\treturn\n\t}\n", ""),
        ("\tif p.isOver(uid) {\n\t\treturn\n\t}\n", HELPER),
        ('\tif p.isOver(uid) {\n\t\tklog.InfoS("over")\n\t}\n', HELPER),
        ('\tif over := p.isOver(uid); over {\n\t\tklog.InfoS("over")\n\t}\n', HELPER),
        ('\tklog.InfoS("over", "is", p.isOver(uid))\n', HELPER),
        ('\tklog.V(4).InfoS("over", "is", p.IsPodKnownTerminated(uid))\n', ""),
        ("\tp.tell(uid)\n", TELLS),
        ("\tdefer p.tell(uid)\n", TELLS),
        ('\tmetrics.Over.WithLabelValues("over").Set(p.isOver(uid))\n', HELPER),
        ("\t_ = p.isOver(uid)\n", HELPER),
        ("\tover := p.isOver(uid)\n\tif known && over {\n\t\treturn\n\t}\n", HELPER),
        ("\tswitch {\n\tcase p.isOver(uid):\n\t\treturn\n\t}\n", HELPER),
        ("\tisOver := func() bool { return p.isOver(uid) }\n\tif isOver() {\n\t\treturn\n\t}\n", HELPER),
    ],
)  # fmt: skip
def test_a_lock_that_is_taken_while_it_is_held_waits_for_ever(edit: str, more: str) -> None:
    with pytest.raises(ModelError, match=FOR_EVER):
        translated(changed((HELD, HELD + edit)) + more)


@pytest.mark.parametrize(
    "edit",
    [
        'defer func() {\n\t\tklog.InfoS("over", "is", p.isOver(uid))\n\t}()\n',
        'defer klog.InfoS("over", "is", p.isOver(uid))\n',
    ],
)
def test_a_lock_that_is_taken_in_what_is_deferred_is_refused(edit: str) -> None:
    for at in (HELD + f"\t{edit}", f"\t{edit}{BEFORE}"):
        with pytest.raises(ModelError, match=f"podLock is taken in what is deferred|{FOR_EVER}|{TWO}"):
            translated(changed((HELD if at.startswith(HELD) else BEFORE, at)) + HELPER)


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    "edit",
    [
        "\tif p.IsPodKnownTerminated(uid) {\n\t\treturn\n\t}\n",
        "\tif p.isOver(uid) {\n\t\treturn\n\t}\n",
        "\tif fullname == fullname && p.isOver(uid) {\n\t\treturn\n\t}\n",
        '\tif p.isOver(uid) {\n\t\tklog.InfoS("over")\n\t}\n',
        '\tklog.InfoS("over", "is", p.isOver(uid))\n',
        "\tover := p.isOver(uid)\n\tklog.InfoS(\"over\", \"is\", over)\n",
        "\tp.tell(uid)\n",
    ],
)  # fmt: skip
def test_what_is_asked_before_the_lock_is_a_critical_section_of_its_own(edit: str) -> None:
    with pytest.raises(ModelError, match=TWO):
        translated(changed((BEFORE, edit + BEFORE)) + HELPER + TELLS)


def test_two_queries_of_a_caller_are_two_critical_sections() -> None:
    query = (
        "\nfunc (p *podWorkers) IsOverOrAsked(uid types.UID) bool {\n"
        "\treturn p.IsPodKnownTerminated(uid) || p.IsPodTerminationRequested(uid)\n}\n"
    )
    with pytest.raises(ModelError, match=TWO):
        translated(SOURCE + query)
    one = query.replace(" || p.IsPodTerminationRequested(uid)", "")
    assert "def is_over_or_asked(self, uid: int):" in "\n".join(lines_of(translated(SOURCE + one)))


def test_a_query_in_a_loop_is_many_critical_sections() -> None:
    query = (
        "\nfunc (p *podWorkers) AreOver(uid types.UID) bool {\n\tover := true\n"
        "\tfor range 2 {\n\t\tover = over && p.IsPodKnownTerminated(uid)\n\t}\n\treturn over\n}\n"
    )
    with pytest.raises(ModelError, match="locks podLock in a loop"):
        translated(SOURCE + query)


def test_a_function_that_calls_what_locks_touches_nothing_itself() -> None:
    query = (
        "\nfunc (p *podWorkers) IsOverAndSynced(uid types.UID) bool {\n"
        "\treturn p.podsSynced && p.IsPodKnownTerminated(uid)\n}\n"
    )
    with pytest.raises(ModelError, match="uses what podLock protects, and calls what locks it"):
        translated(SOURCE + query)


UNLOCKED = {
    "a field in a log": ('\tklog.InfoS("x", "y", p.podsSynced)\n', "protects was used before"),
    "a map in a log": ('\tklog.InfoS("x", "y", len(p.podSyncStatuses))\n', "protects was used before"),
    "a condition for a log": ('\tif p.podsSynced {\n\t\tklog.InfoS("x")\n\t}\n', "protects was used before"),
    "the workers by another name": ("\tw := p\n\tif w.IsPodKnownTerminated(uid) {\n\t\treturn\n\t}\n", TWO),
    "another name in a log": ('\tw := p\n\tklog.InfoS("x", "y", w.IsPodKnownTerminated(uid))\n', TWO),
    "the workers in parentheses": ('\tklog.InfoS("x", "y", (p).IsPodKnownTerminated(uid))\n', TWO),
    "a method expression": ('\tklog.InfoS("x", "y", (*podWorkers).IsPodKnownTerminated(p, uid))\n', "cannot be seen"),
    "a method value": ("\tisOver := p.IsPodKnownTerminated\n\tif isOver(uid) {\n\t\treturn\n\t}\n", "nothing is known"),
    "a wait": ("\t_, _ = p.podCache.GetNewerThan(uid, time.Time{})\n", "waits, which only podWorkerLoop may"),
    "a wait of a helper": ("\tp.await(uid)\n", "waits, which only podWorkerLoop may"),
}
AWAIT = "\nfunc (p *podWorkers) await(uid types.UID) {\n\t_, _ = p.podCache.GetNewerThan(uid, time.Time{})\n}\n"


@pytest.mark.quick(4)
@pytest.mark.parametrize("how", UNLOCKED)
def test_what_is_read_without_the_lock_is_refused_wherever_it_stands(how: str) -> None:
    edit, error = UNLOCKED[how]
    with pytest.raises(ModelError, match=error):
        translated(changed((BEFORE, edit + BEFORE)) + (AWAIT if "await" in edit else ""))


@pytest.mark.quick(2)
@pytest.mark.parametrize("call", ["p.mu.Lock()", "p.group.Wait()", "time.Sleep(1)", "p.once.Do(p.wake)"])
def test_of_what_waits_or_locks_no_line_says_that_it_may_be_ignored(call: str) -> None:
    with pytest.raises(ModelError, match=r"no --assume can say what it stands for; it may wait, or locks"):
        translated(changed((HELD, f"\t{call}\n{HELD}")))


@pytest.mark.parametrize("log", ["status.working", "p.podsSynced", "p.IsPodKnownTerminated(uid)"])
def test_what_a_goroutine_logs_is_read_without_the_lock(log: str) -> None:
    start = "\t\tgo p.podWorkerLoop(uid, tokens)\n"
    said = f'\t\t\tklog.InfoS("x", "y", {log})\n'
    logged = f"\t\tgo func() {{\n{said}\t\t\tp.podWorkerLoop(uid, tokens)\n\t\t}}()\n"
    with pytest.raises(ModelError, match=f"is protected by podLock, which was released|{TWO}"):
        translated(changed((start, logged)))


@pytest.mark.slow
def test_the_workers_are_not_copied_and_their_mutex_is_locked_as_what_it_is() -> None:
    asks = (
        "(p *podWorkers) IsPodKnownTerminated(asked types.UID) bool {\n\tp.podLock.Lock()\n\tdefer p.podLock.Unlock()"
    )
    with pytest.raises(ModelError, match="copies the workers, and podLock with them"):
        translated(changed((asks, asks.replace("(p *podWorkers)", "(p podWorkers)"))))
    reads = (asks, asks.replace("k.L", "k.RL").replace("k.U", "k.RU"))
    with pytest.raises(ModelError, match="podLock cannot be locked for reading"):
        translated(changed(reads).replace("package kubelet", IMPORTS))


def test_what_is_nil_in_a_log_would_panic() -> None:
    edit = '\tif !known {\n\t\tklog.InfoS("x", "y", status.working)\n\t}\n'
    with pytest.raises(ModelError, match="`status` is nil here, and Go would panic"):
        translated(changed((HELD, HELD + edit)))


@pytest.mark.parametrize("value", ["iota + 1", "1"])
def test_the_work_types_are_numbered_as_the_model_has_them(value: str) -> None:
    more = f"\ntype PodWorkerState int\n\nconst SyncPod PodWorkerState = {value}\n"
    with pytest.raises(ModelError, match="`SyncPod` is not 0 here"):
        translated(SOURCE + more)


OTHERS = '\nvar (\n\terrOver   = errors.New("over")\n\terrStop   = context.Canceled\n\terrUnset error\n)\n'
ENDED = "\t\ttransition := false\n"


@pytest.mark.parametrize("asked", ["err == context.Canceled", "context.Canceled == err"])
def test_a_cancel_that_may_be_wrapped_is_not_compared(asked: str) -> None:
    edit = f"{ENDED}\t\tif {asked} {{\n\t\t\tcontinue\n\t\t}}\n"
    with pytest.raises(ModelError, match=r"itself or wraps it.*errors\.Is|nothing is known|compares what"):
        translated(changed((ENDED, edit)))


@pytest.mark.slow
def test_a_cancel_that_may_be_wrapped_is_asked_for_with_errors_is() -> None:
    edit = f"{ENDED}\t\tif errors.Is(err, context.Canceled) {{\n\t\t\tcontinue\n\t\t}}\n"
    assert lines_of(translated(changed((ENDED, edit)))) != lines_of(translated(SOURCE))
    logged = edit.replace("continue", 'klog.InfoS("cancelled")').replace(
        "errors.Is(err, context.Canceled)", "err == context.Canceled"
    )
    assert lines_of(translated(changed((ENDED, logged)))) == lines_of(translated(SOURCE))


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("asked", "name"),
    [
        ("errors.Is(err, context.DeadlineExceeded)", "error_is_context_deadline_exceeded"),
        ("errors.As(err, &status)", "error_as_api_errors_status_error"),
    ],
)
def test_what_other_error_it_is_may_be_either(asked: str, name: str) -> None:
    edit = f"{ENDED}\t\tvar status *apiErrors.StatusError\n\t\tif {asked} {{\n\t\t\tcontinue\n\t\t}}\n"
    edit = edit if "As" in asked else edit.replace("\t\tvar status *apiErrors.StatusError\n", "")
    found = translated(changed((ENDED, edit)))
    lines = [line.strip() for line in lines_of(found)]
    assert f"if self.{name}[uid]:" in lines and f"require(self.{name}[pod] != answer)" in lines
    asking = {lines[at - 1] for at, line in enumerate(lines) if line == f"if self.{name}[uid]:"}
    outcomes = [f"if outcome in ({kind}.ERROR, {kind}.CANCELED):" for kind in ("SyncPodOutcome", "SyncOutcome")]
    assert asking == {"if error:", *outcomes, "return"}  # What is asked last is of the network.
    assert any("what a sync function returns may or may not be" in said for said in found.rests_on)
    told = edit.replace("continue", 'klog.InfoS("slow")')
    assert lines_of(translated(changed((ENDED, told)))) == lines_of(translated(SOURCE))


@pytest.mark.quick(3)
@pytest.mark.parametrize(
    ("asked", "why"),
    [
        ("errors.Is(err, nil)", "what error `nil` is"),
        ("errors.Is(err, err)", "what error `err` is"),
        ("errors.Is(err, errStop)", "what error `errStop` is"),
        ("errors.Is(err, errUnset)", "what error `errUnset` is"),
        ("errors.Is(err, p.sentinel())", r"what error `p\.sentinel\(\)` is"),
        ("errors.Is(err, net.ErrClosed) || errors.Is(err, netErr.Closed)", "have one name in the model"),
        ('errors.Is(fmt.Errorf("so: %v", err), net.ErrClosed)', "is not what a sync function returned"),
        ("errors.As(err, &status) || errors.As(err, &status)", "`&status` may be what was found before"),
    ],
)
def test_what_an_error_is_compared_with_is_one_that_is_known(asked: str, why: str) -> None:
    declared = "\t\tvar status *apiErrors.StatusError\n" * ("As" in asked)
    edit = f"{ENDED}{declared}\t\tif {asked} {{\n\t\t\tcontinue\n\t\t}}\n"
    with pytest.raises(ModelError, match=why):
        translated(changed((ENDED, edit)) + OTHERS)


@pytest.mark.parametrize("given", ["err", 'fmt.Errorf("so: %w", err)'])
def test_an_error_of_the_file_and_what_wraps_it_may_be_asked_for(given: str) -> None:
    edit = f"{ENDED}\t\tif errors.Is({given}, errOver) {{\n\t\t\tcontinue\n\t\t}}\n"
    found = [line.strip() for line in lines_of(translated(changed((ENDED, edit)) + OTHERS))]
    assert "if self.error_is_err_over[uid]:" in found


def test_an_error_of_another_type_may_be_nil() -> None:
    edit = f'{ENDED}\t\tvar status *apiErrors.StatusError\n\t\tklog.InfoS("is", "so", status.ErrStatus)\n'
    with pytest.raises(ModelError, match="may be nil; test it first"):
        translated(changed((ENDED, edit)))


@pytest.mark.slow
def test_an_error_of_a_pod_that_has_ended_is_not_looked_past() -> None:
    edit = f"{ENDED}\t\tif isTerminal {{\n\t\t\tp.completeSync(uid)\n\t\t\tcontinue\n\t\t}}\n"
    with pytest.raises(ModelError, match=r"SyncPod never returns both \[A10\]; look at the error first"):
        translated(changed((ENDED, edit)))
    with pytest.raises(ModelError, match=r"SyncPod never returns both \[A10\]"):
        translated(changed((ENDED, edit.replace("\t\t\tcontinue\n", "\t\t\terr = nil\n"))))
    translated(changed((ENDED, edit.replace("if isTerminal", "if err == nil && isTerminal"))))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("\tseconds := status.gracePeriod\n", "\ttrue := status.finished\n\tseconds := status.gracePeriod\n"),
        ("\tseconds := status.gracePeriod\n", "\tvar len int64\n\tseconds := status.gracePeriod + len\n"),
        ("(pod *v1.Pod) bool", "(pod *v1.Pod, nil *v1.Pod) bool"),
        ("type KillPodOptions", "const false = true\n\ntype KillPodOptions"),
        ("type KillPodOptions", "func append(a, b bool) bool { return b }\n\ntype KillPodOptions"),
        ("type KillPodOptions", "type bool int64\n\ntype KillPodOptions"),
        ("\tseconds := status.gracePeriod\n", "\ttime := status.gracePeriod\n\tseconds := time\n"),
        ("for _, pod := range desiredPods", "for _, context := range desiredPods"),
        ("type KillPodOptions", "type string = bool\n\ntype KillPodOptions"),
        ("type KillPodOptions", "func of(len ...bool) bool {\n\treturn true\n}\n\ntype KillPodOptions"),
        ("type KillPodOptions", "func of[len any](x len) {\n}\n\ntype KillPodOptions"),
        ("type KillPodOptions", 'import len "example.com/len"\n\ntype KillPodOptions'),
        ("type KillPodOptions", "var max = func(a, b int64) int64 { return a }\n\ntype KillPodOptions"),
        ("type KillPodOptions", "type min int64\n\ntype KillPodOptions"),
    ],
)
def test_a_name_of_go_or_of_a_package_keeps_its_meaning(old: str, new: str) -> None:
    with pytest.raises(ModelError, match="has another meaning here than everywhere else; rename it"):
        translated(changed((old, new)))


def test_a_package_from_elsewhere_is_not_the_one_that_is_known() -> None:
    with pytest.raises(ModelError, match=r"`ptr` is example\.com/ptr here, of which nothing is known"):
        translated(changed(("type KillPodOptions", 'import "example.com/ptr"\n\ntype KillPodOptions')))


LEAST = "\tif seconds < 1 {\n\t\tseconds = 1\n\t}\n"
FIRST = "func(a, b int64) int64 { return a }"
OWN_MAX = {
    "a local": (f"\tmax := {FIRST}\n\tseconds = max(seconds, 1)\n", ["seconds = seconds"]),
    "a local after Go's": (
        f"\tseconds = max(seconds, 1)\n\tmax := {FIRST}\n\tseconds = max(seconds, 7)\n",
        ["seconds = max(seconds, 1)", "seconds = seconds"],
    ),
    "a local of a block": (
        f"\t{{\n\t\tmax := {FIRST}\n\t\tseconds = max(seconds, 7)\n\t}}\n\tseconds = max(seconds, 1)\n",
        ["seconds = seconds", "seconds = max(seconds, 1)"],
    ),
    "a number": ("\tmax := int64(7)\n\tseconds = min(seconds, max)\n", ["max_2 = 7", "seconds = min(seconds, max_2)"]),
    "Go's": ("\tseconds = max(seconds, 1)\n", ["seconds = max(seconds, 1)"]),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("edit", OWN_MAX)
def test_a_local_in_the_place_of_max_is_what_is_called(edit: str) -> None:
    go, lines = OWN_MAX[edit]
    found = [line.strip() for line in lines_of(translated(changed((LEAST, go))))]
    start = found.index(lines[0])
    assert found[start : start + len(lines)] == lines


def test_a_function_of_the_file_in_the_place_of_max_is_what_is_called() -> None:
    own = "\nfunc max(a, b int64) int64 {\n\treturn a\n}\n"
    found = [line.strip() for line in lines_of(translated(changed((LEAST, "\tseconds = max(seconds, 1)\n")) + own))]
    assert "seconds = self.max(seconds, 1)" in found
    start = found.index("def max(self, a: int, b: int):")
    assert found[start + 1] == "return a"
