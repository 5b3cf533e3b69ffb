"""Functions whose statements stand where they are called: local ones, and those that start or wake a worker."""

from __future__ import annotations

import pytest
from tests.golang.test_edits import before_finished, edited, new_lines
from tests.golang.test_rewritings import CLEARED, FORGOTTEN, LOCKED, QUERY
from tests.golang.test_shapes import LOOP

from podproof.checker.core import ModelError

MADE = (
    "\t\ttokens = make(chan struct{}, 1)\n\t\tp.podUpdates[uid] = tokens\n\t\tif kubetypes.IsStaticPod(pod) {\n"
    "\t\t\tp.waitingToStartStaticPodsByFullname[fullname] = "
    "append(p.waitingToStartStaticPodsByFullname[fullname], uid)\n\t\t}\n"
)
RUNS = "\t\tgo p.podWorkerLoop(uid, tokens)\n"
STARTED = f"\ttokens, exists := p.podUpdates[uid]\n\tif !exists {{\n{MADE}{RUNS}\t}}\n"
START = "\nfunc (p *podWorkers) startWorker(uid types.UID, pod *v1.Pod, fullname string) chan struct{} {\n"
HELPER = f"{START}{MADE}{RUNS}\t\treturn tokens\n}}\n".replace("tokens = make", "tokens := make")
CALLED = (STARTED, "\tif _, exists := p.podUpdates[uid]; !exists {\n\t\tp.startWorker(uid, pod, fullname)\n\t}\n")
ENSURED = (STARTED, "\ttokens := p.startWorker(uid, pod, fullname)\n\t_ = tokens\n")
ENSURES = HELPER.replace(
    START, f"{START}\ttokens, exists := p.podUpdates[uid]\n\tif exists {{\n\t\treturn tokens\n\t}}\n"
)
ENSURES = ENSURES.replace("tokens := make", "tokens = make")
RUNNER = "\nfunc (p *podWorkers) run(uid types.UID, tokens <-chan struct{}) {\n\tdefer runtime.HandleCrash()\n"
RUNNER += "\tp.podWorkerLoop(uid, tokens)\n}\n"
WOKEN = "\tp.wake(uid)\n\tif cancels"
NUDGE = "\nfunc nudge(tokens chan<- struct{}) {\n\tselect {\n\tcase tokens <- struct{}{}:\n\tdefault:\n\t}\n}\n"
ENDS = "\tstatus.terminatedAt = time.Now()\n"
ASKS = "\tknown, exists := p.podSyncStatuses[asked]\n\treturn exists && known.terminated()\n"
SECTION = "\t\tp.podLock.Lock()\n\t\tdefer p.podLock.Unlock()\n"

SAME = {
    "a function starts the worker": ((CALLED,), HELPER),
    "a function starts the worker, if need be, and gives its channel": ((ENSURED,), ENSURES),
    "a function starts the goroutine only": (
        ((RUNS, "\t\tp.spawn(uid, tokens)\n"),),
        f"\nfunc (p *podWorkers) spawn(uid types.UID, tokens chan struct{{}}) {{\n{RUNS}}}\n",
    ),
    "a method is the goroutine": (((RUNS, "\t\tgo p.run(uid, tokens)\n"),), RUNNER),
    "a function is given the channel": (((WOKEN, WOKEN.replace("p.wake(uid)", "nudge(tokens)")),), NUDGE),
    "a local function with a parameter": (
        ((CLEARED, "\tclear := func(done bool) {\n\t\tif done {\n\t" + CLEARED + "\t\t}\n\t}\n\tclear(true)\n"),),
        "",
    ),
    "a local function that returns": (
        (
            (
                CLEARED,
                f"\tend := func(done bool) {{\n\t\tif !done {{\n\t\t\treturn\n\t\t}}\n\t{CLEARED}\t}}\n\tend(true)\n",
            ),
        ),
        "",
    ),
    "a local function in a loop": (
        ((LOOP, LOOP.replace("\tfor", "\tend := func() { status.working = status.working }\n\tfor").replace(
            "\t\tclose", "\t\tend()\n\t\tclose")),),
        "",
    ),
    "a section in a function": (
        (
            (
                f"{QUERY}{ASKS}",
                QUERY.replace(LOCKED, "\tisIt := func() bool {\n") + f"{SECTION}{ASKS}\t}}\n\treturn isIt()\n",
            ),
        ),
        "",
    ),
}  # fmt: skip
"""What is changed -> by what, and what is new; of the translation nothing but names."""


@pytest.mark.quick(3)
@pytest.mark.parametrize("change", SAME)
def test_what_stands_where_it_is_called_means_the_same(change: str) -> None:
    changes, more = SAME[change]
    names = {
        "self.notify_pod_worker(uid_of_pod)",
        "status.working = status.working",
        "result = exists and terminated(known)",
        "return result",
    }
    assert set(new_lines(edited(*changes, more=more))) <= names


STRIP = "\nfunc strip(options *UpdatePodOptions) {\n\toptions.KillPodOptions = nil\n}\n"
SYNCED = "\twork := podWork{}\n\twork.WorkType = status.phase()\n"
SYNCED += "\tdrop := func() {\n\t\tSETS\n\t\tstatus.working = false\n\t}\n"
SYNCED += "\tif work.WorkType == SyncPod {\n"
SYNCED += (
    LOOP.replace("\t\tclose", "\t\tstatus.evicted = work.WorkType == TerminatedPod\n\t\tdrop()\n\t\tclose") + "\t}\n"
)

REFUSED = {
    "a worker is started while podLock is locked anew": (
        (CALLED,),
        HELPER.replace(START, f"{START}{LOCKED}"),
        "podLock is locked twice",
    ),
    "a function that starts a worker unlocks": (
        (CALLED,),
        HELPER.replace(START, f"{START}\tp.podLock.Unlock()\n"),
        "podLock is released, and is not held, or is released later",
    ),
    "a function that starts a worker asks what locks": (
        (CALLED,),
        HELPER.replace(START, f"{START}\tif p.IsPodKnownTerminated(uid) {{\n\t\treturn nil\n\t}}\n"),
        "it would wait for ever",
    ),
    "a goroutine is started on some ways": (
        ((RUNS, "\t\tp.spawn(uid, tokens)\n"),),
        "\nfunc (p *podWorkers) spawn(uid types.UID, tokens chan struct{}) {\n\tif p.podsSynced {\n\t\treturn\n\t}\n"
        f"{RUNS}}}\n",
        "is made, and this returns before it is stored",
    ),
    "a channel is stored after its goroutine is started": (
        (CALLED,),
        HELPER.replace("\t\tp.podUpdates[uid] = tokens\n", "").replace(RUNS, f"{RUNS}\t\tp.podUpdates[uid] = tokens\n"),
        "this goroutine is none that the model knows",
    ),
    "a function that starts a worker calls itself": (
        (CALLED,),
        HELPER.replace(START, f"{START}\tp.startWorker(uid, pod, fullname)\n"),
        "`startWorker` calls itself",
    ),
    "a goroutine reads without the lock": (
        ((RUNS, "\t\tgo p.run(uid, tokens)\n"),),
        RUNNER.replace("\tdefer", '\tklog.InfoS("runs", "known", len(p.podSyncStatuses))\n\tdefer'),
        "is protected by podLock",
    ),
    "a channel that may be closed is given away": (
        ((WOKEN, "\tp.cleanupPodUpdates(uid)\n" + WOKEN.replace("p.wake(uid)", "nudge(tokens)")),),
        NUDGE,
        "its channel may have been closed",
    ),
    "a local function locks what is held": (
        ((CLEARED, f"\tclear := func(done bool) {{\n{SECTION}\t{CLEARED}\t}}\n\tclear(true)\n"),),
        "",
        "podLock is locked twice",
    ),
    "a local function keeps the lock": (
        (
            (
                f"{QUERY}{ASKS}",
                QUERY.replace(LOCKED, "\tisIt := func() bool {\n\t\tp.podLock.Lock()\n")
                + f"{ASKS}\t}}\n\treturn isIt()\n",
            ),
        ),
        "",
        "this returns while podLock is held",
    ),
    "two sections in a local function": (
        (
            (
                f"{QUERY}{ASKS}",
                QUERY.replace(LOCKED, "\tisIt := func() bool {\n")
                + f"{SECTION}{ASKS}\t}}\n\tfirst := isIt()\n\tsecond := isIt()\n\treturn first && second\n",
            ),
        ),
        "",
        "podLock is locked twice",
    ),
    "a local function returns from a loop": (
        ((LOOP, f"\tend := func() {{\n{LOOP.replace('close', 'if p.podsSynced {return}; close')}\t}}\n\tend()\n"),),
        "",
        "this returns from within a loop",
    ),
    "a local function that sets a local is called in a loop": (
        (
            (
                LOOP,
                "\tcount := 0\n\tmore := func() { count++ }\n"
                + LOOP.replace("\t\tclose", "\t\tmore()\n\t\tclose")
                + "\tstatus.working = count > 1\n",
            ),
        ),
        "",
        "`more` sets a local, and is called in a loop",
    ),
    "a local function that sets a field of a local is called in a loop": (
        ((LOOP, SYNCED.replace("SETS", "work.WorkType = TerminatedPod")),),
        "",
        "`drop` sets a local, and is called in a loop",
    ),
    "a local function that gives a local away to be set is called in a loop": (
        ((LOOP, SYNCED.replace("SETS", "strip(&work.Options)")),),
        STRIP,
        "`drop` sets a local, and is called in a loop",
    ),
    "a local function in the midst of a condition": (
        (
            (
                CLEARED,
                f"{CLEARED}\tclear := func() bool {{\n\t{CLEARED}\t\treturn true\n\t}}\n"
                "\tif p.podsSynced && clear() {\n\t\tstatus.working = true\n\t}\n",
            ),
        ),
        "",
        "is a part of an expression",
    ),
}  # fmt: skip


@pytest.mark.quick(6)
@pytest.mark.parametrize("change", REFUSED)
def test_what_hangs_or_races_where_it_is_called_is_refused(change: str) -> None:
    changes, more, error = REFUSED[change]
    with pytest.raises(ModelError, match=error):
        edited(*changes, more=more)


def test_a_second_goroutine_for_a_pod_fails() -> None:
    """The model has one for each UID: without the question whether there is one, it would start none."""
    unasked = edited(
        (STARTED.partition("\t\ttokens = ")[0], "\ttokens, exists := p.podUpdates[uid]\n\t{\n\t\t_ = exists\n")
    )
    lines = [line.strip() for line in unasked.text.splitlines()]
    asserted = [line for line in lines if line.startswith("assert self.pod_updates[uid] == NIL")]
    assert len(asserted) == 1


def test_a_return_of_a_local_function_ends_that_function_only() -> None:
    local = "\tend := func(over bool) {\n\t\tif over {\n\t\t\tstatus.working = false\n\t\t\treturn\n\t\t}\n"
    local += f"\t\tstatus.evicted = true\n\t}}\n\tend(p.podsSynced)\n{ENDS}"
    lines = new_lines(edited((FORGOTTEN, FORGOTTEN.replace(ENDS, local))))
    assert lines == ["over = self.pods_synced", "if over:", "status.evicted = True"]


OVER = "\t\tif !ok || status.requested() || status.terminated() {\n\t\t\tcontinue\n\t\t}\n\t\tif next != uid {\n"
OVER += "\t\t\tp.waitingToStartStaticPodsByFullname[fullname] = waiting[i:]\n\t\t\treturn false\n\t\t}\n"
OVER += "\t\twaiting = waiting[i+1:]\n\t\tbreak\n"
CHOSEN = "\t\tswitch {\n\t\tcase !ok || status.requested() || status.terminated():\n\t\t\tcontinue next\n"
CHOSEN += "\t\tcase next != uid:\n"
CHOSEN += "\t\t\tp.waitingToStartStaticPodsByFullname[fullname] = waiting[i:]\n\t\t\treturn false\n\t\tdefault:\n"
CHOSEN += "\t\t\twaiting = waiting[i+1:]\n\t\t\tbreak next\n\t\t}\n"


def test_a_break_with_a_label_leaves_the_loop_around_a_switch() -> None:
    labelled = ("\tfor i, next := range waiting {\n", "next:\n\tfor i, next := range waiting {\n")
    assert new_lines(edited((OVER, CHOSEN), labelled)) == []


def test_a_break_leaves_a_switch_and_what_comes_after_it_is_done() -> None:
    switch = (
        "\tswitch {\n\tcase p.podsSynced:\n\t\tif status.evicted {\n\t\t\tbreak\n\t\t}\n\t\tstatus.deleted = true\n"
    )
    switch += f"\tdefault:\n\t\tbreak\n\t}}\n{ENDS}"
    lines = new_lines(edited((FORGOTTEN, FORGOTTEN.replace(ENDS, switch))))
    assert lines == ["if self.pods_synced:", "if not status.evicted:", "status.deleted = True"]


AGAIN = "\tif status.activeUpdate == nil {\n\t\treturn\n\t}\n\tagain := *status.activeUpdate\n"
CALLS = {
    "a function": (AGAIN, "strip(&again)"),
    "a method": (AGAIN, "again.strip()"),
    "by another name": (f"{AGAIN}\tsame := &again\n", "strip(same)"),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("how", CALLS)
@pytest.mark.parametrize("is_in_loop", [False, True])
def test_nothing_is_known_any_more_of_options_that_a_call_may_write(how: str, is_in_loop: bool) -> None:
    made, call = CALLS[how]
    asked = "\t\tif again.KillPodOptions == nil {\n\t\t\tstatus.evicted = true\n\t\t}\n"
    again = LOOP.replace("\t\tclose", f"{asked}\t\t{call}\n\t\tclose") if is_in_loop else f"\t\t{call}\n{asked}{LOOP}"
    go = f"{made}\tif again.KillPodOptions != nil {{\n{again}\t}}\n"
    found = new_lines(
        edited((LOOP, go), more=f"{STRIP}{STRIP.replace('strip(options', '(options').replace(') {', ') strip() {')}")
    )
    assert "if not again.kill_pod_options.present:" in found


CHANGING = """
func (p *podWorkers) turn(status *podSyncStatus) bool {
	was := status.evicted
	status.evicted = !was
	return was
}

func (p *podWorkers) tell(status *podSyncStatus) bool {
	if status.evicted {
		return true
	}
	return false
}

func (p *podWorkers) turned(status *podSyncStatus) bool {
	return p.turn(status)
}

func (p *podWorkers) either(a, b bool) bool {
	return a || b
}

func (p *podWorkers) note(status *podSyncStatus, a, b bool) {
	status.deleted = a
	status.working = b
}

func (p *podWorkers) next(status *podSyncStatus) int64 {
	status.gracePeriod++
	return status.gracePeriod
}
"""
BESIDE = {
    "compared": "status.deleted = status.evicted == p.turn(status)",
    "compared, by a shorthand": "status.deleted = status.evicted == p.turned(status)",
    "compared, by a literal": "f := func() bool { return p.turn(status) }\n\tstatus.deleted = status.evicted == f()",
    "an argument": "p.note(status, status.evicted, p.turn(status))",
    "an argument after a call": "p.note(status, p.tell(status), status.deleted || p.turn(status))",
    "what may not be asked": "status.deleted = p.either(p.podsSynced, p.turn(status))",
    "a choice": "status.gracePeriod = min(3, p.next(status))",
    "one of two values": "a, b := status.evicted, p.turn(status)\n\tstatus.deleted, status.working = a, b",
    "a call, then a condition": "a, b := p.tell(status), known && p.turn(status)\n\tstatus.deleted = a && b",
    "a sum": "status.gracePeriod = status.gracePeriod + p.next(status)",
    "a sum, shortly": "status.gracePeriod += p.next(status)",
    "a number of entries": "status.deleted = p.next(status) == int64(len(p.podSyncStatuses))",
}  # fmt: skip


@pytest.mark.quick(2)
@pytest.mark.parametrize("way", BESIDE)
def test_what_a_call_may_change_is_not_read_beside_it(way: str) -> None:
    """The compiler reads the fields of a statement after its calls, wherever they stand."""
    with pytest.raises(ModelError, match=r"beside it|in the midst of|given to what may ask|may change what"):
        edited(before_finished(f"\t{BESIDE[way]}\n"), more=CHANGING)


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    ("go", "lines"),
    [
        ("_ = p.turn(status)", ["self.turn(status)"]),
        ("a, b := p.turn(status), status.evicted\n\tstatus.deleted, status.working = a, b",
         ["a = self.turn(status)", "b = status.evicted", "status.deleted = a", "status.working = b"]),
        ("p.note(status, p.turn(status), status.evicted)", ["self.note(status, self.turn(status), status.evicted)"]),
        ("if p.turn(status) == p.turn(status) {\n\t\tstatus.working = status.evicted\n\t}",
         ["if self.turn(status) == self.turn(status):", "status.working = status.evicted"]),
    ],
)  # fmt: skip
def test_a_call_that_changes_something_is_made_once_and_in_its_place(go: str, lines: list[str]) -> None:
    found = new_lines(edited(before_finished(f"\t{go}\n"), more=CHANGING))
    assert found[: len(lines)] == lines


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "go",
    [
        "status.evicted, status.deleted = true, p.tell(status)",
        "status.evicted, status.deleted = true, status.isEvicted()",
        "status.deleted, status.working = p.turn(status), status.isDeleted()",
        "last := status.activeUpdate\n\tif last != nil {\n"
        "\t\tstatus.activeUpdate.MirrorPod, status.deleted = nil, last.MirrorPod != nil\n\t}",
        "a, b := true, true\n\tf := func() bool { return a }\n\ta, b = status.evicted, f()\n\tstatus.deleted = a && b",
    ],
)
def test_what_one_statement_sets_it_does_not_read_by_another_name(go: str) -> None:
    methods = "".join(
        f"\nfunc (s *podSyncStatus) is{name}() bool {{ return s.{name.lower()} }}\n" for name in ("Evicted", "Deleted")
    )
    with pytest.raises(ModelError, match="is read and set by one statement"):
        edited(before_finished(f"\t{go}\n"), more=CHANGING + methods)
