"""Idioms of pull requests: what each becomes, and that neighbours which mean something else are refused or differ."""

from __future__ import annotations

import pytest
from tests.golang.test_edits import LEAST, before_finished, edited, new_lines
from tests.golang.test_translation import SOURCE, lines_of, translated

from podproof.checker.core import ModelError

WISHES = SOURCE.split("\tseconds := status.gracePeriod\n")[1].split("\tif wish := pod.Spec.Term")[0]
KILLED = "\tvar killed *int64\n\tif kill != nil {\n\t\tkilled = kill.PodTerminationGracePeriodSecondsOverride\n\t}\n"
SHORTER = "\t\tif wish != nil && (seconds == 0 || *wish < seconds) {\n\t\t\tseconds = *wish\n\t\t}\n"


def wished(header: str, body: str = SHORTER) -> list[str]:
    return new_lines(edited((WISHES, f"{KILLED}\t{header} {{\n{body}\t}}\n")))


def test_a_list_that_is_written_there_is_looped_over_in_its_order() -> None:
    found = wished("for _, wish := range []*int64{pod.DeletionGracePeriodSeconds, killed}")
    loop = found.index("for i in range(2):")
    assert found[loop - 2 : loop + 2] == [
        "listed = pod.deletion_grace_period_seconds",
        "listed_2 = killed",
        "for i in range(2):",
        "wish = listed if i == 0 else listed_2",
    ]
    turned = wished("for _, wish := range []*int64{killed, pod.DeletionGracePeriodSeconds}")
    assert "listed = killed" in turned and "listed = killed" not in found


def test_a_break_leaves_the_loop_over_such_a_list() -> None:
    body = f"\t\tif wish == nil {{\n\t\t\t%s\n\t\t}}\n{SHORTER}"
    header = "for _, wish := range []*int64{nil, pod.DeletionGracePeriodSeconds, killed}"
    leaves = wished(header, body % "break")
    goes_on = wished(header, body % "continue")
    assert "if looking:" in leaves and "if looking:" not in goes_on
    assert {"listed = NIL", "wish = listed if i == 0 else listed_2 if i == 1 else listed_3"} <= {*leaves}


def test_what_is_listed_is_read_before_the_first_pass() -> None:
    body = "\t\tseconds = max(seconds, least+1)\n"
    edit = (LEAST, f"\tfor _, least := range []int64{{seconds, 2}} {{\n{body}\t}}\n")
    assert new_lines(edited(edit))[:2] == ["listed = seconds", "listed_2 = 2"]


@pytest.mark.parametrize(
    "go", ["[]types.UID{status.activeUpdate.Pod.UID}", "[2]int64{1, 2}", "[]int64{1: 2}", "[]int64{}"]
)
def test_other_lists_are_no_such_lists(go: str) -> None:
    with pytest.raises(ModelError, match="is outside what is looped over"):
        wished(f"for _, least := range {go}", "\t\t_ = least\n")


def test_the_first_number_that_is_not_zero() -> None:
    said = "\tseconds = cmp.Or(seconds, status.gracePeriod, 1)\n"
    two = "(seconds if seconds != 0 else (status.grace_period if status.grace_period != 0 else 1))"
    assert new_lines(edited((LEAST, said))) == [f"seconds = {two}"]
    turned = "\tseconds = cmp.Or(status.gracePeriod, seconds, 1)\n"
    assert new_lines(edited((LEAST, turned))) != [f"seconds = {two}"]


def test_what_is_not_zero_of_other_kinds_is_not_told() -> None:
    with pytest.raises(ModelError, match=r"nothing is known of `cmp.Or`"):
        edited(before_finished("\tif cmp.Or(status.deleted, status.evicted) {\n\t\treturn\n\t}\n"))


STATIC = "\tif uid == p.startedStaticPodsByFullname[status.fullname] {\n"
DELETES = f"{STATIC}\t\tdelete(p.startedStaticPodsByFullname, status.fullname)\n\t}}\n"


def released(go: str) -> list[str]:
    return new_lines(edited((DELETES, f"\tmaps.DeleteFunc(p.startedStaticPodsByFullname, {go})\n")))


@pytest.mark.parametrize("compares", ["started == uid", "uid == started"])
def test_each_entry_of_a_pod_is_deleted(compares: str) -> None:
    assert released(f"func(_ string, started types.UID) bool {{ return {compares} }}") == [
        "for name in range(len(self.started_static_pods)):",
        "if self.started_static_pods[name] == uid:",
        "self.started_static_pods[name] = NIL",
    ]


@pytest.mark.parametrize(
    "literal",
    [
        "func(_ string, started types.UID) bool { return started != uid }",
        "func(_ string, uid types.UID) bool { return uid == uid }",
        "func(uid string, started types.UID) bool { return started == types.UID(uid) }",
        "func(name string, _ types.UID) bool { return name == status.fullname }",
        "func(_ string, started types.UID) bool { return p.podsSynced }",
    ],
)
def test_other_entries_are_not_deleted(literal: str) -> None:
    with pytest.raises(ModelError):
        released(literal)


UIDS = """
func (p *podWorkers) EndingPods() []types.UID {
	p.podLock.Lock()
	defer p.podLock.Unlock()
	var found []types.UID
	for uid, status := range p.podSyncStatuses {
		if status.requested() {
			found = append(found, uid)
		}
	}
	return found
}
"""


def test_a_query_may_return_uids_to_who_asks_from_outside() -> None:
    assert new_lines(edited(more=UIDS))[-2:] == ["if requested(self.pod_sync_statuses[uid]):", "found[uid] = True"]
    sorted_ = UIDS.replace("return found", "slices.Sort(found)\n\treturn slices.Clone(found)")
    assert "def ending_pods(self):" in new_lines(edited(more=sorted_))


@pytest.mark.parametrize(
    ("old", "new", "what"),
    [
        ("\tp.podLock.Lock()\n\tdefer p.podLock.Unlock()\n", "", "podLock"),
        ("\treturn found", "\treturn found[1:]", "is outside what is translated"),
        ("\treturn found", "\treturn p.waitingToStartStaticPodsByFullname[p.name]", "nothing is known|no field|own"),
        ("\t\tif status.requested() {", "\t\tif p.podsSynced = true; status.requested() {", "is outside|order"),
    ],
)
def test_other_queries_of_uids_are_refused(old: str, new: str, what: str) -> None:
    with pytest.raises(ModelError, match=what):
        edited(more=UIDS.replace(old, new))


WAKES = "\nfunc (p *podWorkers) wakeAll() {\n\tfor _, uid := range p.EndingPods() {\n\t\tp.wake(uid)\n\t}\n}\n"


def test_uids_of_a_query_are_not_read_within_the_file() -> None:
    with pytest.raises(ModelError, match="gives UIDs, and is no one expression"):
        edited(before_finished("\tp.wakeAll()\n"), more=UIDS + WAKES)


CHECK = "err = p.podSyncer.SyncTerminatedPod(ctx, work.Options.Pod, status)"
IN_A_METHOD = """
func (p *podWorkers) syncTerminated(ctx context.Context, work podWork, status *kubecontainer.PodStatus) error {
	klog.V(4).InfoS("The pod is terminated", "uid", work.Options.Pod.UID)
	return p.podSyncer.SyncTerminatedPod(ctx, work.Options.Pod, status)
}
"""


def test_a_method_may_return_what_a_sync_function_returns() -> None:
    assert new_lines(edited((CHECK, "err = p.syncTerminated(ctx, work, status)"), more=IN_A_METHOD)) == []
    swallows = IN_A_METHOD.replace("\treturn p.pod", "\t_ = p.pod").replace("status)\n}", "status)\n\treturn nil\n}")
    assert new_lines(edited((CHECK, "err = p.syncTerminated(ctx, work, status)"), more=swallows)) != []


def test_a_status_that_a_method_is_given_decides_nothing() -> None:
    asks = IN_A_METHOD.replace("\tklog", "\tif status == nil {\n\t\treturn nil\n\t}\n\tklog")
    with pytest.raises(ModelError, match="`status"):
        edited((CHECK, "err = p.syncTerminated(ctx, work, status)"), more=asks)


WORK = SOURCE.split("func (p *podWorkers) completeWork")[1].split("\tp.podLock.Lock()")[0].partition("{\n")[2]
DELAY = "func (p *podWorkers) delay(transition bool, err error) time.Duration {\n"
RETURNS = WORK.replace("p.workQueue.Enqueue(uid, 0)", "return 0").replace("p.workQueue.Enqueue(uid, ", "return (")


def test_a_method_may_say_when_the_pod_is_synced_again() -> None:
    call = (WORK, "\tp.workQueue.Enqueue(uid, p.delay(transition, err))\n")
    assert new_lines(edited(call, more=f"\n{DELAY}{RETURNS}}}\n")) == []
    other = RETURNS.replace("p.backOffPeriod", "p.resyncInterval")
    assert lines_of(edited(call, more=f"\n{DELAY}{other}}}\n")) != lines_of(translated(SOURCE))


EARLY = "\tif start.IsZero() {\n\t\treturn\n\t}\n"


def observed(body: str) -> list[str]:
    more = f"\nfunc (p *podWorkers) observe(start time.Time) {{\n{EARLY}{body}}}\n"
    return new_lines(edited(before_finished("\tp.observe(status.startedAt)\n"), more=more))


def test_a_function_that_returns_early_and_does_nothing_is_no_call() -> None:
    tells = "\tmetrics.PodWorkers.Observe(1)\n"
    call = "self.observe(status.started_at)"
    assert call not in observed(tells) and call in observed(f"\tp.podsSynced = true\n{tells}")


CANCELED = """
func isCanceled(err error) bool {
	return errors.Is(err, context.Canceled)
}
"""
SYNCED = "\t\ttransition := false\n\t\tif err == nil {\n"


def test_a_helper_may_say_what_an_error_is() -> None:
    asks = "\t\ttransition := false\n\t\tif %s {\n\t\t\tcontinue\n\t\t}\n\t\tif err == nil {\n"
    helper = new_lines(edited((SYNCED, asks % "isCanceled(err)"), more=CANCELED))
    assert helper == new_lines(edited((SYNCED, asks % "errors.Is(err, context.Canceled)")))
    assert helper != new_lines(edited((SYNCED, asks % "!isCanceled(err)"), more=CANCELED))


def test_a_pointer_to_a_struct_of_its_own_is_that_struct() -> None:
    made = "found[uid] = PodWorkerSync{State: status.phase(), Orphan: !wanted}"
    pointer = "known := &PodWorkerSync{State: status.phase()}\n\t\tknown.Orphan = !wanted\n\t\tfound[uid] = %s"
    value = new_lines(edited((made, pointer.replace("&", "", 1) % "known")))
    assert new_lines(edited((made, pointer % "*known"))) == value
    with pytest.raises(ModelError, match="under two names"):
        edited((made, pointer % "*known" + "\n\t\tother := known\n\t\tother.Orphan = true"))
    copied = pointer % "*known" + "\n\t\tother := *known\n\t\tother.Orphan = true"
    assert "known_orphan = True" not in new_lines(edited((made, copied)))
