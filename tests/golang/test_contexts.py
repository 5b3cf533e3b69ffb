"""Contexts: what a worker's is made of, who can cancel it, and what is taken for granted of those from outside."""

from __future__ import annotations

import pytest
from tests.golang.test_translation import SOURCE, WORKER, changed, lines_of, translated

from podproof.checker.core import ModelError
from podproof.golang.module import FileTranslation, Translation
from podproof.golang.syntax import parse
from podproof.golang.vocabulary import worker_vocabulary
from podproof.model.releases import V1_29

MADE = "context.WithCancel(context.Background())"
GIVEN = (
    ("UpdatePod(options UpdatePodOptions) {", "UpdatePod(ctx context.Context, options UpdatePodOptions) {"),
    ("go p.podWorkerLoop(uid, tokens)", "go p.podWorkerLoop(ctx, uid, tokens)"),
    ("podWorkerLoop(uid types.UID, tokens <-chan", "podWorkerLoop(outer context.Context, uid types.UID, tokens <-chan"),
    ("p.nextWork(uid)\n", "p.nextWork(outer, uid)\n"),
    ("nextWork(uid types.UID)", "nextWork(outer context.Context, uid types.UID)"),
)
"""The worker with a context that UpdatePod is given, as since 1.36."""
NEVER_CANCELLED = "`{}`, a context that comes from outside, is never cancelled"
NO_CLOCK = "the deadlines of contexts do not pass: the model has no clock [A5]"
TO_SYNC_POD = "p.podSyncer.SyncPod(ctx,"


def assuming(text: str, *assumed: str) -> Translation:
    return FileTranslation(parse(text.encode(), WORKER), worker_vocabulary(assumed)).make(V1_29)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("made", "assumptions"),
    [
        ("context.WithCancel(context.TODO())", []),
        ("context.WithCancel(context.WithoutCancel(outer))", []),
        ("context.WithCancel(context.WithValue(context.WithoutCancel(outer), key{}, uid))", []),
        ("context.WithCancel(context.WithoutCancel(context.WithValue(outer, key{}, uid)))", []),
        ("context.WithCancel(klog.NewContext(context.Background(), klog.FromContext(outer)))", []),
        ("context.WithCancel(outer)", [NEVER_CANCELLED.format("outer")]),
        ("context.WithCancel(context.WithValue(outer, key{}, uid))",
         [NEVER_CANCELLED.format("context.WithValue(outer, key{}, uid)")]),
        ("context.WithCancelCause(context.Background())", []),
        ("context.WithTimeout(context.Background(), p.backOffPeriod)", [NO_CLOCK]),
        ("context.WithDeadline(outer, time.Now())", [NEVER_CANCELLED.format("outer"), NO_CLOCK]),
    ],
)  # fmt: skip
def test_a_context_of_the_worker_may_have_any_parent_that_nobody_here_cancels(
    made: str, assumptions: list[str]
) -> None:
    found = translated(changed(*GIVEN, (MADE, made)))
    assert lines_of(found) == lines_of(translated(SOURCE))
    assert [line for line in found.rests_on if "context" in line] == assumptions


@pytest.mark.slow
def test_the_parent_may_be_a_field_that_the_user_knows() -> None:
    text = changed((MADE, "context.WithCancel(p.root)"))
    with pytest.raises(ModelError, match=r"nothing is known of `p\.root`.*--assume 'p\.root = _ : parent'"):
        translated(text)
    found = assuming(text, "p.root = _ : parent")
    assert lines_of(found) == lines_of(translated(SOURCE))
    assert NEVER_CANCELLED.format("p.root") in found.rests_on
    assert assuming(text, "p.root = never : parent").rests_on == translated(SOURCE).rests_on


@pytest.mark.parametrize(
    "made",
    [
        "context.WithCancel(status.ctx)",
        "context.WithCancel(context.WithValue(status.ctx, key{}, uid))",
        "context.WithTimeout(status.ctx, p.backOffPeriod)",
        "context.WithCancelCause(klog.NewContext(status.ctx, klog.Background()))",
    ],
)
def test_a_parent_that_can_be_cancelled_is_not_lost(made: str) -> None:
    with pytest.raises(ModelError, match=r"the parent of this context can be cancelled.*context\.WithoutCancel"):
        translated(changed((MADE, made)))


@pytest.mark.slow
def test_a_detached_parent_is_accepted() -> None:
    made = "context.WithCancel(context.WithoutCancel(status.ctx))"
    assert lines_of(translated(changed((MADE, made)))) == lines_of(translated(SOURCE))


@pytest.mark.quick(1)
@pytest.mark.parametrize("derived", ["context.WithTimeout(ctx, p.limit)", "context.WithCancel(ctx)"])
def test_a_sync_function_may_be_given_a_context_derived_from_the_workers(derived: str) -> None:
    edited = changed(
        ("\t\t\tvar status *kubecontainer.PodStatus\n",
         f"\t\t\tvar status *kubecontainer.PodStatus\n\t\t\town, stop := {derived}\n\t\t\tdefer stop()\n"),
        (TO_SYNC_POD, TO_SYNC_POD.replace("ctx", "own")),
    )  # fmt: skip
    found = translated(edited)
    assert [line for line in lines_of(found) if "SYNC_POD" in line] == [
        line for line in lines_of(translated(SOURCE)) if "SYNC_POD" in line
    ]
    assert (NO_CLOCK in found.rests_on) == ("Timeout" in derived)


def test_a_context_that_was_released_is_given_to_nobody() -> None:
    edited = changed(
        ("\t\t\tvar status *kubecontainer.PodStatus\n",
         "\t\t\tvar status *kubecontainer.PodStatus\n\t\t\town, stop := context.WithCancel(ctx)\n\t\t\tstop()\n"),
        (TO_SYNC_POD, TO_SYNC_POD.replace("ctx", "own")),
    )  # fmt: skip
    with pytest.raises(ModelError, match=r"`\w+` is (not kept here|called with what the model does not know)"):
        translated(edited)


MADE_HERE = "\t\t\town, stop := context.WithCancel(ctx)\n"
KEEPS = f"\t\t\tfunc() {{\n{MADE_HERE}\t\t\tdefer stop()\n\t\t\tmine = own\n\t\t\t}}()\n"
ITS_END = "\t\t\tfunc() { defer stop() }()\n"
RETURNS = "when this function returns"


@pytest.mark.parametrize(
    ("edit", "given"),
    [
        (MADE_HERE + ITS_END, "own"),
        (MADE_HERE + ITS_END.replace("stop() ", 'stop()\n\t\t\t\tklog.InfoS("x")\n\t\t\t'), "own"),
        (MADE_HERE + "\t\t\tinner := context.WithValue(own, key{}, uid)\n" + ITS_END, "inner"),
        (MADE_HERE + ITS_END.replace("defer stop()", "\n\t\t\t\tend := stop\n\t\t\t\tdefer end()\n\t\t\t"), "own"),
        (KEEPS.replace("mine", "ctx"), "ctx"),
        (f"\t\t\tmine := ctx\n\t\t\tfunc() {{\n{MADE_HERE}\t\t\tmine = own\n\t\t\tdefer stop()\n\t\t\t}}()\n", "mine"),
        ("\t\t\tvar mine context.Context\n" + KEEPS, "mine"),
    ],
)  # fmt: skip
def test_what_a_function_inside_another_releases_is_released_at_its_end(edit: str, given: str) -> None:
    made = "\t\t\tvar status *kubecontainer.PodStatus\n"
    with pytest.raises(ModelError, match=RETURNS):
        translated(changed((made, made + edit), (TO_SYNC_POD, TO_SYNC_POD.replace("ctx", given))))


@pytest.mark.slow
def test_a_context_that_is_made_and_released_in_a_function_of_its_own_is_nobodys() -> None:
    made = "\t\t\tvar status *kubecontainer.PodStatus\n"
    edit = f'\t\t\tfunc() {{\n{MADE_HERE}\t\t\tdefer stop()\n\t\t\tklog.InfoS("x", "context", own)\n\t\t\t}}()\n'
    assert lines_of(translated(changed((made, made + edit)))) == lines_of(translated(SOURCE))


def test_a_context_that_a_deferred_release_cancels_is_stored_nowhere() -> None:
    edit = (
        "\tif status.ctx != nil {\n\t\town, stop := context.WithCancel(status.ctx)\n\t\tdefer stop()\n"
        "\t\tstatus.ctx = own\n\t}\n\tcancels := p.beginTermination"
    )
    with pytest.raises(ModelError, match=RETURNS):
        translated(changed(("\tcancels := p.beginTermination", edit)))


@pytest.mark.slow
def test_a_sync_function_may_be_given_a_context_that_nobody_cancels() -> None:
    found = translated(changed((TO_SYNC_POD, TO_SYNC_POD.replace("ctx", "context.Background()"))))
    step = found.text.partition("def get_newer_than")[2].partition("def sync_pod_returns")[0]
    assert "worker.context = Context.NONE" in step
    assert "worker.context = Context.NONE" not in translated(SOURCE).text


@pytest.mark.slow
def test_what_is_done_after_a_cancel_that_never_comes_is_not_done() -> None:
    after = "\tp.podLock.Lock()\n\tdefer p.podLock.Unlock()\n\tstatus, known := p.podSyncStatuses[uid]\n"
    edited = changed(
        (after, f"\tcontext.AfterFunc(context.WithoutCancel(ctx), func() {{ p.forget(uid) }})\n{after}"),
        *GIVEN,
    )
    assert lines_of(translated(edited)) == lines_of(translated(SOURCE))
    found = translated(edited.replace("context.WithoutCancel(ctx), func()", "ctx, func()"))
    assert NEVER_CANCELLED.format("ctx") in found.rests_on


def test_a_function_that_runs_when_the_worker_is_cancelled_is_refused() -> None:
    text = changed(("\tctx = status.ctx\n", "\tctx = status.ctx\n\tcontext.AfterFunc(ctx, func() { p.wake(uid) })\n"))
    with pytest.raises(ModelError, match=r"context\.AfterFunc"):
        translated(text)


@pytest.mark.slow
def test_a_cancel_with_a_cause_is_a_cancel() -> None:
    edited = changed(
        (MADE, "context.WithCancelCause(context.Background())"),
        ("\t\tstatus.cancelFn()\n", '\t\tstatus.cancelFn(errors.New("superseded"))\n'),
    )
    assert lines_of(translated(edited)) == lines_of(translated(SOURCE))


AGAIN = "\tstatus.ctx, status.cancelFn = context.WithCancel(context.Background())\n"


@pytest.mark.quick(1)
@pytest.mark.parametrize("then", ["\tstatus.cancelFn()\n", AGAIN, "\tp.interrupt(status)\n"])
def test_a_context_that_was_taken_before_it_is_cancelled_or_replaced_is_given_to_nobody(then: str) -> None:
    more = "\nfunc (p *podWorkers) interrupt(status *podSyncStatus) {\n\tstatus.cancelFn()\n}\n"
    text = changed(("\tctx = status.ctx\n", f"\tctx = status.ctx\n{then}"))
    with pytest.raises(ModelError, match=r"`ctx` is not kept here.*take it from the status after that"):
        translated(text + more)
    translated(changed(("\tctx = status.ctx\n", f"{then}\tctx = status.ctx\n")) + more)
