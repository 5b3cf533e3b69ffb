"""Shapes of the file that differ from the stand-in's: contexts and loggers that are passed on, and new fields."""

from __future__ import annotations

import re

import pytest
from tests.golang.test_translation import FINISHED, SOURCE, WORKER, changed, lines_of, translated

from podproof.golang.module import FileTranslation, Translation
from podproof.golang.syntax import parse
from podproof.golang.vocabulary import worker_vocabulary
from podproof.model.releases import V1_36
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import Subject, system_of

PASSED_ON = (
    ("UpdatePod(options", "UpdatePod(ctx context.Context, options"),
    (
        "\tp.podLock.Lock()\n\tdefer p.podLock.Unlock()\n\tstatus, known :=",
        "\tlogger := klog.FromContext(ctx)\n\tp.podLock.Lock()\n\tdefer p.podLock.Unlock()\n\tstatus, known :=",
    ),
    ('klog.V(4).InfoS("It is stored now")', 'logger.WithValues("pod", uid).V(4).Info("It is stored now")'),
    ("go p.podWorkerLoop(uid", "go p.podWorkerLoop(ctx, uid"),
    ("podWorkerLoop(uid types.UID, tokens", "podWorkerLoop(parent context.Context, uid types.UID, tokens"),
    ("p.nextWork(uid)", "p.nextWork(parent, uid)"),
    ("nextWork(uid types.UID)", "nextWork(parent context.Context, uid types.UID)"),
    ("p.completeSync(uid)", "p.completeSync(klog.FromContext(ctx), uid)"),
    ("completeSync(uid types.UID) {", "completeSync(logger klog.Logger, uid types.UID) {"),
)
"""What is replaced by what."""


def passing_on(*more: tuple[str, str]) -> str:
    """The worker with contexts and loggers as parameters, and a context of its own for each sync."""
    text = changed(*PASSED_ON)
    start = text.index("\tif status.ctx == nil")
    end = text.index("\tctx = status.ctx\n", start)
    text = f"{text[:start]}\tctx, status.cancelFn = context.WithCancel(parent)\n{text[end:].partition(chr(10))[2]}"
    for old, new in more:
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    return text


def of_1_36(text: str) -> Translation:
    return FileTranslation(parse(text.encode(), WORKER), worker_vocabulary()).make(V1_36)


@pytest.mark.slow
def test_loggers_and_parents_of_contexts_are_passed_on_for_nothing() -> None:
    plain, passed = lines_of(of_1_36(SOURCE)), lines_of(of_1_36(passing_on()))
    own = {line.strip() for line in passed if line not in plain}
    assert own == {"self.replace_context(uid)", "worker.context = Context.LIVE"}


def test_a_context_of_another_name_is_no_parent() -> None:
    with pytest.raises(Exception, match="no parent that comes from outside"):
        of_1_36(passing_on(("cancels := p.beginT", "p.note(status.ctx)\n\tcancels := p.beginT")) + NOTE)


NOTE = """
func (p *podWorkers) note(ctx context.Context) {
	_, cancel := context.WithCancel(ctx)
	defer cancel()
	p.podsSynced = true
}
"""
FIELDS = {
    "podSyncStatus": "pod_sync_statuses[0].hurried",
    "UpdatePodOptions": "pod_sync_statuses[0].pending_update.hurried",
    "KillPodOptions": "pod_sync_statuses[0].active_update.kill_pod_options.hurried",
    "podWorkers": "hurried",
}
PLACES = {
    "podSyncStatus": "status.hurried",
    "UpdatePodOptions": "options.hurried",
    "KillPodOptions": "status.pendingUpdate.KillPodOptions.hurried",
    "podWorkers": "p.hurried",
}


@pytest.mark.slow
@pytest.mark.parametrize(("go", "low", "high"), [("bool", 0, 1), ("time.Time", 0, 1), ("v1.PodPhase", 0, 2)])
def test_a_new_field_of_a_status_is_state_of_its_kind(go: str, low: int, high: int) -> None:
    found = translated(changed(("type podSyncStatus struct {", f"type podSyncStatus struct {{\n\thurried {go}")))
    system = system_of(Subject("go", found.cls, ""), SCENARIOS["lone-pod"])
    (field,) = (v for v in system.variables if v.path == "pod_sync_statuses[0].hurried")
    assert (field.low, field.high) == (low, high)


@pytest.mark.slow
@pytest.mark.parametrize("struct", FIELDS)
def test_a_new_field_can_be_read_and_decides(struct: str) -> None:
    place = PLACES[struct]
    test = f"status.pendingUpdate != nil && status.pendingUpdate.KillPodOptions != nil && {place}"
    text = changed(
        (f"type {struct} struct {{", f"type {struct} struct {{\n\thurried bool"),
        (FINISHED, FINISHED.replace("status.finished {", f"status.finished || ({test}) {{")),
    )
    found = translated(text)
    system = system_of(Subject("go", found.cls, ""), SCENARIOS["lone-pod"])
    assert FIELDS[struct] in system.nodes()
    said = f"whoever calls UpdatePod leaves {struct}.hurried at zero; --assume can say otherwise"
    assert (said in found.rests_on) == (struct.endswith("Options"))


def test_a_new_field_of_another_type_is_refused() -> None:
    with pytest.raises(Exception, match=r"the model cannot keep podSyncStatus\.hurried, a `map"):
        translated(
            changed(
                ("type podSyncStatus struct {", "type podSyncStatus struct {\n\thurried map[string]bool"),
                (FINISHED, FINISHED.replace("status.finished {", 'status.finished || status.hurried["a"] {')),
            )
        )


@pytest.mark.slow
def test_a_switch_with_a_value_compares_it_with_each_case() -> None:
    cases = "{\n\tcase kubetypes.SyncPodCreate, kubetypes.SyncPodSync:\n\t\tstatus.evicted = true\n"
    cases += "\tdefault:\n\t\treturn\n\t}"
    compared = cases.replace("kubetypes", "options.UpdateType == kubetypes")
    first = changed((FINISHED, FINISHED.replace("\tif", f"\tswitch options.UpdateType {cases}\n\tif", 1)))
    second = changed((FINISHED, FINISHED.replace("\tif", f"\tswitch {compared}\n\tif", 1)))
    assert lines_of(translated(first)) == lines_of(translated(second))


CLEAN = "\tstatus.notifyPostTerminating, status.statusPostTerminating = nil, nil\n"
JITTER = "\t\tp.workQueue.Enqueue(uid, wait.Jitter(p.resyncInterval, 0.5))\n"
LOOP = "\tfor _, told := range status.notifyPostTerminating {\n\t\tclose(told)\n\t}\n"
OTHER_WORDS = {
    "a delay with a name": (
        ("\tswitch {\n\tcase transition:\n", "\tvar delay time.Duration\n\tswitch {\n\tcase transition:\n"),
        (JITTER, "\t\tdelay = wait.Jitter(p.resyncInterval, 0.5)\n\t\tp.workQueue.Enqueue(uid, delay)\n"),
    ),
    "a delay that is not jittered": ((JITTER, "\t\tp.workQueue.Enqueue(uid, p.resyncInterval)\n"),),
    "a helper that enqueues": (
        ("\t\tp.workQueue.Enqueue(uid, 0)\n", "\t\tp.soon(uid)\n"),
        (
            "// SyncKnownPods is",
            "func (p *podWorkers) soon(uid types.UID) {\n\tp.workQueue.Enqueue(uid, 0)\n}\n\n// SyncKnownPods is",
        ),
    ),
    "a local function": ((CLEAN, f"\tclean := func() {{\n\t{CLEAN}\t}}\n\tclean()\n"),),
    "unlocking in a function": (
        (
            "\tdefer p.podLock.Unlock()\n\tstatus, exists := p.podSyncStatuses[uid]\n\tif !exists {\n\t\treturn nil\n",
            "\tdefer func() { p.podLock.Unlock() }()\n\tstatus, exists := p.podSyncStatuses[uid]\n\tif !exists {\n"
            "\t\treturn nil\n",
        ),
    ),
    "a list by its places": (
        (LOOP, LOOP.replace("_, told", "request").replace("(told)", "(status.notifyPostTerminating[request])")),
    ),
    "a metric": (
        (
            "\tp.requeue(uid, status)\n}\n\nfunc (p *podWorkers) completeTerminatingR",
            "\tmetrics.EndedPods.Inc()\n\tp.requeue(uid, status)\n}\n\nfunc (p *podWorkers) completeTerminatingR",
        ),
    ),
    "a text for the log": (("\tp.podsSynced = true\n", '\t_ = fmt.Sprintf("%d", 1)\n\tp.podsSynced = true\n'),),
    "a label": (
        ("\tfor uid, status := range", "pods:\n\tfor uid, status := range"),
        ("!wanted) {\n\t\t\t\tcontinue\n", "!wanted) {\n\t\t\t\tcontinue pods\n"),
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("change", OTHER_WORDS)
def test_other_words_for_the_same_are_the_same_lines(change: str) -> None:
    plain, found = (
        {re.sub(r"told|request_\d", "request", line) for line in lines_of(translated(text))}
        for text in (SOURCE, changed(*OTHER_WORDS[change]))
    )
    assert plain <= found
    assert {line.strip() for line in found - plain} <= {"def soon(self, uid: int):", "self.enqueue(uid, Delay.NOW)"}


def test_a_time_is_given_to_a_method_of_a_status() -> None:
    begin = "func (s *podSyncStatus) begin(now time.Time) {\n\ts.terminatingAt = now\n}\n"
    text = changed(
        ("\tstatus.terminatingAt = time.Now()\n\treturn true\n", "\tstatus.begin(time.Now())\n\treturn true\n")
    )
    assert "status.begin(True)" in " ".join(lines_of(translated(text + begin))).replace(
        "begin(status, True)", "status.begin(True)"
    )


WAKES = "\tcase p.podUpdates[uid] <- struct{}{}:\n\tdefault:\n\t}\n}\n"
WOKEN = "func (p *podWorkers) wake(uid types.UID) {"


def test_a_send_that_does_not_wait_decides_by_whether_there_is_room() -> None:
    returns = WAKES.replace("{}{}:\n", "{}{}:\n\t\treturn true\n").replace("default:\n", "default:\n\t\treturn false\n")
    text = changed((WOKEN, WOKEN.replace(") {", ") bool {")), (WAKES, returns))
    block = translated(text).text_of("wake")
    lines = [line.partition("  # ")[0].strip() for line in block.splitlines()]
    at = lines.index("sent = self.can_notify_pod_worker(uid)")
    assert lines[at + 1 : at + 5] == ["self.notify_pod_worker(uid)", "if sent:", "return True", "return False"]


def test_a_function_that_is_followed_in_place_can_be_shown() -> None:
    assert "def start_pod_sync(" in translated(SOURCE).text_of("nextWork")
