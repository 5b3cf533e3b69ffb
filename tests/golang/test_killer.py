"""killPodNow: what it asks of the pod workers is read, and how long it waits, and what it returns, may be anything."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.golang.test_translation import SOURCE

from podproof.checker.core import ModelError
from podproof.golang.killer import check_killer
from podproof.golang.syntax import parse

KILLER = """
func killPodNow(ctx context.Context, workers PodWorkers, recorder record.EventRecorder) eviction.KillPodFunc {
	return func(victim *v1.Pod, evicts bool, wish *int64, told func(*v1.PodStatus)) error {
		period := int64(30)
		if wish != nil {
			period = *wish + *wish/2
		}
		done := make(chan struct{}, 1)
		workers.UpdatePod(ctx, UpdatePodOptions{
			UpdateType: kubetypes.SyncPodKill,
			Pod:        victim,
			KillPodOptions: &KillPodOptions{
				Evict:       evicts,
				CompletedCh: done,
				PodTerminationGracePeriodSecondsOverride: wish,
				PodStatusFunc: told,
			},
		})
		select {
		case <-done:
			return nil
		case <-time.After(time.Duration(period) * time.Second):
			recorder.Event(victim, "Warning", "Late", "still there")
			return fmt.Errorf("%s is still there", victim.Name)
		}
	}
}
"""


FIRST, MADE = "\t\tperiod := int64(30)\n", "\t\tdone := make(chan struct{}, 1)\n"


def check(*edits: tuple[str, str], more: str = "") -> None:
    text = KILLER
    for old, new in edits:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    file = parse((SOURCE + text + more).encode(), Path("kill.go"))
    check_killer(file, file.functions["killPodNow"])


@pytest.mark.parametrize(
    "edit",
    [
        ("\t\tperiod := int64(30)\n", "\t\tperiod := max(int64(30), 10)\n"),
        ("\t\tselect {\n", "\t\tselect {\n\t\tcase <-ctx.Done():\n\t\t\treturn ctx.Err()\n"),
        ('fmt.Errorf("%s is still there", victim.Name)', 'fmt.Errorf("%w after %d s", errLate, wait)'),
        (
            "\t\tperiod := int64(30)\n",
            '\t\tlogger := klog.FromContext(ctx)\n\t\tlogger.Info("kill")\n\t\tperiod := int64(30)\n',
        ),
        (
            "\t\tselect {\n",
            "\t\tlate := time.NewTimer(time.Second)\n\t\tdefer late.Stop()\n\t\tselect {\n"
            "\t\tcase <-late.C:\n\t\t\treturn nil\n",
        ),
        (
            "\t\tselect {\n",
            "\t\town, cancel := context.WithTimeout(ctx, time.Second)\n\t\tdefer cancel()\n\t\tselect {\n"
            "\t\tcase <-own.Done():\n\t\t\treturn own.Err()\n",
        ),
        (FIRST, f'{FIRST}\t\tmetrics.Kills.WithLabelValues("kill").Observe(float64(period))\n'),
        (FIRST, f"{FIRST}\t\tlimit := time.Duration(period)\n\t\tmetrics.Kills.Observe(limit.Seconds())\n"),
    ],
)  # fmt: skip
def test_how_long_it_waits_and_what_it_returns_may_be_anything(edit: tuple[str, str]) -> None:
    check()
    check(edit)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Evict:       evicts,", "Evict:       true,"),
        ("Evict:       evicts,", "Evict:       !evicts,"),
        ("\t\t\t\tPodStatusFunc: told,\n", ""),
        ("CompletedCh: done,", "CompletedCh: nil,"),
        ("kubetypes.SyncPodKill", "kubetypes.SyncPodUpdate"),
        ("workers.UpdatePod(ctx,", "workers.UpdatePod(context.TODO(),"),
        (FIRST, f"{FIRST}\t\tevicts = true\n"),
        (FIRST, f"{FIRST}\t\twish = &period\n"),
        (FIRST, f"{FIRST}\t\tvictim.Spec.NodeName = \"\"\n"),
        (FIRST, f"{FIRST}\t\tif evicts {{\n\t\t\treturn nil\n\t\t}}\n"),
        (FIRST, f"{FIRST}\t\t<-ctx.Done()\n"),
        (FIRST, f"{FIRST}\t\tif workers.ShouldPodBeFinished(victim.UID) {{\n\t\t\tperiod = 0\n\t\t}}\n"),
        ("\t\tif wish != nil {\n", "\t\tif wish == nil {\n"),
        ("\t\tperiod := int64(30)\n", "\t\tperiod := 30 / *wish\n"),
        ("victim.Name", "victim.Status.StartTime.Time"),
        ("\t\tselect {\n", "\t\tdefer close(done)\n\t\tselect {\n"),
        ("\t\tselect {\n", "\t\tdone <- struct{}{}\n\t\tselect {\n"),
        ("\t\tselect {\n", "\t\ttold(nil)\n\t\tselect {\n"),
        (MADE, f"{MADE}\t\tif evicts {{\n\t\t\tdone = nil\n\t\t}}\n"),
        ("\t\tselect {\n", "\t\tgo workers.UpdatePod(ctx, UpdatePodOptions{})\n\t\tselect {\n"),
        (FIRST, f"{FIRST}\t\tfor evicts {{\n\t\t}}\n"),
        (MADE, f"{MADE}\t\tevicts, late := true, make(chan struct{{}})\n\t\t_ = late\n"),
        (MADE, f"{MADE}\t\twish, late := &period, make(chan struct{{}})\n\t\t_ = late\n"),
        (FIRST, f'{FIRST}\t\tklog.Fatal("no kill")\n'),
        (FIRST, f'{FIRST}\t\tfmt.Sscan("0", wish)\n'),
        (FIRST, f"{FIRST}\t\tperiod /= period\n"),
        (FIRST, f"{FIRST}\t\tperiod = period << period\n"),
        (FIRST, f"{FIRST}\t\tmore := make([]byte, period-31)\n\t\t_ = more\n"),
        (FIRST, f"{FIRST}\t\tticks := time.NewTicker(0)\n\t\t_ = ticks\n"),
        (FIRST, f"{FIRST}\t\trules := victim.Spec.SecurityContext\n\t\t_ = rules.FSGroup\n"),
        (
            "\t\tif wish != nil {\n",
            "\t\town := wish\n\t\tif own != nil {\n\t\t\town = nil\n\t\t\tperiod = *own\n\t\t}\n\t\tif wish != nil {\n",
        ),
        (FIRST, f"{FIRST}\t\tlate := time.NewTimer(time.Second)\n\t\t<-late.C\n"),
        (FIRST, f"{FIRST}\t\tvar late *time.Timer\n\t\tdefer late.Stop()\n"),
        (FIRST, f"{FIRST}\t\tlate := time.NewTimer(time.Second)\n\t\tlate = nil\n\t\tlate.Stop()\n"),
        (FIRST, f"{FIRST}\t\tctx, cancel := context.WithTimeout(ctx, time.Second)\n\t\tdefer cancel()\n"),
        (FIRST, f"{FIRST}\t\tdefer told(nil)\n"),
        (FIRST, f"{FIRST}\t\tvar limit *time.Duration\n\t\tmetrics.Kills.Observe(limit.Seconds())\n"),
        (FIRST, f'{FIRST}\t\tmetrics.Kills.WithLabelValues(victim.Spec.NodeName).Register()\n'),
    ],
)  # fmt: skip
def test_another_kill_is_refused(old: str, new: str) -> None:
    with pytest.raises(ModelError, match="killPodNow: "):
        check((old, new))


GIVEN = "workers.UpdatePod(ctx, UpdatePodOptions{"


def named(between: str = "") -> tuple[str, str]:
    """The options have a name before they are given."""
    _, call, rest = KILLER.partition(f"\t\t{GIVEN}")
    options, end, _ = rest.partition("\n\t\t})\n")
    written = f"\t\toptions := UpdatePodOptions{{{options}\n\t\t}}\n{between}\t\tworkers.UpdatePod(ctx, options)\n"
    return f"{call}{options}{end}", written


def test_the_options_may_have_a_name() -> None:
    check(named())
    for between in ("\t\toptions.UpdateType = kubetypes.SyncPodSync\n", "\t\toptions = UpdatePodOptions{}\n"):
        with pytest.raises(ModelError, match="killPodNow: "):
            check(named(between))


LONGER = "\nfunc longer(n int64) int64 {\n\treturn n + n/2\n}\n"
CALLS = ("\t\t\tperiod = *wish + *wish/2\n", "\t\t\tperiod = longer(*wish)\n")


def test_a_function_of_the_file_may_say_how_long_it_waits() -> None:
    check(CALLS, more=LONGER)
    for wrong in ("n / n", "longer(n)", "<-forever", "int64(len(list[n]))"):
        with pytest.raises(ModelError, match="killPodNow: "):
            check(CALLS, more=LONGER.replace("n + n/2", wrong))
    for wrong in ("n /= n", "select {}", "period = n", "var pod *v1.Pod\n\t_ = pod.Name"):
        with pytest.raises(ModelError, match="killPodNow: "):
            check(CALLS, more=LONGER.replace("\treturn", f"\t{wrong}\n\treturn"))
