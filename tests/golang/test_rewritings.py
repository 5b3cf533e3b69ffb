"""The same worker in other words: what a refactoring does to the Go and not to the model, and what it must not hide."""

from __future__ import annotations

import re

import pytest
from tests.golang.test_edits import edited, new_lines
from tests.golang.test_translation import lines_of

from podproof.checker.core import ModelError

LOCKED = "\tp.podLock.Lock()\n\tdefer p.podLock.Unlock()\n"
QUERY = f"func (p *podWorkers) IsPodKnownTerminated(asked types.UID) bool {{\n{LOCKED}"
ENDING = f"func (p *podWorkers) completeTerminated(uid types.UID) {{\n{LOCKED}"
OLDER = "\t\tolder := options.KillPodOptions\n"
FORGOTTEN = (
    '\tif !status.requested() {\n\t\tklog.InfoS("Pod worker was terminated but did not have terminatingAt set, likely '
    'programmer error")\n\t}\n\tstatus.terminatedAt = time.Now()\n'
)
REPLAYED = "\tstatus.notifyPostTerminating, status.statusPostTerminating = nil, nil\n\tp.requeue(uid, status)\n"
CLEARED = "\tstatus.notifyPostTerminating, status.statusPostTerminating = nil, nil\n"
KNOWN = '\tif !exists {\n\t\tklog.InfoS("Pod had no status in completeSync'
LOOKED_UP = f"\tstatus, exists := p.podSyncStatuses[uid]\n{KNOWN}"
STATUS_OF = """
func (p *podWorkers) statusOf(uid types.UID) (*podSyncStatus, bool) {
	status, ok := p.podSyncStatuses[uid]
	return status, ok
}
"""
NEXT = "\tfor i, next := range waiting {\n"
ADDRESS = "\tupdate := &options\n"
STORED = "\tstatus.pendingUpdate = &options\n"
SECONDS = "\t\toptions.KillPodOptions.PodTerminationGracePeriodSecondsOverride = &seconds\n"
WOKEN = "\tstatus.pendingUpdate = &again\n"
STARTS = "(canStart, canEverStart bool) {\n"
COMPLETED = "\t\tp.completeWork(uid, transition, err)\n"
RECORDED = "\t\tfound[uid] = PodWorkerSync{State: status.phase(), Orphan: !wanted}\n"


OLDEST = "\t\tolder := status.activeUpdate\n\t\tif older == nil {\n\t\t\tolder = status.pendingUpdate\n\t\t}\n"


def deferred(go: str) -> tuple[tuple[str, str], ...]:
    """completeTerminating replays the last update by a `defer`."""
    return (REPLAYED, CLEARED), (FORGOTTEN, f"\t{go}\n{FORGOTTEN}")


SAME = {
    "a copy of the map is looped over": (
        (
            "\tfor uid, status := range p.podSyncStatuses {\n",
            "\tfor uid, status := range maps.Clone(p.podSyncStatuses) {\n",
        ),
    ),
    "what completes is given a context for its logs": (
        ("\t\t\t\tp.completeSync(uid)\n", "\t\t\t\tp.completeSync(ctx, uid)\n"),
        (
            "func (p *podWorkers) completeSync(uid types.UID) {\n",
            "func (p *podWorkers) completeSync(ctx context.Context, uid types.UID) {\n"
            '\tlogger := klog.FromContext(ctx)\n\tlogger.Info("The pod has ended", "podUID", uid)\n',
        ),
    ),
    "the goroutine handles a crash with a context": (
        (
            "\t\tgo p.podWorkerLoop(uid, tokens)\n",
            "\t\tgo func() {\n\t\t\tdefer runtime.HandleCrashWithContext(context.Background())\n"
            "\t\t\tp.podWorkerLoop(uid, tokens)\n\t\t}()\n",
        ),
    ),
    "a call is deferred": deferred("defer p.requeue(uid, status)"),
    "a function literal is deferred": deferred("defer func() {\n\t\tp.requeue(uid, status)\n\t}()"),
    "a query locks for reading": ((QUERY, QUERY.replace(".Lock", ".RLock").replace(".Unlock", ".RUnlock")),),
    "a function looks a status up": (
        (LOOKED_UP, LOOKED_UP.replace("p.podSyncStatuses[uid]", "p.statusOf(uid)")),
        ("\nfunc (p *podWorkers) completeSync(", f"{STATUS_OF}\nfunc (p *podWorkers) completeSync("),
    ),
    "a loop has an index": ((NEXT, "\tfor i := range waiting {\n\t\tnext := waiting[i]\n"),),
    "a loop counts": ((NEXT, "\tfor i := 0; i < len(waiting); i++ {\n\t\tnext := waiting[i]\n"),),
    "a time is compared with none": (
        ("return !s.terminatingAt.IsZero() }", "return s.terminatingAt != (time.Time{}) }"),
    ),
    "a list is cut to nothing": (
        (CLEARED, "\tstatus.notifyPostTerminating = status.notifyPostTerminating[:0]\n"
         "\tstatus.statusPostTerminating = nil\n"),
    ),
    "a log line is asked for": ((KNOWN, f'\tif klog.V(5).Enabled() {{\n\t\tklog.Info("It ends")\n\t}}\n{KNOWN}'),),
    "a result is put together": (
        (RECORDED, "\t\tvar known PodWorkerSync\n\t\tknown.State = status.phase()\n\t\tknown.Orphan = !wanted\n"
         "\t\tfound[uid] = known\n"),
    ),
}  # fmt: skip
"""What is changed -> by what; of the translation nothing but lines that name a part of a result."""


@pytest.mark.quick(2)
@pytest.mark.parametrize("change", SAME)
def test_a_refactoring_changes_nothing(change: str) -> None:
    parts = {"known_state", "known_orphan"}
    assert [line for line in new_lines(edited(*SAME[change])) if parts.isdisjoint(re.findall(r"\w+", line))] == []


BECOMES = {
    "the address of the options": (
        (STORED, "\tupdate := &options\n\tstatus.pendingUpdate = update\n"),
        ["update = options", "status.pending_update = copy(update)"],
    ),
    "a local for the kill": (
        (SECONDS, f"{OLDER}\t\tolder.PodTerminationGracePeriodSecondsOverride = &seconds\n"),
        ["older = options.kill_pod_options", "older.grace_period_seconds_override = seconds"],
    ),
    "a pointer that is set again": (
        (RECORDED, f"{OLDEST}\t\tif older != nil && older.Pod != nil {{\n\t\t\tstatus.deleted = true\n"
         f"\t\t}}\n{RECORDED}"),
        ["older: UpdatePodOptions = field(default_factory=UpdatePodOptions)",
         "local.older = copy(self.pod_sync_statuses[uid].active_update)",
         "if not local.older.present:",
         "local.older = copy(self.pod_sync_statuses[uid].pending_update)",
         "if local.older.present and local.older.pod.present:",
         "self.pod_sync_statuses[uid].deleted = True"],
    ),
    "what is known of an alias": (
        (SECONDS, f"{OLDER}\t\tif options.KillPodOptions.Evict {{\n\t\t\tolder.Evict = false\n"
         f"\t\t\tif options.KillPodOptions.Evict {{\n\t\t\t\tstatus.evicted = true\n\t\t\t}}\n\t\t}}\n{SECONDS}"),
        ["older = options.kill_pod_options", "if options.kill_pod_options.evict:", "older.evict = False",
         "if options.kill_pod_options.evict:", "status.evicted = True"],
    ),
}  # fmt: skip


@pytest.mark.quick(2)
@pytest.mark.parametrize("change", BECOMES)
def test_a_pointer_stays_what_it_points_to(change: str) -> None:
    edit, lines = BECOMES[change]
    found = [line for line in new_lines(edited(edit)) if line in lines]
    assert found[: len(lines)] == lines  # What a loop goes on with is there again.


@pytest.mark.slow
def test_what_a_block_of_the_loop_sets_lasts() -> None:
    set_at_once = edited((COMPLETED, f"\t\ttransition = true\n{COMPLETED}"))
    set_within = edited((COMPLETED, f"\t\t{{\n\t\t\ttransition = true\n\t\t}}\n{COMPLETED}"))
    assert lines_of(set_within) == lines_of(set_at_once) != lines_of(edited())


def test_what_a_branch_of_the_loop_counts_lasts() -> None:
    counted = "\t\ttries := 0\n\t\tif err != nil {\n\t\t\ttries++\n\t\t}\n"
    read = "\t\tif tries > 0 {\n\t\t\ttransition = true\n\t\t}\n"
    lines = new_lines(edited((COMPLETED, f"{counted}{read}{COMPLETED}")))
    assert "tries = 0 + 1" in lines
    assert "if tries > 0:" in lines


@pytest.mark.quick(2)
@pytest.mark.parametrize("word", ["async", "await", "except", "lambda", "nonlocal", "raise", "yield"])
def test_a_local_may_have_a_name_that_is_a_word_of_python(word: str) -> None:
    lines = new_lines(edited(("\t\tseconds = 1\n", f"\t\t{word} := int64(1)\n\t\tseconds = {word}\n")))
    assert lines[:2] == [f"{word}_2 = 1", f"seconds = {word}_2"]


REFUSED = {
    "what is deferred is another one then": (deferred("defer p.requeue(uid, status)\n\tuid = types.UID(uid)"),
                                             "may be another one when the function returns"),
    "a defer on one way only": (deferred("if status.deleted {\n\t\tdefer p.requeue(uid, status)\n\t}"),
                                "write it in the function's own block"),
    "a defer that comes after Unlock": (
        ((ENDING, ENDING.replace(LOCKED, f"\tdefer func() {{\n\t\tp.podsSynced = true\n\t}}()\n{LOCKED}")),),
        "`p.podsSynced` is protected by podLock, which was released",
    ),
    "a defer that sets a result": (
        ((STARTS, f"{STARTS}\tdefer func() {{\n\t\tcanStart = true\n\t}}()\n"),),
        "a `defer` sets `canStart`",
    ),
    "a defer after what is returned": (
        ((QUERY, f"{QUERY}\tdefer p.wake(asked)\n"),), "what is returned is computed before the `defer`"
    ),
    "a lock for reading that writes": (
        ((QUERY, f"{QUERY.replace('.Lock', '.RLock').replace('.Unlock', '.RUnlock')}\tp.podsSynced = true\n"),),
        "writes while it holds podLock for reading",
    ),
    "Lock with RUnlock": (((QUERY, QUERY.replace(".Unlock", ".RUnlock")),), "podLock is released otherwise"),
    "a loop that counts otherwise": (
        ((NEXT, "\tfor i := 0; i < len(waiting)-1; i++ {\n\t\tnext := waiting[i]\n"),), "a loop without range"
    ),
    "a loop that skips": (
        ((NEXT, "\tfor i := 0; i < len(waiting); i++ {\n\t\tnext := waiting[i]\n\t\ti++\n"),), "a loop without range"
    ),
    "a loop whose list gets shorter": (
        ((NEXT, "\tfor i := 0; i < len(waiting); i++ {\n\t\tnext := waiting[i]\n\t\twaiting = waiting[1:]\n"),),
        "a loop without range",
    ),
    "an address under which is written": (
        ((STORED, f"{ADDRESS}\tupdate.UpdateType = kubetypes.SyncPodSync\n\tstatus.pendingUpdate = update\n"),),
        "`update` is another name of what is written",
    ),
    "an address that is stored twice": (
        ((STORED, "\tupdate := &options\n\tstatus.pendingUpdate = update\n\tstatus.activeUpdate = update\n"),),
        "`update` is not kept here",
    ),
    "a kill that was replaced": (
        ((SECONDS, f"{OLDER}\t\toptions.KillPodOptions = &KillPodOptions{{}}\n"
          f"\t\tolder.Evict = true\n{SECONDS}"),), "`older` is not kept here",
    ),
    "a pointer set again that is written": (
        ((RECORDED, f"{OLDEST}\t\tif older != nil {{\n\t\t\tolder.UpdateType = kubetypes.SyncPodKill\n"
          f"\t\t}}\n{RECORDED}"),),
        "`older` is another name of what is written",
    ),
    "a pointer set again whose record is written": (
        ((RECORDED, f"{OLDEST}\t\tif status.activeUpdate != nil {{\n\t\t\tstatus.activeUpdate.UpdateType = "
          "kubetypes.SyncPodKill\n\t\t}\n\t\tif older != nil {\n\t\t\tstatus.deleted = true\n\t\t}\n"
          f"{RECORDED}"),), "`older` is not kept here",
    ),
    "what is deferred is declared again": (
        deferred("defer p.requeue(uid, status)\n\tuid, again := uid, true\n\t_ = again"),
        "may be another one when the function returns",
    ),
    "a lock for reading in the loop": (
        (("err error) {\n\tswitch {\n", "err error) {\n\tp.podLock.RLock()\n\tp.podLock.RUnlock()\n\tswitch {\n"),),
        "podLock is locked for reading in the loop",
    ),
    "a loop in the loop that counts": (
        ((COMPLETED, f"\t\ttries := 0\n\t\tfor range 2 {{\n\t\t\ttries++\n\t\t}}\n{COMPLETED}"),),
        "`tries` is set in a loop within podWorkerLoop",
    ),
    "a loop in the loop that sets": (
        ((COMPLETED, f"\t\tfor range 2 {{\n\t\t\ttransition = true\n\t\t}}\n{COMPLETED}"),),
        "`transition` is set in a loop within podWorkerLoop",
    ),
    "a function that only calls itself": (
        ((LOOKED_UP, LOOKED_UP.replace("p.podSyncStatuses[uid]", "p.statusOf(uid), true")),
         ("\nfunc (p *podWorkers) completeSync(", "\nfunc (p *podWorkers) statusOf(uid types.UID) *podSyncStatus {\n\t"
          "return p.statusOf(uid)\n}\n\nfunc (p *podWorkers) completeSync(")), "`statusOf` calls itself",
    ),
    "a status for everybody": (
        (("\nfunc (p *podWorkers) completeSync(", STATUS_OF.replace("statusOf", "StatusOf").replace(
            "\tstatus, ok := p.podSyncStatuses[uid]\n\treturn status, ok", "\treturn p.podSyncStatuses[uid], true")
          + "\nfunc (p *podWorkers) completeSync("),), "without locking it",
    ),
    "a status that was looked up without the lock": (
        ((LOOKED_UP, LOOKED_UP.replace("p.podSyncStatuses[uid]", "p.statusOf(uid)")),
         ("\nfunc (p *podWorkers) completeSync(", STATUS_OF.replace("\tstatus, ok", "\tp.podLock.Lock()\n\tdefer "
          "p.podLock.Unlock()\n\tstatus, ok") + "\nfunc (p *podWorkers) completeSync(")), "gives a status away",
    ),
}  # fmt: skip


@pytest.mark.quick(3)
@pytest.mark.parametrize("change", REFUSED)
def test_what_would_mean_something_else_is_refused(change: str) -> None:
    changes, error = REFUSED[change]
    with pytest.raises(ModelError, match=error.replace("(", r"\(")):
        edited(*changes)
