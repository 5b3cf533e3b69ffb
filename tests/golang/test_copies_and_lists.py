"""What a function keeps for itself: copies of a status, lists and sets of UIDs, and what these must not decide."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.golang.test_edits import edited, new_lines
from tests.golang.test_shapes import LOOP
from tests.golang.test_translation import changed

from podproof.checker.core import ModelError
from podproof.checker.difference.transitions import Equality, compare_everywhere, in_one_graph
from podproof.golang.equality import candidates
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import go_subject, subject_of, system_of

ENDS = "\tstatus.startedTerminating = true\n\tp.requeue(uid, status)\n"
"""completeSync, from where it writes."""
FORGOTTEN = (
    "\tp.releaseStatic(uid, status)\n\tdelete(p.podSyncStatuses, uid)\n}\n\nfunc (p *podWorkers) completeTerminated("
)
KEPT = "\tbefore := *status\n"
CLOSE = "\t\tclose(told)\n\t}\n"


def copied(go: str) -> tuple[str, str]:
    """completeSync with a copy of the status as it was before the last writes, and statements after these."""
    return ENDS, f"{KEPT}{ENDS}{go}"


BECOMES: dict[str, tuple[tuple[str, str], list[str]]] = {
    "a field": (
        copied("\tif !before.startedTerminating {\n\t\tstatus.deleted = true\n\t}\n"),
        ["before = copy(status)", "if not before.started_terminating:"],
    ),
    "a method": (
        copied("\tif before.phase() != status.phase() {\n\t\tstatus.deleted = true\n\t}\n"),
        ["before = copy(status)", "if phase(before) != phase(status):"],
    ),
    "a pointer that is asked for nil": (
        copied("\tif before.pendingUpdate == nil && status.pendingUpdate != nil {\n\t\tstatus.deleted = true\n\t}\n"),
        [
            "before = copy(status)",
            "if not before.pending_update.present and status.pending_update.present:",
        ],
    ),
    "one of a status that is gone": (
        (FORGOTTEN, KEPT + FORGOTTEN.replace("\n}", "\n\tif before.finished {\n\t\tp.wake(uid)\n\t}\n}", 1)),
        ["before = copy(status)", "if before.finished:", "self.wake(uid)"],
    ),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("what", BECOMES)
def test_a_copy_of_a_status_is_what_the_status_was(what: str) -> None:
    edit, lines = BECOMES[what]
    assert new_lines(edited(edit)) == lines


REFUSED: dict[str, tuple[str, str]] = {
    "what a pointer of it points to": ("\tif before.activeUpdate.Pod != nil {\n\t\treturn\n\t}\n", "nothing is known"),
    "that, in a log": (
        '\tif before.activeUpdate != nil {\n\t\tklog.InfoS("ended", "was", before.activeUpdate.UpdateType)\n\t}\n',
        "may be nil, or another one by now",
    ),
    "a pointer that is stored": ("\tstatus.pendingUpdate = before.pendingUpdate\n", "is of another kind"),
    "its context": ("\tif before.ctx != nil {\n\t\treturn\n\t}\n", "the model cannot keep podSyncStatus.ctx"),
    "its cancel function": ("\tbefore.cancelFn()\n", "`before` is a copy, and `before.cancelFn` is known for a status"),
    "its lists": ("\tstatus.deleted = len(before.notifyPostTerminating) > 0\n", "is not kept with a copy"),
    "a field of it is set": ("\tbefore.finished = true\n", "`before` is a copy of a status, and is written"),
    "a method that writes": ("\tbefore.remember(UpdatePodOptions{})\n", "`before` is a copy of a status"),
    "its address": ("\tp.requeue(uid, &before)\n", "take the address of a new struct"),
    "it is made the status again": ("\t*status = before\n", "`*status` cannot be assigned to here"),
    "it is set again": ("\tbefore = *status\n\tstatus.deleted = before.finished\n", "is set more than once"),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("what", REFUSED)
def test_what_a_copy_of_a_status_shares_or_lacks_is_refused(what: str) -> None:
    go, error = REFUSED[what]
    with pytest.raises(ModelError) as refused:
        edited(copied(go))
    assert error in str(refused.value)


def unlike(folder: Path, *changes: tuple[str, str]) -> dict[str, Equality]:
    """What of the changed worker is not the model's."""
    file = folder / "pod_workers.go"
    file.write_text(changed(*changes), encoding="utf-8")
    subjects = subject_of("v1.29", None), go_subject(file, "v1.29")
    systems = in_one_graph(*(system_of(subject, SCENARIOS["lone-pod"]) for subject in subjects))
    found = compare_everywhere(systems, candidates(systems[1]), [])
    return {c.name: c.equality for c in found.conclusions if c.equality is not Equality.EQUAL}


@pytest.mark.slow
def test_what_is_decided_by_a_copy_is_what_was_so_before(tmp_path: Path) -> None:
    deletes = "\tstatus.deleted = status.deleted || {} && {}\n".format
    stopped = deletes("before.startedTerminating", "!status.startedTerminating")
    started = deletes("!before.startedTerminating", "status.startedTerminating")
    assert unlike(tmp_path, copied(stopped)) == {}
    assert Equality.DIFFERENT in unlike(tmp_path, copied(started)).values()


SYNCED = "\tp.podsSynced = true\n"
"""SyncKnownPods, before its loop."""
PASSES = "\tfor uid, status := range p.podSyncStatuses {\n\t\t_, wanted"
EACH = "\tfor uid := range p.podSyncStatuses {\n\t\t"
DELETES = "\t\tp.podSyncStatuses[uid].deleted = true\n\t}\n"
ENDED = "\tfor uid, status := range p.podSyncStatuses {\n\t\tif status.finished {\n\t\t\t"
NO_PODS = "no_pods: Annotated[Pods, CONSTANT]"


def synced(go: str) -> tuple[str, str]:
    return SYNCED, f"{SYNCED}{go}"


SECOND_LOOP = {
    "a list": f"\tvar gone []types.UID\n{ENDED}gone = append(gone, uid)\n\t\t}}\n\t}}\n\tfor _, uid := range gone {{\n",
    "a sorted list": "\tgone := make([]types.UID, 0, len(p.podSyncStatuses))\n"
    f"{ENDED}gone = append(gone, uid)\n\t\t}}\n\t}}\n\tslices.Sort(gone)\n\tfor _, uid := range gone {{\n",
    "a set": f"\tgone := sets.New[types.UID]()\n{ENDED}gone.Insert(uid)\n\t\t}}\n\t}}\n\tfor uid := range gone {{\n",
    "a set as a list": f"\tgone := sets.New[types.UID]()\n{ENDED}gone.Insert(uid)\n\t\t}}\n\t}}\n"
    "\tfor _, uid := range sets.List(gone) {\n",
    "a map to bools": f"\tgone := map[types.UID]bool{{}}\n{ENDED}gone[uid] = true\n\t\t}}\n\t}}\n"
    "\tfor uid := range gone {\n",
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("how", SECOND_LOOP)
def test_a_list_or_a_set_that_a_loop_over_a_map_makes_has_what_it_found(how: str) -> None:
    lines = new_lines(edited(synced(SECOND_LOOP[how] + DELETES)))
    assert lines[-7:] == [
        "gone = copy(self.no_pods).has",
        "if self.pod_sync_statuses[uid].finished:",
        "gone[uid] = True",
        "for uid in range(len(gone)):",
        "if gone[uid]:",
        "assert self.pod_sync_statuses[uid].present",
        "self.pod_sync_statuses[uid].deleted = True",
    ]


ALL_KEYS = {
    "the keys": "\tfor uid := range maps.Keys(p.podSyncStatuses) {\n",
    "the sorted keys": "\tfor _, uid := range slices.Sorted(maps.Keys(p.podSyncStatuses)) {\n",
    "the keys as a set": "\tfor uid := range sets.KeySet(p.podSyncStatuses) {\n",
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("how", ALL_KEYS)
def test_a_loop_over_the_keys_of_a_map_is_one_over_the_map(how: str) -> None:
    looked_up = "\t\tstatus := p.podSyncStatuses[uid]\n\t\t_, wanted"
    lines = new_lines(edited((PASSES, f"{ALL_KEYS[how]}{looked_up}")))
    assert lines[0] == "status = self.pod_sync_statuses[uid]"
    assert not any(line.startswith("for ") for line in lines)


ASKS = {
    "how many": (
        f"\tvar gone []types.UID\n{EACH}gone = append(gone, uid)\n\t}}\n\tp.podsSynced = len(gone) != 1\n",
        ["if gone[counted]:", "count = count + 1", "self.pods_synced = count != 1"],
    ),
    "one of a list": (
        "\tgone := slices.Collect(maps.Keys(p.podSyncStatuses))\n"
        f"{ENDED}status.deleted = slices.Contains(gone, uid)\n\t\t}}\n\t}}\n",
        ["gone[uid] = self.pod_sync_statuses[uid].present", "self.pod_sync_statuses[uid_2].deleted = gone[uid_2]"],
    ),
    "one of a set": (
        f"\tgone := sets.KeySet(p.podSyncStatuses)\n{ENDED}status.deleted = !gone.Has(uid)\n\t\t}}\n\t}}\n",
        ["gone[uid] = self.pod_sync_statuses[uid].present", "self.pod_sync_statuses[uid_2].deleted = not gone[uid_2]"],
    ),
    "one of a map": (
        f"\tgone := make(map[types.UID]bool)\n{ENDED}status.deleted = gone[uid]\n\t\t}}\n\t}}\n",
        ["self.pod_sync_statuses[uid].deleted = gone[uid]"],
    ),
    "one of some that are written there": (
        "\tfor _, status := range p.podSyncStatuses {\n"
        "\t\tstatus.deleted = slices.Contains([]PodWorkerState{SyncPod, TerminatedPod}, status.phase())\n\t}\n",
        ["self.pod_sync_statuses[_].deleted = phase(self.pod_sync_statuses[_]) == WorkType.SYNC or "
         "phase(self.pod_sync_statuses[_]) == WorkType.TERMINATED"],
    ),
}  # fmt: skip


@pytest.mark.quick(2)
@pytest.mark.parametrize("what", ASKS)
def test_a_list_or_a_set_is_asked(what: str) -> None:
    go, asked = ASKS[what]
    lines = new_lines(edited(synced(go)))
    assert [line for line in lines if line in asked] == asked


def test_what_is_only_told_is_no_list() -> None:
    names = "\tnames := make([]string, 0, len(desiredPods))\n\tdesired := make("
    told = '\t\tnames = append(names, pod.Name)\n\t}\n\tklog.InfoS("desired", "names", names)\n\tp.podLock'
    made = ("\tdesired := make(", names), ("\t\tdesired[pod.UID] = struct{}{}\n\t}\n\tp.podLock", "")
    assert new_lines(edited(made[0], (made[1][0], made[1][0].replace("\t}\n\tp.podLock", told)))) == []


KEPT_LIST = (
    "\ttold := status.notifyPostTerminating\n\tstatus.notifyPostTerminating = {}\n\tstatus.terminatedAt = time.Now()\n"
)
CLOSES = "\tfor _, told := range status.notifyPostTerminating {\n\t\tclose(told)\n\t}\n"
CLOSES_KEPT = "\tfor _, one := range told {\n\t\tclose(one)\n\t}\n"
ENDS_NOW = "\tstatus.terminatedAt = time.Now()\n" + CLOSES


@pytest.mark.slow
def test_a_list_of_channels_stays_what_it_was_where_its_status_has_another() -> None:
    lines = new_lines(edited((ENDS_NOW, KEPT_LIST.format("nil") + CLOSES_KEPT)))
    assert "told = copy(status)" in lines
    assert "if told.notify_post_terminating[one]:" in lines
    with pytest.raises(ModelError, match="`told` is not kept here"):  # What is appended then may be stored there.
        edited((ENDS_NOW, KEPT_LIST.format("status.notifyPostTerminating[:0]") + CLOSES_KEPT))


UNCLEAR = {
    "twice in a pass": (f"{EACH}gone = append(gone, uid)\n\t\tgone = append(gone, uid)\n\t}}\n", "a second time"),
    "in two loops": (f"{EACH}gone = append(gone, uid)\n\t}}\n" * 2, "a second time"),
    "in a loop of a loop": (f"\tfor range 2 {{\n{EACH}gone = append(gone, uid)\n\t}}\n\t}}\n", "a second time"),
    "its first": (f"{EACH}gone = append(gone, uid)\n\t}}\n\tp.wake(gone[0])\n", "is no element"),
    "its places": (f"{EACH}gone = append(gone, uid)\n\t}}\n\tfor i, uid := range gone {{\n\t\tif i == 0 {{\n"
                   "\t\t\tp.wake(uid)\n\t\t}\n\t}\n", "depends on the order of a map"),
    "who is first": (f"{EACH}gone = append(gone, uid)\n\t}}\n\tfirst := true\n\tfor _, uid := range gone {{\n"
                     "\t\tif first {\n\t\t\tp.wake(uid)\n\t\t}\n\t\tfirst = false\n\t}\n", "the order of this map"),
    "its length meanwhile": (f"{EACH}gone = append(gone, uid)\n\t\tif len(gone) == 1 {{\n"
                             "\t\t\tp.wake(uid)\n\t\t}\n\t}\n",
                             "the order of this map"),
    "some of it": (f"{EACH}gone = append(gone, uid)\n\t\tbreak\n\t}}\n", "the order of a map"),
    "two names": (f"{EACH}gone = append(gone, uid)\n\t}}\n\tother := gone\n"
                  "\tp.podsSynced = len(other) > 0\n", "under two names"),
    "nil": ("\tp.podsSynced = gone == nil\n", "ask for its length"),
}  # fmt: skip


@pytest.mark.quick(2)
@pytest.mark.parametrize("what", UNCLEAR)
def test_a_list_whose_order_or_number_could_matter_is_refused(what: str) -> None:
    go, error = UNCLEAR[what]
    with pytest.raises(ModelError) as refused:
        edited(synced(f"\tvar gone []types.UID\n{go}"))
    assert error in str(refused.value)


@pytest.mark.slow
def test_a_list_that_was_made_in_a_loop_is_the_same_in_every_state(tmp_path: Path) -> None:
    keys = "\tuids := make([]types.UID, 0, 8)\n"
    all_of_them = f"{keys}{EACH}uids = append(uids, uid)\n\t}}\n"
    loop = "\tfor _, uid := range uids {\n\t\tstatus := p.podSyncStatuses[uid]\n\t\t_, wanted"
    assert unlike(tmp_path, (PASSES, all_of_them + loop)) == {}
    some = all_of_them.replace("\t\tuids =", "\t\tif p.podSyncStatuses[uid].finished {\n\t\tuids =").replace(
        ")\n\t}", ")\n\t}\n\t}"
    )
    assert Equality.DIFFERENT in unlike(tmp_path, (PASSES, some + loop)).values()


CLEARS = """
func (p *podWorkers) clears(status *podSyncStatus) {
	status.notifyPostTerminating = nil
}

func (p *podWorkers) waits(fullname string) {
	for _, next := range p.waitingToStartStaticPodsByFullname[fullname] {
		%s
		if status, ok := p.podSyncStatuses[next]; ok {
			status.deleted = true
		}
	}
}
"""
WHILE_LOOPED = {
    "it is set": ("status.notifyPostTerminating = nil", ""),
    "a function sets it": ("p.clears(status)", ""),
    "it is deleted": ("", "delete(p.waitingToStartStaticPodsByFullname, fullname)"),
    "it grows": (
        "",
        "p.waitingToStartStaticPodsByFullname[fullname] = append(p.waitingToStartStaticPodsByFullname[fullname], next)",
    ),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("how", WHILE_LOOPED)
def test_a_list_is_not_changed_while_it_is_looped_over(how: str) -> None:
    """Go loops over what the list was at the start."""
    told, waiting = WHILE_LOOPED[how]
    loop = f"{LOOP[: -len(CLOSE)]}\t\t{told}\n{CLOSE}" if told else LOOP
    with pytest.raises(ModelError, match="may change the list that is looped over"):
        edited((LOOP, loop), more=CLEARS % waiting)


def test_a_list_that_a_local_keeps_may_be_changed_while_it_is_looped_over() -> None:
    listed = "status.notifyPostTerminating"
    kept = f"\tkept := {listed}\n" + LOOP.replace(f"range {listed}", "range kept")
    kept = f"{kept[: -len(CLOSE)]}\t\tstatus.notifyPostTerminating = nil\n{CLOSE}"
    assert "kept = copy(status)" in new_lines(edited((LOOP, kept)))


WAITING = "\twaiting := p.waitingToStartStaticPodsByFullname[fullname]\n"
GONE = "\t\tif !ok || status.requested() || status.terminated() {\n"
LINE = "self.waiting_to_start_static_pods[fullname].length"


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("before", "more", "needs"),
    [
        (WAITING, "\twaiting = waiting[1:]\n", f"assert waiting_from + 1 <= {LINE}"),
        (GONE, "\t\t\twaiting = waiting[1:]\n", f"assert 0 <= i + 1 and waiting_from + i + 1 <= {LINE}"),
        (
            "\t\twaiting = waiting[i+1:]\n",
            "\t\twaiting = waiting[i:]\n",
            f"assert 0 <= i and waiting_from + i <= {LINE}",
        ),
    ],
)
def test_a_list_is_cut_within_its_length(before: str, more: str, needs: str) -> None:
    """Go panics beyond it; the place of a loop's pass is within, unless the list is another by then."""
    assert needs in new_lines(edited((before, before + more)))


def test_the_place_of_a_pass_and_the_next_one_are_within_the_list() -> None:
    assert new_lines(edited(("waiting[i+1:]", "waiting[i:]"))) == ["waiting_from = waiting_from + i"]


SAVED = "\tsaved := options\n"
TOLD_OF_KILL = "\tstatus.evicted = saved.KillPodOptions != nil && saved.KillPodOptions.Evict\n"


@pytest.mark.slow
def test_options_and_their_copy_have_the_same_kill_options() -> None:
    writes = ("\tpod := options.Pod\n\tif isRuntimePod {\n", f"{SAVED}\tpod := options.Pod\n\tif isRuntimePod {{\n")
    end = ("\tif cancels && status.cancelFn != nil {\n", f"{TOLD_OF_KILL}\tif cancels && status.cancelFn != nil {{\n")
    with pytest.raises(ModelError, match=r"who else has `options\.KillPodOptions` cannot be seen"):
        edited(writes, end)
    kind = TOLD_OF_KILL.partition(" = ")[0] + " = saved.UpdateType == kubetypes.SyncPodKill\n"
    assert "saved = copy(options)" in new_lines(edited(writes, (end[0], kind + end[0])))


DESIRED = (
    "\tdesired := make(map[types.UID]struct{})\n"
    "\tfor _, pod := range desiredPods {\n\t\tdesired[pod.UID] = struct{}{}\n\t}\n"
)
WANTED = "\t\t_, wanted := desired[uid]\n"


@pytest.mark.slow
def test_whether_a_pod_is_among_the_desired_ones_is_asked_with_a_literal() -> None:
    for same in ("pod.UID == uid", "uid == pod.UID"):
        asks = f"\t\twanted := slices.ContainsFunc(desiredPods, func(pod *v1.Pod) bool {{ return {same} }})\n"
        assert new_lines(edited((DESIRED, ""), (WANTED, asks))) == []
    for other in ("pod.UID != uid", "pod.UID == pod.UID", "pod.UID == uid && true"):
        asks = f"\t\twanted := slices.ContainsFunc(desiredPods, func(pod *v1.Pod) bool {{ return {other} }})\n"
        with pytest.raises(ModelError, match=r"nothing is known of `slices\.ContainsFunc`"):
            edited((DESIRED, ""), (WANTED, asks))


def test_a_function_that_is_named_as_what_it_becomes_a_call_of_is_refused() -> None:
    """It would call itself, without end."""
    asks = "return slices.ContainsFunc(desired, func(pod *v1.Pod) bool { return pod.UID == uid })"
    more = f"\nfunc (p *podWorkers) isDesired(desired []*v1.Pod, uid types.UID) bool {{\n\t{asks}\n}}\n"
    with pytest.raises(ModelError, match="`isDesired` has the name of one of the model's own; rename it"):
        edited((DESIRED, ""), (WANTED, "\t\twanted := p.isDesired(desiredPods, uid)\n"), more=more)
