"""Ordinary edits of the file: what Go a reviewer meets in a change, and what it becomes."""

from __future__ import annotations

import functools

import pytest
from tests.golang.test_translation import FINISHED, SOURCE, WORKER, changed, lines_of, translated

from podproof.checker.core import ModelError
from podproof.golang.module import FileTranslation, Translation
from podproof.golang.operators import NO_OVERFLOW
from podproof.golang.syntax import parse
from podproof.golang.vocabulary import worker_vocabulary
from podproof.model.releases import V1_29
from podproof.model.scenarios import SCENARIOS
from podproof.queries.build import Subject, system_of

OF_WORKERS = "type podWorkers struct {"
OF_STATUS = "type podSyncStatus struct {"
LEAST = "\tif seconds < 1 {\n\t\tseconds = 1\n\t}\n"
REASONS = "\ntype reason int\n\nconst (\n\tunknown reason = iota\n\torphaned\n\tremoved\n)\n"
STARTS_WITH_ONE = REASONS.replace("unknown reason = iota\n\torphaned", "orphaned reason = iota + 1")


def edited(*changes: tuple[str, str], more: str = "") -> Translation:
    return translated(changed(*changes) + more)


def before_finished(go: str) -> tuple[str, str]:
    """Statements of UpdatePod before it looks whether the pod is finished."""
    return FINISHED, f"{go}{FINISHED}"


def new_lines(translation: Translation) -> list[str]:
    """What the stand-in's own translation does not have."""
    return [line.strip() for line in lines_of(translation) if line not in known_lines() and line.strip()]


@functools.cache
def known_lines() -> list[str]:
    return lines_of(translated(SOURCE))


def test_an_exchange_of_two_locals_reads_both_before_it_sets_one() -> None:
    swap = "\tleast, wanted := int64(1), seconds\n\tif wanted < least {\n\t\tleast, wanted = wanted, least\n\t}\n"
    lines = new_lines(edited((LEAST, f"{swap}\tseconds = wanted\n")))
    exchange = ["given_1 = wanted", "given_2 = least", "least = given_1", "wanted = given_2"]
    at = lines.index(exchange[0])
    assert lines[at : at + 4] == exchange


SAME_RULE = {
    "a constant": ("\tif seconds < least {\n\t\tseconds = least\n\t}\n", "\nconst least int64 = 1\n"),
    "a constant of constants": (
        "\tif seconds < least {\n\t\tseconds = least\n\t}\n",
        "\nconst (\n\tzero = iota\n\tleast\n)\n",
    ),
    "a conversion": ("\tif seconds < int64(1) {\n\t\tseconds = int64(1)\n\t}\n", ""),
    "a group of constants, turned round": ("\tif least > seconds {\n\t\tseconds = least\n\t}\n", "\nconst least = 1\n"),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("edit", SAME_RULE)
def test_a_rule_may_be_written_otherwise(edit: str) -> None:
    rule, more = SAME_RULE[edit]
    found = [line for line in new_lines(edited((LEAST, rule), more=more)) if line != "if 1 > seconds:"]
    assert found == []


BECOMES = {
    "a hexadecimal number": ("\tseconds = max(seconds, 0x0A) + 0b1_1 + 010\n", "seconds = (max(seconds, 10) + 3) + 8"),
    "max": ("\tseconds = max(seconds, 1)\n", "seconds = max(seconds, 1)"),
    "a function literal": (
        "\tleast := func(number int64) int64 { return max(number, 1) }\n\tseconds = least(seconds)\n",
        "seconds = max(seconds, 1)",
    ),
    "parentheses": ("\tseconds = 1 - (seconds - 2)\n", "seconds = 1 - (seconds - 2)"),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("edit", BECOMES)
def test_a_rule_becomes_what_python_says_of_it(edit: str) -> None:
    go, python = BECOMES[edit]
    assert new_lines(edited((LEAST, go))) == [python]


DECISIONS = {
    "status.deleted != (status.evicted || known)": "if status.deleted != (status.evicted or known):",
    "(status.deleted == status.evicted) != known": "if (status.deleted == status.evicted) != known:",
    "len(p.podSyncStatuses) > 1": "if count > 1:",
    "options.KillPodOptions.isEviction()": "if self.kill_pod_options_is_eviction(options.kill_pod_options):",
    "podutil.IsPodPhaseTerminal(v1.PodFailed)": "if Phase.FAILED == Phase.FAILED or Phase.FAILED == Phase.SUCCEEDED:",
}
METHOD = "\nfunc (k *KillPodOptions) isEviction() bool { return k != nil && k.Evict }\n"


@pytest.mark.quick(2)
@pytest.mark.parametrize("condition", DECISIONS)
def test_a_condition_keeps_its_order(condition: str) -> None:
    found = edited(before_finished(f"\tif {condition} {{\n\t\treturn\n\t}}\n"), more=METHOD)
    assert DECISIONS[condition] in new_lines(found)


KEPT = {
    "sets.Set[types.UID]": ("p.held.Insert(uid)", "!p.held.Has(uid)", "p.held.Delete(uid)"),
    "map[types.UID]struct{}": ("p.held[uid] = struct{}{}", "len(p.held) == 0", "delete(p.held, uid)"),
    "map[types.UID]int": ("p.held[uid]++", "p.held[uid] < 2", "delete(p.held, uid)"),
    "map[types.UID]reason": ("p.held[uid] = orphaned", "p.held[uid] == removed", "delete(p.held, uid)"),
}


@pytest.mark.quick(1)
@pytest.mark.parametrize("go", KEPT)
def test_what_is_kept_by_uid_is_state_that_a_restart_loses(go: str) -> None:
    store, test, delete = KEPT[go]
    said = f"\t{store}\n\tif {test} {{\n\t\t{delete}\n\t}}\n"
    found = edited((OF_WORKERS, f"{OF_WORKERS}\n\theld {go}"), before_finished(said), more=REASONS)
    system = system_of(Subject("go", found.cls, ""), SCENARIOS["lone-pod"])
    assert "held[0]" in system.nodes()
    assert "def lose_pod_worker(self, uid: int) -> None:" in new_lines(found)
    assert "self.held[uid] = False" in new_lines(found)


@pytest.mark.quick(1)
@pytest.mark.parametrize("more", [REASONS, STARTS_WITH_ONE])
def test_an_enumeration_of_the_file_is_one_of_the_model(more: str) -> None:
    said = "\tswitch status.why {\n\tcase orphaned:\n\t\tstatus.why = removed\n"
    said += "\tdefault:\n\t\tstatus.why = orphaned\n\t}\n"
    found = edited((OF_STATUS, f"{OF_STATUS}\n\twhy reason"), before_finished(said), more=more)
    system = system_of(Subject("go", found.cls, ""), SCENARIOS["lone-pod"])
    (field,) = (v for v in system.variables if v.path == "pod_sync_statuses[0].why")
    assert (field.low, field.high) == (0, 2)


def test_a_pointer_to_a_bool_is_nil_or_one_of_two() -> None:
    said = "\tif status.held == nil {\n\t\tstatus.held = ptr.To(known)\n\t}\n\tif *status.held {\n\t\treturn\n\t}\n"
    found = edited((OF_STATUS, f"{OF_STATUS}\n\theld *bool"), before_finished(said))
    assert "status.held = (OptionalBool.TRUE if known else OptionalBool.FALSE)" in new_lines(found)
    assert "if status.held == OptionalBool.TRUE:" in new_lines(found)


DROPS = (
    "\nfunc (p *podWorkers) drops(status *podSyncStatus) bool {\n"
    "\tstatus.pendingUpdate = nil\n\treturn status.working\n}\n"
)


@pytest.mark.slow
def test_a_call_that_changes_something_may_be_last_in_a_condition() -> None:
    body = " {\n\t\tif status.pendingUpdate.Pod != nil {\n\t\t\treturn\n\t\t}\n\t}\n"
    found = new_lines(edited(before_finished("\tif status.pendingUpdate != nil && p.drops(status)" + body), more=DROPS))
    first, *rest = [line for line in found if "holds" in line or line.startswith("assert status.pending")]
    assert first == "holds = status.pending_update.present"
    # What the condition says of the pointer before the call is not known after it.
    assert rest == ["if holds:", "holds = self.drops(status)", "if holds:", "assert status.pending_update.present"]
    for other in ("p.drops(status) && known", "known && p.drops(status) && status.deleted"):
        with pytest.raises(ModelError, match="changes something in the midst of a condition"):
            edited(before_finished(f"\tif {other} {{\n\t\treturn\n\t}}\n"), more=DROPS)


def test_a_struct_that_is_passed_by_value_is_the_functions_own() -> None:
    merge = "\tlast.RunningPod = other.RunningPod\n"
    found = edited((merge, f"{merge}\tother.MirrorPod = nil\n"))
    assert "other_copied = copy(other)" in new_lines(found)
    assert "other_copied.mirror_pod = 0" in new_lines(found)


REFUSED = {
    "a map under two names": ("\theld := p.held\n\theld.Insert(uid)\n", "would be one map under two names"),
    "an element that is no UID": ("\tp.held.Insert(1)\n", "`1` is no UID"),
    "a map that nobody makes": ("\tp.held.Insert(uid)\n", "`p.held` is written and newPodWorkers makes none"),
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("rule", REFUSED)
def test_what_would_become_something_else_is_refused(rule: str) -> None:
    go, error = REFUSED[rule]
    maker = "\nfunc newPodWorkers() *podWorkers {\n\treturn &podWorkers{}\n}\n" if "nobody" in rule else ""
    with pytest.raises(ModelError) as refused:
        edited((OF_WORKERS, f"{OF_WORKERS}\n\theld sets.Set[types.UID]"), before_finished(go), more=maker)
    assert error in str(refused.value)


def test_a_function_literal_of_several_lines_stands_where_it_is_called() -> None:
    literal = "\tisOver := func() bool {\n\t\tif known {\n\t\t\treturn true\n\t\t}\n\t\treturn false\n\t}\n"
    lines = [
        line.strip() for line in lines_of(edited(before_finished(f"{literal}\tif isOver() {{\n\t\treturn\n\t}}\n")))
    ]
    first = lines.index("result = True")
    assert lines[first - 1 : first + 5] == [
        "if known:",
        "result = True",
        "else:",
        "result = False",
        "if result:",
        "return",
    ]


def test_two_functions_of_one_name_here_are_refused() -> None:
    both = "\tp.isHeld(uid)\n\tisHeld(known)\n"
    more = "\nfunc (p *podWorkers) isHeld(uid types.UID) {\n}\n\nfunc isHeld(known bool) {\n}\n"
    with pytest.raises(ModelError, match="`isHeld` and `isHeld` would have one name here"):
        edited(before_finished(both), more=more)


STARTS = "\t\tgo p.podWorkerLoop(uid, tokens)\n"
TAKES = "work.WorkType = status.phase()\n\twork.Options = *status.pendingUpdate\n"


@pytest.mark.slow
def test_a_goroutine_is_given_names_and_nothing_that_is_computed() -> None:
    given = "\t\tgo func(mine types.UID, in <-chan struct{}) { p.podWorkerLoop(mine, in) }(GIVEN, tokens)\n"
    assert new_lines(edited((STARTS, given.replace("GIVEN", "uid")))) == []
    for other in ("options.Pod.UID", "status.activeUpdate.Pod.UID"):
        with pytest.raises(ModelError, match="is computed where a goroutine starts"):
            edited((STARTS, given.replace("GIVEN", other)))
    with pytest.raises(ModelError):
        edited((STARTS, given.replace("GIVEN", "tokens")))


LOGGED = "\t\tgo func(TAKEN) {\n\t\t\tklog.Info(LOG)\n\t\t\tp.podWorkerLoop(uid, tokens)\n\t\t}(GIVEN)\n"
IN_GOROUTINES = {
    "a status without podLock": ("s *podSyncStatus", "s.evicted", "status", "which was released"),
    "another pair of workers": ("p *podWorkers", '"it"', "q", "is another one in this goroutine"),
    "a name of the outer function": ("status *podSyncStatus", '"it"', "other", "is another one in this goroutine"),
}


@pytest.mark.quick(1)
@pytest.mark.parametrize("what", IN_GOROUTINES)
def test_what_a_goroutine_is_given_is_what_it_was_outside(what: str) -> None:
    taken, log, given, error = IN_GOROUTINES[what]
    go = LOGGED.replace("TAKEN", taken).replace("LOG", log).replace("GIVEN", given)
    with pytest.raises(ModelError, match=error):
        edited((STARTS, go))


def test_a_goroutine_is_given_no_context_that_ends_before_it() -> None:
    made = "\t\tmine, stop := context.WithCancel(context.Background())\n\t\tdefer stop()\n"
    with pytest.raises(ModelError, match="`mine` may be cancelled while the goroutine runs"):
        edited((STARTS, f"{made}{STARTS.replace('uid,', 'mine, uid,')}"))


def test_a_pointer_that_a_goroutine_is_given_is_not_nil_where_it_is_followed() -> None:
    go = LOGGED.replace("TAKEN", "k *KillPodOptions").replace("LOG", '"it", k.Evict').replace("GIVEN", "kill")
    found = new_lines(edited((STARTS, f"\t\tkill := options.KillPodOptions\n{go}")))
    assert "assert local.kill.present" in found


PAIR = "\ntype pair struct {\n\ta, b bool\n}\n"
PAIRS = {
    "made of itself": "\tt := pair{a: status.deleted}\n\tt = pair{a: t.b, b: t.a}\n",
    "exchanged": "\tt, u := pair{a: true}, pair{}\n\tt, u = u, t\n",
    "of two names": "\tt := &pair{a: true}\n\tu := t\n\tt.a = false\n\tstatus.evicted = u.a\n",
    "of two names, later": "\tt := &pair{a: true}\n\tu := &pair{}\n\tu = t\n\tt.a = false\n\tstatus.evicted = u.a\n",
}


@pytest.mark.quick(2)
@pytest.mark.parametrize("how", PAIRS)
def test_a_struct_that_would_be_another_one_is_refused(how: str) -> None:
    with pytest.raises(ModelError, match=r"of itself|two names|becomes another|set by one"):
        edited(before_finished(f"{PAIRS[how]}\tstatus.deleted = t.a\n"), more=PAIR)


@pytest.mark.slow
def test_a_struct_of_the_file_is_copied() -> None:
    go = "\tt := pair{a: status.deleted}\n\tu := t\n\tt = pair{b: u.a}\n\tstatus.deleted = t.b\n"
    assert new_lines(edited(before_finished(go), more=PAIR)) == [
        "t_a = status.deleted", "t_b = False", "u_a = t_a", "u_b = t_b", "t_a = False", "t_b = u_a",
        "status.deleted = t_b",
    ]  # fmt: skip


@pytest.mark.slow
def test_a_struct_that_is_made_anew_has_copies() -> None:
    work = "work = podWork{WorkType: status.phase(), Options: *status.pendingUpdate}\n"
    assert new_lines(edited((TAKES, work))) == []
    late = "\tstatus.pendingUpdate = nil\n"
    with pytest.raises(ModelError, match="is nil here, and Go would panic"):
        edited((TAKES + late, f"status.pendingUpdate = nil\n\t{work}"))


@pytest.mark.slow
def test_a_text_may_be_told_and_decides_nothing() -> None:
    reason = (
        '\treason := "gone"\n\tif status.evicted {\n\t\treason = "evicted"\n\t}\n\tklog.InfoS("Pod", "why", reason)\n'
    )
    assert new_lines(edited(before_finished(reason))) == ["if status.evicted:", "pass"]
    with pytest.raises(ModelError):
        edited(before_finished(f'{reason}\tif reason == "gone" {{\n\t\treturn\n\t}}\n'))


def test_an_error_within_the_translation_quotes_the_go() -> None:
    text = changed(before_finished("\tif kl.isHeld() {\n\t\treturn\n\t}\n"))
    vocabulary = worker_vocabulary(("kl.isHeld() = self.no_such_field : bool",))
    found = FileTranslation(parse(text.encode(), WORKER), vocabulary).make(V1_29)
    with pytest.raises(ModelError) as refused:
        system_of(Subject("go", found.cls, ""), SCENARIOS["lone-pod"])
    line = text.partition("if kl.isHeld()")[0].count("\n") + 1
    assert f"pod_workers.go:{line}: " in str(refused.value)
    assert str(refused.value).endswith("\n    if kl.isHeld() {")


def test_a_large_constant_is_refused_where_it_is_declared() -> None:
    with pytest.raises(ModelError, match=r"`0x7fffffffffffffff` a sum may leave int64"):
        edited(("if seconds < 1 {", "if seconds < most {"), more="\nconst most = 0x7fffffffffffffff\n")


@pytest.mark.quick(1)
@pytest.mark.parametrize("go", ["\tseconds = seconds + 1\n", "\tseconds += 1\n", "\tseconds++\n"])
def test_a_sum_is_assumed_to_stay_within_its_type(go: str) -> None:
    assert NO_OVERFLOW in edited((LEAST, go)).rests_on
    assert NO_OVERFLOW not in translated(SOURCE).rests_on
