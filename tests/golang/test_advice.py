"""What a refusal advises works: each is followed word for word, and leads on, or the refusal says that nothing does."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.command_line import run
from tests.golang.test_translation import WORKER, changed

from podproof.checker.core import ModelError
from podproof.golang.module import FileTranslation
from podproof.golang.syntax import parse
from podproof.golang.vocabulary import worker_vocabulary
from podproof.model.releases import V1_29

MOST_LINES = 5
"""The most --assume lines that one edit may need."""
ASKED = "\tif status.finished {\n"
WOKEN = "\tstatus.working = true\n\tp.wake(uid)\n\tif cancels"
TOLD = '\tklog.V(4).InfoS("told", "it", {})\n'
CANCELS = "\tcancels := p.beginTermination(status, pod, options, isRuntimePod)\n"
ENTRY = "\tstatus, known := p.podSyncStatuses[uid]\n"
JITTERED = "!canStart {\n\t\tp.workQueue.Enqueue(uid, wait.Jitter(p.backOffPeriod, 0.5))\n"
OVER = "\tseconds := status.gracePeriod\n"


def before(place: str, statement: str) -> tuple[str, str]:
    return place, f"{statement}{place}"


def asked(condition: str) -> tuple[str, str]:
    """UpdatePod returns where this holds."""
    return ASKED, f"\tif {condition} {{\n"


def advised(text: str) -> list[str]:
    """The lines that are advised for an edited worker, one refusal after another, until it is translated."""
    lines: list[str] = []
    while True:
        vocabulary = worker_vocabulary(tuple(lines))
        try:
            FileTranslation(parse(text.encode(), WORKER), vocabulary, tuple(lines)).make(V1_29)
        except ModelError as refused:
            found = re.search(r"--assume '([^']*)'", str(refused))
            assert found is not None, refused
            assert found[1] not in lines, f"{found[1]} does not help: {refused}"
            lines.append(found[1])
            assert len(lines) <= MOST_LINES, lines
        else:
            return lines


SAYABLE = {
    "a call": before(WOKEN, "\tp.quota.Take(uid)\n"),
    "a call of two arguments": before(WOKEN, "\tp.quota.Take(uid, status.gracePeriod)\n"),
    "a call of a call": before(WOKEN, "\tp.quota.Of(uid).Take()\n"),
    "a call of a package": before(WOKEN, "\taudit.Note(uid)\n"),
    "a deferred call": before(WOKEN, "\tdefer p.audit.Done(uid)\n"),
    "a condition": asked("p.quota.Exceeded(uid)"),
    "a condition of a field": asked("p.quota.isFull"),
    "a condition of a field of a call": asked("p.quota.Of(uid).isFull"),
    "a negated condition": asked("!p.quota.Allows(uid)"),
    "one of two conditions": asked("status.finished && p.quota.Exceeded(uid)"),
    "two unknown conditions": asked("p.quota.Exceeded(uid) || p.quota.Left(uid)"),
    "a package's condition": asked("kubetypes.IsCriticalPod(options.Pod)"),
    "a gate": asked("utilfeature.DefaultFeatureGate.Enabled(features.PodPause)"),
    "a comparison of numbers": asked("p.quota.Left(uid) > 3"),
    "a comparison of names": asked("p.mode == modeStrict"),
    "a comparison of texts": asked('options.Pod.Status.Reason == "Evicted"'),
    "an inequality": asked("options.Pod.Generation != 1"),
    "a comparison with nil": asked("p.quota.Find(uid) != nil"),
    "a comparison of a field with nil": asked("p.quota == nil"),
    "a length": asked("len(options.Pod.Spec.Containers) > 0"),
    "an element": asked("options.Pod.Annotations[pausedKey] == pausedValue"),
    "an annotation that is asked for": asked("p.paused[uid]"),
    "a local bool": ("\tif status.finished {\n", "\tfull := p.quota.Exceeded(uid)\n\tif full {\n"),
    "a local bool that is negated": (ASKED, "\tallowed := p.quota.Allows(uid)\n\tif !allowed {\n"),
    "a bool in an initializer": (ASKED, "\tif full := p.quota.Exceeded(uid); full {\n"),
    "an error": (ASKED, "\terr := p.quota.Take(uid)\n\tif err != nil {\n"),
    "an error in an initializer": (ASKED, "\tif err := p.quota.Take(uid); err != nil {\n"),
    "a value and an error": (ASKED, "\tfull, err := p.quota.Ask(uid)\n\tif err != nil || full {\n"),
    "an error alone of two": (ASKED, "\t_, err := p.quota.Ask(uid)\n\tif err != nil {\n"),
    "two bools": (ASKED, "\tfull, late := p.quota.Ask(uid)\n\tif full && late {\n"),
    "a value that is only told": before(WOKEN, f"\tleft := p.quota.Left(uid)\n{TOLD.format('left')}"),
    "a bool of a status": before(WOKEN, "\tstatus.restartRequested = p.quota.Restarts(uid)\n"),
    "a number of a status": before(WOKEN, "\tstatus.gracePeriod = p.quota.Seconds(uid)\n"),
    "a time of a status": before(WOKEN, "\tstatus.startedAt = p.quota.Since(uid)\n"),
    "an argument": ("effectiveGracePeriod(status, pod, options.KillPodOptions)\n\t\tstatus.gracePeriod",
                    "effectiveGracePeriod(status, pod, options.KillPodOptions)\n\t\tp.note(p.quota.Full())\n"
                    "\t\tstatus.gracePeriod"),
    "a result": ("\treturn exists && known.terminated()\n",
                 "\t_ = exists && known.terminated()\n\treturn p.quota.Known(asked)\n"),
    "a part of a result": ("\treturn exists && known.terminated()\n",
                           "\t_ = known.terminated()\n\treturn exists && p.quota.Known(asked)\n"),
    "a case": ("\tcase hasEnded(pod):\n", "\tcase p.quota.Is(pod.UID):\n\t\treturn false\n\tcase hasEnded(pod):\n"),
    "a condition for a log": before(ENTRY, '\tif p.audit.IsOn() {\n\t\tklog.InfoS("on")\n\t}\n'),
    "a parent": ("context.WithCancel(context.Background())", "context.WithCancel(p.root)"),
    "a parent that is called for": ("context.WithCancel(context.Background())", "context.WithCancel(p.rootOf(uid))"),
    "a parent within": ("context.WithCancel(context.Background())",
                        "context.WithCancel(context.WithValue(p.root, key{}, uid))"),
    "a delay": (JITTERED, JITTERED.replace("p.backOffPeriod", "p.limits.backOff")),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("edit", SAYABLE)
def test_the_line_that_is_advised_is_understood(edit: str) -> None:
    more = (
        "\nfunc (p *podWorkers) note(full bool) {\n\tp.podsSynced = full\n}\n" if "p.note(" in SAYABLE[edit][1] else ""
    )
    assert advised(changed(SAYABLE[edit]) + more)


@pytest.mark.slow
def test_a_line_works_on_the_command_line_as_it_is_told(tmp_path: Path) -> None:
    file = tmp_path / "pod_workers.go"
    file.write_text(changed(SAYABLE["a value and an error"]), encoding="utf-8")
    refused = run("review", "v1.29", str(file))
    assert refused.exit_code == 2
    line = re.search(r"--assume '([^']*)'", " ".join(refused.stderr.split()))
    assert line is not None and line[1] == "p.quota.Ask($*) = any bool, any error"
    told = run("check", "--go", str(file), "--assume", line[1], "--version", "v1.29", "--scenario", "lone-pod")
    assert told.exit_code in (0, 1), told.output
    assert f"assumed by the user: {line[1]}" in " ".join(told.stdout.split())


@pytest.mark.slow
def test_equal_and_unequal_have_answers_of_their_own() -> None:
    text = changed(asked("p.mode == strict || p.mode != strict"))
    lines = advised(text)
    assert lines == ["p.mode == strict = any bool", "p.mode != strict = any bool"]
    assert len(worker_vocabulary(tuple(lines)).open_questions) == 2


LENGTHS = ("len(pod.Spec.Containers) > 0", "len(pod.Finalizers) > 0", 'strings.HasPrefix(pod.Spec.NodeName, "a")')


@pytest.mark.slow
def test_each_list_has_an_answer_of_its_own() -> None:
    lines = advised(changed(asked(" && ".join(LENGTHS))))
    assert lines == [f"{asks} = any bool" for asks in LENGTHS]
    assert len(worker_vocabulary(tuple(lines)).open_questions) == len(LENGTHS)


@pytest.mark.parametrize("value", ["len(pod.Spec.Containers)", "int64(len(pod.Spec.Containers))"])
def test_a_number_is_that_of_one_list(value: str) -> None:
    with pytest.raises(ModelError) as refused:
        FileTranslation(parse(changed((OVER, f"\tseconds := {value}\n")).encode(), WORKER), worker_vocabulary()).make(
            V1_29
        )
    assert "len($*)" not in str(refused.value)


def test_nobody_is_advised_to_ignore_a_panic() -> None:
    edit = before(ASKED, '\tif status.finished {\n\t\tpanic("finished")\n\t}\n')
    with pytest.raises(ModelError, match="no --assume can say what it stands for; write it with what"):
        FileTranslation(parse(changed(edit).encode(), WORKER), worker_vocabulary()).make(V1_29)


def test_no_line_is_advised_that_could_not_be_written() -> None:
    edit = asked("strings.ContainsFunc(pod.Spec.NodeName, func(r rune) bool {\n\t\treturn r == 1\n\t})")
    with pytest.raises(ModelError, match="no --assume can say what it stands for; give what it is asked with a name"):
        FileTranslation(parse(changed(edit).encode(), WORKER), worker_vocabulary()).make(V1_29)


FOLLOWED: dict[str, tuple[tuple[str, str], str, tuple[str, str]]] = {
    "a switch over what is unknown": (
        before(ASKED, "\tswitch p.mode {\n\tcase strict:\n\t\treturn\n\t}\n"),
        "write `switch { case p.mode == …: }`",
        before(ASKED, "\tswitch {\n\tcase p.mode == strict:\n\t\treturn\n\t}\n"),
    ),
    "a parent that can be cancelled": (
        ("context.WithCancel(context.Background())", "context.WithCancel(status.ctx)"),
        "detach it: context.WithoutCancel(…)",
        ("context.WithCancel(context.Background())", "context.WithCancel(context.WithoutCancel(status.ctx))"),
    ),
    "a query before the lock": (
        ("\tp.podLock.Lock()\n\tdefer p.podLock.Unlock()\n\tstatus, known", "\tif p.IsPodKnownTerminated(uid) {\n\t\treturn\n"  # noqa: E501
         "\t}\n\tp.podLock.Lock()\n\tdefer p.podLock.Unlock()\n\tstatus, known"),
        "do it all under one lock",
        ("\tstatus, known := p.podSyncStatuses[uid]\n", "\tstatus, known := p.podSyncStatuses[uid]\n"
         "\tif known && status.terminated() {\n\t\treturn\n\t}\n"),
    ),
    "a name of Go": (
        (OVER, "\tlen := status.gracePeriod\n\tseconds := len\n"),
        "rename it",
        (OVER, "\tlength := status.gracePeriod\n\tseconds := length\n"),
    ),
    "a cancel that may be wrapped": (
        before("\t\ttransition := false\n", "\t\tif err == context.Canceled {\n\t\t\tcontinue\n\t\t}\n"),
        "compare it with errors.Is(err, context.Canceled)",
        before("\t\ttransition := false\n", "\t\tif errors.Is(err, context.Canceled) {\n\t\t\tcontinue\n\t\t}\n"),
    ),
    "the end of a pod before the error": (
        before("\t\ttransition := false\n", "\t\tif isTerminal {\n\t\t\tp.completeSync(uid)\n\t\t\tcontinue\n\t\t}\n"),
        "look at the error first",
        before("\t\ttransition := false\n",
               "\t\tif err == nil && isTerminal {\n\t\t\tp.completeSync(uid)\n\t\t\tcontinue\n\t\t}\n"),
    ),
    "another name of the options": (
        before(CANCELS, "\topts := &options\n\topts.KillPodOptions = nil\n"),
        "use the first",
        before(CANCELS, "\toptions.KillPodOptions = nil\n"),
    ),
    "a pod that is written": (
        before(WOKEN, "\tpod.Status.Phase = v1.PodFailed\n"),
        "copy the pod first",
        before(WOKEN, "\tif hasEnded(pod) {\n\t\tp.podsSynced = true\n\t}\n"),
    ),
    "a name that is set twice": (
        before(CANCELS, "\tkill := options.KillPodOptions\n\tif kill == nil {\n\t\tkill = &KillPodOptions{}\n\t}\n"),
        "use another name",
        before(CANCELS, "\tif options.KillPodOptions == nil {\n\t\toptions.KillPodOptions = &KillPodOptions{}\n\t}\n"),
    ),
    "a return that keeps the lock": (
        ("\tdefer p.podLock.Unlock()\n\tknown, exists", "\tknown, exists"),
        "write `defer p.podLock.Unlock()` after Lock()",
        ("\tdefer p.podLock.Unlock()\n\tknown, exists", "\tdefer p.podLock.Unlock()\n\tknown, exists"),
    ),
    "two results": (
        before(WOKEN, "\t_ = p.allowPodStart(uid, pod)\n"),
        "name each",
        before(WOKEN, "\t_, _ = p.allowPodStart(uid, pod)\n"),
    ),
    "an operator": (
        (OVER, "\tseconds := status.gracePeriod\n\tseconds *= 2\n"),
        "numbers are compared, added and subtracted",
        (OVER, "\tseconds := status.gracePeriod\n\tseconds += seconds\n"),
    ),
    "a loop without range": (
        before(WOKEN, "\tfor status.finished {\n\t\tstatus.finished = false\n\t}\n"),
        "write `for … range`",
        before(WOKEN, "\tfor range 1 {\n\t\tstatus.finished = false\n\t}\n"),
    ),
    "a fallthrough": (
        ("\tcase hasEnded(pod):\n", "\tcase hasEnded(pod):\n\t\tfallthrough\n"),
        "repeat the lines, or join the cases",
        ("\tcase hasEnded(pod):\n", "\tcase hasEnded(pod) && !status.finished, hasEnded(pod):\n"),
    ),
    "a query of the worker before its sync call": (
        ("\t\tvar isTerminal bool\n", "\t\tif p.IsPodKnownTerminated(uid) {\n\t\t\tcontinue\n\t\t}\n\t\tvar isTerminal bool\n"),  # noqa: E501
        "ask once, or after the sync call and in a statement of its own",
        before("\t\ttransition := false\n", "\t\tif p.IsPodKnownTerminated(uid) {\n\t\t\tcontinue\n\t\t}\n"),
    ),
    "a send": (
        ("\tselect {\n\tcase p.podUpdates[uid] <- struct{}{}:\n\tdefault:\n\t}\n}\n\n// SyncKnown",
         "\tp.podUpdates[uid] <- struct{}{}\n}\n\n// SyncKnown"),
        "send in a select with a `default`",
        ("\tselect {\n\tcase p.podUpdates[uid] <- struct{}{}:\n\tdefault:\n\t}\n}\n\n// SyncKnown",
         "\tselect {\n\tdefault:\n\tcase p.podUpdates[uid] <- struct{}{}:\n\t}\n}\n\n// SyncKnown"),
    ),
}  # fmt: skip
UNSAYABLE = {
    "a loop over what is unknown": (
        before(WOKEN, "\tfor _, hook := range p.hooks {\n\t\thook.Run(uid)\n\t}\n"),
        "no --assume can say what it stands for; loop over the maps and lists of the pod workers",
    ),
    "a value that is handed on": (
        before(WOKEN, "\tview := p.quota.View(uid)\n\tview.count++\n"),
        "no --assume can say what it stands for; from how `view` is used its type cannot be told",
    ),
    "a write to what is unknown": (
        before(WOKEN, "\tp.quota.used = 1\n"),
        "no --assume can say what it stands for; leave it to who owns it",
    ),
    "a pod": (
        ("\tpod := options.Pod\n", "\tpod := p.podManager.Find(options.Pod)\n"),
        "no --assume can say what it stands for",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("edit", FOLLOWED)
def test_what_is_advised_in_words_leads_on(edit: str) -> None:
    old, advice, new = FOLLOWED[edit]
    with pytest.raises(ModelError) as refused:
        FileTranslation(parse(changed(old).encode(), WORKER), worker_vocabulary()).make(V1_29)
    assert advice in str(refused.value)
    advised(changed(new))


@pytest.mark.quick(2)
@pytest.mark.parametrize("edit", UNSAYABLE)
def test_where_no_line_helps_none_is_advised(edit: str) -> None:
    change, told = UNSAYABLE[edit]
    with pytest.raises(ModelError) as refused:
        FileTranslation(parse(changed(change).encode(), WORKER), worker_vocabulary()).make(V1_29)
    assert told in str(refused.value)
    assert "--assume '" not in str(refused.value)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("edit", "innermost"),
    [
        (("context.WithCancel(context.Background())", "context.WithCancel(detached(p.root))"), "detached"),
        ((JITTERED, JITTERED.replace("p.backOffPeriod", "p.limits.Of(uid)")), "p.limits.Of"),
        (asked("podutil.IsPodTerminal(p.quota.PodOf(uid))"), "p.quota.PodOf"),
        (("p.podCache.Get(uid)", "p.podCache.Get(p.names.UIDOf(fullname))"), "p.names.UIDOf"),
        (("kubetypes.IsStaticPod(pod) {\n\t\t\tp.wait", "kubetypes.IsStaticPod(p.podOf(uid)) {\n\t\t\tp.wait"), "p.podOf"),  # noqa: E501
    ],
)  # fmt: skip
def test_a_refusal_names_the_innermost_thing_that_is_unknown(edit: tuple[str, str], innermost: str) -> None:
    with pytest.raises(ModelError) as refused:
        FileTranslation(parse(changed(edit).encode(), WORKER), worker_vocabulary()).make(V1_29)
    assert f"nothing is known of `{innermost}`" in str(refused.value)
