"""What a refactoring moves: methods of the work, wrapped errors, local cancel functions, helpers that give a status."""

from __future__ import annotations

import pytest
from tests.golang.test_edits import edited, new_lines
from tests.golang.test_rewritings import ENDING, FORGOTTEN, LOOKED_UP, NEXT

from podproof.checker.core import ModelError

ENDS = "case work.WorkType == TerminatingPod && work.Options.RunningPod != nil:"
RETURNED = "\t\t\tlastSync = time.Now()\n\t\t\treturn err\n"
CANCELS = "\tif cancels && status.cancelFn != nil {\n\t\tstatus.cancelFn()\n"
WAITED = "\t\t\t\t\treturn err\n"
OF_STATUS = "type podSyncStatus struct {"
CLOSED = ENDING + "\tp.clean"
LAST = "\tstatus.finished, status.working = true, false\n"
SENT = "\tselect {\n\tcase updates <- struct{}{}:\n\tdefault:\n\t}\n"
LOOKS = "\tstatus, ok := p.podSyncStatuses[uid]\n\tif !ok {\n\t\treturn nil\n\t}\n\treturn status\n"
GIVES = f"\nfunc (p *podWorkers) statusOf(uid types.UID) *podSyncStatus {{\n{LOOKS}}}\n"
LOOKED = "\tstatus, exists := p.podSyncStatuses[uid]\n"
KNOWN = LOOKED_UP.removeprefix(LOOKED)
DROPS = (
    "\nfunc (p *podWorkers) drop(uid types.UID) {\n\tdelete(p.podSyncStatuses, uid)\n\tp.cleanupPodUpdates(uid)\n}\n"
)
GIVEN = (LOOKED_UP, LOOKED_UP.replace(LOOKED, "\tstatus := p.statusOf(uid)\n").replace("!exists", "status == nil"))
"""completeSync asks a function for the status."""

SAME: dict[str, tuple[tuple[tuple[str, str], ...], str]] = {
    "a method of the work": (
        ((ENDS, "case work.isOrphan():"),),
        "func (w podWork) isOrphan() bool { return w.WorkType == TerminatingPod && w.Options.RunningPod != nil }",
    ),
    "a method of a pointer to the work": (
        (
            (
                "\t\t\tcase work.WorkType == TerminatedPod:\n\t\t\t\tp.comp",
                "\t\t\tcase work.is(TerminatedPod):\n\t\t\t\tp.comp",
            ),
        ),
        "func (w *podWork) is(phase PodWorkerState) bool { return w.WorkType == phase }",
    ),
    "a function of the work": (
        ((ENDS, "case isOrphan(work):"),),
        "func isOrphan(w podWork) bool { return w.WorkType == TerminatingPod && w.Options.RunningPod != nil }",
    ),
    "a function that tells of the work": (
        (("\t\tp.completeWork(uid, t", '\t\tp.tell(work, "done")\n\t\tp.completeWork(uid, t'),),
        "func (p *podWorkers) tell(work podWork, what string) {\n\tif !work.Options.StartTime.IsZero() {\n"
        "\t\tmetrics.PodWorkerDuration.WithLabelValues(what).Observe(1)\n\t}\n}",
    ),
    "an error that is wrapped": (
        (
            (
                RETURNED,
                RETURNED.replace(
                    "return err",
                    'if err != nil {\n\t\t\t\treturn fmt.Errorf("pod %q: %w", uid, err)\n\t\t\t}\n\t\t\treturn nil',
                ),
            ),
        ),
        "",
    ),
    "an error that is told": (((WAITED, WAITED.replace("err", 'fmt.Errorf("no status: %v", err)')),), ""),
    "a new error": (((WAITED, WAITED.replace("err", 'errors.New("no status")')),), ""),
    "a local cancel function": (
        (
            (
                CANCELS,
                CANCELS.replace("if ", "cancel := status.cancelFn\n\tif ")
                .replace("status.cancelFn !=", "cancel !=")
                .replace("status.cancelFn()", "cancel()"),
            ),
        ),
        "",
    ),
    "a text that nobody reads": (
        (
            (OF_STATUS, f"{OF_STATUS}\n\treason string"),
            (FORGOTTEN, f'\tstatus.reason = "ended"\n\tklog.InfoS("ended", "reason", status.reason)\n{FORGOTTEN}'),
        ),
        "",
    ),
    "a loop that counts to the last": (
        ((NEXT, "\tfor i := 0; i <= len(waiting)-1; i += 1 {\n\t\tnext := waiting[i]\n"),),
        "",
    ),
    "a logger asked whether it logs": (
        ((FORGOTTEN, f'\tif logs := klog.V(5); logs.Enabled() {{\n\t\tlogs.Info("ended")\n\t}}\n{FORGOTTEN}'),),
        "",
    ),
    "a deferred literal that logs what it is given": (
        (
            (
                FORGOTTEN,
                f'\tdefer func(since time.Time) {{ klog.InfoS("ended", "since", since) }}(time.Now())\n{FORGOTTEN}',
            ),
        ),
        "",
    ),
    "a reference for logs": (
        ((FORGOTTEN, f'\tref := klog.KObj(nil)\n\tklog.InfoS("ended", "pod", ref)\n{FORGOTTEN}'),),
        "",
    ),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("change", SAME)
def test_the_translation_is_the_same(change: str) -> None:
    changes, more = SAME[change]
    assert new_lines(edited(*changes, more=f"\n{more}\n")) == []


def test_what_is_written_out_where_it_is_called_is_not_left_out() -> None:
    changes, more = SAME["a method of the work"]
    found = edited(*changes, more=f"\n{more}\n")
    assert "podWork.isOrphan" in found.functions
    assert "podWork.isOrphan" not in found.left_out


def test_a_helper_that_only_logs_is_no_statement_of_the_model() -> None:
    found = edited((FORGOTTEN, f'\ttell(uid, "ended")\n{FORGOTTEN}'),
                   more='\nfunc tell(uid types.UID, what string) {\n\tklog.InfoS(what, "uid", uid)\n}\n')  # fmt: skip
    assert [line for line in new_lines(found) if not line.startswith(("def tell", "return"))] == []


def test_a_function_that_gives_a_status_says_whether_there_is_one() -> None:
    found = edited(GIVEN, more=GIVES)
    assert new_lines(found)[:2] == ["is_there = self.status_of(uid)", "if not is_there:"]
    assert [line.partition("  # ")[0].strip() for line in found.text_of("statusOf").splitlines()[2:]] == [
        "ok = self.pod_sync_statuses[uid].present",
        "if not ok:",
        "return False",
        "return True",
    ]


@pytest.mark.slow
def test_a_status_may_be_given_under_a_condition_or_made() -> None:
    started = GIVES.replace("!ok {", "!ok || !status.started() {")
    assert "if not ok or not started(status):" in new_lines(edited(GIVEN, more=started))
    made = GIVES.replace("\t\treturn nil\n", "\t\tstatus = &podSyncStatus{}\n\t\tp.podSyncStatuses[uid] = status\n")
    lines = [line.partition("  # ")[0].strip() for line in edited(GIVEN, more=made).text_of("statusOf").splitlines()]
    assert lines[-4:] == ["if not ok:", "clear(status)", "status.present = True", "return True"]


def test_a_method_of_a_status_may_cancel() -> None:
    found = edited((CANCELS, CANCELS.replace("status.cancelFn()", "status.stop()")),
                   more="\nfunc (s *podSyncStatus) stop() { s.cancelFn() }\n")  # fmt: skip
    assert "self.pod_sync_status_stop(uid_of_pod, status)" in new_lines(found)


def test_without_desired_pods_nothing_may_be_done() -> None:
    found = edited(("\tdesired := make(map[types.UID]struct{})\n", "\tif len(desiredPods) == 0 {\n\t\treturn nil\n\t}\n"
                    "\tdesired := make(map[types.UID]struct{})\n"))  # fmt: skip
    assert "if self.is_desired(counted):" in new_lines(found)


REFUSED: dict[str, tuple[tuple[tuple[str, str], ...], str, str]] = {
    "a send to a channel that was closed": (
        (
            (CLOSED, CLOSED.replace("\tp.clean", "\tupdates := p.podUpdates[uid]\n\tp.clean")),
            (LAST, SENT + LAST),
        ),
        "",
        "its channel may have been closed",
    ),
    "a method that sets the caller's work": (
        (("\t\tvar isTerminal bool\n", "\t\twork.end()\n\t\tvar isTerminal bool\n"),),
        "func (w *podWork) end() {\n\tw.WorkType = TerminatedPod\n}",
        "sets fields of the caller's podWork",
    ),
    "an error that speaks of the network": (
        ((WAITED, WAITED.replace("err", 'errors.New("network is not ready")')),),
        "",
        "what `errors.New` says",
    ),
    "an error that tells what is not known": (
        ((RETURNED, RETURNED.replace("return err", 'return fmt.Errorf("%v: %w", status, err)')),),
        "",
        "is not known",
    ),
    "a cancel function that was replaced": (
        (
            ("\tif status.ctx == nil || ", "\tcancel := status.cancelFn\n\tif status.ctx == nil || "),
            ("\tctx = status.ctx\n", "\tctx = status.ctx\n\tcancel()\n"),
        ),
        "",
        "nothing is known of `cancel`",
    ),
    "a function that gives another pod's status": (
        (GIVEN,),
        GIVES.replace(
            LOOKS,
            "\tfor other, status := range p.podSyncStatuses {\n\t\tif other != uid {\n\t\t\treturn "
            "status\n\t\t}\n\t}\n\treturn nil\n",
        ),
        "is not seen to be the status of the function's UID",
    ),
    "a function that gives a dead status": (
        (GIVEN,),
        GIVES.replace("\treturn status\n", "\tdelete(p.podSyncStatuses, uid)\n\treturn status\n"),
        "deleted it",
    ),
    "a given status that is replaced": (
        (
            (
                GIVEN[0],
                GIVEN[1].replace(
                    KNOWN.partition("\n")[0].replace("!exists", "status == nil"),
                    "\tif status == nil {\n\t\tstatus = &podSyncStatus{}\n\t\tp.podSyncStatuses[uid] = status\n\t}\n"
                    "\tif status == nil {",
                ),
            ),
        ),
        GIVES,
        "is replaced while the old one",
    ),
    "a status that may be nil as an argument": (
        (
            (
                "\tp.requeue(uid, status)\n}\n\nfunc (p *podWorkers) completeTerminatingRuntimePod",
                "\tp.requeue(uid, p.statusOf(uid))\n}\n\nfunc (p *podWorkers) completeTerminatingRuntimePod",
            ),
        ),
        GIVES,
        "may be nil",
    ),
    "a field that nobody reads, and what nobody knows": (
        (
            (OF_STATUS, f"{OF_STATUS}\n\treason string"),
            (FORGOTTEN, f"\tstatus.reason = p.audit.Reason(uid)\n{FORGOTTEN}"),
        ),
        "",
        "nothing is known of `p.audit.Reason`",
    ),
    "a status that a call may have deleted": (
        (
            (
                "\tdelete(p.podSyncStatuses, uid)\n\tp.cleanupPodUpdates(uid)\n\tp.rel",
                "\tother := p.podSyncStatuses[uid]\n\tp.drop(uid)\n\tif other != nil {\n\t\treturn false\n\t}\n\tp.rel",
            ),
        ),
        DROPS,
        "is asked after line",
    ),
    "a given status that a call may have deleted": (
        (
            (
                "\tdelete(p.podSyncStatuses, uid)\n\tp.cleanupPodUpdates(uid)\n\tp.rel",
                "\tother := p.statusOf(uid)\n\tif other != nil {\n\t\tp.drop(uid)\n\t\tother.working = true\n\t}\n"
                "\tp.rel",
            ),
        ),
        DROPS + GIVES,
        "is asked after line",
    ),
    "a text that is compared": (
        (
            (OF_STATUS, f"{OF_STATUS}\n\treason string"),
            (FORGOTTEN, f'\tif status.reason == "ended" {{\n\t\treturn\n\t}}\n{FORGOTTEN}'),
        ),
        "",
        "the model cannot keep podSyncStatus.reason",
    ),
    "a list as an argument": (
        ((FORGOTTEN, f"\tp.look(nil)\n{FORGOTTEN}"),),
        "func (p *podWorkers) look(uids []types.UID) {\n\tp.podsSynced = true\n}",
        "the parameter 'uids' is a",
    ),
}


@pytest.mark.quick(5)
@pytest.mark.parametrize("change", REFUSED)
def test_what_would_mean_something_else_is_refused(change: str) -> None:
    changes, more, error = REFUSED[change]
    with pytest.raises(ModelError, match=error.replace("(", r"\(")):
        edited(*changes, more=f"\n{more}\n")
