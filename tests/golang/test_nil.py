"""A nil pointer that is followed where nobody looks at the value: in a log, its condition, an argument."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import run
from tests.golang.test_edits import before_finished, edited, known_lines, new_lines
from tests.golang.test_translation import changed, lines_of

from podproof.checker.core import ModelError

HAS_POD = "assert options.pod.present"
HAS_KILL = "assert options.kill_pod_options.present"
FOLLOWED = {
    "in a log": ('\tklog.Info("It is", options.Pod.Name)\n', HAS_POD),
    "in a call in a log": ('\tklog.Info("It is", klog.KObj(options.Pod), len(options.Pod.Name))\n', HAS_POD),
    "in the condition of a log": (
        '\tif options.Pod.DeletionTimestamp != nil {\n\t\tklog.Info("It ends")\n\t}\n', HAS_POD
    ),
    "after another condition": (
        '\tif known && options.Pod.DeletionTimestamp != nil {\n\t\tklog.Info("It ends")\n\t}\n',
        "assert not known or options.pod.present",
    ),
    "in a log that is conditional": ('\tif known {\n\t\tklog.Info("It is", options.Pod.Name)\n\t}\n', HAS_POD),
    "in a log on the other way": (
        '\tif options.Pod != nil {\n\t\tklog.Info("It is")\n\t} else if options.KillPodOptions.Evict {\n'
        '\t\tklog.Info("It goes")\n\t}\n', HAS_KILL,
    ),
    "in a deferred log": ('\tdefer klog.Info("It is", options.Pod.Name)\n', HAS_POD),
    "as a number": (
        '\tif options.KillPodOptions != nil {\n'
        '\t\tklog.Info("It has", *options.KillPodOptions.PodTerminationGracePeriodSecondsOverride)\n\t}\n',
        "assert options.kill_pod_options.grace_period_seconds_override != NIL",
    ),
    "by a name of the condition": (
        '\tif mine := options.KillPodOptions; mine.Evict {\n\t\tklog.Info("It goes")\n\t}\n', "assert mine.present"
    ),
    "below a name of the condition": (
        '\tif last := status.pendingUpdate; last != nil {\n\t\tklog.Info("It is", last.Pod.Name)\n\t}\n',
        "assert last_2.pod.present",
    ),
    "in parentheses": ('\tklog.Info("It is", (options.Pod).Name)\n', HAS_POD),
    "of the runtime": ('\tklog.Info("It is", options.RunningPod.Name)\n', "assert options.running_pod"),
    "as a time": (
        '\tif options.Pod != nil {\n\t\tklog.Info("It ends", options.Pod.DeletionTimestamp.Time)\n\t}\n',
        "assert options.pod.deletion_timestamp",
    ),
    "as a context": ('\tklog.Info("It is", status.ctx.Err())\n', "assert status.context != Context.NONE"),
    "as the last of a list": (
        '\tklog.Info("It has", status.notifyPostTerminating[len(status.notifyPostTerminating)-1])\n',
        "assert last(status.notify_post_terminating) != NIL",
    ),
}  # fmt: skip
UNSEEN = {
    "an element": ("status.notifyPostTerminating[0]", "may be outside the list"),
    "a part of a list": ("status.notifyPostTerminating[1:]", "may panic"),
    "a quotient": ("10/status.gracePeriod", "may panic"),
    "the type of an interface": ("p.podCache.(other)", "may panic"),
    "a status that may not be there": ('p.podSyncStatuses["a"].evicted', "may be nil"),
    "a number of a pod": ("*status.activeUpdate.Pod.Spec.Priority", "may be nil"),
    "a time of a pod": ("status.activeUpdate.Pod.Status.StartTime.Unix()", "may be nil"),
    "a copied list": ("copy(uids, uids)", "does something"),
    "the work that is due": ("p.workQueue.GetWork()", "may do something"),
    "a helper": ("isKilled(status)", "follows a pointer that may be nil"),
    "a helper's helper": ("isOver(status)", "follows a pointer that may be nil"),
}
HELPERS = (
    "\nfunc isKilled(s *podSyncStatus) bool {\n\treturn s.pendingUpdate.Pod == nil\n}\n"
    "\nfunc isOver(s *podSyncStatus) bool {\n\treturn s.evicted || isKilled(s)\n}\n"
)
TESTED = {
    "and an annotation": (
        '\tif options.Pod != nil {\n\t\tklog.Info(options.Pod.Annotations[string(uid)], options.Pod.Labels["a"])\n\t}\n'
    ),
    "in an argument": '\tklog.Info("It has", options.Pod == nil || options.Pod.DeletionTimestamp == nil)\n',
    "in an argument's argument": (
        '\tklog.Info("It has", klog.KRef("", fmt.Sprint(!(options.Pod != nil && options.Pod.Name != ""))))\n'
    ),
    "and a time asked for zero": (
        '\tif options.Pod != nil {\n\t\tklog.Info("It ends", options.Pod.DeletionTimestamp.IsZero())\n\t}\n'
    ),
    "before": '\tif options.Pod != nil {\n\t\tklog.Info("It is", options.Pod.Name)\n\t}\n',
    "in the same condition": (
        '\tif options.Pod != nil && options.Pod.DeletionTimestamp != nil {\n\t\tklog.Info("It ends")\n\t}\n'
    ),
    "by the other way": (
        '\tif options.Pod == nil || options.Pod.DeletionTimestamp == nil {\n\t\tklog.Info("It stays")\n\t}\n'
    ),
    "in an outer condition": (
        '\tif options.KillPodOptions != nil {\n\t\tif options.KillPodOptions.Evict {\n\t\t\tklog.Info("It goes")\n'
        "\t\t}\n\t}\n"
    ),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("place", FOLLOWED)
def test_a_pointer_that_is_followed_is_not_nil(place: str) -> None:
    go, needed = FOLLOWED[place]
    before, after = (
        [line.strip() for line in lines] for lines in (known_lines(), lines_of(edited(before_finished(go))))
    )
    assert after.count(needed) == before.count(needed) + 1


@pytest.mark.quick(3)
@pytest.mark.parametrize("test", TESTED)
def test_a_pointer_that_was_tested_needs_nothing_more(test: str) -> None:
    assert new_lines(edited(before_finished(TESTED[test]))) == []


@pytest.mark.quick(2)
@pytest.mark.parametrize("what", UNSEEN)
def test_what_may_panic_in_a_log_and_cannot_be_asked_is_refused(what: str) -> None:
    go, error = UNSEEN[what]
    guarded = (
        f'\tif status.activeUpdate != nil && status.activeUpdate.Pod != nil {{\n\t\tklog.Info("It is", {go})\n\t}}\n'
    )
    with pytest.raises(ModelError, match=error):
        edited(before_finished(guarded), more=HELPERS)


def test_a_condition_of_a_log_that_may_panic_is_asked() -> None:
    go = '\tif isOver(status) {\n\t\tklog.Info("It goes")\n\t}\n'
    assert any("is_over(status)" in line for line in new_lines(edited(before_finished(go), more=HELPERS)))


@pytest.mark.slow
def test_a_deferred_literal_reads_when_the_function_returns() -> None:
    late = '\tdefer func() {\n\t\tklog.Info("It is", status.activeUpdate.UpdateType)\n\t}()\n'
    go = f"\tif status.activeUpdate == nil {{\n\t\treturn\n\t}}\n{late}\tstatus.activeUpdate = nil\n"
    with pytest.raises(ModelError, match="is nil here, and Go would panic"):
        edited(before_finished(go))
    with pytest.raises(ModelError, match="may be nil"):
        edited(
            before_finished("\told := status.activeUpdate\n\tstatus.activeUpdate = nil\n\tklog.Info(old.UpdateType)\n")
        )


@pytest.mark.slow
def test_the_way_to_the_panic_is_told(tmp_path: Path) -> None:
    file = tmp_path / "pod_workers.go"
    file.write_text(changed(before_finished('\tklog.Info("It is", options.Pod.Name)\n')), "utf-8")
    told = run("check", "--go", str(file), "--version", "v1.29", "--scenario", "orphan")
    assert told.exit_code == 2
    assert "Go would panic\nthe way there:\n" in told.stderr


@pytest.mark.slow
def test_a_pointer_that_may_be_nil_is_not_equal(tmp_path: Path) -> None:
    file = tmp_path / "pod_workers.go"
    file.write_text(changed(before_finished('\tklog.Info("It is", options.Pod.Name)\n')), "utf-8")
    told = run("review", "v1.29", str(file), "--scenario", "lone-pod", "-v")
    assert "theorem     DIFFERENT" in told.stdout
    assert "DIFFERENT at housekeeping" in told.stdout
