"""A nil pointer that is followed where nobody looks at the value: in a log, its condition, an argument."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import run
from tests.golang.test_edits import before_finished, edited, known_lines, new_lines
from tests.golang.test_translation import changed, lines_of

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
}  # fmt: skip
TESTED = {
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


@pytest.mark.parametrize("place", FOLLOWED)
def test_a_pointer_that_is_followed_is_not_nil(place: str) -> None:
    go, needed = FOLLOWED[place]
    before, after = (
        [line.strip() for line in lines] for lines in (known_lines(), lines_of(edited(before_finished(go))))
    )
    assert after.count(needed) == before.count(needed) + 1


@pytest.mark.parametrize("test", TESTED)
def test_a_pointer_that_was_tested_needs_nothing_more(test: str) -> None:
    assert new_lines(edited(before_finished(TESTED[test]))) == []


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
    assert "DIFFERENT in housekeeping_kill_runtime" in told.stdout
