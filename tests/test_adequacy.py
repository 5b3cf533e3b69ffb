"""`podproof adequacy`: what is changed, who objects, and that none of its short cuts changes the answer."""

from __future__ import annotations

import inspect
import json
import os
import signal
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import pytest
from tests.command_line import run_v1_29 as run
from tests.test_formats_json import validate, whole

from podproof.checker.adequacy import judge as judging
from podproof.checker.adequacy.explored_scenario import EarlyExitSearch, ExploredScenario
from podproof.checker.adequacy.judge import Judge
from podproof.checker.adequacy.mutants import OPERATORS, Mutant, edited, edits, mutants_of
from podproof.checker.adequacy.result import Adequacy, Fate, Mended, MutantResult, Objection
from podproof.checker.arrays import Int64s
from podproof.checker.core.system import Limits, Property
from podproof.checker.lowering.claims import lower_properties
from podproof.checker.lowering.source import source_of
from podproof.checker.processes import Task
from podproof.checker.reductions import Plan
from podproof.model.language import NIL
from podproof.model.state import Phase, WorkType
from podproof.model.versions import V1_29
from podproof.queries.build import scenarios_of, subject_of
from podproof.queries.mutating import _judged, explored_scenarios, pod_worker_mutants
from podproof.queries.pool import answers

SMALL = "static-removed"
TRACES = Path(__file__).parent / "traces"


class Sample:
    """A class to change: each operator has a place in it."""

    def choose(self, one: bool, other: bool, number: int, kind: WorkType) -> bool:
        if one and not other:
            number = 1
            self.note(one, number)
        elif kind == WorkType.SYNC:
            number += 2
        else:
            number = NIL
        return number < 2

    def note(self, flag: bool, number: int) -> None:
        """It says so."""
        self.flag = flag
        self.number = number

    def both(self, phase: Phase) -> tuple[bool, bool]:
        return phase == Phase.FAILED, True


def changes(name: str) -> set[str]:
    return {f"{e.operator}: {e.before} → {e.after}" for e in edits(source_of(getattr(Sample, name)))}


def test_every_operator_changes_what_it_says() -> None:
    assert changes("choose") >= {
        "negate a condition: one and not other → not (one and not other)",
        "negate a condition: kind == WorkType.SYNC → not (kind == WorkType.SYNC)",
        "negate a condition: number < 2 → not (number < 2)",
        "drop a conjunct: one and not other → (not other)",
        "drop a conjunct: one and not other → (one)",
        "drop a branch: number = 1 self.note(one, number) → pass",
        "drop a branch: kind == WorkType.SYNC → False",
        "drop a statement: number = 1 → pass",
        "drop a statement: self.note(one, number) → pass",
        "exchange a comparison: number < 2 → number <= 2",
        "exchange a comparison: kind == WorkType.SYNC → kind != WorkType.SYNC",
        "change a constant: 1 → 2",
        "change a constant: 1 → 0",
        "change a constant: NIL → 0",
        "change a constant: WorkType.SYNC → WorkType.TERMINATING",
        "change a constant: WorkType.SYNC → WorkType.TERMINATED",
        "exchange statements: number = 1; self.note(one, number) → self.note(one, number); number = 1",
        "replace an argument: one → other",
    }
    assert "exchange outcomes: phase == Phase.FAILED, True → True, phase == Phase.FAILED" in changes("both")
    assert "return early: self.flag = flag self.number = number → return" in changes("note")
    found = {change.split(":")[0] for name in ("choose", "note", "both") for change in changes(name)}
    assert found == set(OPERATORS)


def test_no_line_gets_another_number() -> None:
    source = source_of(Sample.choose)
    for edit in edits(source):
        text = edited(source, edit)
        assert text.count("\n") == 9, edit
        if edit.line < source.tree.body[-1].lineno and edit.operator not in ("return early", "exchange statements"):
            assert text.endswith("        return number < 2\n"), edit


def test_a_mutant_is_in_its_class_for_a_while() -> None:
    before = Sample.note
    mutant = next(m for m in mutants_of([Sample], []) if m.edit.before == "self.number = number")
    sample = Sample()
    with mutant.planted():
        assert Sample.note is not before
        sample.note(True, 5)
    assert vars(sample) == {"flag": True} and Sample.note is before
    assert source_of(mutant.mutated).file != source_of(before).file
    line = before.__code__.co_firstlineno + len(inspect.getsourcelines(before)[0]) - 1
    assert str(mutant.line).endswith(f"tests/test_adequacy.py:{line}"), mutant.line


def test_a_method_that_is_overridden_is_no_part_of_the_model() -> None:
    class Override(Sample):
        def note(self, flag: bool, number: int) -> None:
            self.number = 0

    class Extension(Sample):
        def note(self, flag: bool, number: int) -> None:
            super().note(flag, 0)

    owners = {cls: {m.function for m in mutants_of([cls, Sample], [])} for cls in (Override, Extension)}
    assert "Sample.note" not in owners[Override] and "Sample.note" in owners[Extension]


# -- judgement ---------------------------------------------------------------------------------------------------------


@cache
def every() -> dict[str, Mutant]:
    return {mutant.key: mutant for mutant in pod_worker_mutants(subject_of("v1.29", None))}


@cache
def judge(thorough: bool = False) -> Judge:
    return Judge(explored_scenarios(subject_of("v1.29", None), scenarios_of([SMALL])), thorough)


def judge_of(*claims: Property) -> Judge:
    """One who knows these claims alone."""
    (scenario,) = judge().scenarios
    return Judge(
        [ExploredScenario(replace(scenario.question, claims=tuple(lower_properties(scenario.system, claims))))]
    )


@cache
def judge_without(*claims: str) -> Judge:
    """One who does not know some claims, so that there is a mutant that the others do not kill."""
    (scenario,) = explored_scenarios(subject_of("v1.29", None), scenarios_of([SMALL]))
    known = tuple(p for p in scenario.question.claims if p.property.id not in claims)
    return Judge([ExploredScenario(replace(scenario.question, claims=known))], False)


def mutant(function: str, operator: str, before: str, after: str) -> Mutant:
    (found,) = (
        m
        for m in every().values()
        if (m.name, m.edit.operator, m.edit.before, m.edit.after) == (function, operator, before, after)
    )
    return found


def outcome(function: str, operator: str, before: str, after: str) -> MutantResult:
    return judge().judge(mutant(function, operator, before, after))


def test_mutants_have_names_of_their_own() -> None:
    assert len(every()) == len(pod_worker_mutants(subject_of("v1.29", None))) > 800


@pytest.mark.slow
def test_a_claim_kills_with_its_shortest_trace() -> None:
    found = outcome("complete_terminated", "drop a statement", "self.release_static_pod(uid)", "pass")
    assert found.fate is Fate.KILLED
    kill = found.kills[0]
    assert (kill.claim, kill.scenario, kill.objection) == ("started_static_pod_is_known", SMALL, Objection.VIOLATED)
    assert kill.steps == len(found.events) == 14
    assert found.events[-1] == "SyncTerminatedPod(static) returns nil"


@pytest.mark.slow
def test_a_lost_witness_kills() -> None:
    before = "options.pod.deletion_timestamp"
    deaf = judge_without("pods_terminate_for_a_reason", "deleted_marks_what_is_deleted_or_gone")
    found = deaf.judge(mutant("begin_termination", "negate a condition", before, f"not ({before})"))
    assert found.fate is Fate.KILLED and found.is_killed_by_witness_alone
    assert [kill.claim for kill in found.kills] == ["a_pod_runs"]


def no_pod_has_configuration(workers: V1_29) -> bool:
    return not workers.has_config(0)


def the_history_knows_a_pod(workers: V1_29) -> bool:
    return workers.pod_sync_statuses[0].present


HAS_CONFIG = ("has_config", "negate a condition", "status.active_update.present", "not (status.active_update.present)")


def test_a_claim_that_asks_for_another_answer_kills() -> None:
    found = outcome(*HAS_CONFIG)
    assert found.fate is Fate.KILLED and found.kills[0].claim == "housekeeping_is_told_of_the_last_update"


def test_a_claim_that_is_violated_anyway_does_not_kill() -> None:
    known = Property("no_pod_has_configuration", "always", "", no_pod_has_configuration)
    found = judge_of(known).judge(mutant(*HAS_CONFIG))
    assert found.fate is Fate.DIFFERENT and not found.kills and found.searched


def test_what_a_step_reports_kills() -> None:
    found = outcome("start_pod_sync", "negate a condition", "not status.working", "not (not status.working)")
    assert found.fate is Fate.KILLED and found.events


def test_what_never_changed_may_change_in_a_mutant() -> None:
    """Nobody is evicted here, so the original is explored without it; the mutant is not."""
    (scenario,) = judge().scenarios
    evicted = "options.kill_pod_options.present and options.kill_pod_options.evict"
    marks = mutant("begin_termination", "negate a condition", evicted, f"not ({evicted})")
    keeps = mutant("complete_terminated", "drop a statement", "self.release_static_pod(uid)", "pass")
    assert "pod_sync_statuses[0].evicted" in scenario.values
    reduced = [scenario.reduce(*judging._Trial(judge(), one)._lowered(scenario)) for one in (marks, keeps)]
    assert reduced[0] is None and reduced[1] is not None


def test_every_witness_is_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "_FIRST", 10)
    (scenario,) = judge().scenarios
    runs = next(p for p in scenario.question.properties if p.id == "a_pod_runs")
    is_known = Property("the_history_knows_a_pod", "sometimes", "", the_history_knows_a_pod)
    never_starts = mutant("start_pod_sync", "negate a condition", "not can_ever_start", "not (not can_ever_start)")
    found = judge_of(is_known, runs).judge(never_starts)
    assert [(kill.claim, kill.objection) for kill in found.kills] == [("a_pod_runs", Objection.WITNESS_LOST)]


def test_what_a_limit_stopped_shows_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is searched from the original's states is stopped at the first one more; the claim is violated later."""
    monkeypatch.setattr(judging, "_FIRST", 50)
    (scenario,) = judge().scenarios

    class Stopped(EarlyExitSearch):
        def __init__(self, reduced: Plan, limits: Limits, *rest: Any) -> None:
            is_beyond = limits.max_states == 2 * scenario.count
            super().__init__(reduced, Limits(max_states=scenario.count) if is_beyond else limits, *rest)

        def go_beyond(self, scenario: ExploredScenario, origins: Int64s) -> None:
            super().go_beyond(scenario, origins)
            stopped.append(self.reason)

    stopped = list[str]()
    monkeypatch.setattr(judging, "EarlyExitSearch", Stopped)
    found = outcome("complete_terminated", "drop a statement", "self.release_static_pod(uid)", "pass")
    assert found.fate is Fate.KILLED and "--max-states" in str(stopped)


@pytest.mark.slow
def test_a_known_violation_that_is_gone_kills_nothing() -> None:
    """A worker that does less must not look better: what it mends is told, and counts for nothing."""
    (early,) = (m for m in every().values() if (m.name, m.edit.operator) == ("begin_context", "return early"))
    found = judge_without("what_a_worker_begins_can_be_cancelled").judge(early)
    assert found.fate is not Fate.KILLED and Mended("terminating_cancels_sync_pod", SMALL) in found.mended


def test_what_cannot_be_reached_is_equivalent_without_a_search() -> None:
    found = outcome("merge_last_update", "change a constant", "0", "-1")
    assert (found.fate, found.searched) == (Fate.EQUIVALENT, ())


@pytest.mark.slow
def test_a_claim_about_runs_kills_a_worker_that_gets_stuck() -> None:
    """It never waits for an update again: no step is wrong, but the pod stays Terminating."""
    deaf_worker = mutant("complete_work", "drop a statement", "self.receive(uid, generation)", "pass")
    found = judge().judge(deaf_worker)
    assert found.fate is Fate.KILLED
    assert {kill.claim for kill in found.kills} == {"terminating_pods_are_terminated", "removed_pods_are_finished"}
    (scenario,) = judge().scenarios
    assert (
        Judge([ExploredScenario(replace(scenario.question, about_runs=()))]).judge(deaf_worker).fate is Fate.DIFFERENT
    )


def test_a_model_that_goes_wrong_is_refused() -> None:
    found = outcome(
        "append",
        "exchange statements",
        "self.uids[self.length] = uid; self.length += 1",
        "self.length += 1; self.uids[self.length] = uid",
    )
    assert found.fate is Fate.REFUSED and "goes wrong" in found.reason


def test_what_nobody_kills_comes_with_what_could_be_claimed() -> None:
    deaf = judge_without("mirror_pods_are_kept_while_their_static_pod_terminates")
    found = deaf.judge(mutant("is_pod_for_mirror_pod_terminating_by_full_name", "change a constant", "NIL", "0"))
    assert found.fate is Fate.DIFFERENT and "answers otherwise" in found.reason


def test_claims_read_the_words_of_a_record_as_they_were() -> None:
    """`is_terminated` that says no is a wrong worker, and not another meaning of the claims."""
    found = outcome("is_terminated", "negate a condition", "self.terminated_at", "not (self.terminated_at)")
    assert found.fate is Fate.KILLED


@pytest.mark.slow
def test_no_short_cut_changes_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is decided from the original's states is what a search of the mutant's own states says."""
    monkeypatch.setattr(judging, "_FIRST", 50)
    monkeypatch.setattr(judging, "_ENOUGH", 0)
    deaf_worker = mutant("complete_work", "drop a statement", "self.receive(uid, generation)", "pass").key
    old_grace = mutant("call_pod_syncer", "drop a statement", "worker.grace_period = NIL", "pass").key
    some = [*sorted(every())[5::120], deaf_worker, old_grace]
    assert len(some) > 7
    fates = set()
    for key in some:
        short, thorough = judge().judge(every()[key]), judge(thorough=True).judge(every()[key])
        assert short.fate is thorough.fate, (short, thorough)
        assert {kill.claim for kill in short.kills} <= {kill.claim for kill in thorough.kills}
        if short.kills and short.kills[0].objection is Objection.VIOLATED:
            assert short.kills[0].steps in [k.steps for k in thorough.kills if k.claim == short.kills[0].claim]
        fates.add(short.fate)
    assert len(fates) > 2, fates


def test_the_score_leaves_out_what_is_refused_or_equivalent() -> None:
    def one(key: str, fate: Fate) -> MutantResult:
        return MutantResult(key, "f", "file:1", "operator", "a", "b", fate, "")

    fates = (Fate.KILLED, Fate.KILLED, Fate.KILLED, Fate.DIFFERENT, Fate.EQUIVALENT, Fate.REFUSED)
    found = Adequacy("v", ("s",), ("c",), tuple(one(str(i), fate) for i, fate in enumerate(fates)), 6, 6)
    assert found.score == 75
    assert Adequacy("v", ("s",), ("c",), found.results[4:], 2, 6).score is None


# -- the command -------------------------------------------------------------------------------------------------------

QUICK = ("adequacy", "--scenario", SMALL, "--function", "requeueLastPodUpdate")


@pytest.mark.slow
def test_the_document_follows_the_schema_and_a_second_run_goes_on(tmp_path: Path) -> None:
    kept = tmp_path / "found.jsonl"
    first = run(*QUICK, "--mutants", "3", "--resume", str(kept), "-o", "json")
    assert first.exit_code == 0, first.output
    document = json.loads(first.stdout)
    validate(document, whole())
    assert document["planned"] == len(document["mutants"]) == 3 < document["available"]
    assert {m["function"] for m in document["mutants"]} == {"PodWorkerLoop.requeue_last_pod_update"}

    lines = kept.read_text().splitlines(keepends=True)
    assert len(lines) == 3
    kept.write_text("".join(lines[:2]) + lines[2][:20])
    again = json.loads(run(*QUICK, "--mutants", "3", "--resume", str(kept), "-o", "json").stdout)
    assert [m | {"seconds": 0} for m in again["mutants"]] == [m | {"seconds": 0} for m in document["mutants"]]
    assert len(kept.read_text().splitlines()) == 3

    other = run("adequacy", "--scenario", "orphan", *QUICK[3:], "--resume", str(kept))
    assert other.exit_code == 2 and "in other scenarios" in other.output, other.output
    kept.write_text('{"key": "?"}\n')
    assert run(*QUICK, "--resume", str(kept)).exit_code == 2


@pytest.mark.slow
def test_a_score_that_is_too_low_fails() -> None:
    named = ("adequacy", "--scenario", SMALL, "--function", "sync_known_pod", "--mutants", "4", "--seed", "1")
    low = run(*named, "--min-score", "95", "-o", "markdown")
    assert low.exit_code == 1, low.output
    assert "### No claim kills" in low.stdout
    assert run(*named, "--min-score", "0").exit_code == 0


def test_a_score_of_nothing_is_too_low() -> None:
    """A function in which no mutant counts shows nothing about the claims."""
    sample = ("--function", "completeWork", "--mutants", "1", "--seed", "1")
    found = run("adequacy", "--scenario", SMALL, *sample, "--min-score", "1")
    assert "none that counts" in found.stdout and found.exit_code == 1


@pytest.mark.slow
def test_a_recording_kills_what_no_claim_does(tmp_path: Path) -> None:
    (tmp_path / "traces.jsonl").write_bytes((TRACES / "lifecycles.jsonl").read_bytes())
    arguments = ("adequacy", "--scenario", SMALL, "--function", "keep_from", "--recorded")
    assert run(*arguments, str(tmp_path / "none")).exit_code == 2
    (tmp_path / "empty").mkdir()
    assert "no .jsonl" in run(*arguments, str(tmp_path / "empty")).output
    found = run("adequacy", "--scenario", SMALL, "--function", "keep_from", "--recorded", str(tmp_path), "-o", "json")
    assert found.exit_code == 0, found.output
    assert "recorded" in {m["fate"] for m in json.loads(found.stdout)["mutants"]}


def test_an_unknown_function_gets_a_suggestion() -> None:
    result = run("adequacy", "--function", "requeueLastPodUpdat")
    assert result.exit_code == 2 and "did you mean 'requeueLastPodUpdate'?" in result.output


@pytest.mark.slow
def test_a_proposal_is_changed_in_its_own_methods_too(tmp_path: Path) -> None:
    model = tmp_path / "mine.py"
    model.write_text(
        "from podproof.model.versions import V1_29\n\n\n"
        "class Mine(V1_29):\n"
        "    def release_static_pod(self, uid: int) -> None:\n"
        "        super().release_static_pod(uid)\n"
    )
    found = run(
        "adequacy", "--model", str(model), "--scenario", SMALL, "--function", "release_static_pod", "-o", "json"
    )
    assert found.exit_code == 0, found.output
    functions = json.loads(found.stdout)["functions"]
    assert functions["Mine.release_static_pod"] == 100 and "PodWorkerLoop.release_static_pod" in functions


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_its_mutant_to_this_one(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a process had begun is not waited for any longer."""
    here, judge = os.getpid(), Judge.judge

    def killed(self: Judge, mutant: Mutant) -> MutantResult:
        if os.getpid() != here and mutant.key == first.key:
            os.kill(os.getpid(), signal.SIGKILL)
        return judge(self, mutant)

    subject = subject_of("v1.29", None)
    first, second = pod_worker_mutants(subject)[:2]
    chosen = scenarios_of([SMALL], subject)
    made = Judge(explored_scenarios(subject, chosen), False)
    monkeypatch.setattr(Judge, "judge", killed)
    tasks = [Task(partial(_judged, subject, chosen, False, None, mutant.key)) for mutant in (first, second)]
    found = {outcome.key: outcome.fate for _, outcome in answers(tasks, 2)}
    assert found == {mutant.key: judge(made, mutant).fate for mutant in (first, second)}
