"""Delays of any length: each is one of its own, since the model has no clock. [A5]"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.command_line import run
from tests.golang.test_contexts import assuming
from tests.golang.test_edits import OF_WORKERS, before_finished, edited, new_lines
from tests.golang.test_translation import changed, lines_of

from podproof.checker.core import ModelError
from podproof.golang.vocabulary import name_of_question

KNOWN = "wait.Jitter(backOffOnTransientErrorPeriod, 0.5)"
AS_LONG = ("5 * time.Second", "5000*time.Millisecond", "time.Duration(5) * time.Second", "wait.Jitter(slow, 0.5)",
           "time.Minute / 12", "time.Second * 5", "slow + 0", "6*time.Second - time.Second")  # fmt: skip
OTHERS = ("50 * time.Second", "5 * time.Minute", "2 * p.backOffPeriod", "p.backOffPeriod * 2", "p.backOffPeriod / 2",
          "2 * p.resyncInterval", "p.resyncInterval + 5*time.Second", "p.slow", "2 * (p.slow + p.backOffPeriod)",
          "2*p.slow + p.backOffPeriod")  # fmt: skip
SLOW = "\nconst slow = 5 * time.Second\n"


def delay_of(go: str) -> str:
    """The delay with which completeWork enqueues in place of that after a transient error."""
    field = (OF_WORKERS, f"{OF_WORKERS}\n\tslow time.Duration\n")
    found = edited((f"Enqueue(uid, {KNOWN})", f"Enqueue(uid, {go})"), field, more=SLOW)
    (given,) = {line for line in new_lines(found) if "begin_complete_work" in line}
    return re.sub(r".*, (\w+|Delay\.\w+)\)$", r"\1", given)


@pytest.mark.slow
def test_what_is_as_long_is_one_delay_and_what_is_not_is_another() -> None:
    assert {delay_of(go) for go in AS_LONG} == {"DELAY_5000000000NS"}
    assert len({*map(delay_of, OTHERS), "DELAY_5000000000NS"}) == len(OTHERS) + 1


@pytest.mark.slow
def test_one_times_a_delay_is_that_delay_and_its_opposite_is_not() -> None:
    same = ("1*p.slow", "p.slow * 1", "p.slow / 1", "p.slow + 0*time.Second", "0 + p.slow", "p.slow - 0")
    assert len({delay_of(go) for go in ("p.slow", *same)}) == 1
    assert len({delay_of(go) for go in ("p.slow", "0 - p.slow", "1 + p.slow", "p.slow - 1", "0 * p.slow")}) == 5


@pytest.mark.slow
def test_what_is_due_at_once_is_no_delay() -> None:
    assert {delay_of(go) for go in ("0 * time.Second", "time.Second - time.Minute", "time.Duration(0)")} == {
        "Delay.NOW"
    }


@pytest.mark.parametrize(
    "go", ["p.backOffPeriod / 0", "time.Fortnight", "2 * p.quota", "p.backOffPeriod * p.backOffPeriod.X"]
)
def test_what_is_no_length_of_time_is_refused(go: str) -> None:
    with pytest.raises(ModelError):
        delay_of(go)


def test_a_delay_that_a_function_sets_is_refused() -> None:
    field = (OF_WORKERS, f"{OF_WORKERS}\n\tslow time.Duration\n")
    sets = "\nfunc (p *podWorkers) wait(longer time.Duration) {\n\tp.slow = longer\n}\n"
    with pytest.raises(ModelError, match=r"p\.slow"):
        edited((f"Enqueue(uid, {KNOWN})", "Enqueue(uid, p.slow)"), field, more=sets)


def test_a_delay_is_not_compared() -> None:
    known = "\tif seconds < 1 {\n"
    with pytest.raises(ModelError, match="depends on how long a delay is"):
        edited((known, f"\tif 5*time.Second > p.backOffPeriod {{\n\t\tseconds = 3\n\t}}\n{known}"))


@pytest.mark.quick(1)
@pytest.mark.parametrize("since", ["time.Since", "p.clock.Since"])
def test_how_long_ago_something_was_may_be_told(since: str) -> None:
    log = f'\tif d := {since}(status.startedAt); d > time.Minute {{\n\t\tklog.V(2).InfoS("Slow", "after", d)\n\t}}\n'
    assert new_lines(edited(before_finished(log))) == []


STARTED_AGO = "not status.started_at or self.started_at"
TERMINATED_AGO = "not status.terminated_at or self.terminated_at"
AGO = {
    "time.Since(status.startedAt) > time.Minute": f"{STARTED_AGO}_over_1_time_minute_ago[uid_of_pod]",
    "p.clock.Since(status.startedAt) <= time.Minute": f"not ({STARTED_AGO}_over_1_time_minute_ago[uid_of_pod])",
    "p.resyncInterval <= p.clock.Since(status.startedAt)": f"{STARTED_AGO}_at_least_resync_ago[uid_of_pod]",
    "p.clock.Now().Sub(status.terminatedAt) < time.Hour": (
        f"not ({TERMINATED_AGO}_at_least_1_time_hour_ago[uid_of_pod])"
    ),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("asked", AGO)
def test_how_long_ago_something_was_may_be_either_of_each_pod(asked: str) -> None:
    """Go's zero time is longer ago than any delay, so of a time that is not set the answer is fixed."""
    for go in (f"if {asked}", f"ago := {asked}; if ago".replace("; ", "\n\t")):
        found = edited(before_finished(f"\t{go} {{\n\t\tstatus.evicted = true\n\t}}\n"))
        assert any(line.endswith((f" {AGO[asked]}", f" {AGO[asked]}:")) for line in new_lines(found))
        name = AGO[asked].partition("self.")[2].partition("[")[0]
        assert f"require(self.{name}[pod] != answer)" in new_lines(found)
        assert any("may change of each pod at any time" in said for said in found.rests_on)


NOW = "\tnow := p.clock.Now()\n"
IS_OVER = {
    "now.Sub(status.startedAt) > time.Minute": f"{STARTED_AGO}_over_1_time_minute_ago[uid_of_pod]",
    "p.clock.Now().After(status.startedAt.Add(time.Minute))": f"{STARTED_AGO}_over_1_time_minute_ago[uid_of_pod]",
    "status.startedAt.Add(time.Minute).Before(now)": f"{STARTED_AGO}_over_1_time_minute_ago[uid_of_pod]",
    "now.Before(status.startedAt.Add(time.Minute))": f"not ({STARTED_AGO}_at_least_1_time_minute_ago[uid_of_pod])",
    "status.startedAt.Add(time.Minute).After(now)": f"not ({STARTED_AGO}_at_least_1_time_minute_ago[uid_of_pod])",
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("asked", IS_OVER)
def test_a_time_and_a_delay_are_compared_with_the_present(asked: str) -> None:
    found = edited(before_finished(f"{NOW}\tif {asked} {{\n\t\tstatus.evicted = true\n\t}}\n\t_ = now\n"))
    assert f"if {IS_OVER[asked]}:" in new_lines(found)


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "now", ["\tvar now time.Time\n", f"{NOW}\tnow = status.terminatedAt\n", "\tnow := status.terminatedAt\n"]
)
def test_a_time_is_compared_with_no_other_than_the_present(now: str) -> None:
    asked = "\tif now.After(status.startedAt.Add(time.Minute)) {\n\t\tstatus.evicted = true\n\t}\n"
    with pytest.raises(ModelError, match=r"nothing is known of `now\.After`"):
        edited(before_finished(f"{now}{asked}"))


def test_how_long_ago_a_local_time_was_is_refused() -> None:
    with pytest.raises(ModelError, match="what is no time of a status"):
        edited(before_finished("\tthen := time.Now()\n\tif time.Since(then) > time.Minute {\n\t\treturn\n\t}\n"))


OLD = "p.clock.Since(status.startedAt) > time.Minute"
OLD_METHOD = "\nfunc (s *podSyncStatus) old() bool {\n\treturn time.Since(s.startedAt) > time.Minute\n}\n"
MARKS = "\nfunc (p *podWorkers) mark(status *podSyncStatus) {\n\tstatus.startedAt = time.Now()\n}\n"
ASK = f"\tif {OLD} {{\n\t\tstatus.evicted = true\n\t}}\n"
MARK = "\tstatus.startedAt = time.Now()\n"
SET_BEFORE = {
    "after it": MARK + ASK,
    "in a condition": f"{ASK}\tif status.evicted {{\n\t{MARK}\t}}\n{ASK}",
    "in a condition, after a copy": "\tlast := *status\n\tif status.evicted {\n"
    f"\t{MARK}\t}}\n{ASK.replace('status.startedAt', 'last.startedAt')}",
    "in a condition, after it has a name": "\tago := time.Since(status.startedAt)\n\tif status.evicted {\n"
    f"\t{MARK}\t}}\n\tstatus.evicted = ago > time.Minute\n",
    "by a function": f"\tp.mark(status)\n{ASK}",
    "by a method": MARK + ASK.replace(OLD, "status.old()"),
    "by a local function": "\told := func() bool {\n\t\tstatus.working = true\n"
    f"\t\treturn {OLD}\n\t}}\n\twas := old()\n{MARK}\tis := old()\n\tstatus.evicted = was && !is\n",
    "of a copy": f"\tlast := *status\n{MARK}{ASK.replace('status.startedAt', 'last.startedAt')}",
    "by a name": f"\tago := time.Since(status.startedAt)\n{MARK}\tstatus.evicted = ago > time.Minute\n",
    "in a loop": f"\tfor _, report := range status.statusPostTerminating {{\n{ASK}{MARK}\t\t_ = report\n\t}}\n",
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("how", SET_BEFORE)
def test_how_long_ago_something_was_is_not_asked_after_it_was_set(how: str) -> None:
    """The answer is one in the whole of a step: it would be that of the time which was there before."""
    with pytest.raises(ModelError, match="this asks how long ago `started_at` was, which is set in the same step"):
        edited(before_finished(SET_BEFORE[how]), more=OLD_METHOD + MARKS)


@pytest.mark.parametrize(
    "other",
    [OLD.replace(">", ">="), OLD.replace("Minute", "Hour"), OLD.replace("time.Minute", "p.backOffPeriod/2")],
)
def test_two_questions_about_one_time_might_contradict_each_other(other: str) -> None:
    with pytest.raises(ModelError, match="the model has no clock by which both could hold or not"):
        edited(before_finished(ASK + ASK.replace(OLD, other)))


@pytest.mark.parametrize("delay", ["p.backOffPeriod - p.resyncInterval", "p.backOffPeriod + p.resyncInterval"])
def test_what_a_delay_is_made_of_is_told_apart(delay: str) -> None:
    found = edited(before_finished(ASK.replace("time.Minute", delay)))
    operator = "plus" if "+" in delay else "minus"
    name = f"over_delay_of_backoff__{operator}__resync_end_ago"
    assert f"if {STARTED_AGO}_{name}[uid_of_pod]:" in new_lines(found)


def test_what_has_always_passed_is_no_question() -> None:
    with pytest.raises(ModelError, match="depends on how much time has passed"):
        edited(before_finished(ASK.replace("time.Minute", "0")))


def test_since_a_time_of_options_is_no_question_about_the_pod() -> None:
    field = "\tStartTime      time.Time\n"
    with pytest.raises(ModelError, match="since what is no time of a status"):
        edited(
            (field, f"{field}\tseenAt time.Time\n"), before_finished(ASK.replace("status.startedAt", "options.seenAt"))
        )


@pytest.mark.quick(1)
@pytest.mark.parametrize("since", ["time.Since", "p.clock.Since"])
def test_what_is_said_of_how_long_ago_something_was_holds(since: str) -> None:
    asked = before_finished(f"\tif {since}(status.startedAt) > time.Minute {{\n\t\tstatus.evicted = true\n\t}}\n")
    line = f"{since}($*) > time.Minute = any bool"
    name = name_of_question(line.partition(" = ")[0])
    assert f"if self.{name}:" in [said.strip() for said in lines_of(assuming(changed(asked), line))]


LAST = "\tdefault:\n\t\tp.workQueue.Enqueue(uid, wait.Jitter(p.backOffPeriod, 0.5))\n"
"""What completeWork does after an error."""
TOLD = "\t\tif at, ok := kubecontainer.MinBackoffExpiration(err); ok {\n\t\t\tdelay = at.Sub(p.clock.Now())\n\t\t}\n"
"""An error may say when it is to be tried again."""
CUT = "\t\tif delay < 0 {\n\t\t\tdelay = 0\n\t\t}"
CUT += " else if delay > p.resyncInterval {\n\t\t\tdelay = p.resyncInterval\n\t\t}\n"
"""What the kubelet cuts it off at."""


def after_an_error(go: str, more: str = "") -> list[str]:
    """What is new where completeWork waits as long as `delay` says, which these lines set."""
    enqueue = "\t\tp.workQueue.Enqueue(uid, wait.Jitter(delay, 0.5))\n"
    return new_lines(edited((LAST, f"\tdefault:\n{go}{enqueue}"), more=more))


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    "go",
    [
        f"\t\tdelay := p.backOffPeriod\n{TOLD}{CUT}",
        f"\t\tdelay := p.backOffPeriod\n{TOLD}",
        f"\t\tdelay := p.backOffPeriod\n{TOLD}\t\tdelay = min(max(0, delay), p.resyncInterval)\n",
        "\t\tdelay := p.resyncInterval\n\t\tdelay = p.backOffPeriod\n",
        "\t\tdelay := 2 * time.Second\n\t\tif delay > time.Second {\n\t\t\tdelay = p.backOffPeriod\n\t\t}\n",
    ],
)
def test_the_back_off_is_the_error_s_or_the_kubelet_s_own(go: str) -> None:
    assert after_an_error(go) == []


HIDDEN = '\tif p.podsSynced {\n\t\tnow := p.clock.Now()\n\t\tklog.InfoS("asked", "now", now)\n\t}\n'
WAS = "\tif now.After(status.startedAt.Add(time.Minute)) {\n\t\tstatus.evicted = true\n\t}\n"
IS_OLD = f"\nfunc (p *podWorkers) age(status *podSyncStatus, now time.Time) {{\n{HIDDEN}{WAS}}}\n"


@pytest.mark.parametrize(
    ("more", "asked"), [("", f"\tvar now time.Time\n{HIDDEN}{WAS}"), (IS_OLD, "\tp.age(status, status.terminatedAt)\n")]
)
def test_a_time_is_not_the_present_though_another_local_of_its_name_is(more: str, asked: str) -> None:
    with pytest.raises(ModelError, match=r"nothing is known of `now\.After`"):
        edited(before_finished(asked), more=more)


RETURNS = "\tif delay < 0 {\n\t\treturn 0\n\t}\n\tif delay > p.resyncInterval {\n\t\treturn p.resyncInterval\n\t}\n"
BACK_OFF = (
    "\nfunc (p *podWorkers) backOff(err error) time.Duration {\n\tdelay := p.backOffPeriod\n"
    f"{TOLD}{RETURNS}\treturn delay\n}}\n"
)


@pytest.mark.quick(1)
@pytest.mark.parametrize("more", [BACK_OFF, BACK_OFF.replace("\t}\n\tif delay >", "\t} else if delay >")])
def test_a_function_that_returns_the_back_off_cut_off_gives_the_back_off(more: str) -> None:
    assert after_an_error("\t\tdelay := p.backOff(err)\n", more) == []


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("return 0", "return time.Second"),
        ("delay < 0", "delay > 0"),
        ("return p.resync", "return 2 * p.resync"),
        ("\treturn delay\n", "\treturn p.resyncInterval\n"),
        ("\treturn delay\n", "\tdelay = p.resyncInterval\n\treturn delay\n"),
        ("\treturn delay\n", "\tif p.podsSynced {\n\t\treturn 0\n\t}\n\treturn delay\n"),
    ],
)
def test_a_function_that_returns_another_delay_is_refused(old: str, new: str) -> None:
    assert BACK_OFF.count(old) == 1
    with pytest.raises(ModelError):
        after_an_error("\t\tdelay := p.backOff(err)\n", BACK_OFF.replace(old, new))


HOURS = "\t\tdelay := time.Hour\n"
IN_MINUTES = "\t\tif delay > time.Minute {\n\t\t\tdelay = time.Minute\n\t\t}\n"


@pytest.mark.quick(1)
@pytest.mark.parametrize(
    ("go", "delay"),
    [
        (HOURS + IN_MINUTES, "DELAY_60000000000NS"),
        ("\t\tdelay := min(time.Hour, time.Minute)\n", "DELAY_60000000000NS"),
        (f"{HOURS}\t\tdelay /= 60\n", "DELAY_60000000000NS"),
        (f"{HOURS}\t\tdelay -= -time.Minute\n", "DELAY_3660000000000NS"),
        (f"{HOURS}\t\tdelay, _ = 2 * p.resyncInterval, uid\n", "DELAY_OF_2__TIMES__RESYNC_END"),
        (f"{HOURS}\t\tdelay = -delay + 2*time.Hour\n", "DELAY_3600000000000NS"),
        (f"{HOURS}\t\tdelay = time.Second - delay + 2*time.Hour\n", "DELAY_3601000000000NS"),
        ("\t\tdelay := p.longer()\n", "delay"),
    ],
)
def test_a_delay_is_what_it_was_set_to_last(go: str, delay: str) -> None:
    longer = "\nfunc (p *podWorkers) longer() time.Duration {\n\tdelay := p.backOffPeriod\n\treturn delay * 2\n}\n"
    (found,) = {line for line in after_an_error(go, longer * ("longer()" in go)) if "begin_complete_work" in line}
    assert found == f"self.begin_complete_work(uid, generation, {delay})"


@pytest.mark.quick(4)
@pytest.mark.parametrize(
    "go",
    [
        f"\t\tdelay := p.resyncInterval\n{IN_MINUTES}",
        f"\t\tdelay := p.resyncInterval\n{TOLD}",
        f"\t\tdelay := p.backOffPeriod\n{IN_MINUTES}",
        f"\t\tdelay := p.backOffPeriod\n{CUT}",
        f"\t\tdelay := p.backOffPeriod\n{TOLD}{IN_MINUTES}",
        f"\t\tdelay := p.backOffPeriod\n{TOLD}{CUT.replace('> p', '< p')}",
        f"\t\tdelay := p.backOffPeriod\n{TOLD}{CUT.replace('delay = 0', 'delay = time.Second')}",
        f"\t\tdelay := p.backOffPeriod\n{TOLD}{CUT.replace('= p.', '= 2 * p.')}",
        f"\t\tdelay := p.backOffPeriod\n{TOLD.replace('at.Sub(p.clock.Now())', 'p.resyncInterval')}\t\t_ = at\n",
        f"\t\tdelay := p.backOffPeriod\n{TOLD.replace('; ok', '; !ok')}",
        f"\t\tdelay := p.backOffPeriod\n{TOLD.replace('delay =', 'delay +=')}",
        f"\t\tdelay := p.backOffPeriod\n{TOLD.replace('p.clock.Now()', 'time.Time{}')}",
        f"\t\tdelay := p.backOffPeriod\n{TOLD}\t\tdelay = max(delay, time.Minute)\n",
        "\t\tdelay := max(p.backOffPeriod, p.resyncInterval)\n",
        f"\t\tdelay := p.backOffPeriod\n{TOLD}\t\tdelay *= 2\n{CUT}",
        "\t\tat, _ := kubecontainer.MinBackoffExpiration(err)\n\t\tdelay := at.Sub(p.clock.Now())\n",
    ],
)
def test_what_depends_on_how_long_a_delay_is_is_refused(go: str) -> None:
    with pytest.raises(ModelError):
        after_an_error(go)


ENQUEUE = "\t\tp.workQueue.Enqueue(uid, wait.Jitter(p.backOffPeriod, 0.5))\n\t}\n\tcanEverStart"
SETS = {
    "an if": "\t\tif status.evicted {\n\t\t\tdelay = p.resyncInterval\n\t\t}\n",
    "a switch": "\t\tswitch {\n\t\tcase status.evicted:\n\t\t\tdelay = p.resyncInterval\n\t\t}\n",
    "a function literal": "\t\tlonger := func() {\n\t\t\tif status.evicted {\n"
    "\t\t\t\tdelay = p.resyncInterval\n\t\t\t}\n\t\t}\n\t\tlonger()\n",
}


@pytest.mark.quick(1)
@pytest.mark.parametrize("where", SETS)
def test_a_delay_that_is_set_on_one_way_is_a_variable(where: str) -> None:
    go = f"\t\tdelay := p.backOffPeriod\n{SETS[where]}"
    found = new_lines(edited((ENQUEUE, go + ENQUEUE.replace("p.backOffPeriod", "delay"))))
    assert found == [
        "delay = Delay.BACKOFF", "if status.evicted:", "delay = Delay.RESYNC", "self.enqueue(uid, delay)"
    ]  # fmt: skip


@pytest.mark.parametrize("last", ["p.resyncInterval", "p.resyncInterval * 2"])
def test_a_loop_over_a_map_may_set_a_delay_to_one_value_only(last: str) -> None:
    loop = "\t\tdelay := p.backOffPeriod\n\t\tfor _, other := range p.podSyncStatuses {\n\t\t\tif other.deleted {\n"
    loop += f"\t\t\t\tdelay = p.resyncInterval\n\t\t\t}} else {{\n\t\t\t\tdelay = {last}\n\t\t\t}}\n\t\t}}\n"
    edit = ENQUEUE, loop + ENQUEUE.replace("p.backOffPeriod", "delay")
    if last == "p.resyncInterval":
        assert "self.enqueue(uid, delay)" in new_lines(edited(edit))
    else:
        with pytest.raises(ModelError, match="the order of this map"):
            edited(edit)


@pytest.mark.slow
def test_the_transient_delay_is_as_long_as_the_file_says() -> None:
    assert new_lines(edited((KNOWN, "wait.Jitter(time.Second, 0.5)"))) == []
    known = "\nconst backOffOnTransientErrorPeriod = "
    assert new_lines(edited(more=f"{known}time.Second\n")) == []
    found = new_lines(edited(more=f"{known}5 * time.Second\n"))
    assert "self.begin_complete_work(uid, generation, DELAY_5000000000NS)" in found


@pytest.mark.quick(2)
@pytest.mark.parametrize(
    "declared",
    [
        "var backOffOnTransientErrorPeriod = time.Second",
        "var backOffOnTransientErrorPeriod = time.Hour",
        "var (\n\tother, backOffOnTransientErrorPeriod = 1, time.Second\n)",
        'var NetworkNotReadyErrorMsg = "none"',
        "var SyncPod = 0",
    ],
)
def test_a_variable_stands_for_nothing_that_never_changes(declared: str) -> None:
    name = re.search(r"[bNS]\w+(?= =)|backOff\w+", declared)
    assert name is not None
    with pytest.raises(ModelError, match=f"`{name[0]}` is a variable here, which may change; declare a constant"):
        edited(more=f"\n{declared}\n")


@pytest.mark.slow
def test_another_delay_is_told_and_that_its_length_decides_nothing(tmp_path: Path) -> None:
    file = tmp_path / "pod_workers.go"
    file.write_text(changed((f"Enqueue(uid, {KNOWN})", "Enqueue(uid, 9 * time.Second)")), "utf-8")
    told = run("check", "--go", str(file), "--version", "v1.29", "--scenario", "lone-pod", "-v")
    assert told.exit_code == 1, told.output
    said = " ".join(told.stdout.split())
    assert "NEW retries_wait_as_long_as_the_outcome_says" in said
    assert "the worker of web goes on after 9 * time.Second, which is not what the outcome asks for" in said
    assert "how long it is decides nothing" in said


@pytest.mark.slow
@pytest.mark.parametrize(
    ("edits", "is_equal"),
    [
        (("9 * time.Second", "7 * time.Second"), False),
        (("9 * time.Second", "9000 * time.Millisecond"), True),
    ],
)
def test_files_with_delays_of_their_own_are_equal_where_these_are_as_long(
    edits: tuple[str, str], is_equal: bool, tmp_path: Path
) -> None:
    files = []
    for side, delay in zip("ab", edits, strict=True):
        (tmp_path / side).mkdir()
        files.append(tmp_path / side / "pod_workers.go")
        files[-1].write_text(changed((f"Enqueue(uid, {KNOWN})", f"Enqueue(uid, {delay})")), "utf-8")
    told = run("review", *map(str, files), "--version", "v1.29", "--scenario", "lone-pod").stdout
    assert ("EQUIVALENT" in told) is is_equal, told
    assert ("completeWork UNDECIDED" in " ".join(told.split())) is not is_equal, told
