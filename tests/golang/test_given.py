"""Functions that take a function, or give a struct or an error: what they mean where they are called."""

from __future__ import annotations

import pytest
from tests.golang.test_edits import LEAST, before_finished, edited, new_lines
from tests.golang.test_rewritings import LOCKED, QUERY

from podproof.checker.core import ModelError

ASKS = "\tknown, exists := p.podSyncStatuses[asked]\n\treturn exists && known.terminated()\n"
OTHER = "\tstatus, exists := p.podSyncStatuses[uid]\n\tfound := exists && status.requested()\n\tp.podLock.Unlock()\n"
ASK = f"""
func (p *podWorkers) ask(uid types.UID, of func(*podSyncStatus) bool) bool {{
{LOCKED}	status, ok := p.podSyncStatuses[uid]
	if !ok {{
		return false
	}}
	return of(status)
}}
"""
DO = f"""
func (p *podWorkers) with(uid types.UID, do func(*podSyncStatus)) {{
{LOCKED}	if status, ok := p.podSyncStatuses[uid]; ok {{
		do(status)
	}}
}}
"""


def asked(go: str, more: str) -> list[str]:
    """What IsPodKnownTerminated becomes."""
    found = edited((f"{QUERY}{ASKS}", f"{QUERY.replace(LOCKED, '')}{go}"), more=more).text_of("IsPodKnownTerminated")
    return [line.partition("  # ")[0].strip() for line in found.splitlines()]


def test_a_method_is_asked_where_it_is_given() -> None:
    assert asked("\treturn p.ask(asked, (*podSyncStatus).terminated)\n", ASK)[1:] == [
        "status = self.pod_sync_statuses[asked]",
        "ok = self.pod_sync_statuses[asked].present",
        "if not ok:",
        "result = False",
        "else:",
        "result = status.terminated_at",
        "return result",
    ]
    wrong = asked("\treturn p.ask(asked, (*podSyncStatus).requested)\n", ASK)
    assert "result = status.terminating_at" in wrong


def test_a_literal_sets_a_local_of_who_gives_it() -> None:
    go = "\tfound := false\n\tp.with(asked, func(s *podSyncStatus) { found = s.terminated() })\n\treturn found\n"
    lines = asked(go, DO)
    assert lines[-2:] == ["found = terminated(status)", "return found"]
    turned = asked(go.replace("= s.terminated()", "= !s.terminated()"), DO)
    assert turned[-2] == "found = not terminated(status)"


def test_the_names_of_a_literal_are_those_of_who_gives_it() -> None:
    """Who is given it has another `status` and another `uid`."""
    go = (
        f"{LOCKED}\tstatus, ok := p.podSyncStatuses[asked]\n"
        "\tother := p.startedStaticPodsByFullname[status.fullname]\n"
        "\treturn p.pick(other, func() bool { return ok && status.terminated() })\n"
    )
    pick = (
        "\nfunc (p *podWorkers) pick(asked types.UID, of func() bool) bool {\n"
        "\tstatus, ok := p.podSyncStatuses[asked]\n\treturn of() && ok && status.finished\n}\n"
    )
    lines = asked(go, pick)
    assert any("terminated(status)" in line and "status_2.finished" in line for line in lines), lines


def test_a_number_that_is_given_is_what_it_was_when_the_literal_sets_it() -> None:
    go = "\tleast := seconds\n\tseconds = keeps(least, func() { least = 5 }) + least\n"
    keeps = "\nfunc keeps(n int64, do func()) int64 {\n\tdo()\n\treturn n\n}\n"
    lines = new_lines(edited((LEAST, go), more=keeps))
    assert lines == ["least = seconds", "n = least", "least = 5", "result = n", "seconds = result + least"]


GIVEN_WRONG = {
    "it sets a local, and is called in a loop": (
        "\tn := int64(0)\n\tp.all(func() { n++ })\n\treturn n > 1\n",
        f"\nfunc (p *podWorkers) all(do func()) {{\n{LOCKED}\tfor range p.podSyncStatuses {{\n\t\tdo()\n\t}}\n}}\n",
        "sets a local, and is called in a loop",
    ),
    "it locks what is held": (
        "\treturn p.ask(asked, func(s *podSyncStatus) bool { return p.IsPodTerminationRequested(asked) })\n",
        ASK,
        "it would wait for ever",
    ),
    "nothing is given": ("\treturn p.ask(asked, nil)\n", ASK, "which function `nil` is cannot be seen"),
    "it calls itself": (
        "\treturn p.ask(asked, func(s *podSyncStatus) bool { return s.terminated() })\n",
        ASK.replace("return of(status)", "return p.ask(uid, of)"),
        "`ask` calls itself",
    ),
    "it is kept": (
        "\treturn p.ask(asked, func(s *podSyncStatus) bool { return s.terminated() })\n",
        ASK.replace("\treturn of(status)", "\tp.kept = of\n\treturn of(status)"),
        "nothing is known of `p.kept`",
    ),
    "it returns from a loop": (
        "\treturn p.any(func(s *podSyncStatus) bool { return s.terminated() })\n",
        f"\nfunc (p *podWorkers) any(of func(*podSyncStatus) bool) bool {{\n{LOCKED}"
        "\tfor _, s := range p.podSyncStatuses {\n\t\tif of(s) {\n\t\t\treturn true\n\t\t}\n\t}\n\treturn false\n}\n",
        "returns from within a loop",
    ),
}


@pytest.mark.parametrize("why", GIVEN_WRONG)
def test_what_is_given_otherwise_is_refused(why: str) -> None:
    go, more, error = GIVEN_WRONG[why]
    with pytest.raises(ModelError, match=error):
        asked(go, more)


def test_a_status_that_is_deleted_meanwhile_is_not_used() -> None:
    go = "\tp.last(uid, func() { status.evicted = true })\n"
    last = "\nfunc (p *podWorkers) last(uid types.UID, do func()) {\n\tdelete(p.podSyncStatuses, uid)\n\tdo()\n}\n"
    text = edited(before_finished(go), more=last).text_of("UpdatePod")
    lines = [line.partition("  # ")[0].strip() for line in text.splitlines()]
    at = lines.index("self.delete_pod_sync_status(uid)")
    assert lines[at + 1 : at + 3] == ["assert status.present", "status.evicted = True"]


def test_an_update_that_is_replaced_meanwhile_is_not_read() -> None:
    go = "\tpending := status.pendingUpdate\n\tp.last(status, func() { status.deleted = pending != nil })\n"
    last = "\nfunc (p *podWorkers) last(s *podSyncStatus, do func()) {\n\ts.pendingUpdate = nil\n\tdo()\n}\n"
    with pytest.raises(ModelError, match="`pending` is not kept here"):
        edited(before_finished(go), more=last)


# -- structs ---------------------------------------------------------------------------------------------------------
PAIR = "\ntype wish struct {\n\tseconds int64\n\tisSet   bool\n}\n"
SHORTEST = (
    f"{PAIR}\nfunc shortest(n int64, other *int64) wish {{\n\tif other == nil {{\n\t\treturn wish{{seconds: n}}\n\t}}\n"
    "\treturn wish{isSet: true, seconds: *other}\n}\n"
)


def test_each_field_of_a_struct_is_given_back() -> None:
    go = "\tif found := shortest(seconds, pod.DeletionGracePeriodSeconds); found.isSet {\n"
    go += "\t\tseconds = found.seconds\n\t}\n"
    lines = new_lines(edited((LEAST, go), more=SHORTEST))
    assert lines[2:] == [
        "result_seconds = seconds",
        "result_is_set = False",
        "result_seconds = other",
        "result_is_set = True",
        "found_seconds = result_seconds",
        "found_is_set = result_is_set",
        "if found_is_set:",
        "seconds = found_seconds",
    ]
    turned = new_lines(edited((LEAST, go), more=SHORTEST.replace("isSet: true", "isSet: false")))
    assert turned != lines


def test_a_struct_that_is_passed_by_value_is_a_copy() -> None:
    go = "\tone := wish{seconds: seconds}\n\ttwo := more(one)\n\tseconds = one.seconds + two.seconds\n"
    more = f"{PAIR}\nfunc more(w wish) wish {{\n\tw.seconds = 7\n\treturn w\n}}\n"
    lines = new_lines(edited((LEAST, go), more=more))
    assert "one_seconds = 7" not in lines and "w_seconds = 7" in lines
    assert lines[-1] == "seconds = one_seconds + two_seconds"


STRUCT_WRONG = {
    "a defer sets a field of what is returned": (
        "\tseconds = more().seconds\n",
        f"{PAIR}\nfunc more() (w wish) {{\n\tdefer func() {{\n\t\tw.seconds = 7\n\t}}()\n"
        "\treturn wish{seconds: 1}\n}\n",
        "a `defer` sets `w.seconds`, which may be returned",
    ),
    "a field without its name": (
        "\tseconds = more().seconds\n",
        f"{PAIR}\nfunc more() wish {{\n\treturn wish{{1, true}}\n}}\n",
        "a field without its name",
    ),
    "a method sets its receiver": (
        "\tw := wish{}\n\tseconds = w.more().seconds\n",
        f"{PAIR}\nfunc (w *wish) more() wish {{\n\tw.seconds = 7\n\treturn *w\n}}\n",
        "`more` sets fields of its wish",
    ),
    "it is called in the midst of something": (
        "\tseconds = seconds + more().seconds\n",
        f"{PAIR}\nfunc more() wish {{\n\tw := wish{{seconds: 1}}\n\treturn w\n}}\n",
        "is a part of an expression",
    ),
}


@pytest.mark.parametrize("why", STRUCT_WRONG)
def test_a_struct_that_is_made_otherwise_is_refused(why: str) -> None:
    go, more, error = STRUCT_WRONG[why]
    with pytest.raises(ModelError, match=error):
        edited((LEAST, go), more=more)


# -- errors ----------------------------------------------------------------------------------------------------------
FIND = """
func (p *podWorkers) find(uid types.UID) (*podSyncStatus, error) {
	status, ok := p.podSyncStatuses[uid]
	if !ok {
		return nil, fmt.Errorf("no pod %s", uid)
	}
	return status, nil
}
"""
FOUND = (
    f"{LOCKED}\tknown, err := p.find(asked)\n\tif err != nil {{\n\t\treturn false\n\t}}\n\treturn known.terminated()\n"
)


def test_of_an_error_it_is_known_whether_it_is_nil() -> None:
    lines = asked(FOUND, FIND)
    assert lines[1:] == [
        "is_there, given = self.find(asked)",
        "known = self.pod_sync_statuses[asked]",
        "err = given",
        "if err:",
        "return False",
        "return terminated(known)",
    ]
    turned = f"{LOCKED}\tif known, err := p.find(asked); err == nil {{\n\t\treturn known.terminated()\n\t}}\n"
    turned += "\treturn false\n"
    assert "if not err:" in asked(turned, FIND)
    with pytest.raises(ModelError, match="`known` may be nil"):
        asked(turned.replace("err == nil", "err != nil"), FIND)


@pytest.mark.parametrize(
    "more",
    [
        FIND.replace("return status, nil", 'return status, errors.New("found")'),
        FIND.replace('return nil, fmt.Errorf("no pod %s", uid)', "return nil, nil"),
        FIND.replace('\tif !ok {\n\t\treturn nil, fmt.Errorf("no pod %s", uid)\n\t}\n', "\t_ = ok\n"),
    ],
)
def test_an_error_that_does_not_tell_leaves_the_status_in_doubt(more: str) -> None:
    with pytest.raises(ModelError, match="`known` may be nil"):
        asked(FOUND, more)


def test_what_such_an_error_says_is_not_known() -> None:
    with pytest.raises(ModelError):
        asked(FOUND.replace("err != nil", "errors.Is(err, context.Canceled)"), FIND)


# -- times, loops, names ---------------------------------------------------------------------------------------------
EARLIER = (
    "\nfunc earlier(a, b time.Time) time.Time {\n\tif !a.IsZero() && a.Before(b) {\n\t\treturn a\n\t}\n\treturn b\n}\n"
)


def test_times_of_updates_are_compared_where_they_are_given() -> None:
    go = "\toptions.StartTime = earlier(status.pendingUpdate.StartTime, options.StartTime)\n"
    lines = new_lines(edited(before_finished(go), more=EARLIER))
    assert "if a != 0 and a < b:" in lines and lines[-1] == "options.start_time = result"
    with pytest.raises(ModelError):
        edited(before_finished(go.replace("status.pendingUpdate.StartTime", "status.startedAt")), more=EARLIER)


RELEASED = "\tif uid == p.startedStaticPodsByFullname[status.fullname] {\n"


ENTRY = "\tif started, ok := p.startedStaticPodsByFullname[status.fullname]; {} {{\n\t\treturn\n\t}}\n"
DELETED = "\tdelete(p.startedStaticPodsByFullname, status.fullname)\n"


@pytest.mark.parametrize("others", ["!ok || started != uid", "!(ok && started == uid)"])
def test_an_entry_is_deleted_where_it_is_the_pods_own(others: str) -> None:
    edited((f"{RELEASED}\t{DELETED}\t}}\n", ENTRY.format(others) + DELETED))


@pytest.mark.parametrize("others", ["!ok || started == uid", "!ok && started != uid", "ok && started != uid", "!ok"])
def test_an_entry_that_may_be_another_pods_is_not_deleted_in_any_order(others: str) -> None:
    with pytest.raises(ModelError, match="the order of this map, which is random, matters"):
        edited((f"{RELEASED}\t{DELETED}\t}}\n", ENTRY.format(others) + DELETED))


def test_a_loop_over_what_is_written_there_may_only_tell() -> None:
    loop = '\tfor name, n := range map[string]int64{"a": status.gracePeriod} {\n\t\tklog.InfoS("told", name, n)\n\t}\n'
    assert new_lines(edited(before_finished(loop))) == []
    with pytest.raises(ModelError, match="is outside what is looped over"):
        edited(
            before_finished(loop.replace('klog.InfoS("told", name, n)', "status.gracePeriod = n + int64(len(name))"))
        )
    with pytest.raises(ModelError):
        edited(before_finished(loop.replace("status.gracePeriod", "status.activeUpdate.Pod.Status.StartTime.Unix()")))


def test_a_name_may_be_hidden_where_it_is_not_said_again() -> None:
    inner = "\t\tif least := int64(2); seconds == least {\n\t\t\treturn least, true\n\t\t}\n"
    go = f"\tleast := int64(1)\n\tif seconds < least {{\n{inner}\t\treturn 1, false\n\t}}\n"
    lines = new_lines(edited((LEAST, go)))
    assert "return least_2, True" in lines and "if seconds < least:" in lines


NAMES = (
    "\t\tuid, fullname = options.Pod.UID, kubecontainer.BuildPodFullName(options.Pod.Name, options.Pod.Namespace)\n",
    "\t\tuid, fullname = named(options.Pod)\n",
)
NAMED = (
    "\nfunc named(pod *v1.Pod) (uid types.UID, name string) {\n"
    "\treturn pod.UID, kubecontainer.BuildPodFullName(pod.Name, pod.Namespace)\n}\n"
)


def test_the_names_of_a_pod_are_given_back() -> None:
    lines = new_lines(edited(NAMES, more=NAMED))
    assert not any(line.startswith(("uid =", "fullname =")) for line in lines), lines
    with pytest.raises(ModelError):
        edited(NAMES, more=NAMED.replace("return pod.UID,", "if pod == nil {\n\t\treturn\n\t}\n\treturn pod.UID,"))


@pytest.mark.parametrize("more", ["p.podsSynced = false", "p.podLock.Lock()", "delete(p.podSyncStatuses, s.uid())"])
def test_a_text_that_is_told_does_nothing_else(more: str) -> None:
    go = '\tklog.InfoS("told", "it", p.text(status))\n'
    text = '\nfunc (p *podWorkers) text(s *podSyncStatus) string {\n\t%s\n\treturn "a"\n}\n'
    with pytest.raises(ModelError):
        edited(before_finished(go), more=text % more)


LAST = """
func (s *podSyncStatus) lastPod() *v1.Pod {
	if s.pendingUpdate != nil && s.pendingUpdate.Pod != nil {
		return s.pendingUpdate.Pod
	}
	if s.activeUpdate != nil && s.activeUpdate.Pod != nil {
		return s.activeUpdate.Pod
	}
	return nil
}
"""


def test_one_of_several_pods_is_given_back_or_none() -> None:
    go = "\tif last := status.lastPod(); last != nil {\n\t\tstatus.deleted = last.DeletionTimestamp != nil\n\t}\n"
    lines = new_lines(edited(before_finished(go), more=LAST))
    copies = [line for line in lines if line.startswith("local.result = ")]
    assert copies == [
        "local.result = copy(status.pending_update.pod)",
        "local.result = copy(status.active_update.pod)",
        "local.result = Pod()",
    ]
    turned = LAST.replace("\treturn nil\n", "\treturn s.activeUpdate.Pod\n")
    with pytest.raises(ModelError):
        edited(before_finished(go), more=turned.replace("s.activeUpdate.Pod\n", "p.other\n"))
