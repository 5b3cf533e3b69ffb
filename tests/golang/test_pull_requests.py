"""Forms of Go that pull requests bring: what they mean, and wrong twins of them that are caught."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.command_line import run
from tests.golang.test_edits import before_finished, edited, new_lines
from tests.golang.test_translation import changed, lines_of

from podproof.checker.core import ModelError

LOOP = """	for i, next := range waiting {
		status, ok := p.podSyncStatuses[next]
		if !ok || status.requested() || status.terminated() {
			continue
		}
		if next != uid {
			p.waitingToStartStaticPodsByFullname[fullname] = waiting[i:]
			return false
		}
		waiting = waiting[i+1:]
		break
	}
"""
SEARCH = """	first := slices.IndexFunc(waiting, func(next types.UID) bool {
		status, ok := p.podSyncStatuses[next]
		return ok && !status.requested() && !status.terminated()
	})
	if first >= 0 {
		if waiting[first] != uid {
			p.waitingToStartStaticPodsByFullname[fullname] = waiting[first:]
			return false
		}
		waiting = waiting[first+1:]
	}
"""
STARTED = "	if started, ok := p.startedStaticPodsByFullname[fullname]; ok {\n"
NAMED = "	if started := p.startedStaticPodsByFullname[fullname]; len(started) > 0 {\n"
OVERRIDE = """				var seconds *int64
				if kill := work.Options.KillPodOptions; kill != nil {
					seconds = kill.PodTerminationGracePeriodSecondsOverride
				}
"""
ASKED = "				seconds := work.seconds()\n"
SECONDS = """
func (w podWork) seconds() *int64 {
	if w.Options.KillPodOptions == nil {
		return nil
	}
	return w.Options.KillPodOptions.PodTerminationGracePeriodSecondsOverride
}
"""
ENDS = "			case work.WorkType == TerminatedPod:\n				err = "
ENDED = "			case work.hasEnded():\n				err = "
HAS_ENDED = """
func (w *podWork) hasEnded() bool {
	if w.WorkType != TerminatedPod {
		return false
	}
	klog.InfoS("The pod has ended", "of", w.WorkType)
	return true
}
"""
RETURNED = "			lastSync = time.Now()\n			return err\n"
JOINED = RETURNED.replace("return err", "return errors.Join(nil, err)")
MISSING = '\nvar errMissing = errors.New("the pod has no status")\n'
LOOP_BEGINS = "	var lastSync time.Time\n"
LOGGED = (
    '	logger := klog.Background()\n	defer func() {\n		logger.Info("The goroutine ends")\n	}()\n'
    + LOOP_BEGINS
)
DONE = "		p.completeWork(uid, transition, err)\n"
OBSERVED = DONE + "		work.observe()\n"
OBSERVE = """
func (w *podWork) observe() {
	start := w.Options.StartTime
	if start.IsZero() {
		return
	}
	metrics.PodWorkerDuration.WithLabelValues("sync").Observe(metrics.SinceInSeconds(start))
}
"""
LISTED = "		found[uid] = PodWorkerSync{State: status.phase(), Orphan: !wanted}\n	}\n"
COUNTED = """	if verbose := klog.V(5); verbose.Enabled() {
		var ended int
		for status := range maps.Values(p.podSyncStatuses) {
			if status.finished {
				ended++
			}
		}
		verbose.Info("The workers", "ended", ended)
	}
"""
COUNTS_ON = """		if klog.V(5).Enabled() {{
			said := 0
			klog.InfoS("It waits", "said", said)
			if said == 0 {{
				{}
			}}
		}}
"""
DESIRED = """	desired := make(map[types.UID]struct{})
	for _, pod := range desiredPods {
		desired[pod.UID] = struct{}{}
	}
"""
OF_PODS = "	desired := uidsOf(desiredPods)\n"
UIDS = """
func uidsOf(pods []*v1.Pod) map[types.UID]struct{} {
	uids := make(map[types.UID]struct{}, len(pods))
	for _, pod := range pods {
		uids[pod.UID] = struct{}{}
	}
	return uids
}
"""
CONTEXT = "	if status.ctx == nil || status.ctx.Err() != nil {\n"
NO_CONTEXT = "	if !(status.ctx != nil && status.ctx.Err() == nil) {\n"
LEAST = "	if seconds < 1 {\n		seconds = 1\n	}\n"
AT_LEAST = "	seconds = atLeast(seconds, 1<<0)\n"
LARGER = """
func atLeast[T ~int | ~int64](value, least T) T {
	if value < least {
		return least
	}
	return value
}
"""
QUEUED = (
    "			p.waitingToStartStaticPodsByFullname[fullname] = "
    "append(p.waitingToStartStaticPodsByFullname[fullname], uid)\n"
)
ALIAS = (
    "			waiting := p.waitingToStartStaticPodsByFullname[fullname]\n"
    "			p.waitingToStartStaticPodsByFullname[fullname] = append(waiting, uid)\n"
)
TOGETHER = (
    (DESIRED, OF_PODS), (CONTEXT, NO_CONTEXT), (LEAST, AT_LEAST), (QUEUED, ALIAS),
    (LOOP, SEARCH), (STARTED, NAMED), (OVERRIDE, ASKED), (ENDS, ENDED), (RETURNED, JOINED), (LOOP_BEGINS, LOGGED),
    (DONE, OBSERVED), (LISTED, LISTED + COUNTED),
)  # fmt: skip
MORE = SECONDS + HAS_ENDED + OBSERVE + UIDS + LARGER


def review(folder: Path, *changes: tuple[str, str], more: str = MORE) -> str:
    file = folder / "pod_workers.go"
    text = changed(*changes) + more
    file.write_text(text, encoding="utf-8")
    return run("review", "v1.29", str(file), "--scenario", "lone-pod", "-v").stdout


@pytest.mark.slow
def test_what_is_said_otherwise_is_equal(tmp_path: Path) -> None:
    told = review(tmp_path, *TOGETHER)
    assert "  theorem     EQUAL: " in told, told


TWINS = {
    "a context that lives": (CONTEXT, NO_CONTEXT.replace("== nil)", "!= nil)")),
    "another least number": (LEAST, AT_LEAST.replace("1<<0", "1<<1")),
    "the first that ended": (LOOP, SEARCH.replace("&& !status.requested()", "&& status.requested()")),
    "a place further": (LOOP, SEARCH.replace("waiting[first+1:]", "waiting[first:]")),
    "no name": (STARTED, NAMED.replace("> 0", "== 0")),
    "an error in any case": (RETURNED, RETURNED.replace("return err", "return errors.Join(errMissing, err)")),
}


@pytest.mark.slow
@pytest.mark.parametrize("twin", TWINS)
def test_a_twin_that_does_something_else_is_not_equal(tmp_path: Path, twin: str) -> None:
    told = review(tmp_path, TWINS[twin], more=MISSING + LARGER)
    assert "  theorem     EQUAL: " not in told and "  theorem     DIFFERENT: " in told, told


REFUSED: dict[str, tuple[tuple[tuple[str, str], ...], str, str]] = {
    "the override of no options": (
        ((OVERRIDE, ASKED),), SECONDS.replace("== nil", "!= nil"), "needs what the worker does not keep here"),
    "another phase": (
        ((ENDS, ENDED),), HAS_ENDED.replace("!= TerminatedPod", "!= TerminatingPod"), "is not kept by the worker"),
    "a count that is returned": (
        ((LISTED, LISTED + COUNTED.replace("ended++", "ended++\n\t\t\t\treturn nil")),), "", "is no bool"),
    "a count that is kept": (
        ((LISTED, LISTED + "	ended := 0\n" + COUNTED.replace("		var ended int\n", "")),), "", "is no bool"),
    "a status that is written beside a count": (
        ((LISTED, LISTED + COUNTED.replace("ended++", "ended++\n\t\t\t\tstatus.evicted = true")),), "", "is no bool"),
    "a count that ends the loop around it": (
        ((LOOP, LOOP.replace("		if next", COUNTS_ON.format("break") + "		if next")),), "", "is no bool"),
    "a count that goes on with the next": (
        ((LOOP, LOOP.replace("		if next", COUNTS_ON.format("continue") + "		if next")),), "", "is no bool"),
    "a method that tells and writes": (
        ((DONE, OBSERVED),), OBSERVE.replace("	metrics", "	w.WorkType = TerminatedPod\n	metrics"),
        "sets fields of"),
    "an error about the network": (
        ((RETURNED, RETURNED.replace("err\n", "errors.Join(errMissing, err)\n")),),
        MISSING.replace("the pod", "the network"), "is not known"),
    "an error that is set": (
        ((RETURNED, "			errMissing = nil\n" + RETURNED.replace("err\n", "errors.Join(errMissing, err)\n")),),
        MISSING, "errMissing"),
    "what a search sets": (
        ((LOOP, "	last := uid\n" + SEARCH.replace("		status, ok", "		last = next\n		status, ok")
          + "	_ = last\n"),), "", "sets something"),
    "a search on one way only": (
        ((STARTED, "	if p.podsSynced && slices.ContainsFunc(p.waitingToStartStaticPodsByFullname[fullname], "
          "func(next types.UID) bool { return next == uid }) {\n		return false\n	}\n" + STARTED),), "",
        "is asked on one way only"),
    "some of the pods": (
        ((DESIRED, OF_PODS),),
        UIDS.replace("		uids[", "		if pod.Name == \"\" {\n			continue\n		}\n		uids["),
        "this loop over the desired pods"),
    "none of the pods": (
        ((DESIRED, OF_PODS),), UIDS.replace("		uids[pod.UID] = struct{}{}\n", "		_ = pod\n"),
        "this loop over the desired pods"),
    "a list that was changed": (
        ((QUEUED, ALIAS.replace("\n", "\n			delete(p.waitingToStartStaticPodsByFullname, fullname)\n", 1)),),
        "", "makes another list"),
    "a number of 41 bits": (((LEAST, AT_LEAST.replace("1<<0", "1<<40")),), LARGER, "is a large number"),
    "numbers of 32 bits": (((LEAST, AT_LEAST.replace("(seconds", "(int32(seconds)")),), LARGER, "may cut a number off"),
    "what is deferred in the loop": (
        ((LOOP_BEGINS, "	defer func() {\n		p.podsSynced = true\n	}()\n" + LOOP_BEGINS),), "",
        "part of the loop"),
}  # fmt: skip


@pytest.mark.parametrize("why", REFUSED)
def test_what_cannot_be_seen_is_refused(why: str) -> None:
    changes, more, error = REFUSED[why]
    with pytest.raises(ModelError, match=error):
        edited(*changes, more=more)


def test_a_place_in_a_list_is_asserted_where_it_is_read() -> None:
    lines = new_lines(edited((LOOP, SEARCH.replace("	if first >= 0 {", "	if true {"))))
    assert "found = -1" in lines
    assert any(line.startswith("assert 0 <= first and waiting_from + first < ") for line in lines)


def test_an_error_may_wrap_several() -> None:
    both = 'if err != nil {\n\t\t\t\treturn fmt.Errorf("%w: %w", err, errMissing)\n\t\t\t}\n\t\t\treturn nil'
    assert new_lines(edited((RETURNED, RETURNED.replace("return err", both)), more=MISSING)) == []


# -- a status that was deleted ---------------------------------------------------------------------------------------

LAST = "	p.releaseStatic(uid, status)\n	delete(p.podSyncStatuses, uid)\n"
DROP = "\nfunc (p *podWorkers) drop(uid types.UID) {\n	delete(p.podSyncStatuses, uid)\n}\n"
RENEW = (
    DROP.replace("drop", "renew")
    .replace(
        "}\n",
        "	status, ok := p.podSyncStatuses[uid]\n	if !ok {\n"
        "		status = &podSyncStatus{fullname: name}\n		p.podSyncStatuses[uid] = status\n	}\n}\n",
    )
    .replace("uid types.UID", "uid types.UID, name string")
)


def afterwards(go: str) -> tuple[str, str]:
    """The end of completeTerminatingRuntimePod with these statements for the deletion."""
    return LAST, LAST.replace("delete(p.podSyncStatuses, uid)", go)


def test_nobody_sees_what_is_written_to_a_status_that_was_deleted() -> None:
    lines = new_lines(edited(afterwards("p.drop(uid)\n	status.evicted = true"), more=DROP))
    at = lines.index("self.drop(uid)")
    assert lines[at + 1 : at + 3] == ["if status.present:", "status.evicted = True"]


def test_the_entry_that_takes_its_place_is_not_written() -> None:
    with pytest.raises(ModelError, match=r"`status.evicted` is used after line \d+ deleted it or replaced it"):
        edited(afterwards("p.renew(uid, status.fullname)\n	status.evicted = true"), more=RENEW)


def test_what_a_status_was_is_not_known_after_it_was_deleted() -> None:
    go = before_finished("	p.drop(uid)\n	if status.evicted {\n		return\n	}\n")
    lines = [line.strip() for line in lines_of(edited(go, more=DROP))]
    at = lines.index("self.drop(uid)")
    assert lines[at + 1 : at + 3] == ["assert status.present", "if status.evicted:"]
